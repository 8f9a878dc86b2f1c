/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the rows of a tensor copy's box lie in global and in shared memory (PTX ISA 9.0, tensors: tile, im2col). */
#include "execute/copy/tensor_copy.h"

static uint32_t steps_of(uint32_t box, uint32_t stride)
{
    return (box + stride - 1) / stride;
}

uint32_t execute_tensor_row_bytes(const struct execute_tensor_map *map)
{
    return (map->im2col ? map->channels : map->box[0]) * (uint32_t)map->strides[0];
}

uint32_t execute_tensor_rows(const struct execute_tensor_map *map)
{
    uint32_t rows = 1;
    if (map->im2col)
        return map->pixels;
    for (unsigned i = 1; i < map->rank; i++)
        rows *= steps_of(map->box[i], map->element_strides[i]);
    return rows;
}

static void place_tile(const struct execute_tensor_request *request, uint32_t row, int64_t at[EXECUTE_TENSOR_RANK])
{
    const struct execute_tensor_map *map = &request->map;
    for (unsigned i = 1; i < map->rank; i++) {
        uint32_t steps = steps_of(map->box[i], map->element_strides[i]);
        at[i] = request->coordinates[i] + (int64_t)(row % steps) * map->element_strides[i];
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

struct execute_tensor_piece execute_tensor_piece_of(const struct execute_tensor_request *request, uint32_t row)
{
    const struct execute_tensor_map *map = &request->map;
    uint32_t size = (uint32_t)map->strides[0], row_bytes = execute_tensor_row_bytes(map);
    struct execute_tensor_piece piece = {.shared = request->shared + row * row_bytes, .global = map->address};
    int64_t at[EXECUTE_TENSOR_RANK] = {request->coordinates[0]};
    if (map->im2col)
        place_pixel(request, row, at);
    else
        place_tile(request, row, at);
    for (unsigned i = 1; i < map->rank; i++) {
        if (at[i] < 0 || (uint64_t)at[i] >= map->dimensions[i])
            return piece;
        piece.global += (uint64_t)at[i] * map->strides[i];
    }
    int64_t first = at[0] < 0 ? 0 : at[0], last = at[0] + row_bytes / size;
    last = last > (int64_t)map->dimensions[0] ? (int64_t)map->dimensions[0] : last;
    if (first >= last)
        return piece;
    piece.before = (uint32_t)(first - at[0]) * size;
    piece.bytes = (uint32_t)(last - first) * size;
    piece.global += (uint64_t)first * size;
    return piece;
}
