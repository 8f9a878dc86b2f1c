/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The drop-in CUDA runtime: the one context that its functions work on. A program's calls take a lock, so that host
 * threads are served one after the other; every call costs simulated time of the host (host.call).
 *
 * Files: abi.h numbers and structures of the binary interface; errors.c names of errors; options.c what `maniple run`
 * hands over; machine.c the simulated machine; module.c registration of device code; memory.c allocations; share.c
 * memory that host and device share; copy.c copies and fills; stream.c streams and events; queue.c what waits in
 * streams; advance.c the clocks; idle.c hosts that wait outside the runtime; launch.c launches and their checks;
 * device.c the device as the machine has it; execute.c the simulation of kernels; output.c what is written meanwhile;
 * texture.c arrays and textures; limits.c limits of the device; report.c results at the end of the program; signals.c
 * programs that a signal ends; missing.c functions that are not supported; driver_context.c, driver_module.c,
 * driver_memory.c, driver_stream.c, driver_link.c the driver API.
 */
#ifndef CUDART_CONTEXT_H
#define CUDART_CONTEXT_H

#include "cudart/abi.h"
#include "cudart/device.h"
#include "cudart/options.h"
#include "cudart/spread.h"
#include "engine/count/results.h"
#include "execute/recorder.h"
#include "frontend/cuda/fatbin.h"
#include "frontend/ptx/program.h"
#include "gpu/parameters.h"

#include <pthread.h>
#include <stdbool.h>

/* What the simulated device and host are beyond the machine file. */
#define CUDART_MEMORY ((uint64_t)CUDART_MEMORY_PAGES * MNP_MEMORY_PAGE)

#define CUDART_FS_PER_NS UINT64_C(1000000)

/* Device code that a program has registered: loaded before the program's first allocation; or that it has loaded by
 * itself. */
struct cudart_module {
    const struct cuda_wrapper *wrapper; /* NULL: it was loaded from an image */
    bool tried, said;                   /* that it could not be loaded */
    struct mnp_error error;
    enum cuda_error problem; /* why it could not be loaded */
    struct ptx_program program;
};

struct cudart_kernel {
    struct cudart_module *module;
    const void *host; /* the function that stands for it in the program */
    char *name;
    const struct execute_code *code; /* NULL: not decoded yet */
    uint32_t max_dynamic;            /* bytes of dynamic shared memory that the program has asked for */
};

struct cudart_variable {
    struct cudart_module *module;
    const void *host;
    char *name;
    void **managed; /* where the program keeps the address of a __managed__ variable; NULL: it is none */
};

struct cudart_stream {
    bool used, non_blocking;
    int priority;
    uint64_t done;                         /* fs: when the last of its operations that have ended did */
    struct cudart_operation *first, *last; /* those that have not; NULL: none */
};

struct cudart_event {
    bool used, recorded, untimed;
    uint32_t mark; /* of the last time that it was recorded (queue.h) */
};

/* Memory that host and kernels see at one address. */
struct cudart_shared {
    uint64_t address, bytes;
    bool managed;  /* otherwise pinned */
    bool variable; /* of a module: the program cannot free it */
    unsigned flags;
    unsigned char *agreed; /* what both had when they were last compared; NULL: not yet, zeros */
};

/* An array of texels, in rows of device memory. */
struct cudart_array {
    uint64_t address;     /* 0: freed */
    uint64_t pitch;       /* bytes */
    size_t width, height; /* texels; height 0: one dimension */
    size_t depth;         /* 0: two dimensions at most */
    unsigned flags;
    struct cuda_channel channel;
};

/* A context of the driver API. All of them share the one device and its memory. */
struct cudart_handle_context {
    bool used;
    unsigned flags;
};

/* What belongs to one thread of the program. */
struct cudart_thread {
    enum cuda_error last_error;
    unsigned in_driver;        /* a function of the driver's is at work, and may call the runtime's */
    struct mnp_array contexts; /* uint64_t: the stack of current contexts */
};

/* <<<…>>> between its two halves. */
struct cudart_configuration {
    struct cuda_dim3 grid, block;
    size_t shared;
    uint64_t stream;
    bool cooperative; /* its CTAs may wait for one another */
};

/* Of the cooperative grids of one stream. */
struct cudart_workspace {
    uint64_t stream, address;
};

struct cudart {
    struct cudart_options options;
    struct processes processes; /* that simulate the machine together, this being the first */
    const char *machine;        /* its name, or file */
    int major;                  /* of the runtime's version that the program was linked with; 0: with none */
    bool initialized;           /* cuInit */
    bool runtime;               /* the program uses the runtime, whose context is the primary one */
    unsigned retained;          /* by cuDevicePrimaryCtxRetain */
    enum cuda_error failure;    /* of the whole context: sticky until the device is reset */
    enum cuda_error pending;    /* of a kernel that has run, until the program waits for it */
    bool prepared, reported;
    bool refused;      /* something is not supported or wrong, and was said */
    int process;       /* whose results these are: not a child's */
    pthread_t thread;  /* that made the first call */
    bool many_threads; /* others have made calls too: their order is the host's, and not repeatable */
    struct mnp_settings *settings;
    struct gpu_parameters parameters;
    struct execute_device device;
    struct execute_recorder *recorder; /* of a trace; NULL: none */
    struct mnp_results results;
    struct mnp_array modules;           /* struct cudart_module * */
    struct mnp_array kernels;           /* struct cudart_kernel * */
    struct mnp_array variables;         /* struct cudart_variable */
    struct mnp_array streams;           /* struct cudart_stream; handle: place + CUDART_FIRST_HANDLE */
    struct mnp_array events;            /* struct cudart_event; likewise */
    struct mnp_array shared;            /* struct cudart_shared */
    struct mnp_array arrays;            /* struct cudart_array; handle as of streams */
    struct mnp_array contexts;          /* struct cudart_handle_context; handle as of streams; 0: the primary one */
    struct mnp_array registered;        /* memory that the program has registered (register.c) */
    struct mnp_array pools;             /* memory pools (pool.c); handle as of streams */
    uint64_t pool;                      /* the device's; 0: the default one */
    struct mnp_array workspaces;        /* struct cudart_workspace */
    struct mnp_array links;             /* struct CUlinkState_st *; NULL: destroyed */
    struct mnp_array configurations;    /* struct cudart_configuration: a stack */
    struct mnp_array marks;             /* struct cudart_mark */
    struct mnp_array started;           /* struct cudart_operation *: the machine's kernels by number; NULL: ended */
    struct mnp_array warned;            /* const char *: names of functions that have been called in vain */
    uint64_t allocated;                 /* bytes of device memory */
    uint64_t now, device_now;           /* fs: the clocks of the host program and of the device */
    uint64_t compute, upload, download; /* fs: when the device's engines are free; compute: without timing alone */
    uint64_t sequence;                  /* operations given to streams */
    uint32_t running;                   /* kernels that the machine has and that have not ended */
    bool timed;                         /* kernels are simulated with time */
    bool calling;                       /* a function of the host, from a stream */
    pthread_t caller;                   /* the thread that does */
    uint64_t calls;                     /* of the runtime, so far */
    uint64_t called;                    /* fs: when the last of these functions was */
    uint32_t functions;                 /* of the host's that wait in streams */
    bool watched;                       /* a thread looks whether the host waits for one of them (idle.c) */
    bool executed;                      /* a kernel has run since host and device last agreed about shared memory */
    struct mnp_source *source;          /* of the machine's kernels; NULL: none has been built */
    struct gpu_session *session;
    struct cudart_output *output; /* what is written during the run */
    uint64_t began;               /* ns of the host's own clock, for the description of the run */
    unsigned device_flags;
    uint64_t limits[3]; /* that the program has set; 0: as at first */
};

enum { CUDART_FIRST_HANDLE = 0x100 };

/* The lock alone. */
void cudart_lock(void);
void cudart_unlock(void);

/* Inside a call, calls something that calls a function of the program's: without the lock, for a wrong one that calls
 * the runtime must not hang; but other threads wait. */
void cudart_call_out(struct cudart *rt, void (*work)(struct cudart *rt, const void *what), const void *what);

/* Begins a call: takes the lock, prepares the context the first time, and lets the host's clock advance. */
struct cudart *cudart_enter(void);
/* The same at no cost of time, for a look before the call itself. */
struct cudart *cudart_look(void);
/* Ends it: keeps an error for cudaGetLastError, gives the lock back, and returns the error. */
int cudart_leave(struct cudart *rt, enum cuda_error error);
/* Ends a call whose result is no error to remember (cudaErrorNotReady). */
int cudart_leave_quietly(struct cudart *rt, enum cuda_error error);

/* This host thread's part. */
struct cudart_thread *cudart_thread(void);

/* The last error of this host thread. */
enum cuda_error cudart_last_error(bool clear);

/* errors.c: a sentence for an error of the runtime's; NULL: there is no such error. */
const char *cudart_error_text(int code);

/* A call that nothing is done in once the context has failed. */
#define CUDART_CALL(work)                                                                                              \
    do {                                                                                                               \
        struct cudart *rt = cudart_enter();                                                                            \
        return cudart_leave(rt, rt->failure ? rt->failure : (work));                                                   \
    } while (0)

/* A message of ours to the user, on standard error. */
void cudart_say(const struct mnp_error *error);
/* The same for what we refuse to do: the run then ends with status 2. */
enum cuda_error cudart_refuse(struct cudart *rt, const struct mnp_error *error, enum cuda_error code);

/* What kernels have left behind becomes the context's failure; for calls that wait for kernels. */
enum cuda_error cudart_surface(struct cudart *rt);

/* machine.c: chooses and builds the device. */
enum cuda_error cudart_prepare(struct cudart *rt);
enum { CUDART_NEWEST = 13 };                 /* of the versions of CUDA whose runtime this is */
int cudart_version(const struct cudart *rt); /* as cudaDriverGetVersion has it: 13000 */
void cudart_restart(struct cudart *rt); /* cudaDeviceReset: all but what the program has registered is as at first */

/* module.c */
void cudart_load_all(struct cudart *rt);
enum cuda_error cudart_load(struct cudart *rt, struct cudart_module *module);
enum cuda_error cudart_kernel_of(struct cudart *rt, const void *function, struct cudart_kernel **kernel);
enum cuda_error cudart_symbol(struct cudart *rt, const void *symbol, uint64_t *address, uint64_t *bytes);
void cudart_unload_all(struct cudart *rt);
/* A module from an image in memory: PTX, or a fat binary that holds PTX. `bytes`: of the image; 0: not known, and the
 * image itself tells. The error is in `error` too, for logs. */
enum cuda_error cudart_load_image(struct cudart *rt, const char *name, const void *image, size_t bytes,
                                  struct cudart_module **module, struct mnp_error *error);
/* The PTX in an image, added to texts (struct execute_text) that cudart_free_texts frees. Several modules may stand in
 * one image of plain text, with a mark between them: what cuLinkComplete makes. */
#define CUDART_LINK_MARK "\n//@ maniple: the next module to be linked\n"
enum cuda_error cudart_read_image(struct cudart *rt, const char *name, const void *image, size_t bytes,
                                  struct mnp_array *texts, struct mnp_error *error);
void cudart_free_texts(struct mnp_array *texts);
void cudart_unload(struct cudart *rt, struct cudart_module *module);
bool cudart_module_known(const struct cudart *rt, const void *module);
/* The handle of one of its kernels, decoded. */
enum cuda_error cudart_kernel_named(struct cudart *rt, struct cudart_module *module, const char *name,
                                    struct cudart_kernel **kernel);
uint32_t cudart_newest_architecture(const struct cudart *rt); /* of all registered code; 0: none */

/* memory.c */
enum cuda_error cudart_allocate(struct cudart *rt, void **out, uint64_t bytes);
enum cuda_error cudart_release(struct cudart *rt, uint64_t address);
enum cuda_error cudart_allocate_shared(struct cudart *rt, uint64_t bytes, bool managed, unsigned flags, void **out);
/* Lets the host see a variable of a module. False: something else lies there. */
bool cudart_share_variable(struct cudart *rt, uint64_t address, uint64_t bytes);
void cudart_release_shared(struct cudart *rt);
struct cudart_shared *cudart_shared_at(const struct cudart *rt, uint64_t address);   /* NULL: it is no shared memory */
bool cudart_on_device(const struct cudart *rt, uint64_t address);                    /* and on it alone */
bool cudart_device_range(const struct cudart *rt, uint64_t address, uint64_t bytes); /* allocated as one */

/* share.c: brings what host and kernels have written to shared memory to one another, in allocations of at most so many
 * bytes. False: no memory. */
enum { CUDART_SMALL = 64 * 1024 };
#define CUDART_ALL UINT64_MAX
bool cudart_agree(struct cudart *rt, uint64_t largest);
bool cudart_agree_about(struct cudart *rt, uint64_t address, uint64_t bytes); /* a range, if it is shared */

/* copy.c: rows of bytes; with `wait`, until they have been copied. */
struct cudart_area {
    uint64_t to, to_pitch, from, from_pitch, width, height;
};
enum cuda_error cudart_copy_area(struct cudart *rt, const struct cudart_area *area, int kind, uint64_t stream,
                                 bool wait);
/* Fills rows (to, to_pitch, width in bytes, height) with a value of 1, 2 or 4 bytes. */
enum cuda_error cudart_fill_area(struct cudart *rt, const struct cudart_area *area, uint32_t value, unsigned bytes_each,
                                 uint64_t stream);

/* stream.c */
bool cudart_stream_known(const struct cudart *rt, uint64_t stream);
enum cuda_error cudart_wait_stream(struct cudart *rt, uint64_t stream);
void cudart_wait_all(struct cudart *rt);

/* advance.c: without timing, executes at once all that streams have been given; the host's clock stays. */
void cudart_execute_all(struct cudart *rt);

/* execute.c: the machine, once kernels are to run on it; its results, when the program ends. */
enum cuda_error cudart_begin_machine(struct cudart *rt);
void cudart_end_machine(struct cudart *rt);

/* report.c: the results, when the program ends; the exit status that it is to have. */
int cudart_report(struct cudart *rt, int status);

/* context.c: whether this process is the one whose results are still to be written. */
bool cudart_owes_results(void);

/* signals.c: from now on a signal that ends the program says that there are no results. */
void cudart_watch_signals(const struct cudart *rt);

#endif
