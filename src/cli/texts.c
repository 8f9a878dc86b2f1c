/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/texts.h"

#include "cli/words.h"

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct cli_texts *texts = state->input;
    const struct argp_option *options = texts->options;
    if (key == ARGP_KEY_ARG) {
        *(const char **)mnp_array_add(&texts->words, 1, sizeof(const char *)) = text;
        return 0;
    }
    for (int i = 0; i < CLI_TEXTS && options[i].key; i++)
        if (options[i].key == key) {
            texts->text[i] = text ? text : "";
            return 0;
        }
    return ARGP_ERR_UNKNOWN;
}

void cli_texts_read(struct cli_texts *texts, const struct argp *argp, const struct command_line *line)
{
    struct argp whole = *argp;
    whole.parser = read_option;
    *texts = (struct cli_texts){.options = argp->options};
    cli_parse(&whole, line->argc, line->argv, texts);
    if (line->program)
        mnp_fail(&texts->error, "%s takes nothing after --", line->argv[0]);
}
