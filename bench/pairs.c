/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two or more ways to run one trace, in turns in one process, so that what else the host does meets all of them alike:
 * prints for each the wall and CPU time relative to the first, as the median and the range of the rounds.
 * Usage: bench-pairs ROUNDS MACHINE INPUT WAY WAY…, where a WAY is EXECUTOR[,threads=N][,schedule=cost|static|dynamic]
 * [,window=N]. Results that differ end it with status 1.
 */
#include "base/arena.h"
#include "base/ticks.h"
#include "cli/input.h"
#include "engine/executors/executor.h"
#include "gpu/system/kind.h"
#include "machines.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_WAYS = 16, MEMORY = 128 << 20 };

struct way {
    const char *text;
    struct mnp_session_options options;
    double *wall, *cpu; /* [rounds] */
};

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench-pairs: %s: %s\n", what, why);
    exit(2);
}

static void read_word(struct way *way, const char *word)
{
    static const char *const schedules[] = {
        [MNP_SCHEDULE_COST] = "cost", [MNP_SCHEDULE_STATIC] = "static", [MNP_SCHEDULE_DYNAMIC] = "dynamic"};
    if (strncmp(word, "threads=", 8) == 0) {
        way->options.request.threads = (uint32_t)atoi(word + 8);
        return;
    }
    if (strncmp(word, "window=", 7) == 0) {
        way->options.request.window_cycles = (uint64_t)atoi(word + 7);
        return;
    }
    for (int s = 0; s < 3; s++) {
        if (strncmp(word, "schedule=", 9) == 0 && strcmp(word + 9, schedules[s]) == 0) {
            way->options.request.schedule = (enum mnp_schedule)s;
            return;
        }
    }
    fail(word, "is no part of a way");
}

static void read_way(struct way *way, const char *text, uint32_t rounds)
{
    char *copy = strdup(text), *rest = copy, *word = strsep(&rest, ",");
    *way = (struct way){.text = text, .options.request = {.executor = mnp_executor_find(word), .threads = 1}};
    const struct mnp_executor *executor = way->options.request.executor;
    if (!executor || executor->processes || executor->relaxed)
        fail(word, "is no executor for this");
    if (executor->every_cycle)
        way->options.request.window_cycles = 1;
    while ((word = strsep(&rest, ",")))
        read_word(way, word);
    if (way->options.request.threads < 1 || way->options.request.threads > MNP_MAX_THREADS)
        fail(text, "states no number of threads");
    free(copy);
    way->wall = mnp_allocate(rounds, sizeof *way->wall);
    way->cpu = mnp_allocate(rounds, sizeof *way->cpu);
}

static double cpu_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One run, its start and the reading of the trace included; its state hash into `hash`. */
static void run_once(struct way *way, uint32_t round, const char *machine, const char *input, char hash[33])
{
    struct mnp_error error = {""};
    struct mnp_results results;
    uint64_t from = mnp_nanoseconds();
    double cpu = cpu_seconds();
    mnp_results_init(&results, MNP_QUIET);
    struct mnp_settings_source source = {.machine = machine, .built_in = mnp_built_in_machines};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    struct mnp_source *trace =
        settings ? cli_input_open(input, &(struct input_options){.memory = MEMORY}, &error) : NULL;
    if (!trace ||
        !mnp_session_run_all(&gpu_kind, settings, &(struct mnp_work){.source = trace}, &way->options, &results, &error))
        fail(input, error.text);
    strcpy(hash, results.hash);
    trace->close(trace);
    mnp_settings_free(settings);
    mnp_results_release(&results);
    way->cpu[round] = cpu_seconds() - cpu;
    way->wall[round] = (double)(mnp_nanoseconds() - from) * 1e-9;
}

static int smaller_first(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, uint32_t count)
{
    qsort(values, count, sizeof *values, smaller_first);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The first way's time divided by this one's, in each round. */
static void write_row(const struct way *first, const struct way *way, uint32_t rounds)
{
    double *wall = mnp_allocate(rounds, sizeof *wall), *cpu = mnp_allocate(rounds, sizeof *cpu);
    double *seconds = mnp_allocate(rounds, sizeof *seconds);
    for (uint32_t r = 0; r < rounds; r++) {
        wall[r] = first->wall[r] / way->wall[r];
        cpu[r] = way->cpu[r] / first->cpu[r];
        seconds[r] = way->cpu[r];
    }
    double middle = median(wall, rounds);
    printf("| %s | %.2f (%.2f to %.2f) | %.2f | %.4f |\n", way->text, middle, wall[0], wall[rounds - 1],
           median(cpu, rounds), median(seconds, rounds));
    free(wall);
    free(cpu);
    free(seconds);
}

int main(int argc, char **argv)
{
    struct way ways[MOST_WAYS];
    int rounds = argc > 4 ? atoi(argv[1]) : 0, count = argc - 4;
    if (rounds < 1 || count > MOST_WAYS)
        fail("usage", "bench-pairs ROUNDS MACHINE INPUT EXECUTOR[,threads=N][,schedule=S][,window=N]…");
    for (int i = 0; i < count; i++)
        read_way(&ways[i], argv[4 + i], (uint32_t)rounds);
    char hash[33], reference[33] = "";
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            run_once(&ways[(i + round) % count], (uint32_t)round, argv[2], argv[3], hash); /* not always one first */
            if (*reference && strcmp(reference, hash) != 0) {
                fprintf(stderr, "bench-pairs: %s: another state hash\n", ways[(i + round) % count].text);
                return 1;
            }
            strcpy(reference, hash);
        }
    }
    printf("| way | times as fast as %s: median (least to greatest) | CPU time, in its | CPU s |\n"
           "| --- | --- | --- | --- |\n",
           ways[0].text);
    for (int i = 0; i < count; i++) {
        write_row(&ways[0], &ways[i], (uint32_t)rounds);
    }
    for (int i = 0; i < count; i++) {
        free(ways[i].wall);
        free(ways[i].cpu);
    }
    return 0;
}
