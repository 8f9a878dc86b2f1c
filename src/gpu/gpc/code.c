/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Code and constants in a GPC: the cache that its SMs' instruction caches miss into, before the crossbar. Requests of
 * several SMs for one line are merged while it is on its way, and answered here once it has come, so that a kernel
 * which starts on all SMs asks the L2 for its code once per GPC. Without that, 114 SMs that start at a time queue at
 * one slice: an empty kernel on all SMs of an H100 PCIe would take 1,000 cycles longer than one on a single SM;
 * measured are 130.
 *
 * Lines stay until they are replaced, as in the L2.
 */
#include "gpu/gpc/state.h"

struct gpu_gpc_line { /* on its way */
    uint64_t line;
    uint32_t sectors; /* that it was asked for; 0: the entry is free */
    uint32_t missing; /* sectors still to come */
};

static struct mnp_cache_shape shape_of(const struct gpu_gpc_parameters *p, uint64_t line)
{
    return mnp_cache_shape_of(&p->code, line, line, MNP_HASH_LINEAR);
}

bool gpu_gpc_code_check(const struct gpu_gpc_parameters *p, uint64_t line, struct mnp_error *error)
{
    if (!p->code.size)
        return true;
    struct mnp_cache_shape shape = shape_of(p, line);
    if (!shape.sets)
        return mnp_fail(
            error,
            "gpc.code.size of %lu bytes holds less than one set of %lu ways of %lu bytes; enlarge it, lower "
            "gpc.code.ways, or set the size to 0",
            (unsigned long)p->code.size, (unsigned long)p->code.ways, (unsigned long)line);
    return mnp_cache_check(&shape, "gpc.code", error);
}

void gpu_gpc_code_lay_out(struct gpu_gpc *gpc, struct mnp_arena *arena)
{
    if (!gpc->config.parameters->code.size)
        return;
    struct mnp_cache_shape shape = shape_of(gpc->config.parameters, gpc->config.line);
    mnp_cache_init(&gpc->code, &shape, arena);
    gpc->lines = mnp_arena_take(arena, GPU_GPC_LINES, sizeof *gpc->lines);
    gpc->line_tags = mnp_arena_take(arena, (size_t)GPU_GPC_LINES * gpc->config.sms, sizeof *gpc->line_tags);
}

/* Parts of a line are kept as lines of their own. */
static uint64_t number_of(const struct gpu_gpc *gpc, uint64_t line, uint32_t sectors)
{
    return line / gpc->config.line | (uint64_t)sectors << 60;
}

static void answer(struct gpu_gpc *gpc, uint32_t sm, uint32_t tag, uint64_t line, uint32_t sectors, uint64_t cycle)
{
    gpu_gpc_queue_reply(gpc, sm, GPU_GPC_OWN,
                        &(struct gpu_reply){.line = line,
                                            .tag = tag,
                                            .sm = (uint16_t)(gpc->config.first_sm + sm),
                                            .kind = GPU_FETCH,
                                            .sectors = (uint8_t)sectors},
                        cycle);
}

bool gpu_gpc_code_request(struct gpu_gpc *gpc, uint32_t sm, const struct gpu_request *packet, uint64_t cycle)
{
    if (!gpc->config.parameters->code.size)
        return false;
    uint64_t *counters = mnp_counters(gpc->unit, packet->kernel);
    uint64_t number = number_of(gpc, packet->line, packet->sectors);
    uint32_t set = mnp_cache_set(&gpc->code, number), line = mnp_cache_find(&gpc->code, set, number);
    counters[GPU_GPC_CODE_REQUESTS]++;
    if (line != MNP_NO_LINE) {
        mnp_cache_touch(&gpc->code, line, set);
        answer(gpc, sm, packet->tag, packet->line, packet->sectors, cycle);
        return true;
    }
    uint32_t free = GPU_GPC_LINES;
    for (uint32_t i = GPU_GPC_LINES; i-- > 0;) {
        struct gpu_gpc_line *l = &gpc->lines[i];
        if (!l->sectors)
            free = i;
        if (l->sectors != packet->sectors || l->line != packet->line || l->missing != l->sectors)
            continue;
        gpc->line_tags[(size_t)i * gpc->config.sms + sm] = packet->tag + 1;
        return true;
    }
    counters[GPU_GPC_CODE_MISSES]++;
    if (free < GPU_GPC_LINES) /* else it goes on its way unmerged */
        gpc->lines[free] =
            (struct gpu_gpc_line){.line = packet->line, .sectors = packet->sectors, .missing = packet->sectors};
    return false;
}

/* A line that is not there comes. */
static void keep_line(struct gpu_gpc *gpc, uint64_t number)
{
    uint32_t set = mnp_cache_set(&gpc->code, number), line = mnp_cache_find(&gpc->code, set, number);
    if (line == MNP_NO_LINE)
        mnp_cache_replace(&gpc->code, mnp_cache_victim(&gpc->code, set), set, number);
    else
        mnp_cache_touch(&gpc->code, line, set);
}

void gpu_gpc_warm_code(struct gpu_gpc *gpc, uint64_t address, uint64_t bytes)
{
    uint64_t inside = address % gpc->config.line;
    if (gpc->config.parameters->code.size)
        keep_line(gpc, number_of(gpc, address - inside, ((1u << (bytes / GPU_SECTOR)) - 1) << (inside / GPU_SECTOR)));
}

void gpu_gpc_code_reply(struct gpu_gpc *gpc, const struct gpu_reply *packet, uint64_t cycle)
{
    if (!gpc->config.parameters->code.size)
        return;
    uint32_t i = 0;
    while (i < GPU_GPC_LINES && (gpc->lines[i].line != packet->line || !(gpc->lines[i].missing & packet->sectors)))
        i++;
    if (i == GPU_GPC_LINES)
        return;
    struct gpu_gpc_line *l = &gpc->lines[i];
    uint32_t come = l->missing & packet->sectors, *tags = &gpc->line_tags[(size_t)i * gpc->config.sms];
    l->missing &= ~come;
    for (uint32_t sm = 0; sm < gpc->config.sms; sm++) {
        if (!tags[sm])
            continue;
        answer(gpc, sm, tags[sm] - 1, l->line, come, cycle);
        tags[sm] = l->missing ? tags[sm] : 0;
    }
    if (l->missing)
        return;
    uint64_t number = number_of(gpc, l->line, l->sectors);
    uint32_t set = mnp_cache_set(&gpc->code, number);
    if (mnp_cache_find(&gpc->code, set, number) == MNP_NO_LINE)
        mnp_cache_replace(&gpc->code, mnp_cache_victim(&gpc->code, set), set, number);
    *l = (struct gpu_gpc_line){0};
}
