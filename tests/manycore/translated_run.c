/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs blocks of A32 code (standard input, as for a32_run.c) twice, interpreted and translated, on cores with and
 * without caches, and compares cores, cache tags and memory byte by byte. The blocks lie one behind the other in one
 * program, each a function of its own, and are run in turn, each from its own registers, with one memory for all of
 * them. Most are made here, of random words (arguments: seed, blocks in all). Exit status 0: no difference.
 */
#include "base/arena.h"
#include "manycore/core/access.h"
#include "manycore/core/page.h"
#include "manycore/machine/machine.h"
#include "manycore/translation/translate.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CODE = 0x4000,
    DATA = 0x10000,
    PRIVATE = 0x20000,
    WORDS = (DATA - CODE) / 4,
    BLOCKS = 96,
    LENGTH = 24, /* of a block made here */
    PAGES = PRIVATE / 4096
};

/* Undefined: the end of a block. */
#define END UINT32_C(0xE7F000F0)

struct side { /* one of the two executions */
    struct manycore_pool pool;
    struct manycore_place place;
    unsigned char *readable[PAGES], *writable[PAGES], scratchpad[1024];
    uint32_t words[2][64];
    uint8_t next[2][64], guess[2][MANYCORE_GUESSES];
};

struct blocks {
    uint32_t words[WORDS], count, used;
    uint32_t first[BLOCKS];
    uint32_t start[BLOCKS][16]; /* registers and status */
    struct mnp_symbol functions[BLOCKS];
};

static void read_blocks(struct blocks *blocks, uint32_t most)
{
    uint32_t head[17];
    while (blocks->count < most && fread(head, sizeof head, 1, stdin) == 1 &&
           blocks->used + head[0] + 1 <= WORDS) {
        if (fread(blocks->words + blocks->used, 4, head[0], stdin) != head[0])
            break;
        blocks->first[blocks->count] = blocks->used;
        blocks->functions[blocks->count] = (struct mnp_symbol){.address = CODE + 4 * blocks->used, .name = "block"};
        memcpy(blocks->start[blocks->count++], head + 1, sizeof head - 4);
        blocks->used += head[0];
        blocks->words[blocks->used++] = END;
    }
}

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

/* Values at which carries, overflows and saturation begin are as frequent as others. */
static uint32_t value(uint64_t *state)
{
    static const uint32_t edges[8] = {0, 1, UINT32_MAX, UINT32_MAX - 1, 0x7FFFFFFF, 0x80000000, 0x80000001, 0x7FFF8000};
    uint32_t choice = next_random(state);
    return choice & 8 ? edges[choice & 7] : choice & 16 ? next_random(state) & 63 : next_random(state);
}

/* A random word that computes without memory. */
static uint32_t random_word(uint64_t *state)
{
    for (;;) {
        uint32_t word = next_random(state), kind = next_random(state);
        word = kind & 1 ? (word & 0x0FFFFFFF) | 0xE0000000 : word;
        word = kind & 14 ? word & 0xF3FFFFFF : word; /* data processing, mostly */
        struct a32_op op = manycore_decode(word, CODE);
        if (op.handler != A32_UNDEFINED && manycore_translates(&op) && !manycore_branches(&op) &&
            op.mix != A32_CLASS_LOAD && op.mix != A32_CLASS_STORE)
            return word;
    }
}

static void make_blocks(struct blocks *blocks, uint32_t count, uint64_t seed)
{
    while (blocks->count < count) {
        blocks->first[blocks->count] = blocks->used;
        blocks->functions[blocks->count] = (struct mnp_symbol){.address = CODE + 4 * blocks->used, .name = "block"};
        for (uint32_t reg = 0; reg < 15; reg++)
            blocks->start[blocks->count][reg] = value(&seed);
        blocks->start[blocks->count++][15] = next_random(&seed) & 0xF8000000;
        for (uint32_t i = 0; i < LENGTH; i++)
            blocks->words[blocks->used++] = random_word(&seed);
        blocks->words[blocks->used++] = END;
    }
}

static void init_side(struct side *side, const struct manycore_image *image, const struct manycore_parameters *p)
{
    *side = (struct side){.pool = {.base = mnp_allocate(PRIVATE, 1), .capacity = PRIVATE}};
    side->place = (struct manycore_place){.image = image,
                                          .timing = &p->timing,
                                          .readable = side->readable,
                                          .writable = side->writable,
                                          .pool = &side->pool,
                                          .scratchpad = side->scratchpad,
                                          .private_bytes = PRIVATE,
                                          .scratchpad_bytes = sizeof side->scratchpad};
    for (uint32_t page = 0; page < PAGES; page++)
        side->readable[page] = manycore_image_page(image, page);
    if (!p->caches)
        return;
    side->place.instruction_shape = &p->instruction_shape;
    side->place.data_shape = &p->data_shape;
    side->place.instruction_tags = (struct manycore_tags){side->words[0], side->next[0], side->guess[0]};
    side->place.data_tags = (struct manycore_tags){side->words[1], side->next[1], side->guess[1]};
}

static struct manycore_core run_block(const struct side *side, const struct blocks *blocks, uint32_t block)
{
    const uint32_t *start = blocks->start[block], status = start[15];
    struct manycore_core core = {0};
    memcpy(core.r, start, 15 * sizeof *start);
    core.r[15] = CODE + 4 * blocks->first[block];
    core.flags = (struct a32_flags){status, !(status >> 30 & 1), status >> 29 & 1, status >> 28 & 1};
    core.q = status >> 27 & 1;
    core.ge = status >> 16 & 15;
    manycore_core_run(&core, &side->place, 1000000);
    return core;
}

static bool same(const struct side *a, const struct side *b)
{
    for (uint32_t page = 0; page < PAGES; page++)
        if (memcmp(a->readable[page], b->readable[page], 4096) != 0)
            return false;
    return memcmp(a->words, b->words, sizeof a->words) == 0 && memcmp(a->next, b->next, sizeof a->next) == 0;
}

static void report(const struct blocks *blocks, uint32_t block, const struct manycore_core *cores)
{
    printf("block %u differs (interpreted, translated):\n", block);
    for (uint32_t i = 0; i < 16; i++)
        printf("r%-2u %08x %08x\n", i, cores[0].r[i], cores[1].r[i]);
    printf("flags %x %x %x %x, %x %x %x %x\n", cores[0].flags.n, cores[0].flags.z, cores[0].flags.c, cores[0].flags.v,
           cores[1].flags.n, cores[1].flags.z, cores[1].flags.c, cores[1].flags.v);
    printf("clock %llu %llu\ncode", (unsigned long long)cores[0].clock, (unsigned long long)cores[1].clock);
    for (uint32_t i = blocks->first[block]; blocks->words[i] != END; i++)
        printf(" %08x", blocks->words[i]);
    printf("\n");
}

static bool compare(const struct blocks *blocks, struct manycore_image *image, const struct manycore_parameters *p)
{
    static struct side sides[2];
    struct mnp_error why = {""};
    bool equal = true;
    void *library;
    struct manycore_compiling compiling = {.allowed = true};
    if (!manycore_library_open(image, p, &compiling, &why)) {
        printf("%s\n", why.text);
        return false;
    }
    library = image->library;
    for (uint32_t i = 0; i < 2; i++)
        init_side(&sides[i], image, p);
    for (uint32_t block = 0; equal && block < blocks->count; block++) {
        struct manycore_core cores[2];
        for (uint32_t i = 0; i < 2; i++) {
            image->library = i ? library : NULL;
            cores[i] = run_block(&sides[i], blocks, block);
        }
        equal = memcmp(&cores[0], &cores[1], sizeof *cores) == 0 && same(&sides[0], &sides[1]);
        if (!equal)
            report(blocks, block, cores);
    }
    for (uint32_t i = 0; i < 2; i++)
        free(sides[i].pool.base);
    image->library = library;
    manycore_library_close(image);
    return equal;
}

int main(int argc, char **argv)
{
    static struct blocks blocks;
    static struct manycore_parameters p = {.dspm = 1024,
                                           .private_bytes = PRIVATE,
                                           .timing = {2, 1, 3, 4, 2, 3},
                                           .instruction_shape = {4, 2, 5, 3, false, true, true, 1, 10, 0},
                                           .data_shape = {8, 2, 5, 7, false, true, true, 2, 10, 3}};
    uint32_t count = argc > 2 ? (uint32_t)atoi(argv[2]) : BLOCKS;
    count = count > BLOCKS ? BLOCKS : count;
    read_blocks(&blocks, count / 4);
    make_blocks(&blocks, count, argc > 1 ? strtoull(argv[1], NULL, 10) : 1);
    struct mnp_program program = {.path = "blocks",
                                  .segments = {{.address = CODE,
                                                .bytes = 4 * blocks.used,
                                                .stored = 4 * blocks.used,
                                                .data = (const unsigned char *)blocks.words,
                                                .executable = true}},
                                  .segment_count = 1,
                                  .entry = CODE,
                                  .functions = blocks.functions,
                                  .function_count = blocks.count};
    struct manycore_image image;
    struct mnp_error error = {""};
    bool equal = manycore_image_init(&image, &p, &program, &error);
    for (p.caches = 0; equal && p.caches < 2; p.caches++)
        equal = compare(&blocks, &image, &p);
    manycore_image_release(&image);
    printf("%u blocks, %u instructions: %s%s\n", blocks.count, blocks.used - blocks.count,
           equal ? "no difference" : "different", error.text);
    return equal && blocks.count == count ? 0 : 1;
}
