/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of the command line that may be misspelt: options, and the words that say what a verb should do. */
#ifndef MNP_CLI_WORDS_H
#define MNP_CLI_WORDS_H

#include "base/error.h"

#include <argp.h>
#include <stddef.h>

/* argp_parse, but an option that the table lacks is an error of ours, which names the nearest one: the program ends
 * with status 2. So is a name that is cut (--thread for --threads), which argp alone would take. */
void cli_parse(const struct argp *argp, int count, char **words, void *input);

/* Fails with "TITLE has no WHAT "WORD"; did you mean …?" and how to learn more. Returns false. */
bool cli_unknown_word(const char *title, const char *what, const char *word, const char *const *known, size_t count,
                      struct mnp_error *error);

#endif
