/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequential reading of a file that is plain or compressed by gzip, xz or zstd. The format is detected from the
 * content. */
#ifndef MNP_BASE_INPUT_H
#define MNP_BASE_INPUT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct mnp_input;

/* Opens a file. Returns NULL on an error. */
struct mnp_input *mnp_input_open(const char *path, struct mnp_error *error);

/* Reads up to `size` bytes of the uncompressed content. Returns 0 at the end, and a negative number on an error. */
int64_t mnp_input_read(struct mnp_input *input, void *buffer, size_t size, struct mnp_error *error);

void mnp_input_close(struct mnp_input *input);

#endif
