/* SPDX-License-Identifier: BSD-3-Clause */
/* A machine on a GPU, as the host sees it. */
#ifndef MANYCORE_GPU_H
#define MANYCORE_GPU_H

#include "engine/executors/executor.h"
#include "manycore/gpu/device.h"
#include "manycore/gpu/driver.h"
#include "manycore/machine/machine.h"

/* Device memory of one kind, and how it lies. */
struct manycore_array {
    CUdeviceptr at;
    size_t bytes;
};

/* Arrays of a machine on a GPU; those of 32 tiles are [warps] of interleaved tiles. */
enum manycore_gpu_array {
    MANYCORE_GPU_DEVICE,
    MANYCORE_GPU_BLOCKS,
    MANYCORE_GPU_STATES,
    MANYCORE_GPU_TILES,
    MANYCORE_GPU_ROUTERS,
    MANYCORE_GPU_NODES,
    MANYCORE_GPU_ENTRIES,
    MANYCORE_GPU_HEAPS,
    MANYCORE_GPU_PLACES,
    MANYCORE_GPU_BITS, /* active, local, spinning */
    MANYCORE_GPU_MOVES,
    MANYCORE_GPU_ANSWERS,
    MANYCORE_GPU_INSTRUCTION_WORDS, /* data of 32 tiles */
    MANYCORE_GPU_INSTRUCTION_NEXT,
    MANYCORE_GPU_DATA_WORDS,
    MANYCORE_GPU_DATA_NEXT,
    MANYCORE_GPU_GUESSES,
    MANYCORE_GPU_SCRATCHPADS, /* data of 32 tiles */
    MANYCORE_GPU_LISTS,       /* readable and writable pages of each tile */
    MANYCORE_GPU_POOLS,       /* the pool of all pages, then those of the warps */
    MANYCORE_GPU_TABLES,      /* pages of the warps */
    MANYCORE_GPU_PAGES,
    MANYCORE_GPU_SHARED,
    MANYCORE_GPU_POINTS,
    MANYCORE_GPU_COMMON,
    MANYCORE_GPU_PARAMETERS,
    MANYCORE_GPU_IMAGE,
    MANYCORE_GPU_PROGRAM,
    MANYCORE_GPU_SEGMENTS,   /* their bytes, one after another */
    MANYCORE_GPU_OPS,        /* the same of the decoded code, */
    MANYCORE_GPU_TRANSLATED, /* … and entries of its translation */
    MANYCORE_GPU_IMAGE_LIST, /* the image's pages, */
    MANYCORE_GPU_READ_ONLY,
    MANYCORE_GPU_IMAGE_PAGES, /* … which are stored here, each word for 32 lanes, and a page of zeros behind them */
    MANYCORE_GPU_VERSIONS,
    MANYCORE_GPU_WRITERS,
    MANYCORE_GPU_NEIGHBOURS,
    MANYCORE_GPU_SLOTS,
    MANYCORE_GPU_ACCESS,
    MANYCORE_GPU_ACCESS_LISTS,
    MANYCORE_GPU_TEXTS,
    MANYCORE_GPU_ARRAYS
};

struct manycore_gpu {
    struct manycore_driver driver;
    struct manycore_machine *machine;
    CUfunction run; /* many cycles; */
    bool relaunch;  /* alternatively, one step of a cycle after another: */
    CUfunction visit, serve, look;
    bool free; /* with free runs of cores in between (mesh/free.h): */
    CUfunction phase, finish;
    uint64_t last, pending; /* the cycle that was visited last; cores that had found an access then */
    unsigned threads, grid; /* size of a thread block; number of thread blocks */
    struct manycore_array arrays[MANYCORE_GPU_ARRAYS];
    struct manycore_device device; /* copy of the struct on the device */
    uint32_t tiles, warps, pages;  /* pages of a tile */
    uint64_t until;                /* cycle that the device has reached */
    bool stale;                    /* the host's state is older than the device's */
    bool counting;                 /* arrays are counted, not yet taken */
    bool translated;               /* the module has a translation of the program */
};

/* gpu.c: puts a machine on the first GPU. `translated`: the kernels with the program's translation, as PTX; NULL: cores
 * are interpreted. False: there is no GPU, or it is too small. */
bool manycore_gpu_open(struct manycore_machine *machine, const struct mnp_executor *executor, const char *translated,
                       struct mnp_error *error);
void manycore_gpu_close(struct manycore_machine *machine);

/* translation.c: the kernels of a machine together with the program's translation for a GPU, as PTX, made by NVRTC or
 * from the cache of translations; free it. NULL: there is none; `why` says why. */
char *manycore_gpu_translate(const struct manycore_image *image, const struct manycore_parameters *parameters,
                             bool compile, struct mnp_error *why);

/* array.c. While gpu->counting is set they note how much is wanted, and do nothing else. Takes an array of device
 * memory; */
bool manycore_array_take(struct manycore_gpu *gpu, enum manycore_gpu_array which, size_t count, size_t size,
                         struct mnp_error *error);

/* fills it, or its first bytes; */
bool manycore_array_put(struct manycore_gpu *gpu, enum manycore_gpu_array which, const void *from,
                        struct mnp_error *error);
bool manycore_array_put_some(struct manycore_gpu *gpu, enum manycore_gpu_array which, const void *from, size_t bytes,
                             struct mnp_error *error);

/* takes and fills it; the same, and frees `from`; the same with zeros. */
bool manycore_array_copy(struct manycore_gpu *gpu, enum manycore_gpu_array which, const void *from, size_t count,
                         size_t size, struct mnp_error *error);
bool manycore_array_give(struct manycore_gpu *gpu, enum manycore_gpu_array which, void *from, size_t count, size_t size,
                         struct mnp_error *error);
bool manycore_array_clear(struct manycore_gpu *gpu, enum manycore_gpu_array which, size_t count, size_t size,
                          struct mnp_error *error);

/* An array as it is on the device; free it. NULL: the device has failed. */
void *manycore_array_get(const struct manycore_gpu *gpu, enum manycore_gpu_array which, struct mnp_error *error);

/* A place in an array, as a pointer of the device. */
void *manycore_array_at(const struct manycore_gpu *gpu, enum manycore_gpu_array which, size_t bytes);

/* state.c: takes device memory for the machine as it is now and fills it; brings the device's state back. */
bool manycore_gpu_upload(struct manycore_gpu *gpu, struct mnp_error *error);
bool manycore_gpu_download(struct manycore_gpu *gpu, struct mnp_error *error);

/* transit.c: puts what is on its way into the host's queues and links; takes it from the links again; counts in
 * engine.device.moved whether anything has moved over links since a cycle. False: the device has failed. */
bool manycore_gpu_place_transit(struct manycore_gpu *gpu, struct mnp_error *error);
void manycore_gpu_take_transit(struct manycore_gpu *gpu);
bool manycore_gpu_count_transit(struct manycore_gpu *gpu, uint64_t from, struct mnp_error *error);

#endif
