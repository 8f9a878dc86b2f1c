/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GDDR7 (JESD239). No public table of its core times: those of GDDR6, whose cells it has; Ramulator 2, preset
 * GDDR6_2000_1350mV_double, in clocks of 570 ps. A channel of 8 signals of three levels moves 32 bytes per burst.
 */
MNP_DRAM_KIND(GDDR7, gddr7, .summary = "graphics memory of three levels, one command bus",
              .row_bus = false, .group_halves = 3,
              .cl = 24 * 570,
              .wl = 6 * 570,
              .rcd = 26 * 570,
              .ras = 53 * 570,
              .rp = 26 * 570,
              .rc = 79 * 570,
              .rrd = 7 * 570,
              .faw = 28 * 570,
              .cdlr = 9 * 570,
              .wr = 26 * 570,
              .rtpl = 4 * 570,
              .refi = 3333 * 570,
              .rfc = 210 * 570,
              .rfcb = 105 * 570)
