/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple convert`: packs a trace into one .mtrace file. */
#include "base/print.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "frontend/mtrace/mtrace.h"
#include "results/write/watch.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

struct convert {
    const char *input, *output;
    bool quiet;
    struct mnp_error error;
};

static const struct argp_option options[] = {
    {.name = "output", .key = 'o', .arg = "FILE", .doc = "The packed trace; it appears when all of it is written."},
    {.name = "quiet", .key = 'q', .doc = "Nothing but errors on standard error."},
    {0},
};

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct convert *convert = state->input;
    switch (key) {
    case 'o':
        if (convert->output)
            mnp_fail(&convert->error, "-o is given twice; one file is written");
        convert->output = text;
        return 0;
    case 'q':
        convert->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (convert->input)
            mnp_fail(&convert->error, "there are two inputs, %.200s and %.200s; give one", convert->input, text);
        convert->input = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void report(const struct convert *convert, const struct mnp_source *source,
                   const struct mnp_mtrace_written *written)
{
    char bytes[MNP_NUMBER_TEXT], instructions[MNP_NUMBER_TEXT], each[MNP_NUMBER_TEXT], part[MNP_NUMBER_TEXT];
    if (convert->quiet)
        return;
    mnp_print_text(
        stderr, "maniple: %s: %s warp instructions of %" PRIu64 " kernel%s in %s bytes: %s each, 1/%s of the input\n",
        convert->output, mnp_format_grouped(instructions, written->warp_instructions), written->kernels,
        written->kernels == 1 ? "" : "s", mnp_format_grouped(bytes, written->bytes),
        mnp_format_ratio_decimals(each, written->bytes, 1, written->warp_instructions, 2),
        mnp_format_ratio_decimals(part, source->input_bytes, 1, written->bytes, 1));
    if (source->unknown_opcodes)
        fprintf(stderr, "maniple: %" PRIu64 " of them have opcodes that are not known; they are kept as they are\n",
                source->unknown_opcodes);
}

static bool is_interrupted(void *context)
{
    const struct watch *watch = context;
    return watch->interrupted;
}

/* A slip must not cost the text of a trace, or anything else: only what is a packed trace is replaced. What is no file,
 * such as a pipe, is written to. */
static bool may_replace(const char *path, struct mnp_error *error)
{
    unsigned char bytes[512];
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0)
        return true;
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file)
        fclose(file);
    return mtrace_recognise(bytes, length) ||
           mnp_fail_at(error, path, 0, "is there already, and is no packed trace; choose another name for it");
}

/* Unknown opcodes are no error here: the file outlives this version's table of them. */
static int convert_input(struct convert *convert)
{
    struct input_options input = {.unknown_as_alu = true, .keep_addresses = true};
    struct mnp_source *source = NULL;
    if (may_replace(convert->output, &convert->error))
        source = cli_input_open(convert->input, &input, &convert->error);
    if (!source)
        return cli_report_error(&convert->error);
    struct mnp_mtrace_written written;
    struct watch watch = {0};
    results_watch_start(&watch, true, 0, &convert->error);
    results_watch_take_write_errors(true);
    bool good = mtrace_write(source, convert->output, is_interrupted, &watch, &written, &convert->error);
    results_watch_end(&watch);
    if (good)
        report(convert, source, &written);
    source->close(source);
    if (good)
        return MNP_EXIT_DONE;
    int status = cli_report_error(&convert->error);
    return watch.interrupted ? MNP_EXIT_INTERRUPTED : status;
}

int cli_verb_convert(const struct command_line *line)
{
    static const struct argp argp = {
        .options = options,
        .parser = read_option,
        .args_doc = "INPUT -o FILE.mtrace",
        .doc =
            "Packs a trace, given by its kernelslist.g, into one file that every verb takes in its place. Statistics "
            "and hashes of a run are the same for both. A packed trace may be packed again, which brings it to "
            "the newest version of the format.",
    };
    struct convert convert = {0};
    cli_parse(&argp, line->argc, line->argv, &convert);
    if (line->program)
        mnp_fail(&convert.error, "%s takes nothing after --", line->argv[0]);
    if (!convert.input)
        mnp_fail(&convert.error, "there is no input; give the kernelslist.g of a trace (`maniple convert --help`)");
    if (!convert.output)
        mnp_fail(&convert.error, "state the file to write: -o FILE.mtrace");
    if (convert.error.text[0])
        return cli_report_error(&convert.error);
    return convert_input(&convert);
}
