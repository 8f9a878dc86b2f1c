/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptions of tensors, filters, convolutions and activations of the older interface. */
#include "mathlib/dnn/descriptors.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define CREATE(name, Type)                                                                                             \
    MATHLIB_API int cudnnCreate##name##Descriptor(Type *to)                                                            \
    {                                                                                                                  \
        if (!to)                                                                                                       \
            return DNN_BAD_PARAM;                                                                                      \
        *to = malloc(sizeof **to);                                                                                     \
        if (!*to)                                                                                                      \
            return DNN_ALLOC_FAILED;                                                                                   \
        memset(*to, 0, sizeof **to);                                                                                   \
        return DNN_SUCCESS;                                                                                            \
    }                                                                                                                  \
    MATHLIB_API int cudnnDestroy##name##Descriptor(Type of)                                                            \
    {                                                                                                                  \
        free(of);                                                                                                      \
        return DNN_SUCCESS;                                                                                            \
    }
CREATE(Tensor, cudnnTensorDescriptor_t)
CREATE(Filter, cudnnFilterDescriptor_t)
CREATE(Convolution, cudnnConvolutionDescriptor_t)
CREATE(Activation, cudnnActivationDescriptor_t)

/* ===== tensors and filters ===== */

/* Bytes of a number of a cudnnDataType_t; 0: there is no such type here. */
static size_t size_of(int data)
{
    static const unsigned char sizes[] = {4, 8, 2, 1, 4, 0, 1, 0, 0, 2, 8, 1, 1, 1};
    return data >= 0 && data < (int)sizeof sizes ? sizes[data] : 0;
}

static int set_shape(struct dnn_shape *to, int data, int count, const int *sizes, const int *steps)
{
    if (!to || !sizes || !steps || !size_of(data))
        return DNN_BAD_PARAM;
    if (count < 1 || count > DNN_DIMENSIONS)
        return DNN_NOT_SUPPORTED;
    struct dnn_shape shape = {.data = data, .count = count};
    for (int i = 0; i < count; i++) {
        if (sizes[i] < 1)
            return DNN_BAD_PARAM;
        shape.size[i] = sizes[i];
        shape.step[i] = steps[i];
    }
    *to = shape;
    return DNN_SUCCESS;
}

/* Steps of a tensor without gaps. */
static bool packed(int format, int count, const int *sizes, int *steps)
{
    int64_t step = 1;
    if (format == DNN_NHWC && count > 1) {
        steps[1] = 1;
        step = sizes[1];
    }
    for (int i = count - 1; i >= 0; i--) {
        if (i == 1 && format == DNN_NHWC)
            continue;
        if (step > INT_MAX)
            return false;
        steps[i] = (int)step;
        step *= sizes[i];
    }
    return true;
}

static int set_packed(const char *function, struct dnn_shape *to, int format, int data, int count, const int *sizes)
{
    int steps[DNN_DIMENSIONS];
    if (!sizes || count < 1)
        return DNN_BAD_PARAM;
    if (count > DNN_DIMENSIONS || (format != DNN_NCHW && format != DNN_NHWC)) {
        mathlib_refuse(function, "a format other than NCHW and NHWC, or more than 8 dimensions");
        return DNN_NOT_SUPPORTED;
    }
    for (int i = 0; i < count; i++)
        if (sizes[i] < 1)
            return DNN_BAD_PARAM;
    return packed(format, count, sizes, steps) ? set_shape(to, data, count, sizes, steps) : DNN_NOT_SUPPORTED;
}

MATHLIB_API int cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t of, int format, int data, int n, int c, int h, int w)
{
    int sizes[] = {n, c, h, w};
    return of ? set_packed(__func__, &of->shape, format, data, 4, sizes) : DNN_BAD_PARAM;
}

MATHLIB_API int cudnnSetTensor4dDescriptorEx(cudnnTensorDescriptor_t of, int data, int n, int c, int h, int w,
                                             int n_step, int c_step, int h_step, int w_step)
{
    int sizes[] = {n, c, h, w}, steps[] = {n_step, c_step, h_step, w_step};
    return of ? set_shape(&of->shape, data, 4, sizes, steps) : DNN_BAD_PARAM;
}

MATHLIB_API int cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t of, int data, int count, const int *sizes,
                                           const int *steps)
{
    return of ? set_shape(&of->shape, data, count, sizes, steps) : DNN_BAD_PARAM;
}

MATHLIB_API int cudnnSetTensorNdDescriptorEx(cudnnTensorDescriptor_t of, int format, int data, int count,
                                             const int *sizes)
{
    return of ? set_packed(__func__, &of->shape, format, data, count, sizes) : DNN_BAD_PARAM;
}

MATHLIB_API int cudnnGetTensor4dDescriptor(cudnnTensorDescriptor_t of, int *data, int *n, int *c, int *h, int *w,
                                           int *n_step, int *c_step, int *h_step, int *w_step)
{
    int *sizes[] = {n, c, h, w}, *steps[] = {n_step, c_step, h_step, w_step};
    if (!of || of->shape.count != 4 || !data)
        return DNN_BAD_PARAM;
    *data = of->shape.data;
    for (int i = 0; i < 4; i++) {
        if (sizes[i])
            *sizes[i] = (int)of->shape.size[i];
        if (steps[i])
            *steps[i] = (int)of->shape.step[i];
    }
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetTensorNdDescriptor(cudnnTensorDescriptor_t of, int wanted, int *data, int *count, int *sizes,
                                           int *steps)
{
    if (!of || !data || !count)
        return DNN_BAD_PARAM;
    *data = of->shape.data;
    *count = of->shape.count;
    for (int i = 0; i < wanted && i < of->shape.count; i++) {
        if (sizes)
            sizes[i] = (int)of->shape.size[i];
        if (steps)
            steps[i] = (int)of->shape.step[i];
    }
    return DNN_SUCCESS;
}

static int bytes_of(const struct dnn_shape *shape, size_t *size)
{
    int64_t last = 0;
    if (!shape || !size)
        return DNN_BAD_PARAM;
    for (int i = 0; i < shape->count; i++)
        last += (shape->size[i] - 1) * shape->step[i];
    *size = shape->count ? (size_t)(last + 1) * size_of(shape->data) : 0;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetTensorSizeInBytes(cudnnTensorDescriptor_t of, size_t *size)
{
    return bytes_of(of ? &of->shape : NULL, size);
}

MATHLIB_API int cudnnGetFilterSizeInBytes(cudnnFilterDescriptor_t of, size_t *size)
{
    return bytes_of(of ? &of->shape : NULL, size);
}

MATHLIB_API int cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t of, int data, int format, int count,
                                           const int *sizes)
{
    if (!of)
        return DNN_BAD_PARAM;
    of->format = format;
    return set_packed(__func__, &of->shape, format, data, count, sizes);
}

MATHLIB_API int cudnnSetFilter4dDescriptor(cudnnFilterDescriptor_t of, int data, int format, int k, int c, int h, int w)
{
    int sizes[] = {k, c, h, w};
    return cudnnSetFilterNdDescriptor(of, data, format, 4, sizes);
}

MATHLIB_API int cudnnGetFilterNdDescriptor(cudnnFilterDescriptor_t of, int wanted, int *data, int *format, int *count,
                                           int *sizes)
{
    if (!of || !data || !format || !count)
        return DNN_BAD_PARAM;
    *data = of->shape.data;
    *format = of->format;
    *count = of->shape.count;
    for (int i = 0; sizes && i < wanted && i < of->shape.count; i++)
        sizes[i] = (int)of->shape.size[i];
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetFilter4dDescriptor(cudnnFilterDescriptor_t of, int *data, int *format, int *k, int *c, int *h,
                                           int *w)
{
    int count, sizes[4], *to[] = {k, c, h, w};
    if (!of || of->shape.count != 4)
        return DNN_BAD_PARAM;
    int status = cudnnGetFilterNdDescriptor(of, 4, data, format, &count, sizes);
    for (int i = 0; status == DNN_SUCCESS && i < 4; i++)
        if (to[i])
            *to[i] = sizes[i];
    return status;
}

/* ===== convolutions ===== */

MATHLIB_API int cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t of, int count, const int *pad,
                                                const int *stride, const int *dilation, int mode, int compute)
{
    if (!of || !pad || !stride || !dilation || count < 1 || mode < 0 || mode > DNN_CROSS_CORRELATION)
        return DNN_BAD_PARAM;
    if (count > DNN_DIMENSIONS - 2)
        return DNN_NOT_SUPPORTED;
    struct dnn_window window = {.count = count, .mode = mode, .groups = of->window.groups ? of->window.groups : 1};
    for (int i = 0; i < count; i++) {
        if (pad[i] < 0 || stride[i] < 1 || dilation[i] < 1)
            return DNN_BAD_PARAM;
        window.before[i] = window.after[i] = pad[i];
        window.stride[i] = stride[i];
        window.dilation[i] = dilation[i];
    }
    of->window = window;
    of->compute = compute;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnSetConvolution2dDescriptor(cudnnConvolutionDescriptor_t of, int pad_h, int pad_w, int stride_h,
                                                int stride_w, int dilation_h, int dilation_w, int mode, int compute)
{
    int pad[] = {pad_h, pad_w}, stride[] = {stride_h, stride_w}, dilation[] = {dilation_h, dilation_w};
    return cudnnSetConvolutionNdDescriptor(of, 2, pad, stride, dilation, mode, compute);
}

MATHLIB_API int cudnnGetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t of, int wanted, int *count, int *pad,
                                                int *stride, int *dilation, int *mode, int *compute)
{
    if (!of)
        return DNN_BAD_PARAM;
    for (int i = 0; i < wanted && i < of->window.count; i++) {
        pad[i] = (int)of->window.before[i];
        stride[i] = (int)of->window.stride[i];
        dilation[i] = (int)of->window.dilation[i];
    }
    if (count)
        *count = of->window.count;
    if (mode)
        *mode = of->window.mode;
    if (compute)
        *compute = of->compute;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetConvolution2dDescriptor(cudnnConvolutionDescriptor_t of, int *pad_h, int *pad_w, int *stride_h,
                                                int *stride_w, int *dilation_h, int *dilation_w, int *mode,
                                                int *compute)
{
    int pad[2], stride[2], dilation[2];
    int *to[] = {pad_h, pad_w, stride_h, stride_w, dilation_h, dilation_w};
    if (!of || of->window.count != 2)
        return DNN_BAD_PARAM;
    int status = cudnnGetConvolutionNdDescriptor(of, 2, NULL, pad, stride, dilation, mode, compute);
    for (int i = 0; i < 6; i++)
        if (to[i])
            *to[i] = (i < 2 ? pad : i < 4 ? stride : dilation)[i % 2];
    return status;
}

#define SETTING(name, member)                                                                                          \
    MATHLIB_API int cudnnSetConvolution##name(cudnnConvolutionDescriptor_t of, int value)                              \
    {                                                                                                                  \
        if (!of)                                                                                                       \
            return DNN_BAD_PARAM;                                                                                      \
        of->member = value;                                                                                            \
        return DNN_SUCCESS;                                                                                            \
    }                                                                                                                  \
    MATHLIB_API int cudnnGetConvolution##name(cudnnConvolutionDescriptor_t of, int *value)                             \
    {                                                                                                                  \
        if (!of || !value)                                                                                             \
            return DNN_BAD_PARAM;                                                                                      \
        *value = of->member;                                                                                           \
        return DNN_SUCCESS;                                                                                            \
    }
SETTING(MathType, math)
SETTING(GroupCount, window.groups)
SETTING(ReorderType, reorder)

MATHLIB_API int cudnnGetConvolutionNdForwardOutputDim(cudnnConvolutionDescriptor_t of, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w, int count, int *sizes)
{
    if (!of || !x || !w || !sizes || count != x->shape.count || count != of->window.count + 2)
        return DNN_BAD_PARAM;
    sizes[0] = (int)x->shape.size[0];
    sizes[1] = (int)w->shape.size[0];
    for (int i = 2; i < count; i++) {
        sizes[i] = (int)dnn_output_size(&of->window, i - 2, x->shape.size[i], w->shape.size[i]);
        if (sizes[i] < 1)
            return DNN_BAD_PARAM;
    }
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetConvolution2dForwardOutputDim(cudnnConvolutionDescriptor_t of, cudnnTensorDescriptor_t x,
                                                      cudnnFilterDescriptor_t w, int *n, int *c, int *h, int *width)
{
    int sizes[4];
    if (!n || !c || !h || !width)
        return DNN_BAD_PARAM;
    int status = cudnnGetConvolutionNdForwardOutputDim(of, x, w, 4, sizes);
    if (status == DNN_SUCCESS)
        *n = sizes[0], *c = sizes[1], *h = sizes[2], *width = sizes[3];
    return status;
}

/* ===== activations ===== */

MATHLIB_API int cudnnSetActivationDescriptor(cudnnActivationDescriptor_t of, int mode, int propagates,
                                             double coefficient)
{
    if (!of || mode < 0 || mode > 6)
        return DNN_BAD_PARAM;
    *of = (struct cudnnActivationStruct){mode, propagates, coefficient, 1};
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetActivationDescriptor(cudnnActivationDescriptor_t of, int *mode, int *propagates,
                                             double *coefficient)
{
    if (!of || !mode || !propagates || !coefficient)
        return DNN_BAD_PARAM;
    *mode = of->mode;
    *propagates = of->propagates;
    *coefficient = of->coefficient;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnSetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t of, double beta)
{
    if (!of)
        return DNN_BAD_PARAM;
    of->beta = beta;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnGetActivationDescriptorSwishBeta(cudnnActivationDescriptor_t of, double *beta)
{
    if (!of || !beta)
        return DNN_BAD_PARAM;
    *beta = of->beta;
    return DNN_SUCCESS;
}
