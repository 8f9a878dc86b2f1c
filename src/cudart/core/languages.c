/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/core/languages.h"

#include "base/array.h"
#include "frontend/ptx/program.h"

#include <string.h>

struct row {
    const struct execute_language *language;
    /* Bytes of the image if it is of the language, or 0, as cudart_image_bytes. */
    size_t (*measure)(const unsigned char *image, size_t bytes);
    /* As cudart_choose, in this language. */
    enum cuda_choice (*choose)(const char *name, const unsigned char *container, uint64_t bytes, uint32_t architecture,
                               char **text, size_t *length, struct mnp_error *error);
};

static size_t measure_ptx(const unsigned char *image, size_t bytes)
{
    if (image[0] < '\t' || image[0] > '~')
        return 0;
    return bytes ? strnlen((const char *)image, bytes) : strlen((const char *)image);
}

/* Where a container has code in several languages, the first row's is executed. */
static const struct row rows[] = {
    {&ptx_language, measure_ptx, fatbin_choose},
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

/* What the first row says is missing is the message where no row has code. */
enum cuda_choice cudart_choose(const char *name, const unsigned char *container, uint64_t bytes, uint32_t architecture,
                               char **text, size_t *length, struct mnp_error *error)
{
    enum cuda_choice choice = rows[0].choose(name, container, bytes, architecture, text, length, error);
    for (unsigned i = 1; choice == CUDA_NO_CODE && i < ROWS; i++) {
        struct mnp_error other = {{0}};
        choice = rows[i].choose(name, container, bytes, architecture, text, length, &other);
        if (choice == CUDA_CHOSEN)
            error->text[0] = 0;
        else if (choice == CUDA_DAMAGED)
            *error = other;
    }
    return choice;
}
