/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Progress of work in pieces (done, left, time of the end) on standard error: a line that is drawn again on a
 * terminal, lines of their own now and then elsewhere. Colours are for terminals alone, and not with NO_COLOR
 * (no-color.org).
 */
#ifndef MNP_CLI_PROGRESS_H
#define MNP_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cli_progress {
    const char *pieces;                /* a word for them: "jobs" */
    uint64_t all, found, done, failed; /* found: were done before */
    uint64_t running;
    uint64_t start_ns, shown_ns;
    bool quiet, draws, colours;
};

void cli_progress_begin(struct cli_progress *progress, const char *pieces, uint64_t all, uint64_t found, bool quiet);

/* Shows where it stands, unless it was shown a moment ago. */
void cli_progress_show(struct cli_progress *progress);

/* The last word on it. */
void cli_progress_end(struct cli_progress *progress);

/* Whether a stream takes colours. */
bool cli_takes_colours(FILE *stream);

/* Writes "23 s", "4 min 10 s", "3 h 05 min" or "2 d 4 h". Returns `text`. */
const char *cli_format_duration(char text[32], uint64_t seconds);

#endif
