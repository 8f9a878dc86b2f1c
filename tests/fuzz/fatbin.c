/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: a fat binary, of which PTX is chosen for a machine of any architecture. */
#include "frontend/cuda/fatbin.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t architectures[] = {20, 86, UINT32_MAX};
    for (unsigned i = 0; i < 3; i++) {
        struct mnp_error error = {{0}};
        size_t length = 0;
        char *text;
        enum cuda_choice choice = fatbin_choose("fuzz", data, size, architectures[i], &text, &length, &error);
        if ((choice == CUDA_CHOSEN) != (text != NULL) || (choice == CUDA_CHOSEN) != (error.text[0] == 0))
            abort();
        free(text);
    }
    return 0;
}
