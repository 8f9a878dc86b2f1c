/* SPDX-License-Identifier: BSD-3-Clause */
/* Cube maps: texels beside a reference that follows the table of the CUDA C++ Programming Guide branch by branch. */
#include "bench.h"
#include "execute/memory/texture.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SIDE = 8, CUBES = 3, LANES = 64, TEXELS = SIDE * SIDE * 6 * CUBES };

static const char text[] =
    ".version 8.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry sample(.param .u64 in, .param .u64 out, .param .u64 one, .param .u64 many) {\n"
    ".reg .b32 t, c; .reg .b64 i, o, a, h, l; .reg .f32 x, y, z, r<4>, s<4>, u<4>;\n"
    "ld.param.u64 i, [in]; ld.param.u64 o, [out]; ld.param.u64 h, [one]; ld.param.u64 l, [many]; mov.u32 t, %tid.x;\n"
    "mul.wide.u32 a, t, 16; add.u64 i, i, a; ld.global.f32 x, [i]; ld.global.f32 y, [i+4]; ld.global.f32 z, [i+8];\n"
    "ld.global.u32 c, [i+12];\n"
    "tex.cube.v4.f32.f32 {r0, r1, r2, r3}, [h, {x, y, z, z}];\n"
    "tex.acube.v4.f32.f32 {s0, s1, s2, s3}, [l, {c, x, y, z}];\n"
    "tex.level.cube.v4.f32.f32 {u0, u1, u2, u3}, [h, {x, y, z, z}], 0f00000000;\n"
    "add.u64 o, o, a; st.global.f32 [o], r0; st.global.f32 [o+4], s0; st.global.f32 [o+8], u0; st.global.f32 [o+12], "
    "r1;\n"
    "ret; }\n";

struct point {
    float x, y, z;
    uint32_t cube;
};

/* The guide's table: face, m, s, t. */
static unsigned face_of(const struct point *p, double *u, double *v)
{
    double x = p->x, y = p->y, z = p->z, m, s, t;
    unsigned face;
    if (fabs(x) >= fabs(y) && fabs(x) >= fabs(z)) {
        face = x >= 0 ? 0 : 1;
        m = fabs(x), s = x >= 0 ? -z : z, t = -y;
    } else if (fabs(y) >= fabs(z)) {
        face = y >= 0 ? 2 : 3;
        m = fabs(y), s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5;
        m = fabs(z), s = z >= 0 ? x : -x, t = -y;
    }
    *u = (s / m + 1) / 2 * SIDE;
    *v = (t / m + 1) / 2 * SIDE;
    return face;
}

static double texel(const float *texels, unsigned layer, int column, int row)
{
    column = column < 0 ? 0 : column >= SIDE ? SIDE - 1 : column;
    row = row < 0 ? 0 : row >= SIDE ? SIDE - 1 : row;
    return (double)texels[(layer * SIDE + (unsigned)row) * SIDE + (unsigned)column];
}

/* What a point reads, and how far off it may be: weights of a filter have 8 bits. */
static double expected(const float *texels, const struct point *point, unsigned cube, bool linear, double *near)
{
    double u, v;
    unsigned layer = 6 * cube + face_of(point, &u, &v);
    if (!linear) {
        *near = 0;
        return texel(texels, layer, (int)floor(u), (int)floor(v));
    }
    double left = floor(u - 0.5), above = floor(v - 0.5), right = u - 0.5 - left, below = v - 0.5 - above;
    double corners[4];
    for (int i = 0; i < 4; i++)
        corners[i] = texel(texels, layer, (int)left + (i & 1), (int)above + (i >> 1));
    *near = (fmax(fmax(corners[0], corners[1]), fmax(corners[2], corners[3]))) / 128 + 1e-5;
    return (1 - below) * ((1 - right) * corners[0] + right * corners[1]) +
           below * ((1 - right) * corners[2] + right * corners[3]);
}

/* Points away from edges between texels, where rounding would decide, and of all faces. */
static void make_points(struct point *points)
{
    uint64_t state = 7;
    for (unsigned i = 0; i < LANES;) {
        double u, v;
        struct point p = {.cube = (uint32_t)bench_random(&state) % (CUBES + 1)};
        p.x = (float)((int64_t)(bench_random(&state) % 2001) - 1000) / 37;
        p.y = (float)((int64_t)(bench_random(&state) % 2001) - 1000) / 37;
        p.z = (float)((int64_t)(bench_random(&state) % 2001) - 1000) / 37;
        face_of(&p, &u, &v);
        if (fabs(u - round(u)) > 1e-3 && fabs(v - round(v)) > 1e-3)
            points[i++] = p;
    }
}

static uint64_t add_texture(struct bench *bench, const float *texels, unsigned cubes, bool linear)
{
    const struct execute_texture texture = {
        .address = bench_buffer(bench, texels, sizeof(float) * SIDE * SIDE * 6 * cubes),
        .size = {SIDE, SIDE, 6 * cubes},
        .pitch = SIDE * sizeof(float),
        .channels = 1,
        .channel_bytes = 4,
        .kind = EXECUTE_TEXEL_FLOAT,
        .addressing = {EXECUTE_ADDRESS_CLAMP, EXECUTE_ADDRESS_CLAMP, EXECUTE_ADDRESS_CLAMP},
        .linear = linear,
        .normalized = true};
    return execute_device_add_texture(&bench->device, &texture);
}

static void check(bool linear)
{
    struct bench bench;
    struct point points[LANES];
    float texels[TEXELS], found[LANES][4];
    bool met[6] = {false};
    for (unsigned i = 0; i < TEXELS; i++)
        texels[i] = (float)(i * 37 % 1009) / 4;
    make_points(points);
    bench_open(&bench, NULL, text);
    uint64_t in = bench_buffer(&bench, points, sizeof points), out = bench_buffer(&bench, NULL, sizeof found);
    uint64_t one = add_texture(&bench, texels, 1, linear), many = add_texture(&bench, texels, CUBES, linear);
    if (!BENCH_RUN(&bench, "sample", 1, LANES, 0, &in, &out, &one, &many))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, out, found, sizeof found);
    for (unsigned i = 0; i < LANES; i++) {
        double near, u, v;
        double first = expected(texels, &points[i], 0, linear, &near);
        assert_true(fabs((double)found[i][0] - first) <= near);
        assert_true(found[i][2] == found[i][0]); /* there is one level */
        assert_true(found[i][3] == 0);           /* there is one channel */
        /* a cube that there is not is the last one */
        unsigned cube = points[i].cube < CUBES ? points[i].cube : CUBES - 1;
        first = expected(texels, &points[i], cube, linear, &near);
        assert_true(fabs((double)found[i][1] - first) <= near);
        met[face_of(&points[i], &u, &v)] = true;
    }
    for (unsigned face = 0; face < 6; face++)
        assert_true(met[face]);
    bench_close(&bench);
}

static void test_nearest(void **unused)
{
    (void)unused;
    check(false);
}

static void test_linear(void **unused)
{
    (void)unused;
    check(true);
}

/* A texture that is no cube map is a fault, not six faces of something else. */
static void test_other_texture(void **unused)
{
    (void)unused;
    struct bench bench;
    float texels[TEXELS] = {0};
    struct point points[LANES];
    make_points(points);
    bench_open(&bench, NULL, text);
    uint64_t in = bench_buffer(&bench, points, sizeof points),
             out = bench_buffer(&bench, NULL, sizeof(float[LANES][4]));
    struct execute_texture flat = {.address = bench_buffer(&bench, texels, sizeof texels),
                                   .size = {SIDE, SIDE},
                                   .pitch = SIDE * sizeof(float),
                                   .channels = 1,
                                   .channel_bytes = 4,
                                   .kind = EXECUTE_TEXEL_FLOAT};
    uint64_t one = execute_device_add_texture(&bench.device, &flat);
    assert_false(BENCH_RUN(&bench, "sample", 1, LANES, 0, &in, &out, &one, &one));
    assert_non_null(strstr(bench.error.text, "texture"));
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_other_texture),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
