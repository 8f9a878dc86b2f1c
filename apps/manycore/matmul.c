/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix product: C (rows × 100) = A (rows × 100) · B (100 × 100), of 32-bit integers, rows shared out statically.
 * Operands are private, as in the paper's data-parallel programs. Argument: rows (4096).
 * The check: with x = (1, 1, …), C·x must equal A·(B·x).
 */
#include "manycore.h"

enum { N = 100 };
static int32_t a[N], b[N][N], c[N], sums[N];

int mc_main(void)
{
    uint32_t rows = mc_argument(1, 4096), from, to, seed = 12345;
    bool right = true;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            b[i][j] = (int32_t)(mc_random(&seed) & 0xFFFF) - 0x8000;
            sums[i] += b[i][j];
        }
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
