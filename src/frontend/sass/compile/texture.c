/* SPDX-License-Identifier: BSD-3-Clause */
/* Textures and surfaces. */
#include "frontend/sass/compile/compiler.h"

#include "execute/memory/texture.h"

#include <string.h>

struct geometry_row {
    const char *text;
    uint8_t dimensions, coordinates;
    bool layered, cube;
};

static const struct geometry_row *geometry_of(const struct sass_operand *operand)
{
    static const struct geometry_row rows[] = {{"1D", 1, 1, false, false},      {"2D", 2, 2, false, false},
                                               {"3D", 3, 3, false, false},      {"CUBE", 2, 3, false, true},
                                               {"ARRAY_1D", 1, 2, true, false}, {"ARRAY_2D", 2, 3, true, false},
                                               {"ARRAY_CUBE", 2, 4, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].text) == operand->text.length &&
            strncmp(rows[i].text, operand->text.text, operand->text.length) == 0)
            return &rows[i];
    return NULL;
}

/* The channels that the mask names go to the first result's pair, then to the second one's; the others nowhere. */
static void put_channels(struct sass_compiler *compiler, const struct sass_operand *operands, uint32_t mask)
{
    const struct sass_operand *pairs[] = {&operands[1], &operands[0]};
    for (uint32_t channel = 0, used = 0; channel < 4; channel++) {
        const struct sass_operand *pair = pairs[used / 2 & 1];
        bool taken = mask >> channel & 1;
        sass_add_list(compiler, taken && pair->index != SASS_RZ
                                    ? sass_register_ref(compiler, (uint8_t)(pair->index + used % 2))
                                    : sass_nowhere(compiler));
        used += taken;
    }
}

/* The register of a coordinate. The first source holds all or, with .SCR, the first and the second source hold half of
 * them each, including a level or bias behind them. TLD has one source. */
static uint32_t coordinate_ref(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                               const struct sass_operand *sources, uint32_t count, uint32_t index)
{
    bool halves = sass_has(instruction, "SCR") && strcmp(instruction->form->name, "TLD") != 0;
    uint32_t all = count + sass_has(instruction, "LL"), first = halves ? (all + 1) / 2 : count;
    const struct sass_operand *source = &sources[index >= first];
    uint32_t place = index < first ? index : index - first;
    return source->index == SASS_RZ || source->index + place > 254u
               ? sass_value_ref(compiler, 0, true)
               : sass_register_ref(compiler, (uint8_t)(source->index + place));
}

/* Whether a second uniform register follows that of the handle. */
static bool names_more(const struct sass_operand *handle)
{
    return handle[1].kind == SASS_UNIFORM && !(handle[1].flags & SASS_HIDDEN);
}

/* TEX and TLD4: two results, two sources of coordinates; TLD: whole coordinates in one source. The handle is a constant
 * of bank I, in words, or a pair of uniform registers. */
static bool build_texture(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    static const char *const refused[] = {"LB",  "LC",     "LB.LC",  "AOFFI",  "DC",  "MS",     "CL",
                                          "NDV", "F16.RN", "F16.RZ", "PTP",    "ULB", "LB.ULC", "ULC",
                                          "ULL", "FDV",    "DXY",    "UAOFFI", "UAI", NULL};
    static const char *const channels[] = {"R", "G", "B", "A", NULL};
    const struct sass_operand *operands = instruction->operands;
    bool fetch = strcmp(instruction->form->name, "TLD") == 0, gather = strcmp(instruction->form->name, "TLD4") == 0;
    if (operands->kind == SASS_PREDICATE && !(operands++->flags & SASS_HIDDEN))
        return sass_refuse(compiler, "a predicate beside its results");
    const struct sass_operand *handle = &operands[3], *place;
    handle += handle->kind == SASS_REGISTER; /* a second source */
    place = handle + 1;
    const struct geometry_row *geometry = geometry_of(handle + 2);
    if (!geometry || names_more(handle) || sass_choice_of(instruction, refused) >= 0 ||
        (gather && geometry->dimensions != 2) || (geometry->cube && (fetch || gather)))
        return sass_refuse(compiler, "how it samples");
    uint32_t count = geometry->coordinates;
    op->variant = gather           ? (uint8_t)(EXECUTE_GATHER + sass_choice_of(instruction, channels))
                  : geometry->cube ? EXECUTE_SAMPLE_CUBE
                                   : EXECUTE_SAMPLE;
    op->kind = EXECUTE_KIND_TEXTURE;
    op->access = (struct execute_access_form){.type = EXECUTE_b32,
                                              .operation = fetch ? EXECUTE_s32 : EXECUTE_f32,
                                              .count = geometry->dimensions,
                                              .framed = geometry->layered,
                                              .read_only = true};
    op->a = handle->kind == SASS_UNIFORM
                ? sass_uniform_ref(compiler, handle->index)
                : sass_bank_ref(compiler, (uint32_t)handle->value, 4 * (uint32_t)place->value, true);
    op->flags = EXECUTE_OP_READS_A;
    op->list = compiler->code->list.count;
    put_channels(compiler, operands, (uint32_t)handle[3].value);
    op->list_results = 4;
    op->list_sources = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        sass_add_list(compiler, coordinate_ref(compiler, instruction, &operands[2], count, i));
    return op->a != EXECUTE_NO_REF;
}

struct surface_row {
    const char *text;
    uint8_t dimensions, layered;
};

/* SURED: sets the properties of the reduction. */
static void put_reduction(const struct sass_instruction *instruction, struct execute_op *op)
{
    static const char *const names[] = {"ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", NULL};
    static const uint8_t operations[] = {EXECUTE_ATOMIC_ADD, EXECUTE_ATOMIC_MIN, EXECUTE_ATOMIC_MAX,
                                         EXECUTE_ATOMIC_INC, EXECUTE_ATOMIC_DEC, EXECUTE_ATOMIC_AND,
                                         EXECUTE_ATOMIC_OR,  EXECUTE_ATOMIC_XOR};
    int name = sass_choice_of(instruction, names);
    bool wide = sass_has(instruction, "U64") || sass_has(instruction, "S64");
    op->combine = (uint8_t)(1 + operations[name < 0 ? 0 : name]);
    op->size = sass_has(instruction, "S32")   ? EXECUTE_s32
               : sass_has(instruction, "U64") ? EXECUTE_u64
               : sass_has(instruction, "S64") ? EXECUTE_s64
                                              : EXECUTE_u32;
    op->access.type = EXECUTE_b32;
    op->access.count = wide ? 2 : 1;
}

/* SULD: a predicate that must be absent, the result, coordinates, the handle; SUST: coordinates, data, the handle. A
 * layer follows the other coordinates. The access has the width stated by the form. */
static bool build_surface(struct sass_compiler *compiler, const struct sass_instruction *instruction,
                          struct execute_op *op)
{
    static const struct surface_row rows[] = {{"1D", 1, 0},       {"2D", 2, 0},       {"3D", 3, 0},
                                              {"1D_ARRAY", 1, 1}, {"2D_ARRAY", 2, 1}, {NULL, 0, 0}};
    static const char *const refused[] = {"F32.FTZ.RN", "F16x2.RN", "SD32", "SD64", NULL};
    const struct surface_row *row = rows;
    const struct sass_operand *operands = instruction->operands;
    bool load = strcmp(instruction->form->name, "SULD") == 0;
    while (row->text && !sass_has(instruction, row->text))
        row++;
    if (!row->text || !sass_has(instruction, "BA"))
        return sass_refuse(compiler, "what it has coordinates of");
    if (sass_choice_of(instruction, refused) >= 0)
        return sass_refuse(compiler, "what it does to memory");
    if (load && !(operands++->flags & SASS_HIDDEN))
        return sass_refuse(compiler, "a predicate beside its result");
    const struct sass_operand *data = &operands[load ? 0 : 1], *place = &operands[load ? 1 : 0], *handle = &operands[2];
    if (names_more(handle))
        return sass_refuse(compiler, "how it names the surface");
    op->kind = load ? EXECUTE_KIND_SURFACE_LOAD : EXECUTE_KIND_SURFACE_STORE;
    op->access.space = EXECUTE_SPACE_GLOBAL;
    sass_put_width(instruction, op);
    if (strcmp(instruction->form->name, "SURED") == 0)
        put_reduction(instruction, op);
    op->access.bypass = true; /* the model caches surfaces in the L2 only */
    op->access.operation = sass_has(instruction, "IGN")    ? EXECUTE_OUTSIDE_ZERO
                           : sass_has(instruction, "TRAP") ? EXECUTE_OUTSIDE_TRAP
                                                           : EXECUTE_OUTSIDE_CLAMP;
    op->access.wide_address = handle->kind == SASS_UNIFORM ? EXECUTE_ADDRESS_ONE : EXECUTE_ADDRESS_NARROW;
    op->variant = (uint8_t)(row->dimensions + 4 * row->layered);
    op->a = handle->kind == SASS_UNIFORM
                ? sass_uniform_ref(compiler, handle->index)
                : sass_bank_ref(compiler, (uint32_t)handle->value, 4 * (uint32_t)handle[1].value, true);
    op->flags = EXECUTE_OP_READS_A;
    op->list = compiler->code->list.count;
    sass_put_range(compiler, data, op->access.count, 1, load);
    struct sass_operand layer = *place;
    layer.index = (uint8_t)(place->index + row->dimensions);
    if (row->layered)
        sass_put_range(compiler, &layer, 1, 1, false);
    sass_put_range(compiler, place, row->dimensions, 1, false);
    op->list_results = load ? op->access.count : 0;
    op->list_sources = (uint8_t)(row->dimensions + row->layered + (load ? 0 : op->access.count));
    return op->a != EXECUTE_NO_REF;
}

const struct sass_builder_row sass_texture_rows[] = {
    {"TEX", build_texture},
    {"TLD", build_texture},
    {"TLD4", build_texture},
    {"SULD", build_surface},
    {"SUST", build_surface},
    {"SURED", build_surface},
    {NULL, NULL},
};
