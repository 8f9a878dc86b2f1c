/* SPDX-License-Identifier: BSD-3-Clause */
/* The generator's frame: random choices, the choice of statements, functions and the kernel around them. */
#include "generator.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

unsigned pick(struct generator *generator, unsigned count)
{
    return (unsigned)(mix(generator->random += UINT64_C(0x9e3779b97f4a7c15)) >> 32) % count;
}

bool chance(struct generator *generator, unsigned percent)
{
    return pick(generator, 100) < percent;
}

unsigned state(struct generator *generator)
{
    return pick(generator, STATES);
}

void say(struct generator *generator, const char *format, ...)
{
    va_list arguments;
    if (generator->muted)
        return;
    va_start(arguments, format);
    fputs("    ", generator->out);
    vfprintf(generator->out, format, arguments);
    fputs("\n", generator->out);
    va_end(arguments);
}

void put_label(struct generator *generator, unsigned label)
{
    if (!generator->muted)
        fprintf(generator->out, "L%u:\n", label);
}

/* ===== conditions ===== */

static const char *comparison(struct generator *generator)
{
    static const char *const names[] = {"lt", "le", "gt", "ge", "eq", "ne"};
    return names[pick(generator, chance(generator, 80) ? 4 : 6)];
}

/* Whether two states are compared as signed numbers: always the same two alike, for behind a branch ptxas 13.0 takes a
 * comparison of the same operands for known whatever its sign. Of `setp.ge.u32 p, x, y; @!p bra L; …; L: setp.ge.s32 q,
 * x, y; @q …` it leaves the first comparison alone. */
static char sign_of(unsigned x, unsigned y)
{
    return "us"[(x + y) % 2];
}

unsigned condition(struct generator *generator)
{
    unsigned made = generator->predicates++, t = generator->registers++, x = state(generator),
             y = (x + 1 + pick(generator, STATES - 1)) % STATES, other;
    bool turned;
    switch (pick(generator, 5)) {
    case 0:
        turned = pick(generator, 2);
        say(generator, "setp.%s.%c32 %%p%u, %%a%u, %%a%u;", comparison(generator), sign_of(x, y), made, turned ? y : x,
            turned ? x : y);
        break;
    case 1:
        say(generator, "and.b32 %%r%u, %%a%u, %u;", t, state(generator), 1 + pick(generator, 63));
        say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", made, t);
        break;
    case 2:
        say(generator, "setp.%s.u32 %%p%u, %%lane, %u;", comparison(generator), made, pick(generator, 33));
        break;
    case 3:
        say(generator, "and.b32 %%r%u, %%a%u, 3;", t, state(generator));
        say(generator, "setp.eq.u32 %%p%u, %%r%u, %u;", made, t, pick(generator, 4));
        break;
    default:
        other = generator->predicates++;
        say(generator, "setp.%s.%c32 %%p%u, %%a%u, %%a%u;", comparison(generator), sign_of(x, y), other, x, y);
        say(generator, "setp.%s.%s.s32 %%p%u, %%a%u, %%index, %s%%p%u;", comparison(generator),
            (const char *const[]){"and", "or", "xor"}[pick(generator, 3)], made, state(generator),
            chance(generator, 50) ? "!" : "", other);
    }
    return made;
}

unsigned uniform_condition(struct generator *generator)
{
    unsigned made = generator->predicates++, t = generator->registers++;
    if (chance(generator, 50)) {
        say(generator, "and.b32 %%r%u, %%word, %u;", t, 1u << pick(generator, 32));
        say(generator, "setp.ne.u32 %%p%u, %%r%u, 0;", made, t);
    } else {
        say(generator, "setp.%s.u32 %%p%u, %%block, %u;", comparison(generator), made, pick(generator, 3));
    }
    return made;
}

/* ===== statements ===== */

static const struct {
    void (*make)(struct generator *, struct place *);
    unsigned where, weight, architecture; /* the first one that has it */
    bool compound, loops;
} kinds[] = {
    {make_compute, ALONE | GROUP | BLOCK, 14, 0, false, false},
    {make_local, ALONE | GROUP | BLOCK, 3, 0, false, false},
    {make_own, ALONE | GROUP | BLOCK, 4, 0, false, false},
    {make_sum, ALONE | GROUP | BLOCK, 6, 0, false, false},
    {make_ticket, ALONE | GROUP | BLOCK, 2, 0, false, false},
    {make_lock, ALONE | GROUP | BLOCK, 3, 0, false, false},
    {make_chain, GROUP | BLOCK, 2, 0, false, false},
    {make_if, ALONE | GROUP | BLOCK, 8, 0, true, false},
    {make_loop, ALONE | GROUP | BLOCK, 7, 0, true, true},
    {make_switch, ALONE | GROUP | BLOCK, 3, 0, true, false},
    {make_soup, ALONE | GROUP | BLOCK, 4, 0, true, true},
    {make_call, ALONE | GROUP | BLOCK, 3, 0, false, false},
    {make_call_by_address, ALONE | GROUP, 2, 0, false, false},
    {make_exit, ALONE | GROUP | BLOCK, 2, 0, false, false},
    {make_leave, ALONE, 3, 0, false, false},
    {make_return, ALONE | GROUP, 3, 0, false, false},
    {make_vote, GROUP | BLOCK, 4, 0, false, false},
    {make_shuffle, GROUP | BLOCK, 5, 0, false, false},
    {make_match, GROUP | BLOCK, 3, 0, false, false},
    {make_reduction, GROUP | BLOCK, 3, 80, false, false},
    {make_election, GROUP | BLOCK, 2, 90, false, false},
    {make_lane_exchange, GROUP | BLOCK, 3, 0, false, false},
    {make_exchange, BLOCK, 4, 0, false, false},
    {make_sums, BLOCK, 3, 0, false, false},
    {make_barrier_reduction, BLOCK, 4, 0, false, false},
    {make_split, BLOCK, 7, 0, true, false},
    {make_producers, BLOCK, 3, 0, false, false},
    {make_mbarrier, BLOCK, 2, 80, false, false},
    {make_cluster, BLOCK, 6, 90, false, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], DEEPEST = 4, MOST_LOOPS = 2 };

static unsigned weight(const struct generator *generator, const struct place *place, unsigned kind)
{
    if (!(kinds[kind].where & place->where) || kinds[kind].architecture > generator->request->architecture ||
        (kinds[kind].loops && place->loops >= MOST_LOOPS) ||
        (kinds[kind].compound && (place->depth >= DEEPEST || generator->budget <= 0)))
        return 0;
    return generator->weights[kind];
}

static void statement(struct generator *generator, struct place *place)
{
    unsigned sum = 0, kind = 0;
    for (unsigned i = 0; i < KINDS; i++)
        sum += weight(generator, place, i);
    unsigned chosen = pick(generator, sum);
    while (chosen >= weight(generator, place, kind))
        chosen -= weight(generator, place, kind++);
    unsigned number = generator->statements++;
    bool dropped = number < GENERATE_STATEMENTS && generator->request->dropped[number];
    generator->budget--;
    generator->muted += dropped;
    say(generator, "// statement %u", number);
    kinds[kind].make(generator, place);
    generator->muted -= dropped;
}

void statements(struct generator *generator, struct place *place, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        statement(generator, place);
}

struct place inside(const struct place *place, enum where where)
{
    return (struct place){.where = where,
                          .members = place->members,
                          .depth = place->depth + 1,
                          .loops = place->loops,
                          .leave = -1,
                          .again = -1,
                          .outer = place};
}

/* Takes lanes that have exited since out of the mask. */
void refresh(struct generator *generator, struct place *place, unsigned exits_before)
{
    if (place->where != ALONE && generator->exits != exits_before)
        say(generator, "vote.sync.ballot.b32 %%r%u, %%yes, %%r%u;", place->members, place->members);
}

/* ===== functions ===== */

/* Lanes that a loop may have parted meet before they return: ptxas 13.0 has a vote ask whether its members are there
 * (BRA.DIV) behind a loop that waits for other threads, but not where that loop is in a function called before. */
void gather(struct generator *generator, const struct place *place)
{
    if (generator->spins && place->where != ALONE)
        say(generator, "bar.warp.sync %%r%u;", place->members);
}

static void begin_function(struct generator *generator, char **text, size_t *length)
{
    generator->out = open_memstream(text, length);
    generator->registers = generator->predicates = generator->wide = 1; /* number 0: for ranges that would be empty */
}

static void declare(struct generator *generator, FILE *out)
{
    fprintf(out,
            "    .reg .b32 %%r<%u>, %%a<%u>;\n    .reg .b64 %%d<%u>, %%data, %%own;\n    .reg .pred %%p<%u>, %%yes;\n",
            generator->registers, STATES, generator->wide, generator->predicates);
    fputs("    .reg .b32 %index, %lane, %warp, %block, %word, %slot;\n", out);
}

/* What every function knows of its thread; %data is there. */
static void say_thread(struct generator *generator)
{
    unsigned t = generator->registers;
    generator->registers += 3;
    say(generator, "setp.eq.u32 %%yes, 0, 0;");
    say(generator, "mov.u32 %%r%u, %%tid.y;", t);
    say(generator, "mov.u32 %%r%u, %%ntid.x;", t + 1);
    say(generator, "mov.u32 %%index, %%tid.x;");
    say(generator, "mad.lo.u32 %%index, %%r%u, %%r%u, %%index;", t, t + 1);
    say(generator, "mov.u32 %%lane, %%laneid;");
    say(generator, "shr.u32 %%warp, %%index, 5;");
    say(generator, "mov.u32 %%block, %%ctaid.x;");
    say(generator, "mad.lo.u32 %%r%u, %%block, %u, %%index;", t + 2, generator->threads);
    say(generator, "mad.wide.u32 %%own, %%r%u, %u, %%data;", t + 2, 4 * OWN);
    say(generator, "add.u64 %%own, %%own, %u;", 4 * GLOBAL_OWN);
    say(generator, "mov.u32 %%slot, shared_memory;");
    say(generator, "mad.lo.u32 %%slot, %%index, 4, %%slot;");
    for (unsigned i = 0; i < STATES; i++) {
        say(generator, "mad.lo.u32 %%a%u, %%r%u, %u, %u;", i, t + 2, 2 * pick(generator, 1u << 30) + 1,
            pick(generator, 1u << 31));
        say(generator, "shr.u32 %%r%u, %%a%u, %u;", t, i, 9 + pick(generator, 8));
        say(generator, "xor.b32 %%a%u, %%a%u, %%r%u;", i, i, t);
    }
}

static void make_callee(struct generator *generator, FILE *out)
{
    static const enum where wheres[] = {ALONE, GROUP, GROUP, BLOCK};
    struct callee *callee = &generator->callees[generator->callee_count];
    char *text;
    size_t length;
    unsigned exits = generator->exits;
    begin_function(generator, &text, &length);
    generator->spins = 0;
    callee->where = wheres[pick(generator, 4)];
    snprintf(callee->name, sizeof callee->name, "f%llu_%u", (unsigned long long)generator->request->seed,
             generator->callee_count);
    generator->self = callee;
    generator->budget = (int)(2 + pick(generator, 6));
    struct place place = {
        .where = callee->where, .members = generator->registers++, .depth = 1, .loops = 1, .leave = -1, .again = -1};
    say(generator, "ld.param.b64 %%data, [%s_data];", callee->name);
    say(generator, "ld.param.b32 %%word, [%s_word];", callee->name);
    say_thread(generator);
    say(generator, "ld.param.b32 %%r%u, [%s_members];", place.members, callee->name);
    say(generator, "ld.param.b32 %%a0, [%s_in];", callee->name);
    say(generator, "add.u32 %%a1, %%a0, 77;"); /* another value (source() in data.c) */
    statements(generator, &place, 2 + pick(generator, 4));
    gather(generator, &place);
    make_return(generator, NULL);
    fclose(generator->out);
    fprintf(out,
            ".func (.param .b32 %s_out) %s (.param .b32 %s_in, .param .b32 %s_members, .param .b32 %s_word, .param "
            ".b64 %s_data)\n{\n",
            callee->name, callee->name, callee->name, callee->name, callee->name, callee->name);
    declare(generator, out);
    fputs(text, out);
    fputs("}\n", out);
    free(text);
    callee->exits = generator->exits != exits;
    generator->exits = exits;
    generator->callee_count++;
    generator->self = NULL;
}

static void clear_shared(struct generator *generator)
{
    unsigned t = generator->registers, loop = generator->labels++, p = generator->predicates++;
    generator->registers += 2;
    say(generator, "mov.u32 %%r%u, %%index;", t);
    put_label(generator, loop);
    say(generator, "mov.u32 %%r%u, shared_memory;", t + 1);
    say(generator, "mad.lo.u32 %%r%u, %%r%u, 4, %%r%u;", t + 1, t, t + 1);
    say(generator, "st.shared.b32 [%%r%u], 0;", t + 1);
    say(generator, "add.u32 %%r%u, %%r%u, %u;", t, t, generator->threads);
    say(generator, "setp.lt.u32 %%p%u, %%r%u, %u;", p, t, SHARED_BYTES / 4);
    say(generator, "@%%p%u bra L%u;", p, loop);
    say(generator, "bar.sync 0;");
}

void store_results(struct generator *generator, unsigned mark)
{
    for (unsigned i = 0; i < STATES; i++)
        say(generator, "st.global.b32 [%%own+%u], %%a%u;", 4 * i, i);
    say(generator, "st.global.b32 [%%own+%u], %u;", 4 * STATES, mark);
}

static void make_kernel(struct generator *generator, FILE *out)
{
    const struct generate_program *program = &generator->program;
    char *text;
    size_t length;
    begin_function(generator, &text, &length);
    generator->budget = (int)(6 + pick(generator, 40));
    struct place place = {.where = BLOCK, .members = generator->registers++, .leave = -1, .again = -1};
    say(generator, "ld.param.u64 %%data, [data];");
    say(generator, "ld.param.u32 %%word, [word];");
    say(generator, "cvta.to.global.u64 %%data, %%data;");
    say_thread(generator);
    for (unsigned i = 0; i < 4; i++)
        say(generator, "st.local.b32 [local_memory+%u], %%a%u;", 4 * i, i);
    clear_shared(generator);
    say(generator, "vote.sync.ballot.b32 %%r%u, %%yes, 0xffffffff;", place.members);
    while (generator->budget > 0)
        statements(generator, &place, 1);
    make_sums(generator, &place);
    store_results(generator, LEFT_OUT - 1);
    say(generator, "ret;");
    fclose(generator->out);
    fprintf(out, ".visible .entry %s (.param .u64 data, .param .u32 word)\n", program->kernel);
    if (program->cluster > 1)
        fprintf(out, ".explicitcluster .reqnctapercluster %u, 1, 1\n", program->cluster);
    fputs("{\n    .local .align 4 .b32 local_memory[8];\n", out);
    declare(generator, out);
    fputs(text, out);
    fputs("}\n", out);
    free(text);
}

/* ===== programs ===== */

static void choose_shape(struct generator *generator)
{
    static const unsigned shapes[][2] = {{32, 1},  {64, 1}, {96, 1}, {128, 1}, {33, 1}, {48, 1}, {7, 1},
                                         {100, 1}, {8, 8},  {13, 5}, {160, 1}, {31, 2}, {64, 1}, {32, 2}};
    struct generate_program *program = &generator->program;
    memcpy(program->shape, shapes[pick(generator, sizeof shapes / sizeof shapes[0])], sizeof program->shape);
    generator->threads = program->shape[0] * program->shape[1];
    program->cluster = generator->request->architecture >= 90 && chance(generator, 25) ? 2 : 1;
    program->blocks = program->cluster * (1 + pick(generator, 4 - program->cluster));
}

/* A program is rich in some kinds of statements and has none of others. */
static void choose_weights(struct generator *generator)
{
    static const unsigned factors[] = {0, 1, 1, 1, 2, 4};
    for (unsigned i = 0; i < KINDS; i++)
        generator->weights[i] =
            (unsigned char)(kinds[i].weight * factors[pick(generator, sizeof factors / sizeof factors[0])]);
    generator->weights[0] += !generator->weights[0];
}

struct generate_program generate_program(FILE *out, const struct generate_request *request)
{
    struct generator generator = {.request = request, .random = mix(request->seed + 1)};
    snprintf(generator.program.kernel, sizeof generator.program.kernel, "k%llu", (unsigned long long)request->seed);
    choose_shape(&generator);
    choose_weights(&generator);
    generator.spares = chance(&generator, 50);
    generator.program.word = pick(&generator, 1u << 31);
    for (unsigned callees = pick(&generator, CALLEES + 1); callees > 0; callees--)
        make_callee(&generator, out);
    make_kernel(&generator, out);
    generator.program.statements = generator.statements;
    return generator.program;
}

void generate_header(FILE *out, unsigned architecture)
{
    fprintf(out, ".version %s\n.target sm_%u\n.address_size 64\n.shared .align 16 .b8 shared_memory[%u];\n",
            architecture > 90 ? "8.7" : "8.0", architecture, SHARED_BYTES);
}

void generate_memory(const struct generate_program *program, uint32_t memory[GENERATE_BYTES / 4])
{
    uint64_t random = program->word;
    for (unsigned i = 0; i < GENERATE_BYTES / 4; i++)
        memory[i] = i >= GLOBAL_OWN ? (uint32_t)mix(random += 77)
                    : i / SUMS == 2 ? UINT32_MAX
                                    : 0; /* `and` begins with ones */
}
