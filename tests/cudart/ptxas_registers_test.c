/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers of kernels whose machine code lies beside their PTX: containers made by hand round cubins of ptxas 13.0,
 * whose numbers cuobjdump says. Usage: ptxas_registers_test LANES VECADD
 */
#include "base/file.h"
#include "cudart/device/ptxas_registers.h"
#include "frontend/cuda/fatbin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT ".version 7.0\n.target sm_80\n.address_size 64\n"

enum { ROOM = 1 << 16 };

static char **paths;

struct container {
    unsigned char bytes[ROOM];
    size_t used;
};

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void begin(struct container *made)
{
    memset(made, 0, sizeof *made);
    put(made->bytes, CUDA_CONTAINER_MAGIC, 4);
    put(made->bytes + 4, 1, 2);
    put(made->bytes + 6, CUDA_CONTAINER_HEADER, 2);
    made->used = CUDA_CONTAINER_HEADER;
}

static void add(struct container *made, uint32_t architecture, uint64_t flags, const void *data, size_t bytes)
{
    unsigned char *head = made->bytes + made->used;
    put(head, CUDA_ENTRY_MACHINE_CODE, 2);
    put(head + 2, 0x101, 2);
    put(head + 4, CUDA_ENTRY_HEADER, 4);
    put(head + 8, (bytes + 7) / 8 * 8, 8);
    put(head + 28, architecture, 4);
    put(head + 40, flags, 8);
    memcpy(head + CUDA_ENTRY_HEADER, data, bytes);
    made->used += CUDA_ENTRY_HEADER + (bytes + 7) / 8 * 8;
    put(made->bytes + 8, made->used - CUDA_CONTAINER_HEADER, 8);
}

static void add_file(struct container *made, uint32_t architecture, uint64_t flags, const char *path)
{
    struct mnp_error error = {{0}};
    size_t bytes;
    char *data = mnp_read_file(path, ROOM / 2, &bytes, &error);
    if (!data)
        fail_msg("%s", error.text);
    add(made, architecture, flags, data, bytes);
    free(data);
}

/* What stands behind the text that was chosen from a container. */
static void expect(const struct container *made, uint32_t architecture, const char *added)
{
    char *text = strdup(TEXT);
    size_t length = strlen(text);
    cudart_note_registers(made->bytes, made->used, architecture, &text, &length);
    assert_int_equal(strlen(text), length);
    assert_memory_equal(text, TEXT, strlen(TEXT));
    assert_string_equal(text + strlen(TEXT), added);
    free(text);
}

static void nearest_machine_code(void **unused)
{
    (void)unused;
    static const char lanes[] =
        "\n.pragma \"maniple.registers matrices 32\";\n.pragma \"maniple.registers lanes 32\";\n";
    static const char vecadd[] = "\n.pragma \"maniple.registers vecadd 12\";\n";
    struct container made;
    begin(&made);
    add_file(&made, 80, 0, paths[1]);
    expect(&made, 80, lanes);
    expect(&made, 90, lanes);
    expect(&made, 70, lanes);
    add_file(&made, 86, 0, paths[2]);
    expect(&made, 80, lanes); /* its own */
    expect(&made, 90, vecadd);
    expect(&made, 86, vecadd);
    expect(&made, 75, lanes); /* the oldest of those that are newer */
    begin(&made);
    add_file(&made, 90, 0, paths[1]);
    add_file(&made, 90, CUDA_FLAG_OWN, paths[2]);
    expect(&made, 90, vecadd); /* what is for it alone (sm_90a), which is what it would run */
}

/* What is no machine code of Volta or later, or none at all, says nothing. */
static void nothing_known(void **unused)
{
    (void)unused;
    struct container made;
    begin(&made);
    expect(&made, 80, "");
    add_file(&made, 61, 0, paths[2]);
    expect(&made, 80, "");
    add(&made, 80, 0, "\177ELF, but no more", 18);
    expect(&made, 80, "");
    made.used = 10;
    expect(&made, 80, "");
}

int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(nearest_machine_code), cmocka_unit_test(nothing_known)};
    paths = words;
    if (count < 3)
        return 2;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
