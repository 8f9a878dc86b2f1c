/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { IMAGES };
enum { LAYERS = 4 };

/* A layer of maps of size × size values; in those behind the convolutions each map is one value. */
static const struct layer {
    uint32_t maps, size;
} layers[LAYERS + 1] = {{1, 29}, {6, 13}, {50, 5}, {100, 1}, {10, 1}};

static uint32_t values_of(uint32_t layer)
{
    return layers[layer].maps * layers[layer].size * layers[layer].size;
}

/* Weights of a neuron, its bias included. */
static uint32_t weights_of(uint32_t layer)
{
    return 1 + (layers[layer].size > 1 ? 25 * layers[layer - 1].maps : values_of(layer - 1));
}

static double neuron(uint32_t layer, const float *from, const float *weights, uint32_t index)
{
    uint32_t size = layers[layer - 1].size, width = layers[layer].size, count = weights_of(layer);
    const float *row = weights + (size_t)(index / (width * width)) * count;
    uint32_t x = index % width, y = index / width % width;
    double sum = row[0];
    for (uint32_t i = 1; i < count; i++) {
        uint32_t w = i - 1, at = w;
        if (width > 1)
            at = (w / 25 * size + 2 * y + w / 5 % 5) * size + 2 * x + w % 5;
        sum += (double)row[i] * from[at];
    }
    return 1.7159 * tanh(2.0 / 3 * sum);
}

static float *expect(struct app_run *run, uint32_t layer, const float *from, const float *weights)
{
    uint32_t images = run->sizes[IMAGES], count = values_of(layer);
    float *to = app_host(run, (size_t)images * count, 4);
    for (size_t i = 0; i < (size_t)images * count; i++)
        to[i] = (float)neuron(layer, from + i / count * values_of(layer - 1), weights, (uint32_t)(i % count));
    return to;
}

static void nnet_run(struct app_run *run)
{
    static const char *const names[] = {"", "first maps", "second maps", "hidden neurons", "digits"};
    uint32_t images = run->sizes[IMAGES];
    float *host = app_floats(run, (size_t)images * values_of(0), -1, 1);
    CUdeviceptr from = app_copy(run, host, 4 * (size_t)images * values_of(0));
    for (uint32_t layer = 1; layer <= LAYERS; layer++) {
        const struct layer *now = &layers[layer];
        uint32_t maps = layers[layer - 1].maps, size = layers[layer - 1].size;
        uint32_t inputs = values_of(layer - 1), weight_count = now->maps * weights_of(layer);
        size_t bytes = 4 * (size_t)images * values_of(layer);
        float range = 1.5f / sqrtf((float)weights_of(layer));
        float *weights = app_floats(run, weight_count, -range, range);
        CUdeviceptr dw = app_copy(run, weights, 4 * (size_t)weight_count), to = app_device(run, bytes);
        struct app_shape shape = {.grid = {now->maps, images, 1}, .block = {now->size, now->size, 1}};
        if (now->size > 1) {
            app_launch(run, "nnet_convolution", shape, &from, &to, &dw, &maps, &size);
        } else {
            shape.block[0] = 64;
            app_launch(run, "nnet_full", shape, &from, &to, &dw, &inputs);
        }
        host = expect(run, layer, host, weights);
        app_check_floats(run, names[layer], app_read(run, to, bytes), host, bytes / 4, 1e-4);
        from = to;
    }
}

const struct app app_nnet = {
    .name = "nnet",
    .suite = "ISPASS-2009",
    .summary = "a network of four layers that reads digits",
    .stresses =
        "Blocks of 169 and of 25 threads, so that most of a warp's lanes can be missing; loads with a stride of "
        "two words, and weights that are the same for all lanes; then a matrix that is read once. Four kernels "
        "that depend on one another.",
    .tolerance = "1e-4",
    .sizes = {{"images", 2, 1, 4096, 0, "images", NULL}},
    .run = nnet_run};
