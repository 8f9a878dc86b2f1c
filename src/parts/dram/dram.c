/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/dram/dram.h"

#include <string.h>

const char *const mnp_dram_schedulers[] = {"frfcfs", "fcfs", NULL};
const char *const mnp_dram_refreshes[] = {"all", "bank", NULL};

#define NONE UINT32_MAX

enum { READ, WRITE };

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void lower(uint64_t *bound, uint64_t value)
{
    *bound = smaller(*bound, value);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ===== building ===== */

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

/* Between two refreshes a row must be opened and read or written, whatever came just before; otherwise refreshes that
 * keep in step with the activates could close every row before it is used. */
static bool check_refresh(const struct mnp_dram_shape *shape, struct mnp_error *error)
{
    const struct mnp_dram_timing *timing = &shape->timing;
    uint64_t busy = shape->refresh == MNP_DRAM_REFRESH_BANK ? timing->rfcb : timing->rfc;
    uint64_t open = larger(timing->rc, timing->ras + timing->rp) + timing->rcd;
    uint64_t least = busy + open + timing->cl + timing->wl + timing->burst + timing->cdlr;
    if (timing->refi == 0 || timing->refi > least)
        return true;
    return mnp_fail(error, "dram.timing.refi (%llu) leaves no time between refreshes; use 0 for no refresh, or more "
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
        return mnp_fail(error, "dram.write_low (%llu) must be less than dram.write_high (%llu), and that at most "
                               "dram.write_queue (%llu)",
                        (unsigned long long)shape->write_low, (unsigned long long)shape->write_high,
                        (unsigned long long)shape->write_queue);
    if (timing->burst < 1)
        return mnp_fail(error, "the data bus of a DRAM channel must need at least one cycle for a sector");
    if (timing->cl < 1)
        return mnp_fail(error, "dram.timing.cl must be at least 1");
    return check_refresh(shape, error);
}

/* Banks that one refresh concerns. */
static uint32_t refreshed_banks(const struct mnp_dram_shape *shape)
{
    return (uint32_t)(shape->refresh == MNP_DRAM_REFRESH_BANK ? shape->pseudo_channels : shape->banks);
}

/* Cycles from one refresh to the next; `refi` is at least as many as the banks of a pseudo channel. */
static uint64_t refresh_interval(const struct mnp_dram_shape *shape)
{
    uint64_t interval = shape->timing.refi * refreshed_banks(shape) / shape->banks;
    return larger(interval, 1);
}

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
        dram->requests[i].next = i + 1 < entries ? i + 1 : NONE;
    for (uint32_t i = 0; i < shape->banks; i++)
        dram->banks[i] =
            (struct mnp_dram_bank){.first = {NONE, NONE},
                                   .last = {NONE, NONE},
                                   .hit = {NONE, NONE},
                                   .pseudo = (uint16_t)(i % shape->pseudo_channels),
                                   .group = i % (uint32_t)(shape->pseudo_channels * shape->bank_groups)};
    dram->channel->refresh_due = shape->timing.refi ? refresh_interval(shape) : MNP_DRAM_NEVER;
}

/* What does not change once the channel is built. */
static void describe(struct mnp_dram *dram, const struct mnp_dram_shape *shape)
{
    struct mnp_error error = {{0}};
    MNP_REQUIRE(mnp_dram_check(shape, &error), "%s", error.text);
    const struct mnp_dram_timing *timing = &shape->timing;
    memset(dram, 0, sizeof *dram);
    dram->shape = *shape;
    dram->column_from = dram->row_from = dram->next = MNP_DRAM_NEVER;
    uint64_t turn = timing->cl + timing->burst + 2;
    dram->same_direction = larger(timing->ccd, timing->burst);
    dram->read_to_write = larger(turn > timing->wl ? turn - timing->wl : 1, timing->ccd);
    dram->write_to_read = larger(timing->wl + timing->burst + timing->cdlr, timing->ccd);
    dram->early = shape->write_high - (shape->write_high - shape->write_low + 3) / 4;
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

/* ===== queues ===== */

/* The first request from `request` on in its chain that hits the bank's open row. */
static uint32_t next_hit(const struct mnp_dram *dram, const struct mnp_dram_bank *bank, uint32_t request)
{
    while (request != NONE && dram->requests[request].row != bank->row)
        request = dram->requests[request].next;
    return request;
}

static void set_hit(struct mnp_dram *dram, uint32_t index, uint32_t direction, uint32_t request)
{
    uint64_t bit = UINT64_C(1) << index;
    dram->banks[index].hit[direction] = request;
    if (request == NONE)
        dram->channel->hits[direction] &= ~bit;
    else
        dram->channel->hits[direction] |= bit;
}

/* Turns to the writes when they are many or alone, and back to the reads when the writes are few or gone. Done after
 * every change of a queue, so that the direction does not depend on which cycles are visited. */
static void choose_direction(struct mnp_dram *dram)
{
    struct mnp_dram_channel *channel = dram->channel;
    uint32_t reads = channel->count[READ], writes = channel->count[WRITE];
    if (channel->draining)
        channel->draining = writes > 0 && !(reads > 0 && writes <= dram->shape.write_low);
    else
        channel->draining = writes >= dram->shape.write_high || (reads == 0 && writes > 0);
}

/* Banks to be prepared for the direction being served: those whose requests do not hit. */
static uint64_t banks_to_open(const struct mnp_dram *dram, uint32_t direction)
{
    return dram->channel->waiting[direction] & ~dram->channel->hits[direction];
}

/* Banks that may be prepared for the other direction, because its turn is near and this one does not want them. Reads
 * follow every drain; a drain is near when three quarters of the way from the low to the high mark are done. */
static uint64_t banks_to_open_early(const struct mnp_dram *dram, uint32_t direction)
{
    const struct mnp_dram_channel *channel = dram->channel;
    uint32_t other = 1 - direction;
    if (other == WRITE && channel->count[WRITE] < dram->early)
        return 0;
    return channel->waiting[other] & ~channel->hits[other] & ~channel->waiting[direction];
}

void mnp_dram_push(struct mnp_dram *dram, uint64_t cycle, bool write, uint64_t address,
                   const uint64_t tag[2])
{
    struct mnp_dram_channel *channel = dram->channel;
    MNP_REQUIRE(mnp_dram_room(dram, write) > 0, "a DRAM queue overflows");
    uint32_t index = channel->free, bank_index, direction = write;
    struct mnp_dram_request *request = &dram->requests[index];
    channel->free = request->next;
    uint64_t row;
    mnp_dram_locate(dram, address, &bank_index, &row);
    *request = (struct mnp_dram_request){.row = row,
                                         .order = channel->order++,
                                         .arrived = cycle,
                                         .tag = {tag[0], tag[1]},
                                         .next = NONE,
                                         .bank = (uint16_t)bank_index,
                                         .write = write};
    struct mnp_dram_bank *bank = &dram->banks[bank_index];
    bool alone = bank->first[direction] == NONE, serving = channel->draining == direction;
    if (alone)
        bank->first[direction] = index;
    else
        dram->requests[bank->last[direction]].next = index;
    bank->last[direction] = index;
    channel->waiting[direction] |= UINT64_C(1) << bank_index;
    channel->count[direction]++;
    bool hit = bank->open && bank->row == row && bank->hit[direction] == NONE;
    if (hit)
        set_hit(dram, bank_index, direction, index);
    choose_direction(dram);
    /* Only a new hit or a bank's first request makes a command possible earlier, unless the direction has turned. */
    bool serves = channel->draining == direction;
    if (serves && (hit || !serving))
        lower(&dram->column_from, cycle);
    if (serves && (alone || !serving))
        lower(&dram->row_from, cycle);
    if (!serves && serving)
        dram->column_from = dram->row_from = cycle;
    if (!serves && banks_to_open_early(dram, 1 - direction))
        lower(&dram->row_from, cycle);
    dram->next = smaller(dram->column_from, dram->row_from);
}

/* Takes a request, a hit of its bank, out of the bank's chain and gives its entry back. */
static void remove_hit(struct mnp_dram *dram, uint32_t index)
{
    struct mnp_dram_request *request = &dram->requests[index];
    struct mnp_dram_channel *channel = dram->channel;
    uint32_t direction = request->write, bank_index = request->bank;
    struct mnp_dram_bank *bank = &dram->banks[bank_index];
    uint32_t before = NONE;
    for (uint32_t i = bank->first[direction]; i != index; i = dram->requests[i].next)
        before = i;
    if (before == NONE)
        bank->first[direction] = request->next;
    else
        dram->requests[before].next = request->next;
    if (bank->last[direction] == index)
        bank->last[direction] = before;
    if (bank->first[direction] == NONE)
        channel->waiting[direction] &= ~(UINT64_C(1) << bank_index);
    set_hit(dram, bank_index, direction, next_hit(dram, bank, request->next));
    channel->count[direction]--;
    *request = (struct mnp_dram_request){.next = channel->free};
    channel->free = index;
    choose_direction(dram);
}

/* ===== commands ===== */

static void issue_column(struct mnp_dram *dram, uint64_t cycle, uint32_t index, struct mnp_dram_event *event)
{
    const struct mnp_dram_timing *timing = &dram->shape.timing;
    struct mnp_dram_channel *channel = dram->channel;
    const struct mnp_dram_request *request = &dram->requests[index];
    struct mnp_dram_bank *bank = &dram->banks[request->bank];
    uint64_t data = cycle + (request->write ? timing->wl : timing->cl) + timing->burst;
    event->column = true;
    event->write = request->write;
    event->outcome = request->outcome;
    event->tag[0] = request->tag[0];
    event->tag[1] = request->tag[1];
    event->arrived = request->arrived;
    event->done = data;
    struct mnp_dram_pseudo *pseudo = &channel->pseudo[bank->pseudo];
    if (request->write) {
        pseudo->column_ready[WRITE] = cycle + dram->same_direction;
        pseudo->column_ready[READ] = larger(pseudo->column_ready[READ], cycle + dram->write_to_read);
        bank->precharge_ready = larger(bank->precharge_ready, data + timing->wr);
    } else {
        pseudo->column_ready[READ] = cycle + dram->same_direction;
        pseudo->column_ready[WRITE] = larger(pseudo->column_ready[WRITE], cycle + dram->read_to_write);
        bank->precharge_ready = larger(bank->precharge_ready, cycle + timing->rtpl);
    }
    channel->group_ready[bank->group] = cycle + timing->ccdl;
    remove_hit(dram, index);
}

/* RRD and FAW after an activate. */
static void delay_activates(struct mnp_dram_pseudo *pseudo, const struct mnp_dram_timing *timing, uint64_t cycle)
{
    pseudo->window[pseudo->activates] = cycle + timing->faw;
    pseudo->activates = (pseudo->activates + 1) % MNP_DRAM_FAW;
    pseudo->activate_ready = cycle + timing->rrd;
    if (timing->faw)
        pseudo->activate_ready = larger(pseudo->activate_ready, pseudo->window[pseudo->activates]);
}

static void activate(struct mnp_dram *dram, uint64_t cycle, uint32_t index, struct mnp_dram_event *event)
{
    const struct mnp_dram_timing *timing = &dram->shape.timing;
    struct mnp_dram_request *request = &dram->requests[index];
    struct mnp_dram_bank *bank = &dram->banks[request->bank];
    if (request->outcome == MNP_DRAM_ROW_HIT)
        request->outcome = MNP_DRAM_ROW_MISS;
    event->activate = true;
    event->row_tag = request->tag[0];
    bank->open = true;
    bank->row = request->row;
    bank->column_ready = cycle + timing->rcd;
    bank->precharge_ready = larger(bank->precharge_ready, cycle + timing->ras);
    bank->activate_ready = cycle + timing->rc;
    delay_activates(&dram->channel->pseudo[bank->pseudo], timing, cycle);
    for (uint32_t direction = READ; direction <= WRITE; direction++)
        set_hit(dram, request->bank, direction, next_hit(dram, bank, bank->first[direction]));
}

static void close_row(struct mnp_dram *dram, uint32_t index, uint64_t cycle)
{
    struct mnp_dram_bank *bank = &dram->banks[index];
    bank->open = false;
    bank->activate_ready = larger(bank->activate_ready, cycle + dram->shape.timing.rp);
    set_hit(dram, index, READ, NONE);
    set_hit(dram, index, WRITE, NONE);
}

static void precharge(struct mnp_dram *dram, uint64_t cycle, uint32_t index, struct mnp_dram_event *event)
{
    struct mnp_dram_request *request = &dram->requests[index];
    request->outcome = MNP_DRAM_ROW_CONFLICT;
    event->precharge = true;
    event->row_tag = request->tag[0];
    close_row(dram, request->bank, cycle);
}

/* The refresh that is due: the rows concerned are closed as soon as the last of them may be, then the banks rest. */
static void refresh(struct mnp_dram *dram, struct mnp_dram_event *event)
{
    struct mnp_dram_channel *channel = dram->channel;
    const struct mnp_dram_timing *timing = &dram->shape.timing;
    uint32_t first = channel->refresh_bank, end = first + refreshed_banks(&dram->shape);
    uint64_t close = channel->refresh_due, start = channel->refresh_due;
    for (uint32_t i = first; i < end; i++)
        if (dram->banks[i].open)
            close = larger(close, dram->banks[i].precharge_ready);
    for (uint32_t i = first; i < end; i++) {
        if (dram->banks[i].open) {
            close_row(dram, i, close);
            event->refresh_precharges++;
        }
        start = larger(start, dram->banks[i].activate_ready);
    }
    uint64_t rest = dram->shape.refresh == MNP_DRAM_REFRESH_BANK ? timing->rfcb : timing->rfc;
    for (uint32_t i = first; i < end; i++)
        dram->banks[i].activate_ready = start + rest;
    channel->refresh_bank = end < dram->shape.banks ? end : 0;
    channel->refresh_due += refresh_interval(&dram->shape);
    event->refreshes++;
}

/* ===== scheduling ===== */

struct choice {
    uint32_t request;      /* to issue a command for now, or NONE */
    uint64_t open_ready;   /* the earliest cycle at which an open bank of the others is ready */
    uint64_t closed_ready; /* the same of the closed ones; where all share a pseudo channel, RRD and FAW aside */
};

/* The earliest column command of a bank in a direction. */
static uint64_t bank_column_ready(const struct mnp_dram *dram, const struct mnp_dram_bank *bank, uint32_t direction)
{
    const struct mnp_dram_channel *channel = dram->channel;
    return larger(larger(bank->column_ready, channel->group_ready[bank->group]),
                  channel->pseudo[bank->pseudo].column_ready[direction]);
}

static uint64_t bank_activate_ready(const struct mnp_dram *dram, const struct mnp_dram_bank *bank)
{
    return larger(bank->activate_ready, dram->channel->pseudo[bank->pseudo].activate_ready);
}

/* A cycle before which no pseudo channel takes a column command. */
static uint64_t any_column_ready(const struct mnp_dram *dram, uint32_t direction)
{
    uint64_t ready = MNP_DRAM_NEVER;
    for (uint64_t i = 0; i < dram->shape.pseudo_channels; i++)
        lower(&ready, dram->channel->pseudo[i].column_ready[direction]);
    return ready;
}

/* The oldest request that hits an open row and may issue now; otherwise column_from becomes exact. So a bank group that
 * must wait for CCDL gives way to the others. */
static uint32_t choose_column(struct mnp_dram *dram, uint32_t direction, uint64_t cycle)
{
    const struct mnp_dram_channel *channel = dram->channel;
    uint64_t any = channel->hits[direction] ? any_column_ready(dram, direction) : MNP_DRAM_NEVER;
    if (any > cycle) {
        dram->column_from = any;
        return NONE;
    }
    uint64_t oldest = UINT64_MAX, next = MNP_DRAM_NEVER;
    uint32_t chosen = NONE;
    for (uint64_t bits = channel->hits[direction]; bits; bits &= bits - 1) {
        const struct mnp_dram_bank *bank = &dram->banks[__builtin_ctzll(bits)];
        uint64_t ready = bank_column_ready(dram, bank, direction);
        uint64_t order = dram->requests[bank->hit[direction]].order;
        if (ready > cycle) {
            lower(&next, ready);
        } else if (order < oldest) {
            chosen = bank->hit[direction];
            oldest = order;
        }
    }
    dram->column_from = next;
    return chosen;
}

/* The oldest request, among the heads of the named banks in a direction, whose bank can be prepared now. */
static struct choice choose_row(const struct mnp_dram *dram, uint64_t banks, uint32_t direction, uint64_t cycle)
{
    struct choice choice = {.request = NONE, .open_ready = MNP_DRAM_NEVER, .closed_ready = MNP_DRAM_NEVER};
    bool several = dram->shape.pseudo_channels > 1;
    uint64_t oldest = UINT64_MAX;
    const struct mnp_dram_bank *chosen = NULL;
    for (uint64_t bits = banks; bits; bits &= bits - 1) {
        const struct mnp_dram_bank *bank = &dram->banks[__builtin_ctzll(bits)], *other = bank;
        uint64_t ready = bank->open ? bank->precharge_ready : bank_activate_ready(dram, bank);
        uint64_t order = dram->requests[bank->first[direction]].order;
        if (ready <= cycle && order < oldest) {
            other = chosen;
            chosen = bank;
            choice.request = bank->first[direction];
            oldest = order;
        }
        if (other && other->open)
            lower(&choice.open_ready, other->precharge_ready);
        else if (other)
            lower(&choice.closed_ready, several ? bank_activate_ready(dram, other) : other->activate_ready);
    }
    return choice;
}

/* The earliest row command for the banks that were not chosen. */
static uint64_t next_row(const struct mnp_dram *dram, const struct choice *choice, uint64_t cycle)
{
    uint64_t closed = choice->closed_ready;
    if (closed != MNP_DRAM_NEVER && dram->shape.pseudo_channels == 1)
        closed = larger(closed, dram->channel->pseudo[0].activate_ready);
    return larger(smaller(choice->open_ready, closed), cycle + 1);
}

/* Issues a column command and says what may follow it. */
static void do_column(struct mnp_dram *dram, uint64_t cycle, uint32_t request, struct mnp_dram_event *event)
{
    struct mnp_dram_channel *channel = dram->channel;
    const struct mnp_dram_bank *bank = &dram->banks[dram->requests[request].bank];
    uint32_t direction = dram->requests[request].write;
    issue_column(dram, cycle, request, event);
    uint64_t ready = larger(any_column_ready(dram, direction), cycle + 1);
    dram->column_from = channel->hits[direction] ? ready : MNP_DRAM_NEVER;
    if (bank->hit[direction] == NONE && bank->first[direction] != NONE)
        lower(&dram->row_from, bank->precharge_ready);
    dram->row_from = larger(dram->row_from, dram->shape.dual_command ? cycle : cycle + 1);
    if (channel->draining != direction)
        dram->column_from = dram->row_from = cycle + 1;
    if (bank->first[direction] == NONE) /* it may be prepared for the other direction now */
        lower(&dram->row_from, cycle + 1);
}

/* Issues a row command and says what may follow it. */
static void do_row(struct mnp_dram *dram, uint64_t cycle, const struct choice *choice, struct mnp_dram_event *event)
{
    const struct mnp_dram_bank *bank = &dram->banks[dram->requests[choice->request].bank];
    if (bank->open) {
        precharge(dram, cycle, choice->request, event);
        dram->row_from = next_row(dram, choice, cycle);
        lower(&dram->row_from, larger(bank_activate_ready(dram, bank), cycle + 1));
    } else {
        activate(dram, cycle, choice->request, event);
        dram->row_from = next_row(dram, choice, cycle);
        lower(&dram->column_from, larger(bank->column_ready, cycle + 1));
    }
}

/* Issues the row command whose turn it is, if there is one, or says when there may be. */
static void step_rows(struct mnp_dram *dram, uint32_t direction, uint64_t cycle, struct mnp_dram_event *event)
{
    struct choice row = choose_row(dram, banks_to_open(dram, direction), direction, cycle);
    if (row.request != NONE) {
        do_row(dram, cycle, &row, event);
        if (banks_to_open_early(dram, direction))
            lower(&dram->row_from, cycle + 1);
        return;
    }
    uint64_t next = next_row(dram, &row, cycle), early = banks_to_open_early(dram, direction);
    if (early) {
        row = choose_row(dram, early, 1 - direction, cycle);
        if (row.request != NONE)
            do_row(dram, cycle, &row, event);
        lower(&next, row.request != NONE ? cycle + 1 : next_row(dram, &row, cycle));
    }
    dram->row_from = next;
}

/* FR-FCFS in one cycle: a column command, and a row command if the column command leaves it a bus. */
static void step_frfcfs(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    uint32_t direction = dram->channel->draining ? WRITE : READ;
    uint32_t column = cycle >= dram->column_from ? choose_column(dram, direction, cycle) : NONE;
    /* Rows before the column command, which may turn the direction and so all bounds. */
    if (cycle >= dram->row_from && (column == NONE || dram->shape.dual_command))
        step_rows(dram, direction, cycle, event);
    if (column != NONE)
        do_column(dram, cycle, column, event);
}

/* FCFS: the next command of the oldest request, and no other. */
static void step_fcfs(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    const struct mnp_dram_channel *channel = dram->channel;
    uint32_t oldest = NONE, direction = channel->draining ? WRITE : READ;
    for (uint64_t bits = channel->waiting[direction]; bits; bits &= bits - 1) {
        uint32_t head = dram->banks[__builtin_ctzll(bits)].first[direction];
        if (oldest == NONE || dram->requests[head].order < dram->requests[oldest].order)
            oldest = head;
    }
    dram->row_from = MNP_DRAM_NEVER;
    dram->column_from = oldest == NONE ? MNP_DRAM_NEVER : cycle + 1;
    if (oldest == NONE)
        return;
    const struct mnp_dram_request *request = &dram->requests[oldest];
    const struct mnp_dram_bank *bank = &dram->banks[request->bank];
    bool hit = bank->open && bank->row == request->row;
    uint64_t ready;
    if (hit)
        ready = bank_column_ready(dram, bank, direction);
    else
        ready = bank->open ? bank->precharge_ready : bank_activate_ready(dram, bank);
    if (ready > cycle)
        dram->column_from = ready;
    else if (hit)
        issue_column(dram, cycle, oldest, event);
    else if (bank->open)
        precharge(dram, cycle, oldest, event);
    else
        activate(dram, cycle, oldest, event);
}

void mnp_dram_step(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    memset(event, 0, sizeof *event);
    while (dram->channel->refresh_due <= cycle) {
        refresh(dram, event);
        dram->column_from = dram->row_from = cycle;
    }
    if (dram->shape.scheduler == MNP_DRAM_FCFS)
        step_fcfs(dram, cycle, event);
    else
        step_frfcfs(dram, cycle, event);
    if (dram->channel->count[READ] + dram->channel->count[WRITE] == 0)
        dram->column_from = dram->row_from = MNP_DRAM_NEVER;
    dram->next = smaller(dram->column_from, dram->row_from);
}

void mnp_dram_ask(struct mnp_dram *dram, uint64_t cycle)
{
    bool waiting = dram->channel->count[READ] + dram->channel->count[WRITE] > 0;
    dram->column_from = dram->row_from = dram->next = waiting ? cycle : MNP_DRAM_NEVER;
}

void mnp_dram_settle(struct mnp_dram *dram, uint64_t cycle, struct mnp_dram_event *event)
{
    memset(event, 0, sizeof *event);
    while (dram->channel->refresh_due < cycle)
        refresh(dram, event);
    if (event->refreshes) /* open rows that requests waited for are closed now */
        mnp_dram_ask(dram, cycle);
}
