/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver of decoding, from a kernel's statements to micro-operations. */
#include "frontend/ptx/compile/check.h"
#include "frontend/ptx/text/names.h"

#include "base/allocate.h"
#include "frontend/ptx/compile/expand.h"
#include "frontend/ptx/compile/features.h"
#include "frontend/ptx/compile/flow.h"
#include "frontend/ptx/compile/liveness.h"
#include "frontend/ptx/compile/schedule.h"
#include "frontend/ptx/compile/select.h"
#include "frontend/ptx/compile/shared.h"
#include "frontend/ptx/compile/swaps.h"
#include "frontend/ptx/compile/unroll.h"
#include "frontend/ptx/compile/values.h"
#include "frontend/ptx/program.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ===== words of the opcode ===== */

static void split(struct ptx_decoder *decoder)
{
    const char *text = ptx_name_text(decoder->module, decoder->statement->name);
    decoder->word_count = decoder->type_count = 0;
    for (;;) {
        const char *end = strchrnul(text, '.');
        if (decoder->word_count == PTX_MAX_WORDS)
            return; /* its words are left untaken, which causes an error */
        struct ptx_word *word = &decoder->words[decoder->word_count++];
        *word = (struct ptx_word){.text = text, .length = (uint32_t)(end - text)};
        enum execute_type type = ptx_type_of(word->text, word->length);
        if (type != EXECUTE_NO_TYPE && decoder->word_count > 1 && decoder->type_count < 8) {
            decoder->types[decoder->type_count++] = (uint8_t)type;
            word->taken = true;
        }
        if (!*end)
            return;
        text = end + 1;
    }
}

/* ===== statements ===== */

struct opcode_row {
    const char *opcode;
    bool (*decode)(struct ptx_decoder *decoder);
};

static const struct opcode_row opcodes[] = {
    {"setp", ptx_decode_compare},
    {"set", ptx_decode_compare},
    {"selp", ptx_decode_select},
    {"and", ptx_decode_predicates},
    {"or", ptx_decode_predicates},
    {"xor", ptx_decode_predicates},
    {"not", ptx_decode_predicates},
    {"mov", ptx_decode_move},
    {"bfi", ptx_decode_insert},
    {"lop3", ptx_decode_lop3},
    {"addc", ptx_decode_carry},
    {"subc", ptx_decode_carry},
    {"madc", ptx_decode_carry},
    {"mad", ptx_decode_carry},
    {"add", ptx_decode_float},
    {"sub", ptx_decode_float},
    {"mul", ptx_decode_float},
    {"fma", ptx_decode_float},
    {"div", ptx_decode_float},
    {"rcp", ptx_decode_float},
    {"sqrt", ptx_decode_float},
    {"min", ptx_decode_float},
    {"max", ptx_decode_float},
    {"abs", ptx_decode_float},
    {"neg", ptx_decode_float},
    {"ex2", ptx_decode_float},
    {"tanh", ptx_decode_float},
    {"cvt", ptx_decode_convert},
    {"testp", ptx_decode_testp},
    {"cvta", ptx_decode_address},
    {"isspacep", ptx_decode_address},
    {"ld", ptx_decode_access},
    {"ldu", ptx_decode_access},
    {"st", ptx_decode_store},
    {"atom", ptx_decode_atomic},
    {"red", ptx_decode_reduce},
    {"multimem", ptx_decode_multimem},
    {"prefetch", ptx_decode_hint},
    {"prefetchu", ptx_decode_hint},
    {"discard", ptx_decode_hint},
    {"applypriority", ptx_decode_hint},
    {"createpolicy", ptx_decode_policy},
    {"nanosleep", ptx_decode_nanosleep},
    {"pmevent", ptx_decode_hint},
    {"griddepcontrol", ptx_decode_grid},
    {"setmaxnreg", ptx_decode_regs},
    {"cp", ptx_decode_copy},
    {"bra", ptx_decode_branch},
    {"brx", ptx_decode_branch},
    {"call", ptx_decode_call},
    {"ret", ptx_decode_branch},
    {"exit", ptx_decode_branch},
    {"trap", ptx_decode_branch},
    {"brkpt", ptx_decode_branch},
    {"bar", ptx_decode_barrier},
    {"barrier", ptx_decode_barrier},
    {"membar", ptx_decode_fence},
    {"fence", ptx_decode_fence},
    {"shfl", ptx_decode_warp},
    {"vote", ptx_decode_warp},
    {"match", ptx_decode_warp},
    {"redux", ptx_decode_warp},
    {"activemask", ptx_decode_warp},
    {"elect", ptx_decode_warp},
    {"mma", ptx_decode_matrix},
    {"wmma", ptx_decode_matrix},
    {"ldmatrix", ptx_decode_matrix},
    {"stmatrix", ptx_decode_matrix},
    {"movmatrix", ptx_decode_matrix},
    {"tex", ptx_decode_texture},
    {"tld4", ptx_decode_texture},
    {"mbarrier", ptx_decode_mbarrier},
    {"suld", ptx_decode_surface},
    {"sust", ptx_decode_surface},
    {"sured", ptx_decode_surface},
    {"tensormap", ptx_decode_tensor_map},
    {"wgmma", ptx_decode_wgmma},
    {"tcgen05", ptx_decode_tcgen05},
    {"mapa", ptx_decode_mapa},
    {"getctarank", ptx_decode_mapa},
};

/* The same form with its types behind the other words: the assembler takes them in any order, and inline assembly in
 * NVIDIA's headers has `lg2.approx.f32.ftz`. */
static uint32_t reordered_form(const struct ptx_decoder *decoder)
{
    char text[PTX_OPCODE_LENGTH];
    size_t used = 0;
    for (uint32_t types = 0; types < 2; types++)
        for (uint32_t i = 0; i < decoder->word_count; i++) {
            const struct ptx_word *word = &decoder->words[i];
            bool is_type = i && ptx_type_of(word->text, word->length) != EXECUTE_NO_TYPE;
            if (is_type != (types == 1) || used + word->length + 2 > sizeof text)
                continue;
            if (used)
                text[used++] = '.';
            memcpy(text + used, word->text, word->length);
            used += word->length;
        }
    text[used] = 0;
    return ptx_form_of(text);
}

/* The function of the statement's form, or PTX_NO_FORM. */
static uint32_t cached_form(struct ptx_decoder *decoder)
{
    uint32_t *cache = &decoder->form_cache[decoder->statement->name];
    if (*cache == PTX_NONE) {
        uint32_t lane = ptx_form_of(ptx_name_text(decoder->module, decoder->statement->name));
        *cache = lane != PTX_NO_FORM ? lane : reordered_form(decoder);
    }
    return *cache;
}

/* The decoder of the statement's opcode, cached by name; NULL: there is none. */
static const struct opcode_row *cached_opcode(struct ptx_decoder *decoder)
{
    enum { ROWS = sizeof opcodes / sizeof *opcodes };
    uint8_t *cache = &decoder->opcode_cache[decoder->statement->name];
    _Static_assert(ROWS < UINT8_MAX, "a row's number, plus one, is a byte");
    for (uint8_t i = 0; !*cache; i++)
        if (i == ROWS || ptx_word_is(&decoder->words[0], opcodes[i].opcode))
            *cache = (uint8_t)(i + 1);
    return *cache <= ROWS ? &opcodes[*cache - 1] : NULL;
}

/* Whether the lanes that execute a statement wait for members of their warp that it names. */
static bool waits_for_members(const struct ptx_decoder *decoder)
{
    static const char *const names[] = {"shfl", "vote", "match", "redux", "elect"};
    const struct ptx_word *opcode = &decoder->words[0];
    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ptx_word_is(opcode, names[i]))
            return ptx_has_word(decoder, "sync");
    return ptx_word_is(opcode, "bar") && ptx_has_word(decoder, "warp");
}

/* A guarded statement with a member mask is skipped by a branch of lanes whose guard is false, as in ptxas's code: they
 * must not count as arrived. */
static bool decode_guarded(struct ptx_decoder *decoder, const struct opcode_row *opcode)
{
    const struct ptx_statement *statement = decoder->statement;
    struct ptx_statement over = *statement, plain = *statement;
    over.guard_negated = !over.guard_negated;
    plain.guard = PTX_NONE;
    decoder->statement = &over;
    ptx_emit(decoder, EXECUTE_KIND_BRANCH)->target = decoder->statement_index - decoder->function->first_statement + 1;
    decoder->statement = &plain;
    bool done = opcode->decode(decoder);
    decoder->statement = statement;
    return done;
}

/* add.cc.u32, sub.cc.u32, mad.lo.cc.u32 write the carry flag, in addition to the forms without it. */
static bool decode_statement(struct ptx_decoder *decoder)
{
    split(decoder);
    ptx_opcodes_add(decoder->opcodes, decoder->module, decoder->statement->name);
    if (!ptx_check_words(decoder) || !ptx_check_features(decoder))
        return false;
    const struct ptx_operand *first = ptx_operand_of(decoder, 0), *second = ptx_operand_of(decoder, 1);
    bool vector = (first && first->kind == PTX_OPERAND_VECTOR) || (second && second->kind == PTX_OPERAND_VECTOR);
    uint32_t form = cached_form(decoder);
    if (form != PTX_NO_FORM && !vector)
        return ptx_decode_form(decoder, form);
    if (ptx_has_word(decoder, "cc"))
        return ptx_decode_carry(decoder);
    const struct opcode_row *opcode = cached_opcode(decoder);
    if (opcode && decoder->statement->guard != PTX_NONE && waits_for_members(decoder))
        return decode_guarded(decoder, opcode);
    if (opcode)
        return opcode->decode(decoder);
    if (ptx_is_video(decoder->words[0].text, decoder->words[0].length))
        return ptx_decode_video(decoder);
    return ptx_decode_fail(decoder, "this instruction is not supported");
}

/* ===== functions ===== */

static uint32_t align_up(uint32_t value, uint32_t align)
{
    return (value + align - 1) / align * align;
}

/* Parameters, results and .local variables of the function lie in its frame of local memory. */
static bool place_frame(struct ptx_decoder *decoder, uint32_t function_index, bool entry)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < decoder->module->variables.count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(decoder->module, i);
        bool inside = variable->function == function_index &&
                      (variable->space == EXECUTE_SPACE_LOCAL ||
                       (variable->space == EXECUTE_SPACE_PARAM && !(entry && variable->parameter)));
        if (!inside)
            continue;
        offset = (offset + variable->align - 1) / variable->align * variable->align;
        decoder->frame_offset[i] = (uint32_t)offset;
        offset += variable->bytes;
        if (offset > EXECUTE_LOCAL_BYTES)
            return ptx_decode_fail(decoder, "it needs more than 512 KiB of local memory per thread");
    }
    execute_code_function_at(decoder->code, decoder->place)->local_bytes = align_up((uint32_t)offset, 16);
    return true;
}

/* Lists the locations of the function's results and parameters, for its callers. */
static void list_parameters(struct ptx_decoder *decoder, struct execute_code_function *place)
{
    const struct ptx_function *function = decoder->function;
    place->first_transfer = decoder->code->transfers.count;
    place->result_count = function->result_count;
    place->parameter_count = function->parameter_count;
    for (uint32_t i = 0; i < function->result_count + function->parameter_count; i++) {
        uint32_t variable = i < function->result_count ? function->first_result + i
                                                       : function->first_parameter + i - function->result_count;
        struct execute_transfer *transfer = mnp_array_add(&decoder->code->transfers, 1, sizeof *transfer);
        transfer->offset = decoder->frame_offset[variable];
        transfer->bytes = (uint32_t)ptx_variable_at(decoder->module, variable)->bytes;
    }
}

static bool decode_body(struct ptx_decoder *decoder)
{
    const struct ptx_function *function = decoder->function;
    for (uint32_t i = 0; i < function->statement_count; i++) {
        decoder->label_ops[i] = decoder->code->ops.count;
        decoder->statement_index = function->first_statement + i;
        decoder->statement = ptx_statement_at(decoder->module, decoder->statement_index);
        /* an earlier error takes precedence; this one is for decoders that have set none */
        if (!decode_statement(decoder))
            return ptx_decode_fail(decoder, "this form is not supported");
    }
    decoder->label_ops[function->statement_count] = decoder->code->ops.count;
    decoder->statement = NULL;
    ptx_emit(decoder, EXECUTE_KIND_RETURN);
    return true;
}

/* Branches know labels until here. */
static void resolve_labels(struct ptx_decoder *decoder, uint32_t first_op, uint32_t first_target)
{
    for (uint32_t i = first_op; i < decoder->code->ops.count; i++) {
        struct execute_op *op = execute_op_at(decoder->code, i);
        if (op->kind == EXECUTE_KIND_BRANCH)
            op->target = decoder->label_ops[op->target];
    }
    uint32_t *targets = decoder->code->targets.items;
    for (uint32_t i = first_target; i < decoder->code->targets.count; i++)
        targets[i] = decoder->label_ops[targets[i]];
}

static bool decode_function(struct ptx_decoder *decoder, uint32_t place)
{
    struct execute_code *code = decoder->code;
    uint32_t index = execute_code_function_at(code, place)->function, first = code->ops.count;
    uint32_t first_target = code->targets.count;
    decoder->place = place;
    decoder->function = ptx_function_at(decoder->module, index);
    decoder->statement = NULL;
    if (!decoder->function->defined)
        return ptx_decode_fail(decoder, "this function is called and defined nowhere; link the module that has it");
    execute_code_function_at(code, place)->first_op = first;
    memset(decoder->counts, 0, sizeof decoder->counts);
    decoder->counts[PTX_CLASS_PREDICATE] = 2; /* EXECUTE_TRUE, EXECUTE_CARRY */
    uint32_t registers = decoder->function->register_count;
    decoder->register_refs = mnp_reallocate(decoder->register_refs, registers + 1, sizeof *decoder->register_refs);
    memset(decoder->register_refs, 0xff, (registers + 1) * sizeof *decoder->register_refs);
    decoder->label_ops =
        mnp_reallocate(decoder->label_ops, decoder->function->statement_count + 1, sizeof *decoder->label_ops);
    if (!place_frame(decoder, index, place == 0))
        return false;
    if (place)
        list_parameters(decoder, execute_code_function_at(code, place));
    if (!decode_body(decoder))
        return false;
    execute_code_function_at(code, place)->op_count = code->ops.count - first;
    resolve_labels(decoder, first, first_target);
    if (!decoder->module->plain) {
        ptx_put_swaps(decoder, first_target);
        ptx_select(decoder, first_target);
        if (decoder->module->unrolls)
            ptx_unroll(decoder, first_target);
        ptx_expand(decoder, first_target);
    }
    ptx_flow(decoder);
    if (!decoder->module->keeps_order)
        ptx_schedule(decoder);
    ptx_mark_values(decoder);
    ptx_place_references(decoder);
    return true;
}

/* ===== kernels ===== */

static bool place_parameters(struct ptx_decoder *decoder)
{
    uint64_t offset = 0;
    const struct ptx_function *entry = decoder->function;
    for (uint32_t i = 0; i < entry->parameter_count; i++) {
        const struct ptx_variable *variable = ptx_variable_at(decoder->module, entry->first_parameter + i);
        offset = (offset + variable->align - 1) / variable->align * variable->align;
        decoder->parameter_offset[entry->first_parameter + i] = (uint32_t)offset;
        struct execute_transfer *parameter = mnp_array_add(&decoder->code->parameters, 1, sizeof *parameter);
        *parameter = (struct execute_transfer){(uint32_t)offset, (uint32_t)variable->bytes};
        offset += variable->bytes;
        if (offset > 32764)
            return ptx_decode_fail(decoder, "a kernel has at most 32764 bytes of parameters");
    }
    decoder->code->parameter_bytes = (uint32_t)offset;
    return true;
}

static uint32_t *allocate_places(uint32_t count)
{
    uint32_t *places = mnp_allocate((size_t)count + 1, sizeof *places);
    memset(places, 0xff, ((size_t)count + 1) * sizeof *places);
    return places;
}

/* Maximum of 32-bit registers per thread, number of registers of an SM, and allocation unit per thread (CUDA C++
 * Programming Guide, technical specifications per compute capability). */
enum { MOST_REGISTERS = 255, SM_REGISTERS = 65536, REGISTER_UNIT = 8 };

/* Estimates the registers: the maximum over its functions, because by the calling convention a callee uses the
 * registers that its callers do not keep. A count by an assembler for this architecture or a similar one takes
 * precedence. */
static void estimate_registers(const struct ptx_decoder *decoder)
{
    struct execute_code *code = decoder->code;
    uint32_t allocated = ptx_function_at(decoder->module, decoder->entry)->allocated;
    for (uint32_t i = 0; i < code->functions.count; i++)
        if (execute_code_function_at(code, i)->registers > code->registers)
            code->registers = execute_code_function_at(code, i)->registers;
    code->registers = code->registers > MOST_REGISTERS ? MOST_REGISTERS : code->registers;
    code->registers = allocated ? allocated : code->registers;
    code->registers_estimated = true;
}

bool ptx_knows_registers(const struct ptx_decoder *decoder)
{
    const struct ptx_function *kernel = ptx_function_at(decoder->module, decoder->entry);
    return kernel->maxnreg || (kernel->minnctapersm && (kernel->maxntid[0] || kernel->reqntid[0]));
}

/* Applies limits that an assembler meets, by spilling if necessary: .maxnreg, and the registers that allow
 * .minnctapersm CTAs of the threads stated by .maxntid or .reqntid (PTX ISA 9.0, section 11.4). A kernel with
 * setmaxnreg.inc starts with exactly that many, or with its maximum request if that is less (observed with ptxas of
 * CUDA 13.0: 168 for 384 threads and 240 registers, 160 for 160). */
static void bound_registers(struct ptx_decoder *decoder)
{
    struct execute_code *code = decoder->code;
    const struct ptx_function *function = ptx_function_at(decoder->module, decoder->entry);
    const uint32_t *block = function->reqntid[0] ? function->reqntid : function->maxntid;
    uint64_t threads = 1, ctas = function->minnctapersm ? function->minnctapersm : 1, most = MOST_REGISTERS;
    uint32_t named = decoder->most_registers;
    for (uint32_t i = 0; i < 3; i++)
        threads *= block[i] && block[i] <= 1024 ? block[i] : 1;
    uint64_t warps = (threads + 31) / 32 * ctas, share = SM_REGISTERS / 32 / warps / REGISTER_UNIT * REGISTER_UNIT;
    most = block[0] && share && share < most ? share : most;
    most = function->maxnreg && function->maxnreg < most ? function->maxnreg : most;
    if (named && ptx_knows_registers(decoder))
        code->registers = named < most ? named : (uint32_t)most;
    else
        code->registers = code->registers < most ? code->registers : (uint32_t)most;
}

/* An assembler refuses setmaxnreg.dec to more than any setmaxnreg.inc asks for (ptxas of CUDA 13.0, C7406). */
static bool check_registers(struct ptx_decoder *decoder)
{
    if (!ptx_knows_registers(decoder) || !decoder->most_registers || decoder->most_left <= decoder->most_registers)
        return true;
    decoder->statement = decoder->leaves;
    return ptx_decode_fail(decoder, "%u registers are left, where no setmaxnreg.inc asks for more than %u",
                           decoder->most_left, decoder->most_registers);
}

static void begin_code(struct ptx_decoder *decoder)
{
    struct execute_code *code = decoder->code;
    const struct ptx_module *module = decoder->module;
    code->name = ptx_name_text(module, decoder->function->name);
    code->architecture = code->source = module->architecture;
    code->function_index = allocate_places(module->functions.count);
    code->function_count = module->functions.count;
    memcpy(code->most_block, decoder->function->maxntid, sizeof code->most_block);
    memcpy(code->required_block, decoder->function->reqntid, sizeof code->required_block);
    memcpy(code->cluster, decoder->function->cluster, sizeof code->cluster);
    code->most_cluster = decoder->function->maxclusterrank;
    code->needs_cluster = decoder->function->explicit_cluster;
    code->counts_clusters = decoder->function->counts_clusters;
    memset(code->special_offset, 0xff, sizeof code->special_offset);
}

static bool decode_all(struct ptx_decoder *decoder)
{
    struct execute_code *code = decoder->code;
    const struct ptx_module *module = decoder->module;
    if (!ptx_place_shared(decoder) || !place_parameters(decoder))
        return false;
    ptx_code_add_function(code, decoder->entry);
    for (uint32_t i = 0; i < code->functions.count; i++) {
        if (!decode_function(decoder, i))
            return false;
        for (uint32_t j = 0; decoder->any_function && j < module->functions.count; j++)
            if (decoder->reached[j] && !ptx_function_at(module, j)->entry)
                ptx_code_add_function(code, j);
    }
    estimate_registers(decoder);
    bound_registers(decoder);
    return check_registers(decoder);
}

struct execute_code *ptx_decode(struct ptx_program *program, uint32_t entry, struct mnp_error *error)
{
    struct execute_code *code = execute_code_create(&program->base);
    const struct ptx_module *module = program->module;
    struct ptx_decoder decoder = {.module = module,
                                  .image = &program->image,
                                  .opcodes = &program->opcodes,
                                  .code = code,
                                  .error = error,
                                  .table = execute_words_best(),
                                  .entry = entry,
                                  .function = ptx_function_at(module, entry)};
    begin_code(&decoder);
    decoder.reached = mnp_allocate((size_t)module->functions.count + 1, sizeof *decoder.reached);
    decoder.shared_offset = allocate_places(module->variables.count);
    decoder.parameter_offset = allocate_places(module->variables.count);
    decoder.frame_offset = allocate_places(module->variables.count);
    decoder.form_cache = allocate_places(module->names.count);
    decoder.opcode_cache = mnp_allocate((size_t)module->names.count + 1, sizeof *decoder.opcode_cache);
    decoder.name_checked = mnp_allocate((size_t)module->names.count + 1, sizeof *decoder.name_checked);
    bool good = decode_all(&decoder);
    free(decoder.reached);
    free(decoder.shared_offset);
    free(decoder.parameter_offset);
    free(decoder.frame_offset);
    free(decoder.form_cache);
    free(decoder.opcode_cache);
    free(decoder.name_checked);
    free(decoder.register_refs);
    free(decoder.label_ops);
    free(decoder.constant_slots);
    mnp_array_release(&decoder.reciprocals);
    if (good)
        return code;
    ptx_code_free(code);
    return NULL;
}

void ptx_code_free(struct execute_code *code)
{
    if (!code)
        return;
    execute_code_release(code);
    free(code);
}
