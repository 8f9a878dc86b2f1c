/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple scaling`: what a recorded run would take on more threads or processes, beside what others have taken. */
#include "results/scaling/scaling.h"
#include "base/print.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "engine/executors/executor.h"
#include "engine/executors/meeting.h"
#include "engine/executors/processes.h"
#include "engine/executors/processors.h"
#include "results/compare/compare.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_SHAPES = 16, MOST_RUNS = 32, MOST_SCALINGS = 1024 };

/* Nanoseconds of an exchange where they are neither stated nor measured: usual in one host by MPI. */
static const struct mnp_exchange_cost usual_exchange = {.gather = 2000, .message = 1000, .byte = 0.3};

struct scaling_options {
    const char *folder;          /* folder of the record */
    const char *runs[MOST_RUNS]; /* folders of runs to set beside it */
    uint32_t run_count;
    uint32_t threads[MOST_SHAPES], thread_count;
    uint32_t processes[MOST_SHAPES], process_count;
    uint64_t pair, take, gather, message; /* nanoseconds; 0: measured here, or the usual */
    uint64_t bandwidth;                   /* bytes of packets in a microsecond; 0: likewise */
    const char *picture;
    struct processes processes_here; /* that mpirun or srun has started, to measure exchanges */
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
    case 'k':
        read_nanoseconds(options, "take", text, &options->take);
        break;
    case 'x':
        read_nanoseconds(options, "exchange", text, &options->gather);
        break;
    case 'm':
        read_nanoseconds(options, "message", text, &options->message);
        break;
    case 'w':
        if (mnp_parse_number(text, &options->bandwidth) || options->bandwidth < 1 || options->bandwidth > 1000000)
            mnp_fail(&options->error, "--bandwidth %.100s: state megabytes a second, from 1 to 1000000", text);
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
        {"take", 'k', "NS", 0,
         "what a thread of openmp with --schedule dynamic takes to get its next SM; default: measured", 0},
        {"exchange", 'x', "NS", 0, "what two processes take to agree on a window; default: measured, or 2000", 0},
        {"message", 'm', "NS", 0, "what packets for each other process take; default: measured, or 1000", 0},
        {"bandwidth", 'w', "MB/S", 0, "bytes of packets between processes; default: measured, or 3333", 0},
        {NULL, 'o', "FILE.svg", 0, "also draw the speed-up over threads", 0},
        {0},
    };
    static const struct argp argp = {
        .options = table,
        .parser = read_option,
        .args_doc = "DIR... [RUN...]",
        .doc = "Computes what a run would take on more threads or processes. DIR has the record of what each unit took "
               "in each window, made with `maniple run --costs --threads 1 -o DIR`; with --window 1, it is one for the "
               "executors that meet in every cycle. Of several records, DIRs of the same run made again, the least "
               "counts of what each unit took in each window, so that a host that is busy does little harm. RUNs are "
               "folders of other runs of the same input, whose wall times are set beside the prediction.\v"
               "Predictions leave out that threads share caches and memory bandwidth. What processes take to exchange "
               "packets is measured where mpirun or srun has started several of this command: "
               "mpirun -n 2 maniple scaling DIR.",
    };
    *options = (struct scaling_options){0};
    read_list(options, "threads", "1,2,4,8,16,32,64", options->threads, &options->thread_count);
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->error, "maniple scaling takes nothing after --");
    if (!options->folder)
        mnp_fail(&options->error, "state the folder of a record (`maniple scaling --help`)");
}

/* ===== what meeting costs here ===== */

/* The executor that hands out so; NULL: one of the schedules of `window`, or it is not built. */
static const struct mnp_executor *executor_of(enum mnp_hand_out hand_out)
{
    if (hand_out < MNP_HAND_OUT_LOCKSTEP)
        return NULL;
    if (hand_out == MNP_HAND_OUT_OPENMP_DYNAMIC)
        hand_out = MNP_HAND_OUT_OPENMP;
    return mnp_executor_find(results_hand_out_names[hand_out]);
}

static double measure(enum mnp_hand_out hand_out, uint32_t threads)
{
    const struct mnp_executor *executor = executor_of(hand_out);
    return executor ? mnp_meeting_of_executor(executor, threads) : mnp_meeting_of_team(threads);
}

/* Each thread more is measured with as many as there are processors; where there are two, it is taken for half of what
 * two take. */
static void find_threads(const struct scaling_options *options, bool every_cycle, struct mnp_meeting *meeting)
{
    uint32_t processors = mnp_granted_processors();
    for (int h = 0; h < MNP_HAND_OUT_OPENMP_DYNAMIC; h++) {
        bool team = h < MNP_HAND_OUT_LOCKSTEP, first = h == 0;
        if (options->pair) {
            meeting->pair[h] = (double)options->pair;
        } else if (first || (!team && every_cycle)) {
            meeting->pair[h] = measure(h, 2);
        } else {
            meeting->pair[h] = meeting->pair[0];
        }
        meeting->further[h] = meeting->pair[h] / 2;
        if (!options->pair && processors > 2 && (first || (!team && every_cycle)))
            meeting->further[h] = (measure(h, processors) - meeting->pair[h]) / (processors - 2);
        else if (!options->pair && team)
            meeting->further[h] = meeting->further[0];
        if (meeting->further[h] < 0)
            meeting->further[h] = 0;
    }
}

/* A loop's schedule changes what a thread takes to get a core, not how threads meet behind it. */
static void find_taking(const struct scaling_options *options, bool every_cycle, struct mnp_meeting *meeting)
{
    const struct mnp_executor *openmp = executor_of(MNP_HAND_OUT_OPENMP_DYNAMIC);
    meeting->pair[MNP_HAND_OUT_OPENMP_DYNAMIC] = meeting->pair[MNP_HAND_OUT_OPENMP];
    meeting->further[MNP_HAND_OUT_OPENMP_DYNAMIC] = meeting->further[MNP_HAND_OUT_OPENMP];
    meeting->take = (double)options->take;
    if (openmp && every_cycle && !options->take)
        meeting->take = mnp_meeting_of_taking(openmp, 2);
}

static void find_exchange(const struct scaling_options *options, struct mnp_meeting *meeting)
{
    struct mnp_exchange_cost cost = usual_exchange;
    if (processes_joined(&options->processes_here) && options->processes_here.transport.count > 1)
        cost = mnp_meeting_of_processes(&options->processes_here.transport);
    meeting->gather = options->gather ? (double)options->gather : cost.gather;
    meeting->message = options->message ? (double)options->message : cost.message;
    meeting->byte = options->bandwidth ? 1000 / (double)options->bandwidth : cost.byte;
}

/* ===== the table ===== */

static uint32_t list_configurations(const struct scaling_options *options, bool every_cycle,
                                    struct mnp_scaling *scalings)
{
    uint32_t count = 0;
    for (uint32_t h = 0; h < MNP_HAND_OUT_COUNT; h++) {
        bool listed = h == MNP_HAND_OUT_COST || every_cycle == (h >= MNP_HAND_OUT_LOCKSTEP);
        if (!listed || (h >= MNP_HAND_OUT_LOCKSTEP && !executor_of(h)))
            continue;
        for (uint32_t t = 0; t < options->thread_count; t++)
            scalings[count++] =
                (struct mnp_scaling){.threads = options->threads[t], .processes = 1, .hand_out = (enum mnp_hand_out)h};
    }
    for (uint32_t p = 0; p < options->process_count; p++)
        for (uint32_t t = 0; t < options->thread_count; t++)
            scalings[count++] = (struct mnp_scaling){
                .threads = options->threads[t], .processes = options->processes[p], .hand_out = MNP_HAND_OUT_COST};
    return count;
}

/* The wall time of the fastest of the runs of one shape; 0: none. */
static double measured_as(const struct mnp_measured *measured, uint32_t count, const struct mnp_scaling *scaling)
{
    double best = 0;
    for (uint32_t i = 0; i < count; i++)
        if (measured[i].threads == scaling->threads && measured[i].processes == scaling->processes &&
            measured[i].hand_out == scaling->hand_out && (best == 0 || measured[i].seconds < best))
            best = measured[i].seconds;
    return best;
}

static void write_table(const struct mnp_scaling *scalings, uint32_t count, const struct mnp_measured *measured,
                        uint32_t measured_count, double one)
{
    mnp_print_text(stdout, "%-14s %9s %7s %9s %8s %9s %9s %9s %9s %9s\n", "hand-out", "processes", "threads", "seconds",
                   "speed-up", "work", "largest", "meetings", "exchanges", "measured");
    for (uint32_t i = 0; i < count; i++) {
        const struct mnp_scaling *s = &scalings[i];
        double seen = measured_as(measured, measured_count, s);
        mnp_print_text(stdout, "%-14s %9u %7u %9.3f %8.2f %9.3f %9.3f %9.3f %9.3f", results_hand_out_names[s->hand_out],
                       s->processes, s->threads, s->seconds, one / s->seconds, s->work, s->largest, s->meetings,
                       s->exchange);
        if (seen > 0)
            printf(" %9.3f", seen);
        putchar('\n');
    }
}

/* ===== where processes no longer pay ===== */

/* Numbers of processes that are tried, for one and for the most threads of the list. */
static const uint32_t crowds[] = {2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
enum { CROWDS = sizeof crowds / sizeof *crowds };

static uint32_t most_threads(const struct scaling_options *options)
{
    uint32_t most = 1;
    for (uint32_t t = 0; t < options->thread_count; t++)
        most = options->threads[t] > most ? options->threads[t] : most;
    return most;
}

static uint32_t list_crowds(const struct scaling_options *options, struct mnp_scaling *scalings)
{
    const uint32_t shapes[2] = {1, most_threads(options)};
    uint32_t count = 0;
    for (int shape = 0; shape < (shapes[1] > 1 ? 2 : 1); shape++)
        for (uint32_t i = 0; i < CROWDS; i++)
            scalings[count++] = (struct mnp_scaling){.threads = shapes[shape], .processes = crowds[i]};
    return count;
}

static void write_crowds(const struct mnp_scaling *scalings, uint32_t count)
{
    for (uint32_t from = 0; from < count; from += CROWDS) {
        uint32_t i = 0;
        while (i < CROWDS && scalings[from + i].exchange < 0.2 * scalings[from + i].seconds)
            i++;
        const struct mnp_scaling *s = &scalings[from + (i < CROWDS ? i : CROWDS - 1)];
        mnp_print_text(stdout, "Processes of %u thread%s: exchanges %s 20 %% of the time %s %u, of which %.0f %%\n",
                       s->threads, s->threads == 1 ? "" : "s", i < CROWDS ? "take" : "stay below",
                       i < CROWDS ? "from" : "up to", s->processes, 100 * s->exchange / s->seconds);
    }
}

/* ===== runs to set beside it ===== */

/* How a run handed out its units; false: as none of those that are predicted for this record. */
static bool hand_out_of(const char *executor, const char *schedule, bool one_cycle, bool every_cycle,
                        enum mnp_hand_out *hand_out)
{
    for (int h = MNP_HAND_OUT_LOCKSTEP; h < MNP_HAND_OUT_COUNT; h++)
        if (strcmp(executor, results_hand_out_names[h]) == 0) {
            bool dynamic = h == MNP_HAND_OUT_OPENMP && strcmp(schedule, "dynamic") == 0;
            *hand_out = dynamic ? MNP_HAND_OUT_OPENMP_DYNAMIC : (enum mnp_hand_out)h;
            return every_cycle;
        }
    *hand_out = MNP_HAND_OUT_COST;
    if (strcmp(executor, "window") == 0)
        for (int h = 0; h < MNP_HAND_OUT_LOCKSTEP; h++)
            *hand_out = strcmp(schedule, results_hand_out_names[h]) == 0 ? (enum mnp_hand_out)h : *hand_out;
    return one_cycle == every_cycle;
}

static bool holds_record(const char *folder)
{
    char *path = mnp_join_path(folder, MNP_COSTS_FILE);
    bool holds = access(path, F_OK) == 0;
    free(path);
    return holds;
}

/* Reads the first record, and joins the others: folders that hold one. */
static bool open_records(const struct scaling_options *options, struct mnp_costs_reader *reader,
                         struct mnp_error *error)
{
    bool good = results_costs_open(reader, options->folder, error);
    for (uint32_t i = 0; good && i < options->run_count; i++)
        good = !holds_record(options->runs[i]) || results_costs_join(reader, options->runs[i], error);
    return good;
}

/* Reads the runs that fit the record, and says which do not. */
static bool read_runs(const struct scaling_options *options, bool every_cycle, struct mnp_measured *measured,
                      uint32_t *count, struct mnp_error *error)
{
    *count = 0;
    for (uint32_t i = 0; i < options->run_count; i++) {
        struct mnp_read_results results;
        if (holds_record(options->runs[i])) /* recording takes time of its own */
            continue;
        if (!results_read(&results, options->runs[i], error))
            return false;
        struct mnp_measured *run = &measured[*count];
        *run = (struct mnp_measured){.threads = (uint32_t)results_run_number(&results, "threads"),
                                     .processes = (uint32_t)results_run_number(&results, "processes"),
                                     .seconds = results_run_number(&results, "wall_seconds")};
        bool fits = hand_out_of(results_run_text(&results, "executor"), results_run_text(&results, "schedule"),
                                results_run_number(&results, "window") == 1, every_cycle, &run->hand_out);
        results_free(&results);
        if (run->threads == 0 || run->seconds <= 0)
            return mnp_fail(error, "%s: says nothing of threads and wall time", options->runs[i]);
        if (!fits)
            mnp_print_text(stdout, "%s is left out: its windows are not those of the record (--window)\n",
                           options->runs[i]);
        *count += fits;
    }
    return true;
}

static bool draw(const struct scaling_options *options, const struct mnp_scaling *scalings, uint32_t count,
                 const struct mnp_measured *measured, uint32_t measured_count, double one, struct mnp_error *error)
{
    struct mnp_output output;
    if (!mnp_output_open(&output, options->picture, error))
        return false;
    results_scaling_draw(scalings, count, measured, measured_count, one, output.stream);
    bool done = mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
    mnp_output_discard(&output);
    return done;
}

/* Whether what is measured now can be believed. */
static void write_doubt(void)
{
    if (mnp_processors_are_busy(1))
        printf("This host is busy: meetings that were measured now are too long, and so may records be that were made "
               "now\n");
}

/* The part that more threads do not shorten, and its place. */
static void write_serial(const struct mnp_scaling *one)
{
    printf("Beside the units, on one thread: %.6f s, of which %.6f s up to the end of the first window\n", one->serial,
           one->start);
}

static void write_head(const struct mnp_costs_reader *reader, const struct mnp_meeting *meeting,
                       const struct mnp_scaling *one)
{
    bool every_cycle = reader->head.window_cycles == 1;
    char length[24] = "one cycle";
    if (reader->head.window_cycles == 0)
        strcpy(length, "safe length");
    else if (!every_cycle)
        snprintf(length, sizeof length, "%u cycles", reader->head.window_cycles);
    mnp_print_text(stdout, "%llu windows of %s, %.1f microseconds of work in each\n",
                   (unsigned long long)reader->head.windows, length,
                   reader->head.windows ? one->work * 1e6 / (double)reader->head.windows : 0.0);
    write_serial(one);
    write_doubt();
    for (int h = 0; h < MNP_HAND_OUT_COUNT; h++)
        if (h == 0 || (every_cycle && executor_of(h)))
            mnp_print_text(stdout, "Meeting of two threads of %s: %.0f ns, each more %.0f ns\n",
                           h ? results_hand_out_names[h] : "window", meeting->pair[h], meeting->further[h]);
    if (every_cycle && executor_of(MNP_HAND_OUT_OPENMP_DYNAMIC))
        printf("Next core of a loop of openmp-dynamic: %.0f ns\n", meeting->take);
    printf("Exchange of two processes: %.0f ns to agree, %.0f ns for a message, %.2f ns for a byte\n", meeting->gather,
           meeting->message, meeting->byte);
}

static bool predict(const struct scaling_options *options, struct mnp_costs_reader *reader, struct mnp_meeting *meeting,
                    struct mnp_error *error)
{
    static const uint32_t room = MOST_SCALINGS;
    struct mnp_measured measured[MOST_RUNS] = {{0}};
    uint32_t measured_count;
    if (!open_records(options, reader, error))
        return false;
    bool every_cycle = reader->head.window_cycles == 1;
    if (!read_runs(options, every_cycle, measured, &measured_count, error))
        return false;
    find_threads(options, every_cycle, meeting);
    find_taking(options, every_cycle, meeting);
    struct mnp_scaling *scalings = mnp_allocate(room, sizeof *scalings);
    uint32_t count = list_configurations(options, every_cycle, scalings);
    uint32_t crowd = options->process_count ? list_crowds(options, scalings + count + 1) : 0;
    scalings[count] = (struct mnp_scaling){.threads = 1, .processes = 1}; /* the base of all speed-ups */
    bool done = results_scaling_compute(reader, meeting, scalings, count + 1 + crowd, error);
    if (done) {
        double one = scalings[count].seconds;
        write_head(reader, meeting, &scalings[count]);
        write_table(scalings, count, measured, measured_count, one);
        write_crowds(scalings + count + 1, crowd);
        done = !options->picture || draw(options, scalings, count, measured, measured_count, one, error);
    }
    free(scalings);
    return done;
}

int cli_verb_scaling(const struct command_line *line)
{
    struct scaling_options options;
    struct mnp_costs_reader reader = {0};
    struct mnp_meeting meeting = {.gather = 0};
    read_options(&options, line);
    struct processes *here = &options.processes_here;
    bool done = !options.error.text[0] && (!mnp_processes_expected() || mnp_processes_join(here, NULL, &options.error));
    bool silent = processes_silent(here); /* all processes measure, and one predicts */
    if (done)
        find_exchange(&options, &meeting);
    done = done && (silent || predict(&options, &reader, &meeting, &options.error));
    results_costs_close(&reader);
    mnp_processes_leave(here);
    return silent || done ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&options.error);
}
