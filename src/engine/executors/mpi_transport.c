/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plug-in that connects processes by MPI: one is built for Open MPI and one for MPICH, from this file. It is
 * independent of the simulation.
 *
 * Waiting is polling, because windows are short. After a while, the process yields its processor between polls, so that
 * more processes than processors still make progress.
 */
#include "engine/spread/transport.h"

#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>

enum { PATIENCE = 200 /* polls before the processor is yielded */ };

struct mpi {
    int rank, count;
    MPI_Request *requests; /* [2 · count] */
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
};

static void wait_for(int count, MPI_Request *requests)
{
    int done = 0;
    for (int looks = 0; !done; looks++) {
        MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE);
        if (!done && looks >= PATIENCE)
            sched_yield();
    }
}

static void gather(void *context, const void *mine, size_t length, void *all)
{
    struct mpi *mpi = context;
    MPI_Request request;
    if (length > INT_MAX / (size_t)mpi->count)
        MPI_Abort(MPI_COMM_WORLD, 70);
    MPI_Iallgather(mine, (int)length, MPI_BYTE, all, (int)length, MPI_BYTE, MPI_COMM_WORLD, &request);
    wait_for(1, &request);
}

/* Sends or receives one message, in pieces if its length does not fit an int. */
static void post(const struct mnp_message *message, int peer, bool sends, MPI_Request *request)
{
    char *bytes = message->bytes;
    size_t left = message->length;
    /* gigabytes: only the end of a run gathers so much, so waiting for each piece is acceptable */
    while (left > INT_MAX) {
        MPI_Request piece;
        if (sends)
            MPI_Isend(bytes, INT_MAX, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &piece);
        else
            MPI_Irecv(bytes, INT_MAX, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &piece);
        wait_for(1, &piece);
        bytes += INT_MAX;
        left -= INT_MAX;
    }
    if (sends)
        MPI_Isend(bytes, (int)left, MPI_BYTE, peer, 0, MPI_COMM_WORLD, request);
    else
        MPI_Irecv(bytes, (int)left, MPI_BYTE, peer, 0, MPI_COMM_WORLD, request);
}

static void exchange(void *context, const struct mnp_message *out, const struct mnp_message *in)
{
    struct mpi *mpi = context;
    int posted = 0;
    for (int peer = 0; peer < mpi->count; peer++)
        if (peer != mpi->rank && in[peer].length)
            post(&in[peer], peer, false, &mpi->requests[posted++]);
    for (int peer = 0; peer < mpi->count; peer++)
        if (peer != mpi->rank && out[peer].length)
            post(&out[peer], peer, true, &mpi->requests[posted++]);
    wait_for(posted, mpi->requests);
}

static void leave(void *context)
{
    struct mpi *mpi = context;
    MPI_Finalize();
    free(mpi->requests);
    free(mpi);
}

const char *mnp_transport_join(uint32_t version, struct mnp_transport *transport)
{
    if (version != MNP_TRANSPORT_VERSION)
        return "the plug-in for MPI is of another version of maniple";
    int level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS || level < MPI_THREAD_FUNNELED)
        return "MPI does not start";
    struct mpi *mpi = calloc(1, sizeof *mpi);
    if (!mpi)
        return "there is no memory for MPI";
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi->count);
    mpi->requests = calloc(2 * (size_t)mpi->count, sizeof *mpi->requests);
    if (!mpi->requests)
        return "there is no memory for MPI";
    int length;
    MPI_Get_library_version(mpi->library, &length);
    for (char *at = mpi->library; *at; at++) /* keep only the first line */
        if (*at == '\n' || *at == ',')
            *at = 0;
    *transport = (struct mnp_transport){.rank = (uint32_t)mpi->rank,
                                        .count = (uint32_t)mpi->count,
                                        .library = mpi->library,
                                        .context = mpi,
                                        .gather = gather,
                                        .exchange = exchange,
                                        .leave = leave};
    return NULL;
}
