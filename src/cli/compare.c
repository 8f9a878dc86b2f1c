/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple compare`: two results side by side, or those of two option sets that are run now, in turns. */
#include "results/compare/compare.h"
#include "base/print.h"

#include "base/text.h"
#include "cli/repeat.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "results/compare/first_difference.h"
#include "results/database/database.h"

#include <argp.h>
#include <stdlib.h>

enum { MOST_REPETITIONS = 10000 };

struct compare_options {
    const char *word[2]; /* two results; or the input alone */
    int words;
    const char *set[2]; /* options to run now; NULL: A and B are results */
    uint64_t repeat;
    bool all;
    struct mnp_error error;
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct compare_options *options = state->input;
    switch (key) {
    case 'a':
        options->all = true;
        break;
    case 'A':
    case 'B':
        options->set[key - 'A'] = text;
        break;
    case 'r':
        if (mnp_parse_number(text, &options->repeat) || options->repeat < 1 || options->repeat > MOST_REPETITIONS)
            mnp_fail(&options->error, "--repeat %.100s: state a whole number from 1 to %d", text, MOST_REPETITIONS);
        break;
    case ARGP_KEY_ARG:
        if (options->words < 2)
            options->word[options->words] = text;
        options->words++;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_options(struct compare_options *options, const struct command_line *line)
{
    static const struct argp_option table[] = {
        {"all", 'a', NULL, 0, "show the statistics that are equal too", 0},
        {NULL, 'A', "OPTIONS", 0, "instead of results: options of `maniple run`, as one word, to run now on INPUT", 0},
        {NULL, 'B', "OPTIONS", 0, "the same for B", 0},
        {"repeat", 'r', "N", 0, "run -A and -B N times, in turns; default 1", 0},
        {0},
    };
    static const struct argp argp = {
        .options = table,
        .parser = read_option,
        .args_doc = "A B\n-A \"OPTIONS\" -B \"OPTIONS\" INPUT",
        .doc = "Compares the results of two runs: A and B are folders that `maniple run -o` wrote, or files of that "
               "format. Shows how much faster B was, and how far every statistic of B deviates from A's; of runs of "
               "several GPUs, for each GPU.\v"
               "Runs of one machine and the same launches must agree in everything but their own description, unless "
               "one was relaxed or ended early. Exit status: 0 they agree, or need not; 1 they differ and should not; "
               "2 an error in the input or the options.",
    };
    *options = (struct compare_options){.words = 0};
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->error, "maniple compare takes nothing after --");
    bool now = options->set[0] || options->set[1];
    if (now && (!options->set[0] || !options->set[1] || options->words != 1))
        mnp_fail(&options->error, "maniple compare -A OPTIONS -B OPTIONS takes both, and one input");
    if (options->repeat && !now)
        mnp_fail(&options->error, "--repeat: state with -A and -B which options of `maniple run` to repeat");
    if (!now && options->words != 2)
        mnp_fail(&options->error, "maniple compare takes two results, not %d (`maniple compare --help`)",
                 options->words);
}

static int judge(const struct mnp_comparison *comparison)
{
    if (comparison->equal)
        return cli_finish_output(MNP_EXIT_DONE);
    if (comparison->different_by[0]) {
        mnp_print_text(stdout, "That is no fault: %s\n", comparison->different_by);
        return cli_finish_output(MNP_EXIT_DONE);
    }
    printf("They should be equal: the machine and the launches are the same, and neither run was relaxed\n");
    return cli_finish_output(MNP_EXIT_DIFFERENT);
}

/* Compares two results, and returns the exit status; `*differ`: in more than the description of the run. */
static int compare(const char *first, const char *second, bool all, bool *differ, struct mnp_error *error)
{
    struct mnp_read_results a = {0}, b = {0};
    int status = MNP_EXIT_USER;
    if (results_read(&a, first, error) && results_read(&b, second, error) && results_of_one_work(&a, &b, error)) {
        struct mnp_comparison comparison;
        results_compare(&a, &b, all, stdout, &comparison);
        status = judge(&comparison);
        *differ = !comparison.equal;
    }
    results_free(&a);
    results_free(&b);
    return status;
}

/* The same, and where they part, if both runs have written that down. */
static int compare_folders(const char *first, const char *second, bool all, struct mnp_error *error)
{
    bool differ = false;
    int status = compare(first, second, all, &differ, error);
    if (differ && !results_compare_epochs(first, second, stdout))
        puts("Where they part is told when both were made with --hash -o");
    return status;
}

static void free_folders(char **folders, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free(folders[i]);
    free(folders);
}

/* Compares two runs, of several GPUs each GPU with the same of the other run. The status is that of the worst pair. */
static int compare_runs(const char *first, const char *second, bool all, struct mnp_error *error)
{
    uint32_t count, other;
    char **a = results_device_folders(first, &count), **b = results_device_folders(second, &other);
    int worst = MNP_EXIT_DONE;
    if (!count && !other) {
        worst = compare_folders(first, second, all, error);
    } else if (count != other) {
        mnp_fail(error,
                 "%.300s has results of %u GPUs and %.300s of %u; compare runs of as many GPUs, or folders of one GPU, "
                 "such as %.300s",
                 first, count ? count : 1, second, other ? other : 1, count ? a[0] : b[0]);
        worst = MNP_EXIT_USER;
    }
    for (uint32_t i = 0; i < count && count == other && !error->text[0]; i++) {
        mnp_print_text(stdout, i ? "\nGPU %u\n" : "GPU %u\n", i);
        int status = compare_folders(a[i], b[i], all, error);
        worst = status > worst ? status : worst;
    }
    free_folders(a, count);
    free_folders(b, other);
    return worst;
}

/* Reports the first epoch and unit where two runs diverge: makes both again, with hashes of their states. */
static bool locate(struct repeat *repeat, struct mnp_error *error)
{
    repeat->hashes = true;
    for (int which = 0; which < 2; which++)
        if (!cli_repeat_run_once(repeat, which, 0, error))
            return false;
    results_compare_epochs(repeat->folder[0], repeat->folder[1], stdout);
    return true;
}

int cli_verb_compare(const struct command_line *line)
{
    struct compare_options options;
    read_options(&options, line);
    struct repeat repeat = {.options = {options.set[0], options.set[1]},
                            .input = options.word[0],
                            .count = options.repeat ? options.repeat : 1};
    int status = MNP_EXIT_USER;
    bool differ = false;
    if (!options.error.text[0] && !options.set[0]) {
        status = compare_runs(options.word[0], options.word[1], options.all, &options.error);
    } else if (!options.error.text[0] && cli_repeat_run(&repeat, &options.error)) {
        cli_repeat_write(&repeat, stdout);
        status = compare(repeat.folder[0], repeat.folder[1], options.all, &differ, &options.error);
        if (differ && !locate(&repeat, &options.error))
            status = MNP_EXIT_USER;
    }
    cli_repeat_release(&repeat);
    return options.error.text[0] ? cli_report_error(&options.error) : status;
}
