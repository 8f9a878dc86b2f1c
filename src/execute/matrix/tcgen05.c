/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/matrix/tcgen05.h"

#include "execute/cta/tmem.h"
#include "execute/lanes/lane_math.h"
#include "execute/matrix/operand.h"
#include "execute/warp/frame.h"

#include <string.h>

enum { LANE_SHIFT = 16 };

/* ===== what is kept ===== */

static uint32_t word_at(const struct execute_warp *warp, uint32_t ref, uint32_t lane)
{
    return ((const uint32_t *)execute_at(warp, ref))[lane];
}

/* Copies the operands that follow the address of D and the instruction descriptor. */
static void keep_rest(struct execute_warp *warp, const struct execute_op *op, const uint32_t *refs, uint32_t lane,
                      struct execute_tcgen05_kept *kept)
{
    const struct execute_tcgen05_form *form = &op->tcgen05;
    uint32_t masks = form->flags & EXECUTE_TCGEN05_PAIR ? 8 : 4;
    for (uint32_t i = 0; i < masks && form->flags & EXECUTE_TCGEN05_MASKED; i++)
        kept->left_out[i] = word_at(warp, *refs++, lane);
    for (uint32_t i = 0; i < EXECUTE_TCGEN05_PLACES; i++)
        if (i == EXECUTE_TCGEN05_METADATA ? form->flags & EXECUTE_TCGEN05_SPARSE : form->factors)
            kept->places[i] =
                word_at(warp, *refs++, lane) + ((uint64_t)op->immediate >> EXECUTE_TCGEN05_OFFSET_BITS * i &
                                                ((1u << EXECUTE_TCGEN05_OFFSET_BITS) - 1));
    if (form->flags & EXECUTE_TCGEN05_ZEROES)
        kept->zeroes = execute_long_at(warp, *refs, lane);
}

/* Checks that the CTA has a peer. Returns false, with a fault, if not. */
static bool check_pair(struct execute_warp *warp, const struct execute_op *op, uint32_t lane)
{
    const struct execute_cta *cta = warp->cta;
    if (!(op->tcgen05.flags & EXECUTE_TCGEN05_PAIR) || (cta->rank ^ 1) < cta->cluster->size)
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_PAIR, lane, cta->rank);
    return false;
}

bool execute_tcgen05_keep(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_tcgen05_kept *kept)
{
    const struct execute_tcgen05_form *form = &op->tcgen05;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    *kept = (struct execute_tcgen05_kept){.d = word_at(warp, refs[0], lane) + (uint32_t)form->offset};
    if (!check_pair(warp, op, lane))
        return false;
    if (form->command == EXECUTE_TCGEN05_SHIFT)
        return true;
    kept->b = execute_long_at(warp, op->b, lane);
    if (form->command == EXECUTE_TCGEN05_COPY)
        return true;
    kept->a = form->flags & EXECUTE_TCGEN05_A_TMEM ? word_at(warp, op->a, lane) + (uint32_t)form->a_offset
                                                   : execute_long_at(warp, op->a, lane);
    kept->adds = (execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0)) >> lane & 1;
    keep_rest(warp, op, refs + 2, lane, kept);
    uint32_t descriptor = word_at(warp, refs[1], lane);
    if (execute_tcgen05_read_shape(descriptor, form, &kept->shape))
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_SHAPE, lane, descriptor);
    return false;
}

/* ===== sums ===== */

struct sums {
    /* buffer for the sums, unless they are computed in tensor memory */
    float made[EXECUTE_TCGEN05_MOST_N][EXECUTE_TCGEN05_MOST_M];
    float *columns[EXECUTE_TCGEN05_MOST_N];
    const uint32_t *left_out; /* lanes, a bit each */
};

/* The address of a column of D, from its first row on. `cells`: D's first column, from its lane on. */
static uint32_t *column_of(const struct execute_tcgen05_shape *shape, uint32_t *cells, uint32_t column)
{
    uint32_t part = shape->n / shape->parts;
    return cells + (size_t)(column % part) * EXECUTE_TMEM_LANES + column / part * shape->rows;
}

/* Whether sums are made where they stay. */
static bool is_in_place(const struct execute_tcgen05_kept *kept, const struct execute_tcgen05_form *form,
                        const uint32_t *out)
{
    return kept->shape.d_type == EXECUTE_f32 && !kept->shape.half && !(out[0] | out[1] | out[2] | out[3]) &&
           !(form->scale && kept->adds);
}

static float scaled(float sum, uint8_t scale)
{
    return sum * float_of((127u - scale) << 23);
}

/* Prepares the accumulators, with their initial values. */
static void prepare_sums(const struct execute_tcgen05_kept *kept, const struct execute_tcgen05_form *form,
                         uint32_t *cells, struct sums *sums)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    bool in_place = is_in_place(kept, form, sums->left_out), adds = kept->adds && shape->d_type != EXECUTE_s32;
    for (uint32_t column = 0; column < shape->n; column++) {
        uint32_t *words = column_of(shape, cells, column);
        float *to = in_place ? (float *)words : sums->made[column];
        sums->columns[column] = to;
        if (!adds)
            memset(to, 0, shape->rows * sizeof *to);
        for (uint32_t row = 0; row < shape->rows && adds && !in_place; row++) {
            uint32_t word = words[execute_tcgen05_lane(shape, row)];
            to[row] = scaled(float_of(shape->d_type == EXECUTE_f16 ? widen_half(word & 0xffff) : word), form->scale);
        }
    }
}

/* Converts a sum to the resulting word. Integer sums, which a float holds exactly for one instruction, are added to the
 * 32-bit accumulator. */
static uint32_t word_of(const struct execute_tcgen05_kept *kept, float sum, uint32_t old)
{
    if (kept->shape.d_type != EXECUTE_s32)
        return kept->shape.d_type == EXECUTE_f16 ? narrow_to_half(bits_of(sum)) : bits_of(sum);
    int64_t whole = (int64_t)sum + (kept->adds ? (int32_t)old : 0);
    return kept->shape.saturate ? (uint32_t)saturate_s32(whole) : (uint32_t)whole;
}

static void write_sums(const struct execute_tcgen05_kept *kept, uint32_t *cells, const struct sums *sums)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    uint32_t first = kept->d >> LANE_SHIFT;
    for (uint32_t column = 0; column < shape->n; column++)
        for (uint32_t row = 0; row < shape->rows; row++) {
            uint32_t *word = column_of(shape, cells, column) + execute_tcgen05_lane(shape, row);
            uint32_t bit = first + (uint32_t)(word - cells) % EXECUTE_TMEM_LANES;
            if (!(sums->left_out[bit / 32] >> bit % 32 & 1))
                *word = word_of(kept, sums->columns[column][row], *word);
        }
}

/* Products of the stored elements of A with the scale factors, in double precision, which holds them exactly; each sum
 * is rounded. */
static void multiply_one_by_one(const struct execute_tcgen05_kept *kept, const struct execute_op *op,
                                const struct execute_tcgen05_numbers *numbers, const struct sums *sums)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    bool sparse = op->tcgen05.flags & EXECUTE_TCGEN05_SPARSE;
    uint32_t rows = shape->rows, n = shape->n, length = numbers->factor_length;
    for (uint32_t column = 0; column < n; column++)
        for (uint32_t row = 0; row < rows; row++) {
            float sum = sums->columns[column][row];
            for (uint32_t k = 0; k < shape->k; k++) {
                double product = (double)numbers->a[k * rows + row] * numbers->b[k * n + column];
                if (length)
                    product *= (double)numbers->factors_a[k / length * rows + row] *
                               numbers->factors_b[k / length * n + column];
                if (!sparse || numbers->stored[k * rows + row])
                    sum = (float)(sum + product);
            }
            sums->columns[column][row] = canonical(sum);
        }
}

/* A CTA's part of a product. */
static bool multiply(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                     const struct execute_tcgen05_kept *kept, unsigned char *const halves[2])
{
    const struct execute_tcgen05_form *form = &op->tcgen05;
    const struct execute_tcgen05_shape *shape = &kept->shape;
    struct execute_tcgen05_numbers numbers; /* large, and not to be cleared */
    struct sums sums;
    uint32_t *cells = execute_tcgen05_columns(warp, cta, shape, kept->d, (uint32_t)shape->n / shape->parts);
    if (!cells || !execute_tcgen05_read_numbers(warp, cta, op, kept, halves, &numbers))
        return false;
    cells += kept->d >> LANE_SHIFT;
    sums.left_out = kept->left_out + (form->flags & EXECUTE_TCGEN05_PAIR && cta->rank % 2 ? 4 : 0);
    prepare_sums(kept, form, cells, &sums);
    if (numbers.one_by_one)
        multiply_one_by_one(kept, op, &numbers, &sums);
    else
        execute_products_best()->multiply_columns(sums.columns, numbers.a, shape->rows, numbers.b, shape->n, shape->k,
                                                  shape->a_type != EXECUTE_WGMMA_BF16 &&
                                                      shape->b_type != EXECUTE_WGMMA_BF16 &&
                                                      shape->a_type != EXECUTE_WGMMA_TF32);
    if (!is_in_place(kept, form, sums.left_out))
        write_sums(kept, cells, &sums);
    return true;
}

/* ===== the instructions ===== */

static bool perform(struct execute_warp *warp, struct execute_cta *cta, const struct execute_op *op,
                    const struct execute_tcgen05_kept *kept, unsigned char *const halves[2])
{
    if (op->tcgen05.command == EXECUTE_TCGEN05_SHIFT)
        return execute_tcgen05_shift(warp, cta, kept);
    return op->tcgen05.command == EXECUTE_TCGEN05_COPY ? execute_tcgen05_copy(warp, cta, op, kept)
                                                       : multiply(warp, cta, op, kept, halves);
}

/* Performs a product if both CTAs of the pair are simulated here. */
static bool perform_pair(struct execute_warp *warp, const struct execute_op *op,
                         const struct execute_tcgen05_kept *kept)
{
    struct execute_cta *const *members = warp->cta->cluster->members + (warp->cta->rank & ~1u);
    unsigned char bytes[2][EXECUTE_TCGEN05_HALF_BYTES], *halves[2] = {bytes[0], bytes[1]};
    bool good = true;
    for (uint32_t i = 0; i < 2 && good; i++)
        if (members[i]->ended_warps == members[i]->warp_count) {
            execute_fault(warp, EXECUTE_FAULT_CLUSTER_ENDED, 0, i);
            good = false;
        } else if (op->tcgen05.command == EXECUTE_TCGEN05_MULTIPLY) {
            good = execute_tcgen05_tape_half(warp, members[i], op, kept, halves[i]);
        }
    for (uint32_t i = 0; i < 2 && good; i++)
        good = perform(warp, members[i], op, kept, halves);
    return good;
}

bool execute_tcgen05_perform(struct execute_warp *warp, const struct execute_op *op,
                             const struct execute_tcgen05_kept *kept)
{
    return op->tcgen05.flags & EXECUTE_TCGEN05_PAIR ? perform_pair(warp, op, kept)
                                                    : perform(warp, warp->cta, op, kept, NULL);
}

uint32_t execute_tcgen05_half_bytes(const struct execute_op *op, const struct execute_tcgen05_kept *kept)
{
    bool sparse = op->tcgen05.flags & EXECUTE_TCGEN05_SPARSE;
    return op->tcgen05.command == EXECUTE_TCGEN05_MULTIPLY ? kept->shape.n / 2u * 32 << sparse : 0;
}

bool execute_tcgen05_read_half(struct execute_warp *warp, const struct execute_op *op,
                               const struct execute_tcgen05_kept *kept, unsigned char *half)
{
    return execute_tcgen05_tape_half(warp, warp->cta, op, kept, half);
}

bool execute_tcgen05_perform_own(struct execute_warp *warp, const struct execute_op *op,
                                 const struct execute_tcgen05_kept *kept, unsigned char *const halves[2])
{
    return perform(warp, warp->cta, op, kept, halves);
}

/* The thread that issues it. False: there are several. */
static bool choose(struct execute_warp *warp, uint32_t lanes, uint32_t *lane)
{
    *lane = (uint32_t)__builtin_ctz(lanes);
    warp->changed = true;
    if (!(lanes & (lanes - 1)))
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_LANES, *lane, lanes);
    return false;
}

void execute_step_tcgen05(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    struct execute_tcgen05_kept kept;
    uint32_t lane;
    if (!choose(warp, lanes, &lane))
        return;
    if (port->command)
        port->command(port->context, warp, op, lane);
    else if (execute_tcgen05_keep(warp, op, lane, &kept))
        execute_tcgen05_perform(warp, op, &kept);
}

bool execute_tcgen05_keep_commit(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                                 struct execute_tcgen05_commit *commit)
{
    uint64_t addresses[32], resolved[32];
    enum execute_space space = (enum execute_space)op->access.space;
    uint32_t size = warp->cta->cluster->size;
    execute_access_addresses(warp, op, op->immediate, addresses);
    if (space == EXECUTE_SPACE_GENERIC && execute_resolve(addresses, 1u << lane, &space, resolved))
        addresses[lane] = resolved[lane];
    *commit = (struct execute_tcgen05_commit){.barrier = addresses[lane]};
    if (space != EXECUTE_SPACE_SHARED && space != EXECUTE_SPACE_CLUSTER) {
        execute_fault(warp, EXECUTE_FAULT_SHARED, lane, addresses[lane]);
        return false;
    }
    if (!op->list_sources)
        return true;
    commit->targets = word_at(warp, ((const uint32_t *)warp->launch->code->list.items)[op->list], lane) & 0xffff;
    if (!(commit->targets >> size))
        return true;
    execute_fault(warp, EXECUTE_FAULT_MULTICAST, lane, commit->targets);
    return false;
}

bool execute_tcgen05_arrive(struct execute_warp *warp, uint32_t lane, const struct execute_tcgen05_commit *commit)
{
    uint64_t addresses[32];
    for (uint32_t i = 0; i < 32; i++)
        addresses[i] = commit->barrier;
    if (!commit->targets)
        return execute_mbarrier_arrive(warp, lane, addresses);
    for (uint32_t rest = commit->targets; rest; rest &= rest - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(rest);
        for (uint32_t i = 0; i < 32; i++)
            addresses[i] = EXECUTE_CLUSTER_BASE + rank * EXECUTE_WINDOW_BYTES + commit->barrier % EXECUTE_WINDOW_BYTES;
        if (!execute_mbarrier_arrive(warp, lane, addresses))
            return false;
    }
    return true;
}

void execute_step_tcgen05_commit(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_port *port = warp->cta->port;
    struct execute_tcgen05_commit commit;
    uint32_t lane;
    if (!choose(warp, lanes, &lane))
        return;
    if (port->command)
        port->command(port->context, warp, op, lane);
    else if (execute_tcgen05_keep_commit(warp, op, lane, &commit))
        execute_tcgen05_arrive(warp, lane, &commit);
}
