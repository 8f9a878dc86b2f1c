/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/dependence/scoreboard.h"

#include <string.h>

/* ===== building ===== */

/* The pipe with bypasses to which an execution class belongs, if any. */
static enum sm_result_pipe pipe_of(const struct sm_parameters *p, uint32_t execution)
{
    if (execution == MNP_CLASS_INT || (execution == MNP_CLASS_IMAD && p->imad_pipe == SM_IMAD_ON_INT))
        return SM_FROM_INT;
    bool multiplies = execution == MNP_CLASS_FP32 || execution == MNP_CLASS_HALF || execution == MNP_CLASS_IMAD;
    return multiplies ? SM_FROM_MULTIPLY : SM_FROM_ELSEWHERE;
}

/* Adding one to the pipe's bits goes over where they are 3: a result of the multiply pipe for an integer instruction,
 * and, flipped, one of the integer pipe for a multiplication. */
static void find_results(struct sm_scoreboard *scoreboard, const struct sm_parameters *p)
{
    for (uint32_t execution = 0; execution < MNP_CLASS_COUNT; execution++) {
        enum sm_result_pipe pipe = pipe_of(p, execution);
        scoreboard->result[execution] = p->execution[execution].latency << SM_PIPE_BITS | pipe;
        if (pipe == SM_FROM_ELSEWHERE || !p->cross_latency)
            continue;
        scoreboard->reader[execution].flip = pipe == SM_FROM_MULTIPLY ? SM_FROM_INT ^ SM_FROM_MULTIPLY : 0;
        scoreboard->reader[execution].add = 1;
    }
}

void sm_scoreboard_lay_out(struct sm_scoreboard *scoreboard, const struct sm_parameters *p, struct mnp_arena *arena)
{
    scoreboard->ready = mnp_arena_take(arena, p->warps * SM_REGISTERS, sizeof *scoreboard->ready);
    if (p->war_consumers)
        scoreboard->readers = mnp_arena_take(arena, p->warps * SM_REGISTERS, sizeof *scoreboard->readers);
}

void sm_scoreboard_init(struct sm_scoreboard *scoreboard, const struct sm_parameters *p)
{
    find_results(scoreboard, p);
    scoreboard->operand_latency = p->operand_latency << SM_PIPE_BITS;
    scoreboard->predicate_latency = p->predicate_latency;
    scoreboard->war_consumers = p->war_consumers;
}

void sm_scoreboard_start(struct sm_scoreboard *scoreboard, uint32_t warp)
{
    memset(scoreboard->ready + (size_t)warp * SM_REGISTERS, 0, SM_REGISTERS * sizeof(uint64_t));
}

/* ===== write after read ===== */

static uint8_t most_readers(const uint8_t *readers, struct mnp_registers range)
{
    uint8_t most = 0;
    for (uint32_t i = 0; i < range.count; i++)
        most = readers[range.first + i] > most ? readers[range.first + i] : most;
    return most;
}

static bool reads_late(const struct mnp_static_instruction *instruction)
{
    return instruction->class == MNP_CLASS_MEMORY;
}

/* Whether registers that earlier instructions have still to read hold this one back. */
bool sm_scoreboard_waits_for_readers(const struct sm_scoreboard *scoreboard, uint32_t warp,
                                     const struct mnp_static_instruction *instruction)
{
    const uint8_t *readers = scoreboard->readers + (size_t)warp * SM_REGISTERS;
    if (instruction->narrow) /* a narrow instruction reads its registers at issue */
        return instruction->destination.count && readers[instruction->destination.first];
    if (most_readers(readers, instruction->destination))
        return true;
    for (uint32_t i = 0; reads_late(instruction) && i < instruction->source_count; i++)
        if (most_readers(readers, instruction->source[i]) >= scoreboard->war_consumers)
            return true;
    return false;
}

void sm_scoreboard_add_readers(const struct sm_scoreboard *scoreboard, uint32_t warp,
                               const struct mnp_static_instruction *instruction, uint8_t change)
{
    uint8_t *readers = scoreboard->readers + (size_t)warp * SM_REGISTERS;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        for (uint32_t k = 0; k < instruction->source[i].count; k++)
            readers[instruction->source[i].first + k] += change;
}

/* ===== registers; what most instructions need is in the header ===== */

/* The latest ready word of the registers of a range, as a reader that flips these bits sees it. */
static uint64_t latest(const uint64_t *ready, struct mnp_registers range, uint64_t flip, uint64_t word)
{
    for (uint32_t i = 0; i < range.count; i++)
        word = sm_later(word, ready[range.first + i] ^ flip);
    return word;
}

/* The latest ready word of the registers of a range for a memory instruction, which reads them outside the pipes. */
static uint64_t latest_operand(const struct sm_scoreboard *scoreboard, const uint64_t *ready,
                               struct mnp_registers range, uint64_t word)
{
    for (uint32_t i = 0; i < range.count; i++) {
        uint64_t each = ready[range.first + i];
        bool piped = each & ((1 << SM_PIPE_BITS) - 1);
        word = sm_later(word, each + (piped ? scoreboard->operand_latency : 0));
    }
    return word;
}

/* The ready word of the carry that an instruction takes: that of the register below its destination, which the
 * instruction that left the carry has written if they are the halves of a sum. If something else than arithmetic has
 * written the register since, the carry is long there. */
static uint64_t carry(const uint64_t *ready, const struct mnp_static_instruction *instruction, uint64_t flip)
{
    uint64_t word = ready[instruction->destination.first - 1];
    bool piped = word & ((1 << SM_PIPE_BITS) - 1);
    return piped ? word ^ flip : 0;
}

/* The cycle in which all registers of an instruction may be read and written, `at` at the earliest. */
uint64_t sm_scoreboard_latest(const struct sm_scoreboard *scoreboard, const uint64_t *ready,
                              const struct mnp_static_instruction *instruction, uint64_t at)
{
    const struct sm_reader *reader = &scoreboard->reader[instruction->class];
    uint64_t word = latest(ready, instruction->destination, reader->flip, 0);
    bool memory = instruction->class == MNP_CLASS_MEMORY;
    for (uint32_t i = 0; i < instruction->source_count; i++)
        word = memory ? latest_operand(scoreboard, ready, instruction->source[i], word)
                      : latest(ready, instruction->source[i], reader->flip, word);
    if (instruction->carries)
        word = sm_later(word, carry(ready, instruction, reader->flip));
    return sm_later(at, (word + reader->add) >> SM_PIPE_BITS);
}

/* ===== predicates ===== */

/* The scoreboard knows predicates of the warp and not one by one: a branch or a guard waits for all that have been
 * written, an operand for the last. Fewer lanes than before, and none but those, where no branch has taken them, show a
 * guard. */
uint64_t sm_scoreboard_guarded(const struct sm_scoreboard *scoreboard, const struct sm_scoreboard_warp *w,
                               const struct mnp_static_instruction *instruction, uint32_t mask, uint64_t at)
{
    if (at == SM_PENDING)
        return at;
    const struct sm_reader *reader = &scoreboard->reader[instruction->class];
    uint8_t waits = MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH;
    bool fewer = mask != w->active && !(mask & ~w->active);
    if (fewer || instruction->guarded || (instruction->flags & waits) == waits)
        at = sm_later(at, w->predicates);
    if (instruction->selects)
        at = sm_later(at, ((w->last_predicate ^ reader->flip) + reader->add) >> SM_PIPE_BITS);
    return at;
}
