/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/scaling/costs.h"

#include "base/file.h"
#include "base/ticks.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = "MNPCOST2";

enum { MOST_UNITS = 1 << 20 };

/* ===== writing ===== */

void results_costs_begin(struct mnp_costs_writer *writer, FILE *out, uint32_t window_cycles)
{
    *writer = (struct mnp_costs_writer){.out = out, .start_ticks = mnp_ticks(), .start_ns = mnp_nanoseconds()};
    memcpy(writer->head.magic, magic, sizeof magic);
    writer->head.window_cycles = window_cycles;
    writer->last_ticks = writer->start_ticks;
}

static void write_units(struct mnp_costs_writer *writer, const struct mnp_engine *engine)
{
    uint32_t model = 0;
    writer->head.unit_count = engine->unit_count;
    writer->window = mnp_allocate(engine->unit_count, sizeof *writer->window);
    writer->sent = mnp_allocate(engine->link_count, sizeof *writer->sent);
    fwrite(&writer->head, sizeof writer->head, 1, writer->out);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        model += i > 0 && unit->model != engine->units[i - 1]->model;
        struct mnp_costs_unit record = {
            .model = model, .memory = unit->model->domain == MNP_DOMAIN_MEMORY, .everywhere = unit->model->everywhere};
        snprintf(record.name, sizeof record.name, "%s", unit->name);
        fwrite(&record, sizeof record, 1, writer->out);
    }
}

static uint32_t clip(uint64_t ticks)
{
    return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

/* Bytes of the packets that were sent since it was last asked. */
static uint64_t bytes_sent(struct mnp_costs_writer *writer, const struct mnp_engine *engine)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < engine->link_count; i++) {
        const struct mnp_link *link = engine->links[i];
        bytes += (link->tail - writer->sent[i]) * link->stride;
        writer->sent[i] = link->tail;
    }
    return bytes;
}

void results_costs_window(struct mnp_costs_writer *writer, struct mnp_engine *engine)
{
    if (!writer->window)
        write_units(writer, engine);
    uint32_t count = 0;
    uint64_t spent = 0;
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        struct mnp_unit *unit = engine->units[i];
        if (!unit->spent)
            continue;
        writer->window[count++] = (struct mnp_cost){i, clip(unit->spent)};
        spent += unit->spent;
        unit->spent = 0;
    }
    uint64_t now = mnp_ticks(), whole = now - writer->last_ticks;
    uint32_t record[3] = {count, whole > spent ? clip(whole - spent) : 0, clip(bytes_sent(writer, engine))};
    fwrite(record, sizeof record, 1, writer->out);
    fwrite(writer->window, sizeof *writer->window, count, writer->out);
    writer->head.windows++;
    writer->last_ticks = mnp_ticks(); /* time of writing is not the run's */
}

void results_costs_leave_out(struct mnp_costs_writer *writer)
{
    uint64_t now = mnp_ticks();
    writer->left_out += now - writer->last_ticks;
    writer->last_ticks = now;
}

void results_costs_end(struct mnp_costs_writer *writer)
{
    uint64_t whole = mnp_ticks() - writer->start_ticks, nanoseconds = mnp_nanoseconds() - writer->start_ns;
    writer->head.ticks = whole - writer->left_out;
    writer->head.nanoseconds =
        whole ? (uint64_t)((unsigned __int128)nanoseconds * writer->head.ticks / whole) : nanoseconds;
    if (writer->window && fseek(writer->out, 0, SEEK_SET) == 0)
        fwrite(&writer->head, sizeof writer->head, 1, writer->out);
    free(writer->window);
    free(writer->sent);
    writer->window = NULL;
}

/* ===== reading ===== */

static bool damaged(const struct mnp_costs_reader *reader, struct mnp_error *error)
{
    return mnp_fail_at(error, reader->path, 0,
                       "is damaged in window %llu; make it again with `maniple run --costs --threads 1 -o DIR`",
                       (unsigned long long)reader->windows);
}

bool results_costs_open(struct mnp_costs_reader *reader, const char *folder, struct mnp_error *error)
{
    *reader = (struct mnp_costs_reader){.path = mnp_join_path(folder, MNP_COSTS_FILE)};
    reader->in = fopen(reader->path, "rbe");
    if (!reader->in)
        return mnp_fail_at(error, reader->path, 0,
                           "there is no record of costs; make one with `maniple run --costs --threads 1 -o DIR`");
    struct mnp_costs_head *head = &reader->head;
    if (fread(head, sizeof *head, 1, reader->in) != 1 || memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->unit_count == 0 || head->unit_count > MOST_UNITS || head->ticks == 0)
        return mnp_fail_at(error, reader->path, 0, "is no record of costs that `maniple run --costs` has completed");
    reader->units = mnp_allocate(head->unit_count, sizeof *reader->units);
    reader->window = mnp_allocate(head->unit_count, sizeof *reader->window);
    if (fread(reader->units, sizeof *reader->units, head->unit_count, reader->in) != head->unit_count)
        return damaged(reader, error);
    return true;
}

static bool other_run(const struct mnp_costs_reader *reader, const struct mnp_costs_reader *other,
                      struct mnp_error *error)
{
    return mnp_fail_at(error, other->path, 0,
                       "is a record of another run than %s; give records of one input and machine", reader->path);
}

bool results_costs_join(struct mnp_costs_reader *reader, const char *folder, struct mnp_error *error)
{
    if (reader->other_count == MNP_COSTS_MOST_OTHERS)
        return mnp_fail(error, "%s: there are more than %d records", folder, MNP_COSTS_MOST_OTHERS + 1);
    struct mnp_costs_reader *other = mnp_allocate(1, sizeof *other);
    reader->others[reader->other_count++] = other;
    if (!results_costs_open(other, folder, error))
        return false;
    const struct mnp_costs_head *a = &reader->head, *b = &other->head;
    return (a->unit_count == b->unit_count && a->windows == b->windows && a->window_cycles == b->window_cycles &&
            memcmp(reader->units, other->units, a->unit_count * sizeof *reader->units) == 0) ||
           other_run(reader, other, error);
}

static bool next_of_one(struct mnp_costs_reader *reader, struct mnp_error *error)
{
    uint32_t record[3];
    if (fread(record, sizeof record, 1, reader->in) != 1 || record[0] > reader->head.unit_count ||
        fread(reader->window, sizeof *reader->window, record[0], reader->in) != record[0])
        return damaged(reader, error);
    for (uint32_t i = 0; i < record[0]; i++)
        if (reader->window[i].unit >= reader->head.unit_count)
            return damaged(reader, error);
    reader->count = record[0];
    reader->rest = record[1];
    reader->bytes = record[2];
    reader->windows++;
    return true;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool results_costs_next(struct mnp_costs_reader *reader, struct mnp_error *error)
{
    if (reader->windows == reader->head.windows || !next_of_one(reader, error))
        return false;
    for (uint32_t o = 0; o < reader->other_count; o++) {
        struct mnp_costs_reader *other = reader->others[o];
        if (!next_of_one(other, error))
            return false;
        if (other->count != reader->count || other->bytes != reader->bytes)
            return other_run(reader, other, error);
        reader->rest = lesser(reader->rest, other->rest);
        for (uint32_t i = 0; i < reader->count; i++) {
            if (other->window[i].unit != reader->window[i].unit)
                return other_run(reader, other, error);
            reader->window[i].ticks = lesser(reader->window[i].ticks, other->window[i].ticks);
        }
    }
    return true;
}

void results_costs_close(struct mnp_costs_reader *reader)
{
    for (uint32_t o = 0; o < reader->other_count; o++) {
        results_costs_close(reader->others[o]);
        free(reader->others[o]);
    }
    if (reader->in)
        fclose(reader->in);
    free(reader->path);
    free(reader->units);
    free(reader->window);
}
