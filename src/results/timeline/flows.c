/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/timeline/flows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPUS = 16 };

/* A kernel that has used links. */
struct sender {
    uint64_t kernel, from, to; /* femtoseconds */
    uint64_t data[MOST_GPUS];  /* bytes sent to each GPU */
};

/* The kernels of a GPU that have used links, by their beginnings. */
static bool read_senders(sqlite3 *database, struct mnp_array *senders, struct mnp_error *error)
{
    static const char sql[] =
        "SELECT kernel, start, \"end\", name, value FROM (SELECT span.kernel AS kernel, start, \"end\", statistic, "
        "value "
        "FROM span JOIN value ON value.run = span.run AND value.kernel = span.kernel WHERE span.run = 1 AND kind = "
        "'kernel' "
        "AND value > 0) JOIN statistic ON id = statistic WHERE name LIKE 'fabric_data_to_gpu%' OR name IN "
        "('fabric_bytes_out', 'fabric_bytes_in') ORDER BY start, kernel, name";
    static const char of_data[] = "fabric_data_to_gpu";
    sqlite3_stmt *rows = results_sqlite_prepare(database, sql, error);
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        uint64_t kernel = (uint64_t)sqlite3_column_int64(rows, 0);
        const char *name = (const char *)sqlite3_column_text(rows, 3);
        struct sender *last = senders->count ? (struct sender *)senders->items + senders->count - 1 : NULL;
        if (!last || last->kernel != kernel) {
            last = mnp_array_add(senders, 1, sizeof *last);
            *last = (struct sender){.kernel = kernel,
                                    .from = (uint64_t)sqlite3_column_int64(rows, 1),
                                    .to = (uint64_t)sqlite3_column_int64(rows, 2)};
        }
        unsigned gpu = MOST_GPUS;
        if (name && strncmp(name, of_data, sizeof of_data - 1) == 0)
            sscanf(name + sizeof of_data - 1, "%u", &gpu);
        if (gpu < MOST_GPUS)
            last->data[gpu] = (uint64_t)sqlite3_column_int64(rows, 4);
    }
    bool done = rows && (status == SQLITE_DONE || results_sqlite_fail(database, error));
    sqlite3_finalize(rows);
    return done;
}

/* The kernel that ran beside another for the longest time, the first of equals; NULL: none did. Kernels are in the
 * order of their beginnings. */
static const struct sender *beside(const struct mnp_array *senders, const struct sender *other)
{
    const struct sender *best = NULL, *each = senders->items;
    uint64_t most = 0;
    for (uint32_t i = 0; i < senders->count && each[i].from < other->to; i++) {
        uint64_t from = each[i].from > other->from ? each[i].from : other->from;
        uint64_t to = each[i].to < other->to ? each[i].to : other->to;
        if (to > from && to - from > most) {
            most = to - from;
            best = &each[i];
        }
    }
    return best;
}

static void join(struct results_flows *flows, const struct mnp_array *senders, uint32_t count, uint32_t from)
{
    const struct sender *each = senders[from].items;
    for (uint32_t i = 0; i < senders[from].count; i++)
        for (uint32_t to = 0; to < count; to++) {
            const struct sender *other = each[i].data[to] ? beside(&senders[to], &each[i]) : NULL;
            if (!other)
                continue;
            uint32_t flow = ++flows->count;
            struct results_flow_end *ends = mnp_array_add(&flows->ends, 2, sizeof *ends);
            ends[0] = (struct results_flow_end){from, flow, each[i].kernel};
            ends[1] = (struct results_flow_end){to, flow, other->kernel};
        }
}

static int by_place(const void *left, const void *right)
{
    const struct results_flow_end *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->kernel != b->kernel)
        return a->kernel < b->kernel ? -1 : 1;
    return a->flow < b->flow ? -1 : a->flow > b->flow;
}

bool results_flows_find(struct results_flows *flows, sqlite3 *const *databases, uint32_t count, struct mnp_error *error)
{
    struct mnp_array senders[MOST_GPUS] = {0};
    bool done = true;
    for (uint32_t i = 0; done && i < count; i++)
        done = read_senders(databases[i], &senders[i], error);
    for (uint32_t i = 0; done && i < count; i++)
        join(flows, senders, count, i);
    for (uint32_t i = 0; i < count; i++)
        mnp_array_release(&senders[i]);
    if (flows->ends.count)
        qsort(flows->ends.items, flows->ends.count, sizeof(struct results_flow_end), by_place);
    return done;
}

const struct results_flow_end *results_flows_at(const struct results_flows *flows, uint32_t device, uint64_t kernel,
                                                uint32_t *count)
{
    const struct results_flow_end *ends = flows->ends.items, first = {device, 0, kernel};
    uint32_t low = 0, high = flows->ends.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_place(&ends[middle], &first) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *count = 0;
    while (low + *count < flows->ends.count && ends[low + *count].device == device &&
           ends[low + *count].kernel == kernel)
        ++*count;
    return *count ? ends + low : NULL;
}

void results_flows_release(struct results_flows *flows)
{
    mnp_array_release(&flows->ends);
}
