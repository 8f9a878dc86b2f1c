/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the engine notices in every build: a unit that visits a cycle twice, goes back, goes beyond its window, is run
 * twice over a window, or sends before the horizon that it gave. Each mistake is made in a child process, which must
 * end as a bug of ours with the words that name it.
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

enum { HERTZ = 1000000000, CYCLE = 1000000, LATENCY = 10 * CYCLE };

enum mistake {
    NO_MISTAKE,
    TWICE,          /* a cycle is visited twice */
    BACK,           /* a cycle is visited behind a later one */
    BACK_A_WINDOW,  /* a cycle is visited that an earlier window has passed */
    OTHER_CLOCK,    /* a cycle of a second clock is visited twice */
    BEYOND,         /* a cycle is visited behind the window's end */
    BROKEN_HORIZON, /* a packet is sent before the horizon that was given */
    RUN_TWICE,      /* the executor runs a unit twice over a window */
    MISTAKES
};

struct walker {
    enum mistake mistake;
    uint64_t from, other; /* the cycle to go on at; the other clock's next one */
};

struct packet {
    uint64_t number;
};

static void walk(struct mnp_unit *unit, struct walker *walker, uint64_t end)
{
    bool now = end > 40; /* the mistake is made in a later window */
    if (now && walker->mistake == BACK_A_WINDOW)
        walker->from--;
    for (uint64_t cycle = walker->from; cycle < end; cycle++) {
        mnp_visit(unit, cycle);
        mnp_visit_of(unit, &walker->other, cycle);
        if (now && walker->mistake == TWICE)
            mnp_visit(unit, cycle);
        if (now && walker->mistake == BACK)
            mnp_visit(unit, cycle - 1);
        if (now && walker->mistake == OTHER_CLOCK)
            mnp_visit_of(unit, &walker->other, cycle);
    }
    if (now && walker->mistake == BEYOND)
        mnp_visit(unit, end);
    walker->from = end;
    mnp_pass(unit, end);
    mnp_pass_of(unit, &walker->other, end);
}

static mnp_time advance(struct mnp_unit *unit, mnp_time until)
{
    struct walker *walker = unit->self;
    uint32_t link;
    uint64_t from = walker->from, end = mnp_cursor_cycle_at(&unit->clock, until);
    walk(unit, walker, end);
    while (mnp_inbox_peek(&unit->inbox, until - 1, &link))
        mnp_inbox_take(&unit->inbox);
    for (uint64_t cycle = (from + 7) / 8 * 8; cycle < end; cycle += 8) /* sends in every eighth cycle */
        mnp_link_send(unit->out[0], mnp_edge(HERTZ, cycle));
    uint64_t next = (end + 7) / 8 * 8;
    return mnp_edge(HERTZ, walker->mistake == BROKEN_HORIZON && end > 40 ? next + 1 : next);
}

static const struct mnp_port ports[] = {MNP_OUT_ROW("out", "", packet, ""), MNP_IN_ROW("in", "", packet, "")};
static const struct mnp_model model = {.name = "walker", MNP_PORTS(ports), .advance = advance};

static void run_twice(struct mnp_engine *engine)
{
    while (mnp_window_begin(engine)) {
        for (uint32_t i = 0; i < engine->unit_count; i++)
            mnp_window_run_unit(engine, i);
        mnp_window_run_unit(engine, 0);
        mnp_executor_end_alone(engine);
    }
}

static enum mnp_stop run(enum mistake mistake)
{
    static const struct mnp_executor twice = {.name = "twice", .summary = "", .run = run_twice};
    struct walker walkers[2] = {{.mistake = mistake}, {.mistake = NO_MISTAKE}};
    struct mnp_engine engine;
    mnp_engine_init(&engine);
    for (uint32_t i = 0; i < 2; i++)
        mnp_engine_create_unit(
            &engine, &(struct mnp_unit_plan){.model = &model, .name = "walker", .self = &walkers[i], .hertz = HERTZ});
    for (uint32_t i = 0; i < 2; i++)
        mnp_connect(&engine, mnp_at_port(engine.units[i], "out", 0), mnp_at_port(engine.units[1 - i], "in", 0), LATENCY,
                    8);
    mnp_engine_freeze(&engine, 0);
    for (uint32_t i = 0; i < 2; i++)
        mnp_engine_wake(&engine, engine.units[i], 0);
    struct mnp_run_options options = {.executor = mistake == RUN_TWICE ? &twice : &mnp_executor_serial,
                                      .threads = 1,
                                      .window = 3 * CYCLE,
                                      .limit = 200 * CYCLE,
                                      .no_skip = true};
    enum mnp_stop why = mnp_engine_run(&engine, &options);
    mnp_engine_release(&engine);
    return why;
}

static void a_unit_without_mistake_runs(void **state)
{
    (void)state;
    assert_int_equal(run(NO_MISTAKE), MNP_STOP_LIMIT);
}

/* Runs with a mistake in a child process; what that prints goes to `text`. */
static int status_of(enum mistake mistake, char *text, size_t size)
{
    int status, ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        run(mistake);
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; (got = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = 0;
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void every_mistake_is_noticed(void **state)
{
    (void)state;
    static const char *const words[MISTAKES] = {
        [TWICE] = "walker visits cycle 40, and has come to cycle 41 before",
        [BACK] = "walker visits cycle 39, and has come to cycle 41 before",
        [BACK_A_WINDOW] = "walker visits cycle 39, and has come to cycle 40 before",
        [OTHER_CLOCK] = "walker visits cycle 40, and has come to cycle 41 before",
        [BEYOND] = "beyond cycle 43 at which its window ends",
        [BROKEN_HORIZON] = "before its horizon and its next packet",
        [RUN_TWICE] = "and has come to 3000000 fs before",
    };
    for (enum mistake mistake = TWICE; mistake < MISTAKES; mistake++) {
        char text[4096];
        int status = status_of(mistake, text, sizeof text);
        if (status != MNP_EXIT_BUG || !strstr(text, words[mistake]))
            fail_msg("mistake %d: status %d, not the words \"%s\": %s", mistake, status, words[mistake], text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_without_mistake_runs),
        cmocka_unit_test(every_mistake_is_noticed),
    };
    return cmocka_run_group_tests_name("visits", tests, NULL, NULL);
}
