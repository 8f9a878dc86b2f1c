/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the way to the coprocessor costs, and what happens when things go wrong. The first argument says what to do:
 *   latency [N]      round trips of N pings and N launches of an empty program on one core, in microseconds
 *   bandwidth [MIB]  copies to and from the region
 *   duration [N]     N launches; how far the guest's clock is from the coprocessor's, where time is simulated
 *   survive          one launch after another until MANIPLE_PROBE_SECONDS are over: none may hang, whatever happens
 *   fault KIND       a program that does something impossible (5), never ends (2), or waits for ever (0)
 */
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return left < right ? -1 : left > right;
}

static void print_times(const char *what, uint64_t *ns, uint32_t count)
{
    qsort(ns, count, sizeof *ns, by_value);
    printf("%s: least %.1f us, median %.1f us, 90 %% %.1f us, greatest %.1f us (%u times)\n", what, (double)ns[0] / 1e3,
           (double)ns[count / 2] / 1e3, (double)ns[count * 9 / 10] / 1e3, (double)ns[count - 1] / 1e3, count);
}

static int latency(struct offload *offload, uint32_t count)
{
    struct mnp_launch launch = {.text = "empty", .cores = 1};
    struct mnp_result result;
    uint64_t *ns = malloc(count * sizeof *ns), *inside = malloc(count * sizeof *inside);
    offload_load(offload, "empty", &launch);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin = offload_clock();
        if (mnp_ping(&offload->device, 5000) != 0) {
            free(ns);
            free(inside);
            return 1;
        }
        ns[i] = offload_clock() - begin;
    }
    print_times("ping", ns, count);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin = offload_clock();
        offload_run(offload, &launch, &result);
        ns[i] = offload_clock() - begin;
        inside[i] = result.host.run_ns;
    }
    print_times("empty launch", ns, count);
    print_times("of it on the host", inside, count);
    free(ns);
    free(inside);
    return 0;
}

static int bandwidth(struct offload *offload, uint32_t mib)
{
    size_t bytes = (size_t)mib << 20;
    char *region = offload_memory(offload, bytes), *own = malloc(bytes);
    memset(own, 1, bytes);
    memset(region, 2, bytes);
    for (int turn = 0; turn < 5; turn++) {
        uint64_t begin = offload_clock();
        memcpy(region, own, bytes);
        uint64_t middle = offload_clock();
        memcpy(own, region, bytes);
        uint64_t end = offload_clock();
        printf("bandwidth: to the region %.2f GB/s, from it %.2f GB/s\n", (double)bytes / (double)(middle - begin),
               (double)bytes / (double)(end - middle));
    }
    free(own);
    return 0;
}

/* The guest's clock beside the durations that it was told. */
static int duration(struct offload *offload, uint32_t count)
{
    struct mnp_launch launch = {.cores = 16};
    struct mnp_result result;
    offload_load(offload, "matmul", &launch);
    for (uint32_t i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "matmul %u", 16u << (i % 8));
        launch.text = text;
        uint64_t begin = offload_clock();
        int ticket = mnp_launch(&offload->device, &launch);
        int status = ticket > 0 ? mnp_wait(&offload->device, ticket, 600000, &result) : ticket;
        uint64_t seen = offload_clock() - begin, told = result.host.femtoseconds / 1000000;
        if (status != MNP_OFFLOAD_OK)
            return 1;
        printf("duration: told %.1f us, seen %.1f us, more by %.1f us\n", (double)told / 1e3, (double)seen / 1e3,
               ((double)seen - (double)told) / 1e3);
    }
    return 0;
}

static int survive(struct offload *offload)
{
    const char *seconds = getenv("MANIPLE_PROBE_SECONDS");
    uint64_t end = offload_clock() + (uint64_t)(seconds ? atoi(seconds) : 5) * 1000000000u, greatest = 0;
    uint32_t good = 0, bad = 0;
    struct mnp_launch launch = {.text = "fibonacci 4", .cores = 4};
    offload_load(offload, "fibonacci", &launch);
    while (offload_clock() < end) {
        struct mnp_result result;
        uint64_t begin = offload_clock();
        int ticket = mnp_launch(&offload->device, &launch);
        int status = ticket > 0 ? mnp_wait(&offload->device, ticket, 2000, &result) : ticket;
        if (status == MNP_TIMEOUT && mnp_cancel(&offload->device, ticket) == 0)
            mnp_wait(&offload->device, ticket, 1000, &result);
        uint64_t spent = offload_clock() - begin;
        greatest = spent > greatest ? spent : greatest;
        int right = status == MNP_OFFLOAD_OK && result.host.program_status == 0 && strstr(result.output, "right on 4");
        good += right != 0;
        bad += !right;
        if (!right)
            printf("launch: %s\n", mnp_words(status));
        fflush(stdout);
    }
    printf("survived: %u launches with the right result, %u without; the longest took %.0f ms; %llu stale messages\n",
           good, bad, (double)greatest / 1e6, (unsigned long long)offload->device.stale);
    return good == 0;
}

static int fault(struct offload *offload, const char *kind)
{
    char text[32];
    struct mnp_launch launch = {.text = text, .cores = 9, .max_milliseconds = 3000};
    struct mnp_result result = {0};
    snprintf(text, sizeof text, "wrong %s", kind);
    offload_load(offload, "wrong", &launch);
    int ticket = mnp_launch(&offload->device, &launch);
    int status = ticket > 0 ? mnp_wait(&offload->device, ticket, 60000, &result) : ticket;
    printf("status %d, %s: %s\n", status, mnp_words(status), result.message ? result.message : "");
    return status <= 0;
}

int main(int argc, char **argv)
{
    static struct offload offload;
    const char *what = argc > 1 ? argv[1] : "latency";
    uint32_t number = argc > 2 ? (uint32_t)atoi(argv[2]) : 0;
    offload_open(&offload);
    int status = strcmp(what, "bandwidth") == 0  ? bandwidth(&offload, number ? number : 16)
                 : strcmp(what, "duration") == 0 ? duration(&offload, number ? number : 8)
                 : strcmp(what, "survive") == 0  ? survive(&offload)
                 : strcmp(what, "fault") == 0    ? fault(&offload, argc > 2 ? argv[2] : "5")
                                                 : latency(&offload, number ? number : 200);
    mnp_close(&offload.device);
    return status;
}
