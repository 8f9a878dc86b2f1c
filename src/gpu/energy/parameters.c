/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters of the energy of a GPU. Defaults are the energies of an A100 (docs/energy.md has their origin); a machine
 * that states nothing inherits them, and energy.basis says so in its results.
 */
#include "gpu/energy/energy.h"

#include "engine/declare/declare.h"
#include "gpu/energy/rows.h"

#define MNP_TABLE_OF struct gpu_energy_parameters

static const char fitted[] = "published energies per operation, scaled, and bench/energy_fit.py: docs/energy.md";

static const char valued[] = "measured ratios of power by input: docs/lab/energy.md";
static const char coded[] = "counted in compiled kernels: docs/lab/energy.md";
static const char counted[] = "counted in products of normal random numbers: docs/lab/energy.md";

#define SHOWN_WITH .shown_with = "energy.model"
#define NUMBER(KEY, UNIT, FIELD, FALLBACK, MAX, HELP, SOURCE)                                                          \
    {                                                                                                                  \
        .key = "energy." KEY, .type = MNP_UINT, .unit = UNIT, .offset = MNP_FIELD(uint64_t, FIELD),                    \
        .fallback = FALLBACK, .maximum = MAX, .help = HELP, .source = SOURCE, SHOWN_WITH                               \
    }
#define ENERGY(KEY, FIELD, FALLBACK, HELP) NUMBER(KEY, "fJ", FIELD, FALLBACK, UINT64_C(1) << 40, HELP, fitted)
#define POWER(KEY, FIELD, FALLBACK, HELP)  NUMBER(KEY, "mW", FIELD, FALLBACK, 2000000, HELP, fitted)
#define SHARE(KEY, FIELD, FALLBACK, MIN, HELP, SOURCE)                                                                 \
    {                                                                                                                  \
        .key = "energy." KEY, .type = MNP_UINT, .unit = "per mille", .offset = MNP_FIELD(uint64_t, FIELD),             \
        .fallback = FALLBACK, .minimum = MIN, .maximum = 1000, .help = HELP, .source = SOURCE,                         \
        .shown_with = "energy.values"                                                                                  \
    }
#define TOGGLES(KEY, FIELD, FALLBACK, HELP)                                                                            \
    SHARE("toggles." KEY, toggles.FIELD, FALLBACK, 0,                                                                  \
          "with energy.values, what follows the bits that toggle, of the "                                             \
          "energy of " HELP,                                                                                           \
          valued)
#define RANDOM(KEY, FIELD, FALLBACK)                                                                                   \
    SHARE("random." KEY, random.FIELD, FALLBACK, 1,                                                                    \
          "bits that toggle if data are random: with so many, energies are "                                           \
          "what they are without energy.values",                                                                       \
          counted)
#define GOVERNED(KEY, TYPE, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                             \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = UNIT, .offset = MNP_FIELD(uint64_t, FIELD), .fallback = FALLBACK,            \
        .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE, .shown_with = "power.governor"                 \
    }
#define THERMAL(KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                                    \
    {                                                                                                                  \
        .key = "thermal." KEY, .type = MNP_UINT, .unit = UNIT, .offset = MNP_FIELD(uint64_t, thermal.FIELD),           \
        .fallback = FALLBACK, .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE, SHOWN_WITH               \
    }
#define LIST(KEY, UNIT, FIELD, FALLBACK, MIN, MAX, HELP)                                                               \
    {                                                                                                                  \
        .key = "energy." KEY, .type = MNP_LIST, .unit = UNIT, .offset = MNP_FIELD(struct mnp_list, FIELD),             \
        .fallback = FALLBACK, .minimum = MIN, .maximum = MAX, .help = HELP, .source = fitted, SHOWN_WITH               \
    }

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
     .fallback = "inherited: energies of an A100, unscaled; state energy.* for this machine",
     .help = "where the energies of this machine come from",
     .source = "the machine file",
     SHOWN_WITH},
    {.key = "energy.clock",
     .type = MNP_HERTZ,
     .unit = "Hz",
     .offset = MNP_FIELD(uint64_t, clock),
     .minimum = 1000000,
     .maximum = UINT64_C(10000000000),
     .help = "core clock at which energies and static power are stated; not stated: that of the file that states "
             "energy.static.board",
     .source = "the measurement that they are from",
     .follows = "clock.core",
     .beside = "energy.static.board",
     SHOWN_WITH},
    LIST("curve.clocks", "MHz", clocks, "[]", 1, 10000,
         "core clocks of the points of a voltage curve, rising; none: the voltage is the same at all clocks"),
    LIST("curve.voltages", "mV", voltages, "[]", 1, 5000, "voltages of these points"),
    NUMBER("temperature", "degree", temperature, "50", 150, "of the chip, in degrees Celsius",
           "that of the boards in the fit, 41 to 63: docs/energy.md"),
    NUMBER("leakage", "per mille", leakage_per_k, "8", 100,
           "static power of SMs and L2 for each degree above 50 (below: as much less)",
           "assumed: leakage doubles in about 60 degrees, a part of the static power is none"),
    NUMBER("typical", "per mille", typical, "1000", 1000,
           "without energy.values: bits that are taken to toggle, of those of random data, in what follows values "
           "(energy.toggles)",
           "by choice; for data of a machine's own, counts of energy.values: docs/lab/energy.md"),
    NUMBER("scale", "per mille", scale, "1000", 100000,
           "by which all energies and static power of the chip, but not those of DRAM and board, are multiplied: for a "
           "machine that inherits those of another process",
           "by choice"),
    {.key = "power.limit",
     .type = MNP_UINT,
     .unit = "W",
     .offset = MNP_FIELD(uint64_t, limit),
     .fallback = "0",
     .maximum = 100000,
     .help = "of the board; `maniple power` finds the clock that it leaves; 0: none is known",
     .source = "vendor specification",
     SHOWN_WITH},
    {.key = "power.governor",
     .type = MNP_BOOL,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, governor),
     .fallback = "false",
     .help = "with --energy, clocks of SMs, network and L2 fall while the machine runs until power.limit is kept",
     .source = "by choice",
     .quiet = true},
    GOVERNED("power.interval", MNP_UINT, "ns", interval, "20000", 1000, 1000000000,
             "over which a governor measures the mean power, 1 us to 1 s",
             "by choice: boards take milliseconds, which few simulated programs last"),
    GOVERNED("power.delay", MNP_UINT, "ns", delay, "2000", 1, 1000000000,
             "from the end of a governor's interval to the clock that follows from it", "by choice"),
    GOVERNED("power.step", MNP_HERTZ, "Hz", step, "15MHz", 1000000, UINT64_C(10000000000),
             "between two core clocks of a governor", "clocks that nvidia-smi -q -d SUPPORTED_CLOCKS lists"),
    GOVERNED("power.lowest", MNP_HERTZ, "Hz", lowest, "210MHz", 1000000, UINT64_C(10000000000),
             "lowest core clock of a governor, whatever the power",
             "the lowest that nvidia-smi -q -d SUPPORTED_CLOCKS lists on an A100"),
    {.key = "thermal.model",
     .type = MNP_BOOL,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, thermal.model),
     .fallback = "false",
     .help = "with --energy, the temperature follows the power while the machine runs, from energy.temperature on",
     .source = "by choice",
     .quiet = true},
    {.key = "thermal.interval",
     .type = MNP_UINT,
     .unit = "ns",
     .offset = MNP_FIELD(uint64_t, thermal.interval),
     .fallback = "20000",
     .minimum = 1000,
     .maximum = 1000000000,
     .help = "from one temperature to the next, a tenth of the shortest time constant at most",
     .source = "by choice",
     .shown_with = "thermal.model"},
    THERMAL("ambient", "degree", ambient, "25", 0, 100, "of the air that cools the board, in degrees Celsius",
            "assumed: a room's"),
    THERMAL("chip.resistance", "mK/W", chip.resistance, "0", 0, 10000,
            "from the chip to its cooler; 0: not known, or none", "the machine file"),
    THERMAL("chip.constant", "us", chip.constant, "20000", 1, 1000000000, "time constant of the chip on its cooler",
            "the machine file"),
    THERMAL("cooler.resistance", "mK/W", cooler.resistance, "0", 0, 10000,
            "from the cooler to the air; 0: not known, or none", "the machine file"),
    THERMAL("cooler.constant", "us", cooler.constant, "20000000", 1, 1000000000, "time constant of the cooler",
            "the machine file"),
    {.key = "energy.values",
     .type = MNP_UINT,
     .unit = "instruction",
     .offset = MNP_FIELD(uint64_t, values),
     .fallback = "0",
     .maximum = 4096,
     .help = "of so many instructions of a warp that executes, one is looked at for the bits that toggle "
             "(--energy=values: 16); 0: none, energies follow counts alone",
     .source = "by choice",
     .quiet = true},
    TOGGLES("fetch", fetch, "500", "a line of code from the L0 instruction cache"),
    TOGGLES("alu", alu, "600", "a lane of the integer class and of multiplications"),
    TOGGLES("fma", fma, "600", "a lane of single, half and double precision, special functions and conversions"),
    TOGGLES("tensor", tensor, "600", "matrix operations"),
    TOGGLES("registers", registers, "500", "a register read or written"),
    TOGGLES("shared", shared, "500", "a wavefront of shared memory"),
    TOGGLES("l1", l1, "500", "a sector in the L1 data cache"),
    TOGGLES("network", network, "500", "a byte over one of the four hops between SM, GPC and partition"),
    TOGGLES("l2", l2, "500", "a sector in the L2"),
    TOGGLES("dram", dram, "500", "32 bytes read from DRAM or written"),
    SHARE("random.fetch", random.fetch, "205", 1,
          "bits that toggle from one word of machine code to the next: with so many, energies are what they are "
          "without energy.values",
          coded),
    RANDOM("alu", alu, "500"),
    RANDOM("fma", fma, "420"),
    RANDOM("tensor", tensor, "387"),
    RANDOM("registers", registers, "310"),
    RANDOM("shared", shared, "350"),
    RANDOM("l1", l1, "350"),
    RANDOM("l2", l2, "350"),
    ENERGY("instruction", instruction, "38700", "a warp instruction: decoded, scheduled, its control signals"),
    ENERGY("fetch.l0", fetch_l0, "19100", "a line of code that a warp goes on in, from the L0 instruction cache"),
    ENERGY("fetch.l1", fetch_l1, "95500", "a line of code from the L1 instruction cache or the code cache of a GPC"),
    ENERGY("control", control, "31800", "a warp instruction of the uniform, branch or synchronisation class"),
    ENERGY("register.read", register_read, "1150", "32 bits of a lane read from a register"),
    ENERGY("register.write", register_write, "1450", "32 bits of a lane written to a register"),
    ENERGY("int", integer, "1270", "a lane of an instruction of the integer class"),
    ENERGY("imad", imad, "3820", "a lane of an integer multiplication"),
    ENERGY("fp32", fp32, "3960", "a lane of an instruction of the single-precision class"),
    ENERGY("half", half, "3820", "a lane (of two numbers) of an instruction of the half-precision class"),
    ENERGY("fp64", fp64, "15300", "a lane of an instruction of the double-precision class"),
    ENERGY("sfu", sfu, "9550", "a lane of an instruction of the special-function class"),
    ENERGY("convert", convert, "4780", "a lane of an instruction of the conversion class"),
    ENERGY("special", special, "3180", "a lane of a shuffle, vote or read of a special register"),
    ENERGY("tensor.bits64", tensor64, "1940000", "512 matrix operations on operands of 64 bits"),
    ENERGY("tensor.bits32", tensor32, "476000", "512 matrix operations on operands of 32 bits (tf32)"),
    ENERGY("tensor.bits16", tensor16, "238000", "512 matrix operations on operands of 16 bits"),
    ENERGY("tensor.bits8", tensor8, "127000", "512 matrix operations on operands of 8 bits"),
    ENERGY("tensor.bits4", tensor4, "67000", "512 matrix operations on operands of 4 bits or fewer"),
    ENERGY("shared", shared, "44700", "a wavefront of shared memory: 128 bytes in a cycle"),
    ENERGY("tmem", tmem, "44700", "a cycle of a port of tensor memory"),
    ENERGY("l1.tags", l1_tags, "44500", "a cycle in which the L1 data cache looks up lines"),
    ENERGY("l1.sector", l1_sector, "66900", "32 bytes read or written in the L1 data cache"),
    ENERGY("constant", constant, "31800", "a pass of a load of constants"),
    ENERGY("tma", tma, "29800", "a line that the tensor memory accelerator asks for"),
    ENERGY("sm.active", sm_active, "107000", "a cycle of an SM that has a CTA, whatever it does: clocks, schedulers"),
    NUMBER("gpc.active", "fJ", gpc_active, "0", UINT64_C(1) << 40,
           "a network cycle of a GPC in which packets are in it: clocks that are gated else",
           "no measurement tells it from energy.static.l2, which holds it"),
    ENERGY("noc", noc, "3570", "a byte over one of the four hops between SM, GPC and partition, or between SMs"),
    ENERGY("l2.sector", l2_sector, "268000", "32 bytes looked up, filled or written back in the L2"),
    NUMBER("l2.active", "fJ", l2_active, "0", UINT64_C(1) << 40,
           "a cycle of an L2 slice in which a lookup is in progress: clocks that are gated else",
           "no measurement tells it from energy.l2.sector, which holds it"),
    ENERGY("l2.link", l2_link, "8920", "a byte from one part of the L2 to another"),
    NUMBER("link", "fJ", link, "40000", UINT64_C(1) << 40,
           "a byte that a link to another GPU sends or receives, at this GPU's end",
           "Arunkumar et al., MCM-GPU, ISCA 2017, table 2: about 10 pJ a bit on a board; taken as half at each end"),
    NUMBER("switch", "fJ", by_switch, "80000", UINT64_C(1) << 40,
           "a byte that a switch between GPUs passes on: the ends of its two links",
           "as energy.link; its crossbar is not published: 100 W of an NVSwitch at 450 GB/s are 222,000 in all"),
    ENERGY("dram.activate", dram_activate, "2010000", "a row opened and closed"),
    ENERGY("dram.read", dram_read, "2270000", "32 bytes read, from the array to the L2's edge"),
    ENERGY("dram.write", dram_write, "2230000", "32 bytes written"),
    ENERGY("dram.refresh", dram_refresh, "17600000", "a refresh command"),
    POWER("static.sm", static_sm, "129", "an SM, with or without work"),
    POWER("static.l2", static_l2, "6990", "L2, network and all else of the chip"),
    POWER("static.dram", static_dram, "8600", "DRAM and its interface without accesses"),
    POWER("static.board", static_board, "20600", "the board: conversion losses at low load, fan, host interface"),
};

const struct mnp_model gpu_energy_model = {
    .name = "energy",
    .summary = "Energy of the events of a device and of its power that passes with the time, with energy.model",
    MNP_PARAMETERS(parameters),
    .statistics = gpu_energy_table,
    .statistic_count = GPU_ENERGY_ROWS,
    .grouped = true,
    .advance = gpu_energy_advance,
    .pace = gpu_energy_pass,
};

bool gpu_energy_read(struct gpu_energy_parameters *p, struct mnp_settings *settings, struct mnp_error *error)
{
    bool done = mnp_settings_fill_model(settings, &gpu_energy_model, p, error);
    mnp_settings_say_inherited(settings, "energy.basis");
    return done;
}

bool gpu_energy_refuse_idle(const struct mnp_settings *settings, struct mnp_error *error)
{
    const char *override;
    for (size_t i = 0; (override = mnp_settings_override(settings, false, i)); i++) {
        char key[100];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(override, "="), override);
        if (strncmp(key, "energy.", 7) == 0 && strcmp(key, "energy.model") != 0)
            return mnp_settings_fail(settings, key, error,
                                     "changes nothing, since no energies are counted; add --energy, or leave it out");
    }
    return true;
}

bool gpu_energy_check(const struct gpu_energy_parameters *p, const struct mnp_settings *settings,
                      struct mnp_error *error)
{
    if (p->clocks.count != p->voltages.count)
        return mnp_settings_fail(settings, "energy.curve.voltages", error,
                                 "there are %lu voltages and %lu clocks; state as many of one as of the other",
                                 (unsigned long)p->voltages.count, (unsigned long)p->clocks.count);
    for (uint64_t i = 1; i < p->clocks.count; i++)
        if (p->clocks.value[i] <= p->clocks.value[i - 1])
            return mnp_settings_fail(settings, "energy.curve.clocks", error,
                                     "%lu does not lie above %lu; state clocks in rising order",
                                     (unsigned long)p->clocks.value[i], (unsigned long)p->clocks.value[i - 1]);
    return true;
}
