/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kinds of DRAM (kinds/list.h): properties fixed by a technology, and typical times of a device in the units of data
 * sheets, as defaults for machines that state none.
 */
#ifndef MNP_PARTS_DRAM_KIND_H
#define MNP_PARTS_DRAM_KIND_H

#include "parts/dram/dram.h"

enum mnp_dram_kind_name {
#define MNP_DRAM_KIND(NAME, name, ...) MNP_DRAM_KIND_##NAME,
#include "parts/dram/kinds/list.h"
#undef MNP_DRAM_KIND
    MNP_DRAM_KINDS
};

struct mnp_dram_kind {
    const char *summary;
    bool row_bus;          /* row commands have a bus of their own: one row and one column command per cycle */
    uint64_t group_halves; /* column to column command in one bank group, in halves of a burst (tCCD_L) */
    uint64_t cl, wl, rcd, ras, rp, rc, rrd, faw, cdlr, wr, rtpl, refi, rfc, rfcb; /* ps, see struct mnp_dram_timing */
};

/* Indexed by enum mnp_dram_kind_name. */
extern const struct mnp_dram_kind mnp_dram_kinds[MNP_DRAM_KINDS];

/* Names of the kinds, NULL-terminated: the choices of a machine key. */
extern const char *const mnp_dram_kind_names[];

/* Fills in the timing of a channel that states none (all of ccd, rcd, ras, rp, rc and cl are 0) from its kind, in
 * cycles of a command clock of `hertz`, rounded up; other nonzero values are kept. `timing->burst` must be set. Timing
 * that is stated is kept; returns false, with an error, if one of those six values is missing. */
bool mnp_dram_kind_fill(enum mnp_dram_kind_name kind, uint64_t hertz, struct mnp_dram_timing *timing,
                        struct mnp_error *error);

#endif
