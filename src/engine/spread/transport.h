/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The interface to processes that simulate one machine together: every process can send a small datum to all, and bytes
 * to each other process. The executor `mpi` provides an implementation over MPI (executors/mpi_transport.c), built as a
 * plug-in so that neither the program nor its users need MPI.
 *
 * All calls are collective: every process makes them in the same order, from one thread.
 */
#ifndef MNP_ENGINE_SPREAD_TRANSPORT_H
#define MNP_ENGINE_SPREAD_TRANSPORT_H

#include <stddef.h>
#include <stdint.h>

/* Bytes for, or from, one process. */
struct mnp_message {
    void *bytes;
    size_t length;
};

struct mnp_transport {
    uint32_t rank, count; /* rank of this process, and number of processes */
    uint32_t neighbours;  /* number of processes on the same processors as this one, including itself; 0: unknown */
    const char *library;  /* name and version of the transport library */
    void *context;

    /* Gathers `length` bytes of every process, in the order of ranks, into `all`. */
    void (*gather)(void *context, const void *mine, size_t length, void *all);

    /* Sends out[r] to process r and receives in[r] from it. Both sides already know the lengths; the process's own
     * entries are skipped, and messages of length 0 are not sent. */
    void (*exchange)(void *context, const struct mnp_message *out, const struct mnp_message *in);

    /* Ends this process's participation, after all processes have called it. */
    void (*leave)(void *context);
};

/* Sends out[r] to process r, and stores the messages from all processes, lengths[r] bytes each, one after another, from
 * `to` on. */
void mnp_transport_exchange(const struct mnp_transport *transport, const struct mnp_message *out,
                            const uint64_t *lengths, void *to);

/* Concatenates the bytes of all processes, in the order of ranks, on the first process. The caller frees `*all`.
 * Returns the total length; 0 on the other processes. */
size_t mnp_transport_collect(const struct mnp_transport *transport, const void *mine, size_t length, void **all);

/* The version of this interface, and the plug-in's only entry point, which joins the processes that were started
 * together. It returns NULL, or the reason of a failure. */
enum { MNP_TRANSPORT_VERSION = 1 };
#define MNP_TRANSPORT_ENTRY "mnp_transport_join"
typedef const char *mnp_transport_join_function(uint32_t version, struct mnp_transport *transport);
const char *mnp_transport_join(uint32_t version, struct mnp_transport *transport); /* defined in the plug-in only */

#endif
