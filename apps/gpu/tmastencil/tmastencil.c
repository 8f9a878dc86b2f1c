/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

enum { WIDTH, HEIGHT, DEPTH, STEPS, EACH };
enum { TILE_X = 32, TILE_Y = 16, EDGE = 4, SLOT = (40 * 18 + 31) / 32 * 32, STAGES = 6, RESULTS = 2 };

static CUtensorMap map_of(struct app_run *run, CUdeviceptr address, uint32_t x, uint32_t y)
{
    return app_tensor_map(run,
                          &(struct app_tensor){.address = address,
                                               .type = CU_TENSOR_MAP_DATA_TYPE_FLOAT32,
                                               .bytes = 4,
                                               .rank = 3,
                                               .dimensions = {run->sizes[WIDTH], run->sizes[HEIGHT], run->sizes[DEPTH]},
                                               .box = {x, y, 1},
                                               .swizzle = CU_TENSOR_MAP_SWIZZLE_NONE});
}

/* A point of the grid; 0 outside it. */
static double point(const struct app_run *run, const double *from, int64_t x, int64_t y, int64_t z)
{
    int64_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT], depth = run->sizes[DEPTH];
    bool inside = x >= 0 && x < width && y >= 0 && y < height && z >= 0 && z < depth;
    return inside ? from[(z * height + y) * width + x] : 0;
}

static void step(const struct app_run *run, const double *from, double *to, double center, double side)
{
    for (int64_t z = 0; z < run->sizes[DEPTH]; z++)
        for (int64_t y = 0; y < run->sizes[HEIGHT]; y++)
            for (int64_t x = 0; x < run->sizes[WIDTH]; x++)
                *to++ = center * point(run, from, x, y, z) +
                        side * (point(run, from, x - 1, y, z) + point(run, from, x + 1, y, z) +
                                point(run, from, x, y - 1, z) + point(run, from, x, y + 1, z) +
                                point(run, from, x, y, z - 1) + point(run, from, x, y, z + 1));
}

static void tmastencil_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT], depth = run->sizes[DEPTH];
    uint32_t each = run->sizes[EACH];
    size_t count = (size_t)width * height * depth;
    float center = 0.4f, side = 0.1f, *values = app_floats(run, count, 0, 1);
    double *from = app_host(run, count, sizeof *from), *to = app_host(run, count, sizeof *to), *other;
    CUdeviceptr grids[2] = {app_copy(run, values, count * 4), app_device(run, count * 4)};
    struct app_shape shape = {
        .grid = {(width + TILE_X - 1) / TILE_X, (height + TILE_Y - 1) / TILE_Y, (depth + each - 1) / each},
        .block = {TILE_X * TILE_Y, 1, 1},
        .shared_bytes = (STAGES * SLOT + RESULTS * TILE_X * TILE_Y) * 4};
    for (size_t i = 0; i < count; i++)
        from[i] = values[i];
    app_shared(run, "tmastencil", shape.shared_bytes);
    for (uint32_t i = 0; i < run->sizes[STEPS]; i++) {
        CUtensorMap in = map_of(run, grids[i % 2], TILE_X + 2 * EDGE, TILE_Y + 2);
        CUtensorMap out = map_of(run, grids[(i + 1) % 2], TILE_X, TILE_Y);
        app_launch(run, "tmastencil", shape, &in, &out, &depth, &each, &center, &side);
        step(run, from, to, center, side);
        other = from;
        from = to;
        to = other;
    }
    for (size_t i = 0; i < count; i++)
        values[i] = (float)from[i];
    app_check_floats(run, "grid", app_read(run, grids[run->sizes[STEPS] % 2], count * 4), values, count, 1e-5);
}

const struct app app_tmastencil = {
    .name = "tmastencil",
    .suite = "CUDA programming guide",
    .summary = "a stencil of seven points in three dimensions, whose planes the tensor memory accelerator brings",
    .stresses = ("The tensor memory accelerator (TMA) in both directions: blocks go through the planes of a column, "
                 "which come with their neighbours some planes ahead; boxes reach beyond the grid on all sides, where "
                 "they are filled with 0, and results are dropped. It needs a machine of compute capability 9.0."),
    .tolerance = "1e-5",
    .sizes = {{"width", 96, 4, 4096, 4, "points in a row", NULL},
              {"height", 40, 1, 4096, 0, "rows of a plane", NULL},
              {"depth", 24, 1, 4096, 0, "planes", NULL},
              {"steps", 2, 1, 1000, 0, "of the stencil", NULL},
              {"each", 16, 1, 4096, 0, "planes that a block goes through, at most", NULL}},
    .run = tmastencil_run};
