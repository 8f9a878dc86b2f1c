/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report of a run that was ended: which cores have not come to their end, at which words of shared memory they
 * spin, who changed these words last (a lock's holder), and circles of cores that wait for one another.
 */
#include "base/allocate.h"
#include "base/print.h"
#include "manycore/core/access.h"
#include "manycore/machine/machine.h"
#include "manycore/mesh/place.h"

#include <stdlib.h>

enum { GROUPS = 16, RANGES = 12, RUNNERS = 4 };

struct waiter {
    uint32_t address, core;
};

static const struct manycore_tile *find_tile(const struct manycore_machine *machine, uint32_t core)
{
    const struct manycore_block *block = manycore_block_of(machine, core);
    return &block->tile[manycore_place_of(block, core, (uint32_t)machine->parameters->width)];
}

/* Its latest read was one that it had made before with the same result. */
static bool spins(const struct manycore_tile *tile)
{
    return tile->core.pause != MANYCORE_EXITED && tile->spins;
}

static const struct manycore_read *read_of(const struct manycore_tile *tile)
{
    return &tile->recent[tile->latest];
}

/* The core that last changed a word; UINT32_MAX: not known. */
static uint32_t writer_of(const struct manycore_machine *machine, uint32_t address)
{
    const struct manycore_parameters *p = machine->parameters;
    if (p->network == MANYCORE_GLOBAL)
        return manycore_bank_writer(&machine->global.bank, address);
    const struct manycore_block *block = manycore_block_of(machine, (address - MANYCORE_SHARED) / p->bank_bytes);
    uint32_t home = manycore_place_of(block, (address - MANYCORE_SHARED) / p->bank_bytes, (uint32_t)p->width);
    struct manycore_bank bank = manycore_bank_of(block, home);
    return manycore_bank_writer(&bank, address);
}

static void write_place(const struct manycore_machine *machine, uint32_t pc, FILE *out)
{
    char where[MNP_DESCRIPTION];
    mnp_program_describe(machine->image.program, pc, where, sizeof where);
    mnp_print_text(out, "0x%08x (%s)", pc, where);
}

static int by_address(const void *a, const void *b)
{
    const struct waiter *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return left->core < right->core ? -1 : left->core > right->core;
}

/* Numbers of cores, neighbours drawn together: 0, 3-7, … */
static void write_cores(const struct waiter *waiters, uint32_t count, FILE *out)
{
    uint32_t ranges = 0;
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && waiters[end].core == waiters[end - 1].core + 1; end++)
            ;
        if (ranges++ == RANGES) {
            fprintf(out, " and %u more", count - i);
            return;
        }
        mnp_print_text(out, end > i + 1 ? "%s%u-%u" : "%s%u", i ? ", " : "", waiters[i].core, waiters[end - 1].core);
    }
}

static void write_holder(const struct manycore_machine *machine, uint32_t address, FILE *out)
{
    uint32_t holder = writer_of(machine, address);
    if (holder == UINT32_MAX) {
        fprintf(out, ", not changed of late");
        return;
    }
    const struct manycore_tile *tile = find_tile(machine, holder);
    fprintf(out, ", last changed by core %u, which ", holder);
    if (tile->core.pause == MANYCORE_EXITED) {
        fprintf(out, "has exited at cycle %llu", (unsigned long long)tile->core.clock);
    } else if (spins(tile)) {
        fprintf(out, "waits for [0x%08x] itself", read_of(tile)->address);
    } else {
        fprintf(out, "runs at ");
        write_place(machine, tile->core.r[15], out);
    }
}

static void write_group(const struct manycore_machine *machine, const struct waiter *waiters, uint32_t count, FILE *out)
{
    const struct manycore_tile *first = find_tile(machine, waiters[0].core);
    fprintf(out, "[0x%08x] = 0x%x", waiters[0].address, read_of(first)->value);
    write_holder(machine, waiters[0].address, out);
    mnp_print_text(out, "\n  %u core%s wait%s for another value: ", count, count == 1 ? "" : "s",
                   count == 1 ? "s" : "");
    write_cores(waiters, count, out);
    fprintf(out, "; core %u since cycle %llu at ", waiters[0].core, (unsigned long long)first->spins_since);
    write_place(machine, read_of(first)->pc, out);
    fprintf(out, "\n");
}

/* The core that a core waits for: the last one that changed its word; UINT32_MAX: none, or unknown. */
static uint32_t next_of(const struct manycore_machine *machine, uint32_t core)
{
    const struct manycore_tile *tile = find_tile(machine, core);
    uint32_t next = spins(tile) ? writer_of(machine, read_of(tile)->address) : UINT32_MAX;
    return next == core ? UINT32_MAX : next;
}

/* Circles of cores each of which waits for a word that the next one changed last. `seen` numbers the walks. */
static void write_circles(const struct manycore_machine *machine, FILE *out)
{
    uint32_t tiles = (uint32_t)machine->parameters->tiles, *seen = mnp_allocate(tiles, sizeof *seen);
    for (uint32_t start = 0; start < tiles; start++) {
        uint32_t core = start;
        for (; core != UINT32_MAX && !seen[core]; core = next_of(machine, core))
            seen[core] = start + 1;
        if (core == UINT32_MAX || seen[core] != start + 1)
            continue;
        fprintf(out, "a circle: ");
        uint32_t each = core;
        do {
            uint32_t next = next_of(machine, each);
            mnp_print_text(out, "core %u waits for [0x%08x] of core %u%s", each,
                           read_of(find_tile(machine, each))->address, next, next == core ? "\n" : ", ");
            each = next;
        } while (each != core);
    }
    free(seen);
}

static void write_runners(const struct manycore_machine *machine, FILE *out)
{
    uint32_t tiles = (uint32_t)machine->parameters->tiles, count = 0;
    for (uint32_t core = 0; core < tiles; core++) {
        const struct manycore_tile *tile = find_tile(machine, core);
        if (tile->core.pause == MANYCORE_EXITED || spins(tile) || count++ >= RUNNERS)
            continue;
        fprintf(out, "core %u runs at ", core);
        write_place(machine, tile->core.r[15], out);
        fprintf(out, "\n");
    }
    if (count > RUNNERS)
        fprintf(out, "and %u more cores run\n", count - RUNNERS);
}

char *manycore_waiting_text(const struct manycore_machine *machine)
{
    uint32_t tiles = (uint32_t)machine->parameters->tiles, count = 0, exited = 0, groups = 0;
    struct waiter *waiters = mnp_allocate(tiles, sizeof *waiters);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    MNP_NEED_MEMORY(out, "a report");
    for (uint32_t core = 0; core < tiles; core++) {
        const struct manycore_tile *tile = find_tile(machine, core);
        exited += tile->core.pause == MANYCORE_EXITED;
        if (spins(tile))
            waiters[count++] = (struct waiter){read_of(tile)->address, core};
    }
    fprintf(out, "%u of %u cores have exited, %u wait for shared memory\n", exited, tiles, count);
    qsort(waiters, count, sizeof *waiters, by_address);
    for (uint32_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && waiters[end].address == waiters[i].address; end++)
            ;
        if (groups++ == GROUPS) {
            fprintf(out, "and %u more cores at other addresses\n", count - i);
            break;
        }
        write_group(machine, waiters + i, end - i, out);
    }
    write_circles(machine, out);
    write_runners(machine, out);
    fclose(out);
    free(waiters);
    return text;
}
