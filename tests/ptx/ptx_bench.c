/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the PTX front-end on the tiled product of kernels.cu: `ptx_bench [N [MACHINE]]`. CPU time per warp
 * instruction of execution alone, and of a run with time: what execution and recording add to the simulation.
 */
#include "bench.h"

#include "engine/executors/executor.h"
#include "frontend/ptx/source.h"
#include "gpu/gpu.h"
#include "machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

struct product {
    struct bench bench;
    const struct ptx_code *code;
    uint64_t a, b, c;
    int n;
    uint32_t grid[3], block[3];
};

/* The source asks the real one, and its time is counted. */
struct watched {
    struct mnp_source source;
    struct mnp_source *real;
    double seconds;
};

static double seconds_since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static void open_product(struct product *product, int n)
{
    *product = (struct product){.n = n, .grid = {(uint32_t)n / 16, (uint32_t)n / 16, 1}, .block = {16, 16, 1}};
    bench_open(&product->bench, KERNELS, NULL);
    product->code = ptx_program_kernel(&product->bench.program, "gemm", &product->bench.error);
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    product->a = bench_buffer(&product->bench, NULL, bytes);
    product->b = bench_buffer(&product->bench, NULL, bytes);
    product->c = bench_buffer(&product->bench, NULL, bytes);
}

static void run_alone(int n)
{
    struct product p;
    open_product(&p, n);
    clock_t start = clock();
    bench_run3(&p.bench, "gemm", p.grid, p.block, 0, (const void *const[]){&p.a, &p.b, &p.c, &p.n});
    double seconds = seconds_since(start), steps = (double)p.bench.device.steps;
    printf("execution: %.0f warp instructions, %.1f ns each, %.0f million thread instructions/s, lanes %s\n", steps,
           seconds * 1e9 / steps, steps * 32 / seconds / 1e6, ptx_lanes_best()->level);
    bench_close(&p.bench);
}

static bool watched_next(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error)
{
    struct watched *watched = (struct watched *)source;
    clock_t start = clock();
    bool good = watched->real->next(watched->real, command, error);
    watched->seconds += seconds_since(start);
    return good;
}

static void watched_done(struct mnp_source *source, struct mnp_kernel *kernel)
{
    struct watched *watched = (struct watched *)source;
    watched->real->kernel_done(watched->real, kernel);
}

static void run_with_time(int n, const char *machine)
{
    struct product p;
    struct mnp_results results;
    struct mnp_error error = {{0}};
    open_product(&p, n);
    struct mnp_source *real = ptx_source_open(&p.bench.device, 86);
    ptx_source_launch(real, p.code, p.grid, p.block, 0, (const void *const[]){&p.a, &p.b, &p.c, &p.n}, &error);
    struct watched watched = {.source = *real, .real = real};
    watched.source.next = watched_next;
    watched.source.kernel_done = watched_done;
    struct mnp_settings_source source = {.machine = machine, .built_in = mnp_built_in_machines};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    struct gpu_run_options options = {.executor = &mnp_executor_window, .threads = 1};
    mnp_results_init(&results, MNP_QUIET);
    clock_t start = clock();
    if (!settings || !gpu_run(settings, &watched.source, &options, &results, &error))
        fail_msg("%s", error.text);
    double seconds = seconds_since(start), steps = (double)p.bench.device.steps;
    printf("%s: execution and recording %.0f ns, simulation %.0f ns per warp instruction; together %.2f times the "
           "simulation\n",
           machine, watched.seconds * 1e9 / steps, (seconds - watched.seconds) * 1e9 / steps,
           seconds / (seconds - watched.seconds));
    results.machine = NULL;
    mnp_results_release(&results);
    mnp_settings_free(settings);
    real->close(real);
    bench_close(&p.bench);
}

int main(int count, char **values)
{
    int n = count > 1 ? atoi(values[1]) / 16 * 16 : 256;
    if (n < 16 || n > 4096)
        return 2;
    run_alone(n);
    run_with_time(n, count > 2 ? values[2] : "rtx3080ti");
    return 0;
}
