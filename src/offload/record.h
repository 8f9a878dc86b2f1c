/* SPDX-License-Identifier: BSD-3-Clause */
/* A server's record of its launches: a line for each while it runs, a summary and a file at the end. */
#ifndef OFFLOAD_RECORD_H
#define OFFLOAD_RECORD_H

#include "base/array.h"
#include "base/error.h"

#include <stdint.h>
#include <stdio.h>

/* One launch that has been answered. Times are host times in nanoseconds. */
struct offload_record {
    uint64_t session;
    uint32_t sequence, kind, cores, status, program_status;
    uint64_t program_bytes, bytes_in, bytes_out;
    uint64_t cycles, instructions, femtoseconds;
    uint64_t arrived_ns; /* since the server began */
    uint64_t whole_ns;   /* time from its arrival to its reply */
    uint64_t queue_ns, copy_ns, run_ns;
};

enum {
    OFFLOAD_ROWS = 65536,          /* the latest launches, which are listed; of those before, only sums are kept */
    OFFLOAD_REFUSALS_LOGGED = 1000 /* limit of refused launches that are logged */
};

struct offload_records {
    struct mnp_array rows; /* a ring once it is full */
    uint32_t oldest;       /* index of the oldest entry */
    struct offload_record sum;
    uint64_t count, failed; /* launches, and those without success */
    FILE *log;              /* NULL: none */
    uint64_t began_ns, messages, refused, refused_at_once, skipped_bytes;
};

/* Records a launch that has been answered. `refused`: rejected immediately; logging of these is limited, as a guest can
 * cause any number. */
void offload_records_add(struct offload_records *records, const struct offload_record *record, bool refused);
void offload_records_summary(const struct offload_records *records, const char *machine, FILE *out);

/* Writes FOLDER/offloads.json. */
bool offload_records_save(const struct offload_records *records, const char *machine, const char *folder,
                          struct mnp_error *error);

#endif
