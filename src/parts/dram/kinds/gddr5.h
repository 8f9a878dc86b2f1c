/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GDDR5 (JESD212): DRAMsim3, configuration GDDR5_8Gb_x32, in clocks of 500 ps; by its own words of no specific product.
 */
MNP_DRAM_KIND(GDDR5, gddr5, .summary = "graphics memory, one command bus",
              .row_bus = false, .group_halves = 3,
              .cl = 24 * 500,
              .wl = 7 * 500,
              .rcd = 24 * 500,
              .ras = 56 * 500,
              .rp = 24 * 500,
              .rc = 80 * 500,
              .rrd = 10 * 500,
              .faw = 40 * 500,
              .cdlr = 10 * 500,
              .wr = 24 * 500,
              .rtpl = 2 * 500,
              .refi = 3800 * 500,
              .rfc = 74 * 500,
              .rfcb = 30 * 500)
