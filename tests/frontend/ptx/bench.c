/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench.h"

#include "../../data/read_text.h"

#include "execute/live/source.h"
#include "timed.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void bench_open(struct bench *bench, const char *path, const char *text)
{
    bench_open_in(bench, NULL, 0, path, text);
}

void bench_open_in(struct bench *bench, struct mnp_memory *memory, uint32_t number, const char *path, const char *text)
{
    memset(bench, 0, sizeof *bench);
    char *read = NULL;
    size_t length = text ? strlen(text) : 0;
    if (path) {
        read = read_text(path, 1 << 22, &length, &bench->error);
        assert_non_null(read);
        text = read;
    }
    FILE *out = open_memstream(&bench->printed, &bench->printed_size);
    if (memory)
        execute_device_init_in(&bench->device, memory, number, out);
    else
        execute_device_init(&bench->device, 4096, out);
    bool good = ptx_program_load(&bench->program, &bench->device, path ? "kernels.ptx" : "test.ptx", text, length,
                                 &bench->error);
    free(read);
    if (!good)
        fail_msg("%s", bench->error.text);
}

void bench_close(struct bench *bench)
{
    ptx_program_unload(&bench->program, &bench->device);
    fclose(bench->device.out);
    free(bench->printed);
    execute_device_release(&bench->device);
}

uint64_t bench_buffer(struct bench *bench, const void *data, size_t bytes)
{
    uint64_t address = execute_device_allocate(&bench->device, bytes);
    assert_true(address != 0);
    if (data)
        assert_true(execute_device_write(&bench->device, address, data, bytes));
    return address;
}

void bench_read(struct bench *bench, uint64_t address, void *data, size_t bytes)
{
    assert_true(execute_device_read(&bench->device, address, data, bytes));
}

bool bench_timed(void)
{
    return getenv("BENCH_TIMED") != NULL;
}

static bool launch_timed(struct bench *bench, const struct execute_launch *launch)
{
    struct mnp_results results;
    struct mnp_source *source = execute_source_open(&bench->device, 80);
    struct timed_how how = {.executor = &mnp_executor_window, .threads = 2};
    execute_source_queue(source, launch);
    bool good = timed_run(bench, source, &how, &results);
    if (good && results.end != MNP_END_FINISHED)
        good = mnp_fail(&bench->error, "the run ends as %s: %s", mnp_end_name(results.end),
                        results.report ? results.report : "");
    mnp_results_release(&results);
    source->close(source);
    return good;
}

bool bench_launch(struct bench *bench, const struct execute_launch *launch)
{
    return bench_timed() ? launch_timed(bench, launch) : execute_device_run(&bench->device, launch, &bench->error);
}

bool bench_run3(struct bench *bench, const char *kernel, const uint32_t grid[3], const uint32_t block[3],
                uint32_t shared, const void *const *arguments)
{
    unsigned char storage[4096];
    struct execute_launch launch;
    const struct execute_code *code = ptx_program_kernel(&bench->program, kernel, &bench->error);
    if (!code)
        fail_msg("%s", bench->error.text);
    bool good = execute_launch_prepare(&launch, code, grid, block, shared, arguments, storage, &bench->error) &&
                bench_launch(bench, &launch);
    fflush(bench->device.out);
    return good;
}

bool bench_run(struct bench *bench, const char *kernel, uint32_t blocks, uint32_t threads, uint32_t shared,
               const void *const *arguments)
{
    const uint32_t grid[3] = {blocks, 1, 1}, block[3] = {threads, 1, 1};
    return bench_run3(bench, kernel, grid, block, shared, arguments);
}

uint64_t bench_random(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

void bench_add(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    size_t length = strlen(text);
    va_start(arguments, format);
    vsnprintf(text + length, room - length, format, arguments);
    va_end(arguments);
}
