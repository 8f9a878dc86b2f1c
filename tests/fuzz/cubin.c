/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: a cubin, of which all tables are read and all words of all kernels. */
#include "frontend/sass/cubin.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool take(void *context, const struct sass_relocation *relocation)
{
    *(uint64_t *)context += relocation->offset;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mnp_error error = {{0}};
    struct sass_cubin *cubin = sass_cubin_open("fuzz", data, size, &error);
    uint64_t sum = 0;
    if ((cubin != NULL) != (error.text[0] == 0))
        abort();
    for (size_t i = 0; cubin && i < sass_cubin_kernel_count(cubin); i++) {
        const struct sass_kernel *kernel = sass_cubin_kernel(cubin, i);
        for (size_t j = 0; j < kernel->words; j++)
            sum += sass_kernel_word(kernel, j).low;
        for (size_t j = 0; j < 4 * kernel->exit_count; j++)
            sum += kernel->exits[j];
        sass_cubin_relocations(cubin, kernel->section, take, &sum, &error);
    }
    sass_cubin_free(cubin);
    volatile uint64_t kept = sum; /* the reads must stay */
    (void)kept;
    return 0;
}
