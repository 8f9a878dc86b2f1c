/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GDDR5X (JESD232): DRAMsim3, configuration GDDR5X_8Gb_x32, in clocks of 666 ps.
 */
MNP_DRAM_KIND(GDDR5X, gddr5x, .summary = "graphics memory, one command bus",
              .row_bus = false, .group_halves = 3,
              .cl = 24 * 666,
              .wl = 7 * 666,
              .rcd = 24 * 666,
              .ras = 56 * 666,
              .rp = 24 * 666,
              .rc = 80 * 666,
              .rrd = 10 * 666,
              .faw = 40 * 666,
              .cdlr = 10 * 666,
              .wr = 24 * 666,
              .rtpl = 2 * 666,
              .refi = 3800 * 666,
              .rfc = 74 * 666,
              .rfcb = 30 * 666)
