/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reconvergence points of diverged lanes: the immediate post-dominator of each branch, by the iteration of Cooper,
 * Harvey and Kennedy ("A simple, fast dominance algorithm", 2001) on the reversed graph of basic blocks. All paths
 * leave a function through its last operation. Lanes that exit do not return, so a guarded exit is not a branch.
 *
 * A trap is not an exit either: an assembler lets the code behind it follow (BPT.TRAP), and lanes reconverge as if it
 * continued. No path continues after a call of __assertfail, or after a trap with only the function's end behind it:
 * compilers place them in unreachable positions, and lanes that bypassed them reconverge as if these were absent.
 */
#include "frontend/ptx/compile/flow.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

bool ptx_ends_block(const struct execute_op *op)
{
    return op->kind == EXECUTE_KIND_BRANCH || op->kind == EXECUTE_KIND_BRANCH_INDEXED ||
           (op->kind == EXECUTE_KIND_EXIT && op->guard == EXECUTE_TRUE);
}

static void mark_leaders(const struct execute_code *code, struct ptx_graph *graph, uint32_t *block_of)
{
    uint32_t first = graph->first_op, count = graph->op_count;
    block_of[0] = 1;
    block_of[count - 1] = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct execute_op *op = execute_op_at(code, first + i);
        if (op->kind == EXECUTE_KIND_BRANCH)
            block_of[op->target - first] = 1;
        for (int64_t j = 0; op->kind == EXECUTE_KIND_BRANCH_INDEXED && j < op->immediate; j++)
            block_of[((uint32_t *)code->targets.items)[op->target + j] - first] = 1;
        if (ptx_ends_block(op) && i + 1 < count)
            block_of[i + 1] = 1;
    }
}

static void add_edge(struct ptx_graph *graph, uint32_t from, uint32_t to)
{
    struct ptx_edge *edge = mnp_array_add(&graph->edges, 1, sizeof *edge);
    *edge = (struct ptx_edge){from, to};
}

static void add_edges(const struct execute_code *code, struct ptx_graph *graph)
{
    for (uint32_t b = 0; b < graph->block_count; b++) {
        uint32_t end = b + 1 < graph->block_count ? graph->block_first[b + 1] : graph->op_count;
        const struct execute_op *op = execute_op_at(code, graph->first_op + end - 1);
        if (op->kind == EXECUTE_KIND_RETURN)
            continue;
        if (op->kind == EXECUTE_KIND_BRANCH)
            add_edge(graph, b, graph->block_of[op->target - graph->first_op]);
        for (int64_t j = 0; op->kind == EXECUTE_KIND_BRANCH_INDEXED && j < op->immediate; j++)
            add_edge(graph, b, graph->block_of[((uint32_t *)code->targets.items)[op->target + j] - graph->first_op]);
        if (op->kind == EXECUTE_KIND_EXIT && op->guard == EXECUTE_TRUE)
            add_edge(graph, b, graph->block_count - 1);
        else if (!(ptx_ends_block(op) && op->guard == EXECUTE_TRUE) || op->kind == EXECUTE_KIND_BRANCH_INDEXED)
            add_edge(graph, b, b + 1);
    }
}

/* Adjacency lists from the edges, by counting. */
static void sort_edges(struct ptx_graph *graph)
{
    const struct ptx_edge *edges = graph->edges.items;
    uint32_t blocks = graph->block_count;
    graph->out_first = mnp_allocate(blocks + 2, sizeof(uint32_t));
    graph->in_first = mnp_allocate(blocks + 2, sizeof(uint32_t));
    graph->out = mnp_allocate(graph->edges.count + 1, sizeof(uint32_t));
    graph->in = mnp_allocate(graph->edges.count + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < graph->edges.count; i++) {
        graph->out_first[edges[i].from + 2]++;
        graph->in_first[edges[i].to + 2]++;
    }
    for (uint32_t b = 2; b < blocks + 2; b++) {
        graph->out_first[b] += graph->out_first[b - 1];
        graph->in_first[b] += graph->in_first[b - 1];
    }
    for (uint32_t i = 0; i < graph->edges.count; i++) {
        graph->out[graph->out_first[edges[i].from + 1]++] = edges[i].to;
        graph->in[graph->in_first[edges[i].to + 1]++] = edges[i].from;
    }
}

void ptx_graph_make(struct ptx_graph *graph, const struct execute_code *code, uint32_t first, uint32_t count)
{
    *graph = (struct ptx_graph){.first_op = first, .op_count = count};
    graph->block_of = mnp_allocate(count, sizeof(uint32_t));
    mark_leaders(code, graph, graph->block_of);
    for (uint32_t i = 0; i < count; i++)
        graph->block_count += graph->block_of[i];
    graph->block_first = mnp_allocate(graph->block_count + 1, sizeof(uint32_t));
    for (uint32_t i = 0, b = 0; i < count; i++) {
        if (graph->block_of[i])
            graph->block_first[b++] = i;
        graph->block_of[i] = b - 1;
    }
    graph->block_first[graph->block_count] = count;
    add_edges(code, graph);
    sort_edges(graph);
}

void ptx_graph_free(struct ptx_graph *graph)
{
    free(graph->block_of);
    free(graph->block_first);
    free(graph->edges.items);
    free(graph->out_first);
    free(graph->in_first);
    free(graph->out);
    free(graph->in);
}

/* The graph as seen from where a walk begins: for dominators its first block, for post-dominators its last one, with
 * every edge turned round. */
struct view {
    uint32_t blocks, root;
    const uint32_t *next_first, *next, *before_first, *before;
};

/* Blocks in the order in which a depth-first walk from the root leaves them. */
static uint32_t post_order(const struct view *view, uint32_t *order, uint32_t *number)
{
    uint32_t blocks = view->blocks, depth = 0, done = 0;
    uint32_t *stack = mnp_allocate(blocks, sizeof *stack), *place = mnp_allocate(blocks, sizeof *place);
    memset(number, 0xff, blocks * sizeof *number);
    stack[depth++] = view->root;
    number[view->root] = blocks; /* visited */
    place[0] = view->next_first[view->root];
    while (depth) {
        uint32_t block = stack[depth - 1];
        if (place[depth - 1] == view->next_first[block + 1]) {
            number[block] = done;
            order[done++] = block;
            depth--;
            continue;
        }
        uint32_t next = view->next[place[depth - 1]++];
        if (number[next] == PTX_NONE) {
            number[next] = blocks;
            place[depth] = view->next_first[next];
            stack[depth++] = next;
        }
    }
    free(stack);
    free(place);
    return done;
}

static uint32_t intersect(const uint32_t *dominator, const uint32_t *number, uint32_t a, uint32_t b)
{
    while (a != b) {
        while (number[a] < number[b])
            a = dominator[a];
        while (number[b] < number[a])
            b = dominator[b];
    }
    return a;
}

static void find_dominators(const struct view *view, uint32_t *dominator)
{
    uint32_t blocks = view->blocks;
    uint32_t *order = mnp_allocate(blocks, sizeof *order), *number = mnp_allocate(blocks, sizeof *number);
    uint32_t reached = post_order(view, order, number);
    memset(dominator, 0xff, blocks * sizeof *dominator);
    dominator[view->root] = view->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = reached - 1; i-- > 0;) {
            uint32_t block = order[i], found = PTX_NONE;
            for (uint32_t e = view->before_first[block]; e < view->before_first[block + 1]; e++) {
                uint32_t next = view->before[e];
                if (dominator[next] != PTX_NONE)
                    found = found == PTX_NONE ? next : intersect(dominator, number, found, next);
            }
            changed |= dominator[block] != found;
            dominator[block] = found;
        }
    }
    free(order);
    free(number);
}

void ptx_graph_dominators(const struct ptx_graph *graph, uint32_t *dominator)
{
    find_dominators(&(struct view){graph->block_count, 0, graph->out_first, graph->out, graph->in_first, graph->in},
                    dominator);
}

void ptx_graph_post_dominators(const struct ptx_graph *graph, uint32_t *dominator)
{
    find_dominators(&(struct view){graph->block_count, graph->block_count - 1, graph->in_first, graph->in,
                                   graph->out_first, graph->out},
                    dominator);
}

void ptx_move_labels(struct execute_code *code, const struct execute_code_function *place, const uint32_t *to,
                     const bool *made, uint32_t first_target)
{
    for (uint32_t i = 0; i < place->op_count; i++) {
        struct execute_op *op = execute_op_at(code, place->first_op + i);
        if (op->kind == EXECUTE_KIND_BRANCH && !(made && made[i]))
            op->target = to[op->target - place->first_op];
    }
    uint32_t *targets = code->targets.items;
    for (uint32_t i = first_target; i < code->targets.count; i++)
        targets[i] = to[targets[i] - place->first_op];
}

/* Whether nothing comes behind an operation. */
static bool is_dead_end(const struct execute_op *op, bool last)
{
    bool fails = op->kind == EXECUTE_KIND_SYSTEM && op->variant == EXECUTE_SYSTEM_ASSERT;
    return op->guard == EXECUTE_TRUE && (fails || (last && op->kind == EXECUTE_KIND_TRAP));
}

/* Takes the edges away that lead out of blocks behind which nothing comes. */
static void cut_dead_ends(const struct execute_code *code, struct ptx_graph *graph)
{
    struct ptx_edge *edges = graph->edges.items;
    bool *dead = mnp_allocate(graph->block_count, sizeof *dead);
    for (uint32_t i = 0; i + 1 < graph->op_count; i++)
        dead[graph->block_of[i]] |= is_dead_end(execute_op_at(code, graph->first_op + i), i + 2 == graph->op_count);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < graph->edges.count; i++)
        if (!dead[edges[i].from])
            edges[kept++] = edges[i];
    free(dead);
    if (kept == graph->edges.count)
        return;
    graph->edges.count = kept;
    free(graph->out_first);
    free(graph->in_first);
    free(graph->out);
    free(graph->in);
    sort_edges(graph);
}

void ptx_flow(struct ptx_decoder *decoder)
{
    const struct execute_code_function *place = execute_code_function_at(decoder->code, decoder->place);
    struct ptx_graph graph;
    ptx_graph_make(&graph, decoder->code, place->first_op, place->op_count);
    cut_dead_ends(decoder->code, &graph);
    uint32_t *dominator = mnp_allocate(graph.block_count, sizeof *dominator);
    ptx_graph_post_dominators(&graph, dominator);
    for (uint32_t i = 0; i < place->op_count; i++) {
        struct execute_op *op = execute_op_at(decoder->code, place->first_op + i);
        if (op->kind != EXECUTE_KIND_BRANCH && op->kind != EXECUTE_KIND_BRANCH_INDEXED)
            continue;
        uint32_t meet = dominator[graph.block_of[i]]; /* none: the lanes never leave a loop */
        op->reconverge = place->first_op + (meet == PTX_NONE ? place->op_count - 1 : graph.block_first[meet]);
    }
    free(dominator);
    ptx_graph_free(&graph);
}
