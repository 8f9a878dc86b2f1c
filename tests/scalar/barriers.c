/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of whole blocks: barriers of all forms, at one place and at several, mbarriers, barriers of clusters. */
#include "generator.h"

/* How many threads a barrier of all warps names: whole warps. */
static unsigned whole_warps(const struct generator *generator)
{
    return (generator->threads + 31) / 32 * 32;
}

void barrier(struct generator *generator)
{
    static const char *const names[] = {"bar.sync", "barrier.sync", "barrier.sync.aligned", "bar.cta.sync",
                                        "barrier.cta.sync"};
    unsigned number = chance(generator, 50) ? 0 : pick(generator, 16), t;
    const char *name = names[pick(generator, 5)];
    if (generator->spares && chance(generator, 30)) { /* a warp that has exited would be missed */
        say(generator, "%s %u, %u;", name, number, whole_warps(generator));
    } else if (chance(generator, 15)) {
        t = generator->registers++;
        say(generator, "mov.u32 %%r%u, %u;", t, number);
        say(generator, "%s %%r%u;", name, t);
    } else {
        say(generator, "%s %u;", name, number);
    }
}

/* Through shared memory, or a global word of each thread. */
void make_exchange(struct generator *generator, struct place *place)
{
    unsigned other = generator->registers, found = other + 1, d = generator->wide++, x = state(generator);
    bool shared = chance(generator, 60);
    generator->registers += 3;
    (void)place;
    say(generator, "add.u32 %%r%u, %%index, %u;", other, 1 + pick(generator, generator->threads));
    say(generator, "rem.u32 %%r%u, %%r%u, %u;", other, other, generator->threads);
    say(generator, "sub.s32 %%r%u, %%r%u, %%index;", other, other);
    say(generator, shared ? "st.shared.b32 [%%slot], %%a%u;" : "st.global.b32 [%%own+28], %%a%u;", x);
    barrier(generator);
    if (shared) {
        say(generator, "mad.lo.s32 %%r%u, %%r%u, 4, %%slot;", found + 1, other);
        say(generator, "ld.shared.b32 %%r%u, [%%r%u];", found, found + 1);
    } else {
        say(generator, "mad.wide.s32 %%d%u, %%r%u, %u, %%own;", d, other, 4 * OWN);
        say(generator, "ld.global.b32 %%r%u, [%%d%u+28];", found, d);
    }
    barrier(generator);
    say(generator, "mad.lo.u32 %%a%u, %%a%u, 13, %%r%u;", x, x, found);
}

/* What the block's threads have summed up until here, and kept under locks. */
void make_sums(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers++;
    (void)place;
    barrier(generator);
    for (unsigned i = 0; i < 4; i++) {
        unsigned x = state(generator);
        unsigned at = i < 3 ? SHARED_SUMS + 4 * pick(generator, 7 * SUMS) : SHARED_GUARDED + 4 * pick(generator, SUMS);
        say(generator, "ld.shared.b32 %%r%u, [shared_memory+%u];", t, at);
        say(generator, "mad.lo.u32 %%a%u, %%a%u, 3, %%r%u;", x, x, t);
    }
    barrier(generator);
}

/* ===== one barrier, several places ===== */

struct event make_event(struct generator *generator)
{
    struct event event = {.kind = pick(generator, 2) ? EVENT_SYNC : pick(generator, 4), .number = pick(generator, 16)};
    event.counted = generator->spares && chance(generator, 30);
    return event;
}

void put_event(struct generator *generator, const struct event *event)
{
    unsigned t = generator->registers++, p = generator->predicates++, x = state(generator);
    char count[16] = "";
    if (event->counted)
        snprintf(count, sizeof count, ", %u", whole_warps(generator));
    if (event->kind == EVENT_SYNC) {
        say(generator, "barrier.sync %u%s;", event->number, count);
        return;
    }
    unsigned own = condition(generator);
    if (event->kind == EVENT_POPC) {
        say(generator, "barrier.red.popc.u32 %%r%u, %u%s, %%p%u;", t, event->number, count, own);
    } else {
        say(generator, "barrier.red.%s.pred %%p%u, %u%s, %%p%u;", event->kind == EVENT_AND ? "and" : "or", p,
            event->number, count, own);
        say(generator, "selp.b32 %%r%u, 5, 6, %%p%u;", t, p);
    }
    say(generator, "mad.lo.u32 %%a%u, %%a%u, 3, %%r%u;", x, x, t);
}

void make_barrier_reduction(struct generator *generator, struct place *place)
{
    struct event event = make_event(generator);
    (void)place;
    event.kind = EVENT_POPC + pick(generator, 3);
    put_event(generator, &event);
}

enum { EVENTS = 3 };

static void play(struct generator *generator, struct place *place, const struct event *events, unsigned count,
                 unsigned splits);

/* Lanes go two ways, to the same barriers. */
static void play_two_ways(struct generator *generator, struct place *place, const struct event *events, unsigned count,
                          unsigned splits)
{
    unsigned p = condition(generator), otherwise = generator->labels++, end = generator->labels++;
    struct place yes = inside(place, place->where != ALONE && chance(generator, 60) ? GROUP : ALONE), no = yes;
    if (yes.where == GROUP) {
        yes.members = generator->registers++;
        no.members = generator->registers++;
        say(generator, "vote.sync.ballot.b32 %%r%u, %%p%u, %%r%u;", yes.members, p, place->members);
        say(generator, "not.b32 %%r%u, %%r%u;", no.members, yes.members);
        say(generator, "and.b32 %%r%u, %%r%u, %%r%u;", no.members, no.members, place->members);
    }
    say(generator, "@!%%p%u bra L%u;", p, otherwise);
    play(generator, &yes, events, count, splits);
    say(generator, "bra L%u;", end);
    put_label(generator, otherwise);
    play(generator, &no, events, count, splits);
    put_label(generator, end);
}

/* `count` times the same barrier, by going round; others come to it by other ways. */
static void play_loop(struct generator *generator, struct place *place, const struct event *events, unsigned count)
{
    unsigned counter = generator->registers++, head = generator->labels++, p = generator->predicates++;
    struct place body = inside(place, place->where);
    body.loops++;
    say(generator, "mov.u32 %%r%u, %u;", counter, count);
    put_label(generator, head);
    unsigned exits = generator->exits;
    statements(generator, &body, pick(generator, 2));
    refresh(generator, &body, exits);
    put_event(generator, events);
    say(generator, "sub.u32 %%r%u, %%r%u, 1;", counter, counter);
    say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", p, counter);
    say(generator, "@%%p%u bra L%u;", p, head);
}

static void play(struct generator *generator, struct place *place, const struct event *events, unsigned count,
                 unsigned splits)
{
    unsigned exits = generator->exits;
    if (splits && chance(generator, 60)) {
        play_two_ways(generator, place, events, count, splits - 1);
    } else if (chance(generator, 30) && count > 1) {
        for (unsigned i = 1; i < count; i++)
            if (events[i].kind != events[0].kind || events[i].number != events[0].number ||
                events[i].counted != events[0].counted)
                return play(generator, place, events, count, 0);
        play_loop(generator, place, events, count);
    } else {
        statements(generator, place, pick(generator, 3));
        put_event(generator, events);
        if (count > 1)
            play(generator, place, events + 1, count - 1, splits);
    }
    refresh(generator, place, exits);
}

void make_split(struct generator *generator, struct place *place)
{
    struct event events[EVENTS];
    unsigned count = 1 + pick(generator, EVENTS), exits = generator->exits;
    bool same = chance(generator, 60);
    for (unsigned i = 0; i < count; i++)
        events[i] = same && i ? events[0] : make_event(generator);
    play_two_ways(generator, place, events, count, 2);
    refresh(generator, place, exits);
}

/* ===== producers and consumers ===== */

/* Even warps write and arrive, odd ones wait and read; the lanes of a producer may arrive at two places. */
static void produce(struct generator *generator, const struct place *place, unsigned number)
{
    unsigned p, otherwise = generator->labels++, end = generator->labels++;
    struct place way = inside(place, ALONE);
    say(generator, "st.shared.b32 [%%slot], %%a%u;", state(generator));
    if (chance(generator, 50)) {
        p = condition(generator);
        say(generator, "@%%p%u bra L%u;", p, otherwise);
        statements(generator, &way, 1);
        say(generator, "barrier.arrive %u, %u;", number, whole_warps(generator));
        say(generator, "bra L%u;", end);
    }
    put_label(generator, otherwise);
    say(generator, "barrier.arrive %u, %u;", number, whole_warps(generator));
    put_label(generator, end);
}

static void consume(struct generator *generator, unsigned number)
{
    unsigned t = generator->registers++, x = state(generator);
    say(generator, "barrier.sync %u, %u;", number, whole_warps(generator));
    say(generator, "ld.shared.b32 %%r%u, [%%slot+-128];", t);
    say(generator, "xor.b32 %%a%u, %%a%u, %%r%u;", x, x, t);
}

void make_producers(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers++, p = generator->predicates++, number = 1 + pick(generator, 15),
             exits = generator->exits;
    unsigned consumers = generator->labels++, end = generator->labels++;
    if (!generator->spares || generator->threads <= 32) {
        make_exchange(generator, place);
        return;
    }
    barrier(generator);
    say(generator, "and.b32 %%r%u, %%warp, 1;", t);
    say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", p, t);
    say(generator, "@%%p%u bra L%u;", p, consumers);
    produce(generator, place, number);
    say(generator, "bra L%u;", end);
    put_label(generator, consumers);
    consume(generator, number);
    put_label(generator, end);
    say(generator, "bar.sync 0;"); /* `number` may still be in use */
    refresh(generator, place, exits);
}

/* Every thread arrives at an mbarrier, from two places, and polls it for the phase's end. */
void make_mbarrier(struct generator *generator, struct place *place)
{
    unsigned d = generator->wide++, p = generator->predicates++, first = generator->predicates++;
    unsigned otherwise = generator->labels++, meet = generator->labels++, again = generator->labels++;
    if (generator->exits || generator->has_mbarrier || place->loops) {
        make_exchange(generator, place);
        return;
    }
    generator->has_mbarrier = true;
    say(generator, "setp.eq.u32 %%p%u, %%index, 0;", first);
    say(generator, "@%%p%u mbarrier.init.shared.b64 [shared_memory+%u], %u;", first, SHARED_MBARRIER,
        generator->threads);
    barrier(generator);
    for (unsigned phase = 0; phase < 2; phase++) {
        say(generator, "@%%p%u bra L%u;", condition(generator), otherwise);
        make_compute(generator, place);
        say(generator, "mbarrier.arrive.shared.b64 %%d%u, [shared_memory+%u];", d, SHARED_MBARRIER);
        say(generator, "bra L%u;", meet);
        put_label(generator, otherwise);
        say(generator, "mbarrier.arrive.shared.b64 %%d%u, [shared_memory+%u];", d, SHARED_MBARRIER);
        put_label(generator, meet);
        put_label(generator, again);
        say(generator, "mbarrier.test_wait.shared.b64 %%p%u, [shared_memory+%u], %%d%u;", p, SHARED_MBARRIER, d);
        say(generator, "@!%%p%u bra L%u;", p, again);
        otherwise = generator->labels++;
        meet = generator->labels++;
        again = generator->labels++;
    }
}

/* A word of the same thread in the cluster's next block. */
void make_cluster(struct generator *generator, struct place *place)
{
    unsigned rank = generator->registers, address = rank + 1, found = rank + 2, x = state(generator);
    generator->registers += 3;
    if (generator->program.cluster < 2 || place->depth || !generator->spares) {
        make_exchange(generator, place);
        return;
    }
    say(generator, "st.shared.b32 [%%slot], %%a%u;", x);
    say(generator, "mov.u32 %%r%u, %%cluster_ctarank;", rank);
    say(generator, "xor.b32 %%r%u, %%r%u, 1;", rank, rank);
    say(generator, "mapa.shared::cluster.u32 %%r%u, %%slot, %%r%u;", address, rank);
    say(generator, "barrier.cluster.arrive;");
    if (chance(generator, 50))
        make_compute(generator, place);
    say(generator, "barrier.cluster.wait;");
    say(generator, "ld.shared::cluster.b32 %%r%u, [%%r%u];", found, address);
    say(generator, "barrier.cluster.arrive;");
    say(generator, "barrier.cluster.wait;");
    say(generator, "mad.lo.u32 %%a%u, %%a%u, 11, %%r%u;", x, x, found);
}
