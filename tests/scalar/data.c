/* SPDX-License-Identifier: BSD-3-Clause */
/* Statements on data: arithmetic, memory of a thread's own, sums that commute, locks, chains of turns. */
#include "generator.h"

#include <string.h>

/* $t: a new register; $x $y $z: state; $i $j: numbers from 0 to 31; $c: a number of 16 bits; $d: an odd one. */
static const char *const forms[] = {
    "add.u32 $t, $x, $y;",
    "sub.u32 $t, $x, $y;",
    "mul.lo.u32 $t, $x, $y;",
    "mul.hi.u32 $t, $x, $y;",
    "mul.hi.s32 $t, $x, $y;",
    "mad.lo.s32 $t, $x, $y, $z;",
    "xor.b32 $t, $x, $y;",
    "and.b32 $t, $x, $c;",
    "or.b32 $t, $x, $y;",
    "min.s32 $t, $x, $y;",
    "max.u32 $t, $x, $y;",
    "shl.b32 $t, $x, $i;",
    "shr.s32 $t, $x, $i;",
    "shr.u32 $t, $x, $i;",
    "shf.l.wrap.b32 $t, $x, $y, $z;",
    "shf.r.clamp.b32 $t, $x, $y, $i;",
    "prmt.b32 $t, $x, $y, $c;",
    "bfe.u32 $t, $x, $i, $j;",
    "bfe.s32 $t, $x, $i, $j;",
    "bfi.b32 $t, $x, $y, $i, $j;",
    "brev.b32 $t, $x;",
    "popc.b32 $t, $x;",
    "clz.b32 $t, $x;",
    "lop3.b32 $t, $x, $y, $z, 0x96;",
    "lop3.b32 $t, $x, $y, $z, 0xca;",
    "sad.u32 $t, $x, $y, $z;",
    "abs.s32 $t, $x;",
    "neg.s32 $t, $x;",
    "not.b32 $t, $x;",
    "cnot.b32 $t, $x;",
    "div.u32 $t, $x, $d;",
    "rem.u32 $t, $x, $d;",
    "bfind.u32 $t, $x;",
    "bfind.s32 $t, $x;",
    "mul.lo.u32 $t, $x, $d;",
    "mad.lo.u32 $t, $x, $d, $c;",
};

/* A thread's value; of lop3 one that it does not have yet: ptxas 13.0 makes `lop3 t, x, y, y, 0x96; xor z, z, t` one
 * LOP3 of z, RZ and x, as if its second source were zero. */
static unsigned source(struct generator *generator, bool differs, unsigned *used)
{
    unsigned number = state(generator);
    while (differs && *used >> number & 1)
        number = (number + 1) % STATES;
    *used |= 1u << number;
    return number;
}

static void expand(struct generator *generator, const char *form, unsigned t)
{
    char text[128];
    size_t length = 0;
    unsigned used = 0;
    bool differs = strncmp(form, "lop3", 4) == 0;
    for (; *form; form++) {
        if (*form != '$') {
            text[length++] = *form;
            continue;
        }
        unsigned number = *++form == 't'         ? t
                          : strchr("xyz", *form) ? source(generator, differs, &used)
                          : strchr("ij", *form)  ? pick(generator, 32)
                                                 : pick(generator, 65536) | (*form == 'd');
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%u",
                                   *form == 't'           ? "%r"
                                   : strchr("xyz", *form) ? "%a"
                                                          : "",
                                   number);
    }
    text[length] = 0;
    say(generator, "%s", text);
}

/* Whether a form's result is not summed up: of five `mul.hi t, x, y; add z, z, t` in a row, as unrolled loops have
 * them, ptxas 13.0 leaves two IMAD.HI, though each reads what the one before has written. */
static bool is_high(const char *form)
{
    return strncmp(form, "mul.hi", 6) == 0;
}

void make_compute(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers++, x = state(generator);
    const char *form = forms[pick(generator, sizeof forms / sizeof forms[0])];
    (void)place;
    expand(generator, form, t);
    char guard[16] = "";
    if (chance(generator, 25))
        snprintf(guard, sizeof guard, "@%s%%p%u ", chance(generator, 50) ? "!" : "", condition(generator));
    bool sums = chance(generator, 50) && !is_high(form);
    say(generator, "%s%s %%a%u, %%a%u, %%r%u;", guard, sums ? "add.u32" : "xor.b32", x, x, t);
}

/* ===== memory of the thread's own ===== */

void make_local(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers, d = generator->wide++, x = state(generator);
    if (generator->self) { /* the array is the kernel's */
        make_compute(generator, place);
        return;
    }
    generator->registers += 2;
    for (unsigned i = 0; i < 2; i++) {
        say(generator, "and.b32 %%r%u, %%a%u, 3;", t, state(generator));
        say(generator, "mov.u64 %%d%u, local_memory;", d);
        say(generator, "mad.wide.u32 %%d%u, %%r%u, 4, %%d%u;", d, t, d);
        if (i == 0 && chance(generator, 50))
            say(generator, "st.local.b32 [%%d%u], %%a%u;", d, state(generator));
        else if (i == 0)
            for (unsigned k = 0; k < 4; k++)
                say(generator, "st.local.b32 [local_memory+%u], %%a%u;", 4 * k, state(generator));
    }
    say(generator, "ld.local.b32 %%r%u, [%%d%u];", t + 1, d);
    say(generator, "xor.b32 %%a%u, %%a%u, %%r%u;", x, x, t + 1);
}

static void own_atomic(struct generator *generator, unsigned address, unsigned t, unsigned x)
{
    if (chance(generator, 50))
        say(generator, "atom.global.exch.b32 %%r%u, [%%d%u], %%a%u;", t, address, state(generator));
    else
        say(generator, "atom.global.cas.b32 %%r%u, [%%d%u], %%a%u, %%a%u;", t, address, x, state(generator));
}

/* A word of global memory that no other thread touches, found by data. */
void make_own(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers, d = generator->wide++, x = state(generator);
    (void)place;
    generator->registers += 2;
    say(generator, "and.b32 %%r%u, %%a%u, %u;", t, state(generator), OWN_WORDS - 1);
    say(generator, "mad.wide.u32 %%d%u, %%r%u, 4, %%own;", d, t);
    say(generator, "add.u64 %%d%u, %%d%u, %u;", d, d, 4 * OWN_RESULTS);
    switch (pick(generator, 4)) {
    case 0:
        say(generator, "st.global.b32 [%%d%u], %%a%u;", d, state(generator));
        return;
    case 1:
        own_atomic(generator, d, t + 1, x);
        break;
    case 2:
        say(generator, "ld.global.b32 %%r%u, [%%d%u];", t + 1, d);
        break;
    default:
        say(generator, "cvta.global.u64 %%d%u, %%d%u;", d, d);
        say(generator, "st.b32 [%%d%u], %%a%u;", d, x);
        say(generator, "ld.b32 %%r%u, [%%d%u];", t + 1, d);
    }
    say(generator, "add.u32 %%a%u, %%a%u, %%r%u;", x, x, t + 1);
}

/* ===== words in common ===== */

/* Operations that commute with themselves. `and` begins with ones, which only global memory has. */
static const char *const sums[] = {"add.u32", "xor.b32", "and.b32", "or.b32", "min.s32", "max.s32", "inc.u32"};

void make_sum(struct generator *generator, struct place *place)
{
    bool shared = chance(generator, 50), returns = chance(generator, 30);
    unsigned operation = pick(generator, sizeof sums / sizeof sums[0]), slot = generator->registers++,
             d = generator->wide++;
    unsigned value = state(generator);
    char address[16], operand[16], guard[16] = "", result[16] = "";
    (void)place;
    operation += shared && operation == 2;
    say(generator, "shr.u32 %%r%u, %%a%u, %u;", slot, state(generator), pick(generator, 20));
    say(generator, "and.b32 %%r%u, %%r%u, %u;", slot, slot, SUMS - 1);
    say(generator, "mad.lo.u32 %%r%u, %%r%u, 4, %u;", slot, slot,
        (shared ? SHARED_SUMS : 4 * GLOBAL_SUMS) + 4 * SUMS * operation);
    snprintf(operand, sizeof operand, operation == 6 ? "12" : "%%a%u", value);
    if (shared) {
        unsigned base = generator->registers++;
        say(generator, "mov.u32 %%r%u, shared_memory;", base);
        say(generator, "add.u32 %%r%u, %%r%u, %%r%u;", slot, slot, base);
        snprintf(address, sizeof address, "%%r%u", slot);
    } else {
        say(generator, "cvt.u64.u32 %%d%u, %%r%u;", d, slot);
        say(generator, "add.u64 %%d%u, %%d%u, %%data;", d, d);
        snprintf(address, sizeof address, "%%d%u", d);
    }
    if (chance(generator, 25))
        snprintf(guard, sizeof guard, "@%%p%u ", condition(generator));
    if (returns)
        snprintf(result, sizeof result, "%%r%u, ", generator->registers++);
    say(generator, "%s%s%s.%s.%s %s[%s], %s;", guard, returns ? "atom" : "red",
        chance(generator, 30) ? ".relaxed.gpu" : "", shared ? "shared" : "global", sums[operation], result, address,
        operand);
}

/* Each thread takes another ticket; all together have taken the first ones, in whatever order. */
void make_ticket(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers;
    (void)place;
    generator->registers += 2;
    say(generator, "atom.global.add.u32 %%r%u, [%%data+%u], 1;", t, 4 * GLOBAL_TICKET);
    say(generator, "mad.lo.u32 %%r%u, %%r%u, 0x9e3779b1, 12345;", t + 1, t);
    say(generator, "red.global.xor.b32 [%%data+%u], %%r%u;", 4 * GLOBAL_TICKET + 4, t + 1);
}

/* ===== locks ===== */

struct lock {
    bool shared;
    unsigned register_number; /* of the address: %r or %d */
};

static struct lock lock_address(struct generator *generator)
{
    struct lock lock = {.shared = chance(generator, 50)};
    unsigned slot = generator->registers, d = generator->wide++;
    generator->registers += 2;
    say(generator, "and.b32 %%r%u, %%a%u, %u;", slot, state(generator), chance(generator, 75) ? SUMS - 1 : 0);
    say(generator, "mov.u32 %%r%u, shared_memory;", slot + 1);
    say(generator, "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u;", slot + 1, slot, slot + 1);
    say(generator, "mad.wide.u32 %%d%u, %%r%u, 4, %%data;", d, slot);
    lock.register_number = lock.shared ? slot + 1 : d;
    return lock;
}

static const char *lock_text(const struct lock *lock, unsigned offset, char text[32])
{
    unsigned shared = offset ? SHARED_GUARDED : SHARED_LOCKS, global = 4 * (offset ? GLOBAL_GUARDED : GLOBAL_LOCKS);
    snprintf(text, 32, "[%%%c%u+%u]", lock->shared ? 'r' : 'd', lock->register_number, lock->shared ? shared : global);
    return text;
}

/* Behind a store that other lanes of the warp wait for: ptxas 13.0 moves the WARPSYNC.ALL of a later aligned barrier of
 * the CTA in front of a store (sm_100), but not of a fence. There lanes would wait for each other for ever. */
static void say_kept(struct generator *generator, const char *fence)
{
    say(generator, "%s", fence);
}

static void critical_section(struct generator *generator, const struct lock *lock)
{
    const char *space = lock->shared ? "shared" : "global", *fence = lock->shared ? "membar.cta;" : "membar.gl;";
    const char *how = chance(generator, 50) ? ".volatile" : "";
    unsigned value = generator->registers++;
    char text[32];
    say(generator, "%s", fence);
    say(generator, "ld%s.%s.b32 %%r%u, %s;", how, space, value, lock_text(lock, 1, text));
    say(generator, "add.u32 %%r%u, %%r%u, %%a%u;", value, value, state(generator));
    say(generator, "st%s.%s.b32 %s, %%r%u;", how, space, lock_text(lock, 1, text), value);
    say(generator, "%s", fence);
    if (chance(generator, 50))
        say(generator, "atom.%s.exch.b32 %%r%u, %s, 0;", space, value, lock_text(lock, 0, text));
    else
        say(generator, "st.volatile.%s.b32 %s, 0;", space, lock_text(lock, 0, text));
    say_kept(generator, fence);
}

/* A thread that holds the lock gives it back whatever the other lanes of its warp do. */
void make_lock(struct generator *generator, struct place *place)
{
    bool alone = generator->self && generator->self->where == ALONE; /* nobody could bring its lanes together again */
    if (alone || (place->loops && chance(generator, 70))) { /* all threads of the grid take turns: that takes long */
        make_compute(generator, place);
        return;
    }
    generator->spins++;
    struct lock lock = lock_address(generator);
    unsigned found = generator->registers++, again = generator->labels++, skip = generator->labels++;
    unsigned p = generator->predicates++, q = generator->predicates++;
    bool flag = chance(generator, 50);
    char text[32];
    if (flag)
        say(generator, "setp.eq.u32 %%p%u, 0, 0;", q);
    put_label(generator, again);
    say(generator, "atom.%s.cas.b32 %%r%u, %s, 0, 1;", lock.shared ? "shared" : "global", found,
        lock_text(&lock, 0, text));
    say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", p, found);
    if (!flag && chance(generator, 30))
        say(generator, "@%%p%u nanosleep.u32 20;", p);
    say(generator, "@%%p%u bra L%u;", p, flag ? skip : again);
    critical_section(generator, &lock);
    if (!flag)
        return;
    say(generator, "setp.ne.u32 %%p%u, 0, 0;", q);
    put_label(generator, skip);
    say(generator, "@%%p%u bra L%u;", q, again);
}

/* Lanes of a group take turns, each waiting for the one before; what the chain carries depends on their order. */
void make_chain(struct generator *generator, struct place *place)
{
    unsigned t = generator->registers, p = generator->predicates++, again = generator->labels++, x = state(generator);
    unsigned leader = t, rank = t + 1, count = t + 2, found = t + 3, value = t + 4;
    generator->registers += 5;
    generator->spins++;
    say(generator, "bar.warp.sync %%r%u;", place->members); /* some may be in another chain that the same lane leads */
    say(generator, "brev.b32 %%r%u, %%r%u;", leader, place->members);
    say(generator, "clz.b32 %%r%u, %%r%u;", leader, leader);
    say(generator, "mad.lo.u32 %%r%u, %%warp, 32, %%r%u;", leader, leader);
    say(generator, "mov.u32 %%r%u, shared_memory;", found);
    say(generator, "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u;", leader, leader, found);
    say(generator, "mov.u32 %%r%u, %%lanemask_lt;", rank);
    say(generator, "and.b32 %%r%u, %%r%u, %%r%u;", rank, rank, place->members);
    say(generator, "popc.b32 %%r%u, %%r%u;", rank, rank);
    say(generator, "popc.b32 %%r%u, %%r%u;", count, place->members);
    put_label(generator, again);
    say(generator, "ld.volatile.shared.b32 %%r%u, [%%r%u+%u];", found, leader, SHARED_TOKENS);
    say(generator, "setp.ne.u32 %%p%u, %%r%u, %%r%u;", p, found, rank);
    say(generator, "@%%p%u bra L%u;", p, again);
    say(generator, "membar.cta;");
    say(generator, "ld.volatile.shared.b32 %%r%u, [%%r%u+%u];", value, leader, SHARED_CHAINS);
    say(generator, "mad.lo.u32 %%a%u, %%r%u, 31, %%a%u;", x, value, x);
    say(generator, "st.volatile.shared.b32 [%%r%u+%u], %%a%u;", leader, SHARED_CHAINS, x);
    say(generator, "membar.cta;");
    say(generator, "add.u32 %%r%u, %%r%u, 1;", rank, rank);
    say(generator, "setp.eq.u32 %%p%u, %%r%u, %%r%u;", p, rank, count);
    say(generator, "selp.b32 %%r%u, 0, %%r%u, %%p%u;", rank, rank, p);
    say(generator, "st.volatile.shared.b32 [%%r%u+%u], %%r%u;", leader, SHARED_TOKENS, rank);
    say_kept(generator, "membar.cta;");
}
