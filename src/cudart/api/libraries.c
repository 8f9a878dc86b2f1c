/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Libraries that a program opens while it runs: the driver and the runtime are ours by name, wherever the program
 * looks for them. Programs find `dlopen` here in front of the C library's, which must learn who calls it: where the
 * caller looks for libraries of its own depends on that. So the function below is a jump, and not a call.
 */
#include "cudart/api/serve.h"
#include "cudart/api/static_runtime.h"
#include "cudart/base/driver_contexts.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct opening {
    const char *name; /* name of the library to open */
    void *open;       /* the C library's function */
};

/* The function that the assembly below calls: its result fits into two registers. */
struct opening cudart_choose_library(const char *name) __asm__("maniple_choose_library");

__asm__(".text\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        "dlopen:\n"
        ".cfi_startproc\n"
        "    push %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    push %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    sub $8, %rsp\n" /* the stack is at a multiple of 16 in a call */
        "    .cfi_adjust_cfa_offset 8\n"
        "    call maniple_choose_library\n"
        "    add $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    pop %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    mov %rax, %rdi\n"
        "    jmp *%rdx\n"
        ".cfi_endproc\n"
        ".size dlopen, . - dlopen\n");

/* Our mathematics libraries (src/mathlib) have their versions in their names. */
static const char *mathematics_for(const char *file)
{
    static const char *const ours[][2] = {
        {"libcublas.so", "libcublas-13.so"},        {"libcublas.so.12", "libcublas-12.so"},
        {"libcublas.so.13", "libcublas-13.so"},     {"libcublasLt.so", "libcublasLt-13.so"},
        {"libcublasLt.so.12", "libcublasLt-12.so"}, {"libcublasLt.so.13", "libcublasLt-13.so"},
        {"libcudnn.so", "libcudnn-9.so"},           {"libcudnn.so.9", "libcudnn-9.so"},
        {"libcufft.so", "libcufft-12.so"},          {"libcufft.so.11", "libcufft-11.so"},
        {"libcufft.so.12", "libcufft-12.so"},       {"libcurand.so", "libcurand-10.so"},
        {"libcurand.so.10", "libcurand-10.so"},     {"libcusolver.so", "libcusolver-12.so"},
        {"libcusolver.so.11", "libcusolver-11.so"}, {"libcusolver.so.12", "libcusolver-12.so"},
        {"libcusparse.so", "libcusparse-12.so"},    {"libcusparse.so.12", "libcusparse-12.so"},
        {"libcupti.so", "libcupti-13.so"},          {"libcupti.so.12", "libcupti-12.so"},
        {"libcupti.so.13", "libcupti-13.so"},
    };
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(file, ours[i][0]) == 0)
            return ours[i][1];
    return NULL;
}

/* Ours for a library's name, and the version of the runtime that it is; NULL: it is not one that we stand for. */
static const char *ours_for(const char *name, int *version)
{
    const char *slash = name ? strrchr(name, '/') : NULL;
    const char *file = slash ? slash + 1 : name;
    *version = 0;
    if (!file)
        return NULL;
    if (strcmp(file, "libcuda.so") == 0 || strcmp(file, "libcuda.so.1") == 0)
        return "libcuda.so.1";
    if (strcmp(file, "libcudart.so") == 0)
        *version = CUDART_NEWEST;
    else if (strncmp(file, "libcudart.so.", 13) == 0)
        *version = atoi(file + 13);
    else
        return mathematics_for(file);
    return *version == 12 ? "libcudart-12.so" : *version == 13 ? "libcudart-13.so" : NULL;
}

/* The path of a library beside this one, kept by the thread that opens it; NULL: there is none. */
static const char *beside(const char *file)
{
    struct cudart_thread *thread = cudart_thread();
    Dl_info self;
    const char *slash = dladdr((void *)cudart_choose_library, &self) ? strrchr(self.dli_fname, '/') : NULL;
    if (!slash)
        return NULL;
    snprintf(thread->library, sizeof thread->library, "%.*s/%s", (int)(slash - self.dli_fname), self.dli_fname, file);
    return access(thread->library, R_OK) == 0 ? thread->library : NULL;
}

CUDART_API const char *maniple_library_for(const char *name)
{
    int version;
    const char *file = ours_for(name, &version), *path = file ? beside(file) : NULL;
    if (path && version)
        cudart_serve_version(cudart_state(), version);
    return path;
}

struct opening cudart_choose_library(const char *name)
{
    const char *path = maniple_library_for(name);
    return (struct opening){path ? path : name, dlsym(RTLD_NEXT, "dlopen")};
}

/* ===== which of the runtime's versions is meant, where the program may ask for several ===== */

/* Whether a loaded object was linked with the library of that name. */
static int needs(struct dl_phdr_info *object, size_t size, void *name)
{
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t strings = 0;
    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (const ElfW(Dyn) *row = dynamic; row && row->d_tag != DT_NULL; row++)
        if (row->d_tag == DT_STRTAB) /* an address, but in objects that the C library has not relocated */
            strings = row->d_un.d_ptr < object->dlpi_addr ? object->dlpi_addr + row->d_un.d_ptr : row->d_un.d_ptr;
    for (const ElfW(Dyn) *row = dynamic; strings && row->d_tag != DT_NULL; row++)
        if (row->d_tag == DT_NEEDED && strcmp((const char *)strings + row->d_un.d_val, name) == 0)
            return 1;
    return 0;
}

CUDART_API void maniple_serve_runtime(int major)
{
    char name[40];
    snprintf(name, sizeof name, "libcudart.so.%d", major);
    if (dl_iterate_phdr(needs, name))
        cudart_serve_version(cudart_state(), major);
}
