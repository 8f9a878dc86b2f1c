/* SPDX-License-Identifier: BSD-3-Clause */
/* Declarations shared by the functions of our libcudnn: the handle, public constants, shapes, convolutions. */
#ifndef MATHLIB_DNN_HANDLE_H
#define MATHLIB_DNN_HANDLE_H

#include "mathlib/common/kernels.h"
#include "mathlib/dnn/convolution.h"

#include <stdint.h>

/* Numbers of the public interface (cudnn_graph.h). */
enum dnn_status {
    DNN_SUCCESS = 0,
    DNN_NOT_INITIALIZED = 1001,
    DNN_BAD_PARAM = 2000,
    DNN_BAD_PARAM_NULL_POINTER = 2002,
    DNN_BAD_PARAM_NOT_FINALIZED = 2004,
    DNN_BAD_PARAM_SIZE_INSUFFICIENT = 2006,
    DNN_BAD_PARAM_SHAPE_MISMATCH = 2008,
    DNN_BAD_PARAM_ATTRIBUTE_TYPE = 2010,
    DNN_NOT_SUPPORTED = 3000,
    DNN_NOT_SUPPORTED_GRAPH_PATTERN = 3001,
    DNN_NOT_SUPPORTED_SHAPE = 3002,
    DNN_NOT_SUPPORTED_DATA_TYPE = 3003,
    DNN_ALLOC_FAILED = 4003,
    DNN_EXECUTION_FAILED = 5000
};
enum dnn_data_type { DNN_FLOAT = 0, DNN_DOUBLE = 1, DNN_HALF = 2, DNN_BFLOAT16 = 9 };
enum { DNN_CONVOLUTION = 0, DNN_CROSS_CORRELATION = 1 };
enum { DNN_DIMENSIONS = 8 };

/* cudnnHandle_t points to it. */
struct cudnnContext {
    struct mathlib_kernels kernels;
};
typedef struct cudnnContext *cudnnHandle_t;

/* A tensor as programs describe it: batch, channels, then dimensions of the image; a filter: outputs, inputs, … */
struct dnn_shape {
    int data; /* enum dnn_data_type, or another number of cudnnDataType_t */
    int count;
    int64_t size[DNN_DIMENSIONS], step[DNN_DIMENSIONS];
};

/* How the filter goes over the image, in as many dimensions. */
struct dnn_window {
    int count, mode, groups; /* groups: 0, as many as sizes say */
    int64_t before[DNN_DIMENSIONS], after[DNN_DIMENSIONS], stride[DNN_DIMENSIONS], dilation[DNN_DIMENSIONS];
};

/* The type of the kernels for a cudnnDataType_t; false: there is none. */
bool dnn_type_of(int data, enum mathlib_type *type);
/* The view of a shape, without an address. Dimensions of the image that are absent come first. A size of 1 has a step
 * of 0 if `repeated`. */
struct dnn_view dnn_view_of(const struct dnn_shape *shape, bool repeated);
/* Size of an output along dimension `i` of the image. */
int64_t dnn_output_size(const struct dnn_window *window, int i, int64_t in, int64_t filter);
/*
 * Describes a convolution without addresses: alpha is 1, beta 0, and there are no steps. Returns a status:
 * DNN_BAD_PARAM for shapes that do not fit each other; what is not there is refused in `function`'s name.
 */
int dnn_describe(const char *function, enum dnn_kind kind, const struct dnn_shape *x, const struct dnn_shape *w,
                 const struct dnn_shape *y, const struct dnn_window *window, struct dnn_convolution *to);
/* Launches the kernels of a convolution whose addresses are set. Returns a status. */
int dnn_convolve(cudnnHandle_t h, struct dnn_convolution *c);
/* Sums up each channel of c->y, of shape `y`, into the view c->x. Returns a status. */
int dnn_sum_bias(cudnnHandle_t h, const struct dnn_shape *y, struct dnn_convolution *c);

#endif
