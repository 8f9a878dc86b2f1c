/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Words of an opcode that an assembler refuses where they stand, or beside the others: as ptxas of CUDA 13.0 has them,
 * which takes types and most modifiers in any order, but not the words that make the instruction's name.
 */
#include "frontend/ptx/compile/check.h"

#include <string.h>

#define WHOLE "u16 u32 u64 s16 s32 s64"
#define TYPED "b16 b32 b64 " WHOLE " f32 f64"

/* Words that are part of the instruction's name: if they are there, they stand at that place behind the opcode. */
static const struct {
    const char *opcode, *words;
    uint32_t place;
    const char *unless; /* another word is there; NULL: always */
} names[] = {
    {"mul", "lo hi wide", 1},
    {"mad", "lo hi wide", 1},
    {"madc", "lo hi", 1},
    {"mul24", "lo hi", 1},
    {"mad24", "lo hi", 1},
    {"dp2a", "lo hi", 1},
    {"bar", "arrive red warp", 1, "cta"},
    {"barrier", "red", 1, "cta"},
    {"barrier", "cluster", 1},
    {"barrier", "wait", 2},
    {"mbarrier", "init inval arrive test_wait try_wait", 1},
    {"mbarrier", "parity", 2},
    {"wgmma", "fence commit_group wait_group mma_async", 1},
    {"setmaxnreg", "inc dec", 1},
    {"cvta", "to", 1},
    {"fence", "proxy", 1},
    {"cp", "async", 1, "reduce"},
    {"cp", "bulk", 2, "reduce"},
    {"cp", "commit_group wait_group wait_all", 2, "bulk"},
    {"cp", "mbarrier", 2},
    {"cp", "arrive", 3},
};

/* The types that an instruction may have, where there are others of the same sizes that it does not have. "": none. */
static const struct {
    const char *opcode, *words, *types; /* applies to statements with one of the words; "": to all */
    bool needed;                        /* the word is required */
} types[] = {
    {"mov", "", "pred b128 " TYPED},
    {"selp", "", TYPED},
    {"ld", "", "b8 b128 u8 s8 " TYPED},
    {"ldu", "", "b8 b128 u8 s8 " TYPED},
    {"st", "", "b8 b128 u8 s8 " TYPED},
    {"addc", "", "u32 s32 u64 s64"},
    {"subc", "", "u32 s32 u64 s64"},
    {"madc", "", "u32 s32 u64 s64"},
    {"add", "cc", "u32 s32 u64 s64"},
    {"sub", "cc", "u32 s32 u64 s64"},
    {"mad", "cc", "u32 s32 u64 s64"},
    {"activemask", "", "b32", true},
    {"setmaxnreg", "", "u32", true},
    {"mbarrier", "", "b64", true},
    {"nanosleep", "", "u32", true},
    {"shfl", "", "b32", true},
    {"bar", "popc", "u32", true},
    {"bar", "and or", "pred", true},
    {"barrier", "popc", "u32", true},
    {"barrier", "and or", "pred", true},
    {"cp", "mbarrier", "b64", true},
    {"bar", "sync arrive", ""},
    {"barrier", "sync arrive wait", ""},
    {"fence", "", ""},
    {"membar", "", ""},
    {"prefetch", "", ""},
    {"prefetchu", "", ""},
    {"discard", "", ""},
    {"applypriority", "", ""},
    {"pmevent", "", ""},
    {"cp", "commit_group wait_group wait_all", ""},
    {"wgmma", "fence commit_group wait_group", ""},
};

/* Opcodes that accept one scope. */
static const char *const scoped = "atom red ld st fence membar";

/* Whether a list, with blanks between its words, has that one. */
static bool is_listed(const char *list, const struct ptx_word *word)
{
    for (; *list; list += strspn(list, " ")) {
        size_t length = strcspn(list, " ");
        if (length == word->length && memcmp(list, word->text, length) == 0)
            return true;
        list += length;
    }
    return false;
}

static bool has_any(const struct ptx_decoder *decoder, const char *words)
{
    bool found = !*words;
    for (uint32_t i = 1; i < decoder->word_count; i++)
        found |= is_listed(words, &decoder->words[i]);
    return found;
}

static bool applies(const struct ptx_decoder *decoder, size_t row)
{
    return ptx_word_is(&decoder->words[0], names[row].opcode) &&
           !(names[row].unless && has_any(decoder, names[row].unless));
}

static bool check_places(struct ptx_decoder *decoder)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        for (uint32_t i = 1; applies(decoder, k) && i < decoder->word_count; i++)
            if (i != names[k].place && is_listed(names[k].words, &decoder->words[i]) &&
                (names[k].place >= decoder->word_count || !is_listed(names[k].words, &decoder->words[names[k].place])))
                return ptx_decode_fail(decoder, "`.%.*s` belongs directly behind `%.*s`", (int)decoder->words[i].length,
                                       decoder->words[i].text, (int)decoder->words[names[k].place - 1].length,
                                       decoder->words[names[k].place - 1].text);
    return true;
}

static bool check_types(struct ptx_decoder *decoder)
{
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        if (!ptx_word_is(&decoder->words[0], types[k].opcode) || !has_any(decoder, types[k].words))
            continue;
        for (uint32_t i = 0; i < decoder->type_count; i++) {
            const char *name = execute_type_name((enum execute_type)decoder->types[i]);
            struct ptx_word word = {.text = name, .length = (uint32_t)strlen(name)};
            if (!is_listed(types[k].types, &word))
                return ptx_decode_fail(decoder,
                                       *types[k].types ? "it has no form with .%s; there are .%s"
                                                       : "it has no type, and so no .%s%s",
                                       name, types[k].types);
        }
        if (!decoder->type_count && types[k].needed)
            return ptx_decode_fail(decoder, "it needs its type, .%s", types[k].types);
    }
    return true;
}

static bool check_scopes(struct ptx_decoder *decoder)
{
    const struct ptx_word *first = NULL;
    for (uint32_t i = 1; is_listed(scoped, &decoder->words[0]) && i < decoder->word_count; i++) {
        if (!is_listed("cta cluster gpu sys gl", &decoder->words[i]))
            continue;
        if (first)
            return ptx_decode_fail(decoder, "it has one scope, not both .%.*s and .%.*s", (int)first->length,
                                   first->text, (int)decoder->words[i].length, decoder->words[i].text);
        first = &decoder->words[i];
    }
    return true;
}

bool ptx_check_words(struct ptx_decoder *decoder)
{
    return check_places(decoder) && check_types(decoder) && check_scopes(decoder);
}
