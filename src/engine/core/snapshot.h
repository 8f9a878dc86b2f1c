/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Snapshots: the whole state of a machine at the end of an epoch, as bytes in a buffer, and back into a freshly built,
 * equal machine, whose run then goes on with the same bytes.
 *
 * A snapshot holds the units' state arenas, what is in flight on the links, when each unit acts next, and flat memory.
 * A model takes part by keeping its state in its arena, as indices and numbers; what it keeps elsewhere is derivable.
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

/* What is left of a snapshot that is read. All functions below that return false have set its error. */
struct mnp_snapshot_reader {
    const unsigned char *at;
    size_t left;
    struct mnp_error *error;
};

/* Whoever keeps more than a machine appends it, and takes it back in the same order. */
void mnp_snapshot_put(struct mnp_snapshot *snapshot, const void *bytes, size_t length);
void mnp_snapshot_put_number(struct mnp_snapshot *snapshot, uint64_t number);
void mnp_snapshot_put_text(struct mnp_snapshot *snapshot, const char *text); /* NULL as "" */

struct mnp_snapshot_reader mnp_snapshot_read(const struct mnp_snapshot *snapshot, struct mnp_error *error);

/* The next bytes, which stay the snapshot's; NULL: there are fewer. */
const unsigned char *mnp_snapshot_take(struct mnp_snapshot_reader *reader, size_t length);
/* The next `count` items of `size` bytes, where both may be anything that a damaged snapshot says. */
const unsigned char *mnp_snapshot_take_items(struct mnp_snapshot_reader *reader, uint64_t count, size_t size);
bool mnp_snapshot_take_number(struct mnp_snapshot_reader *reader, uint64_t *number);
/* To be freed; NULL: there is none. */
char *mnp_snapshot_take_text(struct mnp_snapshot_reader *reader);
/* Takes a number that must be what this machine has: `what` counts it. */
bool mnp_snapshot_expect(struct mnp_snapshot_reader *reader, uint64_t expected, const char *what);

/* Appends the state of a machine, and of its memory, which may be NULL. */
void mnp_snapshot_save(struct mnp_snapshot *snapshot, const struct mnp_engine *engine, const struct mnp_memory *memory);

/* Puts a saved state into a machine that has not run. Returns false, with an error, when the snapshot is cut short, or
 * of another machine; the machine is then of no use any more. */
bool mnp_snapshot_restore(struct mnp_snapshot_reader *reader, struct mnp_engine *engine, struct mnp_memory *memory);

void mnp_snapshot_release(struct mnp_snapshot *snapshot);

#endif
