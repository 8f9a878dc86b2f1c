/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Translations as shared objects, made by the host's compiler `cc` and kept in the user's cache folder under a name
 * that is a hash of their C. Several processes may make the same one at once: each writes a file of its own and renames
 * it.
 */
#include "base/allocate.h"
#include "base/file.h"
#include "base/ticks.h"
#include "base/version.h"
#include "manycore/translation/translate.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

extern char **environ;

struct entry_point { /* struct entry of translated.h */
    uint32_t pc;
    manycore_translated *run;
};

#define COMPILER "cc"
#define OPTIONS  "-O2", "-std=gnu17", "-w", "-fPIC", "-shared", "-fno-strict-aliasing", "-fno-trapping-math"

/* In a group of its own, so that it can be ended with the processes that it starts; signals, which the run holds back
 * for itself, reach it. */
static int start_compiler(pid_t *child, const char *const *words)
{
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    int problem = posix_spawnattr_init(&attributes);
    if (problem)
        return problem;
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    problem = posix_spawnp(child, COMPILER, NULL, &attributes, (char *const *)words, environ);
    posix_spawnattr_destroy(&attributes);
    return problem;
}

/* A large program takes it many seconds: meanwhile the user may want the run to end. */
static bool run_compiler(const char *source, const char *target, const _Atomic int *stop, struct mnp_error *why)
{
    static const struct timespec moment = {.tv_nsec = 5000000};
    const char *const words[] = {COMPILER, OPTIONS, "-o", target, source, NULL};
    pid_t child, ended;
    int status = 0, problem = start_compiler(&child, words);
    if (problem)
        return mnp_fail(why, "the compiler " COMPILER " cannot be started: %s", strerror(problem));
    while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
        if (stop && *stop)
            kill(-child, SIGTERM);
        nanosleep(&moment, NULL);
    }
    if (ended < 0)
        return mnp_fail(why, "the compiler " COMPILER " is gone: %s", strerror(errno));
    return status == 0 || mnp_fail(why, "the compiler " COMPILER " failed (status 0x%x)", (unsigned)status);
}

/* Makes the shared object `path` from C. */
static bool compile(const char *text, const char *path, const _Atomic int *stop, struct mnp_error *why)
{
    char *source = NULL, *target = NULL;
    bool done = asprintf(&source, "%s.XXXXXX.c", path) > 0;
    int descriptor = done ? mkostemps(source, 2, O_CLOEXEC) : -1;
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file) {
        mnp_fail_at(why, path, 0, "cannot be written: %s", strerror(errno));
        free(source);
        return false;
    }
    fputs(text, file);
    done = fclose(file) == 0 && asprintf(&target, "%.*s.so", (int)strlen(source) - 2, source) > 0;
    done = done && run_compiler(source, target, stop, why);
    if (done && rename(target, path) != 0)
        done = mnp_fail_at(why, path, 0, "cannot be written: %s", strerror(errno));
    unlink(source);
    if (!done && target)
        unlink(target);
    free(source);
    free(target);
    return done;
}

/* Notes where translated code begins. */
static bool enter(struct manycore_image *image, struct mnp_error *why)
{
    const struct entry_point *entries = dlsym(image->library, "translated");
    if (!entries)
        return mnp_fail(why, "a translation is damaged; remove it from the cache folder");
    for (uint32_t i = 0; i < image->code_count; i++) {
        struct manycore_code *code = &image->code[i];
        code->entries = mnp_allocate(code->words + 1, sizeof *code->entries);
        for (const struct entry_point *entry = entries; entry->run; entry++)
            if ((entry->pc - code->address) / 4 < code->words)
                code->entries[(entry->pc - code->address) / 4] = entry->run;
    }
    return true;
}

char *manycore_translation_path(const char *text, const char *const *made_by, const char *ending, struct mnp_error *why)
{
    char *folder = mnp_cache_folder("translations", why), *path = NULL;
    XXH3_state_t *state = XXH3_createState();
    MNP_REQUIRE(state && XXH3_128bits_reset(state) == XXH_OK, "no hash");
    for (; *made_by; made_by++)
        XXH3_128bits_update(state, *made_by, strlen(*made_by) + 1);
    XXH3_128bits_update(state, text, strlen(text));
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    if (folder && asprintf(&path, "%s/%016llx%016llx.%s", folder, (unsigned long long)hash.high64,
                           (unsigned long long)hash.low64, ending) < 0)
        path = NULL;
    free(folder);
    return path;
}

/* Compiles what the cache does not have, and measures that. */
static bool make(const char *text, const char *path, struct manycore_compiling *compiling, struct mnp_error *why)
{
    uint64_t from = mnp_nanoseconds();
    if (!compiling->allowed)
        return mnp_fail(why, "it has not been compiled before");
    if (compiling->begins)
        compiling->begins(compiling->context);
    bool done = compile(text, path, compiling->stop, why);
    compiling->took_ns = mnp_nanoseconds() - from;
    return done;
}

bool manycore_library_open(struct manycore_image *image, const struct manycore_parameters *parameters,
                           struct manycore_compiling *compiling, struct mnp_error *why)
{
    static const char *const made_by[] = {COMPILER, OPTIONS, MANIPLE_VERSION, NULL};
    char *text = manycore_translate(image, parameters, false);
    char *path = manycore_translation_path(text, made_by, "so", why);
    bool there = path && access(path, R_OK) == 0;
    if (path && !there)
        there = make(text, path, compiling, why);
    if (there) {
        image->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        there = image->library ? enter(image, why) : mnp_fail(why, "%s", dlerror());
        if (!there)
            manycore_library_close(image);
    }
    free(text);
    free(path);
    return there;
}

void manycore_library_close(struct manycore_image *image)
{
    for (uint32_t i = 0; i < image->code_count; i++) {
        free((void *)image->code[i].entries);
        image->code[i].entries = NULL;
    }
    if (image->library)
        dlclose(image->library);
    image->library = NULL;
}
