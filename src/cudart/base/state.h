/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one state that all functions of the runtime and the driver work on. It is made of parts; each part is written by
 * one file, which the part's comment names. Files of its room and of rooms above may read it. A program's calls take a
 * lock, so that host threads are served one after the other.
 *
 * api/ holds the functions that programs call: they check, translate, and call the rooms below, which never call them.
 * README.md lists the rooms from the ground up; a file calls only files of its own room and of rooms below.
 */
#ifndef CUDART_STATE_H
#define CUDART_STATE_H

#include "cudart/base/abi.h"
#include "cudart/base/driver_contexts.h"
#include "cudart/base/failure.h"
#include "cudart/base/interrupt.h"
#include "cudart/base/options.h"
#include "cudart/base/polling.h"
#include "cudart/base/rank_commands.h"
#include "cudart/base/sharing.h"

#include <pthread.h>
#include <stdbool.h>

enum { CUDART_FIRST_HANDLE = 0x100 };

/* Calls of the program. Owner: process/api_call.c. */
struct cudart_calls {
    struct cudart_options options; /* options from `maniple run` */
    bool begun;                    /* the first call has been made */
    bool reported;                 /* the program has ended, and results are being written, or have been */
    bool reporting;                /* results are being written; read by signal handlers */
    bool forked; /* this process is the copy of one that used the device, and nobody has been told yet */
    /* In the copy of a process that had made calls and used no device: makes the results its own once it uses one.
     * NULL: there is nothing to do. */
    void (*adopt)(struct cudart *rt);
    bool many_threads;    /* other threads have made calls too: their order is the host's, and not repeatable */
    int process;          /* process whose results these are: not a child's */
    uint32_t number;      /* number of this process among those of the run; 0: unknown */
    pthread_t thread;     /* thread of the first call */
    uint64_t count;       /* calls so far */
    const char *function; /* function of the call in progress; NULL: none */
    unsigned inside;      /* calls that have begun and not ended: a function of the host's makes some in another's */
    uint64_t since;       /* fs: the host's time when it began */
    int errors;           /* standard error as the program has found it, for what is said at its end; 0: not kept */
    uint64_t began;       /* ns of the host's own clock, for the description of the run */
    uint64_t translated;  /* ns of processors' time for kernels from PTX so far (device/modules.c) */
    uint64_t told;        /* ns: the same when the user was last told so */
    uint32_t from_text;   /* kernels from PTX so far */
};

/* The owner of the turn. Owner of this state: state.c. */
struct cudart_turn {
    bool calling;     /* a function of the program's runs, called from a stream */
    pthread_t caller; /* in this thread, which alone may make calls meanwhile */
};

struct cudart_device;
struct cudart_clock;
struct cudart_graphs;
struct cudart_profiler_ranges;
struct cudart_shared_machine;
struct cudart_simulation;
struct cudart_snapshots;
struct cudart_streams;

struct cudart {
    struct cudart_calls calls;
    struct cudart_turn turn;
    struct cudart_interrupt interrupt;
    struct cudart_faults faults;
    struct cudart_contexts contexts;
    struct cudart_polling polling; /* threads that ask the system in vain */
    struct cudart_sharing sharing; /* processes that share the devices (device/system.c) */
    struct processes processes;    /* processes that simulate the machine together, this one first (device/ranks.c) */
    /* Parts of the rooms above, which alone know what they hold. They are there from the first call on. */
    /* [machine_devices] (device/device.h): those that the program sees, by their ordinals, and then the others. */
    struct cudart_device *devices;
    uint32_t device_count, machine_devices;
    struct cudart_system *system; /* state shared by several devices; NULL: there is one (device/system.c) */
    struct cudart_streams *streams;
    struct cudart_graphs *graphs;
    struct cudart_clock *clock;
    struct cudart_simulation *simulation;
    struct cudart_snapshots *snapshots;
    struct cudart_profiler_ranges *ranges;
    struct cudart_shared_machine *shared; /* NULL: no other process shares time (stream/shared_machine.c) */
    /* Tables of one file each; a handle is a place in a table, from CUDART_FIRST_HANDLE on, and what stands there knows
     * its device. */
    struct mnp_array arrays;          /* struct cudart_array (memory/arrays.c) */
    struct mnp_array registered;      /* memory that the program has registered (memory/registered_memory.c) */
    struct mnp_array pools;           /* memory pools (device/memory_pools.c) */
    struct mnp_array pooled;          /* struct pooled: their allocations (device/memory_pools.c) */
    struct mnp_array imported;        /* memory of other processes (memory/exported_memory.c) */
    struct mnp_array pieces;          /* memory that programs map themselves (memory/virtual_memory.c) */
    struct mnp_array multicasts;      /* multicast objects (memory/multicast.c) */
    struct mnp_array links;           /* linkers of the driver API; NULL: destroyed (device/linker.c) */
    struct mnp_array legacy_launches; /* struct cudart_legacy_launch: launches in pieces (launch/legacy_launch.c) */
    struct mnp_array configurations;  /* struct cudart_configuration: a stack (launch/launch.c) */
};

/* State of one thread of the program. */
struct cudart_thread {
    enum cuda_error last_error;
    uint32_t device;                     /* number of the current one */
    enum cuda_capture_mode capture_mode; /* that it has set (cudaThreadExchangeStreamCaptureMode) */
    unsigned in_driver;                  /* a function of the driver's is at work, and may call the runtime's */
    struct mnp_array contexts;           /* uint64_t: the stack of current contexts */
    bool uses_device;                    /* the thread has made a call that needs a device */
    uint64_t newest;                     /* address of its newest allocation, 0: it has used streams since; */
    uint64_t newest_given;               /* … its device's operations at that time (memory/allocation.c) */
    bool clocked;                        /* the thread has made a call, so that this clock is valid: */
    uint64_t host;                       /* fs: its own clock, where threads have their own (stream/clock.c) */
    bool holds;                          /* SIGINT's disposition is ours for a call of this thread (signals.c) */
    bool locks;                          /* the thread holds the lock: it is inside a call */
    bool polled;                         /* an entry was sought for the thread (polling.c): */
    struct cudart_poller *poller;        /* its entry; NULL: there is none */
    char library[4096];                  /* the path of a library that it opens (api/libraries.c) */
};

/* This host thread's part. */
struct cudart_thread *cudart_thread(void);

/* The state, for what a call begins with; all others are handed it. */
struct cudart *cudart_state(void);

/* The lock alone. */
void cudart_lock(void);
void cudart_unlock(void);
/* Waits a second at most. False: somebody has the lock. */
bool cudart_lock_soon(void);
/* The lock, when the thread may make calls: while a function of the program's runs, its thread alone may. */
void cudart_take_turn(void);

/* Whether a thread is about to make a call, and waits for the lock. */
bool cudart_is_called(void);

/* Inside a call, lets other threads make calls, for `nanoseconds` at most. */
void cudart_let_others(uint64_t nanoseconds);

/* Inside a call, calls something that calls a function of the program's: without the lock, for a wrong one that calls
 * the runtime must not hang; but other threads wait. */
void cudart_call_out(struct cudart *rt, void (*work)(struct cudart *rt, const void *what), const void *what);

/* Whether this process is the one whose results are still to be written. Takes no lock. */
bool cudart_owes_results(void);

/* Whether this process is writing its results. Takes no lock. */
bool cudart_is_reporting(void);

#endif
