/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a whole text, compressed as data/ptx keeps them or plain. */
#ifndef TESTS_DATA_READ_TEXT_H
#define TESTS_DATA_READ_TEXT_H

#include "base/allocate.h"
#include "base/input.h"

#include <stdlib.h>

/* Ends in a zero byte; free it. NULL with an error. */
static inline char *read_text(const char *path, size_t most, size_t *length, struct mnp_error *error)
{
    struct mnp_input *input = mnp_input_open(path, error);
    int64_t got = input ? 1 : -1;
    char *text = mnp_allocate(most + 1, 1);
    for (*length = 0; got > 0; *length += got > 0 ? (size_t)got : 0)
        got = mnp_input_read(input, text + *length, most - *length, error);
    if (input)
        mnp_input_close(input);
    if (got == 0)
        return text;
    free(text);
    return NULL;
}

#endif
