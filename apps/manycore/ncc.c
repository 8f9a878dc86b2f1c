/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background subtraction by normalised cross-correlation: a pixel belongs to the background when the picture around it
 * is that of the background but for its brightness: (Σ p·b)² ≥ ½ · Σ p² · Σ b² and Σ p·b > 0 over a window of the row,
 * with values about 0. Rows are shared out statically. Arguments: rows (4096), pixels in a row (320).
 * The check: the picture is the background in another brightness but for an object that is its negative, so windows
 * that lie wholly on one side must be found to be background or object.
 */
#include "manycore.h"

enum { LONGEST = 1024, WINDOW = 16 };

static int16_t background[LONGEST], picture[LONGEST];
static uint8_t foreground[LONGEST]; /* of the window that begins here */

static void make_row(uint32_t row, uint32_t width, uint32_t object, uint32_t end)
{
    uint32_t state = row * 2654435761u + 1;
    for (uint32_t x = 0; x < width; x++) {
        background[x] = (int16_t)((int32_t)(mc_random(&state) & 0xFF) - 0x80);
        picture[x] = (int16_t)(x >= object && x < end ? -background[x] : background[x] * 7 / 8);
    }
}

static void subtract(uint32_t width)
{
    int32_t both = 0, ours = 0, theirs = 0;
    for (uint32_t x = 0; x < width; x++) {
        int32_t p = picture[x], b = background[x];
        both += p * b;
        ours += p * p;
        theirs += b * b;
        if (x + 1 < WINDOW)
            continue;
        uint32_t first = x + 1 - WINDOW;
        foreground[first] = both <= 0 || 2 * (int64_t)both * both < (int64_t)ours * theirs;
        p = picture[first];
        b = background[first];
        both -= p * b;
        ours -= p * p;
        theirs -= b * b;
    }
}

int mc_main(void)
{
    uint32_t rows = mc_argument(1, 4096), width = mc_argument(2, 320), from, to;
    bool right = true;
    if (width < 4 * WINDOW || width > LONGEST)
        width = 320;
    mc_share(rows, &from, &to);
    for (uint32_t row = from; row < to; row++) {
        uint32_t object = width / 4 + row % WINDOW, end = object + width / 4;
        make_row(row, width, object, end);
        subtract(width);
        for (uint32_t x = 0; x + WINDOW <= width; x++) {
            bool outside = x + WINDOW <= object || x >= end, inside = x >= object && x + WINDOW <= end;
            if ((outside && foreground[x]) || (inside && !foreground[x]))
                right = false;
        }
    }
    return mc_conclude("background subtraction", right);
}
