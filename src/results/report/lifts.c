/* SPDX-License-Identifier: BSD-3-Clause */
/* Keys of the machine that lift what a run of the coprocessor waits for, each by itself. */
#include "results/report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define WORTH 0.01 /* share of the cycles of cores, from which on a part is worth lifting */

/* The share of the cycles of cores that the parts of a name take. */
static double share_of(const struct results_share *shares, uint32_t count, const char *name)
{
    double share = 0;
    for (uint32_t i = 0; i < count; i++)
        share += strcmp(shares[i].name, name) == 0 ? shares[i].share : 0;
    return share;
}

/* Adds a lift, whose keys are a format of a number. */
__attribute__((format(printf, 2, 0))) static void add(struct results_reading *reading, const char *format,
                                                      double number)
{
    struct results_lift *lift = &reading->lifts[reading->lift_count++];
    snprintf(lift->keys, sizeof lift->keys, format, (unsigned long long)number);
    lift->gain = 0;
}

/* Costs of shared memory: routers, their queues, the bank's own time. */
static void add_memory(struct results_reading *reading)
{
    const struct results_group *total = &reading->total;
    double queue = results_key(reading, "mesh.queue"), global = results_key(reading, "shared.global_latency");
    bool mesh = results_sum(reading, total, "noc_packets") > 0;
    if (mesh && results_tiles_moves_one(reading))
        add(reading, "mesh.selection=output", 0);
    if (mesh && results_sum(reading, total, "noc_blocked_cycles") > 0 && queue < 64)
        add(reading, "mesh.queue=%llu", fmin(4 * queue, 64));
    if (mesh && results_key(reading, "shared.latency") > 1)
        add(reading, "shared.latency=%llu", 1);
    if (!mesh && global > 2)
        add(reading, "shared.global_latency=%llu", 2);
}

void results_tiles_find_lifts(struct results_reading *reading)
{
    enum { LARGER = 4, LARGEST = 1 << 24 };
    struct results_share shares[RESULTS_TILE_PARTS];
    uint32_t count = results_tiles_shares(reading, shares);
    double data = results_key(reading, "dcache.size"), code = results_key(reading, "icache.size");
    reading->lift_count = 0;
    if (share_of(shares, count, "shared memory") + share_of(shares, count, "polling") +
            share_of(shares, count, "trying again") >=
        WORTH)
        add_memory(reading);
    bool misses = share_of(shares, count, "cache misses") >= WORTH;
    if (misses && results_sum(reading, &reading->total, "l1d_misses") > 0 && LARGER * data <= LARGEST)
        add(reading, "dcache.size=%llu", LARGER * data);
    if (misses && results_sum(reading, &reading->total, "l1i_misses") > 0 && LARGER * code <= LARGEST)
        add(reading, "icache.size=%llu", LARGER * code);
    if (share_of(shares, count, "branches") >= WORTH)
        add(reading, "core.branch=%llu", 0);
    if (share_of(shares, count, "load to use") >= WORTH)
        add(reading, "core.load_use=%llu", 0);
}
