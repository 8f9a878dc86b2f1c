/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The address hashes. A hash X is a header of this folder, its #include in ../hash.c, and a row here:
 *
 *   MNP_HASH(MNP_HASH_X, name in machine files, plain, bit, help)
 *
 *   plain                                   true: no bit contributes anything
 *   uint32_t bit(number, bits, polynomial)  the value that this bit of a group contributes to a bin number of `bits`
 *                                           bits (not 0); `polynomial` is the smallest irreducible one of that degree
 *
 * The value of a group is the exclusive or over its bits. The order of the rows is that in which choices are printed.
 */
/* clang-format off */
MNP_HASH(MNP_HASH_LINEAR, "linear", mnp_hash_linear_plain, mnp_hash_linear_bit,
         "the low part")
MNP_HASH(MNP_HASH_XOR, "xor", mnp_hash_xor_plain, mnp_hash_xor_bit,
         "all upper bits folded onto it")
MNP_HASH(MNP_HASH_IPOLY, "ipoly", mnp_hash_ipoly_plain, mnp_hash_ipoly_bit,
         "the number as a polynomial, modulo an irreducible one (Rau 1991)")
/* clang-format on */
