/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Time of tensor memory: allocations, and loads and stores between it and registers. Each quarter of its lanes, which
 * every fourth warp of a CTA reaches, has a port that moves an aligned pair of columns in a cycle (256 bytes), loads
 * and stores in the order of their issue; a move is done sm.tmem.latency cycles after its last pair. Accumulators of
 * the tensor cores have a path of their own.
 *
 * Sources: cicuvc/nvidia-sass-document, B200, ldtm and sttm, named at the parameters.
 */
#ifndef GPU_SM_TCGEN05_TMEM_H
#define GPU_SM_TCGEN05_TMEM_H

#include "base/arena.h"
#include "contract/async.h"

struct sm;

enum { SM_TMEM_QUARTERS = 4, SM_TMEM_MOVES_UNDER_WAY = 64 /* moves of a quarter, at most */ };

struct sm_tmem_move {
    uint64_t done; /* cycle */
    uint16_t warp;
    uint8_t store;
    uint8_t reserved[5];
};

struct sm_tmem_quarter {
    uint64_t free;         /* cycle from which its port is free */
    uint32_t first, count; /* ring of its moves, in the order of their ends */
};

struct sm_tmem_state {
    struct sm_tmem_quarter quarter[SM_TMEM_QUARTERS];
};

struct sm_tmem { /* state of a machine that executes; in the arena, NULL in others */
    struct sm_tmem_state *state;
    struct sm_tmem_move *moves; /* [SM_TMEM_QUARTERS][SM_TMEM_MOVES_UNDER_WAY] */
};

void sm_tmem_lay_out(struct sm *sm, struct mnp_arena *arena);

/* Loads and stores that the warp may have taken. */
uint32_t sm_tmem_room(const struct sm *sm, uint32_t warp);
/* A warp has issued the core's load or store, or allocated, or given back. */
void sm_tmem_take(struct sm *sm, uint32_t warp, uint64_t cycle);

void sm_tmem_cycle(struct sm *sm, uint64_t cycle);
uint64_t sm_tmem_next(const struct sm *sm, uint64_t cycle);

#endif
