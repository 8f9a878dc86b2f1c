/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple models statistics`: the tables of docs/statistics.md. */
#include "cli/statistics_page.h"

#include "cli/kinds.h"
#include "engine/count/kinds/kind.h"

#include <stdio.h>

static void print_kind(const struct mnp_statistic *row)
{
    printf("%s", row->kind->word);
    if (row->kind->formula) {
        printf(": ");
        row->kind->formula(row, "`", stdout);
    }
    if (row->kind->form == MNP_BINS)
        printf(" of %u bins", row->bins);
}

static void print_table(const struct mnp_machine_kind *kind, const struct mnp_model *model)
{
    printf("\n### Counted by `%s` (machines of kind \"%s\")\n\n", model->name, kind->name);
    printf("| name | unit | kind | what |\n| --- | --- | --- | --- |\n");
    for (size_t i = 0; i < model->statistic_count; i++) {
        const struct mnp_statistic *row = &model->statistics[i];
        printf("| `%s` | %s | ", row->name, row->unit);
        print_kind(row);
        printf(" | %s |\n", row->help);
    }
}

void cli_print_statistics_page(void)
{
    printf("\n## All statistics\n");
    for (uint32_t kind = 0; cli_kinds[kind]; kind++)
        for (const struct mnp_model *const *model = cli_kinds[kind]->models; *model; model++)
            if ((*model)->statistic_count)
                print_table(cli_kinds[kind], *model);
}
