/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HBM2E (JESD235D). Core times: DRAMsim3, configuration HBM2_8Gb_x128 (a clock of 1 ns).
 * tFAW, refresh of 16 Gbit per channel: JESD235, as in Ramulator 2's tables.
 */
MNP_DRAM_KIND(HBM2E, hbm2e, .summary = "stacks, row and column commands on buses of their own",
              .row_bus = true, .group_halves = 4,
              .cl = 14000,
              .wl = 4000,
              .rcd = 14000,
              .ras = 34000,
              .rp = 14000,
              .rc = 48000,
              .rrd = 4000,
              .faw = 16000,
              .cdlr = 6000,
              .wr = 16000,
              .rtpl = 6000,
              .refi = 3900000,
              .rfc = 450000,
              .rfcb = 200000)
