/* SPDX-License-Identifier: BSD-3-Clause */
/* vprintf, __assertfail, malloc and free, which device code calls and the system provides. */
#include "execute/device/print.h"
#include "execute/warp/frame.h"

#include <string.h>

static uint64_t argument(struct execute_warp *warp, const struct execute_transfer *transfer, uint32_t lane)
{
    unsigned char bytes[8] = {0};
    uint32_t offset = warp->frame[warp->frames - 1].local + transfer->offset;
    for (uint32_t i = 0; i < transfer->bytes && i < 8; i++)
        bytes[i] = warp->local[(offset + i) / 4 * 128 + lane * 4 + (offset + i) % 4];
    uint64_t value;
    memcpy(&value, bytes, 8);
    return value;
}

static void give_result(struct execute_warp *warp, const struct execute_transfer *transfer, uint32_t lane,
                        uint64_t value)
{
    uint32_t offset = warp->frame[warp->frames - 1].local + transfer->offset;
    for (uint32_t i = 0; i < transfer->bytes && i < 8; i++)
        warp->local[(offset + i) / 4 * 128 + lane * 4 + (offset + i) % 4] = (unsigned char)(value >> 8 * i);
}

void execute_step_system(struct execute_warp *warp, const struct execute_op *op, uint32_t lanes)
{
    const struct execute_code *code = warp->launch->code;
    const struct execute_call *call = (const struct execute_call *)code->calls.items + op->target;
    const struct execute_transfer *results =
        (const struct execute_transfer *)code->transfers.items + call->first_transfer;
    const struct execute_transfer *arguments = results + call->result_count;
    const struct execute_port *port = warp->cta->port;
    for (uint32_t rest = lanes; rest && warp->status == EXECUTE_RUNNING; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t first = argument(warp, &arguments[0], lane), value = 0;
        switch (op->variant) {
        case EXECUTE_SYSTEM_PRINTF:
            value = (uint64_t)port->print(port->context, warp, lane, first, argument(warp, &arguments[1], lane));
            break;
        case EXECUTE_SYSTEM_ASSERT:
            execute_fault(warp, EXECUTE_FAULT_ASSERT, lane, 0);
            break;
        case EXECUTE_SYSTEM_MALLOC:
            value = port->allocate(port->context, first);
            break;
        default:
            port->release(port->context, first);
            break;
        }
        if (call->result_count)
            give_result(warp, results, lane, value);
    }
}

/* The ABI of machine code: arguments in R4 and R6 on, each pair from an even register on; the result in R4. */
static uint64_t register_pair(const struct execute_warp *warp, uint32_t ref, uint32_t lane)
{
    const execute_word *words = execute_at(warp, ref);
    return (uint64_t)words[lane + 32] << 32 | words[lane];
}

void execute_paths_system(struct execute_warp *warp, uint32_t function, uint32_t arguments, uint32_t lane)
{
    const struct execute_port *port = warp->cta->port;
    uint64_t first = register_pair(warp, arguments, lane), value = first;
    switch (function) {
    case EXECUTE_SYSTEM_PRINTF:
        value = (uint64_t)port->print(port->context, warp, lane, first,
                                      register_pair(warp, arguments + 2 * EXECUTE_SMALL_BYTES, lane));
        break;
    case EXECUTE_SYSTEM_ASSERT:
        execute_fault(warp, EXECUTE_FAULT_ASSERT, lane, 0);
        break;
    case EXECUTE_SYSTEM_MALLOC:
        value = port->allocate(port->context, first);
        break;
    case EXECUTE_SYSTEM_FREE:
        port->release(port->context, first);
        break;
    default:
        execute_fault(warp, EXECUTE_FAULT_TARGET, lane, function);
        break;
    }
    execute_word *result = execute_to(warp, arguments);
    result[lane] = (uint32_t)value;
    if (function == EXECUTE_SYSTEM_MALLOC)
        result[lane + 32] = (uint32_t)(value >> 32);
}

/* ===== assertions ===== */

/* Machine code has them in R4, R6, R8 and R10 on. */
static uint64_t assert_argument(struct execute_warp *warp, const struct execute_op *op, unsigned number)
{
    const struct execute_code *code = warp->launch->code;
    if (code->paths)
        return register_pair(warp, op->b + 2 * number * EXECUTE_SMALL_BYTES, warp->fault_lane);
    const struct execute_call *call = (const struct execute_call *)code->calls.items + op->target;
    const struct execute_transfer *arguments =
        (const struct execute_transfer *)code->transfers.items + call->first_transfer + call->result_count;
    return argument(warp, &arguments[number], warp->fault_lane);
}

void execute_assert_describe(struct execute_warp *warp, struct mnp_error *error)
{
    enum { EXPRESSION, FILE_NAME, LINE, FUNCTION, ARGUMENTS };
    const struct execute_launch *launch = warp->launch;
    const struct execute_op *op = (const struct execute_op *)launch->code->ops.items + warp->fault_op;
    uint64_t values[ARGUMENTS];
    char texts[ARGUMENTS][200] = {{0}}, where[sizeof error->text];
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        values[i] = assert_argument(warp, op, i);
        if (i != LINE)
            execute_read_text(warp, warp->fault_lane, values[i], texts[i], sizeof texts[i]);
    }
    uint32_t thread = warp->number * 32 + warp->fault_lane;
    memcpy(where, error->text, sizeof where);
    error->text[0] = 0;
    mnp_fail(error, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed (%s)", texts[FILE_NAME],
             (unsigned)values[LINE], texts[FUNCTION], warp->cta->place[0], warp->cta->place[1], warp->cta->place[2],
             thread % launch->block[0], thread / launch->block[0] % launch->block[1],
             thread / launch->block[0] / launch->block[1], texts[EXPRESSION], where);
}
