/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple compare`: two results side by side. */
#include "results/compare.h"
#include "cli/verbs.h"

#include <argp.h>

struct compare_options {
    const char *path[2];
    int paths;
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
    case ARGP_KEY_ARG:
        if (options->paths < 2)
            options->path[options->paths] = text;
        options->paths++;
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
        {0},
    };
    static const struct argp argp = {
        .options = table,
        .parser = read_option,
        .args_doc = "A B",
        .doc = "Compares the results of two runs: A and B are folders that `maniple run -o` wrote, or files of that "
               "format. Shows how much faster B was, and how far every statistic of B deviates from A's.\v"
               "Runs of one machine and the same launches must agree in everything but their own description, unless "
               "one was relaxed or ended early. Exit status: 0 they agree, or need not; 1 they differ and should not; "
               "2 an error in the input or the options.",
    };
    *options = (struct compare_options){.paths = 0};
    argp_parse(&argp, line->argc, line->argv, 0, NULL, options);
    if (line->program)
        mnp_fail(&options->error, "maniple compare takes nothing after --");
    if (options->paths != 2)
        mnp_fail(&options->error, "maniple compare takes two results, not %d (`maniple compare --help`)",
                 options->paths);
}

static int judge(const struct mnp_comparison *comparison)
{
    if (comparison->equal)
        return finish_output(MNP_EXIT_DONE);
    if (comparison->different_by[0]) {
        printf("That is no fault: %s\n", comparison->different_by);
        return finish_output(MNP_EXIT_DONE);
    }
    printf("They should be equal: the machine and the launches are the same, and neither run was relaxed\n");
    return finish_output(MNP_EXIT_DIFFERENT);
}

int verb_compare(const struct command_line *line)
{
    struct compare_options options;
    read_options(&options, line);
    struct mnp_read_results a = {0}, b = {0};
    int status;
    if (!options.error.text[0] && mnp_results_read(&a, options.path[0], &options.error) &&
        mnp_results_read(&b, options.path[1], &options.error)) {
        struct mnp_comparison comparison;
        mnp_compare(&a, &b, options.all, stdout, &comparison);
        status = judge(&comparison);
    } else {
        status = report_error(&options.error);
    }
    mnp_results_free(&a);
    mnp_results_free(&b);
    return status;
}
