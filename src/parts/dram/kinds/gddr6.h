/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GDDR6 (JESD250), 8 Gbit at 14 Gbit/s per pin: Ramulator 2, preset GDDR6_2000_1350mV_double, in clocks of 570 ps.
 * (JESD250 leaves these times to the makers.)
 */
MNP_DRAM_KIND(GDDR6, gddr6, .summary = "graphics memory, one command bus",
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
