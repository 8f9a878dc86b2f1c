/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The product of a linear layer, C[m,n] = A[m,k] * W[n,k]', by our libcublas as PyTorch calls it, in the state that
 * its measurements have: kernels of one graph, with copies of W in turn. What the calls before the first one would have
 * left in the L2 is put there by a kernel that reads the copies and A and writes C.
 *
 * Usage: bench-products M N K bf16|f16|e4m3|f32 COPIES LAUNCHES [FORM [BATCH]]. The run's kernels are `touch`, once or
 * more, and then those of each call. FORM: a number of an algorithm of our libcublasLt, which is then called; with `-`
 * the library chooses. Products of e4m3 are libcublasLt's and have a result of bf16. BATCH: so many products in one
 * call, C[m,n] = A[m,k] * W[k,n] each, as torch.bmm has them.
 */
#include "../hopper/module.h"

#include <stdint.h>
#include <string.h>

typedef struct cublasContext *cublasHandle_t;
int cublasCreate_v2(cublasHandle_t *), cublasSetStream_v2(cublasHandle_t, CUstream), cublasDestroy_v2(cublasHandle_t);
int cublasGemmEx(cublasHandle_t, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int a_type,
                 int lda, const void *b, int b_type, int ldb, const void *beta, void *c, int c_type, int ldc,
                 int compute, int algorithm);

int cublasGemmStridedBatchedEx(cublasHandle_t, int op_a, int op_b, int m, int n, int k, const void *alpha,
                               const void *a, int a_type, int lda, long long a_step, const void *b, int b_type,
                               int ldb, long long b_step, const void *beta, void *c, int c_type, int ldc,
                               long long c_step, int batch, int compute, int algorithm);

CUresult cuStreamBeginCapture(CUstream, int mode), cuStreamEndCapture(CUstream, CUgraph *);
CUresult cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, uint64_t flags), cuGraphLaunch(CUgraphExec, CUstream);

int cublasLtMatmulDescCreate(void **, int, int), cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmul(cublasHandle_t, void *, const void *, const void *, void *, const void *, void *, const void *,
                   const void *, void *, void *, void *, const void *, void *, size_t, CUstream);

enum { TRANSPOSED = 1, PLAIN = 0, TYPE_F32 = 0, TYPE_F16 = 2, TYPE_BF16 = 14, TYPE_E4M3 = 28, COMPUTE_F32 = 68 };
enum { RELAXED = 2, COPIES = 6 };

/* Reads or writes memory, 16 bytes at a time, four of which may be on their way. */
#define TOUCH_ONE                                                                                                      \
    "setp.ge.u64 p, at, end; @p bra done; @!q ld.global.v4.u32 {x0, x1, x2, x3}, [at];\n"                              \
    "@q st.global.v4.u32 [at], {w, w, w, w}; add.u64 at, at, step;\n"
static const char touch_text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry touch(.param .u64 from, .param .u64 bytes, .param .u32 writes) {\n"
    ".reg .b64 at, end, step, id; .reg .b32 w, x<4>, n, c, t; .reg .pred p, q;\n"
    "ld.param.u64 at, [from]; ld.param.u64 end, [bytes]; ld.param.u32 w, [writes]; setp.ne.u32 q, w, 0;\n"
    "add.u64 end, end, at; mov.u32 n, %ntid.x; mov.u32 c, %ctaid.x; mov.u32 t, %tid.x; mad.lo.u32 t, c, n, t;\n"
    "mul.wide.u32 id, t, 16; add.u64 at, at, id; mov.u32 c, %nctaid.x; mul.lo.u32 n, n, c; mul.wide.u32 step, n, 16;\n"
    "again:\n" TOUCH_ONE TOUCH_ONE TOUCH_ONE TOUCH_ONE "bra again;\ndone: ret;\n}\n";

struct span {
    CUdeviceptr at;
    size_t bytes;
    unsigned writes;
};

/* The last `most` bytes of all spans, in their order. */
static void touch(CUfunction function, const struct span *spans, int count, size_t most, CUstream stream)
{
    size_t skip = 0;
    for (int i = 0; i < count; i++)
        skip += spans[i].bytes;
    skip = skip > most ? skip - most : 0;
    for (int i = 0; i < count; i++) {
        size_t left_out = skip < spans[i].bytes ? skip : spans[i].bytes;
        CUdeviceptr from = spans[i].at + left_out;
        size_t bytes = spans[i].bytes - left_out;
        unsigned writes = spans[i].writes;
        void *arguments[] = {&from, &bytes, &writes};
        skip -= left_out;
        if (bytes)
            check(cuLaunchKernel(function, bytes < 1 << 20 ? 64 : 512, 1, 1, 256, 1, 1, 0, stream, arguments, NULL),
                  "touch");
    }
}

/* What follows is one graph; the host waits behind every product where they are alone. */
static void begin(CUstream stream, int alone)
{
    if (!alone)
        check(cuStreamBeginCapture(stream, RELAXED), "capture");
}

static void end(CUstream stream, int alone)
{
    CUgraph graph;
    CUgraphExec executable;
    if (!alone) {
        check(cuStreamEndCapture(stream, &graph), "capture");
        check(cuGraphInstantiateWithFlags(&executable, graph, 0), "a graph");
        check(cuGraphLaunch(executable, stream), "a graph");
    }
    check(cuStreamSynchronize(stream), "a stream");
}

static size_t number(const char *text)
{
    long long value = atoll(text);
    if (value < 1 || value > 1 << 24) {
        fprintf(stderr, "bench-products: %s is no size\n", text);
        exit(2);
    }
    return (size_t)value;
}

static void good(int status, const char *what)
{
    if (status) {
        fprintf(stderr, "%s: status %d of the library\n", what, status);
        exit(1);
    }
}

struct product {
    size_t m, n, k, batch; /* batch 0: a linear layer */
    int type;
    CUstream stream;
    uint64_t form; /* 0: the library's choice */
};

static const struct type {
    const char *name;
    int number;
    size_t bytes, result; /* of an operand's number and of the result's */
} types[] = {{"bf16", TYPE_BF16, 2, 2}, {"f16", TYPE_F16, 2, 2}, {"e4m3", TYPE_E4M3, 1, 2}, {"f32", TYPE_F32, 4, 4}};

static const struct type *type_named(const char *name)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, name) == 0)
            return &types[i];
    fprintf(stderr, "bench-products: %s is no type; there are bf16, f16, e4m3 and f32\n", name);
    exit(2);
}

static const void *pointer(CUdeviceptr at)
{
    return (const void *)(uintptr_t)at;
}

/* By libcublasLt, whose algorithm may be named. */
static void multiply_lt(cublasHandle_t handle, const struct product *p, const void *w, const void *a, void *c)
{
    const float one = 1, zero = 0;
    int turned = TRANSPOSED, result = p->type == TYPE_E4M3 ? TYPE_BF16 : p->type;
    uint64_t algorithm[8] = {p->form};
    void *operation, *of_w, *of_a, *of_c;
    good(cublasLtMatmulDescCreate(&operation, COMPUTE_F32, 0), "an operation");
    good(cublasLtMatmulDescSetAttribute(operation, 3, &turned, sizeof turned), "an operation");
    good(cublasLtMatrixLayoutCreate(&of_w, p->type, p->k, p->n, (int64_t)p->k), "a layout");
    good(cublasLtMatrixLayoutCreate(&of_a, p->type, p->k, p->m, (int64_t)p->k), "a layout");
    good(cublasLtMatrixLayoutCreate(&of_c, result, p->n, p->m, (int64_t)p->n), "a layout");
    good(cublasLtMatmul(handle, operation, &one, w, of_w, a, of_a, &zero, c, of_c, c, of_c, p->form ? algorithm : NULL,
                        NULL, 0, p->stream),
         "cublasLtMatmul");
}

/* C = A W' by columns, as the library counts: C' = W A'. Our handles of both libraries are the same. */
static void multiply(cublasHandle_t handle, const struct product *p, CUdeviceptr w, CUdeviceptr a, CUdeviceptr c)
{
    const float one = 1, zero = 0;
    int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    void *to = (void *)(uintptr_t)c;
    if (p->form || p->type == TYPE_E4M3)
        multiply_lt(handle, p, pointer(w), pointer(a), to);
    else if (p->batch)
        good(cublasGemmStridedBatchedEx(handle, PLAIN, PLAIN, n, m, k, &one, pointer(w), p->type, n, (long long)n * k,
                                        pointer(a), p->type, k, (long long)m * k, &zero, to, p->type, n,
                                        (long long)m * n, (int)p->batch, COMPUTE_F32, -1),
             "cublasGemmStridedBatchedEx");
    else
        good(cublasGemmEx(handle, TRANSPOSED, PLAIN, n, m, k, &one, pointer(w), p->type, k, pointer(a), p->type, k,
                          &zero, to, p->type, n, COMPUTE_F32, -1),
             "cublasGemmEx");
}

int main(int argc, char **argv)
{
    if (argc < 7 || argc > 10) {
        fprintf(stderr, "usage: bench-products M N K bf16|f16|e4m3|f32 COPIES LAUNCHES [FORM|- [BATCH|- [alone]]]\n");
        return 2;
    }
    size_t m = number(argv[1]), n = number(argv[2]), k = number(argv[3]), copies = number(argv[5]),
           launches = number(argv[6]);
    const struct type *type = type_named(argv[4]);
    size_t batch = argc > 8 && strcmp(argv[8], "-") != 0 ? number(argv[8]) : 0, each = batch ? batch : 1;
    int l2 = 0;
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction function;
    CUstream stream;
    cublasHandle_t handle;
    struct span spans[COPIES + 2];
    check(cuInit(0), "the driver");
    check(cuDeviceGet(&device, 0), "a device");
    check(cuDevicePrimaryCtxRetain(&context, device), "a context");
    check(cuCtxSetCurrent(context), "a context");
    check(cuDeviceGetAttribute(&l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, device), "the L2's size");
    check(cuModuleLoadData(&module, touch_text), "a module");
    check(cuModuleGetFunction(&function, module, "touch"), "touch");
    check(cuStreamCreate(&stream, 1), "a stream");
    size_t most = (size_t)l2 * 5 / 4, weights = n * k * each * type->bytes, enough = 1 + launches + most / weights;
    copies = copies < COPIES ? copies : COPIES;
    copies = copies < enough ? copies : enough; /* more than these are never there when their turn comes */
    for (size_t i = 0; i < copies + 2; i++) {
        spans[i].bytes = i < copies ? weights : each * m * (i == copies ? k * type->bytes : n * type->result);
        spans[i].writes = i == copies + 1;
        check(cuMemAlloc(&spans[i].at, (spans[i].bytes + 255) / 256 * 256), "memory");
        spans[i].bytes = (spans[i].bytes + 15) / 16 * 16;
    }
    good(cublasCreate_v2(&handle), "cublasCreate");
    good(cublasSetStream_v2(handle, stream), "cublasSetStream");
    int alone = argc > 9 && strcmp(argv[9], "alone") == 0;
    begin(stream, alone);
    if (weights >= most) /* they come from DRAM anyway */
        touch(function, spans + copies, 2, most, stream);
    else
        touch(function, spans, (int)copies + 2, most, stream);
    uint64_t form = argc > 7 && strcmp(argv[7], "-") != 0 ? number(argv[7]) : 0;
    struct product product = {m, n, k, batch, type->number, stream, form};
    for (size_t i = 0; i < launches; i++) {
        multiply(handle, &product, spans[i % copies].at, spans[copies].at, spans[copies + 1].at);
        if (alone)
            check(cuStreamSynchronize(stream), "a stream");
    }
    end(stream, alone);
    return 0;
}
