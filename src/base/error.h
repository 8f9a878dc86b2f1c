/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three kinds of failure, which are handled differently everywhere:
 *   error    caused by the user (a bad trace, file, option): a value that is passed up and printed once; exit status 2
 *   bug      caused by Maniple (a broken invariant): a message, and the program ends at once with exit status 70
 *   warning  counted and listed at the end of a run (see log.h)
 * No input may cause a bug.
 */
#ifndef MNP_BASE_ERROR_H
#define MNP_BASE_ERROR_H

#include <stdbool.h>

/* An error of the user: what is wrong, where, and how to fix it. There is no error while `text[0] == 0`. */
struct mnp_error {
    char text[1024];
    unsigned kind; /* fault of a simulated program: the front-end's code for it; otherwise 0 */
};

/* Sets the error, unless one is already set, and returns false, so that a caller can write `return mnp_fail(error, …)`.
 * State the problem, then the remedy. Control characters are written as \xNN. Words that are too long for the buffer
 * are shortened in the middle. */
bool mnp_fail(struct mnp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Like mnp_fail, with a location: the text begins with "file:line: ". `line` 0 omits the line. */
bool mnp_fail_at(struct mnp_error *error, const char *file, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports a bug of Maniple and ends the program with status 70. */
_Noreturn void mnp_bug(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Checks an invariant in every build; on hot paths, only cheap conditions. */
#define MNP_REQUIRE(condition, ...)                                                                                    \
    do {                                                                                                               \
        if (__builtin_expect(!(condition), 0))                                                                         \
            mnp_bug(__FILE__, __LINE__, __VA_ARGS__);                                                                  \
    } while (0)

enum mnp_exit_status {
    MNP_EXIT_DONE = 0,
    MNP_EXIT_DIFFERENT = 1,
    MNP_EXIT_USER = 2,
    MNP_EXIT_STOPPED = 3,
    MNP_EXIT_BUG = 70,
    MNP_EXIT_INTERRUPTED = 130,
};

#endif
