/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background subtraction by normalised-cut clustering (Shi & Malik, Normalized cuts and image segmentation, PAMI 2000):
 * the pixels of a row are the nodes of a graph, whose edges weigh the more the more alike two pixels are, and fall into
 * two groups by the sign of the second eigenvector of the random walk on that graph. The vector is found by power
 * iteration in fixed point: a step of a lazy walk, after which the part that belongs to the first eigenvector, which is
 * constant, is taken out. Rows are shared out statically. Arguments: rows (4096), pixels in a row (16), steps (32).
 * The check: a row is a dark object in front of a bright background, both with noise, and the groups must be these two.
 */
#include "manycore.h"

enum { LONGEST = 64, ONE = 1 << 12 };

static uint8_t picture[LONGEST];
static uint16_t weight[LONGEST][LONGEST];
static uint32_t degree[LONGEST]; /* sum of a node's weights */
static int32_t vector[LONGEST], next[LONGEST];

static void make_row(uint32_t row, uint32_t width, uint32_t object, uint32_t end)
{
    uint32_t state = row * 2654435761u + 1;
    for (uint32_t x = 0; x < width; x++)
        picture[x] = (uint8_t)((x >= object && x < end ? 64 : 160) + (mc_random(&state) & 31));
}

/* Pixels that differ by 12 more are half as alike; none is wholly apart from another. */
static void weigh(uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        degree[i] = 0;
        for (uint32_t j = 0; j < width; j++) {
            uint32_t apart = picture[i] > picture[j] ? picture[i] - picture[j] : picture[j] - picture[i];
            weight[i][j] = (uint16_t)(i == j ? 0 : (256u >> apart / 12) + 1);
            degree[i] += weight[i][j];
        }
    }
}

/* Takes the constant part out, in the inner product that the degrees make. */
static void take_out(uint32_t width)
{
    int64_t sum = 0;
    uint32_t whole = 0;
    for (uint32_t i = 0; i < width; i++) {
        sum += (int64_t)vector[i] * degree[i];
        whole += degree[i];
    }
    int32_t constant = (int32_t)(sum / (int32_t)whole);
    for (uint32_t i = 0; i < width; i++)
        vector[i] -= constant;
}

/* The greatest element becomes ONE. */
static void normalise(uint32_t width)
{
    int32_t most = 1;
    for (uint32_t i = 0; i < width; i++) {
        int32_t size = vector[i] < 0 ? -vector[i] : vector[i];
        most = size > most ? size : most;
    }
    int32_t factor = ONE * 16 / most;
    for (uint32_t i = 0; i < width; i++)
        vector[i] = vector[i] * factor / 16;
}

static void cut(uint32_t width, uint32_t steps, uint32_t row)
{
    uint32_t state = row * 1103515245u + 12345;
    weigh(width);
    for (uint32_t i = 0; i < width; i++)
        vector[i] = (int32_t)(mc_random(&state) & (2 * ONE - 1)) - ONE;
    take_out(width);
    for (uint32_t step = 0; step < steps; step++) {
        for (uint32_t i = 0; i < width; i++) {
            int32_t sum = 0;
            for (uint32_t j = 0; j < width; j++)
                sum += weight[i][j] * vector[j];
            next[i] = (vector[i] + sum / (int32_t)degree[i]) / 2;
        }
        for (uint32_t i = 0; i < width; i++)
            vector[i] = next[i];
        take_out(width);
        normalise(width);
    }
}

int mc_main(void)
{
    uint32_t rows = mc_argument(1, 4096), width = mc_argument(2, 16), steps = mc_argument(3, 32), from, to;
    bool right = true;
    if (width < 8 || width > LONGEST)
        width = 16;
    mc_share(rows, &from, &to);
    for (uint32_t row = from; row < to; row++) {
        uint32_t object = 1 + (row & 3), end = object + width / 3;
        make_row(row, width, object, end);
        cut(width, steps, row);
        bool dark = vector[object] > 0;
        for (uint32_t x = 0; x < width; x++)
            if ((vector[x] > 0) != (x >= object && x < end ? dark : !dark))
                right = false;
    }
    return mc_conclude("normalised-cut clustering", right);
}
