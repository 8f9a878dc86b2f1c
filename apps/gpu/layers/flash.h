/* SPDX-License-Identifier: BSD-3-Clause */
/* What attention over a cache in pages is given, for the program and its kernels. */
#ifndef LAYERS_FLASH_H
#define LAYERS_FLASH_H

enum { FLASH_PAGE = 64 /* keys */, FLASH_ROWS = 64 /* of a block's tile */ };
enum { FLASH_STAY_ROWS = 128, FLASH_STAY_THREADS = 384 }; /* of blocks that stay */

/*
 * Queries are [sequence][query][head][number], the last of a sequence seeing all of its keys. A row of a tile is a
 * head of a query; `packed` heads that share keys lie in one tile, query by query. Keys and values are
 * [page][key][kv_head][number], and `pages` has `pages_each` numbers for each sequence. With several splits, results
 * of each go to `parts` ([split][row][number]) and the base-two logarithms of their sums to `logs` ([split][row]).
 * Where blocks stay, `logs` are written with one split, too, and `rows_of`, `splits_of` and `keys_of` have a number
 * for each sequence, and `counter` is how many tiles have been taken beside the first ones; it is cleared behind the
 * kernel. A number n up to 2^31 divided by `packed`, if that is not 1, is the upper half of n * `factor`, shifted by
 * `shift`.
 */
struct flash_work {
    unsigned long long out, parts, logs, q, k, v, pages, rows_of, splits_of, keys_of, counter; /* addresses */
    unsigned sequences, queries, context, heads, kv_heads, packed, splits, window /* 0: all keys */, pages_each;
    float scale; /* of a score, with the base-two logarithm of e */
    unsigned factor, shift;
};

#endif
