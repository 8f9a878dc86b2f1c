/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Luminance dequantisation of a JPEG decoder: blocks of 64 coefficients in zigzag order are multiplied by the table
 * of the standard's annex K (ITU-T T.81, table K.1) and put into rows, blocks shared out statically. Argument: blocks
 * (4096). The check: the zigzag is walked along its diagonals, not looked up.
 */
#include "manycore.h"

enum { N = 8 };

static const uint8_t quantisers[N][N] = {
    {16, 11, 10, 16, 24, 40, 51, 61},     {12, 12, 14, 19, 26, 58, 60, 55},     {14, 13, 16, 24, 40, 57, 69, 56},
    {14, 17, 22, 29, 51, 87, 80, 62},     {18, 22, 37, 56, 68, 109, 103, 77},   {24, 35, 55, 64, 81, 104, 113, 92},
    {49, 64, 78, 87, 103, 121, 120, 101}, {72, 92, 95, 98, 112, 100, 103, 99}};

/* Place (8 · row + column) of the k-th coefficient. */
static const uint8_t zigzag[N * N] = {
     0,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63
};

static int16_t coefficients[N * N], block[N][N];

static void dequantise(void)
{
    for (uint32_t k = 0; k < N * N; k++) {
        uint32_t place = zigzag[k];
        block[0][place] = (int16_t)(coefficients[k] * quantisers[0][place]);
    }
}

/* Along the diagonals, up and down in turn. */
static bool check(void)
{
    int row = 0, column = 0;
    for (uint32_t k = 0; k < N * N; k++) {
        if (block[row][column] != coefficients[k] * quantisers[row][column])
            return false;
        bool up = (row + column) % 2 == 0;
        if (up && column == N - 1)
            row++;
        else if (up && row == 0)
            column++;
        else if (!up && row == N - 1)
            column++;
        else if (!up && column == 0)
            row++;
        else {
            row += up ? -1 : 1;
            column += up ? 1 : -1;
        }
    }
    return true;
}

int mc_main(void)
{
    uint32_t blocks = mc_argument(1, 4096), from, to;
    bool right = true;
    mc_share(blocks, &from, &to);
    for (uint32_t each = from; each < to; each++) {
        uint32_t state = each * 2654435761u + 1;
        for (uint32_t k = 0; k < N * N; k++) /* most coefficients of high frequency are small, as in pictures */
            coefficients[k] = (int16_t)(((int32_t)(mc_random(&state) & 0xFF) - 0x80) >> (k / 12));
        dequantise();
        right = right && check();
    }
    return mc_conclude("dequantisation", right);
}
