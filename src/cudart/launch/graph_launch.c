/* SPDX-License-Identifier: BSD-3-Clause */
/* Executable graphs: copies of graphs in an order that dependencies allow, spread over streams. */
#include "cudart/launch/graph_launch.h"

#include "base/arena.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/managed_memory.h"
#include "cudart/stream/callback_thread.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/graphs.h"
#include "cudart/stream/simulation.h"
#include "cudart/stream/streams.h"

#include <stdlib.h>
#include <string.h>

enum { BRANCHES = 128 }; /* kernels that a device runs at once; further chains queue behind others */

/* One node, in the order of the launch. */
struct step {
    uint64_t node;    /* node of the copy */
    uint32_t branch;  /* 0: the launch's stream */
    bool marked;      /* a node of another branch waits for it */
    bool early;       /* the step waits only for the previous step of its branch, which allows it to begin */
    uint32_t mark;    /* in the present launch */
    uint32_t depth;   /* steps before it that it waits for, in `before` */
    uint32_t *before; /* [depth]: places in the order */
};

struct cudart_executable {
    bool used;
    uint64_t graph, copy; /* the graph that it was made of, and its own */
    struct step *steps;
    uint32_t count, branches;
    uint64_t streams[BRANCHES]; /* streams of the branches; the first is not used */
    bool *joined;               /* [branches]: in the present launch */
};

static struct cudart_executable *executable_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct cudart_executable *all = rt->graphs->executables.items;
    return handle >= CUDART_FIRST_HANDLE && place < rt->graphs->executables.count && all[place].used ? &all[place]
                                                                                                     : NULL;
}

/* ===== the order ===== */

struct nesting { /* the graphs that a graph stands in, by nodes of theirs */
    uint64_t graph;
    const struct nesting *outer; /* NULL: there are no more */
};

static bool is_inside(const struct nesting *nesting, uint64_t graph)
{
    while (nesting && nesting->graph != graph)
        nesting = nesting->outer;
    return nesting != NULL;
}

/* A node that another graph stands for is replaced by that graph's nodes: its roots wait for what it has waited for,
 * and what waits for it waits for all of them. A graph that stands in itself is an error. */
static enum cuda_error flatten(struct cudart *rt, uint64_t copy, const struct nesting *outer)
{
    for (uint32_t i = 0; i < cudart_graph_of(rt, copy)->nodes.count; i++) {
        uint64_t handle = ((uint64_t *)cudart_graph_of(rt, copy)->nodes.items)[i], made, inner;
        if (cudart_node_of(rt, handle)->type != CUDART_NODE_GRAPH)
            continue;
        const struct nesting nesting = {cudart_node_of(rt, handle)->child, outer};
        if (is_inside(outer, nesting.graph) || cudart_copy_graph(rt, nesting.graph, &inner))
            return CUDA_INVALID_VALUE;
        enum cuda_error problem = flatten(rt, inner, &nesting);
        struct mnp_array inside = cudart_graph_of(rt, inner)->nodes;
        cudart_node_of(rt, handle)->type = CUDART_NODE_EMPTY;
        for (uint32_t k = 0; !problem && k < inside.count; k++) { /* an end, behind all of them */
            struct cudart_node *node = cudart_node_of(rt, ((uint64_t *)inside.items)[k]);
            node->graph = copy;
            if (!node->dependencies.count)
                for (uint32_t d = 0; d < cudart_node_of(rt, handle)->dependencies.count; d++)
                    *(uint64_t *)mnp_array_add(&node->dependencies, 1, sizeof(uint64_t)) =
                        ((uint64_t *)cudart_node_of(rt, handle)->dependencies.items)[d];
        }
        for (uint32_t k = 0; !problem && k < inside.count; k++) {
            made = ((uint64_t *)inside.items)[k];
            *(uint64_t *)mnp_array_add(&cudart_graph_of(rt, copy)->nodes, 1, sizeof made) = made;
            cudart_depend(rt, handle, made);
        }
        free(inside.items);
        *cudart_graph_of(rt, inner) = (struct cudart_graph){0};
        if (problem)
            return problem;
    }
    return CUDA_SUCCESS;
}

static uint32_t place_of(const struct cudart_executable *e, uint64_t node)
{
    uint32_t i = 0;
    while (i < e->count && e->steps[i].node != node)
        i++;
    return i;
}

/* Nodes whose dependencies are in the order join it, in the order in which they were made. An error: a circle. */
static enum cuda_error order(const struct cudart *rt, struct cudart_executable *e)
{
    struct mnp_array nodes = cudart_graph_of(rt, e->copy)->nodes;
    e->steps = mnp_allocate((size_t)nodes.count + 1, sizeof *e->steps);
    bool *placed = mnp_allocate((size_t)nodes.count + 1, sizeof *placed);
    for (bool moved = true; moved && e->count < nodes.count;) {
        moved = false;
        for (uint32_t i = 0; i < nodes.count; i++) {
            uint64_t handle = ((uint64_t *)nodes.items)[i];
            const struct mnp_array *before = &cudart_node_of(rt, handle)->dependencies;
            uint32_t known = 0, *places = mnp_allocate((size_t)before->count + 1, sizeof *places);
            while (!placed[i] && known < before->count &&
                   (places[known] = place_of(e, ((uint64_t *)before->items)[known])) < e->count)
                known++;
            if (placed[i] || known < before->count) {
                free(places);
                continue;
            }
            e->steps[e->count++] = (struct step){.node = handle, .depth = known, .before = places};
            placed[i] = moved = true;
        }
    }
    free(placed);
    return e->count == nodes.count ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* A node goes on in the branch of one that it waits for, if nothing else has gone on there; else it begins one. */
static void spread(const struct cudart *rt, struct cudart_executable *e)
{
    uint32_t tails[BRANCHES];
    e->branches = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        struct step *step = &e->steps[i];
        uint32_t branch = e->branches;
        for (uint32_t k = 0; k < step->depth && branch == e->branches; k++)
            if (tails[e->steps[step->before[k]].branch] == step->before[k])
                branch = e->steps[step->before[k]].branch;
        if (branch == BRANCHES)
            branch = i % BRANCHES;
        e->branches += branch == e->branches;
        step->early = step->depth == 1 && branch < e->branches && tails[branch] == step->before[0] &&
                      cudart_node_of(rt, step->node)->early == e->steps[step->before[0]].node;
        step->branch = branch;
        tails[branch] = i;
        for (uint32_t k = 0; k < step->depth; k++)
            e->steps[step->before[k]].marked |= e->steps[step->before[k]].branch != branch;
    }
}

static void release(struct cudart *rt, struct cudart_executable *e)
{
    for (uint32_t i = 0; i < e->count; i++)
        free(e->steps[i].before);
    free(e->steps);
    free(e->joined);
    for (uint32_t b = 1; b < e->branches; b++)
        if (e->streams[b])
            cudart_end_branch(rt, e->streams[b]);
    if (e->copy)
        cudart_remove_graph(rt, e->copy);
    *e = (struct cudart_executable){0};
}

enum cuda_error cudart_instantiate(struct cudart *rt, uint64_t graph, uint64_t *out)
{
    struct cudart_executable e = {.used = true, .graph = graph};
    if (!out || cudart_copy_graph(rt, graph, &e.copy))
        return CUDA_INVALID_VALUE;
    cudart_graph_of(rt, e.copy)->owned = true;
    enum cuda_error problem = flatten(rt, e.copy, NULL);
    problem = problem ? problem : order(rt, &e);
    if (!problem)
        spread(rt, &e);
    if (problem) {
        release(rt, &e);
        return problem;
    }
    for (uint32_t b = 1; b < e.branches; b++)
        e.streams[b] = cudart_make_branch(cudart_current_device(rt));
    e.joined = mnp_allocate((size_t)e.branches + 1, sizeof *e.joined);
    *(struct cudart_executable *)mnp_array_add(&rt->graphs->executables, 1, sizeof e) = e;
    *out = CUDART_FIRST_HANDLE + rt->graphs->executables.count - 1;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_remove_executable(struct cudart *rt, uint64_t handle)
{
    struct cudart_executable *e = executable_of(rt, handle);
    if (!e)
        return CUDA_INVALID_VALUE;
    release(rt, e);
    return CUDA_SUCCESS;
}

/* ===== launches ===== */

/* Puts a copy of an operation at the end of a stream. `first`: it is of the graph's first step; `early`: it may begin
 * when what it follows there lets it. */
static void give(struct cudart *rt, uint64_t stream, const struct cudart_operation *operation, bool first, bool early)
{
    struct cudart_operation *clone = cudart_clone_operation(operation);
    struct cudart_operation *given = cudart_enqueue(rt, stream, operation->kind), fresh = *given;
    *given = *clone;
    free(clone);
    given->started = given->done = false;
    given->issued = fresh.issued;
    given->sequence = fresh.sequence;
    given->number = fresh.number;
    given->stream = fresh.stream;
    given->stream_name = fresh.stream_name;
    given->device = fresh.device;
    given->ends = fresh.ends;
    given->next = fresh.next;
    given->behind_kernel = fresh.behind_kernel;
    given->follows = fresh.follows;
    given->records = fresh.records;
    given->launch.early = early && fresh.behind_kernel;
    given->launch.prepared = !first && fresh.behind_kernel;
    given->launch.queued = first && fresh.follows && !given->launch.early;
    given->launch.records = given->launch.queued ? fresh.records : 0;
    given->in_region = fresh.in_region;
    if (given->kind == CUDART_KERNEL)
        cudart_meet_kernel(rt, given);
    if (given->kind == CUDART_FUNCTION)
        cudart_watch_host(rt);
}

static void wait_for(struct cudart *rt, uint64_t stream, uint32_t mark)
{
    cudart_enqueue(rt, stream, CUDART_WAIT)->mark = mark;
}

static enum cuda_error give_step(struct cudart *rt, uint64_t stream, const struct cudart_node *node, bool first,
                                 bool early)
{
    if (node->disabled)
        return CUDA_SUCCESS;
    for (uint32_t i = 0; i < node->operations.count; i++)
        give(rt, stream, ((struct cudart_operation **)node->operations.items)[i], first, early);
    const struct cudart_event *event = cudart_event_of(rt, node->event);
    if (node->type == CUDART_NODE_RECORD)
        return cudart_record_now(rt, node->event, stream);
    if (node->type != CUDART_NODE_WAIT)
        return CUDA_SUCCESS;
    if (!event || event->capture)
        return event ? CUDA_CAPTURED_EVENT : CUDA_INVALID_RESOURCE_HANDLE;
    if (event->recorded)
        wait_for(rt, stream, event->mark);
    return CUDA_SUCCESS;
}

/* Whether all kernels of a graph are a device's. */
static bool is_of(const struct cudart *rt, const struct cudart_executable *e, const struct cudart_device *device)
{
    for (uint32_t i = 0; rt->device_count > 1 && i < e->count; i++) {
        const struct cudart_node *node = cudart_node_of(rt, e->steps[i].node);
        struct cudart_operation *const *operations = node->operations.items;
        for (uint32_t k = 0; k < node->operations.count; k++)
            if (operations[k]->kind == CUDART_KERNEL && operations[k]->kernel->module->device != device)
                return false;
    }
    return true;
}

static enum cuda_error refuse_devices(struct cudart *rt)
{
    struct mnp_error error = {{0}};
    mnp_fail(&error, "a graph with kernels of another GPU than its stream's is not supported yet; launch a graph for "
                     "each GPU");
    return cudart_refuse(rt, &error, CUDA_NOT_SUPPORTED);
}

enum cuda_error cudart_launch_graph(struct cudart *rt, uint64_t handle, uint64_t stream)
{
    struct cudart_executable *e = executable_of(rt, handle);
    enum cuda_error problem = e ? cudart_may_enqueue(rt, stream) : CUDA_INVALID_VALUE;
    problem = problem ? problem : cudart_begin_machine(rt);
    if (problem)
        return problem;
    if (cudart_is_captured(rt, stream))
        return CUDA_STREAM_CAPTURE_UNSUPPORTED;
    if (!is_of(rt, e, cudart_any_stream(rt, stream)->device))
        return refuse_devices(rt);
    if (!cudart_sync_managed_of_all(rt, CUDART_ALL))
        return CUDA_MEMORY_ALLOCATION;
    uint32_t begin = e->branches > 1 ? cudart_add_mark(rt, stream) : 0;
    memset(e->joined, 0, e->branches * sizeof *e->joined);
    for (uint32_t i = 0; !problem && i < e->count; i++) {
        struct step *step = &e->steps[i];
        uint64_t own = step->branch ? e->streams[step->branch] : stream;
        if (step->branch && !e->joined[step->branch])
            wait_for(rt, own, begin);
        e->joined[step->branch] = true;
        for (uint32_t k = 0; k < step->depth; k++)
            if (e->steps[step->before[k]].branch != step->branch)
                wait_for(rt, own, e->steps[step->before[k]].mark);
        problem = give_step(rt, own, cudart_node_of(rt, step->node), i == 0, step->early);
        if (step->marked)
            step->mark = cudart_add_mark(rt, own);
    }
    for (uint32_t b = 1; b < e->branches; b++)
        wait_for(rt, stream, cudart_add_mark(rt, e->streams[b]));
    return problem;
}

/* ===== updates ===== */

struct cudart_node *cudart_executable_node(struct cudart *rt, uint64_t handle, uint64_t node)
{
    const struct cudart_executable *e = executable_of(rt, handle);
    for (uint32_t i = 0; e && i < e->count; i++)
        if (cudart_node_of(rt, e->steps[i].node)->original == node)
            return cudart_node_of(rt, e->steps[i].node);
    return NULL;
}

static bool is_alike(const struct cudart *rt, const struct cudart_executable *a, const struct cudart_executable *b)
{
    bool same = a->count == b->count;
    for (uint32_t i = 0; same && i < a->count; i++)
        same = cudart_node_of(rt, a->steps[i].node)->type == cudart_node_of(rt, b->steps[i].node)->type &&
               a->steps[i].depth == b->steps[i].depth &&
               memcmp(a->steps[i].before, b->steps[i].before, a->steps[i].depth * sizeof(uint32_t)) == 0;
    return same;
}

enum cuda_error cudart_update_executable(struct cudart *rt, uint64_t handle, uint64_t graph, bool *same)
{
    uint64_t made;
    *same = false;
    if (!executable_of(rt, handle))
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_instantiate(rt, graph, &made);
    if (problem)
        return problem;
    struct cudart_executable *to = executable_of(rt, handle), *from = executable_of(rt, made);
    *same = is_alike(rt, to, from);
    struct cudart_executable old = *to;
    /* Programs name its nodes by those of the graph that it was made from, and go on to do so. */
    for (uint32_t i = 0; *same && i < to->count; i++)
        cudart_node_of(rt, from->steps[i].node)->original = cudart_node_of(rt, to->steps[i].node)->original;
    if (*same) {
        *to = *from;
        *from = old;
        to->graph = graph;
    }
    release(rt, from);
    return *same ? CUDA_SUCCESS : CUDA_GRAPH_EXEC_UPDATE_FAILURE;
}

void cudart_forget_graphs(struct cudart *rt)
{
    struct cudart_executable *all = rt->graphs->executables.items;
    for (uint32_t i = 0; i < rt->graphs->executables.count; i++)
        if (all[i].used)
            release(rt, &all[i]);
    for (uint32_t i = 0; i < rt->graphs->list.count; i++)
        cudart_remove_graph(rt, CUDART_FIRST_HANDLE + i);
    rt->graphs->memory.count = 0;
    rt->graphs->executables.count = rt->graphs->list.count = rt->graphs->nodes.count = rt->graphs->captures.count = 0;
}
