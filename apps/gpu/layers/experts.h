/* SPDX-License-Identifier: BSD-3-Clause */
/* What a product of sorted tokens with the matrices of their experts is given, for the program and its kernels. */
#ifndef LAYERS_EXPERTS_H
#define LAYERS_EXPERTS_H

/*
 * A choice is a token at one of its experts; choice i is of token i / `share`, where `share` is 1 if `in` has a row for
 * each choice. `sorted` has choices in the order of their experts, each expert's filled up to whole tiles with numbers
 * from `choices` on; `experts` has the expert of each tile, and `sorted_count` how many there are in all. Matrices are
 * [expert][column][depth], results [choice][column].
 */
struct experts_product {
    unsigned long long out, in, matrices, weights /* of choices; 0: none */, sorted, experts, sorted_count;
    unsigned columns, depth, choices, share;
};

#endif
