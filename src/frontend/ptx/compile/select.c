/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/compile/select.h"

#include "frontend/ptx/compile/selector.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { CHAIN = 256 }; /* branches to branches, at most */

/* ===== ways out ===== */

/* The final target of a branch to `target`, following branches to branches. */
static uint32_t threaded(const struct ptx_selector *s, uint32_t target)
{
    for (uint32_t i = 0; i < CHAIN; i++) {
        while (s->dead[target])
            target++;
        const struct execute_op *op = ptx_select_op(s, target);
        if (op->kind != EXECUTE_KIND_BRANCH || op->guard != EXECUTE_TRUE)
            break;
        target = op->target - s->first;
    }
    return target;
}

/* The first place that an operation may go to by branching. */
static uint32_t lowest_target(const struct ptx_selector *s, const struct execute_op *op)
{
    const uint32_t *targets = (const uint32_t *)s->decoder->code->targets.items + op->target;
    uint32_t lowest = op->kind == EXECUTE_KIND_BRANCH ? op->target - s->first : s->count;
    for (int64_t i = 0; op->kind == EXECUTE_KIND_BRANCH_INDEXED && i < op->immediate; i++)
        lowest = targets[i] - s->first < lowest ? targets[i] - s->first : lowest;
    return lowest;
}

struct walk {                   /* state of the walk from a function's end to its start */
    uint32_t next, behind_next; /* the two places behind that are left */
    uint32_t lowest;            /* the lowest target of branches behind */
};

/* `@p bra L; bra M; L:` is `@!p bra M`, where nothing else comes to the second branch. */
static void invert_branch(struct ptx_selector *s, uint32_t place, uint32_t target, const struct walk *walk)
{
    struct execute_op *op = ptx_select_op(s, place), *over = ptx_select_op(s, walk->next);
    uint32_t block = s->graph.block_of[walk->next];
    bool alone = s->graph.block_of[place] != block && s->graph.in_first[block + 1] - s->graph.in_first[block] == 1;
    bool exits = over->kind == EXECUTE_KIND_EXIT && walk->lowest > place;
    if (op->guard == EXECUTE_TRUE || over->guard != EXECUTE_TRUE || (over->kind != EXECUTE_KIND_BRANCH && !exits) ||
        !alone || target <= walk->next || target > walk->behind_next)
        return;
    op->guard_flip ^= ~0u;
    op->kind = over->kind;
    op->target = over->target;
    s->dead[walk->next] = true;
}

/* In a kernel, a branch to its end becomes an EXIT; if guarded, only outside loops, because otherwise the loop's lanes
 * would have no visible reconvergence point. A branch to the next operation is removed. */
static void shorten_branch(struct ptx_selector *s, uint32_t place, const struct walk *walk)
{
    struct execute_op *op = ptx_select_op(s, place);
    uint32_t target = threaded(s, op->target - s->first);
    const struct execute_op *to = ptx_select_op(s, target);
    bool end = s->decoder->place == 0 && (to->kind == EXECUTE_KIND_RETURN || to->kind == EXECUTE_KIND_EXIT) &&
               to->guard == EXECUTE_TRUE && (op->guard == EXECUTE_TRUE || walk->lowest > place);
    op->target = s->first + target;
    s->dead[place] = target > place && target <= walk->next;
    if (!s->dead[place])
        invert_branch(s, place, target, walk);
    if (!s->dead[place] && end && op->kind == EXECUTE_KIND_BRANCH && op->target == s->first + target) {
        op->kind = EXECUTE_KIND_EXIT;
        op->target = PTX_NONE;
    }
}

static void shorten_branches(struct ptx_selector *s)
{
    struct walk walk = {s->count, s->count, s->count};
    for (uint32_t i = s->count; i-- > 0;) {
        struct execute_op *op = ptx_select_op(s, i);
        if (!s->dead[i] && op->kind == EXECUTE_KIND_BRANCH && walk.next < s->count)
            shorten_branch(s, i, &walk);
        if (s->dead[i])
            continue;
        uint32_t back = lowest_target(s, op);
        walk.lowest = back < walk.lowest ? back : walk.lowest;
        walk.behind_next = walk.next < s->count && s->dead[walk.next] ? walk.behind_next : walk.next;
        walk.next = i;
    }
}

/* ===== all ===== */

enum { ADDED = 4 /* references that a product may add: its result, both factors, and a factor that is kept */ };

static void begin(struct ptx_selector *s, struct ptx_decoder *decoder)
{
    const struct execute_code_function *place = execute_code_function_at(decoder->code, decoder->place);
    *s = (struct ptx_selector){.decoder = decoder, .table = decoder->table};
    s->first = place->first_op;
    s->count = place->op_count;
    s->dead = mnp_allocate(s->count, sizeof *s->dead);
    uint32_t products = 0;
    for (uint32_t i = 0; i < s->count; i++)
        products += ptx_select_form(s, i).kind == PTX_CONTRACT_PRODUCT;
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        s->start[class] = s->references;
        s->references += decoder->counts[class];
        s->references += class == PTX_CLASS_SMALL || class == PTX_CLASS_LARGE ? ADDED * products : 0;
    }
    ptx_graph_make(&s->graph, decoder->code, s->first, s->count);
    s->dominator = mnp_allocate(s->graph.block_count, sizeof *s->dominator);
    ptx_graph_dominators(&s->graph, s->dominator);
    s->writers = mnp_allocate(s->references + 1, sizeof *s->writers);
    s->readers = mnp_allocate(s->references + 1, sizeof *s->readers);
    s->writer = mnp_allocate(s->references + 1, sizeof *s->writer);
    ptx_select_count(s);
}

/* Removes dead operations; labels move to the next remaining operation. */
static void compact(struct ptx_selector *s, uint32_t first_target)
{
    struct execute_code *code = s->decoder->code;
    uint32_t *to = mnp_allocate(s->count, sizeof *to), kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        to[i] = s->first + kept;
        if (!s->dead[i])
            *ptx_select_op(s, kept++) = *ptx_select_op(s, i);
    }
    for (uint32_t i = 0; i < s->decoder->reciprocals.count; i++) {
        struct ptx_reciprocal *reciprocal = (struct ptx_reciprocal *)s->decoder->reciprocals.items + i;
        reciprocal->place = to[reciprocal->place] - s->first;
    }
    code->ops.count = s->first + kept;
    execute_code_function_at(code, s->decoder->place)->op_count = kept;
    ptx_move_labels(code, execute_code_function_at(code, s->decoder->place), to, NULL, first_target);
    free(to);
}

void ptx_select(struct ptx_decoder *decoder, uint32_t first_target)
{
    struct ptx_selector s;
    begin(&s, decoder);
    decoder->reciprocals.count = 0;
    ptx_select_copies(&s);
    ptx_select_sweep(&s);
    for (uint32_t i = 0; i < 2; i++) { /* values that are known not to be read free other names */
        ptx_select_names(&s);
        ptx_select_sweep(&s);
    }
    ptx_select_contract(&s);
    ptx_select_fuse(&s);
    ptx_select_sweep(&s);
    ptx_select_reductions(&s);
    ptx_select_divisors(&s);
    ptx_select_coalesce(&s);
    shorten_branches(&s);
    compact(&s, first_target);
    ptx_graph_free(&s.graph);
    free(s.dominator);
    free(s.writers);
    free(s.readers);
    free(s.writer);
    free(s.dead);
}
