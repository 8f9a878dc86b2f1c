/* SPDX-License-Identifier: BSD-3-Clause */
/* The host compares every suffix of every query with every place of the text: no tree is needed to know the answer. */
#include "common/app.h"

#include <string.h>

enum { TEXT, QUERIES, LENGTH };

struct node {
    uint32_t child[4], start, length;
};

struct tree {
    struct node *nodes; /* the first is the root */
    uint32_t count, size;
    const uint8_t *text;
};

static uint32_t add(struct tree *tree, uint32_t start, uint32_t length)
{
    tree->nodes[tree->count] = (struct node){.start = start, .length = length};
    return tree->count++;
}

/* One suffix after the other, from the root; a suffix that is there already needs no leaf. */
static void insert(struct tree *tree, uint32_t at)
{
    const uint8_t *text = tree->text;
    struct node *nodes = tree->nodes;
    for (uint32_t node = 0; at < tree->size;) {
        uint32_t *child = &nodes[node].child[text[at]], i = 0;
        if (!*child) {
            *child = add(tree, at, tree->size - at);
            return;
        }
        struct node *edge = &nodes[*child];
        while (i < edge->length && at + i < tree->size && text[edge->start + i] == text[at + i])
            i++;
        if (at + i == tree->size)
            return;
        node = *child;
        if (i < edge->length) { /* the edge is split */
            uint32_t middle = add(tree, edge->start, i);
            edge->start += i;
            edge->length -= i;
            nodes[middle].child[text[edge->start]] = *child;
            node = *child = middle;
        }
        at += i;
    }
}

static uint32_t longest(const uint8_t *text, uint32_t size, const uint8_t *letters, uint32_t length)
{
    uint32_t best = 0;
    for (uint32_t place = 0; place < size; place++) {
        uint32_t i = 0;
        while (i < length && place + i < size && text[place + i] == letters[i])
            i++;
        best = i > best ? i : best;
    }
    return best;
}

static void mum_run(struct app_run *run)
{
    uint32_t size = run->sizes[TEXT], count = run->sizes[QUERIES], length = run->sizes[LENGTH];
    size_t letters = (size_t)count * length;
    uint8_t *text = app_host(run, size, 1), *queries = app_host(run, letters, 1);
    struct tree tree = {.nodes = app_host(run, 2 * (size_t)size + 2, sizeof *tree.nodes), .size = size, .text = text};
    for (uint32_t i = 0; i < size; i++)
        text[i] = (uint8_t)app_below(run, 4);
    for (size_t i = 0; i < letters; i++) /* pieces of the text with a wrong letter now and then */
        queries[i] = (uint8_t)(app_below(run, 16) ? text[(i / length * 977 + i % length) % size] : app_below(run, 4));
    add(&tree, 0, 0);
    for (uint32_t i = 0; i < size; i++)
        insert(&tree, i);
    CUdeviceptr dt = app_copy(run, tree.nodes, tree.count * sizeof *tree.nodes), reference = app_copy(run, text, size);
    CUdeviceptr dq = app_copy(run, queries, letters), dl = app_device(run, 4 * letters),
                dp = app_device(run, 4 * letters);
    app_launch(run, "mum", app_shape(count, 64), &dt, &reference, &dq, &dl, &dp, &count, &length);
    uint32_t *lengths = app_read(run, dl, 4 * letters), *places = app_read(run, dp, 4 * letters);
    uint32_t *expected = app_host(run, letters, 4), *agrees = app_host(run, letters, 4),
             *ones = app_host(run, letters, 4);
    for (size_t i = 0; i < letters; i++) {
        expected[i] = longest(text, size, queries + i, length - (uint32_t)(i % length));
        ones[i] = 1;
        agrees[i] = (uint64_t)places[i] + lengths[i] <= size && lengths[i] <= length - i % length &&
                    memcmp(text + places[i], queries + i, lengths[i]) == 0;
    }
    app_check_words(run, "lengths of matches", lengths, expected, letters);
    app_check_words(run, "places of matches", agrees, ones, letters);
}

const struct app app_mum = {
    .name = "mum",
    .suite = "ISPASS-2009",
    .summary = "matches of many queries in a text, by a suffix tree",
    .stresses =
        "Chains of loads whose addresses come from the load before, different for each lane, in loops of different "
        "lengths: latency of L1 and L2, divergence, and bytes where memory delivers sectors.",
    .tolerance = "exact",
    .sizes = {{"text", 4096, 2, 1 << 18, 0, "letters of the text", NULL},
              {"queries", 128, 1, 1 << 18, 0, "queries", NULL},
              {"length", 20, 1, 1000, 0, "letters of a query", NULL}},
    .run = mum_run};
