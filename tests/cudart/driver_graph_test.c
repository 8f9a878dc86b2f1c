/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs by the driver API, as tinygrad builds them: kernels whose arguments are one block, copies by their boxes, both
 * changed in the executable graph; what nodes hold and which edges there are is told. */
#include "maniple/driver.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* behind what it needs */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef uint64_t handle;

struct kernel_node { /* CUDA_KERNEL_NODE_PARAMS_v2; the first of its versions ends before `kernel` */
    CUfunction function;
    unsigned grid[3], block[3], shared;
    void **arguments, **extra;
    void *kernel, *context;
};

extern CUresult cuGraphCreate(handle *graph, unsigned flags), cuGraphDestroy(handle graph);
extern CUresult cuGraphAddKernelNode(handle *node, handle graph, const handle *before, size_t count,
                                     const struct kernel_node *kernel);
extern CUresult cuGraphAddKernelNode_v2(handle *node, handle graph, const handle *before, size_t count,
                                        const struct kernel_node *kernel);
extern CUresult cuGraphAddMemcpyNode(handle *node, handle graph, const handle *before, size_t count,
                                     const CUDA_MEMCPY3D *copy, CUcontext context);
extern CUresult cuGraphAddEmptyNode(handle *node, handle graph, const handle *before, size_t count);
extern CUresult cuGraphInstantiate_v2(handle *executable, handle graph, handle *wrong, char *log, size_t room);
extern CUresult cuGraphLaunch(handle executable, CUstream stream);
extern CUresult cuGraphExecKernelNodeSetParams(handle executable, handle node, const struct kernel_node *kernel);
extern CUresult cuGraphExecMemcpyNodeSetParams(handle executable, handle node, const CUDA_MEMCPY3D *copy,
                                               CUcontext context);
extern CUresult cuGraphKernelNodeGetParams_v2(handle node, struct kernel_node *kernel);
extern CUresult cuGraphNodeSetEnabled(handle executable, handle node, unsigned enabled);
extern CUresult cuGraphNodeGetEnabled(handle executable, handle node, unsigned *enabled);
extern CUresult cuGraphGetEdges(handle graph, handle *from, handle *to, size_t *count);
extern CUresult cuGraphRemoveDependencies(handle graph, const handle *from, const handle *to, size_t count);
extern CUresult cuGraphExecUpdate(handle executable, handle graph, handle *wrong, int *result);

#define MUST(call) assert_int_equal(call, CUDA_SUCCESS)

/* word[0] = word[0] · 3 + more, by one thread */
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry step(.param .u64 word, .param .u32 more)\n{\n.reg .b32 r<4>; .reg .b64 d;\n"
                          "ld.param.u64 d,[word]; ld.param.u32 r1,[more]; ld.global.u32 r2,[d];\n"
                          "mad.lo.u32 r2,r2,3,r1; st.global.u32 [d],r2; ret;\n}\n";

struct block { /* of arguments */
    CUdeviceptr word;
    uint32_t more;
};

/* A kernel whose arguments lie in one block. */
struct step {
    struct block block;
    size_t bytes;
    void *extra[5];
    struct kernel_node node;
};

struct made {
    CUcontext context;
    CUfunction function;
    CUdeviceptr words; /* two */
    handle graph, executable, nodes[3];
    struct step steps[2];
    CUDA_MEMCPY3D copy;
};

static void fill_step(const struct made *made, struct step *step, CUdeviceptr word, uint32_t more)
{
    step->block = (struct block){word, more};
    step->bytes = 12;
    void *extra[5] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &step->block, CU_LAUNCH_PARAM_BUFFER_SIZE, &step->bytes,
                      CU_LAUNCH_PARAM_END};
    memcpy(step->extra, extra, sizeof extra);
    step->node = (struct kernel_node){made->function, {1, 1, 1}, {1, 1, 1}, 0, NULL, step->extra, NULL, NULL};
}

static CUDA_MEMCPY3D copy_of(CUdeviceptr to, CUdeviceptr from)
{
    CUDA_MEMCPY3D copy = {0};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = from;
    copy.dstDevice = to;
    copy.srcPitch = copy.dstPitch = copy.WidthInBytes = 4;
    copy.srcHeight = copy.dstHeight = copy.Height = copy.Depth = 1;
    return copy;
}

/* words[0] is stepped by 5, copied to words[1], which is stepped by 7. */
static int set_up(void **state)
{
    static struct made made;
    CUmodule module;
    made = (struct made){0};
    *state = &made;
    MUST(cuInit(0));
    MUST(cuCtxCreate(&made.context, NULL, 0, 0));
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&made.function, module, "step"));
    MUST(cuMemAlloc(&made.words, 8));
    fill_step(&made, &made.steps[0], made.words, 5);
    fill_step(&made, &made.steps[1], made.words + 4, 7);
    made.copy = copy_of(made.words + 4, made.words);
    MUST(cuGraphCreate(&made.graph, 0));
    MUST(cuGraphAddKernelNode(&made.nodes[0], made.graph, NULL, 0, &made.steps[0].node));
    MUST(cuGraphAddMemcpyNode(&made.nodes[1], made.graph, &made.nodes[0], 1, &made.copy, made.context));
    struct kernel_node by_kernel = made.steps[1].node;
    by_kernel.kernel = by_kernel.function;
    by_kernel.function = NULL;
    MUST(cuGraphAddKernelNode_v2(&made.nodes[2], made.graph, &made.nodes[1], 1, &by_kernel));
    MUST(cuGraphInstantiate_v2(&made.executable, made.graph, NULL, NULL, 0));
    return 0;
}

static int tear_down(void **state)
{
    struct made *made = *state;
    MUST(cuCtxDestroy(made->context));
    return 0;
}

/* Launches it on words that are 1 and 2, and compares what they are then. */
static void expect(const struct made *made, uint32_t first, uint32_t second)
{
    uint32_t words[2] = {1, 2};
    MUST(cuMemcpyHtoD(made->words, words, 8));
    MUST(cuGraphLaunch(made->executable, NULL));
    MUST(cuCtxSynchronize());
    MUST(cuMemcpyDtoH(words, made->words, 8));
    assert_int_equal(words[0], first);
    assert_int_equal(words[1], second);
}

static void launches(void **state)
{
    struct made *made = *state;
    expect(made, 8, 31);
    made->steps[0].block.more = 100; /* the block was read when the node was made */
    expect(made, 8, 31);
    MUST(cuGraphExecKernelNodeSetParams(made->executable, made->nodes[0], &made->steps[0].node));
    expect(made, 103, 316);
    CUDA_MEMCPY3D other_way = copy_of(made->words, made->words + 4);
    MUST(cuGraphExecMemcpyNodeSetParams(made->executable, made->nodes[1], &other_way, made->context));
    expect(made, 2, 13);
    int result = -1;
    MUST(cuGraphExecUpdate(made->executable, made->graph, NULL, &result)); /* as the graph still has it */
    assert_int_equal(result, 0);
    expect(made, 8, 31);
}

static void without_nodes(void **state)
{
    struct made *made = *state;
    unsigned enabled = 2;
    MUST(cuGraphNodeSetEnabled(made->executable, made->nodes[1], 0));
    MUST(cuGraphNodeGetEnabled(made->executable, made->nodes[1], &enabled));
    assert_int_equal(enabled, 0);
    expect(made, 8, 13);
    MUST(cuGraphNodeSetEnabled(made->executable, made->nodes[0], 0));
    expect(made, 1, 13);
    MUST(cuGraphNodeSetEnabled(made->executable, made->nodes[0], 1));
    MUST(cuGraphNodeSetEnabled(made->executable, made->nodes[1], 1));
    expect(made, 8, 31);
    handle nothing;
    MUST(cuGraphAddEmptyNode(&nothing, made->graph, NULL, 0));
    MUST(cuGraphInstantiate_v2(&made->executable, made->graph, NULL, NULL, 0));
    assert_int_equal(cuGraphNodeSetEnabled(made->executable, nothing, 0), CUDA_ERROR_INVALID_VALUE);
}

static void what_nodes_hold(void **state)
{
    struct made *made = *state;
    struct kernel_node found = {0};
    for (int again = 0; again < 2; again++) {
        MUST(cuGraphKernelNodeGetParams_v2(made->nodes[2], &found));
        assert_ptr_equal(found.function, made->function);
        assert_int_equal(found.grid[0], 1);
        assert_int_equal(found.block[2], 1);
        assert_null(found.extra);
        assert_int_equal(*(CUdeviceptr *)found.arguments[0], made->words + 4);
        assert_int_equal(*(uint32_t *)found.arguments[1], 7);
    }
    *(uint32_t *)found.arguments[1] = 9; /* as programs do that change one argument */
    MUST(cuGraphExecKernelNodeSetParams(made->executable, made->nodes[2], &found));
    expect(made, 8, 33);
    assert_int_equal(cuGraphKernelNodeGetParams_v2(made->nodes[1], &found), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphKernelNodeGetParams_v2(made->nodes[0], NULL), CUDA_ERROR_INVALID_VALUE);
}

static void edges(void **state)
{
    struct made *made = *state;
    handle from[3], to[3];
    size_t count = 0;
    MUST(cuGraphGetEdges(made->graph, NULL, NULL, &count));
    assert_int_equal(count, 2);
    count = 3;
    MUST(cuGraphGetEdges(made->graph, from, to, &count));
    assert_int_equal(count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(from[i], made->nodes[i]);
        assert_int_equal(to[i], made->nodes[i + 1]);
    }
    assert_int_equal(from[2], 0);
    MUST(cuGraphRemoveDependencies(made->graph, &made->nodes[0], &made->nodes[1], 1));
    count = 1;
    MUST(cuGraphGetEdges(made->graph, from, to, &count));
    assert_int_equal(count, 1);
    assert_int_equal(from[0], made->nodes[1]);
    assert_int_equal(cuGraphGetEdges(77, from, to, &count), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphGetEdges(made->graph, from, NULL, &count), CUDA_ERROR_INVALID_VALUE);
}

static void wrong_arguments(void **state)
{
    struct made *made = *state;
    handle node;
    struct step step;
    fill_step(made, &step, made->words, 1);
    void *both[] = {&step.block.word, &step.block.more};
    step.node.arguments = both;
    assert_int_equal(cuGraphAddKernelNode(&node, made->graph, NULL, 0, &step.node), CUDA_ERROR_INVALID_VALUE);
    step.node.arguments = step.node.extra = NULL;
    assert_int_equal(cuGraphAddKernelNode(&node, made->graph, NULL, 0, &step.node), CUDA_ERROR_INVALID_VALUE);
    step.node.extra = step.extra;
    step.bytes = 8; /* the second one is missing */
    assert_int_equal(cuGraphAddKernelNode(&node, made->graph, NULL, 0, &step.node), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphAddKernelNode_v2(&node, made->graph, NULL, 0, NULL), CUDA_ERROR_INVALID_VALUE);
    assert_int_equal(cuGraphExecMemcpyNodeSetParams(made->executable, made->nodes[0], &made->copy, made->context),
                     CUDA_ERROR_INVALID_VALUE);
    CUDA_MEMCPY3D nowhere = copy_of(made->words, made->words);
    nowhere.srcMemoryType = (CUmemorytype)9;
    assert_int_equal(cuGraphAddMemcpyNode(&node, made->graph, NULL, 0, &nowhere, NULL), CUDA_ERROR_INVALID_VALUE);
    expect(made, 8, 31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launches, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_nodes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_nodes_hold, set_up, tear_down),
        cmocka_unit_test_setup_teardown(edges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_arguments, set_up, tear_down),
    };
    setenv("MANIPLE_CUDA", "program driver_graph_test\nfunctional\n", 1); /* nothing here has to do with time */
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    fflush(NULL);
    _exit(failed != 0); /* not by exit: what the library has refused would be this program's status */
}
