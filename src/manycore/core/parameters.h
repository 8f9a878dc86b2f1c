/* SPDX-License-Identifier: BSD-3-Clause */
/* The parameters of a many-core machine (Raghav et al., TPDS 2015, table 1), and what follows from them. */
#ifndef MANYCORE_PARAMETERS_H
#define MANYCORE_PARAMETERS_H

#include "manycore/core/core.h"
#include "manycore/core/energy.h"

struct mnp_error;
struct mnp_model;
struct mnp_settings;

enum manycore_network { MANYCORE_GLOBAL /* architecture I */, MANYCORE_MESH /* architecture II */ };

/* Packets that a router moves in a cycle: one of all its queues, or one through each output. */
enum manycore_selection { MANYCORE_SELECT_ONE, MANYCORE_SELECT_OUTPUT };

enum { MANYCORE_TILES = 65536, MANYCORE_SIDE = 256, MANYCORE_BLOCK_SIDE = 255 };

struct manycore_cache_parameters {
    uint64_t size, ways, line, replacement, hit, miss;
};

struct manycore_parameters {
    uint64_t clock;
    uint64_t tiles, network, caches;
    uint64_t private_size, shared_size, dspm, ispm; /* the first two of the machine, the others of a tile */
    uint64_t shared_latency, global_latency;
    uint64_t mesh_width, mesh_torus, mesh_queue, mesh_arbitration, mesh_selection, mesh_block;
    uint64_t branch, load_use, multiply, long_multiply, private_access, scratchpad, service;
    uint64_t run_ahead, epoch, livelock;
    struct manycore_cache_parameters instruction, data;
    uint64_t write_back, write_allocate, write_back_cycles;

    /* Derived. */
    uint64_t width, height;             /* size of the mesh */
    uint32_t private_bytes, bank_bytes; /* memory of a tile */
    struct manycore_timing timing;
    struct manycore_cache_shape instruction_shape, data_shape;
    uint32_t block_columns, block_rows; /* size of a block of tiles, which is one unit of the simulation */
    bool joins;                         /* blocks are bands of columns, which may be joined into one */

    /* Energies and models are the host alone's: they lie behind all that kernels of --executor cuda read. */
    struct manycore_energy_parameters energy;
    const struct mnp_model *block; /* model of blocks: with energies behind its statistics, if they are counted */
};

extern const struct mnp_model manycore_model, manycore_block_model, manycore_tile_model, manycore_global_model;

/* All many-core models, NULL-terminated: the one explicit list. */
extern const struct mnp_model *const manycore_models[];

/* Cuts a machine into blocks for so many threads, unless `mesh.block` says how; 0: into small ones. */
void manycore_parameters_cut(struct manycore_parameters *parameters, uint32_t threads);

/* Width of a mesh of so many tiles that is as near to a square as it goes: the longer side. */
uint64_t manycore_nearest_width(uint64_t tiles);

/* Reads the parameters from the settings, checks them together and derives the rest. */
bool manycore_parameters_read(struct manycore_parameters *parameters, struct mnp_settings *settings,
                              struct mnp_error *error);

#endif
