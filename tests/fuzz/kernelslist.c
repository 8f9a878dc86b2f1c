/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: the list of a trace's kernels and copies. */
#include "memory_file.h"

#include "frontend/sass_trace/list.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file memory;
    struct mnp_error error = {{0}};
    struct list list;
    memory_file_open(&memory, data, size);
    bool good = trace_list_read(&list, memory.path, &error);
    if (good != (error.text[0] == 0) || (good && list.kernels == 0))
        abort();
    if (good)
        trace_list_free(&list);
    memory_file_close(&memory);
    return 0;
}
