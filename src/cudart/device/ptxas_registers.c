/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/device/ptxas_registers.h"

#include "base/allocate.h"
#include "frontend/cuda/fatbin.h"
#include "frontend/sass/cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VOLTA = 70 /* from which on instructions have 128 bits, and assemblers allocate alike */ };

/* Whether one entry's machine code says more of a machine than another's: its own, what is for it alone first, then the
 * newest older one, then the oldest newer one. */
static bool is_nearer(const struct cuda_entry *one, const struct cuda_entry *other, uint32_t architecture)
{
    bool older = one->architecture <= architecture;
    if (older != (other->architecture <= architecture))
        return older;
    return older ? fatbin_rank(one) > fatbin_rank(other) : fatbin_rank(one) < fatbin_rank(other);
}

static bool nearest(struct cuda_fatbin *fatbin, uint32_t architecture, struct cuda_entry *found)
{
    struct cuda_entry entry;
    struct mnp_error ignored = {{0}};
    found->data = NULL;
    while (fatbin_next(fatbin, &entry, &ignored))
        if (entry.kind == CUDA_ENTRY_MACHINE_CODE && entry.architecture >= VOLTA &&
            (!found->data || is_nearer(&entry, found, architecture)))
            *found = entry;
    return found->data;
}

static void add_kernels(const struct sass_cubin *cubin, FILE *out)
{
    for (size_t i = 0; i < sass_cubin_kernel_count(cubin); i++) {
        const struct sass_kernel *kernel = sass_cubin_kernel(cubin, i);
        if (kernel->entry && kernel->registers)
            fprintf(out, "\n.pragma \"maniple.registers %s %u\";", kernel->name, kernel->registers);
    }
}

void cudart_note_registers(const unsigned char *container, uint64_t bytes, uint32_t architecture, char **text,
                           size_t *length)
{
    struct cuda_fatbin fatbin;
    struct cuda_entry entry;
    struct mnp_error ignored = {{0}};
    size_t size;
    if (!fatbin_open(&fatbin, "", container, bytes, &ignored) || !nearest(&fatbin, architecture, &entry))
        return;
    unsigned char *image = fatbin_content(&fatbin, &entry, &size, &ignored);
    struct sass_cubin *cubin = image ? sass_cubin_open("", image, size, &ignored) : NULL;
    char *noted = NULL;
    FILE *out = cubin ? open_memstream(&noted, &size) : NULL;
    if (out) {
        fwrite(*text, 1, *length, out);
        add_kernels(cubin, out);
        fputc('\n', out);
        fclose(out);
        free(*text);
        *text = noted;
        *length = size;
    }
    if (cubin)
        sass_cubin_free(cubin);
    free(image);
}
