/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: a kernel's trace, from its header to the records of its blocks, plain, compressed or by warps. */
#include "kernel_file.h"
#include "memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file memory;
    memory_file_open(&memory, data, size);
    read_kernel_file(memory.path, size & 1, size % 8 == 0);
    memory_file_close(&memory);
    return 0;
}
