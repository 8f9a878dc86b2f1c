/* SPDX-License-Identifier: BSD-3-Clause */
/* A launch of a program on a many-core coprocessor. Shared memory is filled and read where it lies in the machine;
 * private memory is more segments of the program. */
#include "base/allocate.h"
#include "contract/session.h"
#include "engine/executors/executor.h"
#include "frontend/a32/elf.h"
#include "offload/launch.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORTH_TRANSLATING = 4 /* cores */ };

struct elf_launch {
    const struct offload_region *region;
    const struct offload_request *request;
    struct offload_outcome *outcome;
    struct mnp_program program;
    struct mnp_results results;
    struct mnp_settings *settings;
    const struct mnp_machine_kind *kind;
    struct mnp_session *session;
    unsigned char *private[MNP_OFFLOAD_BUFFERS];
};

static bool fail(struct elf_launch *elf, enum mnp_offload_status status, const struct mnp_error *error)
{
    offload_fail(elf->outcome, status, error);
    return false;
}

/* ===== the program ===== */

static bool is_code(const struct mnp_program *program, uint32_t address)
{
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *segment = &program->segments[i];
        if (segment->executable && address - segment->address < segment->stored && address % 4 == 0)
            return true;
    }
    return false;
}

static bool load_program(struct elf_launch *elf)
{
    const struct mnp_offload_launch *launch = &elf->request->launch;
    struct mnp_error error = {0};
    unsigned char *bytes = mnp_allocate(launch->program_bytes + 1, 1);
    if (!offload_region_read(elf->region, launch->program_at, launch->program_bytes, bytes, &error)) {
        free(bytes);
        return fail(elf, MNP_OFFLOAD_BAD_REGION, &error);
    }
    if (!a32_elf_read("the program", bytes, launch->program_bytes, &elf->program, &error))
        return fail(elf, MNP_OFFLOAD_PROGRAM, &error);
    if (launch->entry && !is_code(&elf->program, launch->entry)) {
        mnp_fail(&error, "the entry 0x%x lies in no code of the program", launch->entry);
        return fail(elf, MNP_OFFLOAD_PROGRAM, &error);
    }
    elf->program.entry = launch->entry ? launch->entry : elf->program.entry;
    return true;
}

/* A buffer that every core has in its private memory is one more segment. */
static bool add_private(struct elf_launch *elf, uint32_t index)
{
    const struct mnp_offload_buffer *buffer = &elf->request->buffers[index];
    struct mnp_program *program = &elf->program;
    struct mnp_error error = {0};
    uint64_t from = buffer->address, to = from + buffer->bytes;
    bool fits = from < UINT32_MAX && buffer->bytes < UINT32_MAX - from && program->segment_count < MNP_SEGMENTS;
    for (uint32_t i = 0; fits && i < program->segment_count; i++) /* whole pages: a page is writable or not */
        fits = to <= (program->segments[i].address & ~4095u) ||
               from >= (((uint64_t)program->segments[i].address + program->segments[i].bytes + 4095) & ~UINT64_C(4095));
    if (!fits) {
        mnp_fail(&error, "buffer %u: private memory at 0x%" PRIx64 " is the program's, or there are too many buffers",
                 index, from);
        return fail(elf, MNP_OFFLOAD_PROGRAM, &error);
    }
    elf->private[index] = mnp_allocate(buffer->bytes, 1);
    if (!offload_region_read(elf->region, buffer->at, buffer->bytes, elf->private[index], &error))
        return fail(elf, MNP_OFFLOAD_BAD_REGION, &error);
    program->segments[program->segment_count++] = (struct mnp_segment){.address = (uint32_t)from,
                                                                       .bytes = (uint32_t)buffer->bytes,
                                                                       .stored = (uint32_t)buffer->bytes,
                                                                       .data = elf->private[index],
                                                                       .writable = true};
    return true;
}

static bool add_private_buffers(struct elf_launch *elf)
{
    for (uint32_t i = 0; i < elf->request->launch.buffer_count; i++)
        if (elf->request->buffers[i].flags & MNP_OFFLOAD_PRIVATE && !add_private(elf, i))
            return false;
    return true;
}

/* ===== shared memory ===== */

/* Copies between the region and memory of the machine; `piece` counts pieces of a buffer that is spread. */
static bool copy_piece(struct elf_launch *elf, const struct mnp_offload_buffer *buffer, uint32_t piece, bool out,
                       struct mnp_error *error)
{
    bool spread = buffer->flags & MNP_OFFLOAD_SPREAD;
    uint64_t at = spread ? (uint64_t)piece * buffer->piece : 0, left = buffer->bytes - at;
    uint64_t bytes = spread && left > buffer->piece ? buffer->piece : left;
    unsigned char *memory = elf->kind->memory(elf->session, spread ? piece : MNP_WHOLE_MEMORY, buffer->address, bytes);
    if (!memory)
        return mnp_fail(error, "0x%" PRIx64 " to 0x%" PRIx64 " is no shared memory of this machine%s", buffer->address,
                        buffer->address + bytes, spread ? ", counted from the beginning of a core's bank" : "");
    return out ? offload_region_write(elf->region, buffer->at + at, bytes, memory, error)
               : offload_region_read(elf->region, buffer->at + at, bytes, memory, error);
}

static bool copy_buffers(struct elf_launch *elf, bool out)
{
    uint64_t begin = offload_now();
    for (uint32_t i = 0; i < elf->request->launch.buffer_count; i++) {
        const struct mnp_offload_buffer *buffer = &elf->request->buffers[i];
        bool spread = buffer->flags & MNP_OFFLOAD_SPREAD;
        uint64_t pieces = spread ? (buffer->bytes + buffer->piece - 1) / buffer->piece : 1;
        struct mnp_error error = {0}, why = {0};
        if (!(buffer->flags & (out ? MNP_OFFLOAD_OUT : MNP_OFFLOAD_IN)) || buffer->flags & MNP_OFFLOAD_PRIVATE)
            continue;
        for (uint64_t piece = 0; piece < pieces; piece++) {
            if (piece <= UINT32_MAX - 1 && copy_piece(elf, buffer, (uint32_t)piece, out, &error))
                continue;
            mnp_fail(&why, "buffer %u: %s", i, error.text);
            return fail(elf, out ? MNP_OFFLOAD_BAD_REGION : MNP_OFFLOAD_PROGRAM, &why);
        }
    }
    elf->outcome->result.copy_ns += offload_now() - begin;
    return true;
}

/* A result must have its place before the program runs for hours. */
static bool check_results_fit(struct elf_launch *elf)
{
    for (uint32_t i = 0; i < elf->request->launch.buffer_count; i++) {
        const struct mnp_offload_buffer *buffer = &elf->request->buffers[i];
        bool spread = buffer->flags & MNP_OFFLOAD_SPREAD;
        uint64_t pieces = spread ? (buffer->bytes + buffer->piece - 1) / buffer->piece : 1;
        uint64_t bytes = pieces == 1 ? buffer->bytes : buffer->piece;
        struct mnp_error error = {0};
        if (buffer->flags & MNP_OFFLOAD_PRIVATE)
            continue;
        if (pieces < MNP_WHOLE_MEMORY &&
            elf->kind->memory(elf->session, spread ? (uint32_t)pieces - 1 : MNP_WHOLE_MEMORY, buffer->address, bytes))
            continue;
        mnp_fail(&error, "buffer %u: %" PRIu64 " bytes at 0x%" PRIx64 " do not fit into this machine's %s", i,
                 buffer->bytes, buffer->address, spread ? "banks" : "shared memory");
        return fail(elf, MNP_OFFLOAD_PROGRAM, &error);
    }
    return true;
}

/* ===== the run ===== */

static void on_output(void *context, const unsigned char *text, uint32_t bytes)
{
    struct elf_launch *elf = context;
    offload_text_add(&elf->outcome->output, text, bytes);
}

static bool open_session(struct elf_launch *elf, const struct offload_machine *machine)
{
    const struct mnp_offload_launch *launch = &elf->request->launch;
    struct mnp_error error = {0};
    elf->settings = offload_machine_settings(machine, &elf->kind, launch->cores, &error);
    if (!elf->settings)
        return fail(elf, MNP_OFFLOAD_BAD_REQUEST, &error);
    struct mnp_work work = {.input = MNP_INPUT_PROGRAM, .program = &elf->program, .words = elf->request->text};
    /* Looking up a translation requires writing the program as C first, which takes longer than a run on few cores. */
    bool small = launch->cores && launch->cores < WORTH_TRANSLATING;
    struct mnp_session_options options = {.core = small ? MNP_CORE_INTERPRETER : MNP_CORE_AUTO,
                                          .request = {.executor = &mnp_executor_window,
                                                      .threads = machine->threads,
                                                      .schedule = MNP_SCHEDULE_COST,
                                                      .max_cycles = launch->max_cycles},
                                          .without_hash = true,
                                          .on_output = on_output,
                                          .context = elf};
    elf->session = mnp_session_open(elf->kind, elf->settings, &work, &options, &elf->results, &error);
    return elf->session || fail(elf, MNP_OFFLOAD_PROGRAM, &error);
}

static void add_statistics(struct elf_launch *elf)
{
    const struct mnp_statistic_set *total = &elf->results.total;
    for (uint32_t i = 0; i < total->block_count; i++) {
        const struct mnp_statistic_block *block = &total->blocks[i];
        for (size_t row = 0; row < block->model->statistic_count; row++) {
            struct mnp_statistic_value value;
            char line[160], text[MNP_NUMBER_TEXT];
            mnp_statistics_read(total, block, row, &value);
            if (value.form == MNP_BINS || value.row->kind->quotient)
                continue;
            int length = snprintf(line, sizeof line, "%s %s %s\n", value.row->name, mnp_statistic_text(text, &value),
                                  value.row->unit);
            offload_text_add(&elf->outcome->statistics, line, (size_t)length);
        }
    }
}

/* How the run has ended, where that is no success. */
static bool check_end(struct elf_launch *elf)
{
    struct mnp_error error = {0};
    const char *report = elf->results.report ? elf->results.report : "";
    if (elf->results.end == MNP_END_FINISHED)
        return true;
    if (elf->results.end == MNP_END_LIMIT)
        mnp_fail(&error, "the program did not end within %" PRIu64 " cycles; ", elf->request->launch.max_cycles);
    else
        mnp_fail(&error, "the program can never end (%s); ", mnp_end_name(elf->results.end));
    fail(elf, elf->results.end == MNP_END_LIMIT ? MNP_OFFLOAD_LIMIT : MNP_OFFLOAD_STUCK, &error);
    offload_text_add(&elf->outcome->message, report, strlen(report));
    return false;
}

static bool run(struct elf_launch *elf)
{
    struct mnp_offload_result *result = &elf->outcome->result;
    struct mnp_error error = {0};
    uint64_t begin = offload_now();
    enum mnp_stop stop = mnp_session_run(elf->session, MNP_NEVER, &error);
    if (stop != MNP_STOP_FAULT)
        mnp_session_collect(elf->session);
    result->run_ns += offload_now() - begin;
    if (stop == MNP_STOP_FAULT)
        return fail(elf, MNP_OFFLOAD_FAULT, &error);
    result->cycles = mnp_statistics_get(&elf->results.total, elf->kind->form->cycles);
    result->instructions = mnp_statistics_get(&elf->results.total, elf->kind->form->work);
    result->femtoseconds = mnp_session_time(elf->session, result->cycles);
    result->program_status = elf->results.program_status;
    add_statistics(elf);
    return check_end(elf);
}

void offload_launch_elf(const struct offload_machine *machine, const struct offload_region *region,
                        const struct offload_request *request, struct offload_outcome *outcome)
{
    struct elf_launch elf = {.region = region, .request = request, .outcome = outcome};
    uint64_t begin = offload_now();
    mnp_results_init(&elf.results, MNP_SILENT);
    bool ready = load_program(&elf) && add_private_buffers(&elf) && open_session(&elf, machine);
    outcome->result.run_ns = offload_now() - begin;
    if (ready && check_results_fit(&elf) && copy_buffers(&elf, false) && run(&elf))
        copy_buffers(&elf, true);
    if (elf.session)
        mnp_session_release(elf.session);
    mnp_settings_free(elf.settings);
    mnp_results_release(&elf.results);
    mnp_program_release(&elf.program);
    for (uint32_t i = 0; i < MNP_OFFLOAD_BUFFERS; i++)
        free(elf.private[i]);
}
