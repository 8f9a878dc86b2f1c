/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The DRAM channel beside another simulator's: DRAMsim3 (S. Li et al., IEEE CAL 2020) was given the same request
 * streams with the same timing, and its command counts and latencies are in tests/parts/data/dramsim3.csv, whose README
 * says how. Called with a folder, this program writes the streams there instead, in DRAMsim3's format.
 *
 * Both serve open rows first; they differ in the order among banks, in when writes are drained, and DRAMsim3 closes a
 * row after four hits if another row is asked for. It joins two reads of one sector that wait together, and leaves the
 * last few writes in its buffer. The bounds are below, and explained in docs/lab/validation.md.
 */
#include "parts/dram/step.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { REQUESTS = 4000 };

/* ===== channels ===== */

/* Reads wait in 64 places and then in 8 of each bank there, here in 192 places.
 *
 * The address is row | bank | column, and the bank group the low part of the bank: `rochrababgco` in DRAMsim3. */
static const struct channel {
    const char *name;
    struct mnp_dram_shape shape;
} channels[] = {
    {"gddr6", {.timing = {.ccd = 4, .rrd = 12, .rcd = 24, .ras = 54, .rp = 24, .rc = 78, .cl = 24, .wl = 8, .cdlr = 10,
                          .wr = 24, .ccdl = 6, .rtpl = 4, .refi = 6651, .rfc = 420, .faw = 57, .burst = 1},
               .pseudo_channels = 1, .banks = 16, .bank_groups = 4, .row_bytes = 2048, .bank_interleave = 2048,
               .banks_interleaved = 1, .read_queue = 192, .write_queue = 64, .write_high = 64, .write_low = 0}},
    {"hbm2", {.timing = {.ccd = 2, .rrd = 4, .rcd = 14, .ras = 34, .rp = 14, .rc = 48, .cl = 14, .wl = 4, .cdlr = 6,
                         .wr = 16, .ccdl = 4, .rtpl = 5, .refi = 3900, .rfc = 350, .faw = 16, .burst = 2},
              .pseudo_channels = 1, .banks = 16, .bank_groups = 4, .row_bytes = 1024, .bank_interleave = 1024,
              .banks_interleaved = 1, .read_queue = 192, .write_queue = 64, .write_high = 64, .write_low = 0,
              .dual_command = 1}},
};
enum { CHANNELS = sizeof channels / sizeof *channels };

/* ===== streams ===== */

struct request {
    uint64_t address, cycle;
    bool write;
};

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Sectors in the order in which a bank-group interleaved map meets them: group, column, bank, row. */
static uint64_t rotate(const struct mnp_dram_shape *shape, uint64_t sector)
{
    uint64_t columns = shape->row_bytes / 32, group = sector % 4, column = sector / 4 % columns;
    uint64_t bank = sector / 4 / columns % 4, row = sector / 16 / columns;
    return ((row * 16 + bank * 4 + group) * columns + column) * 32;
}

static uint64_t sequential(const struct mnp_dram_shape *shape, uint64_t number, uint64_t *seed)
{
    (void)seed;
    return rotate(shape, number);
}

static uint64_t one_bank(const struct mnp_dram_shape *shape, uint64_t number, uint64_t *seed)
{
    (void)shape;
    (void)seed;
    return number * 32;
}

/* A new row with each request, in four banks of different groups. */
static uint64_t strided(const struct mnp_dram_shape *shape, uint64_t number, uint64_t *seed)
{
    (void)seed;
    return (number / 4 * 16 + number % 4 * 5) * shape->row_bytes;
}

static uint64_t anywhere(const struct mnp_dram_shape *shape, uint64_t number, uint64_t *seed)
{
    (void)shape;
    (void)number;
    return next_random(seed) % (UINT64_C(1) << 24) / 32 * 32;
}

/* Runs of four sectors in random rows: lines of 128 bytes. */
static uint64_t lines(const struct mnp_dram_shape *shape, uint64_t number, uint64_t *seed)
{
    (void)shape;
    static const uint64_t mixer = UINT64_C(0x9E3779B97F4A7C15);
    (void)seed;
    return (number / 4 * mixer >> 17) % (UINT64_C(1) << 24) / 128 * 128 + number % 4 * 32;
}

static const struct stream {
    const char *name;
    uint64_t (*address)(const struct mnp_dram_shape *shape, uint64_t number, uint64_t *seed);
    uint64_t gap;    /* cycles between requests */
    uint64_t writes; /* of 16 runs of 64 requests, so many write */
} streams[] = {
    {"sequential", sequential, 12, 0}, {"sequential", sequential, 1, 0},   {"one-bank", one_bank, 12, 0},
    {"one-bank", one_bank, 1, 0},      {"strided", strided, 40, 0},        {"strided", strided, 1, 0},
    {"random", anywhere, 40, 0},       {"random", anywhere, 1, 0},         {"lines", lines, 16, 0},
    {"lines", lines, 1, 0},            {"writes", sequential, 1, 16},      {"copy", sequential, 12, 8},
    {"copy", sequential, 1, 8},        {"random-copy", anywhere, 40, 5},   {"random-copy", anywhere, 1, 5},
};
enum { STREAMS = sizeof streams / sizeof *streams };

static void generate(const struct stream *stream, const struct mnp_dram_shape *shape, struct request *requests)
{
    uint64_t seed = 88172645463325252;
    for (uint64_t i = 0; i < REQUESTS; i++)
        requests[i] = (struct request){.address = stream->address(shape, i, &seed),
                                       .cycle = (i + 1) * stream->gap,
                                       .write = i / 64 * 7 % 16 < stream->writes};
}

/* ===== our channel ===== */

struct counts {
    uint64_t reads, writes, activates, precharges, refreshes;
    uint64_t last;    /* cycle of the last column command */
    uint64_t latency; /* of reads, mean, in thousandths of a cycle */
};

static void visit(struct mnp_dram *dram, uint64_t cycle, struct counts *counts)
{
    struct mnp_dram_event event;
    mnp_dram_step(dram, cycle, &event);
    counts->activates += event.activate;
    counts->precharges += event.precharge + event.refresh_precharges;
    counts->refreshes += event.refreshes;
    if (!event.column)
        return;
    counts->last = cycle;
    counts->writes += event.write;
    counts->reads += !event.write;
    if (!event.write)
        counts->latency += event.done - event.arrived;
}

/* Like DRAMsim3's trace reader: at most one request per cycle, in order, when its cycle has come and there is room. */
static struct counts simulate(const struct mnp_dram_shape *shape, const struct request *requests)
{
    struct counts counts = {0};
    struct mnp_arena arena;
    struct mnp_dram dram;
    uint64_t tag[2] = {0}, next = 0;
    mnp_arena_init(&arena, mnp_dram_size(shape));
    mnp_dram_init(&dram, shape, &arena);
    for (uint64_t cycle = 0; counts.reads + counts.writes < REQUESTS; cycle++) {
        visit(&dram, cycle, &counts);
        const struct request *request = &requests[next];
        if (next < REQUESTS && request->cycle <= cycle && mnp_dram_room(&dram, request->write)) {
            mnp_dram_push(&dram, cycle + 1, request->write, request->address, tag);
            next++;
        }
    }
    mnp_arena_release(&arena);
    counts.latency = counts.reads ? counts.latency * 1000 / counts.reads : 0;
    return counts;
}

/* ===== comparison ===== */

static uint64_t difference(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Apart by no more than `slack` or so many per mille of their figure. */
static void assert_near(const char *what, uint64_t ours, uint64_t theirs, uint64_t slack, uint64_t permille)
{
    uint64_t apart = difference(ours, theirs);
    if (apart > slack && apart * 1000 > theirs * permille)
        fail_msg("%s: %" PRIu64 " here, %" PRIu64 " in DRAMsim3", what, ours, theirs);
}

static void find(const char *channel, const struct stream *stream, struct request *requests, struct counts *ours)
{
    for (uint32_t c = 0; c < CHANNELS; c++) {
        if (strcmp(channels[c].name, channel) != 0)
            continue;
        generate(stream, &channels[c].shape, requests);
        *ours = simulate(&channels[c].shape, requests);
        return;
    }
    fail_msg("no channel %s", channel);
}

static const struct stream *find_stream(const char *name, uint64_t gap)
{
    for (uint32_t i = 0; i < STREAMS; i++)
        if (strcmp(streams[i].name, name) == 0 && streams[i].gap == gap)
            return &streams[i];
    fail_msg("no stream %s with a gap of %" PRIu64, name, gap);
    return NULL;
}

/* The bounds of docs/lab/validation.md. */
static void compare(const struct counts *ours, const struct counts *theirs, const struct stream *stream)
{
    bool saturated = stream->gap == 1;
    bool scattered = stream->address == anywhere || stream->address == lines;
    assert_near("reads", ours->reads, theirs->reads, 1, 0);
    assert_near("writes", ours->writes, theirs->writes, 8, 0);
    assert_near("activates", ours->activates, theirs->activates, 10, 20);
    assert_near("precharges", ours->precharges, theirs->precharges, 10, 20);
    assert_near("refreshes", ours->refreshes, theirs->refreshes, 1, 0);
    assert_near("end", ours->last, theirs->last, 0, !saturated ? 2 : scattered ? 170 : 30);
    if (!saturated)
        assert_near("latency in thousandths", ours->latency, theirs->latency, 2600, 0);
}

static void counts_and_latencies_agree(void **state)
{
    (void)state;
    char line[256], channel[32], name[32];
    FILE *file = fopen(DRAM_DATA, "r");
    assert_non_null(file);
    struct request *requests = calloc(REQUESTS, sizeof *requests);
    uint32_t rows = 0;
    assert_non_null(fgets(line, sizeof line, file)); /* headings */
    while (fgets(line, sizeof line, file)) {
        struct counts theirs, ours = {0};
        uint64_t gap;
        assert_int_equal(sscanf(line,
                                "%31[^,],%31[^,],%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64
                                ",%" SCNu64 ",%" SCNu64,
                                channel, name, &gap, &theirs.reads, &theirs.writes, &theirs.activates,
                                &theirs.precharges, &theirs.refreshes, &theirs.last, &theirs.latency),
                         10);
        const struct stream *stream = find_stream(name, gap);
        find(channel, stream, requests, &ours);
        print_message("%-6s %-12s %3" PRIu64 "  ACT %5" PRIu64 " %5" PRIu64 "  PRE %5" PRIu64 " %5" PRIu64
                      "  end %6" PRIu64 " %6" PRIu64 "  latency %7" PRIu64 " %7" PRIu64 "\n",
                      channel, name, gap, ours.activates, theirs.activates, ours.precharges, theirs.precharges,
                      ours.last, theirs.last, ours.latency, theirs.latency);
        compare(&ours, &theirs, stream);
        rows++;
    }
    fclose(file);
    free(requests);
    assert_int_equal(rows, CHANNELS * STREAMS);
}

/* ===== the streams for the other simulator ===== */

static int write_streams(const char *folder)
{
    struct request *requests = calloc(REQUESTS, sizeof *requests);
    for (uint32_t c = 0; c < CHANNELS; c++) {
        for (uint32_t i = 0; i < STREAMS; i++) {
            char path[512];
            snprintf(path, sizeof path, "%s/%s,%s,%" PRIu64 ".trc", folder, channels[c].name, streams[i].name,
                     streams[i].gap);
            FILE *file = fopen(path, "w");
            if (!file)
                return 1;
            generate(&streams[i], &channels[c].shape, requests);
            for (uint32_t r = 0; r < REQUESTS; r++)
                fprintf(file, "0x%" PRIx64 " %s %" PRIu64 "\n", requests[r].address,
                        requests[r].write ? "WRITE" : "READ", requests[r].cycle);
            fclose(file);
        }
    }
    free(requests);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return write_streams(argv[1]);
    const struct CMUnitTest tests[] = {cmocka_unit_test(counts_and_latencies_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
