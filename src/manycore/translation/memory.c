/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loads and stores as C: private memory and scratchpad. Whatever else an address may mean (shared memory, a mistake, a
 * page not yet the tile's own), the instruction is left to the interpreter before anything has changed.
 */
#include "manycore/translation/translate.h"

#include <string.h>

/* A load from the code's own constants: its value is known. */
static bool load_literal(struct manycore_writer *writer, const struct a32_op *op)
{
    uint32_t address = writer->pc + 8 + op->value, value;
    if (op->n != 15 || op->handler != A32_LDR || (address & 3) ||
        (address - writer->code->address) / 4 >= writer->code->words)
        return false;
    memcpy(&value, writer->segment->data + (address - writer->code->address), 4);
    fprintf(writer->out, " %s = 0x%xu;", writer->name[op->d], value);
    if (writer->code->scratchpad)
        fputs(" clock += T_SCRATCHPAD_ACCESS - 1;", writer->out);
    else
        fprintf(writer->out, " TOUCH(0x%xu, 0)", address);
    return true;
}

static const char *type_of(const struct a32_op *op)
{
    bool is_signed = op->flags & A32_SIGNED;
    if (op->flags & A32_BYTE)
        return is_signed ? "s8" : "u8";
    if (op->flags & A32_HALF)
        return is_signed ? "s16" : "u16";
    return "u32";
}

/* The address with the offset in it, as C. */
static void write_moved(struct manycore_writer *writer, const struct a32_op *op, char *text, size_t room)
{
    const char *n = writer->name[op->n], *m = writer->name[op->m];
    bool plain = op->flags & (A32_HALF | A32_DOUBLE | A32_SIGNED);
    bool up = op->flags & A32_UP || op->handler != A32_TRANSFER;
    uint32_t type = plain ? 0 : op->shift & 3, by = plain ? 0 : op->shift >> 2;
    if (!(op->flags & A32_OFFSET_REGISTER))
        snprintf(text, room, "%s %c 0x%xu", n, up ? '+' : '-', op->value);
    else if (type == 0)
        snprintf(text, room, "%s %c (%s << %u)", n, up ? '+' : '-', m, by);
    else if (type == 1)
        snprintf(text, room, "%s %c (u32)((u64)%s >> %u)", n, up ? '+' : '-', m, by ? by : 32);
    else if (type == 2)
        snprintf(text, room, "%s %c (u32)((s32)%s >> %u)", n, up ? '+' : '-', m, by ? by : 31);
    else
        snprintf(text, room, "%s %c ROTATE(%s, %u)", n, up ? '+' : '-', m, by);
}

static void transfer_pair(struct manycore_writer *writer, const struct a32_op *op)
{
    bool load = op->flags & A32_LOAD;
    fprintf(writer->out, " WORDS(x, 2u, %s, %s) WORDS_TIME(x, 2u, %d)", load ? "readable" : "writable",
            manycore_translate_hand_over(writer), !load);
    if (!load)
        fprintf(writer->out, " GIVE(%s, 0) GIVE(%s, 4)", writer->name[op->d], writer->name[op->d + 1]);
    if (op->flags & A32_WRITE_BACK)
        fprintf(writer->out, " %s = y;", writer->name[op->n]);
    if (load)
        fprintf(writer->out, " TAKE(%s, 0) TAKE(%s, 4)", writer->name[op->d], writer->name[op->d + 1]);
    fputs(" clock++;", writer->out);
}

/* Loads n words, the last of which is a new pc, to wherever p points then; that pc is in p32. The interpreter reports
 * branches into Thumb code. */
static void load_pc(struct manycore_writer *writer, uint32_t count, uint32_t at, const char *bail)
{
    fprintf(writer->out, " WORDS(x, %uu, readable, %s) TAKE(p32, %u) if (p32 & 1) %s WORDS_TIME(x, %uu, 0)", count,
            bail, at, bail, count);
}

static void jump_loaded(struct manycore_writer *writer, uint32_t loaded, uint32_t extra)
{
    fprintf(writer->out, " pc = p32 & ~3u; loaded = 0x%xu;", loaded);
    manycore_translate_taken(writer, &writer->after, extra);
    fputs(" goto dispatch;", writer->out);
}

void manycore_translate_transfer(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    bool load = op->flags & A32_LOAD, back = op->flags & A32_WRITE_BACK, to_pc = load && op->d == 15;
    const char *stack = op->n == 13 ? "_STACK" : "";
    char moved[96];
    if (load && !to_pc && load_literal(writer, op))
        return;
    write_moved(writer, op, moved, sizeof moved);
    fprintf(out, " y = %s; x = %s;", moved, op->flags & A32_PRE ? "y" : writer->name[op->n]);
    if (op->flags & A32_DOUBLE) {
        transfer_pair(writer, op);
        return;
    }
    const char *bail = manycore_translate_hand_over(writer);
    if (!load) {
        fprintf(out, " STORE%s(x, %s, %s, %s)", stack, writer->name[op->d], type_of(op), bail);
        if (back)
            fprintf(out, " %s = y;", writer->name[op->n]);
        return;
    }
    if (to_pc)
        load_pc(writer, 1, 0, bail);
    else
        fprintf(out, " LOAD%s(x, p32, %s, %s)", stack, type_of(op), bail);
    if (back)
        fprintf(out, " %s = y;", writer->name[op->n]);
    if (to_pc)
        jump_loaded(writer, 0, 0);
    else
        fprintf(out, " %s = p32;", writer->name[op->d]);
}

void manycore_translate_block(struct manycore_writer *writer, const struct a32_op *op)
{
    FILE *out = writer->out;
    uint32_t count = (uint32_t)__builtin_popcount(op->value), at = 0;
    bool load = op->flags & A32_LOAD, up = op->flags & A32_UP, pre = op->flags & A32_PRE;
    const char *base = writer->name[op->n], *bail = manycore_translate_hand_over(writer);
    uint32_t below = up ? 0 : 4 * count, above = pre == up ? 4 : 0;
    fprintf(out, " x = %s - %uu; y = %s %c %uu;", base, below - above, base, up ? '+' : '-', 4 * count);
    if (load && op->value >> 15)
        load_pc(writer, count, 4 * (count - 1), bail);
    else
        fprintf(out, " WORDS(x, %uu, %s, %s) WORDS_TIME(x, %uu, %d)", count, load ? "readable" : "writable", bail,
                count, !load);
    if (load && (op->flags & A32_WRITE_BACK))
        fprintf(out, " %s = y;", base);
    for (uint32_t list = op->value & (load ? 0x7FFF : 0xFFFF); list; list &= list - 1, at += 4) {
        const char *name = writer->name[__builtin_ctz(list)];
        if (load)
            fprintf(out, " TAKE(%s, %u)", name, at);
        else
            fprintf(out, " p32 = %s; GIVE(p32, %u)", name, at);
    }
    if (!load && (op->flags & A32_WRITE_BACK))
        fprintf(out, " %s = y;", base);
    if (load && op->value >> 15)
        jump_loaded(writer, op->value & 0x7FFF, count - 1);
    else
        fprintf(out, " clock += %uu;", count - 1);
}
