/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/core/disassemble.h"

#include "manycore/core/a32.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const registers[16] = {"r0", "r1", "r2",  "r3",  "r4",  "r5", "r6", "r7",
                                          "r8", "r9", "r10", "r11", "r12", "sp", "lr", "pc"};
static const char *const conditions[16] = {"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
                                           "hi", "ls", "ge", "lt", "gt", "le", "",   ""};
static const char *const shifts[4] = {"lsl", "lsr", "asr", "ror"};

struct line {
    char *text;
    size_t used;
    struct a32_op op;
    uint32_t word, address;
};

__attribute__((format(printf, 2, 3))) static void put(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->text + line->used, A32_TEXT - line->used, format, arguments);
    va_end(arguments);
    line->used += length > 0 ? (size_t)length : 0;
    line->used = line->used < A32_TEXT ? line->used : A32_TEXT - 1;
}

/* A mnemonic with its condition, and the operands, in which d n m s stand for registers, D N M for the ones after. */
static void put_line(struct line *line, const char *mnemonic, const char *operands)
{
    const struct a32_op *op = &line->op;
    put(line, "%s%s ", mnemonic, conditions[op->condition]);
    for (const char *at = operands; *at; at++) {
        const char *place = strchr("dnmsDNM", *at);
        const uint8_t number[7] = {op->d, op->n, op->m, op->s, op->d + 1, op->n + 1, op->m + 1};
        if (place && *at)
            put(line, "%s", registers[number[place - "dnmsDNM"] & 15]);
        else
            put(line, *at == ',' ? "%c " : "%c", *at);
    }
}

static void put_number(struct line *line, uint32_t number)
{
    put(line, number > 9 ? "#0x%x" : "#%u", number);
}

/* ", lsl #3" behind a register; nothing for a shift by nothing. */
static void put_shift(struct line *line)
{
    uint32_t type = line->op.shift & 3, by = line->op.shift >> 2;
    if (type == 3 && by == 0)
        put(line, ", rrx");
    else if (type || by)
        put(line, ", %s #%u", shifts[type], by ? by : 32);
}

/* ===== data processing ===== */

static void put_immediate(struct line *line)
{
    uint32_t value = line->op.value, least = 0;
    while (least < 16 && a32_rotate(value, 32 - 2 * least) > 255)
        least++;
    if (least == (line->word >> 8 & 15))
        put_number(line, value);
    else /* an encoding that assemblers do not produce */
        put(line, "#%u, #%u", line->word & 255, 2 * (line->word >> 8 & 15));
}

/* MOV of a shifted register has names of its own. */
static void put_move(struct line *line, uint32_t form, const char *flags)
{
    const struct a32_op *op = &line->op;
    uint32_t type = op->shift & 3, by = op->shift >> 2;
    char name[8];
    bool rrx = form == A32_SHIFTED && type == 3 && by == 0;
    snprintf(name, sizeof name, "%s%s", rrx ? "rrx" : shifts[type], flags);
    put_line(line, name, form == A32_SHIFTED ? "d,m" : "d,m,s");
    if (form == A32_SHIFTED && !rrx)
        put(line, ", #%u", by ? by : 32);
}

static void put_data(struct line *line)
{
    static const char *const names[16] = {"and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc",
                                          "tst", "teq", "cmp", "cmn", "orr", "mov", "bic", "mvn"};
    const struct a32_op *op = &line->op;
    uint32_t handler = op->handler == A32_DATA_TO_PC ? op->s : op->handler, opcode = handler >> 3,
             form = handler >> 1 & 3;
    bool tests = opcode >= A32_TST && opcode <= A32_CMN, moves = opcode == A32_MOV || opcode == A32_MVN;
    const char *flags = (handler & 1) && !tests ? "s" : "";
    char name[8];
    if (opcode == A32_MOV && form >= A32_SHIFTED) {
        put_move(line, form, flags);
        return;
    }
    snprintf(name, sizeof name, "%s%s", names[opcode], flags);
    put_line(line, name, tests ? "n," : moves ? "d," : "d,n,");
    if (form == A32_IMMEDIATE)
        put_immediate(line);
    else
        put(line, "%s", registers[op->m]);
    if (form == A32_SHIFTED)
        put_shift(line);
    else if (form == A32_SHIFTED_BY_REGISTER)
        put(line, ", %s %s", shifts[op->shift & 3], registers[op->s]);
}

/* ===== multiplies ===== */

static void put_multiply(struct line *line)
{
    static const char *const names[] = {
        [A32_MUL] = "mul",     [A32_MLA] = "mla",     [A32_UMAAL] = "umaal", [A32_UMULL] = "umull",
        [A32_UMLAL] = "umlal", [A32_SMULL] = "smull", [A32_SMLAL] = "smlal"};
    char name[8];
    uint8_t handler = line->op.handler;
    snprintf(name, sizeof name, "%s%s", names[handler], line->op.flags & A32_SET_FLAGS ? "s" : "");
    put_line(line, name, handler == A32_MUL ? "n,m,s" : handler == A32_MLA ? "n,m,s,d" : "d,n,m,s");
}

static void put_half_multiply(struct line *line)
{
    const struct a32_op *op = &line->op;
    char name[12], x = op->flags & A32_TOP_A ? 't' : 'b', y = op->flags & A32_TOP_B ? 't' : 'b';
    switch (op->handler) {
    case A32_SMLAW_Y:
    case A32_SMULW_Y:
        snprintf(name, sizeof name, "%s%c", op->handler == A32_SMLAW_Y ? "smlaw" : "smulw", y);
        put_line(line, name, op->handler == A32_SMLAW_Y ? "n,m,s,d" : "n,m,s");
        break;
    case A32_SMLAL_XY:
        snprintf(name, sizeof name, "smlal%c%c", x, y);
        put_line(line, name, "d,n,m,s");
        break;
    default:
        snprintf(name, sizeof name, "%s%c%c", op->handler == A32_SMLA_XY ? "smla" : "smul", x, y);
        put_line(line, name, op->handler == A32_SMLA_XY ? "n,m,s,d" : "n,m,s");
        break;
    }
}

static void put_dual_multiply(struct line *line)
{
    const struct a32_op *op = &line->op;
    bool adds = op->flags & A32_ACCUMULATE, subtracts = op->flags & A32_SUBTRACT;
    char name[12];
    const char *operands = adds ? "n,m,s,d" : "n,m,s";
    if (op->handler == A32_SMMLA) {
        snprintf(name, sizeof name, "%s%s",
                 !adds       ? "smmul"
                 : subtracts ? "smmls"
                             : "smmla",
                 op->flags & A32_ROUND ? "r" : "");
    } else {
        bool wide = op->handler == A32_SMLALD;
        snprintf(name, sizeof name, "sm%s%sd%s", wide || adds ? "l" : "u", subtracts ? "s" : "a", "");
        if (wide)
            strcpy(name, subtracts ? "smlsld" : "smlald");
        strcat(name, op->flags & A32_EXCHANGE ? "x" : "");
        operands = wide ? "d,n,m,s" : operands;
    }
    put_line(line, name, operands);
}

/* ===== media ===== */

static void put_parallel(struct line *line)
{
    static const char *const kinds[8] = {"", "s", "q", "sh", "", "u", "uq", "uh"};
    static const char *const sums[8] = {"add16", "asx", "sax", "sub16", "add8", "", "", "sub8"};
    char name[12];
    snprintf(name, sizeof name, "%s%s", kinds[line->word >> 20 & 7], sums[line->word >> 5 & 7]);
    put_line(line, name, "d,n,m");
}

static void put_extend(struct line *line)
{
    static const char *const sizes[4] = {"b16", "", "b", "h"};
    uint32_t by = line->word >> 7 & 0x18;
    bool adds = line->op.n != 15;
    char name[12];
    snprintf(name, sizeof name, "%cxt%s%s", line->word >> 22 & 1 ? 'u' : 's', adds ? "a" : "",
             sizes[line->word >> 20 & 3]);
    put_line(line, name, adds ? "d,n,m" : "d,m");
    if (by)
        put(line, ", ror #%u", by);
}

static void put_saturate(struct line *line)
{
    bool halves = line->op.handler == A32_SATURATE16, is_unsigned = line->word >> 22 & 1;
    char name[12];
    snprintf(name, sizeof name, "%csat%s", is_unsigned ? 'u' : 's', halves ? "16" : "");
    put_line(line, name, "d,");
    put_number(line, (line->word >> 16 & (halves ? 15 : 31)) + !is_unsigned);
    put(line, ", %s", registers[line->op.m]);
    if (!halves)
        put_shift(line);
}

static void put_media(struct line *line)
{
    static const char *const saturating[4] = {"qadd", "qsub", "qdadd", "qdsub"};
    uint32_t word = line->word;
    switch (line->op.handler) {
    case A32_PARALLEL:
        put_parallel(line);
        break;
    case A32_PACK:
        put_line(line, word >> 6 & 1 ? "pkhtb" : "pkhbt", "d,n,m");
        put_shift(line);
        break;
    case A32_SATURATE:
    case A32_SATURATE16:
        put_saturate(line);
        break;
    case A32_EXTEND:
        put_extend(line);
        break;
    case A32_SELECT:
        put_line(line, "sel", "d,n,m");
        break;
    case A32_QADD:
        put_line(line, saturating[word >> 21 & 3], "d,m,n");
        break;
    case A32_CLZ:
        put_line(line, "clz", "d,m");
        break;
    default:
        put_line(line, word >> 22 & 1 ? "revsh" : word >> 7 & 1 ? "rev16" : "rev", "d,m");
        break;
    }
}

/* ===== loads and stores ===== */

static void put_address(struct line *line)
{
    const struct a32_op *op = &line->op;
    bool half = (line->word >> 25 & 7) == 0, up = line->word >> 23 & 1, pre = line->word >> 24 & 1,
         back = line->word >> 21 & 1;
    bool immediate = half ? line->word >> 22 & 1 : !(line->word >> 25 & 1);
    uint32_t value = half ? (line->word >> 4 & 0xF0) | (line->word & 15) : line->word & 0xFFF;
    put(line, pre ? ", [%s" : ", [%s]", registers[op->n]);
    if (!immediate) {
        put(line, ", %s%s", up ? "" : "-", registers[op->m]);
        if (!half)
            put_shift(line);
    } else if (value || !pre || !up || back) {
        put(line, value > 9 ? ", #%s0x%x" : ", #%s%u", up ? "" : "-", value);
    }
    put(line, "%s", !pre ? "" : back ? "]!" : "]");
}

static void put_transfer(struct line *line)
{
    uint32_t word = line->word, kind = word >> 5 & 3;
    bool half = (word >> 25 & 7) == 0, load = word >> 20 & 1, user = !half && !(word >> 24 & 1) && (word >> 21 & 1);
    const char *size = !half       ? (word >> 22 & 1 ? "b" : "")
                       : load      ? (kind == 1   ? "h"
                                      : kind == 2 ? "sb"
                                                  : "sh")
                       : kind == 1 ? "h"
                                   : "d";
    bool both = half && !load && kind != 1;
    char name[8];
    snprintf(name, sizeof name, "%s%s%s", load || (both && kind == 2) ? "ldr" : "str", size, user ? "t" : "");
    put_line(line, name, both ? "d,D" : "d");
    put_address(line);
}

static void put_list(struct line *line)
{
    static const char *const modes[4] = {"da", "", "db", "ib"};
    uint32_t word = line->word, mode = word >> 23 & 3;
    bool load = word >> 20 & 1, back = word >> 21 & 1, stack = line->op.n == 13 && back && mode == (load ? 1 : 2);
    char name[8];
    snprintf(name, sizeof name, "%s%s", load ? "ldm" : "stm", modes[mode]);
    put_line(line, stack ? (load ? "pop" : "push") : name, stack ? "" : "n");
    put(line, stack ? "{" : back ? "!, {" : ", {");
    for (uint32_t list = word & 0xFFFF; list; list &= list - 1)
        put(line, list & (list - 1) ? "%s, " : "%s}", registers[__builtin_ctz(list)]);
}

static void put_exclusive(struct line *line)
{
    static const char *const sizes[4] = {"", "d", "b", "h"};
    uint32_t size = line->word >> 21 & 3;
    bool load = line->op.handler == A32_LOAD_EXCLUSIVE;
    char name[8];
    snprintf(name, sizeof name, "%srex%s", load ? "ld" : "st", sizes[size]);
    put_line(line, name, load ? (size == 1 ? "d,D,[n]" : "d,[n]") : size == 1 ? "d,m,M,[n]" : "d,m,[n]");
}

/* ===== the rest ===== */

static void put_status(struct line *line)
{
    uint32_t fields = line->word >> 16 & 15;
    put_line(line, "msr", "");
    put(line, "cpsr_%s%s%s%s, ", fields & 8 ? "f" : "", fields & 4 ? "s" : "", fields & 2 ? "x" : "",
        fields & 1 ? "c" : "");
    if (line->op.handler == A32_MSR_REGISTER) {
        put(line, "%s", registers[line->op.m]);
        return;
    }
    line->op.value = a32_rotate(line->word & 255, 2 * (line->word >> 8 & 15));
    put_immediate(line);
}

static void put_nothing(struct line *line)
{
    static const char *const hints[5] = {"nop", "yield", "wfe", "wfi", "sev"};
    uint32_t word = line->word;
    if (word >> 28 == 15 && (word >> 25 & 7) != 0) {
        put(line, "pld");
        bool up = word >> 23 & 1;
        put(line, " [%s", registers[line->op.n]);
        if (word >> 25 & 1) {
            line->op.shift = (uint8_t)((word >> 5 & 3) | (word >> 7 & 31) << 2);
            put(line, ", %s%s", up ? "" : "-", registers[line->op.m]);
            put_shift(line);
        } else if (word & 0xFFF || !up) {
            put(line, (word & 0xFFF) > 9 ? ", #%s0x%x" : ", #%s%u", up ? "" : "-", word & 0xFFF);
        }
        put(line, "]");
    } else if (word >> 28 == 15) {
        put(line, "cps");
    } else {
        put_line(line, (word & 255) < 5 ? hints[word & 255] : "nop", "");
    }
}

static void put_rest(struct line *line)
{
    const struct a32_op *op = &line->op;
    uint32_t word = line->word;
    switch (op->handler) {
    case A32_BRANCH:
    case A32_BRANCH_LINK:
        put_line(line, op->handler == A32_BRANCH ? "b" : "bl", "");
        put_number(line, op->value);
        break;
    case A32_BRANCH_EXCHANGE:
        put_line(line, (word >> 4 & 15) == 2 ? "bxj" : "bx", "m");
        break;
    case A32_BRANCH_LINK_EXCHANGE:
        put_line(line, "blx", "m");
        break;
    case A32_SWAP:
        put_line(line, op->flags & A32_BYTE ? "swpb" : "swp", "d,m,[n]");
        break;
    case A32_MRS:
        put_line(line, "mrs", "d,");
        put(line, "cpsr");
        break;
    case A32_SUPERVISOR:
    case A32_BREAKPOINT:
        put_line(line, op->handler == A32_SUPERVISOR ? "svc" : "bkpt", "");
        put_number(line, op->handler == A32_SUPERVISOR ? word & 0xFFFFFF : (word >> 4 & 0xFFF0) | (word & 15));
        break;
    case A32_COPROCESSOR_READ:
    case A32_COPROCESSOR_WRITE:
        put_line(line, op->handler == A32_COPROCESSOR_READ ? "mrc" : "mcr", "");
        put(line, "p15, #%u, %s, c%u, c%u, #%u", word >> 21 & 7, registers[op->d], op->n, op->m, word >> 5 & 7);
        break;
    case A32_CLEAR_EXCLUSIVE:
        put(line, "clrex");
        break;
    case A32_THUMB:
        put(line, "blx ");
        put_number(line, line->address + 8 + ((word & 0xFFFFFF) ^ 0x800000) * 4 - 0x2000000 + (word >> 23 & 2));
        break;
    default:
        put(line, "undefined");
        break;
    }
}

void manycore_disassemble(uint32_t word, uint32_t address, char text[A32_TEXT])
{
    struct line line = {.text = text, .op = manycore_decode(word, address), .word = word, .address = address};
    uint8_t handler = line.op.handler;
    text[0] = 0;
    if (handler <= A32_DATA_TO_PC)
        put_data(&line);
    else if ((handler >= A32_UMAAL && handler <= A32_SMLAL) || handler == A32_MUL || handler == A32_MLA)
        put_multiply(&line);
    else if (handler >= A32_SMLA_XY && handler <= A32_SMUL_XY)
        put_half_multiply(&line);
    else if (handler >= A32_SMLAD && handler <= A32_SMMLA)
        put_dual_multiply(&line);
    else if (handler == A32_USADA8)
        put_line(&line, line.op.d == 15 ? "usad8" : "usada8", line.op.d == 15 ? "n,m,s" : "n,m,s,d");
    else if (handler == A32_QADD || handler == A32_CLZ || (handler >= A32_PARALLEL && handler <= A32_REVERSE))
        put_media(&line);
    else if ((handler >= A32_LDR && handler <= A32_STR_PRE) || handler == A32_TRANSFER)
        put_transfer(&line);
    else if (handler == A32_BLOCK)
        put_list(&line);
    else if (handler == A32_LOAD_EXCLUSIVE || handler == A32_STORE_EXCLUSIVE)
        put_exclusive(&line);
    else if (handler == A32_MSR_IMMEDIATE || handler == A32_MSR_REGISTER)
        put_status(&line);
    else if (handler == A32_NOTHING)
        put_nothing(&line);
    else
        put_rest(&line);
    while (line.used && text[line.used - 1] == ' ')
        text[--line.used] = 0;
}
