/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command schedulers: one line each. A scheduler is one file, which gives its row
 * MNP_DRAM_SCHEDULER(NAME, name, help) where that macro is defined, and otherwise
 *     void mnp_name_step(dram, cycle, event)   issues what it will in this cycle and sets `column_from` and `row_from`,
 *                                              before which nothing more can issue, whatever cycles are visited
 */
/* clang-format off */
#include "parts/dram/schedulers/frfcfs.h"
#include "parts/dram/schedulers/fcfs.h"
