/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple trace`: what a trace holds, counted by reading all of it; recording one is in record.c. */
#include "base/arena.h"
#include "base/print.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/record.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "frontend/sass_trace/sass_trace.h"
#include "results/report/layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPACES = MNP_SPACE_TEXTURE + 1,
    OPERATIONS = MNP_REDUCTION + 1,
    MOST_INDEXES = 65536,
    MOST_TEXT = 255,
    SHOWN_OPCODES = 20
};

struct opcode_count {
    char name[MNP_OPCODE_TEXT];
    uint64_t count;
};

/* Executions of the instruction at an index by a CTA, and the text that stood there last, whose opcode is known. */
struct index_count {
    uint64_t count;
    size_t row; /* row of the opcodes */
    uint32_t length;
    char text[MOST_TEXT];
};

struct access_count {
    uint64_t warps, threads, bytes;
};

struct kernel_count {
    char name[49]; /* fitted */
    uint32_t id, registers, shared_bytes, grid[3], block[3];
    uint64_t ctas, warps, threads; /* the latter two: instructions */
};

struct info {
    struct mnp_source *source;
    uint64_t weight;  /* launches of the trace that is being read: what it holds counts so many times */
    uint64_t unknown; /* opcodes, of launches whose trace is not read again */
    uint64_t copies, copied_bytes;
    uint64_t ctas, warps, threads;
    struct access_count accesses[SPACES][OPERATIONS];
    struct kernel_count *kernels;
    size_t kernel_count;
    struct opcode_count *opcodes;
    size_t opcode_count;
    struct index_count *by_index; /* [MOST_INDEXES] of the CTA being read */
    uint16_t *used;               /* [MOST_INDEXES] those that it has */
    uint32_t used_count;
};

/* ===== counting ===== */

static void count_record(struct info *info, struct kernel_count *count, const struct mnp_cta_code *code,
                         const struct mnp_record *record)
{
    const struct mnp_static_instruction *instruction = &code->instructions[record->index];
    uint32_t lanes = (uint32_t)__builtin_popcount(record->mask);
    count->threads += lanes;
    if (info->by_index[record->index].count++ == 0)
        info->used[info->used_count++] = record->index;
    if (record->address_words == 0)
        return;
    struct access_count *access = &info->accesses[instruction->space % SPACES][instruction->operation % OPERATIONS];
    access->warps += info->weight;
    access->threads += lanes * info->weight;
    access->bytes += lanes * info->weight * instruction->width;
}

/* The row of an opcode, which is added where it is new. */
static size_t find_opcode(struct info *info, const char *name)
{
    for (size_t i = 0; i < info->opcode_count; i++)
        if (strcmp(info->opcodes[i].name, name) == 0)
            return i;
    info->opcodes = mnp_reallocate(info->opcodes, info->opcode_count + 1, sizeof *info->opcodes);
    struct opcode_count *row = &info->opcodes[info->opcode_count];
    *row = (struct opcode_count){0};
    snprintf(row->name, sizeof row->name, "%s", name);
    return info->opcode_count++;
}

/* The opcodes with their modifiers, which stand in the instructions' text only. CTAs mostly agree in what an index
 * means, so that the text is seldom decoded. */
static void count_opcodes(struct info *info, const struct mnp_kernel *kernel, const struct mnp_cta_code *code)
{
    for (uint32_t i = 0; i < info->used_count; i++) {
        struct mnp_static_instruction ignored;
        struct index_count *here = &info->by_index[info->used[i]];
        char opcode[MNP_OPCODE_TEXT] = "?";
        uint32_t length = 0;
        const char *text = info->source->instruction_text(info->source, kernel, code, info->used[i], &length);
        if (!text || length > MOST_TEXT || length != here->length || memcmp(here->text, text, length) != 0) {
            if (text)
                trace_decoder.decode(text, length, &ignored, opcode);
            here->row = find_opcode(info, opcode);
            here->length = text && length <= MOST_TEXT ? length : 0;
            memcpy(here->text, text ? text : "", here->length);
        }
        info->opcodes[here->row].count += here->count * info->weight;
        here->count = 0;
    }
    info->used_count = 0;
}

static struct kernel_count *add_kernel(struct info *info)
{
    if ((info->kernel_count & (info->kernel_count - 1)) == 0)
        info->kernels =
            mnp_reallocate(info->kernels, info->kernel_count ? 2 * info->kernel_count : 1, sizeof *info->kernels);
    return &info->kernels[info->kernel_count++];
}

static void describe(struct kernel_count *count, const struct mnp_kernel *kernel)
{
    *count = (struct kernel_count){.id = kernel->id,
                                   .ctas = kernel->cta_count,
                                   .registers = kernel->registers,
                                   .shared_bytes = kernel->shared_bytes};
    results_report_fit_name(kernel->name, count->name, sizeof count->name - 1);
    memcpy(count->grid, kernel->grid, sizeof count->grid);
    memcpy(count->block, kernel->block, sizeof count->block);
}

static void add_totals(struct info *info, const struct kernel_count *count)
{
    info->ctas += count->ctas;
    info->warps += count->warps;
    info->threads += count->threads;
}

static bool count_kernel(struct info *info, struct mnp_kernel *kernel, struct mnp_error *error)
{
    struct kernel_count *count = add_kernel(info);
    describe(count, kernel);
    struct mnp_cta_code code = {0};
    for (uint64_t cta = 0; cta < kernel->cta_count; cta++) {
        if (!info->source->load_cta(info->source, kernel, cta, &code, error))
            return false;
        for (uint32_t warp = 0; warp < code.warp_count; warp++) {
            const struct mnp_warp_stream *stream = &code.warps[warp];
            count->warps += stream->count;
            for (uint64_t i = 0; i < stream->count; i++)
                count_record(info, count, &code, &stream->records[i]);
        }
        count_opcodes(info, kernel, &code);
        info->source->release_cta(info->source, &code);
    }
    add_totals(info, count);
    return true;
}

/* A launch whose trace an earlier launch has had: it is not read again. */
static bool count_again(struct info *info)
{
    struct mnp_upcoming upcoming;
    if (!info->source->upcoming || !info->source->upcoming(info->source, &upcoming))
        return false;
    info->weight = upcoming.times;
    if (upcoming.first == upcoming.launch)
        return false;
    struct kernel_count *count = add_kernel(info);
    *count = info->kernels[upcoming.first - 1];
    count->id = upcoming.launch;
    add_totals(info, count);
    info->source->pass_over(info->source);
    return true;
}

static bool count_all(struct info *info, struct mnp_error *error)
{
    for (;;) {
        struct mnp_command command;
        info->weight = 1;
        if (count_again(info))
            continue;
        if (!info->source->next(info->source, &command, error))
            return false;
        if (command.kind == MNP_COMMAND_END)
            return true;
        if (command.kind == MNP_COMMAND_COPY) {
            info->copies++;
            info->copied_bytes += command.bytes;
            continue;
        }
        bool good = count_kernel(info, command.kernel, error);
        uint64_t before = info->source->unknown_opcodes;
        info->source->kernel_done(info->source, command.kernel);
        info->unknown += (info->source->unknown_opcodes - before) * info->weight;
        if (!good)
            return false;
    }
}

/* ===== printing ===== */

static void print_count(const char *name, uint64_t value, const char *unit)
{
    char text[MNP_NUMBER_TEXT];
    mnp_print_text(stdout, "%-22s %20s%s%s\n", name, mnp_format_grouped(text, value), *unit ? " " : "", unit);
}

static void print_totals(const struct info *info)
{
    char text[MNP_NUMBER_TEXT];
    snprintf(text, sizeof text, "sm_%u", info->source->architecture);
    mnp_print_text(stdout, "%-22s %20s\n", "Architecture", text);
    print_count("Kernels", info->kernel_count, info->kernel_count == 1 ? "launch" : "launches");
    print_count("Host copies", info->copies, "");
    print_count("Copied", info->copied_bytes, "bytes");
    print_count("CTAs", info->ctas, "");
    print_count("Warp instructions", info->warps, "");
    print_count("Thread instructions", info->threads, "");
    print_count("Size of the trace", info->source->input_bytes, "bytes");
    mnp_print_text(stdout, "%-22s %20s bytes\n", "Per warp instruction",
                   mnp_format_ratio_decimals(text, info->source->input_bytes, 1, info->warps, 3));
    if (info->unknown)
        print_count("Unknown opcodes", info->unknown, "warp instructions, taken for INT");
}

static void print_kernels(const struct info *info)
{
    mnp_print_text(stdout, "\n%6s  %-48s %18s %16s %10s %9s %9s %16s %18s\n", "launch", "kernel", "grid", "block",
                   "CTAs", "registers", "shared", "warp insns", "thread insns");
    for (size_t i = 0; i < info->kernel_count; i++) {
        const struct kernel_count *k = &info->kernels[i];
        char grid[48], block[48], warps[MNP_NUMBER_TEXT], threads[MNP_NUMBER_TEXT];
        snprintf(grid, sizeof grid, "%ux%ux%u", k->grid[0], k->grid[1], k->grid[2]);
        snprintf(block, sizeof block, "%ux%ux%u", k->block[0], k->block[1], k->block[2]);
        mnp_print_text(stdout, "%6u  %-48s %18s %16s %10" PRIu64 " %9u %9u %16s %18s\n", k->id, k->name, grid, block,
                       k->ctas, k->registers, k->shared_bytes, mnp_format_grouped(warps, k->warps),
                       mnp_format_grouped(threads, k->threads));
    }
}

static int more_first(const void *left, const void *right)
{
    const struct opcode_count *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void print_opcodes(const struct info *info)
{
    char count[MNP_NUMBER_TEXT], part[MNP_NUMBER_TEXT];
    uint64_t others = 0;
    qsort(info->opcodes, info->opcode_count, sizeof *info->opcodes, more_first);
    mnp_print_text(stdout, "\n%-32s %18s %9s\n", "opcode", "warp insns", "%");
    for (size_t i = 0; i < info->opcode_count; i++) {
        if (i >= SHOWN_OPCODES)
            others += info->opcodes[i].count;
        else
            mnp_print_text(stdout, "%-32s %18s %9s\n", info->opcodes[i].name,
                           mnp_format_grouped(count, info->opcodes[i].count),
                           mnp_format_ratio_decimals(part, info->opcodes[i].count, 100, info->warps, 2));
    }
    if (others)
        mnp_print_text(stdout, "%zu others %*s %18s %9s\n", info->opcode_count - SHOWN_OPCODES,
                       info->opcode_count - SHOWN_OPCODES < 10 ? 23 : 22, "", mnp_format_grouped(count, others),
                       mnp_format_ratio_decimals(part, others, 100, info->warps, 2));
}

static void print_accesses(const struct info *info)
{
    static const char *const spaces[SPACES] = {"none", "global", "shared", "local", "constant", "texture"};
    static const char *const operations[OPERATIONS] = {"load", "store", "atomic", "reduction"};
    mnp_print_text(stdout, "\n%-32s %18s %18s %20s\n", "memory accesses", "warp insns", "of threads",
                   "bytes asked for");
    for (uint32_t space = 0; space < SPACES; space++)
        for (uint32_t operation = 0; operation < OPERATIONS; operation++) {
            const struct access_count *access = &info->accesses[space][operation];
            char name[40], warps[MNP_NUMBER_TEXT], threads[MNP_NUMBER_TEXT], bytes[MNP_NUMBER_TEXT];
            if (access->warps == 0)
                continue;
            snprintf(name, sizeof name, "%s %s", spaces[space], operations[operation]);
            mnp_print_text(stdout, "%-32s %18s %18s %20s\n", name, mnp_format_grouped(warps, access->warps),
                           mnp_format_grouped(threads, access->threads), mnp_format_grouped(bytes, access->bytes));
        }
}

static int show(const char *path)
{
    struct mnp_error error = {0};
    struct info info = {.source = cli_input_open(path, &(struct input_options){.unknown_as_alu = true}, &error)};
    if (!info.source)
        return cli_report_error(&error);
    info.by_index = mnp_allocate(MOST_INDEXES, sizeof *info.by_index);
    info.used = mnp_allocate(MOST_INDEXES, sizeof *info.used);
    bool good = count_all(&info, &error);
    if (good) {
        print_totals(&info);
        print_kernels(&info);
        print_opcodes(&info);
        print_accesses(&info);
    }
    info.source->close(info.source);
    free(info.by_index);
    free(info.used);
    free(info.kernels);
    free(info.opcodes);
    return good ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&error);
}

static const char trace_help[] =
    "`maniple trace record -o DIR -- PROGRAM` records the trace of a CUDA program; `maniple trace record --help` says "
    "more.\n\n"
    "`info` says what a trace holds, given by its kernelslist.g or packed: its kernels with their grids and blocks,\n"
    "warp and thread instructions, the most frequent opcodes, accesses to memory by space (those with at least one\n"
    "active lane), and the bytes that it takes per warp instruction.\n";

int cli_verb_trace(const struct command_line *line)
{
    int status;
    struct mnp_error error = {0};
    bool records = line->argc > 1 && (strcmp(line->argv[1], "record") == 0 || strcmp(line->argv[1], "-o") == 0);
    if (line->program || records)
        return cli_record_trace(line);
    if (!cli_only_help(line, "info FILE", trace_help, &status))
        return status;
    static const char *const actions[] = {"info", "record"};
    if (line->argc > 1 && strcmp(line->argv[1], "info") != 0) {
        cli_unknown_word(line->argv[0], "verb", line->argv[1], actions, 2, &error);
        return cli_report_error(&error);
    }
    if (line->argc != 3) {
        mnp_fail(&error, "maniple trace takes two words: info FILE, or record and options (`maniple trace --help`)");
        return cli_report_error(&error);
    }
    return show(line->argv[2]);
}
