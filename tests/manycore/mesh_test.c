/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routers alone under synthetic traffic, as networks are measured in the literature (Dally & Towles, Principles and
 * Practices of Interconnection Networks, chapters 3, 5 and 23): every tile has an endless source queue, what arrives is
 * taken at once. The routers' own sources are compiled in here with a sink in the place of cores and banks.
 */
#include "manycore/mesh/delivery.c"
#include "manycore/mesh/flight.c"
#include "manycore/mesh/flight_cycle.c"
#include "manycore/mesh/router.c"
#include "manycore/mesh/router_state.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUEUE = MANYCORE_LOCAL * 2 + MANYCORE_REPLY, LONGEST = 1 << 16 };

struct network {
    struct manycore_parameters parameters;
    struct manycore_common common;
    struct manycore_block block;
    struct manycore_block_state state;
    struct manycore_point *points;
    uint32_t *sent, *seen; /* [from][to] sequence numbers */
    uint64_t *backlog;     /* [tile] packets that the source has not got rid of */
    uint64_t *asked;       /* [tile] packets that it has had */
    uint64_t injected, delivered, latency, visits, hops;
    uint64_t cycle;
    uint32_t random;
    bool in_order;
};

/* ===== in the place of cores and banks ===== */

static void take(struct network *network, const struct manycore_answer *answer)
{
    const struct manycore_packet *reply = &answer->reply;
    uint32_t *seen = &network->seen[(size_t)reply->from * network->block.tiles + answer->place];
    assert_int_equal(reply->to, answer->place);
    network->in_order &= reply->request.data == ++*seen;
    network->delivered++;
    network->latency += answer->cycle - reply->born;
}

bool manycore_bank_serve(const struct manycore_bank *bank, unsigned char *bytes, struct manycore_packet *packet)
{
    (void)bank, (void)bytes, (void)packet;
    fail_msg("nobody has sent a request");
    return false;
}

/* ===== a network ===== */

static struct network *build(uint32_t width, uint32_t height, bool torus, uint32_t depth, bool round_robin)
{
    struct network *n = calloc(1, sizeof *n);
    uint32_t tiles = width * height;
    n->parameters = (struct manycore_parameters){.clock = 1000000000,
                                                 .tiles = tiles,
                                                 .network = MANYCORE_MESH,
                                                 .width = width,
                                                 .height = height,
                                                 .mesh_torus = torus,
                                                 .mesh_queue = depth,
                                                 .mesh_selection = MANYCORE_SELECT_OUTPUT,
                                                 .mesh_arbitration = round_robin ? MNP_ARBITRATION_ROUND_ROBIN
                                                                                 : MNP_ARBITRATION_OLDEST};
    n->common.parameters = &n->parameters;
    n->block = (struct manycore_block){.common = &n->common,
                                       .columns = width,
                                       .rows = height,
                                       .tiles = tiles,
                                       .across = 1,
                                       .down = width,
                                       .state = &n->state};
    n->block.router = calloc(tiles, sizeof *n->block.router);
    n->block.entries = calloc((size_t)tiles * MANYCORE_QUEUES * depth, sizeof *n->block.entries);
    n->block.node = calloc(tiles, sizeof *n->block.node);
    n->block.answers = calloc(2 * (size_t)tiles, sizeof *n->block.answers);
    n->block.active = calloc((tiles + 63) / 64, 8);
    n->block.local = calloc((tiles + 63) / 64, 8);
    n->block.moves = calloc((size_t)tiles * MANYCORE_PORTS, sizeof *n->block.moves);
    n->block.credits = calloc((size_t)tiles * MANYCORE_PORTS, sizeof *n->block.credits);
    n->block.replies = calloc(tiles, sizeof *n->block.replies);
    n->block.all_flights = calloc(2 * (size_t)tiles, sizeof *n->block.all_flights);
    n->block.flight_room = 2 * tiles;
    n->block.flights = torus || depth == 1 ? NULL : n->block.all_flights;
    n->sent = calloc((size_t)tiles * tiles, sizeof *n->sent);
    n->seen = calloc((size_t)tiles * tiles, sizeof *n->seen);
    n->backlog = calloc(tiles, sizeof *n->backlog);
    n->asked = calloc(tiles, sizeof *n->asked);
    n->random = 1;
    n->in_order = true;
    n->block.points = n->points = calloc(tiles, sizeof *n->points);
    manycore_router_prepare(&n->block);
    for (uint32_t place = 0; place < tiles; place++) {
        uint32_t x = place % width, y = place / width;
        n->points[place] = (struct manycore_point){(uint8_t)x, (uint8_t)y};
        const bool there[4] = {torus || y > 0, torus || x + 1 < width, torus || y + 1 < height, torus || x > 0};
        for (uint32_t out = 0; out < 4; out++)
            for (uint32_t channel = 0; there[out] && channel < (torus ? 4 : 2); channel++)
                n->block.router[place].credits[out][channel] = (uint8_t)depth;
    }
    return n;
}

/* The same whose routers move one packet of all their queues a cycle. */
static struct network *build_single(uint32_t width, uint32_t height, uint32_t depth, bool round_robin)
{
    struct network *n = build(width, height, false, depth, round_robin);
    n->block.shape.single = true;
    return n;
}

static void destroy(struct network *n)
{
    free(n->block.router), free(n->block.entries), free(n->block.node), free(n->block.active), free(n->block.local);
    free(n->points), free(n->block.answers), free(n->block.replies), free(n->block.all_flights);
    free(n->block.moves), free(n->block.credits), free(n->sent), free(n->seen), free(n->backlog), free(n->asked),
        free(n);
}

static uint32_t draw(struct network *n)
{
    n->random ^= n->random << 13;
    n->random ^= n->random >> 17;
    n->random ^= n->random << 5;
    return n->random;
}

static uint32_t distance(const struct network *n, uint32_t a, uint32_t b, uint32_t size)
{
    uint32_t d = a > b ? a - b : b - a;
    return n->parameters.mesh_torus && size - d < d ? size - d : d;
}

static void inject(struct network *n, uint32_t from, uint32_t to)
{
    uint32_t width = n->block.columns, tiles = n->block.tiles;
    struct manycore_packet packet = {.from = (uint16_t)from, .to = (uint16_t)to, .born = (uint32_t)n->cycle};
    packet.request.data = ++n->sent[(size_t)from * tiles + to];
    manycore_router_push(&n->block, from, QUEUE, &packet, n->cycle);
    n->injected++;
    n->hops += distance(n, from % width, to % width, width) + distance(n, from / width, to / width, n->block.rows);
}

static void step(struct network *n)
{
    for (uint32_t word = 0; word * 64 < n->block.tiles; word++)
        n->visits += (uint32_t)__builtin_popcountll(n->block.active[word]);
    manycore_mesh_cycle(&n->block, n->cycle);
    for (uint32_t i = 0; i < n->block.answer_count; i++)
        take(n, &n->block.answers[i]);
    n->cycle++;
}

/* Where a tile's next packet goes; itself: nowhere. */
typedef uint32_t pattern(struct network *n, uint32_t tile);

static uint32_t uniform(struct network *n, uint32_t tile)
{
    (void)tile;
    return draw(n) % n->block.tiles;
}

static uint32_t transpose(struct network *n, uint32_t tile)
{
    return tile % n->block.columns * n->block.columns + tile / n->block.columns;
}

static uint32_t eastwards(struct network *n, uint32_t tile)
{
    return tile % n->block.columns + 1 < n->block.columns ? tile + 1 : tile;
}

/* As far round the ring as the shorter way goes in one direction: the hardest traffic for a ring. */
static uint32_t tornado(struct network *n, uint32_t tile)
{
    uint32_t width = n->block.columns, height = n->block.rows, x = tile % width, y = tile / width;
    return (y + (height - 1) / 2) % height * width + (x + (width - 1) / 2) % width;
}

static uint32_t to_one(struct network *n, uint32_t tile)
{
    (void)tile;
    return n->block.tiles / 2;
}

/* Offers `rate`/1024 packets a tile and cycle for so many cycles. */
static void offer(struct network *n, pattern *aim, uint32_t rate, uint32_t cycles)
{
    for (uint32_t i = 0; i < cycles; i++) {
        for (uint32_t tile = 0; tile < n->block.tiles; tile++) {
            n->backlog[tile] += draw(n) % 1024 < rate;
            if (!n->backlog[tile] || n->block.router[tile].count[QUEUE] == n->parameters.mesh_queue)
                continue;
            uint32_t to = aim(n, tile);
            n->backlog[tile]--;
            if (to != tile)
                inject(n, tile, to);
        }
        step(n);
    }
}

/* Everything that was sent arrives, in order, within the time that the work takes; nothing is left over. */
static void drain(struct network *n)
{
    uint64_t most = n->cycle + 16 * (n->injected - n->delivered) + 16 * n->block.tiles;
    while (n->delivered < n->injected && n->cycle < most)
        step(n);
    assert_int_equal(n->delivered, n->injected);
    assert_true(n->in_order);
    step(n);
    assert_false(n->block.is_active);
    uint64_t moved = 0, out = 0;
    for (uint32_t tile = 0; tile < n->block.tiles; tile++) {
        const struct manycore_router *router = &n->block.router[tile];
        for (uint32_t port = 0; port < MANYCORE_LOCAL; port++)
            moved += n->block.node[tile].use.out[port];
        out += n->block.node[tile].use.out[MANYCORE_LOCAL];
        for (uint32_t queue = 0; queue < MANYCORE_QUEUES; queue++)
            assert_int_equal(router->count[queue], 0);
        for (uint32_t port = 0; port < MANYCORE_LOCAL; port++)
            for (uint32_t channel = 0; channel < MANYCORE_CHANNELS; channel++)
                assert_true(router->credits[port][channel] == n->parameters.mesh_queue ||
                            !router->credits[port][channel]);
    }
    assert_int_equal(moved, n->hops); /* no way round */
    assert_int_equal(out, n->delivered);
}

/* Packets delivered in a tile and 1024 cycles, after a time to fill up. */
static uint64_t throughput(struct network *n, pattern *aim, uint32_t rate, uint32_t cycles)
{
    offer(n, aim, rate, cycles);
    uint64_t before = n->delivered;
    offer(n, aim, rate, cycles);
    return (n->delivered - before) * 1024 / cycles / n->block.tiles;
}

/* ===== tests ===== */

static void test_zero_load(void **state)
{
    (void)state;
    for (uint32_t torus = 0; torus < 2; torus++) {
        struct network *n = build(6, 5, torus, 1, false);
        for (uint32_t from = 0; from < 30; from++)
            for (uint32_t to = 0; to < 30; to++) {
                uint64_t hops = n->hops, latency = n->latency, visits = n->visits;
                if (to == from)
                    continue;
                inject(n, from, to);
                drain(n);
                hops = n->hops - hops;
                assert_int_equal(n->latency - latency, hops + 1);  /* a cycle each, and one into the tile */
                assert_true(n->visits - visits <= 2 * (hops + 1)); /* once with the packet and once after it */
            }
        destroy(n);
    }
}

/* Neighbours along rows do not disturb one another: a link carries a packet each cycle once its queue covers the two
 * cycles from a packet's departure to its place's return, and half of that with one place. */
static void test_link_rate(void **state)
{
    (void)state;
    for (uint32_t depth = 1; depth <= 4; depth++) {
        struct network *n = build(8, 2, false, depth, true);
        uint64_t rate = throughput(n, eastwards, 1024, 512) * 8 / 7; /* the last column has nowhere to send to */
        assert_in_range(rate, depth == 1 ? 508 : 1020, depth == 1 ? 514 : 1025);
        drain(n);
        destroy(n);
    }
}

/* The bisection of a k × k mesh carries 4/k packets a tile and cycle of uniform traffic, a torus twice that. Input
 * queues that block at their heads take a part of it: a single switch keeps 0.586 (Karol et al., 1987). In a torus the
 * dateline's two channels are not evenly filled, but it must pass more than the mesh. */
static void test_uniform(void **state)
{
    (void)state;
    for (uint32_t side = 8; side <= 16; side *= 2) {
        uint64_t mesh = 0;
        for (uint32_t torus = 0; torus < 2; torus++) {
            struct network *n = build(side, side, torus, 4, true);
            uint64_t bound = (torus ? 8 : 4) * 1024 / side, most = throughput(n, uniform, 1024, 1500);
            print_message("uniform traffic, side %u%s: %lu of %lu\n", side, torus ? ", torus" : "", (unsigned long)most,
                          (unsigned long)bound);
            assert_in_range(most, torus ? mesh * 11 / 10 : bound * 586 / 1000, bound);
            mesh = most;
            drain(n);
            destroy(n);
            n = build(side, side, torus, 4, true); /* two fifths of the bound pass in full */
            uint32_t rate = (uint32_t)bound * 2 / 5;
            uint64_t got = throughput(n, uniform, rate, 1000);
            assert_in_range(got, rate * 95 / 100, rate * 103 / 100);
            drain(n);
            destroy(n);
        }
    }
}

/* Transposed traffic in a k × k mesh under XY: the link into the diagonal of the last row carries what all k - 1 other
 * tiles of its row send, so that these get 1/(k - 1) each, and get it whole. */
static void test_transpose(void **state)
{
    (void)state;
    for (uint32_t side = 4; side <= 16; side *= 2) {
        struct network *n = build(side, side, false, 4, true);
        uint32_t corner = side * side - 2; /* the tile before the last one: its link to the east */
        offer(n, transpose, 1024, 1000);
        uint64_t before = n->block.node[corner].use.out[MANYCORE_EAST];
        offer(n, transpose, 1024, 1000);
        uint64_t used = n->block.node[corner].use.out[MANYCORE_EAST] - before;
        assert_in_range(used, 990, 1000);
        drain(n);
        destroy(n);
        n = build(side, side, false, 4, true);
        uint32_t rate = 1024 * 9 / 10 / (side - 1); /* of the bound nine tenths pass in full */
        offer(n, transpose, rate, 4000);
        uint64_t waiting = 0;
        for (uint32_t tile = 0; tile < n->block.tiles; tile++)
            waiting += n->backlog[tile];
        assert_true(waiting < n->block.tiles);
        assert_in_range(n->injected, (uint64_t)rate * (side - 1) * side * 4000 / 1024 * 95 / 100,
                        (uint64_t)rate * (side - 1) * side * 4000 / 1024 * 105 / 100);
        drain(n);
        destroy(n);
    }
}

/* All tiles send as much as goes in; when they stop, everything arrives: no ring of packets waits for itself. */
static void test_full_load(void **state)
{
    (void)state;
    pattern *const patterns[] = {uniform, transpose, tornado, to_one};
    for (uint32_t shape = 0; shape < 12; shape++)
        for (uint32_t i = 0; i < 4; i++) {
            bool torus = shape % 2;
            struct network *n =
                build(shape / 4 == 2 ? 4 : 7, shape / 4 == 2 ? 4 : 7, torus, 1 + shape / 4, shape / 2 % 2);
            offer(n, patterns[i], 1024, 1000);
            assert_true(n->delivered >= 900); /* the least is one tile that takes a packet in each cycle */
            drain(n);
            destroy(n);
        }
}

/* Routers, queues and counts of two networks are the same. */
static void assert_same(struct network *a, struct network *b)
{
    uint32_t tiles = a->block.tiles;
    assert_int_equal(a->delivered, b->delivered);
    assert_int_equal(a->latency, b->latency);
    manycore_router_settle(&a->block);
    manycore_router_settle(&b->block);
    assert_memory_equal(a->block.router, b->block.router, tiles * sizeof *a->block.router);
    assert_memory_equal(a->block.entries, b->block.entries,
                        (size_t)tiles * a->block.shape.places * sizeof *a->block.entries);
    for (uint32_t tile = 0; tile < tiles; tile++) {
        const struct manycore_use *one = &a->block.node[tile].use, *other = &b->block.node[tile].use;
        for (uint32_t out = 0; out < MANYCORE_PORTS; out++) {
            assert_int_equal(one->out[out], other->out[out]);
            assert_int_equal(manycore_stalled(&a->block.node[tile], out, a->cycle),
                             manycore_stalled(&b->block.node[tile], out, b->cycle));
        }
        assert_int_equal(manycore_blocked(one, a->cycle), manycore_blocked(other, b->cycle));
    }
}

/* Packets that fly past the queues leave everything as it is when each goes through them: idle, busy and full networks,
 * looked at after 1, 2, 4 … cycles. */
static void test_flights(void **state)
{
    (void)state;
    pattern *const patterns[] = {uniform, transpose, tornado, to_one};
    for (uint32_t i = 0; i < 96; i++) {
        static const uint32_t rates[] = {8, 60, 250, 1024};
        pattern *aim = patterns[i % 4];
        uint32_t depth = 2 + i / 16 % 3, rate = rates[i / 4 % 4];
        struct network *flying = build(8, 8, false, depth, i % 2), *queueing = build(8, 8, false, depth, i % 2);
        flying->block.shape.single = queueing->block.shape.single = i >= 48;
        queueing->block.flights = NULL;
        uint64_t flights = 0;
        for (uint32_t cycles = 1; cycles <= 256; cycles *= 2) {
            offer(flying, aim, rate, cycles);
            offer(queueing, aim, rate, cycles);
            flights += flying->block.flight_count + flying->block.ending_count;
            assert_same(flying, queueing);
        }
        assert_true(flights || flying->delivered < 8 ||
                    (i >= 48 && rate > 8)); /* busy routers of the last kind have none */
        assert_int_equal(queueing->block.flight_count + queueing->block.ending_count, 0);
        drain(flying);
        drain(queueing);
        assert_same(flying, queueing);
        destroy(flying);
        destroy(queueing);
    }
}

/* Routers that move one packet a cycle, in rows of neighbours that send as much as goes in: each one between two others
 * is always busy, and its packets out and those that end in it share its cycles. */
static void test_single_rate(void **state)
{
    (void)state;
    enum { CYCLES = 2000 };
    struct network *n = build_single(8, 8, 4, false);
    offer(n, eastwards, 1024, CYCLES);
    for (uint32_t tile = 0; tile < 64; tile++) {
        const uint64_t *out = n->block.node[tile].use.out;
        assert_int_equal(out[MANYCORE_NORTH] + out[MANYCORE_SOUTH] + out[MANYCORE_WEST], 0);
        assert_in_range(out[MANYCORE_EAST] + out[MANYCORE_LOCAL], tile % 8 % 7 ? CYCLES - 20 : 0, CYCLES);
    }
    destroy(n);
}

/* ===== a second opinion: the same mesh, cycle by cycle, as plainly as it goes ===== */

enum { LINES = MANYCORE_MESH_QUEUES, PLACES = 4 };

struct plain {
    struct plain_queue {
        struct {
            uint32_t to, born, ready;
        } packet[PLACES];
        uint32_t count;
    } queue[LINES];
    uint32_t turn[MANYCORE_PORTS];
    int32_t chosen[MANYCORE_PORTS]; /* queue whose packet leaves in this cycle; -1: none */
};

static uint32_t plain_out(uint32_t at, uint32_t to, uint32_t width)
{
    if (at % width != to % width)
        return to % width > at % width ? MANYCORE_EAST : MANYCORE_WEST;
    return at == to ? MANYCORE_LOCAL : to > at ? MANYCORE_SOUTH : MANYCORE_NORTH;
}

static uint32_t plain_next(uint32_t at, uint32_t out, uint32_t width)
{
    return out == MANYCORE_EAST    ? at + 1
           : out == MANYCORE_WEST  ? at - 1
           : out == MANYCORE_SOUTH ? at + width
                                   : at - width;
}

/* Whether a queue's first packet may leave through an output: all outputs, if `out` is MANYCORE_PORTS. */
static bool plain_may(const struct plain *tiles, uint32_t at, uint32_t queue, uint32_t out, uint32_t cycle,
                      uint32_t width, uint32_t depth)
{
    const struct plain_queue *from = &tiles[at].queue[queue];
    if (!from->count || from->packet[0].ready > cycle)
        return false;
    uint32_t way = plain_out(at, from->packet[0].to, width);
    if (out != MANYCORE_PORTS && way != out)
        return false;
    return way == MANYCORE_LOCAL || tiles[plain_next(at, way, width)].queue[(way ^ 2) * 2 + queue % 2].count < depth;
}

static int32_t plain_choose(const struct plain *tiles, uint32_t at, uint32_t out, uint32_t turn, bool oldest,
                            uint32_t cycle, uint32_t width, uint32_t depth)
{
    int32_t best = -1;
    for (uint32_t i = 0; i < LINES; i++) {
        uint32_t queue = (turn + i) % LINES;
        if (!plain_may(tiles, at, queue, out, cycle, width, depth))
            continue;
        if (best < 0 || (oldest && tiles[at].queue[queue].packet[0].born < tiles[at].queue[best].packet[0].born))
            best = (int32_t)queue;
    }
    return best;
}

static void plain_push(struct plain *tile, uint32_t queue, uint32_t to, uint32_t born, uint32_t ready)
{
    struct plain_queue *into = &tile->queue[queue];
    into->packet[into->count].to = to;
    into->packet[into->count].born = born;
    into->packet[into->count++].ready = ready;
}

/* A cycle; returns the packets that arrive, and adds their times. */
static uint32_t plain_step(struct plain *tiles, const struct network *n, uint32_t cycle, uint64_t *latency)
{
    uint32_t width = n->block.columns, depth = (uint32_t)n->parameters.mesh_queue, arrived = 0;
    bool single = n->block.shape.single, oldest = n->parameters.mesh_arbitration == MNP_ARBITRATION_OLDEST;
    for (uint32_t at = 0; at < n->block.tiles; at++)
        for (uint32_t out = 0; out < MANYCORE_PORTS; out++)
            tiles[at].chosen[out] = single && out ? -1
                                                  : plain_choose(tiles, at, single ? MANYCORE_PORTS : out,
                                                                 tiles[at].turn[out], oldest, cycle, width, depth);
    for (uint32_t at = 0; at < n->block.tiles; at++)
        for (uint32_t i = 0; i < MANYCORE_PORTS; i++) {
            if (tiles[at].chosen[i] < 0)
                continue;
            uint32_t queue = (uint32_t)tiles[at].chosen[i];
            struct plain_queue *from = &tiles[at].queue[queue];
            uint32_t to = from->packet[0].to, born = from->packet[0].born, out = plain_out(at, to, width);
            memmove(from->packet, from->packet + 1, --from->count * sizeof *from->packet);
            tiles[at].turn[i] = (queue + 1) % LINES;
            if (out == MANYCORE_LOCAL) {
                arrived++;
                *latency += cycle + 1 - born;
                continue;
            }
            plain_push(&tiles[plain_next(at, out, width)], (out ^ 2) * 2 + queue % 2, to, born, cycle + 1);
        }
    return arrived;
}

static void test_plain(void **state)
{
    (void)state;
    static const uint32_t rates[] = {60, 300, 1024};
    for (uint32_t i = 0; i < 24; i++) {
        bool single = i % 2, round_robin = i / 2 % 2;
        uint32_t depth = 1 + i / 4 % 2 * 3, rate = rates[i / 8], side = 6;
        struct network *n =
            single ? build_single(side, side, depth, round_robin) : build(side, side, false, depth, round_robin);
        struct plain *tiles = calloc((size_t)side * side, sizeof *tiles);
        uint64_t delivered = 0, latency = 0;
        for (uint32_t cycle = 0; cycle < 600; cycle++) {
            for (uint32_t tile = 0; tile < side * side && cycle < 500; tile++) {
                uint32_t to = rate == 1024 && tile % 3 ? side * side / 2 : draw(n) % (side * side);
                if (draw(n) % 1024 >= rate || to == tile || n->block.router[tile].count[QUEUE] == depth)
                    continue;
                assert_true(tiles[tile].queue[QUEUE].count < depth);
                inject(n, tile, to);
                plain_push(&tiles[tile], QUEUE, to, (uint32_t)n->cycle, cycle);
            }
            step(n);
            delivered += plain_step(tiles, n, cycle, &latency);
            assert_int_equal(n->delivered, delivered);
            assert_int_equal(n->latency, latency);
        }
        assert_true(delivered > 100);
        free(tiles);
        destroy(n);
    }
}

/* The host's work follows the hops, not the size of the network or the time. */
static void test_work(void **state)
{
    (void)state;
    for (uint32_t side = 4; side <= 32; side *= 2) {
        struct network *n = build(side, side, false, 4, false);
        for (uint32_t i = 0; i < 200; i++) {
            uint32_t from = draw(n) % (side * side), to = draw(n) % (side * side);
            if (from != to)
                inject(n, from, to);
            drain(n);
            for (uint32_t idle = 0; idle < 20; idle++)
                step(n);
        }
        assert_true(n->visits <= 2 * (n->hops + n->delivered));
        destroy(n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_load),   cmocka_unit_test(test_link_rate), cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_transpose),   cmocka_unit_test(test_full_load), cmocka_unit_test(test_flights),
        cmocka_unit_test(test_single_rate), cmocka_unit_test(test_plain),     cmocka_unit_test(test_work)};
    return cmocka_run_group_tests_name("manycore mesh", tests, NULL, NULL);
}
