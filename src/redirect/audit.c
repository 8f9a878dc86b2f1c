/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The module for the dynamic linker's audit interface (rtld-audit(7)) that `maniple run` names in LD_AUDIT: gives
 * programs and libraries with NVIDIA's static runtime inside the drop-in one, and the drop-in libraries to whatever
 * opens NVIDIA's by name. The dynamic linker announces each object when it is mapped, and tells when all of a batch
 * are, before any of their constructors runs: fat binaries are registered there. Each function of the static runtime
 * then gets a jump to ours at its entry (jumps.h), so that none of its code runs but constructors that touch its own
 * tables. Calls are not audited (no la_symbind), and cost nothing.
 */
#include "redirect/jumps.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The one context of the module; the dynamic linker's lock is held in each call. */
struct audit {
    struct link_map **waiting; /* mapped, not looked at */
    size_t count, room;
    const struct link_map *program;
    const struct link_map *ours; /* NULL: not loaded */
    bool started;                /* the program and what it needs are relocated: functions of ours can be called */
    char maps[PATH_MAX];         /* the folder of maps */
};

static struct audit audit;

static void say_failed(const char *path, const char *problem)
{
    void (*say)(const char *path, const char *problem);
    uintptr_t at = redirect_exported(audit.ours, "maniple_refuse_object");
    memcpy(&say, &at, sizeof say);
    if (at)
        say(path, problem);
}

static void look_at(const struct link_map *map)
{
    char self[PATH_MAX];
    const char *path = map->l_name;
    struct redirect_object object;
    struct redirect_runtime runtime;
    if (!path || !*path) { /* the program */
        ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
        self[length > 0 ? length : 0] = 0;
        path = self;
    }
    if (!redirect_open(*path ? path : "/proc/self/exe", &object))
        return;
    const char *problem = redirect_find(&object, audit.maps, &runtime) == REDIRECT_FOUND
                              ? redirect_write(map, &runtime, audit.ours)
                              : NULL;
    if (problem)
        say_failed(path, problem);
    redirect_release(&runtime);
    redirect_close(&object);
}

unsigned la_version(unsigned version)
{
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

static void find_ours(const struct link_map *map)
{
    if (audit.ours || !redirect_is_ours(map))
        return;
    audit.ours = map;
    const char *slash = strrchr(map->l_name, '/');
    snprintf(audit.maps, sizeof audit.maps, "%.*s/data/runtimes", (int)(slash - map->l_name), map->l_name);
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    (void)cookie;
    if (space != LM_ID_BASE)
        return 0;
    audit.program = audit.program ? audit.program : map;
    if (audit.count == audit.room) {
        size_t room = audit.room ? 2 * audit.room : 64;
        struct link_map **more = realloc(audit.waiting, room * sizeof *more);
        if (!more)
            return 0;
        audit.waiting = more;
        audit.room = room;
    }
    audit.waiting[audit.count++] = map;
    return 0;
}

/* An object is closed before the batch that it came with is complete where opening fails. Cookies are as the dynamic
 * linker has set them: the objects' addresses. */
unsigned la_objclose(uintptr_t *cookie)
{
    size_t kept = 0;
    for (size_t i = 0; i < audit.count; i++)
        if ((uintptr_t)audit.waiting[i] != *cookie)
            audit.waiting[kept++] = audit.waiting[i];
    audit.count = kept;
    return 0;
}

/* The program gets ours for a library of NVIDIA's, by whatever path and from wherever it looks for one: also where a
 * library that is opened with RTLD_DEEPBIND calls the C library's dlopen, or needs another. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    const char *(*library_for)(const char *name);
    uintptr_t at =
        flag == LA_SER_ORIG && audit.started && audit.ours ? redirect_exported(audit.ours, "maniple_library_for") : 0;
    (void)cookie;
    memcpy(&library_for, &at, sizeof library_for);
    const char *path = at ? library_for(name) : NULL;
    return (char *)(path ? path : name);
}

void la_preinit(uintptr_t *cookie)
{
    void (*begin)(void);
    uintptr_t at = audit.ours ? redirect_exported(audit.ours, "maniple_program_begins") : 0;
    (void)cookie;
    memcpy(&begin, &at, sizeof begin);
    if (at)
        begin();
}

/* Other namespaces have batches, too: their cookies are those of other programs. */
void la_activity(uintptr_t *cookie, unsigned flag)
{
    if (flag != LA_ACT_CONSISTENT || !audit.program || *cookie != (uintptr_t)audit.program)
        return;
    for (size_t i = 0; i < audit.count; i++)
        find_ours(audit.waiting[i]);
    for (size_t i = 0; audit.ours && i < audit.count; i++)
        if (audit.waiting[i] != audit.ours)
            look_at(audit.waiting[i]);
    audit.count = 0;
    audit.started = true;
}
