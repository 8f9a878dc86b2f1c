/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Dependences by scoreboard. An instruction waits while a register that it reads or writes is still to be written (RAW
 * and WAW; GPGPU-Sim manual, scoreboard). The cycle in which a result of fixed latency can be used is known at issue,
 * so a register keeps that cycle, and a warp is looked at again just then; nothing happens at write-back. A result goes
 * over from the pipe of multiply-adds to the integer pipe, and the other way, `sm.cross_latency` cycles later than to
 * an instruction of its own pipe, and to a memory instruction, which no bypass feeds, `sm.memory.operand_latency`
 * cycles later (stall counts of compiled code; Huerta et al., arXiv 2503.20481). With `sm.war_consumers`, a register
 * that a memory instruction has still to read is not written (WAR), and at most so many instructions may be about to
 * read one (Huerta et al., arXiv 2503.20481, scoreboards as an alternative).
 *
 * Traces name neither predicates nor carries. A branch, or an instruction whose lanes show that it has a guard, waits
 * for all predicates written before it; one with a predicate among its operands for the last one written; the upper
 * half of a sum for the lower.
 *
 * Ready words of registers are kept for all warps, whatever scheme they follow: that costs less than to ask.
 */
#ifndef GPU_SM_DEPENDENCE_SCOREBOARD_H
#define GPU_SM_DEPENDENCE_SCOREBOARD_H

#include "base/arena.h"
#include "gpu/sm/dependence/outlook.h"
#include "gpu/sm/limits.h"
#include "gpu/sm/parameters.h"
#include "gpu/sm/stall.h"

#include <stdbool.h>

/* How an instruction reads ready times: the pipe's bits are flipped, and the sum with `add` goes over into the cycle
 * where the result has to cross from the one pipe to the other. */
struct sm_reader {
    uint64_t flip, add;
};

struct sm_scoreboard {
    uint64_t *ready;  /* [warps][SM_REGISTERS] word of the cycle from which it may be read, or of SM_PENDING */
    uint8_t *readers; /* [warps][SM_REGISTERS] instructions yet to read it; NULL: without sm.war_consumers */
    struct sm_reader reader[MNP_CLASS_COUNT];
    uint64_t result[MNP_CLASS_COUNT]; /* word of a result: cycles from issue to a dependent issue, and the pipe */
    uint64_t operand_latency; /* by which a memory instruction waits longer for a result of the pipes, as a word */
    uint64_t predicate_latency;
    uint64_t war_consumers;
};

struct sm_scoreboard_warp {
    uint64_t predicates;     /* cycle from which branches and guards may use the predicates written so far */
    uint64_t last_predicate; /* word of the last of them, as an operand */
    uint32_t active;         /* lanes that its last instruction executed in; 0: they say nothing of the next one */
    uint8_t readers;         /* instructions that have still to read their sources */
};

void sm_scoreboard_lay_out(struct sm_scoreboard *scoreboard, const struct sm_parameters *parameters,
                           struct mnp_arena *arena);

/* Finds latencies that are fixed by the machine. */
void sm_scoreboard_init(struct sm_scoreboard *scoreboard, const struct sm_parameters *parameters);

static inline bool sm_scoreboard_applies(const struct mnp_kernel *kernel)
{
    (void)kernel;
    return true;
}
void sm_scoreboard_start(struct sm_scoreboard *scoreboard, uint32_t warp);
uint64_t sm_scoreboard_guarded(const struct sm_scoreboard *scoreboard, const struct sm_scoreboard_warp *w,
                               const struct mnp_static_instruction *instruction, uint32_t mask, uint64_t at);

/* scoreboard.c: the registers that an instruction reads have `change` readers more, modulo 256. */
void sm_scoreboard_add_readers(const struct sm_scoreboard *scoreboard, uint32_t warp,
                               const struct mnp_static_instruction *instruction, uint8_t change);

/* Only the memory pipeline reads late. */
static inline uint64_t sm_scoreboard_issued(const struct sm_scoreboard *scoreboard, struct sm_scoreboard_warp *w,
                                            uint32_t warp, const struct mnp_static_instruction *instruction,
                                            uint64_t ready, uint64_t cycle)
{
    (void)cycle;
    if (ready == MNP_NEVER && scoreboard->war_consumers && instruction->source_count) {
        w->readers++;
        sm_scoreboard_add_readers(scoreboard, warp, instruction, 1);
    }
    return 0;
}

static inline uint32_t sm_scoreboard_read(const struct sm_scoreboard *scoreboard, struct sm_scoreboard_warp *w,
                                          uint32_t warp, const struct mnp_static_instruction *instruction,
                                          uint64_t cycle)
{
    (void)cycle;
    if (!scoreboard->war_consumers || !instruction->source_count)
        return 0;
    w->readers--;
    sm_scoreboard_add_readers(scoreboard, warp, instruction, UINT8_MAX);
    return 1 << SM_STALL_MEMORY;
}

/* The warp waits for its memory instruction as a whole: cta.h. */
static inline uint32_t sm_scoreboard_written(const struct sm_scoreboard *scoreboard, const struct sm_scoreboard_warp *w,
                                             uint32_t warp, const struct mnp_static_instruction *instruction,
                                             uint64_t ready, uint64_t cycle)
{
    (void)scoreboard, (void)w, (void)warp, (void)instruction, (void)ready, (void)cycle;
    return 0;
}

/* ===== ready words, of every warp ===== */

/* The words of a warp's registers, SM_REGISTERS of them. */
static inline uint64_t *sm_scoreboard_words(const struct sm_scoreboard *scoreboard, uint32_t warp)
{
    return scoreboard->ready + (size_t)warp * SM_REGISTERS;
}

/* Among the words `ready` of a warp, those of a range of registers become `word`. The host cannot predict whether an
 * instruction that issues has a destination: where there is none, a register keeps its value. */
static inline void sm_scoreboard_set(uint64_t *ready, struct mnp_registers range, uint64_t word)
{
    uint64_t *registers = ready + range.first;
    uint64_t some = 0 - (uint64_t)(range.count > 0);
    registers[0] = (word & some) | (registers[0] & ~some);
    for (uint32_t i = 1; i < range.count; i++)
        registers[i] = word;
}

/* An instruction that writes predicates has issued in `cycle`; `result`: the word of its results. Compilers let a
 * branch, or an instruction with a guard, follow 12 or 13 cycles behind the comparison, however short the latency of
 * its class; one that has the predicate among its operands is as near as to any result. */
static inline void sm_scoreboard_set_predicates(const struct sm_scoreboard *scoreboard, struct sm_scoreboard_warp *w,
                                                const struct mnp_static_instruction *instruction, uint64_t result,
                                                uint64_t cycle)
{
    uint64_t ready = sm_later(cycle + scoreboard->predicate_latency, result >> SM_PIPE_BITS);
    if (instruction->flags & MNP_FLAG_BRANCH)
        return;
    w->last_predicate = result;
    if (ready > w->predicates)
        w->predicates = ready;
}

/* Lanes in which the warp's last instruction executed; 0: they say nothing of the next one. */
static inline void sm_scoreboard_set_active(struct sm_scoreboard_warp *w, uint32_t lanes)
{
    w->active = lanes;
}

/* Lanes that the warp's last instruction had and an instruction with this mask has lost, perhaps to a guard. */
static inline uint32_t sm_scoreboard_lost(const struct sm_scoreboard_warp *w, uint32_t mask)
{
    return w->active & ~mask;
}

/* ===== the next instruction ===== */

/* scoreboard.c: rare cases. */
uint64_t sm_scoreboard_latest(const struct sm_scoreboard *scoreboard, const uint64_t *ready,
                              const struct mnp_static_instruction *instruction, uint64_t at);
bool sm_scoreboard_waits_for_readers(const struct sm_scoreboard *scoreboard, uint32_t warp,
                                     const struct mnp_static_instruction *instruction);

/* The cycle from which the registers of an instruction may be read and written, `at` at the earliest, or SM_PENDING.
 * `ready`: the warp's words. */
static inline uint64_t sm_scoreboard_registers(const struct sm_scoreboard *scoreboard, const uint64_t *ready,
                                               const struct sm_scoreboard_warp *w, uint32_t warp,
                                               const struct mnp_static_instruction *instruction, uint64_t at)
{
    if (instruction->narrow) { /* how many registers there are cannot be predicted by the host: it looks at four */
        const struct sm_reader *reader = &scoreboard->reader[instruction->class];
        uint64_t flip = reader->flip, word = ready[instruction->destination.first] ^ flip;
        word = sm_later(word, ready[instruction->source[0].first] ^ flip);
        word = sm_later(word, ready[instruction->source[1].first] ^ flip);
        word = sm_later(word, ready[instruction->source[2].first] ^ flip);
        at = sm_later(at, (word + reader->add) >> SM_PIPE_BITS);
    } else {
        at = sm_scoreboard_latest(scoreboard, ready, instruction, at);
    }
    if (w->readers && sm_scoreboard_waits_for_readers(scoreboard, warp, instruction))
        return SM_PENDING;
    return at;
}

static inline uint64_t sm_scoreboard_ready(const struct sm_scoreboard *scoreboard, const struct sm_scoreboard_warp *w,
                                           uint32_t warp, const struct mnp_static_instruction *instruction, uint64_t at,
                                           uint64_t cycle, struct sm_outlook *outlook)
{
    (void)cycle;
    outlook->final = true; /* the warp alone writes its registers; what is not known yet is SM_PENDING */
    return sm_scoreboard_registers(scoreboard, sm_scoreboard_words(scoreboard, warp), w, warp, instruction, at);
}

#endif
