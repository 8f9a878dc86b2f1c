/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An instruction word of Volta to Blackwell: 128 bits, of which bit 0 is the lowest one of the first eight bytes, and
 * the fields that lie at the same place in every instruction: guard, and the control bits that the compiler has set.
 */
#ifndef FRONTEND_SASS_WORD_H
#define FRONTEND_SASS_WORD_H

#include <stdbool.h>
#include <stdint.h>

enum { SASS_WORD_BYTES = 16 };

struct sass_word {
    uint64_t low, high;
};

/* Returns bits `from` to `to` (inclusive, at most 64) as a number. */
static inline uint64_t sass_bits(const struct sass_word *word, unsigned from, unsigned to)
{
    unsigned count = to - from + 1;
    uint64_t value = from >= 64 ? word->high >> (from - 64)
                     : from     ? word->low >> from | word->high << (64 - from)
                                : word->low;
    return count >= 64 ? value : value & ((UINT64_C(1) << count) - 1);
}

/* Sets the bits `from` to `to`, both included. */
static inline void sass_set_bits(struct sass_word *word, unsigned from, unsigned to)
{
    uint64_t ones = to - from >= 63 ? UINT64_MAX : (UINT64_C(1) << (to - from + 1)) - 1;
    word->low |= from < 64 ? ones << from : 0;
    word->high |= from >= 64 ? ones << (from - 64) : from && to >= 64 ? ones >> (64 - from) : 0;
}

static inline bool sass_bit(const struct sass_word *word, unsigned bit)
{
    return sass_bits(word, bit, bit);
}

/* A number for memories of words: its upper bits, and its lower ones, differ where words do. */
static inline uint32_t sass_word_hash(struct sass_word word)
{
    return (uint32_t)((word.low ^ word.high * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9) >> 32);
}

/* Scheduling information that the compiler encodes in each instruction (Huerta et al., MICRO 2025, section 4). */
struct sass_control {
    uint8_t stall;   /* cycles for which the warp issues nothing after this instruction */
    bool yield;      /* prefer another warp in the next cycle */
    uint8_t written; /* counter that falls when the result is written; 7: none */
    uint8_t read;    /* counter that falls when the sources have been read; 7: none */
    uint8_t waits;   /* counters that must be zero before the instruction issues, one bit each */
    uint8_t reuse;   /* sources to be kept in the register cache, one bit for each slot */
};

enum { SASS_NO_COUNTER = 7 };

static inline struct sass_control sass_control_of(const struct sass_word *word)
{
    return (struct sass_control){
        .stall = (uint8_t)sass_bits(word, 105, 108),
        .yield = !sass_bit(word, 109),
        .written = (uint8_t)sass_bits(word, 110, 112),
        .read = (uint8_t)sass_bits(word, 113, 115),
        .waits = (uint8_t)sass_bits(word, 116, 121),
        .reuse = (uint8_t)sass_bits(word, 122, 125),
    };
}

#endif
