/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/mtrace/decode.h"
#include "frontend/mtrace/directory.h"
#include "frontend/shared/open_kernels.h"
#include "frontend/shared/spill.h"

#define XXH_STATIC_LINKING_ONLY
#include <inttypes.h>
#include <xxhash.h>

struct packed_trace {
    struct mnp_source source; /* the first member */
    struct mnp_mtrace_options options;
    struct file file;
    struct directory directory;
    uint64_t next_command;
    uint32_t launches;
    struct packed_kernel *ahead; /* the first kernel, opened to learn its architecture */
    struct open_kernels open;    /* handed out and not done */
    struct spill spill;
};

static struct packed_trace *trace_of(const struct mnp_source *source)
{
    return (struct packed_trace *)source;
}

bool mtrace_recognise(const void *bytes, size_t length)
{
    return length >= MAGIC_BYTES && memcmp(bytes, head_magic, MAGIC_BYTES) == 0;
}

static bool next(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error)
{
    struct packed_trace *trace = trace_of(source);
    *command = (struct mnp_command){.kind = MNP_COMMAND_END};
    if (trace->next_command == trace->directory.count)
        return true;
    const struct packed_command *packed = &trace->directory.commands[trace->next_command];
    *command = (struct mnp_command){.kind = packed->kind, .address = packed->address, .bytes = packed->bytes};
    if (packed->kind == MNP_COMMAND_KERNEL) {
        struct packed_kernel *kernel = trace->ahead;
        trace->ahead = NULL;
        if (!kernel)
            kernel = mtrace_kernel_open(&trace->file, &packed->kernel, trace->launches + 1, &trace->options, error);
        if (!kernel)
            return false;
        trace->launches++;
        source->still_copies += kernel->copies;
        shared_open_kernels_add(&trace->open, kernel);
        command->kernel = &kernel->kernel;
    }
    trace->next_command++;
    return true;
}

static bool upcoming(const struct mnp_source *source, struct mnp_upcoming *upcoming)
{
    const struct packed_trace *trace = trace_of(source);
    if (trace->next_command == trace->directory.count ||
        trace->directory.commands[trace->next_command].kind != MNP_COMMAND_KERNEL)
        return false;
    const struct packed_command *commands = trace->directory.commands;
    uint64_t place = trace->next_command, before = place;
    while (before > 0 && commands[before - 1].kind != MNP_COMMAND_KERNEL)
        before--;
    uint64_t begin = before ? commands[before - 1].kernel.offset : 0; /* descriptions stand behind their kernels */
    *upcoming =
        (struct mnp_upcoming){trace->launches + 1, trace->launches + 1, 1, commands[place].kernel.offset - begin};
    return true;
}

static void pass_over(struct mnp_source *source)
{
    struct packed_trace *trace = trace_of(source);
    if (trace->ahead)
        mtrace_kernel_close(trace->ahead);
    trace->ahead = NULL;
    trace->launches++;
    trace->next_command++;
}

/* Moves the warps of a CTA to the file. */
static bool spill_cta(struct packed_trace *trace, struct mnp_cta_code *code, struct mnp_error *error)
{
    struct cta_block *block = code->owner;
    struct spilled *spilled = shared_spilled_start(&trace->spill, code->warp_count);
    bool good = true;
    for (uint32_t warp = 0; good && warp < code->warp_count; warp++)
        if (code->warps[warp].count)
            good = shared_spilled_add(spilled, warp, &code->warps[warp], error);
    block = mnp_reallocate(block, sizeof *block + code->warp_count * sizeof *code->warps, 1);
    *block = (struct cta_block){.spilled = spilled};
    code->owner = block;
    code->warps = (struct mnp_warp_stream *)(block + 1);
    return good;
}

static void release_cta(struct mnp_source *source, struct mnp_cta_code *code)
{
    struct packed_trace *trace = trace_of(source);
    struct cta_block *block = code->owner;
    if (block) {
        spill_go(&trace->spill, block->bytes);
        if (block->spilled)
            shared_spilled_free(block->spilled);
    }
    free(block);
    *code = (struct mnp_cta_code){0};
}

static bool load_cta(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                     struct mnp_error *error)
{
    struct packed_trace *trace = trace_of(source);
    struct packed_kernel *packed = kernel->owner;
    struct scratch *scratch;
    struct reader reader;
    const char *what;
    if (packed->unknown)
        return mnp_fail_at(error, trace->file.path, 0,
                           "opcode %s of kernel %" PRIu32 " is not known; use --unknown=alu to treat it as an integer "
                           "operation",
                           packed->unknown, kernel->id);
    struct group *group = mtrace_groups_take(&packed->groups, cta, &scratch, error);
    if (!group)
        return false;
    bool good = mtrace_group_find(&trace->file, group, cta, &reader, error);
    if (good && !mtrace_decode_cta(packed, &scratch->predictor, reader, cta, code, &what))
        good = mtrace_fail_in(&trace->file, group->block.offset, error,
                              "thread block %" PRIu64 " of kernel %" PRIu32 ", in the group that begins here, %s", cta,
                              kernel->id, what);
    mtrace_groups_give_back(&packed->groups, group, scratch);
    if (!good)
        return false;
    __atomic_fetch_add(&source->unknown_opcodes, atomic_exchange(&packed->unknown_records, 0), __ATOMIC_RELAXED);
    uint64_t bytes = ((struct cta_block *)code->owner)->bytes;
    bool stays = spill_has_room(&trace->spill, bytes);
    spill_come(&trace->spill, stays ? bytes : 0);
    if (stays || spill_cta(trace, code, error))
        return true;
    release_cta(source, code);
    return false;
}

static void kernel_done(struct mnp_source *source, struct mnp_kernel *kernel)
{
    struct packed_trace *trace = trace_of(source);
    struct packed_kernel *packed = kernel->owner;
    shared_open_kernels_remove(&trace->open, packed);
    mtrace_kernel_close(packed);
}

static void close_trace(struct mnp_source *source)
{
    struct packed_trace *trace = trace_of(source);
    for (struct packed_kernel *packed; (packed = shared_open_kernels_take(&trace->open));)
        mtrace_kernel_close(packed);
    if (trace->ahead)
        mtrace_kernel_close(trace->ahead);
    mtrace_directory_close(&trace->file, &trace->directory);
    shared_spill_release(&trace->spill);
    free(trace);
}

static const char *opcode_name(const struct mnp_source *source, uint16_t opcode)
{
    return trace_of(source)->options.decoder->opcode_name(opcode);
}

static const char *instruction_text(const struct mnp_source *source, const struct mnp_kernel *kernel,
                                    const struct mnp_cta_code *code, uint32_t index, uint32_t *length)
{
    (void)source;
    (void)code;
    const struct packed_kernel *packed = kernel->owner;
    if (index >= packed->index_count || !packed->texts[index].form)
        return NULL;
    *length = packed->texts[index].length;
    return packed->text + packed->texts[index].offset;
}

/* Opens the first kernel ahead, so that the architecture is known before the machine is chosen. */
static bool look_ahead(struct packed_trace *trace, struct mnp_error *error)
{
    const struct packed_command *first = trace->directory.commands;
    while (first->kind != MNP_COMMAND_KERNEL)
        first++;
    trace->ahead = mtrace_kernel_open(&trace->file, &first->kernel, 1, &trace->options, error);
    if (!trace->ahead)
        return false;
    trace->source.architecture = trace->ahead->kernel.architecture;
    return true;
}

static uint64_t hash_of(const struct packed_trace *trace)
{
    uint64_t hash = trace->file.length;
    for (uint64_t i = 0; i < trace->directory.count; i++) {
        const struct packed_command *command = &trace->directory.commands[i];
        const uint64_t numbers[] = {command->kind, command->address, command->bytes, command->kernel.offset,
                                    command->kernel.checksum};
        hash = XXH3_64bits_withSeed(numbers, sizeof numbers, hash);
    }
    return hash;
}

struct mnp_source *mtrace_open(const char *path, const struct mnp_mtrace_options *options, struct mnp_error *error)
{
    struct packed_trace *trace = mnp_allocate(1, sizeof *trace);
    trace->options = *options;
    shared_spill_init(&trace->spill, options->memory);
    trace->source = (struct mnp_source){.next = next,
                                        .upcoming = upcoming,
                                        .pass_over = pass_over,
                                        .load_cta = load_cta,
                                        .release_cta = release_cta,
                                        .kernel_done = kernel_done,
                                        .close = close_trace,
                                        .opcode_name = opcode_name,
                                        .instruction_text = instruction_text};
    if (mtrace_directory_open(&trace->file, path, &trace->directory, error)) {
        trace->source.kernel_count = trace->directory.kernels;
        trace->source.input_bytes = trace->file.length;
        trace->source.input_hash = hash_of(trace);
        if (look_ahead(trace, error))
            return &trace->source;
    }
    close_trace(&trace->source);
    return NULL;
}
