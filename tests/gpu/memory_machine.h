/* SPDX-License-Identifier: BSD-3-Clause */
/* A little machine for tests of the memory system: stand-ins for SMs that send requests, real GPCs and partitions. */
#ifndef MNP_TESTS_MEMORY_MACHINE_H
#define MNP_TESTS_MEMORY_MACHINE_H

#include "engine/executors/executor.h"
#include "gpu/gpc/gpc.h"
#include "gpu/partition/partition.h"

struct stand_in; /* for an SM */

/* Fills in request number `number` of an SM (line, kind, sectors, bytes) and returns the core cycle before which it is
 * not sent. */
typedef uint64_t make_request(const struct stand_in *sm, uint64_t number, struct gpu_request *request);

struct memory_options {
    uint32_t sms, gpcs;
    struct gpu_partition_parameters partition;
    struct gpu_network_parameters network;
    uint64_t core_hertz, noc_hertz, l2_hertz, dram_hertz;
    uint64_t link_cycles; /* latency of every link, in core cycles */
    uint64_t dram_extra;
    uint64_t far_cycles; /* of partition.halves, with copies; 0: none are kept */
    uint64_t requests;    /* of each SM */
    uint64_t outstanding; /* at a time, of each SM; at most MAX_OUTSTANDING */
    uint64_t interval;    /* core cycles between two requests of an SM */
    make_request *make;
    uint64_t seed;
};

enum { MAX_OUTSTANDING = 1024, MEMORY_SLOTS = 3 };

struct stand_in_state { /* in the unit's arena */
    uint64_t sent, received;
    uint64_t next;        /* core cycle of the next request */
    uint64_t latency_sum; /* core cycles */
    uint64_t latency_max;
    uint64_t last_reply;  /* core cycle */
    uint64_t first_reply;
    uint64_t sectors;     /* received */
    uint64_t known_to; /* core cycle up to which it has run */
    uint32_t credits, free_tag;
    struct {
        uint64_t cycle;
        uint64_t line;
        uint32_t used, next;
        uint32_t kind, sectors;
    } tags[MAX_OUTSTANDING];
};

struct stand_in {
    const struct memory_options *options;
    uint32_t index;
    struct mnp_unit *unit;
    struct mnp_link *requests;
    struct stand_in_state *state;
    uint64_t wake, known_to;
};

struct memory_machine {
    struct memory_options options;
    struct mnp_engine engine;
    struct mnp_address_map map;
    struct stand_in *sms;
    struct gpu_gpc **gpcs;
    struct gpu_partition **partitions;
    uint32_t sm_credits, request_credits, reply_credits;
};

/* RTX 3070's channel timing and one clock for all; small caches. */
void memory_defaults(struct memory_options *options);

void memory_build(struct memory_machine *machine, const struct memory_options *options);
void memory_release(struct memory_machine *machine);

struct memory_run {
    const struct mnp_executor *executor;
    uint32_t threads;
    uint64_t window; /* core cycles; 0: longest */
    bool no_skip;
};

/* Runs up to core cycle `cycles`. */
void memory_run(struct memory_machine *machine, const struct memory_run *how, uint64_t cycles);

/* The same, up to a time. */
void memory_run_to(struct memory_machine *machine, const struct memory_run *how, mnp_time limit);

/* Sums of a statistic over all partitions or GPCs and slots. */
uint64_t memory_partition_sum(const struct memory_machine *machine, uint32_t statistic);
uint64_t memory_gpc_sum(const struct memory_machine *machine, uint32_t statistic);

/* Whether every request was answered, every queue is empty and every credit is back or owed. */
bool memory_is_at_rest(const struct memory_machine *machine);

uint64_t memory_random(uint64_t *seed);

#endif
