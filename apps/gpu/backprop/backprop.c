/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { SIZE, ROUNDS };
enum { HIDDEN = 16 };

struct layer {
    uint32_t inputs;
    float *input, *weights, *changes, *target;
};

/* What each neuron gets wrong, from its sum. */
static void errors_of(const struct layer *layer, const double *sums, float *errors)
{
    for (int neuron = 0; neuron < HIDDEN; neuron++) {
        double output = 1 / (1 + exp(-sums[neuron]));
        errors[neuron] = (float)(output * (1 - output) * (layer->target[neuron] - output));
    }
}

static void learn(struct layer *layer, float *errors)
{
    double sums[HIDDEN] = {0};
    for (uint32_t i = 0; i < layer->inputs * HIDDEN; i++)
        sums[i % HIDDEN] += (double)layer->weights[i] * layer->input[i / HIDDEN];
    errors_of(layer, sums, errors);
    for (uint32_t i = 0; i < layer->inputs * HIDDEN; i++) {
        layer->changes[i] = (float)(0.3 * errors[i % HIDDEN] * layer->input[i / HIDDEN] + 0.3 * layer->changes[i]);
        layer->weights[i] += layer->changes[i];
    }
}

static void backprop_run(struct app_run *run)
{
    uint32_t n = run->sizes[SIZE], blocks = n / HIDDEN, count = n * HIDDEN;
    struct layer layer = {n, app_floats(run, n, 0, 1), app_floats(run, count, -0.1f, 0.1f), app_host(run, count, 4),
                          app_floats(run, HIDDEN, 0.1f, 0.9f)};
    float errors[HIDDEN], expected[HIDDEN];
    CUdeviceptr input = app_copy(run, layer.input, 4 * (size_t)n), sums = app_device(run, 4 * (size_t)n);
    CUdeviceptr weights = app_copy(run, layer.weights, 4 * (size_t)count), error = app_device(run, sizeof errors);
    CUdeviceptr changes = app_device(run, 4 * (size_t)count);
    struct app_shape shape = {.grid = {blocks, 1, 1}, .block = {HIDDEN, HIDDEN, 1}};
    for (uint32_t round = 0; round < run->sizes[ROUNDS]; round++) {
        app_launch(run, "backprop_forward", shape, &input, &weights, &sums);
        float *parts = app_read(run, sums, 4 * (size_t)n);
        double total[HIDDEN] = {0};
        for (uint32_t i = 0; i < n; i++)
            total[i % HIDDEN] += parts[i];
        errors_of(&layer, total, errors);
        app_write(run, error, errors, sizeof errors);
        app_launch(run, "backprop_adjust", shape, &input, &error, &weights, &changes);
        learn(&layer, expected);
    }
    app_check_floats(run, "errors", errors, expected, HIDDEN, 1e-4);
    app_check_floats(run, "weights", app_read(run, weights, 4 * (size_t)count), layer.weights, count, 1e-4);
}

const struct app app_backprop = {
    .name = "backprop",
    .suite = "Rodinia",
    .summary = "a layer of a neural network that learns",
    .stresses =
        "A tree of additions over 16 rows in which whole warps fall idle, then a kernel that reads three arrays "
        "and writes two: with many inputs DRAM's bandwidth decides, and how reads and writes take turns on it.",
    .tolerance = "1e-4",
    .sizes = {{"size", 1024, 16, 1 << 20, 16, "inputs", NULL}, {"rounds", 2, 1, 1000, 0, "rounds", NULL}},
    .run = backprop_run};
