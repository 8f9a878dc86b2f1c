/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/figures/named.h"

#include <stdlib.h>
#include <string.h>

void results_named_add(struct mnp_array *all, const char *name, double number)
{
    *(struct results_named *)mnp_array_add(all, 1, sizeof(struct results_named)) =
        (struct results_named){.name = strdup(name), .number = number};
}

static int by_word(const void *a, const void *b)
{
    return strcmp(((const struct results_named *)a)->name, ((const struct results_named *)b)->name);
}

void results_named_sort(struct mnp_array *all)
{
    if (all->count)
        qsort(all->items, all->count, sizeof(struct results_named), by_word);
}

double results_named_number(const struct mnp_array *all, const char *name)
{
    struct results_named key = {.name = (char *)(uintptr_t)name};
    const struct results_named *found = all->count ? bsearch(&key, all->items, all->count, sizeof key, by_word) : NULL;
    return found ? found->number : 0;
}

void results_named_release(struct mnp_array *all)
{
    for (uint32_t i = 0; i < all->count; i++)
        free(((struct results_named *)all->items)[i].name);
    mnp_array_release(all);
}
