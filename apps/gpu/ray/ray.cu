// SPDX-License-Identifier: BSD-3-Clause
// Spheres above a chequered floor, with shadows and reflections, one ray for each thread. Nothing but roundings that IEEE
// 754 defines, so that the host's picture has the same bits.
// no fma
#include "common/device.h"

enum { SPHERE = 8 }; // x, y, z, radius, red, green, blue, reflection

extern "C" __constant__ float ray_spheres[16 * SPHERE] = {};

struct vector {
    float x, y, z;
};

static __device__ vector vector_of(float x, float y, float z)
{
    vector v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

static __device__ vector along(vector a, vector b, float t)
{
    return vector_of(a.x + t * b.x, a.y + t * b.y, a.z + t * b.z);
}

static __device__ float dot(vector a, vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// How far the nearest sphere is, and which it is; `count`: there is none.
static __device__ float nearest(vector from, vector to, u32 count, u32 *which)
{
    float best = 1e30f;
    *which = count;
    for (u32 i = 0; i < count; i++) {
        const float *s = ray_spheres + i * SPHERE;
        vector gap = vector_of(s[0] - from.x, s[1] - from.y, s[2] - from.z);
        float middle = dot(gap, to), inside = s[3] * s[3] - (dot(gap, gap) - middle * middle);
        if (inside <= 0.0f)
            continue;
        float distance = middle - sqrt_rn(inside);
        if (distance > 0.001f && distance < best) {
            best = distance;
            *which = i;
        }
    }
    return best;
}

static __device__ u32 channel(float value)
{
    float scaled = value * 255.0f;
    return scaled >= 255.0f ? 255 : scaled <= 0.0f ? 0 : (u32)scaled;
}

extern "C" __global__ void ray(u32 *picture, u32 width, u32 height, u32 count, u32 bounces)
{
    u32 px = GLOBAL_X, py = GLOBAL_Y;
    if (px >= width || py >= height)
        return;
    vector light = vector_of(0.48f, 0.64f, -0.6f), from = vector_of(0.0f, 1.0f, -4.0f);
    vector to = vector_of(((float)px - (float)width * 0.5f) / (float)height,
                          ((float)height * 0.5f - (float)py) / (float)height, 1.0f);
    float length = sqrt_rn(dot(to, to)), weight = 1.0f, red = 0.0f, green = 0.0f, blue = 0.0f;
    to = vector_of(to.x / length, to.y / length, to.z / length);
    for (u32 bounce = 0; bounce <= bounces; bounce++) {
        u32 which, shadow;
        float distance = nearest(from, to, count, &which), mirror = 0.25f;
        vector normal = vector_of(0.0f, 1.0f, 0.0f), colour = vector_of(0.9f, 0.9f, 0.9f), place;
        if (which < count) {
            const float *s = ray_spheres + which * SPHERE;
            place = along(from, to, distance);
            normal = vector_of((place.x - s[0]) / s[3], (place.y - s[1]) / s[3], (place.z - s[2]) / s[3]);
            colour = vector_of(s[4], s[5], s[6]);
            mirror = s[7];
        } else if (to.y < -0.0001f) {
            place = along(from, to, -from.y / to.y);
            if (((int)(place.x + 1000.0f) + (int)(place.z + 1000.0f)) & 1)
                colour = vector_of(0.2f, 0.3f, 0.2f);
        } else {
            red += weight * 0.4f;
            green += weight * 0.6f;
            blue += weight * 0.9f;
            break;
        }
        float bright = dot(normal, light);
        nearest(place, light, count, &shadow);
        if (bright < 0.0f || shadow < count)
            bright = 0.0f;
        float share = weight * (1.0f - mirror) * (0.2f + 0.8f * bright);
        red += share * colour.x;
        green += share * colour.y;
        blue += share * colour.z;
        weight *= mirror;
        if (weight < 0.01f)
            break;
        to = along(to, normal, -2.0f * dot(to, normal));
        from = along(place, normal, 0.001f);
    }
    picture[py * width + px] = channel(red) | channel(green) << 8 | channel(blue) << 16;
}
