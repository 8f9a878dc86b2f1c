/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/copy/tensor_map.h"

#include <string.h>

/* ===== fields of the 128 bytes ===== */

enum {
    WORD_FLAGS = 2,
    WORD_STRIDES = 3,      /* four words: strides in units of 16 bytes */
    WORD_STRIDES_HIGH = 7, /* four more bits of each */
    WORD_DIMENSIONS = 8,   /* five words: dimensions minus one */
    WORD_TRAVERSAL = 13,   /* element strides less one, three bits each; the innermost box or the channels */
    WORD_BOX = 14,         /* the other boxes, a byte each; of im2col the corners */
    WORD_PIXELS = 15,      /* im2col */
    WORD_TILE = 16,        /* bytes of a box */
    WORD_PATTERN = 18,     /* depends on the swizzle */
    LARGE_TENSOR = 131072  /* bytes from which on a flag is set */
};

enum flag_shift {
    SHIFT_IM2COL = 0,
    SHIFT_RANK = 4,
    SHIFT_TYPE = 7,
    SHIFT_INTERLEAVE = 11,
    SHIFT_SWIZZLE = 13,
    SHIFT_NAN = 15,
    SHIFT_TF32 = 16,
    SHIFT_PROMOTION = 17,
    SHIFT_ATOM = 19,
    SHIFT_LARGE = 21
};

static uint32_t field(uint32_t word, unsigned shift, unsigned bits)
{
    return word >> shift & ((1u << bits) - 1);
}

static void set_field(uint32_t *word, unsigned shift, unsigned bits, uint32_t value)
{
    uint32_t mask = ((1u << bits) - 1) << shift;
    *word = (*word & ~mask) | (value << shift & mask);
}

static const struct type_row {
    uint8_t bytes;
    bool is_float;
} types[EXECUTE_TENSOR_TYPE_COUNT] = {
    [EXECUTE_TENSOR_U8] = {1, false},  [EXECUTE_TENSOR_U16] = {2, false}, [EXECUTE_TENSOR_U32] = {4, false},
    [EXECUTE_TENSOR_S32] = {4, false}, [EXECUTE_TENSOR_U64] = {8, false}, [EXECUTE_TENSOR_S64] = {8, false},
    [EXECUTE_TENSOR_F16] = {2, true},  [EXECUTE_TENSOR_F32] = {4, true},  [EXECUTE_TENSOR_F32_FTZ] = {4, true},
    [EXECUTE_TENSOR_F64] = {8, true},  [EXECUTE_TENSOR_BF16] = {2, true},
};

uint32_t execute_tensor_element_bytes(uint8_t type)
{
    return type < EXECUTE_TENSOR_TYPE_COUNT ? types[type].bytes : 0;
}

bool execute_tensor_is_float(uint8_t type)
{
    return type < EXECUTE_TENSOR_TYPE_COUNT && types[type].is_float;
}

/* Indexed by swizzle: maximum size in bytes of the box's innermost dimension, and a word that the driver writes. */
static const struct swizzle_row {
    uint16_t span, pattern;
} swizzles[EXECUTE_TENSOR_SWIZZLE_COUNT] = {{0, 0x10},    {32, 0x100},  {64, 0x200}, {128, 0x400},
                                            {128, 0x400}, {128, 0x400}, {128, 0x400}};

/* Indexed by rank: number of im2col corners, and bits of each. */
static const struct corner_row {
    uint8_t count, bits;
} corners[EXECUTE_TENSOR_RANK + 1] = {[3] = {1, 16}, [4] = {2, 8}, [5] = {3, 5}};

/* ===== the driver's rules ===== */

static bool check_kind(const struct execute_tensor_map *map, struct mnp_error *error)
{
    uint64_t align = map->interleave == EXECUTE_TENSOR_INTERLEAVE_32B ? 32 : 16;
    if (map->type >= EXECUTE_TENSOR_TYPE_COUNT)
        return mnp_fail(error, "its type is none of those that Hopper has");
    if (map->interleave >= EXECUTE_TENSOR_INTERLEAVE_COUNT || map->swizzle >= EXECUTE_TENSOR_SWIZZLE_COUNT ||
        map->promotion > 3)
        return mnp_fail(error, "its interleave, swizzle or L2 promotion is none of the enumerators");
    if (!map->rank || map->rank > EXECUTE_TENSOR_RANK)
        return mnp_fail(error, "its rank is %u; it has to be 1 to 5", map->rank);
    if (map->rank < 3 && (map->interleave || map->im2col))
        return mnp_fail(error, "its rank is %u; an interleaved or im2col tensor has 3 to 5 dimensions", map->rank);
    if (map->address % align)
        return mnp_fail(error, "its address 0x%lx is no multiple of %lu", (unsigned long)map->address,
                        (unsigned long)align);
    if (map->interleave == EXECUTE_TENSOR_INTERLEAVE_32B && map->swizzle != EXECUTE_TENSOR_SWIZZLE_32B)
        return mnp_fail(error, "an interleave of 32 bytes needs the swizzle of 32 bytes");
    if (map->fill_nan && !types[map->type].is_float)
        return mnp_fail(error, "elements outside can become NaN in tensors of floating-point numbers alone");
    return true;
}

static bool check_extents(const struct execute_tensor_map *map, struct mnp_error *error)
{
    uint64_t align = map->interleave == EXECUTE_TENSOR_INTERLEAVE_32B ? 32 : 16;
    for (unsigned i = 0; i < map->rank; i++) {
        if (!map->dimensions[i] || map->dimensions[i] > UINT64_C(1) << 32)
            return mnp_fail(error, "dimension %u has %lu elements; it has to have 1 to 2^32", i,
                            (unsigned long)map->dimensions[i]);
        if (i && (map->strides[i] % align || map->strides[i] >= UINT64_C(1) << 40))
            return mnp_fail(error, "the stride of dimension %u, %lu, is no multiple of %lu below 2^40", i,
                            (unsigned long)map->strides[i], (unsigned long)align);
        bool ignored = i == 0 && !map->interleave;
        if (!ignored && (!map->element_strides[i] || map->element_strides[i] > 8))
            return mnp_fail(error, "the element stride of dimension %u is %u; it has to be 1 to 8", i,
                            map->element_strides[i]);
        if (!map->im2col && (!map->box[i] || map->box[i] > 256))
            return mnp_fail(error, "the box has %u elements in dimension %u; it has to have 1 to 256", map->box[i], i);
    }
    return true;
}

static bool check_pixels(const struct execute_tensor_map *map, struct mnp_error *error)
{
    if (!map->channels || map->channels > 256 || !map->pixels || map->pixels > 1024)
        return mnp_fail(error, "%u channels and %u pixels; there are 1 to 256 channels and 1 to 1024 pixels",
                        map->channels, map->pixels);
    struct corner_row row = corners[map->rank];
    int32_t most = (1 << (row.bits - 1)) - 1;
    for (unsigned i = 0; i < row.count; i++) {
        if (map->lower[i] < -most - 1 || map->lower[i] > most || map->upper[i] < -most - 1 || map->upper[i] > most)
            return mnp_fail(error, "the corners of dimension %u, %d and %d, are not within %d and %d", i + 1,
                            map->lower[i], map->upper[i], -most - 1, most);
        if ((int64_t)map->dimensions[i + 1] + map->upper[i] - map->lower[i] <= 0)
            return mnp_fail(error, "the box of pixels is empty in dimension %u", i + 1);
    }
    return true;
}

bool execute_tensor_map_check(const struct execute_tensor_map *map, struct mnp_error *error)
{
    if (!check_kind(map, error) || !check_extents(map, error) || (map->im2col && !check_pixels(map, error)))
        return false;
    if (map->interleave)
        return true;
    uint32_t inner = (map->im2col ? map->channels : map->box[0]) * types[map->type].bytes;
    if (inner % 16)
        return mnp_fail(error, "the box has rows of %u bytes; they have to be a multiple of 16", inner);
    if (map->swizzle && inner > swizzles[map->swizzle].span)
        return mnp_fail(error, "the box has rows of %u bytes; with its swizzle they have at most %u", inner,
                        swizzles[map->swizzle].span);
    return true;
}

/* ===== encoding ===== */

static uint64_t tensor_bytes(const struct execute_tensor_map *map)
{
    uint64_t bytes = map->dimensions[0] * types[map->type].bytes;
    for (unsigned i = 1; i < map->rank && bytes < LARGE_TENSOR; i++)
        bytes *= map->dimensions[i];
    return bytes;
}

static uint32_t encode_flags(const struct execute_tensor_map *map)
{
    uint32_t atom = map->swizzle > 3 ? map->swizzle - 3u : 0;
    return (uint32_t)map->im2col << SHIFT_IM2COL | (map->rank - 1u) << SHIFT_RANK | (uint32_t)map->type << SHIFT_TYPE |
           (uint32_t)map->interleave << SHIFT_INTERLEAVE |
           (uint32_t)(map->swizzle < 3 ? map->swizzle : 3) << SHIFT_SWIZZLE | (uint32_t)map->fill_nan << SHIFT_NAN |
           (uint32_t)map->tf32 << SHIFT_TF32 | (uint32_t)map->promotion << SHIFT_PROMOTION | atom << SHIFT_ATOM |
           (uint32_t)(tensor_bytes(map) >= LARGE_TENSOR) << SHIFT_LARGE;
}

static void encode_box(const struct execute_tensor_map *map, uint32_t *words)
{
    uint32_t bytes = types[map->type].bytes;
    set_field(&words[WORD_TRAVERSAL], 24, 8, map->box[0] - 1);
    for (unsigned i = 1; i < map->rank; i++)
        set_field(&words[WORD_BOX], 8 * (i - 1), 8, map->box[i] - 1);
    for (unsigned i = 0; i < map->rank; i++)
        bytes *= map->box[i] / (i || map->interleave ? map->element_strides[i] : 1);
    words[WORD_TILE] = bytes;
}

static void encode_pixels(const struct execute_tensor_map *map, uint32_t *words)
{
    struct corner_row row = corners[map->rank];
    set_field(&words[WORD_TRAVERSAL], 24, 8, map->channels - 1);
    for (unsigned i = 0; i < row.count; i++) {
        set_field(&words[WORD_BOX], row.bits * i, row.bits, (uint32_t)map->lower[i]);
        set_field(&words[WORD_BOX], row.bits * i + (row.bits == 5 ? 16u : row.bits * row.count), row.bits,
                  (uint32_t)map->upper[i]);
    }
    words[WORD_PIXELS] = map->pixels - 1;
    words[WORD_TILE] = map->channels * map->pixels * types[map->type].bytes;
}

void execute_tensor_map_encode(const struct execute_tensor_map *map, uint32_t words[EXECUTE_TENSOR_MAP_WORDS])
{
    memset(words, 0, EXECUTE_TENSOR_MAP_BYTES);
    words[0] = (uint32_t)map->address;
    words[1] = (uint32_t)(map->address >> 32);
    words[WORD_FLAGS] = encode_flags(map);
    for (unsigned i = 0; i < map->rank; i++) {
        if (i) {
            words[WORD_STRIDES + i - 1] = (uint32_t)(map->strides[i] / 16);
            set_field(&words[WORD_STRIDES_HIGH], 4 * (i - 1), 4, (uint32_t)(map->strides[i] >> 36));
        }
        words[WORD_DIMENSIONS + i] = (uint32_t)(map->dimensions[i] - 1);
        if (i || map->interleave)
            set_field(&words[WORD_TRAVERSAL], 3 * i, 3, map->element_strides[i] - 1);
    }
    if (map->im2col)
        encode_pixels(map, words);
    else
        encode_box(map, words);
    words[WORD_PATTERN] = swizzles[map->swizzle].pattern;
}

/* ===== decoding ===== */

static int32_t signed_field(uint32_t word, unsigned shift, unsigned bits)
{
    return (int32_t)(field(word, shift, bits) << (32 - bits)) >> (32 - bits);
}

static void decode_pixels(const uint32_t *words, struct execute_tensor_map *map)
{
    struct corner_row row = corners[map->rank];
    map->channels = field(words[WORD_TRAVERSAL], 24, 8) + 1;
    map->pixels = field(words[WORD_PIXELS], 0, 10) + 1;
    for (unsigned i = 0; i < row.count; i++) {
        map->lower[i] =
            row.bits == 16 ? (int16_t)words[WORD_BOX] : signed_field(words[WORD_BOX], row.bits * i, row.bits);
        map->upper[i] =
            signed_field(words[WORD_BOX], row.bits * i + (row.bits == 5 ? 16u : row.bits * row.count), row.bits);
    }
}

bool execute_tensor_map_decode(const uint32_t words[EXECUTE_TENSOR_MAP_WORDS], struct execute_tensor_map *map)
{
    uint32_t flags = words[WORD_FLAGS], atom = field(flags, SHIFT_ATOM, 2);
    *map = (struct execute_tensor_map){.address = words[0] | (uint64_t)words[1] << 32,
                                       .rank = (uint8_t)(field(flags, SHIFT_RANK, 3) + 1),
                                       .type = (uint8_t)field(flags, SHIFT_TYPE, 4),
                                       .interleave = (uint8_t)field(flags, SHIFT_INTERLEAVE, 2),
                                       .swizzle = (uint8_t)(field(flags, SHIFT_SWIZZLE, 2) + atom),
                                       .promotion = (uint8_t)field(flags, SHIFT_PROMOTION, 2),
                                       .im2col = field(flags, SHIFT_IM2COL, 1),
                                       .fill_nan = field(flags, SHIFT_NAN, 1),
                                       .tf32 = field(flags, SHIFT_TF32, 1)};
    if (map->rank > EXECUTE_TENSOR_RANK || map->type >= EXECUTE_TENSOR_TYPE_COUNT || map->interleave > 2 ||
        map->swizzle >= EXECUTE_TENSOR_SWIZZLE_COUNT || (map->im2col && map->rank < 3))
        return false;
    map->strides[0] = types[map->type].bytes;
    for (unsigned i = 0; i < map->rank; i++) {
        if (i)
            map->strides[i] =
                (words[WORD_STRIDES + i - 1] | (uint64_t)field(words[WORD_STRIDES_HIGH], 4 * (i - 1), 4) << 32) * 16;
        map->dimensions[i] = (uint64_t)words[WORD_DIMENSIONS + i] + 1;
        map->element_strides[i] = field(words[WORD_TRAVERSAL], 3 * i, 3) + 1;
        map->box[i] = i ? field(words[WORD_BOX], 8 * (i - 1), 8) + 1 : field(words[WORD_TRAVERSAL], 24, 8) + 1;
    }
    if (map->im2col)
        decode_pixels(words, map);
    return true;
}

/* ===== tensormap.replace ===== */

/* For each field: number of instances, minimum and maximum value. */
static const struct replace_row {
    uint8_t count;
    uint64_t least, most;
} replacements[EXECUTE_TENSOR_FIELD_COUNT] = {
    [EXECUTE_TENSOR_FIELD_ADDRESS] = {1, 0, UINT64_MAX},
    [EXECUTE_TENSOR_FIELD_RANK] = {1, 0, 4}, /* minus one */
    [EXECUTE_TENSOR_FIELD_BOX] = {5, 1, 256},
    [EXECUTE_TENSOR_FIELD_DIMENSION] = {5, 1, UINT32_MAX},
    [EXECUTE_TENSOR_FIELD_STRIDE] = {4, 0, (UINT64_C(1) << 40) - 1},
    [EXECUTE_TENSOR_FIELD_ELEMENT_STRIDE] = {5, 1, 8},
    [EXECUTE_TENSOR_FIELD_TYPE] = {1, 0, EXECUTE_TENSOR_TYPE_COUNT - 1},
    [EXECUTE_TENSOR_FIELD_INTERLEAVE] = {1, 0, 2},
    [EXECUTE_TENSOR_FIELD_SWIZZLE] = {1, 0, 3},
    [EXECUTE_TENSOR_FIELD_FILL] = {1, 0, 1},
};

bool execute_tensor_map_replace(uint32_t words[EXECUTE_TENSOR_MAP_WORDS], enum execute_tensor_field which,
                                uint32_t ordinal, uint64_t value)
{
    const struct replace_row *row = &replacements[which];
    struct execute_tensor_map map;
    uint64_t align = which == EXECUTE_TENSOR_FIELD_ADDRESS || which == EXECUTE_TENSOR_FIELD_STRIDE ? 16 : 1;
    if (ordinal >= row->count || value < row->least || value > row->most || value % align)
        return false;
    switch (which) {
    case EXECUTE_TENSOR_FIELD_ADDRESS:
        words[0] = (uint32_t)value;
        words[1] = (uint32_t)(value >> 32);
        break;
    case EXECUTE_TENSOR_FIELD_RANK:
        set_field(&words[WORD_FLAGS], SHIFT_RANK, 3, (uint32_t)value);
        break;
    case EXECUTE_TENSOR_FIELD_BOX:
        set_field(&words[ordinal ? WORD_BOX : WORD_TRAVERSAL], ordinal ? 8 * (ordinal - 1) : 24, 8,
                  (uint32_t)value - 1);
        break;
    case EXECUTE_TENSOR_FIELD_DIMENSION:
        words[WORD_DIMENSIONS + ordinal] = (uint32_t)(value - 1);
        break;
    case EXECUTE_TENSOR_FIELD_STRIDE:
        words[WORD_STRIDES + ordinal] = (uint32_t)(value / 16);
        set_field(&words[WORD_STRIDES_HIGH], 4 * ordinal, 4, (uint32_t)(value >> 36));
        break;
    case EXECUTE_TENSOR_FIELD_ELEMENT_STRIDE:
        set_field(&words[WORD_TRAVERSAL], 3 * ordinal, 3, (uint32_t)value - 1);
        break;
    case EXECUTE_TENSOR_FIELD_TYPE:
        set_field(&words[WORD_FLAGS], SHIFT_TYPE, 4, (uint32_t)value);
        break;
    case EXECUTE_TENSOR_FIELD_INTERLEAVE:
        set_field(&words[WORD_FLAGS], SHIFT_INTERLEAVE, 2, (uint32_t)value);
        break;
    case EXECUTE_TENSOR_FIELD_SWIZZLE:
        set_field(&words[WORD_FLAGS], SHIFT_SWIZZLE, 2, (uint32_t)value);
        set_field(&words[WORD_FLAGS], SHIFT_ATOM, 2, 0);
        words[WORD_PATTERN] = swizzles[value].pattern;
        break;
    default:
        set_field(&words[WORD_FLAGS], SHIFT_NAN, 1, (uint32_t)value);
        break;
    }
    /* Recomputes words that the driver derives from others. */
    if (execute_tensor_map_decode(words, &map)) {
        set_field(&words[WORD_FLAGS], SHIFT_LARGE, 1, tensor_bytes(&map) >= LARGE_TENSOR);
        if (!map.im2col)
            encode_box(&map, words);
    }
    return true;
}

/* ===== swizzles ===== */

/* Bits that are exchanged: from `source` on, `bits` many, into those from `target` on. */
static const struct exchange {
    uint8_t target, source, bits;
} exchanges[EXECUTE_TENSOR_SWIZZLE_COUNT] = {{0, 0, 0}, {4, 7, 1}, {4, 7, 2}, {4, 7, 3},
                                             {5, 7, 2}, {5, 7, 2}, {6, 7, 1}};

uint32_t execute_tensor_swizzle(uint8_t swizzle, uint32_t address)
{
    struct exchange x = exchanges[swizzle];
    uint32_t flip = swizzle == EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B ? (address >> 7 & 1) << 3 : 0;
    return address ^ field(address, x.source, x.bits) << x.target ^ flip;
}
