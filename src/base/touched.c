/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/touched.h"

#include "base/range.h"

#include <fcntl.h>
#include <unistd.h>

/* An entry of /proc/self/pagemap (Linux, Documentation/admin-guide/mm/pagemap.rst). */
#define PRESENT (UINT64_C(1) << 63)
#define SWAPPED (UINT64_C(1) << 62)

static bool read_entries(int file, size_t page, uintptr_t address, uint64_t *entries, size_t count)
{
    size_t bytes = count * sizeof *entries;
    off_t place = (off_t)(address / page * sizeof *entries);
    return pread(file, entries, bytes, place) == (ssize_t)bytes;
}

/* Self-test: the page of `entry` has certainly been touched. If the system denies it, its answers cannot be trusted. */
static bool is_trusted(const struct mnp_page_map *map)
{
    volatile uint64_t here = 0;
    uint64_t entry;
    here = map->page;
    return read_entries(map->file, map->page, (uintptr_t)&here, &entry, 1) && entry & (PRESENT | SWAPPED);
}

struct mnp_page_map mnp_page_map_open(void)
{
    struct mnp_page_map map = {.file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC),
                               .page = (size_t)sysconf(_SC_PAGESIZE)};
    if (map.file >= 0 && !is_trusted(&map))
        mnp_page_map_close(&map);
    return map;
}

void mnp_page_map_close(struct mnp_page_map *map)
{
    if (map->file >= 0)
        close(map->file);
    map->file = -1;
}

void mnp_touched_begin(struct mnp_touched *touched, const struct mnp_page_map *map, const void *base, size_t size)
{
    touched->file = size > MNP_TOUCHED_WORTH * map->page ? map->file : -1;
    touched->page = map->page;
    touched->base = (uintptr_t)base;
    touched->size = size;
    touched->next = touched->asked = touched->known = 0;
}

/* Whether the page at `next` has been touched. */
static bool is_touched(struct mnp_touched *touched)
{
    if (touched->file >= 0 && touched->next >= touched->known) {
        size_t pages = mnp_round_up(touched->size - touched->next, touched->page) / touched->page;
        pages = mnp_min(pages, MNP_TOUCHED_ENTRIES);
        touched->asked = touched->next;
        touched->known = touched->next + pages * touched->page;
        if (!read_entries(touched->file, touched->page, touched->base + touched->next, touched->entries, pages))
            touched->file = -1;
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
    return *from < *to;
}
