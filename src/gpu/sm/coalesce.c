/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Coalescing: an access of a warp becomes one part per line touched, with a mask of sectors. Accesses of 8 and 16 bytes
 * are served by half and quarter warps, each coalesced for itself (CUDA C++ programming guide, global memory).
 * Shared memory: lanes that touch different words of one bank are served one after another; equal words are broadcast.
 */
#include "gpu/sm/coalesce.h"

#include "base/bits.h"

#include <string.h>

/* Lanes that are served together, for an access of `width` bytes. */
static uint32_t group_of(uint32_t width)
{
    return width >= 16 ? 8 : width >= 8 ? 16 : 32;
}

/* `seen` has a bit for each line of the group, by a hash: most of a scattered access are new. */
static inline struct sm_part *find_part(struct sm_part *parts, uint32_t from, uint32_t *count, uint64_t line,
                                        uint32_t group, uint64_t *seen)
{
    uint64_t bit = UINT64_C(1) << (line * UINT64_C(0x9E3779B97F4A7C15) >> 58);
    bool known = *seen & bit;
    *seen |= bit;
    for (uint32_t i = *count; known && i > from; i--)
        if (parts[i - 1].line == line)
            return &parts[i - 1];
    struct sm_part *part = &parts[(*count)++];
    *part = (struct sm_part){.line = line, .group = (uint8_t)group};
    return part;
}

static inline void touch(struct sm_part *part, uint32_t offset, uint32_t bytes)
{
    if (offset % 32 + bytes <= 32) { /* in one sector, as most are */
        part->sectors |= (uint8_t)(1u << offset / 32);
        part->bytes[offset / 64] |= ((UINT64_C(1) << bytes) - 1) << offset % 64;
        return;
    }
    for (uint32_t sector = offset / 32; sector <= (offset + bytes - 1) / 32; sector++)
        part->sectors |= (uint8_t)(1u << sector);
    uint64_t ones = bytes >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << bytes) - 1;
    if (offset < 64)
        part->bytes[0] |= ones << offset;
    if (offset >= 64)
        part->bytes[1] |= ones << (offset - 64);
    else if (offset + bytes > 64)
        part->bytes[1] |= ones >> (64 - offset);
}

/* The first `count` bits, up to 64. */
static uint64_t first_bits(uint32_t count)
{
    return count >= 64 ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* A part of which the bytes from `offset` to before `end` are touched. */
static struct sm_part dense_part(uint64_t line, uint32_t offset, uint32_t end, uint32_t lanes, uint32_t group)
{
    uint32_t sectors = (2u << (end - 1) / 32) - (1u << offset / 32);
    uint64_t low = first_bits(end) & ~first_bits(offset);
    uint64_t high = first_bits(end > 64 ? end - 64 : 0) & ~first_bits(offset > 64 ? offset - 64 : 0);
    return (struct sm_part){.line = line,
                            .bytes = {low, high},
                            .sectors = (uint8_t)sectors,
                            .lanes = (uint8_t)lanes,
                            .group = (uint8_t)group};
}

/* All lanes, one behind the other: the most frequent access by far. `address`: of the first, a multiple of `width`. */
static uint32_t coalesce_dense(uint64_t address, uint32_t width, uint32_t line_size,
                               struct sm_part parts[static SM_MAX_PARTS])
{
    uint32_t count = 0, group = group_of(width);
    for (uint32_t lane = 0; lane < MNP_WARP_SIZE; lane += group) {
        for (uint32_t rest = group * width; rest;) {
            uint32_t offset = (uint32_t)(address % line_size), bytes = line_size - offset;
            bytes = bytes < rest ? bytes : rest;
            parts[count++] = dense_part(address - offset, offset, offset + bytes, bytes / width, lane / group);
            address += bytes;
            rest -= bytes;
        }
    }
    return count;
}

static bool is_dense(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size)
{
    return record->mask == UINT32_MAX && record->address_words == 2 && !(record->record_flags & MNP_RECORD_LIST) &&
           words[1] == width && line_size % width == 0 && words[0] % width == 0;
}

uint32_t sm_coalesce(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size,
                     struct sm_part parts[static SM_MAX_PARTS])
{
    if (is_dense(record, words, width, line_size))
        return coalesce_dense(words[0], width, line_size, parts);
    uint64_t addresses[MNP_WARP_SIZE];
    mnp_expand_addresses(record, words, addresses);
    uint32_t count = 0, from = 0, group_shift = (uint32_t)__builtin_ctz(group_of(width)), served = 0, place = 0;
    uint64_t seen = 0;
    for (uint32_t mask = record->mask; mask; mask &= mask - 1, place++) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        if (lane >> group_shift != served) {
            served = lane >> group_shift;
            from = count;
            seen = 0;
        }
        uint64_t address = addresses[place];
        uint64_t line = address & ~(uint64_t)(line_size - 1); /* lines are powers of two */
        uint32_t offset = (uint32_t)(address - line);
        uint32_t inside = offset + width <= line_size ? width : line_size - offset;
        struct sm_part *part = find_part(parts, from, &count, line, served, &seen);
        part->lanes++;
        touch(part, offset, inside);
        if (inside < width)
            touch(find_part(parts, from, &count, line + line_size, served, &seen), 0, width - inside);
    }
    return count;
}

static uint32_t bytes_of(const struct sm_part *part)
{
    uint32_t bytes = 0;
    for (uint32_t i = 0; i < 2; i++)
        bytes += mnp_ones((uint32_t)part->bytes[i]) + mnp_ones((uint32_t)(part->bytes[i] >> 32));
    return bytes;
}

/* The first byte that a part touches. */
static uint32_t first_byte(const struct sm_part *part)
{
    uint64_t high = part->bytes[1] | UINT64_C(1) << 63;
    return part->bytes[0] ? (uint32_t)__builtin_ctzll(part->bytes[0]) : 64 + (uint32_t)__builtin_ctzll(high);
}

/* A line that is touched in its first `sectors` sectors; of a part that touches no more, those that it does. */
static void fill_part(struct sm_part *part, uint32_t sectors, uint32_t group)
{
    if (mnp_ones(part->sectors) != sectors)
        *part = dense_part(part->line, 0, sectors * 32, part->lanes, group);
    part->group = (uint8_t)group;
}

uint32_t sm_coalesce_gather(struct sm_part parts[static SM_MAX_PARTS], uint32_t count, uint32_t width,
                            uint32_t line_size)
{
    uint32_t bytes = 0, touched = 0, first = count ? first_byte(&parts[0]) / width : 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += bytes_of(&parts[i]);
        touched += mnp_ones(parts[i].sectors);
    }
    uint32_t lines = (bytes + line_size - 1) / line_size, sectors = (bytes + 31) / 32;
    if (!count || touched <= sectors)
        return count;
    uint32_t step = count / lines, all = sectors;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t own = (all * (i + 1) / lines) - (all * i / lines);
        parts[i] = parts[i * step + first % step];
        fill_part(&parts[i], own, i);
    }
    return lines;
}

uint32_t sm_coalesce_local(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t line_size,
                           uint64_t base, struct sm_part parts[static SM_MAX_PARTS])
{
    uint64_t addresses[MNP_WARP_SIZE];
    mnp_expand_addresses(record, words, addresses);
    uint32_t count = 0, place = 0, bytes = width < 4 ? width : 4;
    uint64_t seen = 0;
    for (uint32_t mask = record->mask; mask; mask &= mask - 1, place++) {
        uint32_t lane = (uint32_t)__builtin_ctz(mask);
        for (uint32_t done = 0; done < width; done += bytes) {
            uint64_t own = addresses[place] + done, word = own / 4 % SM_LOCAL_WORDS;
            uint64_t address = base + (word * MNP_WARP_SIZE + lane) * 4 + own % 4;
            uint32_t offset = (uint32_t)(address % line_size), inside = 4 - (uint32_t)(own % 4);
            struct sm_part *part = find_part(parts, 0, &count, address - offset, 0, &seen);
            part->lanes = (uint8_t)(part->lanes + (done == 0));
            touch(part, offset, bytes < inside ? bytes : inside);
        }
    }
    return count;
}

enum {
    MAX_BANKS = 64,
    MAX_WORDS = 64, /* words of lanes that are served together: eight of 32 bytes want most */
    SLOTS = 256,
    NO_WORD = UINT8_MAX
};

/* Words that lanes want, as lists by their lowest bits: most lists have one word at most. */
struct wanted {
    uint64_t word[MAX_WORDS];
    uint8_t before[MAX_WORDS]; /* the word in front of this one in its list, or NO_WORD */
    uint8_t last[SLOTS];       /* last word of each list, or NO_WORD */
};

/* Puts word `index` in its list. Returns false if an equal one is there already. */
static inline bool put(struct wanted *w, uint32_t index)
{
    uint64_t word = w->word[index];
    uint8_t *last = &w->last[word % SLOTS];
    for (uint32_t i = *last; i != NO_WORD; i = w->before[i])
        if (w->word[i] == word)
            return false;
    w->before[index] = *last;
    *last = (uint8_t)index;
    return true;
}

/* The greatest number of different words of one bank. `power`: the number of banks is a power of two. */
static inline __attribute__((always_inline)) uint32_t worst_of(struct wanted *w, uint32_t count, uint32_t banks,
                                                               bool power, bool atomic)
{
    uint8_t degree[MAX_BANKS] = {0};
    uint32_t worst = 0;
    if (!atomic)
        memset(w->last, NO_WORD, sizeof w->last);
    for (uint32_t i = 0; i < count; i++) {
        if (!atomic && !put(w, i))
            continue;
        uint32_t among = ++degree[power ? w->word[i] & (banks - 1) : w->word[i] % banks];
        worst = among > worst ? among : worst;
    }
    return worst;
}

/* The greatest number of different words that lanes want of one bank; each wants `per_lane`, one after the other. */
static uint32_t worst_bank(const uint64_t *address, uint32_t lanes, uint32_t per_lane, uint32_t banks, bool atomic)
{
    struct wanted w;
    uint32_t count = lanes * per_lane;
    for (uint32_t i = 0; i < lanes && per_lane == 1; i++)
        w.word[i] = address[i] / 4;
    for (uint32_t i = 0; i < count && per_lane > 1; i++)
        w.word[i] = address[i / per_lane] / 4 + i % per_lane;
    if (!atomic && (banks & (banks - 1)) == 0)
        return worst_of(&w, count, banks, true, false);
    return worst_of(&w, count, banks, false, atomic);
}

/* Groups of lanes that are served together and of which one is active. */
static uint32_t active_groups(uint32_t mask, uint32_t group)
{
    uint32_t groups = 0;
    for (uint32_t lane = 0; lane < MNP_WARP_SIZE; lane += group)
        groups += (mask >> lane & (uint32_t)((UINT64_C(1) << group) - 1)) != 0;
    return groups;
}

bool sm_shared_is_plain(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t banks,
                        bool atomic)
{
    if (record->address_words != 2 || record->record_flags & MNP_RECORD_LIST || banks < 32)
        return false;
    if (width != 4 && width != 8 && width != 16)
        return false;
    return words[0] % 4 == 0 && (words[1] == width || (words[1] == 0 && !atomic));
}

uint32_t sm_shared_cycles(const struct mnp_record *record, const uint64_t *words, uint32_t width, uint32_t banks,
                          bool atomic)
{
    uint32_t group = group_of(width), per_lane = width > 4 ? width / 4 : 1, cycles = 0, mask = record->mask;
    if (mask && sm_shared_is_plain(record, words, width, banks, atomic))
        return active_groups(mask, group);
    uint64_t addresses[MNP_WARP_SIZE], *next = addresses;
    mnp_expand_addresses(record, words, addresses);
    for (uint32_t lane = 0; lane < MNP_WARP_SIZE; lane += group) {
        uint32_t active = mnp_ones(mask >> lane & (uint32_t)((UINT64_C(1) << group) - 1));
        cycles += worst_bank(next, active, per_lane, banks, atomic);
        next += active;
    }
    return cycles ? cycles : 1;
}
