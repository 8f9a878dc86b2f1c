/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/repeat.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/print.h"
#include "base/temporary.h"
#include "results/compare/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 128 };

/* In the child: becomes `maniple run`. Errors go to standard error, statistics nowhere. */
_Noreturn static void become_run(const struct repeat *repeat, int which)
{
    char *words[MOST_WORDS + 8] = {(char[]){"maniple"}, (char[]){"run"}, (char[]){"-qq"}, (char[]){"-o"}};
    size_t count = 4;
    char *rest = strdup(repeat->options[which]), *input = strdup(repeat->input),
         *folder = strdup(repeat->folder[which]);
    words[count++] = folder;
    char hash[] = "--hash";
    if (repeat->hashes)
        words[count++] = hash;
    for (char *word; (word = strsep(&rest, " ")) && count < MOST_WORDS;)
        if (*word)
            words[count++] = word;
    words[count] = input;
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0 && input && folder && dup2(nowhere, STDOUT_FILENO) >= 0)
        execv("/proc/self/exe", words);
    _exit(127);
}

bool cli_repeat_run_once(struct repeat *repeat, int which, uint64_t turn, struct mnp_error *error)
{
    pid_t self = getpid(), child = fork();
    if (child == 0) {
        mnp_temporary_end_with(self);
        become_run(repeat, which);
    }
    int status = 0;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (child < 0 || !WIFEXITED(status) || WEXITSTATUS(status) == 127)
        return mnp_fail(error, "the run with \"%.200s\" could not be made, or was ended from outside",
                        repeat->options[which]);
    if (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != MNP_EXIT_STOPPED)
        return mnp_fail(error, "maniple run %.200s %.300s ended with exit status %d", repeat->options[which],
                        repeat->input, WEXITSTATUS(status));
    struct mnp_read_results results;
    if (!results_read(&results, repeat->folder[which], error))
        return false;
    repeat->wall[which][turn] = results_run_number(&results, "wall_seconds");
    repeat->cpu[which][turn] = results_run_number(&results, "cpu_seconds");
    results_free(&results);
    return true;
}

bool cli_repeat_run(struct repeat *repeat, struct mnp_error *error)
{
    for (int which = 0; which < 2; which++) {
        repeat->wall[which] = mnp_allocate(repeat->count, sizeof(double));
        repeat->cpu[which] = mnp_allocate(repeat->count, sizeof(double));
        if (!(repeat->folder[which] = mnp_temporary_folder("compare", error)))
            return false;
    }
    for (uint64_t turn = 0; turn < repeat->count; turn++)
        for (int i = 0; i < 2; i++)
            if (!cli_repeat_run_once(repeat, (int)(turn + (uint64_t)i) % 2, turn,
                                     error)) /* the one that goes first changes, too */
                return false;
    return true;
}

static int less_first(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* Writes the median, the least and the greatest of some numbers, which it sorts. */
static void write_spread(FILE *out, const char *name, double *values, uint64_t count)
{
    qsort(values, count, sizeof *values, less_first);
    mnp_print_text(out, "  %-24s %12.3f %12.3f %12.3f\n", name, (values[(count - 1) / 2] + values[count / 2]) / 2,
                   values[0], values[count - 1]);
}

void cli_repeat_write(const struct repeat *repeat, FILE *out)
{
    double *values = mnp_allocate(repeat->count, sizeof *values);
    mnp_print_text(out, "A: %s\nB: %s\n  %-24s %12s %12s %12s\n", repeat->options[0], repeat->options[1],
                   "over the repetitions", "median", "least", "greatest");
    for (int i = 0; i < 4; i++) {
        static const char *const names[] = {"wall time of A, s", "wall time of B, s", "CPU time of A, s",
                                            "CPU time of B, s"};
        memcpy(values, i < 2 ? repeat->wall[i] : repeat->cpu[i - 2], repeat->count * sizeof *values);
        write_spread(out, names[i], values, repeat->count);
    }
    for (int i = 0; i < 2; i++) {
        double *const *times = i ? repeat->cpu : repeat->wall;
        for (uint64_t turn = 0; turn < repeat->count; turn++)
            values[turn] = times[1][turn] > 0 ? times[0][turn] / times[1][turn] : 0;
        write_spread(out, i ? "speed-up of B, CPU" : "speed-up of B, wall", values, repeat->count);
    }
    fputs("\nThe last runs of both:\n", out);
    free(values);
}

void cli_repeat_release(struct repeat *repeat)
{
    for (int which = 0; which < 2; which++) {
        mnp_temporary_remove(repeat->folder[which]);
        free(repeat->wall[which]);
        free(repeat->cpu[which]);
    }
}
