/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arbitrations: one line each. An arbitration is one file, which gives its row MNP_ARBITRATION(NAME, name, help)
 * where that macro is defined, and its choice otherwise (see ../arbitration.h). Nothing depends on the order of the
 * lines but the order in which choices are printed.
 */
/* clang-format off */
#include "parts/arbitrations/oldest.h"
#include "parts/arbitrations/round_robin.h"
