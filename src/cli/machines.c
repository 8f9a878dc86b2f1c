/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple machines` lists the built-in machines; `maniple machine show NAME` prints one, resolved. */
#include "machines.h"
#include "base/print.h"
#include "cli/load_machine.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "results/encoding/json.h"

#include <stdio.h>
#include <string.h>

static const char machines_help[] =
    "Lists the machines inside the program, each with its architecture and description. Any of them can be named\n"
    "with --machine, and extended by a machine file of your own: machine: { extends = \"NAME\"; };\n"
    "\n"
    "  --format=json              the same as a list of objects: name, architecture (of a GPU, such as 86), "
    "description\n";

static void list_machine(struct mnp_json *json, const char *name, const struct mnp_settings *settings)
{
    unsigned architecture = mnp_settings_architecture(settings);
    char word[16] = "";
    if (json->out) {
        results_json_open_inline(json, NULL, '{');
        results_json_text(json, "name", name);
        if (architecture)
            results_json_number(json, "architecture", architecture);
        results_json_text(json, "description", mnp_settings_description(settings));
        results_json_close_inline(json, '}');
        return;
    }
    if (architecture)
        snprintf(word, sizeof word, "sm_%u", architecture);
    mnp_print_text(stdout, "%-19s %-6s %s\n", name, word, mnp_settings_description(settings));
}

int cli_verb_machines(const struct command_line *given)
{
    int status;
    bool as_json;
    struct command_line line = *given;
    struct mnp_error error = {0};
    if (!cli_take_format(&line, &as_json, &status) || !cli_only_help(&line, "[--format json]", machines_help, &status))
        return status;
    if (line.argc > 1) {
        mnp_fail(&error, "maniple machines takes no word; `maniple machine show %.100s` prints one", line.argv[1]);
        return cli_report_error(&error);
    }
    struct mnp_json json = {.out = as_json ? stdout : NULL};
    if (as_json)
        results_json_open(&json, NULL, '[');
    for (const struct mnp_machine_file *file = mnp_built_in_machines; file->name; file++) {
        struct mnp_settings *settings = cli_load_machine(line.plugins, file->name, NULL, 0, NULL, &error);
        if (!settings)
            return cli_report_error(&error);
        list_machine(&json, file->name, settings);
        mnp_settings_free(settings);
    }
    if (as_json)
        results_json_close(&json, ']');
    return cli_finish_output(MNP_EXIT_DONE);
}

static const char machine_help[] =
    "Prints a built-in machine, or a machine file, as the simulator understands it: one key per line, with what it\n"
    "extends and all defaults filled in, and behind each value where it comes from. The output is a machine file.\n";

int cli_verb_machine(const struct command_line *line)
{
    int status;
    if (!cli_only_help(line, "show NAME|FILE", machine_help, &status))
        return status;
    if (line->argc != 3 || strcmp(line->argv[1], "show") != 0) {
        static const char *const actions[] = {"show"};
        struct mnp_error error = {0};
        if (line->argc == 3 && strcmp(line->argv[1], "show") != 0)
            cli_unknown_word(line->argv[0], "verb", line->argv[1], actions, 1, &error);
        mnp_fail(&error, "maniple machine takes two words: show NAME (`maniple machines` lists the names)");
        return cli_report_error(&error);
    }
    struct mnp_error error = {0};
    const struct mnp_machine_kind *kind;
    struct mnp_settings *settings = cli_load_machine(line->plugins, line->argv[2], NULL, 0, &kind, &error);
    if (!settings || !kind->check(settings, &error)) {
        mnp_settings_free(settings);
        return cli_report_error(&error);
    }
    mnp_settings_show_all(settings);
    mnp_settings_write(settings, false, stdout);
    mnp_settings_free(settings);
    return cli_finish_output(MNP_EXIT_DONE);
}
