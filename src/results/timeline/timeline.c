/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packets are written as rows are read, and the trace is never in memory. The numbers of fields are those of Perfetto's
 * descriptions (protos/perfetto/trace), which a test reads.
 */
#include "results/timeline/timeline.h"

#include "base/allocate.h"
#include "base/array.h"
#include "base/demangle.h"
#include "engine/core/time.h"
#include "results/database/database.h"
#include "results/encoding/protobuf.h"
#include "results/timeline/flows.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum field {
    TRACE_PACKET = 1,
    PACKET_TIMESTAMP = 8,
    PACKET_SEQUENCE = 10,
    PACKET_EVENT = 11,
    PACKET_INTERNED = 12,
    PACKET_FLAGS = 13,
    PACKET_TRACK = 60,
    TRACK_UUID = 1,
    TRACK_NAME = 2,
    TRACK_PARENT = 5,
    TRACK_COUNTER = 8,
    TRACK_ORDERING = 11,
    TRACK_RANK = 12,
    COUNTER_UNIT_NAME = 6,
    EVENT_ANNOTATION = 4,
    EVENT_TYPE = 9,
    EVENT_NAME_IID = 10,
    EVENT_TRACK = 11,
    EVENT_DOUBLE = 44,
    EVENT_FLOW = 47,
    INTERNED_NAMES = 2,
    INTERNED_ANNOTATIONS = 3,
    INTERNED_IID = 1,
    INTERNED_NAME = 2,
    ANNOTATION_NAME_IID = 1,
    ANNOTATION_NUMBER = 3,
};

enum event_type { SLICE_BEGIN = 1, SLICE_END = 2, COUNTER = 4 };
enum { SEQUENCE = 1, STATE_CLEARED = 1, STATE_NEEDED = 2, ORDER_EXPLICIT = 3, MOST_LANES = 4096 };

/* A name that packets refer to by its place, from 1. */
struct name {
    char *text;
};

struct lane {
    uint64_t track, end; /* end: of the last slice, as written */
};

struct timeline {
    sqlite3 *database;
    FILE *out;
    uint64_t hertz; /* hertz of the core clock */
    bool cycles;
    uint64_t tracks;         /* that there are */
    struct mnp_array names;  /* struct name, by place */
    uint64_t *kernel_names;  /* [kernels] by number: places of names; 0: no such kernel */
    uint64_t *kernel_launch; /* [kernels] core cycles from request to the first CTA */
    uint32_t device;         /* device whose database it is */
    uint64_t root;           /* its track; 0: there is one device, which needs none */
    const struct results_flows *flows;
    uint32_t kernels; /* greatest number, plus one */
    struct results_message packet, inner, leaf, whole;
    struct mnp_error *error;
};

/* ===== packets ===== */

static void write_packet(struct timeline *t)
{
    results_message_clear(&t->whole);
    results_message_put(&t->whole, TRACE_PACKET, &t->packet);
    fwrite(t->whole.bytes, 1, t->whole.count, t->out);
    results_message_clear(&t->packet);
}

/* A name, or the word for a number beside a slice, becomes known. */
static void intern(struct timeline *t, enum field list, uint64_t place, const char *text)
{
    results_message_clear(&t->leaf);
    results_message_number(&t->leaf, INTERNED_IID, place);
    results_message_text(&t->leaf, INTERNED_NAME, text);
    results_message_clear(&t->inner);
    results_message_put(&t->inner, list, &t->leaf);
    results_message_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
    results_message_number(&t->packet, PACKET_FLAGS, STATE_NEEDED);
    results_message_put(&t->packet, PACKET_INTERNED, &t->inner);
    write_packet(t);
}

/* The place of a name. Kernels and functions have few names, so they are looked through. */
static uint64_t place_of(struct timeline *t, const char *text)
{
    const struct name *names = t->names.items;
    for (uint32_t i = t->names.count; i-- > 0;)
        if (strcmp(names[i].text, text) == 0)
            return i + 1;
    ((struct name *)mnp_array_add(&t->names, 1, sizeof(struct name)))->text = strdup(text);
    intern(t, INTERNED_NAMES, t->names.count, text);
    return t->names.count;
}

/* The numbers that slices carry. */
enum annotation {
    NO_ANNOTATION,
    ANNOTATION_LAUNCH,
    ANNOTATION_CTA,
    ANNOTATION_WARP,
    ANNOTATION_BYTES,
    ANNOTATION_LINE,
    ANNOTATION_CORE,
    ANNOTATION_ADDRESS
};

static void begin_trace(struct timeline *t)
{
    static const char *const words[] = {"launch", "cta", "warp slot", "bytes", "line", "core", "address"};
    results_message_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
    results_message_number(&t->packet, PACKET_FLAGS, STATE_CLEARED);
    write_packet(t);
    for (uint64_t i = 0; i < sizeof words / sizeof *words; i++)
        intern(t, INTERNED_ANNOTATIONS, i + 1, words[i]);
}

/* A track in a track (0: none). `unit` not NULL: of a counter. */
static uint64_t add_track(struct timeline *t, uint64_t parent, const char *name, const char *unit)
{
    uint64_t track = ++t->tracks;
    results_message_clear(&t->inner);
    results_message_number(&t->inner, TRACK_UUID, track);
    if (parent)
        results_message_number(&t->inner, TRACK_PARENT, parent);
    results_message_text(&t->inner, TRACK_NAME, name);
    results_message_number(&t->inner, TRACK_ORDERING, ORDER_EXPLICIT);
    results_message_number(&t->inner, TRACK_RANK, track);
    if (unit) {
        results_message_clear(&t->leaf);
        results_message_text(&t->leaf, COUNTER_UNIT_NAME, unit);
        results_message_put(&t->inner, TRACK_COUNTER, &t->leaf);
    }
    results_message_put(&t->packet, PACKET_TRACK, &t->inner);
    write_packet(t);
    return track;
}

static void begin_event(struct timeline *t, uint64_t track, enum event_type type)
{
    results_message_clear(&t->inner);
    results_message_number(&t->inner, EVENT_TYPE, type);
    results_message_number(&t->inner, EVENT_TRACK, track);
}

static void end_event(struct timeline *t, uint64_t time)
{
    results_message_number(&t->packet, PACKET_TIMESTAMP, time);
    results_message_number(&t->packet, PACKET_SEQUENCE, SEQUENCE);
    results_message_number(&t->packet, PACKET_FLAGS, STATE_NEEDED);
    results_message_put(&t->packet, PACKET_EVENT, &t->inner);
    write_packet(t);
}

/* The arrows that begin or end at a kernel. */
static void put_flows(struct timeline *t, uint64_t kernel)
{
    uint32_t count;
    const struct results_flow_end *ends = results_flows_at(t->flows, t->device, kernel, &count);
    for (uint32_t i = 0; i < count; i++)
        results_message_fixed(&t->inner, EVENT_FLOW, ends[i].flow);
}

static void write_begin(struct timeline *t, uint64_t track, uint64_t time, uint64_t name, enum annotation what,
                        uint64_t number)
{
    begin_event(t, track, SLICE_BEGIN);
    results_message_number(&t->inner, EVENT_NAME_IID, name);
    if (what == ANNOTATION_LAUNCH)
        put_flows(t, number);
    if (what) {
        results_message_clear(&t->leaf);
        results_message_number(&t->leaf, ANNOTATION_NAME_IID, what);
        results_message_number(&t->leaf, ANNOTATION_NUMBER, number);
        results_message_put(&t->inner, EVENT_ANNOTATION, &t->leaf);
    }
    end_event(t, time);
}

static void write_end(struct timeline *t, uint64_t track, uint64_t time)
{
    begin_event(t, track, SLICE_END);
    end_event(t, time);
}

/* ===== what is read ===== */

/* Femtoseconds as the trace has them. */
static uint64_t time_of(const struct timeline *t, uint64_t femtoseconds)
{
    return t->cycles ? mnp_cycle_at(t->hertz, femtoseconds) : femtoseconds / 1000000;
}

static sqlite3_stmt *ask(const struct timeline *t, const char *sql)
{
    return results_sqlite_prepare(t->database, sql, t->error);
}

static bool ended_well(const struct timeline *t, sqlite3_stmt *rows, int status)
{
    bool done = rows && (status == SQLITE_DONE || results_sqlite_fail(t->database, t->error));
    sqlite3_finalize(rows);
    return done;
}

/* Runs that were joined have timelines of their own. */
static bool check_runs(const struct timeline *t)
{
    sqlite3_stmt *rows = ask(t, "SELECT count(*) FROM run");
    int status = rows ? sqlite3_step(rows) : SQLITE_ERROR;
    sqlite3_int64 count = status == SQLITE_ROW ? sqlite3_column_int64(rows, 0) : 0;
    return ended_well(t, rows, status == SQLITE_ROW ? SQLITE_DONE : status) &&
           (count == 1 || mnp_fail(t->error,
                                   "the database holds %lld runs, and a timeline is of one; give the folder of "
                                   "a run's -o",
                                   (long long)count));
}

static bool read_clock(struct timeline *t)
{
    sqlite3_stmt *rows = ask(t, "SELECT number FROM machine WHERE run = 1 AND key = 'clock.core'");
    int status = rows ? sqlite3_step(rows) : SQLITE_ERROR;
    t->hertz = status == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(rows, 0) : 0;
    if (!t->hertz)
        t->hertz = 1000000000; /* a machine without a core clock has no spans in cycles */
    return ended_well(t, rows, status == SQLITE_ROW ? SQLITE_DONE : status);
}

static bool read_kernels(struct timeline *t)
{
    sqlite3_stmt *rows = ask(t, "SELECT kernel.id, kernel.name, (SELECT value FROM value WHERE run = 1 AND kernel = "
                                "kernel.id AND statistic = (SELECT id FROM statistic WHERE name = "
                                "'kernel_launch_cycle')) FROM kernel WHERE run = 1 ORDER BY id DESC");
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        uint64_t id = (uint64_t)sqlite3_column_int64(rows, 0);
        const char *name = (const char *)sqlite3_column_text(rows, 1);
        if (!t->kernels && id < UINT32_MAX) { /* the greatest comes first */
            t->kernels = (uint32_t)id + 1;
            t->kernel_names = mnp_allocate(t->kernels, sizeof *t->kernel_names);
            t->kernel_launch = mnp_allocate(t->kernels, sizeof *t->kernel_launch);
        }
        if (id >= t->kernels)
            continue;
        char *readable = mnp_demangle(name ? name : "");
        t->kernel_names[id] = place_of(t, readable);
        t->kernel_launch[id] = (uint64_t)sqlite3_column_int64(rows, 2);
        free(readable);
    }
    return ended_well(t, rows, status);
}

/* ===== slices ===== */

/* Spans of some kinds on tracks by what `by` says. */
struct level {
    const char *title;  /* title of the track that has them all */
    const char *where;  /* condition on rows */
    const char *by;     /* the column, one track for each value; "0": one track */
    const char *format; /* format of a track's name, with that number; NULL: the title's own */
    enum annotation annotation;
    const char *name; /* name of all slices; NULL: the kernel's, the call's, or that of the kind */
};

static const struct level levels[] = {
    {"Calls of the program", "kind = 'call'", "0", NULL, NO_ANNOTATION, NULL},
    {"Streams", "kind IN ('kernel', 'copy', 'fill')", "stream", "stream %" PRIu64, ANNOTATION_BYTES, NULL},
    {"CTAs", "kind = 'cta'", "place", "SM %" PRIu64, ANNOTATION_CTA, NULL},
    {"Warps", "kind = 'warp'", "place", "SM %" PRIu64, ANNOTATION_WARP, NULL},
    {"Packets, SM to L2 and back", "kind = 'packet'", "place", "SM %" PRIu64, ANNOTATION_LINE, "packet"},
    {"Cores", "kind = 'core'", "place", "core %" PRIu64, ANNOTATION_CORE, "runs"},
    {"Accesses to shared memory", "kind = 'access'", "place", "core %" PRIu64, ANNOTATION_ADDRESS, "access"},
};

enum column { KIND, KERNEL, NUMBER, PLACE, NAME, START, END, BY, COLUMNS };

/* The track whose last slice has ended by a time: those of a group are its lanes. */
static struct lane *find_lane(struct timeline *t, struct mnp_array *lanes, uint64_t group, uint64_t start)
{
    struct lane *each = lanes->items;
    for (uint32_t i = 0; i < lanes->count; i++)
        if (each[i].end <= start)
            return &each[i];
    if (lanes->count == MOST_LANES)
        return NULL;
    struct lane *lane = mnp_array_add(lanes, 1, sizeof *lane);
    char name[32];
    snprintf(name, sizeof name, "lane %u", lanes->count);
    lane->track = lanes->count == 1 ? group : add_track(t, group, name, NULL);
    return lane;
}

static const char *copy_name(const char *kind, sqlite3_int64 engine)
{
    if (strcmp(kind, "fill") == 0)
        return "fill";
    return engine == 1 ? "copy to the device" : engine == 2 ? "copy from the device" : "copy on the device";
}

static uint64_t name_of(struct timeline *t, const struct level *level, sqlite3_stmt *row, uint64_t kernel)
{
    const char *kind = (const char *)sqlite3_column_text(row, KIND);
    const char *name = (const char *)sqlite3_column_text(row, NAME);
    if (level->name)
        return place_of(t, level->name);
    if (kernel < t->kernels && t->kernel_names[kernel])
        return t->kernel_names[kernel];
    return place_of(t, name ? name : copy_name(kind ? kind : "", sqlite3_column_int64(row, PLACE)));
}

/* A slice; of a kernel also that of its launch, inside it. */
static void write_slice(struct timeline *t, const struct level *level, sqlite3_stmt *row, struct mnp_array *lanes,
                        uint64_t group)
{
    uint64_t from = (uint64_t)sqlite3_column_int64(row, START), to = (uint64_t)sqlite3_column_int64(row, END);
    uint64_t kernel = (uint64_t)sqlite3_column_int64(row, KERNEL);
    const char *kind = (const char *)sqlite3_column_text(row, KIND);
    bool is_kernel = kind && strcmp(kind, "kernel") == 0;
    struct lane *lane = find_lane(t, lanes, group, time_of(t, from));
    if (!lane)
        return;
    uint64_t name = name_of(t, level, row, kernel);
    enum annotation what = is_kernel ? ANNOTATION_LAUNCH : level->annotation;
    write_begin(t, lane->track, time_of(t, from), name, what,
                is_kernel ? kernel : (uint64_t)sqlite3_column_int64(row, NUMBER));
    if (is_kernel && kernel < t->kernels && t->kernel_launch[kernel]) {
        uint64_t first = from + mnp_edge(t->hertz, t->kernel_launch[kernel]);
        write_begin(t, lane->track, time_of(t, from), place_of(t, "launch latency"), NO_ANNOTATION, 0);
        write_end(t, lane->track, time_of(t, first < to ? first : to));
    }
    lane->end = time_of(t, to);
    write_end(t, lane->track, lane->end);
}

static bool write_level(struct timeline *t, const struct level *level)
{
    char sql[400], name[64];
    snprintf(sql, sizeof sql,
             "SELECT kind, kernel, number, place, name, start, \"end\", %s FROM span WHERE run = 1 AND %s"
             " ORDER BY %s, start, \"end\", kernel, number",
             level->by, level->where, level->by[0] == '0' ? "1" : level->by);
    sqlite3_stmt *rows = ask(t, sql);
    struct mnp_array lanes = {0};
    uint64_t all = 0, group = 0, by = UINT64_MAX;
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        uint64_t number = (uint64_t)sqlite3_column_int64(rows, BY);
        if (!all)
            group = all = add_track(t, t->root, level->title, NULL);
        if (level->format && number != by) {
            snprintf(name, sizeof name, level->format, number);
            group = add_track(t, all, name, NULL);
            lanes.count = 0;
            by = number;
        }
        write_slice(t, level, rows, &lanes, group);
    }
    mnp_array_release(&lanes);
    return ended_well(t, rows, status);
}

/* ===== counters ===== */

/* A sample is of the interval that ends in its cycle; a counter's value holds from its time on. */
static bool write_counters(struct timeline *t)
{
    sqlite3_stmt *rows = ask(t, "SELECT sample.statistic, name, unit, cycle, value FROM sample JOIN statistic ON id = "
                                "statistic WHERE run = 1 ORDER BY statistic, cycle");
    uint64_t all = 0, track = 0, statistic = 0, begins = 0;
    int status = SQLITE_ERROR;
    while (rows && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        uint64_t id = (uint64_t)sqlite3_column_int64(rows, 0), cycle = (uint64_t)sqlite3_column_int64(rows, 3);
        const char *name = (const char *)sqlite3_column_text(rows, 1);
        const char *unit = (const char *)sqlite3_column_text(rows, 2);
        if (!all)
            all = add_track(t, t->root, "Counters", NULL);
        if (id != statistic) {
            track = add_track(t, all, name ? name : "", unit ? unit : "");
            begins = 0;
            statistic = id;
        }
        begin_event(t, track, COUNTER);
        results_message_double(&t->inner, EVENT_DOUBLE, sqlite3_column_double(rows, 4));
        end_event(t, time_of(t, mnp_edge(t->hertz, begins)));
        begins = cycle;
    }
    return ended_well(t, rows, status);
}

static bool write_device(struct timeline *t, sqlite3 *database)
{
    t->database = database;
    t->kernels = 0;
    t->kernel_names = t->kernel_launch = NULL;
    bool done = check_runs(t) && read_clock(t) && read_kernels(t);
    for (size_t i = 0; done && i < sizeof levels / sizeof *levels; i++)
        done = write_level(t, &levels[i]);
    done = done && write_counters(t);
    free(t->kernel_names);
    free(t->kernel_launch);
    return done;
}

/* A trace of nothing would be written without a word. */
static bool check_rows(sqlite3 *database, struct mnp_error *error)
{
    sqlite3_stmt *rows = results_sqlite_prepare(database,
                                                "SELECT EXISTS (SELECT 1 FROM span) OR EXISTS (SELECT 1 FROM sample), "
                                                "EXISTS (SELECT 1 FROM statistic WHERE name "
                                                "= 'global_cycles')",
                                                error);
    bool read = rows && sqlite3_step(rows) == SQLITE_ROW, any = read && sqlite3_column_int(rows, 0);
    const char *what =
        read && sqlite3_column_int(rows, 1) ? "--timeline cores, --timeline accesses:T0-T1" : "--timeline ctas";
    sqlite3_finalize(rows);
    return any ||
           (read && mnp_fail(error, "the run has kept nothing over time; make it again with %s or --sample N", what));
}

bool results_write_timeline(sqlite3 *const *databases, uint32_t count, bool cycles, FILE *out, struct mnp_error *error)
{
    struct results_flows flows = {0};
    struct timeline t = {.out = out, .cycles = cycles, .error = error, .flows = &flows};
    if (count == 1 && !check_rows(databases[0], error))
        return false;
    begin_trace(&t);
    bool done = count == 1 || results_flows_find(&flows, databases, count, error);
    for (uint32_t i = 0; done && i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "GPU %u", i);
        t.device = i;
        t.root = count > 1 ? add_track(&t, 0, name, NULL) : 0;
        done = write_device(&t, databases[i]);
    }
    struct name *names = t.names.items;
    for (uint32_t i = 0; i < t.names.count; i++)
        free(names[i].text);
    mnp_array_release(&t.names);
    results_flows_release(&flows);
    struct results_message *messages[] = {&t.packet, &t.inner, &t.leaf, &t.whole};
    for (int i = 0; i < 4; i++)
        results_message_release(messages[i]);
    return done;
}
