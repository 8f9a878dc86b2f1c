/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that is written from its start, plain or compressed. A failed write is remembered and told at the end. */
#ifndef TRACEGEN_SINK_H
#define TRACEGEN_SINK_H

#include "base/error.h"

#include <stddef.h>

enum sink_coding { SINK_PLAIN, SINK_GZIP, SINK_XZ, SINK_ZSTD };

struct sink;

/* The ending that files of a coding bear: "", ".gz", … */
const char *sink_ending(enum sink_coding coding);

/* NULL: an error. */
struct sink *sink_open(const char *path, enum sink_coding coding, struct mnp_error *error);
void sink_write(struct sink *sink, const void *data, size_t size);

/* Whether a write has failed, so that writing on is of no use. */
bool sink_failed(const struct sink *sink);

/* Ends the file and frees the sink. With `keep` the file gets its name; false: an error, and nothing is left behind. */
bool sink_close(struct sink *sink, bool keep, struct mnp_error *error);

#endif
