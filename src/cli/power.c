/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `maniple power`: the clock that a power limit leaves. A run is made at the machine's clocks and, where it draws more
 * than the limit, again at lower ones, until it keeps the limit and a step more would not: the steady state of work
 * that goes on for long. Core, network and L2 clocks go down together; the DRAM's stays. All decisions are by whole
 * numbers of milliwatts and steps.
 */
#include "results/compare/power.h"
#include "base/arena.h"
#include "base/print.h"
#include "base/temporary.h"
#include "base/text.h"
#include "cli/texts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT, STEP, LOWEST, OUTPUT }; /* rows of the options */
enum { MOST_RUNS = 16, MOST_WORDS = 256, MEGAHERTZ = 1000000 };

struct search {
    char *const *words; /* words of `maniple run`: options and the input */
    int word_count;
    uint64_t limit;                   /* mW; 0: the machine's */
    uint64_t step, lowest;            /* MHz */
    const char *folder;               /* folder of the last run's results; NULL: a temporary one */
    char *working;                    /* temporary folder */
    struct results_power first, last; /* at the machine's clocks, and of the latest run */
    uint64_t top;                     /* MHz of the core, at the machine's clocks */
    uint32_t runs;
};

/* A clock that goes down as the core's does, in kilohertz so that it is exact. */
static void put_clock(char text[64], const char *key, uint64_t hertz, uint64_t megahertz, uint64_t top)
{
    snprintf(text, 64, "%s=%lluHz", key, (unsigned long long)(hertz / 1000 * megahertz / top * 1000));
}

/* In the child: becomes `maniple run` at a core clock; 0: at the machine's. */
_Noreturn static void become_run(const struct search *search, uint64_t megahertz, const char *folder)
{
    char clocks[3][64];
    const char *words[MOST_WORDS + 16] = {"maniple", "run", "-qq", "--energy", "-o", folder};
    size_t count = 6;
    if (megahertz) {
        put_clock(clocks[0], "clock.core", search->first.core, megahertz, search->top);
        put_clock(clocks[1], "clock.noc", search->first.noc, megahertz, search->top);
        put_clock(clocks[2], "clock.l2", search->first.l2, megahertz, search->top);
        for (int i = 0; i < 3; i++) {
            words[count++] = "--set";
            words[count++] = clocks[i];
        }
    }
    for (int i = 0; i < search->word_count && i < MOST_WORDS; i++)
        words[count++] = search->words[i];
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    _exit(127);
}

static bool run_at(struct search *search, uint64_t megahertz, struct mnp_error *error)
{
    const char *folder = search->folder ? search->folder : search->working;
    if (search->runs++ == MOST_RUNS)
        return mnp_fail(error, "after %d runs no clock was found; give a greater --step", MOST_RUNS);
    fflush(stdout);
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        mnp_temporary_end_with(self);
        become_run(search, megahertz, folder);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return mnp_fail(error, "a run could not be made, or was ended from outside");
    if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != MNP_EXIT_STOPPED)
        return mnp_fail(error, "maniple run ended with exit status %d", WEXITSTATUS(status));
    struct mnp_read_results results;
    if (!results_read(&results, folder, error))
        return false;
    bool done = results_read_power(&results, &search->last, error);
    results_free(&results);
    return done;
}

static void write_row(const struct search *search)
{
    const struct results_power *power = &search->last;
    char clock[MNP_NUMBER_TEXT], time[MNP_NUMBER_TEXT], watts[MNP_NUMBER_TEXT], degrees[MNP_NUMBER_TEXT];
    mnp_print_text(stdout, "  %12s %14s us %10s W", mnp_format_hertz(clock, power->core),
                   mnp_format_ratio_decimals(time, power->picoseconds, 1, 1000000, 3),
                   mnp_format_ratio_decimals(watts, power->milliwatts, 1, 1000, 1));
    if (power->millidegrees)
        mnp_print_text(stdout, " %8s degrees", mnp_format_ratio_decimals(degrees, power->millidegrees, 1, 1000, 1));
    mnp_print_text(stdout, "\n");
}

/* The clock at which a straight line between two points has the limit, in steps and inside both. */
static uint64_t guess(const struct search *search, uint64_t low, uint64_t low_mw, uint64_t high, uint64_t high_mw)
{
    uint64_t at = low;
    if (high_mw > low_mw && search->limit > low_mw)
        at = low + (high - low) * (search->limit - low_mw) / (high_mw - low_mw);
    at -= at % search->step;
    at = at <= low ? low + search->step - low % search->step : at;
    return at < high ? at : low + (high - low) / 2;
}

/* Looks for the highest clock that keeps the limit. `low` keeps it, or is not known to be too high; `high` does not. */
static bool find(struct search *search, struct mnp_error *error)
{
    uint64_t high = search->top, high_mw = search->first.milliwatts, low = 0, low_mw = search->first.static_mw, at = 0;
    while (high - low > search->step) {
        at = guess(search, low, low_mw, high, high_mw);
        if (!low && at < search->lowest) /* the lowest clock decides whether there is any */
            at = search->lowest;
        if (!run_at(search, at, error))
            return false;
        write_row(search);
        if (search->last.milliwatts <= search->limit) {
            low = at;
            low_mw = search->last.milliwatts;
        } else if (at <= search->lowest) {
            return mnp_fail(error, "%llu MHz draw %llu.%03llu W, more than the limit; state a lower --lowest",
                            (unsigned long long)at, (unsigned long long)search->last.milliwatts / 1000,
                            (unsigned long long)search->last.milliwatts % 1000);
        } else {
            high = at;
            high_mw = search->last.milliwatts;
        }
    }
    return at == low || run_at(search, low, error); /* the folder has the results at that clock */
}

static void write_answer(const struct search *search)
{
    char clock[MNP_NUMBER_TEXT], watts[MNP_NUMBER_TEXT], times[MNP_NUMBER_TEXT], top[MNP_NUMBER_TEXT];
    mnp_format_ratio_decimals(watts, search->limit, 1, 1000, 0);
    if (search->last.core == search->first.core)
        mnp_print_text(stdout, "The limit of %s W is kept at %s\n", watts, mnp_format_hertz(clock, search->first.core));
    else
        mnp_print_text(stdout, "The limit of %s W leaves %s: %s times the time at %s\n", watts,
                       mnp_format_hertz(clock, search->last.core),
                       mnp_format_ratio_decimals(times, search->last.picoseconds, 1, search->first.picoseconds, 3),
                       mnp_format_hertz(top, search->first.core));
}

static bool govern(struct search *search, struct mnp_error *error)
{
    char basis[400];
    if (!run_at(search, 0, error))
        return false;
    search->first = search->last;
    search->top = search->first.core / MEGAHERTZ;
    search->limit = search->limit ? search->limit : search->first.limit;
    if (!search->limit)
        return mnp_fail(error, "the machine states no power.limit; give --limit WATTS");
    mnp_print_text(stdout, "Energies: %s\n", mnp_escape(basis, sizeof basis, search->first.basis));
    write_row(search);
    if (search->first.milliwatts > search->limit) {
        if (search->first.static_mw >= search->limit)
            return mnp_fail(error, "static power alone is above the limit; give a greater --limit");
        if (!find(search, error))
            return false;
    }
    write_answer(search);
    return true;
}

static uint64_t number_of(struct cli_texts *options, int row, const char *name, uint64_t most, uint64_t fallback)
{
    uint64_t value = fallback;
    if (options->text[row] && (mnp_parse_number(options->text[row], &value) || value < 1 || value > most))
        mnp_fail(&options->error, "--%s %.100s: state a whole number from 1 to %llu", name, options->text[row],
                 (unsigned long long)most);
    return value;
}

int cli_verb_power(const struct command_line *line)
{
    static const struct argp_option known[] = {
        [LIMIT] = {"limit", 'l', "WATTS", 0, "the board's power; default: power.limit of the machine", 0},
        [STEP] = {"step", 's', "MHZ", 0, "of the core clock; default 15", 0},
        [LOWEST] = {"lowest", 'm', "MHZ", 0, "core clock to try; default 210", 0},
        [OUTPUT] = {"output", 'o', "DIR", 0, "keep the results at the clock that was found", 0},
        {0},
    };
    static const struct argp argp = {
        .options = known,
        .args_doc = "-- OPTIONS-OF-RUN... INPUT",
        .doc =
            "Finds the clock that a power limit leaves to work that goes on for long: makes the run with --energy at "
            "the machine's clocks and, as long as its kernels draw more than the limit in the mean, at lower ones. "
            "Core, network and L2 clocks go down together. Words behind -- are those of `maniple run`.\v"
            "Exit status: 0 a clock was found; 2 an error, or no clock keeps the limit.",
    };
    struct cli_texts options;
    cli_texts_read(&options, &argp, &(struct command_line){.argc = line->argc, .argv = line->argv});
    struct search search = {.words = line->program,
                            .word_count = line->program_argc,
                            .limit = 1000 * number_of(&options, LIMIT, "limit", 100000, 0),
                            .step = number_of(&options, STEP, "step", 1000, 15),
                            .lowest = number_of(&options, LOWEST, "lowest", 10000, 210),
                            .folder = options.text[OUTPUT]};
    if (options.words.count || !line->program_argc || line->program_argc > MOST_WORDS)
        mnp_fail(&options.error, "maniple power takes the words of `maniple run` behind -- (`maniple power --help`)");
    bool done = !options.error.text[0] && (search.working = mnp_temporary_folder("power", &options.error)) &&
                govern(&search, &options.error);
    mnp_temporary_remove(search.working);
    mnp_array_release(&options.words);
    return done ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&options.error);
}
