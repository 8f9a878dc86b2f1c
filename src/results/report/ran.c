/* SPDX-License-Identifier: BSD-3-Clause */
/* The facts of a run on the page of a report: title, command, inputs and environment; and names of kernels. */
#include "base/demangle.h"
#include "base/print.h"
#include "results/report/layout.h"
#include "results/report/page.h"
#include "results/report/queries.h"

#include <stdlib.h>
#include <string.h>

/* The program's file without its folders, and its arguments; the name of a workload of `maniple app run`; of others,
 * the input. */
void results_page_title(const struct results_reading *reading, FILE *out)
{
    sqlite3_stmt *words = results_report_ask_command(reading);
    bool behind = false, any = false, app = false;
    for (int i = 0; words && sqlite3_step(words) == SQLITE_ROW; i++) {
        const char *word = results_report_text_of(words, 0), *slash = strrchr(word, '/');
        app |= i == 1 && strcmp(word, "app") == 0;
        if (behind || (app && i == 3)) {
            fputs(any ? " " : "", out);
            mnp_put_html(slash && slash[1] ? slash + 1 : word, out);
            any = true;
        }
        behind |= strcmp(word, "--") == 0;
    }
    sqlite3_finalize(words);
    if (!any)
        mnp_put_html(reading->input, out);
}

void results_page_subject(const struct results_reading *reading, FILE *out)
{
    char *set = results_report_settings(reading);
    mnp_put_html(reading->label, out);
    fputs(" on ", out);
    mnp_put_html(reading->machine, out);
    fputs(*set ? " with " : "", out);
    mnp_put_html(set, out);
    free(set);
}

/* A row of the table of facts. */
static void write_fact(const char *kind, const char *name, const char *value, FILE *out)
{
    fputs("<tr><td>", out);
    mnp_put_html(kind, out);
    fputs("<td class=\"left code\">", out);
    mnp_put_html(name, out);
    fputs("<td class=\"left code\">", out);
    mnp_put_html(value, out);
    fputs("</tr>\n", out);
}

/* A word of a command line as a shell would take it. */
static void write_word(const char *word, FILE *out)
{
    char *quoted = mnp_shell_word(word);
    mnp_put_html(quoted, out);
    free(quoted);
}

void results_page_ran(const struct results_reading *reading, FILE *out)
{
    sqlite3_stmt *words = results_report_ask_command(reading);
    sqlite3_stmt *facts = results_report_ask(
        reading, "SELECT kind, name, value FROM provenance WHERE run = ? AND kind <> 'command' ORDER BY rowid");
    bool any = false;
    while (words && sqlite3_step(words) == SQLITE_ROW) {
        fputs(any ? " " : "<p><code>", out);
        write_word(results_report_text_of(words, 0), out);
        any = true;
    }
    fputs(any ? "</code></p>\n" : "<p class=\"soft\">Not known: the program was not started by maniple.</p>\n", out);
    fputs("<details><summary>Folder, environment, build, hashes of files</summary><div class=\"wide\"><table>", out);
    while (facts && sqlite3_step(facts) == SQLITE_ROW)
        write_fact(results_report_text_of(facts, 0), results_report_text_of(facts, 1), results_report_text_of(facts, 2),
                   out);
    fputs("</table></div></details>\n", out);
    sqlite3_finalize(words);
    sqlite3_finalize(facts);
}

void results_page_kernel_name(const char *name, FILE *out)
{
    enum { WIDTH = 80 };
    char *plain = mnp_demangle(name), brief[WIDTH + 1];
    mnp_print_html(out, "<span title=\"%s\">%s</span>", plain, results_report_fit_name(name, brief, WIDTH));
    free(plain);
}
