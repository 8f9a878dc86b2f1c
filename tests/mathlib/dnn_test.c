/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our libcudnn beside sums on the host: convolutions and both gradients in four types, both layouts, one to three
 * dimensions, with groups, strides, dilations and padding, by the older interface and by graphs. Operands are
 * eighths: sums are exact whatever their order, and results are compared after one rounding.
 */
#include "reference.h"

typedef void *any;
int cudnnCreate(any *), cudnnDestroy(any), cudnnCreateTensorDescriptor(any *), cudnnCreateFilterDescriptor(any *),
    cudnnCreateConvolutionDescriptor(any *), cudnnCreateActivationDescriptor(any *);
int cudnnDestroyTensorDescriptor(any), cudnnDestroyFilterDescriptor(any), cudnnDestroyConvolutionDescriptor(any),
    cudnnDestroyActivationDescriptor(any);
int cudnnSetTensorNdDescriptor(any, int, int, const int *, const int *),
    cudnnSetFilterNdDescriptor(any, int, int, int, const int *),
    cudnnSetConvolutionNdDescriptor(any, int, const int *, const int *, const int *, int, int),
    cudnnSetConvolutionGroupCount(any, int), cudnnSetActivationDescriptor(any, int, int, double);
int cudnnGetConvolutionNdForwardOutputDim(any, any, any, int, int *);
int cudnnGetConvolutionForwardAlgorithm_v7(any, any, any, any, any, int, int *, any);
int cudnnGetConvolutionForwardWorkspaceSize(any, any, any, any, any, int, size_t *);
int cudnnConvolutionForward(any, const void *, any, any, any, any, any, int, any, size_t, const void *, any, any);
int cudnnConvolutionBackwardData(any, const void *, any, any, any, any, any, int, any, size_t, const void *, any, any);
int cudnnConvolutionBackwardFilter(any, const void *, any, any, any, any, any, int, any, size_t, const void *, any,
                                   any);
int cudnnConvolutionBackwardBias(any, const void *, any, any, const void *, any, any);
int cudnnConvolutionBiasActivationForward(any, const void *, any, any, any, any, any, int, any, size_t, const void *,
                                          any, any, any, any, any, any, any);
int cudnnBackendCreateDescriptor(int, any *), cudnnBackendDestroyDescriptor(any), cudnnBackendFinalize(any),
    cudnnBackendSetAttribute(any, int, int, int64_t, const void *),
    cudnnBackendGetAttribute(any, int, int, int64_t, int64_t *, void *), cudnnBackendExecute(any, any, any);
int cudnnPoolingForward(any, any, const void *, any, any, const void *, any, any);

enum { FORWARD, DATA, FILTER, KINDS, BAD_PARAM = 2000 };

static any handle;

/* Channels are those of all groups; dimensions of the image that are absent have size 1. */
static const struct geometry {
    int space, batch, groups, inputs, outputs, in[3], filter[3], pad[3], stride[3], dilation[3], mode;
} geometries[] = {
    {2, 2, 1, 3, 5, {1, 9, 8}, {1, 3, 3}, {0, 1, 1}, {1, 1, 1}, {1, 1, 1}, 1},
    {2, 1, 1, 16, 24, {1, 7, 9}, {1, 3, 2}, {0, 1, 0}, {1, 2, 1}, {1, 1, 2}, 1},
    {2, 2, 2, 16, 32, {1, 8, 8}, {1, 3, 3}, {0, 2, 1}, {1, 1, 2}, {1, 2, 1}, 1},
    {2, 2, 6, 6, 12, {1, 10, 7}, {1, 3, 3}, {0, 1, 1}, {1, 2, 2}, {1, 1, 1}, 1}, /* of one channel each */
    {1, 3, 1, 8, 70, {1, 1, 25}, {1, 1, 4}, {0, 0, 3}, {1, 1, 3}, {1, 1, 2}, 0},
    {3, 1, 1, 4, 6, {4, 5, 6}, {2, 3, 3}, {1, 0, 1}, {1, 2, 1}, {1, 1, 1}, 0},
    {2, 2, 1, 72, 66, {1, 20, 17}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {1, 1, 1}, 1}, /* parts, more than a tile */
};

static const int data_types[] = {0, 1, -1, -1, 2, 9}; /* of reference.h's types */

/* A tensor on the host and on the device, with batch, channels and three dimensions. */
struct tensor {
    int size[5], step[5], count, type;
    double complex *number;
    void *device;
};

static int out_size(const struct geometry *g, int i)
{
    return (g->in[i] + 2 * g->pad[i] - g->dilation[i] * (g->filter[i] - 1) - 1) / g->stride[i] + 1;
}

static struct tensor make(int type, bool last, int first, int second, const int *space)
{
    struct tensor t = {.size = {first, second, space[0], space[1], space[2]}, .type = type};
    static const int orders[2][5] = {{4, 3, 2, 1, 0}, {1, 4, 3, 2, 0}};
    t.count = 1;
    for (int i = 0; i < 5; i++) {
        int d = orders[last][i];
        t.step[d] = t.count;
        t.count *= t.size[d];
    }
    t.number = calloc((size_t)t.count, sizeof *t.number);
    t.device = device_memory((size_t)t.count * reference_size(type));
    for (int i = 0; i < t.count; i++)
        t.number[i] = floor(random_number() * 8) / 8;
    to_device(type, t.device, t.number, t.count);
    return t;
}

static void drop(struct tensor *t)
{
    free(t->number);
    device_free(t->device);
}

static double complex *at(const struct tensor *t, int n, int c, const int *place)
{
    return &t->number[n * t->step[0] + c * t->step[1] + place[0] * t->step[2] + place[1] * t->step[3] +
                      place[2] * t->step[4]];
}

/* Calls `each` for every product that a convolution is a sum of. */
static void sum_up(const struct geometry *g, int kind, const struct tensor *x, const struct tensor *w,
                   const struct tensor *y, double *sums)
{
    int inputs = g->inputs / g->groups, outputs = g->outputs / g->groups;
    int total = y->size[0] * g->outputs * inputs, places = y->size[2] * y->size[3] * y->size[4];
    int taps = g->filter[0] * g->filter[1] * g->filter[2];
    for (int i = 0; i < total; i++) {
        int c = i % inputs, k = i / inputs % g->outputs, n = i / inputs / g->outputs;
        for (int j = 0; j < places * taps; j++) {
            int o = j / taps, r = j % taps, from[3], tap[3], in_filter[3], to[3];
            bool inside = true;
            for (int d = 2; d >= 0; d--) {
                to[d] = o % y->size[2 + d], o /= y->size[2 + d];
                tap[d] = r % g->filter[d], r /= g->filter[d];
                from[d] = to[d] * g->stride[d] - g->pad[d] + tap[d] * g->dilation[d];
                in_filter[d] = g->mode ? tap[d] : g->filter[d] - 1 - tap[d];
                inside &= from[d] >= 0 && from[d] < g->in[d];
            }
            if (!inside)
                continue;
            double complex *of_x = at(x, n, k / outputs * inputs + c, from), *of_w = at(w, k, c, in_filter),
                           *of_y = at(y, n, k, to);
            const struct tensor *result = kind == FORWARD ? y : kind == DATA ? x : w;
            double complex *of = kind == FORWARD ? of_y : kind == DATA ? of_x : of_w;
            sums[of - result->number] += creal(kind == FORWARD ? *of_x * *of_w
                                               : kind == DATA  ? *of_w * *of_y
                                                               : *of_x * *of_y);
        }
    }
}

/* The device has what it should, after one rounding to its type. */
static void compare(const char *what, const struct geometry *g, const struct tensor *t, const double *should)
{
    static const double unit[] = {1.2e-7, 1e-15, 0, 0, 4.9e-4, 3.95e-3};
    double complex *is = calloc((size_t)t->count, sizeof *is);
    from_device(t->type, is, t->device, t->count);
    for (int i = 0; i < t->count; i++) {
        checked();
        if (!(fabs(creal(is[i]) - should[i]) <= unit[t->type] * (fabs(should[i]) + 1e-3)))
            fail("%s, geometry %d, type %d: number %d is %g, not %g", what, (int)(g - geometries), t->type, i,
                 creal(is[i]), should[i]);
    }
    free(is);
}

/* ===== the older interface ===== */

static any tensor_of(const struct tensor *t, int space)
{
    int sizes[5] = {t->size[0], t->size[1]}, steps[5] = {t->step[0], t->step[1]};
    any made = NULL;
    for (int i = 0; i < space; i++)
        sizes[2 + i] = t->size[5 - space + i], steps[2 + i] = t->step[5 - space + i];
    good(cudnnCreateTensorDescriptor(&made));
    good(cudnnSetTensorNdDescriptor(made, data_types[t->type], 2 + space, sizes, steps));
    return made;
}

static any filter_of(const struct tensor *t, int space, bool last)
{
    int sizes[5] = {t->size[0], t->size[1]};
    any made = NULL;
    for (int i = 0; i < space; i++)
        sizes[2 + i] = t->size[5 - space + i];
    good(cudnnCreateFilterDescriptor(&made));
    good(cudnnSetFilterNdDescriptor(made, data_types[t->type], last, 2 + space, sizes));
    return made;
}

static any convolution_of(const struct geometry *g, int type)
{
    any made = NULL;
    int skipped = 3 - g->space;
    good(cudnnCreateConvolutionDescriptor(&made));
    good(cudnnSetConvolutionNdDescriptor(made, g->space, g->pad + skipped, g->stride + skipped, g->dilation + skipped,
                                         g->mode, type == 1));
    good(cudnnSetConvolutionGroupCount(made, g->groups));
    return made;
}

static void legacy(const struct geometry *g, int kind, struct tensor *x, struct tensor *w, struct tensor *y, bool last,
                   double alpha, double beta)
{
    any of_x = tensor_of(x, g->space), of_w = filter_of(w, g->space, last), of_y = tensor_of(y, g->space),
        how = convolution_of(g, x->type);
    float single[] = {(float)alpha, (float)beta};
    double both[] = {alpha, beta};
    const void *a = x->type == 1 ? (void *)&both[0] : (void *)&single[0];
    const void *b = x->type == 1 ? (void *)&both[1] : (void *)&single[1];
    int sizes[5];
    good(cudnnGetConvolutionNdForwardOutputDim(how, of_x, of_w, 2 + g->space, sizes));
    for (int i = 0; i < g->space; i++)
        if (sizes[2 + i] != y->size[5 - g->space + i])
            fail("an output of size %d", sizes[2 + i]);
    if (kind == FORWARD)
        good(cudnnConvolutionForward(handle, a, of_x, x->device, of_w, w->device, how, 1, NULL, 0, b, of_y, y->device));
    else if (kind == DATA)
        good(cudnnConvolutionBackwardData(handle, a, of_w, w->device, of_y, y->device, how, 1, NULL, 0, b, of_x,
                                          x->device));
    else
        good(cudnnConvolutionBackwardFilter(handle, a, of_x, x->device, of_y, y->device, how, 1, NULL, 0, b, of_w,
                                            w->device));
    cudnnDestroyTensorDescriptor(of_x), cudnnDestroyTensorDescriptor(of_y), cudnnDestroyFilterDescriptor(of_w),
        cudnnDestroyConvolutionDescriptor(how);
}

/* ===== graphs ===== */

static any described(int kind)
{
    any made = NULL;
    good(cudnnBackendCreateDescriptor(kind, &made));
    return made;
}
static void set(any of, int name, int type, int64_t count, const void *from)
{
    good(cudnnBackendSetAttribute(of, name, type, count, from));
}
static void set_integer(any of, int name, int type, int value)
{
    int64_t wide = value;
    set(of, name, type, 1, type == 3 ? (void *)&wide : (void *)&value);
}

static any graph_tensor(const struct tensor *t, int space, int id, bool is_virtual)
{
    int64_t sizes[5] = {t->size[0], t->size[1]}, steps[5] = {t->step[0], t->step[1]};
    any made = described(17);
    for (int i = 0; i < space; i++)
        sizes[2 + i] = t->size[5 - space + i], steps[2 + i] = t->step[5 - space + i];
    set_integer(made, 901, 1, data_types[t->type]);
    set(made, 902, 3, 2 + space, sizes);
    set(made, 903, 3, 2 + space, steps);
    set_integer(made, 906, 3, id);
    set_integer(made, 900, 3, 4);
    set(made, 907, 2, 1, &is_virtual);
    good(cudnnBackendFinalize(made));
    return made;
}

static any graph_window(const struct geometry *g)
{
    int64_t pad[3], stride[3], dilation[3];
    any made = described(1);
    for (int i = 0; i < g->space; i++) {
        int from = 3 - g->space + i;
        pad[i] = g->pad[from], stride[i] = g->stride[from], dilation[i] = g->dilation[from];
    }
    set_integer(made, 106, 3, g->space);
    set_integer(made, 100, 1, 0);
    set_integer(made, 101, 7, g->mode);
    set(made, 102, 3, g->space, dilation);
    set(made, 103, 3, g->space, stride);
    set(made, 104, 3, g->space, pad);
    set(made, 105, 3, g->space, pad);
    good(cudnnBackendFinalize(made));
    return made;
}

/* An operation on each number of `x`. */
static any pointwise(int mode, any x, any b, any y)
{
    any how = described(0), made = described(13);
    set_integer(how, 0, 14, mode);
    good(cudnnBackendFinalize(how));
    set(made, 750, 15, 1, &how), set(made, 751, 15, 1, &x), set(made, 753, 15, 1, &y);
    if (b)
        set(made, 752, 15, 1, &b);
    good(cudnnBackendFinalize(made));
    good(cudnnBackendDestroyDescriptor(how));
    return made;
}

/* From operations to an executed plan; what descriptors refer to is destroyed as early as possible. */
static void execute(any *operations, int count, int tensors, const int64_t *ids, void *const *addresses)
{
    any graph = described(15), heuristics = described(4), configuration = described(3), plan = described(5),
        pack = described(16);
    int64_t found = 0, bytes = -1;
    void *nothing = NULL;
    set(graph, 800, 0, 1, &handle), set(graph, 801, 15, count, operations);
    good(cudnnBackendFinalize(graph));
    for (int i = 0; i < count; i++)
        good(cudnnBackendDestroyDescriptor(operations[i]));
    set(heuristics, 201, 15, 1, &graph), set_integer(heuristics, 200, 8, 0);
    good(cudnnBackendFinalize(heuristics));
    good(cudnnBackendGetAttribute(heuristics, 202, 15, 0, &found, NULL));
    if (found != 1)
        fail("%d configurations", (int)found);
    good(cudnnBackendGetAttribute(heuristics, 202, 15, 1, &found, &configuration));
    good(cudnnBackendDestroyDescriptor(heuristics));
    good(cudnnBackendDestroyDescriptor(graph));
    set(plan, 400, 0, 1, &handle), set(plan, 401, 15, 1, &configuration);
    good(cudnnBackendFinalize(plan));
    good(cudnnBackendDestroyDescriptor(configuration));
    good(cudnnBackendGetAttribute(plan, 402, 3, 1, NULL, &bytes));
    if (bytes != 0)
        fail("a workspace of %d bytes", (int)bytes);
    set(pack, 1000, 3, tensors, ids), set(pack, 1001, 6, tensors, addresses), set(pack, 1003, 6, 1, &nothing);
    good(cudnnBackendFinalize(pack));
    good(cudnnBackendExecute(handle, plan, pack));
    good(cudnnBackendDestroyDescriptor(plan));
    good(cudnnBackendDestroyDescriptor(pack));
}

static any graph_convolution(const struct geometry *g, int kind, any x, any w, any y, double alpha, double beta)
{
    static const int kinds[] = {10, 12, 11}, first[] = {700, 706, 712};
    static const int of_x[] = {704, 710, 716}, of_w[] = {703, 709, 715}, of_y[] = {705, 711, 717};
    any how = graph_window(g), made = described(kinds[kind]);
    set(made, first[kind], 5, 1, &alpha), set(made, first[kind] + 1, 5, 1, &beta),
        set(made, first[kind] + 2, 15, 1, &how);
    set(made, of_x[kind], 15, 1, &x), set(made, of_w[kind], 15, 1, &w), set(made, of_y[kind], 15, 1, &y);
    good(cudnnBackendFinalize(made));
    good(cudnnBackendDestroyDescriptor(how));
    return made;
}

static void by_graph(const struct geometry *g, int kind, struct tensor *x, struct tensor *w, struct tensor *y,
                     double alpha, double beta)
{
    any tensors[] = {graph_tensor(x, g->space, 11, false), graph_tensor(w, g->space, 12, false),
                     graph_tensor(y, g->space, 13, false)};
    any operation = graph_convolution(g, kind, tensors[0], tensors[1], tensors[2], alpha, beta);
    for (int i = 0; i < 3; i++)
        good(cudnnBackendDestroyDescriptor(tensors[i]));
    execute(&operation, 1, 3, (int64_t[]){13, 12, 11}, (void *[]){y->device, w->device, x->device});
}

/* ===== what is tested ===== */

static void convolution(const struct geometry *g, int kind, int type, bool last, bool graph)
{
    int out[] = {out_size(g, 0), out_size(g, 1), out_size(g, 2)};
    struct tensor x = make(type, last, g->batch, g->inputs, g->in),
                  w = make(type, last, g->outputs, g->inputs / g->groups, g->filter),
                  y = make(type, last, g->batch, g->outputs, out);
    struct tensor *result = kind == FORWARD ? &y : kind == DATA ? &x : &w;
    double alpha = last ? 0.5 : 1, beta = g->groups > 1 ? 2 : 0;
    double *sums = calloc((size_t)result->count, sizeof *sums);
    sum_up(g, kind, &x, &w, &y, sums);
    for (int i = 0; i < result->count; i++)
        sums[i] = alpha * sums[i] + beta * creal(result->number[i]);
    if (graph)
        by_graph(g, kind, &x, &w, &y, alpha, beta);
    else
        legacy(g, kind, &x, &w, &y, last, alpha, beta);
    compare(graph ? "graph" : "legacy", g, result, sums);
    free(sums);
    drop(&x), drop(&w), drop(&y);
}

/* relu(convolution + z / 4 + bias), by both interfaces, and the sum of y over all but channels. */
static void bias(int type, bool last, bool graph)
{
    const struct geometry *g = &geometries[1];
    int out[] = {out_size(g, 0), out_size(g, 1), out_size(g, 2)}, one[] = {1, 1, 1}, s = g->space;
    struct tensor x = make(type, last, g->batch, g->inputs, g->in),
                  w = make(type, last, g->outputs, g->inputs, g->filter),
                  y = make(type, last, g->batch, g->outputs, out), z = make(type, last, g->batch, g->outputs, out),
                  b = make(type, last, 1, g->outputs, one);
    double *sums = calloc((size_t)y.count, sizeof *sums), *channel = calloc((size_t)b.count, sizeof *channel);
    float alpha = 1, factor = 0.25F, zero = 0;
    sum_up(g, FORWARD, &x, &w, &y, sums);
    for (int i = 0; i < y.count; i++) {
        int c = i / y.step[1] % y.size[1];
        channel[c] += creal(y.number[i]);
        sums[i] = fmax(0, sums[i] + creal(z.number[i]) * (graph ? 1 : 0.25) + creal(b.number[c]));
    }
    any of_y = tensor_of(&y, s), of_b = tensor_of(&b, s);
    struct tensor sum = make(type, last, 1, g->outputs, one);
    good(cudnnConvolutionBackwardBias(handle, &alpha, of_y, y.device, &zero, of_b, sum.device));
    compare("sums of channels", g, &sum, channel);
    if (graph) {
        any t[] = {graph_tensor(&x, s, 1, false), graph_tensor(&w, s, 2, false), graph_tensor(&y, s, 3, true),
                   graph_tensor(&z, s, 4, false), graph_tensor(&y, s, 5, true),  graph_tensor(&b, s, 6, false),
                   graph_tensor(&y, s, 7, true),  graph_tensor(&y, s, 8, false)};
        any operations[] = {pointwise(100, t[6], NULL, t[7]), pointwise(0, t[4], t[5], t[6]),
                            graph_convolution(g, FORWARD, t[0], t[1], t[2], 1, 0), pointwise(0, t[2], t[3], t[4])};
        for (int i = 0; i < 8; i++)
            good(cudnnBackendDestroyDescriptor(t[i]));
        execute(operations, 4, 5, (int64_t[]){1, 2, 4, 6, 8},
                (void *[]){x.device, w.device, z.device, b.device, y.device});
    } else {
        any of_x = tensor_of(&x, s), of_w = filter_of(&w, s, last), how = convolution_of(g, type), relu = NULL;
        good(cudnnCreateActivationDescriptor(&relu));
        good(cudnnSetActivationDescriptor(relu, 1, 0, 0));
        good(cudnnConvolutionBiasActivationForward(handle, &alpha, of_x, x.device, of_w, w.device, how, 1, NULL, 0,
                                                   &factor, of_y, z.device, of_b, b.device, relu, of_y, y.device));
        cudnnDestroyActivationDescriptor(relu);
    }
    compare("bias and ReLU", g, &y, sums);
    free(sums), free(channel);
    drop(&x), drop(&w), drop(&y), drop(&z), drop(&b), drop(&sum);
}

static void expect(const char *what, int is, int should)
{
    checked();
    if (is != should)
        fail("%s: status %d, not %d", what, is, should);
}

/* Statuses of the documentation. */
static void errors(void)
{
    const struct geometry *g = &geometries[0];
    int out[] = {1, out_size(g, 1), out_size(g, 2)}, found = 0;
    struct tensor x = make(0, false, 2, 3, g->in), w = make(0, false, 5, 3, g->filter), y = make(0, false, 2, 5, out),
                  odd = make(0, false, 2, 4, out);
    any of_x = tensor_of(&x, 2), of_w = filter_of(&w, 2, false), of_y = tensor_of(&y, 2), of_odd = tensor_of(&odd, 2),
        how = convolution_of(g, 0), descriptor = described(17), engine = described(2);
    float one = 1, zero = 0;
    struct {
        int algorithm, status;
        float time;
        size_t memory;
        int rest[5];
    } performance;
    size_t bytes = 7;
    expect("an output of other channels",
           cudnnConvolutionForward(handle, &one, of_x, x.device, of_w, w.device, how, 1, NULL, 0, &zero, of_odd,
                                   odd.device),
           BAD_PARAM);
    expect("no address",
           cudnnConvolutionForward(handle, &one, of_x, NULL, of_w, w.device, how, 1, NULL, 0, &zero, of_y, y.device),
           BAD_PARAM);
    expect("an algorithm",
           cudnnGetConvolutionForwardAlgorithm_v7(handle, of_x, of_w, how, of_y, 8, &found, &performance), 0);
    expect("one", found, 1);
    expect("its status", performance.status, 0);
    expect("a workspace", cudnnGetConvolutionForwardWorkspaceSize(handle, of_x, of_w, how, of_y, 1, &bytes), 0);
    expect("of nothing", (int)bytes, 0);
    expect("a tensor without sizes", cudnnBackendFinalize(descriptor), BAD_PARAM);
    expect("an engine of no graph", cudnnBackendFinalize(engine), BAD_PARAM);
    expect("an attribute of others", cudnnBackendSetAttribute(descriptor, 101, 3, 1, &(int64_t){0}), BAD_PARAM);
    expect("an open one as an attribute", cudnnBackendSetAttribute(engine, 1300, 15, 1, &descriptor), 2004);
    expect("a question to an open one", cudnnBackendGetAttribute(engine, 1301, 3, 1, NULL, &(int64_t){0}), 2004);
}

int main(int count, char **arguments)
{
    const char *part = count > 1 ? arguments[1] : "all";
    static const int types[] = {0, 1, 4, 5};
    int last = strcmp(part, "few") == 0 ? 2 : (int)(sizeof geometries / sizeof *geometries);
    reference_begin();
    good(cudnnCreate(&handle));
    if (strcmp(part, "missing") == 0) {
        good(cudnnDestroy(handle));
        return cudnnPoolingForward(handle, NULL, NULL, NULL, NULL, NULL, NULL, NULL) != 3000;
    }
    for (int i = 0; i < last; i++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int t = 0; t < 4; t++)
                for (int way = 0; way < 4; way++)
                    convolution(&geometries[i], kind, types[t], way % 2, way / 2);
    for (int way = 0; way < 4; way++)
        bias(way < 2 ? 0 : 4, way % 2, way / 2), bias(way < 2 ? 5 : 0, way % 2, way % 2 == 0);
    errors();
    good(cudnnDestroy(handle));
    return reference_end();
}
