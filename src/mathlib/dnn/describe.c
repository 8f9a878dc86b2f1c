/* SPDX-License-Identifier: BSD-3-Clause */
/* From shapes of tensors to a convolution as its kernels get it. */
#include "mathlib/dnn/handle.h"

#include <limits.h>

bool dnn_type_of(int data, enum mathlib_type *type)
{
    static const struct {
        int data;
        enum mathlib_type type;
    } rows[] = {
        {DNN_FLOAT, MATHLIB_F32}, {DNN_DOUBLE, MATHLIB_F64}, {DNN_HALF, MATHLIB_F16}, {DNN_BFLOAT16, MATHLIB_BF16}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].data == data) {
            *type = rows[i].type;
            return true;
        }
    return false;
}

struct dnn_view dnn_view_of(const struct dnn_shape *shape, bool repeated)
{
    struct dnn_view view = {.exists = 1};
    enum mathlib_type type = MATHLIB_F32;
    int absent = 2 + DNN_SPACE - shape->count;
    dnn_type_of(shape->data, &type);
    view.type = (int)type;
    for (int i = 0; i < shape->count; i++)
        view.step[i < 2 ? i : i + absent] = repeated && shape->size[i] == 1 ? 0 : shape->step[i];
    return view;
}

int64_t dnn_output_size(const struct dnn_window *window, int i, int64_t in, int64_t filter)
{
    int64_t room = in + window->before[i] + window->after[i] - (window->dilation[i] * (filter - 1) + 1);
    return room < 0 ? 0 : room / window->stride[i] + 1;
}

static int refused(const char *function, const char *what, int status)
{
    mathlib_refuse(function, what);
    return status;
}

/* Whether sizes fit each other and what kernels count with; a status other than success has been explained. */
static int fits(const char *function, const struct dnn_shape *x, const struct dnn_shape *w, const struct dnn_shape *y,
                const struct dnn_window *window)
{
    if (x->count != y->count || x->count != w->count || x->count != window->count + 2)
        return DNN_BAD_PARAM;
    if (x->count < 3 || x->count > 2 + DNN_SPACE)
        return refused(function, "images of other than one to three dimensions", DNN_NOT_SUPPORTED_SHAPE);
    for (int i = 0; i < x->count; i++)
        if (x->size[i] < 1 || w->size[i] < 1 || y->size[i] < 1)
            return DNN_BAD_PARAM;
    if (x->size[0] != y->size[0] || w->size[0] != y->size[1] || x->size[1] % w->size[1])
        return DNN_BAD_PARAM;
    int64_t groups = x->size[1] / w->size[1];
    if (w->size[0] % groups || (window->groups && window->groups != groups))
        return DNN_BAD_PARAM;
    for (int i = 0; i < window->count; i++) {
        if (window->stride[i] < 1 || window->dilation[i] < 1)
            return DNN_BAD_PARAM;
        if (dnn_output_size(window, i, x->size[2 + i], w->size[2 + i]) != y->size[2 + i])
            return DNN_BAD_PARAM;
    }
    return DNN_SUCCESS;
}

static int typed(const char *function, const struct dnn_shape *x, const struct dnn_shape *w, const struct dnn_shape *y,
                 const struct dnn_shape *result)
{
    enum mathlib_type type, of_result, first;
    const struct dnn_shape *a = result == w ? y : w, *b = result == x ? y : x;
    if (!dnn_type_of(a->data, &first) || !dnn_type_of(b->data, &type) || !dnn_type_of(result->data, &of_result) ||
        first != type || (type == MATHLIB_F64) != (of_result == MATHLIB_F64))
        return refused(function, "these types of numbers (operands are float, double, half or bfloat16, both the same)",
                       DNN_NOT_SUPPORTED_DATA_TYPE);
    return DNN_SUCCESS;
}

/* Dimensions of the image, absent ones in front. */
static void place_image(const struct dnn_shape *x, const struct dnn_shape *w, const struct dnn_shape *y,
                        const struct dnn_window *window, struct dnn_convolution *to)
{
    int absent = DNN_SPACE - window->count;
    for (int i = 0; i < DNN_SPACE; i++) {
        int from = i - absent;
        bool is = from >= 0;
        to->in[i] = is ? (int)x->size[2 + from] : 1;
        to->filter[i] = is ? (int)w->size[2 + from] : 1;
        to->out[i] = is ? (int)y->size[2 + from] : 1;
        to->pad[i] = is ? (int)window->before[from] : 0;
        to->stride[i] = is ? (int)window->stride[from] : 1;
        to->dilation[i] = is ? (int)window->dilation[from] : 1;
    }
}

static int64_t product(int64_t first, const int *sizes)
{
    for (int i = 0; i < DNN_SPACE; i++)
        first *= sizes[i];
    return first;
}

int dnn_describe(const char *function, enum dnn_kind kind, const struct dnn_shape *x, const struct dnn_shape *w,
                 const struct dnn_shape *y, const struct dnn_window *window, struct dnn_convolution *to)
{
    int status = fits(function, x, w, y, window);
    if (status == DNN_SUCCESS)
        status = typed(function, x, w, y, kind == DNN_FORWARD ? y : kind == DNN_DATA ? x : w);
    if (status != DNN_SUCCESS)
        return status;
    int groups = (int)(x->size[1] / w->size[1]);
    *to = (struct dnn_convolution){.x = dnn_view_of(x, false),
                                   .w = dnn_view_of(w, false),
                                   .y = dnn_view_of(y, false),
                                   .kind = (int)kind,
                                   .groups = groups,
                                   .batch = (int)x->size[0],
                                   .inputs = (int)w->size[1],
                                   .outputs = (int)(w->size[0] / groups),
                                   .turned = window->mode == DNN_CONVOLUTION,
                                   .alpha = 1};
    place_image(x, w, y, window, to);
    int64_t in = product(to->batch, to->in), out = product(to->batch, to->out), taps = product(1, to->filter);
    int64_t columns = kind == DNN_FORWARD ? out : kind == DNN_DATA ? in : taps * to->inputs;
    int64_t depth = kind == DNN_FORWARD ? taps * to->inputs : kind == DNN_DATA ? taps * to->outputs : out;
    if (columns > INT_MAX / 2 || depth > INT_MAX / 2)
        return refused(function, "more than 1,073,741,823 places", DNN_NOT_SUPPORTED_SHAPE);
    to->rows = kind == DNN_DATA ? to->inputs : to->outputs;
    to->columns = (int)columns;
    to->depth = (int)depth;
    return DNN_SUCCESS;
}
