/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places of the rows of a tensor copy's box in global and in shared memory (PTX ISA 9.0, tensors: tile, im2col,
 * interleave layout).
 *
 * An interleaved tensor, NC/8DHWC8 of two-byte elements, has its channels in slices of 16 or 32 bytes: for each image,
 * the pixels of the first slice, then those of the second, and so on. Its map has the strides of W, H, D and N, but
 * none of slices; slices are therefore adjacent, i.e. as far apart as the last dimension of an image is long. In shared
 * memory a box has the same order, slice by slice. Adjacent pixels form one row: on an H100, such a copy of 16 KiB
 * takes 567 cycles, one with rows of 16 bytes 1437, and one with rows of 128 bytes 548 (Sownelayt/ventus-env).
 */
#include "execute/copy/tensor_copy.h"

static uint32_t steps_of(uint32_t box, uint32_t stride)
{
    return (box + stride - 1) / stride;
}

static uint32_t inner_of(const struct execute_tensor_map *map)
{
    return map->im2col ? map->channels : map->box[0];
}

uint32_t execute_tensor_slice(const struct execute_tensor_map *map)
{
    return map->interleave ? (8U << map->interleave) / (uint32_t)map->strides[0] : 0;
}

/* Slices of a box; the stride of dimension 0 counts them, as no part of one can be left out. */
static uint32_t slices_of(const struct execute_tensor_map *map)
{
    uint32_t slice = execute_tensor_slice(map);
    return slice ? steps_of((inner_of(map) + slice - 1) / slice, map->element_strides[0]) : 1;
}

/* Pixels of an interleaved tile that are one row: as many as are a part of its width, if they touch each other and
 * slices are whole. */
static uint32_t run_of(const struct execute_tensor_map *map)
{
    uint32_t slice = execute_tensor_slice(map), bytes = slice * (uint32_t)map->strides[0];
    if (!slice || map->im2col || map->strides[1] != bytes || map->element_strides[1] != 1 || map->dimensions[0] % slice)
        return 1;
    uint32_t run = map->box[1] * bytes <= EXECUTE_TENSOR_ROW_BYTES ? map->box[1] : EXECUTE_TENSOR_ROW_BYTES / bytes;
    while (map->box[1] % run)
        run--;
    return run;
}

uint32_t execute_tensor_row_bytes(const struct execute_tensor_map *map)
{
    uint32_t slice = execute_tensor_slice(map);
    return (slice ? slice * run_of(map) : inner_of(map)) * (uint32_t)map->strides[0];
}

uint32_t execute_tensor_rows(const struct execute_tensor_map *map)
{
    uint32_t rows = slices_of(map);
    if (map->im2col)
        return rows * map->pixels;
    for (unsigned i = 1; i < map->rank; i++)
        rows *= steps_of(map->box[i], map->element_strides[i]);
    return rows / run_of(map);
}

/* A row's place in each dimension, and *slice, which of the box's slices it is of. */
static void place_tile(const struct execute_tensor_request *request, uint32_t row, int64_t at[EXECUTE_TENSOR_RANK],
                       uint32_t *slice)
{
    const struct execute_tensor_map *map = &request->map;
    uint32_t run = run_of(map);
    for (unsigned i = 1; i < map->rank; i++) {
        if (map->interleave && i + 1 == map->rank) {
            *slice = row % slices_of(map);
            row /= slices_of(map);
        }
        uint32_t each = i == 1 ? run : 1, steps = steps_of(map->box[i], map->element_strides[i]) / each;
        at[i] = request->coordinates[i] + (int64_t)(row % steps) * each * map->element_strides[i];
        row /= steps;
    }
}

/* Pixels are counted through the box between the corners, dimension 1 first, and then through the images. */
static void place_pixel(const struct execute_tensor_request *request, uint32_t row, int64_t at[EXECUTE_TENSOR_RANK])
{
    const struct execute_tensor_map *map = &request->map;
    int64_t carry = row;
    for (unsigned i = 1; i + 1 < map->rank; i++) {
        int64_t stride = map->element_strides[i], lower = map->lower[i - 1];
        int64_t extent = (int64_t)map->dimensions[i] + map->upper[i - 1] - lower;
        int64_t steps = (extent + stride - 1) / stride;
        int64_t start = (request->coordinates[i] - lower) / stride;
        steps = steps > 0 ? steps : 1;
        carry += start;
        at[i] = lower + carry % steps * stride + request->offsets[i - 1];
        carry /= steps;
    }
    at[map->rank - 1] = request->coordinates[map->rank - 1] + carry;
}

/* Clips `count` positions from `at` on to a dimension: the first valid one, and the end. */
static void clip(int64_t at, uint32_t count, uint64_t dimension, int64_t *first, int64_t *end)
{
    *first = at < 0 ? 0 : at;
    *end = at + count > (int64_t)dimension ? (int64_t)dimension : at + count;
}

/* The part of a slice's row that lies inside the tensor. If the row has several pixels, they begin at at[1]. */
static void take_slice(const struct execute_tensor_map *map, int64_t at[EXECUTE_TENSOR_RANK],
                       struct execute_tensor_piece *piece)
{
    uint32_t channels = execute_tensor_slice(map), size = (uint32_t)map->strides[0], run = run_of(map);
    int64_t first, end, pixel, last;
    clip(at[0], channels, map->dimensions[0], &first, &end);
    clip(at[1], run, map->dimensions[1], &pixel, &last);
    if (first != at[0] || first >= end || pixel >= last)
        return;
    uint64_t slice = (uint64_t)first / channels;
    piece->before = (uint32_t)(pixel - at[1]) * channels * size;
    piece->bytes = run > 1 ? (uint32_t)(last - pixel) * channels * size : (uint32_t)(end - first) * size;
    piece->global +=
        (uint64_t)pixel * map->strides[1] + slice * map->dimensions[map->rank - 2] * map->strides[map->rank - 2];
}

static void take_row(const struct execute_tensor_map *map, int64_t at, uint32_t count,
                     struct execute_tensor_piece *piece)
{
    uint32_t size = (uint32_t)map->strides[0];
    int64_t first, end;
    clip(at, count, map->dimensions[0], &first, &end);
    if (first >= end)
        return;
    piece->before = (uint32_t)(first - at) * size;
    piece->bytes = (uint32_t)(end - first) * size;
    piece->global += (uint64_t)first * size;
}

struct execute_tensor_piece execute_tensor_piece_of(const struct execute_tensor_request *request, uint32_t row)
{
    const struct execute_tensor_map *map = &request->map;
    uint32_t row_bytes = execute_tensor_row_bytes(map), slice = 0;
    struct execute_tensor_piece piece = {.shared = request->shared + row * row_bytes, .global = map->address};
    int64_t at[EXECUTE_TENSOR_RANK] = {0};
    if (map->im2col) {
        slice = map->interleave ? row / map->pixels : 0;
        place_pixel(request, row - slice * map->pixels, at);
    } else {
        place_tile(request, row, at, &slice);
    }
    at[0] = request->coordinates[0] + (int64_t)slice * map->element_strides[0] * execute_tensor_slice(map);
    for (unsigned i = map->interleave ? 2 : 1; i < map->rank; i++) {
        if (at[i] < 0 || (uint64_t)at[i] >= map->dimensions[i])
            return piece;
        piece.global += (uint64_t)at[i] * map->strides[i];
    }
    if (map->interleave)
        take_slice(map, at, &piece);
    else
        take_row(map, at[0], inner_of(map), &piece);
    return piece;
}
