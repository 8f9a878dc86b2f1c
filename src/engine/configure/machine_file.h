/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The text of a machine file, read into a flat list of keys and values that remember their lines.
 *
 * libconfig parses; before it does, a small scanner refuses what libconfig 1.5 takes without a word: whole numbers that
 * do not fit (it cuts them off), comments that never end, and includes (a machine file extends another instead).
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
    MNP_VALUE_LOOSE, /* from the command line or a default: a text that becomes what its parameter asks for */
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
    const char *file; /* whoever reads keeps this text */
    unsigned line;    /* 0: not from a file */
    unsigned depth;   /* of the file: 1 for the machine's own, 2 for the one that it extends …; 0: not from a file */
    bool built_in;    /* the file is one inside the program, which nobody can edit */
    bool used;        /* a parameter table has the key */
    struct mnp_value value;
};

struct mnp_setting_list {
    struct mnp_setting *settings;
    uint32_t count;
};

/* Reads the text of a machine file of `length` bytes (followed by a 0) and appends its settings in their order. `file`
 * stands in messages and is referred to by the settings. */
bool mnp_machine_file_read(const char *text, size_t length, const char *file, struct mnp_setting_list *list,
                           struct mnp_error *error);

/* Appends a setting; key and value become the list's. */
void mnp_setting_append(struct mnp_setting_list *list, const struct mnp_setting *setting);

void mnp_setting_release(struct mnp_setting *setting);
void mnp_setting_list_release(struct mnp_setting_list *list);

#endif
