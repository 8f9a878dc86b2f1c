/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Audit module for the dynamic linker (rtld-audit(7)), which `maniple run` names in LD_AUDIT. It replaces NVIDIA's
 * static runtime inside programs and libraries by the drop-in one, and makes programs that open NVIDIA's libraries by
 * name get the drop-in libraries. The dynamic linker announces each object when it is mapped, and reports when a batch
 * of objects is complete, before any of their constructors (which register fat binaries) run. At that time a jump to
 * our function is written to the entry of each function of the static runtime (jumps.h), so that none of its code runs,
 * except constructors that access only its own tables. Calls are not audited (no la_symbind), and cost nothing.
 */
#include "redirect/jumps.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The only context of the module; every call is made with the dynamic linker's lock held. */
struct audit {
    struct link_map **waiting; /* mapped objects that have not been examined yet */
    size_t count, room;
    const struct link_map *program;
    const struct link_map *ours; /* NULL: not loaded */
    bool started;                /* the program and its dependencies are relocated: our functions can be called */
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

/* If opening fails, an object is closed before its batch is complete. Cookies have the value that the dynamic linker
 * gave them: the objects' addresses. */
unsigned la_objclose(uintptr_t *cookie)
{
    size_t kept = 0;
    for (size_t i = 0; i < audit.count; i++)
        if ((uintptr_t)audit.waiting[i] != *cookie)
            audit.waiting[kept++] = audit.waiting[i];
    audit.count = kept;
    return 0;
}

/* Substitutes a drop-in library for a library of NVIDIA's, whatever path is given and wherever the request comes from.
 * This also covers libraries that are opened with RTLD_DEEPBIND and call the C library's dlopen, and dependencies of
 * libraries. */
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

/* Other namespaces report batches, too: their cookies belong to other programs. */
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
