/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tex and tld4: point and linear filtering of 1, 2 and 3 dimensions, of layers and of cube maps. Linear filtering takes
 * weights of 8 bits of fraction, as the programming guide states; products and sums are in single precision, in
 * ascending order of texels.
 */
#include "execute/memory/texture.h"
#include "execute/lanes/lane_math.h"
#include "execute/warp/frame.h"

#include <string.h>

struct sampling { /* sampling by one lane */
    struct execute_warp *warp;
    const struct execute_texture *texture;
    uint32_t lane, dimensions;
    bool layered;
    uint64_t first_address; /* address of the first texel, for timing models */
};

/* A whole coordinate inside the texture, or -1: the border. */
static int64_t address_texel(const struct execute_texture *texture, uint32_t axis, int64_t at)
{
    int64_t size = texture->size[axis];
    if (at >= 0 && at < size)
        return at;
    if (texture->buffer)
        return -1;
    uint8_t mode = texture->addressing[axis];
    if (!texture->normalized && mode != EXECUTE_ADDRESS_BORDER)
        mode = EXECUTE_ADDRESS_CLAMP; /* the others need coordinates from 0 to 1 */
    switch (mode) {
    case EXECUTE_ADDRESS_WRAP:
        return (at % size + size) % size;
    case EXECUTE_ADDRESS_MIRROR: {
        int64_t place = (at % (2 * size) + 2 * size) % (2 * size);
        return place < size ? place : 2 * size - 1 - place;
    }
    case EXECUTE_ADDRESS_CLAMP:
        return at < 0 ? 0 : size - 1;
    default:
        return -1;
    }
}

static float channel_value(const struct execute_texture *texture, uint32_t bits)
{
    if (texture->kind == EXECUTE_TEXEL_FLOAT)
        return float_of(texture->channel_bytes == 2 ? widen_half(bits) : bits);
    int32_t whole = texture->kind == EXECUTE_TEXEL_SIGNED
                        ? (int32_t)(bits << (32 - 8 * texture->channel_bytes)) >> (32 - 8 * texture->channel_bytes)
                        : (int32_t)bits;
    if (texture->kind == EXECUTE_TEXEL_SIGNED) {
        float value = (float)whole / (texture->channel_bytes == 1 ? 127.0f : 32767.0f);
        return value < -1.0f ? -1.0f : value;
    }
    return (float)whole / (texture->channel_bytes == 1 ? 255.0f : 65535.0f);
}

/* The channels' bits of a texel; false: a fault. Outside and missing channels are zero, a missing fourth one too. */
static bool fetch(struct sampling *sampling, const int64_t at[3], uint32_t channels[4])
{
    const struct execute_texture *texture = sampling->texture;
    uint64_t addresses[32] = {0}, place[3] = {0, 0, 0};
    memset(channels, 0, 4 * sizeof *channels);
    for (uint32_t axis = 0; axis < 3; axis++) {
        bool layer = sampling->layered && axis == 2;
        int64_t inside = axis < sampling->dimensions || layer ? address_texel(texture, axis, at[axis]) : 0;
        if (layer)
            inside = at[axis] < 0 ? 0 : at[axis] >= texture->size[2] ? (int64_t)texture->size[2] - 1 : at[axis];
        if (inside < 0)
            return true;
        place[axis] = (uint64_t)inside;
    }
    uint32_t bytes = (uint32_t)texture->channels * texture->channel_bytes;
    uint64_t rows = place[2] * (texture->size[1] ? texture->size[1] : 1) + place[1];
    uint64_t address = texture->address + rows * texture->pitch + place[0] * bytes;
    unsigned char texel[16] = {0};
    sampling->first_address = sampling->first_address ? sampling->first_address : address;
    addresses[sampling->lane] = address;
    if (!execute_access(sampling->warp, EXECUTE_SPACE_GLOBAL, false, 1u << sampling->lane, addresses, bytes, texel, 0))
        return false;
    for (uint32_t i = 0; i < texture->channels; i++)
        memcpy(&channels[i], texel + i * texture->channel_bytes, texture->channel_bytes);
    return true;
}

/* Converts a texel's channel to the value returned by unfiltered access. */
static uint32_t deliver(const struct execute_texture *texture, uint32_t bits)
{
    if (texture->kind == EXECUTE_TEXEL_FLOAT || texture->read_normalized)
        return bits_of(channel_value(texture, bits));
    if (texture->kind == EXECUTE_TEXEL_SIGNED)
        return (uint32_t)((int32_t)(bits << (32 - 8 * texture->channel_bytes)) >> (32 - 8 * texture->channel_bytes));
    return bits;
}

static int64_t whole_part(float value)
{
    double clamped = value > 0x1p40f ? 0x1p40 : value > -0x1p40f ? (double)value : -0x1p40; /* NaN: far below */
    int64_t whole = (int64_t)clamped;
    return whole - ((double)whole > clamped);
}

/* The 2, 4 or 8 texels around a point, weighted. */
static bool filter(struct sampling *sampling, const float point[3], int64_t layer, uint32_t out[4])
{
    int64_t low[3] = {0, 0, layer};
    float weight[3] = {0, 0, 0}, sums[4] = {0, 0, 0, 0};
    for (uint32_t axis = 0; axis < sampling->dimensions; axis++) {
        float shifted = point[axis] - 0.5f;
        low[axis] = whole_part(shifted);
        float fraction = (float)((double)shifted - (double)low[axis]);
        weight[axis] = (float)(int32_t)(fraction * 256.0f + 0.5f) / 256.0f;
    }
    for (uint32_t corner = 0; corner < 1u << sampling->dimensions; corner++) {
        int64_t at[3] = {low[0], low[1], low[2]};
        float share = 1.0f;
        uint32_t channels[4];
        for (uint32_t axis = 0; axis < sampling->dimensions; axis++) {
            bool upper = corner >> axis & 1;
            at[axis] += upper;
            share *= upper ? weight[axis] : 1.0f - weight[axis];
        }
        if (!fetch(sampling, at, channels))
            return false;
        for (uint32_t i = 0; i < sampling->texture->channels; i++)
            sums[i] += share * channel_value(sampling->texture, channels[i]);
    }
    for (uint32_t i = 0; i < 4; i++)
        out[i] = bits_of(canonical(sums[i]));
    return true;
}

/* The texel at a place, as it is delivered. */
static bool nearest_texel(struct sampling *sampling, const int64_t at[3], uint32_t out[4])
{
    const struct execute_texture *texture = sampling->texture;
    uint32_t channels[4];
    if (!fetch(sampling, at, channels))
        return false;
    for (uint32_t i = 0; i < 4; i++)
        out[i] = i < texture->channels ? deliver(texture, channels[i]) : 0;
    return true;
}

/* A point between texels: filtered, if the texture is. */
static bool sample_point(struct sampling *sampling, const float point[3], int64_t layer, uint32_t out[4])
{
    const struct execute_texture *texture = sampling->texture;
    int64_t at[3] = {0, 0, layer};
    if (texture->linear && (texture->kind == EXECUTE_TEXEL_FLOAT || texture->read_normalized))
        return filter(sampling, point, layer, out);
    for (uint32_t axis = 0; axis < sampling->dimensions; axis++)
        at[axis] = whole_part(point[axis]);
    return nearest_texel(sampling, at, out);
}

static bool sample(struct sampling *sampling, bool whole, const uint32_t coordinates[4], uint32_t out[4])
{
    const struct execute_texture *texture = sampling->texture;
    const uint32_t *own = coordinates + (sampling->layered ? 1 : 0);
    int64_t at[3] = {0, 0, sampling->layered ? (int64_t)coordinates[0] : 0};
    float point[3] = {0, 0, 0};
    for (uint32_t axis = 0; axis < sampling->dimensions; axis++) {
        point[axis] = float_of(own[axis]) * (texture->normalized ? (float)texture->size[axis] : 1.0f);
        at[axis] = (int64_t)(int32_t)own[axis];
    }
    return whole ? nearest_texel(sampling, at, out) : sample_point(sampling, point, at[2], out);
}

/* The face of a cube that a direction meets, and where, from 0 to 1 (CUDA C++ Programming Guide, cubemap textures). Of
 * equal magnitudes, of which the guide says nothing, the first counts. The greatest is 1 already. */
static uint32_t face_of(const float direction[3], float place[2])
{
    static const struct {
        uint8_t axis[2];
        float sign[2];
    } faces[6] = {{{2, 1}, {-1, -1}}, {{2, 1}, {1, -1}}, {{0, 2}, {1, 1}},
                  {{0, 2}, {1, -1}},  {{0, 1}, {1, -1}}, {{0, 1}, {-1, -1}}};
    uint32_t greatest = magnitude(direction[1]) > magnitude(direction[0]) ? 1 : 0;
    greatest = magnitude(direction[2]) > magnitude(direction[greatest]) ? 2 : greatest;
    uint32_t face = 2 * greatest + (direction[greatest] < 0);
    for (uint32_t i = 0; i < 2; i++)
        place[i] = (faces[face].sign[i] * direction[faces[face].axis[i]] + 1.0f) * 0.5f;
    return face;
}

/* Coordinates are a direction, behind the number of a cube in an array of them. A filter stays on the face. */
static bool sample_cube(struct sampling *sampling, bool scaled, const uint32_t coordinates[4], uint32_t out[4])
{
    const struct execute_texture *texture = sampling->texture;
    const uint32_t *own = coordinates + (sampling->layered ? 1 : 0);
    int64_t cubes = texture->size[2] / 6, cube = sampling->layered ? (int64_t)coordinates[0] : 0;
    float direction[3], place[2], greatest = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
        direction[axis] = float_of(own[axis]);
        greatest = magnitude(direction[axis]) > greatest ? magnitude(direction[axis]) : greatest;
    }
    for (uint32_t axis = 0; axis < 3 && !scaled; axis++)
        direction[axis] *= sfu_rcp(greatest);
    uint32_t face = face_of(direction, place);
    const float point[3] = {place[0] * (float)texture->size[0], place[1] * (float)texture->size[1], 0};
    sampling->layered = true;
    return sample_point(sampling, point, 6 * (cube < cubes ? cube : cubes - 1) + face, out);
}

/* tld4: one channel of the four texels that a filter would weigh, counter-clockwise from the lower left. */
static bool gather(struct sampling *sampling, uint32_t channel, const uint32_t coordinates[4], uint32_t out[4])
{
    static const int64_t right[4] = {0, 1, 1, 0}, below[4] = {1, 1, 0, 0};
    const struct execute_texture *texture = sampling->texture;
    const uint32_t *own = coordinates + (sampling->layered ? 1 : 0);
    int64_t low[2];
    for (uint32_t axis = 0; axis < 2; axis++) {
        float point = float_of(own[axis]) * (texture->normalized ? (float)texture->size[axis] : 1.0f);
        low[axis] = whole_part(point - 0.5f);
    }
    for (uint32_t i = 0; i < 4; i++) {
        const int64_t at[3] = {low[0] + right[i], low[1] + below[i], sampling->layered ? (int64_t)coordinates[0] : 0};
        uint32_t channels[4];
        if (!fetch(sampling, at, channels))
            return false;
        out[i] = channel < texture->channels ? deliver(texture, channels[channel]) : 0;
    }
    return true;
}

/* The sample that an operation asks for. False: a fault. */
static bool sample_as(struct sampling *sampling, const struct execute_op *op, const uint32_t coordinates[4],
                      uint32_t out[4])
{
    if (op->variant >= EXECUTE_SAMPLE_DIRECTION)
        return sample_cube(sampling, op->variant == EXECUTE_SAMPLE_CUBE, coordinates, out);
    if (op->variant >= EXECUTE_GATHER)
        return gather(sampling, op->variant - EXECUTE_GATHER, coordinates, out);
    return sample(sampling, op->access.operation != EXECUTE_f32, coordinates, out);
}

/* Whether a handle is of a texture that an operation can read. */
static bool is_readable(const struct execute_texture *texture, const struct execute_op *op)
{
    return texture && (op->variant < EXECUTE_SAMPLE_DIRECTION ||
                       (texture->size[0] == texture->size[1] && texture->size[2] && texture->size[2] % 6 == 0));
}

void execute_step_texture(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const uint32_t *list = (const uint32_t *)warp->launch->code->list.items + op->list;
    const struct execute_port *port = warp->cta->port;
    struct execute_record *record = warp->record;
    uint32_t results[4][32] = {{0}}, bytes = 4;
    uint64_t addresses[32] = {0};
    warp->record = NULL; /* one access represents all texels of a lane */
    for (uint32_t rest = lanes; rest && warp->status == EXECUTE_RUNNING; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest), coordinates[4] = {0, 0, 0, 0}, out[4];
        struct sampling sampling = {
            .warp = warp, .lane = lane, .dimensions = op->access.count, .layered = op->access.framed};
        uint64_t handle = execute_long_at(warp, op->a, lane);
        sampling.texture = port->texture ? port->texture(port->context, handle) : NULL;
        for (uint32_t i = 0; i < op->list_sources && i < 4; i++)
            coordinates[i] = ((const uint32_t *)execute_at(warp, list[op->list_results + i]))[lane];
        if (!is_readable(sampling.texture, op)) {
            execute_fault(warp, EXECUTE_FAULT_TEXTURE, lane, handle);
            break;
        }
        if (sampling.dimensions > 1 && !sampling.texture->size[1]) /* machine code has one dimension as two */
            sampling.dimensions = 1;
        if (!sample_as(&sampling, op, coordinates, out))
            break;
        for (uint32_t i = 0; i < 4; i++)
            results[i][lane] = out[i];
        bytes = (uint32_t)sampling.texture->channels * sampling.texture->channel_bytes;
        addresses[lane] = sampling.first_address ? sampling.first_address : sampling.texture->address;
    }
    warp->record = record;
    if (record) {
        record->space = EXECUTE_SPACE_GLOBAL;
        record->bytes = bytes;
        memcpy(record->addresses, addresses, sizeof addresses);
    }
    for (uint32_t i = 0; i < op->list_results; i++)
        execute_blend(warp, execute_to(warp, list[i]), results[i], 4, lanes);
}
