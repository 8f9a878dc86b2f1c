/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes that mpirun, mpiexec or srun started together, as one simulation. Process 0 speaks for all: the others
 * write nothing, and an error of any of them is everybody's.
 */
#ifndef MNP_ENGINE_EXECUTORS_PROCESSES_H
#define MNP_ENGINE_EXECUTORS_PROCESSES_H

#include "base/error.h"
#include "engine/spread/transport.h"

struct processes {
    struct mnp_transport transport;
    void *plugin; /* NULL: this process is alone */
};

/* Whether something has started this process as one of several. */
bool mnp_processes_expected(void);

/* Joins the others: loads the plug-in for the MPI that has started them, from `folder`, or where it is installed (NULL:
 * beside the program). False: an error of the user's. */
bool mnp_processes_join(struct processes *processes, const char *folder, struct mnp_error *error);

/* This process's rank, and how many of the processes are on this host, as the launcher says before it joins them. */
uint32_t mnp_processes_rank(void);
uint32_t mnp_processes_here(void);

/* Divides the processors that several processes of the run may all use among them, so that their threads do not meet on
 * the same ones. Where they are too few for that, notes in the transport how many processes share them. Collective. */
void mnp_processes_divide_host(struct processes *processes);

static inline bool processes_joined(const struct processes *processes)
{
    return processes->plugin != NULL;
}

/* Whether this process is one of those that write nothing. */
static inline bool processes_silent(const struct processes *processes)
{
    return processes_joined(processes) && processes->transport.rank != 0;
}

/* Makes the first error of any process that of all. Returns whether all are well. Collective. */
bool mnp_processes_all_well(struct processes *processes, bool well, struct mnp_error *error);

/* Parts. Collective. */
void mnp_processes_leave(struct processes *processes);

#endif
