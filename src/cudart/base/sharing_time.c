/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/sharing_time.h"

#include "cudart/base/thread_state.h"

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct cudart_sharing_course *course_of(const struct cudart_sharing *sharing)
{
    return &sharing->page->course;
}

static uint32_t count_of(const struct cudart_sharing *sharing)
{
    uint32_t count = sharing->page->count;
    return count < CUDART_SHARING_MEMBERS ? count : CUDART_SHARING_MEMBERS;
}

static bool is_over(const struct cudart_sharing_member *member)
{
    return member->ended || (member->process && !cudart_process_lives(member->process));
}

bool cudart_mail_fits(uint64_t used, uint64_t more)
{
    uint64_t room = CUDART_MAILBOX_BYTES - sizeof(struct cudart_mailbox);
    return used <= room && more <= room - used;
}

/* ===== who takes part ===== */

/* The leader of before has ended, and with it everybody that shared its time: the next one begins anew. */
static void begin_again(struct cudart_sharing_course *course)
{
    course->now = 0;
    course->steps = 0;
    course->failure = 0;
    for (uint32_t i = 0; i < MNP_SPACE_DEVICES; i++)
        course->owners[i] = 0;
}

bool cudart_course_join(struct cudart_sharing *sharing)
{
    static const _Atomic int never;
    struct cudart_sharing_course *course = course_of(sharing);
    sharing->timed = true;
    cudart_sharing_take(sharing, &never);
    bool first = !course->leader;
    sharing->leads = first || is_over(&sharing->page->members[course->leader - 1]);
    if (sharing->leads) {
        begin_again(course);
        course->leader = sharing->self + 1;
    }
    cudart_sharing_give(sharing);
    return first;
}

bool cudart_course_lost(const struct cudart_sharing *sharing, const struct cudart_sharing_member *member)
{
    return sharing->timed && member == &sharing->page->members[course_of(sharing)->leader - 1];
}

bool cudart_course_is_orphaned(const struct cudart_sharing *sharing)
{
    uint32_t leader = course_of(sharing)->leader;
    return !sharing->leads && (!leader || sharing->page->members[leader - 1].ended);
}

bool cudart_course_claim(struct cudart_sharing *sharing, uint32_t place, char other[CUDART_SHARING_NAME])
{
    uint32_t owner = 0;
    if (atomic_compare_exchange_strong(&course_of(sharing)->owners[place], &owner, sharing->self + 1))
        return true;
    cudart_sharing_name(&sharing->page->members[owner - 1], other);
    return owner == sharing->self + 1;
}

uint32_t cudart_course_devices(const struct cudart_sharing *sharing, uint32_t member)
{
    uint32_t devices = 0;
    for (uint32_t i = 0; i < MNP_SPACE_DEVICES; i++)
        if (course_of(sharing)->owners[i] == member + 1)
            devices |= UINT32_C(1) << i;
    return devices;
}

bool cudart_course_has_others(const struct cudart_sharing *sharing)
{
    for (uint32_t i = 0; i < count_of(sharing); i++)
        if (i != sharing->self && !is_over(&sharing->page->members[i]))
            return true;
    return false;
}

/* ===== the bell ===== */

void cudart_course_ring(struct cudart_sharing *sharing)
{
    atomic_fetch_add(&course_of(sharing)->bell, 1);
    syscall(SYS_futex, &course_of(sharing)->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void cudart_course_await(const struct cudart_sharing *sharing, uint32_t bell, uint64_t nanoseconds)
{
    struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    syscall(SYS_futex, &course_of(sharing)->bell, FUTEX_WAIT, bell, &time, NULL, 0);
}

/* ===== questions and answers ===== */

bool cudart_course_present(const struct cudart_sharing *sharing, struct cudart_present *present)
{
    const struct cudart_sharing_course *course = course_of(sharing);
    uint32_t steps = course->steps;
    present->now = course->now;
    present->told = sharing->page->members[sharing->self].pace.told;
    present->question = course->question;
    return steps % 2 == 0 && course->steps == steps; /* the leader has changed nothing meanwhile */
}

void cudart_course_depart(struct cudart_sharing *sharing)
{
    course_of(sharing)->steps++;
}

void cudart_course_arrive(struct cudart_sharing *sharing, uint64_t time)
{
    course_of(sharing)->now = time;
    course_of(sharing)->steps++;
}

bool cudart_course_is_asked(const struct cudart_sharing *sharing, uint32_t question)
{
    return sharing->page->members[sharing->self].pace.answered != question;
}

void cudart_course_answer(struct cudart_sharing *sharing, const struct cudart_answer *answer)
{
    struct cudart_sharing_pace *pace = &sharing->page->members[sharing->self].pace;
    pace->waits = answer->waits;
    pace->inside = answer->inside;
    pace->digest = answer->digest;
    pace->wish = answer->wish;
    pace->seen = answer->seen;
    pace->answered = answer->question; /* last: the leader reads the others behind it */
    cudart_course_ring(sharing);
}

bool cudart_course_gather(const struct cudart_sharing *sharing, struct cudart_answer *all)
{
    uint32_t question = course_of(sharing)->question, moves = sharing->page->moves;
    *all = (struct cudart_answer){.waits = true, .wish = UINT64_MAX, .digest = 1};
    for (uint32_t i = 0; i < count_of(sharing); i++) {
        const struct cudart_sharing_member *each = &sharing->page->members[i];
        const struct cudart_sharing_pace *pace = &each->pace;
        if (each->ended)
            continue;
        if (pace->answered != question)
            return false;
        uint64_t wish = pace->wish;
        all->waits &= pace->waits && pace->seen == moves;
        all->inside |= pace->inside;
        all->digest = (all->digest ^ pace->digest) * UINT64_C(0x9e3779b97f4a7c15) + i;
        all->wish = wish < all->wish ? wish : all->wish;
    }
    return true;
}

void cudart_course_ask(struct cudart_sharing *sharing)
{
    atomic_fetch_add(&course_of(sharing)->question, 1);
    cudart_course_ring(sharing);
}
