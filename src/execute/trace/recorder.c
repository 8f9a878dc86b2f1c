/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/trace/recorder.h"

#include "base/allocate.h"
#include "base/arena.h"
#include "base/file.h"
#include "base/print.h"
#include "execute/code/language.h"
#include "execute/trace/record.h"
#include "execute/trace/record_async.h"
#include "execute/trace/tracez.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A CTA that has started and not ended. */
struct open_cta {
    uint64_t number;
    struct open_cta *next;
    struct execute_warp_text warps[EXECUTE_MAX_WARPS];
};

enum { MOST_SOURCES_SIX = 4 /* that Accel-Sim 2.0 reads */ };

struct execute_recorder {
    char *folder;
    uint32_t architecture, launches;
    enum execute_trace_form form;
    FILE *list, *kernel;
    struct execute_tracez *tracez; /* writer of the current kernel, for version 6 */
    char *list_path, *kernel_path;
    struct mnp_static_instruction *timing; /* timing of the current kernel's instructions */
    char **names;                          /* [operations] text between mask and addresses; NULL: not made yet */
    struct open_cta *open;
    struct execute_observer observer;
    bool broken; /* a kernel could not be written */
};

/* ===== instructions ===== */

/* How many registers a reader takes a register named first for: pairs of addresses and data are named by one. */
static bool names_pairs(const struct mnp_static_instruction *timing, uint32_t source)
{
    bool address = timing->space == MNP_SPACE_GLOBAL && source == 0;
    return timing->class == MNP_CLASS_FP64 ||
           (timing->class == MNP_CLASS_MEMORY && (address || timing->space != MNP_SPACE_GLOBAL || timing->width > 4));
}

/* Lists at most `most` sources, the guard last: for memory accesses, readers take the first source for the address. */
static uint32_t list_sources(const struct execute_op *op, const struct mnp_static_instruction *timing, uint32_t most,
                             uint8_t list[8])
{
    uint32_t count = 0, guards = op->guard != EXECUTE_NO_REF && op->guard != EXECUTE_TRUE ? 1 : 0;
    for (uint32_t i = 0; i < timing->source_count && count < most; i++) {
        uint32_t at = timing->source_count > guards ? (i + guards) % timing->source_count : i;
        const struct mnp_registers *registers = &timing->source[at];
        uint32_t each = names_pairs(timing, i) ? 1 : registers->count;
        for (uint32_t k = 0; k < each && count < most; k++)
            list[count++] = (uint8_t)(registers->first + k);
    }
    return count;
}

static char *describe(const struct execute_code *code, uint32_t index, const struct mnp_static_instruction *timing,
                      uint32_t most)
{
    const struct execute_op *op = execute_op_at(code, index);
    char name[EXECUTE_TRACE_NAME], text[160];
    uint8_t sources[8];
    uint32_t count = list_sources(op, timing, most, sources);
    bool nothing = most == MOST_SOURCES_SIX && timing->operation == MNP_REDUCTION; /* ATOMS writes the zero register */
    int used = timing->destination.count
                   ? snprintf(text, sizeof text, "1 R%u ", nothing ? MNP_ZERO_REGISTER : timing->destination.first)
                   : snprintf(text, sizeof text, "0 ");
    used += snprintf(text + used, sizeof text - (size_t)used, "%s %u",
                     code->module->language->trace_name(code, op, timing, name), count);
    for (uint32_t i = 0; i < count; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, " R%u", sources[i]);
    return strdup(text);
}

static const char *name_of(struct execute_recorder *recorder, const struct execute_code *code, uint32_t index)
{
    if (!recorder->names[index])
        recorder->names[index] = describe(code, index, &recorder->timing[index],
                                          recorder->form == EXECUTE_TRACE_WARPS ? MOST_SOURCES_SIX : MNP_MAX_SOURCES);
    return recorder->names[index];
}

/* Writes the immediate of version 5; for version 6, only that of a barrier: its number, and the number of threads
 * unless all take part. */
static void write_end(const struct execute_recorder *recorder, FILE *out, const struct mnp_static_instruction *timing)
{
    bool barrier = timing->flags & (MNP_FLAG_BARRIER | MNP_FLAG_ARRIVE);
    if (recorder->form == EXECUTE_TRACE_TEXT)
        fputs(" 0\n", out);
    else
        fprintf(out, " %u %u NoVal\n", barrier ? timing->barrier : 0,
                barrier ? timing->barrier_warps * MNP_WARP_SIZE : 0);
}

/* Whether a reader looks for a width and addresses, which Accel-Sim does even where no lane takes part. */
static bool has_addresses(const struct mnp_static_instruction *timing)
{
    return timing->class == MNP_CLASS_MEMORY && timing->width &&
           (timing->space == MNP_SPACE_GLOBAL || timing->space == MNP_SPACE_SHARED || timing->space == MNP_SPACE_LOCAL);
}

static void write_addresses(FILE *out, const struct execute_code *code, const struct execute_record *record,
                            const struct mnp_static_instruction *timing)
{
    uint64_t words[32];
    uint8_t flags = 0;
    uint32_t count = record->mask ? execute_record_addresses(code, record, words, &flags) : 0;
    if (count == 0 && !record->mask && has_addresses(timing)) {
        fprintf(out, " %u 1 0x0 0", timing->width);
        return;
    }
    if (count == 0) {
        fputs(" 0", out);
        return;
    }
    fprintf(out, " %u", record->bytes);
    if (!(flags & MNP_RECORD_LIST))
        fprintf(out, " 1 0x%lx %ld", (unsigned long)words[0], (long)words[1]);
    else
        fputs(" 0", out);
    for (uint32_t i = 0; i < count && flags & MNP_RECORD_LIST; i++)
        fprintf(out, " 0x%lx", (unsigned long)words[i]);
}

/* ===== what is observed ===== */

static struct open_cta **find(struct execute_recorder *recorder, uint64_t number)
{
    struct open_cta **link = &recorder->open;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

/* Whether lanes have arrived at a barrier and wait for others of their warp; the last of these arrive for all. */
static bool only_waits(const struct execute_warp *warp, const struct execute_record *record)
{
    return !record->mask && warp->meeting.moved &&
           execute_op_at(warp->launch->code, record->op)->kind == EXECUTE_KIND_BARRIER;
}

static void on_executed(void *context, const struct execute_warp *warp, const struct execute_record *record)
{
    struct execute_recorder *recorder = context;
    if (only_waits(warp, record))
        return;
    struct open_cta **link = find(recorder, warp->cta->number);
    if (!*link) {
        *link = mnp_allocate(1, sizeof **link);
        (*link)->number = warp->cta->number;
    }
    struct execute_warp_text *text = &(*link)->warps[warp->number];
    if (!text->out) {
        text->out = open_memstream(&text->text, &text->length);
        MNP_NEED_MEMORY(text->out, "a trace");
    }
    const struct mnp_static_instruction *timing = &recorder->timing[record->op];
    struct execute_record ranked = *record;
    if (recorder->form == EXECUTE_TRACE_WARPS) {
        /* only version 6 has these records */
        if (execute_record_async(text, (struct execute_warp *)warp, timing, record))
            return;
        execute_record_ranks(warp, execute_op_at(warp->launch->code, record->op), &ranked);
    }
    text->count++;
    fprintf(text->out, "%04x %08x %s", 16 * record->op, record->mask,
            name_of(recorder, warp->launch->code, record->op));
    write_addresses(text->out, warp->launch->code, &ranked, timing);
    write_end(recorder, text->out, timing);
}

static void free_cta(struct open_cta *open)
{
    for (uint32_t w = 0; w < EXECUTE_MAX_WARPS; w++) {
        if (open->warps[w].out)
            fclose(open->warps[w].out);
        free(open->warps[w].text);
    }
    free(open);
}

static void write_text(FILE *out, const struct execute_cta *cta, struct open_cta *open)
{
    fprintf(out, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", cta->place[0], cta->place[1], cta->place[2]);
    for (uint32_t w = 0; w < cta->launch->warps; w++) {
        const struct execute_warp_text *text = open ? &open->warps[w] : NULL;
        fprintf(out, "warp = %u\ninsts = %lu\n", w, text ? (unsigned long)text->count : 0ul);
        if (text && text->out)
            fwrite(text->text, 1, text->length, out);
        fputc('\n', out);
    }
    fputs("#END_TB\n\n", out);
}

static void write_warps(struct execute_tracez *tracez, const struct execute_cta *cta, struct open_cta *open)
{
    const uint32_t *cluster = cta->launch->cluster;
    struct execute_tracez_block block = {.number = cta->number, .rank = cta->rank, .warps = cta->launch->warps};
    for (int i = 0; i < 3; i++) {
        uint32_t size = cluster[0] ? cluster[i] : 1;
        block.place[i] = cta->place[i];
        block.cluster[i] = cta->place[i] / size;
        block.within[i] = cta->place[i] % size;
    }
    execute_tracez_block(tracez, &block);
    for (uint32_t w = 0; w < cta->launch->warps; w++) {
        const struct execute_warp_text *text = open ? &open->warps[w] : NULL;
        execute_tracez_warp(tracez, text && text->out ? text->text : "", text ? text->length : 0,
                            text ? text->count : 0);
    }
}

static void on_ended(void *context, const struct execute_cta *cta)
{
    struct execute_recorder *recorder = context;
    struct open_cta **link = find(recorder, cta->number), *open = *link;
    for (uint32_t w = 0; open && w < cta->launch->warps; w++)
        if (open->warps[w].out)
            fflush(open->warps[w].out);
    if (recorder->form == EXECUTE_TRACE_WARPS)
        write_warps(recorder->tracez, cta, open);
    else
        write_text(recorder->kernel, cta, open);
    if (!open)
        return;
    *link = open->next;
    free_cta(open);
}

/* ===== files ===== */

static bool close_file(FILE **file, const char *path, struct mnp_error *error)
{
    bool whole = !ferror(*file);
    whole = fclose(*file) == 0 && whole;
    *file = NULL;
    return whole || mnp_fail_at(error, path, 0, "cannot be written: %s; make room there", strerror(errno));
}

static FILE *create(const char *path, struct mnp_error *error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        mnp_fail_at(error, path, 0, "cannot be written: %s", strerror(errno));
    return file;
}

struct execute_recorder *execute_recorder_open(const char *folder, uint32_t architecture, enum execute_trace_form form,
                                               struct mnp_error *error)
{
    struct execute_recorder *recorder = mnp_allocate(1, sizeof *recorder);
    recorder->folder = strdup(folder);
    recorder->list_path = mnp_join_path(folder, "kernelslist.g");
    recorder->architecture = architecture;
    recorder->form = form;
    recorder->observer = (struct execute_observer){recorder, on_executed, on_ended};
    recorder->list = create(recorder->list_path, error);
    if (recorder->list)
        return recorder;
    execute_recorder_close(recorder, error);
    return NULL;
}

void execute_recorder_copy(struct execute_recorder *recorder, uint64_t address, uint64_t bytes)
{
    fprintf(recorder->list, "MemcpyHtoD,0x%016lx,%lu\n", (unsigned long)address, (unsigned long)bytes);
}

static void write_head(struct execute_recorder *recorder, const struct execute_launch *launch, uint64_t stream)
{
    const struct execute_code *code = launch->code;
    FILE *out = recorder->kernel;
    mnp_print_text(out, "-kernel name = %s\n-kernel id = %u\n", code->name, recorder->launches);
    fprintf(out, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", launch->grid[0], launch->grid[1], launch->grid[2],
            launch->block[0], launch->block[1], launch->block[2]);
    fprintf(out, "-shmem = %u\n-nregs = %u\n-binary version = %u\n-cuda stream id = %lu\n", launch->shared_bytes,
            launch->registers, recorder->architecture, (unsigned long)stream);
    fprintf(out, "-shmem base_addr = 0x%016lx\n-local mem base_addr = 0x%016lx\n", (unsigned long)EXECUTE_SHARED_WINDOW,
            (unsigned long)EXECUTE_LOCAL_WINDOW);
    bool six = recorder->form == EXECUTE_TRACE_WARPS;
    if (six) /* readers of other versions ignore it */
        fprintf(out, "-code bytes = %lu\n", 16ul * code->ops.count);
    mnp_print_text(out,
                   "-nvbit version = none\n-accelsim tracer version = %d\n-enable lineinfo = 0\n\n"
                   "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
                   "[adrrescompress?] [mem_addresses] immediate%s\n\n",
                   six ? 6 : 5, six ? " [immediate] Val|NoVal [values]" : "");
    if (six)
        recorder->tracez = execute_tracez_open(out);
}

/* Forgets the kernel that was recorded last. */
static void forget(struct execute_recorder *recorder, uint32_t operations)
{
    for (uint32_t i = 0; i < operations; i++)
        free(recorder->names[i]);
    free(recorder->names);
    free(recorder->timing);
    recorder->names = NULL;
    recorder->timing = NULL;
    while (recorder->open) { /* blocks of a kernel that has faulted */
        struct open_cta *next = recorder->open->next;
        free_cta(recorder->open);
        recorder->open = next;
    }
}

bool execute_recorder_run(struct execute_recorder *recorder, struct execute_device *device,
                          const struct execute_launch *launch, uint64_t stream, struct mnp_error *error)
{
    char name[32];
    snprintf(name, sizeof name, "kernel-%u.trace%c", ++recorder->launches,
             recorder->form == EXECUTE_TRACE_WARPS ? 'z' : 'g');
    char *path = mnp_join_path(recorder->folder, name);
    recorder->kernel = create(path, error);
    if (!recorder->kernel) {
        recorder->broken = true;
        free(path);
        return false;
    }
    uint32_t operations = launch->code->ops.count;
    recorder->timing = launch->code->module->language->instructions(launch->code);
    recorder->names = mnp_allocate((size_t)operations + 1, sizeof *recorder->names);
    write_head(recorder, launch, stream);
    device->observer = &recorder->observer;
    bool good = execute_device_run(device, launch, error);
    device->observer = NULL;
    forget(recorder, operations);
    if (recorder->tracez)
        execute_tracez_close(recorder->tracez);
    recorder->tracez = NULL;
    if (!close_file(&recorder->kernel, path, error))
        recorder->broken = !(good = false);
    if (good)
        fprintf(recorder->list, "%s\n", name);
    free(path);
    return good;
}

bool execute_recorder_close(struct execute_recorder *recorder, struct mnp_error *error)
{
    bool good = !recorder->list || close_file(&recorder->list, recorder->list_path, error);
    if (recorder->broken) {
        remove(recorder->list_path);
        good = mnp_fail(error, "%s: is not written, for it would lack kernels", recorder->list_path);
    }
    free(recorder->folder);
    free(recorder->list_path);
    free(recorder);
    return good;
}
