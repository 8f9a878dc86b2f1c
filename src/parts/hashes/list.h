/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address hashes: one line each. A hash is one file, which gives its row MNP_HASH(NAME, name, help) where that
 * macro is defined, and otherwise
 *     mnp_hash_name_plain                                 true: no bit contributes anything
 *     uint32_t mnp_hash_name_bit(bit, bits, polynomial)   the value that bit number `bit` of a group contributes to a
 *                                                         bin number of `bits` bits (not 0); `polynomial` is the
 *                                                         smallest irreducible one of that degree
 * The value of a group is the exclusive or over its bits. Nothing depends on the order of the lines but the order in
 * which choices are printed.
 */
/* clang-format off */
#include "parts/hashes/linear.h"
#include "parts/hashes/xor.h"
#include "parts/hashes/ipoly.h"
