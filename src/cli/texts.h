/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of verbs that take any number of words, and options with a text each. */
#ifndef MNP_CLI_TEXTS_H
#define MNP_CLI_TEXTS_H

#include "base/array.h"
#include "cli/verbs.h"

#include <argp.h>

enum { CLI_TEXTS = 4 };

struct cli_texts {
    const struct argp_option *options;
    const char *text[CLI_TEXTS]; /* by row of the table of options; "": given, and takes none; NULL: not given */
    struct mnp_array words;      /* items: const char *; for mnp_array_release */
    struct mnp_error error;
};

/* Reads a command line by `argp`, whose options have a text each, at most CLI_TEXTS, and whose parser is not set. */
void cli_texts_read(struct cli_texts *texts, const struct argp *argp, const struct command_line *line);

#endif
