/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/tcgen05.h"

#include "execute/frame.h"
#include "execute/lane_math.h"
#include "execute/operand.h"
#include "execute/tensor_map.h"
#include "execute/tmem.h"

#include <string.h>

enum {
    MOST_M = 128,
    MOST_N = 256,
    MOST_K = 32,
    CHUNK = EXECUTE_PRODUCT_CHUNK,
    CHUNKS = 2,    /* of k: 256 bits */
    A_COLUMNS = 8, /* … in tensor memory */
    LANE_SHIFT = 16,
    COLUMN_MASK = 0xffff
};

/* ===== instruction descriptors ===== */

enum { NONE = 0xff };

/* Types of A and B by their number in the instruction descriptor, those of D, and k. */
static const struct kind {
    uint8_t types[8]; /* enum execute_wgmma_type */
    uint8_t d[4];     /* enum execute_type */
    uint16_t k;
} kinds[] = {
    [EXECUTE_TCGEN05_F16] = {{EXECUTE_WGMMA_F16, EXECUTE_WGMMA_BF16, NONE, NONE, NONE, NONE, NONE, NONE},
                             {EXECUTE_f16, EXECUTE_f32, NONE, NONE},
                             16},
    [EXECUTE_TCGEN05_TF32] = {{NONE, NONE, EXECUTE_WGMMA_TF32, NONE, NONE, NONE, NONE, NONE},
                              {NONE, EXECUTE_f32, NONE, NONE},
                              8},
    [EXECUTE_TCGEN05_F8F6F4] = {{EXECUTE_WGMMA_E4M3, EXECUTE_WGMMA_E5M2, NONE, EXECUTE_WGMMA_E2M3, EXECUTE_WGMMA_E3M2,
                                 EXECUTE_WGMMA_E2M1, NONE, NONE},
                                {EXECUTE_f16, EXECUTE_f32, NONE, NONE},
                                32},
    [EXECUTE_TCGEN05_I8] = {{EXECUTE_WGMMA_U8, EXECUTE_WGMMA_S8, NONE, NONE, NONE, NONE, NONE, NONE},
                            {NONE, NONE, EXECUTE_s32, NONE},
                            32},
};

static uint32_t field(uint32_t word, uint32_t at, uint32_t bits)
{
    return word >> at & ((1u << bits) - 1);
}

/* Which shapes there are (PTX ISA 9.0, table of kinds and shapes), of one CTA and a dense A. */
static bool shape_is_good(const struct execute_tcgen05_shape *shape, uint8_t kind)
{
    bool integers = kind == EXECUTE_TCGEN05_I8, bytes = kind == EXECUTE_TCGEN05_F8F6F4 || integers;
    bool n = shape->n >= 8 && shape->n <= MOST_N && !(shape->across_b && bytes && shape->n % 16) &&
             !(integers && shape->n % 16 && shape->n != 8 && shape->n != 24);
    bool d = shape->d_type != EXECUTE_f16 || kind != EXECUTE_TCGEN05_F16 ||
             (shape->a_type == EXECUTE_WGMMA_F16 && shape->b_type == EXECUTE_WGMMA_F16);
    bool packed = (shape->across_a && shape->a_type >= EXECUTE_WGMMA_E2M3) ||
                  (shape->across_b && shape->b_type >= EXECUTE_WGMMA_E2M3);
    return n && d && !packed && (shape->m == 64 || shape->m == 128) &&
           !(integers && (shape->negate_a || shape->negate_b));
}

static bool read_shape(uint32_t word, uint8_t kind, struct execute_tcgen05_shape *shape)
{
    const struct kind *row = &kinds[kind];
    bool sparse = field(word, 2, 1);
    *shape = (struct execute_tcgen05_shape){.m = (uint16_t)(field(word, 24, 5) << 4),
                                            .n = (uint16_t)(field(word, 17, 6) << 3),
                                            .k = row->k,
                                            .a_type = row->types[field(word, 7, 3)],
                                            .b_type = row->types[field(word, 10, 3)],
                                            .d_type = row->d[field(word, 4, 2)],
                                            .saturate = field(word, 3, 1),
                                            .negate_a = field(word, 13, 1),
                                            .negate_b = field(word, 14, 1),
                                            .across_a = field(word, 15, 1),
                                            .across_b = field(word, 16, 1)};
    return !sparse && shape->a_type != NONE && shape->b_type != NONE && shape->d_type != NONE &&
           shape_is_good(shape, kind);
}

/* ===== what is kept ===== */

static uint32_t word_at(const struct execute_warp *warp, uint32_t ref, uint32_t lane)
{
    return ((const uint32_t *)execute_at(warp, ref))[lane];
}

bool execute_tcgen05_keep(struct execute_warp *warp, const struct execute_op *op, uint32_t lane,
                          struct execute_tcgen05_kept *kept)
{
    const struct execute_tcgen05_form *form = &op->tcgen05;
    const uint32_t *refs = (const uint32_t *)warp->launch->code->list.items + op->list;
    *kept = (struct execute_tcgen05_kept){.b = execute_long_at(warp, op->b, lane),
                                          .d = word_at(warp, refs[0], lane) + (uint32_t)form->offset};
    if (form->command == EXECUTE_TCGEN05_COPY)
        return true;
    kept->a = form->a_tmem ? word_at(warp, op->a, lane) + (uint32_t)form->a_offset : execute_long_at(warp, op->a, lane);
    kept->adds = (execute_mask_at(warp, op->c) ^ (op->flags & EXECUTE_OP_FLIP_C ? ~0u : 0)) >> lane & 1;
    for (uint32_t i = 0; i < 4 && form->masked; i++)
        kept->left_out[i] = word_at(warp, refs[2 + i], lane);
    uint32_t descriptor = word_at(warp, refs[1], lane);
    if (read_shape(descriptor, form->kind, &kept->shape))
        return true;
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_SHAPE, lane, descriptor);
    return false;
}

/* ===== operands ===== */

struct numbers {
    const struct execute_product_table *table;
    float a[MOST_K * MOST_M];
    float b[MOST_K * MOST_N];
    float sums[MOST_N][MOST_M]; /* where they are not tensor memory itself */
    float *columns[MOST_N];
};

/* The lane of tensor memory that a row of a matrix of m rows is in, from that of its address on: 64 rows are in 16 of
 * each warp's 32 (PTX ISA 9.0, data path layouts D and F). */
static uint32_t lane_of(uint32_t m, uint32_t row)
{
    return m == MOST_M ? row : row / 16 * 32 + row % 16;
}

/* The columns of a matrix in tensor memory. NULL: a fault. */
static uint32_t *tensor_columns(struct execute_warp *warp, uint32_t address, uint32_t m, uint32_t count)
{
    uint32_t lane = address >> LANE_SHIFT;
    if (lane == 0 || (m == 64 && lane == 16))
        return execute_tmem_columns(warp, 0, address, address & COLUMN_MASK, count);
    execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, 0, address);
    return NULL;
}

/* A out of tensor memory: 256 bits of k are in eight columns. Elements of four and six bits have bytes of their own. */
static bool gather_a(struct execute_warp *warp, const struct execute_tcgen05_kept *kept, struct numbers *numbers)
{
    uint32_t m = kept->shape.m, each = kept->shape.k / CHUNKS;
    const uint32_t *cells = tensor_columns(warp, (uint32_t)kept->a, m, A_COLUMNS);
    if (!cells)
        return false;
    cells += kept->a >> LANE_SHIFT;
    for (uint32_t row = 0; row < m; row += 8)
        for (uint32_t half = 0; half < CHUNKS; half++) {
            uint32_t words[8][CHUNK / 4];
            const unsigned char *chunks[8];
            for (uint32_t i = 0; i < 8; i++) {
                chunks[i] = (const unsigned char *)words[i];
                for (uint32_t w = 0; w < CHUNK / 4; w++)
                    words[i][w] = cells[(half * CHUNK / 4 + w) * EXECUTE_TMEM_LANES + lane_of(m, row + i)];
            }
            numbers->table->widen(kept->shape.a_type, chunks, false, numbers->a + (size_t)half * each * m + row, m);
        }
    return true;
}

/* Words along m or n of 32 bits have a swizzle of their own, which others have not (PTX ISA 9.0, type sizes,
 * majorness and swizzles). */
static bool swizzle_is_good(const struct execute_operand *operand, uint8_t type, bool across)
{
    bool pairs = operand->swizzle == EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B;
    return across && type == EXECUTE_WGMMA_TF32 ? pairs : !pairs;
}

static bool read_matrix(struct execute_warp *warp, uint64_t descriptor, const struct execute_product_table *table,
                        uint8_t type, bool across, uint32_t count, float *to)
{
    struct execute_operand_reader reader = {.warp = warp, .chunks = CHUNKS};
    if (execute_operand_of_tcgen05(descriptor, &reader.operand) && swizzle_is_good(&reader.operand, type, across))
        return execute_operand_read(&reader, table, type, across, false, 0, count, to);
    execute_fault(warp, EXECUTE_FAULT_TCGEN05_MATRIX, 0, descriptor);
    return false;
}

static bool read_numbers(struct execute_warp *warp, const struct execute_tcgen05_form *form,
                         const struct execute_tcgen05_kept *kept, struct numbers *numbers)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    if (form->a_tmem
            ? !gather_a(warp, kept, numbers)
            : !read_matrix(warp, kept->a, numbers->table, shape->a_type, shape->across_a, shape->m, numbers->a))
        return false;
    for (uint32_t i = 0; i < (uint32_t)shape->m * shape->k && shape->negate_a != shape->negate_b; i++)
        numbers->a[i] = -numbers->a[i];
    return read_matrix(warp, kept->b, numbers->table, shape->b_type, shape->across_b, shape->n, numbers->b);
}

/* ===== sums ===== */

/* Whether sums are made where they stay. */
static bool is_in_place(const struct execute_tcgen05_kept *kept, const struct execute_tcgen05_form *form)
{
    const uint32_t *out = kept->left_out;
    return kept->shape.d_type == EXECUTE_f32 && kept->shape.m == MOST_M && !(out[0] | out[1] | out[2] | out[3]) &&
           !(form->scale && kept->adds);
}

static float scaled(float sum, uint8_t scale)
{
    return sum * float_of((127u - scale) << 23);
}

/* Where the sums are made, with what they are added to. `cells`: D's first column, from its lane on. */
static void prepare_sums(const struct execute_tcgen05_kept *kept, const struct execute_tcgen05_form *form,
                         uint32_t *cells, struct numbers *numbers)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    bool in_place = is_in_place(kept, form), adds = kept->adds && shape->d_type != EXECUTE_s32;
    for (uint32_t column = 0; column < shape->n; column++) {
        const uint32_t *words = cells + (size_t)column * EXECUTE_TMEM_LANES;
        float *to = in_place ? (float *)(cells + (size_t)column * EXECUTE_TMEM_LANES) : numbers->sums[column];
        numbers->columns[column] = to;
        if (!adds)
            memset(to, 0, shape->m * sizeof *to);
        for (uint32_t row = 0; row < shape->m && adds && !in_place; row++) {
            uint32_t word = words[lane_of(shape->m, row)];
            to[row] = scaled(float_of(shape->d_type == EXECUTE_f16 ? widen_half(word & 0xffff) : word), form->scale);
        }
    }
}

/* A sum as the word that it leaves. Sums of integers, which single precision holds exactly for one instruction, join
 * what 32 bits hold. */
static uint32_t word_of(const struct execute_tcgen05_kept *kept, float sum, uint32_t old)
{
    if (kept->shape.d_type != EXECUTE_s32)
        return kept->shape.d_type == EXECUTE_f16 ? narrow_to_half(bits_of(sum)) : bits_of(sum);
    int64_t whole = (int64_t)sum + (kept->adds ? (int32_t)old : 0);
    return kept->shape.saturate ? (uint32_t)saturate_s32(whole) : (uint32_t)whole;
}

static void write_sums(const struct execute_tcgen05_kept *kept, uint32_t *cells, const struct numbers *numbers)
{
    const struct execute_tcgen05_shape *shape = &kept->shape;
    uint32_t first = kept->d >> LANE_SHIFT;
    for (uint32_t column = 0; column < shape->n; column++)
        for (uint32_t row = 0; row < shape->m; row++) {
            uint32_t lane = lane_of(shape->m, row), bit = first + lane;
            uint32_t *word = cells + (size_t)column * EXECUTE_TMEM_LANES + lane;
            if (!(kept->left_out[bit / 32] >> bit % 32 & 1))
                *word = word_of(kept, numbers->columns[column][row], *word);
        }
}

static bool multiply(struct execute_warp *warp, const struct execute_op *op, const struct execute_tcgen05_kept *kept)
{
    const struct execute_tcgen05_form *form = &op->tcgen05;
    const struct execute_tcgen05_shape *shape = &kept->shape;
    struct numbers numbers; /* large, and not to be cleared */
    uint32_t *cells = tensor_columns(warp, kept->d, shape->m, shape->n);
    numbers.table = execute_products_best();
    if (!cells || !read_numbers(warp, form, kept, &numbers))
        return false;
    cells += kept->d >> LANE_SHIFT;
    prepare_sums(kept, form, cells, &numbers);
    numbers.table->multiply_columns(numbers.columns, numbers.a, shape->m, numbers.b, shape->n, shape->k,
                                    shape->a_type != EXECUTE_WGMMA_BF16 && shape->b_type != EXECUTE_WGMMA_BF16 &&
                                        shape->a_type != EXECUTE_WGMMA_TF32);
    if (!is_in_place(kept, form))
        write_sums(kept, cells, &numbers);
    return true;
}

/* ===== copies ===== */

static const struct copy {
    uint8_t rows, chunks; /* of what is read; chunks of 16 bytes */
    uint8_t times;        /* that it is there */
    uint8_t spread;       /* lanes of tensor memory from one row to the next */
} copies[] = {
    [EXECUTE_TCGEN05_128X256B] = {128, 2, 1, 1},     [EXECUTE_TCGEN05_4X256B] = {4, 2, 1, 32},
    [EXECUTE_TCGEN05_128X128B] = {128, 1, 1, 1},     [EXECUTE_TCGEN05_64X128B_02_13] = {64, 1, 2, 1},
    [EXECUTE_TCGEN05_64X128B_01_23] = {64, 1, 2, 1}, [EXECUTE_TCGEN05_32X128B] = {32, 1, 4, 1},
};

uint32_t execute_tcgen05_copy_bytes(const struct execute_tcgen05_form *form)
{
    return (uint32_t)copies[form->kind].rows * copies[form->kind].chunks * CHUNK;
}

/* The lane of a row's n-th copy: warps 0 and 2, and 1 and 3, have the same, or 0 and 1, and 2 and 3; or all four. */
static uint32_t target_of(uint8_t kind, uint32_t row, uint32_t time)
{
    if (kind == EXECUTE_TCGEN05_64X128B_01_23)
        return row / 32 * 64 + time * 32 + row % 32;
    return row * copies[kind].spread + time * copies[kind].rows;
}

static void put_chunk(uint32_t *cells, const unsigned char *chunk, uint8_t bits)
{
    unsigned char bytes[CHUNK];
    memcpy(bytes, chunk, CHUNK);
    if (bits)
        execute_operand_unpack(bits == 4 ? EXECUTE_WGMMA_E2M1 : EXECUTE_WGMMA_E2M3, chunk, bytes);
    for (uint32_t w = 0; w < CHUNK / 4; w++)
        memcpy(&cells[w * EXECUTE_TMEM_LANES], bytes + (size_t)w * 4, 4);
}

static bool copy(struct execute_warp *warp, const struct execute_op *op, const struct execute_tcgen05_kept *kept)
{
    const struct copy *shape = &copies[op->tcgen05.kind];
    struct execute_operand_reader reader = {.warp = warp, .chunks = shape->chunks};
    uint32_t lane = kept->d >> LANE_SHIFT, most = op->tcgen05.kind == EXECUTE_TCGEN05_4X256B ? 31 : 0;
    uint32_t *cells = execute_tmem_columns(warp, 0, kept->d, kept->d & COLUMN_MASK, shape->chunks * CHUNK / 4);
    if (!cells)
        return false;
    if (lane > most) {
        execute_fault(warp, EXECUTE_FAULT_TMEM_LANES, 0, kept->d);
        return false;
    }
    if (!execute_operand_of_tcgen05(kept->b, &reader.operand) || !swizzle_is_good(&reader.operand, NONE, false)) {
        execute_fault(warp, EXECUTE_FAULT_TCGEN05_MATRIX, 0, kept->b);
        return false;
    }
    for (uint32_t row = 0; row < shape->rows; row++)
        for (uint32_t part = 0; part < shape->chunks; part++) {
            const unsigned char *chunk = execute_operand_chunk(&reader, row, part);
            for (uint32_t time = 0; time < shape->times && chunk; time++)
                put_chunk(cells + (size_t)part * CHUNK / 4 * EXECUTE_TMEM_LANES + lane +
                              target_of(op->tcgen05.kind, row, time),
                          chunk, op->tcgen05.scale);
            if (!chunk)
                return false;
        }
    return true;
}

/* ===== the instructions ===== */

bool execute_tcgen05_perform(struct execute_warp *warp, const struct execute_op *op,
                             const struct execute_tcgen05_kept *kept)
{
    return op->tcgen05.command == EXECUTE_TCGEN05_COPY ? copy(warp, op, kept) : multiply(warp, op, kept);
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
