/* SPDX-License-Identifier: BSD-3-Clause */
/* The scalar interpreter's parser: text to instructions, names to numbers. */
#include "program.h"
#include "scalar.h"
#include "words.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 64 };

struct name { /* registers NAME<count>, or one of them; a label, a variable, a table */
    char text[NAME];
    enum scalar_kind kind;
    unsigned count;
    uint64_t value;
};

struct parser {
    const char *at;
    unsigned line;
    char *message;
    jmp_buf failed;
    struct scalar_module *module;
    struct scalar_function *function; /* NULL between functions */
    struct name *names, *globals;     /* of the function, of the module */
    unsigned name_count, global_count;
};

static _Noreturn __attribute__((format(printf, 2, 3))) void fail(struct parser *parser, const char *format, ...)
{
    va_list arguments;
    int length = snprintf(parser->message, SCALAR_MESSAGE, "line %u: ", parser->line);
    va_start(arguments, format);
    vsnprintf(parser->message + length, (size_t)(SCALAR_MESSAGE - length), format, arguments);
    va_end(arguments);
    longjmp(parser->failed, 1);
}

/* Grows an array by one element, which is zero. */
static void *grow(void **array, unsigned *count, size_t size)
{
    if ((*count & (*count - 1)) == 0)
        *array = realloc(*array, (*count ? 2 * (size_t)*count : 1) * size);
    char *element = (char *)*array + *count * size;
    memset(element, 0, size);
    ++*count;
    return element;
}
#define GROW(array, count) grow((void **)&(array), &(count), sizeof *(array))

/* ===== characters ===== */

static void blank(struct parser *parser)
{
    for (;; parser->at++) {
        if (parser->at[0] == '/' && parser->at[1] == '/')
            parser->at += strcspn(parser->at, "\n");
        if (*parser->at == '\n')
            parser->line++;
        if (!isspace((unsigned char)*parser->at))
            return;
    }
}

static bool take(struct parser *parser, char c)
{
    blank(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

static void expect(struct parser *parser, char c)
{
    if (!take(parser, c))
        fail(parser, "expected '%c' before '%.20s'", c, parser->at);
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || strchr("%._$:", c);
}

/* A name; a label's colon, one that no second one follows, is not part of it. */
static void word(struct parser *parser, char name[NAME])
{
    unsigned length = 0;
    blank(parser);
    while (*parser->at && in_name(*parser->at) && length < NAME - 1) {
        if (parser->at[0] == ':') {
            if (parser->at[1] != ':')
                break;
            name[length++] = *parser->at++;
        }
        name[length++] = *parser->at++;
    }
    name[length] = 0;
    if (!length)
        fail(parser, "expected a name before '%.20s'", parser->at);
}

static bool at_number(const struct parser *parser)
{
    const char *at = parser->at + (*parser->at == '-');
    return isdigit((unsigned char)*at);
}

static uint64_t number(struct parser *parser)
{
    char *end;
    blank(parser);
    bool negative = take(parser, '-');
    uint64_t value = strtoull(parser->at, &end, 0);
    if (end == parser->at)
        fail(parser, "expected a number before '%.20s'", parser->at);
    parser->at = end + (*end == 'U');
    return negative ? -value : value;
}

/* ===== names ===== */

static struct name *declare(struct parser *parser, const char *text, enum scalar_kind kind, unsigned count,
                            uint64_t value)
{
    struct name *name =
        parser->function ? GROW(parser->names, parser->name_count) : GROW(parser->globals, parser->global_count);
    snprintf(name->text, sizeof name->text, "%s", text);
    name->kind = kind;
    name->count = count;
    name->value = value;
    return name;
}

static unsigned declare_registers(struct parser *parser, const char *text, unsigned count)
{
    unsigned first = parser->function->registers;
    declare(parser, text, OPERAND_REGISTER, count, first);
    parser->function->registers += count ? count : 1;
    return first;
}

/* Finds a name, or the member of a range: %r7 of %r<10>. */
static bool find_in(const struct name *names, unsigned count, const char *text, struct scalar_operand *operand)
{
    size_t stem = strlen(text);
    while (stem && isdigit((unsigned char)text[stem - 1]))
        stem--;
    for (unsigned i = count; i-- > 0;) {
        const struct name *name = &names[i];
        bool range = name->count && strlen(name->text) == stem && memcmp(name->text, text, stem) == 0 && text[stem];
        unsigned long index = range ? strtoul(text + stem, NULL, 10) : 0;
        if (range ? index >= name->count : name->count || strcmp(name->text, text) != 0)
            continue;
        operand->kind = name->kind;
        operand->value = name->value + index;
        operand->number = (int)operand->value;
        return true;
    }
    return false;
}

int scalar_function(const struct scalar_module *module, const char *name)
{
    for (unsigned i = 0; i < module->count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* A label that is used before it stands somewhere gets its place at the function's end. */
static void find(struct parser *parser, const char *text, struct scalar_operand *operand)
{
    int found = words_special(text);
    if (found >= 0) {
        operand->kind = OPERAND_SPECIAL;
        operand->number = found;
    } else if ((found = scalar_function(parser->module, text)) >= 0) {
        operand->kind = OPERAND_FUNCTION;
        operand->number = found;
    } else if (!find_in(parser->names, parser->name_count, text, operand) &&
               !find_in(parser->globals, parser->global_count, text, operand)) {
        operand->kind = OPERAND_LABEL;
        operand->number = (int)parser->name_count;
        declare(parser, text, OPERAND_LABEL, 0, (uint64_t)-1);
    }
    if (operand->kind == OPERAND_LABEL) /* its index until then */
        for (unsigned i = 0; i < parser->name_count; i++)
            if (parser->names[i].kind == OPERAND_LABEL && strcmp(parser->names[i].text, text) == 0)
                operand->number = (int)i;
}

/* ===== operands ===== */

static struct scalar_operand address(struct parser *parser)
{
    struct scalar_operand operand = {.kind = OPERAND_NONE, .second = -1}, base = operand;
    char name[NAME];
    word(parser, name);
    find(parser, name, &base);
    operand.kind = OPERAND_ADDRESS;
    operand.number = base.kind == OPERAND_REGISTER ? base.number : -1;
    operand.value = base.kind == OPERAND_REGISTER ? 0 : base.value;
    if (take(parser, '+'))
        operand.value += number(parser);
    expect(parser, ']');
    return operand;
}

static struct scalar_operand operand(struct parser *parser)
{
    struct scalar_operand operand = {.kind = OPERAND_NONE, .second = -1}, second = operand;
    char name[NAME];
    if (take(parser, '['))
        return address(parser);
    blank(parser);
    if (at_number(parser)) {
        operand.kind = OPERAND_VALUE;
        operand.value = number(parser);
        return operand;
    }
    operand.negated = take(parser, '!');
    word(parser, name);
    if (strcmp(name, "_") != 0)
        find(parser, name, &operand);
    if (take(parser, '|')) {
        word(parser, name);
        find(parser, name, &second);
        operand.second = second.number;
    }
    return operand;
}

static void add(struct parser *parser, struct scalar_instruction *instruction, struct scalar_operand operand)
{
    if (instruction->count == SCALAR_OPERANDS)
        fail(parser, "too many operands");
    instruction->operands[instruction->count++] = operand;
}

static void operands(struct parser *parser, struct scalar_instruction *instruction, char end)
{
    if (take(parser, end))
        return;
    do
        add(parser, instruction, operand(parser));
    while (take(parser, ','));
    expect(parser, end);
}

/* call (results), function, (arguments)[, prototype]: the function first, then results, then arguments. */
static void call(struct parser *parser, struct scalar_instruction *instruction)
{
    char prototype[NAME];
    instruction->count = 1;
    if (take(parser, '(')) {
        operands(parser, instruction, ')');
        expect(parser, ',');
    }
    instruction->results = instruction->count - 1;
    instruction->operands[0] = operand(parser);
    if (take(parser, ',')) {
        expect(parser, '(');
        operands(parser, instruction, ')');
    }
    if (take(parser, ','))
        word(parser, prototype);
    expect(parser, ';');
}

/* ===== statements ===== */

static const char *opcode_name(struct scalar_module *module, const char *name)
{
    for (unsigned i = 0; i < module->name_count; i++)
        if (strcmp(module->names[i], name) == 0)
            return module->names[i];
    char **kept = GROW(module->names, module->name_count);
    *kept = strdup(name);
    return *kept;
}

/* ld.param and st.param move between registers: parameters are registers here. */
static void parameters_are_registers(struct parser *parser, struct scalar_instruction *instruction)
{
    if (instruction->space != SPACE_PARAM)
        return;
    struct scalar_operand *parameter = &instruction->operands[instruction->operation == SCALAR_LD];
    if (instruction->count != 2 || parameter->kind != OPERAND_ADDRESS)
        fail(parser, "a parameter is expected");
    parameter->kind = OPERAND_REGISTER;
    instruction->operation = SCALAR_MOV;
}

static void instruction(struct parser *parser, const char *opcode)
{
    struct scalar_instruction *made = GROW(parser->function->code, parser->function->count);
    struct scalar_operand guard = {.second = -1};
    char name[NAME];
    made->line = parser->line;
    made->guard = -1;
    if (!opcode) {
        made->guard_negated = take(parser, '!');
        word(parser, name);
        find(parser, name, &guard);
        made->guard = guard.number;
        word(parser, name);
        opcode = name;
    }
    if (!words_opcode(opcode, made))
        fail(parser, "unknown opcode %s", opcode);
    made->name = opcode_name(parser->module, opcode);
    if (made->operation == SCALAR_CALL)
        call(parser, made);
    else
        operands(parser, made, ';');
    parameters_are_registers(parser, made);
}

static enum scalar_type type_name(struct parser *parser)
{
    char name[NAME];
    word(parser, name);
    int type = words_type(name + 1, strlen(name + 1));
    if (type < 0)
        fail(parser, "unknown type %s", name);
    return (enum scalar_type)type;
}

static unsigned size_of(enum scalar_type type)
{
    return type == TYPE_U8 ? 1 : type == TYPE_U16 ? 2 : type == TYPE_U64 || type == TYPE_S64 ? 8 : 4;
}

/* .shared and .local variables get addresses; .reg and .param ones are registers of the function. */
static void variable(struct parser *parser, const char *directive)
{
    char name[NAME];
    uint64_t align = 4, count = 1;
    bool in_memory = strcmp(directive, ".shared") == 0 || strcmp(directive, ".local") == 0;
    blank(parser);
    if (strncmp(parser->at, ".align", 6) == 0) {
        parser->at += 6;
        align = number(parser);
    }
    unsigned size = size_of(type_name(parser));
    do {
        word(parser, name);
        if (in_memory) {
            unsigned *bytes = *(directive + 1) == 's' ? &parser->module->shared_bytes : &parser->function->local_bytes;
            if (take(parser, '[')) {
                count = number(parser);
                expect(parser, ']');
            }
            *bytes = (unsigned)((*bytes + align - 1) / align * align);
            declare(parser, name, OPERAND_VALUE, 0, *bytes);
            *bytes += (unsigned)(size * count);
        } else if (take(parser, '<')) {
            declare_registers(parser, name, (unsigned)number(parser));
            expect(parser, '>');
        } else {
            declare_registers(parser, name, 0);
        }
    } while (take(parser, ','));
    expect(parser, ';');
}

static void targets(struct parser *parser, const char *label)
{
    struct scalar_table *table = GROW(parser->function->tables, parser->function->table_count);
    declare(parser, label, OPERAND_TABLE, 0, parser->function->table_count - 1);
    do {
        struct scalar_operand target = operand(parser);
        if (table->count == 16)
            fail(parser, "too many targets");
        table->targets[table->count++] = target.number;
    } while (take(parser, ','));
    expect(parser, ';');
}

static void label(struct parser *parser, const char *name)
{
    struct scalar_operand found = {.second = -1};
    blank(parser);
    if (strncmp(parser->at, ".branchtargets", 14) == 0) {
        parser->at += 14;
        targets(parser, name);
        return;
    }
    if (strncmp(parser->at, ".callprototype", 14) == 0) {
        parser->at += strcspn(parser->at, ";") + 1;
        return;
    }
    find(parser, name, &found);
    parser->names[found.number].value = parser->function->count;
}

static void statement(struct parser *parser)
{
    char name[NAME];
    if (take(parser, '@')) {
        instruction(parser, NULL);
        return;
    }
    word(parser, name);
    if (*parser->at == ':') {
        parser->at++;
        label(parser, name);
    } else if (name[0] == '.') {
        variable(parser, name);
    } else {
        instruction(parser, name);
    }
}

/* Labels become numbers of instructions. */
static void resolve(struct parser *parser, int *target)
{
    const struct name *name = &parser->names[*target];
    if (name->value == (uint64_t)-1)
        fail(parser, "%s is not there", name->text);
    *target = (int)name->value;
}

static void body(struct parser *parser)
{
    struct scalar_function *function = parser->function;
    for (unsigned depth = 1; depth > 0;) {
        if (take(parser, '}'))
            depth--;
        else if (take(parser, '{'))
            depth++;
        else
            statement(parser);
    }
    struct scalar_instruction *last = GROW(function->code, function->count);
    last->operation = SCALAR_RET;
    last->guard = -1;
    last->name = "";
    for (unsigned i = 0; i < function->count; i++)
        for (unsigned k = 0; k < function->code[i].count; k++)
            if (function->code[i].operands[k].kind == OPERAND_LABEL)
                resolve(parser, &function->code[i].operands[k].number);
    for (unsigned i = 0; i < function->table_count; i++)
        for (unsigned k = 0; k < function->tables[i].count; k++)
            resolve(parser, &function->tables[i].targets[k]);
    parser->function = NULL;
    free(parser->names);
    parser->names = NULL;
    parser->name_count = 0;
}

static unsigned formals(struct parser *parser)
{
    char name[NAME];
    unsigned count = 0;
    if (take(parser, ')'))
        return 0;
    do {
        word(parser, name); /* .param */
        type_name(parser);
        word(parser, name);
        declare_registers(parser, name, 0);
        count++;
    } while (take(parser, ','));
    expect(parser, ')');
    return count;
}

/* [.visible] .entry NAME (PARAMETERS), .func (RESULTS) NAME (PARAMETERS) */
static void function(struct parser *parser)
{
    char name[NAME];
    parser->function = GROW(parser->module->functions, parser->module->count);
    if (take(parser, '('))
        parser->function->results = formals(parser);
    word(parser, name);
    memcpy(parser->function->name, name, sizeof name);
    if (take(parser, '('))
        parser->function->parameters = formals(parser);
    parser->at += strcspn(parser->at, "{"); /* .maxntid and its like */
    expect(parser, '{');
    body(parser);
}

static void top(struct parser *parser)
{
    char name[NAME];
    word(parser, name);
    if (strcmp(name, ".version") == 0 || strcmp(name, ".target") == 0 || strcmp(name, ".address_size") == 0)
        parser->at += strcspn(parser->at, "\n");
    else if (strcmp(name, ".entry") == 0 || strcmp(name, ".func") == 0)
        function(parser);
    else if (strcmp(name, ".visible") != 0)
        variable(parser, name);
}

struct scalar_module *scalar_parse(const char *text, char message[SCALAR_MESSAGE])
{
    struct parser parser = {.at = text, .line = 1, .message = message, .module = calloc(1, sizeof *parser.module)};
    if (setjmp(parser.failed)) {
        scalar_free(parser.module);
        parser.module = NULL;
    } else {
        for (blank(&parser); *parser.at; blank(&parser))
            top(&parser);
    }
    free(parser.names);
    free(parser.globals);
    return parser.module;
}

void scalar_free(struct scalar_module *module)
{
    for (unsigned i = 0; i < module->count; i++) {
        free(module->functions[i].code);
        free(module->functions[i].tables);
    }
    for (unsigned i = 0; i < module->name_count; i++)
        free(module->names[i]);
    free(module->names);
    free(module->functions);
    free(module);
}
