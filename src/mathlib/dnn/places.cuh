// SPDX-License-Identifier: BSD-3-Clause
/*
 * Convolutions as products of matrices whose operands are never made: where a number of an operand lies follows from its
 * column and its place along the inner dimension. Forward: a row is a channel of y, a column a place of y, and the inner
 * dimension goes over channels of x and places of the filter. Gradient of the data: the same with x and y exchanged.
 * Gradient of the filter: a column is a channel of x and a place of the filter, the inner dimension goes over y.
 */
#ifndef MATHLIB_DNN_PLACES_CUH
#define MATHLIB_DNN_PLACES_CUH

#include "mathlib/common/functions.cuh"
#include "mathlib/common/numbers.cuh"
#include "mathlib/dnn/convolution.h"

// What a column, or a place along the inner dimension, adds to the place of a number. It lies in the image if the sums of
// both `at` do.
struct dnn_place {
    long long a, b; // of the first operand; of the second one
    int at[DNN_SPACE];
};

// Numbers along three dimensions, the last of which goes fastest; the rest is returned.
__device__ __forceinline__ int split(int number, const int (&sizes)[DNN_SPACE], int (&to)[DNN_SPACE])
{
#pragma unroll
    for (int i = DNN_SPACE - 1; i >= 0; i--) {
        int rest = number / sizes[i];
        to[i] = number - rest * sizes[i];
        number = rest;
    }
    return number;
}

// A channel and a place of the filter.
__device__ __forceinline__ int split_filter(const dnn_convolution &p, int channels, int number, int (&to)[DNN_SPACE])
{
    if (!p.channels_last)
        return split(number, p.filter, to);
    int rest = number / channels;
    split(rest, p.filter, to);
    return number - rest * channels;
}

__device__ __forceinline__ long long in_filter(const dnn_convolution &p, const int (&at)[DNN_SPACE])
{
    long long place = 0;
#pragma unroll
    for (int i = 0; i < DNN_SPACE; i++)
        place += (p.turned ? p.filter[i] - 1 - at[i] : at[i]) * p.w.step[2 + i];
    return place;
}

template <int KIND> __device__ __forceinline__ dnn_place column_place(const dnn_convolution &p, int column)
{
    dnn_place place = {0, 0, {0, 0, 0}};
    int at[DNN_SPACE];
    if (KIND == DNN_FILTER) {
        place.b = split_filter(p, p.inputs, column, at) * p.x.step[1];
#pragma unroll
        for (int i = 0; i < DNN_SPACE; i++) {
            place.at[i] = at[i] * p.dilation[i];
            place.b += place.at[i] * p.x.step[2 + i];
        }
        return place;
    }
    place.b = split(column, KIND == DNN_FORWARD ? p.out : p.in, at) * (KIND == DNN_FORWARD ? p.x : p.y).step[0];
#pragma unroll
    for (int i = 0; i < DNN_SPACE; i++) {
        place.at[i] = KIND == DNN_FORWARD ? at[i] * p.stride[i] - p.pad[i] : at[i] + p.pad[i];
        if (KIND == DNN_FORWARD)
            place.b += place.at[i] * p.x.step[2 + i];
    }
    return place;
}

template <int KIND> __device__ __forceinline__ dnn_place inner_place(const dnn_convolution &p, int k)
{
    dnn_place place = {0, 0, {0, 0, 0}};
    int at[DNN_SPACE];
    if (KIND == DNN_FILTER) {
        int image = split(k, p.out, at);
        place.a = image * p.y.step[0], place.b = image * p.x.step[0];
#pragma unroll
        for (int i = 0; i < DNN_SPACE; i++) {
            place.at[i] = at[i] * p.stride[i] - p.pad[i];
            place.a += at[i] * p.y.step[2 + i], place.b += place.at[i] * p.x.step[2 + i];
        }
        return place;
    }
    int channel = split_filter(p, KIND == DNN_FORWARD ? p.inputs : p.outputs, k, at);
    place.a = channel * p.w.step[KIND == DNN_FORWARD ? 1 : 0] + in_filter(p, at);
    place.b = channel * (KIND == DNN_FORWARD ? p.x : p.y).step[1];
#pragma unroll
    for (int i = 0; i < DNN_SPACE; i++) {
        place.at[i] = at[i] * (KIND == DNN_FORWARD ? p.dilation[i] : -p.dilation[i]);
        if (KIND == DNN_FORWARD)
            place.b += place.at[i] * p.x.step[2 + i];
    }
    return place;
}

// The place of a number of the second operand from the group's first one; -1: it lies beyond the image, and is 0.
template <int KIND> __device__ __forceinline__ long long number_place(const dnn_convolution &p, const dnn_place &column, const dnn_place &inner)
{
    long long place = column.b + inner.b;
    bool exists = true;
#pragma unroll
    for (int i = 0; i < DNN_SPACE; i++) {
        int at = column.at[i] + inner.at[i];
        if (KIND != DNN_DATA) {
            exists &= (unsigned)at < (unsigned)p.in[i];
            continue;
        }
        int whole = p.stride[i] == 1 ? at : at / p.stride[i];
        exists &= at >= 0 && whole * p.stride[i] == at && whole < p.out[i];
        place += whole * p.y.step[2 + i];
    }
    return exists ? place : -1;
}

// ===== operands and results of a group =====

template <int KIND> __device__ __forceinline__ long long row_step(const dnn_convolution &p)
{
    return KIND == DNN_FORWARD ? p.w.step[0] : KIND == DNN_DATA ? p.w.step[1] : p.y.step[1];
}
template <int KIND, class T> __device__ __forceinline__ const T *operand_a(const dnn_convolution &p, int group)
{
    return KIND == DNN_FILTER ? (const T *)p.y.data + group * (long long)p.outputs * p.y.step[1]
                              : (const T *)p.w.data + group * (long long)p.outputs * p.w.step[0];
}
template <int KIND, class T> __device__ __forceinline__ const T *operand_b(const dnn_convolution &p, int group)
{
    return KIND == DNN_DATA ? (const T *)p.y.data + group * (long long)p.outputs * p.y.step[1]
                            : (const T *)p.x.data + group * (long long)p.inputs * p.x.step[1];
}

// ===== epilogues =====

template <class S> __device__ __forceinline__ S number_of(const void *data, int type, long long at)
{
    switch (type) {
    case MATHLIB_F64:
        return (S)((const double *)data)[at];
    case MATHLIB_F16:
        return (S)(float)((const f16 *)data)[at];
    case MATHLIB_BF16:
        return (S)(float)((const bf16 *)data)[at];
    default:
        return (S)((const float *)data)[at];
    }
}
template <class S> __device__ __forceinline__ void set_number(void *data, int type, long long at, S value)
{
    switch (type) {
    case MATHLIB_F64:
        ((double *)data)[at] = (double)value;
        break;
    case MATHLIB_F16:
        ((f16 *)data)[at] = f16((float)value);
        break;
    case MATHLIB_BF16:
        ((bf16 *)data)[at] = bf16((float)value);
        break;
    default:
        ((float *)data)[at] = (float)value;
    }
}

__device__ __forceinline__ float power_of_e(float x) { return expf(x); }
__device__ __forceinline__ double power_of_e(double x) { return exp(x); }

// exp(2v) - 1 over exp(2v) + 1, by a series where the difference loses digits.
template <class S> __device__ __forceinline__ S hyperbolic_tangent(S v)
{
    S size = v < 0 ? -v : v, square = v * v;
    if (size < (S)0.05)
        return v * (1 - square * ((S)(1 / 3.0) - square * ((S)(2 / 15.0) - square * (S)(17 / 315.0))));
    S below = 1 - 2 / (power_of_e(2 * (size < 20 ? size : (S)20)) + 1);
    return v != v ? v : v < 0 ? -below : below;
}

template <class S> __device__ __forceinline__ S stepped(const dnn_step &step, S v, long long at)
{
    S a = (S)step.a, b = (S)step.b, t = step.view.exists ? number_of<S>(step.view.data, step.view.type, at) : (S)step.value;
    switch (step.operation) {
    case DNN_ADD:
        return a * v + b * t;
    case DNN_SUBTRACT:
        return a * v - b * t;
    case DNN_MULTIPLY:
        return a * v * (b * t);
    case DNN_DIVIDE:
        return a * v / (b * t);
    case DNN_MAXIMUM:
        return v != v || v > t ? v : t;
    case DNN_MINIMUM:
        return v != v || v < t ? v : t;
    case DNN_RELU:
        return v > b ? b : v < 0 ? v * a : v;
    case DNN_SIGMOID:
        return 1 / (1 + power_of_e(-v));
    case DNN_TANH:
        return hyperbolic_tangent(v);
    case DNN_ELU:
        return v < 0 ? a * (power_of_e(v) - 1) : v;
    case DNN_SWISH:
        return v / (1 + power_of_e(-a * v));
    default:
        return a * v;
    }
}

// Where a column's results begin, and what a step of the epilogue finds there.
struct dnn_column {
    int image, at[DNN_SPACE];
    long long to;
};
template <int KIND> __device__ __forceinline__ const dnn_view &result_of(const dnn_convolution &p)
{
    return KIND == DNN_FORWARD ? p.y : KIND == DNN_DATA ? p.x : p.w;
}
template <int KIND> __device__ __forceinline__ dnn_column result_column(const dnn_convolution &p, int column)
{
    dnn_column place;
    if (KIND == DNN_FILTER) {
        place.image = 0;
        place.to = split_filter(p, p.inputs, column, place.at) * p.w.step[1];
        place.to += in_filter(p, place.at);
        return place;
    }
    const dnn_view &view = result_of<KIND>(p);
    place.image = split(column, KIND == DNN_FORWARD ? p.out : p.in, place.at);
    place.to = place.image * view.step[0];
#pragma unroll
    for (int i = 0; i < DNN_SPACE; i++)
        place.to += place.at[i] * view.step[2 + i];
    return place;
}

// Finishes a number of the result from its sum of products.
template <int KIND, class S> __device__ __forceinline__ void finish(const dnn_convolution &p, int group, int row, const dnn_column &column, S sum)
{
    const dnn_view &view = result_of<KIND>(p);
    int channel = group * p.rows + row;
    long long to = column.to + channel * view.step[KIND == DNN_FILTER ? 0 : 1];
    S value = (S)p.alpha * sum;
    if (p.beta != 0)
        value += (S)p.beta * number_of<S>(view.data, view.type, to);
    for (int i = 0; i < p.steps; i++) {
        const dnn_step &step = p.step[i];
        long long at = column.image * step.view.step[0] + channel * step.view.step[1];
#pragma unroll
        for (int j = 0; j < DNN_SPACE; j++)
            at += column.at[j] * step.view.step[2 + j];
        value = stepped(step, value, at);
    }
    set_number<S>((void *)view.data, view.type, to, value);
}

#endif
