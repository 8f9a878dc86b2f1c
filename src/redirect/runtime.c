/* SPDX-License-Identifier: BSD-3-Clause */
#include "redirect/runtime.h"

#include "redirect/map.h"

#include <stdlib.h>
#include <string.h>

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* The linker keeps the names of the runtime's API. All other names of the archive have one of these prefixes: the first
 * since CUDA 12, the next two in CUDA 11.0, the last in later versions of CUDA 11. */
static bool is_marked(const char *name)
{
    return begins(name, "libcudart_static_") || begins(name, "_ZN6cudart") || begins(name, "_ZNK6cudart") ||
           (begins(name, "__cudart") && name[8] >= '0' && name[8] <= '9');
}

static bool is_api(const char *name)
{
    return begins(name, "cuda") || (begins(name, "__cuda") && !begins(name, "__cudart"));
}

/* Whether a function belongs to the runtime; CUDA 11.0 also has unnamed local functions between others. */
static bool belongs(const char *name)
{
    return is_marked(name) || is_api(name) || begins(name, "_ZN12_GLOBAL__N_1");
}

/* The linker copies the runtime's code as one contiguous piece that contains only its own functions. Narrows [first,
 * last) to the functions around `inside`, up to the outermost marked ones, so that the program's own functions beside
 * the piece are left alone, whatever their names are. */
static void narrow(const struct redirect_symbol *all, size_t count, size_t inside, size_t *first, size_t *last)
{
    *first = *last = inside;
    for (size_t i = inside; i-- > 0 && belongs(all[i].name);)
        if (is_marked(all[i].name))
            *first = i;
    for (size_t i = inside; i < count && belongs(all[i].name); i++)
        if (is_marked(all[i].name))
            *last = i + 1;
}

static const struct redirect_function *function_named(const struct redirect_runtime *runtime, const char *name)
{
    for (size_t i = 0; i < runtime->count; i++)
        if (strcmp(runtime->functions[i].name, name) == 0)
            return &runtime->functions[i];
    return NULL;
}

/* Derives the major version from names that only some versions have: CUDA 12 removed texture references, CUDA 13 the
 * second form of the properties. */
static unsigned major_of(const struct redirect_runtime *runtime)
{
    return function_named(runtime, "cudaBindTexture")              ? 11
           : function_named(runtime, "cudaGetDeviceProperties_v2") ? 12
                                                                   : 13;
}

/* Finds the version number that the code stores by `movl $number, (%rdi)`, as cudaRuntimeGetVersion does. Returns 0 if
 * there is none, or if there are several. */
static unsigned stored_version(const unsigned char *code, size_t size)
{
    enum { OLDEST = 9000, NEWEST = 29990 };
    unsigned found = 0;
    for (size_t i = 0; i + 6 <= size; i++) {
        uint32_t number;
        if (code[i] != 0xc7 || code[i + 1] != 0x07)
            continue;
        memcpy(&number, code + i + 2, sizeof number);
        if (number < OLDEST || number > NEWEST || number % 10 || number == found)
            continue;
        if (found)
            return 0;
        found = number;
    }
    return found;
}

static bool find_by_names(const struct redirect_object *object, struct redirect_runtime *runtime)
{
    size_t count, first = 0, last = 0;
    struct redirect_symbol *all = redirect_functions(object, &count);
    for (size_t i = 0; i < count && first == last; i++)
        if (strcmp(all[i].name, "__cudaRegisterFatBinary") == 0)
            narrow(all, count, i, &first, &last);
    runtime->functions = last > first ? malloc((last - first) * sizeof *runtime->functions) : NULL;
    for (size_t i = first; runtime->functions && i < last; i++) {
        size_t next = i + 1;
        while (next < count && all[next].address == all[i].address)
            next++;
        if (is_api(all[i].name))
            runtime->functions[runtime->count++] = (struct redirect_function){
                all[i].name, all[i].address, next < count ? all[next].address - all[i].address : UINT64_MAX};
    }
    if (runtime->count) {
        /* The range extends 16 bytes (the alignment of entries) beyond the entry of the last function, whose size is
         * unknown. */
        uint64_t begin = redirect_place(object, all[first].address),
                 size = all[last - 1].address - all[first].address + 16;
        const unsigned char *code = redirect_piece(object, begin, size);
        unsigned version = code ? stored_version(code, size) : 0;
        runtime->version = version ? version : major_of(runtime) * 1000;
        runtime->major = runtime->version / 1000;
    }
    free(all);
    return runtime->count > 0;
}

enum redirect_state redirect_find(const struct redirect_object *object, const char *maps,
                                  struct redirect_runtime *runtime)
{
    *runtime = (struct redirect_runtime){0};
    return find_by_names(object, runtime) ? REDIRECT_FOUND : redirect_map(object, maps, runtime);
}

void redirect_release(struct redirect_runtime *runtime)
{
    free(runtime->functions);
    free(runtime->names);
    *runtime = (struct redirect_runtime){0};
}
