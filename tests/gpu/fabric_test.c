/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Links between GPUs, beside answers computed here: the latency of one access, what a link carries for each size of
 * packet, a switch under one receiver and under all, credits that bound it, fairness, conservation of packets; the same
 * results in all ways of running; and what is refused.
 */
#include "bench.h"
#include "contract/space.h"
#include "gpu/device/latency.h"
#include "results/write/results.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8, LINE = 128, FAR_LINE = 1 << 20 };

static const char *const two[] = {"fabric.kind=nvlink", "fabric.pairs=[1]", NULL};

struct outcome {
    uint64_t cycles[MOST];
    struct mnp_results results;
};

/* Runs the scripts, one on each GPU, and frees them. The results are to be released. */
static void run(struct script **scripts, uint32_t count, const char *const *overrides,
                const struct mnp_session_options *options, struct outcome *outcome)
{
    struct mnp_error error = {{0}};
    mnp_results_init(&outcome->results, MNP_QUIET);
    if (!bench_try_several(scripts, count, overrides, options, &outcome->results, &error))
        fail_msg("%s", error.text);
    if (outcome->results.end != MNP_END_FINISHED)
        fail_msg("%s", outcome->results.report ? outcome->results.report : "the run has not finished");
    for (uint32_t i = 0; i < count; i++) {
        outcome->cycles[i] = mnp_statistics_get(&outcome->results.devices[i]->total, "gpu_sim_cycle");
        script_free(scripts[i]);
    }
}

static uint64_t statistic(const struct outcome *outcome, uint32_t device, const char *name)
{
    return mnp_statistics_get(&outcome->results.devices[device]->total, name);
}

/* A GPU that does nothing. */
static struct script *idle(void)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    script_compute(script, MNP_CLASS_INT, 2, 2);
    return script;
}

/* ===== latency ===== */

/* Loads one after another by one lane, of a line that lies in the memory of GPU `home`. */
static uint64_t chain(uint32_t home, uint32_t loads, uint8_t width, const char *const *overrides)
{
    struct mnp_session_options options = bench_options();
    struct outcome outcome;
    struct script *scripts[2] = {script_new(), idle()};
    script_kernel(scripts[0], 1, 32);
    for (uint32_t i = 0; i < loads; i++) {
        script_memory(scripts[0], MNP_LOAD, MNP_SPACE_GLOBAL, width, 3, 3, mnp_space_base(home), width)->flags |=
            MNP_FLAG_BYPASS_L1;
    }
    run(scripts, 2, overrides, &options, &outcome);
    mnp_results_release(&outcome.results);
    return outcome.cycles[0];
}

static uint64_t nanoseconds_up(uint64_t femtoseconds)
{
    return (femtoseconds + 999999) / 1000000;
}

/* Of clocks of 1 GHz and pipelines that are empty: a load of another GPU takes longer than one of the own L2 by a way
 * through the crossbar and back, and two ways over the link, with the bytes of the packets. */
static void test_latency(void **state)
{
    (void)state;
    const uint64_t latencies[] = {150, 400};
    for (uint32_t i = 0; i < 2; i++)
        for (uint8_t width = 1; width <= 4; width *= 4) {
            char latency[32];
            snprintf(latency, sizeof latency, "fabric.latency=%lu", (unsigned long)latencies[i]);
            const char *const overrides[] = {two[0], two[1], latency, NULL};
            uint64_t sectors = width, bytes = 16 + 32 * sectors; /* 32 lanes */
            uint64_t near = chain(0, 4, width, overrides) - chain(0, 3, width, overrides);
            uint64_t far = chain(1, 4, width, overrides) - chain(1, 3, width, overrides);
            uint64_t flight = latencies[i] * 1000000;
            uint64_t request = nanoseconds_up(flight + 16 * UINT64_C(1000000000) / 25000);
            uint64_t reply = nanoseconds_up(flight + bytes * UINT64_C(1000000000) / 25000);
            uint64_t l2 = 200, pipelines = 8 + 12 + 2; /* SM, slice, GPC twice: what links do not have */
            uint64_t crossbar = far - near - request - reply;
            /* the links of an L2 hit share what pipelines leave: two of four are a way through the crossbar and back */
            assert_in_range(crossbar, (l2 - pipelines) / 2 - 20, (l2 - pipelines) / 2 + 4);
            static uint64_t first;
            first = first ? first : crossbar;
            assert_in_range(crossbar, first, first + 3); /* cycles of a port for longer replies */
        }
}

/* ===== bandwidth ===== */

struct stream {
    enum mnp_memory_operation operation;
    uint8_t width;
    uint64_t stride; /* between lanes */
    uint32_t sectors;
};

/* Every warp of many CTAs accesses lines of its own in the memory of GPU `home`. */
static struct script *streaming(const struct stream *stream, uint32_t home, uint32_t user, uint32_t ctas,
                                uint32_t accesses)
{
    struct script *script = script_new();
    script_kernel(script, ctas, 256);
    uint64_t base = mnp_space_base(home) + (user + 1) * (UINT64_C(1) << 26), span = 32 * stream->stride;
    for (uint32_t i = 0; i < accesses; i++)
        script_memory(script, stream->operation, MNP_SPACE_GLOBAL, stream->width,
                      stream->operation == MNP_LOAD ? (uint8_t)(8 + i % 64) : MNP_ZERO_REGISTER, MNP_ZERO_REGISTER,
                      base + i * span, stream->stride)
            ->flags |= MNP_FLAG_BYPASS_L1;
    script_spread(script, 8 * accesses * span, accesses * span);
    return script;
}

/* Cycles that `more` CTAs behind `few` take, per CTA; in both directions at once with `both`. */
static double cycles_per_cta(const struct stream *stream, bool both, const char *const *overrides)
{
    enum { FEW = 16, MORE = 48, ACCESSES = 16 };
    struct mnp_session_options options = bench_options();
    uint64_t cycles[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct outcome outcome;
        uint32_t ctas = FEW + i * MORE;
        struct script *scripts[2] = {streaming(stream, 1, 0, ctas, ACCESSES),
                                     both ? streaming(stream, 0, 1, ctas, ACCESSES) : idle()};
        run(scripts, 2, overrides, &options, &outcome);
        cycles[i] = outcome.cycles[0] > outcome.cycles[1] ? outcome.cycles[0] : outcome.cycles[1];
        mnp_results_release(&outcome.results);
    }
    return (double)(cycles[1] - cycles[0]) / MORE / (8 * ACCESSES);
}

/* Lines that miss in the L2 of the home are not to bound it. */
#define FAST "l2.slice.size=16MiB", "l2.fetch=128", "dram.data_rate=32"

static void test_bandwidth(void **state)
{
    (void)state;
    static const struct {
        struct stream stream;
        bool both;
        uint64_t bytes; /* of the busier direction, for an access */
    } rows[] = {
        {{MNP_STORE, 4, 4, 4}, false, 16 + 128},
        {{MNP_STORE, 1, 1, 1}, false, 16 + 32},
        {{MNP_STORE, 4, 8, 8}, false, 2 * (16 + 16 + 128)}, /* every other word: byte enables */
        {{MNP_LOAD, 4, 4, 4}, false, 16 + 128},
        {{MNP_LOAD, 1, 1, 1}, false, 16 + 32},
        {{MNP_STORE, 4, 4, 4}, true, 16 + 128 + 16}, /* acknowledgements of the other direction */
        {{MNP_LOAD, 4, 4, 4}, true, 16 + 128 + 16},
        {{MNP_REDUCTION, 4, 4, 4}, false, 16 + 128},
    };
    static const char *const overrides[] = {"fabric.kind=nvlink", "fabric.pairs=[1]", FAST, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double expected = (double)rows[i].bytes / 25, cycles = cycles_per_cta(&rows[i].stream, rows[i].both, overrides);
        if (cycles < expected * 0.99 || cycles > expected * 1.04)
            fail_msg("row %zu: %.3f cycles an access, not %.3f", i, cycles, expected);
    }
}

/* Where few requests may be under way, they and the time of each are the bound (Little's law), not the link. */
static void test_outstanding(void **state)
{
    (void)state;
    enum { OUTSTANDING = 20, CTAS_OF_IT = 16 };
    const struct stream stream = {MNP_STORE, 4, 4, 4};
    static const char *const overrides[] = {"fabric.kind=nvlink", "fabric.pairs=[2]", "fabric.outstanding=20", FAST,
                                            NULL};
    struct mnp_session_options options = bench_options();
    struct script *scripts[2] = {streaming(&stream, 1, 0, CTAS_OF_IT, 16), idle()};
    struct outcome outcome;
    run(scripts, 2, overrides, &options, &outcome);
    double flight = 2 * (150 + 44) + 40; /* link and crossbar both ways, slice, packets: about */
    double expected = CTAS_OF_IT * 8 * 16 * flight / OUTSTANDING, cycles = (double)outcome.cycles[0];
    if (cycles < expected * 0.9 || cycles > expected * 1.15)
        fail_msg("%.0f cycles, not %.0f", cycles, expected);
    mnp_results_release(&outcome.results);
}

/* Links of a pair add up. */
static void test_lanes(void **state)
{
    (void)state;
    const struct stream stream = {MNP_STORE, 4, 4, 4};
    static const char *const overrides[] = {"fabric.kind=nvlink", "fabric.pairs=[3]", FAST, NULL};
    double cycles = cycles_per_cta(&stream, false, overrides), expected = 144.0 / 75;
    if (cycles < expected * 0.99 || cycles > expected * 1.06)
        fail_msg("%.3f cycles an access, not %.3f", cycles, expected);
}

/* ===== switches ===== */

static const char *const switched[] = {"fabric.kind=nvlink", "fabric.switches=[1,1]", FAST, NULL};

static uint64_t of_links(const struct outcome *outcome, uint32_t device, const char *direction)
{
    char name[48];
    snprintf(name, sizeof name, "fabric_links_more_%s", direction);
    uint64_t sum = statistic(outcome, device, name);
    for (uint32_t i = 0; i < 18; i++) {
        snprintf(name, sizeof name, "fabric_link%u_%s", i, direction);
        sum += statistic(outcome, device, name);
    }
    return sum;
}

/* Bytes by kind, by receiver and by link are those of all packets. */
static void check_parts(const struct outcome *outcome, uint32_t device)
{
    static const char *const kinds[] = {"fabric_read_bytes", "fabric_write_bytes", "fabric_atomic_bytes",
                                        "fabric_reply_bytes", "fabric_acknowledgement_bytes"};
    uint64_t bytes = 0, data = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        bytes += statistic(outcome, device, kinds[i]);
    for (uint32_t i = 0; i < 16; i++) {
        char name[48];
        snprintf(name, sizeof name, "fabric_data_to_gpu%u", i);
        data += statistic(outcome, device, name);
    }
    assert_int_equal(bytes, statistic(outcome, device, "fabric_bytes_out"));
    assert_int_equal(data, statistic(outcome, device, "fabric_data_out"));
    assert_int_equal(of_links(outcome, device, "out"), statistic(outcome, device, "fabric_bytes_out"));
    assert_int_equal(of_links(outcome, device, "in"), statistic(outcome, device, "fabric_bytes_in"));
}

/* What is sent arrives, and every request has its reply. */
static void check_conservation(const struct outcome *outcome, uint32_t devices)
{
    uint64_t out = 0, in = 0, data_out = 0, data_in = 0, requests = 0, served = 0, replies = 0;
    for (uint32_t i = 0; i < devices; i++) {
        check_parts(outcome, i);
        out += statistic(outcome, i, "fabric_packets_out");
        in += statistic(outcome, i, "fabric_packets_in");
        data_out += statistic(outcome, i, "fabric_data_out");
        data_in += statistic(outcome, i, "fabric_data_in");
        served += statistic(outcome, i, "fabric_served");
        replies += statistic(outcome, i, "fabric_replies");
        requests += statistic(outcome, i, "fabric_reads") + statistic(outcome, i, "fabric_writes") +
                    statistic(outcome, i, "fabric_atomics");
    }
    assert_true(requests > 0);
    assert_int_equal(out, in);
    assert_int_equal(data_out, data_in);
    assert_int_equal(requests, served);
    assert_int_equal(requests, replies);
    assert_int_equal(out, 2 * requests);
}

enum { GPUS = 4, CTAS = 16, ACCESSES = 16 };

/* Lines that one GPU writes to another, reads from it and changes there: bytes of each kind are those of the packets
 * that docs/nodes.md describes, and the links of the pair share them. */
static void test_bytes(void **state)
{
    (void)state;
    enum { LINES = 16 * 8 * 16, HEADER = 16, FULL = HEADER + 128 };
    static const struct {
        enum mnp_memory_operation operation;
        const char *sent, *answered;
        uint64_t request, reply, data, data_back; /* bytes of a line */
    } rows[] = {
        {MNP_STORE, "fabric_write_bytes", "fabric_acknowledgement_bytes", FULL, HEADER, 128, 0},
        {MNP_LOAD, "fabric_read_bytes", "fabric_reply_bytes", HEADER, FULL, 0, 128},
        {MNP_REDUCTION, "fabric_atomic_bytes", "fabric_acknowledgement_bytes", FULL, HEADER, 128, 0},
        {MNP_ATOMIC, "fabric_atomic_bytes", "fabric_reply_bytes", FULL, FULL, 128, 128},
    };
    static const char *const overrides[] = {"fabric.kind=nvlink", "fabric.pairs=[20]", FAST, NULL};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct stream stream = {rows[i].operation, 4, 4, 4};
        struct mnp_session_options options = bench_options();
        struct script *scripts[2] = {streaming(&stream, 1, 0, 16, 16), idle()};
        struct outcome outcome;
        run(scripts, 2, overrides, &options, &outcome);
        check_conservation(&outcome, 2);
        assert_int_equal(statistic(&outcome, 0, rows[i].sent), LINES * rows[i].request);
        assert_int_equal(statistic(&outcome, 0, "fabric_bytes_out"), LINES * rows[i].request);
        assert_int_equal(statistic(&outcome, 1, rows[i].answered), LINES * rows[i].reply);
        assert_int_equal(statistic(&outcome, 1, "fabric_bytes_out"), LINES * rows[i].reply);
        assert_int_equal(statistic(&outcome, 0, "fabric_data_to_gpu1"), LINES * rows[i].data);
        assert_int_equal(statistic(&outcome, 1, "fabric_data_to_gpu0"), LINES * rows[i].data_back);
        for (uint32_t link = 0; link < 18; link++) { /* a straight link has the same number at both ends */
            char out[32], in[32];
            snprintf(out, sizeof out, "fabric_link%u_out", link);
            snprintf(in, sizeof in, "fabric_link%u_in", link);
            uint64_t sent = statistic(&outcome, 0, out), share = LINES * rows[i].request / 20;
            assert_int_equal(sent, statistic(&outcome, 1, in));
            assert_in_range(sent, share / 2, share * 2);
        }
        assert_true(statistic(&outcome, 0, "fabric_links_more_out") > 0);
        uint64_t most = statistic(&outcome, 0, "fabric_max_latency");
        assert_true(most * LINES >= statistic(&outcome, 0, "fabric_latency_cycles") && most > 300);
        assert_int_equal(statistic(&outcome, 0, "fabric_link_peak_bytes"),
                         statistic(&outcome, 0, "fabric_peak_bytes") / 20);
        mnp_results_release(&outcome.results);
    }
}

/* Three GPUs write to one: its links are the bound, and each writer has a third of them. */
static void test_many_to_one(void **state)
{
    (void)state;
    const struct stream stream = {MNP_STORE, 4, 4, 4};
    struct mnp_session_options options = bench_options();
    struct script *scripts[GPUS] = {idle()};
    struct outcome outcome;
    for (uint32_t i = 1; i < GPUS; i++)
        scripts[i] = streaming(&stream, 0, i, CTAS, ACCESSES);
    run(scripts, GPUS, switched, &options, &outcome);
    check_conservation(&outcome, GPUS);
    double expected = (GPUS - 1) * CTAS * 8 * ACCESSES * 144 / 50.0;
    for (uint32_t i = 1; i < GPUS; i++) {
        double cycles = (double)outcome.cycles[i] - 1200; /* launch, and the way there and back */
        if (cycles < expected * 0.90 || cycles > expected * 1.06)
            fail_msg("GPU %u: %.0f cycles, not %.0f", i, cycles, expected);
    }
    mnp_results_release(&outcome.results);
}

/* What each switch has passed on is what its links have brought to the GPUs, and waits add up by switch and by GPU. */
static void check_switches(const struct outcome *outcome)
{
    uint64_t waited = 0, waited_for = 0;
    for (uint32_t i = 0; i < 2; i++) {
        char link[32], bytes[32], wait[32];
        uint64_t brought = 0;
        snprintf(link, sizeof link, "fabric_link%u_in", i);
        snprintf(bytes, sizeof bytes, "switch%u_bytes", i);
        snprintf(wait, sizeof wait, "switch%u_wait_cycles", i);
        for (uint32_t gpu = 0; gpu < GPUS; gpu++)
            brought += statistic(outcome, gpu, link);
        assert_true(brought > 0);
        assert_int_equal(mnp_statistics_get(&outcome->results.total, bytes), brought);
        waited += mnp_statistics_get(&outcome->results.total, wait);
    }
    for (uint32_t gpu = 0; gpu < GPUS; gpu++) {
        char wait[40];
        snprintf(wait, sizeof wait, "switch_wait_cycles_to_gpu%u", gpu);
        waited_for += mnp_statistics_get(&outcome->results.total, wait);
    }
    assert_int_equal(waited, mnp_statistics_get(&outcome->results.total, "switch_wait_cycles"));
    assert_int_equal(waited_for, waited);
}

/* Each GPU writes to all others: all links are used, as buffers of a switch have a queue for each receiver. */
static void test_all_to_all(void **state)
{
    (void)state;
    const struct stream stream = {MNP_STORE, 4, 4, 4};
    struct mnp_session_options options = bench_options();
    struct script *scripts[GPUS];
    struct outcome outcome;
    for (uint32_t i = 0; i < GPUS; i++) {
        scripts[i] = script_new();
        script_kernel(scripts[i], CTAS, 256);
        for (uint32_t j = 0; j < 3 * ACCESSES; j++)
            script_memory(scripts[i], stream.operation, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, MNP_ZERO_REGISTER,
                          mnp_space_base((i + 1 + j % 3) % GPUS) + (i + 1) * (UINT64_C(1) << 26) + j * LINE, 4)
                ->flags |= MNP_FLAG_BYPASS_L1;
        script_spread(scripts[i], 8 * 3 * ACCESSES * LINE, 3 * ACCESSES * LINE);
    }
    run(scripts, GPUS, switched, &options, &outcome);
    check_conservation(&outcome, GPUS);
    check_switches(&outcome);
    assert_int_equal(mnp_statistics_get(&outcome.results.total, "switch_packets"),
                     mnp_statistics_get(&outcome.results.total, "fabric_packets_out"));
    for (uint32_t i = 0; i < GPUS; i++) /* the matrix of traffic */
        for (uint32_t j = 0; j < GPUS; j++) {
            char name[32];
            snprintf(name, sizeof name, "fabric_data_to_gpu%u", j);
            assert_int_equal(statistic(&outcome, i, name), i == j ? 0 : CTAS * 8 * ACCESSES * LINE);
        }
    double expected = 3 * CTAS * 8 * ACCESSES * 160 / 50.0;
    for (uint32_t i = 0; i < GPUS; i++) {
        double cycles = (double)outcome.cycles[i] - 1200;
        if (cycles < expected * 0.90 || cycles > expected * 1.10)
            fail_msg("GPU %u: %.0f cycles, not %.0f", i, cycles, expected);
    }
    mnp_results_release(&outcome.results);
}

/* A trace may have addresses where programs have multicast objects: they are memory of the GPU that uses them, whatever
 * the switches can do. */
static void test_addresses_of_traces(void **state)
{
    (void)state;
    static const char *const machines[][5] = {
        {"fabric.kind=nvlink", "fabric.pairs=[1]", NULL},
        {"fabric.kind=nvlink", "fabric.switches=[1,1]", "fabric.multicast=true", NULL}};
    const uint64_t bases[] = {mnp_space_base(0), MNP_SPACE_MULTICAST,
                              MNP_SPACE_MULTICAST + MNP_SPACE_MULTICAST_BYTES / 2};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        uint64_t first = 0;
        for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
            struct mnp_session_options options = bench_options();
            struct script *scripts[2] = {script_new(), idle()};
            struct outcome outcome;
            script_kernel(scripts[0], 1, 32);
            script_memory(scripts[0], MNP_STORE, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, 3, bases[i], 4);
            script_memory(scripts[0], MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, 3, bases[i], 4)->flags |= MNP_FLAG_BYPASS_L1;
            script_memory(scripts[0], MNP_ATOMIC, MNP_SPACE_GLOBAL, 4, 4, 3, bases[i], 4);
            run(scripts, 2, machines[m], &options, &outcome);
            assert_int_equal(statistic(&outcome, 0, "fabric_packets_out"), 0);
            first = first ? first : outcome.cycles[0];
            assert_int_equal(outcome.cycles[0], first);
            mnp_results_release(&outcome.results);
        }
    }
}

/* ===== ways of running ===== */

static char *text_of(struct mnp_results *results)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    results->run = (struct mnp_run_info){0};
    results_write_json(results, out);
    fclose(out);
    return text;
}

/* Loads, stores and atomics of own and others' memory. */
static struct script *mixed(uint32_t device)
{
    struct script *script = script_new();
    script_kernel(script, 5 + device, 128);
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t base = mnp_space_base((device + i) % GPUS) + i * 0x3100;
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, (uint8_t)(8 + i), 3, base, 4 + 4 * (i % 3));
        script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, MNP_ZERO_REGISTER, (uint8_t)(8 + i), base + 0x80000, 8);
        script_memory(script, MNP_ATOMIC, MNP_SPACE_GLOBAL, 4, 4, 3, base + 0x90000, 0);
        script_compute(script, MNP_CLASS_FP32, 3, 4);
    }
    script_spread(script, 4096, 512);
    return script;
}

static void test_ways(void **state)
{
    (void)state;
    const struct mnp_run_request ways[] = {
        {.executor = &mnp_executor_serial, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 1},
        {.executor = &mnp_executor_window, .threads = 2},
        {.executor = &mnp_executor_window, .threads = 2, .window_cycles = 1},
        {.executor = &mnp_executor_serial, .threads = 1, .no_skip = true},
        {.executor = &mnp_executor_lockstep, .threads = 2},
    };
    static const char *const machines[][5] = {
        {"fabric.kind=nvlink", "fabric.switches=[2,1]", "fabric.queue=1", NULL},
        {"fabric.kind=nvlink", "fabric.pairs=[1,2,1,1,1,3]", "clock.l2=777MHz", "clock.noc=1234MHz", NULL}};
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        char *first = NULL;
        for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
            struct script *scripts[GPUS];
            struct outcome outcome;
            for (uint32_t i = 0; i < GPUS; i++)
                scripts[i] = mixed(i);
            run(scripts, GPUS, machines[m], &(struct mnp_session_options){.request = ways[way]}, &outcome);
            check_conservation(&outcome, GPUS);
            char *text = text_of(&outcome.results);
            if (first)
                assert_string_equal(text, first);
            else
                first = strdup(text);
            free(text);
            mnp_results_release(&outcome.results);
        }
        free(first);
    }
}

/* ===== refusals ===== */

static void expect_refusal(uint32_t count, const char *const *overrides, const char *part)
{
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    struct script *scripts[GPUS];
    struct mnp_error error = {{0}};
    for (uint32_t i = 0; i < count; i++)
        scripts[i] = mixed(i);
    mnp_results_init(&results, MNP_QUIET);
    assert_false(bench_try_several(scripts, count, overrides, &options, &results, &error));
    if (!strstr(error.text, part))
        fail_msg("\"%s\" does not say \"%s\"", error.text, part);
    mnp_results_release(&results);
    for (uint32_t i = 0; i < count; i++)
        script_free(scripts[i]);
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal(4, (const char *const[]){"fabric.kind=nvlink", "fabric.pairs=[1,1]", NULL},
                   "states links of 2 pairs, and 4 GPUs have 6");
    expect_refusal(2, (const char *const[]){"fabric.kind=nvlink", "fabric.pairs=[1]", "fabric.switches=[1]", NULL},
                   "not both");
    expect_refusal(3, (const char *const[]){"fabric.kind=nvlink", "fabric.pairs=[1,1,0]", NULL},
                   "to which no link leads");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_latency),     cmocka_unit_test(test_bandwidth),
        cmocka_unit_test(test_outstanding), cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_many_to_one), cmocka_unit_test(test_all_to_all),
        cmocka_unit_test(test_bytes),       cmocka_unit_test(test_ways),
        cmocka_unit_test(test_refusals),    cmocka_unit_test(test_addresses_of_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
