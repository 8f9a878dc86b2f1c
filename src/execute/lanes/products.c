/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each level of the host's processor, with EXECUTE_PRODUCT_TABLE naming the table. */
#include "execute/lanes/products.h"

#include "execute/lanes/lane_math.h"

#include <string.h>

#ifdef __F16C__
#include <immintrin.h>
#endif

/* Number of values processed together: as many as the host's vector registers hold. */
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

/* Decodes e2m3 and e3m2 from the lower six bits; `scale` corrects the exponent, which is 126 or 124 too small. */
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
    case EXECUTE_WGMMA_E2M1: /* same as e2m3 with two zero bits appended */
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

#if defined __AVX512F__
static inline vector fuse(vector a, vector b, vector sum)
{
    return (vector)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)sum);
}
#elif defined __FMA__
static inline vector fuse(vector a, vector b, vector sum)
{
    return (vector)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)sum);
}
#endif

/* ROUND_EXACT: products are exact, so that two roundings and one give the same bits. */
enum rounding { ROUND_TWICE, ROUND_EXACT, ROUND_ONCE };

static inline vector times(vector a, vector b, vector sum, enum rounding rounding)
{
#ifdef __FMA__
    if (rounding != ROUND_TWICE) /* faster, where one will do */
        return fuse(a, b, sum);
#endif
    if (rounding != ROUND_ONCE)
        return sum + a * b;
    for (uint32_t i = 0; i < WIDE; i++)
        sum[i] = fused(a[i], b[i], sum[i]);
    return sum;
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
                                  enum rounding rounding)
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
                s[0][i] = times(upper, even, s[0][i], rounding);
                s[1][i] = times(upper, odd, s[1][i], rounding);
                s[2][i] = times(lower, even, s[2][i], rounding);
                s[3][i] = times(lower, odd, s[3][i], rounding);
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
            multiply_eight(sums + column / 2, by_lane, b + column, n, k, ROUND_EXACT);
        else
            multiply_eight(sums + column / 2, by_lane, b + column, n, k, ROUND_TWICE);
    }
}

/* ===== products of columns ===== */

enum { TOGETHER = 4 /* columns */ };

#define ALWAYS inline __attribute__((always_inline)) /* the sums lie in the host's registers */
#ifdef __clang__
#define UNROLLED(i, count) _Pragma("unroll") for (uint32_t i = 0; i < (count); i++)
#else
#define UNROLLED(i, count) _Pragma("GCC unroll 4") for (uint32_t i = 0; i < (count); i++)
#endif

static inline vector all_of(float factor)
{
    vector all;
    for (uint32_t i = 0; i < WIDE; i++)
        all[i] = factor;
    return all;
}

/* Columns that follow one another, for some vectors of rows. */
static ALWAYS void multiply_block(float *const *sums, uint32_t row, uint32_t rows, uint32_t vectors, const float *a,
                                  const float *b, struct execute_product_pitch pitch, uint32_t k,
                                  enum rounding rounding)
{
    vector s[TOGETHER][2];
    a += row;
    UNROLLED(c, TOGETHER)
    UNROLLED(i, vectors)
    s[c][i] = load(sums[c] + row + i * WIDE);
    for (uint32_t x = 0; x < k; x++, a += rows, b += pitch.k)
        UNROLLED(c, TOGETHER)
        {
            vector factor = all_of(b[(size_t)c * pitch.column]);
            UNROLLED(i, vectors)
            s[c][i] = times(load(a + i * WIDE), factor, s[c][i], rounding);
        }
    UNROLLED(c, TOGETHER)
    UNROLLED(i, vectors)
    keep(sums[c] + row + i * WIDE, s[c][i]);
}

static ALWAYS void multiply_all(float *const *sums, const float *a, uint32_t rows, const float *b,
                                struct execute_product_pitch pitch, uint32_t n, uint32_t k, enum rounding rounding)
{
    for (uint32_t column = 0; column < n; column += TOGETHER) {
        const float *factors = b + (size_t)column * pitch.column;
        uint32_t row = 0;
        for (; row + 2 * WIDE <= rows; row += 2 * WIDE)
            multiply_block(sums + column, row, rows, 2, a, factors, pitch, k, rounding);
        if (row < rows)
            multiply_block(sums + column, row, rows, 1, a, factors, pitch, k, rounding);
    }
}

static void multiply_columns(float *const *sums, const float *a, uint32_t rows, const float *b, uint32_t n, uint32_t k,
                             bool exact)
{
    struct execute_product_pitch pitch = {.k = n, .column = 1};
    if (exact)
        multiply_all(sums, a, rows, b, pitch, n, k, ROUND_EXACT);
    else
        multiply_all(sums, a, rows, b, pitch, n, k, ROUND_TWICE);
}

static void multiply_lines(float *const *sums, const float *a, uint32_t rows, const float *b,
                           struct execute_product_pitch pitch, uint32_t n, uint32_t k, bool exact)
{
    if (exact)
        multiply_all(sums, a, rows, b, pitch, n, k, ROUND_EXACT);
    else
        multiply_all(sums, a, rows, b, pitch, n, k, ROUND_ONCE);
}

/* Conversion by the processor leaves a NaN that it pleases, which no sum shows. */
static void halves(const uint32_t *words, float *to)
{
#ifdef __F16C__
    for (uint32_t i = 0; i < 64; i += 8) {
        __m128i eight = _mm_loadu_si128((const __m128i *)(words + i / 2));
        _mm256_storeu_ps(to + i, _mm256_cvtph_ps(eight));
    }
#else
    for (uint32_t i = 0; i < 64; i++)
        to[i] = float_of(widen_half(words[i / 2] >> 16 * (i % 2) & 0xffff));
#endif
}

static void numbers(uint8_t type, const uint32_t *bits, float *to, uint32_t count)
{
    convert(type, bits, to, count);
}

const struct execute_product_table EXECUTE_PRODUCT_TABLE = {.widen = widen,
                                                            .widen_across = widen_across,
                                                            .multiply = multiply,
                                                            .multiply_columns = multiply_columns,
                                                            .multiply_lines = multiply_lines,
                                                            .halves = halves,
                                                            .numbers = numbers};
