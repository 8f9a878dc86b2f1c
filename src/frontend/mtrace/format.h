/* SPDX-License-Identifier: BSD-3-Clause */
/* The packed format's constants, as docs/mtrace.md states them, and its numbers: little endian everywhere. */
#ifndef MNP_FRONTEND_MTRACE_FORMAT_H
#define MNP_FRONTEND_MTRACE_FORMAT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum {
    MTRACE_VERSION = 1,
    HEAD_BYTES = 16, /* magic, version, 0 */
    FOOT_BYTES = 56, /* directory's block, length of the file, checksum of these, end magic */
    MAGIC_BYTES = 8,
    COMMAND_BYTES = 40,
    GROUP_BYTES = 32,
    INSTRUCTION_BYTES = 4, /* without the text */
    KERNEL_BYTES = 120,    /* without name, instructions and groups */
    BLOCK_BYTES = 24,
    PC_BYTES = 16, /* distance of the PCs of consecutive instructions */

    GROUP_TARGET = 1 << 17, /* uncompressed bytes at which the writer ends a group */
    MOST_GROUP_CTAS = 4096,
    MOST_INDEXES = 65536, /* static instructions of a kernel, and one more than the greatest index */
    MOST_TEXT = 255,      /* maximum length of a static instruction's text */
    MOST_BLOCK_THREADS = 1024,
    MOST_NAME = 2047,

    COMPRESSION_LEVEL = 6, /* higher levels hardly reduce the size */
};

/* Limit that no valid file exceeds; larger sizes indicate corruption and are rejected before any allocation. */
static const uint64_t most_raw_bytes = UINT64_C(1) << 30;
static const uint64_t most_cta_records = UINT64_C(1) << 27;
static const uint64_t most_cta_words = UINT64_C(1) << 28;

/* Designed like PNG's signature: a file that was converted as text, or reduced to 7 bits, does not match. */
static const unsigned char head_magic[MAGIC_BYTES] = {0x89, 'M', 'T', 'R', '\r', '\n', 0x1a, '\n'};
static const unsigned char foot_magic[MAGIC_BYTES] = {'m', 't', 'r', '-', 'e', 'n', 'd', '\n'};

/* How the addresses of a record are kept. */
enum form { FORM_NONE, FORM_STRIDE, FORM_LIST };

enum mask_action { MASK_SAME, MASK_BEFORE, MASK_ZERO, MASK_FULL, MASK_STATED };

enum { /* a token of the control bytes: a run of records */
       TOKEN_MASK = 7,
       TOKEN_JUMP = 8,
       /* two bits: 0 for the instruction's predicted form, otherwise 1 + enum form of the first record */
       TOKEN_FORM_SHIFT = 4,
       TOKEN_LENGTH_SHIFT = 6, /* two bits: 0 stated, else the length */
};

enum warp_coding { WARP_TOKENS, WARP_AS_BEFORE };

enum base_coding { BASE_PREDICTED, BASE_FROM_PC, BASE_FROM_LAST, BASE_STATED };

enum { /* the first byte of an access's addresses */
       ADDRESS_BASE = 3,
       ADDRESS_BYTES_SHIFT = 2,  /* three bits: bytes of the base's number, less one */
       ADDRESS_DETAIL_SHIFT = 5, /* three bits: FORM_STRIDE: coding of the stride; FORM_LIST: shift of the numbers */
       /* in the second byte of a list: deltas between lanes; otherwise offsets from the base */
       LIST_DELTAS = 128,
       LIST_WIDTH = 127,
       MOST_PACKED_WIDTH = 57, /* width up to 57, or 64: the bits that one eight-byte load holds at any bit offset */
       FIRST_STRIDE = 4,
};

enum stride_coding { STRIDE_SAME, STRIDE_1, STRIDE_2, STRIDE_4, STRIDE_8 };

/* State of an instruction's last access, within a CTA. */
struct pc_state {
    uint64_t base, step, stride;
    uint64_t stamp; /* the CTA that it belongs to */
};

struct predictor {
    struct pc_state *pcs; /* [MOST_INDEXES], or as many as the kernel has */
    uint64_t stamp;
    uint64_t last; /* base of the last access */
};

static inline void predictor_start(struct predictor *predictor)
{
    predictor->stamp++;
    predictor->last = 0;
}

static inline struct pc_state *predictor_at(struct predictor *predictor, uint32_t index)
{
    struct pc_state *state = &predictor->pcs[index];
    if (state->stamp != predictor->stamp)
        *state = (struct pc_state){.stride = FIRST_STRIDE, .stamp = predictor->stamp};
    return state;
}

static inline void predictor_update(struct predictor *predictor, struct pc_state *state, uint64_t base)
{
    state->step = base - state->base;
    state->base = base;
    predictor->last = base;
}

static inline uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return le64toh(value);
}

static inline uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return le32toh(value);
}

static inline void store64(uint8_t *at, uint64_t value)
{
    value = htole64(value);
    memcpy(at, &value, sizeof value);
}

static inline void store32(uint8_t *at, uint32_t value)
{
    value = htole32(value);
    memcpy(at, &value, sizeof value);
}

static inline uint64_t zigzag(uint64_t number)
{
    return number << 1 ^ (0 - (number >> 63));
}

static inline uint64_t unzigzag(uint64_t number)
{
    return number >> 1 ^ (0 - (number & 1));
}

static inline uint64_t low_bits(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static inline uint32_t bits_of(uint64_t number)
{
    return number ? 64 - (uint32_t)__builtin_clzll(number) : 0;
}

#endif
