/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads, stores, atomics, hints. */
#include "frontend/ptx/compile/check.h"

#include <string.h>

bool ptx_take_space(struct ptx_decoder *decoder, enum execute_space *space)
{
    static const struct {
        const char *word;
        enum execute_space space;
    } spaces[] = {{"global", EXECUTE_SPACE_GLOBAL},      {"shared", EXECUTE_SPACE_SHARED},
                  {"shared::cta", EXECUTE_SPACE_SHARED}, {"shared::cluster", EXECUTE_SPACE_CLUSTER},
                  {"local", EXECUTE_SPACE_LOCAL},        {"const", EXECUTE_SPACE_CONST},
                  {"param", EXECUTE_SPACE_PARAM},        {"param::entry", EXECUTE_SPACE_PARAM},
                  {"param::func", EXECUTE_SPACE_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        if (ptx_take_word(decoder, spaces[i].word)) {
            *space = spaces[i].space;
            return true;
        }
    }
    return false;
}

/* Words that say how hard to try to cache: no effect on values. */
static bool take_any(struct ptx_decoder *decoder, const char *const *words, size_t count)
{
    bool taken = false;
    for (size_t i = 0; i < count; i++)
        taken |= ptx_take_word(decoder, words[i]);
    return taken;
}

#define TAKE_ANY(decoder, words) take_any(decoder, words, sizeof words / sizeof *words)

static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", "gl"};
static const char *const hints[] = {"L1::evict_normal",
                                    "L1::evict_unchanged",
                                    "L1::evict_first",
                                    "L1::evict_last",
                                    "L1::no_allocate",
                                    "L2::evict_normal",
                                    "L2::evict_first",
                                    "L2::evict_last",
                                    "L2::64B",
                                    "L2::128B",
                                    "L2::256B",
                                    "ca",
                                    "cs",
                                    "lu",
                                    "wb",
                                    "wt",
                                    "weak",
                                    "uniform"};

static void take_order(struct ptx_decoder *decoder, struct execute_access_form *form)
{
    bool mmio = ptx_take_word(decoder, "mmio"); /* .mmio.relaxed.sys: memory behaves as devices need it anyway */
    bool relaxed = ptx_take_word(decoder, "relaxed") || ptx_take_word(decoder, "volatile") || mmio;
    bool both = ptx_take_word(decoder, "acq_rel");
    form->acquire = ptx_take_word(decoder, "acquire") || both;
    form->release = ptx_take_word(decoder, "release") || both;
    form->strong = relaxed || form->acquire || form->release;
    form->far = ptx_has_word(decoder, "cluster") || ptx_has_word(decoder, "gpu") || ptx_has_word(decoder, "sys");
}

bool ptx_decode_address_of(struct ptx_decoder *decoder, const struct ptx_operand *operand,
                           struct execute_access_form *form, uint32_t *ref, int64_t *offset)
{
    *ref = EXECUTE_NO_REF;
    *offset = operand ? (int64_t)operand->value : 0;
    if (!operand || !operand->memory)
        return ptx_decode_fail(decoder, "an address in brackets is needed");
    if (operand->kind == PTX_OPERAND_INTEGER)
        return true;
    if (operand->kind == PTX_OPERAND_VARIABLE && ptx_is_frame_variable(decoder, operand->index)) {
        form->space = EXECUTE_SPACE_LOCAL;
        form->framed = true;
        *offset += decoder->frame_offset[operand->index];
        return true;
    }
    if (operand->kind == PTX_OPERAND_VARIABLE) {
        const struct ptx_variable *variable = ptx_variable_at(decoder->module, operand->index);
        uint64_t address;
        bool shared = form->space == EXECUTE_SPACE_CLUSTER && variable->space == EXECUTE_SPACE_SHARED;
        bool apart = variable->space == EXECUTE_SPACE_PARAM || variable->space == EXECUTE_SPACE_CONST;
        if (form->space == EXECUTE_SPACE_GENERIC ? apart : form->space != variable->space && !shared)
            return ptx_decode_fail(decoder, "`%s` lies in another state space",
                                   ptx_name_text(decoder->module, variable->name));
        form->space = variable->space;
        if (!ptx_variable_address(decoder, operand->index, &address))
            return false;
        *offset += (int64_t)address;
        return true;
    }
    if (operand->kind != PTX_OPERAND_REGISTER)
        return ptx_decode_fail(decoder, "this cannot be an address");
    if (form->space == EXECUTE_SPACE_PARAM && decoder->place != 0 && !ptx_has_word(decoder, "param::entry"))
        form->space = EXECUTE_SPACE_LOCAL;
    if (!ptx_source_any(decoder, operand, EXECUTE_u64, ref))
        return false;
    uint32_t class = ptx_ref_class(*ref);
    if (class != PTX_CLASS_LARGE && class != PTX_CLASS_SMALL)
        return ptx_decode_fail(decoder, "an address is in a register of 32 or 64 bits");
    form->wide_address = class == PTX_CLASS_LARGE;
    if (!form->wide_address && (form->space == EXECUTE_SPACE_GENERIC || form->space == EXECUTE_SPACE_GLOBAL))
        return ptx_decode_fail(decoder, "a generic address, or one of global memory, is in a register of 64 bits");
    if (form->space == EXECUTE_SPACE_CONST) {
        form->wide_address = form->wide_address ? EXECUTE_ADDRESS_WIDE : EXECUTE_ADDRESS_ONE;
        *offset += (int64_t)decoder->image->const_base;
    }
    return true;
}

/* ===== ld, st ===== */

/* Data registers of an access: as wide as the type or wider. */
static bool data_ref(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type, bool load,
                     uint32_t *ref)
{
    enum execute_type declared = ptx_register_type(decoder, operand);
    if (operand->memory || declared == EXECUTE_pred)
        return ptx_decode_fail(decoder, "a register for data is needed here");
    if (declared != EXECUTE_NO_TYPE && execute_type_bytes(declared) < execute_type_bytes(type) &&
        !(ptx_class_of(declared) == PTX_CLASS_SMALL && execute_type_bytes(type) < 4))
        return ptx_decode_fail(decoder, "a register declared .%s is too small for .%s", execute_type_name(declared),
                               execute_type_name(type));
    if (!ptx_register_fits(decoder, operand, type))
        return ptx_decode_fail(decoder, "a register declared .%s stands where .%s is needed",
                               execute_type_name(declared), execute_type_name(type));
    enum execute_type as = declared != EXECUTE_NO_TYPE ? declared : type;
    return load ? ptx_destination(decoder, operand, as, ref) : ptx_source(decoder, operand, as, ref);
}

bool ptx_data_refs(struct ptx_decoder *decoder, const struct ptx_operand *operand, struct execute_access_form *form,
                   bool load, uint32_t refs[8])
{
    if (!operand)
        return ptx_decode_fail(decoder, "an operand is missing");
    bool vector = operand->kind == PTX_OPERAND_VECTOR;
    if ((vector ? operand->count : 1) != form->count)
        return ptx_decode_fail(decoder, "%u registers are needed for its data", form->count);
    uint32_t class = PTX_NONE;
    for (uint32_t i = 0; i < form->count; i++) {
        const struct ptx_operand *element = vector ? ptx_operand_at(decoder->module, operand->index + i) : operand;
        if (!data_ref(decoder, element, (enum execute_type)form->type, load, &refs[i]))
            return false;
        bool constant = refs[i] >> EXECUTE_BASE_SHIFT != EXECUTE_BASE_FRAME;
        uint32_t own = constant ? ptx_class_of((enum execute_type)form->type) : ptx_ref_class(refs[i]);
        if (class != PTX_NONE && own != class)
            return ptx_decode_fail(decoder, "registers of a vector have one size");
        class = own;
    }
    form->slot = class == PTX_CLASS_QUAD ? 16 : class == PTX_CLASS_LARGE ? 8 : 4;
    return true;
}

void ptx_take_hints(struct ptx_decoder *decoder)
{
    TAKE_ANY(decoder, hints);
}

static bool check_access(struct ptx_decoder *decoder, const struct execute_access_form *form)
{
    unsigned bytes = execute_type_bytes((enum execute_type)form->type);
    if (bytes == 0 || form->type >= EXECUTE_u4 || bytes * form->count > 32)
        return ptx_decode_fail(decoder, "an access of this type and length is not supported");
    return true;
}

struct execute_op *ptx_emit_access(struct ptx_decoder *decoder, enum execute_kind kind,
                                   const struct execute_access_form *form, uint32_t address, int64_t offset)
{
    struct execute_op *op = ptx_emit(decoder, kind);
    op->access = *form;
    op->a = address;
    op->immediate = offset;
    op->flags = address != EXECUTE_NO_REF ? EXECUTE_OP_READS_A : 0;
    return op;
}

bool ptx_decode_access(struct ptx_decoder *decoder)
{
    bool load = decoder->words[0].text[0] == 'l';
    struct execute_access_form form = {.count = 1};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    uint32_t refs[8], address, first_data = load ? 0 : 1;
    int64_t offset;
    take_order(decoder, &form);
    TAKE_ANY(decoder, scopes);
    ptx_take_space(decoder, &space);
    form.space = (uint8_t)space;
    form.bypass = ptx_take_word(decoder, "cg") || ptx_take_word(decoder, "cv") || form.strong;
    form.read_only = ptx_take_word(decoder, "nc");
    ptx_take_hints(decoder);
    bool policy = ptx_take_word(decoder, "L2::cache_hint");
    form.count = ptx_take_word(decoder, "v2")   ? 2
                 : ptx_take_word(decoder, "v4") ? 4
                 : ptx_take_word(decoder, "v8") ? 8
                                                : 1;
    if (decoder->type_count != 1)
        return ptx_decode_fail(decoder, "it needs a type");
    form.type = decoder->types[0];
    if (!check_access(decoder, &form) || !ptx_all_taken(decoder) ||
        !ptx_operand_count_is(decoder, 2 + policy, 2 + policy))
        return false;
    if (!ptx_decode_address_of(decoder, ptx_operand_of(decoder, load ? 1 : 0), &form, &address, &offset) ||
        !ptx_data_refs(decoder, ptx_operand_of(decoder, first_data), &form, load, refs))
        return false;
    if (!load && (form.space == EXECUTE_SPACE_CONST || form.space == EXECUTE_SPACE_PARAM))
        return ptx_decode_fail(decoder, "this state space cannot be written");
    bool parameter = form.space == EXECUTE_SPACE_PARAM && address == EXECUTE_NO_REF;
    struct execute_op *op = ptx_emit_access(decoder,
                                            parameter ? EXECUTE_KIND_LOAD_PARAMETER
                                            : load    ? EXECUTE_KIND_LOAD
                                                      : EXECUTE_KIND_STORE,
                                            &form, address, offset);
    if (parameter && (offset < 0 || offset + form.count * execute_type_bytes((enum execute_type)form.type) >
                                        decoder->code->parameter_bytes))
        return ptx_decode_fail(decoder, "this lies outside the kernel's parameters");
    *(load ? &op->list_results : &op->list_sources) = form.count;
    for (uint32_t i = 0; i < form.count; i++)
        ptx_list_add(decoder, refs[i]);
    return true;
}

/* ===== atom, red ===== */

static bool atomic_allowed(enum execute_atomic_operation operation, enum execute_type type)
{
    bool half = type == EXECUTE_f16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16 || type == EXECUTE_bf16x2;
    bool word = type == EXECUTE_b32 || type == EXECUTE_b64,
         whole = type == EXECUTE_u32 || type == EXECUTE_s32 || type == EXECUTE_u64 || type == EXECUTE_s64;
    switch (operation) {
    case EXECUTE_ATOMIC_ADD:
        return whole || half || type == EXECUTE_f32 || type == EXECUTE_f64;
    case EXECUTE_ATOMIC_MIN:
    case EXECUTE_ATOMIC_MAX:
        return whole || half;
    case EXECUTE_ATOMIC_INC:
    case EXECUTE_ATOMIC_DEC:
        return type == EXECUTE_u32;
    case EXECUTE_ATOMIC_CAS:
        return word || whole || type == EXECUTE_b16;
    case EXECUTE_ATOMIC_EXCH:
        return word || whole;
    default:
        return word;
    }
}

/* Type in which the L2 operates: a vector is split into pieces of 8 bytes, or one of 4. */
static enum execute_type piece_of(enum execute_type type, uint32_t bytes)
{
    switch (type) {
    case EXECUTE_f32:
        return EXECUTE_f32x2;
    case EXECUTE_f16:
    case EXECUTE_f16x2:
        return bytes == 4 ? EXECUTE_f16x2 : EXECUTE_f16x4;
    case EXECUTE_bf16:
    case EXECUTE_bf16x2:
        return bytes == 4 ? EXECUTE_bf16x2 : EXECUTE_bf16x4;
    default:
        return EXECUTE_b64;
    }
}

static uint32_t take_vector(struct ptx_decoder *decoder)
{
    return ptx_take_word(decoder, "v2") ? 2 : ptx_take_word(decoder, "v4") ? 4 : ptx_take_word(decoder, "v8") ? 8 : 1;
}

static bool wide_allowed(const struct execute_access_form *form, enum execute_type type)
{
    bool add = form->operation == EXECUTE_ATOMIC_ADD, cas = form->operation == EXECUTE_ATOMIC_CAS;
    bool half = type == EXECUTE_f16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16 || type == EXECUTE_bf16x2;
    bool order = form->operation == EXECUTE_ATOMIC_MIN || form->operation == EXECUTE_ATOMIC_MAX;
    bool global = form->space == EXECUTE_SPACE_GENERIC || form->space == EXECUTE_SPACE_GLOBAL;
    if (type == EXECUTE_b128)
        return form->count == 1 && !form->reduction && (cas || form->operation == EXECUTE_ATOMIC_EXCH) &&
               form->space != EXECUTE_SPACE_CLUSTER;
    return global && form->count * execute_type_bytes(type) <= 16 &&
           ((type == EXECUTE_f32 && add) || (half && (add || order)));
}

/* Vector or 128-bit atomic: the list has the registers of the result, the operand, and the value that a comparison
 * stores. */
static bool decode_wide_atomic(struct ptx_decoder *decoder, struct execute_access_form form, bool policy)
{
    enum execute_type type = (enum execute_type)form.type;
    uint32_t number = form.reduction ? 0 : 1, address, refs[24], count = 0, bytes = execute_type_bytes(type);
    bool cas = form.operation == EXECUTE_ATOMIC_CAS;
    uint32_t operands = number + 2 + cas + policy, parts[] = {0, number + 1, number + 2};
    int64_t offset;
    if (!wide_allowed(&form, type))
        return ptx_decode_fail(decoder, "this operation with this vector or type is not supported");
    if (!ptx_operand_count_is(decoder, operands, operands) || !ptx_all_taken(decoder) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, number), &form, &address, &offset))
        return false;
    for (uint32_t i = 1 - number; i < 2u + cas; i++, count += form.count)
        if (!ptx_data_refs(decoder, ptx_operand_of(decoder, parts[i]), &form, i == 0, refs + count))
            return false;
    form.type = (uint8_t)(cas ? type : piece_of(type, bytes * form.count));
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_ATOMIC, &form, address, offset);
    op->size = (uint8_t)bytes;
    op->list_results = form.reduction ? 0 : form.count;
    op->list_sources = (uint8_t)(count - op->list_results);
    for (uint32_t i = 0; i < count; i++)
        ptx_list_add(decoder, refs[i]);
    return true;
}

bool ptx_decode_atomic(struct ptx_decoder *decoder)
{
    static const char *const names[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
    struct execute_access_form form = {.count = 1, .reduction = decoder->words[0].length == 3};
    enum execute_space space = EXECUTE_SPACE_GENERIC;
    uint32_t chosen = 0, address, d = EXECUTE_NO_REF, b, c = EXECUTE_NO_REF, number = form.reduction ? 0 : 1;
    int64_t offset;
    take_order(decoder, &form);
    form.strong = true;
    TAKE_ANY(decoder, scopes);
    ptx_take_space(decoder, &space);
    form.space = (uint8_t)space;
    while (chosen < 10 && !ptx_take_word(decoder, names[chosen]))
        chosen++;
    ptx_take_word(decoder, "noftz");
    bool policy = ptx_take_word(decoder, "L2::cache_hint");
    form.operation = (uint8_t)chosen;
    form.count = (uint8_t)take_vector(decoder);
    form.type = decoder->types[0];
    if (decoder->type_count == 1 && (form.count > 1 || form.type == EXECUTE_b128))
        return decode_wide_atomic(decoder, form, policy);
    if (chosen == 10 || decoder->type_count != 1 ||
        !atomic_allowed((enum execute_atomic_operation)chosen, (enum execute_type)decoder->types[0]))
        return ptx_decode_fail(decoder, "this operation with this type is not supported");
    bool cas = chosen == EXECUTE_ATOMIC_CAS;
    if (form.reduction && (cas || chosen == EXECUTE_ATOMIC_EXCH))
        return ptx_decode_fail(decoder, "a reduction has no such operation");
    enum execute_type type = (enum execute_type)form.type;
    form.slot = execute_type_bytes(type) == 8 ? 8 : 4;
    if (!ptx_operand_count_is(decoder, number + 2 + cas + policy, number + 2 + cas + policy) ||
        !ptx_all_taken(decoder) ||
        !ptx_decode_address_of(decoder, ptx_operand_of(decoder, number), &form, &address, &offset) ||
        !ptx_source(decoder, ptx_operand_of(decoder, number + 1), type, &b) ||
        (cas && !ptx_source(decoder, ptx_operand_of(decoder, number + 2), type, &c)) ||
        (!form.reduction && !ptx_destination(decoder, ptx_operand_of(decoder, 0), type, &d)))
        return false;
    if (form.space != EXECUTE_SPACE_GENERIC && form.space != EXECUTE_SPACE_GLOBAL &&
        form.space != EXECUTE_SPACE_SHARED && form.space != EXECUTE_SPACE_CLUSTER)
        return ptx_decode_fail(decoder, "atomics work on global and shared memory");
    struct execute_op *op = ptx_emit_access(decoder, EXECUTE_KIND_ATOMIC, &form, address, offset);
    op->d = d;
    op->b = b;
    op->c = c;
    op->size = form.slot;
    op->flags |=
        (uint8_t)(EXECUTE_OP_READS_B | (cas ? EXECUTE_OP_READS_C : 0) | (form.reduction ? 0 : EXECUTE_OP_WRITES_D));
    return true;
}

/* ===== multimem ===== */

static bool take_reduction(struct ptx_decoder *decoder, enum execute_atomic_operation *operation)
{
    static const char *const names[] = {
        [EXECUTE_ATOMIC_ADD] = "add", [EXECUTE_ATOMIC_MIN] = "min", [EXECUTE_ATOMIC_MAX] = "max",
        [EXECUTE_ATOMIC_AND] = "and", [EXECUTE_ATOMIC_OR] = "or",   [EXECUTE_ATOMIC_XOR] = "xor"};
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ptx_take_word(decoder, names[i])) {
            *operation = (enum execute_atomic_operation)i;
            return true;
        }
    return ptx_decode_fail(decoder, "a multimem.ld_reduce adds, or takes .min, .max, .and, .or or .xor");
}

/* Elements are moved as bits, and combined as their type. */
static bool decode_load_reduce(struct ptx_decoder *decoder)
{
    enum execute_atomic_operation operation = EXECUTE_ATOMIC_ADD;
    enum execute_type type = (enum execute_type)decoder->types[0];
    bool half = type == EXECUTE_f16 || type == EXECUTE_bf16 || type == EXECUTE_f16x2 || type == EXECUTE_bf16x2;
    if (!take_reduction(decoder, &operation))
        return false;
    bool single = ptx_take_word(decoder, "acc::f32");
    if (!atomic_allowed(operation, type) || (single && (!half || operation != EXECUTE_ATOMIC_ADD)))
        return ptx_decode_fail(decoder, "a multimem.ld_reduce of this type and operation is not supported");
    if (type == EXECUTE_f16x2 || type == EXECUTE_bf16x2)
        decoder->types[0] = EXECUTE_b32;
    if (!ptx_decode_access(decoder))
        return false;
    struct execute_op *op = (struct execute_op *)decoder->code->ops.items + decoder->code->ops.count - 1;
    op->access.operation = (uint8_t)operation;
    op->access.reduced = (uint8_t)(type + 1);
    op->access.single = single;
    return true;
}

/* multimem.{ld_reduce,st,red}. An address may lead to memory, or to a multicast object, to which any store or reduction
 * may go: that is known when it is used. */
bool ptx_decode_multimem(struct ptx_decoder *decoder)
{
    static const char *const as[][2] = {{"ld_reduce", "ld"}, {"st", "st"}, {"red", "red"}};
    uint32_t chosen = 0;
    while (chosen < 3 && !ptx_take_word(decoder, as[chosen][0]))
        chosen++;
    if (chosen == 3 || decoder->type_count != 1)
        return ptx_decode_fail(decoder, "its form is multimem.{ld_reduce,st,red} with one type");
    decoder->words[0].text = as[chosen][1];
    decoder->words[0].length = (uint32_t)strlen(as[chosen][1]);
    if (chosen == 2)
        return ptx_decode_atomic(decoder);
    if (chosen == 0)
        return decode_load_reduce(decoder);
    if (decoder->types[0] == EXECUTE_f16x2 || decoder->types[0] == EXECUTE_bf16x2)
        decoder->types[0] = EXECUTE_b32;
    return ptx_decode_access(decoder);
}

/* ===== hints ===== */

/* Syntax of hints: words, and operands that are addresses (`a`) or constants (`i`). */
static const struct {
    const char *opcode, *words[8], *operands;
} hint_forms[] = {
    {"prefetch", {"global", "local", "const", "param", "L1", "L2", "tensormap"}, "a"},
    {"prefetchu", {"L1"}, "a"},
    {"discard", {"global", "L2"}, "ai"},
    {"applypriority", {"global"}, "ai"},
    {"pmevent", {"mask"}, "i"},
};

static bool check_hint_operand(struct ptx_decoder *decoder, const struct ptx_operand *operand, char kind)
{
    uint64_t value;
    if (kind == 'a')
        return operand->memory || ptx_decode_fail(decoder, "an address in brackets is needed here");
    return ptx_immediate(decoder, operand, &value);
}

bool ptx_decode_nanosleep(struct ptx_decoder *decoder)
{
    uint32_t duration;
    if (!ptx_all_taken(decoder) || !ptx_operand_count_is(decoder, 1, 1) ||
        !ptx_source(decoder, ptx_operand_of(decoder, 0), EXECUTE_u32, &duration))
        return false;
    struct execute_op *op = ptx_emit(decoder, EXECUTE_KIND_SLEEP);
    op->a = duration;
    op->flags = EXECUTE_OP_READS_A;
    return true;
}

/* prefetch, discard, …: instructions without effect on values. */
bool ptx_decode_hint(struct ptx_decoder *decoder)
{
    size_t row = 0;
    while (!ptx_word_is(&decoder->words[0], hint_forms[row].opcode))
        row++;
    for (uint32_t i = 0; i < 8 && hint_forms[row].words[i]; i++)
        ptx_take_word(decoder, hint_forms[row].words[i]);
    ptx_take_hints(decoder);
    uint32_t count = (uint32_t)strlen(hint_forms[row].operands);
    if (!ptx_all_taken(decoder) || !ptx_operand_count_is(decoder, count, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!check_hint_operand(decoder, ptx_operand_of(decoder, i), hint_forms[row].operands[i]))
            return false;
    ptx_emit(decoder, EXECUTE_KIND_PREFETCH);
    return true;
}
