/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/stream/profiler_ranges.h"

#include "base/allocate.h"
#include "base/text.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/stream/simulation.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct open_range {
    pid_t thread;             /* thread that has pushed it; 0: it was begun by a start call */
    uint64_t number;          /* number of its start call */
    char *name;               /* owned; NULL: it has none */
    struct mnp_range *record; /* record of the last launch in it; NULL: there was none */
};

struct launch {
    uint64_t number;               /* number on its device; launches are sorted by it */
    const struct mnp_range *range; /* innermost range around it */
};

static struct cudart_profiler_ranges *ranges_of(struct cudart *rt)
{
    if (!rt->ranges)
        rt->ranges = mnp_allocate(1, sizeof *rt->ranges);
    return rt->ranges;
}

enum cuda_error cudart_profile(struct cudart *rt, bool on)
{
    const struct mnp_selection *selection = rt->simulation->sampling.selection;
    rt->ranges->profiling = on && selection && mnp_selection_has_range(selection, NULL);
    return CUDA_SUCCESS;
}

/* ===== ranges that begin and end ===== */

static void begin(struct cudart *rt, pid_t thread, uint64_t number, const char *name)
{
    struct open_range *range = mnp_array_add(&ranges_of(rt)->open, 1, sizeof *range);
    *range = (struct open_range){.thread = thread, .number = number, .name = name ? strdup(name) : NULL};
}

/* Ends the last range of a thread, or that of a number. Returns whether there was one. */
static bool end(struct cudart *rt, pid_t thread, uint64_t number)
{
    struct mnp_array *open = &ranges_of(rt)->open;
    struct open_range *all = open->items;
    uint32_t i = open->count;
    while (i > 0 && (all[i - 1].thread != thread || all[i - 1].number != number))
        i--;
    if (!i)
        return false;
    free(all[i - 1].name);
    memmove(all + i - 1, all + i, (open->count - i) * sizeof *all);
    open->count--;
    return true;
}

/* The number of ranges that this thread has pushed. */
static int depth_of(struct cudart *rt, pid_t thread)
{
    const struct mnp_array *open = &ranges_of(rt)->open;
    const struct open_range *all = open->items;
    int depth = 0;
    for (uint32_t i = 0; i < open->count; i++)
        depth += all[i].thread == thread;
    return depth;
}

int cudart_push_range(struct cudart *rt, const char *name)
{
    pid_t thread = gettid();
    int depth = depth_of(rt, thread);
    begin(rt, thread, 0, name);
    return depth;
}

int cudart_pop_range(struct cudart *rt)
{
    pid_t thread = gettid();
    return end(rt, thread, 0) ? depth_of(rt, thread) : -1;
}

uint64_t cudart_start_range(struct cudart *rt, const char *name)
{
    uint64_t number = ++ranges_of(rt)->started;
    begin(rt, 0, number, name);
    return number;
}

void cudart_end_range(struct cudart *rt, uint64_t range)
{
    end(rt, 0, range);
}

/* ===== launches ===== */

bool cudart_is_in_region(const struct cudart *rt)
{
    const struct mnp_selection *selection = rt->simulation->sampling.selection;
    const struct mnp_array *open = &rt->ranges->open;
    const struct open_range *all = open->items;
    bool inside = rt->ranges->profiling;
    if (selection && mnp_selection_needs_ranges(selection, true))
        for (uint32_t i = 0; !inside && i < open->count; i++)
            inside = all[i].name && mnp_selection_has_range(selection, all[i].name);
    return inside;
}

/* A copy of a name that is valid UTF-8: other bytes become U+FFFD. */
static char *clean(const char *name)
{
    size_t length = 0;
    char *text = mnp_allocate(3 * strlen(name) + 1, 1);
    while (*name) {
        size_t bytes = mnp_utf8_length(name);
        memcpy(text + length, bytes ? name : "\xef\xbf\xbd", bytes ? bytes : 3);
        length += bytes ? bytes : 3;
        name += bytes ? bytes : 1;
    }
    return text;
}

/* The record of a range that was entered once, inside the one of another record. */
static const struct mnp_range *record_of(struct cudart_profiler_ranges *ranges, struct open_range *open,
                                         const struct mnp_range *outer)
{
    if (open->record && open->record->outer == outer)
        return open->record;
    struct mnp_range *record = open->record = mnp_allocate(1, sizeof *record);
    *(struct mnp_range **)mnp_array_add(&ranges->records, 1, sizeof record) = record;
    *record = (struct mnp_range){.outer = outer,
                                 .name = clean(open->name ? open->name : ""),
                                 .number = ranges->records.count,
                                 .depth = outer ? outer->depth + 1 : 0};
    return record;
}

void cudart_note_ranges(struct cudart_device *device, uint32_t launch)
{
    struct cudart_profiler_ranges *ranges = device->rt->ranges;
    struct open_range *all = ranges->open.items;
    const struct mnp_range *inner = NULL;
    pid_t thread = gettid(), main_thread = getpid();
    for (uint32_t i = 0; i < ranges->open.count && (!inner || inner->depth + 1 < MNP_RANGE_DEPTH); i++)
        if (!all[i].thread || all[i].thread == thread || all[i].thread == main_thread)
            inner = record_of(ranges, &all[i], inner);
    if (inner)
        *(struct launch *)mnp_array_add(&device->ranged, 1, sizeof(struct launch)) = (struct launch){launch, inner};
}

const struct mnp_range *cudart_range_of(const struct cudart_device *device, uint32_t launch)
{
    const struct launch *all = device->ranged.items;
    uint32_t at = mnp_array_before(&device->ranged, sizeof *all, launch);
    return at < device->ranged.count && all[at].number == launch ? all[at].range : NULL;
}
