/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the kinds of statistics, from list.h. */
#include "engine/count/kinds/kind.h"

#include <string.h>

const struct mnp_statistic_kind *const mnp_statistic_kinds[] = {
#define MNP_STATISTIC_KIND(KIND) &KIND,
#include "engine/count/kinds/list.h"
#undef MNP_STATISTIC_KIND
    NULL,
};

const struct mnp_statistic_kind *mnp_statistic_kind_named(const char *name)
{
    for (const struct mnp_statistic_kind *const *kind = mnp_statistic_kinds; *kind; kind++)
        if (strcmp((*kind)->name, name) == 0)
            return *kind;
    return NULL;
}
