/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy by instruction and by line of the source, of runs with --energy and --by-instruction: what an instruction does
 * in the SM, as it was counted, and a part of the energy of caches, network and DRAM by its sectors. The rest belongs
 * to no instruction.
 */
#include "base/print.h"
#include "results/figures/energy.h"
#include "results/report/layout.h"
#include "results/report/page.h"
#include "results/report/queries.h"
#include "results/report/report.h"

#include <inttypes.h>

enum { MOST_TOLD = 6, MOST_SHOWN = 30 };
enum { PC, TEXT, SOURCE, KERNEL, ISSUES, OWN, SECTORS, ENERGY };

struct shares { /* picojoules */
    double all, own, memory, sector;
};

/* Sums of the run; false: energies of instructions were not counted. */
static bool find_shares(const struct results_reading *reading, struct shares *shares)
{
    sqlite3_stmt *row =
        results_report_ask(reading, "SELECT sum(energy) / 1000.0, sum(sectors) FROM instruction WHERE run = ?");
    bool found = row && sqlite3_step(row) == SQLITE_ROW;
    double sectors = found ? sqlite3_column_double(row, 1) : 0;
    *shares = (struct shares){.own = found ? sqlite3_column_double(row, 0) : 0};
    sqlite3_finalize(row);
    for (int i = 0; i < RESULTS_ENERGY_PARTS; i++) {
        double part = results_energy_of(reading, &reading->total, &results_energy_parts[i]);
        shares->all += part;
        shares->memory += i >= RESULTS_ENERGY_FIRST_MEMORY && sectors > 0 ? part : 0;
    }
    shares->sector = sectors > 0 ? shares->memory / sectors : 0;
    return results_has_energy(reading) && shares->own > 0 && shares->all > 0;
}

/* Instructions, or lines of the source, that cost most first. */
static sqlite3_stmt *ask_rows(const struct results_reading *reading, const struct shares *shares, bool lines, int limit)
{
    char sql[600];
    snprintf(sql, sizeof sql,
             "SELECT pc, text, source, kernel, sum(issues), sum(energy) / 1000.0, sum(sectors),"
             " sum(energy) / 1000.0 + sum(sectors) * %.9g FROM instruction WHERE run = ? %s ORDER BY 8 DESC, kernel, pc"
             " LIMIT %d",
             shares->sector, lines ? "AND source IS NOT NULL GROUP BY source" : "GROUP BY kernel, pc, opcode", limit);
    return results_report_ask(reading, sql);
}

/* Unit of the machine in which an instruction's own energy is spent. */
static const char *unit_of(const struct results_reading *reading)
{
    return results_has_tiles(reading) ? "core" : "SM";
}

/* ===== in a terminal ===== */

void results_report_energy_lines(const struct results_reading *reading, FILE *out)
{
    struct shares shares;
    if (!find_shares(reading, &shares))
        return;
    mnp_print_text(out,
                   "\nInstructions by energy: in the %s %.1f %% of the run's, in memory for their\n"
                   "sectors %.1f %% (column memory); the rest, such as static power, belongs to none\n"
                   "  %6s %6s %12s %9s %-5s %-20s %s\n",
                   unit_of(reading), 100 * shares.own / shares.all, 100 * shares.memory / shares.all, "%", "memory",
                   "energy", "issues", "PC", "instruction", "where");
    sqlite3_stmt *rows = ask_rows(reading, &shares, false, MOST_TOLD);
    while (rows && sqlite3_step(rows) == SQLITE_ROW) {
        char energy[RESULTS_ENERGY_TEXT], text[21], place[19];
        double all = sqlite3_column_double(rows, ENERGY);
        results_report_begin(results_report_text_of(rows, TEXT), text, sizeof text - 1);
        results_report_fit_where(results_report_text_of(rows, SOURCE), results_report_text_of(rows, KERNEL), place,
                                 sizeof place - 1);
        mnp_print_text(out, "  %6.2f %6.2f %12s %9.0f %-5" PRIx64 " %-20s %s\n", 100 * all / shares.all,
                       100 * (all - sqlite3_column_double(rows, OWN)) / shares.all, results_energy_text(energy, all),
                       sqlite3_column_double(rows, ISSUES), (uint64_t)sqlite3_column_int64(rows, PC), text, place);
    }
    sqlite3_finalize(rows);
}

/* ===== on the page ===== */

static void write_table(const struct results_reading *reading, const struct shares *shares, bool lines, FILE *out)
{
    sqlite3_stmt *rows = ask_rows(reading, shares, lines, MOST_SHOWN);
    uint32_t count = 0;
    for (; rows && sqlite3_step(rows) == SQLITE_ROW; count++) {
        char text[RESULTS_ENERGY_TEXT];
        double all = sqlite3_column_double(rows, ENERGY);
        if (!count)
            mnp_print_html(out,
                           "<div class=\"wide\"><table class=\"sorts\"><thead><tr><th class=\"left\">%s<th>energy"
                           "<th>%% of all<th>%% by memory<th>issues</tr></thead><tbody>\n",
                           lines ? "line" : "instruction");
        fputs("<tr><td class=\"left code\">", out);
        mnp_put_html(lines ? results_report_place(results_report_text_of(rows, SOURCE))
                           : results_report_text_of(rows, TEXT),
                     out);
        mnp_print_html(out, "<td data-v=\"%.9g\">%s<td>%.2f<td>%.2f<td>%.0f</tr>\n", all,
                       results_energy_text(text, all), 100 * all / shares->all,
                       100 * (all - sqlite3_column_double(rows, OWN)) / shares->all,
                       sqlite3_column_double(rows, ISSUES));
    }
    if (count)
        fputs("</tbody></table></div>\n", out);
    sqlite3_finalize(rows);
}

void results_page_energy_lines(const struct results_reading *reading, FILE *out)
{
    struct shares shares;
    if (!find_shares(reading, &shares))
        return;
    mnp_print_html(out,
                   "<p>What costs the energy: %.1f %% is of what instructions do in the %s, %.1f %% of caches, network "
                   "and DRAM, divided by sectors that instructions access; the rest is of none.</p>\n",
                   100 * shares.own / shares.all, unit_of(reading), 100 * shares.memory / shares.all);
    write_table(reading, &shares, true, out);
    write_table(reading, &shares, false, out);
}
