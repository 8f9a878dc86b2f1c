/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/api/versions.h"

#include "cudart/api/graph.h"
#include "cudart/api/missing.h"
#include "cudart/api/runtime.h"
#include "cudart/base/state.h"
#include "cudart/process/api_call.h"

#include <string.h>

int cudart_form(const char *name)
{
    struct cudart *rt = cudart_look();
    int major = rt->contexts.major ? rt->contexts.major : CUDART_NEWEST;
    if (rt->contexts.versions_differ) {
        cudart_refuse_versions(rt, name);
        major = 0;
    }
    cudart_leave_quietly(rt, CUDA_SUCCESS);
    return major;
}

/* ===== edges of graphs: CUDA 13 has their data before the last parameter ===== */

CUDART_API int maniple_12_cudaGraphAddDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                                   size_t count)
{
    return cudaGraphAddDependencies_v2(graph, from, to, NULL, count);
}

ALIAS(maniple_13_cudaGraphAddDependencies, cudaGraphAddDependencies_v2);

CUDART_API int cudaGraphAddDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to, const void *data,
                                        size_t count)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaGraphAddDependencies(graph, from, to, (size_t)data),
                       cudaGraphAddDependencies_v2(graph, from, to, data, count));
}

CUDART_API int maniple_12_cudaGraphRemoveDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to,
                                                      size_t count)
{
    return cudaGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}

ALIAS(maniple_13_cudaGraphRemoveDependencies, cudaGraphRemoveDependencies_v2);

CUDART_API int cudaGraphRemoveDependencies(uint64_t graph, const uint64_t *from, const uint64_t *to, const void *data,
                                           size_t count)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaGraphRemoveDependencies(graph, from, to, (size_t)data),
                       cudaGraphRemoveDependencies_v2(graph, from, to, data, count));
}

CUDART_API int maniple_12_cudaGraphNodeGetDependencies(uint64_t node, uint64_t *out, size_t *count)
{
    return cudaGraphNodeGetDependencies_v2(node, out, NULL, count);
}

ALIAS(maniple_13_cudaGraphNodeGetDependencies, cudaGraphNodeGetDependencies_v2);

CUDART_API int cudaGraphNodeGetDependencies(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaGraphNodeGetDependencies(node, out, data),
                       cudaGraphNodeGetDependencies_v2(node, out, data, count));
}

CUDART_API int maniple_12_cudaGraphNodeGetDependentNodes(uint64_t node, uint64_t *out, size_t *count)
{
    return cudaGraphNodeGetDependentNodes_v2(node, out, NULL, count);
}

ALIAS(maniple_13_cudaGraphNodeGetDependentNodes, cudaGraphNodeGetDependentNodes_v2);

CUDART_API int cudaGraphNodeGetDependentNodes(uint64_t node, uint64_t *out, void *data, size_t *count)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaGraphNodeGetDependentNodes(node, out, data),
                       cudaGraphNodeGetDependentNodes_v2(node, out, data, count));
}

CUDART_API int maniple_12_cudaGraphGetEdges(uint64_t graph, uint64_t *from, uint64_t *to, size_t *count)
{
    return cudaGraphGetEdges_v2(graph, from, to, NULL, count);
}

ALIAS(maniple_13_cudaGraphGetEdges, cudaGraphGetEdges_v2);

CUDART_API int cudaGraphGetEdges(uint64_t graph, uint64_t *from, uint64_t *to, void *data, size_t *count)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaGraphGetEdges(graph, from, to, data),
                       cudaGraphGetEdges_v2(graph, from, to, data, count));
}

/* ===== graphs ===== */

/* In CUDA 12 the count of dependencies stands where their data does later, and the node behind it. */
CUDART_API int maniple_12_cudaGraphAddNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, size_t count,
                                           struct cuda_node *what)
{
    return cudaGraphAddNode_v2(node, graph, dependencies, NULL, count, what);
}

ALIAS(maniple_13_cudaGraphAddNode, cudaGraphAddNode_v2);

CUDART_API int cudaGraphAddNode(uint64_t *node, uint64_t graph, const uint64_t *dependencies, const void *data,
                                size_t count, struct cuda_node *what)
{
    struct cuda_node *fifth;
    memcpy(&fifth, &count, sizeof fifth);
    CUDART_CHOOSE_FORM(maniple_12_cudaGraphAddNode(node, graph, dependencies, (size_t)data, fifth),
                       cudaGraphAddNode_v2(node, graph, dependencies, data, count, what));
}

/* CUDA 11 hands out a node that is wrong, and a text about it. */
CUDART_API int maniple_11_cudaGraphInstantiate(uint64_t *executable, uint64_t graph, uint64_t *wrong, char *text,
                                               size_t bytes)
{
    int problem = cudaGraphInstantiate(executable, graph, 0);
    if (problem && wrong)
        *wrong = 0;
    if (text && bytes)
        *text = 0;
    return problem;
}

CUDART_API int maniple_11_cudaGraphExecUpdate(uint64_t executable, uint64_t graph, uint64_t *wrong, int *result)
{
    struct cuda_update update = {0};
    int problem = cudaGraphExecUpdate(executable, graph, &update);
    if (wrong)
        *wrong = update.node;
    if (result)
        *result = update.result;
    return problem;
}

/* The plain name has the first three parameters up to CUDA 12. */
CUDART_API int maniple_12_cudaStreamGetCaptureInfo(uint64_t stream, int *status, uint64_t *id)
{
    return cudaStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}

ALIAS(maniple_13_cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_v3);

CUDART_API int cudaStreamGetCaptureInfo(uint64_t stream, int *status, uint64_t *id, uint64_t *graph,
                                        const uint64_t **frontier, const void **data, size_t *count)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaStreamGetCaptureInfo(stream, status, id),
                       cudaStreamGetCaptureInfo_v3(stream, status, id, graph, frontier, data, count));
}

/* ===== structures that have grown ===== */

enum { FUNC_ATTRIBUTES_11 = 52, POINTER_ATTRIBUTES_12 = 24, PROPERTIES_11 = 728 }; /* bytes up to what is new */

_Static_assert(offsetof(struct cuda_func_attributes, cluster_must_be_set) == FUNC_ATTRIBUTES_11,
               "cudaFuncAttributes of CUDA 11");
_Static_assert(offsetof(struct cuda_properties_12, host_register) == PROPERTIES_11, "cudaDeviceProp of CUDA 11");

/* The fields for clusters are new in CUDA 12. */
CUDART_API int maniple_11_cudaFuncGetAttributes(void *out, const void *function)
{
    struct cuda_func_attributes all;
    int problem = cudaFuncGetAttributes(out ? &all : NULL, function);
    if (!problem)
        memcpy(out, &all, FUNC_ATTRIBUTES_11);
    return problem;
}

/* CUDA 13 has eight reserved words behind the pointers. */
CUDART_API int maniple_12_cudaPointerGetAttributes(void *out, const void *address)
{
    struct cuda_pointer_attributes all;
    int problem = maniple_13_cudaPointerGetAttributes(out ? &all : NULL, address);
    if (!problem)
        memcpy(out, &all, POINTER_ATTRIBUTES_12);
    return problem;
}

CUDART_API int cudaPointerGetAttributes(struct cuda_pointer_attributes *out, const void *address)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaPointerGetAttributes(out, address),
                       maniple_13_cudaPointerGetAttributes(out, address));
}

/* CUDA 11's structure is the beginning of CUDA 12's. CUDA 12 has kept the name for programs that were built with 11. */
CUDART_API int maniple_12_cudaGetDeviceProperties(void *out, int device)
{
    struct cuda_properties_12 all;
    int problem = cudaGetDeviceProperties_v2(out ? &all : NULL, device);
    if (!problem)
        memcpy(out, &all, PROPERTIES_11);
    return problem;
}

CUDART_API int cudaGetDeviceProperties(struct cuda_properties_13 *out, int device)
{
    CUDART_CHOOSE_FORM(maniple_12_cudaGetDeviceProperties(out, device),
                       maniple_13_cudaGetDeviceProperties(out, device));
}

/* ===== the version: the sixth parameter is the static runtime's (src/redirect/jumps.c) ===== */

CUDART_API int maniple_12_cudaRuntimeGetVersion(int *out, long second, long third, long fourth, long fifth, int version)
{
    (void)second, (void)third, (void)fourth, (void)fifth;
    CUDART_QUESTION(out ? (*out = version, CUDA_SUCCESS) : CUDA_INVALID_VALUE);
}

ALIAS(maniple_13_cudaRuntimeGetVersion, maniple_12_cudaRuntimeGetVersion);

CUDART_API int maniple_11_cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                                  long fourth, long fifth, int version)
{
    (void)fourth, (void)fifth;
    return cudaGetDriverEntryPointByVersion(name, function, (unsigned)version, flags, NULL);
}

CUDART_API int maniple_12_cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                                  int *result, long fifth, int version)
{
    (void)fifth;
    return cudaGetDriverEntryPointByVersion(name, function, (unsigned)version, flags, result);
}

ALIAS(maniple_13_cudaGetDriverEntryPoint, maniple_12_cudaGetDriverEntryPoint);
