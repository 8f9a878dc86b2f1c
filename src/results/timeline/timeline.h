/* SPDX-License-Identifier: BSD-3-Clause */
/* A run over time, as Perfetto's traces have it (perfetto.dev, docs/reference/synthetic-track-event). */
#ifndef MNP_RESULTS_TIMELINE_H
#define MNP_RESULTS_TIMELINE_H

#include "results/encoding/sqlite.h"

/*
 * Writes the timeline of run 1 of each database, one for each GPU. With several GPUs each has a group of tracks.
 * Tracks are those of streams with kernels, their launch latencies, copies and fills; of calls of the host program; of
 * SMs with CTAs, warps and packets; of cores of a coprocessor and their accesses to shared memory; and counters of
 * samples. Times are nanoseconds, or
 * with `cycles` core cycles, of which one is drawn as a nanosecond. What overlaps on a track gets further tracks.
 * Arrows join kernels of two GPUs between which data went.
 */
bool results_write_timeline(sqlite3 *const *databases, uint32_t count, bool cycles, FILE *out, struct mnp_error *error);

#endif
