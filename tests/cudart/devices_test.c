/* SPDX-License-Identifier: BSD-3-Clause */
/* Two devices in one process: each thing that a program makes belongs to one of them, and a reset of one leaves what
 * belongs to the other. The runtime's files are linked in, as programs are given one device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include "cudart/base/driver_contexts.h"
#include "cudart/device/device.h"
#include "cudart/device/memory_pools.h"
#include "cudart/device/modules.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/streams.h"

#include <stdlib.h>

static struct cudart *two_devices(void)
{
    struct cudart *rt = cudart_look();
    free(rt->devices);
    cudart_make_devices(rt, 2, NULL);
    cudart_leave_quietly(rt, CUDA_SUCCESS);
    return rt;
}

static void ordinals(void **state)
{
    struct cudart *rt = *state;
    for (int i = 0; i < 2; i++)
        assert_ptr_equal(cudart_device_at(rt, i), &rt->devices[i]);
    assert_null(cudart_device_at(rt, 2));
    assert_null(cudart_device_at(rt, -1));
    assert_ptr_equal(cudart_current_device(rt), &rt->devices[0]);
    cudart_thread()->device = 1;
    assert_ptr_equal(cudart_current_device(rt), &rt->devices[1]);
    cudart_thread()->device = 0;
}

static void contexts(void **state)
{
    struct cudart *rt = *state;
    uint64_t handle;
    assert_int_not_equal(cudart_retain_primary(rt, 0), cudart_retain_primary(rt, 1));
    assert_true(cudart_release_primary(rt, 1));
    assert_true(cudart_any_context(rt, 0));
    assert_false(cudart_any_context(rt, 1));
    uint64_t made = cudart_create_context(rt, 1, 0);
    assert_ptr_equal(cudart_current_device(rt), &rt->devices[1]);
    assert_true(cudart_pop_context(&handle));
    assert_int_equal(handle, made);
    assert_ptr_equal(cudart_current_device(rt), &rt->devices[0]);
    assert_true(cudart_destroy_context(rt, made));
    assert_true(cudart_release_primary(rt, 0));
}

/* The default streams are the current device's, and the legacy one waits for streams of its own device alone. */
static void streams(void **state)
{
    struct cudart *rt = *state;
    uint64_t stream[2], event[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(cudart_create_stream(&rt->devices[i], &stream[i], 0, 0), CUDA_SUCCESS);
        assert_int_equal(cudart_create_event(&rt->devices[i], &event[i], 0), CUDA_SUCCESS);
        assert_ptr_equal(cudart_any_stream(rt, stream[i])->device, &rt->devices[i]);
        cudart_thread()->device = (uint32_t)i;
        assert_ptr_equal(cudart_any_stream(rt, 0)->device, &rt->devices[i]);
        assert_true(cudart_is_legacy(rt, cudart_any_stream(rt, 0)));
    }
    assert_int_not_equal(stream[0], stream[1]);
    cudart_enqueue(rt, stream[0], CUDART_FREE);
    for (int i = 0; i < 2; i++) {
        cudart_thread()->device = (uint32_t)i;
        struct cudart_operation *operation = cudart_enqueue(rt, 0, CUDART_FREE);
        assert_ptr_equal(operation->device, &rt->devices[i]);
        assert_int_equal(cudart_may_begin(rt, cudart_any_stream(rt, 0), operation), i == 1);
    }
    cudart_retire(cudart_any_stream(rt, 0)); /* the second one's */
    cudart_thread()->device = 0;
    cudart_forget_streams(&rt->devices[1]);
    assert_false(cudart_stream_known(rt, stream[1]));
    assert_null(cudart_event_of(rt, event[1]));
    assert_non_null(cudart_any_stream(rt, stream[0])->first);
    assert_non_null(cudart_event_of(rt, event[0]));
    cudart_retire(cudart_any_stream(rt, stream[0]));
    cudart_retire(cudart_any_stream(rt, 0));
    cudart_forget_streams(&rt->devices[0]);
    assert_false(cudart_stream_known(rt, stream[0]));
}

static void pools(void **state)
{
    struct cudart *rt = *state;
    uint64_t made[2];
    assert_int_not_equal(cudart_default_pool(&rt->devices[0]), cudart_default_pool(&rt->devices[1]));
    for (int i = 0; i < 2; i++) {
        made[i] = cudart_create_pool(&rt->devices[i]);
        assert_int_equal(cudart_set_pool(&rt->devices[i], made[i]), CUDA_SUCCESS);
        assert_int_equal(cudart_destroy_pool(rt, cudart_default_pool(&rt->devices[i])), CUDA_INVALID_VALUE);
        cudart_pool_takes(rt, made[i], 0x1000 * (uint64_t)(i + 1), 0x1000);
    }
    cudart_forget_pools(&rt->devices[1]);
    assert_false(cudart_pool_known(rt, made[1]));
    assert_int_equal(cudart_current_pool(&rt->devices[1]), cudart_default_pool(&rt->devices[1]));
    assert_int_equal(cudart_current_pool(&rt->devices[0]), made[0]);
    assert_int_equal(rt->pooled.count, 1);
    cudart_forget_pools(&rt->devices[0]);
}

/* Registered code is on both devices, under one handle. */
static void code(void **state)
{
    static const struct cuda_wrapper wrapper;
    static const int host;
    struct cudart *rt = *state;
    struct cudart_module *module = cudart_register_module(rt, &wrapper);
    cudart_register_kernel(module, &host, "kernel");
    for (int i = 0; i < 2; i++) {
        const struct cudart_kernel *kernel = cudart_find_kernel(&rt->devices[i], &host);
        assert_non_null(kernel);
        assert_ptr_equal(kernel->module->device, &rt->devices[i]);
        assert_ptr_equal(kernel->module, cudart_module_on(module, &rt->devices[i]));
    }
}

int main(void)
{
    struct cudart *rt = two_devices();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(ordinals, rt), cmocka_unit_test_prestate(contexts, rt),
        cmocka_unit_test_prestate(streams, rt),  cmocka_unit_test_prestate(pools, rt),
        cmocka_unit_test_prestate(code, rt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
