/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>

enum { UNITS, BATCH };

struct layer {
    size_t units, length; /* `length`: the step's inputs and the outputs of the step before */
    const float *weights, *biases;
};

static double gate(const struct layer *layer, size_t which, size_t unit, const float *input)
{
    size_t row = which * layer->units + unit;
    double sum = layer->biases[row];
    for (size_t i = 0; i < layer->length; i++)
        sum += (double)layer->weights[row * layer->length + i] * input[i];
    return which == 3 ? tanh(sum) : 1 / (1 + exp(-sum));
}

static void rnn_run(struct app_run *run)
{
    uint32_t units = run->sizes[UNITS], batch = run->sizes[BATCH], length = 2 * units;
    size_t count = (size_t)units * batch, weight_count = 4 * (size_t)units * length;
    float *weights = app_floats(run, weight_count, -0.2f, 0.2f),
          *biases = app_floats(run, 4 * (size_t)units, -0.1f, 0.1f);
    float *inputs = app_floats(run, (size_t)length * batch, -1, 1), *memory = app_floats(run, count, -1, 1);
    float *new_memory = app_host(run, count, 4), *outputs = app_host(run, count, 4);
    struct layer layer = {units, length, weights, biases};
    for (size_t at = 0; at < count; at++) {
        const float *input = inputs + at / units * length;
        double now = gate(&layer, 1, at % units, input) * memory[at] +
                     gate(&layer, 0, at % units, input) * gate(&layer, 3, at % units, input);
        new_memory[at] = (float)now;
        outputs[at] = (float)(gate(&layer, 2, at % units, input) * tanh(now));
    }
    CUdeviceptr dw = app_copy(run, weights, 4 * weight_count), db = app_copy(run, biases, 16 * (size_t)units);
    CUdeviceptr di = app_copy(run, inputs, 4 * (size_t)length * batch), dm = app_copy(run, memory, 4 * count);
    CUdeviceptr dn = app_device(run, 4 * count), out = app_device(run, 4 * count);
    struct app_shape shape = {.grid = {units, batch, 1}, .block = {64, 1, 1}};
    app_launch(run, "rnn", shape, &dw, &db, &di, &dm, &dn, &out, &length, &units);
    app_check_floats(run, "memory", app_read(run, dn, 4 * count), new_memory, count, 1e-4);
    app_check_floats(run, "outputs", app_read(run, out, 4 * count), outputs, count, 1e-4);
}

const struct app app_rnn = {
    .name = "rnn",
    .suite = "machine learning",
    .summary = "a step of a recurrent layer (long short-term memory)",
    .stresses =
        "A matrix that is read once for each sample of a small batch: with one sample DRAM's bandwidth and nothing "
        "else, with more of them what L2 keeps. Many small blocks, each with a tree and one thread that finishes.",
    .tolerance = "1e-4",
    .sizes = {{"units", 64, 1, 4096, 0, "units of the layer", NULL}, {"batch", 2, 1, 256, 0, "samples", NULL}},
    .run = rnn_run};
