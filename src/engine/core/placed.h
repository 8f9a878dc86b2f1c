/* SPDX-License-Identifier: BSD-3-Clause */
/* Placement of a run's threads on processors, for the description of the run; it has no effect on the run. */
#ifndef MNP_ENGINE_CORE_PLACED_H
#define MNP_ENGINE_CORE_PLACED_H

#include <stdint.h>

enum { MNP_MAX_THREADS = 1024 };

enum mnp_binding {
    MNP_BINDING_NO_TEAM, /* no window justified a second thread */
    MNP_BINDING_BOUND,   /* each thread is bound to a processor of its own */
    MNP_BINDING_CROWDED, /* unbound: there are more threads than processors */
    /* unbound: other processes use the processors, too, and a bound thread cannot move away from them */
    MNP_BINDING_BUSY,
    MNP_BINDING_UNASKED, /* threads are not bound: binding was not requested */
    MNP_BINDING_SYSTEM,  /* unbound: the executor leaves its threads to the system, as the original does */
};

struct mnp_placed {
    enum mnp_binding binding;
    uint32_t threads; /* number of the executor's threads, including the calling one */
    uint32_t wanted;  /* number of threads requested */
    /* number of processors available at a time, by affinity, control groups and neighbours; 0: unknown */
    uint32_t granted;
    uint32_t neighbours;  /* number of processes of the same run on these processors, including this one */
    uint32_t nodes;       /* number of NUMA nodes of the threads */
    uint64_t moved_bytes; /* size of units' state that was moved to the node of their threads */
    uint32_t processors[MNP_MAX_THREADS]; /* [threads] system's processor numbers, if bound */
};

#endif
