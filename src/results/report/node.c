/* SPDX-License-Identifier: BSD-3-Clause */
/* A node of GPUs: how much of its time each has computed and communicated, and what went from each to each. */
#include "results/report/node.h"
#include "base/print.h"
#include "base/text.h"
#include "base/version.h"
#include "results/figures/links.h"
#include "results/report/layout.h"
#include "results/report/page.h"

/* Figures of a GPU. */
struct share {
    double seconds, out, in; /* seconds of the run; shares of the peak, 0 … 1 */
    struct results_link_times times;
};

static double of_peak(const struct results_reading *reading, const char *bytes)
{
    double peak = results_sum(reading, &reading->total, "fabric_peak_bytes");
    return peak > 0 ? results_sum(reading, &reading->total, bytes) / peak : 0;
}

static struct share share_of(const struct results_reading *reading)
{
    struct mnp_error ignored = {0};
    struct share share = {
        .seconds = results_report_seconds(reading, results_report_end(reading)),
        .out = of_peak(reading, "fabric_bytes_out"),
        .in = of_peak(reading, "fabric_bytes_in"),
    };
    results_link_times(reading, &share.times, &ignored);
    return share;
}

/* Seconds of the whole run, over which peaks are counted. */
static double whole(const struct results_reading *reading)
{
    return results_report_seconds(reading, results_report_cycles(reading, &reading->total));
}

/* The greatest share of the peak, out or in, of the time in which a GPU communicates. */
static double most_while_communicating(const struct results_reading *readings, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct share share = share_of(&readings[i]);
        double busy = share.out > share.in ? share.out : share.in, each = share.times.communication;
        double of = each > 0 ? busy * whole(&readings[i]) / each : 0;
        most = of > most ? of : most;
    }
    return most < 1 ? most : 1;
}

/* ===== in a terminal ===== */

static void write_shares(const struct results_reading *readings, uint32_t count, FILE *out)
{
    mnp_print_text(out, "\n%3s %10s %10s %13s %10s %7s %10s %10s\n", "GPU", "compute", "communi-", "exposed com-",
                   "out, %", "in, %", "latency", "longest");
    mnp_print_text(out, "%3s %10s %10s %13s %10s %7s\n", "", "", "cation", "munication", "of peak", "of peak");
    for (uint32_t i = 0; i < count; i++) {
        char text[5][RESULTS_REPORT_TIME];
        struct share share = share_of(&readings[i]);
        mnp_print_text(
            out, "%3u %10s %10s %13s %10.2f %7.2f %10s %10s\n", i, results_report_time(text[0], share.times.compute),
            results_report_time(text[1], share.times.communication), results_report_time(text[2], share.times.exposed),
            100 * share.out, 100 * share.in, results_report_time(text[3], results_link_latency(&readings[i])),
            results_report_time(text[4], share.times.most_latency));
    }
    fputs("compute: with kernels that use no link; communication: with those that do; exposed:\n"
          "of this, the time without a kernel that uses no link. Latency: request to reply.\n",
          out);
    char text[200], all[RESULTS_REPORT_TIME];
    snprintf(text, sizeof text,
             "of the whole run of %s, in which the host copies and calls, too; of the time of communication it is "
             "%.2f %% at most",
             results_report_time(all, whole(&readings[0])), 100 * most_while_communicating(readings, count));
    results_report_paragraph("% of peak", text, out);
}

/* Bytes that a GPU has sent to another. */
typedef double traffic(const struct results_reading *reading, uint32_t to);

static bool has_copies(const struct results_reading *readings, uint32_t count)
{
    for (uint32_t i = 0; i < count * count; i++)
        if (results_link_copied(&readings[i / count], i % count) > 0)
            return true;
    return false;
}

static void write_matrix(const char *title, traffic *data, const struct results_reading *readings, uint32_t count,
                         FILE *out)
{
    mnp_print_text(out, "\n%s\n%8s", title, "from, to");
    for (uint32_t to = 0; to < count; to++)
        mnp_print_text(out, " %16u", to);
    fputc('\n', out);
    for (uint32_t from = 0; from < count; from++) {
        mnp_print_text(out, "%8u", from);
        for (uint32_t to = 0; to < count; to++) {
            char text[MNP_NUMBER_TEXT];
            mnp_print_text(out, " %16s",
                           from == to ? "-" : mnp_format_grouped(text, (uint64_t)data(&readings[from], to)));
        }
        fputc('\n', out);
    }
}

static void write_kinds(const struct results_reading *readings, uint32_t count, FILE *out)
{
    mnp_print_text(out, "\n%-26s", "Bytes sent, with headers");
    for (uint32_t i = 0; i < count; i++)
        mnp_print_text(out, " %12s %u", "GPU", i);
    for (int kind = 0; kind < RESULTS_LINK_KINDS; kind++) {
        mnp_print_text(out, "\n  %-24s", results_link_kinds[kind].name);
        for (uint32_t i = 0; i < count; i++) {
            char text[MNP_NUMBER_TEXT];
            double bytes = results_sum(&readings[i], &readings[i].total, results_link_kinds[kind].statistic);
            mnp_print_text(out, " %14s", mnp_format_grouped(text, (uint64_t)bytes));
        }
    }
    fputc('\n', out);
}

bool results_report_node(const struct results_reading *readings, uint32_t count, FILE *out, struct mnp_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        if (!results_has_links(&readings[i]))
            return mnp_fail(error,
                            "the GPUs of this run share no links (fabric.kind); report on the folder of one of them");
    mnp_print_text(out, "%u GPUs on %s\n", count, readings[0].machine);
    write_shares(readings, count, out);
    write_matrix("Bytes of data, by kernels", results_link_data, readings, count, out);
    if (has_copies(readings, count))
        write_matrix("Bytes of data, by copy engines", results_link_copied, readings, count, out);
    write_kinds(readings, count, out);
    results_report_node_links(readings, count, out);
    fputs("\nOf each GPU, maniple report on its folder says more.\n", out);
    return true;
}

/* ===== as a page ===== */

static void put_time(double seconds, FILE *out)
{
    char text[RESULTS_REPORT_TIME];
    mnp_print_html(out, "<td data-v=\"%.9g\">%s</td>", seconds, results_report_time(text, seconds));
}

static void page_shares(const struct results_reading *readings, uint32_t count, FILE *out)
{
    fputs(
        "<h2>Time</h2><div class=\"wide\"><table class=\"sorts\"><thead><tr><th>GPU<th>run<th>compute<th>communication"
        "<th>exposed communication<th>sent, % of peak<th>received, % of peak<th>data, % of sent<th>mean latency<th>"
        "longest latency</tr></thead><tbody>\n",
        out);
    for (uint32_t i = 0; i < count; i++) {
        const struct results_reading *reading = &readings[i];
        struct share share = share_of(reading);
        double sent = results_sum(reading, &reading->total, "fabric_bytes_out");
        double data = results_sum(reading, &reading->total, "fabric_data_out");
        mnp_print_html(out, "<tr><td>%u</td>", i);
        put_time(share.seconds, out);
        put_time(share.times.compute, out);
        put_time(share.times.communication, out);
        put_time(share.times.exposed, out);
        mnp_print_html(out, "<td>%.2f</td><td>%.2f</td><td>%.2f</td>", 100 * share.out, 100 * share.in,
                       sent > 0 ? 100 * data / sent : 0);
        put_time(results_link_latency(reading), out);
        put_time(share.times.most_latency, out);
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div><p class=\"soft\">Compute: with kernels that use no link. Communication: with kernels "
          "that "
          "do. Exposed: of this, the time without a kernel that uses no link. Latency: from a request at the GPU's hub "
          "to its reply. ",
          out);
    mnp_print_html(
        out,
        "%% of peak: of the whole run, in which the host copies and calls, too; of the time of communication "
        "it is %.2f %% at most.</p>\n",
        100 * most_while_communicating(readings, count));
}

/* A cell of a table of bytes, the darker the more of the greatest there are. */
static void put_bytes(double bytes, double most, FILE *out)
{
    char text[MNP_NUMBER_TEXT];
    mnp_print_html(out, "<td data-v=\"%.0f\" style=\"background:rgba(0,114,178,%.2f)\">%s</td>", bytes,
                   most > 0 ? 0.5 * bytes / most : 0, mnp_format_grouped(text, (uint64_t)bytes));
}

static void page_matrix(const char *title, traffic *data, const struct results_reading *readings, uint32_t count,
                        FILE *out)
{
    double most = 0;
    for (uint32_t i = 0; i < count * count; i++)
        most = most < data(&readings[i / count], i % count) ? data(&readings[i / count], i % count) : most;
    mnp_print_html(out, "<h2>%s</h2><div class=\"wide\"><table><tr><th>from", title);
    for (uint32_t to = 0; to < count; to++)
        mnp_print_html(out, "<th>to %u", to);
    fputs("</tr>\n", out);
    for (uint32_t from = 0; from < count; from++) {
        mnp_print_html(out, "<tr><td>%u</td>", from);
        for (uint32_t to = 0; to < count; to++)
            if (from == to)
                fputs("<td></td>", out);
            else
                put_bytes(data(&readings[from], to), most, out);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

static void page_kinds(const struct results_reading *readings, uint32_t count, FILE *out)
{
    fputs("<h2>Bytes sent by kind of packet, with headers</h2><div class=\"wide\"><table><tr><th>kind", out);
    for (uint32_t i = 0; i < count; i++)
        mnp_print_html(out, "<th>GPU %u", i);
    fputs("</tr>\n", out);
    for (int kind = 0; kind < RESULTS_LINK_KINDS; kind++) {
        mnp_print_html(out, "<tr><td>%s</td>", results_link_kinds[kind].name);
        for (uint32_t i = 0; i < count; i++)
            put_bytes(results_sum(&readings[i], &readings[i].total, results_link_kinds[kind].statistic),
                      results_sum(&readings[i], &readings[i].total, "fabric_bytes_out"), out);
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
}

void results_page_node(const struct results_reading *readings, uint32_t count, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
          "content=\"width=device-width,initial-scale=1\"><meta name=\"color-scheme\" content=\"light dark\">",
          out);
    mnp_print_html(out, "<title>Maniple: %u GPUs</title><style>", count);
    fputs(results_page_style, out);
    mnp_print_html(out, "</style></head><body>\n<h1>%u GPUs on %s</h1>", count, readings[0].machine);
    page_shares(readings, count, out);
    page_matrix("Data from GPU to GPU by kernels, bytes", results_link_data, readings, count, out);
    if (has_copies(readings, count))
        page_matrix("Data from GPU to GPU by copy engines, bytes", results_link_copied, readings, count, out);
    page_kinds(readings, count, out);
    results_page_node_links(readings, count, out);
    fputs("<p class=\"soft\">Written by maniple " MANIPLE_VERSION "</p><script>", out);
    fputs(results_page_script, out);
    fputs("</script></body></html>\n", out);
}
