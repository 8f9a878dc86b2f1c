/* SPDX-License-Identifier: BSD-3-Clause */
/* The interpreter's loop, with the instructions that programs mostly consist of. */
#include "manycore/core/access.h"

MNP_APART void manycore_core_answer(struct manycore_core *core, const struct manycore_request *reply, uint64_t cycle)
{
    core->answers[core->beats++] = reply->data;
    if (core->request.action == MANYCORE_READ_EXCLUSIVE) {
        core->version = reply->version;
        core->mark = reply->mark;
    }
    core->clock = cycle;
    core->repeats = 1;
    core->pause = MANYCORE_RUNNING;
}

MNP_APART void manycore_core_serve(struct manycore_core *core, uint32_t value, uint64_t cycle)
{
    core->r[0] = value;
    core->r[15] += 4;
    core->clock = cycle;
    core->pause = MANYCORE_RUNNING;
}

/* The stretch of code that an address lies in. */
MNP_DEVICE static const struct manycore_code *find_code(const struct manycore_image *image, uint32_t address)
{
    for (uint32_t i = 0; i < image->code_count; i++)
        if ((address - image->code[i].address) / 4 < image->code[i].words)
            return &image->code[i];
    return NULL;
}

MNP_APART bool manycore_core_decides(const struct manycore_core *core, const struct manycore_place *place)
{
    const struct manycore_code *code = find_code(place->image, core->r[15]);
    return !code || !(code->ops[(core->r[15] - code->address) / 4].flags & A32_COUNTED);
}

/* A fetch from another line than the one before. */
MNP_DEVICE static void fetch_line(struct manycore_core *core, const struct manycore_place *place, uint32_t line)
{
    struct manycore_lookup found =
        manycore_tags_look(place->instruction_shape, &place->instruction_tags, &core->instruction_cache, line, false);
    core->clock += found.cycles - place->instruction_shape->hit; /* the hit's cycles come with each instruction */
    core->cache_cycles += found.cycles - place->instruction_shape->hit;
    core->fetch_line = line + 1;
}

MNP_INLINE static enum a32_result load_into(struct manycore_core *core, const struct manycore_place *place,
                                            const struct a32_op *op, uint32_t address, uint32_t bytes)
{
    uint32_t value;
    enum a32_result result = manycore_load(core, place, address, bytes, &value);
    if (__builtin_expect(result == A32_NEXT, 1)) {
        core->r[op->d] = value;
        core->loaded = 1u << op->d;
    }
    return result;
}

#define LOGICAL_FLAGS                                                                                                  \
    core->flags.n = core->flags.z = result;                                                                            \
    core->flags.c = carry;
#define PUT r[op->d] = result;
#define OPERAND_0                                                                                                      \
    b = op->value;                                                                                                     \
    carry = op->flags & A32_CARRY_OUT_IMMEDIATE ? b >> 31 : core->flags.c;
#define OPERAND_1                                                                                                      \
    b = r[op->m];                                                                                                      \
    carry = core->flags.c;
#define OPERAND_2                                                                                                      \
    carry = core->flags.c;                                                                                             \
    b = a32_shift(r[op->m], op->shift, &carry);
#define OPERAND_3                                                                                                      \
    carry = core->flags.c;                                                                                             \
    b = a32_shift_by_register(r[op->m], op->shift & 3, r[op->s], &carry);
#define CASE(OPCODE, FORM, FLAGS, ...)                                                                                 \
    case A32_DATA(OPCODE, FORM, FLAGS): {                                                                              \
        OPERAND_##FORM uint32_t a = r[op->n];                                                                          \
        (void)a;                                                                                                       \
        (void)carry;                                                                                                   \
        __VA_ARGS__                                                                                                    \
        break;                                                                                                         \
    }
#define FORMS(OPCODE, FLAGS, ...)                                                                                      \
    CASE(OPCODE, 0, FLAGS, __VA_ARGS__)                                                                                \
    CASE(OPCODE, 1, FLAGS, __VA_ARGS__)                                                                                \
    CASE(OPCODE, 2, FLAGS, __VA_ARGS__)                                                                                \
    CASE(OPCODE, 3, FLAGS, __VA_ARGS__)
#define LOGICAL(OPCODE, VALUE)                                                                                         \
    FORMS(OPCODE, 0, uint32_t result = (VALUE); PUT)                                                                   \
    FORMS(OPCODE, 1, uint32_t result = (VALUE); PUT LOGICAL_FLAGS)
#define TEST(OPCODE, VALUE) FORMS(OPCODE, 1, uint32_t result = (VALUE); LOGICAL_FLAGS)
#define ARITHMETIC(OPCODE, A, B, CARRY)                                                                                \
    FORMS(OPCODE, 0, uint32_t result = (A) + (B) + (CARRY); PUT)                                                       \
    FORMS(OPCODE, 1, uint32_t result = a32_add(&core->flags, A, B, CARRY); PUT)

#define DATA_PROCESSING                                                                                                \
    LOGICAL(A32_AND, a &b)                                                                                             \
    LOGICAL(A32_EOR, a ^ b)                                                                                            \
    ARITHMETIC(A32_SUB, a, ~b, 1)                                                                                      \
    ARITHMETIC(A32_RSB, b, ~a, 1)                                                                                      \
    ARITHMETIC(A32_ADD, a, b, 0)                                                                                       \
    ARITHMETIC(A32_ADC, a, b, core->flags.c)                                                                           \
    ARITHMETIC(A32_SBC, a, ~b, core->flags.c)                                                                          \
    ARITHMETIC(A32_RSC, b, ~a, core->flags.c)                                                                          \
    TEST(A32_TST, a &b)                                                                                                \
    TEST(A32_TEQ, a ^ b)                                                                                               \
    FORMS(A32_CMP, 1, a32_add(&core->flags, a, ~b, 1);)                                                                \
    FORMS(A32_CMN, 1, a32_add(&core->flags, a, b, 0);)                                                                 \
    LOGICAL(A32_ORR, a | b)                                                                                            \
    LOGICAL(A32_MOV, b)                                                                                                \
    LOGICAL(A32_BIC, a & ~b)                                                                                           \
    LOGICAL(A32_MVN, ~b)

/* Data processing into the pc: the result of the same instruction into r15, which stays in A32 state. */
MNP_APART static enum a32_result process_to_pc(struct manycore_core *core, const struct a32_op *op)
{
    uint32_t *r = core->r, b, carry;
    switch (op->s) { /* the decoder has put the handler of the same instruction there */
        DATA_PROCESSING
    default:
        break;
    }
    r[15] &= ~3u;
    return A32_BRANCHED;
}

MNP_INLINE static enum a32_result step(struct manycore_core *core, const struct manycore_place *place,
                                       const struct a32_op *op)
{
    uint32_t *r = core->r, b, carry;
    enum a32_result done;
    switch (op->handler) {
        DATA_PROCESSING
    case A32_DATA_TO_PC:
        return process_to_pc(core, op);
    case A32_BRANCH_LINK:
        r[14] = r[15] - 4;
        r[15] = op->value;
        return A32_BRANCHED;
    case A32_BRANCH:
        r[15] = op->value;
        return A32_BRANCHED;
    case A32_LDR:
        return load_into(core, place, op, r[op->n] + op->value, 4);
    case A32_LDR_REGISTER:
        return load_into(core, place, op, r[op->n] + (r[op->m] << (op->shift >> 2)), 4);
    case A32_LDRB:
        return load_into(core, place, op, r[op->n] + op->value, 1);
    case A32_LDR_PRE:
        done = load_into(core, place, op, r[op->n] + op->value, 4);
        r[op->n] += done == A32_NEXT ? op->value : 0;
        return done;
    case A32_STR_PRE:
        done = manycore_store(core, place, r[op->n] + op->value, 4, r[op->d]);
        r[op->n] += done == A32_NEXT ? op->value : 0;
        return done;
    case A32_LDR_POST:
        done = load_into(core, place, op, r[op->n], 4);
        r[op->n] += done == A32_NEXT ? op->value : 0;
        return done;
    case A32_STR:
        return manycore_store(core, place, r[op->n] + op->value, 4, r[op->d]);
    case A32_STRB:
        return manycore_store(core, place, r[op->n] + op->value, 1, r[op->d]);
    case A32_STR_POST:
        done = manycore_store(core, place, r[op->n], 4, r[op->d]);
        r[op->n] += done == A32_NEXT ? op->value : 0;
        return done;
    case A32_MUL:
    case A32_MLA:
        b = r[op->m] * r[op->s] + (op->handler == A32_MLA ? r[op->d] : 0);
        r[op->n] = b;
        if (op->flags & A32_SET_FLAGS)
            core->flags.n = core->flags.z = b;
        core->clock += place->timing->multiply - 1;
        return A32_NEXT;
    default:
        return manycore_execute(core, place, op);
    }
    return A32_NEXT;
}

/* Adds the cost of an instruction's fetch and first stage, and counts the instruction. */
MNP_INLINE static void begin(struct manycore_core *core, const struct manycore_place *place,
                             const struct manycore_code *code, const struct a32_op *op, uint32_t pc)
{
    if (place->instruction_shape && !code->scratchpad) {
        uint32_t line = pc >> place->instruction_shape->line_shift;
        core->clock += place->instruction_shape->hit - 1;
        if (line + 1 != core->fetch_line)
            fetch_line(core, place, line);
        else
            core->instruction_cache.accesses++;
    }
    if (op->uses & core->loaded) {
        core->clock += place->timing->load_use;
        core->load_use_cycles += place->timing->load_use;
    }
    core->loaded = 0;
    core->mix[op->mix]++;
}

/* ===== translated code ===== */

MNP_DEVICE static uint32_t fetch_translated(struct manycore_core *core, const struct manycore_place *place,
                                            uint32_t line)
{
    struct manycore_lookup found =
        manycore_tags_look(place->instruction_shape, &place->instruction_tags, &core->instruction_cache, line, false);
    core->instruction_cache.accesses--; /* counted with its instruction */
    core->cache_cycles += found.cycles - place->instruction_shape->hit;
    return found.cycles - place->instruction_shape->hit;
}

MNP_DEVICE static uint32_t touch_translated(struct manycore_core *core, const struct manycore_place *place,
                                            uint32_t line, uint32_t write)
{
    struct manycore_lookup found =
        manycore_tags_look(place->data_shape, &place->data_tags, &core->data_cache, line, write);
    core->data_cache.accesses--; /* the same */
    core->cache_cycles += found.cycles - place->data_shape->hit;
    return found.cycles - 1;
}

/* Runs translated code as far as it goes from the pc. */
MNP_DEVICE static void run_translated(struct manycore_core *core, const struct manycore_place *place, uint64_t until)
{
    const struct manycore_helpers helpers = {fetch_translated, touch_translated};
    for (uint32_t more = 1; more;) {
        const struct manycore_code *code = find_code(place->image, core->r[15]);
        manycore_translated *run = code ? code->entries[(core->r[15] - code->address) / 4] : NULL;
        if (!run)
            break;
        more = run(core, place, until, &helpers);
    }
}

/* ===== the interpreter ===== */

/* The pc has left the program's code: counted as by what stands behind the last instruction of a stretch (A32_END),
 * which translated code does not come to. */
MNP_DEVICE static __attribute__((noinline)) void leave_code(struct manycore_core *core,
                                                            const struct manycore_place *place, uint32_t pc)
{
    const struct manycore_code nowhere = {0}, *before = find_code(place->image, pc - 4);
    const struct a32_op end = a32_end();
    begin(core, place, before ? before : &nowhere, &end, pc);
    manycore_fault(core, MANYCORE_FAULT_FETCH, 0);
}

/* With `bridge` it ends at the next place where translated code begins, but executes one instruction. */
MNP_STEP static enum manycore_pause interpret(struct manycore_core *core, const struct manycore_place *place,
                                              uint64_t until, bool bridge)
{
    const struct manycore_code *code = NULL;
    const struct a32_op *op = NULL;
    uint32_t pc = core->r[15];
    enum a32_result result = A32_BRANCHED;
    bool first = true;
    for (; until > core->clock; core->clock++) {
        if (result == A32_BRANCHED) {
            pc = core->r[15];
            if (!code || __builtin_expect((pc - code->address) / 4 >= code->words, 0))
                code = find_code(place->image, pc);
            if (!code) {
                leave_code(core, place, pc);
                return MANYCORE_FAULTED;
            }
            op = &code->ops[(pc - code->address) / 4];
        }
        if (bridge && !first && code->entries[op - code->ops])
            return MANYCORE_RUNNING;
        first = false;
        core->r[15] = pc + 8;
        if (__builtin_expect(core->repeats, 0))
            core->repeats = 0;
        else
            begin(core, place, code, op, pc);
        core->beat = 0;
        result = A32_NEXT;
        if (op->condition == 14 || a32_holds(&core->flags, op->condition))
            result = step(core, place, op);
        if (__builtin_expect(result == A32_PAUSED, 0)) {
            core->r[15] = pc;
            return (enum manycore_pause)core->pause;
        }
        core->beats = 0;
        if (result == A32_BRANCHED) {
            core->clock += place->timing->branch;
            core->branch_cycles += place->timing->branch;
        } else {
            op++;
            pc += 4;
            core->r[15] = pc;
        }
    }
    return MANYCORE_RUNNING;
}

/* Translated code and the interpreter in turns. */
MNP_DEVICE static enum manycore_pause run_mixed(struct manycore_core *core, const struct manycore_place *place,
                                                uint64_t until)
{
    enum manycore_pause pause = MANYCORE_RUNNING;
    while (pause == MANYCORE_RUNNING && core->clock < until) {
        if (!core->repeats)
            run_translated(core, place, until);
        pause = interpret(core, place, until, true);
    }
    return pause;
}

MNP_APART enum manycore_pause manycore_core_run(struct manycore_core *core, const struct manycore_place *place,
                                                uint64_t until)
{
    if (core->pause != MANYCORE_RUNNING)
        return (enum manycore_pause)core->pause;
    if (place->image->library)
        return run_mixed(core, place, until);
    return interpret(core, place, until, false);
}
