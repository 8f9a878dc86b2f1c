/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/mtrace/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* ===== writing ===== */

static void write_bytes(struct block_writer *writer, const struct bytes *bytes)
{
    fwrite(bytes->data, 1, bytes->length, writer->stream);
    writer->offset += bytes->length;
}

void mtrace_put_head(struct block_writer *writer)
{
    struct bytes head = {0};
    put_bytes(&head, head_magic, MAGIC_BYTES);
    put32(&head, MTRACE_VERSION);
    put32(&head, 0);
    write_bytes(writer, &head);
    bytes_free(&head);
}

void mtrace_put_command(struct bytes *out, const struct packed_command *command)
{
    size_t before = out->length;
    put64(out, command->kind);
    if (command->kind == MNP_COMMAND_KERNEL) {
        mtrace_put_block(out, &command->kernel);
    } else {
        put64(out, command->address);
        put64(out, command->bytes);
    }
    while (out->length < before + COMMAND_BYTES)
        put8(out, 0);
}

bool mtrace_put_directory(struct block_writer *writer, const struct bytes *raw)
{
    struct block block;
    struct bytes foot = {0};
    if (!mtrace_block_write(writer, raw, &block))
        return false;
    mtrace_put_block(&foot, &block);
    put64(&foot, writer->offset + FOOT_BYTES);
    put64(&foot, 0);
    put64(&foot, XXH3_64bits(foot.data, foot.length));
    put_bytes(&foot, foot_magic, MAGIC_BYTES);
    write_bytes(writer, &foot);
    bytes_free(&foot);
    return true;
}

/* ===== reading ===== */

static bool check_head(const struct file *file, struct mnp_error *error)
{
    uint8_t head[HEAD_BYTES];
    if (file->length < HEAD_BYTES + FOOT_BYTES)
        return mtrace_fail_in(file, file->length, error, "the file ends here, shorter than any packed trace");
    if (!mtrace_read_at(file, 0, head, sizeof head, error))
        return false;
    if (memcmp(head, head_magic, MAGIC_BYTES) != 0)
        return mtrace_fail_in(file, 0, error, "this is no packed trace");
    uint32_t version = load32(head + MAGIC_BYTES);
    if (version != MTRACE_VERSION)
        return mnp_fail_at(error, file->path, 0,
                           "at byte %d: version %" PRIu32 " of the format is not known, %d is; use a newer maniple, or "
                           "convert the trace again with this one",
                           MAGIC_BYTES, version, MTRACE_VERSION);
    if (load32(head + MAGIC_BYTES + 4) != 0)
        return mtrace_fail_in(file, MAGIC_BYTES + 4, error, "the head is damaged");
    return true;
}

static bool read_foot(const struct file *file, struct block *directory, struct mnp_error *error)
{
    uint8_t foot[FOOT_BYTES];
    uint64_t at = file->length - FOOT_BYTES;
    if (!mtrace_read_at(file, at, foot, sizeof foot, error))
        return false;
    if (memcmp(foot + FOOT_BYTES - MAGIC_BYTES, foot_magic, MAGIC_BYTES) != 0)
        return mtrace_fail_in(file, at, error, "the file does not end as a packed trace does: it is truncated");
    if (XXH3_64bits(foot, FOOT_BYTES - 16) != load64(foot + FOOT_BYTES - 16))
        return mtrace_fail_in(file, at, error, "the end of the file has a wrong checksum");
    struct reader reader = {.at = foot, .end = foot + sizeof foot};
    mtrace_get_block(&reader, directory);
    uint64_t length = get64(&reader);
    if (length != file->length)
        return mtrace_fail_in(file, at, error, "the file has %" PRIu64 " bytes instead of %" PRIu64, file->length,
                              length);
    return true;
}

static bool read_command(const struct file *file, uint64_t at, struct reader *reader, struct packed_command *command,
                         struct mnp_error *error)
{
    struct reader entry = {.at = get_bytes(reader, COMMAND_BYTES)};
    entry.end = entry.at + COMMAND_BYTES;
    uint64_t kind = get64(&entry);
    if (kind != MNP_COMMAND_COPY && kind != MNP_COMMAND_KERNEL)
        return mtrace_fail_in(file, at, error, "the list of commands has one of the unknown kind %" PRIu64, kind);
    command->kind = (enum mnp_command_kind)kind;
    if (kind == MNP_COMMAND_KERNEL) {
        mtrace_get_block(&entry, &command->kernel);
    } else {
        command->address = get64(&entry);
        command->bytes = get64(&entry);
    }
    return true;
}

static bool read_commands(struct file *file, const struct block *block, struct directory *directory,
                          struct mnp_error *error)
{
    uint8_t *raw = mtrace_block_read(file, block, "the list of commands", error);
    if (!raw)
        return false;
    struct reader reader = {.at = raw, .end = raw + block->raw};
    bool good = true;
    directory->count = block->raw / COMMAND_BYTES;
    if (block->raw % COMMAND_BYTES)
        good = mtrace_fail_in(file, block->offset, error, "the list of commands ends in the midst of one");
    directory->commands = mnp_allocate(directory->count, sizeof *directory->commands);
    for (uint64_t i = 0; good && i < directory->count; i++) {
        good = read_command(file, block->offset, &reader, &directory->commands[i], error);
        directory->kernels += directory->commands[i].kind == MNP_COMMAND_KERNEL;
    }
    if (good && directory->kernels == 0)
        good = mtrace_fail_in(file, block->offset, error, "the list of commands has no kernel");
    free(raw);
    return good;
}

bool mtrace_directory_open(struct file *file, const char *path, struct directory *directory, struct mnp_error *error)
{
    struct block block;
    struct stat about;
    *directory = (struct directory){0};
    *file = (struct file){.descriptor = open(path, O_RDONLY | O_CLOEXEC)};
    file->path = mnp_allocate(strlen(path) + 1, 1);
    strcpy(file->path, path);
    bool good = file->descriptor >= 0 && fstat(file->descriptor, &about) == 0;
    if (!good) {
        mnp_fail_at(error, path, 0, "cannot be opened: %s", strerror(errno));
    } else if (!S_ISREG(about.st_mode)) {
        good = mnp_fail_at(error, path, 0, "is no file; a packed trace is read at many places, so save it first");
    } else {
        file->length = (uint64_t)about.st_size;
        good =
            check_head(file, error) && read_foot(file, &block, error) && read_commands(file, &block, directory, error);
    }
    if (!good)
        mtrace_directory_close(file, directory);
    return good;
}

void mtrace_directory_close(struct file *file, struct directory *directory)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    free(file->path);
    free(directory->commands);
    ZSTD_freeDCtx(file->spare);
    *file = (struct file){.descriptor = -1};
    *directory = (struct directory){0};
}
