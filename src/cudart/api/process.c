/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways in which a program can end, or become another one, that run none of the functions which are called at its end:
 * they stand in front of the C library's, and say that there are no results. Results are not written here, because
 * programs call these functions in signal handlers too. quick_exit does run functions (process/api_call.c).
 */
#include "cudart/base/options.h"
#include "cudart/base/process_group.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"
#include "cudart/process/report.h"

#include <alloca.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The C library's function of a name: the next one behind this library's. */
#define NEXT(name)                                                                                                     \
    __typeof__(&name) next;                                                                                            \
    void *symbol = dlsym(RTLD_NEXT, #name);                                                                            \
    memcpy(&next, &symbol, sizeof next)

/* The names in the source are ours, those that programs see the C library's. */
CUDART_API void cudart_end_at_once(int status) __asm__("_exit");
CUDART_API void cudart_end_at_once_c(int status) __asm__("_Exit");
CUDART_API int cudart_become(const char *path, char *const arguments[], char *const environment[]) __asm__("execve");
CUDART_API int cudart_become_path(const char *path, char *const arguments[]) __asm__("execv");
CUDART_API int cudart_become_named(const char *file, char *const arguments[],
                                   char *const environment[]) __asm__("execvpe");
CUDART_API int cudart_become_file(const char *file, char *const arguments[]) __asm__("execvp");
CUDART_API int cudart_become_list(const char *path, const char *first, ...) __asm__("execl");
CUDART_API int cudart_become_file_list(const char *file, const char *first, ...) __asm__("execlp");
CUDART_API int cudart_become_list_in(const char *path, const char *first, ...) __asm__("execle");
CUDART_API int cudart_become_open(int file, char *const arguments[], char *const environment[]) __asm__("fexecve");

static void end(int status)
{
    NEXT(_exit);
    cudart_say_lost("_exit");
    cudart_sharing_leave(&cudart_state()->sharing);
    next(cudart_refuse_idle(status));
}

void cudart_end_at_once(int status)
{
    end(status);
}

void cudart_end_at_once_c(int status)
{
    end(status);
}

/* The process becomes another program, in which the descriptors of the run are still needed. */
static void become(const char *how)
{
    const char *text = getenv(CUDART_OPTIONS_VARIABLE);
    const struct cudart_options options = {.process = (pid_t)cudart_options_glance(text, "process", NULL),
                                           .output = (int)cudart_options_glance(text, "output", NULL),
                                           .process_group = (int)cudart_options_glance(text, "process_group", NULL)};
    cudart_say_lost(how);
    cudart_sharing_leave(&cudart_state()->sharing);
    if (options.process == getpid())
        cudart_process_group_keep(&options, true);
}

int cudart_become(const char *path, char *const arguments[], char *const environment[])
{
    NEXT(execve);
    become("execve");
    return next(path, arguments, environment);
}

int cudart_become_path(const char *path, char *const arguments[])
{
    NEXT(execv);
    become("execv");
    return next(path, arguments);
}

int cudart_become_named(const char *file, char *const arguments[], char *const environment[])
{
    NEXT(execvpe);
    become("execvpe");
    return next(file, arguments, environment);
}

int cudart_become_file(const char *file, char *const arguments[])
{
    NEXT(execvp);
    become("execvp");
    return next(file, arguments);
}

int cudart_become_open(int file, char *const arguments[], char *const environment[])
{
    NEXT(fexecve);
    become("fexecve");
    return next(file, arguments, environment);
}

/* ===== arguments in a list, which ends with NULL =====
 * The C library's functions of this kind call its own execve, which the one above does not stand in front of. */

/* Their number, the first one's and the NULL among them. */
static size_t count_of(const char *first, va_list list)
{
    size_t count = 1;
    for (const char *argument = first; argument; count++)
        argument = va_arg(list, const char *);
    return count;
}

static void copy_list(char **to, const char *first, va_list list)
{
    *to = (char *)first;
    while (*to)
        *++to = va_arg(list, char *);
}

/* On the stack: these functions may be called in signal handlers. What follows the list stays to be read. */
#define TAKE_LIST(arguments, first, list)                                                                              \
    va_list list;                                                                                                      \
    va_start(list, first);                                                                                             \
    char **arguments = alloca(count_of(first, list) * sizeof *arguments);                                              \
    va_end(list);                                                                                                      \
    va_start(list, first);                                                                                             \
    copy_list(arguments, first, list)

int cudart_become_list(const char *path, const char *first, ...)
{
    TAKE_LIST(arguments, first, list);
    va_end(list);
    NEXT(execv);
    become("execl");
    return next(path, arguments);
}

int cudart_become_file_list(const char *file, const char *first, ...)
{
    TAKE_LIST(arguments, first, list);
    va_end(list);
    NEXT(execvp);
    become("execlp");
    return next(file, arguments);
}

int cudart_become_list_in(const char *path, const char *first, ...)
{
    TAKE_LIST(arguments, first, list);
    char **environment = va_arg(list, char **);
    va_end(list);
    NEXT(execve);
    become("execle");
    return next(path, arguments, environment);
}
