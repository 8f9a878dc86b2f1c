/* SPDX-License-Identifier: BSD-3-Clause */
/* A convolution as its kernels get it. Compiled for host and device. */
#ifndef MATHLIB_DNN_CONVOLUTION_H
#define MATHLIB_DNN_CONVOLUTION_H

#include "mathlib/common/scalar.h"

enum { DNN_SPACE = 3 /* dimensions of an image; absent ones have size 1 */, DNN_STEPS = 8 };

enum dnn_kind {
    DNN_FORWARD, /* y of x and w */
    DNN_DATA,    /* x of w and y: the gradient of the data */
    DNN_FILTER   /* w of x and y: the gradient of the filter */
};

/* Operations of an epilogue on a value v; t is the number of a tensor at the same place. */
enum dnn_operation {
    DNN_ADD,      /* a v + b t */
    DNN_SUBTRACT, /* a v - b t */
    DNN_MULTIPLY, /* a v b t */
    DNN_DIVIDE,   /* a v / (b t) */
    DNN_MAXIMUM,
    DNN_MINIMUM,
    DNN_COPY,    /* a v */
    DNN_RELU,    /* v above 0, at most b; below, v times a */
    DNN_SIGMOID, /* 1 / (1 + exp(-v)) */
    DNN_TANH,
    DNN_ELU,  /* v above 0; below, a (exp(v) - 1) */
    DNN_SWISH /* v / (1 + exp(-a v)) */
};

/* A tensor in memory. Steps are distances in numbers along batch, channels, and dimensions of the image; of a filter
 * along outputs, inputs, and its dimensions. */
struct dnn_view {
    const void *data;
    long long step[2 + DNN_SPACE];
    int type; /* enum mathlib_type */
    int exists;
};

struct dnn_step {
    int operation; /* enum dnn_operation */
    int unused;
    double a, b, value;   /* value: t where there is no tensor */
    struct dnn_view view; /* steps of 0 repeat a number */
};

struct dnn_convolution {
    struct dnn_view x, w, y; /* one of them is written, by kind */
    int kind;
    int groups, batch, inputs, outputs; /* channels are those of a group */
    int in[DNN_SPACE], filter[DNN_SPACE], out[DNN_SPACE];
    int pad[DNN_SPACE], stride[DNN_SPACE], dilation[DNN_SPACE];
    int turned; /* the filter is turned round: a convolution in the mathematical sense */

    /* The product of matrices that it is: rows are channels of the result, columns places of it (or of the filter). */
    int rows, columns, depth;
    int channels_last;  /* channels go faster than places along the inner dimension */
    int tall_a, tall_b; /* neighbours in memory are rows (columns) and not along the inner dimension */
    int parts, part;    /* the inner dimension falls into parts of so many numbers */
    void *sums;         /* sums of parts: part, group, row, column */

    double alpha, beta;
    int steps;
    struct dnn_step step[DNN_STEPS];
};

#endif
