/* SPDX-License-Identifier: BSD-3-Clause */
/* Occupancy on the page of a report: what the CTAs of each name of kernel ask of an SM, how many of them each kind of
 * room holds, and which of these is the limit. */
#include "base/print.h"
#include "results/report/page.h"

#include <stdlib.h>

enum { MOST_ROWS = 50, ROOMS = 4 };

static const char *const rooms[ROOMS] = {"warps", "registers", "shared memory", "CTA slots"};

/* The resource with the least room. */
static int limit_of(const double ctas[ROOMS])
{
    int least = 0;
    for (int i = 1; i < ROOMS; i++)
        least = ctas[i] < ctas[least] ? i : least;
    return least;
}

static void write_row(const struct results_reading *reading, const struct results_group *group, sqlite3_stmt *row,
                      FILE *out)
{
    double ctas[ROOMS], block = sqlite3_column_double(row, 0), warps = results_key(reading, "sm.warps");
    double possible = results_sum(reading, group, "possible_warp_cycles");
    for (int i = 0; i < ROOMS - 1; i++)
        ctas[i] = sqlite3_column_double(row, 3 + i);
    ctas[ROOMS - 1] = results_key(reading, "sm.ctas");
    int limit = limit_of(ctas);
    double of_cta = (double)(long)((block + 31) / 32);
    fputs("<tr><td class=\"name\">", out);
    results_page_kernel_name(group->name, out);
    mnp_print_html(out, "<td>%.0f<td>%.0f<td>%.0f", block, sqlite3_column_double(row, 1),
                   sqlite3_column_double(row, 2));
    for (int i = 0; i < ROOMS; i++)
        mnp_print_html(out, i == limit ? "<td><b>%.0f</b>" : "<td>%.0f", ctas[i]);
    mnp_print_html(out, "<td class=\"left\">%s<td>%.1f<td>%.1f</tr>\n", rooms[limit],
                   warps > 0 ? 100 * ctas[limit] * of_cta / warps : 0,
                   possible > 0 ? 100 * results_sum(reading, group, "resident_warp_cycles") / possible : 0);
}

void results_page_occupancy(const struct results_reading *reading, FILE *out)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *row =
        results_sqlite_prepare(reading->database,
                               "SELECT block_x * block_y * block_z, registers, shared_bytes, ctas_by_warps,"
                               " ctas_by_registers, ctas_by_shared FROM kernel WHERE run = ? AND id = ?",
                               &ignored);
    uint32_t shown = 0;
    if (!row)
        return;
    sqlite3_bind_int64(row, 1, reading->run);
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Kernel<th>threads<th>registers each<th>shared "
          "bytes<th>CTAs that warps allow<th>registers<th>shared<th>slots<th class=\"left\">limited by<th>occupancy "
          "possible, %<th>achieved, %</tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i < reading->group_count && shown < MOST_ROWS; i++) {
        sqlite3_reset(row);
        sqlite3_bind_int64(row, 2, (sqlite3_int64)reading->groups[i].first);
        if (sqlite3_step(row) != SQLITE_ROW || sqlite3_column_type(row, 3) == SQLITE_NULL)
            continue;
        write_row(reading, &reading->groups[i], row, out);
        shown++;
    }
    fputs("</tbody></table></div><p class=\"soft\">Of the first launch of each name. Achieved: of SMs with a CTA."
          "</p>\n",
          out);
    sqlite3_finalize(row);
}
