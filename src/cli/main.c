/* SPDX-License-Identifier: BSD-3-Clause */
/* The `maniple` command: finds the verb and hands it its part of the command line. */
#include "base/arena.h"
#include "base/print.h"
#include "cli/input.h"
#include "cli/kinds.h"
#include "cli/provenance.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "plugin/plugin.h"

#include <argp.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct verb {
    const char *name;
    int (*act)(const struct command_line *line);
    const char *arguments, *help;
};

static const struct verb verbs[] = {
#define CLI_VERB(FUNCTION, NAME, ARGUMENTS, HELP) {NAME, FUNCTION, ARGUMENTS, HELP},
#include "cli/verb_list.h"
#undef CLI_VERB
};

enum { VERBS = sizeof verbs / sizeof *verbs };

static void print_help(FILE *out)
{
    fputs("Usage: maniple VERB [ARGUMENTS]\n"
          "Simulate GPUs cycle by cycle on every core of the host, with the same statistics on any number of threads.\n"
          "\n",
          out);
    for (int i = 0; i < VERBS; i++)
        mnp_print_text(out, "  %-11s %-20s %s\n", verbs[i].name, verbs[i].arguments, verbs[i].help);
    fputs("\n"
          "  --help, --version\n"
          "  --plugin FILE.so     before or behind a verb: load parts of machines, and kinds (docs/plugins.md)\n"
          "\n"
          "A first run:  maniple app run vecadd --machine rtx3070\n"
          "`maniple VERB --help` tells more about a verb.\n",
          out);
}

static int unknown_verb(const char *name)
{
    const char *names[VERBS];
    struct mnp_error error = {0};
    const char *ending = strrchr(name, '.');
    if (access(name, F_OK) == 0) { /* the user wants to run this file */
        bool program = access(name, X_OK) == 0 || cli_input_is_program(name);
        bool source = ending && strcmp(ending, ".cu") == 0;
        mnp_fail(&error,
                 "maniple has no verb %.300s, but there is a file of that name; to simulate it: maniple run %s%s%.300s",
                 name, program && !source ? "-- " : "", program && !source && !strchr(name, '/') ? "./" : "", name);
        return cli_report_error(&error);
    }
    if (strchr(name, '/')) {
        mnp_fail(
            &error,
            "maniple has no verb %.300s, and there is no such file; to simulate a program: maniple run -- PROGRAM, a "
            "trace: maniple run FOLDER/kernelslist.g",
            name);
        return cli_report_error(&error);
    }
    for (int i = 0; i < VERBS; i++)
        names[i] = verbs[i].name;
    cli_unknown_word("maniple", name[0] == '-' ? "option" : "verb", name, names, VERBS, &error);
    return cli_report_error(&error);
}

/* Splits the words behind the verb at `--` and calls it. */
static int call(const struct verb *verb, const struct plugin_set *plugins, int argc, char **argv)
{
    char title[64];
    snprintf(title, sizeof title, "maniple %s", verb->name);
    char **words = mnp_allocate((size_t)argc + 1, sizeof *words);
    struct command_line line = {.argv = words, .argc = 1, .plugins = plugins};
    words[0] = title;
    for (int i = 1; i < argc && !line.program; i++) {
        if (strcmp(argv[i], "--") == 0) {
            line.program = argv + i + 1;
            line.program_argc = argc - i - 1;
        } else {
            words[line.argc++] = argv[i];
        }
    }
    int status = verb->act(&line);
    free(words);
    return status;
}

/* ===== plug-ins: those that the environment names, then those of --plugin, which any verb may have ===== */

/* The file of --plugin at a word of the command line, which takes `*taken` words; NULL: there is none. */
static const char *plugin_at(int argc, char **argv, int word, int *taken)
{
    static const char option[] = "--plugin";
    size_t length = sizeof option - 1;
    if (strncmp(argv[word], option, length) != 0 || (argv[word][length] && argv[word][length] != '='))
        return NULL;
    *taken = argv[word][length] ? 1 : 2;
    if (argv[word][length])
        return argv[word] + length + 1;
    return word + 1 < argc ? argv[word + 1] : "";
}

/* Loads plug-ins and takes their words out of the command line. What the verb starts finds all in the environment. */
static bool load_plugins(struct plugin_set *plugins, int *argc, char **argv, struct mnp_error *error)
{
    int kept = 0, word = 0, taken;
    bool good = plugin_set_load_list(plugins, getenv(PLUGIN_VARIABLE), error);
    for (; good && word < *argc && strcmp(argv[word], "--") != 0; word += taken) {
        const char *file = plugin_at(*argc, argv, word, &taken);
        if (file) {
            good = plugin_set_load(plugins, file, error);
            continue;
        }
        taken = 1;
        argv[kept++] = argv[word];
    }
    while (word < *argc)
        argv[kept++] = argv[word++];
    argv[kept] = NULL; /* a program's words end there */
    *argc = kept;
    char *list = plugin_set_list(plugins);
    if (plugins->count)
        setenv(PLUGIN_VARIABLE, list, 1);
    free(list);
    return good;
}

static const struct verb *find_verb(const char *name)
{
    for (int i = 0; i < VERBS; i++)
        if (strcmp(name, verbs[i].name) == 0)
            return &verbs[i];
    return NULL;
}

static int act(const char *name, const struct plugin_set *plugins, int argc, char **argv)
{
    const struct verb *verb = find_verb(name);
    return verb ? call(verb, plugins, argc, argv) : unknown_verb(name);
}

static int act_with_plugins(int argc, char **argv)
{
    struct plugin_set plugins;
    struct mnp_error error = {0};
    plugin_set_init(&plugins, cli_kinds);
    bool loaded = load_plugins(&plugins, &argc, argv, &error);
    if (loaded)
        cli_provenance_leave(argc, argv, &plugins);
    int status = !loaded    ? cli_report_error(&error)
                 : argc < 2 ? (print_help(stderr), MNP_EXIT_USER)
                            : act(argv[1], &plugins, argc - 1, argv + 1);
    plugin_set_release(&plugins);
    return status;
}

/* Standard streams that are closed: what is opened next must not take their place. Reading from and writing to these
 * remain errors. */
static void occupy_standard_streams(void)
{
    for (int descriptor = open("/dev/null", O_RDONLY); descriptor >= 0; descriptor = open("/dev/null", O_RDONLY)) {
        if (descriptor > STDERR_FILENO) {
            close(descriptor);
            return;
        }
    }
}

static void go_on(int signal)
{
    (void)signal;
}

/* A file that grows beyond its limit (ulimit -f) is an error of its writer, as a full disk is, and no end of this
 * process. A handler, unlike SIG_IGN, is not inherited by programs that a verb starts. */
static void take_file_limits_for_errors(void)
{
    struct sigaction before, ours = {.sa_handler = go_on, .sa_flags = SA_RESTART};
    if (sigaction(SIGXFSZ, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &ours, NULL);
}

int main(int argc, char **argv)
{
    occupy_standard_streams();
    take_file_limits_for_errors();
    argp_err_exit_status = MNP_EXIT_USER; /* argp's own messages end with the user's error too */
    if (argc < 2) {
        print_help(stderr);
        return MNP_EXIT_USER;
    }
    if (strcmp(argv[1], "help") == 0 && argc > 2) {
        char option[] = "--help", *words[] = {argv[0], argv[2], option, NULL};
        return act_with_plugins(3, words);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return cli_finish_output(MNP_EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        cli_provenance_print();
        return cli_finish_output(MNP_EXIT_DONE);
    }
    return act_with_plugins(argc, argv);
}
