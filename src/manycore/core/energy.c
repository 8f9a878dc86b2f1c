/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/core/energy.h"

#include "contract/weights.h"
#include "engine/core/time.h"
#include "engine/declare/declare.h"
#include "manycore/core/a32.h"

#include <string.h>

/* Published energies, and how far they go: docs/energy.md#many-core-machines. */
#define HOROWITZ     "Horowitz, ISSCC 2014, 45 nm at 0.9 V"
#define PITON        "McKeown et al., HPCA 2018, figure 12: Piton, 32 nm at 1.0 V"
#define MNP_TABLE_OF struct manycore_energy_parameters

#define NUMBER(KEY, UNIT, FIELD, FALLBACK, MAX, HELP, SOURCE)                                                          \
    {                                                                                                                  \
        .key = "energy." KEY, .type = MNP_UINT, .unit = UNIT, .offset = MNP_FIELD(uint64_t, FIELD),                    \
        .fallback = FALLBACK, .maximum = MAX, .help = HELP, .source = SOURCE, .shown_with = "energy.model"             \
    }
#define ENERGY(KEY, FIELD, FALLBACK, HELP, SOURCE) NUMBER(KEY, "fJ", FIELD, FALLBACK, UINT64_C(1) << 40, HELP, SOURCE)

static const struct mnp_parameter parameters[] = {
    {.key = "energy.model",
     .type = MNP_BOOL,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, model),
     .fallback = "false",
     .help = "energies are counted (--energy)",
     .source = "by choice",
     .quiet = true},
    {.key = "energy.basis",
     .type = MNP_TEXT,
     .unit = "",
     .offset = MNP_FIELD(struct mnp_text, basis),
     .fallback = "published energies per operation at 45 and 32 nm, unscaled; no silicon of this machine",
     .help = "where the energies of this machine come from",
     .source = "the machine file",
     .shown_with = "energy.model"},
    NUMBER("scale", "per mille", scale, "1000", 100000,
           "by which all energies and static power are multiplied: for another process", "by choice"),
    ENERGY("instruction", instruction, "45000", "an instruction: decoded and controlled, registers, an addition",
           HOROWITZ ": 70 pJ for an addition, without the fetch"),
    ENERGY("fetch", fetch, "25000", "an instruction fetched from the instruction cache or scratchpad", HOROWITZ),
    ENERGY("multiply", multiply, "3000", "added for a multiplication", HOROWITZ ": 3.1 pJ, and 0.1 of an addition"),
    ENERGY("media", media, "0", "added for a media or saturating instruction", "assumed: as an addition"),
    ENERGY("load", load, "10000", "added for a load, from the data cache or scratchpad",
           HOROWITZ ": 20 pJ for 64 bits of 32 KiB"),
    ENERGY("store", store, "10000", "added for a store, to the data cache or scratchpad", HOROWITZ ": as a load"),
    ENERGY("branch", branch, "0", "added for a branch, taken or not", "assumed: as an addition"),
    ENERGY("line", line, "20800000",
           "a line between a cache and private memory: a miss, or a written line that is replaced",
           HOROWITZ ": 1.3 nJ for 64 bits of DRAM; lines of 128 bytes"),
    ENERGY("shared", shared, "50000", "an access to shared memory, in its bank or in the global space",
           HOROWITZ ": 100 pJ for 64 bits of 1 MiB"),
    ENERGY("hop", hop, "22320", "a packet from router to router, or to its tile",
           PITON ": 11.16 pJ for 64 bits of which half switch; a packet taken as two flits"),
    ENERGY("cycle", cycle, "0", "a cycle of a tile's clock, whatever it does", "none stated apart from instructions"),
    NUMBER("static.tile", "mW", static_tile, "16", 2000000, "of a tile, with or without work",
           PITON ": 389 mW of 25 tiles, not looked up again"),
    NUMBER("static.chip", "mW", static_chip, "0", 2000000, "of the rest of the chip", "none stated"),
};

enum { FJ_PER_PJ = 1000 };

#define WEIGHTED(NAME, HELP, ...) MNP_WEIGHTED_ROW(NAME, "pJ", HELP, FJ_PER_PJ, __VA_ARGS__)
#define OF(STATISTIC, KEY)                                                                                             \
    {                                                                                                                  \
        STATISTIC, 1, "energy." KEY                                                                                    \
    }
#define SUM(STATISTIC)                                                                                                 \
    {                                                                                                                  \
        STATISTIC, 1, NULL                                                                                             \
    }

/* Weights of the rows that pass with the time are of all tiles, and of a cycle (manycore_energy_settle). */
static const struct mnp_statistic rows[] = {
    MNP_WEIGHTED_ROW("energy_time", "ps", "time that the energies are of; the weight is the femtoseconds of a cycle",
                     FJ_PER_PJ, {"global_cycles", 1, "clock.core"}),
    WEIGHTED("energy_core", "instructions, without fetches and data", OF("instructions", "instruction"),
             OF("instructions_multiply", "multiply"), OF("instructions_media", "media"),
             OF("instructions_branch", "branch")),
    WEIGHTED("energy_fetch", "fetches from instruction caches and scratchpads", OF("instructions", "fetch")),
    WEIGHTED("energy_data", "loads and stores, from the core to the data cache or scratchpad",
             OF("instructions_load", "load"), OF("instructions_synchronisation", "load"),
             OF("instructions_store", "store")),
    WEIGHTED("energy_lines", "lines between caches and private memory", OF("l1i_misses", "line"),
             OF("l1d_misses", "line"), OF("l1d_write_backs", "line")),
    WEIGHTED("energy_banks", "shared memory", OF("s_events", "shared")),
    WEIGHTED("energy_mesh", "routers and links of the mesh", OF("noc_hops", "hop"), OF("noc_packets", "hop")),
    WEIGHTED("energy_clock", "clocks of all tiles; the weight is energy.cycle by tile.count",
             OF("global_cycles", "cycle")),
    WEIGHTED("energy_static", "static power of tiles (by tile.count) and chip; the weights are femtojoules of a cycle",
             OF("global_cycles", "static.tile"), OF("global_cycles", "static.chip")),
    WEIGHTED("energy", "energy: the sum of the eight above", SUM("energy_core"), SUM("energy_fetch"),
             SUM("energy_data"), SUM("energy_lines"), SUM("energy_banks"), SUM("energy_mesh"), SUM("energy_clock"),
             SUM("energy_static")),
    MNP_SCALED_ROW("power", "mW", "mean power: energy by time", "energy", "energy_time", 1000),
};

const struct mnp_model manycore_energy_model = {
    .name = "energy",
    .summary = "Energies of a many-core machine, with energy.model: statistics of its blocks",
    MNP_PARAMETERS(parameters),
    MNP_STATISTICS(rows),
    .grouped = true,
};

struct machine {
    const struct mnp_settings *settings;
    uint64_t clock, tiles;
};

static uint64_t rounded(unsigned __int128 number, uint64_t divisor)
{
    return (uint64_t)((number + divisor / 2) / divisor);
}

/* Femtojoules of an event, and of a cycle of all tiles for what passes with the time. */
static uint64_t weigh(const void *context, const struct mnp_term *terms, const struct mnp_term *term)
{
    enum { PER_MILLE = 1000 };
    const struct machine *machine = context;
    const char *key = term->key;
    (void)terms;
    if (strcmp(key, "clock.core") == 0)
        return rounded(MNP_SECOND, machine->clock); /* femtoseconds of a cycle */
    unsigned __int128 scaled = (unsigned __int128)mnp_settings_number(machine->settings, key) *
                               mnp_settings_number(machine->settings, "energy.scale");
    if (strcmp(key, "energy.cycle") == 0)
        return rounded(scaled * machine->tiles, PER_MILLE);
    if (strncmp(key, "energy.static.", strlen("energy.static.")) != 0)
        return rounded(scaled, PER_MILLE);
    bool of_tile = strcmp(key, "energy.static.tile") == 0;
    return rounded(scaled * (of_tile ? machine->tiles : 1) * (MNP_SECOND / PER_MILLE / PER_MILLE),
                   machine->clock); /* mW = fJ / ps */
}

struct mnp_statistic *manycore_energy_settle(struct mnp_session *session, uint64_t clock, uint64_t tiles, size_t *count)
{
    const struct machine machine = {session->settings, clock, tiles};
    const struct mnp_weighing weighing = {.context = &machine, .weigh = weigh};
    return mnp_session_weigh(session, rows, manycore_energy_model.statistic_count, &weighing, count);
}

uint64_t manycore_energy_of(const struct manycore_energy_parameters *p, uint32_t kind)
{
    enum { PER_MILLE = 1000 };
    const uint64_t added[A32_CLASSES] = {
        [A32_CLASS_MULTIPLY] = p->multiply, [A32_CLASS_MEDIA] = p->media,   [A32_CLASS_LOAD] = p->load,
        [A32_CLASS_STORE] = p->store,       [A32_CLASS_BRANCH] = p->branch, [A32_CLASS_SYNCHRONISATION] = p->load,
    };
    const uint64_t parts[] = {p->instruction, p->fetch, added[kind]};
    uint64_t sum = 0;
    for (size_t i = 0; p->model && i < sizeof parts / sizeof *parts; i++)
        sum += rounded((unsigned __int128)parts[i] * p->scale, PER_MILLE);
    return sum;
}
