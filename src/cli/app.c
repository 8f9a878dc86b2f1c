/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `maniple app`: our own GPU workloads. They are in the program maniple-apps (apps/gpu), which knows what there is;
 * `run` starts it as `maniple run -- PROGRAM` does, with those of the words that are options of `maniple run`.
 */
#include "base/arena.h"
#include "base/print.h"
#include "cli/run/cuda.h"
#include "cli/run/options.h"
#include "cli/verbs.h"
#include "cli/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: maniple app list [--format json]\n"
    "       maniple app show NAME\n"
    "       maniple app run NAME [--SIZE N]... [OPTIONS]\n"
    "\n"
    "Our own workloads for GPUs, which check their results. They need no software of NVIDIA.\n"
    "\n"
    "  list       name them, one on each line; --format json: with their sizes, as a list of objects\n"
    "  show NAME  what it stresses, and its sizes\n"
    "  run NAME   run it on a simulated GPU; OPTIONS are those of `maniple run`: --machine, --threads, -o, ...\n"
    "             What stands behind -- goes to the workload alone.\n"
    "\n"
    "Exit status: 0 the results are right; 1 they are not; 2 an error in the arguments; else as `maniple run`.\n";

static int wrong_usage(const struct command_line *line, const char *what)
{
    mnp_print_text(stderr, "maniple: error: %s: %s; see `%s --help`\n", line->argv[0], what, line->argv[0]);
    return MNP_EXIT_USER;
}

/* The program takes the place of this process. */
static int become(char **words)
{
    struct mnp_error error = {0};
    fflush(NULL);
    execv(words[0], words);
    mnp_fail_at(&error, words[0], 0, "cannot be run: %s", strerror(errno));
    return cli_report_error(&error);
}

/* Deals out the words behind the name: options of `maniple run` to the one, all others to the other. */
static void deal(const struct command_line *line, struct command_line *run, char **program)
{
    int words = 0;
    for (int i = 3; i < line->argc; i++) {
        char *word = line->argv[i];
        int taken = cli_run_options_takes(word);
        if (!taken) {
            program[words++] = word;
            continue;
        }
        run->argv[run->argc++] = word;
        if (taken > 1 && i + 1 < line->argc)
            run->argv[run->argc++] = line->argv[++i];
    }
    for (int i = 0; i < line->program_argc; i++)
        program[words++] = line->program[i];
}

static int run_app(const struct command_line *line, char *path)
{
    size_t most = (size_t)line->argc + (size_t)line->program_argc + 4;
    char verb[] = "run", **options = mnp_allocate(most, sizeof *options),
         **program = mnp_allocate(most, sizeof *program);
    struct command_line run = {.argv = options, .argc = 1, .program = program, .plugins = line->plugins};
    options[0] = line->argv[0];
    program[0] = path;
    program[1] = verb;
    program[2] = line->argv[2];
    deal(line, &run, program + 3);
    while (program[run.program_argc])
        run.program_argc++;
    int status = cli_verb_run(&run);
    free(options);
    free(program);
    return status;
}

static bool asks_for_help(const struct command_line *line)
{
    for (int i = 1; i < line->argc; i++)
        if (strcmp(line->argv[i], "--help") == 0 || strcmp(line->argv[i], "-h") == 0)
            return true;
    return false;
}

int cli_verb_app(const struct command_line *given)
{
    int wrong;
    bool as_json = false;
    struct command_line words_left = *given;
    const struct command_line *line = &words_left;
    if (given->argc > 1 && strcmp(given->argv[1], "list") == 0 && !cli_take_format(&words_left, &as_json, &wrong))
        return wrong;
    const char *action = line->argc > 1 ? line->argv[1] : "";
    bool run = strcmp(action, "run") == 0, show = strcmp(action, "show") == 0, list = strcmp(action, "list") == 0;
    bool helps = asks_for_help(line), named = line->argc > 2 && line->argv[2][0] != '-';
    if (helps && !(run && named)) {
        fputs(help, stdout);
        return cli_finish_output(MNP_EXIT_DONE);
    }
    struct mnp_error error = {0};
    if (!run && !show && !list && *action) {
        static const char *const actions[] = {"list", "show", "run"};
        cli_unknown_word(line->argv[0], "verb", action, actions, 3, &error);
        return cli_report_error(&error);
    }
    if (!*action)
        return wrong_usage(line, "say list, show or run");
    if (!list && line->argc < 3)
        return wrong_usage(line, "name a workload (`maniple app list` names all)");
    if (!run && (line->program || line->argc > (show ? 3 : 2)))
        return wrong_usage(line, "that is too much");
    char *path = cli_run_cuda_find("maniple-apps", &error);
    if (!path)
        return cli_report_error(&error);
    char shown[] = "show", format[] = "json", *second = list ? as_json ? format : NULL : line->argv[2];
    char *words[] = {path, helps ? shown : line->argv[1], second, NULL};
    int status = run && !helps ? run_app(line, path) : become(words);
    free(path);
    return status;
}
