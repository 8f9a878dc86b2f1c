/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of DRAM: one line each. A kind is one file, which is its row MNP_DRAM_KIND(NAME, name, fields of struct
 * mnp_dram_kind); times are in picoseconds, written as clocks × length of the clock where the source counts clocks.
 * Nothing depends on the order of the lines but the order in which choices are printed.
 */
/* clang-format off */
#include "parts/dram/kinds/gddr5.h"
#include "parts/dram/kinds/gddr5x.h"
#include "parts/dram/kinds/gddr6.h"
#include "parts/dram/kinds/gddr6x.h"
#include "parts/dram/kinds/gddr7.h"
#include "parts/dram/kinds/hbm2.h"
#include "parts/dram/kinds/hbm2e.h"
#include "parts/dram/kinds/hbm3.h"
#include "parts/dram/kinds/hbm3e.h"
#include "parts/dram/kinds/lpddr5x.h"
