/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract/selection.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/demangle.h"
#include "base/range.h"
#include "base/text.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

struct item {
    enum { NUMBERS, NAMES, RANGES, BETWEEN, PROFILER } kind;
    uint32_t first, last, step; /* NUMBERS */
    regex_t name;               /* NAMES, RANGES: the expression; BETWEEN: the name at which it begins */
    regex_t end;                /* BETWEEN */
    bool ends;                  /* `end` is set */
    struct mnp_array parts;     /* struct part: BETWEEN: ranges found so far */
};

struct part {
    uint32_t first, last; /* UINT32_MAX: not ended yet */
};

struct mnp_selection {
    struct item *items;
    uint32_t count;
    uint32_t met; /* number of launches recorded */
};

/* Parses "3" or "3-7". */
static bool read_range(const char *text, struct item *item)
{
    char first[32];
    const char *dash = strchr(text, '-');
    size_t length = dash ? (size_t)(dash - text) : strlen(text);
    if (length >= sizeof first)
        return false;
    memcpy(first, text, length);
    first[length] = 0;
    uint64_t from, to;
    if (mnp_parse_number(first, &from) || mnp_parse_number(dash ? dash + 1 : first, &to))
        return false;
    *item = (struct item){NUMBERS, .first = (uint32_t)from, .last = (uint32_t)to, .step = 1};
    return from >= 1 && from <= to && to <= UINT32_MAX;
}

static bool read_step(const char *text, struct item *item)
{
    uint64_t step;
    if (mnp_parse_number(text, &step) || step < 1 || step > UINT32_MAX)
        return false;
    *item = (struct item){NUMBERS, .first = 1, .last = UINT32_MAX, .step = (uint32_t)step};
    return true;
}

/* Parses "setup" or "setup to:reduce". */
static bool read_between(const char *text, struct item *item)
{
    const char *to = strstr(text, " to:");
    char *from = to ? strndup(text, (size_t)(to - text)) : strdup(text);
    *item = (struct item){.kind = BETWEEN, .ends = to != NULL};
    bool good = from[0] && regcomp(&item->name, from, REG_EXTENDED | REG_NOSUB) == 0;
    free(from);
    if (good && to && (!to[4] || regcomp(&item->end, to + 4, REG_EXTENDED | REG_NOSUB) != 0)) {
        regfree(&item->name);
        good = false;
    }
    return good;
}

static bool read_item(const char *text, struct item *item)
{
    if (strncmp(text, "from:", 5) == 0)
        return read_between(text + 5, item);
    if (strncmp(text, "every:", 6) == 0)
        return read_step(text + 6, item);
    if (strcmp(text, "profiler") == 0) {
        *item = (struct item){PROFILER};
        return true;
    }
    if (strncmp(text, "name:", 5) != 0 && strncmp(text, "nvtx:", 5) != 0)
        return read_range(text, item);
    *item = (struct item){text[1] == 'a' ? NAMES : RANGES};
    return text[5] && regcomp(&item->name, text + 5, REG_EXTENDED | REG_NOSUB) == 0;
}

struct mnp_selection *mnp_selection_read(const char *text, struct mnp_error *error)
{
    struct mnp_selection *selection = mnp_allocate(1, sizeof *selection);
    char *copy = strdup(text), *rest = copy;
    bool good = true;
    for (char *part; good && (part = strsep(&rest, ","));) {
        struct item item;
        good = read_item(part, &item);
        if (!good) {
            mnp_fail(error,
                     "--kernels %.200s: \"%.50s\" is not a launch or a range of launches, which count from 1, such as "
                     "1,3-7; nor every:10, nor name:REGEX or nvtx:REGEX with a regular expression, nor from:REGEX "
                     "to:REGEX, nor "
                     "profiler",
                     text, part);
            break;
        }
        selection->items = mnp_reallocate(selection->items, selection->count + 1, sizeof *selection->items);
        selection->items[selection->count++] = item;
    }
    free(copy);
    if (good)
        return selection;
    mnp_selection_free(selection);
    return NULL;
}

void mnp_selection_free(struct mnp_selection *selection)
{
    if (!selection)
        return;
    for (uint32_t i = 0; i < selection->count; i++) {
        struct item *item = &selection->items[i];
        if (item->kind == NAMES || item->kind == RANGES || item->kind == BETWEEN)
            regfree(&item->name);
        if (item->ends)
            regfree(&item->end);
        mnp_array_release(&item->parts);
    }
    free(selection->items);
    free(selection);
}

static bool is_named(const regex_t *expression, const char *name)
{
    char *readable = mnp_demangle(name);
    bool named = regexec(expression, name, 0, NULL, 0) == 0 || regexec(expression, readable, 0, NULL, 0) == 0;
    free(readable);
    return named;
}

static void meet(struct item *item, uint32_t launch, const char *name)
{
    struct part *last = item->parts.count ? (struct part *)item->parts.items + (item->parts.count - 1) : NULL;
    bool open = last && last->last == UINT32_MAX;
    if (!open && is_named(&item->name, name)) {
        last = mnp_array_add(&item->parts, 1, sizeof *last);
        *last = (struct part){launch, UINT32_MAX};
    } else if (open && item->ends && is_named(&item->end, name)) {
        last->last = launch;
    }
}

void mnp_selection_meet(struct mnp_selection *selection, uint32_t launch, const char *name)
{
    if (launch <= selection->met)
        return;
    selection->met = launch;
    for (uint32_t i = 0; i < selection->count; i++)
        if (selection->items[i].kind == BETWEEN)
            meet(&selection->items[i], launch, name);
}

static bool is_between(const struct item *item, uint32_t launch)
{
    const struct part *parts = item->parts.items;
    for (uint32_t i = item->parts.count; i-- > 0;)
        if (launch >= parts[i].first)
            return launch <= parts[i].last;
    return false;
}

bool mnp_selection_has(const struct mnp_selection *selection, uint32_t launch, const char *name)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct item *item = &selection->items[i];
        if (item->kind == NUMBERS && launch >= item->first && launch <= item->last &&
            (launch - item->first) % item->step == 0)
            return true;
        if (item->kind == NAMES && (!name || is_named(&item->name, name)))
            return true;
        if (item->kind == BETWEEN && (!name || is_between(item, launch)))
            return true;
    }
    return false;
}

bool mnp_selection_has_range(const struct mnp_selection *selection, const char *range)
{
    for (uint32_t i = 0; i < selection->count; i++) {
        const struct item *item = &selection->items[i];
        if (range ? item->kind == RANGES && regexec(&item->name, range, 0, NULL, 0) == 0 : item->kind == PROFILER)
            return true;
    }
    return false;
}

bool mnp_selection_needs_ranges(const struct mnp_selection *selection, bool named)
{
    for (uint32_t i = 0; i < selection->count; i++)
        if (selection->items[i].kind == RANGES || (!named && selection->items[i].kind == PROFILER))
            return true;
    return false;
}

uint32_t mnp_selection_last(const struct mnp_selection *selection)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < selection->count; i++)
        last = mnp_max32(last, selection->items[i].kind == NUMBERS ? selection->items[i].first : 0);
    return last;
}
