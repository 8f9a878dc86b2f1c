/* SPDX-License-Identifier: BSD-3-Clause */
/* The dispatcher from inside: its state, which lies in the arena, and what is fixed by the machine or the run. */
#ifndef GPU_DISPATCH_STATE_H
#define GPU_DISPATCH_STATE_H

#include "gpu/dispatch/dispatch.h"
#include "gpu/listeners/listener.h"

enum dispatch_ports { DISPATCH_LAUNCH, DISPATCH_FINISH, DISPATCH_COPIES, DISPATCH_PORTS }; /* rows of the table */

struct dispatch_sm { /* free resources of an SM */
    uint64_t registers, shared;
    uint32_t warps, ctas;
};

enum { DISPATCH_CYCLE = 1000 }; /* thousandths of a core cycle */

enum { DISPATCH_FUNCTIONS = 1024 }; /* places for functions that have run; a power of two */

struct dispatch_functions { /* digests by open addressing; 0: a free place */
    uint64_t digest[DISPATCH_FUNCTIONS];
    uint64_t count;
};

struct dispatch_state {
    struct dispatch_kernel kernel[DISPATCH_SLOTS];
    uint64_t next_place; /* first cycle in which a CTA may be placed */
    uint64_t busy_until; /* the same, in thousandths of a cycle */
    uint64_t last_end;   /* cycle in which the last kernel ended */
    uint64_t all_ctas;   /* placed */
    uint64_t resident;   /* CTAs on the SMs */
    uint32_t turn;       /* place in the order of the SM that is looked at first */
    uint32_t group;      /* … and group, for clusters */
    uint32_t reserved;
    uint32_t no_room; /* the last attempt found no room: wait for a CTA to end */
    uint32_t no_more; /* the source has no more commands */
    uint32_t kernels_ended;
    struct gpu_copy copy; /* the host copy that waits to be told of */
    uint64_t next_copy;   /* first cycle in which a copy may be told of */
    uint32_t copy_waits;
    uint32_t copy_done; /* the copy has ended by the host's clock: it waits for no kernel */
};

struct dispatch {
    struct mnp_unit *unit;
    struct mnp_engine *engine;
    struct dispatch_config config;
    struct mnp_source *source; /* source of the configuration */
    struct dispatch_choice choice;
    struct gpu_listeners listeners;
    struct mnp_link **to_sm;        /* [sm count] of the unit's ports, as the next */
    struct mnp_link **to_partition; /* [partitions] for host copies and flushes */
    uint32_t told;                  /* partitions that are told of either: all or none */
    uint64_t keep_cycles;           /* how long an ended kernel keeps its slot */
    bool over;                      /* all work has ended, and the engine has been told so */

    struct dispatch_state *state;
    struct dispatch_sm *sms; /* [sm count] */
    struct dispatch_functions *functions;
    struct mnp_kernel *kernels[DISPATCH_SLOTS]; /* the front-end's descriptions */
    uint64_t taken;                             /* commands of the source, those that were passed over too */
};

/* ===== functions.c ===== */

/* Whether the kernel's function has not been launched before; it has been from now on. */
bool dispatch_is_first(struct dispatch_functions *functions, const struct mnp_kernel *kernel);

/* The model's functions (engine/declare/model.h). */
mnp_layout dispatch_lay_out;
void dispatch_freeze(struct mnp_unit *unit);
mnp_time dispatch_advance(struct mnp_unit *unit, mnp_time until);
bool dispatch_nears(const struct mnp_unit *unit);
void dispatch_report(const struct mnp_unit *unit, FILE *out);
void dispatch_pace(const struct mnp_unit *unit, size_t row, struct mnp_pace *pace);

#endif
