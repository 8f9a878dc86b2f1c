/* SPDX-License-Identifier: BSD-3-Clause */
#include "writer.h"

#include "base/arena.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ===== text ===== */

static void print(struct sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print(struct sink *sink, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sink_write(sink, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

/* ===== the text of a warp: digits are written by hand, since printf takes nine tenths of the time of a trace ===== */

enum { NUMBER_MOST = 24 }; /* bytes of the longest number with its sign and prefix */

/* Makes room for so many bytes and returns where they are to stand. */
static char *reserve(struct writer *w, size_t bytes)
{
    if (w->capacity - w->used < bytes) {
        w->capacity = (w->capacity ? 2 * w->capacity : 1 << 16) + bytes;
        w->text = mnp_reallocate(w->text, w->capacity, 1);
    }
    return w->text + w->used;
}

static void add_bytes(struct writer *w, const char *bytes, size_t count)
{
    memcpy(reserve(w, count), bytes, count);
    w->used += count;
}

static void add_text(struct writer *w, const char *text)
{
    add_bytes(w, text, strlen(text));
}

/* Appends a number in a base, with zeros before it up to a least number of digits. */
static void add_digits(struct writer *w, uint64_t value, uint32_t base, size_t least)
{
    char digits[NUMBER_MOST];
    size_t at = NUMBER_MOST;
    for (; value || NUMBER_MOST - at < least; value /= base)
        digits[--at] = "0123456789abcdef"[value % base];
    add_bytes(w, digits + at, NUMBER_MOST - at);
}

static void add_decimal(struct writer *w, uint64_t value)
{
    add_digits(w, value, 10, 1);
    add_text(w, " ");
}

static void add_signed(struct writer *w, int64_t value)
{
    if (value < 0)
        add_text(w, "-");
    add_decimal(w, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

static void add_address(struct writer *w, uint64_t address)
{
    add_text(w, "0x");
    add_digits(w, address, 16, 1);
    add_text(w, " ");
}

/* Appends a number of words and the words, which blanks part. */
static void add_words(struct writer *w, const char *words)
{
    uint32_t count = *words != 0;
    for (const char *at = words; *at; at++)
        count += *at == ' ';
    add_decimal(w, count);
    if (count) {
        add_text(w, words);
        add_text(w, " ");
    }
}

/* ===== the trace ===== */

static struct sink *open_in_folder(struct writer *w, const char *name, enum sink_coding coding)
{
    char *path = mnp_join_path(w->folder, name);
    struct sink *sink = sink_open(path, coding, w->error);
    free(path);
    return sink;
}

bool trace_begin(struct writer *w, const char *folder, const struct trace_options *options, struct mnp_error *error)
{
    *w = (struct writer){.options = *options, .folder = folder, .error = error};
    if (!mnp_make_folder(folder, error))
        return false;
    w->list = open_in_folder(w, "kernelslist.g", SINK_PLAIN);
    return w->list != NULL;
}

bool trace_end(struct writer *w, bool good)
{
    if (w->kernel)
        sink_close(w->kernel, false, w->error);
    if (w->list)
        good = sink_close(w->list, good, w->error) && good;
    free(w->text);
    w->kernel = w->list = NULL;
    w->text = NULL;
    return good;
}

void trace_copy(struct writer *w, uint64_t address, uint64_t bytes)
{
    print(w->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
}

/* ===== kernels ===== */

uint32_t shape_threads(const struct kernel_shape *shape)
{
    return shape->block[0] * shape->block[1] * shape->block[2];
}

uint32_t shape_warps(const struct kernel_shape *shape)
{
    return (shape_threads(shape) + WARP - 1) / WARP;
}

uint32_t shape_blocks(const struct kernel_shape *shape)
{
    return shape->grid[0] * shape->grid[1] * shape->grid[2];
}

static void write_header(struct writer *w)
{
    const struct kernel_shape *s = &w->shape;
    struct sink *out = w->kernel;
    print(out, "-kernel name = %s\n-kernel id = %u\n", s->name, w->launches);
    print(out, "-grid dim = (%u,%u,%u)\n-block dim = (%u,%u,%u)\n", s->grid[0], s->grid[1], s->grid[2], s->block[0],
          s->block[1], s->block[2]);
    print(out, "-shmem = %u\n-nregs = %u\n-binary version = %u\n-cuda stream id = %u\n", s->shared_bytes, s->registers,
          w->options.architecture, s->stream);
    print(out, "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n");
    print(out, "-nvbit version = none\n-accelsim tracer version = %u\n", w->options.version);
    if (w->options.version >= 4)
        print(out, "-enable lineinfo = %d\n", w->options.lineinfo);
    print(out,
          "\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width "
          "[address mode] [mem_addresses]%s\n\n",
          w->options.version >= 5 ? " immediate" : "");
}

bool kernel_begin(struct writer *w, const struct kernel_shape *shape)
{
    w->shape = *shape;
    char name[64];
    w->launches++;
    snprintf(name, sizeof name, "kernel-%u.traceg%s", w->launches, sink_ending(w->options.coding));
    w->kernel = open_in_folder(w, name, w->options.coding);
    if (!w->kernel)
        return false;
    print(w->list, "%s\n", name);
    write_header(w);
    return true;
}

bool kernel_end(struct writer *w)
{
    struct sink *kernel = w->kernel;
    w->kernel = NULL;
    return sink_close(kernel, true, w->error);
}

bool block_begin(struct writer *w, uint32_t block)
{
    const uint32_t *grid = w->shape.grid;
    print(w->kernel, "#BEGIN_TB\n\nthread block = %u,%u,%u\n\n", block % grid[0], block / grid[0] % grid[1],
          block / grid[0] / grid[1]);
    return !sink_failed(w->kernel);
}

void block_end(struct writer *w)
{
    print(w->kernel, "#END_TB\n\n");
}

void warp_begin(struct writer *w, uint32_t warp)
{
    uint32_t threads = shape_threads(&w->shape), first = warp * WARP;
    w->used = 0;
    w->instructions = 0;
    w->pc = 0;
    w->mask = threads - first >= WARP ? ALL_LANES : (UINT32_C(1) << (threads - first)) - 1;
}

void warp_end(struct writer *w, uint32_t warp)
{
    print(w->kernel, "warp = %u\ninsts = %u\n", warp, w->instructions);
    sink_write(w->kernel, w->text, w->used);
    print(w->kernel, "\n");
    w->total += w->instructions;
}

/* ===== instructions ===== */

static void begin_line(struct writer *w, uint32_t mask, const char *destinations, const char *opcode,
                       const char *sources)
{
    if (w->options.lineinfo && w->options.version >= 4)
        add_decimal(w, w->pc / 16 + 1);
    add_digits(w, w->pc, 16, 4);
    add_text(w, " ");
    add_digits(w, mask, 16, 8);
    add_text(w, " ");
    add_words(w, destinations);
    add_text(w, opcode);
    add_text(w, " ");
    add_words(w, sources);
    w->pc += 16;
    w->instructions++;
}

static void end_line(struct writer *w)
{
    add_text(w, w->options.version >= 5 ? "0 \n" : "\n"); /* the immediate */
}

void emit_masked(struct writer *w, uint32_t mask, const char *destinations, const char *opcode, const char *sources)
{
    begin_line(w, mask, destinations, opcode, sources);
    add_decimal(w, 0);
    end_line(w);
}

void emit(struct writer *w, const char *destinations, const char *opcode, const char *sources)
{
    emit_masked(w, w->mask, destinations, opcode, sources);
}

/* Whether the active lanes lie side by side and their addresses a constant stride apart, as the mode for that wants. */
static bool is_strided(uint32_t mask, const struct access *access, int64_t *stride)
{
    uint32_t first = (uint32_t)__builtin_ctz(mask), lanes = (uint32_t)__builtin_popcount(mask);
    if (mask >> first != (lanes == WARP ? ALL_LANES : (UINT32_C(1) << lanes) - 1) || lanes < 2)
        return false;
    uint64_t step = access->lane[first + 1] - access->lane[first];
    for (uint32_t i = 1; i < lanes; i++)
        if (access->lane[first + i] - access->lane[first + i - 1] != step)
            return false;
    *stride = (int64_t)step;
    return *stride >= INT32_MIN && *stride <= INT32_MAX;
}

static void add_deltas(struct writer *w, const struct access *access)
{
    uint64_t before = 0;
    bool first = true;
    add_decimal(w, 2);
    for (uint32_t lane = 0; lane < WARP; lane++) {
        if (!(w->mask >> lane & 1))
            continue;
        if (first)
            add_address(w, access->lane[lane]);
        else
            add_signed(w, (int64_t)(access->lane[lane] - before));
        first = false;
        before = access->lane[lane];
    }
}

static void add_list(struct writer *w, const struct access *access)
{
    add_decimal(w, 0);
    for (uint32_t lane = 0; lane < WARP; lane++)
        if (w->mask >> lane & 1)
            add_address(w, access->lane[lane]);
}

void emit_access(struct writer *w, const char *destinations, const char *opcode, const char *sources,
                 const struct access *access)
{
    begin_line(w, w->mask, destinations, opcode, sources);
    add_decimal(w, access->width);
    int64_t stride;
    if (w->mask == 0)
        add_text(w, "1 0x0 0 "); /* as the tracer writes it */
    else if (w->options.form == ADDRESSES_LIST)
        add_list(w, access);
    else if (w->options.form == ADDRESSES_SHORTEST && is_strided(w->mask, access, &stride)) {
        add_decimal(w, 1);
        add_address(w, access->lane[__builtin_ctz(w->mask)]);
        add_signed(w, stride);
    } else
        add_deltas(w, access);
    end_line(w);
}

struct access access_line(uint32_t width, uint64_t base, uint64_t step)
{
    struct access access = {.width = width};
    for (uint32_t lane = 0; lane < WARP; lane++)
        access.lane[lane] = base + lane * step;
    return access;
}
