/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a file from its start, plain or compressed by gzip, xz or zstd; which of them is told by its content. */
#ifndef MNP_BASE_INPUT_H
#define MNP_BASE_INPUT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct mnp_input;

/* Opens a file. NULL: an error. */
struct mnp_input *mnp_input_open(const char *path, struct mnp_error *error);

/* Reads up to `size` bytes of the uncompressed content; 0: the end, negative: an error. */
int64_t mnp_input_read(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error);

void mnp_input_close(struct mnp_input *input);

#endif
