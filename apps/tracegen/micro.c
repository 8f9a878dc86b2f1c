/* SPDX-License-Identifier: BSD-3-Clause */
#include "micro.h"

#include <stdio.h>

enum { MICRO_ADDRESS = 8, MICRO_DATA = 40, MICRO_TEXT = 64 };

static bool is_there(const struct writer *w, enum micro_when when)
{
    uint32_t architecture = w->options.architecture;
    switch (when) {
    case MICRO_HOPPER:
        return architecture >= 90;
    case MICRO_BEFORE_HOPPER:
        return architecture < 90;
    case MICRO_UNSCALED:
        return architecture < 75 || architecture >= 90;
    case MICRO_SCALED:
        return architecture >= 75 && architecture < 90;
    case MICRO_UNIFORM:
        return architecture >= 75;
    case MICRO_VOLTA:
        return architecture < 75;
    default:
        return true;
    }
}

/* Puts the numbers of a repetition's registers into a register string. */
static void name_registers(char out[MICRO_TEXT], const char *text, const struct micro_loop *loop, uint32_t repetition)
{
    size_t used = 0;
    uint32_t data = loop ? MICRO_DATA + repetition % (loop->lag + 1) * loop->data : MICRO_DATA;
    uint32_t address = MICRO_ADDRESS + 2 * (repetition % 4);
    for (; *text; text++) {
        if (*text == 'A' || *text == 'B') {
            used += (size_t)snprintf(out + used, MICRO_TEXT - used, "R%u", address + (*text == 'B'));
        } else if (*text == 'D') {
            text++;
            used += (size_t)snprintf(out + used, MICRO_TEXT - used, "R%u", data + (uint32_t)(*text - '0'));
        } else {
            out[used++] = *text;
        }
        MNP_REQUIRE(used + 8 < MICRO_TEXT, "a register string is too long");
    }
    out[used] = 0;
}

struct micro_step { /* what is being written: one repetition of a loop, or straight code */
    const struct micro_loop *loop;
    const struct micro_place *place;
    micro_addresses *addresses;
    uint64_t repetition; /* since the loop began */
    uint32_t copy;       /* in the unrolled body */
};

static void emit_rows(struct writer *w, struct micro_rows rows, const struct micro_step *step)
{
    char destination[MICRO_TEXT], sources[MICRO_TEXT];
    for (size_t i = 0; i < rows.count; i++) {
        const struct micro_row *row = &rows.list[i];
        if (!is_there(w, row->when))
            continue;
        name_registers(destination, row->destination, step->loop, step->copy);
        name_registers(sources, row->sources, step->loop, step->copy);
        if (row->access) {
            struct access access = step->addresses(step->place, step->repetition, row->access);
            emit_access(w, destination, row->opcode, sources, &access);
        } else {
            emit(w, destination, row->opcode, sources);
        }
    }
}

void micro_emit(struct writer *w, struct micro_rows rows, const struct micro_place *place, micro_addresses *addresses)
{
    emit_rows(w, rows, &(struct micro_step){.place = place, .addresses = addresses});
}

/* Where an unrolled loop counts and compares: compilers put that in front of the body, as far as they can from the
 * branch, which comes 12 or 13 cycles later at the earliest. */
static uint32_t rows_in_front(const struct micro_loop *loop)
{
    return loop->unroll > 1 && loop->end.count ? (uint32_t)loop->end.count - 1 : 0;
}

void micro_repeat(struct writer *w, const struct micro_loop *loop, uint64_t repetitions,
                  const struct micro_place *place, micro_addresses *addresses)
{
    struct micro_step step = {.loop = loop, .place = place, .addresses = addresses};
    uint32_t top = w->pc, front = rows_in_front(loop);
    struct micro_rows first = {loop->end.list, front}, last = {loop->end.list + front, loop->end.count - front};
    for (uint64_t from = 0; from < repetitions; from += loop->unroll) {
        if (from)
            w->pc = top;
        uint32_t body = repetitions - from < loop->unroll ? (uint32_t)(repetitions - from) : loop->unroll;
        step.copy = 0;
        emit_rows(w, first, &step);
        for (uint32_t copy = 0; copy < body + loop->lag; copy++) {
            step.copy = copy;
            step.repetition = from + copy;
            if (copy < body)
                emit_rows(w, loop->rows, &step);
            step.copy = copy - loop->lag;
            if (copy >= loop->lag)
                emit_rows(w, loop->late, &step);
        }
        step.copy = 0;
        emit_rows(w, last, &step);
    }
}

/* ===== beginning and end ===== */

static const struct micro_row prologue[] = {
    {"R1", "LDC", "", 0, MICRO_HOPPER},
    {"R1", "MOV", "", 0, MICRO_BEFORE_HOPPER},
    {"R0", "S2R", "", 0, MICRO_ALWAYS},
    {"R3", "S2R", "", 0, MICRO_ALWAYS},
    {"", "ULDC.64", "", 0, MICRO_UNIFORM},
    {"R0", "IMAD", "R0 R3", 0, MICRO_ALWAYS},
    {"", "ISETP.GT.U32.AND", "R0", 0, MICRO_ALWAYS},
    {"R20", "MOV", "", 0, MICRO_ALWAYS},
    {"R7", "MOV", "R0", 0, MICRO_ALWAYS},
};
const struct micro_rows micro_prologue = {prologue, sizeof prologue / sizeof *prologue};

static const struct micro_row epilogue[] = {
    {"R31", "CS2R.32", "", 0, MICRO_ALWAYS},        {"R2", "LDC.64", "", 0, MICRO_HOPPER},
    {"R4", "LDC.64", "", 0, MICRO_HOPPER},          {"R6", "LDC.64", "", 0, MICRO_HOPPER},
    {"R28", "MOV", "", 0, MICRO_BEFORE_HOPPER},     {"R2", "IMAD.WIDE", "R0 R28", 0, MICRO_ALWAYS},
    {"R4", "IMAD.WIDE", "R0 R28", 0, MICRO_ALWAYS}, {"R6", "IMAD.WIDE", "R0 R28", 0, MICRO_ALWAYS},
    {"", "STG.E", "R2 R30", 1, MICRO_ALWAYS},       {"", "STG.E", "R4 R31", 2, MICRO_ALWAYS},
    {"", "STG.E", "R6 R20", 3, MICRO_ALWAYS},       {"", "EXIT", "", 0, MICRO_ALWAYS},
};
const struct micro_rows micro_epilogue = {epilogue, sizeof epilogue / sizeof *epilogue};

struct access micro_result_address(const struct micro_place *place, uint32_t threads, uint32_t access)
{
    uint64_t thread = (uint64_t)place->block * threads + place->warp * WARP;
    return access_line(4, DATA_C + (access << 28) + 4 * thread, 4);
}
