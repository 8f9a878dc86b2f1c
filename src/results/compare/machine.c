/* SPDX-License-Identifier: BSD-3-Clause */
/* In what the machines of two results differ: the keys of machine files, with both values. */
#include "results/compare/machine.h"

#include "base/print.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

struct table {
    FILE *out;
    uint64_t rows;
};

static void write_value(FILE *out, const json_t *value)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;
    mnp_print_text(out, " %18s", text ? text : "-");
    free(text);
}

static void compare_value(struct table *table, const char *key, const json_t *a, const json_t *b);

/* `key` is the path of the group, with the dot behind it; "" at the top. Only those that `a` lacks are looked at for
 * `b_alone`. */
static void compare_group(struct table *table, const char *key, const json_t *group, const json_t *other, bool b_alone)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)group, name, value)
    {
        char path[200];
        const json_t *opposite = json_object_get(other, name);
        snprintf(path, sizeof path, "%s%s%s", key, *key ? "." : "", name);
        if (!b_alone)
            compare_value(table, path, value, opposite);
        else if (!opposite)
            compare_value(table, path, NULL, value);
    }
}

static void compare_value(struct table *table, const char *key, const json_t *a, const json_t *b)
{
    if (json_equal(a, b))
        return;
    if ((!a || json_is_object(a)) && (!b || json_is_object(b))) {
        compare_group(table, key, a, b, false);
        compare_group(table, key, b, a, true);
        return;
    }
    if (table->rows++ == 0)
        mnp_print_text(table->out, "\n  %-44s %18s %18s\n", "Keys of the machines that differ", "A", "B");
    mnp_print_text(table->out, "  %-44s", key);
    write_value(table->out, a);
    write_value(table->out, b);
    fputc('\n', table->out);
}

void results_compare_machines(const json_t *a, const json_t *b, FILE *out)
{
    struct table table = {.out = out};
    compare_value(&table, "", a, b);
}
