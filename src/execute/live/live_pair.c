/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CTA pairs on two cores (contract/async.h): the data of a pair's commands that one CTA sends to the other, as parcels.
 * Each CTA computes the product for its own rows. The issuing CTA reads its half of B when the product begins; the peer
 * reads its half when the product is performed there. Both then multiply by the same data.
 */
#include "execute/live/live_state.h"

#include "base/allocate.h"
#include "execute/cta/tmem.h"
#include "execute/warp/frame.h"

#include <stdlib.h>
#include <string.h>

struct parcel {   /* wire format; every byte is written */
    uint8_t kind; /* enum mnp_pair_kind */
    uint8_t back; /* sent by the CTA that did not issue the command */
    uint16_t bytes;
    uint32_t at;    /* offset of the data in its half of B */
    uint32_t token; /* token of the issuing CTA */
    uint32_t op;    /* place in code.ops */
    union {
        unsigned char data[MNP_PARCEL_BYTES];
        struct execute_tcgen05_kept kept;
        uint32_t columns[2]; /* first unit, and how many; 0: given back */
    };
    unsigned char reserved[sizeof(struct mnp_parcel) - MNP_PARCEL_BYTES - 16];
};

_Static_assert(sizeof(struct parcel) == sizeof(struct mnp_parcel), "a parcel's form");
_Static_assert(sizeof(struct execute_tcgen05_kept) <= MNP_PARCEL_BYTES, "room for a command");

static const struct execute_op *op_of(const struct execute_live_command *command)
{
    return execute_op_at(command->warp->warp->launch->code, command->op);
}

/* The half of B of a CTA of a pair, which its commands keep. */
static unsigned char *half_of(struct execute_live_command *command, uint32_t rank)
{
    if (!command->halves)
        command->halves = mnp_allocate(2, EXECUTE_TCGEN05_HALF_BYTES);
    return command->halves + (size_t)(rank % 2) * EXECUTE_TCGEN05_HALF_BYTES;
}

/* ===== columns ===== */

void execute_live_port_columns_news(void *context, uint32_t first, uint32_t units)
{
    struct execute_live_cta *cta = context;
    struct execute_live_core *core = cta->core;
    uint32_t token = execute_live_take_token(core);
    struct execute_live_command *command = execute_live_command_at(core, token);
    *command = (struct execute_live_command){
        .role = EXECUTE_LIVE_COLUMNS, .columns = {first, units}, .halves = command->halves};
    core->common.core->tensor.pair = true;
    core->common.core->tensor.token = token;
}

static bool hear_columns(struct mnp_live_core *base, struct execute_live_cta *cta, const struct parcel *parcel)
{
    struct execute_warp *warp = &cta->cta.warps[0];
    if (!parcel->columns[1]) {
        cta->cta.tmem_returns++;
        return true;
    }
    bool promised = execute_tmem_promise(&cta->cta, parcel->columns[0], parcel->columns[1]);
    base->tensor = (struct mnp_tensor_command){.kind = MNP_TENSOR_NONE};
    if (promised)
        return true;
    execute_fault(warp, EXECUTE_FAULT_TMEM_SHARED, 0, parcel->columns[0] * EXECUTE_TMEM_UNIT);
    return execute_live_failed(base, warp, 0, 0);
}

/* ===== parcels go ===== */

uint32_t execute_live_pair_parcels(struct mnp_live_core *base, uint32_t token)
{
    struct execute_live_command *command = execute_live_command_at(base->owner, token);
    if (command->role == EXECUTE_LIVE_COLUMNS)
        return 1;
    uint32_t bytes = execute_tcgen05_half_bytes(op_of(command), &command->kept);
    return (bytes + MNP_PARCEL_BYTES - 1) / MNP_PARCEL_BYTES + 1;
}

/* The issuing CTA reads its half of B. */
static bool read_own(struct mnp_live_core *base, struct execute_live_command *command)
{
    struct execute_warp *warp = command->warp->warp;
    const struct execute_op *op = op_of(command);
    if (!execute_tcgen05_half_bytes(op, &command->kept))
        return true;
    warp->record = NULL;
    return execute_tcgen05_read_half(warp, op, &command->kept, half_of(command, warp->cta->rank)) ||
           execute_live_failed(base, warp, command->op, command->lane);
}

/* Writes the last parcel: the command, its completion, or columns. */
static void write_last(const struct execute_live_command *command, uint32_t token, struct parcel *parcel)
{
    bool back = command->role == EXECUTE_LIVE_OTHERS;
    parcel->kind = back ? MNP_PAIR_DONE : MNP_PAIR_COMMAND;
    parcel->token = back ? command->token : token;
    parcel->op = command->op;
    if (!back)
        parcel->kept = command->kept;
    if (command->role != EXECUTE_LIVE_COLUMNS)
        return;
    parcel->kind = MNP_PAIR_COLUMNS;
    memcpy(parcel->columns, command->columns, sizeof parcel->columns);
}

bool execute_live_pair_parcel(struct mnp_live_core *base, uint32_t token, uint32_t index, struct mnp_parcel *out)
{
    struct execute_live_core *core = base->owner;
    struct execute_live_command *command = execute_live_command_at(core, token);
    uint32_t count = execute_live_pair_parcels(base, token), at = index * MNP_PARCEL_BYTES;
    struct parcel parcel;
    memset(&parcel, 0, sizeof parcel);
    parcel.back = command->role == EXECUTE_LIVE_OTHERS;
    if (index == 0 && command->role == EXECUTE_LIVE_OWN && !read_own(base, command))
        return false;
    if (index + 1 < count) {
        uint32_t bytes = execute_tcgen05_half_bytes(op_of(command), &command->kept) - at;
        parcel.kind = MNP_PAIR_DATA;
        parcel.bytes = (uint16_t)(bytes < MNP_PARCEL_BYTES ? bytes : MNP_PARCEL_BYTES);
        parcel.at = at;
        parcel.token = command->token;
        memcpy(parcel.data, half_of(command, command->warp->warp->cta->rank) + at, parcel.bytes);
    } else {
        write_last(command, token, &parcel);
        if (command->role != EXECUTE_LIVE_OWN)
            execute_live_give_token(core, token);
    }
    memcpy(out, &parcel, sizeof parcel);
    return true;
}

/* ===== parcels come ===== */

/* Data of the other's half: of the other's command, which comes behind it; or of one's own, which waits for it. */
static void hear_data(struct execute_live_cta *cta, const struct parcel *parcel)
{
    unsigned char *to;
    if (!cta->half)
        cta->half = mnp_allocate(1, EXECUTE_TCGEN05_HALF_BYTES);
    if (parcel->back)
        to = half_of(execute_live_command_at(cta->core, parcel->token), cta->cta.rank ^ 1);
    else
        to = cta->half;
    memcpy(to + parcel->at, parcel->data, parcel->bytes);
}

static void hear_command(struct execute_live_cta *cta, const struct parcel *parcel, struct mnp_pair_news *news)
{
    struct execute_live_core *core = cta->core;
    uint32_t token = execute_live_take_token(core);
    struct execute_live_command *command = execute_live_command_at(core, token);
    *command = (struct execute_live_command){.warp = &cta->warps[0],
                                             .op = parcel->op,
                                             .kept = parcel->kept,
                                             .role = EXECUTE_LIVE_OTHERS,
                                             .token = parcel->token,
                                             .halves = command->halves};
    const struct execute_op *op = op_of(command);
    uint32_t bytes = execute_tcgen05_half_bytes(op, &command->kept);
    if (bytes)
        memcpy(half_of(command, cta->cta.rank ^ 1), cta->half, bytes);
    news->command = execute_live_described(op, &command->kept);
    news->command.other = true;
    news->command.token = token;
}

bool execute_live_pair_hear(struct mnp_live_core *base, struct mnp_cta_code *code, const struct mnp_parcel *given,
                            struct mnp_pair_news *news)
{
    struct execute_live_cta *cta = code->owner;
    struct parcel parcel;
    memcpy(&parcel, given, sizeof parcel);
    *news = (struct mnp_pair_news){.kind = parcel.kind};
    if (parcel.kind == MNP_PAIR_DATA)
        hear_data(cta, &parcel);
    else if (parcel.kind == MNP_PAIR_COMMAND)
        hear_command(cta, &parcel, news);
    else if (parcel.kind == MNP_PAIR_DONE)
        news->command.token = parcel.token;
    return parcel.kind != MNP_PAIR_COLUMNS || hear_columns(base, cta, &parcel);
}
