/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/correlate/page.h"

#include "base/allocate.h"
#include "base/print.h"
#include "base/version.h"
#include "results/charts/scatter.h"
#include "results/report/layout.h"
#include "results/report/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORST = 5, NAMES = 24 /* columns of a row's name in a terminal */ };

static bool is_whole(const struct correlate_row *row)
{
    return row->measured > 0 && row->simulated > 0;
}

static double error_of(const struct correlate_row *row)
{
    return row->simulated / row->measured - 1;
}

/* ===== how far off ===== */

struct sums {
    double n, x, y, xx, yy, xy;
};

static void take(struct sums *s, double x, double y)
{
    s->n++;
    s->x += x;
    s->y += y;
    s->xx += x * x;
    s->yy += y * y;
    s->xy += x * y;
}

static double correlation(const struct sums *s)
{
    double xx = s->n * s->xx - s->x * s->x, yy = s->n * s->yy - s->y * s->y;
    return s->n > 2 && xx > 0 && yy > 0 ? (s->n * s->xy - s->x * s->y) / sqrt(xx * yy) : NAN;
}

#define COEFFICIENT 8  /* bytes of one as text */
#define MARGIN      24 /* bytes of a margin as text */

/* A coefficient as text; a dash where there is none. */
static const char *coefficient(double value, char text[static COEFFICIENT])
{
    if (isnan(value))
        return "-";
    snprintf(text, COEFFICIENT, "%.4f", value);
    return text;
}

void cli_correlate_error(const struct correlate_pages *pages, const char *group, struct correlate_error *error)
{
    struct sums values = {0}, logarithms = {0};
    *error = (struct correlate_error){.linear = NAN, .logarithmic = NAN};
    for (uint32_t i = 0; i < pages->count; i++) {
        const struct correlate_row *row = &pages->rows[i];
        if (!is_whole(row) || (group && strcmp(group, row->group) != 0))
            continue;
        double off = fabs(error_of(row));
        error->rows++;
        error->mean += off;
        error->worst = off > error->worst ? off : error->worst;
        error->bias += log(row->simulated / row->measured);
        take(&values, row->measured, row->simulated);
        take(&logarithms, log(row->measured), log(row->simulated));
    }
    if (!error->rows) {
        error->mean = error->worst = error->bias = NAN;
        return;
    }
    error->mean /= error->rows;
    error->bias = exp(error->bias / error->rows);
    error->linear = correlation(&values);
    error->logarithmic = correlation(&logarithms);
}

/* Whether no row before this one is of its group. */
static bool begins_group(const struct correlate_pages *pages, uint32_t place)
{
    for (uint32_t i = 0; i < place; i++)
        if (strcmp(pages->rows[i].group, pages->rows[place].group) == 0)
            return false;
    return true;
}

static uint32_t count_groups(const struct correlate_pages *pages)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < pages->count; i++)
        count += begins_group(pages, i);
    return count;
}

static int by_error(const void *a, const void *b)
{
    const struct correlate_row *left = *(const struct correlate_row *const *)a,
                               *right = *(const struct correlate_row *const *)b;
    double x = fabs(error_of(left)), y = fabs(error_of(right));
    return x != y ? (x < y ? 1 : -1) : (left > right) - (left < right);
}

/* Fills in the rows that are furthest off, and returns how many. */
static uint32_t find_worst(const struct correlate_pages *pages, const struct correlate_row *worst[WORST])
{
    const struct correlate_row **all = mnp_allocate(pages->count + 1, sizeof *all);
    uint32_t count = 0;
    for (uint32_t i = 0; i < pages->count; i++)
        if (is_whole(&pages->rows[i]))
            all[count++] = &pages->rows[i];
    if (count)
        qsort(all, count, sizeof *all, by_error);
    count = count < WORST ? count : WORST;
    memcpy(worst, all, count * sizeof *all);
    free(all);
    return count;
}

/* Cycles, or microseconds. */
static double shown(const struct correlate_pages *pages, double value)
{
    return pages->unit == CORRELATE_SECONDS ? value * 1e6 : value;
}

static const char *unit_of(const struct correlate_pages *pages)
{
    return pages->unit == CORRELATE_SECONDS ? "us" : pages->unit == CORRELATE_WATTS ? "W" : "cycles";
}

#define NUMBER 32 /* bytes of a number as text */

/* A time, cycles or power as a table shows it: small ones by four digits, so that an error can be seen from it. */
static const char *number(const struct correlate_pages *pages, double value, char text[static NUMBER])
{
    bool cycles = pages->unit == CORRELATE_CYCLES;
    if (shown(pages, value) < (cycles ? 1000 : 1))
        snprintf(text, NUMBER, "%.4g", shown(pages, value));
    else
        snprintf(text, NUMBER, "%.*f", cycles ? 0 : 2, shown(pages, value));
    return text;
}

/* A figure of no rows is a dash. */
static const char *figure(double value, int decimals, const char *unit, char text[static NUMBER])
{
    if (isnan(value))
        return "-";
    snprintf(text, NUMBER, "%.*f%s", decimals, value, unit);
    return text;
}

/* " +- 14.0 %" behind an estimate; empty: it is none. */
static const char *margin_of(const struct correlate_row *row, char text[MARGIN])
{
    *text = '\0';
    if (row->margin > 0)
        snprintf(text, MARGIN, " +- %.1f %%", 100 * row->margin / row->simulated);
    return text;
}

/* ===== the table ===== */

void cli_correlate_csv(const struct correlate_pages *pages, FILE *out)
{
    fputs("name,group,machine,unit,measured,simulated,margin,error,bound by,command\n", out);
    for (uint32_t i = 0; i < pages->count; i++) {
        const struct correlate_row *row = &pages->rows[i];
        const char *texts[] = {row->name, row->group, row->machine, unit_of(pages)};
        for (int k = 0; k < 4; k++) {
            mnp_put_csv(texts[k], out);
            putc(',', out);
        }
        if (row->measured > 0)
            fprintf(out, "%.10g", shown(pages, row->measured));
        putc(',', out);
        if (row->simulated > 0)
            fprintf(out, "%.10g", shown(pages, row->simulated));
        putc(',', out);
        if (row->margin > 0)
            fprintf(out, "%.10g", shown(pages, row->margin));
        putc(',', out);
        if (is_whole(row))
            fprintf(out, "%.6f", error_of(row));
        putc(',', out);
        mnp_put_csv(row->bound, out);
        putc(',', out);
        mnp_put_csv(row->command, out);
        putc('\n', out);
    }
}

/* ===== Markdown ===== */

static void write_groups_markdown(const struct correlate_pages *pages, FILE *out)
{
    struct correlate_error error;
    char linear[COEFFICIENT], logarithmic[COEFFICIENT], mean[NUMBER], worst[NUMBER], bias[NUMBER];
    fputs("| group | rows | mean absolute error | largest | simulated / measured | correlation | of logarithms |\n"
          "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n",
          out);
    for (uint32_t i = 0; i <= pages->count; i++) {
        bool all = i == pages->count;
        if (!all && (!begins_group(pages, i) || count_groups(pages) < 2))
            continue;
        cli_correlate_error(pages, all ? NULL : pages->rows[i].group, &error);
        fputs("| ", out);
        mnp_put_markdown(all ? "all" : pages->rows[i].group, out);
        mnp_print_markdown(out, " | %u | %s | %s | %s | %s | %s |\n", error.rows,
                           figure(100 * error.mean, 1, " %", mean), figure(100 * error.worst, 1, " %", worst),
                           figure(error.bias, 3, "", bias), coefficient(error.linear, linear),
                           coefficient(error.logarithmic, logarithmic));
    }
}

static void write_row_markdown(const struct correlate_pages *pages, const struct correlate_row *row, FILE *out)
{
    char measured[NUMBER], simulated[NUMBER], margin[MARGIN];
    fputs("| ", out);
    mnp_put_markdown(row->name, out);
    fputs(" | ", out);
    mnp_put_markdown(row->machine, out);
    if (is_whole(row))
        mnp_print_markdown(out, " | %s | %s%s | %+.1f %% | ", number(pages, row->measured, measured),
                           number(pages, row->simulated, simulated), margin_of(row, margin), 100 * error_of(row));
    else
        mnp_print_markdown(out, " | %s | %s | | ", row->measured > 0 ? "" : "not measured",
                           row->simulated > 0 ? "" : "failed");
    mnp_put_markdown(row->bound, out);
    fputs(" |\n", out);
}

void cli_correlate_markdown(const struct correlate_pages *pages, FILE *out)
{
    const struct correlate_row *worst[WORST];
    uint32_t count = find_worst(pages, worst);
    fputs("Runs of ", out);
    mnp_put_code(pages->list, out);
    fputs(" beside measurements of ", out);
    mnp_put_code(pages->measurements, out);
    fputs(", by maniple " MANIPLE_VERSION ".\n\n", out);
    write_groups_markdown(pages, out);
    mnp_print_markdown(
        out,
        "\n| row | machine | measured, %s | simulated | error | bound by |\n| --- | --- | ---: | ---: | ---: | "
        "--- |\n",
        unit_of(pages));
    for (uint32_t i = 0; i < pages->count; i++)
        write_row_markdown(pages, &pages->rows[i], out);
    fputs("\nFurthest off:\n\n", out);
    for (uint32_t i = 0; i < count; i++) {
        mnp_print_markdown(out, "- %s, %+.1f %%: %s; %s. ", worst[i]->name, 100 * error_of(worst[i]), worst[i]->bound,
                           worst[i]->evidence);
        mnp_put_code(worst[i]->command, out);
        putc('\n', out);
    }
}

/* ===== HTML ===== */

static void draw(const struct correlate_pages *pages, FILE *out)
{
    struct results_point *points = mnp_allocate(pages->count + 1, sizeof *points);
    const char **groups = mnp_allocate(pages->count + 1, sizeof *groups);
    char x[64], y[64];
    uint32_t count = 0, group_count = 0;
    for (uint32_t i = 0; i < pages->count; i++) {
        const struct correlate_row *row = &pages->rows[i];
        uint32_t group = 0;
        while (group < group_count && strcmp(groups[group], row->group) != 0)
            group++;
        if (group == group_count)
            groups[group_count++] = row->group;
        if (is_whole(row))
            points[count++] = (struct results_point){.x = shown(pages, row->measured),
                                                     .y = shown(pages, row->simulated),
                                                     .label = row->name,
                                                     .series = group,
                                                     .marked = true};
    }
    snprintf(x, sizeof x, "measured, %s", unit_of(pages));
    snprintf(y, sizeof y, "simulated, %s", unit_of(pages));
    results_draw_scatter(&(struct results_scatter){.points = points,
                                                   .count = count,
                                                   .title = "Simulated over measured; on the line they are equal",
                                                   .x = x,
                                                   .y = y,
                                                   .series = group_count > 1 ? groups : NULL,
                                                   .series_count = group_count,
                                                   .diagonal = true},
                         out);
    free(points);
    free(groups);
}

static void write_groups_html(const struct correlate_pages *pages, FILE *out)
{
    struct correlate_error error;
    char linear[COEFFICIENT], logarithmic[COEFFICIENT], mean[NUMBER], worst[NUMBER], bias[NUMBER];
    fputs("<div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Group<th>rows<th>mean absolute error %<th>largest "
          "%<th>simulated / measured<th>correlation<th>of logarithms</tr></thead><tbody>\n",
          out);
    for (uint32_t i = 0; i <= pages->count; i++) {
        bool all = i == pages->count;
        if (!all && (!begins_group(pages, i) || count_groups(pages) < 2))
            continue;
        cli_correlate_error(pages, all ? NULL : pages->rows[i].group, &error);
        fputs("<tr><td>", out);
        mnp_put_html(all ? "all" : pages->rows[i].group, out);
        mnp_print_html(out,
                       "</td><td data-v=\"%u\">%u</td><td data-v=\"%f\">%s</td><td data-v=\"%f\">%s</td>"
                       "<td data-v=\"%f\">%s</td><td>%s</td><td>%s</td></tr>\n",
                       error.rows, error.rows, error.rows ? error.mean : -1, figure(100 * error.mean, 1, "", mean),
                       error.rows ? error.worst : -1, figure(100 * error.worst, 1, "", worst),
                       error.rows ? error.bias : -1, figure(error.bias, 3, "", bias), coefficient(error.linear, linear),
                       coefficient(error.logarithmic, logarithmic));
    }
    fputs("</tbody></table></div>\n", out);
}

static void write_row_html(const struct correlate_pages *pages, const struct correlate_row *row, FILE *out)
{
    const char *texts[] = {row->name, row->group, row->machine};
    char measured[NUMBER], simulated[NUMBER], margin[MARGIN];
    fputs("<tr>", out);
    for (int i = 0; i < 3; i++) {
        fputs(i ? "<td class=\"left\">" : "<td class=\"name\">", out);
        mnp_put_html(texts[i], out);
        fputs("</td>", out);
    }
    if (is_whole(row))
        mnp_print_html(out, "<td data-v=\"%g\">%s</td><td data-v=\"%g\">%s%s</td><td data-v=\"%f\">%+.1f</td>",
                       row->measured, number(pages, row->measured, measured), row->simulated,
                       number(pages, row->simulated, simulated), margin_of(row, margin), error_of(row),
                       100 * error_of(row));
    else
        mnp_print_html(out, "<td>%s</td><td>%s</td><td></td>", row->measured > 0 ? "" : "not measured",
                       row->simulated > 0 ? "" : "failed");
    fputs("<td class=\"left\" title=\"", out);
    mnp_put_html(row->evidence, out);
    fputs("\">", out);
    mnp_put_html(row->bound, out);
    fputs("</td><td class=\"left code command\">", out);
    mnp_put_html(row->command, out);
    fputs("</td></tr>\n", out);
}

void cli_correlate_html(const struct correlate_pages *pages, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">"
          "<title>Maniple: simulated beside measured</title><style>",
          out);
    fputs(results_page_style, out);
    fputs("</style></head><body>\n<h1>Simulated beside measured</h1><p class=\"soft\">", out);
    mnp_put_html(pages->list, out);
    fputs(" beside ", out);
    mnp_put_html(pages->measurements, out);
    fputs("</p>\n", out);
    draw(pages, out);
    fputs("<h2>By group</h2>", out);
    write_groups_html(pages, out);
    mnp_print_html(
        out,
        "<h2>Rows</h2><div class=\"wide\"><table class=\"sorts\"><thead><tr><th>Row<th class=\"left\">group<th "
        "class=\"left\">machine<th>measured, %s<th>simulated<th>error %%<th class=\"left\">bound by<th "
        "class=\"left\">make it again</tr></thead><tbody>\n",
        unit_of(pages));
    for (uint32_t i = 0; i < pages->count; i++)
        write_row_html(pages, &pages->rows[i], out);
    fputs("</tbody></table></div><p class=\"soft\">Written by maniple " MANIPLE_VERSION "</p><script>", out);
    fputs(results_page_script, out);
    fputs("</script></body></html>\n", out);
}

/* ===== the terminal ===== */

/* Says how many of the rows are known no better than within a margin. */
static void write_estimates(const struct correlate_pages *pages, FILE *out)
{
    uint32_t count = 0;
    double most = 0;
    for (uint32_t i = 0; i < pages->count; i++)
        if (pages->rows[i].margin > 0) {
            count++;
            most = fmax(most, pages->rows[i].margin / pages->rows[i].simulated);
        }
    if (count)
        mnp_print_text(out, "Estimates: %u of %u rows, +- up to %.1f %% (95 %%, column margin)\n", count, pages->count,
                       100 * most);
}

static void write_groups_text(const struct correlate_pages *pages, FILE *out)
{
    struct correlate_error error;
    char linear[COEFFICIENT], mean[NUMBER], worst[NUMBER];
    for (uint32_t i = 0; i <= pages->count; i++) {
        bool all = i == pages->count;
        if (!all && (!begins_group(pages, i) || count_groups(pages) < 2))
            continue;
        cli_correlate_error(pages, all ? NULL : pages->rows[i].group, &error);
        mnp_print_text(out, "%-24.24s %5u %s mean absolute error %8s, largest %8s, correlation %s\n",
                       all ? "all" : pages->rows[i].group, error.rows, error.rows == 1 ? "row, " : "rows,",
                       figure(100 * error.mean, 1, " %", mean), figure(100 * error.worst, 1, " %", worst),
                       coefficient(error.linear, linear));
    }
}

/* Rows that count for nothing, so that nobody takes the others for all. */
static void write_lost_text(const struct correlate_pages *pages, bool failed, FILE *out)
{
    uint32_t count = 0, named = 0;
    for (uint32_t i = 0; i < pages->count; i++)
        count += (failed ? pages->rows[i].simulated : pages->rows[i].measured) <= 0;
    if (!count)
        return;
    mnp_print_text(out, "%s, and count for nothing: %u of %u rows", failed ? "Failed" : "Not measured", count,
                   pages->count);
    for (uint32_t i = 0; i < pages->count && named < WORST; i++)
        if ((failed ? pages->rows[i].simulated : pages->rows[i].measured) <= 0)
            mnp_print_text(out, "%s%.60s", named++ ? ", " : ": ", pages->rows[i].name);
    fputs(count > named ? ", ...\n" : "\n", out);
}

void cli_correlate_text(const struct correlate_pages *pages, FILE *out)
{
    const struct correlate_row *worst[WORST];
    uint32_t count = find_worst(pages, worst);
    char name[NAMES + 1], heading[NUMBER], measured[NUMBER], simulated[NUMBER], margin[MARGIN];
    write_groups_text(pages, out);
    write_lost_text(pages, false, out);
    write_lost_text(pages, true, out);
    write_estimates(pages, out);
    snprintf(heading, sizeof heading, "measured, %s", unit_of(pages));
    if (count)
        mnp_print_text(out, "%-*s %16s %12s %9s  bound by\n", NAMES + 2, "Furthest off", heading, "simulated", "error");
    for (uint32_t i = 0; i < count; i++)
        mnp_print_text(out, "  %-*s %16s %12s %+7.1f %%%s  %s\n", NAMES,
                       results_report_fit(worst[i]->name, name, NAMES),
                       number(pages, worst[i]->measured, measured), number(pages, worst[i]->simulated, simulated),
                       100 * error_of(worst[i]), margin_of(worst[i], margin), worst[i]->bound);
}
