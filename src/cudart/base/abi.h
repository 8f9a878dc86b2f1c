/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The binary interface of the CUDA runtime library, as programs compiled by nvcc 13 (and 12) expect it: numbers,
 * structures, and how a function is exported. Names in structures are ours; the places are theirs.
 */
#ifndef CUDART_ABI_H
#define CUDART_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Compiled with hidden symbols: what is marked so is what a program can call. */
#define CUDART_API __attribute__((visibility("default")))

enum cuda_error {
    CUDA_SUCCESS = 0,
    CUDA_INVALID_VALUE = 1,
    CUDA_MEMORY_ALLOCATION = 2,
    CUDA_INITIALIZATION_ERROR = 3,
    CUDA_INVALID_CONFIGURATION = 9,
    CUDA_INVALID_PITCH_VALUE = 12,
    CUDA_INVALID_SYMBOL = 13,
    CUDA_INVALID_DEVICE_POINTER = 17,
    CUDA_INVALID_MEMCPY_DIRECTION = 21,
    CUDA_INVALID_CHANNEL_DESCRIPTOR = 20,
    CUDA_INVALID_FILTER_SETTING = 26,
    CUDA_INVALID_NORM_SETTING = 27,
    CUDA_MISSING_CONFIGURATION = 52,
    CUDA_INVALID_DEVICE_FUNCTION = 98,
    CUDA_NO_DEVICE = 100,
    CUDA_INVALID_DEVICE = 101,
    CUDA_PEER_ACCESS_UNSUPPORTED = 217,
    CUDA_PEER_ACCESS_ALREADY_ENABLED = 704,
    CUDA_PEER_ACCESS_NOT_ENABLED = 705,
    CUDA_INVALID_KERNEL_IMAGE = 200,
    CUDA_INVALID_CONTEXT = 201,
    CUDA_NO_KERNEL_IMAGE_FOR_DEVICE = 209,
    CUDA_UNSUPPORTED_LIMIT = 215,
    CUDA_INVALID_PTX = 218,
    CUDA_FILE_NOT_FOUND = 301,
    CUDA_INVALID_RESOURCE_HANDLE = 400,
    CUDA_ILLEGAL_STATE = 401,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_READY = 600,
    CUDA_ILLEGAL_ADDRESS = 700,
    CUDA_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_LAUNCH_TIMEOUT = 702,
    CUDA_CONTEXT_IS_DESTROYED = 709,
    CUDA_ASSERT = 710,
    CUDA_HOST_MEMORY_ALREADY_REGISTERED = 712,
    CUDA_HOST_MEMORY_NOT_REGISTERED = 713,
    CUDA_HARDWARE_STACK_ERROR = 714,
    CUDA_ILLEGAL_INSTRUCTION = 715,
    CUDA_MISALIGNED_ADDRESS = 716,
    CUDA_INVALID_PC = 718,
    CUDA_LAUNCH_FAILURE = 719,
    CUDA_COOPERATIVE_LAUNCH_TOO_LARGE = 720,
    CUDA_TENSOR_MEMORY_LEAK = 721,
    CUDA_NOT_PERMITTED = 800,
    CUDA_NOT_SUPPORTED = 801,
    CUDA_STREAM_CAPTURE_UNSUPPORTED = 900,
    CUDA_STREAM_CAPTURE_INVALIDATED = 901,
    CUDA_STREAM_CAPTURE_MERGE = 902,
    CUDA_STREAM_CAPTURE_UNMATCHED = 903,
    CUDA_STREAM_CAPTURE_UNJOINED = 904,
    CUDA_STREAM_CAPTURE_ISOLATION = 905,
    CUDA_STREAM_CAPTURE_IMPLICIT = 906,
    CUDA_CAPTURED_EVENT = 907,
    CUDA_STREAM_CAPTURE_WRONG_THREAD = 908,
    CUDA_GRAPH_EXEC_UPDATE_FAILURE = 910,
    CUDA_INVALID_CLUSTER_SIZE = 912,
};

enum cuda_copy_kind {
    CUDA_HOST_TO_HOST,
    CUDA_HOST_TO_DEVICE,
    CUDA_DEVICE_TO_HOST,
    CUDA_DEVICE_TO_DEVICE,
    CUDA_COPY_DEFAULT, /* the addresses tell */
};

struct cuda_dim3 {
    uint32_t x, y, z;
};

/* Streams that a program does not create. */
#define CUDA_STREAM_LEGACY     UINT64_C(1)
#define CUDA_STREAM_PER_THREAD UINT64_C(2)

enum { CUDA_STREAM_NON_BLOCKING = 1, CUDA_EVENT_DISABLE_TIMING = 2, CUDA_EVENT_INTERPROCESS = 4 };

enum cuda_capture_mode { CUDA_CAPTURE_GLOBAL, CUDA_CAPTURE_THREAD, CUDA_CAPTURE_RELAXED };

struct cuda_func_attributes {
    size_t shared, constant, local;
    int max_threads, registers, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared, shared_carveout;
    int cluster_must_be_set, cluster_width, cluster_height, cluster_depth, cluster_policy, non_portable_cluster;
    int reserved[16];
};

enum {
    CUDA_FUNC_MAX_DYNAMIC_SHARED = 8,
    CUDA_FUNC_SHARED_CARVEOUT = 9,
    CUDA_FUNC_CLUSTER_WIDTH = 11,
    CUDA_FUNC_CLUSTER_HEIGHT = 12,
    CUDA_FUNC_CLUSTER_DEPTH = 13,
    CUDA_FUNC_NON_PORTABLE_CLUSTER = 14,
    CUDA_FUNC_CLUSTER_POLICY = 15,
};

struct cuda_pointer_attributes {
    int type; /* 0: unregistered, 1: host, 2: device, 3: managed */
    int device;
    void *device_pointer, *host_pointer;
    long reserved[8];
};

struct cuda_extent {
    size_t width, height, depth;
};

struct cuda_position {
    size_t x, y, z;
};

/* Memory in rows; height: from slice to slice, in rows. */
struct cuda_pitched {
    void *address;
    size_t pitch, width, height;
};

struct cuda_copy_3d {
    uint64_t from_array;
    struct cuda_position from_at;
    struct cuda_pitched from;
    uint64_t to_array;
    struct cuda_position to_at;
    struct cuda_pitched to;
    struct cuda_extent extent;
    int kind;
};

/* Format of a texel: bits of each channel; kind 0: signed, 1: unsigned, 2: float. */
struct cuda_channel {
    int bits[4];
    int kind;
};

enum { CUDA_RESOURCE_ARRAY, CUDA_RESOURCE_MIPMAPPED, CUDA_RESOURCE_LINEAR, CUDA_RESOURCE_PITCH };

struct cuda_resource {
    int kind;
    union {
        uint64_t array;
        struct {
            uint64_t address;
            struct cuda_channel channel;
            size_t size;          /* linear: bytes; pitch: width in texels */
            size_t height, pitch; /* pitch alone: texels, bytes */
        };
        char whole[56];
    };
};

struct cuda_texture {
    int addressing[3], filter, read, srgb;
    float border[4];
    int normalized;
    int others[6]; /* anisotropy and levels of detail: arrays have one level */
    int seamless;  /* filters of a cube map go on behind an edge; since CUDA 12 */
};

struct cuda_launch_config {
    struct cuda_dim3 grid, block;
    size_t dynamic_shared;
    uint64_t stream;
    const struct cuda_launch_attribute *attributes;
    unsigned attribute_count;
};

struct cuda_launch_attribute { /* 72 bytes */
    uint32_t id;
    uint32_t padding;
    union {
        char bytes[64];
        int number;
        uint64_t event;
    };
};

enum cuda_attribute { /* attributes of launches that change their meaning, beside clusters */
                      CUDA_ATTRIBUTE_COOPERATIVE = 2,
                      CUDA_ATTRIBUTE_PROGRAMMATIC = 6, /* the kernel before it in its stream says when it may begin */
                      CUDA_ATTRIBUTE_PROGRAMMATIC_EVENT = 7, /* an event, when its CTAs have said so to others */
                      CUDA_ATTRIBUTE_COMPLETION_EVENT = 12,  /* an event, when all of them have begun */
                      CUDA_ATTRIBUTE_UPDATABLE = 13, /* a graph's node that kernels change: it is not supported */
                      CUDA_ATTRIBUTES = 17,          /* CUDA 13 has none of this number and more */
};

/* cudaDeviceProp of CUDA 13. */
struct cuda_properties_13 {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t memory, shared_per_block;
    int registers_per_block, warp;
    size_t pitch;
    int threads_per_block, block[3], grid[3];
    size_t constant;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int sms, integrated, maps_host_memory;
    int images[39]; /* limits of textures and surfaces; 0: none are supported */
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing;
    int bus_width, l2_bytes, l2_persisting_bytes, threads_per_sm, stream_priorities, l1_global, l1_local;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_board, multi_board_group, host_atomics, pageable_access;
    int concurrent_managed, preemption, host_pointer_registered, cooperative;
    size_t shared_per_block_optin;
    int pageable_tables, direct_managed, blocks_per_sm, access_window;
    size_t shared_reserved;
    int host_register, sparse, host_register_read_only, timeline_semaphore, memory_pools, rdma;
    unsigned rdma_flush;
    int rdma_ordering;
    unsigned pool_handles;
    int deferred_arrays, ipc_events, cluster_launch, unified_functions, numa_config, numa_id, mps, host_numa;
    unsigned pci_device_id, pci_subsystem_id;
    int host_numa_ipc;
    int reserved[56];
};

/* cudaDeviceProp of CUDA 12. */
struct cuda_properties_12 {
    char name[256];
    char uuid[16], luid[8];
    unsigned luid_mask;
    size_t memory, shared_per_block;
    int registers_per_block, warp;
    size_t pitch;
    int threads_per_block, block[3], grid[3], clock;
    size_t constant;
    int major, minor;
    size_t texture_alignment, texture_pitch_alignment;
    int overlap, sms, timeout, integrated, maps_host_memory, mode;
    int images[40];
    size_t surface_alignment;
    int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc, async_engines, unified_addressing;
    int memory_clock, bus_width, l2_bytes, l2_persisting_bytes, threads_per_sm, stream_priorities, l1_global, l1_local;
    size_t shared_per_sm;
    int registers_per_sm, managed, multi_board, multi_board_group, host_atomics, double_ratio, pageable_access;
    int concurrent_managed, preemption, host_pointer_registered, cooperative, cooperative_multi;
    size_t shared_per_block_optin;
    int pageable_tables, direct_managed, blocks_per_sm, access_window;
    size_t shared_reserved;
    int host_register, sparse, host_register_read_only, timeline_semaphore, memory_pools, rdma;
    unsigned rdma_flush;
    int rdma_ordering;
    unsigned pool_handles;
    int deferred_arrays, ipc_events, cluster_launch, unified_functions;
    int reserved[63];
};

_Static_assert(sizeof(struct cuda_properties_13) == 1008, "cudaDeviceProp of CUDA 13");
_Static_assert(offsetof(struct cuda_properties_13, surface_alignment) == 552, "cudaDeviceProp of CUDA 13");
_Static_assert(offsetof(struct cuda_properties_13, cluster_launch) == 748, "cudaDeviceProp of CUDA 13");
_Static_assert(sizeof(struct cuda_properties_12) == 1032, "cudaDeviceProp of CUDA 12");
_Static_assert(offsetof(struct cuda_properties_12, sms) == 388, "cudaDeviceProp of CUDA 12");
_Static_assert(offsetof(struct cuda_properties_12, surface_alignment) == 568, "cudaDeviceProp of CUDA 12");
_Static_assert(offsetof(struct cuda_properties_12, cluster_launch) == 772, "cudaDeviceProp of CUDA 12");
_Static_assert(sizeof(struct cuda_func_attributes) == 144, "cudaFuncAttributes");
_Static_assert(sizeof(struct cuda_pointer_attributes) == 88, "cudaPointerAttributes");
_Static_assert(offsetof(struct cuda_resource, pitch) == 56, "cudaResourceDesc");
_Static_assert(offsetof(struct cuda_texture, normalized) == 40, "cudaTextureDesc");
_Static_assert(sizeof(struct cuda_copy_3d) == 160, "cudaMemcpy3DParms");
_Static_assert(sizeof(struct cuda_launch_config) == 56, "cudaLaunchConfig_t");
_Static_assert(sizeof(struct cuda_launch_attribute) == 72, "cudaLaunchAttribute");

#endif
