/* SPDX-License-Identifier: BSD-3-Clause */
/* Host time per packet of the memory system alone, on one thread: `meson test --benchmark`, or run it by hand. */
#include "memory_machine.h"

#include <stdio.h>
#include <time.h>

static uint64_t mix(const struct stand_in *sm, uint64_t number)
{
    uint64_t seed = (sm->index * 1000003 + number + 1) * UINT64_C(0x9E3779B97F4A7C15);
    return memory_random(&seed);
}

static uint64_t gather(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    uint64_t place = mix(sm, number) % (UINT64_C(64) << 20) / 32;
    request->line = place / 4 * 128;
    request->sectors = (uint8_t)(1 << place % 4);
    return 0;
}

static uint64_t hits(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    uint64_t place = mix(sm, number) % (UINT64_C(1) << 20) / 32;
    request->line = place / 4 * 128;
    request->sectors = (uint8_t)(1 << place % 4);
    return 0;
}

static uint64_t stream(const struct stand_in *sm, uint64_t number, struct gpu_request *request)
{
    request->line = (number * sm->options->sms + sm->index) * 128;
    request->sectors = 15;
    request->kind = number % 4 == 3 ? GPU_WRITE : GPU_READ;
    if (request->kind == GPU_WRITE)
        request->bytes[0] = request->bytes[1] = UINT64_MAX;
    return 0;
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void measure(const char *name, make_request *make, uint64_t requests)
{
    struct memory_options options;
    struct memory_machine machine;
    struct memory_run serial = {0};
    memory_defaults(&options);
    options.sms = 46;
    options.gpcs = 6;
    options.partition.count = 16;
    options.partition.cache.size = 131072;
    options.partition.cache.ways = 16;
    options.partition.mshrs = 192;
    options.partition.merge = 4;
    options.partition.waiters = 512;
    options.partition.miss_queue = options.partition.reply_queue = 32;
    options.network.credit_batch = 4;
    options.core_hertz = options.noc_hertz = options.l2_hertz = 1132000000;
    options.dram_hertz = 3500500000;
    options.link_cycles = 45;
    options.requests = requests;
    options.outstanding = 256;
    options.make = make;
    memory_build(&machine, &options);
    double start = now();
    memory_run(&machine, &serial, 100000000);
    double elapsed = now() - start;
    uint64_t packets = 2 * memory_gpc_sum(&machine, GPU_PACKETS_TO_MEMORY);
    uint64_t sectors = memory_partition_sum(&machine, GPU_DRAM + MNP_DRAM_ACCESSES);
    printf("%-8s %8llu packets %8llu DRAM sectors %9llu cycles %7llu windows: %6.1f ns per packet (both ways, %s)\n",
           name, (unsigned long long)packets, (unsigned long long)sectors,
           (unsigned long long)machine.sms[0].state->last_reply, (unsigned long long)machine.engine.windows,
           elapsed / (double)packets, memory_is_at_rest(&machine) ? "at rest" : "NOT AT REST");
    memory_release(&machine);
}

int main(void)
{
    measure("hits", hits, 20000);
    measure("gather", gather, 20000);
    measure("stream", stream, 10000);
    return 0;
}
