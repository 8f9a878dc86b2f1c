/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the threads of a run were placed, for its description; it decides nothing. */
#ifndef MNP_ENGINE_CORE_PLACED_H
#define MNP_ENGINE_CORE_PLACED_H

#include <stdint.h>

enum { MNP_MAX_THREADS = 1024 };

enum mnp_binding {
    MNP_BINDING_NO_TEAM, /* no window was worth a second thread */
    MNP_BINDING_BOUND,   /* each thread to a processor of its own */
    MNP_BINDING_CROWDED, /* no: there are more threads than processors */
    MNP_BINDING_BUSY,    /* no: others want the processors too, and a bound thread cannot make way for them */
    MNP_BINDING_UNASKED, /* no: it was not asked for */
    MNP_BINDING_SYSTEM,  /* no: the executor leaves its threads to the system, as its original does */
};

struct mnp_placed {
    enum mnp_binding binding;
    uint32_t threads;       /* that the executor has, the caller's included */
    uint32_t wanted;        /* that were asked for */
    uint32_t granted;       /* processors at a time, by affinity, control groups and neighbours; 0: not known */
    uint32_t neighbours;    /* processes of the same run on the same processors, this one included */
    uint32_t nodes;         /* NUMA nodes that the threads are on */
    uint64_t moved_bytes;   /* of units' state that was brought to the node of their threads */
    uint32_t processors[MNP_MAX_THREADS]; /* [threads], if bound: the system's numbers */
};

#endif
