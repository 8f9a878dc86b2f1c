/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs blocks of A32 code, for comparison with another implementation (oracle.py). Standard input is a sequence of
 * blocks: number of words, 16 registers and the status before, then the words. The code lies at 0x8000 and ends behind
 * its last word; 64 KiB of private memory from 0x10000 are zero at first and kept from block to block. Standard output
 * is, for each: pause and fault, r0–r14 and the status, and a sum of that memory.
 */
#include "base/arena.h"
#include "manycore/core/access.h"
#include "manycore/core/page.h"

#include <stdio.h>
#include <stdlib.h>

enum { CODE = 0x8000, DATA = 0x10000, PRIVATE = 0x20000, WORDS = 4096 };

static uint32_t status_of(const struct manycore_core *core)
{
    return (core->flags.n & 0x80000000) | (core->flags.z == 0) << 30 | core->flags.c << 29 | core->flags.v << 28 |
           core->q << 27 | core->ge << 16;
}

static uint32_t sum_memory(const struct manycore_place *place)
{
    uint32_t sum = 0;
    for (uint32_t page = DATA / MANYCORE_PAGE; page < PRIVATE / MANYCORE_PAGE; page++)
        for (uint32_t i = 0; i < MANYCORE_PAGE; i++)
            sum = sum * 31 + place->readable[page][i];
    return sum;
}

static void run_block(struct manycore_place *place, struct manycore_code *code, const uint32_t *start)
{
    struct manycore_core core = {0};
    memcpy(core.r, start, 15 * sizeof *start);
    core.r[15] = CODE;
    core.flags = (struct a32_flags){start[15], !(start[15] >> 30 & 1), start[15] >> 29 & 1, start[15] >> 28 & 1};
    core.q = start[15] >> 27 & 1;
    core.ge = start[15] >> 16 & 15;
    manycore_core_run(&core, place, 100000);
    uint32_t end = CODE + 4 * code->words;
    uint32_t good = core.pause == MANYCORE_FAULTED && core.fault == MANYCORE_FAULT_FETCH && core.r[15] == end;
    uint32_t out[19] = {core.pause, good ? 0 : core.fault};
    memcpy(out + 2, core.r, 15 * sizeof *out);
    out[17] = status_of(&core);
    out[18] = sum_memory(place);
    fwrite(out, sizeof out, 1, stdout);
    fflush(stdout);
}

int main(void)
{
    static const struct manycore_timing timing = {2, 1, 1, 1, 1, 1};
    struct manycore_pool pool = {.base = mnp_allocate(PRIVATE, 1), .capacity = PRIVATE};
    struct mnp_program program = {0};
    struct manycore_image image = {.program = &program, .code_count = 1, .zeros = mnp_allocate(MANYCORE_PAGE, 1)};
    struct manycore_place place = {.image = &image, .timing = &timing, .pool = &pool, .private_bytes = PRIVATE};
    place.readable = mnp_allocate(PRIVATE / MANYCORE_PAGE, sizeof(void *));
    place.writable = mnp_allocate(PRIVATE / MANYCORE_PAGE, sizeof(void *));
    for (uint32_t page = 0; page < PRIVATE / MANYCORE_PAGE; page++)
        place.readable[page] = manycore_image_page(&image, page);
    struct a32_op *ops = mnp_allocate(WORDS + 1, sizeof *ops);
    uint32_t head[17], word;
    while (fread(head, sizeof head, 1, stdin) == 1 && head[0] <= WORDS) {
        image.code[0] = (struct manycore_code){.address = CODE, .words = head[0], .ops = ops};
        for (uint32_t i = 0; i < head[0] && fread(&word, 4, 1, stdin) == 1; i++)
            ops[i] = manycore_decode(word, CODE + 4 * i);
        ops[head[0]] = a32_end();
        run_block(&place, &image.code[0], head + 1);
    }
    free(pool.base);
    free(image.zeros);
    free((void *)place.readable);
    free((void *)place.writable);
    free(ops);
    return 0;
}
