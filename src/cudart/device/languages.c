/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/device/languages.h"

#include "base/array.h"
#include "cudart/base/options.h"
#include "cudart/device/ptxas_registers.h"
#include "frontend/ptx/program.h"
#include "frontend/sass/program.h"

#include <stdlib.h>
#include <string.h>

struct row {
    const struct execute_language *language;
    /* Bytes of the image if it is of the language, or 0, as cudart_image_bytes. */
    size_t (*measure)(const unsigned char *image, size_t bytes);
    /* The same as cudart_choose, in this language. */
    enum cuda_choice (*choose)(const char *name, const unsigned char *container, uint64_t bytes, uint32_t architecture,
                               char **text, size_t *length, struct mnp_error *error);
};

static size_t measure_ptx(const unsigned char *image, size_t bytes)
{
    if (image[0] < '\t' || image[0] > '~')
        return 0;
    return bytes ? strnlen((const char *)image, bytes) : strlen((const char *)image);
}

static size_t measure_sass(const unsigned char *image, size_t bytes)
{
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    enum { HEADER = 64 };
    if (bytes && bytes < HEADER)
        return 0;
    for (size_t i = 0; i < sizeof magic; i++)
        if (image[i] != magic[i])
            return 0;
    return bytes ? bytes : sass_cubin_length(image);
}

/* Contents of a container for a machine, by the headers of its entries. */
struct held {
    struct cuda_entry machine_code; /* the best that it runs; data NULL: none */
    bool text;                      /* there is text that it can translate, too */
};

static struct held held_for(struct cuda_fatbin *fatbin, uint32_t architecture)
{
    struct held held = {.text = false};
    struct cuda_entry entry;
    struct mnp_error ignored = {{0}};
    while (fatbin_next(fatbin, &entry, &ignored)) {
        bool runs = fatbin_runs_on(&entry, architecture);
        held.text |= entry.kind == CUDA_ENTRY_PTX && runs;
        if (entry.kind == CUDA_ENTRY_MACHINE_CODE && runs &&
            (!held.machine_code.data || fatbin_rank(&entry) > fatbin_rank(&held.machine_code)))
            held.machine_code = entry;
    }
    return held;
}

bool cudart_holds_machine_code(const unsigned char *container, uint32_t architecture)
{
    struct cuda_fatbin fatbin;
    struct mnp_error ignored = {{0}};
    return fatbin_open(&fatbin, "", container, fatbin_bytes(container), &ignored) &&
           held_for(&fatbin, architecture).machine_code.data;
}

bool cudart_holds_text(const unsigned char *container, uint64_t bytes, uint32_t architecture)
{
    struct cuda_fatbin fatbin;
    struct mnp_error ignored = {{0}};
    return fatbin_open(&fatbin, "", container, bytes, &ignored) && held_for(&fatbin, architecture).text;
}

/* The best machine code of a container that such a machine runs. Where there is text beside it, only if each of its
 * kernels can be executed, unless `all`; otherwise a kernel that cannot be is told of when it is launched. */
static enum cuda_choice choose_machine_code(bool all, const char *name, const unsigned char *container, uint64_t bytes,
                                            uint32_t architecture, char **text, size_t *length)
{
    struct cuda_fatbin fatbin;
    struct mnp_error ignored = {{0}};
    if (!fatbin_open(&fatbin, name, container, bytes, &ignored))
        return CUDA_NO_CODE;
    struct held held = held_for(&fatbin, architecture);
    unsigned char *image =
        held.machine_code.data ? fatbin_content(&fatbin, &held.machine_code, length, &ignored) : NULL;
    if (image && (all || !held.text || sass_program_executes(image, *length))) {
        *text = (char *)image;
        return CUDA_CHOSEN;
    }
    free(image);
    return CUDA_NO_CODE;
}

/* Machine code is looked for before the table is. */
static enum cuda_choice choose_no_sass(const char *name, const unsigned char *container, uint64_t bytes,
                                       uint32_t architecture, char **text, size_t *length, struct mnp_error *error)
{
    (void)name, (void)container, (void)bytes, (void)architecture, (void)text, (void)length, (void)error;
    return CUDA_NO_CODE;
}

/* Rows in order of preference, for a container with code in several languages. */
static const struct row rows[] = {
    {&ptx_language, measure_ptx, fatbin_choose},
    {&sass_language, measure_sass, choose_no_sass},
};

enum { ROWS = sizeof rows / sizeof *rows };

const struct execute_language *cudart_language_named(const char *name)
{
    for (unsigned i = 0; i < ROWS; i++)
        if (strcmp(rows[i].language->name, name) == 0)
            return rows[i].language;
    return NULL;
}

static const struct row *row_of(const unsigned char *image, size_t bytes, size_t *length)
{
    for (unsigned i = 0; i < ROWS; i++) {
        *length = rows[i].measure(image, bytes);
        if (*length)
            return &rows[i];
    }
    return NULL;
}

size_t cudart_image_bytes(const unsigned char *image, size_t bytes)
{
    size_t length = 0;
    row_of(image, bytes, &length);
    return length;
}

/* A text of no language goes to the first one, whose message about it says the most. */
const struct execute_language *cudart_language_of(const char *name, const struct mnp_array *texts,
                                                  struct mnp_error *error)
{
    const struct execute_text *list = texts->items;
    const struct execute_language *language = NULL;
    for (uint32_t i = 0; i < texts->count; i++) {
        size_t ignored;
        const struct row *row =
            list[i].length ? row_of((const unsigned char *)list[i].text, list[i].length, &ignored) : rows;
        row = row ? row : rows;
        if (language && row->language != language) {
            mnp_fail(error, "%s: %s and %s cannot be linked into one module; give all of it in one of them", name,
                     language->title, row->language->title);
            return NULL;
        }
        language = row->language;
    }
    return language ? language : rows[0].language;
}

/* Chooses code. If no row has code, the message is that of the first row. */
enum cuda_choice cudart_choose(enum cudart_code_choice wanted, const char *name, const unsigned char *container,
                               uint64_t bytes, uint32_t architecture, char **text, size_t *length,
                               struct mnp_error *error)
{
    bool machine_code = wanted == CUDART_CODE_AUTO || wanted == CUDART_CODE_SASS;
    if (machine_code && choose_machine_code(wanted == CUDART_CODE_SASS, name, container, bytes, architecture, text,
                                            length) == CUDA_CHOSEN)
        return CUDA_CHOSEN;
    if (wanted == CUDART_CODE_SASS) {
        mnp_fail(error, "%s: it holds no machine code for sm_%u; compile it with nvcc -arch=sm_%u, or use --code auto",
                 name, architecture, architecture);
        return CUDA_NO_CODE;
    }
    enum cuda_choice choice = rows[0].choose(name, container, bytes, architecture, text, length, error);
    if (choice == CUDA_CHOSEN && wanted != CUDART_CODE_PTXAS)
        cudart_note_registers(container, bytes, architecture, text, length);
    for (unsigned i = 1; choice == CUDA_NO_CODE && i < ROWS; i++) {
        struct mnp_error other = {{0}};
        choice = rows[i].choose(name, container, bytes, architecture, text, length, &other);
        if (choice == CUDA_CHOSEN)
            error->text[0] = 0;
        else if (choice == CUDA_DAMAGED)
            *error = other;
    }
    if (choice == CUDA_NO_CODE && wanted == CUDART_CODE_PTXAS &&
        choose_machine_code(true, name, container, bytes, architecture, text, length) == CUDA_CHOSEN) {
        error->text[0] = 0;
        return CUDA_CHOSEN;
    }
    return choice;
}
