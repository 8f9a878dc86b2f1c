/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads and stores of a core: by address to private memory, scratchpads or, as a request, to shared memory. */
#ifndef MANYCORE_ACCESS_H
#define MANYCORE_ACCESS_H

#include "manycore/core/fault.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "memory is copied as it lies");

/* Out of line parts: places that are rare, and mistakes. */
MNP_DEVICE const unsigned char *manycore_find_readable(struct manycore_core *core, const struct manycore_place *place,
                                                       uint32_t address, uint32_t bytes);
MNP_DEVICE unsigned char *manycore_find_writable(struct manycore_core *core, const struct manycore_place *place,
                                                 uint32_t address, uint32_t bytes);

/* Puts a request to shared memory, or takes the answer when it is there. */
MNP_DEVICE enum a32_result manycore_ask(struct manycore_core *core, const struct manycore_place *place,
                                        const struct manycore_request *request, uint32_t *value);

/* Copies from and to memory as a core sees it, without time; false: not all of it is private memory or scratchpad. */
MNP_DEVICE bool manycore_copy_out(const struct manycore_place *place, uint32_t address, uint32_t bytes, void *out);
MNP_DEVICE bool manycore_copy_in(struct manycore_place *place, uint32_t address, uint32_t bytes, const void *in);

MNP_DEVICE static inline bool manycore_is_shared(const struct manycore_place *place, uint32_t address)
{
    return address - MANYCORE_SHARED < place->shared_bytes;
}

MNP_DEVICE void manycore_look_up(struct manycore_core *core, const struct manycore_place *place, uint32_t line,
                                 bool write);

/* The time of an access to private memory beyond the instruction's own cycle. */
MNP_DEVICE static inline void manycore_spend(struct manycore_core *core, const struct manycore_place *place,
                                             uint32_t address, bool write)
{
    if (!place->data_shape) {
        core->clock += place->timing->private_access - 1;
        return;
    }
    uint32_t line = address >> place->data_shape->line_shift;
    uint32_t *word = manycore_tags_guess(place->data_shape, &place->data_tags, line);
    if (__builtin_expect((*word & ~2u) == (line << 2 | 1), 1)) {
        *word |= write && place->data_shape->write_back ? 2 : 0;
        core->data_cache.accesses++;
        core->clock += place->data_shape->hit - 1;
        return;
    }
    manycore_look_up(core, place, line, write);
}

MNP_STEP static enum a32_result manycore_load(struct manycore_core *core, const struct manycore_place *place,
                                              uint32_t address, uint32_t bytes, uint32_t *value)
{
    const unsigned char *from;
    *value = 0;
    if (__builtin_expect(address & (bytes - 1), 0))
        return manycore_fault(core, MANYCORE_FAULT_MISALIGNED, address);
    if (__builtin_expect(address < place->private_bytes, 1)) {
        from = manycore_at(place->readable[address / MANYCORE_PAGE], address % MANYCORE_PAGE);
        manycore_spend(core, place, address, false);
    } else if (address - MANYCORE_DSPM < place->scratchpad_bytes) {
        from = manycore_at(place->scratchpad, address - MANYCORE_DSPM);
        core->clock += place->timing->scratchpad - 1;
    } else if (manycore_is_shared(place, address)) {
        struct manycore_request request = {.address = address, .action = MANYCORE_READ, .bytes = (uint8_t)bytes};
        return manycore_ask(core, place, &request, value);
    } else {
        from = manycore_find_readable(core, place, address, bytes);
        if (!from)
            return A32_PAUSED;
    }
    if (bytes == 4)
        memcpy(value, __builtin_assume_aligned(from, 4), 4);
    else if (bytes == 1)
        *value = *from;
    else
        memcpy(value, __builtin_assume_aligned(from, 2), 2);
    return A32_NEXT;
}

MNP_STEP static enum a32_result manycore_store(struct manycore_core *core, const struct manycore_place *place,
                                               uint32_t address, uint32_t bytes, uint32_t value)
{
    unsigned char *to;
    if (__builtin_expect(address & (bytes - 1), 0))
        return manycore_fault(core, MANYCORE_FAULT_MISALIGNED, address);
    if (__builtin_expect(address < place->private_bytes, 1)) {
        to = place->writable[address / MANYCORE_PAGE];
        to = __builtin_expect(to != NULL, 1) ? manycore_at(to, address % MANYCORE_PAGE)
                                             : manycore_find_writable(core, place, address, bytes);
        if (__builtin_expect(!to, 0))
            return A32_PAUSED;
        manycore_spend(core, place, address, true);
    } else if (address - MANYCORE_DSPM < place->scratchpad_bytes) {
        to = manycore_at(place->scratchpad, address - MANYCORE_DSPM);
        core->clock += place->timing->scratchpad - 1;
    } else if (manycore_is_shared(place, address)) {
        struct manycore_request request = {
            .address = address, .data = value, .action = MANYCORE_WRITE, .bytes = (uint8_t)bytes};
        return manycore_ask(core, place, &request, &value);
    } else {
        manycore_find_writable(core, place, address, bytes);
        return A32_PAUSED;
    }
    if (bytes == 4)
        memcpy(__builtin_assume_aligned(to, 4), &value, 4);
    else if (bytes == 1)
        *to = (unsigned char)value;
    else
        memcpy(__builtin_assume_aligned(to, 2), &value, 2);
    return A32_NEXT;
}

#endif
