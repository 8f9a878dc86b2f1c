/* SPDX-License-Identifier: BSD-3-Clause */
/* Results for people: a table of kernels, where the issue slots went, and every statistic of the whole run. */
#include "base/text.h"
#include "base/allocate.h"
#include "base/demangle.h"
#include "base/print.h"
#include "results/write/results.h"
#include "results/write/text_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_WIDTH = 32, BAR_WIDTH = 40 };

static void ratio_of(const struct mnp_statistic_set *set, const char *name, char text[MNP_NUMBER_TEXT])
{
    struct mnp_statistic_value value;
    if (mnp_statistics_find(set, name, &value) && value.form == MNP_DECIMAL)
        mnp_format_ratio_decimals(text, value.numerator, value.scale, value.denominator, 3);
    else
        strcpy(text, "-");
}

static void dimensions(char *text, size_t room, const struct mnp_part_results *part, const char *name)
{
    const struct mnp_attribute *attribute = mnp_part_attribute(part, name);
    const uint64_t *size = attribute ? attribute->value : (const uint64_t[3]){0};
    int used = snprintf(text, room, "%" PRIu64, size[0]);
    if (size[1] > 1 || size[2] > 1)
        used += snprintf(text + used, room - (size_t)used, "x%" PRIu64, size[1]);
    if (size[2] > 1)
        snprintf(text + used, room - (size_t)used, "x%" PRIu64, size[2]);
}

static void write_row(const struct mnp_statistic_set *set, FILE *out)
{
    char cycles[MNP_NUMBER_TEXT], warps[MNP_NUMBER_TEXT], threads[MNP_NUMBER_TEXT], ipc[MNP_NUMBER_TEXT];
    ratio_of(set, "gpu_ipc", ipc);
    mnp_print_text(out, "  %15s  %17s  %17s  %10s",
                   mnp_format_grouped(cycles, mnp_statistics_get(set, "gpu_sim_cycle")),
                   mnp_format_grouped(warps, mnp_statistics_get(set, "gpgpu_n_tot_w_icount")),
                   mnp_format_grouped(threads, mnp_statistics_get(set, "gpu_sim_insn")), ipc);
}

/* Columns of a kernel's name: more in a terminal that is wider than the table. */
static int name_width(void)
{
    enum { TABLE = NAME_WIDTH + 101 };
    return NAME_WIDTH + mnp_terminal_columns(TABLE, TABLE) - TABLE;
}

/* A kernel's name as C++ writes it, without its parameters and without control characters, cut to the column. */
static void write_name(const char *name, FILE *out)
{
    int room = name_width();
    char *plain = mnp_demangle_column(name, (size_t)room), text[1024];
    bool cut = strlen(mnp_escape(text, sizeof text, plain)) > (size_t)room;
    int width = cut ? room - 2 : room;
    mnp_print_text(out, "%-*.*s%s", width, width, text, cut ? ".." : "");
    free(plain);
}

static void write_kernel(const struct mnp_part_results *kernel, FILE *out)
{
    char grid[40], block[40];
    dimensions(grid, sizeof grid, kernel, "grid");
    dimensions(block, sizeof block, kernel, "block");
    mnp_print_text(out, "%6u  ", kernel->id);
    write_name(kernel->name, out);
    mnp_print_text(out, "  %12s  %10s", grid, block);
    write_row(&kernel->statistics, out);
    fputs(kernel->partial ? "  (partial)\n" : "\n", out);
}

struct length { /* length of a kernel in simulated time */
    uint64_t cycles;
    uint32_t place;
};

/* The longest first; of equal ones, the first. */
static int longest_first(const void *left, const void *right)
{
    const struct length *a = left, *b = right;
    if (a->cycles != b->cycles)
        return a->cycles > b->cycles ? -1 : 1;
    return a->place < b->place ? -1 : 1;
}

static int in_order(const void *left, const void *right)
{
    const struct length *a = left, *b = right;
    return a->place < b->place ? -1 : 1;
}

static void write_longest(const struct mnp_results *results, uint32_t most, FILE *out)
{
    uint32_t count = results->part_count, rest = count - most;
    uint64_t cycles = 0;
    char number[MNP_NUMBER_TEXT];
    struct length *lengths = mnp_allocate(count, sizeof *lengths);
    for (uint32_t i = 0; i < count; i++)
        lengths[i] = (struct length){mnp_statistics_get(&results->parts[i]->statistics, "gpu_sim_cycle"), i};
    qsort(lengths, count, sizeof *lengths, longest_first);
    for (uint32_t i = most; i < count; i++)
        cycles += lengths[i].cycles;
    qsort(lengths, most, sizeof *lengths, in_order);
    for (uint32_t i = 0; i < most; i++)
        write_kernel(results->parts[lengths[i].place], out);
    mnp_print_text(out, "%6s  %u more kernel%s, of %s cycles together; --long shows all\n", "", rest,
                   rest == 1 ? "" : "s", mnp_format_grouped(number, cycles));
    free(lengths);
}

void results_text_kernels(const struct mnp_results *results, uint32_t most, FILE *out)
{
    mnp_print_text(out, "%6s  %-*s  %12s  %10s  %15s  %17s  %17s  %10s\n", "kernel", name_width(), "name", "grid",
                   "block", "cycles", "warp instructions", "instructions", "IPC");
    if (results->part_count > most)
        write_longest(results, most, out);
    else
        for (uint32_t i = 0; i < results->part_count; i++)
            write_kernel(results->parts[i], out);
    mnp_print_text(out, "%6s  %-*s  %12s  %10s", "total", name_width(), "", "", "");
    write_row(&results->total, out);
    fputs("\n", out);
}

/* Idle slots of the time without a kernel, before, between and behind them: copies and calls of the host. Less than a
 * hundredth of the time is not worth a word. */
static uint64_t slots_without_kernel(const struct mnp_results *results)
{
    const struct mnp_statistic_set *set = &results->total;
    uint64_t all = mnp_statistics_get(set, "sm_cycles"), slots = mnp_statistics_get(set, "issue_slots");
    uint64_t sms = slots && results->machine ? mnp_settings_number(results->machine, "sm.count") : 0, kernels = 0;
    for (uint32_t i = 0; i < results->part_count; i++)
        kernels += sms * mnp_statistics_get(&results->parts[i]->statistics, "gpu_sim_cycle");
    if (!kernels || kernels / 99 >= all / 100)
        return 0;
    uint64_t without = (uint64_t)((unsigned __int128)slots * (all - kernels) / all);
    uint64_t idle = mnp_statistics_get(set, "issue_slots_idle");
    return without < idle ? without : idle;
}

void results_text_issue_slots(const struct mnp_results *results, FILE *out)
{
    static const char prefix[] = "issue_slots_";
    const struct mnp_statistic_set *set = &results->total;
    uint64_t without = slots_without_kernel(results), all = mnp_statistics_get(set, "issue_slots") - without;
    if (!all)
        return;
    char grouped[MNP_NUMBER_TEXT];
    mnp_print_text(out, "\nIssue slots%s: %s\n", without ? ", of the kernels' time" : "",
                   mnp_format_grouped(grouped, all));
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        for (size_t row = 0; row < model->statistic_count; row++) {
            const char *name = model->statistics[row].name;
            if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !model->statistics[row].kind->counted)
                continue;
            uint64_t slots = mnp_statistics_get(set, name);
            slots -= strcmp(name, "issue_slots_idle") == 0 ? without : 0;
            char percent[MNP_NUMBER_TEXT], bar[BAR_WIDTH + 1] = "";
            memset(bar, '#', slots < all ? (size_t)((unsigned __int128)slots * BAR_WIDTH / all) : BAR_WIDTH);
            mnp_print_text(out, "  %-24s %6s %%%s%s\n", name + sizeof prefix - 1,
                           mnp_format_ratio_decimals(percent, slots, 100, all, 2), *bar ? "  " : "", bar);
        }
    }
}

static void write_histogram(const struct mnp_statistic_value *value, FILE *out)
{
    mnp_print_text(out, "  %-40s %24s %s\n", value->row->name, "", value->row->unit);
    for (uint32_t bin = 0; bin < value->row->bins; bin++) {
        if (!value->values[bin])
            continue;
        uint64_t low = bin ? mnp_histogram_bound(value->row, bin - 1) + 1 : 0;
        uint64_t high = mnp_histogram_bound(value->row, bin);
        char range[64], count[MNP_NUMBER_TEXT];
        if (high == UINT64_MAX)
            snprintf(range, sizeof range, "%" PRIu64 " and more", low);
        else if (low == high)
            snprintf(range, sizeof range, "%" PRIu64, low);
        else
            snprintf(range, sizeof range, "%" PRIu64 " to %" PRIu64, low, high);
        mnp_print_text(out, "    %-38s %24s\n", range, mnp_format_grouped(count, value->values[bin]));
    }
}

static void write_statistics(const struct mnp_statistic_set *set, const char *what, FILE *out)
{
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_statistic_block *block = &set->blocks[i];
        if (block->model->statistic_count)
            mnp_print_text(out, "\nStatistics of %s, model %s%s\n", what, block->model->name,
                           strcmp(block->model->name, "tile") == 0 ? " (the greatest of all tiles)" : "");
        for (size_t row = 0; row < block->model->statistic_count; row++) {
            struct mnp_statistic_value value;
            char text[MNP_NUMBER_TEXT];
            mnp_statistics_read(set, block, row, &value);
            if (value.form == MNP_BINS) {
                write_histogram(&value, out);
                continue;
            }
            if (value.form == MNP_WHOLE)
                mnp_format_grouped(text, value.numerator);
            else
                mnp_statistic_text(text, &value);
            mnp_print_text(out, "  %-40s %24s %s\n", value.row->name, text, value.row->unit);
        }
    }
}

/* Whether a key has been set because of another: GPCs without lists of SMs, since their number is another. */
static bool follows(const struct mnp_settings *machine, bool one, const char *changed)
{
    const char *other;
    bool list = strcmp(changed, "gpc.sms=[]") == 0 || strcmp(changed, "gpc.groups=[]") == 0, number = false;
    for (size_t i = 0; list && (other = mnp_settings_override(machine, one, i)); i++)
        number |= strncmp(other, "sm.count=", 9) == 0 || strncmp(other, "gpc.count=", 10) == 0;
    return number;
}

/* The description is the file's and knows nothing of --set. */
static void write_machine(const struct mnp_settings *machine, bool one, FILE *out)
{
    const char *changed;
    char text[1024];
    bool any = false;
    mnp_print_text(out, "Machine %s", mnp_escape(text, sizeof text, mnp_settings_name(machine)));
    for (size_t i = 0; (changed = mnp_settings_override(machine, one, i)); i++)
        if (!follows(machine, one, changed)) {
            mnp_print_text(out, "%s%s", any ? ", " : " with ", mnp_escape(text, sizeof text, changed));
            any = true;
        }
    mnp_print_text(out, "%s: %s\n\n", any ? "; otherwise" : "",
                   mnp_escape(text, sizeof text, mnp_settings_description(machine)));
}

void results_text_head(const struct mnp_results *results, FILE *out)
{
    if (results->machine)
        write_machine(results->machine, results->one, out);
    if (results->end != MNP_END_FINISHED)
        mnp_print_text(out, "Partial results; the run ended by: %s\n\n", mnp_end_name(results->end));
    if (results->values)
        mnp_print_text(out, "Values that kernels have computed: %s\n\n", results->values);
}

static void write_estimated(const struct mnp_estimated *each, FILE *out)
{
    char value[MNP_NUMBER_TEXT], margin[MNP_NUMBER_TEXT], percent[MNP_NUMBER_TEXT];
    mnp_print_text(out, "  %-40s %24s +- %s %s (%s %%)\n", each->statistic->name,
                   mnp_format_grouped(value, each->value), mnp_format_grouped(margin, each->margin),
                   each->statistic->unit, mnp_format_ratio_decimals(percent, each->margin, 100, each->value, 2));
}

void results_text_estimate(const struct mnp_results *results, bool all, FILE *out)
{
    static const char *const main_rows[] = {"gpu_sim_cycle", "gpu_sim_insn", "gpgpu_n_tot_w_icount", "dram_bytes"};
    const struct mnp_estimate *estimate = results->estimate;
    if (!estimate)
        return;
    if (estimate->passed_over && estimate->chosen == estimate->parts)
        mnp_print_text(out,
                       "Estimated for %u launches, of whose warp instructions %u.%02u %% were passed over (95 %%)\n",
                       estimate->parts, estimate->passed_over / 100, estimate->passed_over % 100);
    else
        mnp_print_text(out, "Estimated for all %u launches, of %u that were simulated, for %u groups (95 %%)\n",
                       estimate->parts, estimate->chosen, estimate->groups);
    for (uint32_t i = 0; i < estimate->count; i++) {
        bool wanted = all;
        for (size_t k = 0; k < sizeof main_rows / sizeof *main_rows; k++)
            wanted |= strcmp(estimate->rows[i].statistic->name, main_rows[k]) == 0;
        if (wanted)
            write_estimated(&estimate->rows[i], out);
    }
    if (estimate->passed_over)
        fputs("Counters below of caches, networks, memory, pipes and stalls are stretched from what was simulated:\n"
              "known between none and twice as many, and not to compare machines by.\n",
              out);
    fputc('\n', out);
}

void results_write_text(const struct mnp_results *results, FILE *out)
{
    struct mnp_statistic_value kernels;
    if (results_each_device(results, results_write_text, out))
        return;
    results_text_head(results, out);
    results_text_estimate(results, true, out);
    bool with_kernels = results->part_count || mnp_statistics_find(&results->total, "gpu_sim_cycle", &kernels);
    if (with_kernels)
        results_text_kernels(results, UINT32_MAX, out);
    results_text_issue_slots(results, out);
    write_statistics(&results->total, with_kernels ? "all kernels" : "the run", out);
    mnp_print_text(out, "\nState hash %s\n", results->hash[0] ? results->hash : "none");
}
