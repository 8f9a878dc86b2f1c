/* SPDX-License-Identifier: BSD-3-Clause */
/* What attention over a cache in pages is given, for the program and its kernels. */
#ifndef LAYERS_FLASH_H
#define LAYERS_FLASH_H

enum { FLASH_PAGE = 64 /* keys */, FLASH_ROWS = 64 /* of a block's tile */ };

/*
 * Queries are [sequence][query][head][number], the last of a sequence seeing all of its keys. A row of a tile is a
 * head of a query; `packed` heads that share keys lie in one tile, query by query. Keys and values are
 * [page][key][kv_head][number], and `pages` has `pages_each` numbers for each sequence. With several splits, results
 * of each go to `parts` ([split][row][number]) and the base-two logarithms of their sums to `logs` ([split][row]).
 * Where blocks stay, `logs` are written with one split, too. Each sequence has a number in `rows_of`, `splits_of`,
 * `keys_of`, `together` (heads of keys that the L2 holds) and `starts` (its first query; one more ends the last one).
 * `counter` is how many tiles have been taken beside the first ones; it is cleared behind the kernel. `in_line`: blocks
 * that join splits are numbered over all sequences. A number n up to 2^31 divided by `packed`, if that is not 1, is the
 * upper half of n * `factor`, shifted by `shift`.
 */
struct flash_work {
    unsigned long long out, parts, logs, q, k, v, pages; /* addresses */
    unsigned long long rows_of, splits_of, keys_of, together, starts, counter;
    unsigned sequences, queries, context, heads, kv_heads, packed, splits, window /* 0: all keys */, pages_each;
    float scale; /* of a score, with the base-two logarithm of e */
    unsigned factor, shift, in_line;
};

#endif
