/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A loop `L: body; r += c; p = r != B; @p bra L` becomes
 *
 *        d = turns left times |c|;  @(d <= 0) bra L
 *        @!(d > 3|c|) bra T
 *     M: body four times;           @(d > 3|c|) bra M
 *     T: @!(d > |c|) bra R;         body twice
 *     R: @(r == B) bra E
 *     L: body;                      @(r != B) bra L
 *     E:
 *
 * The first branch is taken by lanes whose counter passes its bound only after it has wrapped around. Where d > n|c|,
 * the next n comparisons hold, so that the copies need none of them.
 */
#include "frontend/ptx/compile/unroll.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/selector.h"
#include "frontend/ptx/operations/origin.h"

#include <stdlib.h>
#include <string.h>

/*
 * Limits observed with ptxas of CUDA 13.0, in operations of a body with its comparison and branch: 18 additions or
 * multiplications are unrolled and 19 are not; with a load of global memory 41 are and 42 are not; 19 with one load of
 * shared memory and 25 with four; 15 loads of global memory with their sums and addresses are and 16 are not; 8 stores
 * are and 12 are not; and no body is that has a division or root of single precision.
 */
enum {
    MOST_OPS = 21,
    MOST_OPS_OF_LOADS = 50,
    OPS_OF_SHARED_LOAD = 4,
    MOST_LOADS = 15,
    MOST_STORES = 8,
    MOST_SEQUENCE = 4,
    MOST_CHANGE = 4096 /* change of a counter in a turn */
};

enum { TURNS = 4, HALF_TURNS = 2, FRAME_OPS = 14 /* operations around the copies, at most */ };

struct loop {
    uint32_t first, last; /* positions of its first operation and its branch in the function */
    uint32_t test, step;  /* positions of its comparison, and of the sum that counts */
    uint32_t counter, bound, class;
    int64_t change; /* added to the counter in a turn: nonzero */
};

struct unroller {
    struct ptx_selector facts;
    struct loop *loops; /* in the order of the code */
    uint32_t loop_count;
    struct execute_op *made;
    bool *own; /* [made] its target is a position in `made` */
    uint32_t made_count;
    uint32_t *name;        /* [references] register that holds the value of a reference in the present copy */
    uint32_t *last_writer; /* [references] position in the loop's body; PTX_NONE: it is not written there */
    bool *fixed;           /* [references] written under a guard: stays in its register */
};

static struct execute_op *op_at(const struct unroller *u, uint32_t position)
{
    return ptx_select_op(&u->facts, position);
}

static uint32_t number_of(const struct unroller *u, uint32_t ref)
{
    return ptx_select_number(&u->facts, ref);
}

/* ===== loops ===== */

/* The number that a constant is, with the sign of its class. */
static bool constant_of(const struct unroller *u, uint32_t ref, uint32_t class, int64_t *value)
{
    bool large = class == PTX_CLASS_LARGE;
    uint64_t bits;
    if (!ptx_select_constant(&u->facts, ref, large ? 8 : 4, &bits))
        return false;
    *value = large ? (int64_t)bits : (int32_t)bits;
    return true;
}

/* Whether an operation adds a constant to a register. */
static bool is_step(const struct unroller *u, const struct execute_op *op, int64_t *change)
{
    bool small = ptx_select_is(&u->facts, op, EXECUTE_LANE_add_u32);
    return (small || ptx_select_is(&u->facts, op, EXECUTE_LANE_add_u64)) && op->guard == EXECUTE_TRUE &&
           op->a == op->d && constant_of(u, op->b, small ? PTX_CLASS_SMALL : PTX_CLASS_LARGE, change);
}

static uint32_t writes_in(const struct unroller *u, const struct loop *loop, uint32_t ref, uint32_t *writer)
{
    uint32_t count = 0;
    for (uint32_t i = loop->first; i <= loop->last; i++)
        if (ptx_select_writes(&u->facts, i, ref)) {
            count++;
            *writer = i;
        }
    return count;
}

/* The loop's comparison, which only its branch uses. */
static bool find_test(const struct unroller *u, struct loop *loop)
{
    const struct execute_op *branch = op_at(u, loop->last);
    if (!ptx_select_in_frame(branch->guard) || branch->guard == EXECUTE_TRUE)
        return false;
    uint32_t number = number_of(u, branch->guard);
    if (u->facts.writers[number] != 1 || u->facts.readers[number] != 1)
        return false;
    loop->test = u->facts.writer[number];
    const struct execute_op *test = op_at(u, loop->test);
    const struct execute_words_table *table = u->facts.table;
    bool equal = branch->guard_flip != 0;
    bool small = test->words == table->tests[equal ? EXECUTE_TEST_eq_u32 : EXECUTE_TEST_ne_u32];
    bool large = test->words == table->tests[equal ? EXECUTE_TEST_eq_u64 : EXECUTE_TEST_ne_u64];
    loop->class = small ? PTX_CLASS_SMALL : PTX_CLASS_LARGE;
    return test->kind == EXECUTE_KIND_TEST && (small || large) && test->guard == EXECUTE_TRUE && !test->combine &&
           !test->list_results && loop->test >= loop->first && loop->test < loop->last;
}

/* Its counter, which a single sum of the body changes before the comparison, and its bound, which nothing changes. */
static bool find_counter(const struct unroller *u, struct loop *loop)
{
    const struct execute_op *test = op_at(u, loop->test);
    uint32_t writer;
    loop->counter = test->a;
    loop->bound = test->b;
    if (!ptx_select_in_frame(loop->counter) || writes_in(u, loop, loop->counter, &loop->step) != 1 ||
        loop->step > loop->test || !is_step(u, op_at(u, loop->step), &loop->change))
        return false;
    int64_t value;
    bool known = constant_of(u, loop->bound, loop->class, &value);
    bool steady = ptx_select_in_frame(loop->bound) && writes_in(u, loop, loop->bound, &writer) == 0;
    return (known || steady) && loop->change && loop->change >= -MOST_CHANGE && loop->change <= MOST_CHANGE;
}

/* Whether copies of an operation may be joined, by its kind and what it becomes. */
static bool can_copy(const struct unroller *u, const struct execute_op *op)
{
    bool access = op->kind == EXECUTE_KIND_LOAD || op->kind == EXECUTE_KIND_STORE;
    const char *sequence = op->sass ? NULL : ptx_opcode_of(u->facts.decoder->code, op)->sequence;
    return (access || execute_kind_is(op->kind, EXECUTE_IS_PURE)) &&
           (!sequence || strlen(sequence) / 2 <= MOST_SEQUENCE);
}

static bool is_small_enough(const struct unroller *u, const struct loop *loop)
{
    uint32_t count = loop->last - loop->first + 1, loads = 0, shared = 0, stores = 0;
    for (uint32_t i = loop->first; i < loop->last; i++) {
        const struct execute_op *op = op_at(u, i);
        loads += op->kind == EXECUTE_KIND_LOAD;
        shared += op->kind == EXECUTE_KIND_LOAD && op->access.space == EXECUTE_SPACE_SHARED;
        stores += op->kind == EXECUTE_KIND_STORE;
        if (!can_copy(u, op))
            return false;
    }
    uint32_t most = loads > shared ? MOST_OPS_OF_LOADS : MOST_OPS + OPS_OF_SHARED_LOAD * shared;
    return count <= most && loads <= MOST_LOADS && stores <= MOST_STORES;
}

/* Whether the program asks for a loop as it is, by `.pragma "nounroll"` in its first block. */
static bool must_stay(const struct unroller *u, const struct loop *loop)
{
    const struct ptx_decoder *decoder = u->facts.decoder;
    const struct ptx_statement *branch = ptx_statement_at(decoder->module, op_at(u, loop->last)->statement);
    const struct ptx_operand *label = ptx_operand_at(decoder->module, branch->first_operand);
    if (!branch->operand_count || label->kind != PTX_OPERAND_LABEL)
        return true; /* the branch comes from elsewhere (select.h): its loop has no known first statement */
    uint32_t first = decoder->function->first_statement + label->index, last = op_at(u, loop->last)->statement;
    for (uint32_t i = first; i <= last; i++)
        if (ptx_statement_at(decoder->module, i)->nounroll)
            return true;
    return false;
}

static void find_loops(struct unroller *u)
{
    const struct ptx_graph *graph = &u->facts.graph;
    for (uint32_t b = 0; b < graph->block_count; b++) {
        struct loop loop = {.first = graph->block_first[b], .last = graph->block_first[b + 1] - 1};
        const struct execute_op *op = op_at(u, loop.last);
        if (op->kind == EXECUTE_KIND_BRANCH && op->target == u->facts.first + loop.first && find_test(u, &loop) &&
            find_counter(u, &loop) && is_small_enough(u, &loop) && !must_stay(u, &loop))
            u->loops[u->loop_count++] = loop;
    }
}

/* ===== copies of a body ===== */

static struct execute_op *put(struct unroller *u, const struct execute_op *op)
{
    struct execute_op *made = &u->made[u->made_count++];
    *made = *op;
    return made;
}

/* Notes what a body writes, before copies of it are made. */
static void begin_copies(struct unroller *u, const struct loop *loop)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        struct execute_op *op = op_at(u, i);
        uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_result_places(u->facts.decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++) {
            uint32_t number = number_of(u, *refs[j]);
            u->name[number] = *refs[j];
            u->last_writer[number] = i;
            u->fixed[number] = false;
        }
    }
    for (uint32_t i = loop->first; i < loop->last; i++) {
        struct execute_op *op = op_at(u, i);
        uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_result_places(u->facts.decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++)
            u->fixed[number_of(u, *refs[j])] |= op->guard != EXECUTE_TRUE;
    }
}

static void end_copies(struct unroller *u, const struct loop *loop)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        struct execute_op *op = op_at(u, i);
        uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_result_places(u->facts.decoder->code, op, refs);
        for (uint32_t j = 0; j < count; j++)
            u->last_writer[number_of(u, *refs[j])] = PTX_NONE;
    }
}

/* The register that a result goes to: its own for what is behind the copies, a new one for what the next ones read. */
static uint32_t result_of(struct unroller *u, uint32_t ref, uint32_t position, bool last)
{
    uint32_t number = number_of(u, ref);
    bool stays = u->fixed[number] || (last && u->last_writer[number] == position);
    u->name[number] = stays ? ref : ptx_new_ref(u->facts.decoder, ptx_ref_class(ref));
    return u->name[number];
}

/* A list of references of its own, as those of the body are the loop's. */
static void copy_list(struct unroller *u, struct execute_op *op)
{
    struct ptx_decoder *decoder = u->facts.decoder;
    uint32_t count = (uint32_t)op->list_results + op->list_sources, first = decoder->code->list.count;
    for (uint32_t i = 0; i < count; i++)
        ptx_list_add(decoder, ((const uint32_t *)decoder->code->list.items)[op->list + i]);
    op->list = count ? first : op->list;
}

static bool is_read(const struct unroller *u, const struct loop *loop, uint32_t ref, uint32_t except)
{
    for (uint32_t i = loop->first; i < loop->last; i++) {
        uint32_t refs[PTX_MOST_REFERENCES], count = ptx_sources_of(u->facts.decoder->code, op_at(u, i), refs);
        for (uint32_t j = 0; j < count && i != except && i != loop->test; j++)
            if (refs[j] == ref)
                return true;
    }
    return false;
}

/* A sum with a constant that nothing else changes: of the value before all copies, so that none waits for another. */
static void copy_step(struct unroller *u, const struct loop *loop, uint32_t position, uint32_t turn, bool last,
                      int64_t change)
{
    const struct execute_op *op = op_at(u, position);
    if (!last && !is_read(u, loop, op->d, position))
        return;
    struct execute_op *made = put(u, op);
    made->b = ptx_constant(u->facts.decoder, ptx_ref_class(op->d), (uint64_t)(change * (turn + 1)));
    made->d = result_of(u, op->d, position, last);
}

/* A move from a register that one operation of a copy writes: another name for it. */
static bool copy_move(struct unroller *u, uint32_t position, bool last)
{
    const struct execute_op *op = op_at(u, position);
    bool move =
        (ptx_select_is(&u->facts, op, EXECUTE_LANE_mov_b32) || ptx_select_is(&u->facts, op, EXECUTE_LANE_mov_b64)) &&
        op->guard == EXECUTE_TRUE && ptx_select_in_frame(op->a) && ptx_ref_class(op->a) == ptx_ref_class(op->d);
    if (!move || last || u->last_writer[number_of(u, op->a)] == PTX_NONE || u->fixed[number_of(u, op->d)])
        return false;
    uint32_t from = u->name[number_of(u, op->a)];
    if (from == op->a) /* its own register, which changes */
        return false;
    u->name[number_of(u, op->d)] = from;
    return true;
}

static void copy_op(struct unroller *u, uint32_t position, bool last)
{
    struct execute_code *code = u->facts.decoder->code;
    struct execute_op *op = put(u, op_at(u, position));
    copy_list(u, op);
    uint32_t *refs[PTX_MOST_REFERENCES], count = ptx_source_places(code, op, refs);
    for (uint32_t i = 0; i < count; i++)
        if (ptx_select_in_frame(*refs[i]) && u->last_writer[number_of(u, *refs[i])] != PTX_NONE)
            *refs[i] = u->name[number_of(u, *refs[i])];
    count = ptx_result_places(code, op, refs);
    for (uint32_t i = 0; i < count; i++)
        *refs[i] = result_of(u, *refs[i], position, last);
}

static void put_copies(struct unroller *u, const struct loop *loop, uint32_t turns)
{
    begin_copies(u, loop);
    for (uint32_t turn = 0; turn < turns; turn++)
        for (uint32_t i = loop->first; i < loop->last; i++) {
            int64_t change;
            uint32_t writer;
            bool last = turn + 1 == turns;
            if (i == loop->test)
                continue;
            if (is_step(u, op_at(u, i), &change) && writes_in(u, loop, op_at(u, i)->d, &writer) == 1)
                copy_step(u, loop, i, turn, last, change);
            else if (!copy_move(u, i, last))
                copy_op(u, i, last);
        }
    end_copies(u, loop);
}

/* ===== what is around the copies ===== */

static struct execute_op *put_new(struct unroller *u, const struct loop *loop, enum execute_kind kind,
                                  enum ptx_sass sass)
{
    const struct execute_op *branch = op_at(u, loop->last);
    struct execute_op op = ptx_empty_op(kind, branch->list, branch->statement);
    op.sass = (uint8_t)sass;
    return put(u, &op);
}

/* A new predicate: a comparison of the counter, or of what is left of it, with a number. */
static uint32_t put_test(struct unroller *u, const struct loop *loop, enum execute_test test, uint32_t a, uint32_t b)
{
    struct execute_op *op = put_new(u, loop, EXECUTE_KIND_TEST, PTX_SASS_ISETP);
    op->words = u->facts.table->tests[test];
    op->d = ptx_new_ref(u->facts.decoder, PTX_CLASS_PREDICATE);
    op->a = a;
    op->b = b;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    return op->d;
}

/* A branch where a predicate holds, or with `flip` where it does not; returns its position in `made`. */
static uint32_t put_branch(struct unroller *u, const struct loop *loop, uint32_t predicate, bool flip)
{
    struct execute_op *op = put_new(u, loop, EXECUTE_KIND_BRANCH, PTX_SASS_BRA);
    op->guard = predicate;
    op->guard_flip = flip ? ~0u : 0;
    u->own[u->made_count - 1] = true;
    return u->made_count - 1;
}

static void set_target(struct unroller *u, uint32_t branch, uint32_t position)
{
    u->made[branch].target = u->facts.first + position;
}

/* Whether more than `turns` turns are left: the distance from the counter to the bound, of either sign, is compared
 * with what they take of it. */
static uint32_t put_left(struct unroller *u, const struct loop *loop, uint32_t turns)
{
    bool large = loop->class == PTX_CLASS_LARGE, up = loop->change > 0;
    int64_t bound, taken = (up ? loop->change : -loop->change) * turns;
    uint32_t left = loop->counter;
    bool zero = constant_of(u, loop->bound, loop->class, &bound) && bound == 0;
    if (!zero) {
        struct execute_op *op = put_new(u, loop, EXECUTE_KIND_LANES, PTX_SASS_IADD3);
        op->words = u->facts.table->lanes[large ? EXECUTE_LANE_sub_u64 : EXECUTE_LANE_sub_u32];
        op->a = up ? loop->bound : loop->counter;
        op->b = up ? loop->counter : loop->bound;
        op->d = left = ptx_new_ref(u->facts.decoder, loop->class);
        op->size = large ? 8 : 4;
        op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    }
    bool below = zero && up; /* the counter is less than nothing by what is left */
    enum execute_test test = large   ? below ? EXECUTE_TEST_lt_s64 : EXECUTE_TEST_gt_s64
                             : below ? EXECUTE_TEST_lt_s32
                                     : EXECUTE_TEST_gt_s32;
    uint32_t limit = ptx_constant(u->facts.decoder, loop->class, (uint64_t)(below ? -taken : taken));
    return put_test(u, loop, test, left, limit);
}

/* The copies of a loop in front of it, and the loop. */
static void put_loop(struct unroller *u, const struct loop *loop)
{
    bool large = loop->class == PTX_CLASS_LARGE;
    uint32_t wrapped = put_branch(u, loop, put_left(u, loop, 0), true);
    uint32_t few = put_branch(u, loop, put_left(u, loop, TURNS - 1), true);
    uint32_t main = u->made_count;
    put_copies(u, loop, TURNS);
    set_target(u, put_branch(u, loop, put_left(u, loop, TURNS - 1), false), main);
    set_target(u, few, u->made_count);
    uint32_t fewer = put_branch(u, loop, put_left(u, loop, HALF_TURNS - 1), true);
    put_copies(u, loop, HALF_TURNS);
    set_target(u, fewer, u->made_count);
    uint32_t done = put_test(u, loop, large ? EXECUTE_TEST_eq_u64 : EXECUTE_TEST_eq_u32, loop->counter, loop->bound);
    uint32_t out = put_branch(u, loop, done, false);
    set_target(u, wrapped, u->made_count);
    uint32_t head = u->made_count;
    for (uint32_t i = loop->first; i <= loop->last; i++)
        put(u, op_at(u, i));
    u->own[u->made_count - 1] = true;
    set_target(u, u->made_count - 1, head);
    set_target(u, out, u->made_count);
}

/* ===== all ===== */

static void begin(struct unroller *u, struct ptx_decoder *decoder)
{
    struct ptx_selector *s = &u->facts;
    const struct execute_code_function *place = execute_code_function_at(decoder->code, decoder->place);
    *s = (struct ptx_selector){.decoder = decoder, .table = decoder->table};
    s->first = place->first_op;
    s->count = place->op_count;
    for (uint32_t class = 0; class < PTX_CLASS_COUNT; class ++) {
        s->start[class] = s->references;
        s->references += decoder->counts[class];
    }
    ptx_graph_make(&s->graph, decoder->code, s->first, s->count);
    s->writers = mnp_allocate(s->references + 1, sizeof *s->writers);
    s->readers = mnp_allocate(s->references + 1, sizeof *s->readers);
    s->writer = mnp_allocate(s->references + 1, sizeof *s->writer);
    s->dead = mnp_allocate(s->count, sizeof *s->dead);
    ptx_select_count(s);
    u->loops = mnp_allocate(s->graph.block_count, sizeof *u->loops);
    u->name = mnp_allocate(s->references + 1, sizeof *u->name);
    u->fixed = mnp_allocate(s->references + 1, sizeof *u->fixed);
    u->last_writer = mnp_allocate(s->references + 1, sizeof *u->last_writer);
    memset(u->last_writer, 0xff, (s->references + 1) * sizeof *u->last_writer);
}

static void end(struct unroller *u)
{
    ptx_graph_free(&u->facts.graph);
    free(u->facts.writers);
    free(u->facts.readers);
    free(u->facts.writer);
    free(u->facts.dead);
    free(u->loops);
    free(u->name);
    free(u->fixed);
    free(u->last_writer);
    free(u->made);
    free(u->own);
}

/* The function's operations with their copies; `to` as ptx_move_labels has it. */
static void put_all(struct unroller *u, uint32_t *to)
{
    for (uint32_t i = 0, next = 0; i < u->facts.count; i++) {
        to[i] = u->facts.first + u->made_count;
        if (next == u->loop_count || i != u->loops[next].first) {
            put(u, op_at(u, i));
            continue;
        }
        put_loop(u, &u->loops[next]);
        i = u->loops[next++].last;
    }
}

void ptx_unroll(struct ptx_decoder *decoder, uint32_t first_target)
{
    struct unroller u = {0};
    struct execute_code *code = decoder->code;
    begin(&u, decoder);
    find_loops(&u);
    uint32_t most = u.facts.count;
    for (uint32_t i = 0; i < u.loop_count; i++)
        most += (TURNS + HALF_TURNS) * (u.loops[i].last - u.loops[i].first) + FRAME_OPS;
    /* limit: the number that timing models can represent */
    if (u.loop_count && u.facts.first + most <= UINT16_MAX) {
        uint32_t *to = mnp_allocate(u.facts.count, sizeof *to);
        u.made = mnp_allocate(most, sizeof *u.made);
        u.own = mnp_allocate(most, sizeof *u.own);
        put_all(&u, to);
        mnp_array_add(&code->ops, u.made_count - u.facts.count, sizeof *u.made);
        memcpy(execute_op_at(code, u.facts.first), u.made, u.made_count * sizeof *u.made);
        execute_code_function_at(code, decoder->place)->op_count = u.made_count;
        ptx_move_labels(code, execute_code_function_at(code, decoder->place), to, u.own, first_target);
        free(to);
    }
    end(&u);
}
