/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Windows: tokens that travel between units which do nothing of themselves. A packet that is forgotten or seen late, by
 * whatever race between the sender's thread and the receiver's, is noticed at once: it must be seen at the first edge
 * at or after its arrival.
 */
#include "engine/core/port.h"
#include "engine/declare/declare.h"
#include "engine/executors/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

enum { MOST = 8 };

struct token {
    uint64_t number, hops;
};

struct ferry_state {
    uint64_t taken, sum;
};

struct ferry {
    struct ferry_state *state;
    uint64_t next;      /* cycle */
    uint64_t tokens;    /* that it starts with */
    uint64_t late;      /* packets not seen at their edge */
};

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 31) * UINT64_C(0x94d049bb133111eb);
    return value ^ value >> 29;
}

static void pass_on(struct mnp_unit *unit, struct token token, mnp_time time)
{
    struct token *sent = mnp_link_send(unit->out[mix(token.number * 1000003 + token.hops) % unit->out_count], time);
    *sent = token;
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct ferry *ferry = unit->self;
    uint32_t link;
    for (; ferry->tokens > 0; ferry->tokens--) /* at time 0 */
        pass_on(unit, (struct token){.number = ferry->tokens * MOST + unit->id}, 0);
    while (unit->inbox.next < until) {
        uint64_t cycle = mnp_cycle_at(unit->clock.hertz, unit->inbox.next);
        mnp_time edge = mnp_edge(unit->clock.hertz, cycle);
        if (edge >= until)
            break;
        mnp_visit(unit, cycle);
        ferry->late += cycle < ferry->next; /* the edge has gone by: an earlier advance should have seen it */
        for (const struct token *token; (token = mnp_inbox_peek(&unit->inbox, edge, &link));) {
            struct token onward = {.number = token->number, .hops = token->hops + 1};
            ferry->state->taken++;
            ferry->state->sum += mix(onward.number ^ edge) + link;
            mnp_inbox_take(&unit->inbox);
            pass_on(unit, onward, edge);
        }
        unit->progress = edge;
    }
    ferry->next = mnp_cycle_at(unit->clock.hertz, until);
    mnp_pass(unit, ferry->next);
    return MNP_NEVER;
}

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct ferry *ferry = self;
    ferry->state = mnp_arena_take(arena, 1, sizeof *ferry->state);
}

static const struct mnp_port ports[] = {MNP_OUT_ROW("out", "", token, "one to each"),
                                        MNP_IN_ROW("in", "", token, "one from each")};
static const struct mnp_model model = {
    .name = "ferry", .summary = "passes tokens on", MNP_PORTS(ports), .lay_out = lay_out, .advance = advance};

struct machine {
    struct mnp_engine engine;
    struct ferry ferry[MOST];
};

static void build(struct machine *machine, uint32_t units, uint64_t tokens, mnp_time latency)
{
    mnp_engine_init(&machine->engine);
    for (uint32_t i = 0; i < units; i++) {
        machine->ferry[i] = (struct ferry){.tokens = tokens};
        mnp_engine_create_unit(&machine->engine, &(struct mnp_unit_plan){.model = &model,
                                                                         .name = "ferry",
                                                                         .self = &machine->ferry[i],
                                                                         .hertz = 1000000000 + 37 * (i % 3),
                                                                         .slots = 1,
                                                                         .lengths = (uint32_t[]){units, units}});
    }
    for (uint32_t i = 0; i < units; i++)
        for (uint32_t j = 0; j < units; j++)
            mnp_connect(&machine->engine, mnp_at_port(machine->engine.units[i], "out", j),
                        mnp_at_port(machine->engine.units[j], "in", i), latency + (i + j) % 2 * 300000, units * tokens);
    mnp_engine_freeze(&machine->engine, 0);
    for (uint32_t i = 0; i < units; i++)
        mnp_engine_wake(&machine->engine, machine->engine.units[i], 0);
}

/* Runs and returns the hash at the end. */
static uint64_t run(uint32_t units, uint64_t tokens, struct mnp_run_options options, uint64_t *taken)
{
    struct machine machine;
    build(&machine, units, tokens, 2000000);
    assert_int_equal(mnp_engine_run(&machine.engine, &options), MNP_STOP_LIMIT);
    assert_int_equal(machine.engine.now, options.limit);
    *taken = 0;
    uint64_t in_flight = 0;
    for (uint32_t i = 0; i < units; i++) {
        assert_int_equal(machine.ferry[i].late, 0);
        *taken += machine.ferry[i].state->taken;
    }
    for (uint32_t i = 0; i < machine.engine.link_count; i++)
        in_flight += mnp_link_in_flight(machine.engine.links[i]);
    assert_int_equal(in_flight, units * tokens); /* none is lost */
    uint64_t hash = mnp_engine_hash(&machine.engine);
    mnp_engine_release(&machine.engine);
    return hash;
}

static mnp_time length_of_run(mnp_time usual)
{
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    return usual / 4;
#else
    return usual;
#endif
}

/* Few units and tokens: most windows have two threads that meet in one hand-over. */
static void no_packet_is_forgotten(void **state)
{
    (void)state;
    mnp_time limit = length_of_run(MNP_SECOND / 50000);
    for (uint32_t units = 2; units <= 4; units++) {
        for (uint64_t tokens = 1; tokens <= 2; tokens++) {
            uint64_t expected_taken, taken;
            struct mnp_run_options options = {.executor = &mnp_executor_serial, .threads = 1, .limit = limit};
            uint64_t expected = run(units, tokens, options, &expected_taken);
            options.executor = &mnp_executor_window;
            options.threads = 2;
            options.worth = 1;
            for (int schedule = 0; schedule < 3; schedule++) {
                options.schedule = (enum mnp_schedule)schedule;
                assert_int_equal(run(units, tokens, options, &taken), expected);
                assert_int_equal(taken, expected_taken);
                assert_true(taken > limit / 3000000);
            }
        }
    }
}

/* A window never reaches beyond what may be, whatever its length is asked to be. */
static void any_window(void **state)
{
    (void)state;
    uint64_t taken;
    mnp_time limit = MNP_SECOND / 300000;
    struct mnp_run_options options = {.executor = &mnp_executor_serial, .threads = 1, .limit = limit};
    uint64_t expected = run(8, 20, options, &taken);
    for (options.window = 100000; options.window <= 2000000; options.window += 190000) {
        assert_int_equal(run(8, 20, options, &taken), expected);
        options.no_skip = !options.no_skip;
    }
}

static mnp_time awake(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    return until;
}

static mnp_time asleep(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    (void)until;
    return MNP_NEVER;
}

/* Not a test: prints what a window without work costs, with MNP_MEASURE set. */
static void measure(void **state)
{
    (void)state;
    static const struct mnp_model busy = {.name = "awake", MNP_PORTS(ports), .advance = awake},
                                  idle = {.name = "asleep", MNP_PORTS(ports), .advance = asleep};
    if (!getenv("MNP_MEASURE"))
        return;
    for (uint32_t round = 0; round < 6; round++) {
        uint32_t units = round % 2 ? 128 : 2;
        struct mnp_engine engine;
        struct timespec from, to;
        mnp_engine_init(&engine);
        for (uint32_t i = 0; i < units; i++)
            mnp_engine_create_unit(&engine, &(struct mnp_unit_plan){
                                                .model = i ? &idle : &busy, .name = "unit", .hertz = 1000000000});
        for (uint32_t i = 0; i < units; i++)
            mnp_connect(&engine, mnp_at_port(engine.units[i], "out", 0),
                        mnp_at_port(engine.units[(i + 1) % units], "in", 0), 1000000, 4);
        mnp_engine_freeze(&engine, 0);
        mnp_engine_wake(&engine, engine.units[0], 0);
        struct mnp_run_options options = {.executor = round < 2 ? &mnp_executor_serial : &mnp_executor_window,
                                          .threads = round < 2 ? 1 : 2,
                                          .limit = MNP_SECOND / 10000, /* a hundred thousand windows */
                                          .pin = true,
                                          .schedule = round < 4 ? MNP_SCHEDULE_COST : MNP_SCHEDULE_STATIC};
        clock_gettime(CLOCK_MONOTONIC, &from);
        mnp_engine_run(&engine, &options);
        clock_gettime(CLOCK_MONOTONIC, &to);
        double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
        printf("%u units, one of them awake, %s, %u threads%s: %.0f ns per window\n", units, options.executor->name,
               options.threads, round < 4 ? "" : " that all meet", ns / (double)engine.windows);
        mnp_engine_release(&engine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_packet_is_forgotten),
        cmocka_unit_test(any_window),
        cmocka_unit_test(measure),
    };
    return cmocka_run_group_tests_name("window", tests, NULL, NULL);
}
