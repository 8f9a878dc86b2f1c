/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of the older interface (cudnn_ops.h, cudnn_cnn.h). */
#ifndef MATHLIB_DNN_DESCRIPTORS_H
#define MATHLIB_DNN_DESCRIPTORS_H

#include "mathlib/dnn/handle.h"

enum { DNN_NCHW, DNN_NHWC };

struct cudnnTensorStruct {
    struct dnn_shape shape;
};
struct cudnnFilterStruct {
    struct dnn_shape shape;
    int format;
};
struct cudnnConvolutionStruct {
    struct dnn_window window;
    int compute, math, reorder;
};
struct cudnnActivationStruct {
    int mode, propagates;
    double coefficient, beta;
};
typedef struct cudnnTensorStruct *cudnnTensorDescriptor_t;
typedef struct cudnnFilterStruct *cudnnFilterDescriptor_t;
typedef struct cudnnConvolutionStruct *cudnnConvolutionDescriptor_t;
typedef struct cudnnActivationStruct *cudnnActivationDescriptor_t;

#endif
