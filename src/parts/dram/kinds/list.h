/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of DRAM, one line each. A kind is one file, which consists of its row MNP_DRAM_KIND(NAME, name, fields of
 * struct mnp_dram_kind). Times are in picoseconds, written as clocks × clock period if the source counts clocks. The
 * order of the lines only affects the order in which choices are printed.
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
