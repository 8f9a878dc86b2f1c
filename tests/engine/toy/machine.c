/* SPDX-License-Identifier: BSD-3-Clause */
/* Building the toy machine from its parameters, and its controller. */
#include "toy.h"

#include <stdlib.h>
#include <string.h>

/* ===== parameters ===== */

#define MNP_TABLE_OF struct toy_parameters
#define ROW(KEY, FIELD, TYPE, UNIT, FALLBACK, MIN, MAX, HELP)                                                          \
    MNP_ROW_OF_TYPE(TYPE, "toy." KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, "the toy's own")

static const struct mnp_parameter parameter_table[] = {
    ROW("cores", cores, MNP_UINT, "", "4", 1, 6, "cores"),
    ROW("slices", slices, MNP_UINT, "", "3", 1, 5, "memory slices"),
    ROW("threads", threads, MNP_UINT, "", "2", 1, TOY_THREADS, "threads of a core"),
    ROW("core.clock", core_hertz, MNP_HERTZ, "Hz", "1000000000", 700000000, 1999999999, "clock of the cores"),
    ROW("ring.clock", ring_hertz, MNP_HERTZ, "Hz", "1000000000", 700000000, 1999999999, "clock of the routers"),
    ROW("slice.clock", slice_hertz, MNP_HERTZ, "Hz", "1000000000", 700000000, 1999999999, "clock of the slices"),
    ROW("port.latency", port_latency, MNP_UINT, "fs", "10000000", 2000000, 20000000, "core or slice to router"),
    ROW("ring.latency", ring_latency, MNP_UINT, "fs", "12000000", 2000000, 20000000, "router to router"),
    ROW("control.latency", control_latency, MNP_UINT, "fs", "15000000", 3000000, 30000000, "controller to core"),
    ROW("depth", depth, MNP_UINT, "packet", "8", 2, TOY_DEPTH, "depth of a queue"),
    ROW("reply.depth", reply_depth, MNP_UINT, "packet", "8", 1, TOY_DEPTH, "replies under way in a slice"),
    ROW("entries", entries, MNP_UINT, "access", "16", 1, TOY_ENTRIES, "unacknowledged accesses of a core"),
    ROW("slice.latency", slice_latency, MNP_UINT, "cycle", "10", 0, 40, "from serving a request to its reply"),
    ROW("slice.interval", slice_interval, MNP_UINT, "cycle", "1", 1, 4, "between two requests served"),
    ROW("stagger", stagger, MNP_UINT, "cycle", "3", 1, 60, "between the starts of two cores"),
    ROW("drain", drain, MNP_UINT, "cycle", "200", 100, 300, "from the end of the last core to the end of the run"),
    ROW("overlay.lines", overlay_lines, MNP_UINT, "line", "64", 64, 256, "lines written in an epoch"),
    ROW("pages", pages, MNP_UINT, "page", "64", 64, 64, "pages of memory"),
    ROW("epoch", epoch, MNP_UINT, "fs", "0", 0, 2000000, "distance of epochs; 0: the lookahead"),
    ROW("placement", placement, MNP_UINT, "", "0", 0, 1000000, "seed of the order on the ring"),
    ROW("bubble", bubble, MNP_BOOL, "", "1", 1, 1, "keep the ring from filling up"),
    ROW("stuck", stuck_after, MNP_UINT, "request", "0", 0, 0, "requests after which a slice is stuck; 0: never"),
};

static uint64_t *field_of(struct toy_parameters *parameters, const struct mnp_parameter *row)
{
    return (uint64_t *)(void *)((char *)parameters + row->offset);
}

struct toy_parameters toy_defaults(void)
{
    struct toy_parameters parameters = {0};
    for (size_t i = 0; i < MNP_ROWS(parameter_table); i++)
        *field_of(&parameters, &parameter_table[i]) = strtoull(parameter_table[i].fallback, NULL, 10);
    return parameters;
}

struct toy_parameters toy_random_parameters(uint64_t seed)
{
    struct toy_parameters parameters = {0};
    for (size_t i = 0; i < MNP_ROWS(parameter_table); i++) {
        const struct mnp_parameter *row = &parameter_table[i];
        *field_of(&parameters, row) = row->minimum + toy_below(seed, i, row->maximum - row->minimum + 1);
    }
    if (toy_below(seed, 100, 2)) /* half of the machines have one clock, so that edges coincide */
        parameters.ring_hertz = parameters.slice_hertz = parameters.core_hertz;
    parameters.epoch = 0;
    if (toy_below(seed, 101, 3) == 0) /* an epoch of its own length in every third machine */
        parameters.epoch = 700000 + toy_below(seed, 102, 1300000);
    return parameters;
}

uint64_t toy_random(uint64_t seed, uint64_t counter)
{
    uint64_t z = (seed + 1) * UINT64_C(0xd1342543de82ef95) + (counter + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

uint64_t toy_below(uint64_t seed, uint64_t counter, uint64_t bound)
{
    return toy_random(seed, counter) % bound;
}

/* ===== the controller ===== */

static uint64_t control_step(struct mnp_unit *unit, uint64_t cycle, mnp_time time)
{
    struct toy_controller *controller = unit->self;
    struct toy_controller_state *state = controller->state;
    const struct toy_parameters *parameters = &controller->machine->parameters;
    uint32_t index;
    mnp_counters(unit, 0)[0]++;
    for (; mnp_inbox_peek(&unit->inbox, time, &index); mnp_inbox_take(&unit->inbox)) {
        state->last_done = time;
        unit->progress = time;
        if (++state->done == parameters->cores)
            mnp_engine_finish(&controller->machine->engine,
                              mnp_cursor_edge(&unit->clock, cycle + parameters->drain));
    }
    if (state->started < parameters->cores && cycle == state->started * parameters->stagger) {
        struct toy_note *note = mnp_link_send(controller->start[state->started], time);
        note->core = state->started++;
    }
    return state->started < parameters->cores ? state->started * parameters->stagger : UINT64_MAX;
}

static void control_idle(struct mnp_unit *unit, uint64_t cycles)
{
    mnp_counters(unit, 0)[0] += cycles;
}

static const struct mnp_statistic control_statistics[] = {MNP_COUNTER_ROW("cycles", "cycle", "cycles")};

static mnp_time control_advance(struct mnp_unit *unit, mnp_time until)
{
    struct toy_controller *controller = unit->self;
    return toy_run(unit, until, &controller->state->progress, control_step, control_idle);
}

static void control_lay_out(void *self, struct mnp_arena *arena)
{
    struct toy_controller *controller = self;
    controller->state = mnp_arena_take(arena, 1, sizeof *controller->state);
}

enum { START, DONE };
static const struct mnp_port control_ports[] = {
    [START] = MNP_OUT_ROW("start", "toy_core", toy_note, "a core is to begin"),
    [DONE] = MNP_IN_ROW("done", "toy_core", toy_note, "a core has ended"),
};

static void control_freeze(struct mnp_unit *unit)
{
    ((struct toy_controller *)unit->self)->start = mnp_port_links(unit, START);
}

const struct mnp_model toy_controller_model = {
    .name = "toy_controller",
    .summary = "starts the cores, and ends the run when all are done",
    MNP_PARAMETERS(parameter_table),
    MNP_PORTS(control_ports),
    MNP_STATISTICS(control_statistics),
    .relays = true,
    .lay_out = control_lay_out,
    .freeze = control_freeze,
    .advance = control_advance,
};

/* ===== building ===== */

static struct mnp_unit *add(struct toy_machine *machine, const struct mnp_model *model, uint32_t number, void *self,
                            uint64_t hertz, const uint32_t *lengths)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", model->name + 4, number); /* without "toy_" */
    return mnp_engine_create_unit(&machine->engine, &(struct mnp_unit_plan){.model = model,
                                                                            .name = name,
                                                                            .self = self,
                                                                            .hertz = hertz,
                                                                            .slots = 1,
                                                                            .lengths = lengths});
}

static void add_core(struct toy_machine *machine, uint32_t i, uint32_t node)
{
    struct toy_core *core = &machine->core[i];
    *core = (struct toy_core){.machine = machine, .number = i, .node = node, .programs = machine->programs[i]};
    machine->core_unit[i] = add(machine, &toy_core_model, i, core, machine->parameters.core_hertz, NULL);
    core->overlay = mnp_memory_add_overlay(&machine->memory, MNP_OVERLAY_CORE, machine->core_unit[i]->id,
                                           (uint32_t)machine->parameters.overlay_lines);
    core->state->threads = (uint32_t)machine->parameters.threads;
    core->state->sequence = 1;
    core->state->progress.next = UINT64_MAX;
    core->state->port.credits[TOY_REQUEST] = (uint32_t)machine->parameters.depth;
}

static void add_slice(struct toy_machine *machine, uint32_t i, uint32_t node)
{
    struct toy_slice *slice = &machine->slice[i];
    *slice = (struct toy_slice){.machine = machine, .number = i, .node = node};
    machine->slice_unit[i] = add(machine, &toy_slice_model, i, slice, machine->parameters.slice_hertz, NULL);
    slice->overlay = mnp_memory_add_overlay(&machine->memory, MNP_OVERLAY_SLICE, machine->slice_unit[i]->id,
                                            (uint32_t)machine->parameters.overlay_lines);
    machine->slice_node[i] = node;
    slice->state->progress.next = UINT64_MAX;
    slice->state->port.credits[TOY_REPLY] = (uint32_t)machine->parameters.depth;
}

static void add_router(struct toy_machine *machine, uint32_t node)
{
    struct toy_router *router = &machine->router[node];
    *router = (struct toy_router){.machine = machine, .node = node};
    machine->router_unit[node] = add(machine, &toy_router_model, node, router, machine->parameters.ring_hertz, NULL);
    router->state->progress.next = UINT64_MAX;
    for (uint32_t i = 0; i < 4; i++)
        router->state->port[i / 2].credits[i % 2] = (uint32_t)machine->parameters.depth;
}

static void channel(struct toy_machine *machine, struct mnp_port_end from, struct mnp_port_end to, mnp_time latency)
{
    mnp_connect(&machine->engine, from, to, latency, machine->parameters.depth * TOY_CLASSES);
}

/* A router and the part at its node. */
static void connect_part(struct toy_machine *machine, struct mnp_unit *router, struct mnp_unit *part)
{
    mnp_time latency = machine->parameters.port_latency;
    bool core = part->model == &toy_core_model;
    const char *sends = core ? "requests" : "replies", *takes = core ? "replies" : "requests";
    const char *gives = core ? "reply credits" : "request credits", *gets = core ? "request credits" : "reply credits";
    channel(machine, mnp_at_port(part, sends, 0), mnp_at_port(router, "port", 0), latency);
    channel(machine, mnp_at_port(part, gives, 0), mnp_at_port(router, "port credits", 0), latency);
    channel(machine, mnp_at_port(router, "port", 0), mnp_at_port(part, takes, 0), latency);
    channel(machine, mnp_at_port(router, "port credits", 0), mnp_at_port(part, gets, 0), latency);
}

/* All links. Their order makes a router's inbox: packets and credits of the ring, packets and credits of the port. */
static void connect(struct toy_machine *machine, struct mnp_unit **part)
{
    uint32_t nodes = machine->nodes;
    mnp_time ring = machine->parameters.ring_latency;
    struct mnp_unit **router = machine->router_unit;
    for (uint32_t i = 0; i < nodes; i++)
        channel(machine, mnp_at_port(router[i], "ring", 0), mnp_at_port(router[(i + 1) % nodes], "ring", 0), ring);
    for (uint32_t i = 0; i < nodes; i++)
        channel(machine, mnp_at_port(router[(i + 1) % nodes], "ring credits", 0),
                mnp_at_port(router[i], "ring credits", 0), ring);
    for (uint32_t i = 0; i < nodes; i++)
        connect_part(machine, router[i], part[i]);
}

static void connect_controller(struct toy_machine *machine)
{
    struct toy_controller *controller = &machine->controller;
    uint32_t cores = (uint32_t)machine->parameters.cores;
    *controller = (struct toy_controller){.machine = machine};
    struct mnp_unit *unit = add(machine, &toy_controller_model, 0, controller, machine->parameters.core_hertz,
                                (const uint32_t[]){cores, cores});
    mnp_time latency = machine->parameters.control_latency;
    for (uint32_t i = 0; i < cores; i++) {
        struct mnp_unit *core = machine->core_unit[i];
        mnp_connect(&machine->engine, mnp_at_port(unit, "start", i), mnp_at_port(core, "start", 0), latency, 1);
        mnp_connect(&machine->engine, mnp_at_port(core, "done", 0), mnp_at_port(unit, "done", i), latency, 1);
    }
}

/* Puts cores and slices on the ring in an order drawn by `placement`; 0: cores first. Their units, in node order. */
static void place_parts(struct toy_machine *machine, struct mnp_unit **part)
{
    uint32_t order[TOY_CORES + TOY_SLICES], cores = (uint32_t)machine->parameters.cores;
    uint32_t node_of[TOY_CORES + TOY_SLICES];
    for (uint32_t i = 0; i < machine->nodes; i++)
        order[i] = i;
    for (uint32_t i = machine->nodes - 1; i > 0 && machine->parameters.placement; i--) {
        uint32_t j = (uint32_t)toy_below(machine->parameters.placement, i, i + 1), held = order[i];
        order[i] = order[j], order[j] = held;
    }
    for (uint32_t node = 0; node < machine->nodes; node++)
        node_of[order[node]] = node;
    for (uint32_t i = 0; i < machine->nodes; i++) { /* units in the order of their kinds, whatever their nodes */
        uint32_t node = node_of[i];
        if (i < cores)
            add_core(machine, i, node);
        else
            add_slice(machine, i - cores, node);
        part[node] = i < cores ? machine->core_unit[i] : machine->slice_unit[i - cores];
    }
}

void toy_build(struct toy_machine *machine, const struct toy_parameters *parameters,
               const struct toy_program programs[][TOY_THREADS])
{
    struct mnp_unit *part[TOY_CORES + TOY_SLICES];
    memset(machine, 0, sizeof *machine);
    machine->parameters = *parameters;
    machine->nodes = (uint32_t)(parameters->cores + parameters->slices);
    machine->programs = mnp_allocate(parameters->cores, sizeof *machine->programs);
    memcpy(machine->programs, programs, parameters->cores * sizeof *machine->programs);
    mnp_engine_init(&machine->engine);
    mnp_memory_init(&machine->memory, (uint32_t)parameters->pages);
    place_parts(machine, part);
    for (uint32_t node = 0; node < machine->nodes; node++)
        add_router(machine, node);
    connect(machine, part);
    connect_controller(machine);
    mnp_engine_freeze(&machine->engine, parameters->epoch);
    machine->engine.hook = mnp_memory_hook(&machine->memory);
    mnp_engine_wake(&machine->engine, machine->engine.units[machine->engine.unit_count - 1], 0);
}

void toy_release(struct toy_machine *machine)
{
    mnp_engine_release(&machine->engine);
    mnp_memory_release(&machine->memory);
    free(machine->programs);
}
