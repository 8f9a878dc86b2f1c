/* SPDX-License-Identifier: BSD-3-Clause */
/* Random programs: every kind of instruction on a few addresses, so that accesses meet, with short loops. */
#include "toy.h"

uint32_t toy_emit(struct toy_program *program, struct toy_instruction instruction)
{
    MNP_REQUIRE(program->length < TOY_PROGRAM, "a toy program is too long");
    program->code[program->length] = instruction;
    return program->length++;
}

enum { COUNTER = 15, ADDRESS = 14, VALUES = 6 /* registers 1 … 6 */ };

struct dice {
    uint64_t seed, counter;
};

static uint64_t roll(struct dice *dice, uint64_t bound)
{
    return toy_below(dice->seed, dice->counter++, bound);
}

/* An address of a pool of 16 sectors in 8 lines, all over the slices, or, sometimes, one of many. */
static uint64_t random_address(struct dice *dice, uint32_t bytes)
{
    uint64_t sector = roll(dice, 10) ? roll(dice, 16) * 2 : roll(dice, 8192);
    return 0x10000 + sector * TOY_SECTOR + roll(dice, TOY_SECTOR / bytes) * bytes;
}

static void random_access(struct dice *dice, struct toy_program *program)
{
    uint32_t bytes = 1u << roll(dice, 4);
    struct toy_instruction access = {.bytes = (uint8_t)bytes, .immediate = random_address(dice, bytes),
                                     .d = (uint8_t)(1 + roll(dice, VALUES)), .b = (uint8_t)(1 + roll(dice, VALUES))};
    switch (roll(dice, 10)) {
    case 0:
    case 1:
    case 2:
    case 3:
        access.op = TOY_LOAD;
        access.order = roll(dice, 3) ? TOY_PLAIN : roll(dice, 3) ? TOY_RELAXED : TOY_ACQUIRE;
        break;
    case 4:
    case 5:
    case 6:
        access.op = TOY_STORE;
        access.order = roll(dice, 3) ? TOY_PLAIN : roll(dice, 3) ? TOY_RELAXED : TOY_RELEASE;
        break;
    default:
        access.op = (uint8_t)(TOY_ATOM_ADD + roll(dice, 4));
    }
    toy_emit(program, access);
}

static void random_instruction(struct dice *dice, struct toy_program *program)
{
    uint8_t d = (uint8_t)(1 + roll(dice, VALUES)), a = (uint8_t)(1 + roll(dice, VALUES));
    switch (roll(dice, 16)) {
    case 0:
        toy_emit(program, (struct toy_instruction){.op = TOY_FENCE});
        break;
    case 1:
        toy_emit(program, (struct toy_instruction){.op = TOY_DELAY,
                                                   .immediate = roll(dice, 4) ? roll(dice, 20) : roll(dice, 300)});
        break;
    case 2:
        toy_emit(program, (struct toy_instruction){.op = TOY_SET, .d = d, .immediate = roll(dice, UINT64_MAX)});
        break;
    case 3:
        toy_emit(program, (struct toy_instruction){.op = TOY_ADD, .d = d, .a = a, .immediate = 1});
        break;
    case 4: /* skips one instruction or not, by a value that depends on timing */
        toy_emit(program, (struct toy_instruction){.op = TOY_BRANCH_NE, .a = a, .immediate = roll(dice, 3),
                                                   .target = (uint16_t)(program->length + 2)});
        toy_emit(program, (struct toy_instruction){.op = TOY_ADD, .d = d, .a = a, .b = a});
        break;
    default:
        random_access(dice, program);
    }
}

/* Blocks of instructions, each done one to three times, with a barrier behind some: the same ones in all threads. */
static void random_program(struct dice *dice, struct dice shared, uint32_t most_blocks, struct toy_program *program)
{
    *program = (struct toy_program){0};
    uint64_t blocks = 1 + roll(&shared, most_blocks);
    for (uint64_t block = 0; block < blocks; block++) {
        toy_emit(program, (struct toy_instruction){.op = TOY_SET, .d = COUNTER, .immediate = 1 + roll(dice, 3)});
        uint32_t top = program->length;
        uint64_t length = 1 + roll(dice, 12);
        for (uint64_t i = 0; i < length; i++)
            random_instruction(dice, program);
        toy_emit(program, (struct toy_instruction){.op = TOY_ADD, .d = COUNTER, .a = COUNTER, .immediate = UINT64_MAX});
        toy_emit(program, (struct toy_instruction){.op = TOY_BRANCH_NE, .a = COUNTER, .target = (uint16_t)top});
        if (roll(&shared, 2))
            toy_emit(program, (struct toy_instruction){.op = TOY_BARRIER});
    }
}

void toy_random_programs(const struct toy_parameters *parameters, uint64_t seed, uint32_t most_blocks,
                         struct toy_program programs[][TOY_THREADS])
{
    for (uint64_t core = 0; core < parameters->cores; core++) {
        struct dice shared = {.seed = toy_random(seed, 1000 + core)};
        for (uint64_t thread = 0; thread < parameters->threads; thread++) {
            struct dice dice = {.seed = toy_random(seed, 2000 + core * TOY_THREADS + thread)};
            random_program(&dice, shared, most_blocks, &programs[core][thread]);
        }
    }
}
