/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/costs.h"

#include "base/file.h"
#include "base/ticks.h"

#include <stdlib.h>
#include <string.h>

static const char magic[8] = "MNPCOST1";

enum { MOST_UNITS = 1 << 20 };

/* ===== writing ===== */

void mnp_costs_begin(struct mnp_costs_writer *writer, FILE *out, bool every_cycle)
{
    *writer = (struct mnp_costs_writer){.out = out, .start_ticks = mnp_ticks(), .start_ns = mnp_nanoseconds()};
    memcpy(writer->head.magic, magic, sizeof magic);
    writer->head.every_cycle = every_cycle;
    writer->last_ticks = writer->start_ticks;
}

static void write_units(struct mnp_costs_writer *writer, const struct mnp_engine *engine)
{
    uint32_t model = 0;
    writer->head.unit_count = engine->unit_count;
    writer->window = mnp_allocate(engine->unit_count, sizeof *writer->window);
    fwrite(&writer->head, sizeof writer->head, 1, writer->out);
    for (uint32_t i = 0; i < engine->unit_count; i++) {
        const struct mnp_unit *unit = engine->units[i];
        model += i > 0 && unit->model != engine->units[i - 1]->model;
        struct mnp_costs_unit record = {.model = model,
                                        .memory = unit->model->domain == MNP_DOMAIN_MEMORY,
                                        .everywhere = unit->model->everywhere};
        snprintf(record.name, sizeof record.name, "%s", unit->name);
        fwrite(&record, sizeof record, 1, writer->out);
    }
}

static uint32_t clip(uint64_t ticks)
{
    return ticks < UINT32_MAX ? (uint32_t)ticks : UINT32_MAX;
}

void mnp_costs_window(struct mnp_costs_writer *writer, struct mnp_engine *engine)
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
    uint32_t record[2] = {count, whole > spent ? clip(whole - spent) : 0};
    fwrite(record, sizeof record, 1, writer->out);
    fwrite(writer->window, sizeof *writer->window, count, writer->out);
    writer->head.windows++;
    writer->last_ticks = mnp_ticks(); /* what writing takes is not the run's */
}

void mnp_costs_end(struct mnp_costs_writer *writer)
{
    writer->head.ticks = mnp_ticks() - writer->start_ticks;
    writer->head.nanoseconds = mnp_nanoseconds() - writer->start_ns;
    if (writer->window && fseek(writer->out, 0, SEEK_SET) == 0)
        fwrite(&writer->head, sizeof writer->head, 1, writer->out);
    free(writer->window);
    writer->window = NULL;
}

/* ===== reading ===== */

static bool damaged(const struct mnp_costs_reader *reader, struct mnp_error *error)
{
    return mnp_fail_at(error, reader->path, 0,
                       "is damaged in window %llu; make it again with `maniple run --costs --threads 1 -o DIR`",
                       (unsigned long long)reader->windows);
}

bool mnp_costs_open(struct mnp_costs_reader *reader, const char *folder, struct mnp_error *error)
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

bool mnp_costs_next(struct mnp_costs_reader *reader, struct mnp_error *error)
{
    if (reader->windows == reader->head.windows)
        return false;
    uint32_t record[2];
    if (fread(record, sizeof record, 1, reader->in) != 1 || record[0] > reader->head.unit_count ||
        fread(reader->window, sizeof *reader->window, record[0], reader->in) != record[0])
        return damaged(reader, error);
    for (uint32_t i = 0; i < record[0]; i++)
        if (reader->window[i].unit >= reader->head.unit_count)
            return damaged(reader, error);
    reader->count = record[0];
    reader->rest = record[1];
    reader->windows++;
    return true;
}

void mnp_costs_close(struct mnp_costs_reader *reader)
{
    if (reader->in)
        fclose(reader->in);
    free(reader->path);
    free(reader->units);
    free(reader->window);
}
