/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/ahead.h"

#include "base/arena.h"

#include <stdlib.h>
#include <sys/stat.h>

/* Decides by the size of the file; a compressed file has more text, so a smaller one suffices. */
bool trace_ahead_is_worthwhile(const struct kernel_file *file)
{
    struct stat about;
    if (file->kernel.cta_count < 2 || stat(file->path, &about) != 0)
        return false;
    uint64_t bytes = (uint64_t)about.st_size;
    return bytes >= AHEAD_LEAST_REST && bytes / file->kernel.cta_count >= AHEAD_LEAST_TEXT;
}

struct ahead_cta *trace_ahead_take(struct kernel_file *file, uint64_t cta)
{
    if (!file->has_ahead)
        return NULL;
    struct ahead_cta *found = NULL;
    pthread_mutex_lock(&file->lock);
    if (file->next_ahead <= cta)
        file->next_ahead = cta + 1;
    for (struct ahead_cta **at = &file->ahead; *at && !found; at = found ? at : &(*at)->next)
        if ((*at)->cta == cta) {
            found = *at;
            *at = found->next;
        }
    while (found && !found->done)
        pthread_cond_wait(&file->turned, &file->lock);
    pthread_mutex_unlock(&file->lock);
    return found;
}

/* Under the lock: returns the text of the next CTA, unless the file has an error; errors are reported to the SM that
 * reaches them. */
static struct cta_text *next_text(struct kernel_file *file, struct ahead_cta **entry)
{
    struct mnp_error ignored = {{0}};
    if (file->next_ahead >= file->kernel.cta_count || file->failure.text[0])
        return NULL;
    struct cta_text *text = trace_kernel_file_take_locked(file, file->next_ahead, &ignored);
    if (!text)
        return NULL;
    *entry = mnp_allocate(1, sizeof **entry);
    (*entry)->cta = file->next_ahead++;
    (*entry)->next = file->ahead;
    file->ahead = *entry;
    return text;
}

bool trace_ahead_parse(struct kernel_file *file, struct cta_buffers *buffers, const struct parse_means *means,
                       _Atomic size_t *bytes)
{
    struct ahead_cta *entry;
    pthread_mutex_lock(&file->lock);
    struct cta_text *text = next_text(file, &entry);
    pthread_mutex_unlock(&file->lock);
    if (!text)
        return false;
    entry->buffers = buffers;
    bool good = trace_parse_cta(file, text, buffers, means, &entry->code, &entry->error);
    trace_kernel_file_give_back(file, text);
    atomic_fetch_add(bytes, trace_cta_buffers_bytes(buffers));
    pthread_mutex_lock(&file->lock);
    entry->good = good;
    entry->done = true;
    pthread_cond_broadcast(&file->turned);
    pthread_mutex_unlock(&file->lock);
    return true;
}

bool trace_ahead_enter(struct kernel_file *file)
{
    if (!file->has_ahead)
        return false;
    pthread_mutex_lock(&file->lock);
    bool more = file->next_ahead < file->kernel.cta_count && !file->failure.text[0];
    file->helpers += more;
    pthread_mutex_unlock(&file->lock);
    return more;
}

void trace_ahead_leave(struct kernel_file *file)
{
    pthread_mutex_lock(&file->lock);
    file->helpers--;
    pthread_cond_broadcast(&file->turned);
    pthread_mutex_unlock(&file->lock);
}

struct ahead_cta *trace_ahead_end(struct kernel_file *file)
{
    pthread_mutex_lock(&file->lock);
    while (file->helpers)
        pthread_cond_wait(&file->turned, &file->lock);
    struct ahead_cta *left = file->ahead;
    file->ahead = NULL;
    pthread_mutex_unlock(&file->lock);
    return left;
}
