/* SPDX-License-Identifier: BSD-3-Clause */
/* Links of a node: latency of replies, use of each link, packets that switches pass on. */
#include "base/print.h"
#include "base/text.h"
#include "results/report/node.h"
#include "results/report/page.h"

/* Shares of replies whose latency is told. */
static const double shares[] = {0.5, 0.9, 0.99};
enum { SHARES = sizeof shares / sizeof *shares };

/* Whether link `row` of any GPU has moved a byte. */
static bool is_used(const struct results_reading *readings, uint32_t count, uint32_t row)
{
    double moved = 0;
    for (uint32_t i = 0; i < count; i++)
        moved += results_link_bytes(&readings[i], row, "out") + results_link_bytes(&readings[i], row, "in");
    return moved > 0;
}

/* Bytes that a switch has passed on to all GPUs. */
static double switched(const struct results_reading *readings, uint32_t count, uint32_t row)
{
    double bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += results_switch_bytes(&readings[i], row);
    return bytes;
}

/* Seconds that a packet to the GPU has waited in switches, in the mean. */
static double mean_wait(const struct results_reading *reading)
{
    double packets = results_sum(reading, &reading->total, "switch_packets"), seconds = 0;
    for (uint32_t row = 0; row < RESULTS_LINK_SWITCHES; row++)
        seconds += results_switch_wait(reading, row);
    return packets > 0 ? seconds / packets : 0;
}

/* Per cent of what the ports that lead to the GPU could send. */
static double port_use(const struct results_reading *reading)
{
    double peak = results_sum(reading, &reading->total, "switch_peak_bytes");
    return peak > 0 ? 100 * results_sum(reading, &reading->total, "switch_bytes") / peak : 0;
}

/* ===== in a terminal ===== */

static void write_latencies(const struct results_reading *readings, uint32_t count, FILE *out)
{
    fputs("\nReplies within (bounds of the histogram)\nGPU       half       90 %       99 %\n", out);
    for (uint32_t i = 0; i < count; i++) {
        mnp_print_text(out, "%3u", i);
        for (uint32_t k = 0; k < SHARES; k++) {
            char text[RESULTS_REPORT_TIME];
            mnp_print_text(out, " %10s", results_report_time(text, results_link_within(&readings[i], shares[k])));
        }
        fputc('\n', out);
    }
}

static void write_heads(const char *what, uint32_t count, FILE *out)
{
    mnp_print_text(out, "\n%-26s", what);
    for (uint32_t i = 0; i < count; i++)
        mnp_print_text(out, " %12s%2u", "GPU", i);
    fputc('\n', out);
}

static void write_links(const struct results_reading *readings, uint32_t count, FILE *out)
{
    write_heads("Use of links, % out / in", count, out);
    for (uint32_t row = 0; row < RESULTS_LINK_ROWS; row++) {
        if (!is_used(readings, count, row))
            continue;
        if (row + 1 < RESULTS_LINK_ROWS)
            mnp_print_text(out, "  link %-19u", row);
        else
            fputs("  all others, of one link ", out);
        for (uint32_t i = 0; i < count; i++)
            mnp_print_text(out, " %6.2f /%6.2f", 100 * results_link_use(&readings[i], row, "out"),
                           100 * results_link_use(&readings[i], row, "in"));
        fputc('\n', out);
    }
}

static void write_switches(const struct results_reading *readings, uint32_t count, FILE *out)
{
    char text[MNP_NUMBER_TEXT], time[RESULTS_REPORT_TIME];
    write_heads("Bytes by switches, to", count, out);
    for (uint32_t row = 0; row < RESULTS_LINK_SWITCHES; row++) {
        if (switched(readings, count, row) <= 0)
            continue;
        mnp_print_text(out, row + 1 < RESULTS_LINK_SWITCHES ? "  switch %-17u" : "  switches from %u on     ", row);
        for (uint32_t i = 0; i < count; i++)
            mnp_print_text(out, " %14s", mnp_format_grouped(text, (uint64_t)results_switch_bytes(&readings[i], row)));
        fputc('\n', out);
    }
    fputs("  % of the ports' peak    ", out);
    for (uint32_t i = 0; i < count; i++)
        mnp_print_text(out, " %14.2f", port_use(&readings[i]));
    fputs("\n  wait of a packet, mean  ", out);
    for (uint32_t i = 0; i < count; i++)
        mnp_print_text(out, " %14s", results_report_time(time, mean_wait(&readings[i])));
    fputc('\n', out);
}

void results_report_node_links(const struct results_reading *readings, uint32_t count, FILE *out)
{
    write_latencies(readings, count, out);
    write_links(readings, count, out);
    if (results_has_switches(&readings[0]))
        write_switches(readings, count, out);
}

/* ===== as a page ===== */

static void put_time(double seconds, FILE *out)
{
    char text[RESULTS_REPORT_TIME];
    mnp_print_html(out, "<td data-v=\"%.9g\">%s</td>", seconds, results_report_time(text, seconds));
}

static void page_latencies(const struct results_reading *readings, uint32_t count, FILE *out)
{
    fputs("<h2>Latency</h2><div class=\"wide\"><table><tr><th>GPU<th>half of the replies within<th>90 %<th>99 %</tr>\n",
          out);
    for (uint32_t i = 0; i < count; i++) {
        mnp_print_html(out, "<tr><td>%u</td>", i);
        for (uint32_t k = 0; k < SHARES; k++)
            put_time(results_link_within(&readings[i], shares[k]), out);
        fputs("</tr>\n", out);
    }
    fputs("</table></div><p class=\"soft\">Bounds of the histogram of each GPU's folder.</p>\n", out);
}

static void page_heads(const char *title, const char *first, uint32_t count, FILE *out)
{
    mnp_print_html(out, "<h2>%s</h2><div class=\"wide\"><table><tr><th>%s", title, first);
    for (uint32_t i = 0; i < count; i++)
        mnp_print_html(out, "<th>GPU %u", i);
    fputs("</tr>\n", out);
}

static void page_links(const struct results_reading *readings, uint32_t count, FILE *out)
{
    page_heads("Use of links, % of peak out / in", "link", count, out);
    for (uint32_t row = 0; row < RESULTS_LINK_ROWS; row++) {
        if (!is_used(readings, count, row))
            continue;
        if (row + 1 < RESULTS_LINK_ROWS)
            mnp_print_html(out, "<tr><td>%u</td>", row);
        else
            fputs("<tr><td>all others, of one link</td>", out);
        for (uint32_t i = 0; i < count; i++)
            mnp_print_html(out, "<td>%.2f / %.2f</td>", 100 * results_link_use(&readings[i], row, "out"),
                           100 * results_link_use(&readings[i], row, "in"));
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void page_switches(const struct results_reading *readings, uint32_t count, FILE *out)
{
    char text[MNP_NUMBER_TEXT];
    page_heads("Bytes that switches have passed on", "switch", count, out);
    for (uint32_t row = 0; row < RESULTS_LINK_SWITCHES; row++) {
        if (switched(readings, count, row) <= 0)
            continue;
        mnp_print_html(out, row + 1 < RESULTS_LINK_SWITCHES ? "<tr><td>%u</td>" : "<tr><td>from %u on</td>", row);
        for (uint32_t i = 0; i < count; i++)
            mnp_print_html(out, "<td>%s</td>",
                           mnp_format_grouped(text, (uint64_t)results_switch_bytes(&readings[i], row)));
        fputs("</tr>\n", out);
    }
    fputs("<tr><td>% of the ports' peak</td>", out);
    for (uint32_t i = 0; i < count; i++)
        mnp_print_html(out, "<td>%.2f</td>", port_use(&readings[i]));
    fputs("</tr>\n<tr><td>wait of a packet, mean</td>", out);
    for (uint32_t i = 0; i < count; i++)
        put_time(mean_wait(&readings[i]), out);
    fputs("</tr></table></div>\n", out);
}

void results_page_node_links(const struct results_reading *readings, uint32_t count, FILE *out)
{
    page_latencies(readings, count, out);
    page_links(readings, count, out);
    if (results_has_switches(&readings[0]))
        page_switches(readings, count, out);
}
