/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The streaming multiprocessor, from outside: what a machine needs to build its SMs, and what reads their statistics.
 * docs/sm.md says what it models and which file of this folder does what.
 */
#ifndef GPU_SM_SM_H
#define GPU_SM_SM_H

#include "contract/live.h"
#include "engine/core/engine.h"
#include "engine/count/tally.h"
#include "engine/count/timeline.h"
#include "gpu/network/network.h"
#include "gpu/sm/parameters.h"
#include "gpu/sm/remote_port.h"
#include "gpu/sm/statistics.h"

struct sm;

enum sm_ports { /* rows of the table */
#define SM_STAGE_PORT(NUMBER, ROW) NUMBER,
#include "gpu/sm/stages/rows.h"
                SM_PORTS
};

extern const struct mnp_model sm_model;

/* Cycles between an L1 miss of an unloaded SM and its departure, beyond the look-up; part of latency.l2. */
enum { SM_MISS_CYCLES = 1 };

/* Parts of its device that an SM uses: the kernel of a slot, and the source of its code. */
struct sm_device {
    struct mnp_source *source;
    struct mnp_kernel **kernels; /* by kernel slot */
};

struct sm_config {
    const struct sm_parameters *parameters;       /* accepted by sm_l1d_check, …; stays valid, as the device does */
    const struct gpu_network_parameters *network; /* stays valid */
    struct sm_peers peers;                        /* its parameters stay valid */
    const struct sm_device *device;
    uint16_t index; /* number of the SM in its machine */
    uint64_t hertz;
    uint32_t slots;  /* kernel slots of the device */
    uint32_t bundle; /* bundle of its unit */
};

/* Creates the unit of an SM, whose ports are connected afterwards (engine/core/port.h): that of requests with as many
 * packets in flight as the GPC has places for them. Free with sm_release. */
struct sm *sm_create(struct mnp_engine *engine, const struct sm_config *config);
void sm_release(struct sm *sm);

struct mnp_unit *sm_unit(const struct sm *sm);

/* State shared by the SM and a source of live warps; NULL: the machine does not execute. */
struct mnp_live_core *sm_core(const struct sm *sm);

/* timeline.c: from now on records when warps live and packets are under way: what overlaps a window of time, at most
 * `most` spans. */
void sm_timeline_open(struct sm *sm, mnp_time from, mnp_time to, uint32_t most);

/* The record; warps that live end now. */
const struct mnp_timeline *sm_timeline_close(struct sm *sm, mnp_time now);

/* profile.c: from now on counts what each instruction costs; the counts, warps that live included. */
void sm_profile_open(struct sm *sm);
struct mnp_tally *sm_profile_close(struct sm *sm);

/* Whether the caches of these parameters can be built; an error that says what to change, if not. */
bool sm_check(const struct sm_parameters *parameters, struct mnp_error *error);

/* Address of the code of a kernel of that name. Its constants lie SM_CONSTANTS behind it. */
uint64_t sm_code_base(const char *kernel);
#define SM_CONSTANTS (UINT64_C(1) << 23)

#endif
