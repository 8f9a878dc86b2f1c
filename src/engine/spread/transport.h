/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the engine needs of processes that simulate one machine together: to say the same small thing to all, and to
 * send bytes to one another. The executor `mpi` brings an implementation over MPI (executors/mpi_transport.c), built
 * as a plug-in so that neither the program nor its users need MPI.
 *
 * All calls are collective: every process makes them in the same order. One thread of each process makes them.
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
    uint32_t rank, count; /* this process, and how many there are */
    uint32_t neighbours;  /* of these, processes on the same processors as this one, itself included; 0: not known */
    const char *library;  /* name and version of what carries the bytes */
    void *context;

    /* Gathers `length` bytes of every process, in the order of ranks, into `all`. */
    void (*gather)(void *context, const void *mine, size_t length, void *all);

    /* Sends out[r] to process r and fills in[r] with what it sends here, whose length both sides know already; the own
     * place of either is passed over, and nothing is sent where a length is 0. */
    void (*exchange)(void *context, const struct mnp_message *out, const struct mnp_message *in);

    /* Ends this process's part once all have come here. */
    void (*leave)(void *context);
};

/* Sends out[r] to process r, and puts what comes from the processes, lengths[r] bytes each, one behind the other from
 * `to` on. */
void mnp_transport_exchange(const struct mnp_transport *transport, const struct mnp_message *out,
                            const uint64_t *lengths, void *to);

/* Joins the bytes of all processes, in the order of ranks, for the first. `*all` is to be freed. Returns how many there
 * are; 0 in the others. */
size_t mnp_transport_collect(const struct mnp_transport *transport, const void *mine, size_t length, void **all);

/* The version of this interface, and the plug-in's one entry: joins the processes that were started together. Returns
 * NULL, or why it cannot. */
enum { MNP_TRANSPORT_VERSION = 1 };
#define MNP_TRANSPORT_ENTRY "mnp_transport_join"
typedef const char *mnp_transport_join_function(uint32_t version, struct mnp_transport *transport);
const char *mnp_transport_join(uint32_t version, struct mnp_transport *transport); /* in the plug-in alone */

#endif
