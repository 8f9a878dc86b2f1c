/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy of a GPU: counts of events multiplied by the energies that the machine states, plus power that is drawn
 * continuously.
 *
 * Most events are statistics that the models count anyway. A listener (events.c) counts the others: words of registers,
 * and matrix operations by the width of their operands. Energies are weighted sums of these counts (rows.c). They
 * follow the statistics of the units that count the events, so that SMs, GPCs and partitions have energies of their
 * own. A unit of the model `energy` has no state: it counts energy in proportion to time. All this exists only if
 * energy.model is true.
 *
 * Energies are whole femtojoules and powers whole milliwatts; sums are exact. At a core clock other than energy.clock,
 * energies and static power of the chip follow the square of the voltage (scale.c), rounded to the nearest number.
 */
#ifndef GPU_ENERGY_ENERGY_H
#define GPU_ENERGY_ENERGY_H

#include "contract/session.h"
#include "engine/configure/configuration.h"
#include "engine/core/engine.h"
#include "gpu/sm/limits.h"
#include "gpu/sm/sent.h"

struct gpu_energy_parameters {
    uint64_t model; /* whether there is one */
    struct mnp_text basis;
    uint64_t clock;                      /* Hz, at which energies and static power are stated */
    struct mnp_list clocks, voltages;    /* points of a curve: MHz, rising, and mV */
    uint64_t limit;                      /* W; 0: none */
    uint64_t governor;                   /* whether the clock falls until the limit is kept */
    uint64_t interval, delay;            /* ns */
    uint64_t step, lowest;               /* Hz */
    uint64_t scale;                      /* per mille, of all that is on the chip */
    uint64_t temperature, leakage_per_k; /* degrees Celsius; per mille of static power for each degree above 50 */
    struct gpu_energy_thermal {
        uint64_t model;    /* whether the temperature follows the power while the machine runs; it begins as stated */
        uint64_t interval; /* ns */
        uint64_t ambient;  /* degrees Celsius */
        struct gpu_energy_stage {
            uint64_t resistance; /* mK/W; 0: not known, or none */
            uint64_t constant;   /* us */
        } chip, cooler;
    } thermal;

    uint64_t typical; /* without energy.values: what toggles, per mille of random data */
    uint64_t values;  /* one in so many instructions of a warp is looked at for the bits that toggle; 0: none */
    struct gpu_energy_shares {
        uint64_t fetch, alu, fma, tensor, registers, shared, l1, network, l2, dram; /* `random`: l2 for these three */
    } toggles, random; /* per mille: of energies, what follows the bits that toggle; of bits, what toggles if random */

    /* Femtojoules. */
    uint64_t instruction, fetch_l0, fetch_l1, control;
    uint64_t register_read, register_write;
    uint64_t integer, imad, fp32, half, fp64, sfu, convert, special;
    uint64_t tensor64, tensor32, tensor16, tensor8, tensor4;
    uint64_t shared, tmem, l1_tags, l1_sector, constant, tma, sm_active;
    uint64_t gpc_active, noc, l2_active, l2_sector, l2_link, link, by_switch;
    uint64_t dram_activate, dram_read, dram_write, dram_refresh;

    bool linked, switched; /* whether links lead to other devices, and through switches; not parameters */

    /* Milliwatts. */
    uint64_t static_sm, static_l2, static_dram, static_board;
};

/* Parameters of all energies; its statistics are those of all units, for the documentation. */
extern const struct mnp_model gpu_energy_model;

/* Statistics that a model gets behind its own. */
enum gpu_energy_place { GPU_ENERGY_OF_SM, GPU_ENERGY_OF_GPC, GPU_ENERGY_OF_PARTITION, GPU_ENERGY_OF_DEVICE };

/* Counters among those of an SM, in order. */
enum gpu_energy_counter {
    GPU_ENERGY_READS,
    GPU_ENERGY_WRITES,
    GPU_ENERGY_TENSOR64,
    GPU_ENERGY_TENSOR32,
    GPU_ENERGY_TENSOR16,
    GPU_ENERGY_TENSOR8,
    GPU_ENERGY_TENSOR4,
    GPU_ENERGY_COUNTERS,
    /* With energy.values, by enum sm_values_group: bits that toggled in instructions that were looked at, and bits that
     * were compared. */
    GPU_ENERGY_TOGGLED = GPU_ENERGY_COUNTERS,
    GPU_ENERGY_COMPARED = GPU_ENERGY_TOGGLED + SM_VALUES_GROUPS,
    /* The activity of all, by the same groups up to SM_VALUES_TENSOR. */
    GPU_ENERGY_ACTIVITY = GPU_ENERGY_COMPARED + SM_VALUES_GROUPS,
    GPU_ENERGY_ACTIVITY_TENSOR64 = GPU_ENERGY_ACTIVITY + SM_VALUES_TENSOR,
    GPU_ENERGY_ACTIVITY_TENSOR32,
    GPU_ENERGY_ACTIVITY_TENSOR16,
    GPU_ENERGY_ACTIVITY_TENSOR8,
    GPU_ENERGY_ACTIVITY_TENSOR4,
    GPU_ENERGY_ACTIVITY_READS,
    GPU_ENERGY_ACTIVITY_WRITES,
    GPU_ENERGY_ACTIVITY_SHARED,
    GPU_ENERGY_ACTIVITY_GLOBAL,
    GPU_ENERGY_ACTIVITY_FETCH,
    GPU_ENERGY_SENT, /* by enum sm_sent_counter */
    GPU_ENERGY_SENT_LAST = GPU_ENERGY_SENT + SM_SENT_COUNTERS - 1,
    /* Femtojoules that voltages above the lowest add to the energies of an SM, in their order. */
    GPU_ENERGY_VOLTAGE,
    GPU_ENERGY_ALL_COUNTERS = GPU_ENERGY_VOLTAGE + 15
};

/* The rows of a place with weights that are the machine's numbers at its clock; those of values, and their terms, only
 * with energy.values. They live as long as the session's results. */
struct mnp_statistic *gpu_energy_settle(struct mnp_session *session, const struct gpu_energy_parameters *p,
                                        enum gpu_energy_place place, size_t *count);

/* Whether the voltage changes while a machine runs: it follows a core clock that a governor changes. Energies are then
 * those of the lowest clock, and counters hold what the voltage adds to each (gpu/energy/voltage.h). */
bool gpu_energy_changes(const struct gpu_energy_parameters *p);

/* Reads the parameters from the settings. */
bool gpu_energy_read(struct gpu_energy_parameters *p, struct mnp_settings *settings, struct mnp_error *error);

/* Refuses energies that --set or a sweep states for a run that counts none. */
bool gpu_energy_refuse_idle(const struct mnp_settings *settings, struct mnp_error *error);

/* Checks the parameters together. */
bool gpu_energy_check(const struct gpu_energy_parameters *p, const struct mnp_settings *settings,
                      struct mnp_error *error);

/* A stated number of the chip at the core clock of the machine: by energy.scale, and by the voltage squared. */
uint64_t gpu_energy_at_clock(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t stated);

/* Millivolts at a core clock, on the straight line between two points of the curve; 0: there is no curve. */
uint64_t gpu_energy_voltage(const struct gpu_energy_parameters *p, uint64_t hertz);

/* Power that a device draws continuously. */
struct gpu_energy_pace {
    uint64_t sm, l2, dram, board;  /* mW */
    const struct mnp_course *core; /* core clock, if a governor changes it; NULL: none does */
    /* struct mnp_pace_level, if the voltage or the temperature changes; or NULL */
    const struct mnp_array *sm_levels, *l2_levels;
    const struct mnp_array *temperature_levels; /* thousandths of a degree, if the temperature changes; or NULL */
};
struct gpu_energy_pace gpu_energy_pace_of(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t sms);

/* The same at another temperature than energy.temperature, in thousandths of a degree Celsius. */
struct gpu_energy_pace gpu_energy_pace_at(const struct gpu_energy_parameters *p, uint64_t hertz, uint64_t sms,
                                          uint64_t millidegrees);

/* Creates the unit of a device. `model`: gpu_energy_model with the rows of GPU_ENERGY_OF_DEVICE; `pace` stays valid. */
struct mnp_unit *gpu_energy_create(struct mnp_engine *engine, const struct mnp_model *model,
                                   const struct gpu_energy_pace *pace, uint32_t slots);

#endif
