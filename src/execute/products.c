/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each level of the host's processor, with EXECUTE_PRODUCT_TABLE naming the table. */
#include "execute/products.h"

#include "execute/lane_math.h"
#include "execute/op.h"

#include <string.h>

/* Numbers that are worked on together: as many as the host's registers hold. */
#if defined __AVX512F__
enum { WIDE = 16 };
#elif defined __AVX2__
enum { WIDE = 8 };
#else
enum { WIDE = 4 };
#endif
typedef float vector __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));
typedef float four __attribute__((vector_size(16), aligned(4), may_alias));

/* ===== elements become numbers ===== */

/* e4m3: the exponent is 120 too small; the multiplication is exact, of subnormal numbers too. */
static inline float narrow_number(uint32_t bits)
{
    float value = (float)(int32_t)(bits & 7) * 0x1p-9f;
    float normal = float_of(((bits & 0x7f) << 20) + (120u << 23));
    value = bits & 0x78 ? normal : value;
    value = (bits & 0x7f) == 0x7f ? float_of(EXECUTE_NAN_F32) : value;
    return float_of(bits_of(value) ^ (bits & 0x80) << 24);
}

/* e2m3 and e3m2, in the lower six bits, whose exponents are 126 and 124 too small. */
static inline float six_bit_number(uint32_t bits, uint32_t fraction, float scale)
{
    uint32_t magnitude = bits & 0x1f;
    float normal = float_of((magnitude << (23 - fraction)) + (127u << 23));
    float subnormal = (float)(int32_t)magnitude * (2.0f / (float)(1 << fraction));
    float value = (magnitude >> fraction ? normal : subnormal) * scale;
    return float_of(bits_of(value) ^ (bits & 0x20) << 26);
}

#define EACH for (uint32_t i = 0; i < count; i++)

/* `count` elements, a multiple of eight. */
static inline void convert(uint8_t type, const uint32_t *bits, float *to, uint32_t count)
{
    switch (type) {
    case EXECUTE_WGMMA_F16:
        EACH to[i] = float_of(widen_half(bits[i]));
        break;
    case EXECUTE_WGMMA_BF16:
        EACH to[i] = float_of(bits[i] << 16);
        break;
    case EXECUTE_WGMMA_TF32:
        EACH to[i] = float_of(bits[i] & 0xffffe000u);
        break;
    case EXECUTE_WGMMA_E4M3:
        EACH to[i] = narrow_number(bits[i]);
        break;
    case EXECUTE_WGMMA_E5M2:
        EACH to[i] = float_of(widen_half(bits[i] << 8));
        break;
    case EXECUTE_WGMMA_S8:
        EACH to[i] = (float)(int32_t)(int8_t)bits[i];
        break;
    case EXECUTE_WGMMA_E2M3:
    case EXECUTE_WGMMA_E2M1: /* which is e2m3 with two bits of zeros behind it */
        EACH to[i] = six_bit_number(bits[i], 3, 0.5f);
        break;
    case EXECUTE_WGMMA_E3M2:
        EACH to[i] = six_bit_number(bits[i], 2, 0.125f);
        break;
    default:
        EACH to[i] = (float)(int32_t)bits[i];
    }
}

static inline uint32_t bytes_of(uint8_t type)
{
    return type <= EXECUTE_WGMMA_BF16 ? 2 : type == EXECUTE_WGMMA_TF32 ? 4 : 1;
}

static inline uint32_t element(const unsigned char *chunk, uint32_t size, uint32_t x)
{
    uint32_t bits = 0;
    memcpy(&bits, chunk + (size_t)x * size, size);
    return bits;
}

/* Element x of eight chunks side by side, for all x. */
static inline void transpose(const unsigned char *const chunks[8], uint32_t size, bool columns, uint32_t *bits)
{
    static const uint8_t orders[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 2, 4, 6, 1, 3, 5, 7}};
    const uint8_t *order = orders[columns];
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t x = 0; x < EXECUTE_PRODUCT_CHUNK / size; x++)
            bits[8 * x + i] = element(chunks[order[i]], size, x);
}

static void widen(uint8_t type, const unsigned char *const chunks[8], bool columns, float *to, uint32_t stride)
{
    uint32_t bits[8 * EXECUTE_PRODUCT_CHUNK], size = bytes_of(type), count = EXECUTE_PRODUCT_CHUNK / size;
    float numbers[8 * EXECUTE_PRODUCT_CHUNK];
    if (size == 2)
        transpose(chunks, 2, columns, bits);
    else if (size == 1)
        transpose(chunks, 1, columns, bits);
    else
        transpose(chunks, 4, columns, bits);
    convert(type, bits, numbers, 8 * count);
    for (uint32_t x = 0; x < count; x++)
        memcpy(to + (size_t)x * stride, numbers + (size_t)8 * x, 8 * sizeof *to);
}

static void widen_across(uint8_t type, const unsigned char *chunk, bool columns, float *to)
{
    uint32_t bits[EXECUTE_PRODUCT_CHUNK], size = bytes_of(type), count = EXECUTE_PRODUCT_CHUNK / size;
    for (uint32_t x = 0; x < count; x++) {
        uint32_t place = columns ? (x & ~7u) + (x % 2) * 4 + x % 8 / 2 : x;
        bits[place] = element(chunk, size, x);
    }
    convert(type, bits, to, count);
}

/* ===== products ===== */

static inline vector times(vector a, vector b, vector sum, bool exact)
{
#ifdef __FMA__
    if (exact) { /* then the bits are the same, and it is faster */
        for (uint32_t i = 0; i < WIDE; i++)
            sum[i] = __builtin_fmaf(a[i], b[i], sum[i]);
        return sum;
    }
#else
    (void)exact;
#endif
    return sum + a * b;
}

static inline vector spread(const float *from)
{
    vector all;
    four some;
    memcpy(&some, from, sizeof some);
    for (uint32_t i = 0; i < WIDE; i += 4)
        memcpy((float *)&all + i, &some, sizeof some);
    return all;
}

static inline vector load(const float *from)
{
    vector all;
    memcpy(&all, from, sizeof all);
    return all;
}

/* A NaN is the canonical one. */
static inline void keep(float *to, vector sum)
{
    for (uint32_t i = 0; i < WIDE; i++)
        sum[i] = canonical(sum[i]);
    memcpy(to, &sum, sizeof sum);
}

/* Eight columns: registers of columns 0, 2, 4, 6 and 1, 3, 5, 7 of the upper eight rows, and of the lower ones. `lanes`
 * of each at a time; a: [k][2][32], by lane. */
static inline void multiply_eight(float *const sums[4], const float *a, const float *b, uint32_t n, uint32_t k,
                                  bool exact)
{
    for (uint32_t lane = 0; lane < 32; lane += 2 * WIDE) {
        vector s[4][2];
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t i = 0; i < 2; i++)
                s[r][i] = load(sums[r] + lane + i * WIDE);
        for (uint32_t x = 0; x < k; x++) {
            const float *rows = a + (size_t)64 * x + lane;
            vector even = spread(b + (size_t)x * n), odd = spread(b + (size_t)x * n + 4);
            for (uint32_t i = 0; i < 2; i++) {
                vector upper = load(rows + i * WIDE), lower = load(rows + 32 + i * WIDE);
                s[0][i] = times(upper, even, s[0][i], exact);
                s[1][i] = times(upper, odd, s[1][i], exact);
                s[2][i] = times(lower, even, s[2][i], exact);
                s[3][i] = times(lower, odd, s[3][i], exact);
            }
        }
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t i = 0; i < 2; i++)
                keep(sums[r] + lane + i * WIDE, s[r][i]);
    }
}

static void multiply(float *const *sums, const float *a, const float *b, uint32_t n, uint32_t k, bool exact)
{
    _Alignas(64) float by_lane[64 * 64];
    for (uint32_t x = 0; x < k; x++)
        for (uint32_t lane = 0; lane < 64; lane++)
            by_lane[64 * x + lane] = a[EXECUTE_PRODUCT_ROWS * x + lane / 4];
    for (uint32_t column = 0; column < n; column += 8) {
        if (exact)
            multiply_eight(sums + column / 2, by_lane, b + column, n, k, true);
        else
            multiply_eight(sums + column / 2, by_lane, b + column, n, k, false);
    }
}

/* ===== products of columns ===== */

enum { TOGETHER = 4 /* columns */ };

/* Columns that follow one another, for two vectors of rows. */
static inline void multiply_block(float *const *sums, uint32_t row, uint32_t rows, const float *a, const float *b,
                                  uint32_t n, uint32_t k, bool exact)
{
    vector s[TOGETHER][2];
    for (uint32_t c = 0; c < TOGETHER; c++)
        for (uint32_t i = 0; i < 2; i++)
            s[c][i] = load(sums[c] + row + i * WIDE);
    for (uint32_t x = 0; x < k; x++)
        for (uint32_t c = 0; c < TOGETHER; c++) {
            float factor = b[(size_t)x * n + c];
            for (uint32_t i = 0; i < 2; i++)
                s[c][i] = times(load(a + (size_t)x * rows + row + i * WIDE), (vector){0} + factor, s[c][i], exact);
        }
    for (uint32_t c = 0; c < TOGETHER; c++)
        for (uint32_t i = 0; i < 2; i++)
            keep(sums[c] + row + i * WIDE, s[c][i]);
}

static void multiply_columns(float *const *sums, const float *a, uint32_t rows, const float *b, uint32_t n, uint32_t k,
                             bool exact)
{
    for (uint32_t column = 0; column < n; column += TOGETHER)
        for (uint32_t row = 0; row < rows; row += 2 * WIDE) {
            if (exact)
                multiply_block(sums + column, row, rows, a, b + column, n, k, true);
            else
                multiply_block(sums + column, row, rows, a, b + column, n, k, false);
        }
}

const struct execute_product_table EXECUTE_PRODUCT_TABLE = {
    .widen = widen, .widen_across = widen_across, .multiply = multiply, .multiply_columns = multiply_columns};
