/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/answer.h"

#include "base/file.h"
#include "cli/words.h"

#include <stdio.h>
#include <string.h>

int report_error(const struct mnp_error *error)
{
    fprintf(stderr, "maniple: error: %s\n", error->text);
    return MNP_EXIT_USER;
}

int finish_output(int status)
{
    struct mnp_error error = {0};
    return mnp_check_stream(stdout, "standard output", &error) ? status : report_error(&error);
}

bool only_help(const struct command_line *line, const char *arguments, const char *text, int *status)
{
    for (int i = 1; i < line->argc; i++) {
        const char *word = line->argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
            printf("Usage: %s%s%s\n\n%s", line->argv[0], *arguments ? " " : "", arguments, text);
            *status = finish_output(MNP_EXIT_DONE);
            return false;
        }
        if (word[0] == '-' && word[1]) {
            struct mnp_error error = {0};
            static const char *const known[] = {"--help"};
            cli_unknown_word(line->argv[0], "option", word, known, 1, &error);
            *status = report_error(&error);
            return false;
        }
    }
    if (!line->program)
        return true;
    fprintf(stderr, "maniple: error: %s takes nothing after --\n", line->argv[0]);
    *status = MNP_EXIT_USER;
    return false;
}
