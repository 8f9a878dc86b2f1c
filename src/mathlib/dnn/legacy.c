/* SPDX-License-Identifier: BSD-3-Clause */
/* Convolutions by the older interface. Whichever algorithm is named, the same kernels run, without a workspace. */
#include "mathlib/dnn/descriptors.h"

#include <math.h>

/* cudnnConvolutionFwdAlgoPerf_t, and those of both gradients. */
struct performance {
    int algorithm, status;
    float time;
    size_t memory;
    int deterministic, math, reserved[3];
};

enum { ALGORITHM = 1 /* implicit, deterministic, of each kind */, ALGORITHMS = 8 };
enum { SIGMOID, RELU, TANH, CLIPPED_RELU, ELU, IDENTITY, SWISH };

static double scalar(const void *value, int data)
{
    return data == DNN_DOUBLE ? *(const double *)value : (double)*(const float *)value;
}

static int described(const char *function, enum dnn_kind kind, cudnnTensorDescriptor_t x, cudnnFilterDescriptor_t w,
                     cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t how, struct dnn_convolution *to)
{
    if (!x || !w || !y || !how)
        return DNN_BAD_PARAM;
    return dnn_describe(function, kind, &x->shape, &w->shape, &y->shape, &how->window, to);
}

/* ===== algorithms, of which there is one ===== */

static int list(const char *function, cudnnHandle_t h, enum dnn_kind kind, cudnnTensorDescriptor_t x,
                cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t how, int wanted,
                int *count, struct performance *to)
{
    struct dnn_convolution c;
    if (!h || !count || !to || wanted < 1)
        return DNN_BAD_PARAM;
    int status = described(function, kind, x, w, y, how, &c);
    *count = status == DNN_SUCCESS;
    if (status == DNN_SUCCESS)
        *to = (struct performance){.algorithm = ALGORITHM, .deterministic = 1, .math = how->math};
    return status;
}

static int size_of_workspace(const char *function, cudnnHandle_t h, enum dnn_kind kind, cudnnTensorDescriptor_t x,
                             cudnnFilterDescriptor_t w, cudnnTensorDescriptor_t y, cudnnConvolutionDescriptor_t how,
                             size_t *size)
{
    struct dnn_convolution c;
    if (!h || !size)
        return DNN_BAD_PARAM;
    *size = 0;
    return described(function, kind, x, w, y, how, &c);
}

/* Functions of a kind that name algorithms; their descriptions come in another order for each. */
#define ALGORITHM_FUNCTIONS(Name, KIND, A, a, B, b, C, c)                                                              \
    MATHLIB_API int cudnnGetConvolution##Name##AlgorithmMaxCount(cudnnHandle_t h, int *count)                          \
    {                                                                                                                  \
        if (!h || !count)                                                                                              \
            return DNN_BAD_PARAM;                                                                                      \
        *count = 1;                                                                                                    \
        return DNN_SUCCESS;                                                                                            \
    }                                                                                                                  \
    MATHLIB_API int cudnnGetConvolution##Name##Algorithm_v7(cudnnHandle_t h, A a, B b,                                 \
                                                            cudnnConvolutionDescriptor_t how, C c, int wanted,         \
                                                            int *count, struct performance *to)                        \
    {                                                                                                                  \
        return list(__func__, h, KIND, x, w, y, how, wanted, count, to);                                               \
    }                                                                                                                  \
    MATHLIB_API int cudnnFindConvolution##Name##Algorithm(cudnnHandle_t h, A a, B b, cudnnConvolutionDescriptor_t how, \
                                                          C c, int wanted, int *count, struct performance *to)         \
    {                                                                                                                  \
        return list(__func__, h, KIND, x, w, y, how, wanted, count, to);                                               \
    }                                                                                                                  \
    MATHLIB_API int cudnnFindConvolution##Name##AlgorithmEx(                                                           \
        cudnnHandle_t h, A a, const void *first, B b, const void *second, cudnnConvolutionDescriptor_t how, C c,       \
        void *third, int wanted, int *count, struct performance *to, void *space, size_t bytes)                        \
    {                                                                                                                  \
        (void)first, (void)second, (void)third, (void)space, (void)bytes;                                              \
        return list(__func__, h, KIND, x, w, y, how, wanted, count, to);                                               \
    }                                                                                                                  \
    MATHLIB_API int cudnnGetConvolution##Name##WorkspaceSize(                                                          \
        cudnnHandle_t h, A a, B b, cudnnConvolutionDescriptor_t how, C c, int algorithm, size_t *size)                 \
    {                                                                                                                  \
        (void)algorithm;                                                                                               \
        return size_of_workspace(__func__, h, KIND, x, w, y, how, size);                                               \
    }
ALGORITHM_FUNCTIONS(Forward, DNN_FORWARD, cudnnTensorDescriptor_t, x, cudnnFilterDescriptor_t, w,
                    cudnnTensorDescriptor_t, y)
ALGORITHM_FUNCTIONS(BackwardData, DNN_DATA, cudnnFilterDescriptor_t, w, cudnnTensorDescriptor_t, y,
                    cudnnTensorDescriptor_t, x)
ALGORITHM_FUNCTIONS(BackwardFilter, DNN_FILTER, cudnnTensorDescriptor_t, x, cudnnTensorDescriptor_t, y,
                    cudnnFilterDescriptor_t, w)

/* ===== convolutions ===== */

static int run(cudnnHandle_t h, struct dnn_convolution *c, const void *x, const void *w, const void *y, int algorithm)
{
    if (!x || !w || !y || algorithm < 0 || algorithm >= ALGORITHMS)
        return DNN_BAD_PARAM;
    c->x.data = x;
    c->w.data = w;
    c->y.data = y;
    return dnn_convolve(h, c);
}

MATHLIB_API int cudnnConvolutionForward(cudnnHandle_t h, const void *alpha, cudnnTensorDescriptor_t x, const void *at_x,
                                        cudnnFilterDescriptor_t w, const void *at_w, cudnnConvolutionDescriptor_t how,
                                        int algorithm, void *space, size_t bytes, const void *beta,
                                        cudnnTensorDescriptor_t y, void *at_y)
{
    struct dnn_convolution c;
    (void)space, (void)bytes;
    if (!h || !alpha || !beta)
        return DNN_BAD_PARAM;
    int status = described(__func__, DNN_FORWARD, x, w, y, how, &c);
    if (status != DNN_SUCCESS)
        return status;
    c.alpha = scalar(alpha, y->shape.data);
    c.beta = scalar(beta, y->shape.data);
    return run(h, &c, at_x, at_w, at_y, algorithm);
}

MATHLIB_API int cudnnConvolutionBackwardData(cudnnHandle_t h, const void *alpha, cudnnFilterDescriptor_t w,
                                             const void *at_w, cudnnTensorDescriptor_t y, const void *at_y,
                                             cudnnConvolutionDescriptor_t how, int algorithm, void *space, size_t bytes,
                                             const void *beta, cudnnTensorDescriptor_t x, void *at_x)
{
    struct dnn_convolution c;
    (void)space, (void)bytes;
    if (!h || !alpha || !beta)
        return DNN_BAD_PARAM;
    int status = described(__func__, DNN_DATA, x, w, y, how, &c);
    if (status != DNN_SUCCESS)
        return status;
    c.alpha = scalar(alpha, x->shape.data);
    c.beta = scalar(beta, x->shape.data);
    return run(h, &c, at_x, at_w, at_y, algorithm);
}

MATHLIB_API int cudnnConvolutionBackwardFilter(cudnnHandle_t h, const void *alpha, cudnnTensorDescriptor_t x,
                                               const void *at_x, cudnnTensorDescriptor_t y, const void *at_y,
                                               cudnnConvolutionDescriptor_t how, int algorithm, void *space,
                                               size_t bytes, const void *beta, cudnnFilterDescriptor_t w, void *at_w)
{
    struct dnn_convolution c;
    (void)space, (void)bytes;
    if (!h || !alpha || !beta)
        return DNN_BAD_PARAM;
    int status = described(__func__, DNN_FILTER, x, w, y, how, &c);
    if (status != DNN_SUCCESS)
        return status;
    c.alpha = scalar(alpha, w->shape.data);
    c.beta = scalar(beta, w->shape.data);
    return run(h, &c, at_x, at_w, at_y, algorithm);
}

/* ===== bias and activation behind a convolution ===== */

/* Adds a tensor whose sizes are those of y, or 1. */
static int add_tensor(struct dnn_convolution *c, cudnnTensorDescriptor_t of, const void *at, double factor,
                      cudnnTensorDescriptor_t y)
{
    enum mathlib_type type;
    if (!of || !at || of->shape.count != y->shape.count || !dnn_type_of(of->shape.data, &type))
        return DNN_BAD_PARAM;
    for (int i = 0; i < of->shape.count; i++)
        if (of->shape.size[i] != 1 && of->shape.size[i] != y->shape.size[i])
            return DNN_BAD_PARAM;
    c->step[c->steps] =
        (struct dnn_step){.operation = DNN_ADD, .a = 1, .b = factor, .view = dnn_view_of(&of->shape, true)};
    c->step[c->steps++].view.data = at;
    return DNN_SUCCESS;
}

static void add_activation(struct dnn_convolution *c, const struct cudnnActivationStruct *a)
{
    static const int operations[] = {DNN_SIGMOID, DNN_RELU, DNN_TANH, DNN_RELU, DNN_ELU, DNN_COPY, DNN_SWISH};
    struct dnn_step step = {.operation = operations[a->mode], .a = 1};
    if (a->mode == RELU || a->mode == CLIPPED_RELU) {
        step.a = 0;
        step.b = a->mode == RELU ? (double)INFINITY : a->coefficient;
    } else if (a->mode == ELU || a->mode == SWISH) {
        step.a = a->mode == ELU ? a->coefficient : a->beta;
    }
    if (a->mode != IDENTITY)
        c->step[c->steps++] = step;
}

/* y = activation(alpha1 conv(x, w) + alpha2 z + bias) */
MATHLIB_API int cudnnConvolutionBiasActivationForward(cudnnHandle_t h, const void *alpha1, cudnnTensorDescriptor_t x,
                                                      const void *at_x, cudnnFilterDescriptor_t w, const void *at_w,
                                                      cudnnConvolutionDescriptor_t how, int algorithm, void *space,
                                                      size_t bytes, const void *alpha2, cudnnTensorDescriptor_t z,
                                                      const void *at_z, cudnnTensorDescriptor_t bias,
                                                      const void *at_bias, cudnnActivationDescriptor_t activation,
                                                      cudnnTensorDescriptor_t y, void *at_y)
{
    struct dnn_convolution c;
    (void)space, (void)bytes;
    if (!h || !alpha1 || !alpha2 || !activation)
        return DNN_BAD_PARAM;
    int status = described(__func__, DNN_FORWARD, x, w, y, how, &c);
    if (status != DNN_SUCCESS)
        return status;
    double factor = scalar(alpha2, y->shape.data);
    c.alpha = scalar(alpha1, y->shape.data);
    if (factor != 0)
        status = add_tensor(&c, z, at_z, factor, y);
    if (status == DNN_SUCCESS)
        status = add_tensor(&c, bias, at_bias, 1, y);
    if (status != DNN_SUCCESS)
        return status;
    add_activation(&c, activation);
    return run(h, &c, at_x, at_w, at_y, algorithm);
}

MATHLIB_API int cudnnConvolutionBackwardBias(cudnnHandle_t h, const void *alpha, cudnnTensorDescriptor_t y,
                                             const void *at_y, const void *beta, cudnnTensorDescriptor_t bias,
                                             void *at_bias)
{
    enum mathlib_type type, of_bias;
    struct dnn_convolution c = {.groups = 1};
    if (!h || !alpha || !beta || !y || !at_y || !bias || !at_bias)
        return DNN_BAD_PARAM;
    if (y->shape.count < 3 || y->shape.count > 2 + DNN_SPACE || !dnn_type_of(y->shape.data, &type) ||
        !dnn_type_of(bias->shape.data, &of_bias)) {
        mathlib_refuse(__func__, "these types or numbers of dimensions");
        return DNN_NOT_SUPPORTED;
    }
    for (int i = 0; i < bias->shape.count; i++)
        if (bias->shape.size[i] != (i == 1 ? y->shape.size[1] : 1))
            return DNN_BAD_PARAM;
    if (bias->shape.count < 2 || bias->shape.count > 2 + DNN_SPACE)
        return DNN_BAD_PARAM;
    c.y = dnn_view_of(&y->shape, false);
    c.x = dnn_view_of(&bias->shape, true);
    c.y.data = at_y, c.x.data = at_bias;
    c.alpha = scalar(alpha, y->shape.data), c.beta = scalar(beta, y->shape.data);
    return dnn_sum_bias(h, &y->shape, &c);
}
