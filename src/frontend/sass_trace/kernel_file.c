/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/kernel_file.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *reserve(size_t count, size_t size)
{
    void *space =
        mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space == MAP_FAILED ? NULL : space;
}

struct kernel_file *kernel_file_open(const char *path, uint32_t id, bool unknown_as_alu, struct mnp_error *error)
{
    struct kernel_file *file = mnp_allocate(1, sizeof *file);
    file->path = strdup(path);
    file->unknown_as_alu = unknown_as_alu;
    pthread_mutex_init(&file->lock, NULL);
    file->instructions = reserve(MOST_INSTRUCTIONS, sizeof *file->instructions);
    file->texts = reserve(MOST_INSTRUCTIONS, sizeof *file->texts);
    file->kernel.id = id;
    file->kernel.instructions = file->instructions;
    file->kernel.owner = file;
    bool good = file->path && file->instructions && file->texts;
    if (!good)
        mnp_fail_at(error, path, 0, "no memory to read it");
    if (good && scan_open(&file->scan, file->path, error) &&
        header_read(&file->scan, &file->kernel, &file->header, error))
        return file;
    kernel_file_close(file);
    return NULL;
}

void kernel_file_close(struct kernel_file *file)
{
    while (file->waiting) {
        struct waiting_text *first = file->waiting;
        file->waiting = first->next;
        free(first->text);
        free(first);
    }
    scan_close(&file->scan);
    if (file->instructions)
        munmap(file->instructions, MOST_INSTRUCTIONS * sizeof *file->instructions);
    if (file->texts)
        munmap(file->texts, MOST_INSTRUCTIONS * sizeof *file->texts);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file);
}

/* Reads the next CTA's text into the list. */
static bool find_next(struct kernel_file *file, struct mnp_error *error)
{
    const char *text;
    size_t length;
    int found = scan_cta(&file->scan, &text, &length, error);
    if (found < 0)
        return false;
    if (found == 0)
        return mnp_fail_at(error, file->path, 0, "ends after %lu of the %lu thread blocks of its grid; trace again or "
                           "copy the whole file", (unsigned long)file->next_cta,
                           (unsigned long)file->kernel.cta_count);
    struct waiting_text *entry = mnp_allocate(1, sizeof *entry);
    *entry = (struct waiting_text){.cta = file->next_cta++,
                                   .offset = file->scan.offset - length - strlen("#END_TB"),
                                   .text = mnp_allocate(length + 2, 1),
                                   .length = length + 1,
                                   .next = file->waiting};
    memcpy(entry->text, text, length);
    entry->text[length] = '\n';
    file->waiting = entry;
    return true;
}

/* Behind the last CTA nothing may follow. */
static bool expect_end(struct kernel_file *file, struct mnp_error *error)
{
    const char *text;
    size_t length;
    int found = scan_cta(&file->scan, &text, &length, error);
    if (found > 0)
        mnp_fail_at(error, file->path, scan_line_number(file->path, file->scan.offset - length),
                    "has more thread blocks than the %lu of its grid; trace again",
                    (unsigned long)file->kernel.cta_count);
    return found == 0;
}

static char *take_locked(struct kernel_file *file, uint64_t cta, size_t *length, uint64_t *offset,
                         struct mnp_error *error)
{
    while (file->next_cta <= cta)
        if (!find_next(file, error))
            return NULL;
    if (cta + 1 == file->kernel.cta_count && !expect_end(file, error))
        return NULL;
    for (struct waiting_text **at = &file->waiting; *at; at = &(*at)->next) {
        struct waiting_text *entry = *at;
        if (entry->cta != cta)
            continue;
        char *text = entry->text;
        *length = entry->length;
        *offset = entry->offset;
        *at = entry->next;
        free(entry);
        return text;
    }
    mnp_fail_at(error, file->path, 0, "thread block %lu was asked for twice", (unsigned long)cta);
    return NULL;
}

char *kernel_file_take(struct kernel_file *file, uint64_t cta, size_t *length, uint64_t *offset,
                       struct mnp_error *error)
{
    pthread_mutex_lock(&file->lock);
    char *text = take_locked(file, cta, length, offset, error);
    pthread_mutex_unlock(&file->lock);
    return text;
}
