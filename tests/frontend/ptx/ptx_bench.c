/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Speed of the PTX front-end on the tiled product of kernels.cu: `ptx_bench [N [MACHINE]]`. CPU time per warp
 * instruction of execution alone, of a run with time in which it executes, and of one that replays the same stream from
 * a trace in memory.
 */
#include "bench.h"

#include "engine/executors/executor.h"
#include "execute/live/source.h"
#include "execute/trace/record.h"
#include "frontend/ptx/time/timing.h"
#include "gpu/system/kind.h"
#include "machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

struct product {
    struct bench bench;
    const struct execute_code *code;
    uint64_t a, b, c;
    int n;
    uint32_t grid[3], block[3];
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
           seconds * 1e9 / steps, steps * 32 / seconds / 1e6, execute_words_best()->level);
    bench_close(&p.bench);
}

/* ===== the same stream as a trace in memory ===== */

struct stream { /* of a warp, growing */
    struct mnp_array records, addresses;
};

struct recorded {
    struct mnp_source source;
    struct mnp_kernel kernel;
    struct mnp_static_instruction *instructions;
    struct stream *streams; /* [cta_count · warps] */
    uint32_t warps;
    bool given;
};

static void keep(struct stream *to, const struct execute_code *code, const struct execute_record *from)
{
    struct mnp_record *record = mnp_array_add(&to->records, 1, sizeof *record);
    uint64_t words[32];
    uint8_t flags = 0;
    uint32_t count = execute_record_addresses(code, from, words, &flags);
    *record = (struct mnp_record){.mask = from->mask,
                                  .index = from->op & ((1u << MNP_INDEX_BITS) - 1),
                                  .address_words = count & 63,
                                  .record_flags = flags & 7};
    if (record->address_words)
        memcpy(mnp_array_add(&to->addresses, record->address_words, sizeof *words), words,
               record->address_words * sizeof *words);
}

static void record_cta(struct product *p, struct recorded *recorded, const struct execute_launch *launch,
                       uint64_t number)
{
    struct execute_record record;
    struct execute_cta *cta = execute_device_start(&p->bench.device, launch, number);
    while (cta->ended_warps < cta->warp_count)
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            struct execute_warp *warp = &cta->warps[i];
            warp->record = &record;
            while (warp->status == EXECUTE_RUNNING)
                if (execute_warp_run(warp, 1))
                    keep(&recorded->streams[number * recorded->warps + i], launch->code, &record);
            warp->record = NULL;
        }
}

static bool recorded_next(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error)
{
    struct recorded *recorded = (struct recorded *)source;
    (void)error;
    *command = (struct mnp_command){.kind = recorded->given ? MNP_COMMAND_END : MNP_COMMAND_KERNEL,
                                    .kernel = &recorded->kernel};
    recorded->given = true;
    return true;
}

static bool recorded_load(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                          struct mnp_error *error)
{
    struct recorded *recorded = (struct recorded *)source;
    (void)error;
    code->warp_count = recorded->warps;
    code->block[0] = (uint32_t)(cta % kernel->grid[0]);
    code->block[1] = (uint32_t)(cta / kernel->grid[0]);
    code->warps = realloc(code->warps, recorded->warps * sizeof *code->warps);
    for (uint32_t i = 0; i < recorded->warps; i++) {
        const struct stream *stream = &recorded->streams[cta * recorded->warps + i];
        code->warps[i] = (struct mnp_warp_stream){
            .records = stream->records.items, .count = stream->records.count, .addresses = stream->addresses.items};
    }
    code->instructions = recorded->instructions;
    return true;
}

static void recorded_release(struct mnp_source *source, struct mnp_cta_code *code)
{
    (void)source;
    free(code->warps);
    code->warps = NULL;
}

static void recorded_done(struct mnp_source *source, struct mnp_kernel *kernel)
{
    (void)source;
    (void)kernel;
}

static const char *recorded_opcode(const struct mnp_source *source, uint16_t opcode)
{
    (void)source;
    return execute_kind_name(opcode);
}

static void record(struct product *p, struct recorded *recorded, const struct mnp_source *live)
{
    struct execute_launch launch;
    unsigned char storage[64];
    uint32_t ctas = p->grid[0] * p->grid[1];
    execute_launch_prepare(&launch, p->code, p->grid, p->block, 0, (const void *const[]){&p->a, &p->b, &p->c, &p->n},
                           storage, &p->bench.error);
    *recorded = (struct recorded){.source = {.next = recorded_next,
                                             .load_cta = recorded_load,
                                             .release_cta = recorded_release,
                                             .kernel_done = recorded_done,
                                             .opcode_name = recorded_opcode,
                                             .architecture = live->architecture,
                                             .kernel_count = 1},
                                  .kernel = {.name = "gemm",
                                             .id = 1,
                                             .grid = {p->grid[0], p->grid[1], 1},
                                             .block = {16, 16, 1},
                                             .cta_count = ctas,
                                             .threads = launch.threads,
                                             .shared_bytes = launch.shared_bytes,
                                             .registers = p->code->registers,
                                             .architecture = live->architecture,
                                             .shared_base = EXECUTE_SHARED_WINDOW,
                                             .local_base = EXECUTE_LOCAL_WINDOW},
                                  .instructions = ptx_timing_instructions(p->code),
                                  .warps = launch.warps,
                                  .streams = calloc((size_t)ctas * launch.warps, sizeof(struct stream))};
    for (uint32_t i = 0; i < ctas; i++)
        record_cta(p, recorded, &launch, i);
}

static void forget(struct recorded *recorded)
{
    for (uint64_t i = 0; i < recorded->kernel.cta_count * recorded->warps; i++) {
        free(recorded->streams[i].records.items);
        free(recorded->streams[i].addresses.items);
    }
    free(recorded->streams);
    free(recorded->instructions);
}

/* ===== runs with time ===== */

/* CPU seconds of a run; its cycles and warp instructions. */
static double simulate(struct mnp_source *kernels, const char *machine, uint64_t *cycles, uint64_t *instructions)
{
    struct mnp_results results;
    struct mnp_error error = {{0}};
    struct mnp_settings_source source = {.machine = machine, .built_in = mnp_built_in_machines};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    struct mnp_session_options options = {.request = {.executor = &mnp_executor_window, .threads = 1}};
    mnp_results_init(&results, MNP_QUIET);
    clock_t start = clock();
    if (!settings ||
        !mnp_session_run_all(&gpu_kind, settings, &(struct mnp_work){.source = kernels}, &options, &results, &error))
        fail_msg("%s", error.text);
    double seconds = seconds_since(start);
    *cycles = mnp_statistics_get(&results.parts[0]->statistics, "gpu_sim_cycle");
    *instructions = mnp_statistics_get(&results.parts[0]->statistics, "gpgpu_n_tot_w_icount");
    results.machine = NULL;
    mnp_results_release(&results);
    mnp_settings_free(settings);
    return seconds;
}

static void run_with_time(int n, const char *machine)
{
    struct product p;
    struct recorded recorded;
    uint64_t cycles[2], instructions[2];
    open_product(&p, n);
    struct mnp_source *live = execute_source_open(&p.bench.device, 86);
    execute_source_launch(live, p.code, p.grid, p.block, 0, (const void *const[]){&p.a, &p.b, &p.c, &p.n},
                          &p.bench.error);
    double executing = simulate(live, machine, &cycles[0], &instructions[0]);
    record(&p, &recorded, live);
    double replaying = simulate(&recorded.source, machine, &cycles[1], &instructions[1]);
    printf("%s: %lu warp instructions; executed %.0f ns each, %lu cycles; from a trace in memory %.0f ns each, %lu "
           "cycles; %.2f times\n",
           machine, (unsigned long)instructions[0], executing * 1e9 / (double)instructions[0], (unsigned long)cycles[0],
           replaying * 1e9 / (double)instructions[1], (unsigned long)cycles[1], executing / replaying);
    forget(&recorded);
    live->close(live);
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
