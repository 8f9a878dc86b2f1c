/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inverse DCT of a JPEG decoder (ITU-T T.81, A.3.3) in fixed point, rows then columns, each by its even and odd
 * halves; blocks shared out statically. Argument: blocks (4096). The check: of each block one pixel by the definition's
 * double sum in twice the precision, another one in every block, and the mean.
 */
#include "manycore.h"

enum { N = 8, BITS = 13, FINE = 24 };

/* cos(k·π/16), in units of 2^-13 and 2^-24. */
#define FOLDED(unit, k) (int32_t)((unit) * __builtin_cos((k) * 3.14159265358979323846 / 16) + 0.5)
#define COSINES(unit)                                                                                                  \
    {                                                                                                                  \
        FOLDED(unit, 0), FOLDED(unit, 1), FOLDED(unit, 2), FOLDED(unit, 3), FOLDED(unit, 4), FOLDED(unit, 5),          \
            FOLDED(unit, 6), FOLDED(unit, 7), 0                                                                        \
    }
static const int32_t c[N + 1] = COSINES(8192.0), fine[N + 1] = COSINES(16777216.0);

static int32_t coefficients[N * N], pixels[N * N];

/* out[x] = 1/2 · Σ C(u)·in[u]·cos((2x + 1)·u·π/16), C(0) = √½. `shift`: of what remains of the cosines' bits. */
static void transform(const int32_t *in, int32_t *out, uint32_t stride, uint32_t shift)
{
    int32_t half = 1 << (shift - 1);
    int32_t sum = (in[0] + in[4 * stride]) * c[4], difference = (in[0] - in[4 * stride]) * c[4];
    int32_t two = in[2 * stride], six = in[6 * stride];
    int32_t low = two * c[2] + six * c[6], high = two * c[6] - six * c[2];
    const int32_t even[4] = {sum + low, difference + high, difference - high, sum - low};
    int32_t i1 = in[stride], i3 = in[3 * stride], i5 = in[5 * stride], i7 = in[7 * stride];
    const int32_t odd[4] = {
        i1 * c[1] + i3 * c[3] + i5 * c[5] + i7 * c[7], i1 * c[3] - i3 * c[7] - i5 * c[1] - i7 * c[5],
        i1 * c[5] - i3 * c[1] + i5 * c[7] + i7 * c[3], i1 * c[7] - i3 * c[5] + i5 * c[3] - i7 * c[1]};
    for (uint32_t x = 0; x < 4; x++) {
        out[x * stride] = (even[x] + odd[x] + half) >> shift;
        out[(7 - x) * stride] = (even[x] - odd[x] + half) >> shift;
    }
}

static void inverse(void)
{
    int32_t rows[N * N];
    for (uint32_t y = 0; y < N; y++) /* three bits of fraction stay between the passes */
        transform(coefficients + N * y, rows + N * y, 1, BITS + 1 - 3);
    for (uint32_t x = 0; x < N; x++)
        transform(rows + x, pixels + x, N, BITS + 1 + 3);
}

/* cos((2x + 1)·u·π/16) from the first quadrant. */
static int32_t cosine(uint32_t x, uint32_t u)
{
    uint32_t angle = (2 * x + 1) * u % 32;
    if (angle > 16)
        angle = 32 - angle;
    return angle > 8 ? -fine[16 - angle] : fine[angle];
}

static bool check(uint32_t pixel)
{
    uint32_t x = pixel % N, y = pixel / N;
    int64_t sum = 0;
    for (uint32_t v = 0; v < N; v++)
        for (uint32_t u = 0; u < N; u++) {
            int64_t along = (int64_t)coefficients[N * v + u] * (u ? cosine(x, u) : fine[4]) >> 8;
            sum += along * (v ? cosine(y, v) : fine[4]) >> 8;
        }
    int32_t expected = (int32_t)(sum >> (2 * FINE - 16 + 2)), got = pixels[pixel], total = 0;
    for (uint32_t i = 0; i < N * N; i++)
        total += pixels[i];
    int32_t mean_error = total - 8 * coefficients[0]; /* the coefficient of frequency 0 is eight times the mean */
    return got - expected <= 1 && expected - got <= 1 && mean_error <= 32 && mean_error >= -32;
}

int mc_main(void)
{
    uint32_t blocks = mc_argument(1, 4096), from, to;
    bool right = true;
    mc_share(blocks, &from, &to);
    for (uint32_t each = from; each < to; each++) {
        uint32_t state = each * 2654435761u + 1;
        for (uint32_t k = 0; k < N * N; k++)
            coefficients[k] = ((int32_t)(mc_random(&state) & 0x3FF) - 0x200) >> (k % N + k / N) / 3;
        inverse();
        right = right && check(each % (N * N));
    }
    return mc_conclude("inverse DCT", right);
}
