/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounded memory for the instructions of CTAs that are loaded. Up to half of a bound they stay in memory; the warps of
 * CTAs beyond it go to a temporary file, cut into pages, each a zstd frame with its checksum, and are fetched page by
 * page. Whether a CTA is in memory or not changes nothing that a model sees. The file has no name, so that it is gone
 * when the process is, however that ends; the room of a CTA's pages is given back to the disk when it is released.
 */
#ifndef MNP_FRONTEND_SHARED_SPILL_H
#define MNP_FRONTEND_SHARED_SPILL_H

#include "contract/instruction.h"

#include <pthread.h>
#include <stdatomic.h>

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

struct spill {
    uint64_t bound;         /* bytes of instructions in memory, of which whole CTAs may take half; 0: no bound */
    _Atomic uint64_t held;  /* bytes of instructions in memory, held pages included */
    _Atomic uint64_t end;   /* end of the file */
    _Atomic int descriptor; /* descriptor of the file; 0: not created yet */
    pthread_mutex_t lock;   /* protects its creation */
    _Atomic(struct ZSTD_CCtx_s *) compressor; /* an idle compressor, or NULL */
    _Atomic(struct ZSTD_DCtx_s *) decompressor;
};

struct spilled_warp;

/* The warps of a CTA that are in the file. */
struct spilled {
    struct spill *spill;
    struct spilled_warp *warps;
    uint32_t warp_count;
};

void shared_spill_init(struct spill *spill, uint64_t bound);
void shared_spill_release(struct spill *spill);

/* Whether a CTA of `bytes` bytes may stay in memory. */
static inline bool spill_has_room(const struct spill *spill, uint64_t bytes)
{
    return spill->bound == 0 || atomic_load_explicit(&spill->held, memory_order_relaxed) + bytes <= spill->bound / 2;
}

/* Accounts for `bytes` bytes of instructions that are loaded into memory, or released. */
static inline void spill_come(struct spill *spill, uint64_t bytes)
{
    atomic_fetch_add_explicit(&spill->held, bytes, memory_order_relaxed);
}

static inline void spill_go(struct spill *spill, uint64_t bytes)
{
    atomic_fetch_sub_explicit(&spill->held, bytes, memory_order_relaxed);
}

/* A CTA that begins to go to the file. */
struct spilled *shared_spilled_start(struct spill *spill, uint32_t warp_count);

/* Writes one of its warps, which has instructions, and makes the stream a paged one. */
bool shared_spilled_add(struct spilled *spilled, uint32_t warp, struct mnp_warp_stream *stream,
                        struct mnp_error *error);

void shared_spilled_free(struct spilled *spilled);

#endif
