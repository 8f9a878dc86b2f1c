/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/shared_machine.h"

#include "base/arena.h"
#include "base/ticks.h"
#include "cudart/base/failure.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/process_tree.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/languages.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/kept_results.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/link_copies.h"
#include "cudart/stream/shared_copies.h"
#include "cudart/stream/simulation.h"
#include "execute/live/replay.h"

#include <string.h>
#include <sys/mman.h>

enum {
    SOON = 200000,   /* ns between two questions at first while a process computes, */
    LATER = 5000000, /* … and later */
    FIRST = 50,      /* questions */
    WAIT = 20000000, /* ns until a process looks at the course again, if no bell rings */
    LARGE = 1 << 20, /* bytes of mail whose room is given back */
    STUCK = 30,      /* s in which nothing is simulated while a process waits inside a call for an event */
    PATIENT = 300,   /* s for which a process that computes is waited for, the first time */
    HURRIED = 1,     /* s: later */
};

#define SECOND UINT64_C(1000000000)

static struct cudart_sharing_course *course_of(const struct cudart *rt)
{
    return &rt->sharing.page->course;
}

/* ===== the leader: mail of others ===== */

static struct execute_replay *replay_of(struct cudart *rt, uint32_t member, struct cudart_device *device)
{
    struct execute_replay **replay = &cudart_shared_machine(rt)->replays[member][device->place];
    if (!*replay) {
        *replay = mnp_allocate(1, sizeof **replay);
        **replay = (struct execute_replay){.device = &device->functional, .language = cudart_language_named};
    }
    (*replay)->source = device->source;
    (*replay)->users = cudart_course_devices(&rt->sharing, member);
    return *replay;
}

/* Launches get their numbers, and no operation: the owner has that. */
static void number_launches(struct cudart_device *device, const unsigned char *numbers, uint64_t count)
{
    if (!count)
        return;
    memcpy(mnp_array_add(&device->numbers, (uint32_t)count, sizeof(uint32_t)), numbers, count * sizeof(uint32_t));
    for (uint64_t i = 0; i < count; i++)
        *(struct cudart_operation **)mnp_array_add(&device->started, 1, sizeof(struct cudart_operation *)) = NULL;
    device->running += (uint32_t)count;
}

/* Memory is common, so that what a replay would write is there. */
static bool do_again(struct cudart *rt, uint32_t member, const struct cudart_mail *mail, const unsigned char *rest)
{
    struct mnp_error error = {{0}};
    struct cudart_device *device = cudart_by_place(rt, (uint32_t)mail->place);
    if (mail->numbers && cudart_begin_machine(rt))
        return false;
    number_launches(device, rest, mail->numbers);
    device->functional.mirrors = true;
    bool good = execute_replay_notes(replay_of(rt, member, device), rest + mail->numbers * sizeof(uint32_t),
                                     mail->notes, &error);
    device->functional.mirrors = false;
    if (!good)
        cudart_fail(rt, cudart_refuse(rt, &error, CUDA_LAUNCH_FAILURE));
    return good;
}

static bool take_mail_of(struct cudart *rt, uint32_t member)
{
    struct cudart_sharing_pace *pace = &rt->sharing.page->members[member].pace;
    if (!pace->mail)
        return true;
    struct cudart_mailbox *box = cudart_mailbox(rt, member);
    bool good = box != NULL;
    for (uint64_t at = 0; good && at < pace->mail;) {
        struct cudart_mail mail;
        memcpy(&mail, box->mail + at, sizeof mail);
        good = do_again(rt, member, &mail, box->mail + at + sizeof mail);
        at += sizeof mail + mail.numbers * sizeof(uint32_t) + mail.notes;
    }
    if (box && pace->mail > LARGE)
        madvise(box->mail, pace->mail, MADV_REMOVE);
    pace->mail = 0;
    return good;
}

static bool take_mail(struct cudart *rt)
{
    uint32_t count = rt->sharing.page->count;
    bool good = true;
    for (uint32_t i = 0; good && i < count && i < CUDART_SHARING_MEMBERS; i++)
        good = i == rt->sharing.self || take_mail_of(rt, i);
    cudart_wake_machine(rt);
    return good;
}

/* ===== the leader: time ===== */

/* Processes that take no part: launchers, stores, and those that have not come to use CUDA yet. */
static bool rest_sleeps(const struct cudart *rt, uint64_t *digest)
{
    int members[CUDART_SHARING_MEMBERS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < rt->sharing.page->count && i < CUDART_SHARING_MEMBERS; i++)
        if (!rt->sharing.page->members[i].ended)
            members[count++] = rt->sharing.page->members[i].process;
    return cudart_tree_sleeps((int)rt->calls.options.process, members, count, digest);
}

/* Rests while there is nothing to simulate. A process that waits inside a call for what no process does, does so in
 * vain. */
static void rest(struct cudart *rt, const struct cudart_answer *all)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    struct mnp_error error = {{0}};
    shared->vain = FIRST;
    shared->asks = true;
    if (!all->inside || mnp_nanoseconds() - shared->since < STUCK * SECOND)
        return;
    mnp_fail(&error, "processes that share GPUs wait, and none has work for a GPU: an event that no process records "
                     "(cudaIpcOpenEventHandle)");
    cudart_refuse(rt, &error, CUDA_SUCCESS);
    cudart_break(rt, CUDA_LAUNCH_TIMEOUT);
    cudart_stop_others(rt, CUDA_LAUNCH_TIMEOUT);
}

/* All processes wait: the devices go on to the next time at which one of them has something to do, or a kernel ends. */
static void go_on(struct cudart *rt, const struct cudart_answer *all)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    cudart_course_depart(&rt->sharing);
    bool good = take_mail(rt);
    uint64_t until = good ? cudart_begin_shared_copies(rt, all->wish) : 0;
    bool idle = good && until == UINT64_MAX && !cudart_is_running(rt);
    if (good && !idle) {
        cudart_lend_links(rt);
        rt->clock->device = cudart_run_machine_beside(rt, until);
        cudart_regain_links(rt);
        cudart_end_shared_copies(rt);
    }
    cudart_course_arrive(&rt->sharing, rt->clock->device);
    cudart_keep_results(rt);
    if (idle) {
        rest(rt, all);
        return;
    }
    shared->since = mnp_nanoseconds();
    shared->vain = 0;
    cudart_course_ask(&rt->sharing);
}

/* Whether a process that computes has been waited for long enough. */
static bool is_impatient(struct cudart *rt, const struct cudart_answer *all)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    if (!all->inside || mnp_nanoseconds() - shared->since < (shared->hurries ? HURRIED : PATIENT) * SECOND)
        return false;
    if (!shared->hurries)
        mnp_warn(&rt->simulation->results.log, "a process of the run has computed for minutes while others waited for "
                                               "GPUs: results may differ from run to run");
    shared->hurries = true;
    return true;
}

static void lead(struct cudart *rt)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    struct cudart_answer all;
    uint64_t digest, rest_digest;
    if (!rt->simulation->timed) {
        cudart_stop_others(rt, rt->faults.failure ? rt->faults.failure : CUDA_LAUNCH_FAILURE);
        return;
    }
    if (shared->asks) {
        shared->asks = false;
        shared->vain++;
        cudart_course_ask(&rt->sharing);
        return;
    }
    if (!cudart_course_gather(&rt->sharing, &all))
        return;
    bool wait = rest_sleeps(rt, &rest_digest) && all.waits;
    digest = wait ? (all.digest ^ rest_digest) | 1 : 0;
    if ((digest && digest == shared->digest) || is_impatient(rt, &all)) {
        shared->digest = 0;
        go_on(rt, &all);
    } else if (digest) {
        shared->digest = digest;
        cudart_course_ask(&rt->sharing);
    } else {
        shared->digest = 0;
        shared->asks = true;
    }
}

/* ===== every process ===== */

/* The machine has stopped, or the leader's process has ended: this process can go on no more. */
static void hear_of_end(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    int failure = course_of(rt)->failure;
    bool orphaned = !failure && cudart_course_is_orphaned(&rt->sharing);
    if (rt->sharing.leads || !rt->simulation->timed || (!failure && !orphaned))
        return;
    if (orphaned) {
        mnp_fail(&error, "the process that simulated the GPUs for all has ended: kernels of this one go on no more");
        cudart_refuse(rt, &error, CUDA_SUCCESS);
    }
    rt->simulation->timed = false;
    cudart_break(rt, failure ? (enum cuda_error)failure : CUDA_LAUNCH_TIMEOUT);
}

static void answer(struct cudart *rt, uint32_t question, uint32_t seen)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    struct cudart_answer own = {.question = question, .seen = seen, .wish = UINT64_MAX};
    bool wait = !cudart_is_paced(rt) || cudart_all_wait(rt, &own.wish, &own.inside);
    cudart_send_notes(rt);
    own.waits = cudart_others_sleep(rt, &shared->asleep, NULL) && wait && !cudart_is_called() && !rt->turn.calling;
    own.digest = shared->asleep.digest;
    cudart_course_answer(&rt->sharing, &own);
}

uint64_t cudart_keep_pace(struct cudart *rt)
{
    struct cudart_shared_machine *shared = cudart_shared_machine(rt);
    struct cudart_present present;
    uint32_t seen = rt->sharing.page->moves;
    hear_of_end(rt);
    if (!cudart_course_present(&rt->sharing, &present))
        return WAIT; /* a question follows */
    cudart_take_ends(rt, present.told);
    cudart_take_copies(rt);
    cudart_step(rt, present.now);
    if (cudart_course_is_asked(&rt->sharing, present.question))
        answer(rt, present.question, seen);
    if (!rt->sharing.leads)
        return WAIT;
    lead(rt);
    return !shared->asks ? WAIT : shared->vain < FIRST ? SOON : LATER;
}

void cudart_await_members(struct cudart *rt)
{
    while (rt->sharing.leads && rt->simulation->timed && !cudart_is_ending(rt) && !rt->faults.failure &&
           !rt->faults.pending && cudart_course_has_others(&rt->sharing))
        cudart_let_others(LATER);
    cudart_stop_others(rt, CUDA_LAUNCH_TIMEOUT);
}
