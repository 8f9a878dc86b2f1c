/* SPDX-License-Identifier: BSD-3-Clause */
/* Branches, calls, barriers, fences, and operations that the lanes of a warp perform together. */
#include "contract/instruction.h"
#include "frontend/ptx/compile/decode.h"

#include <string.h>

static bool opcode_is(const struct ptx_decoder *decoder, const char *text)
{
    return strlen(text) == decoder->words[0].length && memcmp(text, decoder->words[0].text, strlen(text)) == 0;
}

static bool label_of(struct ptx_decoder *decoder, uint32_t statement, uint32_t *label)
{
    *label = statement;
    return statement <= decoder->function->statement_count ||
           ptx_decode_fail(decoder, "this label lies in another function");
}

static bool decode_indexed(struct ptx_decoder *decoder)
{
    const struct ptx_operand *list = ptx_operand_of(decoder, 1);
    uint32_t index;
    if (!ptx_take_word(decoder, "idx") || !list || list->kind != PTX_OPERAND_LIST)
        return ptx_decode_fail(decoder, "its form is brx.idx index, targets");
    if (!ptx_source(decoder, ptx_operand_of(decoder, 0), EXECUTE_u32, &index))
        return false;
    const struct ptx_list *targets = (struct ptx_list *)decoder->module->lists.items + list->index;
    const uint32_t *items = (uint32_t *)decoder->module->list_items.items + targets->first;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_BRANCH_INDEXED);
    op->a = index;
    op->flags = EXECUTE_OP_READS_A;
    op->target = decoder->code->targets.count;
    op->immediate = targets->count;
    for (uint32_t i = 0; i < targets->count; i++) {
        uint32_t label;
        if (!label_of(decoder, items[i], &label))
            return false;
        *(uint32_t *)mnp_array_add(&decoder->code->targets, 1, sizeof label) = label;
    }
    ptx_take_word(decoder, "uni");
    return ptx_all_taken(decoder);
}

bool ptx_decode_branch(struct ptx_decoder *decoder)
{
    ptx_take_word(decoder, "uni");
    if (opcode_is(decoder, "brx"))
        return decode_indexed(decoder);
    if (opcode_is(decoder, "bra")) {
        const struct ptx_operand *target = ptx_operand_of(decoder, 0);
        uint32_t label;
        if (!target || target->kind != PTX_OPERAND_LABEL || target->memory)
            return ptx_decode_fail(decoder, "a label is needed");
        if (!ptx_operand_count_is(decoder, 1, 1))
            return false;
        if (!label_of(decoder, target->index, &label))
            return false;
        struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_BRANCH);
        op->target = label;
        return ptx_all_taken(decoder);
    }
    if (!ptx_operand_count_is(decoder, 0, 0))
        return false;
    if (opcode_is(decoder, "ret")) { /* a branch to the function's end, where all lanes meet */
        struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_BRANCH);
        op->target = decoder->function->statement_count;
    } else {
        ptx_emit(decoder, opcode_is(decoder, "exit") ? EXECUTE_KIND_EXIT : EXECUTE_KIND_TRAP);
    }
    return ptx_all_taken(decoder);
}

/* ===== calls ===== */

static bool add_transfers(struct ptx_decoder *decoder, const struct ptx_operand *list)
{
    for (uint32_t i = 0; list && i < list->count; i++) {
        const struct ptx_operand *element = ptx_operand_at(decoder->module, list->index + i);
        if (element->kind == PTX_OPERAND_SINK)
            continue;
        if (element->kind != PTX_OPERAND_VARIABLE || !ptx_is_frame_variable(decoder, element->index))
            return ptx_decode_fail(decoder, "arguments and results of a call are .param variables");
        struct execute_transfer *transfer = mnp_array_add(&decoder->code->transfers, 1, sizeof *transfer);
        transfer->offset = decoder->frame_offset[element->index];
        transfer->bytes = (uint32_t)ptx_variable_at(decoder->module, element->index)->bytes;
    }
    return true;
}

static const struct {
    const char *name;
    enum execute_system function;
    uint32_t arguments, results;
} system_functions[] = {{"vprintf", EXECUTE_SYSTEM_PRINTF, 2, 1},
                        {"__assertfail", EXECUTE_SYSTEM_ASSERT, 5, 0},
                        {"malloc", EXECUTE_SYSTEM_MALLOC, 1, 1},
                        {"free", EXECUTE_SYSTEM_FREE, 1, 0}};

static bool fail_undefined(struct ptx_decoder *decoder, const char *name)
{
    if (execute_launches_kernels(name))
        return ptx_decode_fail(decoder,
                               "`%s`: launches from kernels (dynamic parallelism) are not supported; launch the kernel "
                               "from the host",
                               name);
    return ptx_decode_fail(decoder, "`%s` is defined nowhere; link the module that has it", name);
}

static bool decode_target(struct ptx_decoder *decoder, const struct ptx_operand *target, struct execute_call *call,
                          enum execute_kind *kind, uint8_t *variant)
{
    *kind = EXECUTE_KIND_CALL;
    call->callee = PTX_NONE;
    if (target->kind != PTX_OPERAND_FUNCTION)
        return true;
    const struct ptx_function *function = ptx_function_at(decoder->module, target->index);
    if (function->entry)
        return ptx_decode_fail(decoder, "`%s` is a kernel, which cannot be called; declare it .func",
                               ptx_name_text(decoder->module, function->name));
    if (function->defined) {
        call->callee = ptx_code_add_function(decoder->code, target->index);
        uint32_t arguments = function->parameter_count, results = function->result_count;
        return (arguments == call->argument_count && results == call->result_count) ||
               ptx_decode_fail(decoder, "`%s` has %u parameters and %u results",
                               ptx_name_text(decoder->module, function->name), arguments, results);
    }
    for (size_t i = 0; i < sizeof system_functions / sizeof *system_functions; i++) {
        if (strcmp(system_functions[i].name, ptx_name_text(decoder->module, function->name)) != 0)
            continue;
        *kind = EXECUTE_KIND_SYSTEM;
        *variant = (uint8_t)system_functions[i].function;
        return (call->argument_count == system_functions[i].arguments &&
                call->result_count <= system_functions[i].results) ||
               ptx_decode_fail(decoder, "%s has other parameters", system_functions[i].name);
    }
    return fail_undefined(decoder, ptx_name_text(decoder->module, function->name));
}

/* call (results), target, (arguments), prototype; */
bool ptx_decode_call(struct ptx_decoder *decoder)
{
    uint32_t number = 0, a = EXECUTE_NO_REF;
    const struct ptx_operand *results = ptx_operand_of(decoder, 0);
    ptx_take_word(decoder, "uni");
    if (results && results->kind == PTX_OPERAND_VECTOR)
        number++;
    else
        results = NULL;
    const struct ptx_operand *target = ptx_operand_of(decoder, number++), *arguments = ptx_operand_of(decoder, number);
    if (!target || (target->kind != PTX_OPERAND_FUNCTION && target->kind != PTX_OPERAND_REGISTER))
        return ptx_decode_fail(decoder, "a function's name or a register is needed");
    arguments = arguments && arguments->kind == PTX_OPERAND_VECTOR ? arguments : NULL;
    struct execute_call call = {.first_transfer = decoder->code->transfers.count};
    if (!add_transfers(decoder, results))
        return false;
    call.result_count = decoder->code->transfers.count - call.first_transfer;
    if (!add_transfers(decoder, arguments))
        return false;
    call.argument_count = decoder->code->transfers.count - call.first_transfer - call.result_count;
    enum execute_kind kind;
    uint8_t variant = 0;
    if (!decode_target(decoder, target, &call, &kind, &variant))
        return false;
    if (target->kind == PTX_OPERAND_REGISTER && !ptx_source(decoder, target, EXECUTE_u64, &a))
        return false;
    decoder->any_function |= a != EXECUTE_NO_REF;
    struct execute_op *op = ptx_emit(decoder, kind);
    op->variant = variant;
    op->a = a;
    op->flags = a != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0;
    op->target = decoder->code->calls.count;
    *(struct execute_call *)mnp_array_add(&decoder->code->calls, 1, sizeof call) = call;
    return ptx_all_taken(decoder);
}

/* ===== barriers, fences ===== */

/* Notes that lanes wait for one another here. False: for all of the warp, which nothing has to say. */
static bool names_members(struct ptx_decoder *decoder, const struct ptx_operand *mask)
{
    decoder->code->names_members = true;
    return mask && (mask->kind != PTX_OPERAND_INTEGER || (uint32_t)mask->value != UINT32_MAX);
}

static bool barrier_operands(struct ptx_decoder *decoder, struct execute_op *shape, bool reduces, bool warp)
{
    uint32_t number = reduces ? 1 : 0, count = decoder->statement->operand_count;
    if (warp) {
        shape->flags |= names_members(decoder, ptx_operand_of(decoder, 0)) ? EXECUTE_OP_READS_A : 0;
        return ptx_operand_count_is(decoder, 1, 1) &&
               ptx_source(decoder, ptx_operand_of(decoder, 0), EXECUTE_b32, &shape->a);
    }
    if (!ptx_operand_count_is(decoder, 1 + 2 * reduces, 2 + 2 * reduces) ||
        !ptx_source(decoder, ptx_operand_of(decoder, number), EXECUTE_u32, &shape->a))
        return false;
    shape->flags |= EXECUTE_OP_READS_A;
    if (count == 2u + 2 * reduces) {
        if (!ptx_source(decoder, ptx_operand_of(decoder, number + 1), EXECUTE_u32, &shape->b))
            return false;
        shape->flags |= EXECUTE_OP_READS_B;
    }
    if (!reduces)
        return true;
    const struct ptx_operand *predicate = ptx_operand_of(decoder, count - 1);
    shape->flags |= (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_C | (predicate->negated ? EXECUTE_OP_FLIP_C : 0));
    enum execute_type type = shape->variant == EXECUTE_BARRIER_POPC ? EXECUTE_u32 : EXECUTE_pred;
    shape->size = shape->variant == EXECUTE_BARRIER_POPC ? 4 : 0;
    return ptx_predicate(decoder, predicate, &shape->c) &&
           ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &shape->d);
}

bool ptx_decode_barrier(struct ptx_decoder *decoder)
{
    struct execute_op shape = {.a = EXECUTE_NO_REF, .b = EXECUTE_NO_REF, .c = EXECUTE_NO_REF, .d = EXECUTE_NO_REF};
    if (ptx_take_word(decoder, "cluster"))
        return ptx_decode_cluster_barrier(decoder);
    ptx_take_word(decoder, "cta");
    bool warp = ptx_take_word(decoder, "warp"), reduces = ptx_take_word(decoder, "red");
    ptx_take_word(decoder, "aligned");
    if (reduces)
        shape.variant = ptx_take_word(decoder, "popc")  ? EXECUTE_BARRIER_POPC
                        : ptx_take_word(decoder, "and") ? EXECUTE_BARRIER_AND
                        : ptx_take_word(decoder, "or")  ? EXECUTE_BARRIER_OR
                                                        : EXECUTE_BARRIER_SYNC;
    else
        shape.variant = ptx_take_word(decoder, "arrive") ? EXECUTE_BARRIER_ARRIVE : EXECUTE_BARRIER_SYNC;
    if (!reduces && shape.variant == EXECUTE_BARRIER_SYNC && !ptx_take_word(decoder, "sync"))
        return ptx_decode_fail(decoder, "it needs .sync, .arrive or .red");
    if (reduces && shape.variant == EXECUTE_BARRIER_SYNC)
        return ptx_decode_fail(decoder, "a reduction is .popc, .and or .or");
    ptx_take_word(decoder, "aligned");
    if (!barrier_operands(decoder, &shape, reduces, warp))
        return false;
    if (shape.variant == EXECUTE_BARRIER_ARRIVE && shape.b == EXECUTE_NO_REF)
        return ptx_decode_fail(decoder, "an arrival needs the number of threads");
    struct execute_op *op = ptx_emit(decoder, warp ? EXECUTE_KIND_NOTHING : EXECUTE_KIND_BARRIER);
    op->variant = warp ? EXECUTE_NOTHING_WARP : shape.variant;
    op->size = shape.size;
    op->d = shape.d;
    op->a = shape.a;
    op->b = shape.b;
    op->c = shape.c;
    op->flags = shape.flags;
    return ptx_all_taken(decoder);
}

bool ptx_decode_fence(struct ptx_decoder *decoder)
{
    static const char *const words[] = {"cta",
                                        "cluster",
                                        "gpu",
                                        "sys",
                                        "gl",
                                        "sc",
                                        "acq_rel",
                                        "acquire",
                                        "release",
                                        "proxy",
                                        "async",
                                        "async::generic",
                                        "tensormap::generic",
                                        "async::global",
                                        "async::shared::cta",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "sync_restrict::shared::cta",
                                        "sync_restrict::shared::cluster",
                                        "alias",
                                        "mbarrier_init"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        ptx_take_word(decoder, words[i]);
    uint32_t operands = ptx_has_word(decoder, "tensormap::generic") && ptx_has_word(decoder, "acquire") ? 2 : 0;
    static const char *const scopes[] = {"cluster", "gpu", "gl", "sys"};
    bool wide = false;
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        wide |= ptx_has_word(decoder, scopes[i]);
    wide &= !ptx_has_word(decoder, "proxy") && !ptx_has_word(decoder, "mbarrier_init");
    uint8_t forgets = ptx_has_word(decoder, "release") ? 0 : MNP_FENCE_FORGETS;
    ptx_emit(decoder, EXECUTE_KIND_FENCE)->variant = wide ? MNP_FENCE_FAR | forgets : 0;
    return ptx_operand_count_is(decoder, operands, operands) && ptx_all_taken(decoder);
}

/* ===== warps ===== */

static bool decode_shuffle(struct ptx_decoder *decoder)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    uint32_t mode = 0, number = 1, d, p = EXECUTE_NO_REF, refs[3], mask = EXECUTE_NO_REF;
    bool sync = ptx_take_word(decoder, "sync");
    while (mode < 4 && !ptx_take_word(decoder, modes[mode]))
        mode++;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    if (mode == 4 || decoder->type_count != 1 || execute_type_bytes(decoder->types[0]) != 4 || !first)
        return ptx_decode_fail(decoder, "its form is shfl.sync.{up,down,bfly,idx}.b32");
    if (first->paired && !ptx_destination(decoder, ptx_operand_of(decoder, number++), EXECUTE_pred, &p))
        return false;
    if (!ptx_operand_count_is(decoder, number + 3 + sync, number + 3 + sync))
        return false;
    for (uint32_t i = 0; i < 3; i++)
        if (!ptx_source(decoder, ptx_operand_of(decoder, number + i), EXECUTE_b32, &refs[i]))
            return false;
    if ((sync && !ptx_source(decoder, ptx_operand_of(decoder, number + 3), EXECUTE_b32, &mask)) ||
        !ptx_destination(decoder, first, EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_SHUFFLE);
    op->variant = (uint8_t)mode;
    op->size = 4;
    op->d = d;
    op->a = refs[0];
    op->b = refs[1];
    op->c = refs[2];
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B | EXECUTE_OP_READS_C;
    bool named = sync && names_members(decoder, ptx_operand_of(decoder, number + 3));
    op->list_results = p != EXECUTE_NO_REF;
    op->list_sources = named;
    if (p != EXECUTE_NO_REF)
        op->list = ptx_list_add(decoder, p);
    if (named && p != EXECUTE_NO_REF)
        ptx_list_add(decoder, mask);
    else if (named)
        op->list = ptx_list_add(decoder, mask);
    return ptx_all_taken(decoder);
}

static bool decode_vote(struct ptx_decoder *decoder)
{
    enum { BALLOT = 3 };
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    static const uint8_t functions[] = {EXECUTE_WORDS_vote_all, EXECUTE_WORDS_vote_any, EXECUTE_WORDS_vote_eq,
                                        EXECUTE_WORDS_vote_any};
    uint32_t mode = 0, d, a, mask = EXECUTE_NO_REF;
    bool sync = ptx_take_word(decoder, "sync");
    while (mode < 4 && !ptx_take_word(decoder, modes[mode]))
        mode++;
    const struct ptx_operand *source = ptx_operand_of(decoder, 1);
    if (mode == 4 || decoder->type_count != 1 || !ptx_operand_count_is(decoder, 2 + sync, 2 + sync))
        return ptx_decode_fail(decoder, "its form is vote.sync.{all,any,uni}.pred or vote.sync.ballot.b32");
    enum execute_type type = mode == BALLOT ? EXECUTE_b32 : EXECUTE_pred;
    if ((enum execute_type)decoder->types[0] != type)
        return ptx_decode_fail(decoder, "its result is .%s", execute_type_name(type));
    if (!ptx_predicate(decoder, source, &a) || !ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &d) ||
        (sync && !ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_b32, &mask)))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_VOTE);
    op->words = decoder->table->functions[functions[mode]];
    op->size = mode == BALLOT ? 4 : 0;
    op->d = d;
    op->a = a;
    op->b = mask;
    decoder->code->names_members |= sync;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | (sync ? EXECUTE_OP_READS_B : 0) |
                          (source->negated ? EXECUTE_OP_FLIP_A : 0));
    return ptx_all_taken(decoder);
}

static bool decode_match(struct ptx_decoder *decoder)
{
    bool all = ptx_take_word(decoder, "all"), any = ptx_take_word(decoder, "any");
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    uint32_t number = 1, d, p = EXECUTE_NO_REF, a, mask;
    if (all == any || !ptx_take_word(decoder, "sync") || decoder->type_count != 1 || !first ||
        (decoder->types[0] != EXECUTE_b32 && decoder->types[0] != EXECUTE_b64))
        return ptx_decode_fail(decoder, "its form is match.{any,all}.sync.{b32,b64}");
    if (first->paired && !ptx_destination(decoder, ptx_operand_of(decoder, number++), EXECUTE_pred, &p))
        return false;
    if (!ptx_operand_count_is(decoder, number + 2, number + 2) ||
        !ptx_source(decoder, ptx_operand_of(decoder, number), decoder->types[0], &a) ||
        !ptx_source(decoder, ptx_operand_of(decoder, number + 1), EXECUTE_b32, &mask) ||
        !ptx_destination(decoder, first, EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_MATCH);
    op->words = decoder->table->functions[all ? EXECUTE_WORDS_match_all : EXECUTE_WORDS_match_any];
    op->immediate = decoder->types[0] == EXECUTE_b64 ? EXECUTE_WORDS_LARGE | EXECUTE_WORDS_WHOLE : 0;
    decoder->code->names_members = true;
    op->size = 4;
    op->d = d;
    op->a = a;
    op->b = mask;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    if (p != EXECUTE_NO_REF) {
        op->list_results = 1;
        op->list = ptx_list_add(decoder, p);
    }
    return ptx_all_taken(decoder);
}

static bool decode_redux(struct ptx_decoder *decoder)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor"};
    static const uint8_t functions[] = {EXECUTE_WORDS_redux_sum, EXECUTE_WORDS_redux_min, EXECUTE_WORDS_redux_max,
                                        EXECUTE_WORDS_redux_and, EXECUTE_WORDS_redux_or,  EXECUTE_WORDS_redux_xor};
    uint32_t chosen = 0, d, a, mask;
    if (!ptx_take_word(decoder, "sync") || decoder->type_count != 1 || !ptx_operand_count_is(decoder, 3, 3))
        return ptx_decode_fail(decoder, "its form is redux.sync.operation.type");
    while (chosen < 6 && !ptx_take_word(decoder, names[chosen]))
        chosen++;
    enum execute_type type = (enum execute_type)decoder->types[0];
    bool logic = chosen >= 3, extreme = chosen == 1 || chosen == 2, single = type == EXECUTE_f32;
    bool sizes = single && ptx_take_word(decoder, "abs"), nan = single && ptx_take_word(decoder, "NaN");
    if (chosen == 6 || (logic ? type != EXECUTE_b32 : single ? !extreme : type != EXECUTE_u32 && type != EXECUTE_s32))
        return ptx_decode_fail(decoder, "this operation with this type is not supported");
    if (!ptx_source(decoder, ptx_operand_of(decoder, 1), type, &a) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_b32, &mask) ||
        !ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_REDUX);
    op->words = decoder->table->functions[single ? EXECUTE_WORDS_redux_single : functions[chosen]];
    op->immediate = (type == EXECUTE_s32 ? EXECUTE_WORDS_SIGNED : 0) | (sizes ? EXECUTE_WORDS_ABSOLUTE_A : 0) |
                    (nan ? EXECUTE_WORDS_NAN : 0) | (single && chosen == 2 ? EXECUTE_WORDS_MOST : 0);
    decoder->code->names_members = true;
    op->size = 4;
    op->d = d;
    op->a = a;
    op->b = mask;
    op->flags = EXECUTE_OP_WRITES_D | EXECUTE_OP_READS_A | EXECUTE_OP_READS_B;
    return ptx_all_taken(decoder);
}

bool ptx_decode_warp(struct ptx_decoder *decoder)
{
    if (opcode_is(decoder, "shfl"))
        return decode_shuffle(decoder);
    if (opcode_is(decoder, "vote"))
        return decode_vote(decoder);
    if (opcode_is(decoder, "match"))
        return decode_match(decoder);
    if (opcode_is(decoder, "redux"))
        return decode_redux(decoder);
    bool elect = opcode_is(decoder, "elect");
    const struct ptx_operand *first = ptx_operand_of(decoder, 0);
    uint32_t d, p = EXECUTE_NO_REF, mask = EXECUTE_NO_REF;
    if (elect && (!ptx_take_word(decoder, "sync") || !first || !first->paired || !ptx_operand_count_is(decoder, 3, 3) ||
                  !ptx_destination(decoder, ptx_operand_of(decoder, 1), EXECUTE_pred, &p) ||
                  !ptx_source(decoder, ptx_operand_of(decoder, 2), EXECUTE_b32, &mask)))
        return ptx_decode_fail(decoder, "its form is elect.sync d|p, mask");
    if (!elect && !ptx_operand_count_is(decoder, 1, 1))
        return false;
    if (!ptx_destination(decoder, first, EXECUTE_b32, &d))
        return false;
    struct execute_op *op = ptx_emit(decoder, elect ? EXECUTE_KIND_ELECT : EXECUTE_KIND_ACTIVE_MASK);
    op->words = elect ? decoder->table->functions[EXECUTE_WORDS_elect] : NULL;
    op->size = 4;
    op->d = d;
    op->b = mask;
    op->flags = (uint8_t)(EXECUTE_OP_WRITES_D | (elect ? EXECUTE_OP_READS_B : 0));
    decoder->code->names_members |= elect;
    if (elect) {
        op->list_results = 1;
        op->list = ptx_list_add(decoder, p);
    }
    return ptx_all_taken(decoder);
}
