/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Demangling by the C++ library (Itanium C++ ABI §3.4, __cxa_demangle). The library is opened on first use: Maniple is
 * written in C, and only CUDA programs load that library anyway.
 */
#include "base/demangle.h"

#include "base/allocate.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangler(const char *name, char *buffer, size_t *length, int *status);

/* Returns NULL if the name is not a mangled one, or if there is no demangler. The caller frees the text. */
static char *demangle_by_library(const char *name)
{
    /* RTLD_NODELETE: kernel names are demangled often, and reopening a library that stays mapped is cheap. */
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return NULL;
    demangler *read_name;
    void *symbol = dlsym(library, "__cxa_demangle");
    memcpy(&read_name, &symbol, sizeof symbol); /* C has no conversion from data to a function */
    int status = -1;
    char *text = read_name ? read_name(name, NULL, NULL, &status) : NULL;
    dlclose(library);
    return status == 0 ? text : NULL;
}

/* Removes ABI tags of more than `most` characters in place. */
static void drop_tags(char *text, size_t most)
{
    static const char begin[] = "[abi:";
    for (char *at = text; (at = strstr(at, begin));) {
        size_t length = strcspn(at + strlen(begin), "]");
        char *end = at + strlen(begin) + length;
        if (!*end || length <= most)
            at = end;
        else
            memmove(at, end + 1, strlen(end + 1) + 1);
    }
}

char *mnp_demangle(const char *name)
{
    enum { LONGEST_TAG = 32 }; /* Numba writes its compiler's flags into one, which nobody can read */
    /* Without this check, the demangler would decode "i" as the type int. */
    char *text = strncmp(name, "_Z", 2) == 0 ? demangle_by_library(name) : NULL;
    if (text) {
        drop_tags(text, LONGEST_TAG);
        return text;
    }
    text = mnp_allocate(strlen(name) + 1, 1);
    return strcpy(text, name);
}

static bool ends_with(const char *text, size_t length, const char *end)
{
    size_t of_end = strlen(end);
    return length >= of_end && memcmp(text + length - of_end, end, of_end) == 0;
}

/* Removes qualifiers in place; those of members of templates stay ("grid<4>::run"). */
static void drop_namespaces(char *text)
{
    static const char nameless[] = "(anonymous namespace)";
    size_t length = 0, word = 0; /* length of the text that is kept; where its last word begins */
    for (const char *at = text; *at; at++) {
        bool in_word = length > word && (isalnum((unsigned char)text[length - 1]) || text[length - 1] == '_');
        if (at[0] == ':' && at[1] == ':' && (in_word || ends_with(text, length, nameless))) {
            length = in_word ? word : length - strlen(nameless);
            at++;
            continue;
        }
        if (!in_word)
            word = length;
        text[length++] = *at;
    }
    text[length] = 0;
}

/* Removes the parentheses at the end, and what is in them. */
static void drop_parameters(char *text)
{
    size_t at = strlen(text);
    int depth = 0;
    if (!at || text[at - 1] != ')')
        return;
    do {
        at--;
        depth += text[at] == ')' ? 1 : text[at] == '(' ? -1 : 0;
    } while (at && depth);
    if (at)
        text[at] = 0;
}

static void drop_return_type(char *text)
{
    if (strncmp(text, "void ", 5) == 0)
        memmove(text, text + 5, strlen(text + 5) + 1);
}

char *mnp_demangle_brief(const char *name, size_t width)
{
    char *text = mnp_demangle(name);
    if (strlen(text) > width) {
        drop_return_type(text);
        drop_tags(text, 0);
        drop_namespaces(text);
    }
    if (strlen(text) > width)
        drop_parameters(text);
    return text;
}

char *mnp_demangle_column(const char *name, size_t width)
{
    char *text = mnp_demangle(name);
    drop_return_type(text);
    drop_parameters(text);
    if (strlen(text) > width) {
        drop_tags(text, 0);
        drop_namespaces(text);
    }
    return text;
}
