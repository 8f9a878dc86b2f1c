/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The assembler is the first of: what MANIPLE_PTXAS names, `ptxas` in the folders of PATH, in CUDA_HOME/bin, in
 * /usr/local/cuda/bin. Several processes may assemble the same text at once: each writes files of its own and renames
 * the result.
 */
#include "cudart/device/ptxas.h"

#include "base/file.h"
#include "cudart/base/options.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

extern char **environ;

enum { MOST_BYTES = 1 << 28, MOST_LOG = 1 << 20, MOST_PATH = 1024 };

/* ===== where it is ===== */

static bool executable_in(const char *folder, size_t length, char path[MOST_PATH])
{
    struct stat status;
    int written = snprintf(path, MOST_PATH, "%.*s/ptxas", (int)length, folder);
    return written > 0 && written < MOST_PATH && stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
           access(path, X_OK) == 0;
}

static bool find_assembler(char path[MOST_PATH], struct mnp_error *error)
{
    const char *named = getenv("MANIPLE_PTXAS"), *folders = getenv("PATH"), *home = getenv("CUDA_HOME");
    char folder[MOST_PATH];
    if (named && *named) {
        snprintf(path, MOST_PATH, "%s", named);
        return access(path, X_OK) == 0 ||
               mnp_fail(error, "--code ptxas: MANIPLE_PTXAS names %s, which cannot be run", path);
    }
    for (size_t length; folders && *folders; folders += length + (folders[length] == ':')) {
        length = strcspn(folders, ":");
        if (length && executable_in(folders, length, path))
            return true;
    }
    snprintf(folder, sizeof folder, "%s/bin", home ? home : "");
    return (home && executable_in(folder, strlen(folder), path)) ||
           executable_in("/usr/local/cuda/bin", strlen("/usr/local/cuda/bin"), path) ||
           mnp_fail(error,
                    "--code ptxas: there is no ptxas in PATH, in CUDA_HOME/bin or in /usr/local/cuda/bin; install "
                    "CUDA's toolkit, name it in MANIPLE_PTXAS, or use --code ptx");
}

/* ===== what is kept ===== */

/* The architecture that is assembled for: with its letter where the text asks for it, as sm_90a. */
static void name_target(const struct execute_text *text, uint32_t architecture, char target[16])
{
    const char *at = memmem(text->text, text->length, ".target", 7);
    char wanted[16];
    snprintf(target, 16, "sm_%u", architecture);
    snprintf(wanted, sizeof wanted, "sm_%ua", architecture);
    const char *line = at ? memchr(at, '\n', text->length - (size_t)(at - text->text)) : NULL;
    if (line && memmem(at, (size_t)(line - at), wanted, strlen(wanted)))
        strcpy(target, wanted);
}

/* Path of the cached result. NULL: none. */
static char *kept_path(const struct execute_text *text, const char *assembler, const char *target,
                       struct mnp_error *error)
{
    struct stat status = {0};
    char own[MOST_PATH + 80], name[64];
    char *folder = mnp_cache_folder("assembled code", error);
    if (!folder)
        return NULL;
    stat(assembler, &status);
    snprintf(own, sizeof own, "%s %s %lld %lld", assembler, target, (long long)status.st_size,
             (long long)status.st_mtime);
    XXH128_hash_t hash = XXH3_128bits_withSeed(text->text, text->length, XXH3_64bits(own, strlen(own)));
    snprintf(name, sizeof name, "ptxas-%016" PRIx64 "%016" PRIx64 ".cubin", (uint64_t)hash.high64,
             (uint64_t)hash.low64);
    char *path = mnp_join_path(folder, name);
    free(folder);
    return path;
}

/* ===== assembling ===== */

/* The environment without what would make the assembler a simulated program. */
static char **plain_environment(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **plain = calloc(count + 1, sizeof *plain);
    for (size_t i = 0; plain && i < count; i++)
        if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0 &&
            strncmp(environ[i], CUDART_OPTIONS_VARIABLE "=", strlen(CUDART_OPTIONS_VARIABLE) + 1) != 0)
            plain[kept++] = environ[i];
    return plain;
}

/* Its messages go to `log`. */
static int start(pid_t *child, const char *assembler, const char *const *words, const char *log)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    char **plain = plain_environment();
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    int problem = posix_spawn(child, assembler, &files, &attributes, (char *const *)words, plain ? plain : environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    free(plain);
    return problem;
}

/* Sets the error to the first line of the assembler's output. */
static bool say_why(const char *name, const char *target, const char *log, struct mnp_error *error)
{
    struct mnp_error ignored = {{0}};
    size_t length;
    char *said = mnp_read_file(log, MOST_LOG, &length, &ignored);
    mnp_fail(error, "%s: ptxas does not make machine code for %s of it: %.*s; use --code ptx", name, target,
             said ? (int)strcspn(said, "\n") : 0, said ? said : "");
    free(said);
    return false;
}

static bool assemble_file(const char *name, const char *assembler, const char *target, const char *source,
                          const char *result, struct mnp_error *error)
{
    char option[32], log[MOST_PATH + 16];
    snprintf(option, sizeof option, "-arch=%s", target);
    snprintf(log, sizeof log, "%s.log", result);
    const char *const words[] = {"ptxas", option, "-o", result, source, NULL};
    pid_t child;
    int status = 0, problem = start(&child, assembler, words, log);
    if (problem)
        return mnp_fail(error, "--code ptxas: %s cannot be started: %s", assembler, strerror(problem));
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    bool good = status == 0 && access(result, R_OK) == 0;
    if (!good)
        say_why(name, target, log, error);
    unlink(log);
    return good;
}

/* Makes the cubin `path`. */
static bool assemble(const char *name, const char *assembler, const char *target, const struct execute_text *text,
                     const char *path, struct mnp_error *error)
{
    char source[MOST_PATH], result[MOST_PATH + 8];
    snprintf(source, sizeof source, "%s.XXXXXX", path);
    int descriptor = mkostemp(source, O_CLOEXEC);
    FILE *file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (!file)
        return mnp_fail_at(error, path, 0, "cannot be written: %s", strerror(errno));
    bool written = fwrite(text->text, 1, text->length, file) == text->length;
    written = fclose(file) == 0 && written;
    snprintf(result, sizeof result, "%s.made", source);
    bool good = written || mnp_fail_at(error, source, 0, "cannot be written: %s", strerror(errno));
    good = good && assemble_file(name, assembler, target, source, result, error);
    if (good && rename(result, path) != 0)
        good = mnp_fail_at(error, path, 0, "cannot be written: %s", strerror(errno));
    unlink(source);
    if (!good)
        unlink(result);
    return good;
}

bool cudart_assemble(const char *name, uint32_t architecture, struct execute_text *text, struct mnp_error *error)
{
    char assembler[MOST_PATH], target[16];
    size_t length;
    if (!find_assembler(assembler, error))
        return false;
    name_target(text, architecture, target);
    char *path = kept_path(text, assembler, target, error);
    bool good = path && (access(path, R_OK) == 0 || assemble(name, assembler, target, text, path, error));
    char *made = good ? mnp_read_file(path, MOST_BYTES, &length, error) : NULL;
    free(path);
    if (!made)
        return false;
    free((char *)text->text);
    *text = (struct execute_text){made, length};
    return true;
}
