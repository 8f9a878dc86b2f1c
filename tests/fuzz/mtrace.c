/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target of the reader of packed traces. Checksums and compression would keep a fuzzer out, so the first byte says
 * which part of a file its bytes stand for, and the rest of the file is made to match, so that they get far into it.
 * Whatever is accepted, packed again, gives the same records.
 */
#include "frontend/mtrace/mtrace.h"
#include "base/arena.h"
#include "base/error.h"
#include "frontend/mtrace/directory.h"
#include "frontend/sass_trace/sass_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum part { PART_FILE, PART_COMMANDS, PART_KERNEL, PART_GROUP, PART_CTA, PARTS };

enum { MOST_CTAS = 64, MOST_KERNELS = 8 };

static const char *const texts[] = {"1 R1 LDG.E 1 R2 ", "0 STG.E.64 2 R2 R4 ", "1 R3 IADD3 2 R3 R4 ", "1 R5 LDS 1 R6 ",
                                    "0 EXIT 0 ",        "0 FROB 0 ",           "1 R3 FFMA 0 ",        "0 BRA 0 "};
enum { TEXTS = sizeof texts / sizeof *texts };

/* ===== a file around the bytes ===== */

/* A description of a kernel of one block of 64 threads, whose only group is `group`. */
static void describe(struct bytes *raw, const struct block *group)
{
    uint32_t text = 0;
    for (int i = 0; i < 3; i++)
        put32(raw, 1);
    const uint32_t numbers[] = {64, 1, 1, 0, 32, 80, 1, TEXTS};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        put32(raw, numbers[i]);
    for (uint32_t i = 0; i < TEXTS; i++)
        text += (uint32_t)strlen(texts[i]);
    put32(raw, text);
    const uint64_t more[] = {1, 0, 0, 0, 1, 0}; /* groups, stream, bases, CTAs, warp instructions */
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        put64(raw, more[i]);
    while (raw->length < KERNEL_BYTES)
        put8(raw, 0);
    put8(raw, 'k');
    for (uint32_t i = 0; i < TEXTS; i++)
        put32(raw, i | (i < 3 ? i : 0) << 16 | (uint32_t)strlen(texts[i]) << 24);
    for (uint32_t i = 0; i < TEXTS; i++)
        put_bytes(raw, texts[i], strlen(texts[i]));
    mtrace_put_block(raw, group);
    put64(raw, 1);
}

static void write_around(struct block_writer *writer, enum part part, const uint8_t *data, size_t size)
{
    struct bytes group = {0}, kernel = {0}, commands = {0};
    struct packed_command command = {.kind = MNP_COMMAND_KERNEL};
    struct block block;
    if (part == PART_CTA)
        put32(&group, (uint32_t)size);
    if (part >= PART_GROUP)
        put_bytes(&group, data, size);
    mtrace_block_write(writer, &group, &block);
    describe(&kernel, &block);
    if (part == PART_KERNEL) {
        kernel.length = 0;
        put_bytes(&kernel, data, size);
    }
    mtrace_block_write(writer, &kernel, &command.kernel);
    mtrace_put_command(&commands, &command);
    if (part == PART_COMMANDS) {
        commands.length = 0;
        put_bytes(&commands, data, size);
        commands.length -= commands.length % COMMAND_BYTES;
        mtrace_put_command(&commands, &command);
    }
    mtrace_put_directory(writer, &commands);
    bytes_free(&group);
    bytes_free(&kernel);
    bytes_free(&commands);
}

static void make_file(int descriptor, enum part part, const uint8_t *data, size_t size)
{
    struct block_writer writer = {.stream = fdopen(dup(descriptor), "wb"), .zstd = ZSTD_createCCtx()};
    MNP_REQUIRE(writer.stream && writer.zstd, "no memory");
    if (part == PART_FILE) {
        fwrite(data, 1, size, writer.stream);
    } else {
        mtrace_put_head(&writer);
        write_around(&writer, part, data, size);
    }
    fclose(writer.stream);
    ZSTD_freeCCtx(writer.zstd);
    bytes_free(&writer.packed);
}

/* ===== reading it ===== */

static uint64_t mix(uint64_t sum, uint64_t value)
{
    return (sum ^ value) * UINT64_C(0x9e3779b97f4a7c15) + (sum >> 29);
}

static uint64_t sum_cta(uint64_t sum, const struct mnp_cta_code *code)
{
    for (int i = 0; i < 3; i++)
        sum = mix(sum, code->block[i]);
    for (uint32_t warp = 0; warp < code->warp_count; warp++) {
        const uint64_t *words = code->warps[warp].addresses;
        sum = mix(sum, code->warps[warp].count);
        for (uint64_t i = 0; i < code->warps[warp].count; i++) {
            const struct mnp_record *record = &code->warps[warp].records[i];
            const struct mnp_static_instruction *instruction = &code->instructions[record->index];
            sum = mix(sum, (uint64_t)record->mask << 32 | instruction->pc); /* the index may become another */
            sum = mix(sum, (uint64_t)instruction->opcode << 32 | instruction->destination.first);
            sum = mix(sum, (uint64_t)record->address_words << 8 | record->record_flags);
            for (uint32_t word = 0; word < record->address_words; word++)
                sum = mix(sum, *words++);
        }
    }
    return sum;
}

/* Reads all of a file into a sum. False: it is refused, or has more than is worth the time. */
static bool sum_file(const char *path, uint64_t *sum)
{
    struct mnp_error error = {{0}};
    struct mnp_mtrace_options options = {.decoder = &trace_decoder, .unknown_as_alu = true, .keep_addresses = true};
    struct mnp_source *source = mtrace_open(path, &options, &error);
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    bool good = source && source->kernel_count <= MOST_KERNELS;
    *sum = 0;
    MNP_REQUIRE(source || error.text[0], "refused without an error");
    while (good && command.kind != MNP_COMMAND_END) {
        good = source->next(source, &command, &error);
        *sum = mix(mix(*sum, command.address), command.bytes);
        if (!good || command.kind != MNP_COMMAND_KERNEL)
            continue;
        good = command.kernel->cta_count <= MOST_CTAS;
        for (uint64_t cta = 0; good && cta < command.kernel->cta_count; cta++) {
            struct mnp_cta_code code = {0};
            good = source->load_cta(source, command.kernel, cta, &code, &error);
            if (good)
                *sum = sum_cta(*sum, &code);
            source->release_cta(source, &code);
        }
    }
    if (source)
        source->close(source);
    return good;
}

/* Packs the file again and reads that. */
static void check_again(const char *path, uint64_t sum)
{
    struct mnp_error error = {{0}};
    struct mnp_mtrace_options options = {.decoder = &trace_decoder, .unknown_as_alu = true, .keep_addresses = true};
    struct mnp_mtrace_written written;
    char folder[] = "/tmp/maniple-fuzz-XXXXXX", name[64];
    uint64_t again;
    if (!mkdtemp(folder))
        return;
    snprintf(name, sizeof name, "%s/again", folder);
    struct mnp_source *source = mtrace_open(path, &options, &error);
    MNP_REQUIRE(source, "refused the second time: %s", error.text);
    MNP_REQUIRE(mtrace_write(source, name, NULL, NULL, &written, &error), "not packed again: %s", error.text);
    source->close(source);
    MNP_REQUIRE(sum_file(name, &again) && again == sum, "packed again, it is another trace");
    unlink(name);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64];
    uint64_t sum;
    if (size == 0)
        return 0;
    int descriptor = memfd_create("mtrace", MFD_CLOEXEC);
    MNP_REQUIRE(descriptor >= 0, "no file in memory");
    make_file(descriptor, data[0] % PARTS, data + 1, size - 1);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    if (sum_file(path, &sum) && data[0] >= 128)
        check_again(path, sum);
    close(descriptor);
    return 0;
}
