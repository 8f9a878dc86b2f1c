/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The configuration of a machine: what its file, the files that it extends and --set say, read into the parameter
 * structs of the models according to their tables (engine/declare/model.h). The reader is strict: an unknown or
 * misspelt key, a wrong type, an impossible value is an error that names file, line and remedy.
 *
 *     machine: { name = "small"; kind = "…"; architecture = 86; description = "…"; extends = "large"; };
 *     core: { count = 46; cache: { size = "128KiB"; }; };                  // the keys core.count, core.cache.size
 *
 * Order of calls: load; fill for every table; finish; then write or walk; free. The settings keep what every fill
 * resolved, with its origin.
 */
#ifndef MNP_ENGINE_CONFIGURE_CONFIGURATION_H
#define MNP_ENGINE_CONFIGURE_CONFIGURATION_H

#include "base/error.h"
#include "engine/declare/model.h"

#include <stdio.h>

/* A machine file inside the program. */
struct mnp_machine_file {
    const char *name;
    const char *text;
};

struct mnp_settings;

/* Where settings come from. */
struct mnp_settings_source {
    const char *machine;                     /* a built-in name or the path of a file */
    const struct mnp_machine_file *built_in; /* ends with an element whose name is NULL */
    const char *const *overrides;            /* KEY=VALUE, in the order of the command line; the last of a key counts */
    size_t override_count;
    const char *kind;                /* of a machine whose files state none; NULL: "" */
    const struct mnp_joined *joined; /* parts of plug-ins, which outlive the settings; NULL: there are none */
};

/* Reads a machine and what it extends, and lays the overrides over it. NULL: an error. */
struct mnp_settings *mnp_settings_load(const struct mnp_settings_source *source, struct mnp_error *error);

void mnp_settings_free(struct mnp_settings *settings);

/* What the group `machine` says. Texts are never NULL; `architecture` is 0 when not stated. */
const char *mnp_settings_name(const struct mnp_settings *settings);
const char *mnp_settings_kind(const struct mnp_settings *settings);
const char *mnp_settings_description(const struct mnp_settings *settings);
uint32_t mnp_settings_architecture(const struct mnp_settings *settings);

/* What built-in machines say of themselves: that one is the default of its kind, and the architectures that it is the
 * default for. Other machines may say so too, to no effect. */
bool mnp_settings_is_default(const struct mnp_settings *settings);
const struct mnp_list *mnp_settings_default_for(const struct mnp_settings *settings);

/* Whether both keys are stated, and the first nearer to the user: by --set where the other is by a file, or by a file
 * that extends the other's. */
bool mnp_settings_is_nearer(const struct mnp_settings *settings, const char *key, const char *other);

/* Lays one more override, KEY=VALUE, over the others; before any fill. */
bool mnp_settings_add_override(struct mnp_settings *settings, const char *text, struct mnp_error *error);

/* What --set states and the machine has, as "KEY=VALUE", from 0; NULL: there are no more. The text is the settings'.
 * `one`: as the visitor's, below. */
const char *mnp_settings_override(const struct mnp_settings *settings, bool one, size_t index);

/* Resolves every row of a table into the struct at `parameters` (NULL: only checks and records). Two tables may share
 * a key. */
bool mnp_settings_fill(struct mnp_settings *settings, const struct mnp_parameter *rows, size_t count, void *parameters,
                       struct mnp_error *error);

/* The same for the table of a model. */
bool mnp_settings_fill_model(struct mnp_settings *settings, const struct mnp_model *model, void *parameters,
                             struct mnp_error *error);

/* Ends the filling: a key that no table knows is an error. */
bool mnp_settings_finish(struct mnp_settings *settings, struct mnp_error *error);

/* Fails with an error located at a key's origin: for values that are impossible only together. */
bool mnp_settings_fail(const struct mnp_settings *settings, const char *key, struct mnp_error *error,
                       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ===== what was resolved ===== */

struct mnp_resolved {
    const struct mnp_parameter *row;
    uint64_t number;             /* MNP_UINT … MNP_CHOICE */
    const char *word;            /* MNP_CHOICE: its name, … */
    const struct mnp_part *part; /* … and the part of that name; NULL: none has it */
    struct mnp_list list;        /* MNP_LIST */
    struct mnp_text text;        /* MNP_TEXT */
    char *origin;                /* "rtx3070.cfg:12", "--set" or "default" */
};

/* What a type is called in descriptions: "number", "size", … */
const char *mnp_parameter_type_name(enum mnp_parameter_type type);

/* Name of choice `number` of a row, counted through its words, its parts, and what plug-ins have brought (`joined` may
 * be NULL); `*part`: the part of that name, or NULL. NULL: there are no more. */
const char *mnp_settings_choice(const struct mnp_parameter *row, const struct mnp_joined *joined, uint64_t number,
                                const struct mnp_part **part);

/* The number that a key was resolved to; 0: there is no such key, or it is no number. */
uint64_t mnp_settings_number(const struct mnp_settings *settings, const char *key);

/* The text that a key was resolved to; "": there is no such key, or it is no text. */
const char *mnp_settings_text(const struct mnp_settings *settings, const char *key);

/* Puts "as FILE: " before a text that was resolved, if a file states it that the machine's own file extends: what holds
 * for one machine does not hold for all that extend it. The text is cut where it has no room. */
void mnp_settings_say_inherited(struct mnp_settings *settings, const char *key);

/* From now on the configuration is written with all keys, those that a flag would show too. */
void mnp_settings_show_all(struct mnp_settings *settings);

/* Receives the resolved configuration as a tree: groups are opened and closed, each once. */
struct mnp_settings_visitor {
    void (*open)(void *context, const char *group, unsigned depth);
    void (*value)(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth);
    void (*close)(void *context, unsigned depth);
    void *context;
    bool one; /* describes one of several machines that are alike: without rows that are of_system */
};

void mnp_settings_walk(const struct mnp_settings *settings, const struct mnp_settings_visitor *visitor);

/* Writes the resolved configuration as a machine file, with the origin of each value as a comment. Read again, it gives
 * the same machine. `one`: as the visitor's. */
void mnp_settings_write(const struct mnp_settings *settings, bool one, FILE *out);

#endif
