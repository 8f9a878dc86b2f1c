/* SPDX-License-Identifier: BSD-3-Clause */
#include "plugin/plugin.h"

#include "base/allocate.h"
#include "base/file.h"
#include "base/print.h"
#include "base/sha256.h"
#include "base/version.h"
#include "maniple/plugin.h"
#include "plugin/part.h"

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

static bool join(struct plugin_set *set, const char *path, const char *joins, const struct mnp_part *part,
                 const struct plugin_function *needed, struct mnp_error *error)
{
    for (uint32_t i = 0; i < set->joined.count; i++)
        if (part->name && strcmp(set->joined.parts[i].joins, joins) == 0 &&
            strcmp(set->joined.parts[i].part->name, part->name) == 0)
            return mnp_fail_at(error, path, 0, "another plug-in has a %s \"%s\" too; load one of them", joins,
                               part->name);
    if (!plugin_check_part(set, path, joins, part, needed, error))
        return false;
    set->joined.parts = mnp_reallocate(set->joined.parts, set->joined.count + 1, sizeof *set->joined.parts);
    set->joined.parts[set->joined.count++] = (struct mnp_joined_part){.joins = joins, .part = part};
    return true;
}

static bool join_kind(struct plugin_set *set, const char *path, const struct mnp_machine_kind *kind,
                      struct mnp_error *error)
{
    if (!set->kinds)
        return true;
    if (!kind->name || !kind->summary || !kind->models || !kind->check || !kind->open || !kind->close)
        return mnp_fail_at(error, path, 0, "a kind of machine states no %s; state it",
                           !kind->name      ? "name"
                           : !kind->summary ? "summary"
                           : !kind->models  ? "models"
                           : !kind->check   ? "function `check`"
                           : !kind->open    ? "function `open`"
                                            : "function `close`");
    if (mnp_kind_find(set->kinds, kind->name))
        return mnp_fail_at(error, path, 0, "there is a kind of machine \"%s\" already; give the plug-in's another name",
                           kind->name);
    set->kinds = mnp_reallocate((void *)set->kinds, set->kind_count + 2, sizeof *set->kinds);
    set->kinds[set->kind_count++] = kind;
    set->kinds[set->kind_count] = NULL;
    return true;
}

#define FUNCTION(NAME)                                                                                                 \
    {                                                                                                                  \
#NAME, each->NAME != NULL                                                                                      \
    }

/* Adds all objects of a NULL-terminated list of the plug-in. The functions that each must have stand behind. */
#define JOIN_ALL(TYPE, LIST, JOINS, ...)                                                                               \
    for (const struct TYPE *const *at = plugin->LIST; good && at && *at; at++) {                                       \
        const struct TYPE *each = *at;                                                                                 \
        const struct plugin_function needed[] = {__VA_ARGS__, {0}};                                                    \
        good = join(set, path, JOINS, &each->part, needed, error);                                                     \
    }

static bool join_all(struct plugin_set *set, const char *path, const struct maniple_plugin *plugin,
                     struct mnp_error *error)
{
    bool good = true;
    for (size_t i = 0; good && plugin->kinds && plugin->kinds[i]; i++)
        good = join_kind(set, path, plugin->kinds[i], error);
    JOIN_ALL(mnp_policy, policies, MNP_POLICY_PART, FUNCTION(use), FUNCTION(insert), FUNCTION(free), FUNCTION(victim))
    JOIN_ALL(sm_prefetcher, prefetchers, SM_PREFETCHER_PART, FUNCTION(bytes), FUNCTION(observe))
    JOIN_ALL(sm_called_scheduler, schedulers, SM_SCHEDULER_PART, FUNCTION(bytes), FUNCTION(choose))
    JOIN_ALL(mnp_hash_function, hashes, MNP_HASH_PART, {"bit", each->plain || each->bit})
    JOIN_ALL(sm_called_stage, stages, SM_STAGE_PART, FUNCTION(bytes))
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
