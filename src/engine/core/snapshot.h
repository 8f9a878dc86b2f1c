/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots: the whole state of a machine at the end of an epoch is saved as bytes, and restored into a newly built,
 * identical machine, whose run then continues with identical results.
 *
 * A snapshot contains the units' state arenas, packets in flight on links, the wake-up time of each unit, and flat
 * memory. A model supports snapshots by keeping its state in its arena, as indices and numbers; everything outside must
 * be derivable.
 *
 * Order of calls: a run stops at a limit that is a multiple of the epoch (or finishes); mnp_snapshot_save; build the
 * same machine again, freeze it, set its hook; mnp_snapshot_restore; run.
 */
#ifndef MNP_ENGINE_CORE_SNAPSHOT_H
#define MNP_ENGINE_CORE_SNAPSHOT_H

#include "engine/memory/memory.h"

struct mnp_snapshot {
    unsigned char *bytes;
    size_t length, capacity;
};

/* The unread rest of a snapshot. All functions below that return false have set its error. */
struct mnp_snapshot_reader {
    const unsigned char *at;
    size_t left;
    struct mnp_error *error;
};

/* Callers that save more than a machine append it with these functions, and read it back in the same order. */
void mnp_snapshot_put(struct mnp_snapshot *snapshot, const void *bytes, size_t length);
void mnp_snapshot_put_number(struct mnp_snapshot *snapshot, uint64_t number);
void mnp_snapshot_put_text(struct mnp_snapshot *snapshot, const char *text); /* NULL as "" */

struct mnp_snapshot_reader mnp_snapshot_read(const struct mnp_snapshot *snapshot, struct mnp_error *error);

/* Reads the next bytes, which belong to the snapshot. Returns NULL if there are fewer. */
const unsigned char *mnp_snapshot_take(struct mnp_snapshot_reader *reader, size_t length);
/* Reads `count` items of `size` bytes; both numbers are checked, since they may come from a damaged snapshot. */
const unsigned char *mnp_snapshot_take_items(struct mnp_snapshot_reader *reader, uint64_t count, size_t size);
bool mnp_snapshot_take_number(struct mnp_snapshot_reader *reader, uint64_t *number);
/* Reads a text, which the caller frees. Returns NULL if there is none. */
char *mnp_snapshot_take_text(struct mnp_snapshot_reader *reader);
/* Reads a number that must equal that of this machine; `what` names the quantity for the error. */
bool mnp_snapshot_expect(struct mnp_snapshot_reader *reader, uint64_t expected, const char *what);

/* Appends the state of a machine, and of its memory, which may be NULL. */
void mnp_snapshot_save(struct mnp_snapshot *snapshot, const struct mnp_engine *engine, const struct mnp_memory *memory);

/* Restores a saved state into a machine that has not run. Returns false, with an error, if the snapshot is truncated or
 * belongs to another machine; the machine is then unusable. */
bool mnp_snapshot_restore(struct mnp_snapshot_reader *reader, struct mnp_engine *engine, struct mnp_memory *memory);

void mnp_snapshot_release(struct mnp_snapshot *snapshot);

#endif
