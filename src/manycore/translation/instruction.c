/* SPDX-License-Identifier: BSD-3-Clause */
/* One instruction as C: its time, its condition, branches; the rest is in data.c and memory.c. */
#include "manycore/translation/translate.h"

#include <stdlib.h>

bool manycore_branches(const struct a32_op *op)
{
    switch (op->handler) {
    case A32_DATA_TO_PC:
    case A32_BRANCH:
    case A32_BRANCH_LINK:
    case A32_BRANCH_EXCHANGE:
    case A32_BRANCH_LINK_EXCHANGE:
        return true;
    case A32_TRANSFER:
        return (op->flags & A32_LOAD) && op->d == 15 && !(op->flags & A32_DOUBLE);
    case A32_BLOCK:
        return (op->flags & A32_LOAD) && op->value >> 15;
    default:
        return false;
    }
}

bool manycore_translates(const struct a32_op *op)
{
    if (op->handler <= A32_FAST - 1)
        return true;
    switch (op->handler) {
    case A32_TRANSFER: /* an offset by RRX is nobody's habit */
        return !(op->flags & A32_OFFSET_REGISTER) || (op->flags & (A32_HALF | A32_DOUBLE | A32_SIGNED)) ||
               op->shift != 3;
    case A32_BLOCK:
    case A32_BRANCH_EXCHANGE:
    case A32_BRANCH_LINK_EXCHANGE:
    case A32_UMULL:
    case A32_UMLAL:
    case A32_SMULL:
    case A32_SMLAL:
    case A32_SMUL_XY:
    case A32_SMLA_XY:
    case A32_CLZ:
    case A32_SATURATE:
    case A32_EXTEND:
    case A32_REVERSE:
        return true;
    default:
        return false;
    }
}

/* ===== time ===== */

static enum manycore_field field_of(const struct a32_op *op)
{
    switch (op->mix) {
    case A32_CLASS_MULTIPLY:
        return MANYCORE_FIELD_MULTIPLY;
    case A32_CLASS_MEDIA:
        return MANYCORE_FIELD_MEDIA;
    case A32_CLASS_LOAD:
        return MANYCORE_FIELD_LOAD;
    case A32_CLASS_STORE:
        return MANYCORE_FIELD_STORE;
    case A32_CLASS_BRANCH:
        return MANYCORE_FIELD_BRANCH;
    default:
        return MANYCORE_FIELD_ALU;
    }
}

/* Adds the costs and counts of an instruction that do not depend on its condition. */
static void owe(struct manycore_writer *writer, const struct a32_op *op)
{
    const struct manycore_parameters *p = writer->parameters;
    bool cached = p->caches && !writer->code->scratchpad;
    writer->owed.clock += cached ? p->instruction_shape.hit : 1;
    writer->owed.counts[field_of(op)]++;
    if (writer->loaded_known && (op->uses & writer->loaded)) {
        writer->owed.clock += p->timing.load_use;
        writer->owed.counts[MANYCORE_FIELD_LOAD_USE]++;
    }
}

/* ===== branches ===== */

static void branch(struct manycore_writer *writer, const struct a32_op *op)
{
    if (op->handler == A32_BRANCH_LINK)
        fprintf(writer->out, " r14 = 0x%xu;", writer->pc + 4);
    manycore_translate_taken(writer, &writer->after, 0);
    manycore_translate_jump(writer, op->value);
}

static void branch_exchange(struct manycore_writer *writer, const struct a32_op *op)
{
    fprintf(writer->out, " x = %s; if (x & 1) %s", writer->name[op->m], manycore_translate_hand_over(writer));
    if (op->handler == A32_BRANCH_LINK_EXCHANGE)
        fprintf(writer->out, " r14 = 0x%xu;", writer->pc + 4);
    fprintf(writer->out, " pc = x & ~3u; loaded = 0;");
    manycore_translate_taken(writer, &writer->after, 0);
    fprintf(writer->out, " goto dispatch;");
}

/* ===== one instruction ===== */

static void execute(struct manycore_writer *writer, const struct a32_op *op)
{
    switch (op->handler) {
    case A32_BRANCH:
    case A32_BRANCH_LINK:
        branch(writer, op);
        break;
    case A32_BRANCH_EXCHANGE:
    case A32_BRANCH_LINK_EXCHANGE:
        branch_exchange(writer, op);
        break;
    case A32_BLOCK:
        manycore_translate_block(writer, op);
        break;
    case A32_MUL:
    case A32_MLA:
    case A32_UMULL:
    case A32_UMLAL:
    case A32_SMULL:
    case A32_SMLAL:
    case A32_SMUL_XY:
    case A32_SMLA_XY:
        manycore_translate_multiply(writer, op);
        break;
    case A32_CLZ:
    case A32_SATURATE:
    case A32_EXTEND:
    case A32_REVERSE:
        manycore_translate_media(writer, op);
        break;
    default:
        if (op->handler <= A32_DATA_TO_PC)
            manycore_translate_data(writer, op);
        else
            manycore_translate_transfer(writer, op);
        break;
    }
}

/* Registers that a load leaves to the next instruction. */
static uint32_t loads(const struct a32_op *op)
{
    if (op->mix != A32_CLASS_LOAD || manycore_branches(op))
        return 0;
    if (op->handler == A32_BLOCK)
        return op->value & 0x7FFF;
    return (op->flags & A32_DOUBLE ? 3u : 1u) << op->d;
}

/* The use of a load that may not have happened: looked at where the program runs. A load looks afterwards, as the
 * interpreter may take its place. */
static void check_use(struct manycore_writer *writer, const struct a32_op *op)
{
    if (op->uses & writer->loaded)
        fprintf(writer->out, " if (loaded & 0x%xu) { clock += T_LOAD_USE; b += 1ull << 32; }", op->uses);
}

bool manycore_translate_instruction(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    const struct manycore_parameters *p = writer->parameters;
    bool always = op->condition == 14, dynamic = !writer->loaded_known;
    uint32_t loaded = loads(op), line = (writer->pc >> p->instruction_shape.line_shift) + 1;
    fprintf(out, " /* %x */", writer->pc);
    if (!manycore_translates(op) || (dynamic && manycore_branches(op) && (op->uses & writer->loaded))) {
        fprintf(out, " %s\n", manycore_translate_hand_over(writer));
        return false;
    }
    if (p->caches && !writer->code->scratchpad && writer->line != line)
        fprintf(out, " FETCH(%uu)", line - 1);
    writer->line = line;
    writer->after = writer->owed;
    struct manycore_owed before = writer->owed;
    owe(writer, op);
    writer->after = writer->owed;
    writer->owed = before;
    if (!always && loaded)
        fprintf(out, " next = 0;");
    const char *condition = always ? "1" : manycore_translate_condition(writer, op->condition);
    int kind = writer->kind;
    fprintf(out, " if (%s) {", condition);
    execute(writer, op);
    if (!always && loaded)
        fprintf(out, " next = 0x%xu;", loaded);
    fprintf(out, " }");
    if (!always && writer->kind != kind)
        writer->kind = MANYCORE_KIND_UNKNOWN;
    if (dynamic)
        check_use(writer, op);
    if (!always && loaded)
        fprintf(out, " loaded = next;");
    fprintf(out, "\n");
    writer->owed = writer->after;
    writer->loaded = loaded;
    writer->loaded_known = always || !loaded;
    return !(always && manycore_branches(op));
}
