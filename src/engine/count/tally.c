/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/count/tally.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_PLACES = 256 };

const char *const mnp_tally_names[MNP_TALLY_COUNTS] = {
    [MNP_TALLY_ISSUES] = "issues",   [MNP_TALLY_LANES] = "lanes",         [MNP_TALLY_READY] = "ready",
    [MNP_TALLY_RESULT] = "result",   [MNP_TALLY_MEMORY] = "memory",       [MNP_TALLY_BARRIER] = "barrier",
    [MNP_TALLY_FENCE] = "fence",     [MNP_TALLY_FETCH] = "fetch",         [MNP_TALLY_ENDED] = "ended",
    [MNP_TALLY_SECTORS] = "sectors", [MNP_TALLY_CONFLICTS] = "conflicts", [MNP_TALLY_AWAITED] = "awaited",
    [MNP_TALLY_ENERGY] = "energy",
};

static char *name_at(const struct mnp_tally *tally, uint32_t place)
{
    return ((char **)tally->names.items)[place];
}

static struct mnp_tally_row *row_at(const struct mnp_tally *tally, uint32_t place)
{
    return (struct mnp_tally_row *)tally->rows.items + place;
}

uint32_t mnp_tally_name(struct mnp_tally *tally, const char *name)
{
    for (uint32_t i = tally->names.count; i-- > 0;) /* backwards, because the newest name is looked up most often */
        if (strcmp(name_at(tally, i), name) == 0)
            return i;
    *(char **)mnp_array_add(&tally->names, 1, sizeof(char *)) = strdup(name);
    return tally->names.count - 1;
}

static uint32_t hash_of(uint32_t kernel, uint32_t pc, uint32_t opcode)
{
    uint64_t place = ((uint64_t)opcode << 32 | pc) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((kernel ^ place) * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

/* Finds the table entry of a row, or the free entry where it would be inserted. */
static uint32_t *find(const struct mnp_tally *tally, uint32_t kernel, uint32_t pc, uint32_t opcode)
{
    uint32_t at = hash_of(kernel, pc, opcode);
    for (;; at++) {
        uint32_t *place = &tally->places[at & (tally->place_count - 1)];
        const struct mnp_tally_row *row = *place ? row_at(tally, *place - 1) : NULL;
        if (!row || (row->kernel == kernel && row->pc == pc && row->opcode == opcode))
            return place;
    }
}

static void grow(struct mnp_tally *tally)
{
    free(tally->places);
    tally->place_count = tally->place_count ? 2 * tally->place_count : LEAST_PLACES;
    tally->places = mnp_allocate(tally->place_count, sizeof *tally->places);
    for (uint32_t i = 0; i < tally->rows.count; i++) {
        const struct mnp_tally_row *row = row_at(tally, i);
        *find(tally, row->kernel, row->pc, row->opcode) = i + 1;
    }
}

struct mnp_tally_row *mnp_tally_row(struct mnp_tally *tally, uint32_t kernel, uint32_t pc, uint32_t opcode)
{
    if (2 * tally->rows.count >= tally->place_count)
        grow(tally);
    uint32_t *place = find(tally, kernel, pc, opcode);
    if (*place)
        return row_at(tally, *place - 1);
    struct mnp_tally_row *row = mnp_array_add(&tally->rows, 1, sizeof *row);
    row->kernel = kernel;
    row->pc = pc;
    row->opcode = opcode;
    *place = tally->rows.count;
    return row;
}

static void take_text(char **to, char **from)
{
    if (*to)
        return;
    *to = *from;
    *from = NULL;
}

void mnp_tally_join(struct mnp_tally *tally, struct mnp_tally *from)
{
    for (uint32_t i = 0; i < from->rows.count; i++) {
        struct mnp_tally_row *theirs = row_at(from, i);
        uint32_t kernel = mnp_tally_name(tally, name_at(from, theirs->kernel));
        struct mnp_tally_row *ours = mnp_tally_row(tally, kernel, theirs->pc, theirs->opcode);
        for (int k = 0; k < MNP_TALLY_COUNTS; k++)
            ours->count[k] += theirs->count[k];
        take_text(&ours->text, &theirs->text);
        take_text(&ours->source, &theirs->source);
    }
}

static int by_place(const void *a, const void *b, void *context)
{
    const struct mnp_tally_row *x = a, *y = b;
    const struct mnp_tally *tally = context;
    int order = strcmp(name_at(tally, x->kernel), name_at(tally, y->kernel));
    order = order ? order : (x->pc > y->pc) - (x->pc < y->pc);
    return order ? order : (x->opcode > y->opcode) - (x->opcode < y->opcode);
}

void mnp_tally_sort(struct mnp_tally *tally)
{
    if (tally->rows.count)
        qsort_r(tally->rows.items, tally->rows.count, sizeof(struct mnp_tally_row), by_place, tally);
    free(tally->places);
    tally->places = NULL;
    tally->place_count = 0;
}

void mnp_tally_release(struct mnp_tally *tally)
{
    for (uint32_t i = 0; i < tally->names.count; i++)
        free(name_at(tally, i));
    for (uint32_t i = 0; i < tally->rows.count; i++) {
        free(row_at(tally, i)->text);
        free(row_at(tally, i)->source);
    }
    mnp_array_release(&tally->names);
    mnp_array_release(&tally->rows);
    free(tally->places);
    *tally = (struct mnp_tally){0};
}
