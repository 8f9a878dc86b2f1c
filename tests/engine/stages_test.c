/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stages: workers and relays between them, on links of 53 cycles, and of 82 between the workers. A walk from one worker
 * over a relay to another takes 106 cycles, so that a worker is run once in 106 cycles and a relay twice, and what they
 * see is what they see in flat windows. What breaks this is noticed as a bug, in a child process.
 */
#include "engine/core/port.h"
#include "engine/declare/declare.h"
#include "engine/executors/executor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    HERTZ = 1000000000,
    CYCLE = 1000000,
    LINK = 53,
    NEAR = 82,
    SPAN = 2 * LINK,
    SPANS = 10,
    WORKERS = 4,
    RELAYS = 2
};

struct token {
    uint64_t number;
};

struct actor_state {
    uint64_t seen; /* digest of what has come, and when */
};

struct actor {
    struct actor_state *state;
    struct mnp_engine *engine;
    uint64_t calls, cycle;
    uint64_t finishes; /* the cycle in which it ends the run; 0: never */
    bool nears;        /* the relays let others near */
    bool goes_near;    /* the worker sends to the next one directly, too */
};

static void hear(struct mnp_unit *unit, struct actor *actor, mnp_time now)
{
    uint32_t link;
    for (const struct token *token; (token = mnp_inbox_peek(&unit->inbox, now, &link));) {
        actor->state->seen = (actor->state->seen ^ token->number ^ now ^ link) * UINT64_C(0x9e3779b97f4a7c15);
        mnp_inbox_take(&unit->inbox);
    }
}

static void send(struct mnp_link *link, uint64_t number, mnp_time now)
{
    ((struct token *)mnp_link_send(link, now))->number = number;
}

/* Acts in every cycle: a worker sends to the relays in turn, a relay to the workers. */
static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct actor *actor = unit->self;
    uint64_t end = mnp_cursor_cycle_at(&unit->clock, until);
    actor->calls++;
    for (; actor->cycle < end; actor->cycle++) {
        mnp_time now = mnp_edge(HERTZ, actor->cycle);
        mnp_visit(unit, actor->cycle);
        hear(unit, actor, now);
        uint32_t peers = unit->ports[0].length;
        send(unit->ports[0].links[actor->cycle % peers], actor->cycle ^ actor->state->seen, now);
        if (actor->goes_near && actor->cycle % 5 == 0)
            send(unit->ports[2].links[0], actor->cycle, now);
        if (actor->finishes && actor->cycle == actor->finishes)
            mnp_engine_finish(actor->engine, now);
    }
    mnp_pass(unit, end);
    return mnp_edge(HERTZ, end);
}

static bool nears(const struct mnp_unit *unit)
{
    return ((const struct actor *)unit->self)->nears;
}

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct actor *actor = self;
    actor->state = mnp_arena_take(arena, 1, sizeof *actor->state);
}

static const struct mnp_port worker_ports[] = {
    MNP_OUT_ROW("out", "relay", token, ""), MNP_IN_ROW("in", "relay", token, ""),
    MNP_OUT_ROW("near out", "worker", token, ""), MNP_IN_ROW("near in", "worker", token, "")};
static const struct mnp_port relay_ports[] = {MNP_OUT_ROW("out", "worker", token, ""),
                                              MNP_IN_ROW("in", "worker", token, "")};
static const struct mnp_model worker = {
    .name = "worker", .summary = "", MNP_PORTS(worker_ports), .lay_out = lay_out, .advance = advance};
static const struct mnp_model relay = {.name = "relay",
                                       .summary = "",
                                       MNP_PORTS(relay_ports),
                                       .lay_out = lay_out,
                                       .advance = advance,
                                       .relays = true,
                                       .nears = nears};

struct machine {
    struct mnp_engine engine;
    struct actor actors[WORKERS + RELAYS];
};

static void connect_units(struct mnp_engine *engine)
{
    struct mnp_unit **units = engine->units;
    for (uint32_t i = 0; i < WORKERS; i++) {
        for (uint32_t r = 0; r < RELAYS; r++) {
            struct mnp_unit *with = units[WORKERS + r];
            mnp_connect(engine, mnp_at_port(units[i], "out", r), mnp_at_port(with, "in", i), LINK * CYCLE, 2 * SPAN);
            mnp_connect(engine, mnp_at_port(with, "out", i), mnp_at_port(units[i], "in", r), LINK * CYCLE, 2 * SPAN);
        }
        mnp_connect(engine, mnp_at_port(units[i], "near out", 0), mnp_at_port(units[(i + 1) % WORKERS], "near in", 0),
                    NEAR * CYCLE, 2 * SPAN);
    }
}

static void build(struct machine *machine, struct actor like)
{
    mnp_engine_init(&machine->engine);
    for (uint32_t i = 0; i < WORKERS + RELAYS; i++) {
        bool works = i < WORKERS;
        machine->actors[i] = like;
        machine->actors[i].engine = &machine->engine;
        machine->actors[i].goes_near = works && like.goes_near;
        machine->actors[i].finishes = i == WORKERS ? like.finishes : 0;
        mnp_engine_create_unit(&machine->engine,
                               &(struct mnp_unit_plan){.model = works ? &worker : &relay,
                                                       .name = works ? "worker" : "relay",
                                                       .self = &machine->actors[i],
                                                       .hertz = HERTZ,
                                                       .lengths = works ? (const uint32_t[]){RELAYS, RELAYS, 1, 1}
                                                                        : (const uint32_t[]){WORKERS, WORKERS}});
    }
    connect_units(&machine->engine);
    mnp_engine_freeze(&machine->engine, 0);
    for (uint32_t i = 0; i < WORKERS + RELAYS; i++)
        mnp_engine_wake(&machine->engine, machine->engine.units[i], 0);
}

struct outcome {
    uint64_t hash, worker_calls, relay_calls;
    mnp_time now;
    enum mnp_stop stop;
};

/* `ender`: the unit that ends the run in place of the first relay. */
static struct outcome run(struct actor like, mnp_time window, uint32_t threads, uint32_t ender)
{
    struct machine machine;
    build(&machine, like);
    machine.actors[WORKERS].finishes = 0;
    machine.actors[ender].finishes = like.finishes;
    struct mnp_run_options options = {.executor = threads ? &mnp_executor_window : &mnp_executor_serial,
                                      .threads = threads ? threads : 1,
                                      .schedule = MNP_SCHEDULE_STATIC,
                                      .window = window,
                                      .limit = SPANS * (mnp_time)SPAN * CYCLE};
    assert_int_equal(machine.engine.span, (mnp_time)SPAN * CYCLE);
    struct outcome outcome = {.stop = mnp_engine_run(&machine.engine, &options)};
    outcome.hash = mnp_engine_hash(&machine.engine);
    outcome.now = machine.engine.now;
    outcome.worker_calls = machine.actors[0].calls - 1; /* one settles it */
    outcome.relay_calls = machine.actors[WORKERS].calls - 1;
    mnp_engine_release(&machine.engine);
    return outcome;
}

static void expect(struct outcome outcome, struct outcome flat, uint64_t worker_calls, uint64_t relay_calls)
{
    assert_int_equal(outcome.stop, flat.stop);
    assert_int_equal(outcome.now, flat.now);
    assert_int_equal(outcome.hash, flat.hash);
    assert_int_equal(outcome.worker_calls, worker_calls);
    assert_int_equal(outcome.relay_calls, relay_calls);
}

static void workers_run_a_span_at_a_time(void **state)
{
    (void)state;
    struct actor like = {.nears = false};
    struct outcome flat = run(like, 7 * CYCLE, 0, WORKERS);
    assert_int_equal(flat.stop, MNP_STOP_LIMIT);
    for (uint32_t threads = 0; threads <= RELAYS; threads++)
        expect(run(like, 0, threads, WORKERS), flat, SPANS, 2 * SPANS);
    expect(run(like, 0, RELAYS + 1, WORKERS), flat, 2 * SPANS, 2 * SPANS); /* flat windows */
}

/* With direct links in use every window is flat and as long as the shortest link. */
static void near_workers_run_in_flat_windows(void **state)
{
    (void)state;
    struct actor like = {.nears = true, .goes_near = true};
    struct outcome flat = run(like, 7 * CYCLE, 0, WORKERS);
    for (uint32_t threads = 0; threads <= 3; threads++)
        expect(run(like, 0, threads, WORKERS), flat, 2 * SPANS, 2 * SPANS);
}

/* A relay ends the run in the first or second epoch of a span: all units stop at that epoch's end. */
static void a_run_ends_with_its_epoch(void **state)
{
    (void)state;
    for (uint64_t cycle = 3 * SPAN; cycle < 4 * SPAN; cycle += 13) {
        struct actor like = {.finishes = cycle};
        struct outcome flat = run(like, 7 * CYCLE, 0, WORKERS);
        assert_int_equal(flat.stop, MNP_STOP_FINISHED);
        assert_int_equal(flat.now, (cycle / LINK + 1) * LINK * CYCLE);
        expect(run(like, 0, 0, WORKERS), flat, 4, cycle < 3 * SPAN + LINK ? 7 : 8);
    }
}

/* The words with which a run that breaks a promise ends. */
static void expect_bug(struct actor like, uint32_t ender, const char *words)
{
    int pipe_of[2], status;
    char said[512] = "";
    assert_int_equal(pipe(pipe_of), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_of[1], STDERR_FILENO);
        run(like, 0, 0, ender);
        _exit(0);
    }
    close(pipe_of[1]);
    for (size_t length = 0, got = 1; got > 0 && length < sizeof said - 1; length += got) {
        ssize_t read_now = read(pipe_of[0], said + length, sizeof said - 1 - length);
        got = read_now > 0 ? (size_t)read_now : 0;
    }
    close(pipe_of[0]);
    waitpid(child, &status, 0);
    if (!strstr(said, words))
        fail_msg("\"%s\" where \"%s\" was expected", said, words);
}

static void broken_promises_are_bugs(void **state)
{
    (void)state;
    expect_bug((struct actor){.goes_near = true}, WORKERS, "worker sends out of order on link"); /* nobody lets it */
    expect_bug((struct actor){.finishes = 3 * SPAN + 1}, 0, "the run ends at");                  /* a worker ends it */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(workers_run_a_span_at_a_time),
        cmocka_unit_test(near_workers_run_in_flat_windows),
        cmocka_unit_test(a_run_ends_with_its_epoch),
        cmocka_unit_test(broken_promises_are_bugs),
    };
    return cmocka_run_group_tests_name("stages", tests, NULL, NULL);
}
