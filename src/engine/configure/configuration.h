/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration of a machine: settings from its file, from the files that it extends and from --set, read into the
 * parameter structs of the models according to their tables (engine/declare/model.h). The reader is strict: an unknown
 * or misspelt key, a wrong type, or an impossible value is an error that names file, line and remedy.
 *
 *     machine: { name = "small"; kind = "…"; architecture = 86; description = "…"; extends = "large"; };
 *     core: { count = 46; cache: { size = "128KiB"; }; };                  // the keys core.count, core.cache.size
 *
 * Order of calls: load; fill for every table; finish; then write or walk; free. The settings keep every resolved value
 * with its origin.
 */
#ifndef MNP_ENGINE_CONFIGURE_CONFIGURATION_H
#define MNP_ENGINE_CONFIGURE_CONFIGURATION_H

#include "base/error.h"
#include "engine/declare/model.h"

#include <stdio.h>

/* A machine file that is built into the program. */
struct mnp_machine_file {
    const char *name;
    const char *text;
};

struct mnp_settings;

/* The sources of settings. */
struct mnp_settings_source {
    const char *machine;                     /* a built-in name or the path of a file */
    const struct mnp_machine_file *built_in; /* ends with an element whose name is NULL */
    /* KEY=VALUE, in the order of the command line; the last one of a key takes effect */
    const char *const *overrides;
    size_t override_count;
    const char *kind;                /* kind of a machine whose files state none; NULL: "" */
    const struct mnp_joined *joined; /* parts of plug-ins, which outlive the settings; NULL: none */
};

/* Reads a machine and the files that it extends, and applies the overrides. Returns NULL on an error. */
struct mnp_settings *mnp_settings_load(const struct mnp_settings_source *source, struct mnp_error *error);

void mnp_settings_free(struct mnp_settings *settings);

/* Members of the group `machine`. Texts are never NULL; `architecture` is 0 if not stated. */
const char *mnp_settings_name(const struct mnp_settings *settings);
const char *mnp_settings_kind(const struct mnp_settings *settings);
const char *mnp_settings_description(const struct mnp_settings *settings);
uint32_t mnp_settings_architecture(const struct mnp_settings *settings);

/* Properties of built-in machines: being the default of their kind, and the architectures for which they are the
 * default. In other machine files, these settings are allowed but have no effect. */
bool mnp_settings_is_default(const struct mnp_settings *settings);
const struct mnp_list *mnp_settings_default_for(const struct mnp_settings *settings);

/* Whether both keys are stated, and the first one has precedence: it is stated by --set and the other by a file, or by
 * a file that extends the other's. */
bool mnp_settings_is_nearer(const struct mnp_settings *settings, const char *key, const char *other);

/* Adds one more override, KEY=VALUE; call it before any fill. */
bool mnp_settings_add_override(struct mnp_settings *settings, const char *text, struct mnp_error *error);

/* The same for an option that stands for --set; messages name it as the user typed it, such as "--cores 64". */
bool mnp_settings_add_option(struct mnp_settings *settings, const char *option, const char *text,
                             struct mnp_error *error);

/* Enumerates the overrides by --set that the machine knows, as "KEY=VALUE", from index 0; NULL: no more. The text
 * belongs to the settings. `one`: see the visitor below. */
const char *mnp_settings_override(const struct mnp_settings *settings, bool one, size_t index);

/* Resolves every row of a table into the struct at `parameters` (NULL: only checks and records). Two tables may share a
 * key. */
bool mnp_settings_fill(struct mnp_settings *settings, const struct mnp_parameter *rows, size_t count, void *parameters,
                       struct mnp_error *error);

/* Resolves the table of a model. */
bool mnp_settings_fill_model(struct mnp_settings *settings, const struct mnp_model *model, void *parameters,
                             struct mnp_error *error);

/* Completes the filling: a key that no table knows is an error. */
bool mnp_settings_finish(struct mnp_settings *settings, struct mnp_error *error);

/* Returns the key that is nearest to the user among those that are impossible together: stated last, by --set before
 * any file. A NULL ends them; the first one, where none is nearer. */
const char *mnp_settings_nearest(const struct mnp_settings *settings, const char *const *keys);

/* Fails with an error located at a key's origin, for values that are impossible only in combination. */
bool mnp_settings_fail(const struct mnp_settings *settings, const char *key, struct mnp_error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Places an error of a part, which knows values and no files, at the key among those that it names that is stated
 * nearest to the user, unless that is a built-in machine's. Returns false. */
bool mnp_settings_place(const struct mnp_settings *settings, struct mnp_error *error);

/* Whether a key has a word that differs from that of the file whose statement it covers. */
bool mnp_settings_is_changed(const struct mnp_settings *settings, const char *key);

/* ===== resolved values ===== */

struct mnp_resolved {
    const struct mnp_parameter *row;
    uint64_t number;             /* MNP_UINT … MNP_CHOICE */
    const char *word;            /* MNP_CHOICE: its name */
    const struct mnp_part *part; /* MNP_CHOICE: the part of that name; NULL: none has it */
    struct mnp_list list;        /* MNP_LIST */
    struct mnp_text text;        /* MNP_TEXT */
    char *origin;                /* "rtx3070.cfg:12", "--set" or "default" */
};

/* The name of a type in descriptions: "number", "size", … */
const char *mnp_parameter_type_name(enum mnp_parameter_type type);

/* The name of choice `number` of a row. Choices are numbered through the row's words, its parts, and parts of
 * plug-ins (`joined` may be NULL). `*part` receives the part of that name, or NULL. Returns NULL if there are no
 * more choices. */
const char *mnp_settings_choice(const struct mnp_parameter *row, const struct mnp_joined *joined, uint64_t number,
                                const struct mnp_part **part);

/* The resolved number of a key; 0 if the key is unknown or not a number. */
uint64_t mnp_settings_number(const struct mnp_settings *settings, const char *key);

/* The whole number that the machine's files state for a key, whatever --set says; 0 if they state none. */
uint64_t mnp_settings_number_in_files(const struct mnp_settings *settings, const char *key);

/* The resolved text of a key; "" if the key is unknown or not a text. */
const char *mnp_settings_text(const struct mnp_settings *settings, const char *key);

/* Prefixes a resolved text by "as FILE: " if it is stated by a file that the machine's own file extends: a statement
 * about one machine need not hold for machines that extend it. The text is truncated if necessary. */
void mnp_settings_say_inherited(struct mnp_settings *settings, const char *key);

/* Makes later output of the configuration include all keys, also those that depend on a flag
 * (mnp_parameter.shown_with). */
void mnp_settings_show_all(struct mnp_settings *settings);

/* Callbacks that receive the resolved configuration as a tree; each group is opened and closed once. */
struct mnp_settings_visitor {
    void (*open)(void *context, const char *group, unsigned depth);
    void (*value)(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth);
    void (*close)(void *context, unsigned depth);
    void *context;
    bool one; /* describes one of several identical machines: omits rows that are of_system */
};

void mnp_settings_walk(const struct mnp_settings *settings, const struct mnp_settings_visitor *visitor);

/* Writes the resolved configuration as a machine file, with the origin of each value as a comment. Reading that file
 * gives the same machine. `one`: see the visitor. */
void mnp_settings_write(const struct mnp_settings *settings, bool one, FILE *out);

/* The same without origins: equal machines give equal bytes, wherever their values come from. */
void mnp_settings_write_values(const struct mnp_settings *settings, FILE *out);

#endif
