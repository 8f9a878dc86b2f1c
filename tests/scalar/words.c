/* SPDX-License-Identifier: BSD-3-Clause */
/* Opcodes, their qualifiers and special registers by name. */
#include "words.h"

#include <string.h>

static const struct {
    const char *name;
    enum scalar_operation operation;
} operations[] = {
    {"add", SCALAR_ADD},
    {"sub", SCALAR_SUB},
    {"mul", SCALAR_MUL},
    {"mad", SCALAR_MAD},
    {"div", SCALAR_DIV},
    {"rem", SCALAR_REM},
    {"min", SCALAR_MIN},
    {"max", SCALAR_MAX},
    {"abs", SCALAR_ABS},
    {"neg", SCALAR_NEG},
    {"and", SCALAR_AND},
    {"or", SCALAR_OR},
    {"xor", SCALAR_XOR},
    {"not", SCALAR_NOT},
    {"cnot", SCALAR_CNOT},
    {"shl", SCALAR_SHL},
    {"shr", SCALAR_SHR},
    {"shf", SCALAR_SHF},
    {"lop3", SCALAR_LOP3},
    {"prmt", SCALAR_PRMT},
    {"bfe", SCALAR_BFE},
    {"bfi", SCALAR_BFI},
    {"brev", SCALAR_BREV},
    {"popc", SCALAR_POPC},
    {"clz", SCALAR_CLZ},
    {"bfind", SCALAR_BFIND},
    {"sad", SCALAR_SAD},
    {"mov", SCALAR_MOV},
    {"cvt", SCALAR_CVT},
    {"cvta", SCALAR_CVTA},
    {"mapa", SCALAR_MAPA},
    {"selp", SCALAR_SELP},
    {"setp", SCALAR_SETP},
    {"ld", SCALAR_LD},
    {"st", SCALAR_ST},
    {"atom", SCALAR_ATOM},
    {"red", SCALAR_RED},
    {"bra", SCALAR_BRA},
    {"brx", SCALAR_BRX},
    {"call", SCALAR_CALL},
    {"ret", SCALAR_RET},
    {"exit", SCALAR_EXIT},
    {"shfl", SCALAR_SHFL},
    {"vote", SCALAR_VOTE},
    {"match", SCALAR_MATCH},
    {"redux", SCALAR_REDUX},
    {"elect", SCALAR_ELECT},
    {"bar", SCALAR_BARRIER},
    {"barrier", SCALAR_BARRIER},
    {"mbarrier", SCALAR_MBARRIER},
    {"membar", SCALAR_NOTHING},
    {"fence", SCALAR_NOTHING},
    {"nanosleep", SCALAR_NOTHING},
};

static const struct {
    const char *name;
    enum scalar_word word;
} words[] = {
    {"lo", WORD_LO},
    {"hi", WORD_HI},
    {"wide", WORD_WIDE},
    {"l", WORD_L},
    {"r", WORD_R},
    {"wrap", WORD_WRAP},
    {"clamp", WORD_CLAMP},
    {"eq", WORD_EQ},
    {"ne", WORD_NE},
    {"lt", WORD_LT},
    {"le", WORD_LE},
    {"gt", WORD_GT},
    {"ge", WORD_GE},
    {"and", WORD_AND},
    {"or", WORD_OR},
    {"xor", WORD_XOR},
    {"add", WORD_ADD},
    {"min", WORD_MIN},
    {"max", WORD_MAX},
    {"inc", WORD_INC},
    {"dec", WORD_DEC},
    {"cas", WORD_CAS},
    {"exch", WORD_EXCH},
    {"popc", WORD_POPC},
    {"sync", WORD_SYNC},
    {"arrive", WORD_ARRIVE},
    {"wait", WORD_WAIT},
    {"red", WORD_RED},
    {"warp", WORD_WARP},
    {"cluster", WORD_CLUSTER},
    {"up", WORD_UP},
    {"down", WORD_DOWN},
    {"bfly", WORD_BFLY},
    {"idx", WORD_IDX},
    {"any", WORD_ANY},
    {"all", WORD_ALL},
    {"uni", WORD_UNI},
    {"ballot", WORD_BALLOT},
    {"to", WORD_TO},
    {"init", WORD_INIT},
    {"test_wait", WORD_TEST_WAIT},
};

static const struct {
    const char *name;
    enum scalar_type type;
} types[] = {
    {"u8", TYPE_U8},   {"b8", TYPE_U8},   {"u16", TYPE_U16}, {"b16", TYPE_U16}, {"u32", TYPE_U32},   {"b32", TYPE_U32},
    {"u64", TYPE_U64}, {"b64", TYPE_U64}, {"s32", TYPE_S32}, {"s64", TYPE_S64}, {"pred", TYPE_PRED},
};

static const struct {
    const char *name;
    enum scalar_space space;
} spaces[] = {
    {"global", SPACE_GLOBAL}, {"shared", SPACE_SHARED}, {"shared::cta", SPACE_SHARED},
    {"local", SPACE_LOCAL},   {"param", SPACE_PARAM},   {"shared::cluster", SPACE_CLUSTER},
};

/* Order and scope of memory, alignment and caches: a scalar interpreter that performs one access after another
 * keeps all. */
static const char *const ignored[] = {"relaxed",  "acquire",    "release", "acq_rel", "sc", "weak",
                                      "volatile", "cta",        "gpu",     "sys",     "gl", "aligned",
                                      "noinc",    "noComplete", "proxy",   "async"};

static const char *const specials[] = {
    [SPECIAL_TID_X] = "%tid.x",
    [SPECIAL_TID_Y] = "%tid.y",
    [SPECIAL_NTID_X] = "%ntid.x",
    [SPECIAL_NTID_Y] = "%ntid.y",
    [SPECIAL_CTAID_X] = "%ctaid.x",
    [SPECIAL_NCTAID_X] = "%nctaid.x",
    [SPECIAL_LANEID] = "%laneid",
    [SPECIAL_LANEMASK_LT] = "%lanemask_lt",
    [SPECIAL_CLUSTER_CTARANK] = "%cluster_ctarank",
    [SPECIAL_CLUSTER_NCTARANK] = "%cluster_nctarank",
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define FIND(table, member, name, length, absent)                                                                      \
    for (unsigned i = 0; i < COUNT(table); i++)                                                                        \
        if (strlen(table[i].name) == (length) && memcmp(table[i].name, name, length) == 0)                             \
            return (int)table[i].member;                                                                               \
    return absent

static int operation_of(const char *name, size_t length)
{
    FIND(operations, operation, name, length, -1);
}

static int word_of(const char *name, size_t length)
{
    FIND(words, word, name, length, -1);
}

static int space_of(const char *name, size_t length)
{
    FIND(spaces, space, name, length, -1);
}

int words_type(const char *name, size_t length)
{
    FIND(types, type, name, length, -1);
}

int words_special(const char *name)
{
    for (unsigned i = 0; i < COUNT(specials); i++)
        if (strcmp(specials[i], name) == 0)
            return (int)i;
    return -1;
}

static bool is_ignored(const char *name, size_t length)
{
    for (unsigned i = 0; i < COUNT(ignored); i++)
        if (strlen(ignored[i]) == length && memcmp(ignored[i], name, length) == 0)
            return true;
    return false;
}

static bool qualify(struct scalar_instruction *instruction, unsigned *count, const char *part, size_t length)
{
    int found;
    if ((found = words_type(part, length)) >= 0) {
        instruction->from = (enum scalar_type)found;
        if (instruction->type == TYPE_NONE)
            instruction->type = (enum scalar_type)found;
    } else if ((found = space_of(part, length)) >= 0) {
        instruction->space = (enum scalar_space)found;
    } else if ((found = word_of(part, length)) >= 0) {
        if (*count == SCALAR_WORDS)
            return false;
        instruction->words[(*count)++] = (enum scalar_word)found;
    } else {
        return is_ignored(part, length);
    }
    return true;
}

bool words_opcode(const char *name, struct scalar_instruction *instruction)
{
    size_t length = strcspn(name, ".");
    int operation = operation_of(name, length);
    unsigned count = 0;
    if (operation < 0)
        return false;
    instruction->operation = (enum scalar_operation)operation;
    for (const char *part = name + length; *part; part += length) {
        part++;
        length = strcspn(part, ".");
        if (operation != SCALAR_NOTHING && !qualify(instruction, &count, part, length))
            return false;
    }
    return true;
}
