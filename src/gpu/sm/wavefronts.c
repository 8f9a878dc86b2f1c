/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How an access of a warp passes through the L1 once it has been split into lines. Tags: sm.l1d.tags lines are looked
 * up in a cycle, each in a set of its own modulo that number; lines whose sets fall together take cycles of their own
 * (NVIDIA: four sets of four sectors per cycle from Volta on). Data: 32 banks of four bytes, as for shared memory, in
 * whose array it lies; words of one bank in different lines are read one after another, lanes of 8 and 16 bytes by half
 * and quarter warps. The slower of the two decides. That is what the counters l1tex__t_output_wavefronts and
 * l1tex__data_pipe_lsu_wavefronts say of loads at 65 strides on an A100 (te42kyfo/gpu-benches, gpu-strides): the second
 * exactly, the first within 2 % on average, with four sets that fold all bits of a line's number.
 */
#include "gpu/sm/state.h"

enum { BANK_BYTES = 4, DATA_BANKS = 32, PLANES = 8 };

/* ===== tags ===== */

/* A part of an earlier group with the same line, which is looked up once for both; `index`: there is none. */
static uint32_t same_line(const struct sm_part *parts, uint32_t index)
{
    uint32_t i = 0;
    while (parts[i].group != parts[index].group && parts[i].line != parts[index].line)
        i++;
    return parts[i].group != parts[index].group ? i : index;
}

/* Gives the parts their waves; returns the number of these. */
static uint32_t number_waves(struct sm_access *access, uint32_t tags)
{
    uint8_t next[SM_MAX_TAGS] = {0};
    uint32_t waves = 0;
    for (uint32_t i = 0; i < access->part_count; i++) {
        struct sm_part *part = &access->parts[i];
        uint32_t first = part->group ? same_line(access->parts, i) : i;
        part->wave = first < i ? access->parts[first].wave : next[part->set % tags]++;
        waves = part->wave >= waves ? part->wave + 1u : waves;
    }
    return waves;
}

/* Puts the parts in order of their waves, those of a wave as they come. */
static void sort_by_wave(struct sm_access *access, uint32_t waves)
{
    uint8_t place[SM_MAX_PARTS + 1] = {0};
    for (uint32_t i = 0; i < access->part_count; i++)
        place[access->parts[i].wave + 1]++;
    for (uint32_t wave = 1; wave < waves; wave++)
        place[wave] = (uint8_t)(place[wave] + place[wave - 1]);
    for (uint32_t i = 0; i < access->part_count; i++)
        access->order[place[access->parts[i].wave]++] = (uint8_t)i;
}

/* ===== data ===== */

/* One bit of four: whether any of them is set, 64 bits to 16. */
static uint32_t words_of(uint64_t bytes)
{
    if (!bytes) /* one half of most parts of a scattered access */
        return 0;
    bytes |= bytes >> 1;
    bytes = (bytes | bytes >> 2) & UINT64_C(0x1111111111111111);
    bytes = (bytes | bytes >> 3) & UINT64_C(0x0303030303030303);
    bytes = (bytes | bytes >> 6) & UINT64_C(0x000f000f000f000f);
    bytes = (bytes | bytes >> 12) & UINT64_C(0x000000ff000000ff);
    return (uint32_t)((bytes | bytes >> 24) & 0xffff);
}

/* Banks that a part reads; a line of less than 128 bytes lies in some of them only. */
static uint32_t banks_of(const struct sm_part *part)
{
    uint32_t words = words_of(part->bytes[0]) | words_of(part->bytes[1]) << 16;
    return words << part->line / BANK_BYTES % DATA_BANKS;
}

/* The greatest of 32 counts, of which planes[k] holds bit k. */
static uint32_t greatest(const uint32_t planes[static PLANES])
{
    uint32_t candidates = UINT32_MAX, value = 0;
    for (uint32_t k = PLANES; k-- > 0;) {
        if (planes[k] & candidates) {
            candidates &= planes[k];
            value |= 1u << k;
        }
    }
    return value;
}

/* Cycles for which the data of the L1 is read: per group of lanes, the most lines that have a word in one bank. */
static uint32_t data_cycles(const struct sm_part *parts, uint32_t count)
{
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < count;) {
        uint32_t planes[PLANES] = {0}, group = parts[i].group;
        for (; i < count && parts[i].group == group; i++) {
            uint32_t carry = banks_of(&parts[i]);
            for (uint32_t k = 0; carry; k++) {
                uint32_t both = planes[k] & carry;
                planes[k] ^= carry;
                carry = both;
            }
        }
        cycles += greatest(planes);
    }
    return cycles;
}

uint32_t sm_wavefronts(const struct sm *sm, struct sm_access *access, uint64_t *counters)
{
    uint32_t count = access->part_count, tags = (uint32_t)sm->parameters->l1d_tags, waves = count, sectors = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct sm_part *part = &access->parts[i];
        part->set = mnp_cache_set(&sm->l1d, part->line >> sm->l1d.line_shift);
        part->wave = (uint8_t)i;
        access->order[i] = (uint8_t)i;
        sectors += gpu_count_sectors(part->sectors);
    }
    access->data_cycles = count > 1 ? data_cycles(access->parts, count) : 1;
    if (count > 1 && tags > 1) {
        waves = number_waves(access, tags);
        sort_by_wave(access, waves);
    }
    counters[SM_L1D_TAG_WAVEFRONTS] += waves;
    counters[SM_L1D_DATA_WAVEFRONTS] += access->data_cycles;
    return sectors;
}
