/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/meeting.h"

#include "base/ticks.h"
#include "engine/core/port.h"
#include "engine/declare/declare.h"
#include "engine/executors/executor.h"
#include "engine/executors/team.h"
#include "engine/spread/transport.h"

#include <stdlib.h>

enum { SERIES = 15, ROUNDS = 260 /* per series */, LARGE = 256 << 10 /* bytes of a long message */ };

/* Nanoseconds after which threads begin no further series: on a busy host, each of their rounds may take a time slice,
 * and all series together minutes. On an idle one they take a tenth of it. */
enum { PATIENCE = 300000000 };

/* Whether to measure series number `series`, of those that began at `start`. */
static bool goes_on(int series, uint64_t start)
{
    return series == 0 || (series < SERIES && mnp_nanoseconds() - start < PATIENCE);
}

static double least(double a, double b)
{
    return b < a ? b : a;
}

static double positive(double value)
{
    return value > 0 ? value : 0;
}

/* ===== threads ===== */

static void nothing(void *context, uint32_t worker, uint32_t workers)
{
    (void)context;
    (void)worker;
    (void)workers;
}

double mnp_meeting_of_team(uint32_t threads)
{
    double best = 1e9;
    struct mnp_team *team = mnp_team_start(threads, true);
    uint64_t first = mnp_nanoseconds();
    for (int series = 0; goes_on(series, first); series++) {
        uint64_t start = mnp_nanoseconds();
        for (int i = 0; i < ROUNDS; i++)
            mnp_team_run(team, threads, nothing, NULL);
        best = least(best, (double)(mnp_nanoseconds() - start) / ROUNDS);
    }
    mnp_team_stop(team);
    return best;
}

/* The model of a unit that is active in every window and does nothing. */
static mnp_time idle(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    return until;
}

struct token { /* packet type of links on which nothing is sent */
    uint64_t number;
};

/* Nanoseconds of a window with so many idle units, all of which are cores except one unit of the memory side. */
static double window_of(const struct mnp_executor *executor, enum mnp_schedule schedule, uint32_t threads,
                        uint32_t units)
{
    static const struct mnp_port ports[] = {MNP_OUT_ROW("out", "", token, ""), MNP_IN_ROW("in", "", token, "")};
    static const struct mnp_model core = {.name = "core", MNP_PORTS(ports), .advance = idle};
    static const struct mnp_model memory = {
        .name = "memory", MNP_PORTS(ports), .advance = idle, .domain = MNP_DOMAIN_MEMORY};
    const mnp_time latency = 1000000;
    double best = 1e9;
    uint64_t first = mnp_nanoseconds();
    for (int series = 0; goes_on(series, first); series++) {
        struct mnp_engine engine;
        mnp_engine_init(&engine);
        for (uint32_t i = 0; i < units; i++)
            mnp_engine_create_unit(
                &engine,
                &(struct mnp_unit_plan){.model = i + 1 < units ? &core : &memory, .name = "unit", .hertz = 1000000000});
        for (uint32_t i = 0; i < units; i++)
            mnp_connect(&engine, mnp_at_port(engine.units[i], "out", 0),
                        mnp_at_port(engine.units[(i + 1) % units], "in", 0), latency, 4);
        mnp_engine_freeze(&engine, 0);
        for (uint32_t i = 0; i < units; i++)
            mnp_engine_wake(&engine, engine.units[i], 0);
        struct mnp_run_options options = {
            .executor = executor, .threads = threads, .schedule = schedule, .limit = ROUNDS * latency};
        uint64_t start = mnp_nanoseconds();
        mnp_engine_run(&engine, &options);
        best = least(best, (double)(mnp_nanoseconds() - start) / (double)engine.windows);
        mnp_engine_release(&engine);
    }
    return best;
}

double mnp_meeting_of_executor(const struct mnp_executor *executor, uint32_t threads)
{
    uint32_t units = 2 * threads + 1; /* two cores for each thread */
    return positive(window_of(executor, MNP_SCHEDULE_COST, threads, units) -
                    window_of(&mnp_executor_serial, MNP_SCHEDULE_COST, 1, units));
}

double mnp_meeting_of_taking(const struct mnp_executor *openmp, uint32_t threads)
{
    enum { CORES = 200 }; /* enough cores for the loop to dominate the time */
    return positive(window_of(openmp, MNP_SCHEDULE_DYNAMIC, threads, CORES + 1) -
                    window_of(openmp, MNP_SCHEDULE_STATIC, threads, CORES + 1)) /
           CORES;
}

/* ===== processes ===== */

/* Nanoseconds of a round in which every process sends `bytes` bytes to each other; with 0, outlooks are only gathered.
 * The time of the slowest process, in the fastest series. */
static double round_of(const struct mnp_transport *transport, struct mnp_message *messages, size_t bytes)
{
    const uint32_t rank = transport->rank, count = transport->count;
    uint64_t notice[15] = {0}, *notices = mnp_allocate(count, sizeof notice), best = UINT64_MAX;
    struct mnp_message *out = messages, *in = messages + count;
    for (uint32_t r = 0; r < 2 * count; r++)
        messages[r].length = r % count == rank ? 0 : bytes;
    for (int series = 0; series < SERIES; series++) {
        uint64_t start = mnp_nanoseconds(), *slowest = notices;
        for (int i = 0; i < ROUNDS; i++) {
            transport->gather(transport->context, notice, sizeof notice, notices);
            if (bytes)
                transport->exchange(transport->context, out, in);
        }
        uint64_t taken = mnp_nanoseconds() - start;
        transport->gather(transport->context, &taken, sizeof taken, notices);
        for (uint32_t r = 1; r < count; r++)
            slowest = notices[r] > *slowest ? &notices[r] : slowest;
        best = *slowest < best ? *slowest : best;
    }
    free(notices);
    return (double)best / ROUNDS;
}

struct mnp_exchange_cost mnp_meeting_of_processes(const struct mnp_transport *transport)
{
    const uint32_t count = transport->count;
    struct mnp_message *messages = mnp_allocate((size_t)2 * count, sizeof *messages);
    for (uint32_t r = 0; r < 2 * count; r++)
        messages[r].bytes = mnp_allocate(LARGE, 1);
    double alone = round_of(transport, messages, 0), small = round_of(transport, messages, 64);
    double large = round_of(transport, messages, LARGE), steps = 0, others = count - 1;
    for (uint32_t reached = 1; reached < count; reached *= 2)
        steps++;
    for (uint32_t r = 0; r < 2 * count; r++)
        free(messages[r].bytes);
    free(messages);
    if (count < 2)
        return (struct mnp_exchange_cost){0};
    return (struct mnp_exchange_cost){.gather = alone / steps,
                                      .message = positive(small - alone) / others,
                                      .byte = positive(large - small) / others / LARGE};
}
