/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/trace/record_async.h"

#include "execute/copy/tensor_copy.h"
#include "execute/warp/frame.h"
#include "isa/widths.h"

#include <string.h>

enum { SECTOR = 32 };

static void begin(struct execute_warp_text *text, const struct execute_record *record, uint32_t mask)
{
    text->count++;
    fprintf(text->out, "%04x %08x ", 16 * record->op, mask);
}

/* Writes "n [destination] name n [sources] ", with at least `sources` sources. Returns the number of registers in front
 * of the sources: 0 or 1. */
static uint32_t put_registers(FILE *out, const char *name, const struct mnp_static_instruction *timing,
                              uint32_t sources, uint32_t *listed)
{
    enum { MOST_SOURCES = 4 /* that Accel-Sim 2.0 reads */ };
    uint32_t count = timing->source_count < MOST_SOURCES ? timing->source_count : MOST_SOURCES;
    uint32_t has = timing->destination.count != 0;
    *listed = count < sources ? sources : count;
    if (has)
        fprintf(out, "1 R%u %s %u", timing->destination.first, name, *listed);
    else
        fprintf(out, "0 %s %u", name, *listed);
    for (uint32_t i = 0; i < *listed; i++)
        fprintf(out, " R%u", i < count ? timing->source[i].first : MNP_ZERO_REGISTER);
    return has;
}

/* Writes values of registers that no reader uses. */
static void put_zeros(FILE *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        fputs(" 1 0", out);
}

/* ===== addresses of shared memory ===== */

static bool has_ranks(const struct execute_warp *warp)
{
    return mnp_cluster_size(warp->launch->cluster) > 1;
}

void execute_record_ranks(const struct execute_warp *warp, const struct execute_op *op, struct execute_record *record)
{
    if (record->space != EXECUTE_SPACE_SHARED || !record->bytes || !has_ranks(warp))
        return;
    bool generic = execute_kind_is(op->kind, EXECUTE_IS_ACCESS) && op->access.space == EXECUTE_SPACE_GENERIC;
    for (uint32_t lane = 0; lane < 32; lane++) {
        bool remote = record->remote >> lane & 1;
        uint64_t rank = remote ? record->ranks[lane] : warp->cta->rank;
        if (!generic)
            record->addresses[lane] += rank << EXECUTE_WINDOW_SHIFT;
        else if (remote)
            record->addresses[lane] += EXECUTE_CLUSTER_BASE + (rank << EXECUTE_WINDOW_SHIFT);
    }
}

/* The address of a copy's mbarrier, of the block where that is. */
static uint64_t barrier_of(const struct execute_warp *warp, const struct execute_bulk *bulk)
{
    uint64_t own = bulk->barrier & (EXECUTE_WINDOW_BYTES - 1), rank = warp->cta->rank;
    if (bulk->direction >= EXECUTE_TENSOR_ACROSS)
        rank = bulk->targets ? (uint32_t)__builtin_ctz(bulk->targets) : rank;
    else
        rank = execute_bulk_signalled(bulk, (uint32_t)rank);
    return has_ranks(warp) ? rank << EXECUTE_WINDOW_SHIFT | own : own;
}

/* ===== mbarriers ===== */

static const char *barrier_name(const struct execute_op *op)
{
    switch (op->variant) {
    case EXECUTE_MBARRIER_INIT:
        return "SYNCS.EXCH.64";
    case EXECUTE_MBARRIER_ARRIVE:
    case EXECUTE_MBARRIER_ARRIVE_DROP:
        return op->combine ? "SYNCS.ARRIVE.TRANS64" : "SYNCS.ARRIVE.TRANS64.ART0";
    case EXECUTE_MBARRIER_EXPECT:
        return "SYNCS.ARRIVE.TRANS64.A0TR";
    case EXECUTE_MBARRIER_COMPLETE:
        return "SYNCS.ARRIVE.TRANS64.A0TX";
    case EXECUTE_MBARRIER_WAIT_STATE:
    case EXECUTE_MBARRIER_WAIT_PARITY:
    case EXECUTE_MBARRIER_WAIT_UPPER:
        return op->combine ? "SYNCS.PHASECHK.TRANS64.TRYWAIT" : "SYNCS.PHASECHK.TRANS64";
    default:
        return NULL;
    }
}

/* The register's value in machine code: an mbarrier's initial value, a number, or a phase in the highest bit. */
static uint64_t barrier_value(const struct execute_op *op, const void *given, uint32_t lane)
{
    uint32_t number = ((const uint32_t *)given)[lane];
    switch (op->variant) {
    case EXECUTE_MBARRIER_INIT:
        return execute_mbarrier_begin(number);
    case EXECUTE_MBARRIER_WAIT_STATE:
        return ((const uint64_t *)given)[lane] >> 32;
    case EXECUTE_MBARRIER_WAIT_PARITY:
        return (uint64_t)(number & 1) << 31;
    default:
        return number;
    }
}

/* Writes the values of a register: one, or those of all lanes. */
static void put_values(FILE *out, uint32_t mask, const uint64_t values[32])
{
    uint64_t first = values[__builtin_ctz(mask)];
    bool same = true;
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        same &= values[__builtin_ctz(rest)] == first;
    fprintf(out, same ? " 1" : " 32");
    for (uint32_t lane = 0; lane < (same ? 1u : 32u); lane++)
        fprintf(out, " %08lx", (unsigned long)(same || !(mask >> lane & 1) ? first : values[lane]));
}

/* If a loop polls the same phase again without any other access, truncates the text to the first poll, so that only the
 * last iteration is kept. */
static void rewind_poll(struct execute_warp_text *text, const struct execute_record *record, uint64_t asked)
{
    struct execute_poll *poll = &text->poll;
    if (poll->active && poll->op == record->op && poll->mask == record->mask && poll->asked == asked) {
        fseek(text->out, poll->at, SEEK_SET);
        text->count = poll->count;
        if (text->product > poll->at)
            text->product = 0;
    }
    *poll = (struct execute_poll){.active = true,
                                  .op = record->op,
                                  .mask = record->mask,
                                  .asked = asked,
                                  .at = ftell(text->out),
                                  .count = text->count};
}

/* Hash of the mbarriers and phases that the lanes poll. A collision only merges polls of one loop that has no other
 * access. */
static uint64_t asked_by(const struct execute_record *record, const uint64_t values[32])
{
    uint64_t asked = 0;
    for (uint32_t rest = record->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        asked = (asked + record->addresses[lane] * 2 + (values[lane] >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return asked;
}

static void put_marker(struct execute_warp_text *text, const struct execute_record *record, const char *name)
{
    begin(text, record, record->mask);
    fprintf(text->out, "0 %s 0 0 0 NoVal\n", name);
}

/* Whether one that may wait for a phase has found that it has not ended: it only tests, or goes round a loop. */
static bool has_failed(const struct execute_warp *warp, const struct execute_op *op, uint32_t mask)
{
    return op->flags & EXECUTE_OP_WRITES_D && (execute_mask_at(warp, op->d) & mask) != mask;
}

static bool put_barrier(struct execute_warp_text *text, const struct execute_warp *warp, const struct execute_op *op,
                        const struct mnp_static_instruction *timing, struct execute_record *record)
{
    const char *name = barrier_name(op);
    if (!name || !record->mask || !record->bytes)
        return false;
    bool asks = op->combine && strstr(name, "TRYWAIT"), waits = asks && !has_failed(warp, op, record->mask);
    uint64_t values[32];
    execute_record_ranks(warp, op, record);
    const void *given = execute_at(warp, op->b);
    for (uint32_t lane = 0; lane < 32; lane++)
        values[lane] = barrier_value(op, given, lane);
    if (asks)
        rewind_poll(text, record, asked_by(record, values));
    if (waits)
        put_marker(text, record, "REPLAY_START");
    begin(text, record, record->mask);
    name = asks && !waits ? "SYNCS.PHASECHK.TRANS64" : name;
    uint32_t listed, before = put_registers(text->out, name, timing, 2, &listed);
    fputs(" 8 0", text->out);
    for (uint32_t rest = record->mask; rest; rest &= rest - 1)
        fprintf(text->out, " 0x%lx", (unsigned long)record->addresses[__builtin_ctz(rest)]);
    fputs(" 0 Val", text->out);
    put_zeros(text->out, before);
    put_values(text->out, record->mask, record->addresses);
    put_values(text->out, record->mask, values);
    put_zeros(text->out, listed - 2);
    fputc('\n', text->out);
    if (waits)
        put_marker(text, record, "REPLAY_END");
    return true;
}

/* ===== copies ===== */

static void copy_name(const struct execute_bulk *bulk, const struct execute_tensor_form *form, char name[static 48])
{
    static const char *const boxes[] = {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF"};
    static const char *const bytes[] = {"UBLKCP.S.G", "UBLKCP.G.S", "UBLKRED.G.S",
                                        "UBLKPF",     "UBLKCP.S.S", "UBLKRED.S.S"};
    bool many = form->flags & EXECUTE_TENSOR_MULTICAST;
    if (bulk->request.map.rank)
        snprintf(name, 48, "%s.%uD%s%s", boxes[bulk->direction], form->rank,
                 form->flags & EXECUTE_TENSOR_IM2COL ? ".IM2COL" : "", many ? ".MULTICAST" : "");
    else
        snprintf(name, 48, "%s%s", bytes[bulk->direction], many ? ".MULTICAST" : "");
}

/* Calls for each sector that the copy touches in global memory; returns their number and the bytes outside. */
static uint32_t put_sectors(FILE *out, const struct execute_bulk *bulk, uint64_t *last, uint64_t *outside)
{
    uint32_t count = 0;
    for (uint32_t row = 0; row < bulk->rows; row++) {
        uint32_t row_bytes;
        struct execute_tensor_piece piece = execute_bulk_row(bulk, row, &row_bytes);
        *outside += row_bytes - piece.bytes;
        if (!piece.bytes)
            continue;
        for (uint64_t at = piece.global / SECTOR * SECTOR; at < piece.global + piece.bytes; at += SECTOR) {
            if (out && count)
                fprintf(out, " %ld", (long)(at - *last));
            *last = at;
            count++;
        }
    }
    return count;
}

/* The address of the first sector; 0 if there is none. */
static uint64_t first_sector(const struct execute_bulk *bulk)
{
    for (uint32_t row = 0; row < bulk->rows; row++) {
        uint32_t ignored;
        struct execute_tensor_piece piece = execute_bulk_row(bulk, row, &ignored);
        if (piece.bytes)
            return piece.global / SECTOR * SECTOR;
    }
    return 0;
}

static void put_copy(struct execute_warp_text *text, const struct execute_warp *warp, const struct execute_op *op,
                     const struct mnp_static_instruction *timing, const struct execute_record *record,
                     const struct execute_bulk *bulk, uint32_t lane)
{
    char name[48];
    uint32_t listed, before;
    uint64_t last = 0, outside = 0;
    bool global = bulk->direction < EXECUTE_TENSOR_ACROSS;
    uint32_t sectors = global ? put_sectors(NULL, bulk, &last, &outside) : 0;
    copy_name(bulk, &op->tensor, name);
    begin(text, record, 1u << lane);
    before = put_registers(text->out, name, timing, 2, &listed);
    fprintf(text->out, " %d %lx ", SECTOR, (unsigned long)barrier_of(warp, bulk));
    if (op->tensor.flags & EXECUTE_TENSOR_MULTICAST)
        fprintf(text->out, "1 %x ", bulk->targets);
    else
        fputs("0 ", text->out);
    fprintf(text->out, "%u %lu 4 0x%lx %u", bulk->bytes, (unsigned long)(global ? outside : 0),
            (unsigned long)(global ? first_sector(bulk) : 0), sectors);
    if (global)
        put_sectors(text->out, bulk, &last, &outside);
    fputs(" 0 0 Val", text->out);
    put_zeros(text->out, before);
    fprintf(text->out, " 1 %lx 1 %x", (unsigned long)bulk->map, bulk->request.shared);
    put_zeros(text->out, listed - 2);
    fputc('\n', text->out);
}

static void put_copies(struct execute_warp_text *text, struct execute_warp *warp, const struct execute_op *op,
                       const struct mnp_static_instruction *timing, const struct execute_record *record)
{
    uint32_t lanes = record->mask & (op->tensor.flags & EXECUTE_TENSOR_MACHINE ? 0 - record->mask : ~0u);
    for (; lanes; lanes &= lanes - 1) {
        struct execute_bulk bulk;
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        if (execute_bulk_prepare(warp, op, lane, &bulk))
            put_copy(text, warp, op, timing, record, &bulk, lane);
    }
}

/* ===== products ===== */

/* Machine code has the descriptors in uniform registers. */
static void put_product_registers(FILE *out, const char *name, const struct mnp_static_instruction *timing)
{
    bool uniform = timing->tensor_cycles == ISA_PRODUCT_ISSUE_UNIFORM;
    uint32_t count = timing->source_count < 3 ? timing->source_count : 3;
    fprintf(out, "0 %s %u%s", name, count + uniform, uniform ? " UR0" : "");
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, " R%u", timing->source[i].first);
    fputc(' ', out);
}

static void put_product(struct execute_warp_text *text, const struct execute_op *op,
                        const struct mnp_static_instruction *timing, const struct execute_record *record)
{
    static const struct {
        const char *kind, *type;
        uint32_t k;
    } types[] = {[EXECUTE_WGMMA_F16] = {"HGMMA", "", 16},       [EXECUTE_WGMMA_BF16] = {"HGMMA", ".BF16", 16},
                 [EXECUTE_WGMMA_TF32] = {"HGMMA", ".TF32", 8},  [EXECUTE_WGMMA_E4M3] = {"QGMMA", ".E4M3", 32},
                 [EXECUTE_WGMMA_E5M2] = {"QGMMA", ".E5M2", 32}, [EXECUTE_WGMMA_S8] = {"IGMMA", ".S8", 32},
                 [EXECUTE_WGMMA_U8] = {"IGMMA", ".U8", 32},     [EXECUTE_WGMMA_B1] = {"BGMMA", "", 256}};
    const struct execute_wgmma_form *form = &op->wgmma;
    uint32_t sparse = form->flags & EXECUTE_WGMMA_SPARSE ? 2 : 1, k = types[form->a_type].k * sparse;
    const char *sum = form->d_type == EXECUTE_f16 ? ".F16" : form->d_type == EXECUTE_f32 ? ".F32" : "";
    char name[48];
    snprintf(name, sizeof name, "%s%s.64x%ux%u%s%s", types[form->a_type].kind, sparse > 1 ? ".SP" : "", form->n, k, sum,
             types[form->a_type].type);
    begin(text, record, record->mask);
    put_product_registers(text->out, name, timing);
    text->product = ftell(text->out);
    fprintf(text->out, "0 0 0 %d NoVal\n", form->flags & EXECUTE_WGMMA_A_REGISTERS ? 1 : 0);
}

/* Marks the last product as the end of its pending group, in its own line; there is no separate line for it. */
static void end_group(struct execute_warp_text *text)
{
    if (!text->product)
        return;
    long end = ftell(text->out);
    fseek(text->out, text->product, SEEK_SET);
    fputc('1', text->out);
    fseek(text->out, end, SEEK_SET);
    text->product = 0;
}

static void put_group(struct execute_warp_text *text, const struct execute_op *op, const struct execute_record *record)
{
    bool commit = op->variant == EXECUTE_GROUP_COPIES_COMMIT;
    if (op->variant == EXECUTE_GROUP_PRODUCTS_COMMIT) {
        end_group(text);
        return;
    }
    begin(text, record, record->mask);
    fprintf(text->out, "0 %s 0 0 %ld %d NoVal\n", commit ? "UTMACMDFLUSH" : "DEPBAR.LE.BULK",
            commit ? 0 : (long)op->immediate, op->variant == EXECUTE_GROUP_COPIES_WAIT_READ);
}

/* Writes a barrier of the CTA: its number, and the number of threads unless all take part; or of a warpgroup: a fence,
 * or a wait. */
static bool put_meeting(struct execute_warp_text *text, const struct execute_warp *warp, const struct execute_op *op,
                        const struct mnp_static_instruction *timing, const struct execute_record *record)
{
    if (op->variant == EXECUTE_BARRIER_GROUP) {
        begin(text, record, record->mask);
        fprintf(text->out, "0 WARPGROUP.%s 0 0 %ld 0 NoVal\n", op->immediate == INT64_MAX ? "ARRIVE" : "DEPBAR.LE",
                op->immediate == INT64_MAX ? 0 : (long)op->immediate);
        return true;
    }
    if (op->variant >= EXECUTE_BARRIER_CLUSTER_ARRIVE || !record->mask)
        return false;
    uint32_t listed, number, threads;
    execute_barrier_named(warp, op, (uint32_t)__builtin_ctz(record->mask), &number, &threads);
    begin(text, record, record->mask);
    put_registers(text->out, op->variant == EXECUTE_BARRIER_ARRIVE ? "BAR.ARV" : "BAR.SYNC",
                  &(struct mnp_static_instruction){.source_count = timing->source_count,
                                                   .source = {timing->source[0], timing->source[1], timing->source[2]}},
                  0, &listed);
    fprintf(text->out, " 0 %u %u NoVal\n", number, threads);
    return true;
}

bool execute_record_async(struct execute_warp_text *text, struct execute_warp *warp,
                          const struct mnp_static_instruction *timing, const struct execute_record *record)
{
    const struct execute_op *op = execute_op_at(warp->launch->code, record->op);
    struct execute_record ranked = *record;
    bool asks = op->kind == EXECUTE_KIND_MBARRIER && op->combine && op->variant >= EXECUTE_MBARRIER_WAIT_STATE;
    text->poll.active &= asks || (!record->bytes && op->kind != EXECUTE_KIND_BARRIER);
    switch (op->kind) {
    case EXECUTE_KIND_MBARRIER:
        return put_barrier(text, warp, op, timing, &ranked);
    case EXECUTE_KIND_TENSOR_COPY:
        put_copies(text, warp, op, timing, record);
        return true;
    case EXECUTE_KIND_WGMMA:
        put_product(text, op, timing, record);
        return true;
    case EXECUTE_KIND_REGISTERS:
        begin(text, record, record->mask);
        fprintf(text->out, "0 USETMAXREG.%s.CTAPOOL 0 0 %ld 0 NoVal\n", op->variant ? "TRY_ALLOC" : "DEALLOC",
                (long)op->immediate);
        return true;
    case EXECUTE_KIND_ASYNC_GROUP:
        if (op->variant >= EXECUTE_GROUP_LANES_COMMIT)
            return false;
        put_group(text, op, record);
        return true;
    case EXECUTE_KIND_BARRIER:
        return put_meeting(text, warp, op, timing, record);
    default:
        return false;
    }
}
