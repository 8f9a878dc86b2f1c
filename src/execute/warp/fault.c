/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of warps, and the messages about them. */
#include "base/demangle.h"
#include "execute/code/language.h"
#include "execute/warp/warp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void execute_fault(struct execute_warp *warp, enum execute_fault fault, uint32_t lane, uint64_t address)
{
    if (warp->status == EXECUTE_FAULTED)
        return;
    warp->status = EXECUTE_FAULTED;
    warp->fault = (uint8_t)fault;
    warp->fault_lane = lane;
    warp->fault_address = address;
    warp->fault_op = warp->depth ? warp->stack[warp->depth - 1].pc - 1 : 0;
}

/* Shortens a file's name to the end of it that messages show. */
static const char *short_name(const char *file)
{
    enum { SHOWN = 100 };
    size_t length = strlen(file);
    return length > SHOWN ? file + length - SHOWN : file;
}

enum { NAME = 200 }; /* characters of a kernel's name that leave space for the rest of the message */

/* Returns a name that fits, to be freed. */
static char *brief_name(const char *kernel)
{
    char *name = mnp_demangle_brief(kernel, NAME);
    if (strlen(name) > NAME)
        strcpy(name + NAME - 2, "..");
    return name;
}

void execute_describe_place(const struct execute_code *code, uint32_t op, char *text, size_t room)
{
    struct execute_location location = code->module->language->locate(code, op);
    const struct execute_source_line *source = &location.source, *caller = &location.caller;
    char *name = brief_name(code->name), inlined[160] = "", address[200] = "";
    if (location.function && strcmp(location.function, code->name) != 0)
        snprintf(address, sizeof address, ", function %.150s, address 0x%" PRIx64, location.function, location.address);
    else if (location.function)
        snprintf(address, sizeof address, ", address 0x%" PRIx64, location.address);
    if (source->file && caller->file)
        snprintf(inlined, sizeof inlined, " inlined at %s:%u", short_name(caller->file), caller->line);
    if (source->file)
        snprintf(text, room, "kernel %s%s at %s:%u%s", name, address, short_name(source->file), source->line, inlined);
    else
        snprintf(text, room, "kernel %s%s", name, address);
    free(name);
}

void execute_describe_line(const struct execute_code *code, uint32_t op, char *text, size_t room)
{
    struct execute_location location = code->module->language->locate(code, op);
    execute_describe_place(code, op, text, room);
    size_t length = strlen(text);
    if (!location.source.file && location.file)
        snprintf(text + length, room - length, " at %s:%u", short_name(location.file), location.line);
}

void execute_warp_describe_place(const struct execute_warp *warp, char *text, size_t room)
{
    text[0] = 0;
    if (!warp->depth)
        return;
    bool waits = warp->status == EXECUTE_AT_BARRIER;
    uint32_t op = waits ? warp->barrier_op : warp->stack[warp->depth - 1].pc;
    execute_describe_place(warp->launch->code, op, text, room);
}

void execute_fault_describe(const struct execute_warp *warp, struct mnp_error *error)
{
    static const char *const texts[] = {
        [EXECUTE_FAULT_ADDRESS] = "an access outside every allocation, at address",
        [EXECUTE_FAULT_MULTIMEM] =
            "an access to a multicast object, which takes stores, reductions and multimem.ld_reduce alone, and these "
            "while memory of all its devices is bound there and mapped, at address",
        [EXECUTE_FAULT_MISALIGNED] = "a misaligned access, at address",
        [EXECUTE_FAULT_SHARED] = "an access outside the block's shared memory, at address",
        [EXECUTE_FAULT_LOCAL] = "an access outside the thread's local memory, at address",
        [EXECUTE_FAULT_LOCAL_FULL] = "calls are nested too deeply for the thread's stack (cudaLimitStackSize), or an "
                                     "index is below an array of the thread's; an access below its local memory, at "
                                     "address",
        [EXECUTE_FAULT_PARAMETER] = "an access outside the kernel's parameters, at address",
        [EXECUTE_FAULT_TRAP] = "a trap",
        [EXECUTE_FAULT_ASSERT] = "a failed assertion",
        [EXECUTE_FAULT_STACK] = "calls or branches are nested too deeply: a warp has 63 calls at a time, a function "
                                "that calls itself 15 at "
                                "least (as machine code it is limited by its stack alone: --code sass)",
        [EXECUTE_FAULT_TARGET] = "an indirect call or branch to nowhere, value",
        [EXECUTE_FAULT_BARRIER] = "an impossible barrier, number",
        [EXECUTE_FAULT_BARRIER_THREADS] =
            "the threads that a barrier names must be a multiple of 32, and an arrival must name some; it names",
        [EXECUTE_FAULT_TEXTURE] = "a handle that names no texture,",
        [EXECUTE_FAULT_MEMORY] = "the memory of the machine is exhausted, at address",
        [EXECUTE_FAULT_TENSOR_MAP] = "no tensor map of this rank and mode, at address",
        [EXECUTE_FAULT_TENSOR_FIELD] = "a value that this field of a tensor map cannot have:",
        [EXECUTE_FAULT_INTERLEAVE] =
            "a box of an interleaved tensor begins or ends inside a slice of channels; box at address",
        [EXECUTE_FAULT_MULTICAST] = "a multicast to blocks that the cluster does not have, mask",
        [EXECUTE_FAULT_WARPGROUP] = "its warpgroup has fewer than four warps",
        [EXECUTE_FAULT_CLUSTER] = "an access outside the shared memory of the cluster's blocks, at address",
        [EXECUTE_FAULT_REMOTE] =
            "an access of this kind to the shared memory of another block is not supported with time "
            "yet (run it functionally), at address",
        [EXECUTE_FAULT_WIDE] =
            "a comparison and exchange of 128 bits in the shared memory of another block is not supported with time "
            "(run it functionally), at address",
        [EXECUTE_FAULT_CLUSTER_ENDED] = "an access to the shared memory of a block of the cluster that has ended (the "
                                        "blocks should meet at a cluster barrier before one ends), at address",
        [EXECUTE_FAULT_CLUSTER_ARRIVE] = "a second arrival at the cluster's barrier without a wait between, phase",
        [EXECUTE_FAULT_TMEM_SIZE] = "tensor memory is allocated and given back by 32, 64, 128, 256 or 512 columns, not",
        [EXECUTE_FAULT_TMEM_PERMIT] = "an allocation of tensor memory after tcgen05.relinquish_alloc_permit, columns",
        [EXECUTE_FAULT_TMEM_FULL] =
            "its block has too much of its tensor memory already, and waits for ever for columns",
        [EXECUTE_FAULT_TMEM_PAIR] =
            "the two blocks of a pair allocate different numbers of columns of tensor memory at a time, here",
        [EXECUTE_FAULT_TMEM_SHARED] =
            "the two blocks of a pair are on one SM, or share theirs with blocks that are no pairs, which is not "
            "supported (more shared memory keeps blocks apart); columns",
        [EXECUTE_FAULT_TMEM_COLUMNS] = "columns of tensor memory that its block has not allocated, address",
        [EXECUTE_FAULT_TMEM_LANES] = "lanes of tensor memory that the warp, or the matrix, cannot have, address",
        [EXECUTE_FAULT_TMEM_LEAK] =
            "the block ends with tensor memory that it has not given back (tcgen05.dealloc), columns",
        [EXECUTE_FAULT_TCGEN05_SHAPE] = "an instruction descriptor with types or a shape that this kind does not have,",
        [EXECUTE_FAULT_TCGEN05_MATRIX] =
            "a matrix descriptor of no known swizzle, or of one that this matrix cannot have,",
        [EXECUTE_FAULT_TCGEN05_PAIR] = "tcgen05 with .cta_group::2 in a block without another of its pair (the cluster "
                                       "needs an even number of blocks), rank",
        [EXECUTE_FAULT_TCGEN05_ZEROES] =
            "a zero-column mask that shifts columns further than it may, or not by whole chunks of 16 bytes,",
        [EXECUTE_FAULT_TCGEN05_LANES] = "tcgen05.mma, cp and commit by several threads of a warp at a time are not "
                                        "supported (elect.sync chooses one), threads",
        [EXECUTE_FAULT_CLUSTER_WAIT] = "a wait at the cluster's barrier without an arrival before, phase",
        [EXECUTE_FAULT_MEMBERS] = "it waits for ever for lanes that its membermask names and that never come,",
        [EXECUTE_FAULT_MBARRIER_COUNT] = "an mbarrier expects 1 to 1048575 arrivals; mbarrier at",
        [EXECUTE_FAULT_MBARRIER_ARRIVE] =
            "more arrivals than the mbarrier's phase expects, or it has not been initialised; "
            "mbarrier at",
        [EXECUTE_FAULT_MBARRIER_BYTES] = "the mbarrier's phase has more than 1048575 bytes outstanding; mbarrier at",
    };
    const struct execute_launch *launch = warp->launch;
    const struct execute_code *code = launch->code;
    struct execute_location location = code->module->language->locate(code, warp->fault_op);
    uint32_t thread = warp->number * 32 + warp->fault_lane;
    char place[EXECUTE_PLACE_BYTES], value[48] = "", line[16] = "";
    execute_describe_place(code, warp->fault_op, place, sizeof place);
    if (warp->fault != EXECUTE_FAULT_TRAP && warp->fault != EXECUTE_FAULT_ASSERT &&
        warp->fault != EXECUTE_FAULT_STACK && warp->fault != EXECUTE_FAULT_WARPGROUP)
        snprintf(value, sizeof value, " 0x%lx", (unsigned long)warp->fault_address);
    if (warp->fault >= EXECUTE_FAULT_MBARRIER_COUNT && warp->fault <= EXECUTE_FAULT_MBARRIER_BYTES)
        snprintf(value, sizeof value, " 0x%lx, parity %d", (unsigned long)(warp->fault_address << 1 >> 1),
                 (int)(warp->fault_address >> 63));
    if (location.line)
        snprintf(line, sizeof line, ":%u", location.line);
    mnp_fail(error, "%s%s: %s, block (%u,%u,%u), thread (%u,%u,%u): `%s`: %s%s", location.file, line, place,
             warp->cta->place[0], warp->cta->place[1], warp->cta->place[2], thread % launch->block[0],
             thread / launch->block[0] % launch->block[1], thread / launch->block[0] / launch->block[1], location.text,
             texts[warp->fault], value);
}
