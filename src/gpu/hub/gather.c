/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/hub/gather.h"

#include "base/allocate.h"
#include "contract/space.h"
#include "parts/queue.h"

#include <stdlib.h>

enum { CHAINS = 256, FIRST_ENTRIES = 64 };

struct entry { /* values of one message of an SM */
    struct gpu_values like;
    uint64_t seen; /* members, as bits */
    uint64_t value[GPU_VALUES][MNP_SPACE_DEVICES];
};

struct gpu_gather {
    struct mnp_chain chains[CHAINS];
    struct entry *entries; /* [capacity] */
    uint32_t *next;        /* [capacity] */
    uint32_t capacity, free;
};

struct gpu_gather *gpu_gather_create(void)
{
    struct gpu_gather *gather = mnp_allocate(1, sizeof *gather);
    gather->free = MNP_NO_ENTRY;
    for (uint32_t i = 0; i < CHAINS; i++)
        gather->chains[i] = MNP_EMPTY_CHAIN;
    return gather;
}

void gpu_gather_release(struct gpu_gather *gather)
{
    free(gather->entries);
    free(gather->next);
    free(gather);
}

static void grow(struct gpu_gather *gather)
{
    uint32_t more = gather->capacity ? 2 * gather->capacity : FIRST_ENTRIES;
    gather->entries = mnp_reallocate(gather->entries, more, sizeof *gather->entries);
    gather->next = mnp_reallocate(gather->next, more, sizeof *gather->next);
    for (uint32_t i = gather->capacity; i < more; i++)
        gather->next[i] = i + 1 < more ? i + 1 : MNP_NO_ENTRY;
    gather->free = gather->capacity;
    gather->capacity = more;
}

/* Values of members belong together if they are for the same lanes of the same access. */
static bool is_for(const struct gpu_values *one, const struct gpu_values *other)
{
    return one->sm == other->sm && one->ticket == other->ticket && one->lane[0] == other->lane[0] &&
           one->place[0] == other->place[0];
}

/* The entry of a message, which is made if there is none; `*before`: the one in front of it in its chain. */
static uint32_t find(struct gpu_gather *gather, struct mnp_chain *chain, const struct gpu_values *packet,
                     uint32_t *before)
{
    *before = MNP_NO_ENTRY;
    for (uint32_t i = chain->first; i != MNP_NO_ENTRY; *before = i, i = gather->next[i])
        if (is_for(&gather->entries[i].like, packet))
            return i;
    if (gather->free == MNP_NO_ENTRY)
        grow(gather);
    uint32_t index = gather->free;
    gather->free = gather->next[index];
    gather->entries[index].like = *packet;
    gather->entries[index].seen = 0;
    mnp_chain_append(chain, gather->next, index);
    return index;
}

static void take_out(struct gpu_gather *gather, struct mnp_chain *chain, uint32_t before, uint32_t index)
{
    uint32_t after = gather->next[index];
    if (before == MNP_NO_ENTRY)
        chain->first = after;
    else
        gather->next[before] = after;
    if (chain->last == index)
        chain->last = before;
    gather->next[index] = gather->free;
    gather->free = index;
}

static uint64_t digest_of(const struct gpu_values *packet, uint32_t device)
{
    uint64_t digest = packet->sm * UINT64_C(0x9e3779b97f4a7c15) ^ packet->ticket << 8 ^ device;
    for (uint32_t i = 0; i < packet->count; i++)
        digest = (digest ^ packet->value[i]) * UINT64_C(0x9e3779b97f4a7c15) ^ digest >> 29;
    return digest;
}

/* Combines the values of all members in the order of their numbers. */
static void combine_all(const struct entry *entry, mnp_live_combine *combine, struct gpu_values *combined)
{
    *combined = entry->like;
    for (uint32_t i = 0; i < entry->like.count; i++) {
        uint64_t values[MNP_SPACE_DEVICES];
        uint32_t count = 0;
        for (uint64_t left = entry->seen; left; left &= left - 1)
            values[count++] = entry->value[i][__builtin_ctzll(left)];
        combined->value[i] = combine(combined->operation, combined->type, combined->bytes, values, count);
    }
}

bool gpu_gather_add(struct gpu_gather *gather, mnp_live_combine *combine, uint32_t device,
                    const struct gpu_values *packet, struct gpu_values *combined, uint64_t *digest)
{
    struct mnp_chain *chain = &gather->chains[(packet->sm * 31u + packet->ticket) % CHAINS];
    uint32_t before, index = find(gather, chain, packet, &before);
    struct entry *entry = &gather->entries[index];
    for (uint32_t i = 0; i < packet->count; i++)
        entry->value[i][device] = packet->value[i];
    entry->seen |= UINT64_C(1) << device;
    *digest += digest_of(packet, device);
    if (entry->seen != packet->swap[0])
        return false;
    combine_all(entry, combine, combined);
    for (uint32_t i = 0; i < MNP_SPACE_DEVICES; i++) {
        struct gpu_values part = entry->like;
        for (uint32_t k = 0; k < part.count; k++)
            part.value[k] = entry->value[k][i];
        *digest -= entry->seen >> i & 1 ? digest_of(&part, i) : 0;
    }
    take_out(gather, chain, before, index);
    return true;
}
