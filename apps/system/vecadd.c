/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel of PTX, offloaded to a GPU machine and checked. Arguments: numbers (4096), the PTX file (vecadd.ptx among
 * the programs). */
#include "offload.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static struct offload offload;
    uint32_t count = argc > 1 ? offload_number(argv[1], "numbers", 1) : 4096, wrong = 0;
    char path[512];
    const char *folder = getenv("MANIPLE_PROGRAMS");
    snprintf(path, sizeof path, "%s/vecadd.ptx", folder ? folder : "/programs");
    offload_open(&offload);
    float *a = offload_memory(&offload, count * 4), *b = offload_memory(&offload, count * 4);
    float *c = offload_memory(&offload, count * 4);
    for (uint32_t i = 0; i < count; i++) {
        a[i] = (float)i / 4;
        b[i] = (float)(count - i);
    }
    struct mnp_buffer buffers[] = {{a, count * 4, 0, 0, MNP_OFFLOAD_IN},
                                   {b, count * 4, 0, 0, MNP_OFFLOAD_IN},
                                   {c, count * 4, 0, 0, MNP_OFFLOAD_OUT}};
    struct mnp_argument arguments[] = {{0, 0}, {1, 0}, {2, 0}, {count, 4}};
    struct mnp_launch launch = {.kind = MNP_OFFLOAD_PTX,
                                .text = "vecadd",
                                .grid = {(count + 127) / 128, 1, 1},
                                .block = {128, 1, 1},
                                .buffers = buffers,
                                .buffer_count = 3,
                                .arguments = arguments,
                                .argument_count = 4};
    struct mnp_result result;
    launch.program = mnp_load(&offload.device, argc > 2 ? argv[2] : path, &launch.program_bytes);
    if (!launch.program) {
        fprintf(stderr, "%s cannot be read\n", argc > 2 ? argv[2] : path);
        return 2;
    }
    offload_run(&offload, &launch, &result);
    for (uint32_t i = 0; i < count; i++)
        wrong += c[i] != a[i] + b[i];
    printf("sum of two vectors on %s: %s (%u of %u wrong), %llu cycles\n", offload.device.welcome.machine,
           wrong ? "WRONG" : "right", wrong, count, (unsigned long long)result.host.cycles);
    offload_close(&offload, "vecadd");
    return wrong != 0;
}
