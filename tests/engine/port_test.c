/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a unit: laid out as measured, connected as the tables of ports say, frozen when nothing is missing. What
 * does not agree with the tables is a bug, whose text names unit and port. */
#include "engine/core/port.h"
#include "engine/declare/declare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct letter {
    uint64_t words[3];
};

struct parcel {
    uint64_t words[5];
};

enum { SENDERS = 3, STATE = 1000, SLOTS = 2 };

static mnp_time idle(struct mnp_unit *unit, mnp_time until)
{
    (void)unit;
    (void)until;
    return MNP_NEVER;
}

struct office {
    struct mnp_unit *unit;
    unsigned char *state;
    uint32_t frozen; /* times */
    uint32_t credits;
};

static void lay_out(void *self, struct mnp_arena *arena)
{
    struct office *office = self;
    office->state = mnp_arena_take(arena, STATE, 1);
}

enum { SENDER_OUT, SENDER_PARCELS, SENDER_BACK };

static void freeze(struct mnp_unit *unit)
{
    struct office *office = unit->self;
    office->frozen++;
    office->credits = mnp_port_link(unit, SENDER_OUT)->in_flight;
}

static const struct mnp_port sender_ports[] = {
    [SENDER_OUT] = MNP_OUT_ROW("letters", "receiver", letter, "must be connected"),
    [SENDER_PARCELS] = MNP_OPTIONAL_OUT_ROW("parcels", "receiver", parcel, "may be"),
    [SENDER_BACK] = MNP_OPTIONAL_IN_ROW("letters", "receiver", letter, "has the name of the first, in the other way"),
};
static const struct mnp_model sender_model = {
    .name = "sender", MNP_PORTS(sender_ports), .lay_out = lay_out, .freeze = freeze, .advance = idle};

enum { RECEIVER_IN, RECEIVER_PARCELS, RECEIVER_LABELS, RECEIVER_BACK };
static const struct mnp_port receiver_ports[] = {
    [RECEIVER_IN] = MNP_IN_ROW("letters", "sender", letter, "one of each sender"),
    [RECEIVER_PARCELS] = MNP_OPTIONAL_IN_ROW("parcels", "sender", parcel, "one of each sender"),
    [RECEIVER_LABELS] = {"labels", MNP_IN, "sender", "letter", sizeof(struct parcel), true, "a letter of another size"},
    [RECEIVER_BACK] = MNP_OPTIONAL_OUT_ROW("back", "", letter, "to anybody"),
};
static const struct mnp_statistic receiver_statistics[] = {MNP_COUNTER_ROW("taken", "letter", "letters taken")};
static const struct mnp_model receiver_model = {
    .name = "receiver", MNP_PORTS(receiver_ports), MNP_STATISTICS(receiver_statistics), .advance = idle};

struct bench {
    struct mnp_engine engine;
    struct office office[SENDERS];
    struct mnp_unit *receiver;
};

static void bench_init(struct bench *bench)
{
    static const uint32_t lengths[] = {SENDERS, SENDERS, 1, 1};
    *bench = (struct bench){0};
    mnp_engine_init(&bench->engine);
    for (uint32_t i = 0; i < SENDERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "sender %u", i);
        bench->office[i].unit = mnp_engine_create_unit(
            &bench->engine,
            &(struct mnp_unit_plan){
                .model = &sender_model, .name = name, .self = &bench->office[i], .hertz = 1000, .slots = SLOTS});
    }
    bench->receiver = mnp_engine_create_unit(&bench->engine, &(struct mnp_unit_plan){.model = &receiver_model,
                                                                                     .name = "receiver",
                                                                                     .hertz = 1000,
                                                                                     .slots = SLOTS,
                                                                                     .lengths = lengths});
}

static struct mnp_link *post(struct bench *bench, uint32_t sender, const char *from, const char *to, uint32_t index)
{
    return mnp_connect(&bench->engine, mnp_at_port(bench->office[sender].unit, from, 0),
                       mnp_at_port(bench->receiver, to, index), 1000, 4 + sender);
}

/* ===== what is in order ===== */

static void a_unit_has_the_room_that_its_layout_takes(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench);
    const struct mnp_arena *arena = &bench.office[0].unit->state;
    assert_int_equal(arena->used, STATE / MNP_CACHE_LINE * MNP_CACHE_LINE + MNP_CACHE_LINE);
    assert_true(bench.office[0].state >= arena->base && bench.office[0].state + STATE <= arena->base + arena->used);
    assert_int_equal(bench.receiver->state.used, MNP_CACHE_LINE); /* one counter for each slot */
    assert_int_equal(bench.receiver->counter_width, 1);
    mnp_counters(bench.receiver, SLOTS - 1)[0] = 7;
    mnp_engine_release(&bench.engine);
}

static void links_are_numbered_as_they_are_connected_and_found_by_port(void **state)
{
    (void)state;
    struct bench bench;
    struct mnp_link *link[SENDERS];
    static const uint32_t order[SENDERS] = {2, 0, 1};
    bench_init(&bench);
    for (uint32_t i = 0; i < SENDERS; i++)
        link[i] = post(&bench, order[i], "letters", "letters", order[i]);
    struct mnp_link *parcels = post(&bench, 1, "parcels", "parcels", 2);
    mnp_engine_freeze(&bench.engine, 0);
    for (uint32_t i = 0; i < SENDERS; i++) {
        assert_int_equal(link[i]->id, i);
        assert_int_equal(link[i]->payload, sizeof(struct letter));
        assert_ptr_equal(mnp_port_links(bench.receiver, RECEIVER_IN)[order[i]], link[i]);
        assert_ptr_equal(mnp_port_link(bench.office[order[i]].unit, SENDER_OUT), link[i]);
        assert_int_equal(mnp_port_of(bench.receiver, i).port, RECEIVER_IN);
        assert_int_equal(mnp_port_of(bench.receiver, i).index, order[i]);
        assert_int_equal(bench.office[i].frozen, 1);
        assert_int_equal(bench.office[i].credits, 4 + i);
    }
    assert_int_equal(parcels->payload, sizeof(struct parcel));
    assert_int_equal(mnp_port_of(bench.receiver, SENDERS).port, RECEIVER_PARCELS);
    assert_int_equal(mnp_port_of(bench.receiver, SENDERS).index, 2);
    assert_true(mnp_port_is_connected(bench.receiver, RECEIVER_PARCELS));
    assert_false(mnp_port_is_connected(bench.receiver, RECEIVER_BACK));
    assert_null(mnp_port_link(bench.office[0].unit, SENDER_PARCELS));
    mnp_engine_release(&bench.engine);
}

static void ports_of_one_name_differ_by_direction(void **state)
{
    (void)state;
    struct bench bench;
    bench_init(&bench);
    post(&bench, 0, "letters", "letters", 0);
    struct mnp_link *back = mnp_connect(&bench.engine, mnp_at_port(bench.receiver, "back", 0),
                                        mnp_at_port(bench.office[0].unit, "letters", 0), 1000, 1);
    assert_ptr_equal(mnp_port_link(bench.office[0].unit, SENDER_BACK), back);
    mnp_engine_release(&bench.engine);
}

/* ===== what is a bug ===== */

static void undeclared(struct bench *bench)
{
    post(bench, 0, "postcards", "letters", 0);
}

static void wrong_direction(struct bench *bench)
{
    mnp_connect(&bench->engine, mnp_at_port(bench->receiver, "parcels", 0),
                mnp_at_port(bench->office[0].unit, "letters", 0), 1000, 1);
}

static void wrong_peer(struct bench *bench)
{
    mnp_connect(&bench->engine, mnp_at_port(bench->office[0].unit, "letters", 0),
                mnp_at_port(bench->office[1].unit, "letters", 0), 1000, 1);
}

static void wrong_packet(struct bench *bench)
{
    post(bench, 0, "letters", "parcels", 0);
}

static void wrong_size(struct bench *bench)
{
    post(bench, 0, "letters", "labels", 0);
}

static void no_such_place(struct bench *bench)
{
    post(bench, 0, "letters", "letters", SENDERS);
}

static void connected_twice(struct bench *bench)
{
    post(bench, 0, "letters", "letters", 0);
    post(bench, 1, "letters", "letters", 0);
}

static void unconnected(struct bench *bench)
{
    post(bench, 0, "letters", "letters", 0);
    post(bench, 2, "letters", "letters", 2);
    mnp_engine_freeze(&bench->engine, 0);
}

static void beside_the_ports(struct bench *bench)
{
    for (uint32_t i = 0; i < SENDERS; i++)
        post(bench, i, "letters", "letters", i);
    mnp_engine_add_link(&bench->engine, bench->office[0].unit, bench->receiver, 1000, 8, 1);
    mnp_engine_freeze(&bench->engine, 0);
}

/* Runs a mistake in a child process, which must end as a bug of ours, and say `text`. */
static void expect_bug(void (*mistake)(struct bench *), const char *text)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct bench bench;
        dup2(ends[1], STDERR_FILENO);
        bench_init(&bench);
        mistake(&bench);
        _exit(0);
    }
    close(ends[1]);
    char said[1024] = "";
    for (ssize_t length = 0, got; (got = read(ends[0], said + length, sizeof said - 1 - (size_t)length)) > 0;)
        length += got;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), MNP_EXIT_BUG);
    if (!strstr(said, text))
        fail_msg("expected \"%s\" in: %s", text, said);
}

static void mistakes_are_bugs(void **state)
{
    (void)state;
    expect_bug(undeclared, "sender 0 has no port \"postcards\"; declare it in the table of model sender");
    expect_bug(wrong_direction, "port \"parcels\" of receiver takes packets in");
    expect_bug(wrong_peer, "port \"letters\" of sender 0 is for a receiver, which sender 1 is not");
    expect_bug(wrong_packet, "port \"letters\" of sender 0 sends letter of 24 bytes, but port \"parcels\" of receiver "
                             "takes parcel of 40 bytes");
    expect_bug(wrong_size, "takes letter of 40 bytes");
    expect_bug(no_such_place, "port \"letters\" of receiver has 3 links, and none of number 3");
    expect_bug(connected_twice, "link 0 of port \"letters\" of receiver is connected twice");
    expect_bug(unconnected, "link 0 of port \"letters\" of sender 1 is not connected; connect it with a receiver");
    expect_bug(beside_the_ports, "sender 0 has links beside its ports");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unit_has_the_room_that_its_layout_takes),
        cmocka_unit_test(links_are_numbered_as_they_are_connected_and_found_by_port),
        cmocka_unit_test(ports_of_one_name_differ_by_direction),
        cmocka_unit_test(mistakes_are_bugs),
    };
    return cmocka_run_group_tests_name("port", tests, NULL, NULL);
}
