/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges of NVTX, which programs mark with functions of a header. Such a program opens the library that
 * NVTX_INJECTION64_PATH names, and calls its InitializeInjectionNvtx2, which puts functions into the program's tables.
 * Numbers and structures are those of the binary interface of NVTX 3. `maniple run` sets the variable. A program that
 * marks ranges need not use CUDA: they take the lock, and are no calls.
 */
#include "base/allocate.h"
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/stream/profiler_ranges.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };

enum { /* places in the tables of the two modules */
       CORE_START_EX = 4,
       CORE_START = 5,
       CORE_START_WIDE = 6,
       CORE_END = 7,
       CORE_PUSH_EX = 8,
       CORE_PUSH = 9,
       CORE_PUSH_WIDE = 10,
       CORE_POP = 11,
       CORE2_START_EX = 2,
       CORE2_END = 3,
       CORE2_PUSH_EX = 4,
       CORE2_POP = 5,
       CORE2_REGISTER = 10,
       CORE2_REGISTER_WIDE = 11,
};

enum { MESSAGE_TEXT = 1, MESSAGE_WIDE = 2, MESSAGE_REGISTERED = 3 };

struct nvtx_attributes { /* attributes of a range */
    uint16_t version, size;
    uint32_t category;
    int32_t colour_kind;
    uint32_t colour;
    int32_t payload_kind, reserved;
    uint64_t payload;
    int32_t message_kind;
    const void *message; /* text, wide text, or what `intern` has returned */
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
    size_t size;
    int (*functions_of)(int module, nvtx_function ***table, unsigned *count);
};

/* A wide text as UTF-8, to be freed. Characters that are none become U+FFFD. */
static char *narrow(const wchar_t *wide)
{
    size_t length = 0;
    char *text = wide ? mnp_allocate(wcslen(wide) * 4 + 1, 1) : NULL;
    for (; wide && *wide; wide++) {
        uint32_t code = (uint32_t)*wide;
        code = code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code;
        int more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3; /* bytes behind the first */
        static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
        text[length++] = (char)(first[more] | code >> 6 * more);
        while (more-- > 0)
            text[length++] = (char)(0x80 | (code >> 6 * more & 0x3f));
    }
    return text;
}

/* The state, with the lock; NULL: this thread has it, inside a call. */
static struct cudart *enter(void)
{
    if (cudart_thread()->locks)
        return NULL;
    cudart_lock();
    return cudart_state();
}

static int push(const char *name)
{
    struct cudart *rt = enter();
    int depth = rt ? cudart_push_range(rt, name) : 0;
    if (rt)
        cudart_unlock();
    return depth;
}

static int pop(void)
{
    struct cudart *rt = enter();
    int depth = rt ? cudart_pop_range(rt) : -1;
    if (rt)
        cudart_unlock();
    return depth;
}

static uint64_t start(const char *name)
{
    struct cudart *rt = enter();
    uint64_t range = rt ? cudart_start_range(rt, name) : 0;
    if (rt)
        cudart_unlock();
    return range;
}

static void end(uint64_t range)
{
    struct cudart *rt = enter();
    if (!rt)
        return;
    cudart_end_range(rt, range);
    cudart_unlock();
}

static int push_wide(const wchar_t *wide)
{
    char *name = narrow(wide);
    int depth = push(name);
    free(name);
    return depth;
}

static uint64_t start_wide(const wchar_t *wide)
{
    char *name = narrow(wide);
    uint64_t range = start(name);
    free(name);
    return range;
}

static int push_attributes(const struct nvtx_attributes *attributes)
{
    int kind = attributes ? attributes->message_kind : 0;
    if (kind == MESSAGE_WIDE)
        return push_wide(attributes->message);
    return push(kind == MESSAGE_TEXT || kind == MESSAGE_REGISTERED ? attributes->message : NULL);
}

static uint64_t start_attributes(const struct nvtx_attributes *attributes)
{
    int kind = attributes ? attributes->message_kind : 0;
    if (kind == MESSAGE_WIDE)
        return start_wide(attributes->message);
    return start(kind == MESSAGE_TEXT || kind == MESSAGE_REGISTERED ? attributes->message : NULL);
}

/* The same of a domain; ranges of all domains are taken alike. */
static int push_in_domain(const void *domain, const struct nvtx_attributes *attributes)
{
    (void)domain;
    return push_attributes(attributes);
}

static int pop_in_domain(const void *domain)
{
    (void)domain;
    return pop();
}

static uint64_t start_in_domain(const void *domain, const struct nvtx_attributes *attributes)
{
    (void)domain;
    return start_attributes(attributes);
}

static void end_in_domain(const void *domain, uint64_t range)
{
    (void)domain;
    end(range);
}

/* A text that ranges name later; it lives as long as the program. */
static const char *intern(const void *domain, const char *text)
{
    (void)domain;
    return text ? strdup(text) : NULL;
}

static const char *intern_wide(const void *domain, const wchar_t *text)
{
    (void)domain;
    return narrow(text);
}

struct entry {
    unsigned place;
    nvtx_function function;
};

static void put_all(const struct nvtx_callbacks *callbacks, int module, const struct entry *entries, size_t count)
{
    nvtx_function **table = NULL;
    unsigned places = 0;
    if (!callbacks->functions_of(module, &table, &places) || !table)
        return;
    for (size_t i = 0; i < count; i++)
        if (entries[i].place < places && table[entries[i].place])
            *table[entries[i].place] = entries[i].function;
}

CUDART_API int InitializeInjectionNvtx2(const void *(*table_of)(uint32_t))
{
    const struct entry core[] = {{CORE_START_EX, (nvtx_function)start_attributes},
                                 {CORE_START, (nvtx_function)start},
                                 {CORE_START_WIDE, (nvtx_function)start_wide},
                                 {CORE_END, (nvtx_function)end},
                                 {CORE_PUSH_EX, (nvtx_function)push_attributes},
                                 {CORE_PUSH, (nvtx_function)push},
                                 {CORE_PUSH_WIDE, (nvtx_function)push_wide},
                                 {CORE_POP, (nvtx_function)pop}};
    const struct entry core2[] = {{CORE2_START_EX, (nvtx_function)start_in_domain},
                                  {CORE2_END, (nvtx_function)end_in_domain},
                                  {CORE2_PUSH_EX, (nvtx_function)push_in_domain},
                                  {CORE2_POP, (nvtx_function)pop_in_domain},
                                  {CORE2_REGISTER, (nvtx_function)intern},
                                  {CORE2_REGISTER_WIDE, (nvtx_function)intern_wide}};
    const struct nvtx_callbacks *callbacks = table_of ? table_of(TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size < sizeof *callbacks)
        return 0;
    put_all(callbacks, MODULE_CORE, core, sizeof core / sizeof *core);
    put_all(callbacks, MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}
