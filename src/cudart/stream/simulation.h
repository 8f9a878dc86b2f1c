/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulation of kernels. */
#ifndef CUDART_SIMULATION_H
#define CUDART_SIMULATION_H

#include "contract/instruction.h"
#include "contract/sampling.h"
#include "cudart/base/abi.h"
#include "cudart/base/options.h"
#include "cudart/stream/streams.h"
#include "engine/count/results.h"
#include "execute/live/warming.h"

struct cudart;
struct cudart_output;

struct cudart_warm_code {
    char kernel[MNP_KERNEL_NAME];
    uint64_t bytes, constants; /* sizes of its code, and of its parameters with what stands before them */
};

/* A kernel by value that polls for what another kernel, a copy or the host will do. */
struct cudart_aside {
    struct cudart_operation *operation;
    struct execute_open_grid *grid;
    uint64_t steps; /* executed so far */
};

/* Owner: simulation.c; `output`: run_output.c; the description of the run in the results: report.c. */
struct cudart_simulation {
    bool timed;                      /* kernels are simulated with time */
    struct mnp_sampling sampling;    /* kernels that are simulated with time, or recorded */
    bool misplanned;                 /* its plan is another program's */
    struct execute_warming *warming; /* memory that kernels by value touch; NULL: not recorded */
    struct mnp_array codes; /* struct cudart_warm_code: kernels by value, in the order of their last launches */
    uint32_t by_value;      /* kernels that were not */
    enum mnp_end end;       /* FINISHED: as the session says */
    struct mnp_array aside; /* struct cudart_aside: kernels by value that wait for others, in their order */
    uint32_t idle;          /* rounds of turns, one after the other, in which these only polled */
    struct mnp_session *session;
    bool collected; /* the machine has stopped for good, or the program has ended: its results are complete */
    struct mnp_results results;
    struct cudart_output *output; /* output during the run */
};

void cudart_simulation_init(struct cudart *rt);
/* The record of memory that kernels by value touch (--between warm); NULL: there is none. */
struct execute_warming *cudart_warming(struct cudart *rt, const struct cudart_device *device);
/* Whether a device runs kernels. */
bool cudart_is_running(const struct cudart *rt);
/* Builds the machine. False: `error` says why. */
bool cudart_build_machine(struct cudart *rt, struct mnp_error *error);
/* A kernel has been given to a stream, as those before it, for those that --kernels counts from it. */
void cudart_meet_kernel(struct cudart *rt, const struct cudart_operation *operation);
/* Whether a kernel is executed without time, though there is a machine or not. */
bool cudart_is_by_value(const struct cudart *rt, struct cudart_operation *operation);
void cudart_start_kernel(struct cudart *rt, struct cudart_operation *operation);
/* Whether kernels by value were put aside. Their turns, one each; false: all of them have only polled. */
bool cudart_is_aside(const struct cudart *rt);
/* The name of the first kernel that was put aside; NULL: there is none. */
const char *cudart_first_aside(const struct cudart *rt);
bool cudart_take_turns(struct cudart *rt);
/* Whether they have only polled in the last rounds; `for_good`: in so many that nothing will come. */
bool cudart_turns_are_vain(const struct cudart *rt, bool for_good);
void cudart_renew_turns(struct cudart *rt); /* after an event that they may wait for */
/* Reports kernels that poll for values that will never be written, with the place of each, and fails. */
void cudart_give_up(struct cudart *rt);
/* Runs the machine to a time (MNP_NEVER: until a kernel has ended); returns the device's time. */
uint64_t cudart_run_machine(struct cudart *rt, uint64_t until);
/* The same for several processes: they have announced the next time at which one of them does something. */
uint64_t cudart_run_machine_beside(struct cudart *rt, uint64_t until);
/* The machine, if there is one, looks at its sources again. */
void cudart_wake_machine(struct cudart *rt);
/* The machine waits for the end of a copy or a fill, which is known: a standstill until then is none. */
void cudart_await_end_of(struct cudart *rt, const struct cudart_operation *operation);
/* Behind a snapshot: a kernel that the machine had, by its order. False: there is none. */
bool cudart_give_again(struct cudart *rt, struct cudart_operation *operation);
/* The same, of a kernel that had ended: its number among the program's. */
void cudart_give_gone(struct cudart_device *device, uint32_t number);
void cudart_drop_kernels(struct cudart *rt); /* behind one that has failed */
/* Fills in the results, for good. */
void cudart_complete_results(struct cudart *rt);
void cudart_end_machine(struct cudart *rt); /* its results, when the program ends */

#endif
