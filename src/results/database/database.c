/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows are added in the order of their keys, which makes a table a sequence of full pages. */
#include "results/database/database.h"
#include "results/database/source_lines.h"
#include "results/encoding/sqlite_rows.h"
#include "results/provenance/provenance.h"

#include "base/text.h"
#include "base/version.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 8, MOST_KEY = 256 };

struct writer {
    sqlite3 *database;
    const struct mnp_results *results;
    struct results_sqlite_rows value, histogram; /* rows of these tables */
    sqlite3_stmt *machine;
    struct mnp_error *error;
    char key[MOST_KEY]; /* name of the group of machine keys that is being walked, with a dot behind each name */
    size_t ends[MOST_DEPTH];
    bool done;
};

/* ===== what is counted ===== */

/* Statistics are numbered in the order of the models and their rows, from 1. */
static bool add_statistics(struct writer *writer)
{
    sqlite3_stmt *add = results_sqlite_prepare(
        writer->database, "INSERT INTO statistic VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", writer->error);
    const struct mnp_statistic_set *set = &writer->results->total;
    uint64_t id = 1;
    bool done = add;
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        for (size_t row = 0; done && row < model->statistic_count; row++, id++) {
            const struct mnp_statistic *each = &model->statistics[row];
            done = results_sqlite_add(add, writer->error, each->numerator ? "itttttitt" : "itttttnnn", id, each->name,
                                      each->unit, each->kind->name, model->name, each->help, each->scale,
                                      each->numerator, each->denominator);
        }
    }
    sqlite3_finalize(add);
    return done;
}

/* Rows of numbers for a table of the writer's database. */
static struct results_sqlite_rows rows_of(const struct writer *writer, const char *table, int columns)
{
    return (struct results_sqlite_rows){
        .database = writer->database, .error = writer->error, .table = table, .columns = columns};
}

/* Adds a row of the run, two numbers and a value, which is the number that results.json has: with decimals, six of
 * them. */
static bool add_value(struct results_sqlite_rows *rows, uint64_t first, uint64_t second,
                      const struct mnp_statistic_value *value)
{
    char text[MNP_NUMBER_TEXT];
    if (value->form == MNP_WHOLE)
        return results_sqlite_rows_add(rows, "iiii", UINT64_C(1), first, second, value->numerator);
    return results_sqlite_rows_add(rows, "iiid", UINT64_C(1), first, second,
                                   strtod(mnp_statistic_text(text, value), NULL));
}

static bool add_histogram(struct writer *writer, uint64_t kernel, uint64_t id, const struct mnp_statistic_value *value)
{
    bool done = true;
    for (uint32_t bin = 0; done && bin < value->row->bins; bin++) {
        bool last = bin + 1 == value->row->bins;
        uint64_t bound = last ? 0 : mnp_histogram_bound(value->row, bin);
        if (value->values[bin])
            done = last ? results_sqlite_rows_add(&writer->histogram, "iiiini", UINT64_C(1), kernel, id, (uint64_t)bin,
                                                  value->values[bin])
                        : results_sqlite_rows_add(&writer->histogram, "iiiiii", UINT64_C(1), kernel, id, (uint64_t)bin,
                                                  bound, value->values[bin]);
    }
    return done;
}

static bool add_values(struct writer *writer, uint64_t kernel, const struct mnp_statistic_set *set)
{
    uint64_t id = 1;
    bool done = true;
    for (uint32_t i = 0; i < set->block_count; i++)
        for (size_t row = 0; done && row < set->blocks[i].model->statistic_count; row++, id++) {
            struct mnp_statistic_value value;
            mnp_statistics_read(set, &set->blocks[i], row, &value);
            done = value.form == MNP_BINS ? add_histogram(writer, kernel, id, &value)
                                          : add_value(&writer->value, kernel, id, &value);
        }
    return done;
}

/* Statistics by unit: of the total, which alone keeps them. */
static bool add_units(struct writer *writer)
{
    struct results_sqlite_rows rows = rows_of(writer, "unit_value", 4);
    const struct mnp_statistic_set *set = &writer->results->total;
    uint64_t id = 1;
    bool done = true;
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_statistic_block *block = &set->blocks[i];
        struct mnp_statistic_value value;
        for (size_t row = 0; row < block->model->statistic_count; row++, id++)
            for (uint32_t unit = 0; done && unit < block->unit_count; unit++)
                if (mnp_statistics_read_unit(set, block, row, unit, &value))
                    done = add_value(&rows, id, unit, &value);
    }
    return results_sqlite_rows_end(&rows, done);
}

/* The number of a statistic in the table. */
static uint64_t id_of(const struct mnp_statistic_set *set, const struct mnp_statistic *statistic)
{
    uint64_t id = 1;
    for (uint32_t i = 0; i < set->block_count; i++) {
        const struct mnp_model *model = set->blocks[i].model;
        if (statistic >= model->statistics && statistic < model->statistics + model->statistic_count)
            return id + (uint64_t)(statistic - model->statistics);
        id += model->statistic_count;
    }
    return 0;
}

static bool add_samples(struct writer *writer)
{
    const struct mnp_samples *samples = writer->results->samples;
    struct results_sqlite_rows rows = rows_of(writer, "sample", 4);
    bool done = true;
    for (uint32_t row = 0; row < samples->row_count; row++)
        for (uint32_t i = 0; done && i < samples->column_count; i++) {
            struct mnp_statistic_value value = mnp_samples_value(samples, row, i);
            done = add_value(&rows, samples->cycles[row], id_of(&writer->results->total, value.row), &value);
        }
    return results_sqlite_rows_end(&rows, done);
}

/* ===== kernels ===== */

static void bind_numbers(sqlite3_stmt *add, int at, int count, const struct mnp_attribute *attribute)
{
    for (int i = 0; i < count; i++) {
        if (attribute && (uint32_t)i < attribute->count)
            sqlite3_bind_int64(add, at + i, (sqlite3_int64)attribute->value[i]);
        else
            sqlite3_bind_null(add, at + i);
    }
}

static bool add_kernels(struct writer *writer)
{
    sqlite3_stmt *add = results_sqlite_prepare(
        writer->database, "INSERT INTO kernel VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", writer->error);
    bool done = add;
    for (uint32_t i = 0; done && i < writer->results->part_count; i++) {
        const struct mnp_part_results *part = writer->results->parts[i];
        bind_numbers(add, 4, 3, mnp_part_attribute(part, "grid"));
        bind_numbers(add, 7, 3, mnp_part_attribute(part, "block"));
        bind_numbers(add, 10, 1, mnp_part_attribute(part, "stream"));
        bind_numbers(add, 11, 1, mnp_part_attribute(part, "registers"));
        bind_numbers(add, 12, 1, mnp_part_attribute(part, "shared_bytes"));
        bind_numbers(add, 13, 3, mnp_part_attribute(part, "ctas_by_room"));
        done = results_sqlite_add(add, writer->error, "iti", (uint64_t)part->id, part->name, (uint64_t)part->partial);
    }
    sqlite3_finalize(add);
    for (uint32_t i = 0; done && i < writer->results->part_count; i++)
        done = add_values(writer, writer->results->parts[i]->id, &writer->results->parts[i]->statistics);
    return done;
}

/* ===== the timeline ===== */

/* Ranges around a part's launch, each as long as the part. */
static bool add_ranges(struct writer *writer, sqlite3_stmt *add, const struct mnp_part_results *part)
{
    const struct mnp_attribute *stream = mnp_part_attribute(part, "stream");
    bool done = true;
    for (const struct mnp_range *range = part->range; done && range; range = range->outer)
        done = results_sqlite_add(add, writer->error, "tiiiitii", "range", (uint64_t)part->id, (uint64_t)range->number,
                                  (uint64_t)range->depth, stream ? stream->value[0] : UINT64_C(0), range->name,
                                  part->from, part->to);
    return done;
}

static bool add_kernel_spans(struct writer *writer, sqlite3_stmt *add)
{
    bool done = true;
    for (uint32_t i = 0; done && i < writer->results->part_count; i++) {
        const struct mnp_part_results *part = writer->results->parts[i];
        const struct mnp_attribute *stream = mnp_part_attribute(part, "stream");
        if (part->to)
            done = results_sqlite_add(add, writer->error, "tinnitii", "kernel", (uint64_t)part->id,
                                      stream ? stream->value[0] : UINT64_C(0), NULL, part->from, part->to);
        done = done && add_ranges(writer, add, part);
    }
    return done;
}

static bool add_spans(struct writer *writer)
{
    const struct mnp_timeline *timeline = &writer->results->timeline;
    const struct mnp_span *spans = timeline->spans.items;
    sqlite3_stmt *add =
        results_sqlite_prepare(writer->database, "INSERT INTO span VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)", writer->error);
    bool done = add && add_kernel_spans(writer, add);
    for (uint32_t i = 0; done && i < timeline->spans.count; i++)
        done =
            results_sqlite_add(add, writer->error, "tiiiitii", spans[i].kind, (uint64_t)spans[i].part, spans[i].number,
                               (uint64_t)spans[i].place, spans[i].stream, spans[i].name, spans[i].from, spans[i].to);
    sqlite3_finalize(add);
    return done;
}

/* ===== instructions ===== */

static bool add_instructions(struct writer *writer)
{
    const struct mnp_tally *tally = &writer->results->tally;
    const struct mnp_tally_row *rows = tally->rows.items;
    char *const *names = tally->names.items;
    sqlite3_stmt *add = results_sqlite_prepare(
        writer->database, "INSERT INTO instruction VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        writer->error);
    bool done = add;
    for (uint32_t i = 0; done && i < tally->rows.count; i++) {
        for (int k = 0; k < MNP_TALLY_COUNTS; k++)
            sqlite3_bind_int64(add, 6 + k, (sqlite3_int64)rows[i].count[k]);
        done = results_sqlite_add(add, writer->error, "tiitt", names[rows[i].kernel], (uint64_t)rows[i].pc,
                                  (uint64_t)rows[i].opcode, rows[i].text, rows[i].source);
    }
    sqlite3_finalize(add);
    return done;
}

/* ===== the machine ===== */

static void machine_open(void *context, const char *group, unsigned depth)
{
    struct writer *writer = context;
    size_t length = strlen(writer->key);
    MNP_REQUIRE(depth < MOST_DEPTH, "keys of more than %d groups", MOST_DEPTH);
    writer->ends[depth] = length;
    snprintf(writer->key + length, sizeof writer->key - length, "%s.", group);
}

static void machine_close(void *context, unsigned depth)
{
    struct writer *writer = context;
    writer->key[writer->ends[depth]] = 0;
}

static const char *format_list(char *text, size_t room, const struct mnp_list *list)
{
    size_t length = (size_t)snprintf(text, room, "[");
    for (uint64_t i = 0; i < list->count; i++)
        length += (size_t)snprintf(text + length, room - length, "%s%" PRIu64, i ? "," : "", list->value[i]);
    snprintf(text + length, room - length, "]");
    return text;
}

static void machine_value(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth)
{
    (void)depth;
    struct writer *writer = context;
    char key[MOST_KEY * 2], text[MNP_LIST_MAX * 22 + 8];
    bool number = resolved->row->type <= MNP_BOOL;
    snprintf(key, sizeof key, "%s%s", writer->key, name);
    snprintf(text, sizeof text, "%" PRIu64, resolved->number);
    const char *value = resolved->row->type == MNP_TEXT     ? resolved->text.text
                        : resolved->row->type == MNP_CHOICE ? resolved->word
                        : resolved->row->type == MNP_LIST   ? format_list(text, sizeof text, &resolved->list)
                        : resolved->row->type != MNP_BOOL   ? text
                        : resolved->number                  ? "true"
                                                            : "false";
    if (writer->done)
        writer->done =
            results_sqlite_add(writer->machine, writer->error, number ? "tttti" : "ttttn", key, value,
                               resolved->row->unit, resolved->origin ? resolved->origin : "default", resolved->number);
}

static bool add_machine(struct writer *writer)
{
    if (!writer->results->machine)
        return true;
    writer->machine = results_sqlite_prepare(writer->database,
                                             "INSERT OR IGNORE INTO machine VALUES (1, ?, ?, ?, ?, ?)", writer->error);
    writer->done = writer->machine;
    mnp_settings_walk(
        writer->results->machine,
        &(struct mnp_settings_visitor){machine_open, machine_value, machine_close, writer, writer->results->one});
    sqlite3_finalize(writer->machine);
    return writer->done;
}

/* ===== the run ===== */

static bool add_warnings(struct writer *writer)
{
    const struct mnp_log *log = &writer->results->log;
    sqlite3_stmt *add = results_sqlite_prepare(writer->database, "INSERT INTO warning VALUES (1, ?, ?)", writer->error);
    bool done = add;
    for (uint32_t i = 0; done && i < log->warning_count; i++)
        done = results_sqlite_add(add, writer->error, "ti", log->warnings[i].text, (uint64_t)log->warnings[i].count);
    sqlite3_finalize(add);
    return done;
}

static bool add_estimate(struct writer *writer)
{
    const struct mnp_estimate *estimate = writer->results->estimate;
    sqlite3_stmt *add =
        results_sqlite_prepare(writer->database, "INSERT INTO estimate VALUES (1, ?, ?, ?, ?)", writer->error);
    bool done = add;
    for (uint32_t i = 0; done && estimate && i < estimate->count; i++)
        done = results_sqlite_add(add, writer->error, "ttii", estimate->rows[i].statistic->name,
                                  estimate->rows[i].statistic->unit, estimate->rows[i].value, estimate->rows[i].margin);
    sqlite3_finalize(add);
    return done;
}

static bool add_provenance(struct writer *writer)
{
    struct mnp_array facts = {0};
    sqlite3_stmt *add =
        results_sqlite_prepare(writer->database, "INSERT INTO provenance VALUES (1, ?, ?, ?)", writer->error);
    results_provenance_collect(writer->results, &facts);
    const struct results_fact *all = facts.items;
    bool done = add;
    for (uint32_t i = 0; done && i < facts.count; i++)
        done = results_sqlite_add(add, writer->error, "ttt", all[i].kind, all[i].name, all[i].value);
    sqlite3_finalize(add);
    results_provenance_release(&facts);
    return done;
}

static bool add_run(struct writer *writer)
{
    const struct mnp_results *results = writer->results;
    const struct mnp_run_info *run = &results->run;
    const struct mnp_settings *machine = results->machine;
    sqlite3_stmt *add = results_sqlite_prepare(
        writer->database, "INSERT INTO run VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        writer->error);
    bool done =
        add && results_sqlite_add(
                   add, writer->error, "tttttitttttiiidditi", NULL, MANIPLE_VERSION, run->input ? run->input : "",
                   machine ? mnp_settings_name(machine) : "", machine ? mnp_settings_kind(machine) : "",
                   machine ? (uint64_t)mnp_settings_architecture(machine) : UINT64_C(0),
                   machine ? mnp_settings_description(machine) : "", mnp_end_name(results->end), results->hash,
                   run->executor ? run->executor : "", run->schedule ? run->schedule : "", (uint64_t)run->threads,
                   (uint64_t)run->processes, run->windows, (double)run->wall_ns / 1e9, (double)run->cpu_ns / 1e9,
                   run->peak_bytes, run->host, (uint64_t)run->host_processors);
    sqlite3_finalize(add);
    return done;
}

static bool add_all(struct writer *writer)
{
    sqlite3 *database = writer->database;
    struct mnp_error *error = writer->error;
    writer->value = rows_of(writer, "value", 4);
    writer->histogram = rows_of(writer, "histogram", 6);
    bool done = add_run(writer) && add_machine(writer) && add_statistics(writer) &&
                add_values(writer, 0, &writer->results->total) && add_kernels(writer);
    done = results_sqlite_rows_end(&writer->value, done);
    done = results_sqlite_rows_end(&writer->histogram, done);
    return done && add_units(writer) && add_spans(writer) && (!writer->results->samples || add_samples(writer)) &&
           add_instructions(writer) && results_add_source_lines(database, error) && add_estimate(writer) &&
           add_warnings(writer) && add_provenance(writer);
}

bool results_write_database(const struct mnp_results *results, FILE *out, struct mnp_error *error)
{
    struct writer writer = {.results = results, .error = error};
    writer.database = results_sqlite_memory(error);
    bool done = writer.database && results_database_create(writer.database, error) &&
                results_sqlite_execute(writer.database, "BEGIN", error) && add_all(&writer) &&
                results_sqlite_execute(writer.database, "COMMIT", error) &&
                results_sqlite_write(writer.database, out, error);
    sqlite3_close(writer.database);
    return done;
}
