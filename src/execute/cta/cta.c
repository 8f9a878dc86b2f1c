/* SPDX-License-Identifier: BSD-3-Clause */
/* CTAs: memory of their warps, special registers, and scheduling of warps. */
#include "execute/cta/tmem.h"
#include "execute/warp/frame.h"

#include "base/allocate.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>

enum {
    IN_PAGES = 1 << 17,  /* size in bytes from which a CTA is allocated in pages of its own */
    REGISTER_STACK = 16, /* frames of the largest function that fit at least */
    TURN = 4096,         /* operations of a warp, until the next one's turn */
    POLLING_TURN = 64,
    /* operations of a CTA that polls memory before the next CTA runs, since it may wait in ways not detected here */
    SLICE = 1 << 16,
};

/* Register space for the functions that a kernel calls: each function once, which covers every call chain of distinct
 * functions; at least some frames of the largest, for recursion and for lanes that are in different functions at a
 * time. */
static size_t called_bytes(const struct execute_code *code)
{
    size_t sum = 0, largest = 0;
    for (uint32_t i = 1; i < code->functions.count; i++) {
        size_t bytes = execute_code_function_at(code, i)->frame_bytes;
        sum += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return sum > REGISTER_STACK * largest ? sum : REGISTER_STACK * largest;
}

/* Local memory for the functions that a kernel calls: each function once, which covers every call chain of distinct
 * functions; more for recursive functions. */
static uint32_t stack_bytes(const struct execute_code *code)
{
    uint32_t bytes = 0;
    for (uint32_t i = 1; i < code->functions.count; i++)
        bytes += execute_code_function_at(code, i)->local_bytes;
    return code->functions.count > 1 || code->deep_stack ? bytes + EXECUTE_STACK_BYTES : 0;
}

static size_t whole_lines(size_t bytes)
{
    return mnp_round_up(bytes, 128);
}

struct plan { /* bytes of each block */
    size_t registers, specials, local, shared, bank, warp;
    uint32_t local_per_thread;
};

static struct plan plan_of(const struct execute_launch *launch)
{
    const struct execute_code *code = launch->code;
    struct plan plan = {0};
    plan.registers = execute_code_function_at(code, 0)->frame_bytes + called_bytes(code);
    plan.local_per_thread = execute_code_function_at(code, 0)->local_bytes + stack_bytes(code);
    plan.local = (size_t)plan.local_per_thread * 32;
    plan.specials = code->special_bytes;
    plan.shared = whole_lines(launch->shared_bytes + 128);
    plan.bank = (size_t)code->bank.count * EXECUTE_SMALL_BYTES;
    plan.warp = whole_lines(plan.registers) + whole_lines(plan.local) + whole_lines(plan.specials);
    return plan;
}

static void fill(unsigned char *specials, const struct execute_code *code, enum execute_special special, uint32_t value)
{
    if (code->special_offset[special] == EXECUTE_NONE)
        return;
    uint32_t *lanes = (uint32_t *)(specials + code->special_offset[special]);
    for (uint32_t i = 0; i < 32; i++)
        lanes[i] = value;
}

static void fill_threads(struct execute_warp *warp, uint32_t number)
{
    const struct execute_launch *launch = warp->launch;
    const struct execute_code *code = launch->code;
    for (uint32_t lane = 0; lane < 32; lane++) {
        uint32_t thread = number * 32 + lane;
        uint32_t tid[3] = {thread % launch->block[0], thread / launch->block[0] % launch->block[1],
                           thread / launch->block[0] / launch->block[1]};
        for (uint32_t axis = 0; axis < 3; axis++)
            if (code->special_offset[EXECUTE_SPECIAL_TID_X + axis] != EXECUTE_NONE)
                ((uint32_t *)(warp->specials + code->special_offset[EXECUTE_SPECIAL_TID_X + axis]))[lane] = tid[axis];
        uint32_t masks[] = {1u << lane, (2u << lane) - 1, (1u << lane) - 1, ~((1u << lane) - 1), ~((2u << lane) - 1)};
        for (uint32_t i = 0; i < 5; i++)
            if (code->special_offset[EXECUTE_SPECIAL_LANEMASK_EQ + i] != EXECUTE_NONE)
                ((uint32_t *)(warp->specials + code->special_offset[EXECUTE_SPECIAL_LANEMASK_EQ + i]))[lane] = masks[i];
        if (code->special_offset[EXECUTE_SPECIAL_LANEID] != EXECUTE_NONE)
            ((uint32_t *)(warp->specials + code->special_offset[EXECUTE_SPECIAL_LANEID]))[lane] = lane;
    }
}

static void fill_specials(struct execute_warp *warp, uint32_t number)
{
    const struct execute_cta *cta = warp->cta;
    const struct execute_launch *launch = warp->launch;
    const struct execute_code *code = launch->code;
    unsigned char *specials = warp->specials;
    fill_threads(warp, number);
    for (uint32_t axis = 0; axis < 3; axis++) {
        fill(specials, code, EXECUTE_SPECIAL_NTID_X + axis, launch->block[axis]);
        fill(specials, code, EXECUTE_SPECIAL_CTAID_X + axis, cta->place[axis]);
        fill(specials, code, EXECUTE_SPECIAL_NCTAID_X + axis, launch->grid[axis]);
        uint32_t size = launch->cluster[axis] ? launch->cluster[axis] : 1;
        fill(specials, code, EXECUTE_SPECIAL_CLUSTERID_X + axis, cta->place[axis] / size);
        fill(specials, code, EXECUTE_SPECIAL_NCLUSTERID_X + axis, launch->grid[axis] / size);
        fill(specials, code, EXECUTE_SPECIAL_CLUSTER_CTAID_X + axis, cta->place[axis] % size);
        fill(specials, code, EXECUTE_SPECIAL_CLUSTER_NCTAID_X + axis, size);
    }
    fill(specials, code, EXECUTE_SPECIAL_CLUSTER_CTARANK, cta->rank);
    fill(specials, code, EXECUTE_SPECIAL_CLUSTER_NCTARANK, execute_cluster_size(launch));
    fill(specials, code, EXECUTE_SPECIAL_EXPLICIT_CLUSTER, launch->explicit_cluster);
    fill(specials, code, EXECUTE_SPECIAL_ENVREG1, (uint32_t)(launch->workspace >> 32));
    fill(specials, code, EXECUTE_SPECIAL_ENVREG2, (uint32_t)launch->workspace);
    fill(specials, code, EXECUTE_SPECIAL_RESERVED_SMEM_0, launch->reserved_shared);
    fill(specials, code, EXECUTE_SPECIAL_RESERVED_SMEM_1, launch->reserved_shared + EXECUTE_RESERVED_SHARED / 2);
    fill(specials, code, EXECUTE_SPECIAL_WARPID, number);
    fill(specials, code, EXECUTE_SPECIAL_VIRTID, number << 8);
    fill(specials, code, EXECUTE_SPECIAL_NWARPID, launch->warps);
    fill(specials, code, EXECUTE_SPECIAL_SMID, cta->sm);
    fill(specials, code, EXECUTE_SPECIAL_NSMID, cta->sm_count);
    fill(specials, code, EXECUTE_SPECIAL_DYNAMIC_SMEM_SIZE, launch->dynamic_shared);
    fill(specials, code, EXECUTE_SPECIAL_TOTAL_SMEM_SIZE, launch->shared_bytes);
    fill(specials, code, EXECUTE_SPECIAL_AGGR_SMEM_SIZE, launch->shared_bytes);
    if (code->special_offset[EXECUTE_SPECIAL_GRIDID] != EXECUTE_NONE)
        for (uint32_t lane = 0; lane < 32; lane++)
            ((uint64_t *)(specials + code->special_offset[EXECUTE_SPECIAL_GRIDID]))[lane] = launch->number;
}

static void start_warp(struct execute_cta *cta, uint32_t number, const struct plan *plan, unsigned char *block)
{
    struct execute_warp *warp = &cta->warps[number];
    const struct execute_launch *launch = cta->launch;
    uint32_t threads = launch->threads - number * 32;
    struct execute_record *record = warp->record;
    memset(warp, 0, offsetof(struct execute_warp, stack));
    warp->record = record;
    warp->cta = cta;
    warp->launch = launch;
    warp->number = number;
    warp->registers = block;
    warp->local = block + whole_lines(plan->registers);
    warp->specials = warp->local + whole_lines(plan->local);
    warp->register_bytes = (uint32_t)plan->registers;
    warp->local_bytes = plan->local_per_thread;
    warp->lanes = threads >= 32 ? EXECUTE_ALL_LANES : (1u << threads) - 1;
    warp->bases[EXECUTE_BASE_FRAME] = warp->registers;
    warp->bases[EXECUTE_BASE_CONSTANT] = launch->code->constants.items;
    warp->bases[EXECUTE_BASE_SPECIAL] = warp->specials;
    warp->bases[EXECUTE_BASE_BANK] = cta->bank;
    warp->depth = warp->frames = 1;
    warp->frame[0] = (struct execute_frame){.call = EXECUTE_NONE};
    warp->stack[0] = (struct execute_stack_entry){
        .pc = execute_code_function_at(launch->code, 0)->first_op, .meet = EXECUTE_NONE, .mask = warp->lanes};
    execute_enter(warp, 0);
    fill_specials(warp, number);
}

static void release_room(struct execute_cta *cta)
{
    if (cta->block_bytes < IN_PAGES)
        free(cta->block);
    else
        mnp_release_pages(cta->block, cta->block_bytes + 128);
    cta->block = NULL;
    cta->block_bytes = 0;
}

/* Allocates memory for a CTA, zeroed on allocation. Call stacks are large and mostly unused: they are never cleared
 * again, so that unused pages are never backed. */
static unsigned char *make_room(struct execute_cta *cta, size_t bytes)
{
    if (bytes > cta->block_bytes) {
        release_room(cta);
        cta->block = bytes < IN_PAGES ? mnp_allocate(bytes + 128, 1) : mnp_allocate_pages(bytes + 128);
        cta->block_bytes = bytes;
    }
    return cta->block + (128 - (uintptr_t)cta->block % 128);
}

/* Clears the kernel's own registers and local memory. A called function's frame is not cleared. */
static void clear_warp(unsigned char *block, const struct plan *plan, const struct execute_code_function *kernel)
{
    memset(block, 0, kernel->frame_bytes);
    memset(block + whole_lines(plan->registers), 0, (size_t)kernel->local_bytes * 32);
    memset(block + whole_lines(plan->registers) + whole_lines(plan->local), 0, plan->specials);
}

void execute_cta_start(struct execute_cta *cta, const struct execute_launch *launch, const struct execute_port *port,
                       uint64_t number)
{
    struct plan plan = plan_of(launch);
    MNP_REQUIRE(launch->warps <= EXECUTE_MAX_WARPS, "a CTA of %u warps", launch->warps);
    unsigned char *block = make_room(cta, plan.shared + plan.bank + plan.warp * launch->warps);
    memset(block, 0, plan.shared);
    cta->launch = launch;
    cta->port = port;
    cta->number = number;
    cta->place[0] = (uint32_t)(number % launch->grid[0]);
    cta->place[1] = (uint32_t)(number / launch->grid[0] % launch->grid[1]);
    cta->place[2] = (uint32_t)(number / launch->grid[0] / launch->grid[1]);
    cta->shared = block;
    cta->bank = block + plan.shared;
    cta->rank = execute_cluster_rank(cta->place, launch->cluster);
    execute_cluster_join(&cta, 1);
    cta->warp_count = launch->warps;
    cta->ended_warps = 0;
    cta->opened = 0;
    execute_tmem_start(cta);
    memset(cta->barriers, 0, sizeof cta->barriers);
    execute_bank_fill(cta);
    for (uint32_t i = 0; i < launch->warps; i++) {
        unsigned char *own = block + plan.shared + plan.bank + plan.warp * i;
        clear_warp(own, &plan, execute_code_function_at(launch->code, 0));
        start_warp(cta, i, &plan, own);
    }
}

void execute_cta_release(struct execute_cta *cta)
{
    release_room(cta);
    free(cta->own_tmem);
    cta->own_tmem = NULL;
}

/* ===== turns ===== */

bool execute_cta_is_polling(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_RUNNING && cta->warps[i].polls < EXECUTE_POLLS_STUCK)
            return false;
    return true;
}

/* Whether every warp that runs has only polled, and for long enough. */
static bool is_idle(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_RUNNING && cta->warps[i].idle < EXECUTE_POLLS_ASIDE)
            return false;
    return true;
}

bool execute_cta_runs(const struct execute_cta *cta)
{
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == EXECUTE_RUNNING)
            return true;
    return false;
}

/* The number of operations in a warp's turn. A polling warp gets a short turn, so that the awaited warp runs soon. */
static uint64_t turn_of(const struct execute_warp *warp)
{
    return warp->idle ? POLLING_TURN : TURN;
}

static bool is_interrupted(const struct execute_cta *cta)
{
    return cta->port->interrupt && *cta->port->interrupt;
}

/* Runs a warp's turn operation by operation, reporting each to the observer. */
static uint64_t run_observed(struct execute_warp *warp, uint64_t limit)
{
    const struct execute_observer *observer = warp->cta->port->observer;
    struct execute_record record;
    uint64_t executed = 0;
    warp->record = &record;
    while (executed < limit && warp->status == EXECUTE_RUNNING && execute_warp_run(warp, 1)) {
        executed++;
        if (warp->status != EXECUTE_FAULTED)
            observer->executed(observer->context, warp, &record);
    }
    warp->record = NULL;
    return executed;
}

uint64_t execute_cta_run(struct execute_cta *cta, enum execute_cta_state *state)
{
    uint64_t executed = 0, before;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        cta->warps[i].idle = cta->warps[i].idle != 0;
    cta->asked = cta->advanced = 0;
    do {
        before = executed;
        for (uint32_t i = 0; i < cta->warp_count; i++) {
            struct execute_warp *warp = &cta->warps[i];
            if (warp->status == EXECUTE_RUNNING)
                executed +=
                    cta->port->observer ? run_observed(warp, turn_of(warp)) : execute_warp_run(warp, turn_of(warp));
            if (warp->status == EXECUTE_FAULTED) {
                *state = EXECUTE_CTA_FAULTED;
                return executed;
            }
        }
        if (executed == before && !execute_cta_runs(cta)) {
            *state = cta->ended_warps == cta->warp_count ? EXECUTE_CTA_ENDED : EXECUTE_CTA_STUCK;
            if (cta->port->observer && *state == EXECUTE_CTA_ENDED)
                cta->port->observer->ended(cta->port->observer->context, cta);
            return executed;
        }
    } while (!is_interrupted(cta) && (!execute_cta_runs(cta) || (!is_idle(cta) && (!cta->asked || executed < SLICE))));
    *state = EXECUTE_CTA_POLLS;
    return executed;
}
