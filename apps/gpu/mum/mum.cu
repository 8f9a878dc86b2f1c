// SPDX-License-Identifier: BSD-3-Clause
// The longest match of each suffix of each query in a text, down a suffix tree. A node is six words: the child for each
// letter (0: none), and where the label of the edge to the node begins in the text, and its length.
#include "common/device.h"

enum { NODE = 6, START = 4, LENGTH = 5 };

extern "C" __global__ void mum(const u32 *tree, const u8 *text, const u8 *queries, u32 *lengths, u32 *places, u32 count,
                               u32 length)
{
    u32 query = GLOBAL_X;
    if (query >= count)
        return;
    const u8 *letters = queries + query * length;
    for (u32 begin = 0; begin < length; begin++) {
        u32 node = 0, matched = 0, end = 0;
        bool agrees = true;
        while (agrees && begin + matched < length) {
            u32 child = tree[node * NODE + letters[begin + matched]];
            if (!child)
                break;
            u32 start = tree[child * NODE + START], span = tree[child * NODE + LENGTH], i = 0;
            while (i < span && begin + matched < length && text[start + i] == letters[begin + matched]) {
                i++;
                matched++;
            }
            agrees = i == span;
            end = start + i;
            node = child;
        }
        lengths[query * length + begin] = matched;
        places[query * length + begin] = end - matched;
    }
}
