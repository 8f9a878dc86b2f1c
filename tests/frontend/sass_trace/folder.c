/* SPDX-License-Identifier: BSD-3-Clause */
#include "folder.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

void folder_make(struct folder *folder)
{
    strcpy(folder->path, "/tmp/maniple-test.XXXXXX");
    assert_non_null(mkdtemp(folder->path));
}

void folder_remove(struct folder *folder)
{
    DIR *directory = opendir(folder->path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", folder->path, entry->d_name);
        if (entry->d_name[0] != '.')
            unlink(path);
    }
    if (directory)
        closedir(directory);
    rmdir(folder->path);
}

int folder_set_up(void **state)
{
    static struct folder folder;
    folder_make(&folder);
    *state = &folder;
    return 0;
}

int folder_tear_down(void **state)
{
    folder_remove(*state);
    return 0;
}

const char *folder_write(const struct folder *folder, const char *name, const void *data, size_t size)
{
    static _Thread_local char path[512];
    snprintf(path, sizeof path, "%s/%s", folder->path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

const char *folder_write_kernel(const struct folder *folder, const char *text)
{
    folder_write(folder, "kernel-1.traceg", text, strlen(text));
    return folder_write(folder, "kernelslist.g", "kernel-1.traceg\n", 16);
}

static void mix(uint64_t *digest, uint64_t value)
{
    *digest = (*digest ^ value) * UINT64_C(0x100000001b3);
    *digest ^= *digest >> 29;
}

/* Distinct 32-byte sectors among the addresses of an access. */
static uint32_t count_sectors(const uint64_t *addresses, uint32_t count)
{
    uint32_t distinct = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = 0;
        while (j < i && addresses[j] / 32 != addresses[i] / 32)
            j++;
        distinct += j == i;
    }
    return distinct;
}

static void add_warp(struct totals *totals, const struct mnp_cta_code *code, const struct mnp_warp_stream *warp)
{
    const uint64_t *words = warp->addresses;
    for (uint64_t i = 0; i < warp->count; i++) {
        const struct mnp_record *record = &warp->records[i];
        const struct mnp_static_instruction *instruction = &code->instructions[record->index];
        uint64_t addresses[MNP_WARP_SIZE];
        uint32_t count = mnp_expand_addresses(record, words, addresses);
        words += record->address_words;
        totals->threads += (uint64_t)__builtin_popcount(record->mask);
        totals->addresses += count;
        if (instruction->space == MNP_SPACE_GLOBAL)
            totals->sectors += count_sectors(addresses, count);
        mix(&totals->digest, (uint64_t)record->mask << 32 | (uint64_t)record->index << 16 | record->address_words);
        mix(&totals->digest, (uint64_t)instruction->opcode << 32 | instruction->pc);
        for (uint32_t lane = 0; lane < count; lane++)
            mix(&totals->digest, addresses[lane]);
    }
    totals->records += warp->count;
}

void add_cta(struct totals *totals, const struct mnp_cta_code *code)
{
    for (uint32_t i = 0; i < code->warp_count; i++)
        add_warp(totals, code, &code->warps[i]);
    for (int i = 0; i < 3; i++)
        mix(&totals->digest, code->block[i]);
    totals->warps += code->warp_count;
    totals->ctas++;
}

static bool read_kernel(struct mnp_source *source, struct mnp_kernel *kernel, struct totals *totals,
                        struct mnp_error *error)
{
    bool good = true;
    for (uint64_t cta = 0; good && cta < kernel->cta_count; cta++) {
        struct mnp_cta_code code = {0};
        good = source->load_cta(source, kernel, cta, &code, error);
        if (good)
            add_cta(totals, &code);
        source->release_cta(source, &code);
    }
    source->kernel_done(source, kernel);
    totals->kernels++;
    return good;
}

bool read_trace(const char *list, bool unknown_as_alu, struct totals *totals, struct mnp_error *error)
{
    struct mnp_sass_trace_options options = {.unknown_as_alu = unknown_as_alu};
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    *totals = (struct totals){0};
    struct mnp_source *source = trace_open(list, &options, error);
    if (!source)
        return false;
    totals->architecture = source->architecture;
    bool good = true;
    while (good && command.kind != MNP_COMMAND_END) {
        good = source->next(source, &command, error);
        totals->copies += good && command.kind == MNP_COMMAND_COPY;
        if (good && command.kind == MNP_COMMAND_KERNEL)
            good = read_kernel(source, command.kernel, totals, error);
    }
    totals->unknown = source->unknown_opcodes;
    source->close(source);
    return good;
}

const char *real_traces(void)
{
    const char *folder = getenv("MANIPLE_TRACES");
    folder = folder ? folder : REAL_TRACES;
    return access(folder, R_OK) == 0 ? folder : NULL;
}
