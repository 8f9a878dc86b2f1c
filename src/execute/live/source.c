/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A source whose kernels execute while they are simulated. Launches are queued by a host program or by `maniple`; the
 * machine takes them one by one (source_next) and may work on several at a time, which are the list `kept`. Launch
 * number n is entry n - 1 of the queue; entries of launches that were skipped are NULL, and entries are kept until the
 * source is closed, because kernels refer to their launches.
 */
#include "execute/live/source.h"

#include "execute/memory/multicast.h"

#include "base/arena.h"
#include "execute/code/language.h"
#include "execute/code/timing.h"
#include "execute/device/journal.h"
#include "execute/live/live.h"

#include <stdlib.h>
#include <string.h>

struct queued {
    struct execute_launch launch;
    unsigned char *parameters;
    uint64_t stream;
};

struct kept_kernel { /* a kernel that the models work on */
    struct mnp_kernel kernel;
    const struct execute_launch *launch;
    struct execute_timing *timing;
    struct kept_kernel *older;
};

struct source {
    struct mnp_source base;
    struct execute_device *device;
    struct execute_live *live;
    struct mnp_array queue;   /* struct queued * */
    struct kept_kernel *kept; /* those handed out, newest first */
    uint32_t next;
    uint64_t stream; /* stream of later launches */
    bool waits;      /* more launches may be queued */
};

static struct queued *queued_at(const struct source *source, uint32_t index)
{
    return ((struct queued **)source->queue.items)[index];
}

static void free_kept(struct kept_kernel *kept)
{
    execute_timing_drop(kept->timing);
    free(kept);
}

/* Describes a launch for the machine. */
static struct kept_kernel *describe(struct source *source, const struct queued *queued)
{
    const struct execute_launch *launch = &queued->launch;
    struct kept_kernel *kept = mnp_allocate(1, sizeof *kept);
    struct mnp_kernel *kernel = &kept->kernel;
    snprintf(kernel->name, sizeof kernel->name, "%s", launch->code->name);
    kernel->id = source->next;
    memcpy(kernel->grid, launch->grid, sizeof kernel->grid);
    memcpy(kernel->block, launch->block, sizeof kernel->block);
    memcpy(kernel->cluster, launch->cluster, sizeof kernel->cluster);
    kernel->cta_count = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    kernel->threads = launch->threads;
    kernel->shared_bytes = launch->shared_bytes - launch->code->shared_system; /* the machine adds the system's part */
    kernel->registers = launch->registers;
    /* machine code since Volta has 16 bytes per instruction */
    kernel->code_bytes = (uint64_t)launch->code->ops.count * 16;
    kernel->has_control = launch->code->has_control;
    kernel->pairs = launch->code->pairs;
    kernel->early = launch->early;
    kernel->prepared = launch->prepared;
    kernel->queued = launch->queued;
    kernel->records = launch->records;
    kernel->code = launch->code->module->language->name;
    kernel->architecture = source->base.architecture;
    kernel->shared_base = EXECUTE_SHARED_WINDOW;
    kernel->local_base = EXECUTE_LOCAL_WINDOW;
    kernel->stream = queued->stream;
    kernel->owner = kept;
    kept->launch = launch;
    kept->timing = execute_timing_hold(launch->code);
    return kept;
}

/* ===== the interface of sources ===== */

static bool source_next(struct mnp_source *base, struct mnp_command *command, struct mnp_error *error)
{
    struct source *source = (struct source *)base;
    *command = (struct mnp_command){.kind = source->waits ? MNP_COMMAND_NONE : MNP_COMMAND_END};
    if (source->next == source->queue.count)
        return true;
    const struct queued *queued = queued_at(source, source->next++);
    const struct execute_launch *launch = &queued->launch;
    struct kept_kernel *kept = describe(source, queued);
    if (launch->code->ops.count >> MNP_INDEX_BITS) {
        mnp_fail(
            error,
            "kernel %s has %u operations, and models of time have kernels of fewer than %u; run it with --functional",
            kept->kernel.name, launch->code->ops.count, 1u << MNP_INDEX_BITS);
        free_kept(kept);
        return false;
    }
    kept->older = source->kept;
    source->kept = kept;
    *command = (struct mnp_command){.kind = MNP_COMMAND_KERNEL, .kernel = &kept->kernel};
    return true;
}

/* Launches that are gone are the only ones known before they are handed out. */
static bool source_upcoming(const struct mnp_source *base, struct mnp_upcoming *upcoming)
{
    const struct source *source = (const struct source *)base;
    if (source->next == source->queue.count || queued_at(source, source->next))
        return false;
    *upcoming = (struct mnp_upcoming){.launch = source->next + 1, .first = source->next + 1, .times = 1, .gone = true};
    return true;
}

static void source_pass_over(struct mnp_source *base)
{
    ((struct source *)base)->next++;
}

/* Reports the copies and fills that the device has recorded since the last call (device.copied), one by one. */
static bool source_copied(struct mnp_source *base, struct mnp_command *command)
{
    struct execute_device *device = ((struct source *)base)->device;
    if (device->told == device->copied.count)
        return false;
    const struct execute_copied *copied = (const struct execute_copied *)device->copied.items + device->told++;
    *command = (struct mnp_command){.kind = MNP_COMMAND_COPY,
                                    .address = copied->address,
                                    .bytes = copied->bytes,
                                    .rows = copied->rows,
                                    .pitch = copied->pitch};
    return true;
}

/* A machine has been built: live CTAs of a former machine are dropped. */
static void source_prepare(struct mnp_source *base, uint32_t cores)
{
    struct source *source = (struct source *)base;
    execute_live_close(source->live);
    source->live = execute_live_open(source->device, cores);
}

static void source_between(struct mnp_source *base)
{
    execute_live_between(((struct source *)base)->live);
}

static bool source_load(struct mnp_source *base, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                        struct mnp_error *error)
{
    const struct kept_kernel *kept = kernel->owner;
    (void)error;
    execute_live_start(((struct source *)base)->live, kept->launch, cta, kept->timing->instructions, code);
    return true;
}

static void source_release(struct mnp_source *base, struct mnp_cta_code *code)
{
    (void)base;
    execute_live_release(code);
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
    execute_live_close(source->live);
    for (uint32_t i = 0; i < source->queue.count; i++) {
        if (queued_at(source, i)) /* true for launches that were not skipped */
            free(queued_at(source, i)->parameters);
        free(queued_at(source, i));
    }
    free(source->queue.items);
    free(source);
}

static const char *source_opcode(const struct mnp_source *base, uint16_t opcode)
{
    (void)base;
    return execute_kind_name(opcode);
}

static struct execute_location locate(const struct mnp_kernel *kernel, uint32_t index)
{
    const struct execute_code *code = ((const struct kept_kernel *)kernel->owner)->launch->code;
    return code->module->language->locate(code, index);
}

static const char *source_text(const struct mnp_source *base, const struct mnp_kernel *kernel,
                               const struct mnp_cta_code *code, uint32_t index, uint32_t *length)
{
    const char *text = locate(kernel, index).text;
    (void)base, (void)code;
    *length = text ? (uint32_t)strlen(text) : 0;
    return text;
}

static void source_print(const struct mnp_source *base, const struct mnp_kernel *kernel, uint32_t index, char *text,
                         size_t room)
{
    const struct execute_code *code = ((const struct kept_kernel *)kernel->owner)->launch->code;
    char whole[EXECUTE_TEXT];
    (void)base;
    code->module->language->print(code, index, whole);
    snprintf(text, room, "%s", whole);
}

/* Prefers the line in the source that was compiled; without it, the line in the PTX text. Where a function of another
 * file is inlined, as of the compiler's headers, the line that calls it comes first: `a.cu:12 (header.hpp:107)`. */
static bool source_place(const struct mnp_source *base, const struct mnp_kernel *kernel, uint32_t index, char *text,
                         size_t room)
{
    struct execute_location location = locate(kernel, index);
    const struct execute_source_line *source = &location.source, *caller = &location.caller;
    (void)base;
    const char *file = source->file ? source->file : location.line ? location.file : NULL;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (source->file && caller->file && strcmp(source->file, caller->file) != 0)
        snprintf(text, room, "%s:%u (%s:%u)", caller->file, caller->line, slash ? slash + 1 : file, source->line);
    else if (file)
        snprintf(text, room, "%s:%u", file, source->file ? source->line : location.line);
    return file;
}

struct mnp_source *execute_source_open(struct execute_device *device, uint32_t architecture)
{
    struct source *source = mnp_allocate(1, sizeof *source);
    source->device = device;
    source->base = (struct mnp_source){.copied = source_copied,
                                       .next = source_next,
                                       .upcoming = source_upcoming,
                                       .pass_over = source_pass_over,
                                       .load_cta = source_load,
                                       .release_cta = source_release,
                                       .kernel_done = source_done,
                                       .close = source_close,
                                       .opcode_name = source_opcode,
                                       .memory = device->memory,
                                       .prepare = source_prepare,
                                       .between = source_between,
                                       .atomic = execute_live_atomic,
                                       .combine = execute_reduce_values,
                                       .instruction_text = source_text,
                                       .instruction_print = source_print,
                                       .instruction_place = source_place,
                                       .architecture = architecture};
    return &source->base;
}

void execute_source_set_stream(struct mnp_source *base, uint64_t stream)
{
    struct source *source = (struct source *)base;
    source->waits = true;
    source->stream = stream;
}

void execute_source_skip(struct mnp_source *base, uint32_t count)
{
    struct source *source = (struct source *)base;
    mnp_array_add(&source->queue, count, sizeof(struct queued *));
    source->next += count;
    source->base.skipped = source->next;
}

void execute_source_queue_gone(struct mnp_source *base)
{
    mnp_array_add(&((struct source *)base)->queue, 1, sizeof(struct queued *));
}

void execute_source_queue(struct mnp_source *base, const struct execute_launch *launch)
{
    struct source *source = (struct source *)base;
    struct queued *queued = mnp_allocate(1, sizeof *queued);
    queued->stream = source->stream;
    queued->parameters = mnp_allocate((size_t)launch->code->parameter_bytes + 16, 1);
    memcpy(queued->parameters, launch->parameters, launch->code->parameter_bytes);
    queued->launch = *launch;
    queued->launch.parameters = queued->parameters;
    *(struct queued **)mnp_array_add(&source->queue, 1, sizeof queued) = queued;
    queued->launch.number = source->queue.count;
    base->kernel_count++;
    execute_note_launch(source->device, launch, source->stream);
}

bool execute_source_launch(struct mnp_source *base, const struct execute_code *code, const uint32_t grid[3],
                           const uint32_t block[3], uint32_t dynamic_shared, const void *const *arguments,
                           struct mnp_error *error)
{
    struct execute_launch launch;
    unsigned char *parameters = mnp_allocate((size_t)code->parameter_bytes + 16, 1);
    bool good = execute_launch_prepare(&launch, code, grid, block, dynamic_shared, arguments, parameters, error);
    if (good)
        execute_source_queue(base, &launch);
    free(parameters);
    return good;
}

void execute_source_warnings(const struct mnp_source *base, struct mnp_log *log)
{
    execute_live_warnings(((const struct source *)base)->live, log);
}

size_t execute_source_take_output(struct mnp_source *base, void **bytes)
{
    return execute_live_take_output(((struct source *)base)->live, bytes);
}
