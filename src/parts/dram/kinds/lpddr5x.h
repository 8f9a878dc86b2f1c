/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LPDDR5X (JESD209-5), with the core times of LPDDR5: Ramulator 2, preset LPDDR5_6400, in clocks of 1250 ps, but tRC,
 * which is tRAS + tRP; refresh of 16 Gbit, in ns.
 */
MNP_DRAM_KIND(LPDDR5X, lpddr5x, .summary = "memory of mobile processors, one command bus",
              .row_bus = false, .group_halves = 4,
              .cl = 20 * 1250,
              .wl = 11 * 1250,
              .rcd = 15 * 1250,
              .ras = 34 * 1250,
              .rp = 15 * 1250,
              .rc = 49 * 1250,
              .rrd = 4 * 1250,
              .faw = 16 * 1250,
              .cdlr = 5 * 1250,
              .wr = 28 * 1250,
              .rtpl = 4 * 1250,
              .refi = 3906000,
              .rfc = 280000,
              .rfcb = 140000)
