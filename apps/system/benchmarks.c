/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ten benchmarks of the paper as programs of a general-purpose processor: the sequential part runs here, the
 * parallel one on the coprocessor, whose programs (apps/manycore) make their own data and check their own results.
 * The matrix product and background subtraction with data of the guest's are programs of their own: matmul, ncc.
 * Arguments: cores (0: the machine's), then names of benchmarks (all).
 */
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct benchmark {
    const char *name, *program, *text;
};

static const struct benchmark benchmarks[] = {
    {"idct", "idct", "idct 4096"},
    {"dequantise", "dequantise", "dequantise 4096"},
    {"ncc", "ncc", "ncc 4096 320"},
    {"matmul", "matmul", "matmul 4096"},
    {"fft", "fft", "fft 4096"},
    {"atomic", "atomic", "atomic 4096 20000"},
    {"ep", "ep", "ep 18"},
    {"barrier-BC", "barrier", "barrier 0 1 4096 20000"},
    {"barrier-B-MSD", "barrier", "barrier 1 1 4096 20000"},
    {"barrier-BMSD-T", "barrier", "barrier 2 1 4096 20000"},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

static int is_asked_for(const char *name, int argc, char **argv)
{
    for (int i = 2; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return 1;
    return argc < 3;
}

static int run(const struct benchmark *benchmark, uint32_t cores)
{
    static struct offload offload;
    struct mnp_launch launch = {.text = benchmark->text, .cores = cores};
    struct mnp_result result;
    offload_open(&offload);
    offload_load(&offload, benchmark->program, &launch);
    offload_run(&offload, &launch, &result);
    int right = result.host.program_status == 0 && strstr(result.output, ": right on ");
    offload_close(&offload, benchmark->name);
    memset(&offload, 0, sizeof offload);
    fflush(stdout);
    return right;
}

int main(int argc, char **argv)
{
    uint32_t cores = argc > 1 ? offload_number(argv[1], "cores", 0) : 0;
    int right = 0, count = 0;
    for (int i = 0; i < BENCHMARKS; i++)
        if (is_asked_for(benchmarks[i].name, argc, argv)) {
            count++;
            right += run(&benchmarks[i], cores);
        }
    printf("%d of %d benchmarks right\n", right, count);
    return right != count || count == 0;
}
