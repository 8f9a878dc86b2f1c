/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph interface: descriptors are made, given attributes, finalized and executed. A graph has one engine, without
 * choices, which needs no workspace.
 */
#include "mathlib/dnn/descriptor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dnn_descriptor *cudnnBackendDescriptor_t;

/* The first and the last attribute of a kind of descriptors, and its name. */
static const struct {
    int kind, first, last;
    const char *name;
} kinds[] = {
    {DNN_POINTWISE_DESCRIPTOR, 0, 9, "POINTWISE"},
    {DNN_CONVOLUTION_DESCRIPTOR, 100, 106, "CONVOLUTION"},
    {DNN_ENGINE_DESCRIPTOR, 1300, 1308, "ENGINE"},
    {DNN_ENGINECFG_DESCRIPTOR, 300, 304, "ENGINECFG"},
    {DNN_ENGINEHEUR_DESCRIPTOR, 200, 204, "ENGINEHEUR"},
    {DNN_EXECUTION_PLAN_DESCRIPTOR, 400, 407, "EXECUTION_PLAN"},
    {DNN_INTERMEDIATE_INFO_DESCRIPTOR, 500, 503, "INTERMEDIATE_INFO"},
    {DNN_KNOB_CHOICE_DESCRIPTOR, 600, 601, "KNOB_CHOICE"},
    {DNN_KNOB_INFO_DESCRIPTOR, 1200, 1203, "KNOB_INFO"},
    {DNN_LAYOUT_INFO_DESCRIPTOR, 1100, 1101, "LAYOUT_INFO"},
    {DNN_OPERATION_FORWARD_DESCRIPTOR, 700, 705, "OPERATION_CONVOLUTION_FORWARD"},
    {DNN_OPERATION_FILTER_DESCRIPTOR, 712, 717, "OPERATION_CONVOLUTION_BACKWARD_FILTER"},
    {DNN_OPERATION_DATA_DESCRIPTOR, 706, 711, "OPERATION_CONVOLUTION_BACKWARD_DATA"},
    {DNN_OPERATION_POINTWISE_DESCRIPTOR, 750, 758, "OPERATION_POINTWISE"},
    {DNN_OPERATIONGRAPH_DESCRIPTOR, 800, 804, "OPERATIONGRAPH"},
    {DNN_VARIANT_PACK_DESCRIPTOR, 1000, 1003, "VARIANT_PACK"},
    {DNN_TENSOR_DESCRIPTOR, 900, 913, "TENSOR"},
};

/* Index in `kinds`; -1: such descriptors are not there. */
static int index_of(int kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == kind)
            return (int)i;
    return -1;
}

static bool has(int kind, int name)
{
    int i = index_of(kind);
    return i >= 0 && name >= kinds[i].first && name <= kinds[i].last;
}

MATHLIB_API int cudnnBackendCreateDescriptor(int kind, cudnnBackendDescriptor_t *to)
{
    if (!to)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (index_of(kind) < 0) {
        char what[80];
        snprintf(what, sizeof what, "a descriptor of kind %d", kind);
        mathlib_refuse(__func__, what);
        return DNN_NOT_SUPPORTED;
    }
    struct dnn_descriptor *made = calloc(1, sizeof *made);
    if (made)
        made->content = dnn_content_make(kind);
    if (!made || !made->content) {
        free(made);
        return DNN_ALLOC_FAILED;
    }
    *to = made;
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t of)
{
    if (of)
        dnn_content_release(of->content);
    free(of);
    return DNN_SUCCESS;
}

MATHLIB_API int cudnnBackendInitialize(cudnnBackendDescriptor_t of)
{
    return of ? DNN_SUCCESS : DNN_BAD_PARAM_NULL_POINTER;
}

/* ===== attributes ===== */

static int set_descriptors(struct dnn_content *content, int name, int64_t count, cudnnBackendDescriptor_t const *from)
{
    if (count < 0 || count > INT32_MAX || (count && !from))
        return DNN_BAD_PARAM;
    struct dnn_content **contents = calloc((size_t)count + 1, sizeof(struct dnn_content *));
    if (!contents)
        return DNN_ALLOC_FAILED;
    int status = DNN_SUCCESS;
    for (int64_t i = 0; status == DNN_SUCCESS && i < count; i++) {
        contents[i] = from[i] ? from[i]->content : NULL;
        status = !contents[i] ? DNN_BAD_PARAM : contents[i]->final ? DNN_SUCCESS : DNN_BAD_PARAM_NOT_FINALIZED;
    }
    if (status == DNN_SUCCESS)
        status = dnn_set_contents(content, name, count, contents);
    free(contents);
    return status;
}

MATHLIB_API int cudnnBackendSetAttribute(cudnnBackendDescriptor_t of, int name, int type, int64_t count,
                                         const void *elements)
{
    if (!of)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (of->content->final || !has(of->content->kind, name))
        return of->content->final ? DNN_NOT_INITIALIZED : DNN_BAD_PARAM;
    return type == DNN_TYPE_DESCRIPTOR ? set_descriptors(of->content, name, count, elements)
                                       : dnn_set(of->content, name, type, count, elements);
}

/* Descriptors that the program has made take on the contents of an attribute. */
static void give(const struct dnn_attribute *attribute, int64_t count, cudnnBackendDescriptor_t *to)
{
    struct dnn_content *const *contents = attribute->elements;
    for (int64_t i = 0; i < count; i++) {
        struct dnn_content *content = dnn_content_hold(contents[i]);
        dnn_content_release(to[i]->content);
        to[i]->content = content;
    }
}

MATHLIB_API int cudnnBackendGetAttribute(cudnnBackendDescriptor_t of, int name, int type, int64_t wanted,
                                         int64_t *count, void *elements)
{
    static const unsigned char sizes[] = {8, 4, 1, 8, 4, 8, 8};
    if (!of)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (!of->content->final)
        return DNN_BAD_PARAM_NOT_FINALIZED;
    if (!has(of->content->kind, name))
        return DNN_BAD_PARAM;
    const struct dnn_attribute *attribute = dnn_attribute(of->content, name);
    if (count)
        *count = attribute ? attribute->count : 0;
    if (!attribute)
        return DNN_SUCCESS;
    if (attribute->type != type)
        return DNN_BAD_PARAM_ATTRIBUTE_TYPE;
    int64_t given = attribute->count < wanted ? attribute->count : wanted;
    if (!elements || given <= 0)
        return DNN_SUCCESS;
    for (int64_t i = 0; type == DNN_TYPE_DESCRIPTOR && i < given; i++)
        if (!((cudnnBackendDescriptor_t *)elements)[i])
            return DNN_BAD_PARAM_NULL_POINTER;
    if (type == DNN_TYPE_DESCRIPTOR)
        give(attribute, given, elements);
    else
        memcpy(elements, attribute->elements,
               (size_t)given * (type < (int)sizeof sizes ? sizes[type]
                                : type == 24             ? 1
                                : type == 26             ? 16
                                                         : 4));
    return DNN_SUCCESS;
}

/* ===== finalizing ===== */

static int set_integer(struct dnn_content *content, int name, int64_t value)
{
    return dnn_set(content, name, DNN_TYPE_INT64, 1, &value);
}

static int finalize_engine(struct dnn_content *content)
{
    struct dnn_content *graph = dnn_first(content, DNN_ENGINE_GRAPH);
    if (!graph || !graph->graph)
        return DNN_BAD_PARAM;
    return dnn_integer(content, DNN_ENGINE_INDEX, 0) == 0 ? DNN_SUCCESS : DNN_NOT_SUPPORTED;
}

static int finalize_configuration(struct dnn_content *content)
{
    int shared = 0;
    if (!dnn_first(content, DNN_ENGINECFG_ENGINE))
        return DNN_BAD_PARAM;
    int status = set_integer(content, DNN_ENGINECFG_WORKSPACE, 0);
    return status == DNN_SUCCESS ? dnn_set(content, DNN_ENGINECFG_SHARED, 23, 1, &shared) : status;
}

/* The only configuration of a graph, ready to use. */
static int make_configuration(struct dnn_content *graph, struct dnn_content **to)
{
    struct dnn_content *engine = dnn_content_make(DNN_ENGINE_DESCRIPTOR);
    struct dnn_content *made = dnn_content_make(DNN_ENGINECFG_DESCRIPTOR);
    int status = engine && made ? dnn_set_contents(engine, DNN_ENGINE_GRAPH, 1, &graph) : DNN_ALLOC_FAILED;
    if (status == DNN_SUCCESS)
        status = set_integer(engine, DNN_ENGINE_INDEX, 0);
    if (status == DNN_SUCCESS) {
        engine->final = true;
        status = dnn_set_contents(made, DNN_ENGINECFG_ENGINE, 1, &engine);
    }
    if (status == DNN_SUCCESS)
        status = finalize_configuration(made);
    dnn_content_release(engine);
    if (status != DNN_SUCCESS) {
        dnn_content_release(made);
        return status;
    }
    made->final = true;
    *to = made;
    return DNN_SUCCESS;
}

static int finalize_heuristics(struct dnn_content *content)
{
    struct dnn_content *graph = dnn_first(content, DNN_HEUR_GRAPH), *configuration;
    if (!graph || !graph->graph)
        return DNN_BAD_PARAM;
    int status = make_configuration(graph, &configuration);
    if (status != DNN_SUCCESS)
        return status;
    status = dnn_set_contents(content, DNN_HEUR_RESULTS, 1, &configuration);
    dnn_content_release(configuration);
    return status;
}

static int finalize_plan(struct dnn_content *content)
{
    return dnn_first(content, DNN_PLAN_ENGINECFG) ? set_integer(content, DNN_PLAN_WORKSPACE, 0) : DNN_BAD_PARAM;
}

static int finalize_tensor(const struct dnn_content *content)
{
    const struct dnn_attribute *sizes = dnn_attribute(content, DNN_TENSOR_SIZES);
    const struct dnn_attribute *steps = dnn_attribute(content, DNN_TENSOR_STEPS);
    return sizes && steps && sizes->count == steps->count && sizes->count > 0 && sizes->count <= DNN_DIMENSIONS &&
                   sizes->type == DNN_TYPE_INT64 && steps->type == DNN_TYPE_INT64 &&
                   dnn_attribute(content, DNN_TENSOR_DATA) && dnn_attribute(content, DNN_TENSOR_ID)
               ? DNN_SUCCESS
               : DNN_BAD_PARAM;
}

static int finalize_pack(const struct dnn_content *content)
{
    const struct dnn_attribute *ids = dnn_attribute(content, DNN_PACK_IDS);
    const struct dnn_attribute *addresses = dnn_attribute(content, DNN_PACK_ADDRESSES);
    return ids && addresses && ids->count == addresses->count && ids->type == DNN_TYPE_INT64 &&
                   addresses->type == DNN_TYPE_ADDRESS
               ? DNN_SUCCESS
               : DNN_BAD_PARAM;
}

MATHLIB_API int cudnnBackendFinalize(cudnnBackendDescriptor_t of)
{
    if (!of)
        return DNN_BAD_PARAM_NULL_POINTER;
    struct dnn_content *content = of->content;
    int status = content->kind == DNN_ENGINE_DESCRIPTOR           ? finalize_engine(content)
                 : content->kind == DNN_ENGINECFG_DESCRIPTOR      ? finalize_configuration(content)
                 : content->kind == DNN_ENGINEHEUR_DESCRIPTOR     ? finalize_heuristics(content)
                 : content->kind == DNN_EXECUTION_PLAN_DESCRIPTOR ? finalize_plan(content)
                 : content->kind == DNN_OPERATIONGRAPH_DESCRIPTOR ? dnn_graph_finalize(content)
                 : content->kind == DNN_TENSOR_DESCRIPTOR         ? finalize_tensor(content)
                 : content->kind == DNN_VARIANT_PACK_DESCRIPTOR   ? finalize_pack(content)
                                                                  : DNN_SUCCESS;
    content->final = status == DNN_SUCCESS;
    return status;
}

MATHLIB_API int cudnnBackendExecute(cudnnHandle_t h, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack)
{
    if (!h || !plan || !pack)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (!plan->content->final || !pack->content->final)
        return DNN_BAD_PARAM_NOT_FINALIZED;
    struct dnn_content *configuration = dnn_first(plan->content, DNN_PLAN_ENGINECFG);
    struct dnn_content *engine = configuration ? dnn_first(configuration, DNN_ENGINECFG_ENGINE) : NULL;
    struct dnn_content *graph = engine ? dnn_first(engine, DNN_ENGINE_GRAPH) : NULL;
    if (!graph || !graph->graph || pack->content->kind != DNN_VARIANT_PACK_DESCRIPTOR)
        return DNN_BAD_PARAM;
    return dnn_graph_execute(h, graph->graph, pack->content);
}
