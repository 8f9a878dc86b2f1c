/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/trace/record.h"

/* Whether the addresses of all lanes are evenly spaced. Those of tiles are mostly not, which three lanes show. */
static bool are_even(const uint64_t addresses[32])
{
    uint64_t first = addresses[0], stride = addresses[1] - first, uneven = 0;
    if (addresses[31] - first != 31 * stride || addresses[16] - first != 16 * stride)
        return false;
    for (uint32_t i = 0; i < 30; i++)
        uneven |= addresses[i + 2] - 2 * addresses[i + 1] + addresses[i];
    return !uneven;
}

uint32_t execute_record_addresses(const struct execute_code *code, const struct execute_record *record,
                                  uint64_t words[32], uint8_t *flags)
{
    uint32_t count = 0;
    if (!record->bytes || record->space == EXECUTE_SPACE_PARAM)
        return 0;
    const struct execute_op *op = execute_op_at(code, record->op);
    bool generic = execute_kind_is(op->kind, EXECUTE_IS_ACCESS) && op->access.space == EXECUTE_SPACE_GENERIC;
    uint64_t window = record->space == EXECUTE_SPACE_LOCAL               ? EXECUTE_LOCAL_WINDOW
                      : record->space == EXECUTE_SPACE_SHARED && generic ? EXECUTE_SHARED_WINDOW
                                                                         : 0;
    if (record->mask == EXECUTE_ALL_LANES && are_even(record->addresses)) {
        words[0] = record->addresses[0] + window;
        words[1] = record->addresses[1] - record->addresses[0];
        return 2;
    }
    if (record->mask == EXECUTE_ALL_LANES) {
        for (; count < 32; count++)
            words[count] = record->addresses[count] + window;
        *flags = MNP_RECORD_LIST;
        return count;
    }
    for (uint32_t rest = record->mask; rest; rest &= rest - 1)
        words[count++] = record->addresses[__builtin_ctz(rest)] + window;
    uint64_t uneven = count < 3;
    for (uint32_t i = 2; i < count; i++)
        uneven |= words[i] - 2 * words[i - 1] + words[i - 2];
    if (!uneven) {
        words[1] -= words[0];
        return 2;
    }
    *flags = count ? MNP_RECORD_LIST : 0;
    return count;
}
