/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signals that end the program. Those by which a user ends a run give partial results
 * (interrupt.c); a process that is writing its results finishes them. A second one ends the program at once. Behind the
 * others, results cannot be written in the middle of whatever was at work then; but the user is told that there are
 * none, and why. A program's own handlers, and those of sanitizers, are left alone.
 */
#include "cudart/base/signals.h"

#include "cudart/base/interrupt.h"
#include "cudart/base/state.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* Reports a signal. The function must not take a lock, since the program may have been anywhere. The handler has been
 * removed when it runs. */
static void say(int signal)
{
    bool by_user = signal == SIGINT || signal == SIGTERM || signal == SIGHUP, reporting = cudart_is_reporting();
    if (by_user && (reporting || cudart_owes_results()) && (cudart_ask_end() || reporting))
        return;
    const char *const parts[] = {"maniple: error: the program was ended by a signal (", sigdescr_np(signal),
                                 "): there are no results; they are written when a program ends by itself\n"};
    for (size_t i = 0; cudart_owes_results() && i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && write(STDERR_FILENO, parts[i], strlen(parts[i])) < 0)
            break;
    raise(signal);
}

/* SIGINT in a call that simulates. A program that would not handle it gets nothing. */
static void hold(int signal)
{
    struct cudart_interrupt *interrupt = &cudart_state()->interrupt;
    if (interrupt->wish) /* the run ends already: one more ends it at once */
        sigaction(signal, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
    if (interrupt->held.program.sa_handler != SIG_DFL) {
        interrupt->held.asked_in = (uint64_t)interrupt->held.call;
        interrupt->held.asked++;
    }
    cudart_ask_end();
}

static bool is_the_programs(const struct sigaction *action)
{
    return (action->sa_flags & SA_SIGINFO) ||
           (action->sa_handler != say && action->sa_handler != hold && action->sa_handler != SIG_IGN);
}

void cudart_hold_signals(struct cudart *rt)
{
    struct cudart_held *held = &rt->interrupt.held;
    struct sigaction ours = {.sa_handler = hold, .sa_flags = SA_RESTART | SA_ONSTACK};
    if (held->ours || !rt->interrupt.watched || !rt->calls.options.text || rt->calls.options.trace ||
        rt->sharing.timed || sigaction(SIGINT, NULL, &held->program) != 0 || !is_the_programs(&held->program))
        return;
    held->call++;
    held->ours = cudart_thread()->holds = sigaction(SIGINT, &ours, NULL) == 0;
}

bool cudart_release_signals(struct cudart *rt)
{
    struct cudart_held *held = &rt->interrupt.held;
    struct sigaction now;
    if (!cudart_thread()->holds)
        return false;
    cudart_thread()->holds = held->ours = false;
    if (sigaction(SIGINT, NULL, &now) == 0 &&
        now.sa_handler == hold) /* a function of the host's may have set another */
        sigaction(SIGINT, &held->program, NULL);
    return atomic_exchange(&held->asked_in, 0) && !cudart_is_ending(rt);
}

void cudart_ending_signals(sigset_t *signals)
{
    struct sigaction hangup;
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN) /* nohup wants the run to go on */
        sigaddset(signals, SIGHUP);
}

static void go_on(int signal)
{
    (void)signal;
}

void cudart_take_file_limits(void)
{
    struct sigaction before, ours = {.sa_handler = go_on, .sa_flags = SA_RESTART};
    if (sigaction(SIGXFSZ, NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &ours, NULL);
}

void cudart_watch_signals(const struct cudart *rt)
{
    static const int ending[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGHUP, SIGINT, SIGTERM};
    struct sigaction before, ours = {.sa_handler = say, .sa_flags = SA_RESETHAND | SA_NODEFER | SA_RESTART};
    if (!rt->calls.options.text || rt->calls.options.trace)
        return;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
        if (sigaction(ending[i], NULL, &before) == 0 && !(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL)
            sigaction(ending[i], &ours, NULL);
}
