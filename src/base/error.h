/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Three kinds of failure, told apart everywhere:
 *   error    the user's (a bad trace, file, option): a value that is passed up and printed once; exit status 2.
 *   bug      ours (a broken invariant): a message, then the program ends at once with exit status 70.
 *   warning  counted and summed up at the end of a run (see log.h).
 * Nothing that an input can cause may end in a bug.
 */
#ifndef MNP_BASE_ERROR_H
#define MNP_BASE_ERROR_H

#include <stdbool.h>

/* One error of the user's: what is wrong, where, and what to do about it. Empty while `text[0] == 0`. */
struct mnp_error {
    char text[1024];
    unsigned kind; /* of a simulated program's fault: what its front-end calls it; otherwise 0 */
};

/* Fills in the error (keeping the first one when it is already set) and returns false, so that a caller can write
 * `return mnp_fail(error, …)`. State what is wrong, then the remedy. Control characters are written as \xNN.
 * Of words that are too long for the room, the middle is left out. */
bool mnp_fail(struct mnp_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, located: the text begins with "file:line: ". `line` 0 leaves the line out. */
bool mnp_fail_at(struct mnp_error *error, const char *file, unsigned long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reports a bug of ours and ends the program with status 70. */
_Noreturn void mnp_bug(const char *file, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An invariant of ours, checked in every build: cheap conditions only on hot paths. */
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
