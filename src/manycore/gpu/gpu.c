/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine that a GPU computes (executor cuda): opening it, running it over an epoch, and what it says after that. */
#include "manycore/gpu/gpu.h"
#include "manycore/gpu/kernel.h"
#include "manycore/mesh/place.h"

#include <stdlib.h>
#include <string.h>

/* ===== opening ===== */

/* Chooses as many thread blocks as can be resident together, and keeps them small while there are few: one warp on each
 * multiprocessor computes faster than several on one. */
static bool choose_grid(struct manycore_gpu *gpu, struct mnp_error *error)
{
    int processors = 0, resident = 0;
    CUresult problem =
        gpu->driver.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, gpu->driver.device);
    for (gpu->threads = MANYCORE_WARP; !problem; gpu->threads *= 2) {
        problem = gpu->driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&resident, gpu->run, (int)gpu->threads, 0);
        uint32_t most = (uint32_t)(resident * processors), wanted = (gpu->tiles + gpu->threads - 1) / gpu->threads;
        gpu->grid = wanted < most ? wanted : most;
        if (problem || resident == 0 || wanted <= (uint32_t)processors || gpu->threads == 128)
            break;
    }
    if (!problem && resident == 0)
        problem = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    return !problem || manycore_driver_fail(&gpu->driver, "asking for the GPU's size", problem, error);
}

static bool fill(struct manycore_gpu *gpu, struct mnp_error *error)
{
    const struct manycore_parameters *p = gpu->machine->parameters;
    const struct {
        CUfunction *function;
        const char *name;
    } kernels[] = {{&gpu->run, "manycore_run"},   {&gpu->visit, "manycore_visit"}, {&gpu->serve, "manycore_serve"},
                   {&gpu->look, "manycore_look"}, {&gpu->phase, "manycore_phase"}, {&gpu->finish, "manycore_finish"}};
    for (uint32_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        CUresult problem = gpu->driver.cuModuleGetFunction(kernels[i].function, gpu->driver.module, kernels[i].name);
        if (problem)
            return manycore_driver_fail(&gpu->driver, "finding a kernel", problem, error);
    }
    gpu->tiles = (uint32_t)p->tiles;
    gpu->warps = (gpu->tiles + MANYCORE_WARP - 1) / MANYCORE_WARP;
    gpu->pages = p->private_bytes / MANYCORE_PAGE;
    return choose_grid(gpu, error) && manycore_gpu_upload(gpu, error);
}

/* ===== running ===== */

/* Distributes the output of programs to the blocks of their tiles. */
static bool take_texts(struct manycore_gpu *gpu, const struct manycore_news *news, struct mnp_error *error)
{
    struct manycore_machine *machine = gpu->machine;
    uint64_t bytes = news->text_bytes < gpu->device.text_room ? news->text_bytes : gpu->device.text_room;
    if (news->texts_lost)
        return mnp_fail(error, "--executor cuda: the program writes more than %llu bytes within an epoch (%llu cycles)",
                        (unsigned long long)gpu->device.text_room, (unsigned long long)machine->parameters->epoch);
    unsigned char *all = mnp_allocate(bytes + 1, 1);
    CUresult problem =
        bytes ? gpu->driver.cuMemcpyDtoH_v2(all, gpu->arrays[MANYCORE_GPU_TEXTS].at, bytes) : CUDA_SUCCESS;
    for (uint64_t at = 0; at < bytes && !problem;) {
        struct manycore_text head;
        memcpy(&head, all + at, sizeof head);
        struct manycore_output output = {.cycle = head.cycle, .tile = head.tile, .bytes = head.bytes};
        output.text = mnp_allocate(head.bytes + 1u, 1);
        memcpy(output.text, all + at + sizeof head, head.bytes);
        manycore_output_keep(manycore_block_of(machine, head.tile), &output);
        at += sizeof head + (head.bytes + 7u) / 8 * 8;
    }
    free(all);
    return !problem || manycore_driver_fail(&gpu->driver, "reading what programs have written", problem, error);
}

/* The first fault: the tile of that number stands where it happened. */
static void take_fault(struct manycore_gpu *gpu, uint64_t fault)
{
    struct manycore_machine *machine = gpu->machine;
    uint32_t number = (uint32_t)(fault & 0xFFFF);
    machine->settle(gpu);
    for (uint32_t i = 0; i < machine->block_count; number -= machine->blocks[i++].tiles) {
        if (number >= machine->blocks[i].tiles)
            continue;
        struct mnp_error error = manycore_fault_error(&machine->blocks[i], number);
        mnp_unit_fault(machine->blocks[i].unit, mnp_edge(machine->parameters->clock, fault >> 16), &error);
        return;
    }
}

static void nothing_to_do(struct manycore_gpu *gpu)
{
    struct mnp_engine *engine = &gpu->machine->engine;
    for (uint32_t i = 0; i < engine->unit_count; i++)
        atomic_store(&engine->wake[i], MNP_NEVER);
}

/* Tells the engine how far the machine has come; one unit speaks for all. */
static void tell(struct manycore_gpu *gpu, const struct manycore_news *news)
{
    struct manycore_machine *machine = gpu->machine;
    uint64_t clock = machine->parameters->clock;
    struct mnp_unit *unit = machine->blocks[0].unit;
    unit->progress = mnp_edge(clock, news->progress);
    unit->due = mnp_edge(clock, news->due);
    machine->engine.device.clocks = news->clocks;
    machine->engine.device.mesh_clocks = news->mesh_clocks;
    unit->ended = news->exited;
    unit->last_end = mnp_edge(clock, news->last_exit);
    nothing_to_do(gpu);
    if (news->next != UINT64_MAX)
        atomic_store(&machine->engine.wake[unit->id], mnp_edge(clock, news->next));
}

/* One launch of all threads; kernels that take no cycle leave it alone. */
static CUresult launch(struct manycore_gpu *gpu, CUfunction kernel, uint64_t cycle)
{
    CUdeviceptr device = gpu->arrays[MANYCORE_GPU_DEVICE].at;
    void *parameters[] = {&device, &cycle};
    return gpu->driver.cuLaunchCooperativeKernel(kernel, gpu->grid, 1, 1, gpu->threads, 1, 1, 0, NULL, parameters);
}

/* Looks for the least time that any tile waits for, for the next access to the global space, and for cores that have
 * found an access. */
static CUresult look(struct manycore_gpu *gpu, uint64_t cycle, uint64_t *found)
{
    CUdeviceptr at = gpu->arrays[MANYCORE_GPU_DEVICE].at;
    CUresult problem = launch(gpu, gpu->look, cycle);
    gpu->last = cycle;
    if (!problem)
        problem = gpu->driver.cuMemcpyDtoH_v2(&found[0], at + offsetof(struct manycore_device, vote), sizeof *found);
    if (!problem)
        problem = gpu->driver.cuMemcpyDtoH_v2(&found[1], at + offsetof(struct manycore_device, serve), sizeof *found);
    if (!problem && gpu->free)
        problem = gpu->driver.cuMemcpyDtoH_v2(&gpu->pending, at + offsetof(struct manycore_device, pending), 8);
    return problem;
}

/* The same outside of a visit, which leaves nothing of an earlier look. */
static CUresult look_again(struct manycore_gpu *gpu, uint64_t *found)
{
    static const uint64_t never = UINT64_MAX, none = 0;
    CUdeviceptr at = gpu->arrays[MANYCORE_GPU_DEVICE].at;
    CUresult problem = gpu->driver.cuMemcpyHtoD_v2(at + offsetof(struct manycore_device, vote), &never, 8);
    if (!problem)
        problem = gpu->driver.cuMemcpyHtoD_v2(at + offsetof(struct manycore_device, serve), &never, 8);
    if (!problem)
        problem = gpu->driver.cuMemcpyHtoD_v2(at + offsetof(struct manycore_device, pending), &none, 8);
    return problem ? problem : look(gpu, gpu->last, found);
}

/* Cores run freely until one of them finds an access, and those behind it catch up (mesh/free.h). */
static CUresult run_freely(struct manycore_gpu *gpu, uint64_t *found)
{
    CUdeviceptr at = gpu->arrays[MANYCORE_GPU_DEVICE].at + offsetof(struct manycore_device, free);
    struct manycore_free all = {UINT64_MAX, UINT64_MAX};
    CUresult problem = CUDA_SUCCESS;
    for (uint32_t phase = 0; phase < 2 && !problem && (phase == 0 || all.flag != UINT64_MAX); phase++) {
        all.bound = all.flag;
        problem = gpu->driver.cuMemcpyHtoD_v2(at, &all, sizeof all);
        if (!problem)
            problem = launch(gpu, gpu->phase, 0);
        if (!problem)
            problem = gpu->driver.cuMemcpyDtoH_v2(&all, at, sizeof all);
    }
    return problem ? problem : look_again(gpu, found);
}

/* Goes from cycle to cycle up to the end. */
static CUresult step(struct manycore_gpu *gpu)
{
    struct manycore_device *device = &gpu->device;
    CUdeviceptr at = gpu->arrays[MANYCORE_GPU_DEVICE].at;
    uint64_t found[2] = {device->news.next, device->serve[2]};
    CUresult problem = CUDA_SUCCESS;
    while (!problem && found[0] < device->until) {
        if (gpu->free && !gpu->pending && gpu->last != UINT64_MAX)
            problem = run_freely(gpu, found);
        uint64_t cycle = found[0];
        if (problem || cycle >= device->until)
            break;
        problem = launch(gpu, gpu->visit, cycle);
        if (!problem && found[1] == cycle)
            problem = launch(gpu, gpu->serve, cycle);
        if (!problem)
            problem = look(gpu, cycle, found);
    }
    if (!problem && gpu->free && gpu->last != UINT64_MAX) {
        problem = launch(gpu, gpu->finish, 0);
        if (!problem)
            problem = look_again(gpu, found);
    }
    if (!problem)
        problem = gpu->driver.cuMemcpyHtoD_v2(at + offsetof(struct manycore_device, news.next), &found[0], 8);
    if (!problem)
        problem = gpu->driver.cuMemcpyHtoD_v2(at + offsetof(struct manycore_device, serve[2]), &found[1], 8);
    return problem;
}

static bool run_on(struct manycore_gpu *gpu, struct mnp_error *error)
{
    CUdeviceptr device = gpu->arrays[MANYCORE_GPU_DEVICE].at;
    CUresult problem = gpu->driver.cuMemcpyHtoD_v2(device, &gpu->device, sizeof gpu->device);
    if (!problem)
        problem = gpu->relaunch ? step(gpu) : launch(gpu, gpu->run, 0);
    if (!problem)
        problem = gpu->driver.cuCtxSynchronize();
    if (!problem)
        problem = gpu->driver.cuMemcpyDtoH_v2(&gpu->device, device, sizeof gpu->device);
    return !problem || manycore_driver_fail(&gpu->driver, "running the machine", problem, error);
}

static bool advance(void *context, mnp_time until, struct mnp_error *error)
{
    struct manycore_gpu *gpu = context;
    struct manycore_news *news = &gpu->device.news;
    uint64_t from = gpu->until;
    bool hashes = gpu->machine->engine.options.hash_epochs;
    manycore_gpu_take_transit(gpu);
    gpu->until = gpu->device.until = mnp_cycle_at(gpu->machine->parameters->clock, until);
    news->text_bytes = 0;
    gpu->device.vote[0] = gpu->device.vote[1] = gpu->device.vote[2] = UINT64_MAX;
    gpu->device.serve[0] = gpu->device.serve[1] = UINT64_MAX;
    if (!run_on(gpu, error) || !take_texts(gpu, news, error) ||
        (hashes && !manycore_gpu_count_transit(gpu, from, error))) {
        gpu->stale = false; /* no read of the device: the run ends with the state that the host had of it */
        nothing_to_do(gpu);
        return false;
    }
    gpu->stale = true;
    tell(gpu, news);
    if (news->fault != UINT64_MAX)
        take_fault(gpu, news->fault);
    return true;
}

/* Lets the device note where the translation is entered, which the host cannot know. */
static bool note_entries(struct manycore_gpu *gpu, struct mnp_error *error)
{
    CUfunction enter;
    void *parameters[] = {&gpu->arrays[MANYCORE_GPU_TRANSLATED].at};
    CUresult problem = gpu->driver.cuModuleGetFunction(&enter, gpu->driver.module, "manycore_enter");
    if (!problem)
        problem = gpu->driver.cuLaunchCooperativeKernel(enter, 1, 1, 1, 1, 1, 1, 0, NULL, parameters);
    if (!problem)
        problem = gpu->driver.cuCtxSynchronize();
    return !problem || manycore_driver_fail(&gpu->driver, "entering the translation", problem, error);
}

/* Brings the host's state to where the device is. */
static void settle(struct manycore_gpu *gpu)
{
    struct mnp_error error = {""};
    if (!gpu->stale)
        return;
    gpu->stale = false;
    if (manycore_gpu_download(gpu, &error) && manycore_gpu_place_transit(gpu, &error)) {
        for (uint32_t i = 0; i < gpu->machine->block_count; i++)
            manycore_router_settle(&gpu->machine->blocks[i]);
        return;
    }
    if (gpu->machine->engine.fault_time != MNP_NEVER)
        return;
    gpu->machine->engine.fault_time = gpu->machine->engine.now;
    gpu->machine->engine.error = error;
}

bool manycore_gpu_open(struct manycore_machine *machine, const struct mnp_executor *executor, const char *translated,
                       struct mnp_error *error)
{
    struct manycore_gpu *gpu = machine->gpu = mnp_allocate(1, sizeof *gpu);
    machine->settle = settle;
    gpu->machine = machine;
    gpu->relaunch = executor->relaunch;
    gpu->free = executor->free;
    gpu->last = UINT64_MAX;
    gpu->translated = translated != NULL;
    char *kernels = translated ? NULL : manycore_kernel_text(error);
    const char *text = translated ? translated : kernels;
    bool opened = text && manycore_driver_open(&gpu->driver, text, error);
    mnp_unpacked_free(kernels);
    if (!opened || !fill(gpu, error) || (translated && !note_entries(gpu, error)))
        return false;
    machine->engine.device = (struct mnp_device_hook){.advance = advance, .context = gpu};
    return true;
}

void manycore_gpu_close(struct manycore_machine *machine)
{
    struct manycore_gpu *gpu = machine->gpu;
    if (!gpu)
        return;
    for (uint32_t i = 0; i < MANYCORE_GPU_ARRAYS; i++)
        if (gpu->arrays[i].at)
            gpu->driver.cuMemFree_v2(gpu->arrays[i].at);
    free(gpu);
    machine->gpu = NULL;
}
