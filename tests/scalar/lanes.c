/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of the lanes of a group: votes, shuffles, matches, reductions, elections, exchanges within a warp. */
#include "generator.h"

void make_vote(struct generator *generator, struct place *place)
{
    unsigned p = condition(generator), found = generator->predicates++, t = generator->registers++,
             x = state(generator);
    const char *not = chance(generator, 30) ? "!" : "";
    if (chance(generator, 40)) {
        say(generator, "vote.sync.ballot.b32 %%r%u, %s%%p%u, %%r%u;", t, not, p, place->members);
    } else {
        say(generator, "vote.sync.%s.pred %%p%u, %s%%p%u, %%r%u;",
            (const char *const[]){"all", "any", "uni"}[pick(generator, 3)], found, not, p, place->members);
        say(generator, "selp.b32 %%r%u, 77, 1234567, %%p%u;", t, found);
    }
    say(generator, "mad.lo.u32 %%a%u, %%a%u, 5, %%r%u;", x, x, t);
}

/* Whether lane %r`lane` is a member, as a new predicate. */
static unsigned is_member(struct generator *generator, const struct place *place, unsigned lane)
{
    unsigned t = generator->registers++, p = generator->predicates++;
    say(generator, "shr.u32 %%r%u, %%r%u, %%r%u;", t, place->members, lane);
    say(generator, "and.b32 %%r%u, %%r%u, 1;", t, t);
    say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", p, t);
    return p;
}

enum { UP, DOWN, BUTTERFLY, INDEX };

/* The lane that a shuffle reads, by the manual's formulas, and whether it is within its segment. */
static unsigned source(struct generator *generator, unsigned mode, unsigned b, unsigned c, unsigned inside)
{
    unsigned segment = c >> 8, clamp = c & ~segment & 31, j = generator->registers, first = j + 1, last = j + 2;
    generator->registers += 3;
    say(generator, "and.b32 %%r%u, %%lane, %u;", first, segment);
    say(generator, "or.b32 %%r%u, %%r%u, %u;", last, first, clamp);
    if (mode == INDEX) {
        say(generator, "and.b32 %%r%u, %%r%u, %u;", j, b, ~segment & 31);
        say(generator, "or.b32 %%r%u, %%r%u, %%r%u;", j, j, first);
    } else {
        say(generator, "%s %%r%u, %%lane, %%r%u;", (const char *const[]){"sub.s32", "add.s32", "xor.b32"}[mode], j, b);
    }
    say(generator, "setp.%s.s32 %%p%u, %%r%u, %%r%u;", mode == UP ? "ge" : "le", inside, j, last);
    say(generator, "@!%%p%u mov.u32 %%r%u, %%lane;", inside, j);
    return j;
}

/* What comes from a lane that is no member is undefined, and thrown away. */
void make_shuffle(struct generator *generator, struct place *place)
{
    static const char *const modes[] = {"up", "down", "bfly", "idx"};
    static const unsigned segments[] = {0, 0, 0, 16, 24, 28, 30};
    unsigned mode = pick(generator, 4), segment = segments[pick(generator, 7)], x = state(generator),
             y = state(generator);
    unsigned clamp = chance(generator, 20) ? pick(generator, 32) : mode == UP ? 0 : 31, c = segment << 8 | clamp;
    unsigned b = generator->registers, found = b + 1, given = generator->predicates, inside = given + 1;
    generator->registers += 2;
    generator->predicates += 2;
    if (chance(generator, 50)) {
        say(generator, "and.b32 %%r%u, %%a%u, 31;", b, y);
        say(generator, "shfl.sync.%s.b32 %%r%u|%%p%u, %%a%u, %%a%u, %u, %%r%u;", modes[mode], found, given, x, y, c,
            place->members);
    } else {
        unsigned number = pick(generator, 32);
        say(generator, "mov.u32 %%r%u, %u;", b, number);
        say(generator, "shfl.sync.%s.b32 %%r%u|%%p%u, %%a%u, %u, %u, %%r%u;", modes[mode], found, given, x, number, c,
            place->members);
    }
    unsigned lane = source(generator, mode, b, c, inside), member = is_member(generator, place, lane);
    say(generator, "selp.b32 %%r%u, %%r%u, 4711, %%p%u;", found, found, member);
    say(generator, "mad.lo.u32 %%a%u, %%r%u, 3, %%a%u;", y, found, y);
    say(generator, "@%%p%u add.u32 %%a%u, %%a%u, 1;", given, y, y);
}

void make_match(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers, p = generator->predicates++, x = state(generator);
    generator->registers += 2;
    say(generator, "and.b32 %%r%u, %%a%u, %u;", t, state(generator), (1u << pick(generator, 4)) - 1);
    if (chance(generator, 60)) {
        say(generator, "match.any.sync.b32 %%r%u, %%r%u, %%r%u;", t + 1, t, place->members);
    } else {
        say(generator, "match.all.sync.b32 %%r%u|%%p%u, %%r%u, %%r%u;", t + 1, p, t, place->members);
        say(generator, "@%%p%u add.u32 %%a%u, %%a%u, 99;", p, x, x);
    }
    say(generator, "xor.b32 %%a%u, %%a%u, %%r%u;", x, x, t + 1);
}

void make_reduction(struct generator *generator, struct place *place)
{
    static const char *const operations[] = {"add.u32", "add.s32", "min.u32", "max.u32", "min.s32",
                                             "max.s32", "and.b32", "or.b32",  "xor.b32"};
    unsigned t = generator->registers++, x = state(generator);
    say(generator, "redux.sync.%s %%r%u, %%a%u, %%r%u;", operations[pick(generator, 9)], t, x, place->members);
    say(generator, "mad.lo.u32 %%a%u, %%a%u, 9, %%r%u;", x, x, t);
}

/* Which lane is elected is open: one of the members, which alone has the predicate. */
void make_election(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers++, p = generator->predicates++, x = state(generator);
    say(generator, "elect.sync %%r%u|%%p%u, %%r%u;", t, p, place->members);
    say(generator, "@%%p%u red.global.add.u32 [%%data+%u], 1;", p, 4 * GLOBAL_SUMS);
    say(generator, "@%%p%u red.shared.add.u32 [shared_memory+%u], 3;", p, SHARED_SUMS);
    unsigned member = is_member(generator, place, t);
    say(generator, "@%%p%u add.u32 %%a%u, %%a%u, 17;", member, x, x);
}

/* Through shared memory, between two barriers of the group; a lane without a partner reads its own word. */
void make_lane_exchange(struct generator *generator, struct place *place)
{
    unsigned other = generator->registers, address = other + 1, found = other + 2, x = state(generator);
    generator->registers += 3;
    say(generator, "st.shared.b32 [%%slot], %%a%u;", x);
    say(generator, "bar.warp.sync %%r%u;", place->members);
    say(generator, "xor.b32 %%r%u, %%lane, %u;", other, 1 + pick(generator, 31));
    unsigned member = is_member(generator, place, other);
    say(generator, "@!%%p%u mov.u32 %%r%u, %%lane;", member, other);
    say(generator, "sub.u32 %%r%u, %%r%u, %%lane;", other, other);
    say(generator, "mad.lo.u32 %%r%u, %%r%u, 4, %%slot;", address, other);
    say(generator, "ld.shared.b32 %%r%u, [%%r%u];", found, address);
    say(generator, "bar.warp.sync %%r%u;", place->members);
    say(generator, "mad.lo.u32 %%a%u, %%a%u, 7, %%r%u;", x, x, found);
}
