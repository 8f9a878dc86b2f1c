/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPEN_TIME = 10000, RUN_TIME = 3600000 };

uint64_t offload_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void offload_open(struct offload *offload)
{
    offload->began_ns = offload_clock();
    int problem = mnp_open(&offload->device, getenv("MANIPLE_DEVICE"), OPEN_TIME);
    if (problem == 0)
        return;
    fprintf(stderr, "the coprocessor: %s%s\n", mnp_words(problem),
            problem == MNP_NO_DEVICE && !getenv("MANIPLE_DEVICE")
                ? "; outside of a guest, start `maniple serve --socket SOCKET --memory MEMORY` and set "
                  "MANIPLE_DEVICE=local:SOCKET:MEMORY"
                : "");
    exit(2);
}

uint32_t offload_number(const char *text, const char *what, uint32_t least)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && number >= least && number <= INT32_MAX)
        return (uint32_t)number;
    fprintf(stderr, "%s: \"%.60s\" is no number of %u or more\n", what, text, least);
    exit(2);
}

void *offload_memory(struct offload *offload, uint64_t bytes)
{
    void *memory = mnp_alloc(&offload->device, (size_t)bytes);
    if (!memory) {
        fprintf(stderr, "the region has no room for %llu bytes more\n", (unsigned long long)bytes);
        exit(2);
    }
    return memory;
}

void offload_load(struct offload *offload, const char *name, struct mnp_launch *launch)
{
    char path[512];
    const char *folder = getenv("MANIPLE_PROGRAMS");
    snprintf(path, sizeof path, "%s/%s.elf", folder ? folder : "/programs", name);
    launch->program = mnp_load(&offload->device, path, &launch->program_bytes);
    if (launch->program)
        return;
    fprintf(stderr, "%s cannot be read, or does not fit into the region\n", path);
    exit(2);
}

void offload_run(struct offload *offload, const struct mnp_launch *launch, struct mnp_result *result)
{
    uint64_t begin = offload_clock();
    int ticket = mnp_launch(&offload->device, launch);
    int status = ticket > 0 ? mnp_wait(&offload->device, ticket, RUN_TIME, result) : ticket;
    offload->waited_ns += offload_clock() - begin;
    if (status != MNP_OFFLOAD_OK) {
        fprintf(stderr, "the launch: %s%s%s\n", mnp_words(status), ticket > 0 ? ": " : "",
                ticket > 0 ? result->message : "");
        exit(2);
    }
    offload->simulated_ns += result->host.run_ns;
    offload->copied_ns += result->host.copy_ns;
    offload->cycles += result->host.cycles;
    offload->instructions += result->host.instructions;
    fputs(result->output, stdout);
}

void offload_close(struct offload *offload, const char *name)
{
    uint64_t whole = offload_clock() - offload->began_ns, inside = offload->simulated_ns;
    uint64_t between = offload->waited_ns > inside ? offload->waited_ns - inside : 0;
    printf("time %s: whole %llu us, guest %llu us, coprocessor %llu us, offloading %llu us; %llu cycles, %llu "
           "instructions\n",
           name, (unsigned long long)whole / 1000, (unsigned long long)(whole - offload->waited_ns) / 1000,
           (unsigned long long)inside / 1000, (unsigned long long)between / 1000, (unsigned long long)offload->cycles,
           (unsigned long long)offload->instructions);
    mnp_close(&offload->device);
}

uint32_t offload_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}
