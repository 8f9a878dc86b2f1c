/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List scheduling of basic blocks: among the operations that could issue, the one with the longest latency path behind
 * it is issued first (Gibbons and Muchnick, 1986; Muchnick, Advanced Compiler Design and Implementation, section 17.1).
 * If the number of live values would reduce the kernel's occupancy, the original order is followed until registers are
 * free.
 */
#include "frontend/ptx/compile/schedule.h"

#include "base/arena.h"
#include "frontend/ptx/compile/dependences.h"

#include <stdlib.h>
#include <string.h>

/*
 * Registers that cost no occupancy: 32 for each of the 2048 threads of an SM (65536 in total; CUDA C++ Programming
 * Guide, technical specifications). Beyond that, register counts are rounded up to the allocation unit: 256 per warp, 8
 * per thread.
 */
enum { FREE_REGISTERS = 32, REGISTER_UNIT = 8, LEAST_WINDOW = 16 };

/* Cycles that a load from other than shared memory is taken for: of a hit in the L1, 28 to 32 (Jia et al., arXiv
 * 1804.06826); where loops are unrolled, of one in the L2, about 200, as an assembler issues all loads of a block
 * before the first use if it has registers. */
enum { LATENCY_L1 = 30, LATENCY_L2 = 200 };

/* Strategies if there are too few registers for the best order. */
enum relief {
    RELIEF_SMALLER, /* the best one that needs none more */
    RELIEF_ORDER,   /* the program's own order, until some are free again */
    RELIEF_PATH,    /* the longest path alone, so that what could wait takes none early; where loops are unrolled */
    RELIEF_COUNT
};

struct scheduler {
    struct ptx_decoder *decoder;
    struct ptx_live_sets sets;
    struct ptx_history *history;
    uint32_t free_limit;    /* number of registers in use at a time that costs no occupancy */
    uint32_t limit;         /* limit for this piece, whose original order may need more */
    uint32_t bound;         /* those at which a lack is felt */
    uint32_t window;        /* operations from the program's next one on that may come before it */
    uint8_t *weight;        /* [references] registers that each takes */
    uint64_t *live, *after; /* [words]: before the piece; behind it */
    uint64_t *now;          /* [words]: live set behind the operations placed so far */
    uint32_t *uses;         /* [references] by operations of the piece that have not been placed */
    struct ptx_dependences dependences;
    uint32_t path[PTX_PIECE_OPS];  /* cycles from an operation's issue to the end of all that depends on it */
    uint32_t ready[PTX_PIECE_OPS]; /* cycle in which its sources are there */
    uint32_t could[PTX_PIECE_OPS]; /* operations that wait for no other, in their own order */
    uint32_t could_count;
    uint32_t waits[PTX_PIECE_OPS]; /* operations that each one waits for */
    enum relief relief;
    bool pressed, ever_pressed; /* registers are, or were, scarce */
    uint32_t order[PTX_PIECE_OPS], best[PTX_PIECE_OPS];
    struct execute_op placed[PTX_PIECE_OPS];
};

static struct execute_op *op_at(const struct scheduler *s, uint32_t position)
{
    return execute_op_at(s->decoder->code, s->sets.graph.first_op + position);
}

/* ===== registers in use ===== */

static uint32_t weight_of(const struct scheduler *s, uint32_t number)
{
    return s->weight[number];
}

/* Registers by the class of a reference. A parameter takes none where loops are unrolled, as it is a word of the
 * constant bank (docs/ptx-compiler.md, registers). */
static void find_weights(struct scheduler *s)
{
    s->weight = mnp_allocate((size_t)s->sets.count + 1, sizeof *s->weight);
    for (uint32_t i = 0, class = 0; i < s->sets.count; i++) {
        while (class + 1 < PTX_CLASS_COUNT && i >= s->sets.start[class + 1])
            class ++;
        s->weight[i] = ptx_class_registers[class];
    }
    for (uint32_t i = 0; s->decoder->module->unrolls && i < s->sets.graph.op_count; i++) {
        const struct execute_op *op = op_at(s, i);
        uint32_t numbers[PTX_MOST_REFERENCES];
        uint32_t count = op->kind == EXECUTE_KIND_LOAD_PARAMETER ? ptx_results_of(s->decoder->code, op, numbers) : 0;
        for (uint32_t j = 0; j < count; j++)
            if (ptx_reference_number(&s->sets, numbers[j]) != PTX_NONE)
                s->weight[ptx_reference_number(&s->sets, numbers[j])] = 0;
    }
}

static uint32_t weight_of_set(const struct scheduler *s, const uint64_t *set)
{
    uint32_t weight = 0;
    for (size_t w = 0; w < s->sets.words; w++)
        for (uint64_t rest = set[w]; rest; rest &= rest - 1)
            weight += weight_of(s, (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(rest));
    return weight;
}

/* Collects the numbers of the references that an operation reads, or writes, without duplicates. */
static uint32_t numbers_of(const struct scheduler *s, const struct execute_op *op, bool written,
                           uint32_t numbers[PTX_MOST_REFERENCES])
{
    const struct execute_code *code = s->decoder->code;
    uint32_t count = written ? ptx_results_of(code, op, numbers) : ptx_sources_of(code, op, numbers), kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = ptx_reference_number(&s->sets, numbers[i]), j = 0;
        while (j < kept && numbers[j] != number)
            j++;
        if (number != PTX_NONE && j == kept)
            numbers[kept++] = number;
    }
    return kept;
}

/* Steps backwards over an operation, from the live set behind it to the one in front of it; `weight` is updated. */
static void step_back(struct scheduler *s, const struct execute_op *op, uint32_t *weight)
{
    uint32_t numbers[PTX_MOST_REFERENCES], count = numbers_of(s, op, true, numbers);
    for (uint32_t i = 0; i < count; i++) {
        bool live = ptx_has_bit(s->live, numbers[i]);
        if (op->guard == EXECUTE_TRUE && live) {
            ptx_clear_bit(s->live, numbers[i]);
            *weight -= weight_of(s, numbers[i]);
        } else if (op->guard != EXECUTE_TRUE && !live) {
            ptx_set_bit(s->live, numbers[i]);
            *weight += weight_of(s, numbers[i]);
        }
    }
    count = numbers_of(s, op, false, numbers);
    for (uint32_t i = 0; i < count; i++) {
        if (ptx_has_bit(s->live, numbers[i]))
            continue;
        ptx_set_bit(s->live, numbers[i]);
        *weight += weight_of(s, numbers[i]);
    }
}

/* Maximum number of registers in use in the original order. */
static uint32_t most_in_use(struct scheduler *s)
{
    uint32_t most = 0;
    for (uint32_t b = 0; b < s->sets.graph.block_count; b++) {
        ptx_live_out(&s->sets, b, s->live);
        uint32_t weight = weight_of_set(s, s->live);
        most = weight > most ? weight : most;
        for (uint32_t i = s->sets.graph.block_first[b + 1]; i-- > s->sets.graph.block_first[b];) {
            step_back(s, op_at(s, i), &weight);
            most = weight > most ? weight : most;
        }
    }
    return most;
}

/* Change of the number of registers in use by an operation; `apply`: the operation is placed. */
static int32_t change_of(struct scheduler *s, const struct execute_op *op, bool apply)
{
    uint32_t numbers[PTX_MOST_REFERENCES], count = numbers_of(s, op, false, numbers);
    int32_t change = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = numbers[i];
        s->uses[number] -= apply;
        if (s->uses[number] != !apply || ptx_has_bit(s->after, number) || !ptx_has_bit(s->now, number))
            continue;
        change -= (int32_t)weight_of(s, number);
        if (apply)
            ptx_clear_bit(s->now, number);
    }
    count = numbers_of(s, op, true, numbers);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = numbers[i];
        bool stays = s->uses[number] || ptx_has_bit(s->after, number);
        if (!stays || ptx_has_bit(s->now, number))
            continue;
        change += (int32_t)weight_of(s, number);
        if (apply)
            ptx_set_bit(s->now, number);
    }
    return change;
}

/* ===== the list ===== */

/* An edge leads to a later operation, so that from the end on everything is known. */
static void find_paths(struct scheduler *s)
{
    const struct ptx_dependence *edges = s->dependences.edges.items;
    for (uint32_t i = s->dependences.count; i-- > 0;) {
        s->path[i] = s->dependences.latency[i];
        for (uint32_t e = s->dependences.first[i]; e != PTX_NONE; e = edges[e].next) {
            uint32_t path = edges[e].latency + s->path[edges[e].to];
            s->path[i] = path > s->path[i] ? path : s->path[i];
        }
    }
}

static void offer(struct scheduler *s, uint32_t op)
{
    uint32_t at = s->could_count++;
    for (; at && s->could[at - 1] > op; at--)
        s->could[at] = s->could[at - 1];
    s->could[at] = op;
}

/* Whether a has priority over b: first if its operands are ready; then by the path; then by the original order. */
static bool before(const struct scheduler *s, uint32_t cycle, uint32_t a, uint32_t b)
{
    uint32_t wait_a = s->ready[a] > cycle ? s->ready[a] - cycle : 0;
    uint32_t wait_b = s->ready[b] > cycle ? s->ready[b] - cycle : 0;
    if (wait_a != wait_b && s->relief != RELIEF_PATH)
        return wait_a < wait_b;
    return s->path[a] != s->path[b] ? s->path[a] > s->path[b] : a < b;
}

static bool fits(struct scheduler *s, const struct execute_op *op, uint32_t in_use)
{
    int32_t change = change_of(s, op, false);
    return change <= 0 || in_use + (uint32_t)change <= s->bound;
}

/* The best of those that could go next, or that fit too; PTX_NONE: none does. */
static uint32_t best_of(struct scheduler *s, uint32_t first, uint32_t cycle, uint32_t in_use, bool fitting)
{
    uint32_t best = PTX_NONE;
    for (uint32_t i = 0; i < s->could_count && s->could[i] < s->could[0] + s->window; i++)
        if ((best == PTX_NONE || before(s, cycle, s->could[i], s->could[best])) &&
            (!fitting || fits(s, op_at(s, first + s->could[i]), in_use)))
            best = i;
    return best;
}

/* The place in `could` of the operation that goes next. Where none fits it is the program's next one: its own order is
 * known to need no more than it needs. */
static uint32_t choose(struct scheduler *s, uint32_t first, uint32_t cycle, uint32_t in_use)
{
    s->pressed = s->pressed && s->relief == RELIEF_ORDER && in_use + REGISTER_UNIT > s->bound;
    if (s->pressed)
        return 0;
    uint32_t best = best_of(s, first, cycle, in_use, false);
    s->pressed = !fits(s, op_at(s, first + s->could[best]), in_use);
    s->ever_pressed |= s->pressed;
    if (!s->pressed)
        return best;
    best = s->relief != RELIEF_ORDER ? best_of(s, first, cycle, in_use, true) : PTX_NONE;
    return best == PTX_NONE ? 0 : best;
}

/* An operation issues: when those that depend on it could. */
static void issue(struct scheduler *s, uint32_t op, uint32_t cycle)
{
    const struct ptx_dependence *edges = s->dependences.edges.items;
    for (uint32_t e = s->dependences.first[op]; e != PTX_NONE; e = edges[e].next) {
        uint32_t ready = cycle + edges[e].latency;
        s->ready[edges[e].to] = ready > s->ready[edges[e].to] ? ready : s->ready[edges[e].to];
    }
}

static void release(struct scheduler *s, uint32_t op)
{
    const struct ptx_dependence *edges = s->dependences.edges.items;
    for (uint32_t e = s->dependences.first[op]; e != PTX_NONE; e = edges[e].next)
        if (--s->waits[edges[e].to] == 0)
            offer(s, edges[e].to);
}

/* Cycles until all results are available, for a given order; `order` NULL: the original one. */
static uint32_t cycles_of(struct scheduler *s, const uint32_t *order)
{
    uint32_t cycle = 0, end = 0;
    memset(s->ready, 0, s->dependences.count * sizeof *s->ready);
    for (uint32_t i = 0; i < s->dependences.count; i++) {
        uint32_t op = order ? order[i] : i;
        cycle = s->ready[op] > cycle ? s->ready[op] : cycle;
        issue(s, op, cycle);
        end = cycle + s->dependences.latency[op] > end ? cycle + s->dependences.latency[op] : end;
        cycle++;
    }
    return end;
}

static void count_uses(struct scheduler *s, uint32_t first, uint32_t count)
{
    uint32_t numbers[PTX_MOST_REFERENCES];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t sources = numbers_of(s, op_at(s, first + i), false, numbers);
        for (uint32_t j = 0; j < sources; j++)
            s->uses[numbers[j]]++;
    }
}

static void begin_piece(struct scheduler *s, uint32_t first)
{
    count_uses(s, first, s->dependences.count);
    memcpy(s->now, s->live, s->sets.words * sizeof *s->now);
}

/* Maximum number of registers in use in the original order. A register that is written again counts in between, as in
 * register allocation (liveness.c). */
static uint32_t most_of_own_order(struct scheduler *s, uint32_t first)
{
    uint32_t in_use = weight_of_set(s, s->live), most = in_use;
    begin_piece(s, first);
    for (uint32_t i = 0; i < s->dependences.count; i++) {
        in_use = (uint32_t)((int32_t)in_use + change_of(s, op_at(s, first + i), true));
        most = in_use > most ? in_use : most;
    }
    return most;
}

/* The list scheduler: `order` receives the operations. Returns the maximum number of registers in use. */
static uint32_t make_order(struct scheduler *s, uint32_t first, enum relief relief)
{
    uint32_t cycle = 0, in_use = weight_of_set(s, s->live), most = in_use, count = s->dependences.count;
    begin_piece(s, first);
    memcpy(s->waits, s->dependences.waits, count * sizeof *s->waits);
    memset(s->ready, 0, count * sizeof *s->ready);
    s->relief = relief;
    s->pressed = s->ever_pressed = false;
    s->could_count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!s->waits[i])
            s->could[s->could_count++] = i;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = choose(s, first, cycle, in_use), op = s->could[at];
        memmove(s->could + at, s->could + at + 1, (--s->could_count - at) * sizeof *s->could);
        cycle = s->ready[op] > cycle ? s->ready[op] : cycle;
        s->order[i] = op;
        in_use = (uint32_t)((int32_t)in_use + change_of(s, op_at(s, first + op), true));
        most = in_use > most ? in_use : most;
        issue(s, op, cycle++);
        release(s, op);
    }
    return most;
}

/* Keeps the order that has been made if it is the best one so far. */
static uint32_t keep_better(struct scheduler *s, uint32_t least)
{
    uint32_t cycles = cycles_of(s, s->order);
    if (cycles < least)
        memcpy(s->best, s->order, s->dependences.count * sizeof *s->best);
    return cycles < least ? cycles : least;
}

/* Tries all strategies, on the whole piece and on narrower windows, in which an order needs few more registers than the
 * original. Operations started at the limit may temporarily need more registers, so the limit is then applied earlier.
 * Returns the least number of cycles; `best` is updated if it is less than `least`. */
static uint32_t try_orders(struct scheduler *s, uint32_t first, uint32_t least)
{
    uint32_t count = s->decoder->module->unrolls ? RELIEF_COUNT : RELIEF_PATH;
    bool any_pressed = false;
    s->ever_pressed = true;
    for (uint32_t relief = 0; relief < count; relief++) {
        if (!(relief == RELIEF_PATH ? any_pressed : s->ever_pressed))
            continue;
        s->ever_pressed = true;
        for (s->window = PTX_PIECE_OPS; s->window >= LEAST_WINDOW && s->ever_pressed; s->window /= 4) {
            s->bound = s->limit;
            uint32_t most = make_order(s, first, (enum relief)relief);
            if (most > s->limit) {
                s->bound -= most - s->limit < s->bound ? most - s->limit : s->bound;
                most = make_order(s, first, (enum relief)relief);
            }
            least = most <= s->limit ? keep_better(s, least) : least;
            any_pressed |= s->ever_pressed;
        }
    }
    return least;
}

/* Orders the piece from `first` on; `live` is the live set in front of it, `after` the one behind it. Another order is
 * only used if it takes less time than the original one. */
static void order_piece(struct scheduler *s, uint32_t first, uint32_t count)
{
    ptx_find_dependences(&s->dependences, s->history, s->decoder->code, s->sets.graph.first_op + first, count);
    find_paths(s);
    uint32_t plain = cycles_of(s, NULL), most = most_of_own_order(s, first), least;
    s->limit = most > s->free_limit ? most : s->free_limit;
    least = try_orders(s, first, plain);
    if (least == plain)
        return;
    for (uint32_t i = 0; i < count; i++)
        s->placed[i] = *op_at(s, first + s->best[i]);
    memcpy(op_at(s, first), s->placed, count * sizeof *s->placed);
}

/* Pieces from the block's end to its start, as liveness goes. */
static void order_block(struct scheduler *s, uint32_t block)
{
    uint32_t start = s->sets.graph.block_first[block], end = s->sets.graph.block_first[block + 1], weight = 0;
    ptx_live_out(&s->sets, block, s->live);
    while (end > start) {
        uint32_t first = end;
        memcpy(s->after, s->live, s->sets.words * sizeof *s->live);
        while (first > start && end - first < PTX_PIECE_OPS && !ptx_divides(op_at(s, first - 1)))
            step_back(s, op_at(s, --first), &weight);
        if (first == end) {
            step_back(s, op_at(s, --end), &weight);
            continue;
        }
        if (end - first > 1)
            order_piece(s, first, end - first);
        end = first;
    }
}

void ptx_schedule(struct ptx_decoder *decoder)
{
    struct scheduler *s = mnp_allocate(1, sizeof *s);
    s->decoder = decoder;
    s->dependences.memory = decoder->module->unrolls ? LATENCY_L2 : LATENCY_L1;
    if (ptx_live_sets_make(&s->sets, decoder)) {
        s->history = ptx_history_make(&s->sets);
        s->live = mnp_allocate(3 * s->sets.words, sizeof *s->live);
        s->after = s->live + s->sets.words;
        s->now = s->after + s->sets.words;
        s->uses = mnp_allocate((size_t)s->sets.count + 1, sizeof *s->uses);
        find_weights(s);
        uint32_t most = most_in_use(s);
        most = most > FREE_REGISTERS ? most : FREE_REGISTERS;
        s->free_limit = (most + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
        for (uint32_t b = 0; b < s->sets.graph.block_count; b++)
            order_block(s, b);
        ptx_history_free(s->history);
    }
    ptx_live_sets_free(&s->sets);
    free(s->dependences.edges.items);
    free(s->weight);
    free(s->live);
    free(s->uses);
    free(s);
}
