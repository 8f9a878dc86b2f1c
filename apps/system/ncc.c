/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Background subtraction, offloaded and checked. The picture is the background, darker, but for an object that is its
 * negative; so windows that lie wholly on one side have a known answer, and all others are computed by the definition,
 * window by window, in the guest. Arguments: cores (0: the machine's), rows (4096).
 */
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 320, WINDOW = 16, RESERVED = 1536 };

static uint32_t object_of(uint32_t row)
{
    return WIDTH / 4 + row % WINDOW;
}

static void fill(uint8_t *picture, uint8_t *background, uint32_t rows)
{
    uint32_t state = 3;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            int value = (int)(offload_random(&state) & 0xff) - 128, object = (int)object_of(row);
            int inside = (int)x >= object && (int)x < object + WIDTH / 4;
            int seen = inside ? -value : value * 7 / 8;
            background[row * WIDTH + x] = (uint8_t)(value + 128);
            picture[row * WIDTH + x] = (uint8_t)((seen > 127 ? 127 : seen) + 128);
        }
}

static int is_foreground(const uint8_t *picture, const uint8_t *background)
{
    int64_t both = 0, ours = 0, theirs = 0;
    for (int i = 0; i < WINDOW; i++) {
        int p = picture[i] - 128, b = background[i] - 128;
        both += p * b;
        ours += p * p;
        theirs += b * b;
    }
    return both <= 0 || 2 * both * both < ours * theirs;
}

static uint32_t count_wrong(const uint8_t *picture, const uint8_t *background, const uint8_t *found, uint32_t rows)
{
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < rows; row++)
        for (uint32_t x = 0; x + WINDOW <= WIDTH; x++) {
            uint32_t at = row * WIDTH + x, object = object_of(row), end = object + WIDTH / 4;
            int outside = x + WINDOW <= object || x >= end, inside = x >= object && x + WINDOW <= end;
            wrong += found[at] != is_foreground(picture + at, background + at) || (outside && found[at]) ||
                     (inside && !found[at]);
        }
    return wrong;
}

int main(int argc, char **argv)
{
    static struct offload offload;
    uint32_t cores = argc > 1 ? offload_number(argv[1], "cores", 0) : 0,
             rows = argc > 2 ? offload_number(argv[2], "rows", 1) : 4096;
    offload_open(&offload);
    cores = cores ? cores : offload.device.welcome.cores;
    uint32_t piece = (rows + cores - 1) / cores * WIDTH;
    size_t bytes = (size_t)rows * WIDTH;
    uint8_t *picture = offload_memory(&offload, bytes), *background = offload_memory(&offload, bytes);
    uint8_t *found = offload_memory(&offload, bytes);
    fill(picture, background, rows);
    struct mnp_buffer buffers[] = {
        {picture, bytes, RESERVED, piece, MNP_OFFLOAD_IN | MNP_OFFLOAD_SPREAD},
        {background, bytes, RESERVED + piece, piece, MNP_OFFLOAD_IN | MNP_OFFLOAD_SPREAD},
        {found, bytes, RESERVED + 2 * piece, piece, MNP_OFFLOAD_OUT | MNP_OFFLOAD_SPREAD},
    };
    char text[64];
    snprintf(text, sizeof text, "subtraction %u %d", rows, WIDTH);
    struct mnp_launch launch = {.text = text, .cores = cores, .buffers = buffers, .buffer_count = 3};
    struct mnp_result result;
    offload_load(&offload, "subtraction", &launch);
    offload_run(&offload, &launch, &result);
    uint32_t wrong = count_wrong(picture, background, found, rows);
    printf("background subtraction, %u rows on %u cores: %s (%u windows wrong)\n", rows, cores,
           wrong || result.host.program_status ? "WRONG" : "right", wrong);
    offload_close(&offload, "ncc");
    return wrong != 0 || result.host.program_status != 0;
}
