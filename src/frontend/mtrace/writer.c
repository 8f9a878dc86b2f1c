/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writer of a packed trace, from any source. Memory is bounded: one CTA, one group, and the index of groups. Data that
 * is only known at the end of a kernel is written behind its groups, and the list of kernels at the end of the file, so
 * that the file is written sequentially.
 */
#include "base/allocate.h"
#include "base/file.h"
#include "frontend/mtrace/catalogue.h"
#include "frontend/mtrace/directory.h"
#include "frontend/mtrace/encode.h"
#include "frontend/mtrace/mtrace.h"

#include <errno.h>
#include <inttypes.h>
#include <zstd.h>

struct writer {
    struct mnp_source *source;
    struct mnp_output output;
    struct block_writer blocks;
    struct encoder encoder;
    struct catalogue catalogue;
    struct bytes commands;
    struct bytes group, ends; /* the CTAs of the group being filled, and where each ends */
    struct bytes groups;      /* index of the kernel's groups, in the format of its description */
    uint64_t group_ctas, group_count;
    bool (*stop)(void *context);
    void *context;
    struct mnp_mtrace_written *written;
    struct mnp_error *error;
};

static bool too_long(const struct writer *writer, const char *what)
{
    return mnp_fail_at(writer->error, writer->output.path, 0,
                       "%s needs over 1 GiB; trace a smaller part of the program", what);
}

/* ===== groups ===== */

/* Writes the group that has been filled. */
static bool end_group(struct writer *writer)
{
    if (writer->group_ctas == 0)
        return true;
    struct block block;
    put_bytes(&writer->ends, writer->group.data, writer->group.length);
    if (!mtrace_block_write(&writer->blocks, &writer->ends, &block))
        return too_long(writer, "a group of thread blocks");
    mtrace_put_block(&writer->groups, &block);
    put64(&writer->groups, writer->group_ctas);
    writer->group_count++;
    writer->group_ctas = writer->group.length = writer->ends.length = 0;
    /* A full disk stops the conversion here and not after hours. */
    if (ferror(writer->output.stream))
        return mnp_fail_at(writer->error, writer->output.path, 0, "cannot write: %s; nothing of it was kept",
                           strerror(errno ? errno : EIO));
    return true;
}

static bool add_cta(struct writer *writer, const struct mnp_kernel *kernel, uint64_t cta,
                    const struct mnp_cta_code *code)
{
    struct mnp_cta_code named;
    if (!mtrace_catalogue_add(&writer->catalogue, writer->source, kernel, code, &named))
        return mnp_fail_at(writer->error, writer->output.path, 0,
                           "thread block %" PRIu64 " of kernel %" PRIu32 " cannot be packed: with it the kernel has "
                           "over 65,535 different static instructions; run the text of the trace instead",
                           cta, kernel->id);
    if (!mtrace_encode_cta(&writer->encoder, kernel, cta, &named, &writer->group))
        return mnp_fail_at(writer->error, writer->output.path, 0,
                           "thread block %" PRIu64 " of kernel %" PRIu32 " cannot be packed: it has too many "
                           "instructions, or addresses that do not match its lanes; trace again",
                           cta, kernel->id);
    if (writer->group.length > UINT32_MAX)
        return too_long(writer, "a thread block");
    put32(&writer->ends, (uint32_t)writer->group.length);
    writer->group_ctas++;
    if (writer->group.length >= GROUP_TARGET || writer->group_ctas == MOST_GROUP_CTAS)
        return end_group(writer);
    return true;
}

/* ===== kernels ===== */

/* The data behind the launch of a kernel: its instructions, their texts, and the PCs that do not follow from an
 * instruction's index. */
struct listing {
    struct bytes entries, text, elsewhere;
    uint32_t instructions, elsewhere_count;
};

static void list_instructions(const struct writer *writer, struct listing *listing)
{
    const struct catalogue *catalogue = &writer->catalogue;
    for (uint32_t index = 0; index < MOST_INDEXES; index++) {
        const struct catalogue_entry *entry = &catalogue->entries[index];
        uint32_t known = writer->encoder.forms[index];
        if (!entry->used)
            continue;
        put32(&listing->entries,
              index | (known < 2 ? (uint32_t)FORM_NONE : known - 2) << 16 | (uint32_t)entry->length << 24);
        put_bytes(&listing->text, catalogue->text.data + entry->offset, entry->length);
        listing->instructions++;
        if (catalogue_at_home(catalogue, index))
            continue;
        put32(&listing->elsewhere, index);
        put32(&listing->elsewhere, entry->pc);
        listing->elsewhere_count++;
    }
}

static void put_launch(const struct mnp_kernel *kernel, struct bytes *out)
{
    for (int i = 0; i < 3; i++)
        put32(out, kernel->grid[i]);
    for (int i = 0; i < 3; i++)
        put32(out, kernel->block[i]);
    put32(out, kernel->shared_bytes);
    put32(out, kernel->registers);
    put32(out, kernel->architecture);
}

static bool put_kernel(struct writer *writer, const struct mnp_kernel *kernel, uint64_t warp_instructions)
{
    struct bytes raw = {0};
    struct listing listing = {0};
    struct packed_command command = {.kind = MNP_COMMAND_KERNEL};
    uint32_t name = (uint32_t)strnlen(kernel->name, MOST_NAME);
    list_instructions(writer, &listing);
    put_launch(kernel, &raw);
    put32(&raw, name);
    put32(&raw, listing.instructions);
    put32(&raw, (uint32_t)listing.text.length);
    put64(&raw, writer->group_count);
    put64(&raw, kernel->stream);
    put64(&raw, kernel->shared_base);
    put64(&raw, kernel->local_base);
    put64(&raw, kernel->cta_count);
    put64(&raw, warp_instructions);
    put32(&raw, listing.elsewhere_count);
    while (raw.length < KERNEL_BYTES)
        put8(&raw, 0);
    put_bytes(&raw, kernel->name, name);
    put_bytes(&raw, listing.entries.data, listing.entries.length);
    put_bytes(&raw, listing.text.data, listing.text.length);
    put_bytes(&raw, listing.elsewhere.data, listing.elsewhere.length);
    put_bytes(&raw, writer->groups.data, writer->groups.length);
    bool good =
        mtrace_block_write(&writer->blocks, &raw, &command.kernel) || too_long(writer, "the description of a kernel");
    mtrace_put_command(&writer->commands, &command);
    bytes_free(&raw);
    bytes_free(&listing.entries);
    bytes_free(&listing.text);
    bytes_free(&listing.elsewhere);
    return good;
}

static bool write_kernel(struct writer *writer, struct mnp_kernel *kernel)
{
    mtrace_encoder_start(&writer->encoder);
    mtrace_catalogue_start(&writer->catalogue);
    writer->groups.length = writer->group_count = 0;
    uint64_t warp_instructions = 0;
    struct mnp_cta_code code = {0};
    bool good = true;
    for (uint64_t cta = 0; good && cta < kernel->cta_count; cta++) {
        if (writer->stop && writer->stop(writer->context))
            return mnp_fail(writer->error, "interrupted; nothing was written");
        good = writer->source->load_cta(writer->source, kernel, cta, &code, writer->error);
        if (!good)
            break;
        good = add_cta(writer, kernel, cta, &code);
        for (uint32_t warp = 0; warp < code.warp_count; warp++)
            warp_instructions += code.warps[warp].count;
        writer->source->release_cta(writer->source, &code);
    }
    writer->written->kernels++;
    writer->written->ctas += kernel->cta_count;
    writer->written->warp_instructions += warp_instructions;
    good = good && end_group(writer) && put_kernel(writer, kernel, warp_instructions);
    return good;
}

/* ===== the file ===== */

static bool write_commands(struct writer *writer)
{
    for (;;) {
        struct mnp_command command;
        if (!writer->source->next(writer->source, &command, writer->error))
            return false;
        if (command.kind == MNP_COMMAND_END)
            return true;
        if (command.kind == MNP_COMMAND_COPY) {
            mtrace_put_command(
                &writer->commands,
                &(struct packed_command){.kind = MNP_COMMAND_COPY, .address = command.address, .bytes = command.bytes});
            continue;
        }
        bool good = write_kernel(writer, command.kernel);
        writer->source->kernel_done(writer->source, command.kernel);
        if (!good)
            return false;
    }
}

bool mtrace_write(struct mnp_source *source, const char *path, bool (*stop)(void *context), void *context,
                  struct mnp_mtrace_written *written, struct mnp_error *error)
{
    *written = (struct mnp_mtrace_written){0};
    struct writer writer = {.source = source, .stop = stop, .context = context, .written = written, .error = error};
    if (!mnp_output_open(&writer.output, path, error))
        return false;
    mtrace_encoder_init(&writer.encoder);
    mtrace_catalogue_init(&writer.catalogue);
    writer.blocks = (struct block_writer){.stream = writer.output.stream, .zstd = ZSTD_createCCtx()};
    MNP_NEED_MEMORY(writer.blocks.zstd, "zstd");
    mtrace_put_head(&writer.blocks);
    bool good = write_commands(&writer) &&
                (mtrace_put_directory(&writer.blocks, &writer.commands) || too_long(&writer, "the list of commands")) &&
                mnp_output_finish(&writer.output, error) && mnp_output_commit(&writer.output, error);
    written->bytes = writer.blocks.offset;
    mnp_output_discard(&writer.output);
    mtrace_encoder_release(&writer.encoder);
    mtrace_catalogue_release(&writer.catalogue);
    ZSTD_freeCCtx(writer.blocks.zstd);
    bytes_free(&writer.blocks.packed);
    bytes_free(&writer.commands);
    bytes_free(&writer.group);
    bytes_free(&writer.ends);
    bytes_free(&writer.groups);
    return good;
}
