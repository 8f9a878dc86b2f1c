/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/write/watch.h"

#include "base/print.h"
#include "base/ticks.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

uint64_t results_watch_now(void)
{
    return mnp_nanoseconds();
}

/* Writes a length of time for people: "12 s", "3 min 20 s", "2 h 5 min". */
static void format_seconds(char *text, size_t room, uint64_t seconds)
{
    if (seconds < 100)
        snprintf(text, room, "%" PRIu64 " s", seconds);
    else if (seconds < 3600)
        snprintf(text, room, "%" PRIu64 " min %" PRIu64 " s", seconds / 60, seconds % 60);
    else
        snprintf(text, room, "%" PRIu64 " h %" PRIu64 " min", seconds / 3600, seconds / 60 % 60);
}

/* The time of day, or behind a day the date, at which that many seconds will have passed. Returns `text`. */
static const char *format_end(char text[16], uint64_t seconds)
{
    time_t end = time(NULL) + (time_t)seconds;
    struct tm local;
    strftime(text, 16, seconds < 86400 ? "%H:%M" : "%d %b %H:%M", localtime_r(&end, &local));
    return text;
}

/* The time left, if all parts are alike; nobody knows better before they have run. In parts of a million. */
static uint64_t seconds_left(const struct watch *watch, uint64_t elapsed)
{
    uint32_t parts = watch->part_count, ended = watch->parts_ended;
    uint64_t done = watch->pieces_done, pieces = watch->pieces_known;
    uint64_t all = (uint64_t)parts * 1000000;
    uint64_t part = (uint64_t)ended * 1000000 + (pieces ? (uint64_t)((unsigned __int128)done * 1000000 / pieces) : 0);
    return part && part < all ? (uint64_t)((unsigned __int128)elapsed * (all - part) / part / SECOND) : 0;
}

/* The speed since the line was last drawn, in the unit of the form. */
static uint64_t recent_rate(struct watch *watch, uint64_t now)
{
    const struct mnp_results_form *form = watch->form;
    uint64_t work = watch->work, since = now - watch->last_ns;
    uint64_t rate = (uint64_t)((unsigned __int128)(work - watch->last_work) * form->speed_scale / since);
    watch->last_ns = now;
    watch->last_work = work;
    return rate;
}

static void draw(struct watch *watch)
{
    uint64_t now = results_watch_now(), elapsed = now - watch->start_ns;
    if (elapsed < 2 * SECOND || !watch->reported)
        return;
    const struct mnp_results_form *form = watch->form;
    uint32_t parts = watch->part_count, part = watch->parts_ended + 1;
    char cycles[MNP_NUMBER_TEXT], speed[MNP_NUMBER_TEXT], of[32] = "", left[96] = "";
    if (parts)
        snprintf(of, sizeof of, " of %u", parts);
    uint64_t seconds = seconds_left(watch, elapsed);
    if (seconds) {
        char time[48], end[16];
        format_seconds(time, sizeof time, seconds);
        snprintf(left, sizeof left, ", about %s left, until %s", time, format_end(end, seconds));
    }
    mnp_print_text(stderr, "\r\033[K%s %u%s, %s %" PRIu64 "/%" PRIu64 ", cycle %s, %s %s%s", form->part, part, of,
                   form->pieces, watch->pieces_done, watch->pieces_known, mnp_format_grouped(cycles, watch->cycles),
                   mnp_format_grouped(speed, recent_rate(watch, now)), form->speed, left);
    fflush(stderr);
    watch->drawn = true;
}

/* One signal; a second one soon after the first expresses the same wish. */
static void take_signal(struct watch *watch)
{
    uint64_t now = results_watch_now();
    if (!(watch->interrupted & MNP_WISH_END)) {
        watch->interrupted_ns = now;
        watch->interrupted = MNP_WISH_END;
    } else if (now - watch->interrupted_ns > SECOND / 2 && watch->stage != WATCH_SAVING) {
        _exit(MNP_EXIT_INTERRUPTED);
    }
}

/* A simulation that has not begun half a second after a signal may wait for a pipe or a slow disk for ever. */
static void give_up_start(const struct watch *watch)
{
    static const char interrupted[] = "maniple: interrupted before the simulation began: there are no results\n";
    static const char late[] = "maniple: --max-time was over before the simulation began: there are no results\n";
    if (!watch->interrupted || watch->stage != WATCH_STARTING)
        return;
    if (results_watch_now() - watch->interrupted_ns < SECOND / 4)
        return;
    bool asked = watch->interrupted & MNP_WISH_END;
    ssize_t ignored = watch->quiet ? 0
                      : asked      ? write(STDERR_FILENO, interrupted, sizeof interrupted - 1)
                                   : write(STDERR_FILENO, late, sizeof late - 1);
    (void)ignored;
    _exit(asked ? MNP_EXIT_INTERRUPTED : MNP_EXIT_STOPPED);
}

static bool asks_for_end(int signal)
{
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

/* Half a second, or what is left of the time that the user gave. */
static struct timespec patience(struct watch *watch)
{
    uint64_t now = results_watch_now(), wait = SECOND / 2;
    if (watch->deadline_ns && !watch->interrupted && watch->deadline_ns <= now) {
        watch->interrupted_ns = now;
        watch->interrupted = MNP_WISH_TIME;
    }
    if (watch->deadline_ns > now && watch->deadline_ns - now < wait)
        wait = watch->deadline_ns - now;
    return (struct timespec){.tv_nsec = (long)wait};
}

static void *watch_thread(void *context)
{
    struct watch *watch = context;
    for (;;) {
        struct timespec wait = patience(watch);
        int signal = sigtimedwait(&watch->signals, NULL, &wait);
        if (atomic_load(&watch->ending))
            return NULL;
        if (asks_for_end(signal))
            take_signal(watch);
        else if (signal < 0 && errno == EAGAIN && watch->draws)
            draw(watch);
        give_up_start(watch);
    }
}

bool results_watch_start(struct watch *watch, bool quiet, uint64_t deadline_ns, struct mnp_error *error)
{
    struct sigaction hangup;
    *watch = (struct watch){.deadline_ns = deadline_ns, .quiet = quiet, .draws = !quiet && isatty(STDERR_FILENO)};
    watch->start_ns = watch->last_ns = results_watch_now();
    sigemptyset(&watch->signals);
    sigaddset(&watch->signals, SIGINT);
    sigaddset(&watch->signals, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN) /* nohup wants the run to go on */
        sigaddset(&watch->signals, SIGHUP);
    sigaddset(&watch->signals, SIGUSR1); /* the end of watching */
    pthread_sigmask(SIG_BLOCK, &watch->signals, &watch->previous);
    int failed = pthread_create(&watch->thread, NULL, watch_thread, watch);
    watch->watching = failed == 0;
    if (watch->watching)
        return true;
    pthread_sigmask(SIG_SETMASK, &watch->previous, NULL);
    if (deadline_ns)
        return mnp_fail(error,
                        "--max-time: the thread that watches the time cannot be started: %s; allow more processes "
                        "(ulimit -u) or memory (ulimit -v)",
                        strerror(failed));
    if (!quiet)
        mnp_print_text(stderr,
                       "maniple: warning: no thread can be started beside the simulation (%s): there is no line of "
                       "progress, and Ctrl-C ends it without partial results\n",
                       strerror(failed));
    return true;
}

void results_watch_enter(struct watch *watch, enum watch_stage stage)
{
    if (stage == WATCH_RUNNING)
        watch->start_ns = watch->last_ns = results_watch_now();
    atomic_store(&watch->stage, stage);
}

void results_watch_take_write_errors(bool pipes)
{
    signal(SIGXFSZ, SIG_IGN);
    if (pipes)
        signal(SIGPIPE, SIG_IGN);
}

void results_watch_clear(struct watch *watch)
{
    atomic_store(&watch->reported, false);
    if (watch->drawn)
        fputs("\r\033[K", stderr);
    watch->drawn = false;
}

void results_watch_end(struct watch *watch)
{
    if (!watch->watching)
        return;
    watch->watching = false;
    atomic_store(&watch->ending, true);
    pthread_kill(watch->thread, SIGUSR1);
    pthread_join(watch->thread, NULL);
    pthread_sigmask(SIG_SETMASK, &watch->previous, NULL);
    if (watch->drawn)
        fputs("\r\033[K", stderr);
}

void results_watch_progress(void *context, const struct mnp_progress *progress)
{
    struct watch *watch = context;
    atomic_store_explicit(&watch->form, progress->form, memory_order_relaxed);
    atomic_store_explicit(&watch->parts_ended, progress->parts_ended, memory_order_relaxed);
    atomic_store_explicit(&watch->part_count, progress->part_count, memory_order_relaxed);
    atomic_store_explicit(&watch->pieces_done, progress->pieces_done, memory_order_relaxed);
    atomic_store_explicit(&watch->pieces_known, progress->pieces_known, memory_order_relaxed);
    atomic_store_explicit(&watch->cycles, progress->cycles, memory_order_relaxed);
    atomic_store_explicit(&watch->work, progress->work, memory_order_relaxed);
    atomic_store_explicit(&watch->reported, true, memory_order_relaxed);
}
