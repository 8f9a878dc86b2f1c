/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix product: C (rows × 100) = A (rows × 100) · B (100 × 100), of 32-bit integers, rows shared out statically.
 * Operands are private, as in the paper's data-parallel programs; B comes with the program. Argument: rows (4096).
 * The check: with x = (1, 1, …), C·x must equal A·(B·x).
 */
#include "manycore.h"

enum { N = 100 };

/* B, folded by the compiler: a hash of the place, from -127 to 127. */
#define VALUE(i, j) ((int32_t)((((i)*131u + (j)*29u + (i) * (j)*7u) ^ ((i)*5u)) % 255u) - 127)
#define TEN(f, i, j)                                                                                                   \
    f(i, j), f(i, j + 1), f(i, j + 2), f(i, j + 3), f(i, j + 4), f(i, j + 5), f(i, j + 6), f(i, j + 7), f(i, j + 8),   \
        f(i, j + 9)
#define ROW(i)                                                                                                         \
    {                                                                                                                  \
        TEN(VALUE, i, 0), TEN(VALUE, i, 10), TEN(VALUE, i, 20), TEN(VALUE, i, 30), TEN(VALUE, i, 40),                  \
            TEN(VALUE, i, 50), TEN(VALUE, i, 60), TEN(VALUE, i, 70), TEN(VALUE, i, 80), TEN(VALUE, i, 90)              \
    }
#define ROWS(i)                                                                                                        \
    ROW(i), ROW(i + 1), ROW(i + 2), ROW(i + 3), ROW(i + 4), ROW(i + 5), ROW(i + 6), ROW(i + 7), ROW(i + 8), ROW(i + 9)
static const int32_t b[N][N] = {ROWS(0),  ROWS(10), ROWS(20), ROWS(30), ROWS(40),
                                ROWS(50), ROWS(60), ROWS(70), ROWS(80), ROWS(90)};

/* B·x. */
#define SUM_10(i, j)                                                                                                   \
    (VALUE(i, j) + VALUE(i, j + 1) + VALUE(i, j + 2) + VALUE(i, j + 3) + VALUE(i, j + 4) + VALUE(i, j + 5) +           \
     VALUE(i, j + 6) + VALUE(i, j + 7) + VALUE(i, j + 8) + VALUE(i, j + 9))
#define SUM(i, unused)                                                                                                 \
    (SUM_10(i, 0) + SUM_10(i, 10) + SUM_10(i, 20) + SUM_10(i, 30) + SUM_10(i, 40) + SUM_10(i, 50) + SUM_10(i, 60) +    \
     SUM_10(i, 70) + SUM_10(i, 80) + SUM_10(i, 90))
#define SUMS(i)                                                                                                        \
    SUM(i, 0), SUM(i + 1, 0), SUM(i + 2, 0), SUM(i + 3, 0), SUM(i + 4, 0), SUM(i + 5, 0), SUM(i + 6, 0),               \
        SUM(i + 7, 0), SUM(i + 8, 0), SUM(i + 9, 0)
static const int32_t sums[N] = {SUMS(0),  SUMS(10), SUMS(20), SUMS(30), SUMS(40),
                                SUMS(50), SUMS(60), SUMS(70), SUMS(80), SUMS(90)};

static int32_t a[N], c[N];

int mc_main(void)
{
    uint32_t rows = mc_argument(1, 4096), from, to;
    bool right = true;
    mc_share(rows, &from, &to);
    for (uint32_t row = from; row < to; row++) {
        uint32_t state = row * 2654435761u + 1;
        int32_t expected = 0, got = 0;
        for (int i = 0; i < N; i++) {
            a[i] = (int32_t)(mc_random(&state) & 0xFF) - 0x80;
            expected += a[i] * sums[i];
        }
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int i = 0; i < N; i++)
                sum += a[i] * b[i][j];
            c[j] = sum;
        }
        for (int j = 0; j < N; j++)
            got += c[j];
        right = right && got == expected;
    }
    return mc_conclude("matrix product", right);
}
