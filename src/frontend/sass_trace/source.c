/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "engine/memory/memory.h"
#include "execute/live/live.h"
#include "frontend/sass_trace/ahead.h"
#include "frontend/sass_trace/decode.h"
#include "frontend/sass_trace/list.h"
#include "frontend/sass_trace/live.h"
#include "frontend/sass_trace/parse.h"
#include "frontend/sass_trace/sass_trace.h"
#include "frontend/shared/open_kernels.h"
#include "isa/opcodes.h"

#include <pthread.h>
#define XXH_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

/* Buffers that are kept for CTAs to come; as many as a busy machine releases and loads within a short time. */
enum { MOST_FREE_BYTES = 8 << 20, SMALLEST_BUFFERS = 1 << 12 };

/* limit for a memory without contents, where reductions of copies create pages of zeros */
enum { MOST_PAGES = 1 << 18 };

struct trace {
    struct mnp_source source; /* the first member */
    struct mnp_sass_trace_options options;
    struct list list;
    uint32_t next_entry;
    uint32_t launches;
    struct kernel_file *ahead; /* the first kernel, opened to learn its architecture */
    struct open_kernels open;  /* handed out and not done */
    struct spill spill;
    struct mnp_memory memory; /* without contents, for live warps; otherwise unused */
    struct trace_live *live;  /* state of that machine's live warps; NULL: none */

    pthread_mutex_t lock;     /* protects all members below, and `open` */
    struct cta_buffers *free; /* buffers of CTAs that were released */
    struct memo *memos;       /* that no thread uses just now */
    size_t free_bytes;

    _Atomic size_t ahead_bytes; /* size of CTAs that have been parsed but not requested */
};

static struct trace *trace_of(struct mnp_source *source)
{
    return (struct trace *)source;
}

static struct kernel_file *open_kernel(struct trace *trace, const char *path, struct mnp_error *error)
{
    if (trace->ahead) {
        struct kernel_file *file = trace->ahead;
        trace->ahead = NULL;
        return file;
    }
    struct kernel_file *file = trace_kernel_file_open(path, trace->launches + 1, trace->options.unknown_as_alu, error);
    if (file) {
        file->keep_addresses = trace->options.keep_addresses;
        file->lives = file->tracez && trace->source.memory;
        file->has_ahead = trace_ahead_is_worthwhile(file);
    }
    return file;
}

static bool next(struct mnp_source *source, struct mnp_command *command, struct mnp_error *error)
{
    struct trace *trace = trace_of(source);
    *command = (struct mnp_command){.kind = MNP_COMMAND_END};
    if (trace->next_entry == trace->list.count)
        return true;
    const struct list_entry *entry = &trace->list.entries[trace->next_entry];
    if (entry->path) {
        struct kernel_file *file = open_kernel(trace, entry->path, error);
        if (!file)
            return false;
        trace->launches++;
        pthread_mutex_lock(&trace->lock);
        shared_open_kernels_add(&trace->open, file);
        pthread_mutex_unlock(&trace->lock);
        if (file->has_ahead)
            atomic_store_explicit(&source->ahead_wanted, 1, memory_order_relaxed);
        *command = (struct mnp_command){.kind = MNP_COMMAND_KERNEL, .kernel = &file->kernel};
    } else {
        *command = (struct mnp_command){.kind = MNP_COMMAND_COPY, .address = entry->address, .bytes = entry->bytes};
    }
    trace->next_entry++;
    return true;
}

static bool upcoming(const struct mnp_source *source, struct mnp_upcoming *upcoming)
{
    const struct trace *trace = (const struct trace *)source;
    if (trace->next_entry == trace->list.count || !trace->list.entries[trace->next_entry].path)
        return false;
    const struct list_entry *entry = &trace->list.entries[trace->next_entry];
    const struct list_entry *first = &trace->list.entries[entry->first];
    struct stat status;
    uint64_t bytes = stat(entry->path, &status) == 0 ? (uint64_t)status.st_size : 0;
    *upcoming = (struct mnp_upcoming){entry->launch, first->launch, first->times, bytes};
    return true;
}

static void pass_over(struct mnp_source *source)
{
    struct trace *trace = trace_of(source);
    if (trace->ahead)
        trace_kernel_file_close(trace->ahead);
    trace->ahead = NULL;
    trace->launches++;
    trace->next_entry++;
}

static struct cta_buffers *take_buffers(struct trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    struct cta_buffers *buffers = trace->free;
    if (buffers) {
        trace->free = buffers->next;
        trace->free_bytes -= SMALLEST_BUFFERS + trace_cta_buffers_bytes(buffers);
    }
    pthread_mutex_unlock(&trace->lock);
    return buffers ? buffers : mnp_allocate(1, sizeof *buffers);
}

static struct memo *take_memo(struct trace *trace)
{
    pthread_mutex_lock(&trace->lock);
    struct memo *memo = trace->memos;
    if (memo)
        trace->memos = memo->next;
    pthread_mutex_unlock(&trace->lock);
    if (!memo)
        memo = trace_memo_new();
    MNP_NEED_MEMORY(memo != NULL, "the reader of a trace");
    return memo;
}

static void give_back_memo(struct trace *trace, struct memo *memo)
{
    pthread_mutex_lock(&trace->lock);
    memo->next = trace->memos;
    trace->memos = memo;
    pthread_mutex_unlock(&trace->lock);
}

/* Keeps unused buffers for a later CTA, or frees them. */
static void give_back_buffers(struct trace *trace, struct cta_buffers *buffers)
{
    size_t bytes = SMALLEST_BUFFERS + trace_cta_buffers_bytes(buffers);
    pthread_mutex_lock(&trace->lock);
    bool keep = trace->free_bytes + bytes <= MOST_FREE_BYTES;
    if (keep) {
        buffers->next = trace->free;
        trace->free = buffers;
        trace->free_bytes += bytes;
    }
    pthread_mutex_unlock(&trace->lock);
    if (!keep)
        trace_cta_buffers_free(buffers);
}

static void release_cta(struct mnp_source *source, struct mnp_cta_code *code)
{
    struct trace *trace = trace_of(source);
    struct cta_buffers *buffers = code->owner;
    *code = (struct mnp_cta_code){.core = code->core};
    if (!buffers)
        return;
    trace_live_end(buffers);
    spill_go(&trace->spill, buffers->held);
    buffers->held = 0;
    if (buffers->spilled)
        shared_spilled_free(buffers->spilled);
    buffers->spilled = NULL;
    give_back_buffers(trace, buffers);
}

/* A CTA in the file keeps no arrays. */
static void give_back_arrays(struct trace *trace, struct cta_buffers *buffers)
{
    struct cta_buffers *arrays = mnp_allocate(1, sizeof *arrays);
    *arrays = (struct cta_buffers){.records = buffers->records,
                                   .addresses = buffers->addresses,
                                   .record_capacity = buffers->record_capacity,
                                   .address_capacity = buffers->address_capacity};
    buffers->records = NULL;
    buffers->addresses = NULL;
    buffers->record_capacity = buffers->address_capacity = 0;
    give_back_buffers(trace, arrays);
}

/* Counts a CTA that is in use. */
static void take_account(struct trace *trace, struct kernel_file *file, struct cta_buffers *buffers)
{
    if (buffers->spilled)
        give_back_arrays(trace, buffers);
    buffers->held = trace_cta_buffers_bytes(buffers);
    spill_come(&trace->spill, buffers->held);
    /* counted immediately, because kernel_done is not called for the last kernels of a run */
    if (buffers->unknown)
        __atomic_fetch_add(&trace->source.unknown_opcodes, buffers->unknown, __ATOMIC_RELAXED);
    if (atomic_load_explicit(&file->copies, memory_order_relaxed) && !atomic_exchange(&file->copies_told, true))
        __atomic_fetch_add(&trace->source.still_copies, 1, __ATOMIC_RELAXED);
}

/* Takes over a CTA that was parsed ahead. */
static bool adopt(struct trace *trace, struct ahead_cta *ahead, struct mnp_cta_code *code, struct mnp_error *error)
{
    bool good = ahead->good;
    struct mnp_live_core *core = code->core;
    *code = ahead->code;
    code->core = core;
    code->owner = ahead->buffers;
    if (!good)
        mnp_fail(error, "%s", ahead->error.text);
    atomic_fetch_sub(&trace->ahead_bytes, trace_cta_buffers_bytes(ahead->buffers));
    atomic_store_explicit(&trace->source.ahead_wanted, 1, memory_order_relaxed);
    free(ahead);
    return good;
}

static bool parse(struct trace *trace, struct kernel_file *file, uint64_t cta, struct mnp_cta_code *code,
                  struct mnp_error *error)
{
    struct cta_text *text = trace_kernel_file_take(file, cta, error);
    if (!text)
        return false;
    code->owner = take_buffers(trace);
    struct parse_means means = {.spill = &trace->spill, .memo = take_memo(trace)};
    bool good = trace_parse_cta(file, text, code->owner, &means, code, error);
    give_back_memo(trace, means.memo);
    trace_kernel_file_give_back(file, text);
    return good;
}

static bool load_cta(struct mnp_source *source, struct mnp_kernel *kernel, uint64_t cta, struct mnp_cta_code *code,
                     struct mnp_error *error)
{
    struct trace *trace = trace_of(source);
    struct kernel_file *file = kernel->owner;
    if (code->owner)
        release_cta(source, code);
    struct ahead_cta *ahead = trace_ahead_take(file, cta);
    bool good = ahead ? adopt(trace, ahead, code, error) : parse(trace, file, cta, code, error);
    if (good)
        take_account(trace, file, code->owner);
    if (good && file->lives)
        trace_live_start(trace->live, file, code->owner, code);
    if (!good)
        release_cta(source, code);
    return good;
}

/* The earliest launch that has a CTA to parse ahead, which stays open until it is left; NULL: none, or there is no
 * room. */
static struct kernel_file *enter_earliest(struct trace *trace)
{
    struct kernel_file *earliest = NULL;
    pthread_mutex_lock(&trace->lock);
    bool room = trace->ahead_bytes < AHEAD_MOST_BYTES && spill_has_room(&trace->spill, AHEAD_MOST_BYTES);
    for (uint32_t i = 0; room && i < trace->open.count; i++) {
        struct kernel_file *file = trace->open.kernels[i];
        if ((earliest && earliest->kernel.id < file->kernel.id) || !trace_ahead_enter(file))
            continue;
        if (earliest)
            trace_ahead_leave(earliest);
        earliest = file;
    }
    pthread_mutex_unlock(&trace->lock);
    return earliest;
}

static bool work_ahead(struct mnp_source *source)
{
    struct trace *trace = trace_of(source);
    atomic_store_explicit(&source->ahead_wanted, 0, memory_order_relaxed);
    struct kernel_file *file = enter_earliest(trace);
    if (!file)
        return false;
    struct cta_buffers *buffers = take_buffers(trace);
    struct parse_means means = {.spill = &trace->spill, .memo = take_memo(trace)};
    bool parsed = trace_ahead_parse(file, buffers, &means, &trace->ahead_bytes);
    give_back_memo(trace, means.memo);
    trace_ahead_leave(file);
    if (!parsed)
        give_back_buffers(trace, buffers);
    atomic_store_explicit(&source->ahead_wanted, 1, memory_order_relaxed);
    return true;
}

static void close_kernel(struct trace *trace, struct kernel_file *file)
{
    for (struct ahead_cta *left = trace_ahead_end(file), *next; left; left = next) {
        next = left->next;
        atomic_fetch_sub(&trace->ahead_bytes, trace_cta_buffers_bytes(left->buffers));
        trace_cta_buffers_free(left->buffers);
        free(left);
    }
    trace_kernel_file_close(file);
}

static void kernel_done(struct mnp_source *source, struct mnp_kernel *kernel)
{
    struct trace *trace = trace_of(source);
    struct kernel_file *file = kernel->owner;
    pthread_mutex_lock(&trace->lock);
    shared_open_kernels_remove(&trace->open, file);
    pthread_mutex_unlock(&trace->lock);
    close_kernel(trace, file);
}

static void close_trace(struct mnp_source *source)
{
    struct trace *trace = trace_of(source);
    for (struct kernel_file *file; (file = shared_open_kernels_take(&trace->open));)
        close_kernel(trace, file);
    if (trace->ahead)
        close_kernel(trace, trace->ahead);
    while (trace->free) {
        struct cta_buffers *buffers = trace->free;
        trace->free = buffers->next;
        trace_cta_buffers_free(buffers);
    }
    for (struct memo *next; trace->memos; trace->memos = next) {
        next = trace->memos->next;
        trace_memo_free(trace->memos);
    }
    trace_live_close(trace->live);
    if (trace->source.memory)
        mnp_memory_release(&trace->memory);
    pthread_mutex_destroy(&trace->lock);
    shared_spill_release(&trace->spill);
    trace_list_free(&trace->list);
    free(trace);
}

static const char *name_of(uint16_t opcode)
{
    return opcode < ISA_OPCODE_COUNT ? isa_opcodes[opcode].name : "?";
}

static const char *opcode_name(const struct mnp_source *source, uint16_t opcode)
{
    (void)source;
    return name_of(opcode);
}

static const char *instruction_text(const struct mnp_source *source, const struct mnp_kernel *kernel,
                                    const struct mnp_cta_code *code, uint32_t index, uint32_t *length)
{
    (void)source;
    const struct kernel_file *file = kernel->owner;
    const struct cta_buffers *buffers = code->owner;
    const struct static_table *table = code->instructions == file->table.instructions ? &file->table : &buffers->own;
    if (!static_is_ready(table, index))
        return NULL;
    *length = table->texts[index].length;
    return table->texts[index].text;
}

static enum mnp_decoded decode(const char *text, size_t length, struct mnp_static_instruction *instruction,
                               char opcode[static MNP_OPCODE_TEXT])
{
    const char *rest;
    switch (decode_instruction(text, text + length, instruction, &rest, opcode)) {
    case DECODE_DONE:
        return rest == text + length ? MNP_DECODED : MNP_DECODED_MALFORMED;
    case DECODE_UNKNOWN_OPCODE:
        return rest == text + length ? MNP_DECODED_UNKNOWN : MNP_DECODED_MALFORMED;
    case DECODE_MALFORMED:
        break;
    }
    return MNP_DECODED_MALFORMED;
}

const struct mnp_decoder trace_decoder = {.decode = decode, .opcode_name = name_of};

/* Opens the first kernel ahead, so that the architecture is known before the machine is chosen. */
static bool look_ahead(struct trace *trace, struct mnp_error *error)
{
    uint32_t first = 0;
    while (!trace->list.entries[first].path)
        first++;
    trace->ahead = open_kernel(trace, trace->list.entries[first].path, error);
    if (!trace->ahead)
        return false;
    trace->source.architecture = trace->ahead->kernel.architecture;
    return true;
}

/* ===== warps that wait ===== */

static void prepare(struct mnp_source *source, uint32_t cores)
{
    struct trace *trace = trace_of(source);
    trace_live_close(trace->live);
    trace->live = trace_live_open(cores);
}

static void between(struct mnp_source *source)
{
    (void)source;
}

/* Whether a kernel of the list may be in the format of Accel-Sim 2.0, which describes waits. */
static bool has_tracez(const struct list *list)
{
    bool any = false;
    for (uint32_t i = 0; i < list->count && !any; i++)
        any = list->entries[i].name && list->entries[i].path && trace_tracez_is(list->entries[i].path);
    return any;
}

/* The machine becomes one that executes, on a memory without contents. */
static void wait_for_units(struct trace *trace)
{
    mnp_memory_init(&trace->memory, MOST_PAGES);
    trace->source.memory = &trace->memory;
    trace->source.prepare = prepare;
    trace->source.between = between;
    trace->source.atomic = execute_live_atomic;
}

static uint64_t bytes_of(const struct list *list)
{
    uint64_t bytes = 0;
    struct stat about;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].name && stat(list->entries[i].path, &about) == 0)
            bytes += (uint64_t)about.st_size * list->entries[i].times;
    return bytes;
}

/* Hashes only the last component of file names, so that a trace may be moved. */
static uint64_t hash_of(const struct list *list)
{
    uint64_t hash = list->count;
    struct stat about;
    for (uint32_t i = 0; i < list->count; i++) {
        const struct list_entry *entry = &list->entries[i];
        const char *path = entry->path, *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
        uint64_t numbers[3] = {entry->address, entry->bytes, 0};
        if (path && entry->name && stat(path, &about) == 0)
            numbers[2] = (uint64_t)about.st_size;
        hash =
            XXH3_64bits_withSeed(numbers, sizeof numbers, name ? XXH3_64bits_withSeed(name, strlen(name), hash) : hash);
    }
    return hash;
}

struct mnp_source *trace_open(const char *kernelslist, const struct mnp_sass_trace_options *options,
                              struct mnp_error *error)
{
    struct trace *trace = mnp_allocate(1, sizeof *trace);
    trace->options = *options;
    pthread_mutex_init(&trace->lock, NULL);
    shared_spill_init(&trace->spill, options->memory);
    trace->source = (struct mnp_source){.next = next,
                                        .upcoming = upcoming,
                                        .pass_over = pass_over,
                                        .load_cta = load_cta,
                                        .release_cta = release_cta,
                                        .kernel_done = kernel_done,
                                        .close = close_trace,
                                        .opcode_name = opcode_name,
                                        .instruction_text = instruction_text,
                                        .work_ahead = work_ahead};
    if (options->list ? trace_list_parse(&trace->list, options->list, options->list_length, kernelslist, error)
                      : trace_list_read(&trace->list, kernelslist, error)) {
        if (options->waits && has_tracez(&trace->list))
            wait_for_units(trace);
        trace->source.kernel_count = trace->list.kernels;
        trace->source.input_bytes = bytes_of(&trace->list);
        trace->source.input_hash = hash_of(&trace->list);
        if (look_ahead(trace, error))
            return &trace->source;
    }
    close_trace(&trace->source);
    return NULL;
}
