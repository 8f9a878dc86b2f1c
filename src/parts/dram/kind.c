/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/dram/kind.h"

#include "base/range.h"

#include <stddef.h>

const struct mnp_dram_kind mnp_dram_kinds[MNP_DRAM_KINDS] = {
#define MNP_DRAM_KIND(NAME, name, ...) [MNP_DRAM_KIND_##NAME] = {__VA_ARGS__},
#include "parts/dram/kinds/list.h"
#undef MNP_DRAM_KIND
};

const char *const mnp_dram_kind_names[] = {
#define MNP_DRAM_KIND(NAME, name, ...) [MNP_DRAM_KIND_##NAME] = #name,
#include "parts/dram/kinds/list.h"
#undef MNP_DRAM_KIND
    [MNP_DRAM_KINDS] = NULL};

/* A required timing value; if all are absent, no timing is stated. */
struct needed {
    const char *name;
    size_t offset;
};

static const struct needed needed[] = {
    {"ccd", offsetof(struct mnp_dram_timing, ccd)}, {"rcd", offsetof(struct mnp_dram_timing, rcd)},
    {"ras", offsetof(struct mnp_dram_timing, ras)}, {"rp", offsetof(struct mnp_dram_timing, rp)},
    {"rc", offsetof(struct mnp_dram_timing, rc)},   {"cl", offsetof(struct mnp_dram_timing, cl)},
};
enum { NEEDED = sizeof needed / sizeof *needed };

/* A value that comes from the kind, in picoseconds. */
struct value {
    size_t to, from;
};

#define VALUE(NAME)                                                                                                    \
    {                                                                                                                  \
        offsetof(struct mnp_dram_timing, NAME), offsetof(struct mnp_dram_kind, NAME)                                   \
    }
static const struct value values[] = {VALUE(cl),   VALUE(wl),   VALUE(rcd), VALUE(ras),  VALUE(rp),
                                      VALUE(rc),   VALUE(rrd),  VALUE(faw), VALUE(cdlr), VALUE(wr),
                                      VALUE(rtpl), VALUE(refi), VALUE(rfc), VALUE(rfcb)};
enum { VALUES = sizeof values / sizeof *values };

static uint64_t *at(struct mnp_dram_timing *timing, size_t offset)
{
    return (uint64_t *)(void *)((char *)timing + offset);
}

static uint64_t cycles_of(uint64_t picoseconds, uint64_t hertz)
{
    return (uint64_t)(((unsigned __int128)picoseconds * hertz + UINT64_C(999999999999)) / UINT64_C(1000000000000));
}

bool mnp_dram_kind_fill(enum mnp_dram_kind_name kind, uint64_t hertz, struct mnp_dram_timing *timing,
                        struct mnp_error *error)
{
    const struct mnp_dram_kind *row = &mnp_dram_kinds[kind];
    const char *missing = NULL;
    uint32_t stated = 0;
    for (uint32_t i = 0; i < NEEDED; i++) {
        if (*at(timing, needed[i].offset))
            stated++;
        else
            missing = needed[i].name;
    }
    if (stated && missing)
        return mnp_fail(error,
                        "dram.timing.%s is missing; state it with the others of dram.timing, or leave all of "
                        "them out to have those of dram.kind = %s",
                        missing, mnp_dram_kind_names[kind]);
    if (stated)
        return true;
    timing->ccd = timing->burst;
    timing->ccdl = timing->ccdl ? timing->ccdl : mnp_divide_up(timing->burst * row->group_halves, 2);
    for (uint32_t i = 0; i < VALUES; i++) {
        uint64_t *value = at(timing, values[i].to);
        if (*value == 0)
            *value = cycles_of(*(const uint64_t *)(const void *)((const char *)row + values[i].from), hertz);
    }
    return true;
}
