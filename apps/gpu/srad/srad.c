/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

enum { WIDTH, HEIGHT, STEPS };
enum { BLOCKS = 8 };

struct image {
    int64_t width, height;
    double *values, *coefficients;
};

static double at(const struct image *image, const double *values, int64_t x, int64_t y)
{
    x = x < 0 ? 0 : x >= image->width ? image->width - 1 : x;
    y = y < 0 ? 0 : y >= image->height ? image->height - 1 : y;
    return values[y * image->width + x];
}

/* The square of the coefficient of variation, from sums of values and of their squares. */
static double variation(double sum, double square, double count)
{
    double mean = sum / count;
    return (square / count - mean * mean) / (mean * mean);
}

static double coefficient(const struct image *image, int64_t x, int64_t y, double q0)
{
    const double *v = image->values;
    double here = at(image, v, x, y), gradient = 0, laplacian = 0;
    for (int side = 0; side < 4; side++) {
        static const int dx[] = {0, 0, -1, 1}, dy[] = {-1, 1, 0, 0};
        double difference = at(image, v, x + dx[side], y + dy[side]) - here;
        gradient += difference * difference / (here * here);
        laplacian += difference / here;
    }
    double scale = 1 + laplacian / 4, q = (gradient / 2 - laplacian * laplacian / 16) / (scale * scale);
    double c = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

static void step(struct image *image, double *next, double rate)
{
    double sum = 0, square = 0, *v = image->values, *c = image->coefficients;
    int64_t count = image->width * image->height;
    for (int64_t i = 0; i < count; i++) {
        sum += v[i];
        square += v[i] * v[i];
    }
    double q0 = variation(sum, square, (double)count);
    for (int64_t i = 0; i < count; i++)
        c[i] = coefficient(image, i % image->width, i / image->width, q0);
    for (int64_t i = 0; i < count; i++) {
        int64_t x = i % image->width, y = i / image->width;
        double flow = c[i] * (at(image, v, x, y - 1) + at(image, v, x - 1, y) - 2 * v[i]) +
                      at(image, c, x, y + 1) * (at(image, v, x, y + 1) - v[i]) +
                      at(image, c, x + 1, y) * (at(image, v, x + 1, y) - v[i]);
        next[i] = v[i] + rate / 4 * flow;
    }
    for (int64_t i = 0; i < count; i++)
        v[i] = next[i];
}

static void srad_run(struct app_run *run)
{
    uint32_t width = run->sizes[WIDTH], height = run->sizes[HEIGHT], count = width * height;
    size_t bytes = 4 * (size_t)count;
    float *start = app_floats(run, count, 1, 2.7f), *expected = app_host(run, count, 4), rate = 0.5f;
    struct image image = {width, height, app_host(run, count, 8), app_host(run, count, 8)};
    double *next = app_host(run, count, 8);
    CUdeviceptr now = app_copy(run, start, bytes), later = app_device(run, bytes), c = app_device(run, bytes);
    CUdeviceptr sums = app_device(run, 8 * BLOCKS), swap;
    struct app_shape shape = app_shape2(width, height, 16, 16);
    for (uint32_t i = 0; i < count; i++)
        image.values[i] = start[i];
    for (uint32_t i = 0; i < run->sizes[STEPS]; i++) {
        double sum = 0, square = 0;
        app_launch(run, "srad_sums", app_shape(256 * BLOCKS, 256), &now, &sums, &count);
        float *parts = app_read(run, sums, 8 * BLOCKS);
        for (int block = 0; block < BLOCKS; block++) {
            sum += parts[2 * block];
            square += parts[2 * block + 1];
        }
        float q0 = (float)variation(sum, square, count);
        app_launch(run, "srad_coefficients", shape, &now, &c, &width, &height, &q0);
        app_launch(run, "srad_update", shape, &now, &later, &c, &width, &height, &rate);
        swap = now, now = later, later = swap;
        step(&image, next, rate);
    }
    for (uint32_t i = 0; i < count; i++)
        expected[i] = (float)image.values[i];
    app_check_floats(run, "image", app_read(run, now, bytes), expected, count, 1e-4);
}

const struct app app_srad = {
    .name = "srad",
    .suite = "Rodinia",
    .summary = "takes speckle out of an image and leaves its edges",
    .stresses =
        "Divisions, which take a dozen instructions each, in one kernel; nothing but loads of neighbours in the "
        "next; between them the host, which has to see a sum before it can launch: the way to and from memory, "
        "and kernels that wait for copies.",
    .tolerance = "1e-4",
    .sizes = {{"width", 128, 2, 8192, 0, "columns", NULL},
              {"height", 48, 2, 8192, 0, "rows", NULL},
              {"steps", 2, 1, 1000, 0, "steps", NULL}},
    .run = srad_run};
