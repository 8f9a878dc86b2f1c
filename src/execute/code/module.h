/* SPDX-License-Identifier: BSD-3-Clause */
/* Modules of device code in whatever language, and what they are made from. */
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

/* A module on a device. Languages put this first into what they know of one. */
struct execute_module {
    const struct execute_language *language;
};

#endif
