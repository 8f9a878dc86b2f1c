/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Demangling by the C++ library (Itanium C++ ABI §3.4, __cxa_demangle). The library is opened on first use: Maniple is
 * written in C, and only CUDA programs load that library anyway.
 */
#include "base/demangle.h"

#include "base/allocate.h"

#include <dlfcn.h>
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

char *mnp_demangle(const char *name)
{
    /* Without this check, the demangler would decode "i" as the type int. */
    char *text = strncmp(name, "_Z", 2) == 0 ? demangle_by_library(name) : NULL;
    if (text)
        return text;
    text = mnp_allocate(strlen(name) + 1, 1);
    return strcpy(text, name);
}
