/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/ptx/source.h"

#include "base/arena.h"
#include "frontend/ptx/timing.h"

#include <stdlib.h>
#include <string.h>

/* Bytes that the instructions of one kernel may take. */
#define MOST_BYTES (UINT64_C(8) << 30)

struct queued {
    struct ptx_launch launch;
    unsigned char *parameters;
    uint64_t stream;
};

struct warp_record {            /* one warp's instructions, growing */
    struct ptx_array records;   /* struct mnp_record */
    struct ptx_array addresses; /* uint64_t */
};

struct kept_kernel { /* a kernel that the models work on */
    struct mnp_kernel kernel;
    struct mnp_static_instruction *instructions;
    struct warp_record *warps; /* [cta_count · warps] */
    uint32_t warps_per_cta;
    struct kept_kernel *older;
};

struct source {
    struct mnp_source base;
    struct ptx_device *device;
    struct ptx_array queue;   /* struct queued */
    struct kept_kernel *kept; /* those handed out, newest first */
    uint32_t next;
    uint64_t stream; /* of launches to come */
    bool waits;      /* there may be more of them */
};

/* ===== execution ===== */

struct recording {
    struct kept_kernel *kept;
    const struct ptx_launch *launch;
    uint64_t bytes;
    uint64_t cta;
};

static void keep(struct warp_record *to, const struct ptx_code *code, const struct ptx_record *from,
                 const struct ptx_local_place *local)
{
    struct mnp_record *record = ptx_array_add(&to->records, 1, sizeof *record);
    uint64_t words[32];
    *record = (struct mnp_record){.mask = from->mask, .index = (uint16_t)from->op};
    uint32_t count = ptx_timing_addresses(code, from, local, words, &record->record_flags);
    record->address_words = (uint8_t)count;
    if (count)
        memcpy(ptx_array_add(&to->addresses, count, sizeof *words), words, count * sizeof *words);
}

/* Executes one CTA step by step; warps take turns as in ptx_cta_run. */
static bool record_cta(struct source *source, struct recording *recording, struct mnp_error *error)
{
    struct ptx_device *device = source->device;
    struct ptx_record record;
    struct ptx_cta *cta = ptx_device_start(device, recording->launch, recording->cta);
    bool progressed = true;
    while (progressed && cta->ended_warps < cta->warp_count && !ptx_cta_is_polling(cta)) {
        progressed = false;
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            struct ptx_warp *warp = &cta->warps[i];
            uint64_t number = recording->cta * recording->kept->warps_per_cta + i;
            struct ptx_local_place local = {.warp = number, .bytes = warp->local_bytes};
            warp->record = &record;
            for (uint32_t step = 0; warp->status == PTX_RUNNING && step < 4096; step++) {
                progressed = true;
                if (!ptx_warp_run(warp, 1))
                    continue; /* the last lanes have gone */
                keep(&recording->kept->warps[number], recording->launch->code, &record, &local);
                device->steps++;
                recording->bytes += sizeof(struct mnp_record);
            }
            warp->record = NULL;
            if (warp->status == PTX_FAULTED)
                return ptx_device_report(device, true, error);
        }
        if (recording->bytes > MOST_BYTES)
            return mnp_fail(error, "kernel %s executes more than 2^30 warp instructions; run a smaller problem",
                            recording->kept->kernel.name);
    }
    return ptx_device_report(device, cta->ended_warps == cta->warp_count, error);
}

static void free_kept(struct kept_kernel *kept)
{
    for (uint64_t i = 0; kept->warps && i < kept->kernel.cta_count * kept->warps_per_cta; i++) {
        free(kept->warps[i].records.items);
        free(kept->warps[i].addresses.items);
    }
    free(kept->warps);
    free(kept->instructions);
    free(kept);
}

static struct kept_kernel *describe(struct source *source, const struct queued *queued)
{
    const struct ptx_launch *launch = &queued->launch;
    const struct ptx_function *entry = ptx_function_at(launch->code->module, launch->code->entry);
    struct kept_kernel *kept = mnp_allocate(1, sizeof *kept);
    struct mnp_kernel *kernel = &kept->kernel;
    snprintf(kernel->name, sizeof kernel->name, "%s", ptx_name_text(launch->code->module, entry->name));
    kernel->id = source->next;
    memcpy(kernel->grid, launch->grid, sizeof kernel->grid);
    memcpy(kernel->block, launch->block, sizeof kernel->block);
    kernel->cta_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    kernel->threads = launch->threads;
    kernel->shared_bytes = launch->shared_bytes;
    kernel->registers = launch->code->registers;
    kernel->architecture = source->base.architecture;
    kernel->shared_base = PTX_SHARED_WINDOW;
    kernel->local_base = PTX_LOCAL_WINDOW;
    kernel->stream = queued->stream;
    kernel->owner = kept;
    kept->warps_per_cta = launch->warps;
    kept->warps = mnp_allocate(kernel->cta_count * launch->warps, sizeof *kept->warps);
    return kept;
}

/* ===== the interface of sources ===== */

static bool source_next(struct mnp_source *base, struct mnp_command *command, struct mnp_error *error)
{
    struct source *source = (struct source *)base;
    *command = (struct mnp_command){.kind = source->waits ? MNP_COMMAND_NONE : MNP_COMMAND_END};
    if (source->next == source->queue.count)
        return true;
    struct queued *queued = (struct queued *)source->queue.items + source->next++;
    struct kept_kernel *kept = describe(source, queued);
    struct recording recording = {.kept = kept, .launch = &queued->launch};
    bool good = queued->launch.code->ops.count <= UINT16_MAX ||
                mnp_fail(error, "kernel %s has more than 65535 operations", kept->kernel.name);
    if (good)
        kept->instructions = ptx_timing_instructions(queued->launch.code);
    for (; good && recording.cta < kept->kernel.cta_count; recording.cta++)
        good = record_cta(source, &recording, error);
    if (!good) {
        free_kept(kept);
        return false;
    }
    kept->older = source->kept;
    source->kept = kept;
    *command = (struct mnp_command){.kind = MNP_COMMAND_KERNEL, .kernel = &kept->kernel};
    return true;
}

static bool source_load(struct mnp_source *base, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                        struct mnp_error *error)
{
    const struct kept_kernel *kept = kernel->owner;
    (void)base;
    (void)error;
    code->warp_count = kept->warps_per_cta;
    code->block[0] = (uint32_t)(cta % kernel->grid[0]);
    code->block[1] = (uint32_t)(cta / kernel->grid[0] % kernel->grid[1]);
    code->block[2] = (uint32_t)(cta / kernel->grid[0] / kernel->grid[1]);
    code->warps = mnp_reallocate(code->warps, kept->warps_per_cta, sizeof *code->warps);
    for (uint32_t i = 0; i < kept->warps_per_cta; i++) {
        const struct warp_record *warp = &kept->warps[cta * kept->warps_per_cta + i];
        code->warps[i] = (struct mnp_warp_stream){
            .records = warp->records.items, .count = warp->records.count, .addresses = warp->addresses.items};
    }
    code->instructions = kept->instructions;
    return true;
}

static void source_release(struct mnp_source *base, struct mnp_cta_code *code)
{
    (void)base;
    free(code->warps);
    code->warps = NULL;
}

static void source_done(struct mnp_source *base, struct mnp_kernel *kernel)
{
    struct kept_kernel **link = &((struct source *)base)->kept;
    while (*link != kernel->owner)
        link = &(*link)->older;
    *link = (*link)->older;
    free_kept(kernel->owner);
}

static void source_close(struct mnp_source *base)
{
    struct source *source = (struct source *)base;
    while (source->kept) /* a run that was stopped leaves some */
        source_done(base, &source->kept->kernel);
    for (uint32_t i = 0; i < source->queue.count; i++)
        free(((struct queued *)source->queue.items)[i].parameters);
    free(source->queue.items);
    free(source);
}

static const char *source_opcode(const struct mnp_source *base, uint16_t opcode)
{
    (void)base;
    return ptx_timing_opcode(opcode);
}

struct mnp_source *ptx_source_open(struct ptx_device *device, uint32_t architecture)
{
    struct source *source = mnp_allocate(1, sizeof *source);
    source->device = device;
    source->base = (struct mnp_source){.next = source_next,
                                       .load_cta = source_load,
                                       .release_cta = source_release,
                                       .kernel_done = source_done,
                                       .close = source_close,
                                       .opcode_name = source_opcode,
                                       .architecture = architecture};
    return &source->base;
}

void ptx_source_set_stream(struct mnp_source *base, uint64_t stream)
{
    struct source *source = (struct source *)base;
    source->waits = true;
    source->stream = stream;
}

bool ptx_source_launch(struct mnp_source *base, const struct ptx_code *code, const uint32_t grid[3],
                       const uint32_t block[3], uint32_t dynamic_shared, const void *const *arguments,
                       struct mnp_error *error)
{
    struct source *source = (struct source *)base;
    struct queued queued = {.stream = source->stream,
                            .parameters = mnp_allocate((size_t)code->parameter_bytes + 16, 1)};
    if (!ptx_launch_prepare(&queued.launch, code, grid, block, dynamic_shared, arguments, queued.parameters, error)) {
        free(queued.parameters);
        return false;
    }
    *(struct queued *)ptx_array_add(&source->queue, 1, sizeof queued) = queued;
    base->kernel_count++;
    return true;
}
