/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix product for a processor that offloads it: C (rows × n) = A (rows × n) · B (n × n), of 32-bit integers. The
 * rows of A that are a core's lie in its own bank, behind the library's bytes, and its rows of C behind these; B is
 * private to each core, at 0x100000. Arguments: rows, n (at most 128). Core i has the rows from i·k on, with
 * k = ⌈rows ÷ cores⌉.
 */
#include "manycore.h"

enum { LONGEST = 128 };

static int32_t a[LONGEST], c[LONGEST];

int mc_main(void)
{
    uint32_t rows = mc_argument(1, 0), n = mc_argument(2, 0), each = (rows + mc_cores() - 1) / mc_cores();
    uint32_t first = mc_core() * each, last = first + each < rows ? first + each : rows;
    const int32_t *b = (const int32_t *)0x100000;
    volatile int32_t *from = (volatile int32_t *)mc_bank(mc_core()) + MC_BANK_RESERVED / 4, *to = from + each * n;
    if (n == 0 || n > LONGEST)
        return 1;
    for (uint32_t row = first; row < last; row++) {
        for (uint32_t i = 0; i < n; i++)
            a[i] = *from++;
        for (uint32_t j = 0; j < n; j++)
            c[j] = 0;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; j < n; j++)
                c[j] += a[i] * b[i * n + j];
        for (uint32_t j = 0; j < n; j++)
            *to++ = c[j];
    }
    return 0;
}
