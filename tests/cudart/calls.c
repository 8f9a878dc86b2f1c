/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls of the CUDA runtime and driver: types that are right, and values that need not be: handles that are
 * live, destroyed or another kind's, addresses of nothing, sizes of zero and of all there is, numbers outside every
 * enumeration, NULL where something is to be written. No call may crash, and each returns an error that has a name.
 * Structures that a call reads are there, or NULL. Calls come from this thread, from another one, from functions that
 * streams call, and from an exit handler. Usage: calls SEED COUNT [-v: says what it calls]
 */
#include "maniple/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/*
 * A function and its parameters, one letter each. A capital letter of the first lines: the address of what the call
 * makes, of which the small letter takes one; J for l.
 *   s stream, e event, g graph, n node, x executable graph, a array, t texture, p memory, m module, f kernel, o pool,
 *   v memory to be mapped, r reserved addresses, l linker
 *   h the program's own memory, y any memory, z size, i number, j small number, k kind of copy, q shared memory,
 *   b threads or blocks along an axis
 *   w room for whatever is written, # a count that is read and written, % a number that is
 *   < nodes, 5 how many of them, or of other small things
 *   @ a function that a stream calls, ! arguments of a kernel, ^ text of a module, & the same and its length, + a name
 *   others: structures (put_structure)
 */
static const struct {
    const char *name, *parameters;
} functions[] = {
    {"cudaMalloc", "Pz"},
    {"cudaMalloc", "Pz"},
    {"cudaMallocManaged", "Pzi"},
    {"cudaMallocHost", "Pz"},
    {"cudaHostAlloc", "Pzi"},
    {"cudaMallocPitch", "Pwzz"},
    {"cudaMallocAsync", "Pzs"},
    {"cudaMallocFromPoolAsync", "Pzos"},
    {"cudaFree", "p"},
    {"cudaFreeHost", "p"},
    {"cudaFreeAsync", "ps"},
    {"cudaMemGetInfo", "ww"},
    {"cudaHostRegister", "hzi"},
    {"cudaHostUnregister", "h"},
    {"cudaHostGetDevicePointer", "wyi"},
    {"cudaHostGetFlags", "wy"},
    {"cudaPointerGetAttributes", "wy"},
    {"cudaMemAdvise", "yzii"},
    {"cudaMemPrefetchAsync", "yzis"},
    {"cudaMemcpy", "yyzk"},
    {"cudaMemcpyAsync", "yyzks"},
    {"cudaMemcpy2D", "yzyzzzk"},
    {"cudaMemcpy2DAsync", "yzyzzzks"},
    {"cudaMemcpyPeer", "yiyiz"},
    {"cudaMemcpyPeerAsync", "yiyizs"},
    {"cudaMemcpy3D", "3"},
    {"cudaMemcpy3DAsync", "3s"},
    {"cudaMemset", "yiz"},
    {"cudaMemsetAsync", "yizs"},
    {"cudaMemset2D", "yzizz"},
    {"cudaMemset2DAsync", "yzizzs"},
    {"cudaMemcpyToSymbol", "yyzzk"},
    {"cudaMemcpyFromSymbol", "yyzzk"},
    {"cudaGetSymbolAddress", "wy"},
    {"cudaGetSymbolSize", "wy"},
    {"cudaMallocArray", "ACzzi"},
    {"cudaFreeArray", "a"},
    {"cudaArrayGetInfo", "wwwa"},
    {"cudaGetChannelDesc", "wa"},
    {"cudaMemcpy2DToArray", "azzyzzzk"},
    {"cudaMemcpy2DFromArray", "yzazzzzk"},
    {"cudaMemcpy2DArrayToArray", "azzazzzzk"},
    {"cudaMemcpyToArray", "azzyzk"},
    {"cudaMemcpyFromArray", "yazzzk"},
    {"cudaStreamCreate", "S"},
    {"cudaStreamCreateWithFlags", "Si"},
    {"cudaStreamCreateWithPriority", "Sii"},
    {"cudaStreamDestroy", "s"},
    {"cudaStreamSynchronize", "s"},
    {"cudaStreamQuery", "s"},
    {"cudaStreamWaitEvent", "sei"},
    {"cudaStreamGetFlags", "sw"},
    {"cudaStreamGetPriority", "sw"},
    {"cudaStreamGetId", "sw"},
    {"cudaStreamGetDevice", "sw"},
    {"cudaStreamGetAttribute", "siw"},
    {"cudaStreamSetAttribute", "siw"},
    {"cudaStreamCopyAttributes", "ss"},
    {"cudaStreamAttachMemAsync", "spzi"},
    {"cudaLaunchHostFunc", "s@w"},
    {"cudaStreamAddCallback", "s@wi"},
    {"cudaEventCreate", "E"},
    {"cudaEventCreateWithFlags", "Ei"},
    {"cudaEventDestroy", "e"},
    {"cudaEventRecord", "es"},
    {"cudaEventRecordWithFlags", "esi"},
    {"cudaEventSynchronize", "e"},
    {"cudaEventQuery", "e"},
    {"cudaEventElapsedTime", "wee"},
    {"cudaDeviceSynchronize", ""},
    {"cudaGetLastError", ""},
    {"cudaPeekAtLastError", ""},
    {"cudaStreamBeginCapture", "si"},
    {"cudaStreamBeginCapture", "si"},
    {"cudaStreamBeginCaptureToGraph", "sg<w5i"},
    {"cudaStreamEndCapture", "sG"},
    {"cudaStreamEndCapture", "sG"},
    {"cudaStreamIsCapturing", "sw"},
    {"cudaStreamGetCaptureInfo_v3", "swwwwww"},
    {"cudaThreadExchangeStreamCaptureMode", "%"},
    {"cudaGraphCreate", "Gi"},
    {"cudaGraphDestroy", "g"},
    {"cudaGraphClone", "Gg"},
    {"cudaGraphDestroyNode", "n"},
    {"cudaGraphAddEmptyNode", "Ng<5"},
    {"cudaGraphAddKernelNode", "Ng<5K"},
    {"cudaGraphAddMemcpyNode", "Ng<53"},
    {"cudaGraphAddMemcpyNode1D", "Ng<5yyzk"},
    {"cudaGraphAddMemsetNode", "Ng<5U"},
    {"cudaGraphAddHostNode", "Ng<5H"},
    {"cudaGraphAddChildGraphNode", "Ng<5g"},
    {"cudaGraphAddEventRecordNode", "Ng<5e"},
    {"cudaGraphAddEventWaitNode", "Ng<5e"},
    {"cudaGraphAddMemAllocNode", "Ng<5I"},
    {"cudaGraphAddMemFreeNode", "Ng<5p"},
    {"cudaGraphAddDependencies_v2", "g<<w5"},
    {"cudaGraphRemoveDependencies_v2", "g<<w5"},
    {"cudaGraphGetNodes", "gw#"},
    {"cudaGraphGetRootNodes", "gw#"},
    {"cudaGraphGetEdges_v2", "gwww#"},
    {"cudaGraphNodeGetDependencies_v2", "nww#"},
    {"cudaGraphNodeGetDependentNodes_v2", "nww#"},
    {"cudaGraphNodeGetType", "nw"},
    {"cudaGraphNodeFindInClone", "Nng"},
    {"cudaGraphNodeSetEnabled", "xni"},
    {"cudaGraphNodeGetEnabled", "xnw"},
    {"cudaGraphInstantiate", "Xgi"},
    {"cudaGraphInstantiate", "Xgi"},
    {"cudaGraphInstantiateWithParams", "Xgw"},
    {"cudaGraphExecDestroy", "x"},
    {"cudaGraphLaunch", "xs"},
    {"cudaGraphLaunch", "xs"},
    {"cudaGraphUpload", "xs"},
    {"cudaGraphExecUpdate", "xgw"},
    {"cudaGraphKernelNodeGetParams", "nw"},
    {"cudaGraphKernelNodeSetParams", "nK"},
    {"cudaGraphMemcpyNodeGetParams", "nw"},
    {"cudaGraphMemcpyNodeSetParams", "n3"},
    {"cudaGraphMemcpyNodeSetParams1D", "nyyzk"},
    {"cudaGraphMemsetNodeGetParams", "nw"},
    {"cudaGraphMemsetNodeSetParams", "nU"},
    {"cudaGraphHostNodeGetParams", "nw"},
    {"cudaGraphHostNodeSetParams", "nH"},
    {"cudaGraphExecKernelNodeSetParams", "xnK"},
    {"cudaGraphExecMemcpyNodeSetParams", "xn3"},
    {"cudaGraphExecMemcpyNodeSetParams1D", "xnyyzk"},
    {"cudaGraphExecMemsetNodeSetParams", "xnU"},
    {"cudaGraphExecHostNodeSetParams", "xnH"},
    {"cudaGraphEventRecordNodeGetEvent", "nw"},
    {"cudaGraphEventWaitNodeGetEvent", "nw"},
    {"cudaGraphMemAllocNodeGetParams", "nw"},
    {"cudaGraphMemFreeNodeGetParams", "nw"},
    {"cudaGraphChildGraphNodeGetGraph", "nG"},
    {"cudaDeviceGetGraphMemAttribute", "iiw"},
    {"cudaDeviceSetGraphMemAttribute", "iiw"},
    {"cudaDeviceGraphMemTrim", "i"},
    {"cudaDeviceGetDefaultMemPool", "Oi"},
    {"cudaDeviceGetMemPool", "Oi"},
    {"cudaDeviceSetMemPool", "io"},
    {"cudaMemPoolCreate", "OB"},
    {"cudaMemPoolDestroy", "o"},
    {"cudaMemPoolTrimTo", "oz"},
    {"cudaMemPoolGetAttribute", "oiw"},
    {"cudaMemPoolSetAttribute", "oiw"},
    {"cudaMemPoolGetAccess", "wow"},
    {"cudaDeviceGetAttribute", "wii"},
    {"cudaGetDeviceProperties", "wi"},
    {"cudaGetDeviceCount", "w"},
    {"cudaGetDevice", "w"},
    {"cudaSetDevice", "i"},
    {"cudaDeviceGetLimit", "wi"},
    {"cudaDeviceSetLimit", "iz"},
    {"cudaDeviceCanAccessPeer", "wii"},
    {"cudaDeviceEnablePeerAccess", "ii"},
    {"cudaDeviceGetPCIBusId", "wji"},
    {"cudaSetDeviceFlags", "i"},
    {"cudaFuncGetAttributes", "wf"},
    {"cudaFuncSetAttribute", "fii"},
    {"cudaFuncSetCacheConfig", "fi"},
    {"cudaOccupancyMaxActiveBlocksPerMultiprocessor", "wfiz"},
    {"cudaOccupancyAvailableDynamicSMemPerBlock", "wfii"},
    {"cudaLaunchKernelExC", "Lf!"},
    {"cudaDestroyTextureObject", "t"},
    {"cudaDestroySurfaceObject", "t"},
    {"cudaCreateTextureObject", "TRQw"},
    {"cudaCreateSurfaceObject", "TR"},
    {"cudaProfilerStart", ""},
    {"cuMemAlloc_v2", "Pz"},
    {"cuMemAllocPitch_v2", "Pwzzi"},
    {"cuMemFree_v2", "p"},
    {"cuMemGetAddressRange_v2", "wwy"},
    {"cuPointerGetAttribute", "wiy"},
    {"cuMemcpy", "yyz"},
    {"cuMemcpyAsync", "yyzs"},
    {"cuMemcpyHtoD_v2", "yyz"},
    {"cuMemcpyDtoH_v2", "yyz"},
    {"cuMemcpyDtoD_v2", "yyz"},
    {"cuMemcpyDtoDAsync_v2", "yyzs"},
    {"cuMemcpy2D_v2", "2"},
    {"cuMemcpy2DAsync_v2", "2s"},
    {"cuMemcpy3D_v2", "D"},
    {"cuMemcpy3DAsync_v2", "Ds"},
    {"cuMemcpyAtoA_v2", "azazz"},
    {"cuMemcpyDtoA_v2", "azyz"},
    {"cuMemcpyAtoD_v2", "yazz"},
    {"cuMemcpyHtoA_v2", "azyz"},
    {"cuMemcpyAtoH_v2", "yazz"},
    {"cuMemsetD8_v2", "yiz"},
    {"cuMemsetD16_v2", "yiz"},
    {"cuMemsetD32_v2", "yiz"},
    {"cuMemsetD2D8_v2", "yzizz"},
    {"cuMemsetD2D32_v2", "yzizz"},
    {"cuMemsetD32Async", "yizs"},
    {"cuArray3DCreate_v2", "A4"},
    {"cuArrayDestroy", "a"},
    {"cuArray3DGetDescriptor_v2", "wa"},
    {"cuModuleLoadData", "M^"},
    {"cuModuleUnload", "m"},
    {"cuModuleGetFunction", "Fm+"},
    {"cuModuleGetGlobal_v2", "wwm+"},
    {"cuModuleGetFunctionCount", "wm"},
    {"cuFuncGetAttribute", "wif"},
    {"cuFuncSetAttribute", "fii"},
    {"cuFuncGetModule", "wf"},
    {"cuFuncGetName", "wf"},
    {"cuFuncGetParamInfo", "fzww"},
    {"cuLibraryLoadData", "M^ww5ww5"},
    {"cuLibraryUnload", "m"},
    {"cuLibraryGetKernel", "Fm+"},
    {"cuKernelGetFunction", "Ff"},
    {"cuLaunchKernel", "fbbbbbbqs!w"},
    {"cuLaunchKernel", "fbbbbbbqs!w"},
    {"cuLaunchCooperativeKernel", "fbbbbbbqs!"},
    {"cuMemAddressReserve", "Rzzww"},
    {"cuMemAddressFree", "rz"},
    {"cuMemCreate", "VzYi"},
    {"cuMemRelease", "v"},
    {"cuMemMap", "rzivi"},
    {"cuMemUnmap", "rz"},
    {"cuMemSetAccess", "rzW5"},
    {"cuMemRetainAllocationHandle", "Vy"},
    {"cuMemGetAllocationPropertiesFromHandle", "wv"},
    {"cuCtxCreate_v2", "wii"},
    {"cuCtxGetCurrent", "w"},
    {"cuCtxSynchronize", ""},
    {"cuCtxGetLimit", "wi"},
    {"cuCtxSetLimit", "iz"},
    {"cuCtxPopCurrent_v2", "w"},
    {"cuDevicePrimaryCtxRetain", "wi"},
    {"cuDevicePrimaryCtxRelease_v2", "i"},
    {"cuStreamGetCtx", "sw"},
    {"cuEventElapsedTime_v2", "wee"},
    {"cuGraphAddMemcpyNode", "Ng<5Dw"},
    {"cuGraphMemcpyNodeSetParams", "nD"},
    {"cuGraphAddMemsetNode", "Ng<5Uw"},
    {"cuStreamWaitEvent", "sei"},
    {"cuLinkCreate_v2", "5wwJ"},
    {"cuLinkAddData_v2", "li&+5ww"},
    {"cuLinkComplete", "lww"},
    {"cuLinkDestroy", "l"},
    {"cuGetErrorName", "iw"},
    {"cuDeviceGetAttribute", "wii"},
    {"cuDeviceGetName", "wji"},
};

enum { FUNCTIONS = sizeof functions / sizeof *functions, KINDS = 26, MOST = 24, PARAMETERS = 16 };
enum { ROOM = 4096, ROOMS = 16, OWN = 65536 };

static const char ptx[] =
    ".version 7.8\n.target sm_70\n.address_size 64\n.global .align 8 .b8 variable[64];\n"
    ".visible .entry nothing()\n{\nret;\n}\n"
    ".visible .entry store(.param .u64 out)\n{\n.reg .b64 d<2>;\n"
    "ld.param.u64 d1,[out]; st.global.u32 [d1],7; ret;\n}\n"
    ".visible .entry wait()\n{\n.reg .b32 r<2>; .reg .pred p<2>;\nmov.u32 r1,%tid.x; setp.lt.u32 p1,r1,32;\n"
    "@p1 bra other;\nbarrier.sync 1,64; ret;\nother: barrier.sync 2,64; ret;\n}\n";
static const char *const texts[] = {ptx, ptx, ptx, "", "no text of a module", ".version 7.8\n.target sm_999\n", NULL};
static const char *const names[] = {"nothing", "store", "store", "wait", "variable", "", "no such name", NULL};

static struct calls {
    uint64_t state;
    uint64_t handles[KINDS][MOST]; /* by letter: what has been made, whether it is still there or not */
    unsigned counts[KINDS];
    void *called[FUNCTIONS];
    unsigned char rooms[ROOMS][ROOM]; /* of the present call, where it writes */
    unsigned room;
    unsigned char *own; /* OWN bytes between pages that cannot be accessed */
    bool says;
    int wrong;
} all;

static uint64_t draw(void)
{
    uint64_t z = all.state += UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static unsigned below(unsigned count)
{
    return (unsigned)(draw() % count);
}

#define ONE_OF(list) (list)[below(sizeof(list) / sizeof *(list))]

static unsigned char *room(void)
{
    return memset(all.rooms[all.room++ % ROOMS], 0, ROOM);
}

/* ===== values ===== */

static uint64_t wild(void)
{
    static const uint64_t addresses[] = {0,
                                         1,
                                         2,
                                         0x100,
                                         0x1234000,
                                         UINT64_C(0x700000000000),
                                         UINT64_C(0x700123456789),
                                         UINT64_C(0x7dfffffff000),
                                         UINT64_C(0x7ffffffff000),
                                         UINT64_C(1) << 63,
                                         UINT64_MAX - 255,
                                         UINT64_MAX};
    return ONE_OF(addresses);
}

static uint64_t handle_of(char letter)
{
    unsigned kind = (unsigned)(letter - 'a'), count = all.counts[kind];
    unsigned way = below(40);
    if (way == 0)
        return wild();
    if (way == 1 && letter != 'p' &&
        letter != 'r') /* another kind's, some of which are addresses of the library's own */
        return all.handles[below(KINDS)][below(MOST)];
    if (letter == 's' && way < 12)
        return below(3);
    unsigned newest = count > 4 && way % 4 ? count - 4 : 0; /* most often */
    return count ? all.handles[kind][newest + below(count - newest)] : below(2) ? 0 : 0x100;
}

static void keep(char letter, uint64_t handle)
{
    unsigned kind = (unsigned)(letter - 'a');
    if (all.counts[kind] == MOST)
        memmove(all.handles[kind], all.handles[kind] + MOST / 2, (all.counts[kind] = MOST / 2) * sizeof handle);
    all.handles[kind][all.counts[kind]++] = handle;
}

static uint64_t size(void)
{
    static const unsigned usual[] = {4, 16, 16, 32, 64, 64, 256, 4096};
    static const uint64_t sizes[] = {0,
                                     1,
                                     4,
                                     16,
                                     64,
                                     64,
                                     64,
                                     100,
                                     256,
                                     32,
                                     4096,
                                     4096,
                                     4097,
                                     1 << 16,
                                     1 << 21,
                                     (2 << 20),
                                     1 << 20,
                                     UINT64_C(1) << 40,
                                     7,
                                     8,
                                     2,
                                     3,
                                     512,
                                     1024,
                                     UINT64_C(1) << 63,
                                     UINT64_MAX - 7,
                                     UINT64_MAX};
    return below(3) ? ONE_OF(usual) : ONE_OF(sizes);
}

static uint64_t own(void)
{
    static const unsigned places[] = {0, 0, 1, 256, 4096, OWN - 64, OWN - 1, OWN};
    return (uint64_t)all.own + ONE_OF(places);
}

static uint64_t memory(void)
{
    static const unsigned offsets[] = {0, 0, 0, 1, 16, 4095, 1 << 16};
    return handle_of(below(8) ? 'p' : 'r') + ONE_OF(offsets);
}

static uint64_t number(void)
{
    return below(16) ? below(below(8) ? 3 : 40) : below(2) ? (uint32_t)-1 : (uint32_t)draw();
}

static void was_called(void *data)
{
    (void)data;
    if (below(4) == 0)
        ((int (*)(void))dlsym(RTLD_DEFAULT, "cudaDeviceSynchronize"))(); /* which is not permitted */
}

/* ===== structures ===== */

static uint64_t *put_place(uint64_t *to, char letter)
{
    *to++ = below(4) ? 0 : handle_of('a');
    for (unsigned i = 0; i < 3; i++)
        *to++ = below(3) ? 0 : size();
    *to++ = letter == 'y' ? (below(2) ? own() : memory()) : memory();
    *to++ = size();
    *to++ = size();
    *to++ = below(4) ? below(8) : size();
    return to;
}

/* CUDA_MEMCPY3D: an offset and a level, kinds and places of memory. */
static uint64_t *put_side(uint64_t *to)
{
    for (unsigned i = 0; i < 4; i++)
        *to++ = i == 3 ? below(20) == 0 : below(3) ? 0 : size();
    *to++ = below(6);
    *to++ = below(2) ? own() : wild();
    *to++ = memory();
    *to++ = below(3) ? 0 : handle_of('a');
    *to++ = 0;
    *to++ = size();
    *to++ = below(4) ? below(8) : size();
    return to;
}

/* CUDA_MEMCPY2D: the same without depths. */
static uint64_t *put_flat_side(uint64_t *to)
{
    for (unsigned i = 0; i < 2; i++)
        *to++ = below(3) ? 0 : size();
    *to++ = below(6);
    *to++ = below(2) ? own() : wild();
    *to++ = memory();
    *to++ = below(3) ? 0 : handle_of('a');
    *to++ = size();
    return to;
}

static uint64_t arguments_of_a_kernel(void);

static void put_structure(char letter, unsigned char *bytes)
{
    static const unsigned shapes[] = {0, 1, 1, 1, 1, 2, 3, 32, 64, UINT32_MAX};
    uint64_t *to = (uint64_t *)bytes;
    int *words = (int *)bytes;
    switch (letter) {
    case '3': /* cudaMemcpy3DParms */
        to = put_place(put_place(to, 'y'), 'y');
        for (unsigned i = 0; i < 3; i++)
            *to++ = below(3) ? 1 + below(8) : size();
        *to = number();
        break;
    case 'D':
        to = put_side(put_side(to));
        for (unsigned i = 0; i < 3; i++)
            *to++ = below(3) ? 1 + below(8) : size();
        break;
    case '2':
        to = put_flat_side(put_flat_side(to));
        *to++ = size();
        *to = below(3) ? 1 + below(8) : size();
        break;
    case 'K': /* cudaKernelNodeParams, and cudaLaunchConfig_t behind the function */
        *to++ = handle_of('f');
        for (unsigned i = 0; i < 7; i++)
            words[2 + i] = i < 6 ? (below(5) ? 1 : (int)ONE_OF(shapes)) : 0;
        ((uint64_t *)bytes)[5] = below(10) ? arguments_of_a_kernel() : 0;
        break;
    case 'L':
        for (unsigned i = 0; i < 6; i++)
            words[i] = below(5) ? 1 : (int)ONE_OF(shapes);
        to[3] = below(4) ? 0 : size();
        to[4] = handle_of('s');
        to[5] = (uint64_t)room();
        words[12] = (int)below(3);
        for (unsigned i = 0; i < 2; i++) {
            int *attribute = (int *)(to[5] + i * 72);
            attribute[0] = (int)below(20);
            attribute[2] = (int)below(3);
            attribute[3] = attribute[4] = 1;
        }
        break;
    case 'U': /* cudaMemsetParams */
        to[0] = memory();
        to[1] = size();
        words[4] = (int)draw();
        words[5] = (int)below(6);
        to[3] = size();
        to[4] = below(3) ? 1 + below(4) : size();
        break;
    case 'H':
        to[0] = below(8) ? (uint64_t)was_called : 0;
        break;
    case 'I': /* cudaMemAllocNodeParams */
        words[0] = 1;
        words[2] = 1;
        to[13] = size();
        break;
    case 'B': /* cudaMemPoolProps, CUmemAllocationProp */
    case 'Y':
        words[0] = (int)below(3);
        words[2] = (int)below(3);
        break;
    case 'W':
        words[0] = 1;
        words[2] = 3;
        break;
    case 'C': /* cudaChannelFormatDesc */
        words[0] = below(4) ? 32 : (int)number();
        words[1] = below(3) ? 0 : 32;
        words[4] = (int)below(4);
        break;
    case '4': /* CUDA_ARRAY3D_DESCRIPTOR */
        for (unsigned i = 0; i < 3; i++)
            to[i] = below(3) ? below(9) : size();
        words[6] = below(3) ? 0x20 : (int)number();
        words[7] = below(3) ? 1 : (int)number();
        words[8] = below(4) ? 0 : (int)number();
        break;
    case 'R': /* cudaResourceDesc */
        words[0] = (int)below(5);
        to[1] = below(2) ? handle_of('a') : memory();
        for (unsigned i = 2; i < 8; i++)
            to[i] = below(2) ? 32 : size();
        break;
    default: /* cudaTextureDesc */
        for (unsigned i = 0; i < 16; i++)
            words[i] = below(3) ? 0 : (int)number();
        break;
    }
}

static uint64_t arguments_of_a_kernel(void)
{
    uint64_t *values = (uint64_t *)room(), *arguments = values + 8;
    for (unsigned i = 0; i < 8; i++) {
        values[i] = below(6) ? handle_of('p') : wild();
        arguments[i] = (uint64_t)&values[i];
    }
    return (uint64_t)arguments;
}

/* ===== calls ===== */

static uint64_t *put_text(uint64_t *to, bool with_length)
{
    const char *text = ONE_OF(texts);
    *to++ = (uint64_t)text;
    if (with_length)
        *to++ = text ? strlen(text) + 1 : 0;
    return to;
}

static uint64_t *put_nodes(uint64_t *to)
{
    uint64_t *nodes = (uint64_t *)room();
    for (unsigned i = 0; i < 8; i++)
        nodes[i] = handle_of('n');
    *to++ = below(12) ? (uint64_t)nodes : 0;
    return to;
}

/* The values of a parameter. */
static uint64_t *put(uint64_t *to, char letter)
{
    static const unsigned shapes[] = {0, 1, 1, 1, 1, 1, 1, 2, 3, UINT32_MAX};
    static const unsigned shared[] = {0, 0, 0, 0, 64, 49152, 100000, 1 << 30};
    static const int small[] = {-1, 0, 1, 13, 64, ROOM};
    static const int kinds[] = {0, 1, 2, 3, 4, 4, 4, 5, -1};
    unsigned char *bytes;
    switch (letter) {
    case 'h':
        return *to++ = below(6) ? own() : wild(), to;
    case 'y':
        return *to++ = below(3) == 0 ? own() : memory(), to;
    case 'z':
        return *to++ = size(), to;
    case 'i':
        return *to++ = number(), to;
    case 'j':
        return *to++ = (uint64_t)ONE_OF(small), to;
    case 'k':
        return *to++ = (uint64_t)ONE_OF(kinds), to;
    case 'q':
        return *to++ = ONE_OF(shared), to;
    case 'b':
        return *to++ = below(5) ? 1 : ONE_OF(shapes), to;
    case '5':
        return *to++ = below(3) ? 0 : below(below(4) ? 3 : 9), to;
    case '<':
        return put_nodes(to);
    case '@':
        return *to++ = below(8) ? (uint64_t)was_called : 0, to;
    case '!':
        return *to++ = below(10) ? arguments_of_a_kernel() : 0, to;
    case '^':
        return put_text(to, false);
    case '&':
        return put_text(to, true);
    case '+':
        return *to++ = (uint64_t)ONE_OF(names), to;
    default:
        break;
    }
    if (letter == 'x' || (letter >= 'a' && letter <= 'v'))
        return *to++ = letter == 'p' && below(3) == 0 ? memory() : handle_of(letter), to;
    bytes = room();
    if (letter == '#')
        *(uint64_t *)bytes = below(64);
    else if (letter == '%')
        *(int *)bytes = (int)below(5) - 1;
    else if (letter != 'w' && !strchr("SEGNXATPMFOVRJ", letter))
        put_structure(letter, bytes);
    *to++ = below(32) ? (uint64_t)bytes : 0;
    return to;
}

/* `R` is what a call makes where addresses are reserved, and a structure where a texture is made. */
static bool makes(const char *parameters, unsigned place)
{
    char letter = parameters[place];
    return letter && strchr("SEGNXATPMFOVJ", letter) ? true : letter == 'R' && place == 0;
}

static bool has_name(const char *function, int result)
{
    const char *text = NULL;
    const char *(*runtime)(int) = (const char *(*)(int))(uintptr_t)dlsym(RTLD_DEFAULT, "cudaGetErrorName");
    if (strncmp(function, "cuda", 4) != 0)
        return cuGetErrorName((CUresult)result, &text) == CUDA_SUCCESS && text;
    return strncmp(runtime(result), "cuda", 4) == 0;
}

static void call(unsigned place)
{
    typedef int function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t);
    const char *name = functions[place].name, *parameters = functions[place].parameters;
    if ((strstr(name, "Destroy") || strstr(name, "Free") || strstr(name, "nload") || strstr(name, "Pop")) && below(4))
        return; /* else most handles are of what has gone */
    uint64_t values[PARAMETERS] = {0}, *to = values, *made[PARAMETERS] = {NULL};
    for (unsigned i = 0; parameters[i]; i++) {
        uint64_t *before = to;
        to = parameters[i] == 'R' && i == 0 ? put(to, 'w') : put(to, parameters[i]);
        made[i] = makes(parameters, i) ? (uint64_t *)*before : NULL;
    }
    if (all.says) {
        printf("%s", name);
        for (const uint64_t *v = values; v < to; v++)
            printf(" %#llx", (unsigned long long)*v);
        fflush(stdout);
    }
    function *called = (function *)all.called[place];
    int result = called(values[0], values[1], values[2], values[3], values[4], values[5], values[6], values[7],
                        values[8], values[9], values[10], values[11]);
    if (all.says)
        printf(" -> %d\n", result);
    if (!has_name(name, result)) {
        printf("%s returns %d, which is no error\n", name, result);
        all.wrong = 1;
    }
    for (unsigned i = 0; !result && parameters[i]; i++)
        if (made[i])
            keep(parameters[i] == 'J' ? 'l' : (char)(parameters[i] - 'A' + 'a'), *made[i]);
}

static void *call_some(void *count)
{
    for (unsigned i = 0; i < *(unsigned *)count; i++)
        call(below(FUNCTIONS));
    return NULL;
}

/* What a program begins with, also behind a reset. */
static void begin(void)
{
    static CUcontext context;
    CUmodule module;
    CUfunction kernel;
    for (unsigned i = 0; i < KINDS; i++)
        all.counts[i] = all.counts[i] < 2 ? all.counts[i] : 2; /* of before */
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
        cuModuleLoadData(&module, ptx))
        return;
    keep('m', (uint64_t)module);
    for (unsigned i = 0; i < 3; i++)
        if (cuModuleGetFunction(&kernel, module, names[i]) == CUDA_SUCCESS)
            keep('f', (uint64_t)kernel);
}

static void call_at_exit(void)
{
    unsigned count = 20;
    call_some(&count);
}

int main(int argc, char **argv)
{
    unsigned count = argc > 2 ? (unsigned)atoi(argv[2]) : 1000, few = 10;
    int (*reset)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "cudaDeviceReset");
    int (*last)(void) = (int (*)(void))(uintptr_t)dlsym(RTLD_DEFAULT, "cudaDeviceSynchronize");
    all.state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    all.says = argc > 3;
    unsigned char *pages = mmap(NULL, OWN + 2 * ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + ROOM, OWN, PROT_READ | PROT_WRITE) != 0)
        return puts("there is no memory"), 1;
    all.own = pages + ROOM;
    for (unsigned i = 0; i < FUNCTIONS; i++)
        if (!(all.called[i] = dlsym(RTLD_DEFAULT, functions[i].name)))
            return printf("%s is missing\n", functions[i].name), 1;
    atexit(call_at_exit); /* behind the library's own handler, which writes results, */
    begin();
    atexit(call_at_exit); /* and before it */
    for (unsigned i = 0; i < count; i++) {
        pthread_t thread;
        unsigned way = below(100);
        if (way == 0 && pthread_create(&thread, NULL, call_some, &few) == 0)
            pthread_join(thread, NULL);
        else if (way == 1 && (below(4) == 0 || last() != 0)) /* most often behind a failure that stays */
            reset(), begin();
        else
            call(below(FUNCTIONS));
    }
    reset();
    begin();
    return all.wrong;
}
