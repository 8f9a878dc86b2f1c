/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of the scalar interpreter: every access is performed at once, so that all orders and scopes of the memory
 * model hold. */
#include "thread.h"

#include <string.h>

/* Windows of generic addresses; a global address is generic. */
static const uint64_t windows[] = {
    [SPACE_GLOBAL] = UINT64_C(1) << 40, [SPACE_SHARED] = UINT64_C(2) << 40, [SPACE_LOCAL] = UINT64_C(3) << 40};
enum { RANK_SHIFT = 24 }; /* of a shared::cluster address: the block's rank + 1; 0 is the thread's own block */

uint64_t memory_generic(enum scalar_space space, uint64_t address, bool to)
{
    if (space == SPACE_GLOBAL)
        return address;
    return to ? address - windows[space] : address + windows[space];
}

static unsigned char *cluster_memory(struct thread *thread, uint64_t address)
{
    unsigned size = thread->run->launch->cluster, rank = (unsigned)(address >> RANK_SHIFT);
    if (!rank)
        return thread->block->shared;
    if (rank > size)
        run_fail(thread, "rank %u of a cluster of %u", rank - 1, size);
    return thread->run->blocks[thread->block->number / size * size + rank - 1].shared;
}

static enum scalar_space window_of(uint64_t address)
{
    return address >= windows[SPACE_LOCAL]    ? SPACE_LOCAL
           : address >= windows[SPACE_SHARED] ? SPACE_SHARED
                                              : SPACE_GLOBAL;
}

static unsigned char *place(struct thread *thread, enum scalar_space space, uint64_t address, unsigned size)
{
    unsigned char *base = thread->local;
    uint64_t bytes = LOCAL_BYTES;
    if (space == SPACE_GENERIC) {
        space = window_of(address);
        address = space == SPACE_GLOBAL ? address : address - windows[space];
    }
    if (space == SPACE_GLOBAL) {
        base = thread->run->launch->memory;
        bytes = thread->run->launch->bytes;
        address -= windows[SPACE_GLOBAL];
    } else if (space == SPACE_SHARED || space == SPACE_CLUSTER) {
        base = space == SPACE_CLUSTER ? cluster_memory(thread, address) : thread->block->shared;
        bytes = thread->run->module->shared_bytes;
        address &= (UINT64_C(1) << RANK_SHIFT) - 1;
    }
    if (address % size || address >= bytes || size > bytes - address)
        run_fail(thread, "access to %u bytes at 0x%llx", size, (unsigned long long)address);
    return base + address;
}

static unsigned size_of(enum scalar_type type)
{
    return type == TYPE_U8 ? 1 : type == TYPE_U16 ? 2 : type == TYPE_U64 || type == TYPE_S64 ? 8 : 4;
}

static uint64_t read(const unsigned char *from, enum scalar_type type)
{
    uint64_t value = 0;
    memcpy(&value, from, size_of(type)); /* little-endian, as the GPU is */
    return value;
}

static void write(unsigned char *to, enum scalar_type type, uint64_t value)
{
    memcpy(to, &value, size_of(type));
}

void memory_access(struct thread *thread, const struct scalar_instruction *instruction)
{
    const struct scalar_operand *operands = instruction->operands;
    enum scalar_type type = instruction->type;
    bool has_result = instruction->operation == SCALAR_LD || instruction->operation == SCALAR_ATOM;
    unsigned char *at = place(thread, instruction->space, thread_value(thread, &operands[has_result]), size_of(type));
    uint64_t old = read(at, type), b = 0;
    if (instruction->operation != SCALAR_LD)
        b = arithmetic_truncate(type, thread_value(thread, &operands[has_result + 1]));
    if (instruction->operation == SCALAR_ST)
        write(at, type, b);
    else if (instruction->words[0] == WORD_CAS)
        write(at, type, old == b ? thread_value(thread, &operands[3]) : old);
    else if (instruction->operation != SCALAR_LD)
        write(at, type, arithmetic_reduce(instruction->words[0], type, old, b));
    if (has_result)
        thread_set(thread, &operands[0], type, old);
}

/* An mbarrier of ours: expected arrivals, those that are pending, and the phase. The manual calls its layout opaque. */
enum { PENDING = 20, PHASE = 40, ARRIVALS = (1 << PENDING) - 1 };

void memory_mbarrier(struct thread *thread, const struct scalar_instruction *instruction)
{
    const struct scalar_operand *operands = instruction->operands;
    bool init = instruction->words[0] == WORD_INIT;
    unsigned char *at = place(thread, SPACE_SHARED, thread_value(thread, &operands[!init]), 8);
    uint64_t object = read(at, TYPE_U64), expected = object & ARRIVALS, pending = object >> PENDING & ARRIVALS;
    uint64_t phase = object >> PHASE;
    if (init) {
        expected = pending = thread_value(thread, &operands[1]);
        phase = 0;
    } else if (instruction->words[0] == WORD_ARRIVE) {
        thread_set(thread, &operands[0], TYPE_U64, phase);
        if (--pending == 0) {
            pending = expected;
            phase++;
        }
    } else {
        thread_set(thread, &operands[0], TYPE_PRED, phase != thread_value(thread, &operands[2]));
    }
    write(at, TYPE_U64, expected | pending << PENDING | phase << PHASE);
}
