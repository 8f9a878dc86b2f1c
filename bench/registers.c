/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers that a thread of each kernel is taken to need and bytes of its static shared memory, one line for each
 * kernel of the files named: file, kernel, registers, bytes. Errors of kernels go to standard error.
 * bench/registers.py sets the lines beside those of ptxas.
 */
#include "base/file.h"
#include "frontend/ptx/program.h"

#include <stdio.h>
#include <stdlib.h>

enum { MEMORY_MIB = 4096 };

static void print_kernels(struct ptx_program *program, const char *path)
{
    const char *name;
    for (uint32_t place = 0; (name = ptx_language.next_kernel(&program->base, &place)) != NULL;) {
        struct mnp_error error = {{0}};
        const struct execute_code *code = ptx_program_kernel(program, name, &error);
        if (code)
            printf("%s %s %u %u\n", path, name, code->registers, code->shared_bytes);
        else
            fprintf(stderr, "%s: %s: %s\n", path, name, error.text);
    }
}

static void print_file(const char *path)
{
    struct execute_device device;
    struct ptx_program program;
    struct mnp_error error = {{0}};
    size_t length;
    char *text = mnp_read_file(path, 1 << 26, &length, &error);
    execute_device_init(&device, MEMORY_MIB, stdout);
    if (text && ptx_program_load(&program, &device, path, text, length, &error)) {
        print_kernels(&program, path);
        ptx_program_unload(&program, &device);
    } else {
        fprintf(stderr, "%s\n", error.text);
    }
    execute_device_release(&device);
    free(text);
}

int main(int count, char **words)
{
    if (count < 2) {
        fputs("usage: bench-registers PTX...\n", stderr);
        return MNP_EXIT_USER;
    }
    for (int i = 1; i < count; i++)
        print_file(words[i]);
    return MNP_EXIT_DONE;
}
