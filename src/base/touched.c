/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/touched.h"

#include "base/range.h"

#include <fcntl.h>
#include <unistd.h>

/* An entry of /proc/self/pagemap (Linux, Documentation/admin-guide/mm/pagemap.rst). */
#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)

static bool read_entries(const struct mnp_touched *touched, uintptr_t address, uint64_t *entries, size_t count)
{
    size_t bytes = count * sizeof *entries;
    off_t place = (off_t)(address / touched->page * sizeof *entries);
    return pread(touched->file, entries, bytes, place) == (ssize_t)bytes;
}

/* Self-test: the page of `entry` has certainly been touched. If the system denies it, its answers cannot be trusted. */
static bool is_trusted(const struct mnp_touched *touched)
{
    volatile uint64_t here = 0;
    uint64_t entry;
    here = touched->size;
    return read_entries(touched, (uintptr_t)&here, &entry, 1) && entry & (PRESENT | SWAPPED);
}

static void forget(struct mnp_touched *touched)
{
    if (touched->file >= 0)
        close(touched->file);
    touched->file = -1;
}

void mnp_touched_begin(struct mnp_touched *touched, const void *base, size_t size)
{
    touched->file = -1;
    touched->page = (size_t)sysconf(_SC_PAGESIZE);
    touched->base = (uintptr_t)base;
    touched->size = size;
    touched->next = touched->asked = touched->known = 0;
    if (size > MNP_TOUCHED_WORTH * touched->page)
        touched->file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    if (touched->file >= 0 && !is_trusted(touched))
        forget(touched);
}

/* Whether the page at `next` has been touched. */
static bool is_touched(struct mnp_touched *touched)
{
    if (touched->file >= 0 && touched->next >= touched->known) {
        size_t pages = mnp_round_up(touched->size - touched->next, touched->page) / touched->page;
        pages = mnp_min(pages, MNP_TOUCHED_ENTRIES);
        touched->asked = touched->next;
        touched->known = touched->next + pages * touched->page;
        if (!read_entries(touched, touched->base + touched->next, touched->entries, pages))
            forget(touched);
    }
    return touched->file < 0 ||
           touched->entries[(touched->next - touched->asked) / touched->page] & (PRESENT | SWAPPED);
}

bool mnp_touched_next(struct mnp_touched *touched, size_t *from, size_t *to)
{
    while (touched->next < touched->size && !is_touched(touched))
        touched->next += touched->page;
    *from = touched->next;
    while (touched->next < touched->size && is_touched(touched))
        touched->next += touched->page;
    *to = mnp_min(touched->next, touched->size);
    if (*from < *to)
        return true;
    forget(touched);
    return false;
}
