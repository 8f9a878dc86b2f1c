/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat maps of the page of a report: a square for each unit of the machine, the more its counter has, the darker. SMs
 * stand in rows of their GPC, tiles where they lie in the mesh. */
#include "base/allocate.h"
#include "base/print.h"
#include "results/charts/charts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 10, CELL = 12, MOST_UNITS = 1 << 16, WRAP = 32, MOST_ROWS = 64 };

static const struct {
    const char *statistic, *title;
} maps[] = {
    {"issue_slots_issued", "SMs, in rows of their GPC: instructions issued"},
    {"sm_active_cycles", "SMs, in rows of their GPC: cycles with a CTA"},
    {"L1D_total_cache_misses", "SMs, in rows of their GPC: sectors that the L1 missed"},
    {"icnt_total_pkts_simt_to_mem", "GPCs: requests to the L2"},
    {"L2_total_cache_accesses", "Partitions: sectors requested at their L2 slices"},
    {"dram_accesses", "Partitions: sectors moved by their DRAM channels"},
    {"core_instructions", "Tiles: instructions of the core"},
    {"core_wait_cycles", "Tiles: cycles that the core waited for shared memory"},
    {"bank_accesses", "Tiles: accesses to the bank of shared memory"},
    {"stall_bank", "Tiles: cycles in which requests for the bank could not go"},
    {"router_packets", "Tiles: packets that the router moved"},
    {"link_north", "Tiles: packets over the link to the tile above"},
    {"link_east", "Tiles: packets over the link to the right"},
    {"link_south", "Tiles: packets over the link to the tile below"},
    {"link_west", "Tiles: packets over the link to the left"},
};

struct units {
    double *value; /* [count] */
    uint32_t count, highest;
    double sum;
    char unit[24];
};

static bool read_units(const struct results_reading *reading, const char *statistic, struct units *units)
{
    struct mnp_error ignored = {0};
    sqlite3_stmt *rows = results_sqlite_prepare(reading->database,
                                                "SELECT unit_value.unit, value, statistic.unit FROM unit_value JOIN "
                                                "statistic ON id = statistic WHERE run = ? AND name = ? ORDER BY 1",
                                                &ignored);
    *units = (struct units){0};
    if (!rows)
        return false;
    sqlite3_bind_int64(rows, 1, reading->run);
    sqlite3_bind_text(rows, 2, statistic, -1, SQLITE_STATIC);
    units->value = mnp_allocate(MOST_UNITS, sizeof *units->value);
    while (sqlite3_step(rows) == SQLITE_ROW && units->count < MOST_UNITS) {
        const char *unit = (const char *)sqlite3_column_text(rows, 2);
        snprintf(units->unit, sizeof units->unit, "%s", unit ? unit : "");
        units->value[units->count] = sqlite3_column_double(rows, 1);
        units->sum += units->value[units->count];
        if (units->value[units->count] > units->value[units->highest])
            units->highest = units->count;
        units->count++;
    }
    sqlite3_finalize(rows);
    return units->count > 1 && units->sum > 0;
}

/* How many units stand in each row; returns the number of rows, 0: there is no telling. */
static uint32_t rows_of_gpcs(const struct results_reading *reading, uint32_t count, uint32_t rows[MOST_ROWS])
{
    struct mnp_error ignored = {0};
    double gpcs = results_key(reading, "gpc.count"), sms = results_key(reading, "sm.count");
    if (gpcs < 1 || gpcs > MOST_ROWS || sms != count)
        return 0;
    for (uint32_t i = 0; i < (uint32_t)gpcs; i++)
        rows[i] = count / (uint32_t)gpcs + (i < count % (uint32_t)gpcs);
    sqlite3_stmt *list = results_sqlite_prepare(
        reading->database, "SELECT value FROM machine WHERE run = ? AND key = 'gpc.sms' AND value <> '[]'", &ignored);
    if (!list)
        return (uint32_t)gpcs;
    sqlite3_bind_int64(list, 1, reading->run);
    const char *text = sqlite3_step(list) == SQLITE_ROW ? (const char *)sqlite3_column_text(list, 0) : NULL;
    for (uint32_t i = 0; text && i < (uint32_t)gpcs; i++) { /* "[16,18,…]" */
        rows[i] = (uint32_t)strtoul(text + strcspn(text, "0123456789"), (char **)&text, 10);
    }
    sqlite3_finalize(list);
    return (uint32_t)gpcs;
}

/* Writes the squares of one level of darkness as one path. */
static void draw_level(const struct units *units, const uint32_t *rows, uint32_t wide, int level, FILE *out)
{
    double most = units->value[units->highest];
    uint32_t row = 0, column = 0;
    mnp_print_html(out, "<path class=\"fill\"%s fill-opacity=\"%.2f\" d=\"",
                   level ? "" : " style=\"stroke:var(--soft);stroke-width:.5\"", 0.04 + 0.96 * level / LEVELS);
    for (uint32_t i = 0; i < units->count; i++, column++) {
        while (rows ? column >= rows[row] && row + 1 < MOST_ROWS : column >= wide) {
            column = 0;
            row++;
        }
        if ((int)(LEVELS * units->value[i] / most + 0.5) == level)
            mnp_print_html(out, "M%u %uh%dv%dh-%dz", column * CELL, row * CELL, CELL - 1, CELL - 1, CELL - 1);
    }
    fputs("\"/>", out);
}

static void draw_map(const struct results_reading *reading, const struct units *units, const char *title, bool tiles,
                     FILE *out)
{
    uint32_t rows[MOST_ROWS], wide = units->count < WRAP ? units->count : WRAP;
    uint32_t height = tiles ? 0 : rows_of_gpcs(reading, units->count, rows);
    bool of_gpcs = height > 0;
    if (tiles)
        wide = (uint32_t)ceil(sqrt(units->count));
    for (uint32_t i = 0; i < height; i++)
        wide = i == 0 || rows[i] > wide ? rows[i] : wide;
    if (!height)
        height = (units->count + wide - 1) / wide;
    double mean = units->sum / units->count;
    mnp_print_html(
        out, "<div class=\"card\"><h3>%s</h3><svg viewBox=\"0 0 %u %u\" style=\"max-width:%urem\" role=\"img\">\n",
        title, wide * CELL, height * CELL,
        wide > 26  ? 26
        : wide < 6 ? 6
                   : wide);
    for (int level = 0; level <= LEVELS; level++)
        draw_level(units, of_gpcs ? rows : NULL, wide, level, out);
    mnp_print_html(
        out,
        "</svg><p class=\"soft\">%u units, %.0f %s%s on average; the most, number %u, has %.0f (%+.1f %%)</p></div>\n",
        units->count, mean, units->unit, *units->unit && units->unit[strlen(units->unit) - 1] == 's' ? "es" : "s",
        units->highest, units->value[units->highest], 100 * (units->value[units->highest] / mean - 1));
}

void results_page_units(const struct results_reading *reading, FILE *out)
{
    uint32_t drawn = 0;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct units units;
        bool tiles = strncmp(maps[i].title, "Tiles", 5) == 0;
        if (read_units(reading, maps[i].statistic, &units)) {
            draw_map(reading, &units, maps[i].title, tiles, out);
            drawn++;
        }
        free(units.value);
    }
    if (!drawn)
        fputs("<p class=\"soft\">No unit has counted anything.</p>\n", out);
}
