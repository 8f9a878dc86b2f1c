/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The replacement policies that every cache can have: one line each. A policy is one file, which gives its row
 * MNP_REPLACEMENT(NAME, name, help) where that macro is defined, and its functions otherwise (see ../replacement.h for
 * what a policy consists of). Nothing depends on the order of the lines but the order in which choices are printed.
 */
/* clang-format off */
#include "parts/cache/policies/lru.h"
#include "parts/cache/policies/fifo.h"
#include "parts/cache/policies/plru.h"
#include "parts/cache/policies/srrip.h"
#include "parts/cache/policies/random.h"
