/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of operations: a convolution or one of its gradients, and behind a forward one operations on each number. */
#include "mathlib/dnn/descriptor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OPERATIONS = DNN_STEPS + 1 };

static int refused(const char *what)
{
    mathlib_refuse("cudnnBackendFinalize", what);
    return DNN_NOT_SUPPORTED_GRAPH_PATTERN;
}

/* ===== what descriptors say ===== */

static bool shape_of(const struct dnn_content *tensor, struct dnn_shape *to)
{
    if (!tensor || tensor->kind != DNN_TENSOR_DESCRIPTOR)
        return false;
    const struct dnn_attribute *sizes = dnn_attribute(tensor, DNN_TENSOR_SIZES);
    const struct dnn_attribute *steps = dnn_attribute(tensor, DNN_TENSOR_STEPS);
    *to = (struct dnn_shape){.data = (int)dnn_integer(tensor, DNN_TENSOR_DATA, -1), .count = (int)sizes->count};
    memcpy(to->size, sizes->elements, (size_t)sizes->count * sizeof *to->size);
    memcpy(to->step, steps->elements, (size_t)steps->count * sizeof *to->step);
    return true;
}

static bool integers(const struct dnn_content *from, int name, int count, int64_t *to)
{
    const struct dnn_attribute *at = dnn_attribute(from, name);
    if (!at || at->type != DNN_TYPE_INT64 || at->count != count)
        return false;
    memcpy(to, at->elements, (size_t)count * sizeof *to);
    return true;
}

static bool window_of(const struct dnn_content *how, struct dnn_window *to)
{
    if (!how || how->kind != DNN_CONVOLUTION_DESCRIPTOR)
        return false;
    int64_t count = dnn_integer(how, DNN_CONVOLUTION_DIMENSIONS, 0);
    if (count < 1 || count > DNN_DIMENSIONS - 2)
        return false;
    *to = (struct dnn_window){.count = (int)count,
                              .mode = (int)dnn_integer(how, DNN_CONVOLUTION_MODE, DNN_CROSS_CORRELATION)};
    return integers(how, DNN_CONVOLUTION_BEFORE, to->count, to->before) &&
           integers(how, DNN_CONVOLUTION_AFTER, to->count, to->after) &&
           integers(how, DNN_CONVOLUTION_STRIDES, to->count, to->stride) &&
           integers(how, DNN_CONVOLUTION_DILATIONS, to->count, to->dilation);
}

static int64_t id_of(const struct dnn_content *tensor)
{
    return dnn_integer(tensor, DNN_TENSOR_ID, 0);
}

/* ===== the convolution ===== */

/* Attributes of the three operations: in each alpha comes first, then beta and the description of the convolution. */
static const struct operation {
    int descriptor;
    enum dnn_kind kind;
    int alpha, x, w, y;
} operations[] = {
    {DNN_OPERATION_FORWARD_DESCRIPTOR, DNN_FORWARD, DNN_FORWARD_ALPHA, 704, 703, 705},
    {DNN_OPERATION_DATA_DESCRIPTOR, DNN_DATA, DNN_DATA_ALPHA, 710, 709, 711},
    {DNN_OPERATION_FILTER_DESCRIPTOR, DNN_FILTER, DNN_FILTER_ALPHA, 716, 715, 717},
};

static const struct operation *operation_of(int descriptor)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].descriptor == descriptor)
            return &operations[i];
    return NULL;
}

static int read_convolution(const struct dnn_content *node, const struct operation *row, struct dnn_graph *graph,
                            const struct dnn_content **result)
{
    const struct dnn_content *x = dnn_first(node, row->x), *w = dnn_first(node, row->w), *y = dnn_first(node, row->y);
    struct dnn_shape of_x, of_w, of_y;
    struct dnn_window window;
    if (!shape_of(x, &of_x) || !shape_of(w, &of_w) || !shape_of(y, &of_y) ||
        !window_of(dnn_first(node, row->alpha + 2), &window))
        return DNN_BAD_PARAM;
    int status = dnn_describe("cudnnBackendFinalize", row->kind, &of_x, &of_w, &of_y, &window, &graph->convolution);
    if (status != DNN_SUCCESS)
        return status;
    graph->convolution.alpha = dnn_real(node, row->alpha, 1);
    graph->convolution.beta = dnn_real(node, row->alpha + 1, 0);
    *result = row->kind == DNN_FORWARD ? y : row->kind == DNN_DATA ? x : w;
    graph->operand[0] = id_of(row->kind == DNN_DATA ? y : x);
    graph->operand[1] = id_of(row->kind == DNN_FILTER ? y : w);
    return DNN_SUCCESS;
}

/* ===== operations on each number ===== */

/* Operation for a cudnnPointwiseMode_t, and whether it takes two numbers; -1: there is none. */
static int step_operation(int mode, bool *two)
{
    static const struct {
        int mode, operation;
        bool two;
    } rows[] = {
        {0, DNN_ADD, true},     {1, DNN_MULTIPLY, true},   {2, DNN_MINIMUM, true}, {3, DNN_MAXIMUM, true},
        {6, DNN_DIVIDE, true},  {9, DNN_SUBTRACT, true},   {21, DNN_COPY, false},  {100, DNN_RELU, false},
        {101, DNN_TANH, false}, {102, DNN_SIGMOID, false}, {103, DNN_ELU, false},  {106, DNN_SWISH, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].mode == mode) {
            *two = rows[i].two;
            return rows[i].operation;
        }
    return -1;
}

static void read_parameters(const struct dnn_content *node, const struct dnn_content *how, struct dnn_step *step)
{
    step->a = dnn_real(node, DNN_POINTWISE_ALPHA1, 1);
    step->b = dnn_real(node, DNN_POINTWISE_ALPHA2, 1);
    if (step->operation == DNN_RELU) {
        step->a = dnn_real(how, DNN_POINTWISE_RELU_SLOPE, 0);
        step->b = dnn_real(how, DNN_POINTWISE_RELU_UPPER_CLIP, (double)INFINITY);
    } else if (step->operation == DNN_ELU || step->operation == DNN_SWISH) {
        step->a = dnn_real(how, step->operation == DNN_ELU ? DNN_POINTWISE_ELU_ALPHA : DNN_POINTWISE_SWISH_BETA, 1);
    }
}

/* The tensor beside the value, of the shape of `y` or repeated along it. */
static int read_tensor(const struct dnn_content *tensor, const struct dnn_shape *y, struct dnn_graph *graph, int i)
{
    struct dnn_shape shape;
    enum mathlib_type type;
    if (!shape_of(tensor, &shape) || shape.count != y->count)
        return DNN_BAD_PARAM;
    for (int d = 0; d < shape.count; d++)
        if (shape.size[d] != 1 && shape.size[d] != y->size[d])
            return DNN_BAD_PARAM;
    if (!dnn_type_of(shape.data, &type) || dnn_integer(tensor, DNN_TENSOR_VIRTUAL, 0))
        return refused("an operand of an operation on each number that is computed by the graph, or of this type");
    graph->step[i].exists = true;
    graph->step[i].id = id_of(tensor);
    graph->step[i].data = dnn_integer(tensor, DNN_TENSOR_BY_VALUE, 0) ? shape.data : -1;
    if (graph->step[i].data == DNN_HALF || graph->step[i].data == DNN_BFLOAT16)
        return refused("a half or a bfloat16 that is passed by value");
    graph->convolution.step[i].view = dnn_view_of(&shape, true);
    graph->convolution.step[i].view.exists = graph->step[i].data < 0;
    return DNN_SUCCESS;
}

/* Adds the operation at `node`, one of whose operands is the tensor `value`; what it makes becomes `value`. */
static int read_step(const struct dnn_content *node, struct dnn_graph *graph, const struct dnn_content **value)
{
    const struct dnn_content *how = dnn_first(node, DNN_POINTWISE_DESCRIPTION), *x = dnn_first(node, DNN_POINTWISE_X);
    const struct dnn_content *b = dnn_first(node, DNN_POINTWISE_B), *y = dnn_first(node, DNN_POINTWISE_Y);
    struct dnn_shape shape, before;
    bool two;
    int i = graph->convolution.steps;
    if (!how || how->kind != DNN_POINTWISE_DESCRIPTOR || !x || !shape_of(y, &shape) || !shape_of(*value, &before))
        return DNN_BAD_PARAM;
    int operation = step_operation((int)dnn_integer(how, DNN_POINTWISE_MODE, -1), &two);
    bool turned = id_of(x) != id_of(*value);
    if (operation < 0 || i == DNN_STEPS)
        return refused("this operation on each number (pointwise mode), or so many of them");
    if (turned && (operation == DNN_SUBTRACT || operation == DNN_DIVIDE))
        return refused("a difference or quotient whose second operand is the convolution");
    if (dnn_real(how, DNN_POINTWISE_RELU_LOWER_CLIP, 0) != 0)
        return refused("a lower clip of ReLU");
    if (shape.count != before.count || memcmp(shape.size, before.size, sizeof shape.size) != 0 || (two && !b))
        return DNN_BAD_PARAM;
    struct dnn_step *step = &graph->convolution.step[i];
    step->operation = operation;
    read_parameters(node, how, step);
    if (turned && (operation == DNN_ADD || operation == DNN_MULTIPLY)) {
        double first = step->a;
        step->a = step->b, step->b = first;
    }
    graph->convolution.steps++;
    *value = y;
    return two ? read_tensor(turned ? x : b, &shape, graph, i) : DNN_SUCCESS;
}

/* ===== the graph ===== */

/* The operation that takes a tensor in; NULL: none does. */
static const struct dnn_content *next_of(const struct dnn_attribute *nodes, const struct dnn_content *tensor)
{
    struct dnn_content *const *node = nodes->elements;
    for (int64_t i = 0; i < nodes->count; i++) {
        if (node[i]->kind != DNN_OPERATION_POINTWISE_DESCRIPTOR)
            continue;
        const struct dnn_content *x = dnn_first(node[i], DNN_POINTWISE_X), *b = dnn_first(node[i], DNN_POINTWISE_B);
        if ((x && id_of(x) == id_of(tensor)) || (b && id_of(b) == id_of(tensor)))
            return node[i];
    }
    return NULL;
}

static int read_graph(const struct dnn_attribute *nodes, struct dnn_graph *graph)
{
    struct dnn_content *const *node = nodes->elements;
    const struct dnn_content *first = NULL, *result = NULL, *next;
    const struct operation *row = NULL;
    int64_t done = 1;
    for (int64_t i = 0; i < nodes->count; i++)
        if (operation_of(node[i]->kind))
            first = node[i], row = operation_of(node[i]->kind);
    if (!first || nodes->count > MOST_OPERATIONS)
        return refused("a graph without a convolution, or with more than nine operations");
    int status = read_convolution(first, row, graph, &result);
    while (status == DNN_SUCCESS && (next = next_of(nodes, result)) && done < nodes->count) {
        if (row->kind != DNN_FORWARD || !dnn_integer(result, DNN_TENSOR_VIRTUAL, 0))
            return refused("an operation behind a gradient, or on a tensor that the program keeps");
        status = read_step(next, graph, &result);
        done++;
    }
    if (status != DNN_SUCCESS)
        return status;
    if (done < nodes->count || dnn_integer(result, DNN_TENSOR_VIRTUAL, 0))
        return refused("a graph that is no chain of operations behind a convolution");
    struct dnn_shape shape;
    enum mathlib_type type;
    if (!shape_of(result, &shape) || !dnn_type_of(shape.data, &type))
        return refused("a result of this type");
    if (row->kind == DNN_FORWARD)
        graph->convolution.y = dnn_view_of(&shape, false);
    graph->result = id_of(result);
    return DNN_SUCCESS;
}

int dnn_graph_finalize(struct dnn_content *content)
{
    const struct dnn_attribute *nodes = dnn_attribute(content, DNN_GRAPH_OPERATIONS);
    int64_t engines = 1;
    if (!nodes || nodes->type != DNN_TYPE_DESCRIPTOR || !nodes->count)
        return DNN_BAD_PARAM;
    free(content->graph);
    content->graph = calloc(1, sizeof *content->graph);
    if (!content->graph)
        return DNN_ALLOC_FAILED;
    int status = read_graph(nodes, content->graph);
    if (status != DNN_SUCCESS) {
        free(content->graph);
        content->graph = NULL;
        return status;
    }
    return dnn_set(content, DNN_GRAPH_ENGINES, DNN_TYPE_INT64, 1, &engines);
}

/* ===== execution ===== */

static void *address_of(const struct dnn_content *pack, int64_t id)
{
    const struct dnn_attribute *ids = dnn_attribute(pack, DNN_PACK_IDS);
    void *const *addresses = dnn_attribute(pack, DNN_PACK_ADDRESSES)->elements;
    const int64_t *list = ids->elements;
    for (int64_t i = 0; i < ids->count; i++)
        if (list[i] == id)
            return addresses[i];
    return NULL;
}

/* A number that the program passes by value: a float or a double. */
static double value_at(const void *at, int data)
{
    return data == DNN_DOUBLE ? *(const double *)at : (double)*(const float *)at;
}

int dnn_graph_execute(cudnnHandle_t h, const struct dnn_graph *graph, const struct dnn_content *pack)
{
    struct dnn_convolution c = graph->convolution;
    struct dnn_view *first = c.kind == DNN_DATA ? &c.y : &c.x, *second = c.kind == DNN_FILTER ? &c.y : &c.w;
    struct dnn_view *result = c.kind == DNN_FORWARD ? &c.y : c.kind == DNN_DATA ? &c.x : &c.w;
    first->data = address_of(pack, graph->operand[0]);
    second->data = address_of(pack, graph->operand[1]);
    result->data = address_of(pack, graph->result);
    if (!first->data || !second->data || !result->data)
        return DNN_BAD_PARAM_NULL_POINTER;
    for (int i = 0; i < c.steps; i++) {
        void *at = graph->step[i].exists ? address_of(pack, graph->step[i].id) : NULL;
        if (!graph->step[i].exists)
            continue;
        if (!at)
            return DNN_BAD_PARAM_NULL_POINTER;
        if (graph->step[i].data < 0)
            c.step[i].view.data = at;
        else
            c.step[i].value = value_at(at, graph->step[i].data);
    }
    return dnn_convolve(h, &c);
}
