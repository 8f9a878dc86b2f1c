/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code/special.h"
#include "frontend/ptx/text/parser.h"

#include <string.h>

struct ptx_binding *ptx_bind(struct ptx_parser *parser, uint32_t name, enum ptx_bound kind, uint32_t index)
{
    struct ptx_name *entry = (struct ptx_name *)parser->module->names.items + name;
    struct ptx_binding *binding = mnp_array_add(&parser->bindings, 1, sizeof *binding);
    *binding =
        (struct ptx_binding){.name = name, .hidden = entry->binding, .index = index, .count = 1, .kind = (uint8_t)kind};
    entry->binding = parser->bindings.count - 1;
    return binding;
}

struct ptx_binding *ptx_bind_new(struct ptx_parser *parser, uint32_t name, enum ptx_bound kind, uint32_t index)
{
    uint32_t at = ((struct ptx_name *)parser->module->names.items)[name].binding;
    const struct ptx_binding *bindings = parser->bindings.items;
    for (; at != PTX_NONE && at >= parser->scope; at = bindings[at].hidden)
        if ((bindings[at].kind == PTX_BOUND_RANGE) == (kind == PTX_BOUND_RANGE)) {
            ptx_lexer_fail(&parser->lexer, "`%s` is defined twice; rename one of them",
                           ptx_name_text(parser->module, name));
            return NULL;
        }
    return ptx_bind(parser, name, kind, index);
}

const struct ptx_binding *ptx_bound(struct ptx_parser *parser, uint32_t name)
{
    uint32_t index = ((struct ptx_name *)parser->module->names.items)[name].binding;
    const struct ptx_binding *bindings = parser->bindings.items;
    while (index != PTX_NONE && bindings[index].kind == PTX_BOUND_RANGE) /* a range only covers numbered names */
        index = bindings[index].hidden;
    return index == PTX_NONE ? NULL : &bindings[index];
}

static bool resolve(struct ptx_parser *parser, const struct ptx_fixup *fixup, const struct ptx_binding *binding)
{
    if (fixup->in_list) {
        if (binding->kind != PTX_BOUND_LABEL && binding->kind != PTX_BOUND_FUNCTION)
            return false;
        ((uint32_t *)parser->module->list_items.items)[fixup->operand] = binding->index;
        return true;
    }
    struct ptx_operand *operand = ptx_operand_at(parser->module, fixup->operand);
    if (binding->kind == PTX_BOUND_LABEL)
        operand->kind = PTX_OPERAND_LABEL;
    else if (binding->kind == PTX_BOUND_LIST)
        operand->kind = PTX_OPERAND_LIST;
    else
        return false;
    operand->index = binding->index;
    return true;
}

/* Names that this scope could not explain are left to the scope around it. */
static bool resolve_fixups(struct ptx_parser *parser)
{
    struct ptx_fixup *fixups = parser->fixups.items;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < parser->fixups.count; i++) {
        struct ptx_fixup *fixup = &fixups[i];
        const struct ptx_binding *binding = fixup->depth >= parser->depth ? ptx_bound(parser, fixup->name) : NULL;
        if (binding && resolve(parser, fixup, binding))
            continue;
        if (parser->depth <= 1) {
            parser->lexer.token.line = fixup->line;
            parser->lexer.token.column = fixup->column;
            return ptx_lexer_fail(&parser->lexer, "nothing here is named `%s`; declare it, or correct its spelling",
                                  ptx_name_text(parser->module, fixup->name));
        }
        fixup->depth = fixup->depth >= parser->depth ? parser->depth - 1 : fixup->depth;
        fixups[kept++] = *fixup;
    }
    parser->fixups.count = kept;
    return true;
}

bool ptx_scope_close(struct ptx_parser *parser, uint32_t first_binding)
{
    if (!resolve_fixups(parser))
        return false;
    struct ptx_binding *bindings = parser->bindings.items;
    struct ptx_name *names = parser->module->names.items;
    for (uint32_t i = parser->bindings.count; i > first_binding; i--)
        names[bindings[i - 1].name].binding = bindings[i - 1].hidden;
    parser->bindings.count = first_binding;
    return true;
}

static void set_register(struct ptx_operand *operand, const struct ptx_binding *binding, uint32_t number)
{
    *operand = (struct ptx_operand){.kind = PTX_OPERAND_REGISTER, .index = binding->index + number, .count = 1};
}

/* Resolves `%v.x`, … of a vector register. */
static bool vector_element(struct ptx_parser *parser, const char *text, uint32_t length, struct ptx_operand *operand)
{
    static const char letters[] = "xyzwrgba";
    if (length < 3 || text[length - 2] != '.')
        return false;
    const char *letter = strchr(letters, text[length - 1]);
    const struct ptx_binding *binding = ptx_bound(parser, ptx_name_of(parser->module, text, length - 2));
    uint32_t element = letter ? (uint32_t)(letter - letters) % 4 : 4;
    if (!binding || binding->kind != PTX_BOUND_REGISTER || element >= binding->count)
        return false;
    set_register(operand, binding, element);
    return true;
}

/* Finds the innermost declaration like `%r<20>` that includes `number`. A declaration of the same name without a number
 * hides none of the range's registers. */
static const struct ptx_binding *range_with(struct ptx_parser *parser, uint32_t name, uint32_t number)
{
    uint32_t index = ((struct ptx_name *)parser->module->names.items)[name].binding;
    while (index != PTX_NONE) {
        const struct ptx_binding *binding = (struct ptx_binding *)parser->bindings.items + index;
        if (binding->kind == PTX_BOUND_RANGE && number < binding->count)
            return binding;
        index = binding->hidden;
    }
    return NULL;
}

/* `%r12` of a declaration `%r<20>`. */
static const struct ptx_binding *range_element(struct ptx_parser *parser, const char *text, uint32_t length,
                                               struct ptx_operand *operand)
{
    uint32_t scale = 1, number = 0;
    for (uint32_t digits = 1; digits < length && digits <= 8; digits++, scale *= 10) {
        char digit = text[length - digits];
        if (digit < '0' || digit > '9')
            break;
        number += (uint32_t)(digit - '0') * scale;
        if (digits > 1 && digit == '0')
            continue; /* numbers have no zeros in front */
        uint32_t name = ptx_name_of(parser->module, text, length - digits);
        const struct ptx_binding *binding = range_with(parser, name, number);
        if (binding) {
            set_register(operand, binding, number);
            return binding;
        }
    }
    return NULL;
}

bool ptx_register_named(struct ptx_parser *parser, const char *text, uint32_t length, struct ptx_operand *operand)
{
    const struct ptx_binding *binding = ptx_bound(parser, ptx_name_of(parser->module, text, length));
    const struct ptx_binding *range = range_element(parser, text, length, operand);
    if (range && (!binding || range > binding)) /* later bindings are of inner scopes */
        return true;
    if (!binding)
        return vector_element(parser, text, length, operand);
    if (binding->kind != PTX_BOUND_REGISTER)
        return false;
    set_register(operand, binding, 0);
    operand->count = binding->count;
    return true;
}

/* `.b3210`, `.h1`: up to four digits behind b, two behind h. 0: it is something else. */
static uint32_t parts_of(const char *text, uint32_t length)
{
    uint32_t count = length - 2, parts = text[1] == 'h' ? PTX_PARTS_HALVES : 0;
    if (text[1] != 'b' && text[1] != 'h')
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (text[2 + i] < '0' || text[2 + i] > '7')
            return 0;
        parts |= (uint32_t)(text[2 + i] - '0') << 3 * i;
    }
    return parts | count << PTX_PARTS_COUNT_SHIFT;
}

bool ptx_part_named(struct ptx_parser *parser, const char *text, uint32_t length, struct ptx_operand *operand)
{
    enum { MOST = 6 };
    uint32_t tail = 1;
    while (tail < length && tail < MOST && text[length - tail] != '.')
        tail++;
    uint32_t parts = tail > 2 && tail < length && text[length - tail] == '.' ? parts_of(text + length - tail, tail) : 0;
    if (!parts || !ptx_register_named(parser, text, length - tail, operand))
        return false;
    operand->parts = parts;
    return true;
}

bool ptx_special_named(const char *text, uint32_t length, uint32_t *special)
{
    static const char *const names[] = {
#define X(enumerator, name, bytes) name,
        EXECUTE_SPECIALS(X)
#undef X
    };
    for (uint32_t i = 0; i < EXECUTE_SPECIAL_COUNT; i++) {
        if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) {
            *special = i;
            return true;
        }
    }
    return false;
}
