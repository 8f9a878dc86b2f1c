/* SPDX-License-Identifier: BSD-3-Clause */
/* The languages that device code comes in. A language is a row of the table in languages.c; nothing else of the runtime
 * knows one by name. */
#ifndef CUDART_LANGUAGES_H
#define CUDART_LANGUAGES_H

#include "cudart/base/options.h"
#include "execute/code/language.h"
#include "frontend/cuda/fatbin.h"

#include <stdbool.h>

struct mnp_array;

/* The language of that name, or NULL. */
const struct execute_language *cudart_language_named(const char *name);

/* Bytes of an image in memory that is a text of one of the languages; 0: it is of none. `bytes`: how many there are;
 * 0: not known, and the image itself tells. */
size_t cudart_image_bytes(const unsigned char *image, size_t bytes);

/* The language of the texts (struct execute_text) of one module. NULL: there is none for them all, which is an error.
 * `name`: of the module. */
const struct execute_language *cudart_language_of(const char *name, const struct mnp_array *texts,
                                                  struct mnp_error *error);

/* The code of a container that a machine of this architecture runs: machine code, if that is wanted and there is some,
 * otherwise in the first language of the table that has some; free *text. */
enum cuda_choice cudart_choose(enum cudart_code_choice wanted, const char *name, const unsigned char *container,
                               uint64_t bytes, uint32_t architecture, char **text, size_t *length,
                               struct mnp_error *error);

/* Whether it has machine code for such a machine, by its headers alone. */
bool cudart_holds_machine_code(const unsigned char *container, uint32_t architecture);
/* Whether it has text that can be translated for such a machine. */
bool cudart_holds_text(const unsigned char *container, uint64_t bytes, uint32_t architecture);

#endif
