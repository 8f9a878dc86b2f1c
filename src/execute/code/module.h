/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of device code in any language, and the images from which they are loaded. */
#ifndef EXECUTE_MODULE_H
#define EXECUTE_MODULE_H

#include <stdbool.h>
#include <stddef.h>

struct execute_language;

/* A text or binary that a module is made of; need not end with a zero byte. */
struct execute_text {
    const char *text;
    size_t length;
    bool text_beside; /* machine code, beside which the program has a text of the same */
};

/* A module on a device. It is the first member of a language's own module struct. */
struct execute_module {
    const struct execute_language *language;
};

#endif
