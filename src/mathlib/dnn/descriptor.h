/* SPDX-License-Identifier: BSD-3-Clause */
/* Descriptors of the graph interface (cudnn_graph.h): attributes by number, and what finalizing makes of them. */
#ifndef MATHLIB_DNN_DESCRIPTOR_H
#define MATHLIB_DNN_DESCRIPTOR_H

#include "mathlib/dnn/handle.h"

/* Kinds of descriptors (cudnnBackendDescriptorType_t) that are there. */
enum dnn_descriptor_kind {
    DNN_POINTWISE_DESCRIPTOR = 0,
    DNN_CONVOLUTION_DESCRIPTOR = 1,
    DNN_ENGINE_DESCRIPTOR = 2,
    DNN_ENGINECFG_DESCRIPTOR = 3,
    DNN_ENGINEHEUR_DESCRIPTOR = 4,
    DNN_EXECUTION_PLAN_DESCRIPTOR = 5,
    DNN_INTERMEDIATE_INFO_DESCRIPTOR = 6,
    DNN_KNOB_CHOICE_DESCRIPTOR = 7,
    DNN_KNOB_INFO_DESCRIPTOR = 8,
    DNN_LAYOUT_INFO_DESCRIPTOR = 9,
    DNN_OPERATION_FORWARD_DESCRIPTOR = 10,
    DNN_OPERATION_FILTER_DESCRIPTOR = 11,
    DNN_OPERATION_DATA_DESCRIPTOR = 12,
    DNN_OPERATION_POINTWISE_DESCRIPTOR = 13,
    DNN_OPERATIONGRAPH_DESCRIPTOR = 15,
    DNN_VARIANT_PACK_DESCRIPTOR = 16,
    DNN_TENSOR_DESCRIPTOR = 17,
};

/* Types of attributes (cudnnBackendAttributeType_t) whose elements are something special. */
enum { DNN_TYPE_INT64 = 3, DNN_TYPE_FLOAT = 4, DNN_TYPE_DOUBLE = 5, DNN_TYPE_ADDRESS = 6, DNN_TYPE_DESCRIPTOR = 15 };

/* Attributes (cudnnBackendAttributeName_t). Those of the three convolutions differ by a distance. */
enum {
    DNN_POINTWISE_MODE = 0,
    DNN_POINTWISE_RELU_LOWER_CLIP = 3,
    DNN_POINTWISE_RELU_UPPER_CLIP = 4,
    DNN_POINTWISE_RELU_SLOPE = 5,
    DNN_POINTWISE_ELU_ALPHA = 6,
    DNN_POINTWISE_SWISH_BETA = 8,
    DNN_CONVOLUTION_MODE = 101,
    DNN_CONVOLUTION_DILATIONS = 102,
    DNN_CONVOLUTION_STRIDES = 103,
    DNN_CONVOLUTION_AFTER = 104,
    DNN_CONVOLUTION_BEFORE = 105,
    DNN_CONVOLUTION_DIMENSIONS = 106,
    DNN_HEUR_GRAPH = 201,
    DNN_HEUR_RESULTS = 202,
    DNN_ENGINECFG_ENGINE = 300,
    DNN_ENGINECFG_WORKSPACE = 303,
    DNN_ENGINECFG_SHARED = 304,
    DNN_PLAN_ENGINECFG = 401,
    DNN_PLAN_WORKSPACE = 402,
    DNN_FORWARD_ALPHA = 700,
    DNN_DATA_ALPHA = 706,
    DNN_FILTER_ALPHA = 712,
    DNN_POINTWISE_DESCRIPTION = 750,
    DNN_POINTWISE_X = 751,
    DNN_POINTWISE_B = 752,
    DNN_POINTWISE_Y = 753,
    DNN_POINTWISE_ALPHA1 = 754,
    DNN_POINTWISE_ALPHA2 = 755,
    DNN_GRAPH_OPERATIONS = 801,
    DNN_GRAPH_ENGINES = 802,
    DNN_TENSOR_DATA = 901,
    DNN_TENSOR_SIZES = 902,
    DNN_TENSOR_STEPS = 903,
    DNN_TENSOR_ID = 906,
    DNN_TENSOR_VIRTUAL = 907,
    DNN_TENSOR_BY_VALUE = 908,
    DNN_PACK_IDS = 1000,
    DNN_PACK_ADDRESSES = 1001,
    DNN_ENGINE_GRAPH = 1300,
    DNN_ENGINE_INDEX = 1301
};

/* A graph as it is executed: a convolution, and the numbers by which a program names its tensors. */
struct dnn_graph {
    struct dnn_convolution convolution;
    int64_t operand[2], result; /* x and w, y and w, or x and y */
    struct {
        int64_t id;
        int data; /* cudnnDataType_t of a number by value; -1: a tensor in memory, or none */
        bool exists;
    } step[DNN_STEPS];
};

struct dnn_attribute {
    struct dnn_attribute *next;
    int name, type;
    int64_t count;
    void *elements; /* copies; for descriptors, pointers to their contents, each held */
};

/* Contents of a descriptor. Several descriptors may share them; they live as long as one of these. */
struct dnn_content {
    int holders, kind;
    bool final;
    struct dnn_attribute *attributes;
    struct dnn_graph *graph; /* NULL: the descriptor is not that of a graph */
};

/* cudnnBackendDescriptor_t points to it. */
struct dnn_descriptor {
    struct dnn_content *content;
};

struct dnn_content *dnn_content_make(int kind);
struct dnn_content *dnn_content_hold(struct dnn_content *content);
void dnn_content_release(struct dnn_content *content);

/* An attribute that has been set; NULL: it has not. */
const struct dnn_attribute *dnn_attribute(const struct dnn_content *content, int name);
/* Sets an attribute to a copy of `count` elements. Returns a status. */
int dnn_set(struct dnn_content *content, int name, int type, int64_t count, const void *elements);
/* Sets an attribute to other descriptors' contents, which are held. Returns a status. */
int dnn_set_contents(struct dnn_content *content, int name, int64_t count, struct dnn_content *const *elements);
/* The first element of an attribute; `otherwise` where it is not set. */
int64_t dnn_integer(const struct dnn_content *content, int name, int64_t otherwise);
double dnn_real(const struct dnn_content *content, int name, double otherwise);
struct dnn_content *dnn_first(const struct dnn_content *content, int name);

/* Makes of a graph's operations what is executed. Returns a status. */
int dnn_graph_finalize(struct dnn_content *content);
/* Executes a graph with the addresses of a variant pack. Returns a status. */
int dnn_graph_execute(cudnnHandle_t h, const struct dnn_graph *graph, const struct dnn_content *pack);

#endif
