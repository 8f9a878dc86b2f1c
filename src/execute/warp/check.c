/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/warp/check.h"

#include "base/arena.h"
#include "base/array.h"
#include "execute/code/code.h"
#include "execute/code/language.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 1024,
    BUCKETS = 4096,
    MAX_WARPS = 32,
    MAX_REPORTS = 50,
    MAX_KEPT = 4096,
    FILE_BYTES = 300,
    SPOT_BYTES = 200
};

/* An access to a word. */
struct access {
    uint32_t op;       /* place in code.ops, + 1; 0: there was none */
    uint32_t cta;      /* number */
    uint32_t interval; /* barriers that the warp had come to */
    uint32_t fences;   /* fences of the block before the access */
    uint8_t warp, lane;
    uint8_t bytes; /* a bit for each of the word's */
    bool strong;   /* an atomic, or performed like one */
};

struct mark {
    struct access write, read;
    uint8_t unwritten; /* one bit for each byte that was never written */
    uint32_t kept;     /* instruction of the last such read that is kept, as in `struct access`; 0: none */
};

/* A read of memory that nobody has written, yet: a word that races as well has its value from the other order. */
struct early {
    const struct execute_code *code;
    struct access read;
    uint64_t address;
    bool shared, raced;
};

/* 4 KiB of global memory. */
struct page {
    struct page *next;
    uint64_t number;
    uint32_t launch; /* that the accesses are of */
    struct mark marks[WORDS];
};

struct block {
    struct block *next;
    uint64_t number;
    uint32_t intervals[MAX_WARPS];
    uint32_t syncs;     /* atomics and strong accesses */
    struct mark *marks; /* marks of shared memory */
    uint32_t words;
};

struct execute_check {
    struct execute_checked looks_for;
    void (*say)(void *context, const struct mnp_error *error);
    void *context;
    struct execute_observer observer;
    struct page *pages[BUCKETS];
    struct block *blocks;    /* blocks that have begun and not ended */
    struct mnp_array fences; /* uint32_t: of each block of the launch */
    struct mnp_array said;   /* uint64_t: pairs of operations */
    struct mnp_array early;  /* struct early: reads of the launch */
    uint32_t launch;
};

/* ===== memory ===== */

static struct page *page_at(struct execute_check *check, uint64_t address, bool make)
{
    uint64_t number = address / (WORDS * 4);
    struct page **link = &check->pages[number % BUCKETS];
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    if (!*link && make) {
        *link = mnp_allocate(1, sizeof **link);
        (*link)->number = number;
        (*link)->launch = check->launch;
    }
    if (*link && (*link)->launch != check->launch) {
        for (uint32_t i = 0; i < WORDS; i++)
            (*link)->marks[i] = (struct mark){.unwritten = (*link)->marks[i].unwritten};
        (*link)->launch = check->launch;
    }
    return *link;
}

/* The bits of the bytes of [address, end) that lie in the address's word. */
static uint8_t bits_of(uint64_t address, uint64_t end)
{
    uint64_t first = address % 4, last = end - (address - first);
    return (uint8_t)((last >= 4 ? 15u : (1u << last) - 1) & (15u << first) & 15u);
}

static void set(struct execute_check *check, uint64_t address, uint64_t bytes, bool unwritten)
{
    uint64_t end = address + bytes;
    for (uint64_t at = address; check->looks_for.init && at < end; at = at / 4 * 4 + 4) {
        struct page *page = page_at(check, at, unwritten);
        if (!page)
            continue;
        struct mark *mark = &page->marks[at / 4 % WORDS];
        mark->unwritten =
            (uint8_t)(unwritten ? mark->unwritten | bits_of(at, end) : mark->unwritten & ~bits_of(at, end));
    }
}

void execute_check_allocated(struct execute_check *check, uint64_t address, uint64_t bytes)
{
    set(check, address, bytes, true);
}

void execute_check_wrote(struct execute_check *check, uint64_t address, uint64_t bytes)
{
    set(check, address, bytes, false);
}

/* Whether the byte at an address was never written. */
static bool is_unwritten(struct execute_check *check, uint64_t address)
{
    const struct page *page = page_at(check, address, false);
    return page && page->marks[address / 4 % WORDS].unwritten >> address % 4 & 1;
}

void execute_check_copied(struct execute_check *check, uint64_t to, uint64_t from, uint64_t bytes)
{
    for (uint64_t at = 0; check->looks_for.init && at < bytes; at++)
        set(check, to + at, 1, is_unwritten(check, from + at));
}

/* ===== what is said ===== */

static bool is_new(struct execute_check *check, uint64_t pair)
{
    const uint64_t *said = check->said.items;
    for (uint32_t i = 0; i < check->said.count; i++)
        if (said[i] == pair)
            return false;
    *(uint64_t *)mnp_array_add(&check->said, 1, sizeof pair) = pair;
    return check->said.count <= MAX_REPORTS;
}

/* Names the location of an access: in the executed code, its line or (machine code) its address; and in the source. */
static const char *name_spot(const struct execute_location *location, char text[SPOT_BYTES])
{
    const struct execute_source_line *source = &location->source;
    int length = location->function ? snprintf(text, SPOT_BYTES, "address 0x%" PRIx64, location->address)
                                    : snprintf(text, SPOT_BYTES, "line %u", location->line);
    if (source->file)
        snprintf(text + length, SPOT_BYTES - (size_t)length, " (%.150s:%u)", source->file, source->line);
    return text;
}

/* Writes the beginning of a message: the file, and the line if the code is text. */
static void name_file(const struct execute_location *location, char text[FILE_BYTES])
{
    if (location->function)
        snprintf(text, FILE_BYTES, "%s", location->file);
    else
        snprintf(text, FILE_BYTES, "%s:%u", location->file, location->line);
}

static void report(struct execute_check *check, const struct execute_code *code, uint64_t address, bool shared,
                   const struct access *before, const struct access *now)
{
    const char *where = shared ? "shared" : "global";
    struct mnp_error error = {{0}};
    char file[FILE_BYTES], place[EXECUTE_PLACE_BYTES], text[200], spot[SPOT_BYTES];
    uint64_t pair = (uint64_t)now->op << 32 | (before ? before->op : 0);
    if (!is_new(check, pair ^ (uint64_t)(uintptr_t)code << 8))
        return;
    struct execute_location here = code->module->language->locate(code, now->op - 1);
    execute_describe_place(code, now->op - 1, place, sizeof place);
    name_file(&here, file);
    snprintf(text, sizeof text, "%s", here.text); /* the next location takes its room */
    if (!before) {
        mnp_fail(&error,
                 "%s: %s, block %u, thread %u: `%s` reads %s memory at 0x%lx that nobody has written (--check init)",
                 file, place, now->cta, now->warp * 32 + now->lane, text, where, (unsigned long)address);
    } else {
        struct execute_location there = code->module->language->locate(code, before->op - 1);
        mnp_fail(&error,
                 "%s: %s, block %u, thread %u: `%s` races with %s, block %u, thread %u: `%s`, at %s address "
                 "0x%lx: nothing orders them (--check race)",
                 file, place, now->cta, now->warp * 32 + now->lane, text, name_spot(&there, spot), before->cta,
                 before->warp * 32 + before->lane, there.text, where, (unsigned long)address);
    }
    check->say(check->context, &error);
}

/* A barrier of the CTA that not all threads of a warp have reached: `missing` ones, of which `elsewhere` are at another
 * barrier, and the others have ended. */
static void report_parting(struct execute_check *check, const struct execute_warp *warp,
                           const struct execute_record *record, uint32_t missing, uint32_t elsewhere)
{
    const struct execute_code *code = warp->launch->code;
    struct mnp_error error = {{0}};
    char file[FILE_BYTES], place[EXECUTE_PLACE_BYTES];
    struct execute_location here = code->module->language->locate(code, record->op);
    bool any_place = strncmp(here.text, "barrier.", 8) == 0 && !strstr(here.text, ".aligned");
    uint32_t first = warp->number * 32, other = elsewhere ? elsewhere : missing;
    if (any_place || !is_new(check, (uint64_t)(record->op + 1) << 32 ^ (uint64_t)(uintptr_t)code << 8))
        return;
    execute_describe_place(code, record->op, place, sizeof place);
    name_file(&here, file);
    mnp_fail(&error,
             "%s: %s, block %lu, thread %u: `%s` is reached by %d of the %d threads of its warp; thread %u %s "
             "(--check sync)",
             file, place, (unsigned long)warp->cta->number, first + (uint32_t)__builtin_ctz(record->mask), here.text,
             __builtin_popcount(record->mask), __builtin_popcount(record->mask | missing),
             first + (uint32_t)__builtin_ctz(other), elsewhere ? "waits at another barrier" : "has ended");
    check->say(check->context, &error);
}

/* Keeps a read until the launch has ended, when all of its races are known. */
static void keep_early(struct execute_check *check, const struct execute_code *code, uint64_t address, bool shared,
                       struct mark *mark, const struct access *read)
{
    if (check->early.count == MAX_KEPT) {
        report(check, code, address, shared, NULL, read);
        return;
    }
    mark->kept = read->op;
    *(struct early *)mnp_array_add(&check->early, 1, sizeof(struct early)) =
        (struct early){.code = code, .read = *read, .address = address, .shared = shared};
}

static void note_race(struct execute_check *check, uint64_t address, bool shared, struct mark *mark, uint32_t cta)
{
    struct early *all = check->early.items;
    for (uint32_t i = 0; mark->kept && i < check->early.count; i++)
        if (all[i].address / 4 == address / 4 && all[i].shared == shared && (!shared || all[i].read.cta == cta))
            all[i].raced = true;
    mark->kept = 0;
}

void execute_check_settle(struct execute_check *check)
{
    const struct early *all = check->early.items;
    for (uint32_t i = 0; i < check->early.count; i++)
        if (!all[i].raced)
            report(check, all[i].code, all[i].address, all[i].shared, NULL, &all[i].read);
    check->early.count = 0;
}

/* ===== what is observed ===== */

static struct block **find(struct execute_check *check, uint64_t number)
{
    struct block **link = &check->blocks;
    while (*link && (*link)->number != number)
        link = &(*link)->next;
    return link;
}

static uint32_t *fences_of(struct execute_check *check, uint64_t cta)
{
    if (cta >= check->fences.count) {
        uint32_t more = (uint32_t)(cta + 1 - check->fences.count);
        memset(mnp_array_add(&check->fences, more, sizeof(uint32_t)), 0, more * sizeof(uint32_t));
    }
    return (uint32_t *)check->fences.items + cta;
}

static bool is_ordered(struct execute_check *check, const struct block *block, const struct access *before,
                       const struct access *now)
{
    if (before->cta == now->cta && (before->warp == now->warp || before->interval < now->interval))
        return true;
    return *fences_of(check, before->cta) > before->fences && block->syncs;
}

static bool races(struct execute_check *check, const struct block *block, const struct access *before,
                  const struct access *now)
{
    return before->op && (before->bytes & now->bytes) && !(before->strong && now->strong) &&
           !is_ordered(check, block, before, now);
}

static void look(struct execute_check *check, const struct execute_warp *warp, struct block *block, struct mark *mark,
                 const struct access *now, uint64_t address, bool writes, bool reads)
{
    const struct execute_code *code = warp->launch->code;
    bool shared = block->marks && mark >= block->marks && mark < block->marks + block->words;
    const struct access *other = !check->looks_for.race                            ? NULL
                                 : races(check, block, &mark->write, now)          ? &mark->write
                                 : writes && races(check, block, &mark->read, now) ? &mark->read
                                                                                   : NULL;
    if (other) {
        report(check, code, address, shared, other, now);
        note_race(check, address, shared, mark, now->cta);
    }
    if (check->looks_for.init && reads && (mark->unwritten & now->bytes) && mark->kept != now->op)
        keep_early(check, code, address, shared, mark, now);
    if (writes) {
        mark->write = *now;
        mark->unwritten &= (uint8_t)~now->bytes;
    }
    /* Only one reader per interval is kept: the first one, unless it is the writer itself. */
    if (reads && (!mark->read.op || mark->read.interval != now->interval || mark->read.cta != now->cta ||
                  mark->read.warp == mark->write.warp))
        mark->read = *now;
}

static struct mark *mark_at(struct execute_check *check, struct block *block, bool shared, uint64_t address)
{
    if (!shared)
        return &page_at(check, address, true)->marks[address / 4 % WORDS];
    return address / 4 < block->words ? &block->marks[address / 4] : NULL;
}

static struct block *block_of(struct execute_check *check, const struct execute_warp *warp)
{
    struct block **link = find(check, warp->cta->number);
    if (*link)
        return *link;
    struct block *block = mnp_allocate(1, sizeof *block);
    block->number = warp->cta->number;
    block->words = (warp->launch->shared_bytes + 3) / 4;
    block->marks = mnp_allocate((size_t)block->words + 1, sizeof *block->marks);
    for (uint32_t i = 0; i < block->words; i++)
        block->marks[i].unwritten = 15;
    block->next = check->blocks;
    return check->blocks = block;
}

/* A warp's last arrival at a barrier: all of its threads have to be there, unless the barrier is a warpgroup's or a
 * cluster's, or nothing waits there. */
static void look_at_barrier(struct execute_check *check, const struct execute_warp *warp,
                            const struct execute_record *record, const struct execute_op *op)
{
    const uint32_t *block = warp->launch->block;
    uint32_t threads = block[0] * block[1] * block[2] - warp->number * 32;
    uint32_t all = threads >= 32 ? UINT32_MAX : (1u << threads) - 1, missing = all & ~record->mask;
    if (missing && op->variant != EXECUTE_BARRIER_ARRIVE && op->variant < EXECUTE_BARRIER_GROUP)
        report_parting(check, warp, record, missing, missing & warp->lanes);
}

static void on_executed(void *context, const struct execute_warp *warp, const struct execute_record *record)
{
    struct execute_check *check = context;
    struct block *block = block_of(check, warp);
    const struct execute_op *op = execute_op_at(warp->launch->code, record->op);
    bool atomic = op->kind == EXECUTE_KIND_ATOMIC, writes = op->kind == EXECUTE_KIND_STORE || atomic;
    bool reads = op->kind == EXECUTE_KIND_LOAD || atomic, strong = atomic || op->access.strong;
    bool shared = record->space == EXECUTE_SPACE_SHARED;
    if (op->kind == EXECUTE_KIND_BARRIER && record->mask) {
        block->intervals[warp->number % MAX_WARPS]++;
        if (check->looks_for.sync)
            look_at_barrier(check, warp, record, op);
    }
    if (op->kind == EXECUTE_KIND_FENCE || op->kind == EXECUTE_KIND_MBARRIER || (writes && op->access.release))
        ++*fences_of(check, block->number);
    if (op->kind == EXECUTE_KIND_MBARRIER || ((writes || reads) && strong))
        block->syncs++;
    if (!(writes || reads) || !record->bytes || (!shared && record->space != EXECUTE_SPACE_GLOBAL))
        return;
    struct access now = {.op = record->op + 1,
                         .cta = (uint32_t)block->number,
                         .interval = block->intervals[warp->number % MAX_WARPS],
                         .fences = *fences_of(check, block->number),
                         .warp = (uint8_t)warp->number,
                         .strong = strong};
    for (uint32_t rest = record->mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        uint64_t end = record->addresses[lane] + record->bytes;
        now.lane = (uint8_t)lane;
        for (uint64_t at = record->addresses[lane]; at < end; at = at / 4 * 4 + 4) {
            struct mark *mark = mark_at(check, block, shared, at);
            now.bytes = bits_of(at, end);
            if (mark)
                look(check, warp, block, mark, &now, at, writes, reads);
        }
    }
}

static void free_block(struct block *block)
{
    free(block->marks);
    free(block);
}

static void on_ended(void *context, const struct execute_cta *cta)
{
    struct block **link = find(context, cta->number), *block = *link;
    if (!block)
        return;
    *link = block->next;
    free_block(block);
}

/* ===== the check ===== */

struct execute_check *execute_check_open(struct execute_checked looks_for,
                                         void (*say)(void *context, const struct mnp_error *error), void *context)
{
    struct execute_check *check = mnp_allocate(1, sizeof *check);
    *check = (struct execute_check){.looks_for = looks_for, .say = say, .context = context};
    check->observer = (struct execute_observer){check, on_executed, on_ended};
    return check;
}

static void forget_blocks(struct execute_check *check)
{
    while (check->blocks) { /* blocks of a kernel that has faulted */
        struct block *next = check->blocks->next;
        free_block(check->blocks);
        check->blocks = next;
    }
}

const struct execute_observer *execute_check_launch(struct execute_check *check)
{
    forget_blocks(check);
    check->launch++;
    check->fences.count = check->early.count = 0;
    return &check->observer;
}

void execute_check_close(struct execute_check *check)
{
    if (!check)
        return;
    forget_blocks(check);
    for (uint32_t i = 0; i < BUCKETS; i++)
        while (check->pages[i]) {
            struct page *next = check->pages[i]->next;
            free(check->pages[i]);
            check->pages[i] = next;
        }
    free(check->fences.items);
    free(check->said.items);
    free(check->early.items);
    free(check);
}
