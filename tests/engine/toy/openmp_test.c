/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library of OpenMP leaves behind: no thread after a run, and no binding of threads that are not its own. */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>
#include <dirent.h>
#include <omp.h>
#include <sched.h>

/* Threads of this process that there are. */
static uint32_t threads_alive(void)
{
    uint32_t count = 0;
    DIR *folder = opendir("/proc/self/task");
    assert_non_null(folder);
    for (struct dirent *each; (each = readdir(folder));)
        count += each->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* A thread that has ended may still be listed for a moment. */
static bool comes_to(uint32_t threads)
{
    for (uint32_t turn = 0; turn < 100000 && threads_alive() != threads; turn++)
        sched_yield();
    return threads_alive() == threads;
}

static void test_no_thread_stays(void **state)
{
    (void)state;
    struct toy_machine *machine = mnp_allocate(1, sizeof *machine);
    struct toy_parameters parameters = toy_defaults();
    struct toy_program(*programs)[TOY_THREADS] = mnp_allocate(TOY_CORES, sizeof *programs);
    toy_random_programs(&parameters, 3, 4, programs);
    toy_build(machine, &parameters, (const struct toy_program(*)[TOY_THREADS])programs);
    struct mnp_run_options options = toy_reference_options(machine);
    options.executor = &mnp_executor_openmp;
    options.threads = 2;
    struct toy_result result = {0};
    toy_observe(machine, &options, &result);
    assert_int_equal(result.stop, MNP_STOP_FINISHED);
    assert_true(comes_to(1));
    toy_release(machine);
    free(result.bytes);
    free(programs);
    free(machine);
}

/* The first thread may use the processors of all of OpenMP's places, as it could before the library was loaded. The
 * test is run with OMP_PROC_BIND, for which the library binds that thread to one place. */
static void test_first_thread_is_free(void **state)
{
    (void)state;
    cpu_set_t now;
    int processors = 0;
    assert_int_not_equal(omp_get_proc_bind(), omp_proc_bind_false);
    for (int i = 0; i < omp_get_num_places(); i++)
        processors += omp_get_place_num_procs(i);
    assert_true(processors > 0);
    assert_int_equal(sched_getaffinity(0, sizeof now, &now), 0);
    assert_int_equal(CPU_COUNT(&now), processors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_thread_is_free),
        cmocka_unit_test(test_no_thread_stays),
        cmocka_unit_test(test_first_thread_is_free), /* again */
    };
    return cmocka_run_group_tests_name("openmp", tests, NULL, NULL);
}
