/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranges of NVTX, which programs mark with functions of a header. Such a program opens the library that
 * NVTX_INJECTION64_PATH names, and calls its InitializeInjectionNvtx2, which puts functions into the program's tables.
 * Numbers and structures are those of the binary interface of NVTX 3. `maniple run` sets the variable where --kernels
 * names ranges.
 */
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/profiler_ranges.h"

#include <string.h>

enum { TABLE_CALLBACKS = 1, MODULE_CORE = 1, MODULE_CORE2 = 5 };

enum { /* places in the tables of the two modules */
       CORE_START_EX = 4,
       CORE_START = 5,
       CORE_END = 7,
       CORE_PUSH_EX = 8,
       CORE_PUSH = 9,
       CORE_POP = 11,
       CORE2_START_EX = 2,
       CORE2_END = 3,
       CORE2_PUSH_EX = 4,
       CORE2_POP = 5,
       CORE2_REGISTER = 10,
};

enum { MESSAGE_TEXT = 1, MESSAGE_REGISTERED = 3 };

struct nvtx_attributes { /* attributes of a range */
    uint16_t version, size;
    uint32_t category;
    int32_t colour_kind;
    uint32_t colour;
    int32_t payload_kind, reserved;
    uint64_t payload;
    int32_t message_kind;
    const char *message; /* text, or what `intern` has returned */
};

typedef void (*nvtx_function)(void);

struct nvtx_callbacks {
    size_t size;
    int (*functions_of)(int module, nvtx_function ***table, unsigned *count);
};

static const char *name_of(const struct nvtx_attributes *attributes)
{
    bool named =
        attributes && (attributes->message_kind == MESSAGE_TEXT || attributes->message_kind == MESSAGE_REGISTERED);
    return named ? attributes->message : NULL;
}

static int push(const char *name)
{
    struct cudart *rt = cudart_look();
    int depth = cudart_push_range(rt, name);
    cudart_unlock();
    return depth;
}

static int pop(void)
{
    struct cudart *rt = cudart_look();
    int depth = cudart_pop_range(rt);
    cudart_unlock();
    return depth;
}

static uint64_t start(const char *name)
{
    struct cudart *rt = cudart_look();
    uint64_t range = cudart_start_range(rt, name);
    cudart_unlock();
    return range;
}

static void end(uint64_t range)
{
    cudart_end_range(cudart_look(), range);
    cudart_unlock();
}

static int push_attributes(const struct nvtx_attributes *attributes)
{
    return push(name_of(attributes));
}

static uint64_t start_attributes(const struct nvtx_attributes *attributes)
{
    return start(name_of(attributes));
}

/* The same of a domain; ranges of all domains are taken alike. */
static int push_in_domain(const void *domain, const struct nvtx_attributes *attributes)
{
    (void)domain;
    return push(name_of(attributes));
}

static int pop_in_domain(const void *domain)
{
    (void)domain;
    return pop();
}

static uint64_t start_in_domain(const void *domain, const struct nvtx_attributes *attributes)
{
    (void)domain;
    return start(name_of(attributes));
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
                                 {CORE_END, (nvtx_function)end},
                                 {CORE_PUSH_EX, (nvtx_function)push_attributes},
                                 {CORE_PUSH, (nvtx_function)push},
                                 {CORE_POP, (nvtx_function)pop}};
    const struct entry core2[] = {{CORE2_START_EX, (nvtx_function)start_in_domain},
                                  {CORE2_END, (nvtx_function)end_in_domain},
                                  {CORE2_PUSH_EX, (nvtx_function)push_in_domain},
                                  {CORE2_POP, (nvtx_function)pop_in_domain},
                                  {CORE2_REGISTER, (nvtx_function)intern}};
    const struct nvtx_callbacks *callbacks = table_of ? table_of(TABLE_CALLBACKS) : NULL;
    if (!callbacks || callbacks->size < sizeof *callbacks)
        return 0;
    put_all(callbacks, MODULE_CORE, core, sizeof core / sizeof *core);
    put_all(callbacks, MODULE_CORE2, core2, sizeof core2 / sizeof *core2);
    return 1;
}
