/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Semihosting (ARM IHI 0100: SVC 0x123456, number in r0, argument in r1), as far as programs of a coprocessor need it:
 * writing to the console, the command line, the clock, and exit. A core's exit ends that core; the run ends with the
 * last one. The standard handles alone are open; nothing of the host's files is reachable.
 */
#include "manycore/core/access.h"
#include "manycore/mesh/place.h"

enum {
    SYS_OPEN = 0x01,
    SYS_CLOSE = 0x02,
    SYS_WRITEC = 0x03,
    SYS_WRITE0 = 0x04,
    SYS_WRITE = 0x05,
    SYS_READ = 0x06,
    SYS_READC = 0x07,
    SYS_ISTTY = 0x09,
    SYS_SEEK = 0x0A,
    SYS_FLEN = 0x0C,
    SYS_CLOCK = 0x10,
    SYS_TIME = 0x11,
    SYS_ERRNO = 0x13,
    SYS_GET_CMDLINE = 0x15,
    SYS_EXIT = 0x18,
    SYS_EXIT_EXTENDED = 0x20,
    LONGEST_WRITE = 65536,
    APPLICATION_EXIT = 0x20026,
};

MNP_DEVICE static uint32_t word_at(const struct manycore_place *place, uint32_t address, bool *good)
{
    uint32_t value = 0;
    *good = manycore_copy_out(place, address, 4, &value) && *good;
    return value;
}

/* Result: the bytes written. */
MNP_DEVICE static uint32_t put_text(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t address,
                                    uint32_t bytes)
{
    if (manycore_output_put(block, place, cycle, address, bytes))
        return bytes;
    manycore_fault(&block->tile[place].core, MANYCORE_FAULT_UNMAPPED, address);
    return 0;
}

MNP_DEVICE static uint32_t length_of_text(const struct manycore_place *place, uint32_t address)
{
    uint32_t length = 0;
    for (unsigned char c = 1; length < LONGEST_WRITE; length++)
        if (!manycore_copy_out(place, address + length, 1, &c) || !c)
            break;
    return length;
}

MNP_DEVICE static void exit_core(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t code)
{
    struct manycore_block_state *state = block->state;
    struct manycore_tile *tile = &block->tile[place];
    tile->core.pause = MANYCORE_EXITED;
    tile->core.exit_code = code;
    tile->core.clock = cycle;
    state->exited++;
    state->last_exit = cycle;
    if (code > state->status)
        state->status = code;
}

MNP_DEVICE static uint32_t command_line(struct manycore_block *block, uint32_t place, uint32_t argument)
{
    struct manycore_place *memory = &block->place[place];
    bool good = true;
    uint32_t to = word_at(memory, argument, &good), room = word_at(memory, argument + 4, &good);
    uint32_t length = (uint32_t)strlen(block->common->arguments);
    if (!good || room < length + 1 || !manycore_copy_in(memory, to, length + 1, block->common->arguments) ||
        !manycore_copy_in(memory, argument + 4, 4, &length))
        return UINT32_MAX;
    return 0;
}

/* SYS_WRITE: what could not be written is the result; long texts are written in pieces. */
MNP_DEVICE static uint32_t write_piece(struct manycore_block *block, uint32_t place, uint64_t cycle, uint32_t argument,
                                       uint32_t *written)
{
    struct manycore_place *memory = &block->place[place];
    bool good = true;
    uint32_t handle = word_at(memory, argument, &good), from = word_at(memory, argument + 4, &good);
    uint32_t bytes = word_at(memory, argument + 8, &good), piece = bytes < LONGEST_WRITE ? bytes : LONGEST_WRITE;
    if (!good || handle < 1 || handle > 2)
        return bytes;
    *written = put_text(block, place, cycle, from, piece);
    return bytes - *written;
}

MNP_APART void manycore_service(struct manycore_block *block, uint32_t place, uint64_t cycle)
{
    struct manycore_core *core = &block->tile[place].core;
    struct manycore_place *memory = &block->place[place];
    uint32_t argument = core->r[1], value = 0, written = 0;
    bool good = true;
    switch (core->r[0]) {
    case SYS_OPEN: { /* ":tt" is the console: mode 0 reads, others write */
        char name[4] = "";
        uint32_t from = word_at(memory, argument, &good), mode = word_at(memory, argument + 4, &good);
        good = good && manycore_copy_out(memory, from, 4, name) && memcmp(name, ":tt", 4) == 0;
        value = !good ? UINT32_MAX : mode < 4 ? 0 : mode < 8 ? 1 : 2;
        break;
    }
    case SYS_WRITEC:
        written = put_text(block, place, cycle, argument, 1);
        break;
    case SYS_WRITE0:
        written = put_text(block, place, cycle, argument, length_of_text(memory, argument));
        break;
    case SYS_WRITE:
        value = write_piece(block, place, cycle, argument, &written);
        break;
    case SYS_READ: /* there is nothing to read: all that was asked for is missing */
        value = word_at(memory, argument + 8, &good);
        break;
    case SYS_ISTTY:
        value = 1;
        break;
    case SYS_CLOCK: /* hundredths of a second */
        value = (uint32_t)(cycle * 100 / block->common->parameters->clock);
        break;
    case SYS_READC:
    case SYS_SEEK:
    case SYS_FLEN:
        value = UINT32_MAX;
        break;
    case SYS_CLOSE:
    case SYS_TIME:
    case SYS_ERRNO:
        break;
    case SYS_GET_CMDLINE:
        value = command_line(block, place, argument);
        break;
    case SYS_EXIT:
        exit_core(block, place, cycle, argument == APPLICATION_EXIT ? 0 : 1);
        return;
    case SYS_EXIT_EXTENDED:
        value = word_at(memory, argument + 4, &good) & 255;
        exit_core(block, place, cycle, word_at(memory, argument, &good) == APPLICATION_EXIT && good ? value : 1);
        return;
    default:
        manycore_fault(core, MANYCORE_FAULT_SERVICE, core->r[0]);
        return;
    }
    if (core->pause != MANYCORE_FAULTED)
        manycore_core_serve(core, value, cycle + block->common->parameters->service * (1 + (uint64_t)written));
}
