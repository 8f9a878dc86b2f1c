/* SPDX-License-Identifier: BSD-3-Clause */
#include "redirect/jumps.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    JUMP = 14, /* size: jmp *0(%rip), followed by the address */
    STUB = 32, /* size reserved for a stub, of which 22 bytes are used */
    PAGE = 4096,
};

/* Stubs of an object: small functions that load a register and jump on. */
struct stubs {
    unsigned char *code;
    char *names; /* names that stubs pass, stored behind the code */
    size_t size;
    size_t used, names_used;
};

static const char cannot_write[] =
    "holds NVIDIA's CUDA runtime itself (nvcc's default, -cudart static), whose functions "
    "cannot be replaced, as this system lets nobody write to code (SELinux's execmod, or "
    "proc_mem.restrict_force); build it again with nvcc -cudart shared";

static bool make_stubs(struct stubs *stubs, const struct redirect_runtime *runtime)
{
    size_t names = 0;
    for (size_t i = 0; i < runtime->count; i++)
        names += strlen(runtime->functions[i].name) + 1;
    size_t code = runtime->count * STUB;
    *stubs = (struct stubs){.size = (code + names + PAGE - 1) / PAGE * PAGE};
    void *pages = mmap(NULL, stubs->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return false;
    stubs->code = pages;
    stubs->names = (char *)pages + code;
    return true;
}

/* mov number, register; mov target, %rax; jmp *%rax */
static uintptr_t add_stub(struct stubs *stubs, const unsigned char *move, size_t move_size, uint64_t number,
                          size_t number_size, uintptr_t target)
{
    unsigned char *stub = stubs->code + stubs->used, *at = stub;
    stubs->used += STUB;
    at = (unsigned char *)memcpy(at, move, move_size) + move_size;
    at = (unsigned char *)memcpy(at, &number, number_size) + number_size;
    at = (unsigned char *)memcpy(at, "\x48\xb8", 2) + 2;
    at = (unsigned char *)memcpy(at, &target, sizeof target) + sizeof target;
    memcpy(at, "\xff\xe0", 2);
    return (uintptr_t)stub;
}

/* Returns a stub for a function that we lack: it calls cudart_missing with the name. */
static uintptr_t missing(struct stubs *stubs, const char *name, const struct link_map *ours)
{
    uintptr_t target = redirect_exported(ours, "maniple_missing");
    char *kept = stubs->names + stubs->names_used;
    stubs->names_used += strlen(name) + 1;
    memcpy(kept, name, strlen(name) + 1);
    return target ? add_stub(stubs, (const unsigned char *)"\x48\xbf", 2, (uintptr_t)kept, 8, target) : 0;
}

static uintptr_t form_of(const struct link_map *ours, unsigned major, const char *name)
{
    char text[160];
    snprintf(text, sizeof text, "maniple_%u_%.128s", major, name);
    return redirect_exported(ours, text);
}

/* Whether a function returns the runtime's version, or depends on it. Our version of it takes that as a sixth
 * parameter. */
static bool asks_version(const char *name)
{
    return strcmp(name, "cudaRuntimeGetVersion") == 0 || strncmp(name, "cudaGetDriverEntryPoint", 23) == 0;
}

/* Returns our function for a runtime's version: the variant of that version if versions differ (cudart/api/versions.c).
 * CUDA 11 uses most of CUDA 12's variants. */
static uintptr_t target_of(struct stubs *stubs, const struct redirect_runtime *runtime, const char *name,
                           const struct link_map *ours)
{
    uintptr_t target = form_of(ours, runtime->major, name);
    if (!target && runtime->major == 11)
        target = form_of(ours, 12, name);
    if (target && asks_version(name))
        return add_stub(stubs, (const unsigned char *)"\x41\xb9", 2, runtime->version, 4, target);
    target = target ? target : redirect_exported(ours, name);
    return target ? target : missing(stubs, name, ours);
}

/* Writes through /proc/self/mem, so that no page is writable and executable at once. If that is unavailable, the page
 * is made writable temporarily; no code of the object runs yet. */
static bool write_code(int memory, uintptr_t at, const void *bytes, size_t size)
{
    if (memory >= 0 && pwrite(memory, bytes, size, (off_t)at) == (ssize_t)size)
        return true;
    uintptr_t page = at & ~(uintptr_t)(PAGE - 1), end = (at + size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    if (mprotect((void *)page, end - page, PROT_READ | PROT_WRITE) != 0)
        return false;
    memcpy((void *)at, bytes, size);
    return mprotect((void *)page, end - page, PROT_READ | PROT_EXEC) == 0;
}

static const char *write_all(const struct link_map *object, const struct redirect_runtime *runtime,
                             const struct link_map *ours, struct stubs *stubs, int memory)
{
    for (size_t i = 0; i < runtime->count; i++) {
        const struct redirect_function *function = &runtime->functions[i];
        unsigned char jump[JUMP] = {0xff, 0x25, 0, 0, 0, 0};
        uintptr_t target = target_of(stubs, runtime, function->name, ours);
        if (function->room < JUMP || !target)
            return "holds NVIDIA's CUDA runtime itself (nvcc's default, -cudart static) in a form that is not known; "
                   "build "
                   "it again with nvcc -cudart shared";
        memcpy(jump + 6, &target, sizeof target);
        if (!write_code(memory, object->l_addr + function->address, jump, sizeof jump))
            return cannot_write;
    }
    return mprotect(stubs->code, stubs->size, PROT_READ | PROT_EXEC) == 0 ? NULL : cannot_write;
}

const char *redirect_write(const struct link_map *object, const struct redirect_runtime *runtime,
                           const struct link_map *ours)
{
    struct stubs stubs;
    if (runtime->major < 11 || runtime->major > 13)
        return "holds NVIDIA's CUDA runtime of a version that is not supported (11, 12 and 13 are); build it again "
               "with "
               "nvcc of CUDA 12 or 13";
    if (!make_stubs(&stubs, runtime))
        return "holds NVIDIA's CUDA runtime itself, and there is no memory to replace it";
    int memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    const char *problem = write_all(object, runtime, ours, &stubs, memory);
    if (memory >= 0)
        close(memory);
    return problem;
}
