/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Launches kernels with one planted fault each, and the same kernels mended (faults.cu). Words: the file of their PTX,
 * the name of a row, "bad" or "good". Without a name: prints the rows, each with the rule that is to name its fault.
 */
#include "maniple/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 32 << 20, MOST_COPIED = 1 << 20 };

struct launch {
    unsigned grid, block, shared;
    int n;
    int times;
    unsigned copied; /* bytes copied to the device and back, with each launch; 0: none */
};

struct row {
    const char *file, *name, *rule;
    struct launch bad, good;
};

#define LAUNCH(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }
static const struct row rows[] = {
#define FAULT(FILE, NAME, RULE, BAD, GOOD) {FILE, NAME, RULE, LAUNCH BAD, LAUNCH GOOD},
#include "rows.h"
#undef FAULT
};

static CUresult worst;

static void check(CUresult result, const char *what)
{
    if (result && !worst)
        fprintf(stderr, "%s: error %d\n", what, (int)result);
    worst = result ? result : worst;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 4 << 20);
    if (!file || !text || !fread(text, 1, (4 << 20) - 1, file))
        exit(fprintf(stderr, "%s cannot be read\n", path));
    fclose(file);
    return text;
}

static void perform(CUfunction kernel, const struct launch *launch)
{
    static char host[MOST_COPIED];
    CUdeviceptr out = 0, in = 0;
    int n = launch->n;
    void *arguments[] = {&out, &in, &n};
    check(cuMemAlloc(&out, ROOM), "cuMemAlloc");
    check(cuMemAlloc(&in, ROOM), "cuMemAlloc");
    if (launch->shared > 48 << 10)
        check(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)launch->shared),
              "cuFuncSetAttribute");
    for (int i = 0; i < launch->times; i++) {
        if (launch->copied)
            check(cuMemcpyHtoD(in, host, launch->copied), "cuMemcpyHtoD");
        check(cuLaunchKernel(kernel, launch->grid, 1, 1, launch->block, 1, 1, launch->shared, NULL, arguments, NULL),
              "cuLaunchKernel");
        if (launch->copied)
            check(cuMemcpyDtoH(host, out, launch->copied), "cuMemcpyDtoH");
    }
    check(cuCtxSynchronize(), "cuCtxSynchronize");
}

static int run(const char *path, const struct row *row, const char *which)
{
    CUcontext context;
    CUmodule module;
    CUfunction kernel;
    char name[60];
    char *ptx = read_file(path);
    check(cuInit(0), "cuInit");
    check(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain");
    check(cuCtxSetCurrent(context), "cuCtxSetCurrent");
    check(cuModuleLoadData(&module, ptx), "cuModuleLoadData");
    snprintf(name, sizeof name, "%s_%s", which, row->name);
    if (!worst)
        check(cuModuleGetFunction(&kernel, module, name), name);
    if (!worst)
        perform(kernel, strcmp(which, "good") == 0 ? &row->good : &row->bad);
    free(ptx);
    return worst != 0;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (argc < 4)
            printf("%s %s %s\n", rows[i].name, rows[i].rule, rows[i].file);
        else if (strcmp(argv[2], rows[i].name) == 0)
            return run(argv[1], &rows[i], argv[3]);
    }
    return argc < 4 ? 0 : fprintf(stderr, "no row %s\n", argv[2]);
}
