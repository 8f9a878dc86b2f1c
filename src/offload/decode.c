/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/decode.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PAGE = 4096, LARGEST_PROGRAM = 64 << 20 };

bool offload_header_read(const unsigned char *bytes, struct mnp_offload_header *header)
{
    memcpy(header, bytes, sizeof *header);
    return header->magic == MNP_OFFLOAD_MAGIC && header->version == MNP_OFFLOAD_VERSION &&
           header->length <= MNP_OFFLOAD_PAYLOAD && header->check == mnp_offload_check(header);
}

const char *offload_status_name(uint32_t status)
{
    static const char *const names[] = {"ok",      "bad message", "bad session", "bad request", "bad region", "busy",
                                        "program", "fault",       "limit",       "stuck",       "cancelled",  "lost"};
    return status < sizeof names / sizeof *names ? names[status] : "unknown";
}

static enum mnp_offload_status refuse(enum mnp_offload_status status, struct mnp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum mnp_offload_status refuse(enum mnp_offload_status status, struct mnp_error *error, const char *format, ...)
{
    char text[256];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    mnp_fail(error, "%s", text);
    return status;
}

/* Whether a place lies in the guest's part of the region. */
static bool lies_inside(const struct offload_limits *limits, uint64_t at, uint64_t bytes)
{
    return at >= MNP_OFFLOAD_HEAD && at <= limits->region_bytes && bytes <= limits->region_bytes - at;
}

/* The tables and the text that follow the fixed part: exactly as long as it says. */
static enum mnp_offload_status read_tables(const unsigned char *payload, size_t length, struct offload_request *request,
                                           struct mnp_error *error)
{
    const struct mnp_offload_launch *launch = &request->launch;
    if (launch->buffer_count > MNP_OFFLOAD_BUFFERS || launch->argument_count > MNP_OFFLOAD_ARGUMENTS ||
        launch->text_bytes > MNP_OFFLOAD_TEXT)
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error,
                      "%u buffers, %u arguments and %u bytes of text are too many; at most %d, %d and %d are taken",
                      launch->buffer_count, launch->argument_count, launch->text_bytes, MNP_OFFLOAD_BUFFERS,
                      MNP_OFFLOAD_ARGUMENTS, MNP_OFFLOAD_TEXT);
    size_t buffers = launch->buffer_count * sizeof *request->buffers;
    size_t arguments = launch->argument_count * sizeof *request->arguments;
    if (length != sizeof *launch + buffers + arguments + launch->text_bytes)
        return refuse(MNP_OFFLOAD_BAD_MESSAGE, error, "the message has %zu bytes, its tables need %zu", length,
                      sizeof *launch + buffers + arguments + launch->text_bytes);
    const unsigned char *at = payload + sizeof *launch;
    memcpy(request->buffers, at, buffers);
    memcpy(request->arguments, at + buffers, arguments);
    memcpy(request->text, at + buffers + arguments, launch->text_bytes);
    request->text[launch->text_bytes] = 0;
    if (strlen(request->text) != launch->text_bytes)
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "the text holds a zero byte");
    return MNP_OFFLOAD_OK;
}

static enum mnp_offload_status check_place(const struct mnp_offload_buffer *buffer, uint32_t index, bool elf,
                                           struct mnp_error *error)
{
    bool spread = buffer->flags & MNP_OFFLOAD_SPREAD, private = buffer->flags & MNP_OFFLOAD_PRIVATE;
    if (!elf && (spread || private || buffer->address))
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "buffer %u: a kernel's buffers are placed by the server", index);
    if (spread && (private || buffer->piece == 0))
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "buffer %u: spread over banks needs a size of the pieces, %s",
                      index, "and is not for private memory");
    if (private && (buffer->flags & MNP_OFFLOAD_OUT || buffer->address % PAGE))
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error,
                      "buffer %u: private memory takes what goes in, at a multiple of %d", index, PAGE);
    return MNP_OFFLOAD_OK;
}

/* Two results that overlap would depend on the order in which they are copied. */
static bool overlaps(const struct offload_request *request, uint32_t index)
{
    const struct mnp_offload_buffer *buffer = &request->buffers[index];
    for (uint32_t i = 0; i < index; i++) {
        const struct mnp_offload_buffer *other = &request->buffers[i];
        if (buffer->flags & other->flags & MNP_OFFLOAD_OUT && buffer->at < other->at + other->bytes &&
            other->at < buffer->at + buffer->bytes)
            return true;
    }
    return false;
}

static enum mnp_offload_status check_buffers(const struct offload_limits *limits, const struct offload_request *request,
                                             struct mnp_error *error)
{
    const uint32_t known = MNP_OFFLOAD_IN | MNP_OFFLOAD_OUT | MNP_OFFLOAD_SPREAD | MNP_OFFLOAD_PRIVATE;
    for (uint32_t i = 0; i < request->launch.buffer_count; i++) {
        const struct mnp_offload_buffer *buffer = &request->buffers[i];
        if (!lies_inside(limits, buffer->at, buffer->bytes))
            return refuse(MNP_OFFLOAD_BAD_REGION, error,
                          "buffer %u: %" PRIu64 " bytes at %" PRIu64 " do not lie in the guest's part of the region, "
                          "%d to %" PRIu64,
                          i, buffer->bytes, buffer->at, MNP_OFFLOAD_HEAD, limits->region_bytes);
        if (buffer->flags & ~known || !(buffer->flags & (MNP_OFFLOAD_IN | MNP_OFFLOAD_OUT)) || buffer->bytes == 0)
            return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "buffer %u: flags 0x%x and %" PRIu64 " bytes mean nothing", i,
                          buffer->flags, buffer->bytes);
        enum mnp_offload_status status = check_place(buffer, i, request->launch.kind == MNP_OFFLOAD_ELF, error);
        if (status != MNP_OFFLOAD_OK)
            return status;
        if (overlaps(request, i))
            return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "buffer %u: another one that is copied back overlaps it", i);
    }
    return MNP_OFFLOAD_OK;
}

static enum mnp_offload_status check_arguments(const struct offload_request *request, struct mnp_error *error)
{
    for (uint32_t i = 0; i < request->launch.argument_count; i++) {
        const struct mnp_offload_argument *argument = &request->arguments[i];
        uint32_t bytes = argument->bytes;
        bool sized = bytes == 0 || bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
        if (!sized || argument->zero || (bytes == 0 && argument->value >= request->launch.buffer_count))
            return refuse(MNP_OFFLOAD_BAD_REQUEST, error,
                          "argument %u: neither a buffer nor a value of 1, 2, 4 or 8 "
                          "bytes",
                          i);
    }
    return MNP_OFFLOAD_OK;
}

static enum mnp_offload_status check_shape(const struct offload_limits *limits, const struct offload_request *request,
                                           struct mnp_error *error)
{
    const struct mnp_offload_launch *launch = &request->launch;
    if (launch->kind == MNP_OFFLOAD_ELF) {
        if (launch->argument_count || launch->cores > limits->most_cores)
            return refuse(MNP_OFFLOAD_BAD_REQUEST, error,
                          "%u cores and %u arguments: a program has at most %u cores, "
                          "and its arguments are text",
                          launch->cores, launch->argument_count, limits->most_cores);
        return MNP_OFFLOAD_OK;
    }
    for (int i = 0; i < 3; i++)
        if (launch->grid[i] == 0 || launch->block[i] == 0)
            return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "a grid or block has no extent in direction %d", i);
    if (!request->text[0])
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "the kernel has no name");
    return check_arguments(request, error);
}

enum mnp_offload_status offload_request_read(const unsigned char *payload, size_t length,
                                             const struct offload_limits *limits, struct offload_request *request,
                                             struct mnp_error *error)
{
    const struct mnp_offload_launch *launch = &request->launch;
    memset(request, 0, sizeof *request);
    if (length < sizeof *launch)
        return refuse(MNP_OFFLOAD_BAD_MESSAGE, error, "a launch of %zu bytes is cut off", length);
    memcpy(&request->launch, payload, sizeof *launch);
    enum mnp_offload_status status = read_tables(payload, length, request, error);
    if (status != MNP_OFFLOAD_OK)
        return status;
    if (launch->kind > 31 || !(limits->kinds & 1u << launch->kind))
        return refuse(MNP_OFFLOAD_BAD_REQUEST, error, "launches of kind %u are not for this machine", launch->kind);
    if (launch->program_bytes == 0 || launch->program_bytes > LARGEST_PROGRAM ||
        !lies_inside(limits, launch->program_at, launch->program_bytes))
        return refuse(MNP_OFFLOAD_BAD_REGION, error,
                      "the program, %" PRIu64 " bytes at %" PRIu64 ", does not lie in the guest's part of the region",
                      launch->program_bytes, launch->program_at);
    status = check_buffers(limits, request, error);
    return status == MNP_OFFLOAD_OK ? check_shape(limits, request, error) : status;
}
