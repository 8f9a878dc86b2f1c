/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/record.h"

#include "base/file.h"
#include "base/print.h"
#include "maniple/offload.h"
#include "offload/decode.h"
#include "offload/launch.h"
#include "results/encoding/json.h"

#include <inttypes.h>
#include <stdlib.h>

static void keep(struct offload_records *records, const struct offload_record *record)
{
    struct offload_record *rows = records->rows.items;
    if (records->rows.count < OFFLOAD_ROWS) {
        *(struct offload_record *)mnp_array_add(&records->rows, 1, sizeof *record) = *record;
        return;
    }
    rows[records->oldest] = *record;
    records->oldest = (records->oldest + 1) % OFFLOAD_ROWS;
}

static void sum_up(struct offload_records *records, const struct offload_record *record)
{
    struct offload_record *sum = &records->sum;
    records->count++;
    records->failed += record->status != MNP_OFFLOAD_OK;
    sum->bytes_in += record->bytes_in;
    sum->bytes_out += record->bytes_out;
    sum->cycles += record->cycles;
    sum->instructions += record->instructions;
    sum->femtoseconds += record->femtoseconds;
    sum->whole_ns += record->whole_ns;
    sum->queue_ns += record->queue_ns;
    sum->copy_ns += record->copy_ns;
    sum->run_ns += record->run_ns;
}

void offload_records_add(struct offload_records *records, const struct offload_record *record, bool refused)
{
    keep(records, record);
    sum_up(records, record);
    records->refused_at_once += refused;
    if (!records->log || (refused && records->refused_at_once > OFFLOAD_REFUSALS_LOGGED))
        return;
    mnp_print_text(records->log,
                   "offload %" PRIu64 ": session %016" PRIx64 ", launch %u, %s, %s; %" PRIu64 " cycles, %" PRIu64
                   " instructions, %" PRIu64 " bytes in, %" PRIu64 " out; %" PRIu64 " us (queue %" PRIu64
                   ", copy %" PRIu64 ", run %" PRIu64 ")\n",
                   records->count, record->session, record->sequence, record->kind == MNP_OFFLOAD_ELF ? "elf" : "ptx",
                   offload_status_name(record->status), record->cycles, record->instructions, record->bytes_in,
                   record->bytes_out, record->whole_ns / 1000, record->queue_ns / 1000, record->copy_ns / 1000,
                   record->run_ns / 1000);
    if (refused && records->refused_at_once == OFFLOAD_REFUSALS_LOGGED)
        fputs("further launches that are refused at once have no line here\n", records->log);
    fflush(records->log);
}

void offload_records_summary(const struct offload_records *records, const char *machine, FILE *out)
{
    const struct offload_record all = records->sum;
    mnp_print_text(out,
                   "%s: %" PRIu64 " offloads, %" PRIu64 " of them without success; %" PRIu64 " cycles, %" PRIu64
                   " instructions\n",
                   machine, records->count, records->failed, all.cycles, all.instructions);
    fprintf(out,
            "host time of the offloads: %" PRIu64 " us, of these simulating %" PRIu64 ", copying %" PRIu64
            ", waiting for a coprocessor %" PRIu64 "; %" PRIu64 " bytes in, %" PRIu64 " out\n",
            all.whole_ns / 1000, all.run_ns / 1000, all.copy_ns / 1000, all.queue_ns / 1000, all.bytes_in,
            all.bytes_out);
    fprintf(out, "%" PRIu64 " messages, %" PRIu64 " refused, %" PRIu64 " bytes that were none\n", records->messages,
            records->refused, records->skipped_bytes);
    fflush(out);
}

static void write_times(struct mnp_json *json, const struct offload_record *row)
{
    results_json_number(json, "cycles", row->cycles);
    results_json_number(json, "instructions", row->instructions);
    results_json_number(json, "femtoseconds", row->femtoseconds);
    results_json_number(json, "bytes_in", row->bytes_in);
    results_json_number(json, "bytes_out", row->bytes_out);
    results_json_number(json, "whole_ns", row->whole_ns);
    results_json_number(json, "queue_ns", row->queue_ns);
    results_json_number(json, "copy_ns", row->copy_ns);
    results_json_number(json, "run_ns", row->run_ns);
}

static void write_row(struct mnp_json *json, const struct offload_record *row)
{
    char session[20];
    snprintf(session, sizeof session, "%016" PRIx64, row->session);
    results_json_open_inline(json, NULL, '{');
    results_json_text(json, "session", session);
    results_json_number(json, "sequence", row->sequence);
    results_json_text(json, "kind", row->kind == MNP_OFFLOAD_ELF ? "elf" : "ptx");
    results_json_number(json, "cores", row->cores);
    results_json_text(json, "status", offload_status_name(row->status));
    results_json_number(json, "program_status", row->program_status);
    results_json_number(json, "program_bytes", row->program_bytes);
    results_json_number(json, "arrived_ns", row->arrived_ns);
    write_times(json, row);
    results_json_close_inline(json, '}');
}

bool offload_records_save(const struct offload_records *records, const char *machine, const char *folder,
                          struct mnp_error *error)
{
    struct mnp_output output;
    char *path = mnp_join_path(folder, "offloads.json");
    bool open = mnp_output_open(&output, path, error);
    free(path);
    if (!open)
        return false;
    struct mnp_json json = {.out = output.stream};
    results_json_open(&json, NULL, '{');
    results_json_text(&json, "format", "maniple-offloads-1");
    results_json_text(&json, "machine", machine);
    results_json_open(&json, "offloads", '[');
    for (uint32_t i = 0; i < records->rows.count; i++)
        write_row(&json, (const struct offload_record *)records->rows.items + (records->oldest + i) % OFFLOAD_ROWS);
    results_json_close(&json, ']');
    results_json_open(&json, "total", '{');
    results_json_number(&json, "offloads", records->count);
    results_json_number(&json, "not_listed", records->count - records->rows.count);
    results_json_number(&json, "without_success", records->failed);
    write_times(&json, &records->sum);
    results_json_number(&json, "messages", records->messages);
    results_json_number(&json, "messages_refused", records->refused);
    results_json_number(&json, "bytes_skipped", records->skipped_bytes);
    results_json_close(&json, '}');
    results_json_close(&json, '}');
    return mnp_output_finish(&output, error) && mnp_output_commit(&output, error);
}
