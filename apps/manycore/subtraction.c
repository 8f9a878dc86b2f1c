/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background subtraction by normalised cross-correlation (as ncc.c has it) for a processor that offloads it: a byte for
 * each pixel, of the picture and of the background, gives one for each window of 16 pixels, 1 where it is foreground.
 * A core's rows of the three lie one behind the other in its own bank. Arguments: rows, pixels in a row (a multiple of
 * 4, at most 1024). Core i has the rows from i·k on, with k = ⌈rows ÷ cores⌉.
 */
#include "manycore.h"

enum { LONGEST = 1024, WINDOW = 16 };

static uint32_t picture[LONGEST / 4], background[LONGEST / 4], foreground[LONGEST / 4];

static void subtract(uint32_t width)
{
    const uint8_t *ours = (const uint8_t *)picture, *theirs = (const uint8_t *)background;
    uint8_t *result = (uint8_t *)foreground;
    int32_t both = 0, own = 0, other = 0;
    for (uint32_t x = 0; x < width; x++) {
        int32_t p = ours[x] - 128, b = theirs[x] - 128;
        both += p * b;
        own += p * p;
        other += b * b;
        if (x + 1 < WINDOW)
            continue;
        uint32_t first = x + 1 - WINDOW;
        result[first] = both <= 0 || 2 * (int64_t)both * both < (int64_t)own * other;
        p = ours[first] - 128;
        b = theirs[first] - 128;
        both -= p * b;
        own -= p * p;
        other -= b * b;
    }
}

int mc_main(void)
{
    uint32_t rows = mc_argument(1, 0), width = mc_argument(2, 0), each = (rows + mc_cores() - 1) / mc_cores();
    uint32_t first = mc_core() * each, last = first + each < rows ? first + each : rows, words = width / 4;
    volatile uint32_t *pictures = mc_bank(mc_core()) + MC_BANK_RESERVED / 4, *backgrounds = pictures + each * words;
    volatile uint32_t *results = backgrounds + each * words;
    if (width < WINDOW || width > LONGEST || width % 4)
        return 1;
    for (uint32_t row = first; row < last; row++) {
        for (uint32_t i = 0; i < words; i++) {
            picture[i] = *pictures++;
            background[i] = *backgrounds++;
        }
        subtract(width);
        for (uint32_t i = 0; i < words; i++)
            *results++ = foreground[i];
    }
    return 0;
}
