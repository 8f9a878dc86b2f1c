/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/configure/configuration.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/range.h"
#include "base/text.h"
#include "engine/configure/keys.h"
#include "engine/configure/machine_file.h"
#include "engine/configure/tree.h"
#include "engine/configure/value.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FILE_MAX = 1 << 20,    /* maximum size of a machine file in bytes */
    EXTENDS_MAX = 16,      /* maximum depth of files that extend one another */
    OVERRIDE_KEY_MAX = 128 /* maximum length of a key of --set */
};

struct header { /* the group `machine` */
    char *name, *kind, *description, *extends;
    uint32_t architecture;
    bool is_default;
    struct mnp_list default_for;
};

struct mnp_settings {
    struct header header;
    struct mnp_setting_list list;
    struct mnp_setting_list covered; /* settings of files whose keys were also stated by other files, or by --set */
    char **texts;                    /* file names and --set texts that settings refer to */
    size_t text_count;
    struct mnp_resolved *resolved;
    size_t resolved_count, resolved_room;
    struct mnp_keys stated, known;   /* indices of keys in `list` and in `resolved` */
    const struct mnp_joined *joined; /* parts of plug-ins */
    bool shows_all;
};

static const char *keep_text(struct mnp_settings *settings, char *text)
{
    settings->texts = mnp_reallocate(settings->texts, settings->text_count + 1, sizeof *settings->texts);
    settings->texts[settings->text_count++] = text;
    return text;
}

static void release_header(struct header *header)
{
    free(header->name);
    free(header->kind);
    free(header->description);
    free(header->extends);
    *header = (struct header){0};
}

/* ===== loading: a file, what it extends, the overrides ===== */

struct chain { /* the files being read, to detect a cycle */
    const char *identity;
    const struct chain *previous;
    unsigned depth;
};

struct location {         /* location of a machine's text */
    const char *built_in; /* its text, or NULL: a file */
    char *path;           /* path of the file, or name of the built-in machine */
};

static const struct mnp_machine_file *find_built_in(const struct mnp_settings_source *source, const char *name)
{
    for (const struct mnp_machine_file *file = source->built_in; file && file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file;
    return NULL;
}

/* Reduces a name to letters and digits in lower case: "RTX 4090 Ti" becomes "rtx4090ti". */
static void letters_of(const char *name, char *text, size_t room)
{
    size_t used = 0;
    for (; *name && used + 1 < room; name++)
        if (isalnum((unsigned char)*name))
            text[used++] = (char)tolower((unsigned char)*name);
    text[used] = 0;
}

/* Lists machines that a name may refer to: those whose names contain it or are contained in it; otherwise the nearest
 * one. */
static void name_near(const char *name, const char *const *names, size_t count, char *near, size_t room)
{
    char wanted[64], known[64];
    size_t used = 0;
    letters_of(name, wanted, sizeof wanted);
    near[0] = 0;
    for (size_t i = 0; i < count && strlen(wanted) > 2; i++) {
        letters_of(names[i], known, sizeof known);
        if ((strstr(known, wanted) || strstr(wanted, known)) && used < room)
            used += (size_t)snprintf(near + used, room - used, "%s%s", used ? " or " : "", names[i]);
    }
    const char *nearest = used ? NULL : mnp_nearest_word(name, names, count);
    if (nearest)
        snprintf(near, room, "%s", nearest);
}

static bool no_such_machine(const struct mnp_settings_source *source, const char *name, const struct mnp_setting *from,
                            struct mnp_error *error)
{
    const char *names[64] = {0};
    char known[512] = "";
    size_t count = 0, used = 0;
    for (const struct mnp_machine_file *file = source->built_in; file && file->name && count < 64; file++) {
        names[count] = file->name;
        if (used < sizeof known)
            used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", count ? ", " : "", file->name);
        count++;
    }
    char text[sizeof error->text], near[256];
    name_near(name, names, count, near, sizeof near);
    snprintf(text, sizeof text,
             "there is no machine or file \"%.100s\"%s%.200s%s (machines: %.500s; or the path of a file)", name,
             near[0] ? "; did you mean " : "", near, near[0] ? "?" : "", count ? known : "none built in");
    return from ? mnp_setting_fail(from, error, "%s", text) : mnp_fail(error, "%s", text);
}

/* Finds a machine by its name or path; a path in a file is relative to that file's folder. `from` is the setting that
 * names the machine, NULL for the command line. */
static bool locate(const struct mnp_settings_source *source, const char *name, const struct mnp_setting *from,
                   const char *from_path, struct location *location, struct mnp_error *error)
{
    const struct mnp_machine_file *built_in = find_built_in(source, name);
    if (built_in) {
        location->built_in = built_in->text;
        location->path = strdup(name);
        return true;
    }
    const char *slash = from_path && name[0] != '/' ? strrchr(from_path, '/') : NULL;
    char *path;
    if (asprintf(&path, "%.*s%s", slash ? (int)(slash + 1 - from_path) : 0, from_path ? from_path : "", name) < 0)
        return mnp_fail(error, "out of memory");
    bool named_as_file = strpbrk(name, "/.") != NULL;
    if (!named_as_file && access(path, F_OK) != 0) {
        free(path);
        return no_such_machine(source, name, from, error);
    }
    location->path = path;
    return true;
}

static bool header_text(const struct mnp_setting *setting, char **field, struct mnp_error *error)
{
    if (setting->value.kind != MNP_VALUE_STRING)
        return mnp_setting_fail(setting, error, "%s should be a text in quotes", setting->key);
    free(*field);
    *field = strdup(setting->value.text);
    return true;
}

static bool header_architecture(const struct mnp_setting *setting, uint32_t *architecture, struct mnp_error *error)
{
    const struct mnp_value *value = &setting->value;
    if (value->kind != MNP_VALUE_INTEGER || value->integer < 10 || value->integer > 999)
        return mnp_setting_fail(setting, error, "%s should be a number such as 86 for sm_86", setting->key);
    *architecture = (uint32_t)value->integer;
    return true;
}

/* Reads the list of architectures for which a machine is the default. */
static bool header_list(const struct mnp_setting *setting, struct mnp_list *list, struct mnp_error *error)
{
    const struct mnp_value *value = &setting->value;
    *list = (struct mnp_list){0};
    bool well = value->kind == MNP_VALUE_LIST && value->count <= MNP_LIST_MAX;
    for (uint32_t i = 0; well && i < value->count; i++) {
        const struct mnp_value *each = &value->values[i];
        well = each->kind == MNP_VALUE_INTEGER && each->integer >= 10 && each->integer <= 999;
        list->value[list->count++] = (uint64_t)each->integer;
    }
    return well ||
           mnp_setting_fail(setting, error, "%s should be a list of numbers such as [86] for sm_86", setting->key);
}

static bool header_flag(const struct mnp_setting *setting, bool *flag, struct mnp_error *error)
{
    if (setting->value.kind != MNP_VALUE_BOOLEAN)
        return mnp_setting_fail(setting, error, "%s should be true or false", setting->key);
    *flag = setting->value.integer != 0;
    return true;
}

static bool read_header_setting(const struct mnp_setting *setting, struct header *header, struct mnp_error *error)
{
    static const char *const known[] = {"machine.name",       "machine.kind",         "machine.description",
                                        "machine.extends",    "machine.architecture", "machine.default",
                                        "machine.default_for"};
    if (strcmp(setting->key, "machine.name") == 0)
        return header_text(setting, &header->name, error);
    if (strcmp(setting->key, "machine.kind") == 0)
        return header_text(setting, &header->kind, error);
    if (strcmp(setting->key, "machine.description") == 0)
        return header_text(setting, &header->description, error);
    if (strcmp(setting->key, "machine.extends") == 0 || strcmp(setting->key, "extends") == 0)
        return header_text(setting, &header->extends, error);
    if (strcmp(setting->key, "machine.architecture") == 0)
        return header_architecture(setting, &header->architecture, error);
    if (strcmp(setting->key, "machine.default") == 0)
        return header_flag(setting, &header->is_default, error);
    if (strcmp(setting->key, "machine.default_for") == 0)
        return header_list(setting, &header->default_for, error);
    const char *nearest = mnp_nearest_word(setting->key, known, sizeof known / sizeof *known);
    return mnp_setting_fail(setting, error,
                            "unknown key %s%s%s%s (name, kind, architecture, description, extends, default, "
                            "default_for)",
                            setting->key, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
}

static bool in_header(const char *key)
{
    return strncmp(key, "machine.", 8) == 0 || strcmp(key, "extends") == 0 || strcmp(key, "machine") == 0;
}

static struct mnp_setting *find_setting(const struct mnp_settings *settings, const char *key)
{
    uint32_t place = mnp_keys_find(&settings->stated, key, strlen(key));
    return place == MNP_NO_KEY ? NULL : &settings->list.settings[place];
}

/* Adds a setting to the list. An earlier setting of the same key is moved to `covered`. The list takes ownership of key
 * and value. */
static void overlay(struct mnp_settings *settings, struct mnp_setting *setting)
{
    struct mnp_setting *earlier = find_setting(settings, setting->key);
    if (earlier) {
        mnp_setting_append(&settings->covered, earlier);
        *earlier = *setting;
    } else {
        mnp_keys_add(&settings->stated, setting->key, strlen(setting->key), settings->list.count);
        mnp_setting_append(&settings->list, setting);
    }
    *setting = (struct mnp_setting){0};
}

/* A machine has its instructions' times and limits from that which it extends. */
static bool refuse_older(const struct mnp_settings *settings, const struct header *header,
                         const struct mnp_setting_list *own, struct mnp_error *error)
{
    const struct mnp_setting *at = own->settings;
    for (uint32_t i = 0; i < own->count; i++)
        if (strcmp(own->settings[i].key, "machine.architecture") == 0)
            at = &own->settings[i];
    return mnp_setting_fail(
        at, error,
        "machine.architecture = %u is older than sm_%u of %s, which the machine extends and has its "
        "units and latencies from; extend an older machine, or leave it out",
        header->architecture, settings->header.architecture, settings->header.name);
}

static bool load_machine(struct mnp_settings *settings, const struct mnp_settings_source *source,
                         const struct location *location, const struct chain *previous, struct mnp_error *error);

/* Reads the file that `header` extends, beneath the one at `location`. */
static bool load_extended(struct mnp_settings *settings, const struct mnp_settings_source *source,
                          const struct header *header, const struct mnp_setting_list *own, const char *path,
                          const struct chain *chain, struct mnp_error *error)
{
    const struct mnp_setting *from = NULL;
    for (uint32_t i = 0; i < own->count; i++)
        if (strcmp(own->settings[i].key, "machine.extends") == 0 || strcmp(own->settings[i].key, "extends") == 0)
            from = &own->settings[i];
    struct location base = {0};
    if (!locate(source, header->extends, from, path, &base, error))
        return false;
    bool done = false;
    char *real = base.built_in ? strdup(base.path) : realpath(base.path, NULL);
    const struct chain *each = chain;
    while (each && real && strcmp(each->identity, real) != 0)
        each = each->previous;
    if (!real)
        mnp_setting_fail(
            from, error,
            "cannot open the extended file %s; name a built-in machine (`maniple machines`), or a file beside this one",
            base.path);
    else if (!each && chain->depth >= EXTENDS_MAX)
        mnp_setting_fail(from, error, "more than %d machine files extend one another, up to \"%s\"; join some of them",
                         EXTENDS_MAX, header->extends);
    else if (each)
        mnp_setting_fail(from, error, "this machine extends itself through \"%s\"; break the cycle", header->extends);
    else
        done = load_machine(settings, source, &base, chain, error);
    free(real);
    free(base.path);
    return done;
}

/* Applies a file's own statements: settings, kind and architecture override those of its base; the other members
 * replace them. `fallback` is the kind if no file states one. */
static void adopt(struct mnp_settings *settings, struct header *header, struct mnp_setting_list *own, const char *path,
                  const char *fallback, unsigned depth, bool built_in)
{
    if (!header->name) {
        const char *slash = strrchr(path, '/');
        header->name = strdup(slash ? slash + 1 : path);
        char *dot = strrchr(header->name, '.');
        if (dot && dot != header->name)
            *dot = 0;
    }
    if (!header->description)
        header->description = strdup("");
    if (!header->kind)
        header->kind = strdup(settings->header.kind ? settings->header.kind : fallback ? fallback : "");
    if (!header->architecture)
        header->architecture = settings->header.architecture;
    release_header(&settings->header);
    settings->header = *header;
    *header = (struct header){0};
    for (uint32_t i = 0; i < own->count; i++) {
        own->settings[i].depth = depth;
        own->settings[i].built_in = built_in;
        if (!in_header(own->settings[i].key))
            overlay(settings, &own->settings[i]);
    }
}

static bool load_machine(struct mnp_settings *settings, const struct mnp_settings_source *source,
                         const struct location *location, const struct chain *previous, struct mnp_error *error)
{
    size_t length = location->built_in ? strlen(location->built_in) : 0;
    char *read = location->built_in ? NULL : mnp_read_file(location->path, FILE_MAX, &length, error);
    if (!location->built_in && !read)
        return false;
    char *label;
    if (asprintf(&label, "%s%s", location->path, location->built_in ? ".cfg" : "") < 0)
        label = strdup("?");
    const char *file = keep_text(settings, label);
    char *identity = location->built_in ? strdup(location->path) : realpath(location->path, NULL);
    struct chain chain = {.identity = identity ? identity : location->path,
                          .previous = previous,
                          .depth = previous ? previous->depth + 1 : 1};

    struct mnp_setting_list own = {0};
    struct header header = {0};
    bool done = mnp_machine_file_read(read ? read : location->built_in, length, file, &own, error);
    for (uint32_t i = 0; done && i < own.count; i++)
        if (in_header(own.settings[i].key))
            done = read_header_setting(&own.settings[i], &header, error);
    if (done && !own.count)
        done = mnp_fail_at(error, file, 0,
                           "is empty; a machine file states at least machine = { name = \"mine\"; extends = "
                           "\"rtx3070\"; };");
    if (done && header.extends)
        done =
            load_extended(settings, source, &header, &own, location->built_in ? NULL : location->path, &chain, error);
    if (done && header.architecture && header.architecture < settings->header.architecture)
        done = refuse_older(settings, &header, &own, error);
    if (done)
        adopt(settings, &header, &own, location->path, source->kind, chain.depth, location->built_in != NULL);
    release_header(&header);
    mnp_setting_list_release(&own);
    free(identity);
    free(read);
    return done;
}

/* `option`: the option that stands for --set, or NULL. */
static bool apply_override(struct mnp_settings *settings, const char *option, const char *text, struct mnp_error *error)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || equals - text >= OVERRIDE_KEY_MAX)
        return mnp_fail(error, "--set %.200s: is not of the form KEY=VALUE, such as clock.core=1GHz", text);
    char *label;
    if (asprintf(&label, "--set %.300s", text) < 0)
        return mnp_fail(error, "out of memory");
    struct mnp_setting setting = {.file = keep_text(settings, label)};
    if (option)
        setting.option = keep_text(settings, strdup(option));
    setting.key = strndup(text, (size_t)(equals - text));
    setting.value = (struct mnp_value){.kind = MNP_VALUE_LOOSE, .text = strdup(equals + 1)};
    bool done = !in_header(setting.key);
    if (done)
        overlay(settings, &setting);
    else
        mnp_setting_fail(&setting, error, "%s cannot be overridden; make a machine file that extends this one",
                         setting.key);
    mnp_setting_release(&setting);
    return done;
}

struct mnp_settings *mnp_settings_load(const struct mnp_settings_source *source, struct mnp_error *error)
{
    struct mnp_settings *settings = mnp_allocate(1, sizeof *settings);
    settings->joined = source->joined;
    struct location location = {0};
    bool done = locate(source, source->machine, NULL, NULL, &location, error) &&
                load_machine(settings, source, &location, NULL, error);
    free(location.path);
    for (size_t i = 0; done && i < source->override_count; i++)
        done = apply_override(settings, NULL, source->overrides[i], error);
    if (done)
        return settings;
    mnp_settings_free(settings);
    return NULL;
}

void mnp_settings_free(struct mnp_settings *settings)
{
    if (!settings)
        return;
    release_header(&settings->header);
    mnp_setting_list_release(&settings->list);
    mnp_setting_list_release(&settings->covered);
    for (size_t i = 0; i < settings->text_count; i++)
        free(settings->texts[i]);
    free(settings->texts);
    for (size_t i = 0; i < settings->resolved_count; i++)
        free(settings->resolved[i].origin);
    free(settings->resolved);
    mnp_keys_release(&settings->stated);
    mnp_keys_release(&settings->known);
    free(settings);
}

const char *mnp_settings_name(const struct mnp_settings *settings)
{
    return settings->header.name;
}

const char *mnp_settings_kind(const struct mnp_settings *settings)
{
    return settings->header.kind;
}

const char *mnp_settings_description(const struct mnp_settings *settings)
{
    return settings->header.description;
}

uint32_t mnp_settings_architecture(const struct mnp_settings *settings)
{
    return settings->header.architecture;
}

bool mnp_settings_is_default(const struct mnp_settings *settings)
{
    return settings->header.is_default;
}

const struct mnp_list *mnp_settings_default_for(const struct mnp_settings *settings)
{
    return &settings->header.default_for;
}

bool mnp_settings_is_nearer(const struct mnp_settings *settings, const char *key, const char *other)
{
    const struct mnp_setting *near = find_setting(settings, key), *far = find_setting(settings, other);
    return near && far && near->depth < far->depth;
}

const char *mnp_settings_nearest(const struct mnp_settings *settings, const char *const *keys)
{
    const char *nearest = keys[0];
    for (; *keys; keys++) {
        const struct mnp_setting *best = find_setting(settings, nearest), *each = find_setting(settings, *keys);
        if (each && (!best || each->depth < best->depth))
            nearest = *keys;
    }
    return nearest;
}

bool mnp_settings_place(const struct mnp_settings *settings, struct mnp_error *error)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    const struct mnp_setting *best = NULL;
    for (const char *at = error->text; *at;) {
        size_t length = strspn(at, letters), word = length;
        while (word && at[word - 1] == '.')
            word--;
        uint32_t place = word ? mnp_keys_find(&settings->stated, at, word) : MNP_NO_KEY;
        const struct mnp_setting *each = place == MNP_NO_KEY ? NULL : &settings->list.settings[place];
        if (each && (!best || each->depth < best->depth))
            best = each;
        at += length ? length : 1;
    }
    if (!best || best->built_in)
        return false;
    char text[sizeof error->text];
    memcpy(text, error->text, sizeof text);
    *error = (struct mnp_error){{0}};
    return mnp_setting_fail(best, error, "%s", text);
}

bool mnp_settings_add_override(struct mnp_settings *settings, const char *text, struct mnp_error *error)
{
    return apply_override(settings, NULL, text, error);
}

bool mnp_settings_add_option(struct mnp_settings *settings, const char *option, const char *text,
                             struct mnp_error *error)
{
    return apply_override(settings, option, text, error);
}

/* ===== filling ===== */

/* Among the settings of a key in files, returns that with the smallest depth that is at least `depth`. */
static struct mnp_setting *find_in_files(const struct mnp_settings *settings, const char *key, unsigned depth)
{
    const struct mnp_setting_list *lists[] = {&settings->list, &settings->covered};
    struct mnp_setting *best = NULL;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t j = 0; j < lists[i]->count; j++) {
            struct mnp_setting *each = &lists[i]->settings[j];
            if (each->depth >= depth && (!best || each->depth < best->depth) && strcmp(each->key, key) == 0)
                best = each;
        }
    }
    return best;
}

bool mnp_settings_is_changed(const struct mnp_settings *settings, const char *key)
{
    const struct mnp_setting *near = find_setting(settings, key),
                             *far = near ? find_in_files(settings, key, near->depth + 1) : NULL;
    return far && near->value.text && far->value.text && strcmp(near->value.text, far->value.text) != 0;
}

uint64_t mnp_settings_number_in_files(const struct mnp_settings *settings, const char *key)
{
    const struct mnp_setting *stated = find_in_files(settings, key, 1);
    return stated && stated->value.kind == MNP_VALUE_INTEGER && stated->value.integer > 0
               ? (uint64_t)stated->value.integer
               : 0;
}

/* Returns the setting that provides the default of an unstated row by `follows`, or NULL. */
static struct mnp_setting *find_followed(const struct mnp_settings *settings, const struct mnp_parameter *row)
{
    if (!row->follows)
        return NULL;
    if (!row->beside)
        return find_setting(settings, row->follows);
    const struct mnp_setting *beside = find_in_files(settings, row->beside, 1);
    struct mnp_setting *followed = find_in_files(settings, row->follows, beside ? beside->depth : 1);
    return followed ? followed : find_setting(settings, row->follows);
}

static struct mnp_resolved *find_resolved(const struct mnp_settings *settings, const char *key)
{
    uint32_t place = mnp_keys_find(&settings->known, key, strlen(key));
    return place == MNP_NO_KEY ? NULL : &settings->resolved[place];
}

/* Fails because a required key is missing; it may have been misspelt. */
static bool missing(const struct mnp_settings *settings, const struct mnp_parameter *row, struct mnp_error *error)
{
    for (uint32_t i = 0; i < settings->list.count; i++) {
        const struct mnp_setting *setting = &settings->list.settings[i];
        if (!setting->used && mnp_nearest_word(setting->key, &row->key, 1))
            return mnp_setting_fail(setting, error, "unknown key %s; did you mean %s, which is missing? (%s)",
                                    setting->key, row->key, row->help);
    }
    char expectation[256];
    mnp_value_expectation(row, settings->joined, expectation, sizeof expectation);
    return mnp_fail(error, "machine %s: %s is missing; state %s in the machine file or with --set %s=… (%s)",
                    settings->header.name, row->key, expectation, row->key, row->help);
}

uint64_t mnp_settings_number(const struct mnp_settings *settings, const char *key)
{
    const struct mnp_resolved *resolved = find_resolved(settings, key);
    return resolved && resolved->row->type <= MNP_CHOICE ? resolved->number : 0;
}

void mnp_settings_say_inherited(struct mnp_settings *settings, const char *key)
{
    const struct mnp_setting *setting = find_setting(settings, key);
    struct mnp_resolved *resolved = find_resolved(settings, key);
    if (!setting || !resolved || setting->depth < 2 || resolved->row->type != MNP_TEXT)
        return;
    char stated[MNP_TEXT_MAX];
    memcpy(stated, resolved->text.text, sizeof stated);
    const char *slash = strrchr(setting->file, '/'), *name = slash ? slash + 1 : setting->file;
    int used = snprintf(resolved->text.text, MNP_TEXT_MAX, "as %.*s: ", (int)mnp_min(strcspn(name, "."), 40), name);
    if (strncmp(stated, resolved->text.text, (size_t)used) == 0) /* said by an earlier call */
        used = 0;
    snprintf(resolved->text.text + used, MNP_TEXT_MAX - (size_t)used, "%.*s", MNP_TEXT_MAX - used - 1, stated);
}

const char *mnp_settings_text(const struct mnp_settings *settings, const char *key)
{
    const struct mnp_resolved *resolved = find_resolved(settings, key);
    return resolved && resolved->row->type == MNP_TEXT ? resolved->text.text : "";
}

const char *mnp_settings_override(const struct mnp_settings *settings, bool one, size_t index)
{
    for (uint32_t i = 0; i < settings->list.count; i++) {
        const struct mnp_setting *setting = &settings->list.settings[i];
        const struct mnp_resolved *resolved = one ? find_resolved(settings, setting->key) : NULL;
        bool shown = !resolved || !resolved->row->of_system;
        if (setting->value.kind == MNP_VALUE_LOOSE && setting->depth == 0 && shown && index-- == 0)
            return setting->file + sizeof "--set " - 1;
    }
    return NULL;
}

static bool resolve(struct mnp_settings *settings, const struct mnp_parameter *row, struct mnp_resolved *resolved,
                    struct mnp_error *error)
{
    struct mnp_setting *setting = find_setting(settings, row->key);
    *resolved = (struct mnp_resolved){.row = row};
    if (!setting)
        setting = find_followed(settings, row);
    if (!setting && !row->fallback)
        return missing(settings, row, error);
    if (!setting) {
        struct mnp_setting fallback = {.file = "default", .value.kind = MNP_VALUE_LOOSE};
        fallback.value.text = (char *)(uintptr_t)row->fallback; /* only read */
        struct mnp_error wrong = {0};
        MNP_REQUIRE(mnp_value_convert(row, settings->joined, &fallback, resolved, &wrong), "%s", wrong.text);
        resolved->origin = strdup("default");
        return true;
    }
    setting->used = true;
    if (!mnp_value_convert(row, settings->joined, setting, resolved, error))
        return false;
    if (!setting->line)
        resolved->origin = strdup("--set");
    else if (asprintf(&resolved->origin, "%s:%u", setting->file, setting->line) < 0)
        resolved->origin = NULL;
    return true;
}

static void append_resolved(struct mnp_settings *settings, const struct mnp_resolved *resolved)
{
    if (settings->resolved_count == settings->resolved_room) {
        settings->resolved_room = mnp_max(2 * settings->resolved_room, 256);
        settings->resolved = mnp_reallocate(settings->resolved, settings->resolved_room, sizeof *settings->resolved);
    }
    mnp_keys_add(&settings->known, resolved->row->key, strlen(resolved->row->key), (uint32_t)settings->resolved_count);
    settings->resolved[settings->resolved_count++] = *resolved;
}

/* Resolves the parameters of the part that a row has selected, if it has any. */
static bool fill_part(struct mnp_settings *settings, const struct mnp_resolved *resolved, void *parameters,
                      struct mnp_error *error)
{
    const struct mnp_part *part = resolved->part;
    struct mnp_chosen *chosen = parameters ? (void *)((char *)parameters + resolved->row->chosen) : NULL;
    return !part ||
           mnp_settings_fill(settings, part->parameters, part->parameter_count, chosen ? chosen->values : NULL, error);
}

bool mnp_settings_fill(struct mnp_settings *settings, const struct mnp_parameter *rows, size_t count, void *parameters,
                       struct mnp_error *error)
{
    for (size_t i = 0; i < count; i++) { /* record all known keys before complaining about a missing one */
        struct mnp_setting *setting = find_setting(settings, rows[i].key);
        if (setting)
            setting->used = true;
    }
    for (size_t i = 0; i < count; i++) {
        struct mnp_resolved resolved;
        if (!resolve(settings, &rows[i], &resolved, error))
            return false;
        if (parameters)
            mnp_value_store(&resolved, parameters);
        if (!fill_part(settings, &resolved, parameters, error)) {
            free(resolved.origin);
            return false;
        }
        if (find_resolved(settings, rows[i].key)) {
            free(resolved.origin);
            continue;
        }
        append_resolved(settings, &resolved);
    }
    return true;
}

bool mnp_settings_fill_model(struct mnp_settings *settings, const struct mnp_model *model, void *parameters,
                             struct mnp_error *error)
{
    return mnp_settings_fill(settings, model->parameters, model->parameter_count, parameters, error);
}

/* Whether `key` is a group of known keys, such as "sm.l1d" of "sm.l1d.size"; returns the first key of the group. */
static const char *first_in_group(const struct mnp_settings *settings, const char *key)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < settings->resolved_count; i++)
        if (strncmp(settings->resolved[i].row->key, key, length) == 0 && settings->resolved[i].row->key[length] == '.')
            return settings->resolved[i].row->key;
    return NULL;
}

static bool has_key(const struct mnp_part *part, const char *key)
{
    for (size_t i = 0; part && i < part->parameter_count; i++)
        if (strcmp(part->parameters[i].key, key) == 0)
            return true;
    return false;
}

/* Key of the last choice among whose parts one has the parameter `key`, and the name of that part; NULL: none. */
static const char *find_part_of(const struct mnp_settings *settings, const char *key, const char **word)
{
    const char *row_key = NULL;
    for (size_t i = 0; i < settings->resolved_count; i++) {
        const struct mnp_parameter *row = settings->resolved[i].row;
        const struct mnp_part *part;
        const char *name;
        for (uint64_t k = 0; row->type == MNP_CHOICE && (name = mnp_settings_choice(row, settings->joined, k, &part));
             k++)
            if (has_key(part, key)) {
                row_key = row->key;
                *word = name;
            }
    }
    return row_key;
}

bool mnp_settings_finish(struct mnp_settings *settings, struct mnp_error *error)
{
    const struct mnp_setting *unknown = NULL;
    for (uint32_t i = 0; i < settings->list.count && !unknown; i++)
        if (!settings->list.settings[i].used)
            unknown = &settings->list.settings[i];
    if (!unknown)
        return true;
    const char *member = first_in_group(settings, unknown->key);
    if (member && unknown->value.kind == MNP_VALUE_LOOSE)
        return mnp_setting_fail(unknown, error, "%s is a group of keys; name one of them, such as %s", unknown->key,
                                member);
    if (member)
        return mnp_setting_fail(unknown, error, "%s is a group of keys; write %s: { … };", unknown->key, unknown->key);
    const char *word, *choice = find_part_of(settings, unknown->key, &word);
    if (choice)
        return mnp_setting_fail(unknown, error,
                                "%s is a key of \"%s\", which this machine does not use; choose it (%s = \"%s\"), or "
                                "leave the key out",
                                unknown->key, word, choice, word);
    const char **known = mnp_allocate(settings->resolved_count, sizeof *known);
    for (size_t i = 0; i < settings->resolved_count; i++)
        known[i] = settings->resolved[i].row->key;
    const char *nearest = mnp_nearest_word(unknown->key, known, settings->resolved_count);
    mnp_setting_fail(unknown, error, "unknown key %s; %s%s%s", unknown->key,
                     nearest ? "did you mean " : "`maniple models` lists the known ones", nearest ? nearest : "",
                     nearest ? "?" : "");
    free(known);
    return false;
}

bool mnp_settings_fail(const struct mnp_settings *settings, const char *key, struct mnp_error *error,
                       const char *format, ...)
{
    char text[sizeof error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct mnp_setting *setting = find_setting(settings, key);
    if (setting && setting->option)
        return mnp_setting_fail(setting, error, "%s", text);
    if (setting && !setting->built_in)
        return mnp_setting_fail(setting, error, "%s: %s", key, text);
    static const char remedy[] = "state another value with --set %s=… or in a file that extends the machine";
    char how[sizeof remedy + 100];
    snprintf(how, sizeof how, remedy, key);
    if (setting)
        return mnp_fail(error, "machine %s: %s (built in, %s:%u): %s; %s", settings->header.name, key, setting->file,
                        setting->line, text, how);
    return mnp_fail(error, "machine %s: %s (by default): %s; %s", settings->header.name, key, text, how);
}

void mnp_settings_walk(const struct mnp_settings *settings, const struct mnp_settings_visitor *visitor)
{
    mnp_tree_walk(settings->resolved, settings->resolved_count, settings->shows_all, visitor);
}

void mnp_settings_show_all(struct mnp_settings *settings)
{
    settings->shows_all = true;
}
