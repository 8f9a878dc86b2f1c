/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/kernel_file.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *reserve(size_t count, size_t size)
{
    void *space = mmap(NULL, count * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return space == MAP_FAILED ? NULL : space;
}

static size_t mark_words(const struct kernel_file *file)
{
    return (size_t)(file->kernel.cta_count / 64 + 1);
}

/* Opens the file, whichever of the two forms it has, and reads its header. */
static bool open_file(struct kernel_file *file, struct mnp_error *error)
{
    if (!trace_tracez_open(&file->tracez, file->path, error))
        return false;
    if (!file->tracez)
        return trace_scan_open(&file->scan, file->path, error) &&
               trace_header_read(&file->scan, &file->kernel, &file->header, error);
    size_t length;
    const char *header = trace_tracez_header(file->tracez, &length);
    trace_scan_header(&file->scan, file->path, header, length);
    return trace_header_read(&file->scan, &file->kernel, &file->header, error) &&
           trace_tracez_index(file->tracez, &file->kernel, error);
}

struct kernel_file *trace_kernel_file_open(const char *path, uint32_t id, bool unknown_as_alu, struct mnp_error *error)
{
    struct kernel_file *file = mnp_allocate(1, sizeof *file);
    file->path = strdup(path);
    file->unknown_as_alu = unknown_as_alu;
    pthread_mutex_init(&file->lock, NULL);
    pthread_cond_init(&file->turned, NULL);
    file->kernel.id = id;
    file->kernel.owner = file;
    if (!file->path || !trace_static_table_open(&file->table, false))
        mnp_fail_at(error, path, 0, "no memory to read it; free memory");
    else if (open_file(file, error)) {
        if (file->kernel.cta_count <= MOST_MARKED)
            file->places = reserve(mark_words(file), sizeof *file->places);
        return file;
    }
    trace_kernel_file_close(file);
    return NULL;
}

static void free_texts(struct cta_text *text)
{
    while (text) {
        struct cta_text *next = text->next;
        free(text->text);
        free(text);
        text = next;
    }
}

void trace_kernel_file_close(struct kernel_file *file)
{
    free_texts(file->waiting);
    free_texts(file->spare);
    trace_scan_close(&file->scan);
    trace_tracez_close(file->tracez);
    trace_static_table_close(&file->table);
    if (file->places)
        munmap(file->places, mark_words(file) * sizeof *file->places);
    pthread_mutex_destroy(&file->lock);
    pthread_cond_destroy(&file->turned);
    free(file->path);
    free(file);
}

/* ===== texts ===== */

/* A text with room for `bytes`. */
static struct cta_text *new_text(struct kernel_file *file, size_t bytes)
{
    struct cta_text *text = file->spare;
    if (text) {
        file->spare = text->next;
        file->spare_bytes -= text->capacity;
    } else {
        text = mnp_allocate(1, sizeof *text);
    }
    if (text->capacity < bytes) {
        free(text->text);
        text->capacity = bytes + bytes / 8;
        text->text = mnp_allocate(text->capacity, 1);
    }
    return text;
}

void trace_kernel_file_give_back(struct kernel_file *file, struct cta_text *text)
{
    pthread_mutex_lock(&file->lock);
    bool keep = file->spare_bytes + text->capacity <= MOST_SPARE_BYTES;
    text->next = keep ? file->spare : NULL;
    if (keep) {
        file->spare = text;
        file->spare_bytes += text->capacity;
    }
    pthread_mutex_unlock(&file->lock);
    if (!keep)
        free_texts(text);
}

/* Reads the next CTA's text into the list of those that wait. */
static bool find_next(struct kernel_file *file, struct mnp_error *error)
{
    const char *from;
    size_t length;
    int found = trace_scan_cta(&file->scan, &from, &length, error);
    if (found < 0)
        return false;
    if (found == 0)
        return mnp_fail_at(error, file->path, trace_scan_line_number(file->path, file->scan.offset),
                           "the file ends after %lu of the %lu thread blocks of its grid; trace again or copy the "
                           "whole file",
                           (unsigned long)file->next_cta, (unsigned long)file->kernel.cta_count);
    struct cta_text *text = new_text(file, length + 1);
    memcpy(text->text, from, length);
    text->text[length] = '\n';
    text->length = length + 1;
    text->offset = file->scan.offset - length - strlen("#END_TB");
    text->cta = file->next_cta++;
    text->next = file->waiting;
    file->waiting = text;
    return true;
}

/* Requires that no text follows the last CTA. */
static bool expect_end(struct kernel_file *file, struct mnp_error *error)
{
    const char *text;
    size_t length;
    uint64_t end = file->scan.offset;
    int found = trace_scan_cta(&file->scan, &text, &length, error);
    if (found > 0)
        mnp_fail_at(error, file->path, trace_scan_line_number(file->path, end),
                    "has more thread blocks than the %lu of its grid, from here on; trace again",
                    (unsigned long)file->kernel.cta_count);
    return found == 0;
}

/* Takes a block of a .tracez, whose CTAs are numbered by their places in the grid. */
static struct cta_text *take_block(struct kernel_file *file, uint64_t cta, struct mnp_error *error)
{
    struct cta_text *text = new_text(file, 0);
    text->cta = cta;
    text->offset = 0;
    text->next = NULL;
    if (trace_tracez_block(file->tracez, cta, &text->text, &text->capacity, &text->length, error))
        return text;
    free_texts(text);
    return NULL;
}

struct cta_text *trace_kernel_file_take_locked(struct kernel_file *file, uint64_t cta, struct mnp_error *error)
{
    if (file->tracez)
        return take_block(file, cta, error);
    while (file->next_cta <= cta && !file->failure.text[0])
        if (find_next(file, &file->failure) && file->next_cta == file->kernel.cta_count)
            expect_end(file, &file->failure);
    if (file->failure.text[0] && (file->next_cta <= cta || cta + 1 == file->kernel.cta_count)) {
        mnp_fail(error, "%s", file->failure.text);
        return NULL;
    }
    for (struct cta_text **at = &file->waiting; *at; at = &(*at)->next) {
        struct cta_text *text = *at;
        if (text->cta == cta) {
            *at = text->next;
            return text;
        }
    }
    mnp_fail_at(error, file->path, 0, "thread block %lu was asked for twice", (unsigned long)cta);
    return NULL;
}

struct cta_text *trace_kernel_file_take(struct kernel_file *file, uint64_t cta, struct mnp_error *error)
{
    pthread_mutex_lock(&file->lock);
    struct cta_text *text = trace_kernel_file_take_locked(file, cta, error);
    pthread_mutex_unlock(&file->lock);
    return text;
}

bool trace_kernel_file_mark(struct kernel_file *file, uint64_t place)
{
    uint64_t bit = UINT64_C(1) << place % 64;
    return !file->places || !(atomic_fetch_or_explicit(&file->places[place / 64], bit, memory_order_relaxed) & bit);
}
