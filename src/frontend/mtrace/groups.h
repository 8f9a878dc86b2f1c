/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The groups of a kernel's CTAs. Neighbouring CTAs go to different SMs, and these to different threads, so a
 * decompressed group is shared: it is kept while anyone reads it, and beyond that until all its CTAs have been taken or
 * the cache is full. The lock is held for no more than finding a group; reading and decompressing happen outside it.
 */
#ifndef MNP_FRONTEND_MTRACE_GROUPS_H
#define MNP_FRONTEND_MTRACE_GROUPS_H

#include "frontend/mtrace/block.h"

#include <pthread.h>

enum { MOST_IDLE_GROUPS = 64 };

static const uint64_t most_idle_bytes = UINT64_C(32) << 20;

struct group { /* decompressed, or about to be */
    uint64_t number, first_cta, cta_count;
    struct block block;
    uint8_t *raw; /* NULL: being read */
    bool failed;
    struct mnp_error error;
    uint32_t users;
    uint64_t taken, last_use;
    struct group *next;
};

struct scratch { /* scratch memory of a decoding thread, kept for reuse */
    struct predictor predictor;
    struct scratch *next;
};

/* The decompressed groups of a kernel, as a cache shared by all threads. A group in use has users; unused ones may be
 * kept for later. */
struct groups {
    struct file *file;
    struct block *blocks;
    uint64_t *first_ctas; /* [count + 1] the last one is the number of CTAs */
    uint64_t count;
    uint32_t index_count; /* number of the kernel's indices, for the scratch memory */

    pthread_mutex_t lock; /* protects all members below */
    pthread_cond_t loaded;
    struct group *open;
    struct scratch *free_scratch;
    uint64_t clock;
    uint64_t decompressed; /* groups so far, for measurements */
};

/* `blocks` and `first_ctas` become the groups'. */
void mtrace_groups_init(struct groups *groups, struct file *file, struct block *blocks, uint64_t *first_ctas,
                        uint64_t count, uint32_t index_count);
void mtrace_groups_release(struct groups *groups);

/* The group of a CTA, and memory to decode it with. NULL: an error. */
struct group *mtrace_groups_take(struct groups *groups, uint64_t cta, struct scratch **scratch,
                                 struct mnp_error *error);
void mtrace_groups_give_back(struct groups *groups, struct group *group, struct scratch *scratch);

/* The bytes of one CTA in its group. */
bool mtrace_group_find(const struct file *file, const struct group *group, uint64_t cta, struct reader *reader,
                       struct mnp_error *error);

#endif
