/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tag array of a sectored, set-associative cache: which lines are present, which of their sectors are valid, dirty
 * or on their way, and which bytes of a partly written sector are valid. It holds no data and knows no time.
 *
 * Policies (after the caches of GPGPU-Sim / Accel-Sim as configured for Volta and later):
 *   - allocate on miss: a line with a sector on its way (pending) is reserved and never replaced;
 *   - lazy fetch: a write that covers a sector in part does not fetch it; a later read finds the sector invalid;
 *   - replacement by one of the policies of policies/list.h, or one that is called, free lines first.
 * Any positive number of sets and ways. Lines are powers of two up to 128 bytes, sectors powers of two up to a line.
 *
 * A line is named by (set, tag): the tag is the whole line number (address / line size), so that the set may come from
 * any function of the address. `mnp_cache_set` is the usual one.
 *
 * Order of calls for an access:
 *     line = mnp_cache_find(cache, set, tag);
 *     if (line == MNP_NO_LINE) {
 *         line = mnp_cache_victim(cache, set);             MNP_NO_LINE: all reserved, try again after a fill
 *         look at mnp_cache_line(cache, line)->dirty and write those sectors back;
 *         mnp_cache_replace(cache, line, set, tag);
 *     } else
 *         mnp_cache_touch(cache, line, set);
 *     then mnp_cache_missing, mnp_cache_expect … mnp_cache_fill, mnp_cache_write.
 * A cache whose policy asks for accesses (mnp_cache_asks) is told of each by mnp_cache_announce before all that; what
 * is not announced is a fetch of code.
 *
 * State: all arrays lie in the arena given to mnp_cache_init and hold indices only.
 */
#ifndef MNP_PARTS_CACHE_CACHE_H
#define MNP_PARTS_CACHE_CACHE_H

#include "base/arena.h"
#include "base/error.h"
#include "parts/cache/replacement.h"
#include "parts/hash.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define MNP_NO_LINE UINT32_MAX

struct mnp_cache_shape {
    uint64_t sets;         /* 1 … 2^20 */
    uint64_t ways;         /* 1 … 32768 */
    uint64_t line_bytes;   /* power of two, up to 128 */
    uint64_t sector_bytes; /* power of two, line / 16 … line */
    enum mnp_replacement replacement;
    enum mnp_hash_kind hash;                /* how mnp_cache_set spreads lines over sets */
    const struct mnp_hash_function *hashes; /* replaces `hash` if not NULL */
    /* with MNP_REPLACE_CALLED: the struct mnp_policy and its parameter values; must stay valid */
    const struct mnp_chosen *policy;
};

struct mnp_cache_line {
    uint64_t tag;     /* line number; meaningless while the line is free */
    uint16_t valid;   /* sectors that are valid as a whole */
    uint16_t dirty;   /* sectors that hold written bytes */
    uint16_t pending; /* sectors on their way; the line is reserved while there are any */
    uint16_t partial; /* sectors that are not valid but have some valid bytes, see `bytes` */
};

struct mnp_cache_bytes { /* valid bytes of a line's partial sectors; other bits are 0 */
    uint64_t mask[2];
};

struct mnp_cache {
    /* Fixed. */
    uint32_t sets, ways;
    uint32_t stride; /* lines from one set to the next: ways rounded up to a vector */
    uint32_t line_shift, sector_shift;
    uint32_t sectors; /* per line */
    enum mnp_replacement replacement;
    uint32_t way_bytes, set_bytes; /* sizes of the policy's state per way and per set */
    struct mnp_hash hash;

    /* Arrays in the arena. */
    uint8_t *signatures;           /* [sets · stride] 0: free line; otherwise 8 bits of a hash of the tag */
    struct mnp_cache_line *lines;  /* [sets · stride] */
    struct mnp_cache_bytes *bytes; /* [sets · stride] */
    unsigned char *way_states;     /* [sets · stride · way_bytes] the policy's */
    unsigned char *set_states;     /* [sets · set_bytes] the policy's */
    uint32_t *used;                /* [1] lines taken since the last mnp_cache_invalidate_all */
    uint32_t *withheld;            /* [1] ways, the last of each set, that are not in use */
    unsigned char *policy_state;   /* state of the whole cache, if the policy is called through pointers */

    /* Memo, where mnp_cache_index has made one: lines by a hash of their tags, in chains. */
    uint16_t *chains;  /* [power of two] the first line of each chain, plus one; 0: none; NULL: there is no index */
    uint16_t *chained; /* [sets · stride] the next line of its chain, plus one */
    uint32_t chain_shift;

    const struct mnp_policy *policy; /* the policy, if it is called through pointers; otherwise NULL */
    const uint64_t *policy_values;
    struct mnp_cache_access access; /* the present one, of a policy that asks */
    uint32_t inserted;              /* line that it has brought, MNP_NO_LINE: none */
    bool asks, announced;
    bool finds_free; /* the policy does */
};

/* Checks whether a cache of this shape can be built; the error names the cache as `what`. */
bool mnp_cache_check(const struct mnp_cache_shape *shape, const char *what, struct mnp_error *error);

/* Numbers of lines are below this: ways are rounded up. */
uint32_t mnp_cache_lines(const struct mnp_cache_shape *shape);

/* Bytes that mnp_cache_init takes from the arena. */
size_t mnp_cache_size(const struct mnp_cache_shape *shape);

void mnp_cache_init(struct mnp_cache *cache, const struct mnp_cache_shape *shape, struct mnp_arena *arena);

/* Creates an index for mnp_cache_find_by_index, outside the arena, for an empty cache in which each tag has only one
 * possible set. Does nothing if there are more lines than its numbers can represent. mnp_cache_release_index frees
 * it. */
void mnp_cache_index(struct mnp_cache *cache);
void mnp_cache_release_index(struct mnp_cache *cache);

/* Makes the index anew from the lines, after the state has been replaced. */
void mnp_cache_renew_index(struct mnp_cache *cache);

/* ===== access ===== */

/* Set of a line number. */
static inline uint32_t mnp_cache_set(const struct mnp_cache *cache, uint64_t number)
{
    uint64_t ignored;
    return mnp_hash_bin(&cache->hash, number, &ignored);
}

static inline struct mnp_cache_line *mnp_cache_line(const struct mnp_cache *cache, uint32_t line)
{
    return &cache->lines[line];
}

static inline bool mnp_cache_is_free(const struct mnp_cache *cache, uint32_t line)
{
    return cache->signatures[line] == 0;
}

static inline uint8_t mnp_cache_signature(uint64_t tag)
{
    uint8_t signature = (uint8_t)((tag * UINT64_C(0x9E3779B97F4A7C15)) >> 56);
    return signature ? signature : 1;
}

enum { MNP_CACHE_VECTOR = 16 };

/* Compares 16 signatures with `signature`; the result has one bit for each that is equal. */
static inline uint32_t mnp_cache_match(const uint8_t *signatures, uint8_t signature)
{
#if defined(__SSE2__)
    __m128i known = _mm_loadu_si128((const __m128i *)(const void *)signatures);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(known, _mm_set1_epi8((char)signature)));
#else
    uint32_t match = 0;
    for (uint32_t i = 0; i < MNP_CACHE_VECTOR; i++)
        match |= (uint32_t)(signatures[i] == signature) << i;
    return match;
#endif
}

/* Prefetches the host memory that a look-up of the set reads, for up to 16 ways. Changes nothing. */
static inline void mnp_cache_prefetch(const struct mnp_cache *cache, uint32_t set)
{
    uint32_t first = set * cache->stride;
    __builtin_prefetch(cache->signatures + first);
    __builtin_prefetch(cache->set_states + (size_t)set * cache->set_bytes);
    for (uint32_t way = 0; way < MNP_CACHE_VECTOR; way += 4)
        __builtin_prefetch(cache->lines + first + way);
}

/* The line (set, tag), or MNP_NO_LINE. Changes nothing. */
static inline uint32_t mnp_cache_find(const struct mnp_cache *cache, uint32_t set, uint64_t tag)
{
    uint8_t signature = mnp_cache_signature(tag);
    uint32_t first = set * cache->stride;
    uint32_t ways = cache->ways - *cache->withheld;
    for (uint32_t way = 0; way < ways; way += MNP_CACHE_VECTOR) {
        uint32_t match = mnp_cache_match(cache->signatures + first + way, signature);
        for (; match; match &= match - 1) {
            uint32_t line = first + way + (uint32_t)__builtin_ctz(match);
            if (cache->lines[line].tag == tag)
                return line;
        }
    }
    return MNP_NO_LINE;
}

/* Chain of a tag in the index. */
static inline uint32_t mnp_cache_chain(const struct mnp_cache *cache, uint64_t tag)
{
    return (uint32_t)((tag * UINT64_C(0x9E3779B97F4A7C15)) >> cache->chain_shift);
}

/* Like mnp_cache_find, using the index: for caches with so many ways that searching a set would take long. */
static inline uint32_t mnp_cache_find_by_index(const struct mnp_cache *cache, uint64_t tag)
{
    uint32_t line = cache->chains[mnp_cache_chain(cache, tag)] - UINT32_C(1); /* 0 becomes MNP_NO_LINE */
    while (line != MNP_NO_LINE && cache->lines[line].tag != tag)
        line = cache->chained[line] - UINT32_C(1);
    return line;
}

/* A set as its policy sees it. */
static inline struct mnp_policy_set mnp_cache_policy_set(const struct mnp_cache *cache, uint32_t set)
{
    return (struct mnp_policy_set){.ways = cache->way_states + (size_t)set * cache->stride * cache->way_bytes,
                                   .own = cache->set_states + (size_t)set * cache->set_bytes,
                                   .count = cache->ways - *cache->withheld,
                                   .number = set};
}

/* Whether the policy must be told of accesses. */
static inline bool mnp_cache_asks(const struct mnp_cache *cache)
{
    return __builtin_expect(cache->asks, 0);
}

/* Tells the policy of an access to a set. `again`: the access is a retry, because no line was available the first
 * time. */
void mnp_cache_announce(struct mnp_cache *cache, uint32_t set, const struct mnp_cache_access *access, bool again);

/* Whether an absent line, for the access that was announced, should get no place in the set. */
bool mnp_cache_bypasses(const struct mnp_cache *cache, uint32_t set);

/* The way of a set that the policy would replace next, none for which `barred` is true; MNP_NO_WAY: all are. */
uint32_t mnp_cache_called_way(const struct mnp_cache *cache, uint32_t set, mnp_policy_barred *barred,
                              const void *context);
__attribute__((always_inline)) static inline uint32_t
mnp_cache_policy_way(const struct mnp_cache *cache, uint32_t set, mnp_policy_barred *barred, const void *context)
{
    if (cache->replacement == MNP_REPLACE_CALLED)
        return mnp_cache_called_way(cache, set, barred, context);
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    return mnp_replacement_victim(cache->replacement, &view, barred, context);
}

/* Whether `tag` is in the line of its set that the policy knows to be the last used one: mnp_cache_touch would change
 * nothing. Otherwise nothing is known; mnp_cache_find tells. */
static inline bool mnp_cache_is_recent(const struct mnp_cache *cache, uint32_t set, uint64_t tag)
{
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    uint32_t way = mnp_replacement_recent(cache->replacement, &view), line = set * cache->stride + way;
    return way != MNP_NO_WAY && cache->lines[line].tag == tag && !mnp_cache_is_free(cache, line);
}

/* Out of line part of mnp_cache_touch. */
void mnp_cache_use(struct mnp_cache *cache, uint32_t line, uint32_t set);

/* Records a use of the line, for the policy. */
static inline void mnp_cache_touch(struct mnp_cache *cache, uint32_t line, uint32_t set)
{
    struct mnp_policy_set view = mnp_cache_policy_set(cache, set);
    if (!mnp_replacement_settled(cache->replacement, &view, line - set * cache->stride))
        mnp_cache_use(cache, line, set);
}

/* The line to replace next in a set: a free one, else the policy's choice among those not
 * reserved; MNP_NO_LINE when all are. */
uint32_t mnp_cache_victim(const struct mnp_cache *cache, uint32_t set);

/* Like mnp_cache_victim, but skips lines with dirty sectors; MNP_NO_LINE if there is no other line. */
uint32_t mnp_cache_clean_victim(const struct mnp_cache *cache, uint32_t set);

/* Gives a line, which mnp_cache_victim has named, to `tag`, with no sector valid. */
void mnp_cache_replace(struct mnp_cache *cache, uint32_t line, uint32_t set, uint64_t tag);

/* The wanted sectors that are neither valid nor pending, and must be fetched. */
static inline uint32_t mnp_cache_missing(const struct mnp_cache *cache, uint32_t line, uint32_t wanted)
{
    const struct mnp_cache_line *known = &cache->lines[line];
    return wanted & ~(uint32_t)(known->valid | known->pending);
}

/* Marks sectors as on their way, which reserves the line. */
static inline void mnp_cache_expect(struct mnp_cache *cache, uint32_t line, uint32_t sectors)
{
    cache->lines[line].pending |= (uint16_t)sectors;
}

/* Marks arrived sectors as entirely valid. Bytes written meanwhile stay dirty. */
void mnp_cache_fill(struct mnp_cache *cache, uint32_t line, uint32_t sectors);

/* Writes bytes (one bit per byte of the line) without fetching. A sector becomes valid once all its bytes are. With
 * `dirty`, the sectors touched become dirty. Returns the sectors touched. */
uint32_t mnp_cache_write(struct mnp_cache *cache, uint32_t line, const uint64_t bytes[2], bool dirty);

/* Invalidates valid sectors; data written to them is lost. */
static inline void mnp_cache_lose(struct mnp_cache *cache, uint32_t line, uint32_t sectors)
{
    cache->lines[line].valid &= (uint16_t)~sectors;
    cache->lines[line].dirty &= (uint16_t)~sectors;
}

/* Marks sectors as dirty (atomics on valid sectors). */
static inline void mnp_cache_soil(struct mnp_cache *cache, uint32_t line, uint32_t sectors)
{
    cache->lines[line].dirty |= (uint16_t)sectors;
}

/* Frees a line without a write-back; it is the next to be replaced. It must not be reserved. */
void mnp_cache_invalidate(struct mnp_cache *cache, uint32_t line, uint32_t set);

/* Frees all lines without write-backs. Reserved lines stay reserved, with nothing valid. */
void mnp_cache_invalidate_all(struct mnp_cache *cache);

/* Restricts the cache to the first `ways` ways (1 … those of the shape). No line may be reserved; all lines are
 * freed. */
void mnp_cache_resize(struct mnp_cache *cache, uint32_t ways);

/* Sectors (mask) that a mask of bytes touches. */
uint32_t mnp_cache_sectors_of(const struct mnp_cache *cache, const uint64_t bytes[2]);

#endif
