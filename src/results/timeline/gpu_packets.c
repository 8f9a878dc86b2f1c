/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The numbers of fields are those of Perfetto's descriptions (protos/perfetto/trace/gpu), which a test reads. Names are
 * interned: a queue for each stream, a stage for each name of kernels and each direction of copies.
 */
#include "results/timeline/gpu_packets.h"

#include "base/allocate.h"
#include "base/array.h"
#include "base/demangle.h"
#include "engine/core/time.h"
#include "results/encoding/protobuf.h"
#include "results/encoding/sqlite.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum field {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_COUNTERS = 52,
    PACKET_STAGE = 53,
    INTERNED_SPECIFICATIONS = 24,
    SPECIFICATION_IID = 1,
    SPECIFICATION_NAME = 2,
    SPECIFICATION_CATEGORY = 4,
    STAGE_EVENT = 1,
    STAGE_DURATION = 2,
    STAGE_EXTRA = 6,
    STAGE_SUBMISSION = 10,
    STAGE_GPU = 11,
    STAGE_QUEUE = 13,
    STAGE_STAGE = 14,
    STAGE_LAUNCH = 21,
    EXTRA_NAME = 1,
    EXTRA_VALUE = 2,
    LAUNCH_GRID = 1,
    LAUNCH_BLOCK = 2,
    COUNTERS_DESCRIPTOR = 1,
    COUNTERS_COUNTER = 2,
    COUNTERS_GPU = 3,
    DESCRIPTOR_SPEC = 1,
    SPEC_ID = 1,
    SPEC_NAME = 2,
    SPEC_DESCRIPTION = 3,
    COUNTER_ID = 1,
    COUNTER_DOUBLE = 3,
};

enum category { OTHER = 0, COMPUTE = 2 };
enum { FIRST_SEQUENCE = 2, STATE_CLEARED = 1, STATE_NEEDED = 2, NAME = 80 };

struct packets {
    sqlite3 *database;
    FILE *out;
    uint64_t hertz; /* hertz of the core clock */
    uint32_t gpu;
    bool cycles;
    struct mnp_array names; /* char *: specifications, by their number, from 1 */
    struct results_message packet, inner, leaf, part, whole;
    struct mnp_error *error;
};

static uint64_t time_of(const struct packets *p, uint64_t femtoseconds)
{
    return p->cycles ? mnp_cycle_at(p->hertz, femtoseconds) : femtoseconds / 1000000;
}

/* Ends a packet; `flags` as in Perfetto's description of sequences. */
static void write_packet(struct packets *p, uint64_t flags)
{
    results_message_number(&p->packet, PACKET_SEQUENCE, FIRST_SEQUENCE + p->gpu);
    results_message_number(&p->packet, PACKET_FLAGS, flags);
    results_message_clear(&p->whole);
    results_message_put(&p->whole, TRACE_PACKET, &p->packet);
    fwrite(p->whole.bytes, 1, p->whole.count, p->out);
    results_message_clear(&p->packet);
}

/* The number of a queue or stage, which becomes known if it is new. */
static uint64_t specification(struct packets *p, const char *name, enum category category)
{
    char *const *names = p->names.items;
    for (uint32_t i = p->names.count; i-- > 0;)
        if (strcmp(names[i], name) == 0)
            return i + 1;
    *(char **)mnp_array_add(&p->names, 1, sizeof(char *)) = strdup(name);
    results_message_clear(&p->leaf);
    results_message_number(&p->leaf, SPECIFICATION_IID, p->names.count);
    results_message_text(&p->leaf, SPECIFICATION_NAME, name);
    results_message_number(&p->leaf, SPECIFICATION_CATEGORY, category);
    results_message_clear(&p->inner);
    results_message_put(&p->inner, INTERNED_SPECIFICATIONS, &p->leaf);
    results_message_put(&p->packet, PACKET_INTERNED, &p->inner);
    write_packet(p, p->names.count == 1 ? STATE_CLEARED : STATE_NEEDED);
    return p->names.count;
}

/* ===== kernels and copies ===== */

enum column { KIND, KERNEL, BYTES, ENGINE, STREAM, START, END, KERNEL_NAME, GRID, BLOCK = GRID + 3 };

static const char spans[] =
    "SELECT kind, kernel, number, place, span.stream, start, \"end\", kernel.name, grid_x, grid_y, grid_z, block_x,"
    " block_y, block_z FROM span LEFT JOIN kernel ON kernel.run = span.run AND kernel.id = span.kernel WHERE span.run ="
    " 1 AND kind IN ('kernel', 'copy', 'fill') ORDER BY start, \"end\", kernel, number";

static uint64_t stage_of(struct packets *p, sqlite3_stmt *row, bool kernel)
{
    static const char *const directions[] = {"copy on the device", "copy to the device", "copy from the device"};
    const char *kind = (const char *)sqlite3_column_text(row, KIND),
               *name = (const char *)sqlite3_column_text(row, KERNEL_NAME);
    int engine = sqlite3_column_int(row, ENGINE);
    if (!kernel)
        return specification(
            p, kind && strcmp(kind, "fill") == 0 ? "fill" : directions[engine == 1 || engine == 2 ? engine : 0], OTHER);
    char *plain = mnp_demangle(name ? name : "");
    uint64_t stage = specification(p, plain, COMPUTE);
    free(plain);
    return stage;
}

/* Sizes in three directions, from a column of the row on. */
static void put_size(struct packets *p, uint32_t field, sqlite3_stmt *row, int column)
{
    results_message_clear(&p->part);
    for (int i = 0; i < 3; i++)
        results_message_number(&p->part, (uint32_t)i + 1, (uint64_t)sqlite3_column_int64(row, column + i));
    results_message_put(&p->leaf, field, &p->part);
}

static void put_bytes(struct packets *p, sqlite3_stmt *row)
{
    char bytes[24];
    snprintf(bytes, sizeof bytes, "%" PRIu64, (uint64_t)sqlite3_column_int64(row, BYTES));
    results_message_clear(&p->leaf);
    results_message_text(&p->leaf, EXTRA_NAME, "bytes");
    results_message_text(&p->leaf, EXTRA_VALUE, bytes);
    results_message_put(&p->inner, STAGE_EXTRA, &p->leaf);
}

static void write_stage(struct packets *p, sqlite3_stmt *row, uint64_t event)
{
    char queue[NAME];
    const char *kind = (const char *)sqlite3_column_text(row, KIND);
    bool kernel = kind && strcmp(kind, "kernel") == 0;
    uint64_t from = time_of(p, (uint64_t)sqlite3_column_int64(row, START));
    uint64_t to = time_of(p, (uint64_t)sqlite3_column_int64(row, END));
    snprintf(queue, sizeof queue, "stream %" PRIu64, (uint64_t)sqlite3_column_int64(row, STREAM));
    uint64_t on = specification(p, queue, OTHER), stage = stage_of(p, row, kernel);
    results_message_clear(&p->inner);
    results_message_number(&p->inner, STAGE_EVENT, event);
    results_message_number(&p->inner, STAGE_DURATION, to - from);
    results_message_number(&p->inner, STAGE_GPU, p->gpu);
    results_message_number(&p->inner, STAGE_QUEUE, on);
    results_message_number(&p->inner, STAGE_STAGE, stage);
    if (kernel) {
        results_message_number(&p->inner, STAGE_SUBMISSION, (uint64_t)sqlite3_column_int64(row, KERNEL));
        results_message_clear(&p->leaf);
        put_size(p, LAUNCH_GRID, row, GRID);
        put_size(p, LAUNCH_BLOCK, row, BLOCK);
        results_message_put(&p->inner, STAGE_LAUNCH, &p->leaf);
    } else {
        put_bytes(p, row);
    }
    results_message_number(&p->packet, PACKET_TIMESTAMP, from);
    results_message_put(&p->packet, PACKET_STAGE, &p->inner);
    write_packet(p, STATE_NEEDED);
}

static bool ended_well(const struct packets *p, sqlite3_stmt *rows, int status)
{
    bool done = rows && (status == SQLITE_DONE || results_sqlite_fail(p->database, p->error));
    sqlite3_finalize(rows);
    return done;
}

static bool write_stages(struct packets *p)
{
    sqlite3_stmt *rows = results_sqlite_prepare(p->database, spans, p->error);
    int status = SQLITE_ERROR;
    for (uint64_t event = 1; rows && (status = sqlite3_step(rows)) == SQLITE_ROW; event++)
        write_stage(p, rows, event);
    return ended_well(p, rows, status);
}

/* ===== counters ===== */

/* The counters that follow, with their units; none: nothing was sampled. */
static bool describe_counters(struct packets *p)
{
    sqlite3_stmt *rows = results_sqlite_prepare(p->database,
                                                "SELECT DISTINCT statistic, name, unit, what FROM sample JOIN statistic"
                                                " ON id = statistic WHERE run = 1 ORDER BY statistic",
                                                p->error);
    int status = SQLITE_ERROR;
    results_message_clear(&p->part);
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 1),
                   *unit = (const char *)sqlite3_column_text(rows, 2);
        const char *what = (const char *)sqlite3_column_text(rows, 3);
        char text[256];
        snprintf(text, sizeof text, "%s: %s", unit ? unit : "", what ? what : "");
        results_message_clear(&p->leaf);
        results_message_number(&p->leaf, SPEC_ID, (uint64_t)sqlite3_column_int64(rows, 0));
        results_message_text(&p->leaf, SPEC_NAME, name ? name : "");
        results_message_text(&p->leaf, SPEC_DESCRIPTION, text);
        results_message_put(&p->part, DESCRIPTOR_SPEC, &p->leaf);
    }
    if (p->part.count) {
        results_message_clear(&p->inner);
        results_message_put(&p->inner, COUNTERS_DESCRIPTOR, &p->part);
        results_message_number(&p->inner, COUNTERS_GPU, p->gpu);
        results_message_number(&p->packet, PACKET_TIMESTAMP, 0);
        results_message_put(&p->packet, PACKET_COUNTERS, &p->inner);
        write_packet(p, 0);
    }
    return ended_well(p, rows, status);
}

/* Ends the packet of an interval, which has its values, if there is one. */
static void write_interval(struct packets *p, uint64_t begins)
{
    if (!p->inner.count)
        return;
    results_message_number(&p->inner, COUNTERS_GPU, p->gpu);
    results_message_number(&p->packet, PACKET_TIMESTAMP, time_of(p, mnp_edge(p->hertz, begins)));
    results_message_put(&p->packet, PACKET_COUNTERS, &p->inner);
    write_packet(p, 0);
    results_message_clear(&p->inner);
}

/* A packet for each interval, at its beginning: a counter's value holds from its time on. */
static bool write_counters(struct packets *p)
{
    if (!describe_counters(p))
        return false;
    sqlite3_stmt *rows = results_sqlite_prepare(
        p->database, "SELECT cycle, statistic, value FROM sample WHERE run = 1 ORDER BY cycle, statistic", p->error);
    uint64_t begins = 0, ends = 0;
    int status = SQLITE_ERROR;
    results_message_clear(&p->inner);
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        uint64_t cycle = (uint64_t)sqlite3_column_int64(rows, 0);
        if (cycle != ends) {
            write_interval(p, begins);
            begins = ends;
            ends = cycle;
        }
        results_message_clear(&p->leaf);
        results_message_number(&p->leaf, COUNTER_ID, (uint64_t)sqlite3_column_int64(rows, 1));
        results_message_double(&p->leaf, COUNTER_DOUBLE, sqlite3_column_double(rows, 2));
        results_message_put(&p->inner, COUNTERS_COUNTER, &p->leaf);
    }
    write_interval(p, begins);
    return ended_well(p, rows, status);
}

/* Hertz of the core clock; a machine without one has no spans in cycles. */
static uint64_t clock_of(const struct packets *p)
{
    sqlite3_stmt *row = results_sqlite_prepare(
        p->database, "SELECT number FROM machine WHERE run = 1 AND key = 'clock.core'", p->error);
    uint64_t hertz = row && sqlite3_step(row) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return hertz ? hertz : 1000000000;
}

bool results_write_gpu_packets(sqlite3 *database, uint32_t gpu, bool cycles, FILE *out, struct mnp_error *error)
{
    struct packets p = {.database = database, .out = out, .gpu = gpu, .cycles = cycles, .error = error};
    p.hertz = clock_of(&p);
    bool done = write_stages(&p) && write_counters(&p);
    char **names = p.names.items;
    for (uint32_t i = 0; i < p.names.count; i++)
        free(names[i]);
    mnp_array_release(&p.names);
    struct results_message *messages[] = {&p.packet, &p.inner, &p.leaf, &p.part, &p.whole};
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++)
        results_message_release(messages[i]);
    return done;
}
