/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's floats are rounded as the kernel's are: no library's function is used but the square root. */
#include "common/app.h"

#include <math.h>

enum { WIDTH, HEIGHT, SPHERES, BOUNCES };

struct vector {
    float x, y, z;
};

struct sphere {
    struct vector centre;
    float radius;
    struct vector colour;
    float mirror;
};

struct scene {
    uint32_t count;
    struct sphere spheres[16];
};

static const struct vector light = {0.48f, 0.64f, -0.6f};

static float dot(struct vector a, struct vector b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static struct vector along(struct vector a, struct vector b, float t)
{
    return (struct vector){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}

static const struct sphere *nearest(const struct scene *scene, struct vector from, struct vector to, float *distance)
{
    const struct sphere *found = NULL;
    *distance = 1e30f;
    for (uint32_t i = 0; i < scene->count; i++) {
        const struct sphere *s = &scene->spheres[i];
        struct vector gap = {s->centre.x - from.x, s->centre.y - from.y, s->centre.z - from.z};
        float middle = dot(gap, to), inside = s->radius * s->radius - (dot(gap, gap) - middle * middle);
        float far = inside > 0 ? middle - sqrtf(inside) : 0;
        if (far > 0.001f && far < *distance) {
            *distance = far;
            found = s;
        }
    }
    return found;
}

static bool is_dark(struct vector place)
{
    return ((int)(place.x + 1000.0f) + (int)(place.z + 1000.0f)) & 1;
}

/* Adds what the ray meets to the colour; what its mirror shows comes from a ray of its own. */
static void trace(const struct scene *scene, struct vector from, struct vector to, uint32_t bounces, float weight,
                  struct vector *colour)
{
    float distance, mirror = 0.25f, nothing;
    const struct sphere *s = nearest(scene, from, to, &distance);
    struct vector normal = {0, 1, 0}, own = {0.9f, 0.9f, 0.9f}, place;
    if (s) {
        place = along(from, to, distance);
        normal = (struct vector){(place.x - s->centre.x) / s->radius, (place.y - s->centre.y) / s->radius,
                                 (place.z - s->centre.z) / s->radius};
        own = s->colour;
        mirror = s->mirror;
    } else if (to.y < -0.0001f) {
        place = along(from, to, -from.y / to.y);
        if (is_dark(place))
            own = (struct vector){0.2f, 0.3f, 0.2f};
    } else {
        *colour = along(*colour, (struct vector){0.4f, 0.6f, 0.9f}, weight);
        return;
    }
    float bright = dot(normal, light);
    if (bright < 0 || nearest(scene, place, light, &nothing))
        bright = 0;
    *colour = along(*colour, own, weight * (1 - mirror) * (0.2f + 0.8f * bright));
    weight *= mirror;
    if (bounces && !(weight < 0.01f))
        trace(scene, along(place, normal, 0.001f), along(to, normal, -2 * dot(to, normal)), bounces - 1, weight,
              colour);
}

static uint32_t channel(float value)
{
    float scaled = value * 255;
    return scaled >= 255 ? 255 : scaled <= 0 ? 0 : (uint32_t)scaled;
}

static void ray_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT], bounces = run->sizes[BOUNCES];
    uint32_t *picture = app_host(run, (size_t)width * height, 4);
    struct scene scene = {.count = run->sizes[SPHERES]};
    for (uint32_t i = 0; i < scene.count; i++) {
        struct sphere *s = &scene.spheres[i];
        float radius = app_uniform(run, 0.3f, 0.9f);
        *s = (struct sphere){{app_uniform(run, -3, 3), radius, app_uniform(run, 0, 6)}, radius, {0}, 0.5f};
        s->colour = (struct vector){app_uniform(run, 0.2f, 1), app_uniform(run, 0.2f, 1), app_uniform(run, 0.2f, 1)};
    }
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            struct vector colour = {0}, to = {((float)x - (float)width * 0.5f) / (float)height,
                                              ((float)height * 0.5f - (float)y) / (float)height, 1};
            float length = sqrtf(dot(to, to));
            to = (struct vector){to.x / length, to.y / length, to.z / length};
            trace(&scene, (struct vector){0, 1, -4}, to, bounces, 1, &colour);
            picture[y * width + x] = channel(colour.x) | channel(colour.y) << 8 | channel(colour.z) << 16;
        }
    CUdeviceptr to = app_device(run, 4 * (size_t)width * height);
    app_write(run, app_variable(run, "ray_spheres"), scene.spheres, sizeof scene.spheres);
    app_launch(run, "ray", app_shape2(width, height, 16, 8), &to, &width, &height, &scene.count, &bounces);
    app_check_words(run, "picture", app_read(run, to, 4 * (size_t)width * height), picture, (size_t)width * height);
}

const struct app app_ray = {
    .name = "ray",
    .suite = "ISPASS-2009",
    .summary = "a picture of mirroring spheres, by ray tracing",
    .stresses =
        "Divergence: rays of one warp meet different things, bounce a different number of times and leave loops "
        "early. Exact square roots and divisions in plain arithmetic, with the scene in constant memory, whose "
        "lanes no longer read the same word once they have met different spheres.",
    .tolerance = "exact",
    .sizes = {{"width", 96, 1, 8192, 0, "columns", NULL},
              {"height", 48, 1, 8192, 0, "rows", NULL},
              {"spheres", 8, 0, 16, 0, "spheres", NULL},
              {"bounces", 4, 0, 20, 0, "reflections of a ray", NULL}},
    .run = ray_run};
