/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations in their streams, and the order that streams have among one another. */
#include "cudart/queue.h"

#include "base/arena.h"

#include <stdlib.h>

static struct cudart_stream *streams_of(const struct cudart *rt)
{
    return rt->streams.items;
}

/* The default streams are kept in front of those that the program creates. */
struct cudart_stream *cudart_any_stream(struct cudart *rt, uint64_t handle)
{
    if (rt->streams.count == 0) {
        struct cudart_stream *first = mnp_array_add(&rt->streams, 2, sizeof *first);
        first[0] = first[1] = (struct cudart_stream){.used = true};
    }
    if (handle <= CUDA_STREAM_PER_THREAD)
        return streams_of(rt) + (handle == CUDA_STREAM_PER_THREAD);
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    bool known = handle >= CUDART_FIRST_HANDLE && place < rt->streams.count && streams_of(rt)[place].used;
    return known ? streams_of(rt) + place : NULL;
}

struct cudart_operation *cudart_enqueue(struct cudart *rt, uint64_t handle, enum cudart_operation_kind kind)
{
    struct cudart_stream *stream = cudart_any_stream(rt, handle);
    struct cudart_operation *operation = mnp_allocate(1, sizeof *operation);
    operation->kind = kind;
    operation->issued = rt->now;
    operation->sequence = ++rt->sequence;
    operation->stream = handle;
    operation->ends = MNP_NEVER;
    if (stream->last)
        stream->last->next = operation;
    else
        stream->first = operation;
    stream->last = operation;
    return operation;
}

void cudart_operation_free(struct cudart_operation *operation)
{
    free(operation->storage);
    free(operation);
}

void cudart_retire(struct cudart_stream *stream)
{
    struct cudart_operation *operation = stream->first;
    stream->done = operation->ends > stream->done ? operation->ends : stream->done;
    stream->first = operation->next;
    if (!stream->first)
        stream->last = NULL;
    cudart_operation_free(operation);
}

/* The legacy default stream waits for all blocking streams, and they for it. */
static bool orders(const struct cudart *rt, const struct cudart_stream *stream, const struct cudart_stream *other)
{
    const struct cudart_stream *legacy = streams_of(rt);
    return other != stream && !stream->non_blocking && !other->non_blocking && (stream == legacy || other == legacy);
}

bool cudart_may_begin(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation)
{
    const struct cudart_stream *all = streams_of(rt);
    for (uint32_t i = 0; i < rt->streams.count; i++)
        if (orders(rt, stream, &all[i]) && all[i].first && all[i].first->sequence < operation->sequence)
            return false;
    return true;
}

uint64_t cudart_ready(const struct cudart *rt, const struct cudart_stream *stream,
                      const struct cudart_operation *operation)
{
    const struct cudart_stream *all = streams_of(rt);
    uint64_t time = operation->issued > stream->done ? operation->issued : stream->done;
    for (uint32_t i = 0; i < rt->streams.count; i++)
        if (orders(rt, stream, &all[i]) && all[i].done > time)
            time = all[i].done;
    return time;
}

bool cudart_stream_is_empty(const struct cudart *rt, const struct cudart_stream *stream, uint64_t *done)
{
    const struct cudart_stream *all = streams_of(rt);
    bool empty = !stream->first;
    *done = stream->done;
    for (uint32_t i = 0; i < rt->streams.count; i++) {
        if (stream != all || !orders(rt, stream, &all[i]))
            continue;
        empty &= !all[i].first;
        *done = all[i].done > *done ? all[i].done : *done;
    }
    return empty;
}

/* ===== marks ===== */

uint32_t cudart_add_mark(struct cudart *rt, uint64_t stream)
{
    *(struct cudart_mark *)mnp_array_add(&rt->marks, 1, sizeof(struct cudart_mark)) = (struct cudart_mark){false, 0};
    cudart_enqueue(rt, stream, CUDART_RECORD)->mark = rt->marks.count - 1;
    return rt->marks.count - 1;
}

const struct cudart_mark *cudart_mark_at(const struct cudart *rt, uint32_t mark)
{
    return (const struct cudart_mark *)rt->marks.items + mark;
}
