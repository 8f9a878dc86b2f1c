/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DRAM channel: every timing parameter is met to the cycle ("blocked at t-1, ready at t"), no stream breaks any of
 * them (checked by rules written down a second time), skipping changes nothing, and scheduling is as promised.
 */
#include "parts/address_map.h"
#include "parts/dram/step.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t random_number(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* ===== a channel whose commands are written down ===== */

enum command { READ, WRITE, ACTIVATE, PRECHARGE };

struct entry {
    enum command command;
    uint64_t cycle, done, row;
    uint32_t bank;
    uint64_t tag;
    uint8_t outcome;
};

enum { LOG = 1 << 16, TAGS = 1 << 14 };

struct bench {
    struct mnp_dram dram;
    struct mnp_arena arena;
    struct entry log[LOG];
    uint32_t count;
    uint64_t address[TAGS]; /* by tag */
    uint64_t refreshes;
    uint64_t cycle; /* the next to visit */
};

static struct bench *bench_new(const struct mnp_dram_shape *shape)
{
    struct bench *bench = mnp_allocate(1, sizeof *bench);
    mnp_arena_init(&bench->arena, mnp_dram_size(shape));
    mnp_dram_init(&bench->dram, shape, &bench->arena);
    return bench;
}

static void bench_free(struct bench *bench)
{
    mnp_arena_release(&bench->arena);
    free(bench);
}

static void write_down(struct bench *bench, enum command command, uint64_t cycle, uint64_t tag,
                       const struct mnp_dram_event *event)
{
    assert_true(bench->count < LOG);
    struct entry *entry = &bench->log[bench->count++];
    *entry = (struct entry){.command = command, .cycle = cycle, .tag = tag};
    mnp_dram_locate(&bench->dram, bench->address[tag], &entry->bank, &entry->row);
    if (command <= WRITE) {
        entry->done = event->done;
        entry->outcome = event->outcome;
    }
}

static void push(struct bench *bench, uint64_t cycle, bool write, uint64_t address, uint64_t tag)
{
    uint64_t tags[2] = {tag, 0};
    bench->address[tag] = address;
    mnp_dram_push(&bench->dram, cycle, write, address, tags);
}

static void visit(struct bench *bench, uint64_t cycle)
{
    struct mnp_dram_event event;
    mnp_dram_step(&bench->dram, cycle, &event);
    if (event.column)
        write_down(bench, event.write ? WRITE : READ, cycle, event.tag[0], &event);
    if (event.activate)
        write_down(bench, ACTIVATE, cycle, event.row_tag, &event);
    if (event.precharge)
        write_down(bench, PRECHARGE, cycle, event.row_tag, &event);
    bench->refreshes += event.refreshes;
    bench->cycle = cycle + 1;
}

/* Visits cycles before `end`: all of them, or only those that the channel names. */
static void run_until(struct bench *bench, uint64_t end, bool every)
{
    for (;;) {
        uint64_t next = every ? bench->cycle : mnp_dram_next(&bench->dram);
        if (next >= end)
            break;
        visit(bench, next);
    }
    bench->cycle = end;
}

static const struct entry *find(const struct bench *bench, enum command command, uint32_t number)
{
    for (uint32_t i = 0; i < bench->count; i++)
        if (bench->log[i].command == command && number-- == 0)
            return &bench->log[i];
    fail_msg("command %d was not issued", command);
    return NULL;
}

/* ===== known configurations and easy addresses ===== */

static const struct mnp_dram_shape plain = {.timing = {.ccd = 1, .rrd = 1, .rcd = 1, .ras = 1, .rp = 1, .rc = 1,
                                                       .cl = 1, .wl = 0, .cdlr = 0, .wr = 0, .ccdl = 0, .rtpl = 0,
                                                       .burst = 1},
                                            .banks = 16, .pseudo_channels = 1,
                                            .bank_groups = 4, .row_bytes = 1024, .bank_interleave = 1024,
                                            .banks_interleaved = 1, .read_queue = 64, .write_queue = 64,
                                            .write_high = 48, .write_low = 16, .dual_command = 1};

/* Byte address of (bank, row, column) under `plain`. */
static uint64_t at(uint32_t bank, uint64_t row, uint32_t column)
{
    return (row * 16 + bank) * 1024 + column * 32;
}

/* The GDDR6 set that public configurations of Turing and Ampere use, and the HBM2 set of V100. */
static const struct mnp_dram_timing gddr6 = {.ccd = 4, .rrd = 12, .rcd = 24, .ras = 55, .rp = 24, .rc = 78, .cl = 24,
                                             .wl = 8, .cdlr = 10, .wr = 24, .ccdl = 6, .rtpl = 4, .burst = 4};
static const struct mnp_dram_timing hbm2 = {.ccd = 1, .rrd = 3, .rcd = 12, .ras = 28, .rp = 12, .rc = 40, .cl = 12,
                                            .wl = 2, .cdlr = 3, .wr = 10, .ccdl = 2, .rtpl = 3, .burst = 1};
static const struct mnp_dram_timing gddr5 = {.ccd = 2, .rrd = 6, .rcd = 12, .ras = 28, .rp = 12, .rc = 40, .cl = 12,
                                             .wl = 4, .cdlr = 5, .wr = 12, .ccdl = 3, .rtpl = 2, .burst = 2};

/* ===== one parameter at a time ===== */

struct gap { /* cycles from one command to another, when only one parameter matters */
    const char *name;
    size_t offset;       /* of the parameter in struct mnp_dram_timing */
    bool first_writes, second_writes;
    uint64_t first, second; /* addresses */
    enum command from, to;
    uint32_t from_number, to_number;
    uint64_t extra; /* cycles of the gap besides the parameter */
};

#define OFFSET(field) offsetof(struct mnp_dram_timing, field)

static void every_parameter_is_met_to_the_cycle(void **state)
{
    (void)state;
    const struct gap gaps[] = {
        {"ccd", OFFSET(ccd), false, false, at(0, 0, 0), at(0, 0, 1), READ, READ, 0, 1, 0},
        {"burst", OFFSET(burst), false, false, at(0, 0, 0), at(0, 0, 1), READ, READ, 0, 1, 0},
        {"ccdl", OFFSET(ccdl), false, false, at(0, 0, 0), at(4, 0, 0), READ, READ, 0, 1, 0},
        {"rrd", OFFSET(rrd), false, false, at(0, 0, 0), at(1, 0, 0), ACTIVATE, ACTIVATE, 0, 1, 0},
        {"rcd", OFFSET(rcd), false, false, at(0, 0, 0), at(1, 0, 0), ACTIVATE, READ, 0, 0, 0},
        {"rcd", OFFSET(rcd), true, true, at(0, 0, 0), at(1, 0, 0), ACTIVATE, WRITE, 0, 0, 0},
        {"ras", OFFSET(ras), false, false, at(0, 0, 0), at(0, 1, 0), ACTIVATE, PRECHARGE, 0, 0, 0},
        {"rp", OFFSET(rp), false, false, at(0, 0, 0), at(0, 1, 0), PRECHARGE, ACTIVATE, 0, 1, 0},
        {"rc", OFFSET(rc), false, false, at(0, 0, 0), at(0, 1, 0), ACTIVATE, ACTIVATE, 0, 1, 0},
        {"rtpl", OFFSET(rtpl), false, false, at(0, 0, 0), at(0, 1, 0), READ, PRECHARGE, 0, 0, 0},
        {"wr", OFFSET(wr), true, true, at(0, 0, 0), at(0, 1, 0), WRITE, PRECHARGE, 0, 0, 1},
        {"cdlr", OFFSET(cdlr), true, false, at(0, 0, 0), at(0, 0, 1), WRITE, READ, 0, 0, 1},
        {"wl", OFFSET(wl), true, false, at(0, 0, 0), at(0, 0, 1), WRITE, READ, 0, 0, 1},
        {"cl", OFFSET(cl), false, true, at(0, 0, 0), at(0, 0, 1), READ, WRITE, 0, 0, 3},
    };
    for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) {
        const struct gap *gap = &gaps[i];
        for (uint64_t value = 9; value <= 23; value += 7) {
            struct mnp_dram_shape shape = plain;
            memcpy((char *)&shape.timing + gap->offset, &value, sizeof value);
            struct bench *bench = bench_new(&shape);
            push(bench, 5, gap->first_writes, gap->first, 1);
            if (gap->first_writes != gap->second_writes) /* the first one goes first, whatever its direction */
                while (bench->count == 0 || bench->log[bench->count - 1].command > WRITE)
                    visit(bench, bench->cycle);
            push(bench, gap->first_writes == gap->second_writes ? 5 : bench->cycle, gap->second_writes, gap->second, 2);
            run_until(bench, 300, true);
            const struct entry *from = find(bench, gap->from, gap->from_number);
            const struct entry *to = find(bench, gap->to, gap->to_number);
            if (to->cycle - from->cycle != value + gap->extra)
                fail_msg("%s = %llu: ready after %llu cycles, not after %llu", gap->name, (unsigned long long)value,
                         (unsigned long long)(to->cycle - from->cycle), (unsigned long long)(value + gap->extra));
            bench_free(bench);
        }
    }
}

/* The fifth activate follows the first one FAW later, to the cycle; a bank of another pseudo channel need not wait. */
static void the_fifth_activate_waits(void **state)
{
    (void)state;
    for (uint64_t faw = 20; faw <= 40; faw += 10) {
        for (uint64_t pseudo = 1; pseudo <= 2; pseudo++) {
            struct mnp_dram_shape shape = plain;
            shape.timing.rrd = 3;
            shape.timing.faw = faw;
            shape.pseudo_channels = pseudo;
            struct bench *bench = bench_new(&shape);
            for (uint32_t i = 0; i < 5; i++)
                push(bench, 5, false, at(i * 2, 0, 0), i + 1);
            push(bench, 5, false, at(1, 0, 0), 6);
            run_until(bench, 300, true);
            uint64_t fifth = 0, odd = 0, first = find(bench, ACTIVATE, 0)->cycle;
            for (uint32_t i = 0; i < 6; i++) {
                const struct entry *entry = find(bench, ACTIVATE, i);
                fifth = entry->bank == 8 ? entry->cycle : fifth;
                odd = entry->bank == 1 ? entry->cycle : odd;
            }
            assert_int_equal(fifth - first, faw);
            assert_int_equal(odd - first, pseudo == 2 ? 1 : faw + 3);
            bench_free(bench);
        }
    }
}

/* Two pseudo channels move data side by side: alternating reads need one command each and no more. */
static void pseudo_channels_share_commands_alone(void **state)
{
    (void)state;
    struct mnp_dram_shape shape = plain;
    shape.timing = hbm2;
    shape.timing.ccd = shape.timing.burst = 2;
    shape.timing.ccdl = 4;
    shape.pseudo_channels = 2;
    struct bench *bench = bench_new(&shape);
    for (uint32_t i = 0; i < 40; i++) /* banks 0 … 3: two groups of either pseudo channel */
        push(bench, 5, false, at(i % 4, 0, i / 4), i + 1);
    run_until(bench, 300, false);
    assert_int_equal(find(bench, READ, 39)->cycle - find(bench, READ, 8)->cycle, 31);
    bench_free(bench);
}

static void data_take_latency_and_burst(void **state)
{
    (void)state;
    for (int write = 0; write <= 1; write++) {
        struct mnp_dram_shape shape = plain;
        shape.timing = gddr6;
        struct bench *bench = bench_new(&shape);
        push(bench, 100, write, at(3, 7, 1), 1);
        run_until(bench, 300, false);
        const struct entry *column = find(bench, write ? WRITE : READ, 0);
        assert_int_equal(find(bench, ACTIVATE, 0)->cycle, 100);
        assert_int_equal(column->cycle, 124);
        assert_int_equal(column->done, 124 + (write ? 8 : 24) + 4);
        bench_free(bench);
    }
}

static void rows_hit_miss_and_conflict(void **state)
{
    (void)state;
    struct mnp_dram_shape shape = plain;
    shape.timing = gddr6;
    struct bench *bench = bench_new(&shape);
    push(bench, 100, false, at(0, 0, 0), 1); /* closed */
    run_until(bench, 1000, false);
    push(bench, 1000, false, at(0, 0, 1), 2); /* open */
    run_until(bench, 2000, false);
    push(bench, 2000, false, at(0, 1, 0), 3); /* another row is open */
    run_until(bench, 3000, false);
    static const uint64_t latencies[] = {24 + 24 + 4, 24 + 4, 24 + 24 + 24 + 4};
    static const uint8_t outcomes[] = {MNP_DRAM_ROW_MISS, MNP_DRAM_ROW_HIT, MNP_DRAM_ROW_CONFLICT};
    static const uint64_t arrivals[] = {100, 1000, 2000};
    for (uint32_t i = 0; i < 3; i++) {
        const struct entry *read = find(bench, READ, i);
        assert_int_equal(read->done - arrivals[i], latencies[i]);
        assert_int_equal(read->outcome, outcomes[i]);
    }
    assert_int_equal(latencies[0], mnp_dram_read_cycles(&shape, false));
    assert_int_equal(latencies[1], mnp_dram_read_cycles(&shape, true));
    bench_free(bench);
}

static void refresh_closes_rows_and_blocks_banks(void **state)
{
    (void)state;
    struct mnp_dram_shape shape = plain;
    shape.timing = gddr6;
    shape.timing.refi = 1000;
    shape.timing.rfc = 150;
    struct bench *bench = bench_new(&shape);
    run_until(bench, 990, true);
    push(bench, 990, false, at(0, 0, 0), 1); /* activated in time, but too late to be read before the refresh */
    run_until(bench, 1100, true);
    push(bench, 1100, false, at(1, 0, 0), 2);
    run_until(bench, 1990, true);
    assert_int_equal(bench->refreshes, 1);
    assert_int_equal(find(bench, ACTIVATE, 0)->cycle, 990);
    /* The row may be closed RAS after it was opened; the refresh follows RP later, the next activate RFC after that. */
    assert_int_equal(find(bench, ACTIVATE, 1)->cycle, 990 + 55 + 24 + 150);
    struct mnp_dram_event event;
    mnp_dram_settle(&bench->dram, 10001, &event);
    assert_int_equal(event.refreshes, 9); /* 2000, 3000, … 10000 */
    bench_free(bench);
}

/* One bank after the other rests, REFI / banks apart; the others do not notice. */
static void refresh_of_one_bank_blocks_that_bank_alone(void **state)
{
    (void)state;
    struct mnp_dram_shape shape = plain;
    shape.timing = gddr6;
    shape.refresh = MNP_DRAM_REFRESH_BANK;
    shape.timing.refi = 16 * 500;
    shape.timing.rfcb = 210;
    struct bench *bench = bench_new(&shape);
    run_until(bench, 480, true);
    push(bench, 480, false, at(0, 0, 0), 1); /* bank 0 is refreshed at 500, bank 1 at 1000 */
    push(bench, 480, false, at(1, 0, 0), 2);
    run_until(bench, 600, true);
    push(bench, 600, false, at(1, 0, 1), 3);
    run_until(bench, 1999, true);
    assert_int_equal(bench->refreshes, 3);
    assert_int_equal(find(bench, ACTIVATE, 0)->cycle, 480);
    assert_int_equal(find(bench, ACTIVATE, 1)->cycle, 480 + 12);
    assert_int_equal(find(bench, READ, 0)->tag, 2);
    assert_int_equal(find(bench, READ, 0)->cycle, 480 + 12 + 24);
    assert_int_equal(find(bench, ACTIVATE, 2)->cycle, 480 + 55 + 24 + 210);
    assert_int_equal(find(bench, READ, 1)->tag, 3);
    assert_int_equal(find(bench, READ, 1)->outcome, MNP_DRAM_ROW_HIT);
    bench_free(bench);
}

/* ===== the rules, a second time ===== */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Cycles that must lie between two commands of which `a` came first; 0: they may share a cycle. */
static uint64_t required(const struct mnp_dram_shape *shape, const struct entry *a, const struct entry *b)
{
    const struct mnp_dram_timing *t = &shape->timing;
    bool same_bank = a->bank == b->bank;
    uint64_t groups = shape->pseudo_channels * shape->bank_groups;
    bool same_pseudo = a->bank % shape->pseudo_channels == b->bank % shape->pseudo_channels;
    bool same_group = a->bank % groups == b->bank % groups;
    if (!same_pseudo)
        return 0;
    if (a->command <= WRITE && b->command <= WRITE) {
        uint64_t gap = larger(t->ccd, same_group ? t->ccdl : 0);
        if (a->command == b->command)
            return larger(gap, t->burst);
        if (a->command == WRITE)
            return larger(gap, t->wl + t->burst + t->cdlr);
        return larger(gap, t->cl + t->burst + 2 > t->wl ? t->cl + t->burst + 2 - t->wl : 1);
    }
    if (a->command == ACTIVATE && b->command == ACTIVATE)
        return same_bank ? larger(t->rc, t->rrd) : t->rrd;
    if (!same_bank)
        return 0;
    if (a->command == ACTIVATE)
        return b->command == PRECHARGE ? t->ras : t->rcd;
    if (b->command == PRECHARGE)
        return a->command == READ ? t->rtpl : a->command == WRITE ? t->wl + t->burst + t->wr : 0;
    return a->command == PRECHARGE && b->command == ACTIVATE ? t->rp : 0;
}

/* At most four activates of a pseudo channel begin in FAW cycles. */
static void check_windows(const struct bench *bench, const struct mnp_dram_shape *shape)
{
    uint64_t started[MNP_DRAM_MAX_PSEUDO][4] = {{0}}, count[MNP_DRAM_MAX_PSEUDO] = {0};
    for (uint32_t i = 0; i < bench->count; i++) {
        const struct entry *entry = &bench->log[i];
        uint64_t pseudo = entry->bank % shape->pseudo_channels;
        if (entry->command != ACTIVATE)
            continue;
        uint64_t *fourth = &started[pseudo][count[pseudo] % 4];
        if (count[pseudo]++ >= 4)
            assert_true(entry->cycle - *fourth >= shape->timing.faw);
        *fourth = entry->cycle;
    }
}

static void check_log(const struct bench *bench, const struct mnp_dram_shape *shape)
{
    uint64_t open[MNP_DRAM_MAX_BANKS];
    memset(open, 0xff, sizeof open);
    check_windows(bench, shape);
    for (uint32_t i = 0; i < bench->count; i++) {
        const struct entry *entry = &bench->log[i];
        for (uint32_t j = i; j-- > 0 && entry->cycle - bench->log[j].cycle < 400;) {
            const struct entry *before = &bench->log[j];
            assert_true(entry->cycle - before->cycle >= required(shape, before, entry));
            bool same_bus = !shape->dual_command || (entry->command <= WRITE) == (before->command <= WRITE);
            assert_true(!same_bus || entry->cycle > before->cycle);
        }
        if (entry->command == ACTIVATE) {
            assert_true(open[entry->bank] == UINT64_MAX || shape->timing.refi);
            open[entry->bank] = entry->row;
        } else if (entry->command == PRECHARGE) {
            open[entry->bank] = UINT64_MAX;
        } else {
            assert_true(open[entry->bank] == entry->row);
        }
    }
}

/* ===== random streams ===== */

static void random_shape(struct mnp_dram_shape *shape, uint64_t *seed)
{
    static const struct mnp_dram_timing *const known[] = {&gddr6, &hbm2, &gddr5};
    *shape = plain;
    shape->timing = *known[random_number(seed) % 3];
    uint64_t each = 1 + random_number(seed) % 20;
    shape->pseudo_channels = random_number(seed) % 2 ? 1 : 1 + random_number(seed) % 3;
    shape->banks = each * shape->pseudo_channels;
    shape->bank_groups = 1 + random_number(seed) % each;
    shape->timing.faw = random_number(seed) % 2 ? 5 * shape->timing.rrd + random_number(seed) % 9 : 0;
    shape->banks_interleaved = shape->banks % 2 ? 1 : 2;
    shape->bank_interleave = 64;
    shape->bank_hash = random_number(seed) % MNP_HASH_KINDS;
    shape->scheduler = random_number(seed) % 2;
    shape->dual_command = random_number(seed) % 2;
    shape->read_queue = 1 + random_number(seed) % 40;
    shape->write_queue = 2 + random_number(seed) % 40;
    shape->write_high = 2 + random_number(seed) % (shape->write_queue - 1);
    shape->write_low = random_number(seed) % shape->write_high;
    shape->timing.refi = random_number(seed) % 2 ? 300 : 0;
    shape->timing.rfc = 50;
    shape->refresh = random_number(seed) % 2;
    shape->timing.rfcb = 40;
}

static uint64_t random_address(uint64_t *seed)
{
    uint64_t range = random_number(seed) % 3 ? 1 << 13 : 1 << 20;
    return random_number(seed) % range / 32 * 32;
}

/* Pushes the same stream from the bench's cycle on, whether every cycle is visited or not: arrivals depend on the
 * stream alone, and requests that find no room are dropped. */
static void random_stream(struct bench *bench, uint64_t seed, bool every)
{
    struct mnp_dram_event event;
    uint64_t cycle = bench->cycle;
    for (uint64_t tag = 1; tag < 3000; tag++) {
        uint64_t kind = random_number(&seed) % 16;
        cycle += kind == 0 ? random_number(&seed) % 2000 : kind < 10 ? random_number(&seed) % 6 : 0;
        run_until(bench, cycle, every);
        if (tag % 7 == 0) { /* as a unit does at the end of a window */
            mnp_dram_settle(&bench->dram, cycle, &event);
            bench->refreshes += event.refreshes;
        }
        bool write = random_number(&seed) % 3 == 0;
        uint64_t address = random_address(&seed);
        if (mnp_dram_room(&bench->dram, write))
            push(bench, cycle, write, address, tag);
    }
    run_until(bench, cycle + 20000, every);
    mnp_dram_settle(&bench->dram, cycle + 20000, &event);
    bench->refreshes += event.refreshes;
}

static void random_streams_obey_all_rules_and_skipping_changes_nothing(void **state)
{
    (void)state;
    uint64_t seed = 20260101;
    for (int round = 0; round < 60; round++) {
        struct mnp_dram_shape shape;
        random_shape(&shape, &seed);
        uint64_t stream = random_number(&seed);
        struct bench *skipping = bench_new(&shape), *visiting = bench_new(&shape);
        random_stream(skipping, stream, false);
        random_stream(visiting, stream, true);
        assert_int_equal(skipping->count, visiting->count);
        assert_memory_equal(skipping->log, visiting->log, skipping->count * sizeof *skipping->log);
        assert_int_equal(skipping->refreshes, visiting->refreshes);
        assert_memory_equal(skipping->arena.base, visiting->arena.base, skipping->arena.used);
        assert_int_equal(skipping->dram.channel->count[0] + skipping->dram.channel->count[1], 0);
        check_log(skipping, &shape);
        bench_free(skipping);
        bench_free(visiting);
    }
}

/* The scheduler's view of the banks holds times of 32 bits. Streams that begin late, or while the view is made anew, go
 * as those that begin at once. */
static void commands_do_not_depend_on_the_time_of_a_stream(void **state)
{
    (void)state;
    static const uint64_t starts[] = {MNP_DRAM_VIEW_CYCLES - 500, 5 * UINT64_C(0x80000000) + 17, UINT64_C(1) << 50};
    uint64_t seed = 20261130;
    for (int round = 0; round < 18; round++) {
        struct mnp_dram_shape shape;
        random_shape(&shape, &seed);
        shape.timing.refi = 0;
        uint64_t stream = random_number(&seed), start = starts[round % 3];
        struct bench *early = bench_new(&shape), *late = bench_new(&shape);
        late->cycle = start;
        random_stream(early, stream, false);
        random_stream(late, stream, false);
        assert_int_equal(early->count, late->count);
        for (uint32_t i = 0; i < early->count; i++) {
            assert_int_equal(early->log[i].command, late->log[i].command);
            assert_int_equal(early->log[i].cycle + start, late->log[i].cycle);
            assert_int_equal(early->log[i].tag, late->log[i].tag);
        }
        bench_free(early);
        bench_free(late);
    }
}

/* ===== scheduling ===== */

static void check_order(uint64_t scheduler, const uint64_t *order)
{
    struct mnp_dram_shape shape = plain;
    shape.timing = gddr6;
    shape.scheduler = scheduler;
    struct bench *bench = bench_new(&shape);
    push(bench, 0, false, at(0, 1, 0), 1);
    push(bench, 0, false, at(0, 2, 0), 2);
    push(bench, 0, false, at(0, 1, 1), 3);
    push(bench, 0, false, at(1, 1, 0), 4);
    run_until(bench, 2000, false);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(find(bench, READ, i)->tag, order[i]);
    bench_free(bench);
}

static void frfcfs_prefers_open_rows_and_fcfs_does_not(void **state)
{
    (void)state;
    static const uint64_t first_ready[] = {1, 3, 4, 2}, strict[] = {1, 2, 3, 4};
    check_order(MNP_DRAM_FRFCFS, first_ready);
    check_order(MNP_DRAM_FCFS, strict);
}

static void writes_wait_for_their_marks(void **state)
{
    (void)state;
    struct mnp_dram_shape shape = plain;
    shape.timing = gddr6;
    shape.write_high = 4;
    shape.write_low = 1;
    struct bench *bench = bench_new(&shape);
    for (uint64_t i = 0; i < 20; i++)
        push(bench, 0, false, at(0, 0, (uint32_t)i), i + 1);
    for (uint64_t i = 0; i < 3; i++)
        push(bench, 0, true, at(1, 0, (uint32_t)i), i + 101);
    run_until(bench, 40, false);
    push(bench, 40, true, at(1, 0, 3), 104); /* the fourth: the high mark */
    run_until(bench, 4000, false);
    const struct entry *write = find(bench, WRITE, 0);
    uint32_t reads_before = 0, reads_between = 0;
    for (uint32_t i = 0; i < bench->count; i++) {
        if (bench->log[i].command != READ)
            continue;
        reads_before += bench->log[i].cycle < write->cycle;
        reads_between += bench->log[i].cycle > write->cycle && bench->log[i].cycle < find(bench, WRITE, 2)->cycle;
    }
    assert_in_range(reads_before, 1, 19);
    assert_int_equal(reads_between, 0);                                      /* down to the low mark at one go */
    assert_true(find(bench, WRITE, 3)->cycle > find(bench, READ, 19)->cycle); /* the last one waits for the reads */
    bench_free(bench);
}

/* ===== bandwidth ===== */

/* Cycles for a long sequential stream of reads through a queue that is kept full. */
static uint64_t stream_cycles(const struct mnp_dram_shape *shape, uint64_t sectors)
{
    struct bench *bench = bench_new(shape);
    uint64_t pushed = 0, cycle = 0;
    while (bench->dram.channel->count[0] || pushed < sectors) {
        while (pushed < sectors && mnp_dram_room(&bench->dram, false)) {
            push(bench, cycle, false, pushed * 32, 1 + pushed % (TAGS - 1));
            pushed++;
        }
        visit(bench, cycle++);
        if (bench->count > LOG / 2)
            bench->count = 0;
    }
    bench_free(bench);
    return cycle;
}

static void sequential_streams_come_within_five_percent_of_the_bus(void **state)
{
    (void)state;
    static const struct {
        const struct mnp_dram_timing *timing;
        uint64_t interleave;
        uint64_t dual;
    } known[] = {{&gddr6, 128, 0}, {&hbm2, 256, 1}, {&gddr5, 128, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        for (uint64_t refi = 0; refi <= 3900; refi += 3900) {
            struct mnp_dram_shape shape = plain;
            shape.timing = *known[i].timing;
            shape.timing.refi = refi;
            shape.timing.rfc = 350;
            shape.row_bytes = 2048;
            shape.bank_interleave = known[i].interleave;
            shape.banks_interleaved = 2;
            shape.dual_command = known[i].dual;
            uint64_t ideal = 100000 * larger(shape.timing.ccd, shape.timing.burst);
            if (refi)
                ideal = ideal * refi / (refi - 350 - shape.timing.rp - shape.timing.rcd);
            uint64_t cycles = stream_cycles(&shape, 100000);
            assert_in_range(cycles, ideal * 99 / 100, ideal * 105 / 100);
        }
    }
}

/* ===== addresses ===== */

static void every_sector_of_a_channel_has_a_place_of_its_own(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < 50; round++) {
        struct mnp_dram_shape shape;
        random_shape(&shape, &seed);
        struct bench *bench = bench_new(&shape);
        uint64_t rows = 8, sectors = rows * shape.banks * shape.row_bytes / 32;
        uint32_t *met = mnp_allocate(rows * shape.banks, sizeof *met);
        for (uint64_t i = 0; i < sectors; i++) {
            uint32_t bank;
            uint64_t row;
            mnp_dram_locate(&bench->dram, i * 32, &bank, &row);
            assert_true(bank < shape.banks && row < rows);
            met[row * shape.banks + bank]++;
        }
        for (uint64_t i = 0; i < rows * shape.banks; i++)
            assert_int_equal(met[i], shape.row_bytes / 32);
        free(met);
        bench_free(bench);
    }
}

static void addresses_map_one_to_one_for_every_count(void **state)
{
    (void)state;
    uint64_t seed = 77;
    for (uint32_t kind = 0; kind < MNP_HASH_KINDS; kind++) {
        for (uint32_t partitions = 1; partitions <= 100; partitions++) {
            uint32_t slices = 1 + (uint32_t)(random_number(&seed) % 4);
            struct mnp_address_map map;
            mnp_address_map_init(&map, partitions, slices, 256, mnp_hash_function((enum mnp_hash_kind)kind));
            uint32_t met[400] = {0};
            for (uint64_t i = 0; i < 16 * partitions * slices; i++) {
                uint64_t address = i * 256 + random_number(&seed) % 256;
                struct mnp_address_place place = mnp_address_place(&map, address);
                assert_true(place.partition < partitions && place.slice < slices);
                assert_true(mnp_address_of(&map, &place) == address);
                assert_true(mnp_address_local(&map, address) == place.local);
                met[place.partition * slices + place.slice]++;
            }
            for (uint32_t i = 0; i < partitions * slices; i++)
                assert_int_equal(met[i], 16);
        }
    }
}

static void impossible_channels_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 9; i++) {
        struct mnp_dram_shape shape = plain;
        struct mnp_error error = {{0}};
        assert_true(mnp_dram_check(&shape, &error));
        *(i == 0   ? &shape.banks
          : i == 1 ? &shape.bank_groups
          : i == 2 ? &shape.timing.burst
          : i == 3 ? &shape.read_queue
          : i == 4 ? &shape.row_bytes
          : i == 5 ? &shape.banks_interleaved
          : i == 6 ? &shape.write_high
          : i == 7 ? &shape.pseudo_channels
                   : &shape.timing.cl) = 0;
        assert_false(mnp_dram_check(&shape, &error));
        assert_true(strlen(error.text) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_parameter_is_met_to_the_cycle),
        cmocka_unit_test(the_fifth_activate_waits),
        cmocka_unit_test(pseudo_channels_share_commands_alone),
        cmocka_unit_test(data_take_latency_and_burst),
        cmocka_unit_test(rows_hit_miss_and_conflict),
        cmocka_unit_test(refresh_closes_rows_and_blocks_banks),
        cmocka_unit_test(refresh_of_one_bank_blocks_that_bank_alone),
        cmocka_unit_test(random_streams_obey_all_rules_and_skipping_changes_nothing),
        cmocka_unit_test(commands_do_not_depend_on_the_time_of_a_stream),
        cmocka_unit_test(frfcfs_prefers_open_rows_and_fcfs_does_not),
        cmocka_unit_test(writes_wait_for_their_marks),
        cmocka_unit_test(sequential_streams_come_within_five_percent_of_the_bus),
        cmocka_unit_test(every_sector_of_a_channel_has_a_place_of_its_own),
        cmocka_unit_test(addresses_map_one_to_one_for_every_count),
        cmocka_unit_test(impossible_channels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
