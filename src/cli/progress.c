/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/progress.h"

#include "base/ticks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)
enum { SECONDS_BETWEEN_LINES = 60 }; /* logs stay short */

bool cli_takes_colours(FILE *stream)
{
    const char *none = getenv("NO_COLOR");
    return isatty(fileno(stream)) && !(none && *none);
}

const char *cli_format_duration(char text[32], uint64_t seconds)
{
    if (seconds < 60)
        snprintf(text, 32, "%" PRIu64 " s", seconds);
    else if (seconds < 3600)
        snprintf(text, 32, "%" PRIu64 " min %02" PRIu64 " s", seconds / 60, seconds % 60);
    else if (seconds < 86400)
        snprintf(text, 32, "%" PRIu64 " h %02" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
    else
        snprintf(text, 32, "%" PRIu64 " d %" PRIu64 " h", seconds / 86400, seconds / 3600 % 24);
    return text;
}

void cli_progress_begin(struct cli_progress *progress, const char *pieces, uint64_t all, uint64_t found, bool quiet)
{
    *progress = (struct cli_progress){.pieces = pieces, .all = all, .found = found, .quiet = quiet};
    progress->draws = !quiet && isatty(STDERR_FILENO);
    progress->colours = cli_takes_colours(stderr);
    progress->start_ns = progress->shown_ns = mnp_nanoseconds();
}

static const char *colour(const struct cli_progress *progress, const char *code)
{
    return progress->colours ? code : "";
}

/* "12 of 64 jobs done, 3 of them before, 1 failed". */
static void write_counts(const struct cli_progress *p)
{
    fprintf(stderr, "%s%" PRIu64 " of %" PRIu64 " %s done%s", colour(p, "\033[32m"), p->found + p->done, p->all,
            p->pieces, colour(p, "\033[0m"));
    if (p->found)
        fprintf(stderr, ", %" PRIu64 " of them before", p->found);
    if (p->failed)
        fprintf(stderr, ", %s%" PRIu64 " failed%s", colour(p, "\033[31m"), p->failed, colour(p, "\033[0m"));
}

/* By the mean time of those that were done now. */
static void write_end(const struct cli_progress *p, uint64_t now)
{
    uint64_t past = p->done + p->failed, left = p->all - p->found - past;
    char duration[32], clock[16];
    if (!past || !left)
        return;
    uint64_t seconds = (uint64_t)((double)(now - p->start_ns) / (double)past * (double)left / 1e9) + 1;
    time_t end = time(NULL) + (time_t)seconds;
    struct tm local;
    strftime(clock, sizeof clock, seconds < 86400 ? "%H:%M" : "%d %b %H:%M", localtime_r(&end, &local));
    fprintf(stderr, ", about %s left, until %s", cli_format_duration(duration, seconds), clock);
}

void cli_progress_show(struct cli_progress *p)
{
    uint64_t now = mnp_nanoseconds();
    if (p->quiet || now - p->shown_ns < (p->draws ? SECOND / 10 : SECONDS_BETWEEN_LINES * SECOND))
        return;
    p->shown_ns = now;
    fputs(p->draws ? "\r\033[K" : "maniple: ", stderr);
    write_counts(p);
    fprintf(stderr, ", %" PRIu64 " running", p->running);
    write_end(p, now);
    if (!p->draws)
        fputc('\n', stderr);
    fflush(stderr);
}

void cli_progress_end(struct cli_progress *p)
{
    char duration[32];
    if (p->quiet)
        return;
    fputs(p->draws ? "\r\033[K" : "", stderr);
    fputs("maniple: ", stderr);
    write_counts(p);
    fprintf(stderr, ", in %s\n", cli_format_duration(duration, (mnp_nanoseconds() - p->start_ns) / SECOND));
}
