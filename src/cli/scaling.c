/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple scaling`: what a recorded run would take on more threads or processes, beside what others have taken. */
#include "results/scaling.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "engine/executors/processors.h"
#include "engine/executors/team.h"
#include "results/compare.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_SHAPES = 16, MOST_RUNS = 32, ROUNDS = 4000, EXCHANGE_NS = 5000 };

struct scaling_options {
    const char *folder;          /* of the record */
    const char *runs[MOST_RUNS]; /* folders of runs to set beside it */
    uint32_t run_count;
    uint32_t threads[MOST_SHAPES], thread_count;
    uint32_t processes[MOST_SHAPES], process_count;
    uint64_t pair, further, exchange; /* nanoseconds; 0: measured here, or the usual */
    const char *picture;
    struct mnp_error error;
};

/* ===== options ===== */

static void read_list(struct scaling_options *options, const char *name, const char *text, uint32_t *list,
                      uint32_t *count)
{
    char *copy = strdup(text), *rest = copy;
    *count = 0;
    for (char *word; copy && (word = strsep(&rest, ","));) {
        uint64_t value;
        if (mnp_parse_number(word, &value) || value < 1 || value > MNP_SCALING_MOST || *count == MOST_SHAPES) {
            mnp_fail(&options->error, "--%s %.100s: state up to %d whole numbers from 1 to %d with commas between them",
                     name, text, MOST_SHAPES, MNP_SCALING_MOST);
            break;
        }
        list[(*count)++] = (uint32_t)value;
    }
    free(copy);
}

static void read_nanoseconds(struct scaling_options *options, const char *name, const char *text, uint64_t *value)
{
    if (mnp_parse_number(text, value) || *value < 1 || *value > UINT64_C(1000000000))
        mnp_fail(&options->error, "--%s %.100s: state nanoseconds, from 1 to 1000000000", name, text);
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct scaling_options *options = state->input;
    switch (key) {
    case 't':
        read_list(options, "threads", text, options->threads, &options->thread_count);
        break;
    case 'p':
        read_list(options, "processes", text, options->processes, &options->process_count);
        break;
    case 'b':
        read_nanoseconds(options, "barrier", text, &options->pair);
        break;
    case 'x':
        read_nanoseconds(options, "exchange", text, &options->exchange);
        break;
    case 'o':
        options->picture = text;
        break;
    case ARGP_KEY_ARG:
        if (!options->folder)
            options->folder = text;
        else if (options->run_count < MOST_RUNS)
            options->runs[options->run_count++] = text;
        else
            mnp_fail(&options->error, "there are more than %d runs to set beside the record", MOST_RUNS);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_options(struct scaling_options *options, const struct command_line *line)
{
    static const struct argp_option table[] = {
        {"threads", 't', "LIST", 0, "numbers of threads; default 1,2,4,8,16,32,64", 0},
        {"processes", 'p', "LIST", 0, "numbers of processes (executor mpi), each with the threads of the list", 0},
        {"barrier", 'b', "NS", 0, "what two threads take to meet; default: measured now on this host", 0},
        {"exchange", 'x', "NS", 0, "what two processes take to exchange packets; default 5000", 0},
        {NULL, 'o', "FILE.svg", 0, "also draw the speed-up over threads", 0},
        {0},
    };
    static const struct argp argp = {
        .options = table,
        .parser = read_option,
        .args_doc = "DIR [RUN…]",
        .doc = "Computes what a run would take on more threads or processes. DIR has the record of what each unit took "
               "in each window, made with `maniple run --costs --threads 1 -o DIR`; with --window 1, it is one for the "
               "executors that meet in every cycle. RUNs are folders of other runs of the same input, whose wall times "
               "are set beside the prediction.\v"
               "Predictions leave out that threads share caches and memory bandwidth.",
    };
    *options = (struct scaling_options){0};
    read_list(options, "threads", "1,2,4,8,16,32,64", options->threads, &options->thread_count);
    argp_parse(&argp, line->argc, line->argv, 0, NULL, options);
    if (line->program)
        mnp_fail(&options->error, "maniple scaling takes nothing after --");
    if (!options->folder)
        mnp_fail(&options->error, "state the folder of a record (`maniple scaling --help`)");
}

/* ===== what meeting costs here ===== */

static void nothing(void *context, uint32_t worker, uint32_t workers)
{
    (void)context;
    (void)worker;
    (void)workers;
}

/* Nanoseconds of a job for so many workers: the median of short series, as others may take the processors. */
static double measure_meeting(uint32_t workers)
{
    enum { SERIES = 15 };
    double best = 1e9;
    struct mnp_team *team = mnp_team_start(workers, true);
    for (int series = 0; series < SERIES; series++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int i = 0; i < ROUNDS / SERIES; i++)
            mnp_team_run(team, workers, nothing, NULL);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double ns = ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
                    (ROUNDS / SERIES); /* NOLINT: whole rounds */
        best = ns < best ? ns : best;
    }
    mnp_team_stop(team);
    return best;
}

static struct mnp_meeting find_meeting(const struct scaling_options *options)
{
    uint32_t processors = mnp_usable_processors();
    struct mnp_meeting meeting = {.pair = (double)options->pair,
                                  .exchange = options->exchange ? (double)options->exchange : EXCHANGE_NS};
    if (!options->pair)
        meeting.pair = measure_meeting(2);
    meeting.further = meeting.pair / 2;
    if (!options->pair && processors > 2)
        meeting.further = (measure_meeting(processors) - meeting.pair) / (processors - 2);
    return meeting;
}

/* ===== the table ===== */

static uint32_t list_configurations(const struct scaling_options *options, bool every_cycle,
                                    struct mnp_scaling *scalings)
{
    static const enum mnp_hand_out in_windows[] = {MNP_HAND_OUT_COST, MNP_HAND_OUT_STATIC, MNP_HAND_OUT_DYNAMIC};
    static const enum mnp_hand_out in_cycles[] = {MNP_HAND_OUT_COST, MNP_HAND_OUT_CHUNKS, MNP_HAND_OUT_DOMAINS};
    uint32_t count = 0;
    for (uint32_t h = 0; h < 3; h++)
        for (uint32_t t = 0; t < options->thread_count; t++)
            scalings[count++] = (struct mnp_scaling){
                .threads = options->threads[t], .processes = 1, .hand_out = (every_cycle ? in_cycles : in_windows)[h]};
    for (uint32_t p = 0; p < options->process_count; p++)
        for (uint32_t t = 0; t < options->thread_count; t++)
            scalings[count++] = (struct mnp_scaling){
                .threads = options->threads[t], .processes = options->processes[p], .hand_out = MNP_HAND_OUT_COST};
    return count;
}

/* The wall time of the fastest of the runs with so many threads; 0: none. */
static double measured_with(const struct mnp_measured *measured, uint32_t count, uint32_t threads)
{
    double best = 0;
    for (uint32_t i = 0; i < count; i++)
        if (measured[i].threads == threads && (best == 0 || measured[i].seconds < best))
            best = measured[i].seconds;
    return best;
}

static void write_table(const struct mnp_scaling *scalings, uint32_t count, const struct mnp_measured *measured,
                        uint32_t measured_count, double one)
{
    printf("%-9s %9s %7s %9s %8s %9s %9s %9s %9s\n", "hand-out", "processes", "threads", "seconds", "speed-up",
           "work", "largest", "meetings", "measured");
    for (uint32_t i = 0; i < count; i++) {
        const struct mnp_scaling *s = &scalings[i];
        double seen = s->processes == 1 && s->hand_out == MNP_HAND_OUT_COST
                          ? measured_with(measured, measured_count, s->threads)
                          : 0;
        printf("%-9s %9u %7u %9.3f %8.2f %9.3f %9.3f %9.3f", mnp_hand_out_names[s->hand_out], s->processes, s->threads,
               s->seconds, one / s->seconds, s->work, s->largest, s->meetings);
        if (seen > 0)
            printf(" %9.3f", seen);
        putchar('\n');
    }
}

static bool read_runs(const struct scaling_options *options, struct mnp_measured *measured, struct mnp_error *error)
{
    for (uint32_t i = 0; i < options->run_count; i++) {
        struct mnp_read_results results;
        if (!mnp_results_read(&results, options->runs[i], error))
            return false;
        measured[i] = (struct mnp_measured){(uint32_t)mnp_results_run_number(&results, "threads"),
                                            mnp_results_run_number(&results, "wall_seconds")};
        mnp_results_free(&results);
        if (measured[i].threads == 0 || measured[i].seconds <= 0)
            return mnp_fail(error, "%s: says nothing of threads and wall time", options->runs[i]);
    }
    return true;
}

static bool draw(const struct scaling_options *options, const struct mnp_scaling *scalings, uint32_t count,
                 const struct mnp_measured *measured, double one, struct mnp_error *error)
{
    struct mnp_output output;
    if (!mnp_output_open(&output, options->picture, error))
        return false;
    mnp_scaling_draw(scalings, count, measured, options->run_count, one, output.stream);
    bool done = mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    return done;
}

static bool predict(const struct scaling_options *options, struct mnp_costs_reader *reader, struct mnp_error *error)
{
    struct mnp_scaling scalings[3 * MOST_SHAPES + MOST_SHAPES * MOST_SHAPES + 1] = {{0}};
    struct mnp_measured measured[MOST_RUNS] = {{0}};
    if (!mnp_costs_open(reader, options->folder, error) || !read_runs(options, measured, error))
        return false;
    struct mnp_meeting meeting = find_meeting(options);
    uint32_t count = list_configurations(options, reader->head.every_cycle, scalings);
    scalings[count] = (struct mnp_scaling){.threads = 1, .processes = 1}; /* the base of all speed-ups */
    if (!mnp_scaling_compute(reader, &meeting, scalings, count + 1, error))
        return false;
    double one = scalings[count].seconds;
    printf("%llu windows of %s, %.1f microseconds of work in each; meeting of two threads %.0f ns, each more %.0f ns; "
           "exchange of two processes %.0f ns\n",
           (unsigned long long)reader->head.windows, reader->head.every_cycle ? "one cycle" : "safe length",
           reader->head.windows ? scalings[count].work * 1e6 / (double)reader->head.windows : 0.0, meeting.pair,
           meeting.further, meeting.exchange);
    write_table(scalings, count, measured, options->run_count, one);
    return !options->picture || draw(options, scalings, count, measured, one, error);
}

int verb_scaling(const struct command_line *line)
{
    struct scaling_options options;
    struct mnp_costs_reader reader = {0};
    read_options(&options, line);
    bool done = !options.error.text[0] && predict(&options, &reader, &options.error);
    mnp_costs_close(&reader);
    return done ? finish_output(MNP_EXIT_DONE) : report_error(&options.error);
}
