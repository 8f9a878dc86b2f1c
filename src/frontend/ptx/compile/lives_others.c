/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Register values that are not PTX registers. A pointer parameter is a word of a constant bank; if it is added to or
 * dereferenced, it is loaded into a pair of registers, a few operations ahead, once for each block or loop. Slow paths
 * of divisions and roots are calls, whose registers are separate from those of values that are live across them.
 */
#include "frontend/ptx/compile/lives.h"

#include "base/allocate.h"
#include "frontend/ptx/operations/origin.h"
#include "frontend/ptx/operations/sass.h"
#include "frontend/ptx/text/names.h"

#include <stdlib.h>
#include <string.h>

enum {
    LOOP_BLOCKS = 64, /* maximum number of blocks of a loop in which pointers are searched */
    AHEAD = 10,       /* operations that a pointer is loaded ahead of its use, at most */
    /* Numbers of registers in use that cost no occupancy: of the 32 that all threads of an SM can have, the stack
     * pointer and two others are unavailable. A pointer that stays in registers through a loop must leave a pair free;
     * one that is loaded early must leave the registers that the block's own operations need. */
    MOST_IN_LOOP = 27,
    MOST_AHEAD = 20
};

struct loop { /* innermost loop of a block */
    uint32_t first, last;
};

static void find_loops(const struct ptx_graph *graph, struct loop *loops)
{
    for (uint32_t b = 0; b < graph->block_count; b++)
        loops[b] = (struct loop){PTX_NONE, PTX_NONE};
    for (uint32_t b = 0; b < graph->block_count; b++)
        for (uint32_t e = graph->out_first[b]; e < graph->out_first[b + 1]; e++) {
            uint32_t head = graph->out[e];
            if (head > b || b - head >= LOOP_BLOCKS)
                continue;
            for (uint32_t i = head; i <= b; i++)
                if (loops[i].first == PTX_NONE || b - head < loops[i].last - loops[i].first)
                    loops[i] = (struct loop){head, b};
        }
}

static bool is_address(const struct ptx_lives *lives, const struct execute_op *op, uint32_t number)
{
    if (op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE || op->kind == EXECUTE_KIND_ATOMIC)
        return ptx_reference_number(lives->sets, op->a) == number;
    return op->kind == EXECUTE_KIND_LANES && op->size == 8;
}

struct use { /* positions of the first and last use of a pointer in a block */
    uint32_t number, first, last;
};

/* The pointers that a block uses, as `uses` of struct use. */
static void find_uses(const struct ptx_lives *lives, uint32_t b, struct mnp_array *uses)
{
    for (uint32_t i = lives->sets->graph.block_first[b]; i < lives->sets->graph.block_first[b + 1]; i++) {
        const struct execute_op *op = ptx_lives_op(lives, i);
        uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(lives->decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = ptx_reference_number(lives->sets, refs[j]), k = 0;
            struct use *list = uses->items;
            if (number == PTX_NONE || !lives->pointer[number] || !is_address(lives, op, number))
                continue;
            while (k < uses->count && list[k].number != number)
                k++;
            if (k == uses->count)
                *(struct use *)mnp_array_add(uses, 1, sizeof *list) = (struct use){number, i, i};
            else
                list[k].last = i;
        }
    }
}

/* Live from its load to its last use; loaded ahead of the first use as long as registers are free. */
static void add_in_block(struct ptx_lives *lives, uint32_t b, const struct use *use)
{
    uint32_t unit = use->first + b, start = lives->sets->graph.block_first[b] + b;
    uint32_t least = unit > start + AHEAD ? unit - AHEAD : start;
    while (unit > least && lives->pressure[unit - 1] + 2 <= MOST_AHEAD)
        unit--;
    ptx_lives_add(lives, 2, unit, use->last + b + 1);
}

/* Live throughout the loop if registers are free; otherwise only at its uses. */
static void add_in_loop(struct ptx_lives *lives, const struct loop *loop, uint32_t b, const struct use *use)
{
    const uint32_t *block_first = lives->sets->graph.block_first;
    uint32_t first = block_first[loop->first] + loop->first, end = block_first[loop->last + 1] + loop->last + 1;
    uint32_t most = 0;
    for (uint32_t unit = first; unit < end; unit++)
        most = lives->pressure[unit] > most ? lives->pressure[unit] : most;
    if (most + 2 > MOST_IN_LOOP)
        ptx_lives_add(lives, 2, use->first + b, use->first + b + 1);
    else
        ptx_lives_add(lives, 2, first, end);
}

static void add_pointers(struct ptx_lives *lives)
{
    uint32_t blocks = lives->sets->graph.block_count;
    struct loop *loops = mnp_allocate(blocks, sizeof *loops);
    uint32_t *seen = mnp_allocate((size_t)lives->sets->count + 1, sizeof *seen); /* last block of the loop, plus one */
    struct mnp_array uses = {0};
    find_loops(&lives->sets->graph, loops);
    for (uint32_t b = 0; b < blocks; b++) {
        uses.count = 0;
        find_uses(lives, b, &uses);
        const struct use *list = uses.items;
        for (uint32_t i = 0; i < uses.count; i++) {
            if (loops[b].first == PTX_NONE)
                add_in_block(lives, b, &list[i]);
            else if (seen[list[i].number] != loops[b].last + 1)
                add_in_loop(lives, &loops[b], b, &list[i]);
            seen[list[i].number] = loops[b].last + 1;
        }
    }
    free(uses.items);
    free(seen);
    free(loops);
}

/*
 * Additional registers of a statement's slow path besides the values that are live across it: registers of ptxas 13.0
 * for compute capability 9.0 with the statement, minus those with an addition of that type in its place, for 0 to 32
 * live values.
 */
static uint32_t slow_way(const struct ptx_lives *lives, const struct execute_op *op)
{
    if (op->kind != EXECUTE_KIND_PART || (op->sass != PTX_SASS_BRA && op->sass != PTX_SASS_CALL))
        return 0;
    const struct ptx_statement *statement = ptx_statement_of(lives->decoder->code, op);
    const char *name = statement ? ptx_name_text(lives->decoder->module, statement->name) : "";
    const char *type = strrchr(name, '.');
    if (!type)
        return 0;
    if (strcmp(type, ".f32") == 0)
        return name[0] == 'd' ? 9 : name[0] == 'r' ? 7 : 1; /* div, rcp, sqrt */
    if (strcmp(type, ".f64") == 0)
        return name[0] == 'd' ? 12 : name[0] == 's' ? 10 : 6; /* div, sqrt, rcp and rsqrt */
    return strstr(type, "64") ? 8 : 1;
}

void ptx_lives_add_others(struct ptx_lives *lives)
{
    const struct ptx_graph *graph = &lives->sets->graph;
    add_pointers(lives);
    for (uint32_t i = 0; i < graph->op_count; i++) {
        uint32_t unit = i + graph->block_of[i], count = slow_way(lives, ptx_lives_op(lives, i));
        for (uint32_t j = 0; j < count; j++)
            ptx_lives_add(lives, 1, unit, unit + 2);
    }
}
