/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated time of several processes: what a process reads of the present belongs to one time, however the leader goes
 * on meanwhile, and a stale answer is none. Two threads stand for two processes, which have the page in common. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include "cudart/base/sharing_time.h"

#include <pthread.h>
#include <stdlib.h>

enum { STEPS = 200000, EACH = 3 };

struct node {
    struct cudart_sharing leader, follower;
};

static int setup(void **state)
{
    struct node *node = calloc(1, sizeof *node);
    struct cudart_sharing_page *page = calloc(1, sizeof *page);
    assert_true(node && page);
    page->count = 2;
    node->leader = (struct cudart_sharing){.page = page, .timed = true, .leads = true};
    node->follower = (struct cudart_sharing){.page = page, .timed = true, .self = 1};
    *state = node;
    return 0;
}

static int teardown(void **state)
{
    struct node *node = *state;
    free(node->leader.page);
    free(node);
    return 0;
}

static void ends_between(void **state)
{
    struct node *node = *state;
    struct cudart_present present;
    struct cudart_sharing_pace *pace = &node->leader.page->members[1].pace;
    assert_true(cudart_course_present(&node->follower, &present));
    assert_int_equal(present.told, 0);
    cudart_course_depart(&node->leader);
    pace->told++;
    assert_false(cudart_course_present(&node->follower, &present));
    cudart_course_arrive(&node->leader, 70);
    assert_true(cudart_course_present(&node->follower, &present));
    assert_int_equal(present.told, 1);
    assert_int_equal(present.now, 70);
}

/* Each step ends `EACH` kernels and takes as long as its number. */
static void *lead(void *context)
{
    struct cudart_sharing *leader = context;
    struct cudart_sharing_pace *pace = &leader->page->members[1].pace;
    for (uint64_t time = 1; time <= STEPS; time++) {
        cudart_course_depart(leader);
        for (unsigned i = 0; i < EACH; i++)
            pace->told++;
        cudart_course_arrive(leader, time);
        cudart_course_ask(leader);
    }
    return NULL;
}

static void one_time(void **state)
{
    struct node *node = *state;
    struct cudart_present present = {0};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, lead, &node->leader), 0);
    while (present.now < STEPS) {
        if (!cudart_course_present(&node->follower, &present)) {
            present.now = 0;
            continue;
        }
        assert_int_equal(present.told, EACH * present.now);
        /* The question behind a step is asked once the step has been told. */
        assert_in_range(present.question, present.now ? present.now - 1 : 0, present.now);
    }
    pthread_join(thread, NULL);
}

static void stale_answers(void **state)
{
    struct node *node = *state;
    struct cudart_present present;
    struct cudart_answer all, answer = {.waits = true, .wish = 5, .digest = 1};
    cudart_course_ask(&node->leader);
    assert_true(cudart_course_present(&node->follower, &present));
    answer.question = present.question;
    cudart_course_ask(&node->leader); /* before the follower has answered */
    cudart_course_answer(&node->follower, &answer);
    answer.question = node->leader.page->course.question;
    cudart_course_answer(&node->leader, &answer);
    assert_false(cudart_course_gather(&node->leader, &all));
    assert_true(cudart_course_present(&node->follower, &present));
    assert_true(cudart_course_is_asked(&node->follower, present.question));
    answer.question = present.question;
    cudart_course_answer(&node->follower, &answer);
    assert_true(cudart_course_gather(&node->leader, &all));
    assert_true(all.waits);
    assert_int_equal(all.wish, 5);
}

static void room_for_mail(void **state)
{
    const uint64_t room = CUDART_MAILBOX_BYTES - sizeof(struct cudart_mailbox);
    (void)state;
    assert_true(cudart_mail_fits(0, room));
    assert_false(cudart_mail_fits(0, room + 1));
    assert_true(cudart_mail_fits(room - 8, 8));
    assert_false(cudart_mail_fits(room - 8, 9));
    assert_false(cudart_mail_fits(8, UINT64_MAX - 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(ends_between, setup, teardown),
        cmocka_unit_test_setup_teardown(one_time, setup, teardown),
        cmocka_unit_test_setup_teardown(stale_answers, setup, teardown),
        cmocka_unit_test(room_for_mail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
