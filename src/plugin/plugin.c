/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/plugin.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/sha256.h"
#include "base/version.h"
#include "maniple/plugin.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MOST = 1 << 30 };

void plugin_set_init(struct plugin_set *set, const struct mnp_machine_kind *const *kinds)
{
    *set = (struct plugin_set){0};
    if (!kinds)
        return;
    while (kinds[set->kind_count])
        set->kind_count++;
    set->kinds = mnp_allocate(set->kind_count + 1, sizeof *set->kinds);
    memcpy(set->kinds, kinds, set->kind_count * sizeof *set->kinds);
}

void plugin_set_release(struct plugin_set *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        free((char *)(uintptr_t)set->files[i].file);
        dlclose(set->handles[i]);
    }
    free(set->files);
    free((void *)set->handles);
    free(set->joined.parts);
    free((void *)set->kinds);
    *set = (struct plugin_set){0};
}

/* ===== what a plug-in brings ===== */

/* Checks that the values of the part's parameters fit into their members. */
static bool check_parameters(const struct mnp_part *part, const char *path, struct mnp_error *error)
{
    for (size_t i = 0; i < part->parameter_count; i++) {
        const struct mnp_parameter *row = &part->parameters[i];
        if (row->type > MNP_CHOICE || row->offset % sizeof(uint64_t) ||
            row->offset / sizeof(uint64_t) >= MNP_PART_VALUES)
            return mnp_fail_at(error, path, 0,
                               "the parameter %s of \"%s\" is no number in one of its %d values; use rows of numbers, "
                               "sizes, flags or choices for fields of type uint64_t",
                               row->key, part->name, MNP_PART_VALUES);
    }
    return true;
}

static bool join(struct plugin_set *set, const char *path, const char *joins, const struct mnp_part *part,
                 struct mnp_error *error)
{
    for (uint32_t i = 0; i < set->joined.count; i++)
        if (strcmp(set->joined.parts[i].joins, joins) == 0 && strcmp(set->joined.parts[i].part->name, part->name) == 0)
            return mnp_fail_at(error, path, 0, "another plug-in has a %s \"%s\" too; load one of them", joins,
                               part->name);
    set->joined.parts = mnp_reallocate(set->joined.parts, set->joined.count + 1, sizeof *set->joined.parts);
    set->joined.parts[set->joined.count++] = (struct mnp_joined_part){.joins = joins, .part = part};
    return check_parameters(part, path, error);
}

static bool join_kind(struct plugin_set *set, const char *path, const struct mnp_machine_kind *kind,
                      struct mnp_error *error)
{
    if (!set->kinds)
        return true;
    if (mnp_kind_find(set->kinds, kind->name))
        return mnp_fail_at(error, path, 0, "there is a kind of machine \"%s\" already; give the plug-in's another name",
                           kind->name);
    set->kinds = mnp_reallocate((void *)set->kinds, set->kind_count + 2, sizeof *set->kinds);
    set->kinds[set->kind_count++] = kind;
    set->kinds[set->kind_count] = NULL;
    return true;
}

/* Adds all objects of a NULL-terminated list of the plug-in. */
#define JOIN_ALL(LIST, JOINS)                                                                                          \
    for (size_t i = 0; good && plugin->LIST && plugin->LIST[i]; i++)                                                   \
        good = join(set, path, JOINS, &plugin->LIST[i]->part, error);

static bool join_all(struct plugin_set *set, const char *path, const struct maniple_plugin *plugin,
                     struct mnp_error *error)
{
    bool good = true;
    for (size_t i = 0; good && plugin->kinds && plugin->kinds[i]; i++)
        good = join_kind(set, path, plugin->kinds[i], error);
    JOIN_ALL(policies, MNP_POLICY_PART)
    JOIN_ALL(prefetchers, SM_PREFETCHER_PART)
    JOIN_ALL(schedulers, SM_SCHEDULER_PART)
    JOIN_ALL(hashes, MNP_HASH_PART)
    JOIN_ALL(stages, SM_STAGE_PART)
    return good;
}

/* ===== loading ===== */

/* Checks the first two members of the struct, version and size, which determine how to read the rest. */
static bool check_version(const struct maniple_plugin *plugin, const char *path, struct mnp_error *error)
{
    static const struct maniple_plugin own = {MANIPLE_PLUGIN_HEADER};
    if (plugin->version != MANIPLE_PLUGIN_VERSION)
        return mnp_fail_at(error, path, 0,
                           "is a plug-in of version %u, and maniple " MANIPLE_VERSION
                           " takes version %u; compile it with this maniple's headers",
                           plugin->version, MANIPLE_PLUGIN_VERSION);
    if (plugin->size != own.size || memcmp(plugin->sizes, own.sizes, sizeof own.sizes) != 0 || !plugin->name)
        return mnp_fail_at(error, path, 0,
                           "is a plug-in that was compiled with other headers of version %u; compile it with those of "
                           "maniple " MANIPLE_VERSION,
                           plugin->version);
    return true;
}

static bool describe(struct mnp_run_plugin *file, const char *path, const char *name, struct mnp_error *error)
{
    size_t length;
    char *bytes = mnp_read_file(path, FILE_MOST, &length, error);
    if (!bytes)
        return false;
    *file = (struct mnp_run_plugin){.name = name, .file = strdup(path)};
    mnp_sha256(bytes, length, file->sha256);
    free(bytes);
    return true;
}

bool plugin_set_load(struct plugin_set *set, const char *path, struct mnp_error *error)
{
    char whole[PATH_MAX];
    struct stat status;
    if (!realpath(path, whole) || strchr(whole, ':') || stat(whole, &status) != 0 || !S_ISREG(status.st_mode))
        return mnp_fail_at(error, *path ? path : "--plugin", 0,
                           "there is no such plug-in; give --plugin the path, without a colon, of a shared object");
    for (uint32_t i = 0; i < set->count; i++)
        if (strcmp(set->files[i].file, whole) == 0) /* the file was named twice */
            return true;
    void *handle = dlopen(whole, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
        return mnp_fail_at(error, path, 0,
                           "is no plug-in that can be loaded (%.300s); compile it with cc -shared -fPIC against this "
                           "maniple's headers",
                           dlerror());
    const struct maniple_plugin *plugin = dlsym(handle, MANIPLE_PLUGIN_SYMBOL);
    if (!plugin) {
        dlclose(handle);
        return mnp_fail_at(error, path, 0,
                           "has no object " MANIPLE_PLUGIN_SYMBOL ", and so is no plug-in; define one as "
                           "maniple/plugin.h says");
    }
    set->files = mnp_reallocate(set->files, set->count + 1, sizeof *set->files);
    set->handles = mnp_reallocate((void *)set->handles, set->count + 1, sizeof *set->handles);
    set->handles[set->count] = handle;
    if (!check_version(plugin, path, error) || !describe(&set->files[set->count], whole, plugin->name, error)) {
        dlclose(handle);
        return false;
    }
    set->count++;
    return join_all(set, path, plugin, error);
}

bool plugin_set_load_list(struct plugin_set *set, const char *list, struct mnp_error *error)
{
    char *copy = strdup(list ? list : ""), *rest = copy;
    bool good = true;
    for (char *path; good && (path = strsep(&rest, ":"));)
        good = !*path || plugin_set_load(set, path, error);
    free(copy);
    return good;
}

char *plugin_set_list(const struct plugin_set *set)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    MNP_NEED_MEMORY(out != NULL, "a list of plug-ins");
    for (uint32_t i = 0; i < set->count; i++)
        mnp_print_text(out, "%s%s", i ? ":" : "", set->files[i].file);
    fclose(out);
    return text;
}
