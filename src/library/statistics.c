/* SPDX-License-Identifier: BSD-3-Clause */
#include "library/library.h"

#include "base/range.h"

#include <stdlib.h>
#include <string.h>

size_t maniple_run_kernels(const struct maniple_run *run)
{
    return run->results.part_count;
}

const char *maniple_run_kernel(const struct maniple_run *run, size_t kernel)
{
    return kernel < run->results.part_count ? run->results.parts[kernel]->name : NULL;
}

/* The statistics of a kernel, or of all; NULL: there is no such kernel. */
static const struct mnp_statistic_set *set_of(const struct maniple_run *run, size_t kernel)
{
    if (kernel == MANIPLE_TOTAL)
        return &run->results.total;
    return kernel < run->results.part_count ? &run->results.parts[kernel]->statistics : NULL;
}

int maniple_run_value(const struct maniple_run *run, size_t kernel, const char *statistic, struct maniple_value *value)
{
    const struct mnp_statistic_set *set = set_of(run, kernel);
    struct mnp_statistic_value found = {0};
    char text[MNP_NUMBER_TEXT];
    if (!set || !mnp_statistics_find(set, statistic, &found) || found.form == MNP_BINS)
        return 0;
    memset(value, 0, sizeof *value);
    snprintf(value->text, sizeof value->text, "%s", mnp_statistic_text(text, &found));
    value->number = strtod(value->text, NULL);
    value->count = strtoull(value->text, NULL, 10);
    value->unit = found.row->unit;
    return 1;
}

size_t maniple_run_bins(const struct maniple_run *run, size_t kernel, const char *statistic, uint64_t *bins,
                        size_t room)
{
    const struct mnp_statistic_set *set = set_of(run, kernel);
    struct mnp_statistic_value found = {0};
    if (!set || !mnp_statistics_find(set, statistic, &found) || found.form != MNP_BINS)
        return 0;
    memcpy(bins, found.values, mnp_min(room, found.row->bins) * sizeof *bins);
    return found.row->bins;
}

const char *maniple_run_statistic(const struct maniple_run *run, size_t number)
{
    const struct mnp_statistic_set *set = &run->results.total;
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        if (number < model->statistic_count)
            return model->statistics[number].name;
        number -= model->statistic_count;
    }
    return NULL;
}
