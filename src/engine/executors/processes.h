/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes that mpirun, mpiexec or srun started together, as one simulation. Only process 0 produces output; an
 * error in any process ends all of them.
 */
#ifndef MNP_ENGINE_EXECUTORS_PROCESSES_H
#define MNP_ENGINE_EXECUTORS_PROCESSES_H

#include "base/error.h"
#include "engine/spread/transport.h"

struct processes {
    struct mnp_transport transport;
    void *plugin; /* NULL: this process is alone */
};

/* Whether a launcher has started this process as one of several. */
bool mnp_processes_expected(void);

/* Joins the other processes: loads the plug-in for the MPI of the launcher, from `folder` or from the installation
 * (NULL: beside the program). Returns false on an error of the user. */
bool mnp_processes_join(struct processes *processes, const char *folder, struct mnp_error *error);

/* This process's rank, and the number of the processes on this host, as announced by the launcher before joining. */
uint32_t mnp_processes_rank(void);
uint32_t mnp_processes_here(void);

/* Divides the processors that several processes of the run may use among them, so that their threads do not compete. If
 * there are too few, records in the transport how many processes share them. Collective. */
void mnp_processes_divide_host(struct processes *processes);

static inline bool processes_joined(const struct processes *processes)
{
    return processes->plugin != NULL;
}

/* Whether this process must not write output. */
static inline bool processes_silent(const struct processes *processes)
{
    return processes_joined(processes) && processes->transport.rank != 0;
}

/* Propagates the first error of any process to all. Returns whether all processes are free of errors. Collective. */
bool mnp_processes_all_well(struct processes *processes, bool well, struct mnp_error *error);

/* Leaves the group of processes. Collective. */
void mnp_processes_leave(struct processes *processes);

#endif
