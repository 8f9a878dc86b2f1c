/* SPDX-License-Identifier: BSD-3-Clause */
/* Conservation of packets and credits on random machines; latency and throughput against closed formulas. */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static struct toy_machine *run(const struct toy_parameters *parameters,
                               const struct toy_program programs[][TOY_THREADS])
{
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    toy_build(machine, parameters, programs);
    struct mnp_run_options options = {.executor = &mnp_executor_window, .threads = 2, .limit = MNP_SECOND / 1000};
    assert_int_equal(mnp_engine_run(&machine->engine, &options), MNP_STOP_FINISHED);
    return machine;
}

static void end(struct toy_machine *machine)
{
    toy_release(machine);
    free(machine);
}

/* A channel between two parts: what was sent has been received, and all credits are back. */
static void expect_balance(const struct toy_machine *machine, const struct toy_port *from, const struct toy_port *to)
{
    assert_int_equal(from->sent, to->received);
    for (uint32_t class = 0; class < TOY_CLASSES; class++)
        if (from->credits[class] > 0 || from->sent > 0) /* a core sends no replies, a slice no requests */
            assert_true(from->credits[class] == machine->parameters.depth || from->credits[class] == 0);
    assert_true(from->credits[TOY_REQUEST] + from->credits[TOY_REPLY] >= machine->parameters.depth);
}

static void expect_conservation(const struct toy_machine *machine)
{
    uint32_t depth = (uint32_t)machine->parameters.depth;
    for (uint32_t i = 0; i < machine->engine.link_count; i++)
        assert_int_equal(mnp_link_in_flight(machine->engine.links[i]), 0);
    for (uint32_t i = 0; i < machine->parameters.cores; i++) {
        const struct toy_core *core = &machine->core[i];
        const struct toy_router_state *router = machine->router[core->node].state;
        expect_balance(machine, &core->state->port, &router->port[TOY_FROM_PORT]);
        expect_balance(machine, &router->port[TOY_TO_PORT], &core->state->port);
    }
    for (uint32_t i = 0; i < machine->parameters.slices; i++) {
        const struct toy_slice *slice = &machine->slice[i];
        const struct toy_router_state *router = machine->router[slice->node].state;
        expect_balance(machine, &slice->state->port, &router->port[TOY_FROM_PORT]);
        expect_balance(machine, &router->port[TOY_TO_PORT], &slice->state->port);
    }
    for (uint32_t i = 0; i < machine->nodes; i++) {
        const struct toy_router_state *router = machine->router[i].state;
        expect_balance(machine, &router->port[TOY_TO_RING],
                       &machine->router[(i + 1) % machine->nodes].state->port[TOY_FROM_RING]);
        for (uint32_t j = 0; j < 4; j++) {
            assert_int_equal(router->in[j / 2][j % 2].count, 0);
            assert_int_equal(router->port[j / 2].credits[j % 2], depth);
        }
    }
}

static void conservation(void **state)
{
    (void)state;
    uint64_t seeds = toy_effort(60), packets = 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct toy_parameters parameters = toy_random_parameters(seed);
        struct toy_program(*programs)[TOY_THREADS] = mnp_allocate(parameters.cores, sizeof *programs);
        toy_random_programs(&parameters, seed, 4, programs);
        parameters.drain = 300;
        struct toy_machine *machine = run(&parameters, (const struct toy_program(*)[TOY_THREADS])programs);
        expect_conservation(machine);
        for (uint32_t i = 0; i < parameters.cores; i++)
            packets += machine->core[i].state->port.sent;
        end(machine);
        free(programs);
    }
    assert_true(packets > 100 * seeds / 2);
}

/* The first edge of a clock at or after a time, and cycle `k` of a clock: apart from the engine's own arithmetic. */
static uint64_t see(uint64_t hertz, uint64_t time, uint64_t *cycle)
{
    unsigned __int128 k = (unsigned __int128)time * hertz / MNP_SECOND;
    while (k * MNP_SECOND / hertz < time)
        k++;
    *cycle = (uint64_t)k;
    return (uint64_t)(k * MNP_SECOND / hertz);
}

/* The way of one load through an empty machine. */
static uint64_t unloaded_latency(const struct toy_parameters *p, uint32_t core_node, uint32_t slice_node)
{
    uint32_t nodes = (uint32_t)(p->cores + p->slices);
    uint64_t cycle, issued = see(p->core_hertz, p->control_latency, &cycle), time = issued;
    uint32_t there = (slice_node + nodes - core_node) % nodes;
    time = see(p->ring_hertz, time + p->port_latency, &cycle);
    for (uint32_t hop = 0; hop < there; hop++)
        time = see(p->ring_hertz, time + p->ring_latency, &cycle);
    see(p->slice_hertz, time + p->port_latency, &cycle);
    time = (uint64_t)((unsigned __int128)(cycle + p->slice_latency) * MNP_SECOND / p->slice_hertz);
    time = see(p->ring_hertz, time + p->port_latency, &cycle);
    for (uint32_t hop = there; hop < nodes; hop++)
        time = see(p->ring_hertz, time + p->ring_latency, &cycle);
    return see(p->core_hertz, time + p->port_latency, &cycle) - issued;
}

static void latency(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= toy_effort(400); seed++) {
        struct toy_parameters parameters = toy_random_parameters(seed);
        struct toy_program programs[TOY_CORES][TOY_THREADS] = {0};
        uint32_t slice = (uint32_t)toy_below(seed, 1, parameters.slices);
        toy_emit(&programs[0][0], (struct toy_instruction){.op = TOY_LOAD, .bytes = 4, .d = 1,
                                                           .order = seed % 2 ? TOY_PLAIN : TOY_ACQUIRE,
                                                           .immediate = slice * MNP_MEMORY_LINE});
        parameters.threads = 1;
        struct toy_machine *machine = run(&parameters, (const struct toy_program(*)[TOY_THREADS])programs);
        assert_int_equal(mnp_counters(machine->core_unit[0], 0)[TOY_CORE_LATENCY],
                         unloaded_latency(&parameters, machine->core[0].node, machine->slice_node[slice]));
        end(machine);
    }
}

/* An acquire holds back the next access until its reply; a relaxed load does not. Values cannot show it on this ring,
 * where a reader's requests are never slower than a round trip: so the time does. */
static void acquire_holds(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= toy_effort(60); seed++) {
        mnp_time done[2];
        uint64_t latency_of_one = 0;
        for (uint32_t i = 0; i < 2; i++) {
            struct toy_parameters parameters = toy_random_parameters(seed);
            struct toy_program programs[TOY_CORES][TOY_THREADS] = {0};
            parameters.cores = parameters.threads = 1;
            parameters.entries = 4;
            for (uint8_t j = 0; j < 2; j++)
                toy_emit(&programs[0][0], (struct toy_instruction){.op = TOY_LOAD, .bytes = 4, .d = (uint8_t)(1 + j),
                                                                   .order = i && !j ? TOY_ACQUIRE : TOY_RELAXED,
                                                                   .immediate = 0x1000});
            struct toy_machine *machine = run(&parameters, (const struct toy_program(*)[TOY_THREADS])programs);
            done[i] = machine->controller.state->last_done;
            latency_of_one = unloaded_latency(&parameters, machine->core[0].node,
                                              machine->slice_node[toy_slice_of(machine, 0x1000)]);
            end(machine);
        }
        assert_true(done[1] > done[0] + latency_of_one / 2);
    }
}

static struct toy_parameters plain_machine(uint64_t cores)
{
    struct toy_parameters parameters = toy_defaults();
    parameters.cores = cores;
    parameters.slices = 1;
    parameters.threads = 1;
    parameters.depth = 16;
    parameters.reply_depth = 16;
    parameters.entries = 32;
    parameters.stagger = 1;
    parameters.drain = 400;
    return parameters;
}

static void loads(struct toy_program *program, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        toy_emit(program, (struct toy_instruction){.op = TOY_LOAD, .bytes = 4, .immediate = 0x1000 + 4 * i});
}

/* A slice that is never without work serves one request per interval, to the cycle. */
static void slice_throughput(void **state)
{
    (void)state;
    struct toy_program programs[TOY_CORES][TOY_THREADS] = {0};
    for (uint32_t core = 0; core < 3; core++)
        loads(&programs[core][0], 100);
    for (uint64_t interval = 4; interval <= 9; interval++) {
        struct toy_parameters parameters = plain_machine(3);
        parameters.slice_interval = interval;
        struct toy_machine *machine = run(&parameters, (const struct toy_program(*)[TOY_THREADS])programs);
        const struct toy_slice_state *slice = machine->slice[0].state;
        assert_int_equal(slice->served, 300);
        assert_int_equal(slice->last_served - slice->first_served, 299 * interval);
        end(machine);
    }
}

/* A port with d credits and a round trip of r cycles passes d packets per r cycles, to the cycle. */
static void credit_throughput(void **state)
{
    (void)state;
    struct toy_program programs[TOY_CORES][TOY_THREADS] = {0};
    loads(&programs[0][0], 61);
    for (uint64_t depth = 2; depth <= 5; depth++) {
        struct toy_parameters parameters = plain_machine(1);
        parameters.ring_latency = 2000000; /* two cycles: faster than the port, even with the bubble */
        parameters.port_latency = 30000000;
        parameters.depth = depth;
        struct toy_machine *machine = run(&parameters, (const struct toy_program(*)[TOY_THREADS])programs);
        const struct toy_slice_state *slice = machine->slice[0].state;
        assert_int_equal(slice->served, 61);
        assert_int_equal((slice->last_served - slice->first_served) / 60, 60 / depth);
        assert_int_equal((slice->last_served - slice->first_served) % 60, 0);
        end(machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conservation),
        cmocka_unit_test(latency),
        cmocka_unit_test(acquire_holds),
        cmocka_unit_test(slice_throughput),
        cmocka_unit_test(credit_throughput),
    };
    return cmocka_run_group_tests_name("flow", tests, NULL, NULL);
}
