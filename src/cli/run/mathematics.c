/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists the mathematics libraries, and the stand-in of a library for profilers, by the file names that programs ask
 * for. All are listed whether the program asks for them or not: a library of the program's may, or the program itself
 * later on. */
#include "cli/run/mathematics.h"

#include <stdio.h>

/* Versions of NVIDIA's libraries that belong to CUDA 12 and 13. */
static const struct {
    const char *name;
    unsigned of_12, of_13;
} libraries[] = {{"cublas", 12, 13}, {"cublasLt", 12, 13}, {"cudnn", 9, 9},      {"cufft", 11, 12},
                 {"curand", 10, 10}, {"cusolver", 11, 12}, {"cusparse", 12, 12}, {"cupti", 12, 13}};

static void name_one(const char *name, unsigned version, void (*take)(const char *file))
{
    char file[40];
    snprintf(file, sizeof file, "lib%s-%u.so", name, version);
    take(file);
}

void cli_mathematics_each(unsigned version, void (*take)(const char *file))
{
    for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
        if (version != 13)
            name_one(libraries[i].name, libraries[i].of_12, take);
        if (version == 13 || (version == 0 && libraries[i].of_13 != libraries[i].of_12))
            name_one(libraries[i].name, libraries[i].of_13, take);
    }
}
