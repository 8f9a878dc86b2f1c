/* SPDX-License-Identifier: BSD-3-Clause */
/* The shape of a DRAM channel: whether one can be built, how large its state is, where an address lies. */
#include "parts/dram/shape.h"

#include <string.h>

const char *const mnp_dram_refreshes[] = {"all", "bank", NULL};

/* ===== checks ===== */

static bool check_geometry(const struct mnp_dram_shape *shape, struct mnp_error *error)
{
    if (shape->banks < 1 || shape->banks > MNP_DRAM_MAX_BANKS)
        return mnp_fail(error, "dram.banks is %llu; use 1 to %d", (unsigned long long)shape->banks, MNP_DRAM_MAX_BANKS);
    if (shape->pseudo_channels < 1 || shape->pseudo_channels > MNP_DRAM_MAX_PSEUDO ||
        shape->banks % shape->pseudo_channels)
        return mnp_fail(error, "dram.pseudo_channels is %llu; use 1 to %d, and a divisor of dram.banks, which is %llu",
                        (unsigned long long)shape->pseudo_channels, MNP_DRAM_MAX_PSEUDO,
                        (unsigned long long)shape->banks);
    uint64_t each = shape->banks / shape->pseudo_channels;
    if (shape->bank_groups < 1 || shape->bank_groups > each)
        return mnp_fail(error, "dram.bank_groups is %llu; use 1 to the banks of a pseudo channel, which are %llu",
                        (unsigned long long)shape->bank_groups, (unsigned long long)each);
    if (shape->bank_interleave < MNP_DRAM_SECTOR || shape->bank_interleave % MNP_DRAM_SECTOR)
        return mnp_fail(error, "dram.bank_interleave is %llu; use a multiple of %d bytes",
                        (unsigned long long)shape->bank_interleave, MNP_DRAM_SECTOR);
    if (shape->row_bytes < shape->bank_interleave || shape->row_bytes % shape->bank_interleave)
        return mnp_fail(error, "dram.row is %llu bytes; use a multiple of dram.bank_interleave, which is %llu",
                        (unsigned long long)shape->row_bytes, (unsigned long long)shape->bank_interleave);
    if (shape->banks_interleaved < 1 || shape->banks % shape->banks_interleaved)
        return mnp_fail(error, "dram.banks_interleaved is %llu; use a divisor of dram.banks, which is %llu",
                        (unsigned long long)shape->banks_interleaved, (unsigned long long)shape->banks);
    return true;
}

/* Checks that a row can be opened and accessed between two refreshes, whatever preceded them; otherwise refreshes in
 * phase with the activates could close every row before it is used. */
static bool check_refresh(const struct mnp_dram_shape *shape, struct mnp_error *error)
{
    const struct mnp_dram_timing *timing = &shape->timing;
    uint64_t busy = shape->refresh == MNP_DRAM_REFRESH_BANK ? timing->rfcb : timing->rfc;
    uint64_t open = mnp_max(timing->rc, timing->ras + timing->rp) + timing->rcd;
    uint64_t least = busy + open + timing->cl + timing->wl + timing->burst + timing->cdlr;
    if (timing->refi == 0 || timing->refi > least)
        return true;
    return mnp_fail(error,
                    "dram.timing.refi (%llu) leaves no time between refreshes; use 0 for no refresh, or more "
                    "than %llu with the other timing as it is",
                    (unsigned long long)timing->refi, (unsigned long long)least);
}

bool mnp_dram_check(const struct mnp_dram_shape *shape, struct mnp_error *error)
{
    const struct mnp_dram_timing *timing = &shape->timing;
    if (!check_geometry(shape, error))
        return false;
    if (shape->read_queue < 1 || shape->read_queue > 1 << 20 || shape->write_queue < 1 || shape->write_queue > 1 << 20)
        return mnp_fail(error, "dram.queue and dram.write_queue must lie between 1 and %d", 1 << 20);
    if (shape->write_high < 1 || shape->write_high > shape->write_queue || shape->write_low >= shape->write_high)
        return mnp_fail(error,
                        "dram.write_low (%llu) must be less than dram.write_high (%llu), and that at most "
                        "dram.write_queue (%llu)",
                        (unsigned long long)shape->write_low, (unsigned long long)shape->write_high,
                        (unsigned long long)shape->write_queue);
    if (timing->burst < 1)
        return mnp_fail(error, "the data bus of a DRAM channel must need at least one cycle for a sector");
    if (timing->cl < 1)
        return mnp_fail(error, "dram.timing.cl must be at least 1");
    return check_refresh(shape, error);
}

/* ===== building ===== */

size_t mnp_dram_size(const struct mnp_dram_shape *shape)
{
    struct mnp_dram dram;
    struct mnp_arena arena;
    mnp_arena_measure(&arena);
    mnp_dram_init(&dram, shape, &arena);
    return arena.used;
}

/* State that does not begin with zero: free entries of the queues in a chain, banks without requests. */
static void start(struct mnp_dram *dram, uint32_t entries)
{
    const struct mnp_dram_shape *shape = &dram->shape;
    for (uint32_t i = 0; i < entries; i++)
        dram->requests[i].next = i + 1 < entries ? i + 1 : MNP_DRAM_NONE;
    for (uint32_t i = 0; i < shape->banks; i++)
        dram->banks[i] = (struct mnp_dram_bank){.first = {MNP_DRAM_NONE, MNP_DRAM_NONE},
                                                .last = {MNP_DRAM_NONE, MNP_DRAM_NONE},
                                                .hit = {MNP_DRAM_NONE, MNP_DRAM_NONE},
                                                .pseudo = (uint16_t)(i % shape->pseudo_channels),
                                                .group = i % (uint32_t)(shape->pseudo_channels * shape->bank_groups)};
    for (uint32_t i = 0; i < shape->banks; i++) {
        dram->view.group[i] = (uint8_t)dram->banks[i].group;
        dram->view.pseudo[i] = (uint8_t)dram->banks[i].pseudo;
    }
    dram->channel->refresh_due = shape->timing.refi ? mnp_dram_refresh_interval(shape) : MNP_DRAM_NEVER;
}

/* Sets the constants of a channel, which do not change once it is built. */
static void describe(struct mnp_dram *dram, const struct mnp_dram_shape *shape)
{
    struct mnp_error error = {{0}};
    MNP_REQUIRE(mnp_dram_check(shape, &error), "%s", error.text);
    const struct mnp_dram_timing *timing = &shape->timing;
    memset(dram, 0, sizeof *dram);
    dram->shape = *shape;
    dram->column_from = dram->row_from = dram->next = MNP_DRAM_NEVER;
    uint64_t turn = timing->cl + timing->burst + 2;
    dram->same_direction = mnp_max(timing->ccd, timing->burst);
    dram->read_to_write = mnp_max(turn > timing->wl ? turn - timing->wl : 1, timing->ccd);
    dram->write_to_read = mnp_max(timing->wl + timing->burst + timing->cdlr, timing->ccd);
    dram->early = shape->write_high - (shape->write_high - shape->write_low + 3) / 4;
    for (uint64_t bank = 0; bank < shape->banks; bank += shape->pseudo_channels)
        dram->every |= UINT64_C(1) << bank;
    mnp_divider_init(&dram->by_interleave, shape->bank_interleave);
    mnp_divider_init(&dram->by_interleaved, shape->banks_interleaved);
    mnp_divider_init(&dram->by_row, shape->row_bytes / shape->bank_interleave);
    mnp_divider_init(&dram->by_high_banks, shape->banks / shape->banks_interleaved);
    mnp_hash_init(&dram->bank_hash, (enum mnp_hash_kind)shape->bank_hash, shape->banks);
}

void mnp_dram_init(struct mnp_dram *dram, const struct mnp_dram_shape *shape, struct mnp_arena *arena)
{
    uint32_t entries = (uint32_t)(shape->read_queue + shape->write_queue);
    if (!arena->measures) /* the first run of a layout needs no description */
        describe(dram, shape);
    dram->requests = mnp_arena_take(arena, entries, sizeof *dram->requests);
    dram->banks = mnp_arena_take(arena, shape->banks, sizeof *dram->banks);
    dram->channel = mnp_arena_take(arena, 1, sizeof *dram->channel);
    if (!arena->measures)
        start(dram, entries);
}

uint64_t mnp_dram_read_cycles(const struct mnp_dram_shape *shape, bool open)
{
    return (open ? 0 : shape->timing.rcd) + shape->timing.cl + shape->timing.burst;
}

void mnp_dram_locate(const struct mnp_dram *dram, uint64_t address, uint32_t *bank, uint64_t *row)
{
    const struct mnp_dram_shape *shape = &dram->shape;
    uint64_t piece = mnp_divide(&dram->by_interleave, address);
    uint64_t turn = mnp_divide(&dram->by_interleaved, piece);
    uint64_t low = piece - turn * shape->banks_interleaved;
    uint64_t page = mnp_divide(&dram->by_row, turn);
    *row = mnp_divide(&dram->by_high_banks, page);
    uint64_t high = page - *row * dram->by_high_banks.divisor;
    uint64_t number = *row * shape->banks + high * shape->banks_interleaved + low;
    *bank = mnp_hash_bin(&dram->bank_hash, number, row);
}
