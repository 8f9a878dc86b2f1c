/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/correlate/kernels.h"

#include "base/allocate.h"
#include "base/demangle.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* How well a name is the one that is wanted. */
enum correlate_match {
    CORRELATE_OTHER,    /* another kernel's */
    CORRELATE_BASE,     /* the same but for namespaces, parameters and a template's arguments */
    CORRELATE_INSTANCE, /* the same but for namespaces and parameters */
    CORRELATE_SAME,     /* the same, however it is written */
};

/* Length of a cast before a template's argument that is a number: NVIDIA's tools write (int)4 where libstdc++ writes
 * 4. */
static size_t cast_at(const char *text, char before)
{
    size_t length = (before == '<' || before == ',') && *text == '(' ? strcspn(text, ")") : 0;
    return length && text[length] && (isdigit((unsigned char)text[length + 1]) || text[length + 1] == '-') ? length + 1
                                                                                                           : 0;
}

static bool in_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Drops in place what demanglers write in different ways: blanks, the type void before the name, `const`, which
 * stands before a type or behind it, casts and letters of constants (4u). */
static void settle(char *text)
{
    char *to = text, *from = text;
    if (strncmp(from, "void ", 5) == 0)
        from += 5;
    for (char *start = from; *from;) {
        bool begins = from == start || !in_word(from[-1]);
        if (*from == ' ') {
            from++;
        } else if (begins && strncmp(from, "const", 5) == 0 && !in_word(from[5])) {
            from += 5;
        } else if (to > text && cast_at(from, to[-1])) {
            from += cast_at(from, to[-1]);
        } else if (begins && isdigit((unsigned char)*from)) {
            for (; isdigit((unsigned char)*from); from++)
                *to++ = *from;
            from += strspn(from, "ul");
        } else {
            *to++ = *from++;
        }
    }
    *to = 0;
}

static enum correlate_match match_of(const char *name, const char *wanted)
{
    char *whole[] = {mnp_demangle(name), mnp_demangle(wanted)},
         *brief[] = {mnp_demangle_brief(name, 0), mnp_demangle_brief(wanted, 0)};
    for (int i = 0; i < 2; i++) {
        settle(whole[i]);
        settle(brief[i]);
    }
    size_t base = strcspn(brief[0], "<");
    enum correlate_match match = CORRELATE_OTHER;
    if (strcmp(name, wanted) == 0 || strcmp(whole[0], whole[1]) == 0)
        match = CORRELATE_SAME;
    else if (strcmp(brief[0], brief[1]) == 0)
        match = CORRELATE_INSTANCE;
    else if (base == strcspn(brief[1], "<") && strncmp(brief[0], brief[1], base) == 0)
        match = CORRELATE_BASE;
    for (int i = 0; i < 2; i++) {
        free(whole[i]);
        free(brief[i]);
    }
    return match;
}

/* Whether several kernels that match so well are more than was asked for: what tells them apart stands in the name. */
static bool tells_apart(enum correlate_match match, const char *wanted)
{
    size_t length = strlen(wanted);
    bool parameters = length && wanted[length - 1] == ')';
    return match == CORRELATE_BASE       ? parameters || strchr(wanted, '<')
           : match == CORRELATE_INSTANCE ? parameters
                                         : false;
}

enum correlate_choice cli_correlate_choose(const char *const *names, uint32_t count, const char *wanted, bool *chosen)
{
    enum correlate_match best = CORRELATE_OTHER, *matches = mnp_allocate(count + 1, sizeof *matches);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        matches[i] = match_of(names[i], wanted);
        best = matches[i] > best ? matches[i] : best;
    }
    for (uint32_t i = 0; i < count; i++)
        found += chosen[i] = best != CORRELATE_OTHER && matches[i] == best;
    free(matches);
    if (!found)
        return CORRELATE_NONE;
    return found > 1 && tells_apart(best, wanted) ? CORRELATE_UNCLEAR : CORRELATE_CHOSEN;
}
