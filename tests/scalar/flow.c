/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements of flow: branches, loops, tables of targets, jumps without structure, calls, returns, exits. */
#include "generator.h"

/* ===== branches ===== */

/* Splits the members by a predicate: those of `yes` have it. */
static void split_members(struct generator *generator, const struct place *place, unsigned predicate, struct place *yes,
                          struct place *no)
{
    yes->members = generator->registers++;
    no->members = generator->registers++;
    say(generator, "vote.sync.ballot.b32 %%r%u, %%p%u, %%r%u;", yes->members, predicate, place->members);
    say(generator, "not.b32 %%r%u, %%r%u;", no->members, yes->members);
    say(generator, "and.b32 %%r%u, %%r%u, %%r%u;", no->members, no->members, place->members);
}

/* A condition that all who come here agree on, if there is one: of the block, or of the group. */
static bool agreed_condition(struct generator *generator, const struct place *place, unsigned *predicate)
{
    if (place->where == ALONE || chance(generator, 60))
        return false;
    if (place->where == BLOCK) {
        *predicate = uniform_condition(generator);
        return true;
    }
    unsigned own = condition(generator);
    *predicate = generator->predicates++;
    say(generator, "vote.sync.%s.pred %%p%u, %%p%u, %%r%u;", chance(generator, 50) ? "any" : "all", *predicate, own,
        place->members);
    return true;
}

void make_if(struct generator *generator, struct place *place)
{
    unsigned exits = generator->exits, otherwise = generator->labels++, end = generator->labels++, predicate;
    struct place yes = inside(place, place->where), no = yes;
    bool agreed = agreed_condition(generator, place, &predicate);
    if (!agreed) {
        predicate = condition(generator);
        yes.where = no.where = place->where != ALONE && chance(generator, 70) ? GROUP : ALONE;
        if (yes.where == GROUP)
            split_members(generator, place, predicate, &yes, &no);
        else
            yes.leave = no.leave = (int)end;
    }
    say(generator, "@!%%p%u bra%s L%u;", predicate,
        agreed && place->where == BLOCK && chance(generator, 50) ? ".uni" : "", otherwise);
    statements(generator, &yes, 1 + pick(generator, 3));
    say(generator, "bra%s L%u;", chance(generator, 30) ? ".uni" : "", end);
    put_label(generator, otherwise);
    statements(generator, &no, pick(generator, 3));
    put_label(generator, end);
    refresh(generator, place, exits);
}

void make_switch(struct generator *generator, struct place *place)
{
    unsigned exits = generator->exits, count = 2 + pick(generator, 3), index = generator->registers++;
    unsigned table = generator->labels++, end = generator->labels++, first = generator->labels;
    struct place way = inside(place, place->where != ALONE && chance(generator, 70) ? GROUP : ALONE);
    generator->labels += count;
    if (way.where == ALONE)
        way.leave = (int)end;
    say(generator, "and.b32 %%r%u, %%a%u, 7;", index, state(generator));
    say(generator, "min.u32 %%r%u, %%r%u, %u;", index, index, count - 1);
    if (way.where == GROUP) {
        way.members = generator->registers++;
        say(generator, "match.any.sync.b32 %%r%u, %%r%u, %%r%u;", way.members, index, place->members);
    }
    char targets[80];
    int length = 0;
    for (unsigned i = 0; i < count; i++)
        length += snprintf(targets + length, sizeof targets - (size_t)length, "%sL%u", i ? ", " : "", first + i);
    put_label(generator, table);
    say(generator, ".branchtargets %s;", targets);
    say(generator, "brx.idx %%r%u, L%u;", index, table);
    for (unsigned i = 0; i < count; i++) {
        put_label(generator, first + i);
        statements(generator, &way, 1 + pick(generator, 2));
        if (i + 1 < count && (way.where == GROUP || chance(generator, 70))) /* else: on into the next way */
            say(generator, "bra L%u;", end);
    }
    put_label(generator, end);
    refresh(generator, place, exits);
}

/* ===== loops ===== */

/* Each thread goes round as often as it likes, and may leave or go on from anywhere. */
static void loop_alone(struct generator *generator, struct place *place)
{
    unsigned counter = generator->registers++, p = generator->predicates++;
    unsigned head = generator->labels++, end = generator->labels++, exits = generator->exits;
    struct place body = inside(place, ALONE);
    body.loops++;
    body.leave = (int)end;
    body.again = (int)head;
    say(generator, "and.b32 %%r%u, %%a%u, 3;", counter, state(generator));
    say(generator, "add.u32 %%r%u, %%r%u, 1;", counter, counter);
    put_label(generator, head);
    say(generator, "setp.eq.u32 %%p%u, %%r%u, 0;", p, counter);
    say(generator, "@%%p%u bra L%u;", p, end);
    say(generator, "sub.u32 %%r%u, %%r%u, 1;", counter, counter);
    statements(generator, &body, 1 + pick(generator, 3));
    say(generator, "bra L%u;", head);
    put_label(generator, end);
    refresh(generator, place, exits);
}

/* Those of the group that have the condition leave the loop; the others know who stays. */
static void group_break(struct generator *generator, const struct place *body, unsigned end)
{
    unsigned p = condition(generator), leaving = generator->registers++;
    say(generator, "vote.sync.ballot.b32 %%r%u, %%p%u, %%r%u;", leaving, p, body->members);
    say(generator, "@%%p%u bra L%u;", p, end);
    say(generator, "xor.b32 %%r%u, %%r%u, %%r%u;", body->members, body->members, leaving);
}

static void loop_group(struct generator *generator, struct place *place)
{
    unsigned counter = generator->registers++, p = generator->predicates++;
    unsigned head = generator->labels++, end = generator->labels++, exits = generator->exits;
    struct place body = inside(place, GROUP);
    body.members = generator->registers++;
    body.loops++;
    say(generator, "mov.u32 %%r%u, %%r%u;", body.members, place->members);
    say(generator, "and.b32 %%r%u, %%a%u, 3;", counter, state(generator));
    put_label(generator, head);
    statements(generator, &body, 1 + pick(generator, 2));
    if (chance(generator, 50)) {
        group_break(generator, &body, end);
        statements(generator, &body, pick(generator, 2));
    }
    say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", p, counter);
    say(generator, "sub.u32 %%r%u, %%r%u, 1;", counter, counter);
    say(generator, "vote.sync.ballot.b32 %%r%u, %%p%u, %%r%u;", body.members, p, body.members);
    say(generator, "@%%p%u bra L%u;", p, head);
    put_label(generator, end);
    refresh(generator, place, exits);
}

/* The whole block goes round together. */
static void loop_block(struct generator *generator, struct place *place)
{
    unsigned counter = generator->registers++, p = generator->predicates++;
    unsigned head = generator->labels++, end = generator->labels++;
    struct place body = inside(place, BLOCK);
    body.loops++;
    say(generator, "shr.u32 %%r%u, %%word, %u;", counter, pick(generator, 28));
    say(generator, "add.u32 %%r%u, %%r%u, %%block;", counter, counter);
    say(generator, "and.b32 %%r%u, %%r%u, %u;", counter, counter, chance(generator, 30) ? 3 : 1);
    put_label(generator, head);
    unsigned exits = generator->exits;
    statements(generator, &body, 1 + pick(generator, 3));
    refresh(generator, &body, exits);
    if (chance(generator, 30)) {
        say(generator, "@%%p%u bra L%u;", uniform_condition(generator), end);
        statements(generator, &body, 1);
        refresh(generator, &body, exits);
    }
    say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", p, counter);
    say(generator, "sub.u32 %%r%u, %%r%u, 1;", counter, counter);
    say(generator, "@%%p%u bra%s L%u;", p, chance(generator, 50) ? ".uni" : "", head);
    put_label(generator, end);
}

void make_loop(struct generator *generator, struct place *place)
{
    unsigned percent = pick(generator, 100);
    if (place->where == BLOCK && percent < 40)
        loop_block(generator, place);
    else if (place->where != ALONE && percent < 75)
        loop_group(generator, place);
    else
        loop_alone(generator, place);
}

/* ===== jumps without structure ===== */

enum { LAYERS = 3, WAYS = 4 };

struct soup {
    unsigned fuel, layers, ways[LAYERS], first[LAYERS]; /* labels of each layer's ways, and of its two crossings */
    unsigned crossing[LAYERS], end;
    struct event events[LAYERS];
};

static unsigned any_way(struct generator *generator, const struct soup *soup, unsigned layer)
{
    return layer < soup->layers ? soup->first[layer] + pick(generator, soup->ways[layer]) : soup->end;
}

/* Ways of a layer jump to one another, as long as there is fuel, and then to a crossing. */
static void soup_way(struct generator *generator, const struct soup *soup, struct place *way, unsigned layer,
                     unsigned number)
{
    unsigned p = generator->predicates++;
    put_label(generator, soup->first[layer] + number);
    way->leave = (int)(soup->crossing[layer] + pick(generator, 2));
    statements(generator, way, 1 + pick(generator, 2));
    say(generator, "sub.u32 %%r%u, %%r%u, 1;", soup->fuel, soup->fuel);
    say(generator, "setp.eq.u32 %%p%u, %%r%u, 0;", p, soup->fuel);
    say(generator, "@%%p%u bra L%u;", p, soup->crossing[layer] + pick(generator, 2));
    say(generator, "@%%p%u bra L%u;", condition(generator), any_way(generator, soup, layer));
    say(generator, "bra L%u;",
        chance(generator, 40) ? soup->crossing[layer] + pick(generator, 2) : any_way(generator, soup, layer));
}

/* Every thread comes through one of the two crossings of each layer: at different places, to the same barrier. */
static void soup_crossing(struct generator *generator, const struct soup *soup, const struct place *place,
                          unsigned layer, unsigned number)
{
    put_label(generator, soup->crossing[layer] + number);
    if (place->where == BLOCK)
        put_event(generator, &soup->events[layer]);
    else if (place->where == GROUP)
        say(generator, "bar.warp.sync %%r%u;", place->members);
    say(generator, "and.b32 %%r%u, %%a%u, 3;", soup->fuel, state(generator));
    say(generator, "add.u32 %%r%u, %%r%u, 1;", soup->fuel, soup->fuel);
    say(generator, "@%%p%u bra L%u;", condition(generator), any_way(generator, soup, layer + 1));
    say(generator, "bra L%u;", any_way(generator, soup, layer + 1));
}

void make_soup(struct generator *generator, struct place *place)
{
    struct soup soup = {
        .fuel = generator->registers++, .layers = 1 + pick(generator, LAYERS), .end = generator->labels++};
    struct place way = inside(place, ALONE);
    unsigned exits = generator->exits;
    way.loops++;
    for (unsigned layer = 0; layer < soup.layers; layer++) {
        soup.ways[layer] = 2 + pick(generator, WAYS - 1);
        soup.first[layer] = generator->labels;
        soup.crossing[layer] = generator->labels + soup.ways[layer];
        soup.events[layer] = make_event(generator);
        generator->labels += soup.ways[layer] + 2;
    }
    say(generator, "mov.u32 %%r%u, %u;", soup.fuel, 2 + pick(generator, 4));
    say(generator, "@%%p%u bra L%u;", condition(generator), any_way(generator, &soup, 0));
    say(generator, "bra L%u;", any_way(generator, &soup, 0));
    for (unsigned layer = 0; layer < soup.layers; layer++) {
        for (unsigned i = 0; i < soup.ways[layer]; i++)
            soup_way(generator, &soup, &way, layer, i);
        for (unsigned i = 0; i < 2; i++)
            soup_crossing(generator, &soup, place, layer, i);
    }
    put_label(generator, soup.end);
    refresh(generator, place, exits);
}

/* ===== calls ===== */

static bool may_call(const struct callee *callee, const struct place *place)
{
    return callee->where <= place->where;
}

static const struct callee *choose_callee(struct generator *generator, const struct place *place, enum where exactly)
{
    const struct callee *found[CALLEES];
    unsigned count = 0;
    for (unsigned i = 0; i < generator->callee_count; i++)
        if (exactly ? generator->callees[i].where == exactly : may_call(&generator->callees[i], place))
            found[count++] = &generator->callees[i];
    return count ? found[pick(generator, count)] : NULL;
}

/* Calls `target`, a function's name or a register, and folds what it returns into the state. */
static void say_call(struct generator *generator, unsigned members, const char *target, const char *behind)
{
    unsigned n = generator->labels++, t = generator->registers++, x = state(generator);
    say(generator, "{");
    say(generator, ".param .b32 in_%u, members_%u, word_%u, out_%u;", n, n, n, n);
    say(generator, ".param .b64 data_%u;", n);
    say(generator, "st.param.b32 [in_%u], %%a%u;", n, state(generator));
    say(generator, "st.param.b32 [members_%u], %%r%u;", n, members);
    say(generator, "st.param.b32 [word_%u], %%word;", n);
    say(generator, "st.param.b64 [data_%u], %%data;", n);
    say(generator, "call (out_%u), %s, (in_%u, members_%u, word_%u, data_%u)%s;", n, target, n, n, n, n, behind);
    say(generator, "ld.param.b32 %%r%u, [out_%u];", t, n);
    say(generator, "}");
    say(generator, "xor.b32 %%a%u, %%a%u, %%r%u;", x, x, t);
}

void make_call(struct generator *generator, struct place *place)
{
    const struct callee *callee = choose_callee(generator, place, 0);
    unsigned exits = generator->exits;
    if (!callee) {
        make_compute(generator, place);
        return;
    }
    say_call(generator, place->members, callee->name, "");
    generator->exits += callee->exits;
    refresh(generator, place, exits);
}

/* Lanes call different functions, by their addresses, with one instruction. */
void make_call_by_address(struct generator *generator, struct place *place)
{
    const struct callee *one = choose_callee(generator, place, place->where),
                        *two = choose_callee(generator, place, place->where);
    unsigned exits = generator->exits, d = generator->wide, p, prototype = generator->labels++;
    if (!one) {
        make_compute(generator, place);
        return;
    }
    char target[16];
    struct place yes = inside(place, GROUP), no = yes;
    generator->wide += 2;
    p = condition(generator);
    if (place->where == GROUP) {
        split_members(generator, place, p, &yes, &no);
        say(generator, "@%%p%u mov.b32 %%r%u, %%r%u;", p, no.members, yes.members);
    }
    say(generator, "mov.u64 %%d%u, %s;", d, one->name);
    say(generator, "mov.u64 %%d%u, %s;", d + 1, two->name);
    say(generator, "selp.b64 %%d%u, %%d%u, %%d%u, %%p%u;", d, d, d + 1, p);
    snprintf(target, sizeof target, "%%d%u", d);
    put_label(generator, prototype);
    say(generator, ".callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _, .param .b32 _, .param .b64 _);");
    char behind[16];
    snprintf(behind, sizeof behind, ", L%u", prototype);
    say_call(generator, no.members, target, behind);
    generator->exits += one->exits || two->exits;
    refresh(generator, place, exits);
}

/* ===== ways out ===== */

void make_exit(struct generator *generator, struct place *place)
{
    unsigned p = condition(generator), q = generator->predicates++, t = generator->registers++,
             stay = generator->labels++;
    unsigned exits = generator->exits++;
    say(generator, "shr.u32 %%r%u, %%a%u, 7;", t, state(generator));
    say(generator, "and.b32 %%r%u, %%r%u, %u;", t, t, chance(generator, 50) ? 7 : 1);
    say(generator, "setp.eq.and.u32 %%p%u, %%r%u, 1, %%p%u;", q, t, p);
    if (generator->spares)
        say(generator, "setp.ne.and.u32 %%p%u, %%lane, 0, %%p%u;", q, q);
    if (chance(generator, 30)) {
        say(generator, "@%%p%u exit;", q);
    } else {
        say(generator, "@!%%p%u bra L%u;", q, stay);
        if (!generator->self)
            store_results(generator, generator->statements);
        say(generator, "%s;", generator->self || chance(generator, 50) ? "exit" : "ret");
        put_label(generator, stay);
    }
    refresh(generator, place, exits);
}

/* To the end or the head of something around, out of everything between. */
void make_leave(struct generator *generator, struct place *place)
{
    int labels[16];
    unsigned count = 0;
    for (const struct place *around = place; around && around->where == ALONE && count < 14; around = around->outer) {
        if (around->leave >= 0)
            labels[count++] = around->leave;
        if (around->again >= 0)
            labels[count++] = around->again;
    }
    if (count)
        say(generator, "@%%p%u bra L%d;", condition(generator), labels[pick(generator, count)]);
    else
        make_compute(generator, place);
}

static void say_return(struct generator *generator)
{
    say(generator, "st.param.b32 [%s_out], %%a%u;", generator->self->name, state(generator));
    say(generator, "ret;");
}

/* An early return: of any thread where the function asks nothing of groups, else of lanes that the others know of.
 * Without a place: the function's end. */
void make_return(struct generator *generator, struct place *place)
{
    unsigned p, leaving, stay = generator->labels++;
    if (!place) {
        say_return(generator);
        return;
    }
    if (!generator->self || generator->self->where == BLOCK || (generator->self->where == GROUP && place->outer)) {
        make_compute(generator, place);
        return;
    }
    p = condition(generator);
    leaving = generator->registers++;
    gather(generator, place);
    if (place->where == GROUP)
        say(generator, "vote.sync.ballot.b32 %%r%u, %%p%u, %%r%u;", leaving, p, place->members);
    say(generator, "@!%%p%u bra L%u;", p, stay);
    say_return(generator);
    put_label(generator, stay);
    if (place->where == GROUP)
        say(generator, "xor.b32 %%r%u, %%r%u, %%r%u;", place->members, place->members, leaving);
}
