/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine file that an import yields, and what is said about it. */
#include "base/print.h"
#include "gpu/import/import.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int by_key(const void *a, const void *b)
{
    const struct gpu_import_entry *left = a, *right = b;
    return strcmp(left->key, right->key);
}

/* Characters that two keys have in common, up to the last dot in it. */
static size_t common_groups(const char *a, const char *b)
{
    size_t groups = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; i++)
        if (a[i] == '.')
            groups = i + 1;
    return groups;
}

static unsigned count_dots(const char *text, size_t length)
{
    unsigned dots = 0;
    for (size_t i = 0; i < length; i++)
        dots += text[i] == '.';
    return dots;
}

static void indent(FILE *out, unsigned depth)
{
    mnp_print_text(out, "%*s", 2 * (int)depth, "");
}

static void close_groups(FILE *out, unsigned from, unsigned to)
{
    while (from > to) {
        indent(out, --from);
        fputs("};\n", out);
    }
}

/* Opens the groups of a key behind its first `start` characters; returns the last part of the key. */
static const char *open_groups(FILE *out, const char *key, size_t start, unsigned *depth)
{
    const char *at = key + start;
    for (const char *dot; (dot = strchr(at, '.')) != NULL; at = dot + 1) {
        indent(out, (*depth)++);
        mnp_print_text(out, "%.*s: {\n", (int)(dot - at), at);
    }
    return at;
}

static void write_entries(const struct gpu_import *import, FILE *out)
{
    struct gpu_import_entry sorted[GPU_IMPORT_ENTRIES];
    memcpy(sorted, import->entries, import->entry_count * sizeof *sorted);
    qsort(sorted, import->entry_count, sizeof *sorted, by_key);
    unsigned depth = 0;
    const char *before = "";
    for (uint32_t i = 0; i < import->entry_count; i++) {
        size_t common = common_groups(before, sorted[i].key);
        close_groups(out, depth, count_dots(before, common));
        depth = count_dots(before, common);
        const char *name = open_groups(out, sorted[i].key, common, &depth);
        indent(out, depth);
        mnp_print_text(out, "%s = %s; // %s\n", name, sorted[i].value, sorted[i].source);
        before = sorted[i].key;
    }
    close_groups(out, depth, 0);
}

/* Text from a file inside a comment: nothing of it may end the line. */
static void write_plain(FILE *out, const char *text)
{
    for (int i = 0; text[i] && i < 200; i++)
        fputc(isprint((unsigned char)text[i]) ? text[i] : '?', out);
}

static const char *why(const struct gpu_import_option *option)
{
    return option->fate == GPU_IMPORT_UNKNOWN ? "not known to this version" : option->why;
}

static bool is_lost(const struct gpu_import_option *option)
{
    return option->fate == GPU_IMPORT_LOST || option->fate == GPU_IMPORT_UNKNOWN;
}

void gpu_import_write(const struct gpu_import *import, FILE *out)
{
    fputs("// Made by `maniple import`; behind each value, the option that it comes from.\n", out);
    mnp_print_text(out, "machine: {\n  name = \"%s\";\n  kind = \"gpu\";\n", import->name);
    if (import->architecture)
        fprintf(out, "  architecture = %u;\n", (unsigned)import->architecture);
    fprintf(out, "  description = \"imported from a configuration of GPGPU-Sim\";\n};\n");
    write_entries(import, out);
    fputs("\n// Options that say something of the machine for which this file has no place:\n", out);
    for (uint32_t i = 0; i < import->option_count; i++) {
        const struct gpu_import_option *option = &import->options[i];
        if (!is_lost(option))
            continue;
        fputs("//   ", out);
        write_plain(out, option->name);
        fputc(' ', out);
        write_plain(out, option->value);
        mnp_print_text(out, ": %s\n", why(option));
    }
}

void gpu_import_summarise(const struct gpu_import *import, FILE *out)
{
    uint32_t counts[GPU_IMPORT_LOST + 1] = {0};
    for (uint32_t i = 0; i < import->option_count; i++)
        counts[import->options[i].fate]++;
    fprintf(out,
            "maniple: %u options: %u mapped, %u are what the models do anyway, %u are not about the machine, %u could "
            "not be mapped\n",
            import->option_count, counts[GPU_IMPORT_MAPPED], counts[GPU_IMPORT_DEFAULT], counts[GPU_IMPORT_NOT_MACHINE],
            counts[GPU_IMPORT_LOST] + counts[GPU_IMPORT_UNKNOWN]);
    for (uint32_t i = 0; i < import->option_count; i++) {
        const struct gpu_import_option *option = &import->options[i];
        if (!is_lost(option))
            continue;
        mnp_print_text(out, "maniple: %s:%u: ", option->file, option->line);
        write_plain(out, option->name);
        mnp_print_text(out, ": %s\n", why(option));
    }
}
