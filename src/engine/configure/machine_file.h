/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parser for machine files: produces a flat list of keys and values with their line numbers.
 *
 * libconfig does the parsing. Before that, a small scanner rejects constructs that libconfig 1.5 silently accepts:
 * whole numbers that overflow (libconfig truncates them), unterminated comments, and includes (a machine file extends
 * another one instead).
 */
#ifndef MNP_ENGINE_CONFIGURE_MACHINE_FILE_H
#define MNP_ENGINE_CONFIGURE_MACHINE_FILE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum mnp_value_kind {
    MNP_VALUE_INTEGER,
    MNP_VALUE_REAL,
    MNP_VALUE_BOOLEAN,
    MNP_VALUE_STRING,
    MNP_VALUE_LIST,
    MNP_VALUE_LOOSE, /* from the command line or a default: a text that is converted to the type of its parameter */
};

struct mnp_value {
    enum mnp_value_kind kind;
    int64_t integer;          /* INTEGER, BOOLEAN */
    char *text;               /* STRING, LOOSE, and REAL for messages */
    struct mnp_value *values; /* LIST */
    uint32_t count;
};

struct mnp_setting {
    char *key;        /* "sm.l1d.size" */
    const char *file; /* owned by the caller of the parser */
    unsigned line;    /* 0: not from a file */
    /* distance from the machine's own file: 1 for that file, 2 for the file that it extends …; 0: not from a file */
    unsigned depth;
    bool built_in; /* the file is built into the program, so users cannot edit it */
    const char
        *option; /* the option that stands for --set, as the user typed it ("--cores 64"); NULL: --set, or a file */
    bool used;   /* a parameter table has the key */
    struct mnp_value value;
};

struct mnp_setting_list {
    struct mnp_setting *settings;
    uint32_t count;
};

/* Parses the text of a machine file of `length` bytes (followed by a 0) and appends its settings in their order. `file`
 * is used in messages and referenced by the settings. */
bool mnp_machine_file_read(const char *text, size_t length, const char *file, struct mnp_setting_list *list,
                           struct mnp_error *error);

/* Appends a setting; the list takes ownership of key and value. */
void mnp_setting_append(struct mnp_setting_list *list, const struct mnp_setting *setting);

void mnp_setting_release(struct mnp_setting *setting);
void mnp_setting_list_release(struct mnp_setting_list *list);

#endif
