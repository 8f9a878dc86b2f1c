/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies by the tensor memory accelerator, of tensors of one to five dimensions, with every swizzle, boxes that reach
 * beyond the tensor, element strides and images as columns: what lies in shared memory, and in global memory after
 * stores, against loops over elements. A swizzle is written here as rows and chunks, not as bits of addresses.
 */
#include "bench.h"

#include "execute/copy/tensor_map.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BOX = 49152, TENSOR = 1 << 16, TEXT = 8192 };

/* The box goes into shared memory by one copy, which ends at an mbarrier, and from there as it lies to `out`. */
static const char load_text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 pout, .param .u32 pbytes, .param .u32 p0, "
    ".param .u32 p1, .param .u32 p2, .param .u32 p3, .param .u32 p4)\n{\n"
    ".reg .b64 m, o, x;\n.reg .b32 t, b, w, c<5>, v, n, z;\n.reg .b16 h<3>;\n.reg .pred p, q;\n"
    "mov.b64 m, map;\ncvta.param.u64 m, m;\nmov.u32 t, %%tid.x;\nmov.u32 w, s;\nadd.u32 b, w, 49152;\n"
    "ld.param.u32 n, [pbytes];\nld.param.u32 c0, [p0];\nld.param.u32 c1, [p1];\nld.param.u32 c2, [p2];\n"
    "ld.param.u32 c3, [p3];\nld.param.u32 c4, [p4];\nmov.b16 h0, 1;\nmov.b16 h1, 2;\nmov.b16 h2, 1;\n"
    "setp.eq.u32 p, t, 0;\n@p mbarrier.init.shared::cta.b64 [b], 1;\nbar.sync 0;\n"
    "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], n;\n@p %s;\n"
    "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\n@!q bra wait;\n"
    "ld.param.u64 o, [pout];\nshl.b32 t, t, 2;\n"
    "again:\nadd.u32 z, w, t;\nld.shared.b32 v, [z];\ncvt.u64.u32 x, t;\nadd.u64 x, x, o;\nst.global.b32 [x], v;\n"
    "add.u32 t, t, 128;\nsetp.lt.u32 q, t, 49152;\n@q bra again;\nret;\n}\n";

/* `in` goes into shared memory as it is, and from there by one copy into the tensor. */
static const char store_text[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
    ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 pin, .param .u32 pbytes, .param .u32 p0, "
    ".param .u32 p1, .param .u32 p2, .param .u32 p3, .param .u32 p4)\n{\n"
    ".reg .b64 m, o, x;\n.reg .b32 t, w, c<5>, v, n, z;\n.reg .pred p, q;\n"
    "mov.b64 m, map;\ncvta.param.u64 m, m;\nmov.u32 t, %%tid.x;\nmov.u32 w, s;\nld.param.u32 n, [pbytes];\n"
    "ld.param.u32 c0, [p0];\nld.param.u32 c1, [p1];\nld.param.u32 c2, [p2];\nld.param.u32 c3, [p3];\n"
    "ld.param.u32 c4, [p4];\nsetp.eq.u32 p, t, 0;\nld.param.u64 o, [pin];\nshl.b32 t, t, 2;\n"
    "again:\nadd.u32 z, w, t;\ncvt.u64.u32 x, t;\nadd.u64 x, x, o;\nld.global.b32 v, [x];\nst.shared.b32 [z], v;\n"
    "add.u32 t, t, 128;\nsetp.lt.u32 q, t, 49152;\n@q bra again;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    "@p %s;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;\nret;\n}\n";

struct run {
    struct execute_tensor_map map;
    int32_t at[5];
    const char *copy; /* the instruction; NULL: of the rank */
    uint32_t bytes;   /* that the copy tells the mbarrier of */
    const char *fault;
};

static const char *const lists[] = {"", "{c0}", "{c0, c1}", "{c0, c1, c2}", "{c0, c1, c2, c3}", "{c0, c1, c2, c3, c4}"};

/* Runs one of the kernels; `tensor` and `box` are read before and after. */
static void perform(const struct run *run, bool store, unsigned char *tensor, unsigned char *box)
{
    struct bench bench;
    char text[TEXT], copy[256];
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    struct execute_tensor_map map = run->map;
    if (store)
        snprintf(copy, sizeof copy, "cp.async.bulk.tensor.%ud.global.shared::cta.tile.bulk_group [m, %s], [w]",
                 map.rank, lists[map.rank]);
    else
        snprintf(copy, sizeof copy,
                 "cp.async.bulk.tensor.%ud.shared::cluster.global.tile.mbarrier::complete_tx::bytes [w], [m, %s], [b]",
                 map.rank, lists[map.rank]);
    snprintf(text, sizeof text, store ? store_text : load_text, run->copy ? run->copy : copy);
    bench_open(&bench, NULL, text);
    map.address = bench_buffer(&bench, tensor, TENSOR);
    if (!execute_tensor_map_check(&map, &bench.error))
        fail_msg("%s", bench.error.text);
    execute_tensor_map_encode(&map, words);
    uint64_t other = bench_buffer(&bench, box, BOX);
    bool good = BENCH_RUN(&bench, "k", 1, 32, BOX + 16, words, &other, &run->bytes, &run->at[0], &run->at[1],
                          &run->at[2], &run->at[3], &run->at[4]);
    if (run->fault ? good || !strstr(bench.error.text, run->fault) : !good)
        fail_msg("%s\n%s", bench.error.text, text);
    bench_read(&bench, map.address, tensor, TENSOR);
    bench_read(&bench, other, box, BOX);
    bench_close(&bench);
}

/* ===== what has to come of it ===== */

/* Where byte `at` of a box goes, for a swizzle that exchanges chunks of `atom` bytes in rows of 128 bytes. */
static uint32_t swizzled(uint8_t swizzle, uint32_t at)
{
    static const uint32_t spans[] = {0, 32, 64, 128, 128, 128, 128}, atoms[] = {16, 16, 16, 16, 32, 32, 64};
    if (!swizzle)
        return at;
    uint32_t span = spans[swizzle], atom = atoms[swizzle], row = at / 128, inside = at % span;
    uint32_t chunk = (inside / atom) ^ (row % (span / atom));
    uint32_t to = at - inside + chunk * atom + inside % atom;
    return swizzle == EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B_FLIP_8B && row % 2 ? (to % 16 < 8 ? to + 8 : to - 8) : to;
}

static uint32_t steps(const struct execute_tensor_map *map, unsigned i)
{
    return (map->box[i] + map->element_strides[i] - 1) / map->element_strides[i];
}

/* The place of element `number` of a box in the tensor, in bytes; -1: outside. */
static int64_t place_of(const struct run *run, uint32_t number)
{
    const struct execute_tensor_map *map = &run->map;
    int64_t place = 0;
    for (unsigned i = 0; i < map->rank; i++) {
        int64_t at = run->at[i] + (int64_t)(number % steps(map, i)) * map->element_strides[i];
        number /= steps(map, i);
        if (at < 0 || at >= (int64_t)map->dimensions[i])
            return -1;
        place += at * (int64_t)map->strides[i];
    }
    return place;
}

static uint32_t elements_of(const struct run *run)
{
    uint32_t count = 1;
    for (unsigned i = 0; i < run->map.rank; i++)
        count *= steps(&run->map, i);
    return count;
}

static void fill(unsigned char *bytes, uint32_t count, uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = (unsigned char)bench_random(&seed);
}

static void expect_load(struct run *run, const unsigned char *outside)
{
    static unsigned char tensor[TENSOR], box[BOX], expected[BOX];
    uint32_t size = (uint32_t)run->map.strides[0], count = elements_of(run);
    fill(tensor, TENSOR, 3);
    memset(box, 0, sizeof box);
    memset(expected, 0, sizeof expected);
    for (uint32_t i = 0; i < count; i++) {
        int64_t place = place_of(run, i);
        for (uint32_t j = 0; j < size; j++)
            expected[swizzled(run->map.swizzle, i * size + j)] = place >= 0 ? tensor[place + j]
                                                                 : outside  ? outside[j]
                                                                            : 0;
    }
    run->bytes = count * size;
    perform(run, false, tensor, box);
    assert_memory_equal(box, expected, sizeof box);
}

static void expect_store(struct run *run)
{
    static unsigned char tensor[TENSOR], box[BOX], expected[TENSOR];
    uint32_t size = (uint32_t)run->map.strides[0], count = elements_of(run);
    fill(tensor, TENSOR, 3);
    fill(box, BOX, 4);
    memcpy(expected, tensor, sizeof tensor);
    for (uint32_t i = 0; i < count; i++) {
        int64_t place = place_of(run, i);
        for (uint32_t j = 0; j < size && place >= 0; j++)
            expected[place + j] = box[swizzled(run->map.swizzle, i * size + j)];
    }
    perform(run, true, tensor, box);
    assert_memory_equal(tensor, expected, sizeof tensor);
}

/* ===== cases ===== */

/* A tensor of 20 x 9 x 5 x 4 x 3 elements of two bytes, with room between its rows. */
static struct run small(uint8_t rank)
{
    return (struct run){.map = {.dimensions = {20, 9, 5, 4, 3},
                                .strides = {2, 48, 480, 2400, 9600},
                                .box = {16, 5, 3, 2, 2},
                                .element_strides = {1, 1, 1, 1, 1},
                                .rank = rank,
                                .type = EXECUTE_TENSOR_F16}};
}

static void test_ranks(void **unused)
{
    (void)unused;
    static const int32_t corners[][5] = {{0, 0, 0, 0, 0},      {3, 2, 1, 1, 1},   {7, 6, 3, 3, 2},
                                         {-5, -2, -1, -1, -1}, {-20, 0, 0, 0, 0}, {1, 20, 0, 0, 0}};
    for (uint8_t rank = 1; rank <= 5; rank++)
        for (size_t i = 0; i < sizeof corners / sizeof *corners; i++) {
            struct run run = small(rank);
            memcpy(run.at, corners[i], sizeof run.at);
            expect_load(&run, NULL);
            expect_store(&run);
        }
}

static void test_swizzles(void **unused)
{
    (void)unused;
    static const uint32_t spans[] = {128, 32, 64, 128, 128, 128, 128};
    for (uint8_t swizzle = 0; swizzle < EXECUTE_TENSOR_SWIZZLE_COUNT; swizzle++)
        for (int32_t shift = 0; shift < 2; shift++) {
            struct run run = {.map = {.dimensions = {200, 100},
                                      .strides = {2, 512},
                                      .box = {spans[swizzle] / 2, 40},
                                      .element_strides = {1, 1},
                                      .rank = 2,
                                      .type = EXECUTE_TENSOR_BF16,
                                      .swizzle = swizzle},
                              .at = {shift * 8, shift * 70}};
            expect_load(&run, NULL);
            expect_store(&run);
        }
}

static void test_fills_and_strides(void **unused)
{
    (void)unused;
    static const uint32_t nan32 = 0x7ff77ff7; /* as on an H100 */
    static const uint16_t nan16 = 0x7ff7;
    struct run run = small(2);
    run.map.fill_nan = true;
    run.at[0] = run.at[1] = 6;
    expect_load(&run, (const unsigned char *)&nan16);
    run.map.type = EXECUTE_TENSOR_F32;
    run.map.strides[0] = 4;
    run.map.dimensions[0] = 10;
    expect_load(&run, (const unsigned char *)&nan32);
    run = small(3);
    run.map.element_strides[1] = 2;
    run.map.element_strides[2] = 3;
    run.at[1] = -1;
    expect_load(&run, NULL);
    expect_store(&run);
}

/* Images as columns: 3 x 3 filters over N H W C with a border of one pixel, as a convolution reads them. */
static void test_columns(void **unused)
{
    (void)unused;
    enum { C = 16, W = 7, H = 5, N = 3, PIXELS = 48 };
    static unsigned char tensor[TENSOR], box[BOX], expected[BOX];
    struct run run = {.map = {.dimensions = {C, W, H, N},
                              .strides = {2, 2 * C, 2 * C * W, 2 * C * W * H},
                              .element_strides = {1, 1, 1, 1},
                              .channels = C,
                              .pixels = PIXELS,
                              .lower = {-1, -1},
                              .upper = {-1, -1},
                              .rank = 4,
                              .type = EXECUTE_TENSOR_F16,
                              .im2col = true},
                      .at = {0, 2, 1, 0},
                      .bytes = PIXELS * C * 2,
                      .copy = "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [w], "
                              "[m, {c0, c1, c2, c3}], [b], {h0, h1}"};
    fill(tensor, TENSOR, 9);
    int w = run.at[1], h = run.at[2], n = run.at[3];
    for (int pixel = 0; pixel < PIXELS; pixel++) { /* outputs are as many as pixels: W x H */
        int x = w + 1, y = h + 2;
        bool inside = x >= 0 && x < W && y >= 0 && y < H && n < N;
        if (inside)
            memcpy(expected + pixel * C * 2, tensor + ((n * H + y) * W + x) * C * 2, C * 2);
        if (++w == W - 1) {
            w = -1;
            if (++h == H - 1) {
                h = -1;
                n++;
            }
        }
    }
    perform(&run, false, tensor, box);
    assert_memory_equal(box, expected, sizeof box);
}

/* Byte j of a pixel of images as columns, in the tensor; -1: outside. */
static int64_t place_of_pixel(const struct run *run, const int32_t *pixel, const int32_t *offsets, uint32_t j)
{
    const struct execute_tensor_map *map = &run->map;
    int64_t place = run->at[0] * 2 + (int64_t)j;
    if (run->at[0] + (int64_t)j / 2 >= (int64_t)map->dimensions[0])
        return -1;
    for (unsigned i = 1; i < map->rank; i++) {
        int64_t at = pixel[i] + (i + 1u < map->rank ? offsets[i - 1] : 0);
        if (at < 0 || at >= (int64_t)map->dimensions[i])
            return -1;
        place += at * (int64_t)map->strides[i];
    }
    return place;
}

/* The next pixel: along W as far as the upper corner lets it, then from the lower one on again, in the next row. */
static void advance(const struct run *run, int32_t *pixel)
{
    const struct execute_tensor_map *map = &run->map;
    for (unsigned i = 1; i < map->rank; i++) {
        bool image = i + 1u == map->rank;
        pixel[i] += image ? 1 : (int32_t)map->element_strides[i];
        if (image || pixel[i] <= (int32_t)map->dimensions[i] - 1 + map->upper[i - 1])
            return;
        pixel[i] = map->lower[i - 1];
    }
}

static void expect_images(const struct run *run, bool store)
{
    static unsigned char tensor[TENSOR], box[BOX], expected[TENSOR > BOX ? TENSOR : BOX];
    static const int32_t offsets[2][3] = {{1, 2, 1}, {0, 0, 0}}; /* of the kernel's loads; stores have none */
    uint32_t bytes = run->map.channels * 2;
    int32_t pixel[5];
    fill(tensor, TENSOR, 11);
    fill(box, BOX, 12);
    if (!store)
        memset(box, 0, BOX);
    memcpy(expected, store ? tensor : box, store ? TENSOR : BOX);
    memcpy(pixel, run->at, sizeof pixel);
    for (uint32_t i = 0; i < run->map.pixels; i++, advance(run, pixel))
        for (uint32_t j = 0; j < bytes; j++) {
            int64_t place = place_of_pixel(run, pixel, offsets[store], j);
            uint32_t at = swizzled(run->map.swizzle, i * bytes + j);
            if (store && place >= 0)
                expected[place] = box[at];
            if (!store)
                expected[at] = place >= 0 ? tensor[place] : 0;
        }
    perform(run, store, tensor, box);
    if (memcmp(store ? tensor : box, expected, store ? TENSOR : BOX) != 0)
        fail_msg("rank %u, from (%d, %d, %d), lower %d, upper %d, strides %u, %s", run->map.rank, run->at[0],
                 run->at[1], run->at[2], run->map.lower[0], run->map.upper[0], run->map.element_strides[1],
                 store ? "store" : "load");
}

/* Images of one to three dimensions, corners inside and outside, strides of pixels, channels beyond the last one. */
static void test_images(void **unused)
{
    (void)unused;
    static const char *const offsets[] = {"", "", "", "{h0}", "{h0, h1}", "{h0, h1, h2}"};
    for (uint8_t rank = 3; rank <= 5; rank++)
        for (unsigned i = 0; i < 12; i++) {
            char load[256], put[256];
            struct run run = {.map = {.channels = 16,
                                      .pixels = 40 + i,
                                      .rank = rank,
                                      .type = EXECUTE_TENSOR_F16,
                                      .im2col = true,
                                      .swizzle = i % 3 == 1 ? EXECUTE_TENSOR_SWIZZLE_32B : 0}};
            static const uint32_t sizes[] = {24, 7, 5, 3};
            for (unsigned k = 0; k < rank; k++) {
                run.map.dimensions[k] = k + 1u == rank ? 3 : sizes[k];
                run.map.element_strides[k] = 1 + (k && k + 1u < rank ? (i >> k) % 2 : 0);
                run.map.strides[k] = k ? run.map.strides[k - 1] * run.map.dimensions[k - 1] : 2;
            }
            for (unsigned k = 0; k + 2u < rank; k++) {
                run.map.lower[k] = (int32_t)(i % 4) - 2;
                run.map.upper[k] = 1 - (int32_t)(i % 3);
                run.at[k + 1] = run.map.lower[k] + (int32_t)(run.map.element_strides[k + 1] * (i % 2));
                if (run.at[k + 1] > (int32_t)sizes[k + 1] - 1 + run.map.upper[k]) /* it begins in the box */
                    run.at[k + 1] = run.map.lower[k];
            }
            run.at[0] = i % 2 ? 16 : 0;
            run.at[rank - 1] = i % 2;
            run.bytes = run.map.pixels * 32;
            snprintf(
                load, sizeof load,
                "cp.async.bulk.tensor.%ud.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [w], [m, %s], "
                "[b], %s",
                rank, lists[rank], offsets[rank]);
            snprintf(put, sizeof put,
                     "cp.async.bulk.tensor.%ud.global.shared::cta.im2col_no_offs.bulk_group [m, %s], [w]", rank,
                     lists[rank]);
            run.copy = load;
            expect_images(&run, false);
            run.copy = put;
            expect_images(&run, true);
        }
}

/* An interleaved tensor: an array [N][C / P][D][H][W][P] of C source, C being rounded up to whole slices of P. */
struct slices {
    struct run run;
    uint32_t size, channels; /* bytes of an element; P */
    int32_t extent[5];       /* W, H, D, N and slices in memory; 1 where the rank is lower */
};

static struct slices slices_of(uint8_t rank, uint8_t interleave, uint8_t type, uint32_t size, uint32_t c)
{
    static const uint32_t extents[] = {7, 3, 2};
    struct slices s = {.size = size, .channels = 8U * interleave * 2 / size, .extent = {1, 1, 1, 2, 1}};
    struct execute_tensor_map *map = &s.run.map;
    uint64_t stride = 16U * interleave;
    *map = (struct execute_tensor_map){.dimensions = {c},
                                       .strides = {size},
                                       .element_strides = {1, 1, 1, 1, 1},
                                       .rank = rank,
                                       .type = type,
                                       .interleave = interleave,
                                       .swizzle = interleave == 2 ? EXECUTE_TENSOR_SWIZZLE_32B : 0};
    s.extent[4] = (int32_t)((c + s.channels - 1) / s.channels);
    for (unsigned i = 1; i + 1U < rank; i++, stride *= map->dimensions[i - 1]) {
        map->dimensions[i] = extents[i - 1];
        s.extent[i - 1] = (int32_t)extents[i - 1];
        map->strides[i] = stride;
    }
    map->dimensions[rank - 1] = 2;
    map->strides[rank - 1] = stride * (uint64_t)s.extent[4];
    return s;
}

/* Where element c of the pixel (w, h, d, n) lies in memory; -1: outside the tensor. */
static int64_t place_in_slices(const struct slices *s, int64_t c, const int64_t at[4])
{
    if (c < 0 || c >= (int64_t)s->run.map.dimensions[0])
        return -1;
    for (unsigned i = 0; i < 4; i++)
        if (at[i] < 0 || at[i] >= s->extent[i])
            return -1;
    int64_t place = at[3] * s->extent[4] + c / s->channels;
    for (unsigned i = 3; i-- > 0;)
        place = place * s->extent[i] + at[i];
    return (place * s->channels + c % s->channels) * s->size;
}

/* Places of a tile's pixels: n, slice, d, h, w from the slowest to the fastest. Returns how many there are. */
static uint32_t tile_places(const struct slices *s, int64_t *places)
{
    const struct execute_tensor_map *map = &s->run.map;
    unsigned last = map->rank - 1U;
    uint32_t count = 0, spatial[3] = {1, 1, 1};
    int32_t from[3] = {0, 0, 0}, by[3] = {1, 1, 1};
    for (unsigned i = 1; i < last; i++) {
        spatial[i - 1] = steps(map, i);
        from[i - 1] = s->run.at[i];
        by[i - 1] = (int32_t)map->element_strides[i];
    }
    for (uint32_t n = 0; n < steps(map, last); n++)
        for (uint32_t c = 0; c < map->box[0]; c += s->channels * map->element_strides[0])
            for (uint32_t d = 0; d < spatial[2]; d++)
                for (uint32_t h = 0; h < spatial[1]; h++)
                    for (uint32_t w = 0; w < spatial[0]; w++)
                        for (uint32_t i = 0; i < s->channels; i++) {
                            int64_t at[4] = {from[0] + (int64_t)w * by[0], from[1] + (int64_t)h * by[1],
                                             from[2] + (int64_t)d * by[2], s->run.at[last] + (int64_t)n};
                            places[count++] = place_in_slices(s, s->run.at[0] + (int64_t)(c + i), at);
                        }
    return count;
}

static void expect_slices(struct slices *s, const int64_t *places, uint32_t count, bool store)
{
    static unsigned char tensor[TENSOR], box[BOX], expected[TENSOR];
    fill(tensor, TENSOR, 21);
    fill(box, BOX, 22);
    if (!store)
        memset(box, 0, BOX);
    memcpy(expected, store ? tensor : box, store ? TENSOR : BOX);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < s->size; j++) {
            uint32_t at = swizzled(s->run.map.swizzle, i * s->size + j);
            if (store && places[i] >= 0)
                expected[places[i] + j] = box[at];
            if (!store)
                expected[at] = places[i] >= 0 ? tensor[places[i] + j] : 0;
        }
    s->run.bytes = count * s->size;
    perform(&s->run, store, tensor, box);
    if (memcmp(store ? tensor : box, expected, store ? TENSOR : BOX) != 0)
        fail_msg("rank %u, interleave %u, %u channels from %d, pixel %d on", s->run.map.rank, s->run.map.interleave,
                 (unsigned)s->run.map.dimensions[0], s->run.at[0], s->run.at[1]);
}

/* Tiles of tensors of whole and of broken slices, of elements of 1, 2, 4 bytes, that reach beyond every edge. */
static void test_slices(void **unused)
{
    (void)unused;
    static int64_t places[BOX];
    static const uint8_t types[] = {EXECUTE_TENSOR_U8, EXECUTE_TENSOR_F16, EXECUTE_TENSOR_S32};
    for (uint8_t rank = 3; rank <= 5; rank++)
        for (unsigned i = 0; i < 36; i++) {
            uint32_t size = 1U << i % 3, interleave = 1 + i / 3 % 2, channels = 16 * interleave / size;
            struct slices s = slices_of(rank, (uint8_t)interleave, types[i % 3], size,
                                        i / 6 % 3 == 2 ? 2 * channels + 1 : 3 * channels);
            struct execute_tensor_map *map = &s.run.map;
            map->box[0] = 2 * channels;
            s.run.at[0] = ((int32_t)(i / 6 % 4) - 1) * (int32_t)channels;
            for (unsigned k = 1; k < rank; k++) {
                map->box[k] = k + 1U < rank ? 6 - k : 2;
                map->element_strides[k] = 1 + (i >= 18 && k + 1U < rank ? (i + k) % 2 : 0);
                s.run.at[k] = (int32_t)(i + k) % 4 - 1;
            }
            map->element_strides[0] = 1 + (i % 5 == 4);
            uint32_t count = tile_places(&s, places);
            expect_slices(&s, places, count, false);
            expect_slices(&s, places, count, true);
        }
}

/* Images as columns: the pixels of the first slice, then those of the second. */
static void test_slices_of_images(void **unused)
{
    (void)unused;
    static int64_t places[BOX];
    for (unsigned i = 0; i < 4; i++) {
        struct slices s = slices_of(4, (uint8_t)(1 + i % 2), EXECUTE_TENSOR_F16, 2, 48);
        struct execute_tensor_map *map = &s.run.map;
        uint32_t count = 0;
        map->im2col = true;
        map->channels = 2 * s.channels;
        map->pixels = 17 + i;
        map->lower[0] = map->lower[1] = map->upper[0] = map->upper[1] = -1;
        s.run.copy = "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [w], "
                     "[m, {c0, c1, c2, c3}], [b], {h0, h1}";
        s.run.at[0] = (int32_t)(i / 2 * s.channels);
        s.run.at[1] = 2;
        for (uint32_t slice = 0; slice < 2; slice++) {
            int32_t pixel[5] = {0, s.run.at[1], s.run.at[2], s.run.at[3]};
            for (uint32_t p = 0; p < map->pixels; p++, advance(&s.run, pixel))
                for (uint32_t c = 0; c < s.channels; c++) {
                    int64_t at[4] = {pixel[1] + 1, pixel[2] + 2, 0, pixel[3]};
                    places[count++] = place_in_slices(&s, s.run.at[0] + (int64_t)(slice * s.channels + c), at);
                }
        }
        expect_slices(&s, places, count, false);
    }
}

/* A multicast to the one block of its cluster, a hint, and none to blocks that are not there. */
static void test_multicast(void **unused)
{
    (void)unused;
    struct run run = small(2);
    run.copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster."
               "L2::cache_hint [w], [m, {c0, c1}], [b], h0, 0x1000000000000000";
    expect_load(&run, NULL);
    static unsigned char tensor[TENSOR], box[BOX];
    run.copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
               "[w], [m, {c0, c1}], [b], h1";
    run.fault = "a multicast to blocks that the cluster does not have";
    perform(&run, false, tensor, box);
}

static void test_faults(void **unused)
{
    (void)unused;
    static unsigned char tensor[TENSOR], box[BOX];
    struct run run = small(2);
    run.copy = "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [w], "
               "[m, {c0, c1, c2}], [b]";
    run.fault = "no tensor map of this rank and mode";
    perform(&run, false, tensor, box);
    run.copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [w+16], "
               "[m, {c0, c1}], [b]";
    run.fault = "a misaligned access";
    perform(&run, false, tensor, box);
    run.copy = "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [w+49152], "
               "[m, {c0, c1}], [b]";
    run.fault = "outside the block's shared memory";
    perform(&run, false, tensor, box);
    run = small(3);
    run.map.interleave = EXECUTE_TENSOR_INTERLEAVE_16B;
    run.at[0] = 4;
    run.fault = "begins or ends inside a slice of channels";
    perform(&run, false, tensor, box);
    run.at[0] = 0;
    run.map.box[0] = 12;
    perform(&run, false, tensor, box);
}

/* Reductions: into a tensor, and of bytes without one. */
static void test_reductions(void **unused)
{
    (void)unused;
    static uint32_t tensor[TENSOR / 4], box[BOX / 4], expected[TENSOR / 4];
    struct run run = small(2);
    run.map.type = EXECUTE_TENSOR_S32;
    run.map.strides[0] = 4;
    run.map.dimensions[0] = 11;
    run.map.box[0] = 8;
    run.at[0] = 5;
    run.at[1] = 6;
    static const char *const copies[] = {
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [m, {c0, c1}], [w]",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [m, {c0, c1}], [w]"};
    for (unsigned i = 0; i < 2; i++) {
        fill((unsigned char *)tensor, TENSOR, 5);
        fill((unsigned char *)box, BOX, 6);
        memcpy(expected, tensor, sizeof tensor);
        for (uint32_t e = 0; e < elements_of(&run); e++) {
            int64_t place = place_of(&run, e);
            if (place < 0)
                continue;
            int32_t old = (int32_t)tensor[place / 4], more = (int32_t)box[e];
            expected[place / 4] = i ? (uint32_t)(old > more ? old : more) : (uint32_t)old + (uint32_t)more;
        }
        run.copy = copies[i];
        perform(&run, true, (unsigned char *)tensor, (unsigned char *)box);
        assert_memory_equal(tensor, expected, sizeof tensor);
    }
    float sums[64], more[64];
    for (int i = 0; i < 64; i++) {
        sums[i] = (float)i;
        more[i] = 0.5F;
    }
    struct run bytes = small(1);
    memcpy(box, more, sizeof more);
    memcpy(box + 64, sums, sizeof sums);
    bytes.copy = "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [o+256], [w], 256";
    perform(&bytes, true, (unsigned char *)tensor, (unsigned char *)box);
    memcpy(sums, box + 64, sizeof sums);
    for (int i = 0; i < 64; i++)
        assert_true(sums[i] == (float)i + 0.5F);
}

/* A kernel that gives the map another address and box before it uses it. */
static void test_replace(void **unused)
{
    (void)unused;
    static const char text[] =
        ".version 8.6\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 s[];\n"
        ".visible .entry k(.param .u64 pmap, .param .u64 ptensor, .param .u64 pout)\n{\n"
        ".reg .b64 m, o, a, x;\n.reg .b32 t, w, b, v, z, u;\n.reg .pred p, q;\n"
        "ld.param.u64 m, [pmap];\nld.param.u64 a, [ptensor];\nld.param.u64 o, [pout];\nmov.u32 t, %tid.x;\n"
        "mov.u32 w, s;\nadd.u32 b, w, 4096;\nadd.u32 u, w, 8192;\nshl.b32 z, t, 2;\ncvt.u64.u32 x, z;\nadd.u64 x, x, "
        "m;\n"
        "ld.global.b32 v, [x];\nadd.u32 z, z, u;\nst.shared.b32 [z], v;\nbar.sync 0;\nsetp.eq.u32 p, t, 0;\n"
        "@p tensormap.replace.tile.global_address.shared::cta.b1024.b64 [u], a;\n"
        "@p tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [u], 1, 2;\n"
        "@p tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [u], 1, 3;\n"
        "@p tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [u], 0, 64;\n"
        "@p mbarrier.init.shared::cta.b64 [b], 1;\nbar.warp.sync 0xffffffff;\n"
        "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [m], [u], 128;\n"
        "fence.proxy.tensormap::generic.acquire.gpu [m], 128;\n@p prefetch.tensormap [m];\n"
        "@p mbarrier.arrive.expect_tx.shared::cta.b64 _, [b], 64;\n"
        "@p cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [w], [m, {0, 2}], [b];\n"
        "wait:\nmbarrier.try_wait.parity.shared::cta.b64 q, [b], 0;\n@!q bra wait;\n"
        "shl.b32 t, t, 2;\nadd.u32 z, w, t;\nld.shared.b32 v, [z];\ncvt.u64.u32 x, t;\nadd.u64 x, x, o;\n"
        "st.global.b32 [x], v;\nret;\n}\n";
    struct bench bench;
    struct execute_tensor_map map = small(2).map;
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS], out[32], expected[32] = {0};
    static unsigned char tensor[TENSOR];
    fill(tensor, TENSOR, 8);
    execute_tensor_map_encode(&map, words);
    bench_open(&bench, NULL, text);
    uint64_t at = bench_buffer(&bench, words, sizeof words), data = bench_buffer(&bench, tensor, TENSOR);
    uint64_t result = bench_buffer(&bench, NULL, sizeof out);
    if (!BENCH_RUN(&bench, "k", 1, 32, 8192 + 128, &at, &data, &result))
        fail_msg("%s", bench.error.text);
    bench_read(&bench, result, out, sizeof out);
    memcpy(expected, tensor + 2 * 64, 32); /* row 2; row 3 lies outside now */
    assert_memory_equal(out, expected, sizeof out);
    bench_close(&bench);
}

int main(int count, char **arguments)
{
    if (count > 1) { /* a kernel's text, for an assembler */
        printf(load_text, arguments[1]);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_swizzles),
        cmocka_unit_test(test_fills_and_strides),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_images),
        cmocka_unit_test(test_slices),
        cmocka_unit_test(test_slices_of_images),
        cmocka_unit_test(test_multicast),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_reductions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
