/* SPDX-License-Identifier: BSD-3-Clause */
/* Links and inboxes: times, order and capacity. Packets are handed over by hand, as the engine does between windows. */
#include "engine/core/port.h"
#include "engine/declare/declare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static mnp_time idle(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    (void)until;
    return MNP_NEVER;
}

enum { SENDERS = 5 };

struct packet {
    uint64_t value, arrival;
};

static const struct mnp_port sender_ports[] = {MNP_OUT_ROW("out", "receiver", packet, "two links")};
static const struct mnp_port receiver_ports[] = {MNP_IN_ROW("in", "sender", packet, "two links of each sender")};
static const struct mnp_model sender_model = {.name = "sender", MNP_PORTS(sender_ports), .advance = idle};
static const struct mnp_model receiver_model = {.name = "receiver", MNP_PORTS(receiver_ports), .advance = idle};

/* Some senders, each with two links to one receiver. */
struct bench {
    struct mnp_engine engine;
    struct mnp_unit *sender[SENDERS], *receiver;
    struct mnp_link *link[2 * SENDERS];
};

static void bench_init(struct bench *bench, uint32_t in_flight, const mnp_time *latency)
{
    mnp_engine_init(&bench->engine);
    for (uint32_t i = 0; i < SENDERS; i++)
        bench->sender[i] = mnp_engine_create_unit(&bench->engine, &(struct mnp_unit_plan){.model = &sender_model,
                                                                                          .name = "sender",
                                                                                          .hertz = 1000000000,
                                                                                          .lengths = &(uint32_t){2}});
    bench->receiver = mnp_engine_create_unit(
        &bench->engine,
        &(struct mnp_unit_plan){
            .model = &receiver_model, .name = "receiver", .hertz = 1000000000, .lengths = &(uint32_t){2 * SENDERS}});
    for (uint32_t i = 0; i < 2 * SENDERS; i++)
        bench->link[i] = mnp_connect(&bench->engine, mnp_at_port(bench->sender[i % SENDERS], "out", i / SENDERS),
                                     mnp_at_port(bench->receiver, "in", i), latency[i % 3], in_flight);
    mnp_engine_freeze(&bench->engine, 0);
}

/* Hands all packets over and opens the inbox for the window from `from` to `until`. */
static void hand_over_for(struct bench *bench, mnp_time from, mnp_time until)
{
    for (uint32_t i = 0; i < 2 * SENDERS; i++) {
        if (bench->link[i]->tail != bench->link[i]->sent_before)
            mnp_link_publish(bench->link[i]);
    }
    for (uint32_t i = 0; i < SENDERS; i++)
        bench->sender[i]->dirty_count = 0;
    mnp_inbox_open(&bench->receiver->inbox, from, until);
}

static void hand_over(struct bench *bench)
{
    hand_over_for(bench, 0, MNP_NEVER);
}

static void send(struct mnp_link *link, mnp_time time, uint64_t value)
{
    *(struct packet *)mnp_link_send(link, time) = (struct packet){.value = value, .arrival = time + link->latency};
}

static const mnp_time same[] = {1000, 1000, 1000};

static void ready_at_arrival(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t link;
    bench_init(&bench, 4, same);
    send(bench.link[0], 500, 42);
    mnp_inbox_open(&bench.receiver->inbox, 0, MNP_NEVER);
    assert_null(mnp_inbox_peek(&bench.receiver->inbox, 5000, &link)); /* not before it is handed over */
    hand_over(&bench);
    assert_null(mnp_inbox_peek(&bench.receiver->inbox, 1499, &link));
    const struct packet *packet = mnp_inbox_peek(&bench.receiver->inbox, 1500, &link);
    assert_non_null(packet);
    assert_int_equal(packet->value, 42);
    mnp_inbox_take(&bench.receiver->inbox);
    assert_null(mnp_inbox_peek(&bench.receiver->inbox, MNP_NEVER - 1, &link));
    assert_int_equal(mnp_link_in_flight(bench.link[0]), 1); /* until the receiver has closed its inbox */
    mnp_inbox_close(&bench.receiver->inbox);
    assert_int_equal(mnp_link_in_flight(bench.link[0]), 0);
    mnp_engine_release(&bench.engine);
}

/* A packet behind the window is known by its time alone, and taken in its own window. */
static void behind_the_window(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t link;
    bench_init(&bench, 4, same);
    send(bench.link[3], 0, 1);
    send(bench.link[3], 1, 2);
    send(bench.link[2], 1, 3);
    hand_over_for(&bench, 500, 1000);
    assert_int_equal(bench.receiver->inbox.next, 1000);
    assert_null(mnp_inbox_peek(&bench.receiver->inbox, 999, &link));
    hand_over_for(&bench, 1000, 1001);
    assert_non_null(mnp_inbox_peek(&bench.receiver->inbox, 1000, &link));
    assert_int_equal(link, bench.link[3]->in_index);
    mnp_inbox_take(&bench.receiver->inbox);
    assert_int_equal(bench.receiver->inbox.next, 1001);
    assert_null(mnp_inbox_peek(&bench.receiver->inbox, 1000, &link));
    hand_over_for(&bench, 1500, 2000); /* both are late, which changes nothing */
    for (uint64_t value = 3; value >= 2; value--) {
        const struct packet *packet = mnp_inbox_peek(&bench.receiver->inbox, 1999, &link);
        assert_non_null(packet);
        assert_int_equal(packet->value, value);
        mnp_inbox_take(&bench.receiver->inbox);
    }
    assert_int_equal(bench.receiver->inbox.next, MNP_NEVER);
    mnp_engine_release(&bench.engine);
}

/* Packets of random links and times, published in random order of the links, come out by (arrival, link, sequence).
 * The inbox is opened for a window that begins `early` before the first packet that can arrive, and ends `late` after
 * the last that is taken. */
static void order_from(mnp_time start, mnp_time early, mnp_time late)
{
    static const mnp_time latencies[] = {1000, 1700, 1003};
    srand(1);
    for (int round = 0; round < 300; round++) {
        struct bench bench;
        uint64_t sent[2 * SENDERS] = {0}, taken[2 * SENDERS] = {0}, total = 0, seen = 0;
        bench_init(&bench, 64, latencies);
        for (mnp_time window = start; window < start + 40000; window += 1000) {
            for (int i = 0; i < 20; i++) {
                uint32_t l = (uint32_t)rand() % (2 * SENDERS);
                mnp_time least = bench.link[l]->last_arrival > window + bench.link[l]->latency
                                     ? bench.link[l]->last_arrival - bench.link[l]->latency
                                     : window;
                mnp_time time = least + (mnp_time)(rand() % 3) * 100;
                if (time >= window + 1000)
                    continue;
                send(bench.link[l], time, sent[l]++);
                total++;
            }
            hand_over_for(&bench, window + 1000 - early, window + 2000 + late);
            mnp_time last_arrival = 0;
            uint32_t last_link = 0, link;
            const struct packet *packet;
            for (; (packet = mnp_inbox_peek(&bench.receiver->inbox, window + 1999, &link)); seen++) {
                mnp_time arrival = packet->arrival;
                assert_true(arrival > last_arrival || (arrival == last_arrival && link >= last_link));
                assert_true(arrival <= window + 1999);
                assert_int_equal(packet->value, taken[link]++);
                last_arrival = arrival, last_link = link;
                mnp_inbox_take(&bench.receiver->inbox);
            }
            mnp_inbox_close(&bench.receiver->inbox);
        }
        assert_true(seen > 100 && seen <= total);
        mnp_engine_release(&bench.engine);
    }
}

/* … with slots of one arrival, of many, and of all. */
static void total_order(void **state)
{
    (void)state;
    order_from(0, 0, 0);
    order_from(0, 1000, 64000);
    order_from((UINT64_C(1) << 44) - 20000, 0, 1000);
    order_from(UINT64_C(3) << 60, 500, 0);
    order_from(UINT64_C(3) << 60, UINT64_C(3) << 59, UINT64_C(1) << 58);
}

/* More links than a word of the inbox's sets has bits, most of them silent: each packet is taken in the first window
 * that it arrives in, whichever window it was published for, and its entry is free again then. */
static void silent_links(void **state)
{
    (void)state;
    enum { LINKS = 150, WINDOW = 1000, WINDOWS = 2000 };
    static const struct mnp_port out[] = {MNP_OUT_ROW("out", "receiver", packet, "many links")};
    static const struct mnp_model model = {.name = "sender", MNP_PORTS(out), .advance = idle};
    struct mnp_engine engine;
    struct mnp_link *links[LINKS];
    uint32_t count[WINDOWS + 8] = {0}, link;
    uint64_t sent = 0, taken = 0;
    mnp_engine_init(&engine);
    struct mnp_unit_plan plan = {.model = &model, .name = "sender", .hertz = 1000000000, .lengths = &(uint32_t){LINKS}};
    struct mnp_unit *sender = mnp_engine_create_unit(&engine, &plan);
    plan.model = &receiver_model;
    plan.name = "receiver";
    struct mnp_unit *receiver = mnp_engine_create_unit(&engine, &plan);
    for (uint32_t i = 0; i < LINKS; i++)
        links[i] = mnp_connect(&engine, mnp_at_port(sender, "out", i), mnp_at_port(receiver, "in", i), WINDOW, 8);
    mnp_engine_freeze(&engine, 0);
    for (uint32_t window = 0; window < WINDOWS; window++) {
        for (uint32_t packets = (uint32_t)rand() % 4; packets; packets--) {
            struct mnp_link *of = links[rand() % LINKS];
            mnp_time departure = (window + (mnp_time)(rand() % 5)) * WINDOW + (mnp_time)(rand() % WINDOW);
            if (departure + WINDOW < of->last_arrival || mnp_link_in_flight(of) == 8)
                continue;
            send(of, departure, sent++);
            count[departure / WINDOW + 1]++;
        }
        for (uint32_t i = 0; i < sender->dirty_count; i++)
            mnp_link_publish(sender->dirty[i]);
        sender->dirty_count = 0;
        mnp_time from = (window + UINT64_C(1)) * WINDOW, until = from + WINDOW;
        mnp_inbox_open(&receiver->inbox, from, until);
        for (const struct packet *packet; (packet = mnp_inbox_peek(&receiver->inbox, until - 1, &link)); taken++) {
            assert_int_equal(packet->arrival / WINDOW, window + 1);
            count[window + 1]--;
            mnp_inbox_take(&receiver->inbox);
        }
        assert_int_equal(count[window + 1], 0);
        mnp_inbox_close(&receiver->inbox);
    }
    uint64_t in_flight = 0;
    for (uint32_t i = 0; i < LINKS; i++)
        in_flight += mnp_link_in_flight(links[i]);
    assert_true(taken > WINDOWS);
    assert_int_equal(in_flight, sent - taken);
    mnp_engine_release(&engine);
}

/* Packets that lie so far apart that a slot holds centuries. */
static void far_apart(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t link;
    static const mnp_time times[2 * SENDERS] = {UINT64_C(5) << 60, 0, UINT64_C(1) << 43, 7, UINT64_C(1) << 60,
                                                UINT64_C(5) << 60, 3, UINT64_C(1) << 42, 1, 2};
    bench_init(&bench, 4, same);
    for (uint64_t round = 0; round < 3; round++) {
        mnp_time last = 0;
        for (uint32_t i = 0; i < 2 * SENDERS; i++)
            send(bench.link[i], (round << 61) + times[i], i);
        hand_over(&bench);
        for (uint32_t i = 0; i < 2 * SENDERS; i++) {
            const struct packet *packet = mnp_inbox_peek(&bench.receiver->inbox, MNP_NEVER - 1, &link);
            assert_non_null(packet);
            assert_int_equal(packet->arrival, bench.receiver->inbox.next);
            assert_true(packet->arrival >= last);
            last = packet->arrival;
            mnp_inbox_take(&bench.receiver->inbox);
        }
        assert_null(mnp_inbox_peek(&bench.receiver->inbox, MNP_NEVER - 1, &link));
        mnp_inbox_close(&bench.receiver->inbox);
    }
    mnp_engine_release(&bench.engine);
}

/* Runs a mistake in a child process, which must end as a bug of ours. */
static void expect_bug(void (*mistake)(struct bench *))
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct bench bench;
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        bench_init(&bench, 4, same);
        mistake(&bench);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), MNP_EXIT_BUG);
}

static void fill(struct bench *bench)
{
    for (uint64_t i = 0; i < 9; i++) /* four in flight make eight places */
        send(bench->link[0], 0, i);
}

static void send_backwards(struct bench *bench)
{
    send(bench->link[0], 500, 0);
    send(bench->link[0], 499, 0);
}

static void send_into_the_window(struct bench *bench)
{
    bench->sender[0]->until = 2000;
    send(bench->link[0], 999, 0);
}

static void mistakes_are_bugs(void **state)
{
    (void)state;
    expect_bug(fill);
    expect_bug(send_backwards);
    expect_bug(send_into_the_window);
}

/* A full ring is in order, and so is one whose indices have gone round many times. */
static void capacity(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t link;
    bench_init(&bench, 4, same);
    for (uint64_t round = 0; round < 100; round++) {
        for (uint64_t i = 0; i < 8; i++)
            send(bench.link[0], round, 8 * round + i);
        hand_over(&bench);
        for (uint64_t i = 0; i < 8; i++) {
            const struct packet *packet = mnp_inbox_peek(&bench.receiver->inbox, round + 1000, &link);
            assert_non_null(packet);
            assert_int_equal(packet->value, 8 * round + i);
            mnp_inbox_take(&bench.receiver->inbox);
        }
        mnp_inbox_close(&bench.receiver->inbox);
    }
    mnp_engine_release(&bench.engine);
}

/* A link of 1,000 packets of which two are ever in flight uses two places of its ring; one on which something is always
 * in flight goes round. */
static void little_memory(void **state)
{
    (void)state;
    struct bench bench;
    uint32_t link;
    unsigned char *least[2] = {NULL}, *most[2] = {NULL};
    bench_init(&bench, 1000, same);
    for (uint64_t round = 0; round < 5000; round++) {
        for (uint32_t i = 0; i < 2; i++) { /* link 1 keeps a packet from round to round */
            for (uint32_t k = 0; k < 2 && !(i && round && k); k++) {
                send(bench.link[i], 1000 * round, 2 * round + k);
                unsigned char *entry = mnp_link_entry(bench.link[i], bench.link[i]->tail - 1);
                least[i] = !least[i] || entry < least[i] ? entry : least[i];
                most[i] = entry > most[i] ? entry : most[i];
            }
        }
        hand_over(&bench);
        for (uint32_t taken[2] = {0}; mnp_inbox_peek(&bench.receiver->inbox, 1000 * (round + 1), &link);) {
            if (link == 1 && taken[1]++ == 1)
                break;
            mnp_inbox_take(&bench.receiver->inbox);
        }
        mnp_inbox_close(&bench.receiver->inbox);
        assert_int_equal(mnp_link_in_flight(bench.link[0]), 0);
        assert_int_equal(mnp_link_in_flight(bench.link[1]), 1);
    }
    assert_int_equal(most[0] - least[0], bench.link[0]->stride);
    assert_int_equal(most[1] - least[1], bench.link[1]->mask * (uint64_t)bench.link[1]->stride);
    mnp_engine_release(&bench.engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_memory),     cmocka_unit_test(ready_at_arrival), cmocka_unit_test(total_order),
        cmocka_unit_test(far_apart),         cmocka_unit_test(capacity),         cmocka_unit_test(mistakes_are_bugs),
        cmocka_unit_test(behind_the_window), cmocka_unit_test(silent_links),
    };
    return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
