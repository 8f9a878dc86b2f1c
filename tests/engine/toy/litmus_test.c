/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Litmus tests on the toy machine: MP, SB, CoRR, CoWW, IRIW, WRC, each with plain, strong, fenced and release/acquire
 * accesses, over many machines and timings; the five programs at the end of DESIGN §3; and a lock.
 *
 * A forbidden outcome must never appear. Where the model allows a weak outcome, some timing must show it: otherwise the
 * timings would be too tame for the first statement to mean anything.
 */
#include "toy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum variant { PLAIN, STRONG, FENCED, PLAIN_FENCED, RELEASE_ACQUIRE, MIXED, VARIANTS };

static const char *const variant_names[] = {"plain", "strong", "fenced", "plain, fenced", "release/acquire", "mixed"};

enum { MOST = 4 /* threads of a litmus test */, R1 = 1, R2 = 2, VALUE = 8, FLAG = 9 };

/* One timing of one test: programs by litmus thread, the machine, and where each thread runs. */
struct trial {
    uint64_t seed, counter;
    enum variant variant;
    struct toy_parameters parameters;
    struct toy_program programs[TOY_CORES][TOY_THREADS];
    struct toy_program *thread[MOST];
    struct toy_thread *result[MOST];
    uint64_t x, y;
    struct toy_machine machine;
};

static uint64_t roll(struct trial *trial, uint64_t bound)
{
    return toy_below(trial->seed, trial->counter++, bound);
}

/* Draws a machine for `threads` litmus threads; `together`: how many of the first share a core. */
static struct trial *begin(uint64_t seed, enum variant variant, uint32_t threads, uint32_t together)
{
    struct trial *trial = mnp_allocate(1, sizeof *trial);
    trial->seed = toy_random(seed, 77);
    trial->variant = variant;
    trial->parameters = toy_random_parameters(seed);
    trial->parameters.cores = threads - together + 1;
    trial->parameters.threads = together;
    trial->parameters.slices = 1 + roll(trial, 4);
    for (uint32_t i = 0; i < threads; i++)
        trial->thread[i] = i < together ? &trial->programs[0][i] : &trial->programs[i - together + 1][0];
    static const uint64_t distance[] = {8, TOY_SECTOR, MNP_MEMORY_LINE, 3 * MNP_MEMORY_LINE};
    trial->x = 0x20000 + MNP_MEMORY_LINE * roll(trial, 4);
    trial->y = trial->x + distance[roll(trial, 4)];
    return trial;
}

/* Two more cores that only make traffic, so that one request can be much slower than another. */
static void add_noise(struct trial *trial)
{
    if (roll(trial, 3))
        return;
    uint64_t first = trial->parameters.cores;
    trial->parameters.cores += 2;
    trial->parameters.depth = 2 + roll(trial, 3);
    trial->parameters.slice_interval = 1 + roll(trial, 12);
    for (uint64_t core = first; core < first + 2; core++) {
        uint64_t busy = roll(trial, trial->parameters.slices);
        for (uint32_t i = 0; i < 40; i++)
            toy_emit(&trial->programs[core][0],
                     (struct toy_instruction){.op = TOY_LOAD,
                                              .bytes = 4,
                                              .immediate =
                                                  0x40000 + MNP_MEMORY_LINE * (busy + trial->parameters.slices * i)});
    }
}

static void run(struct trial *trial, uint32_t threads, uint32_t together)
{
    add_noise(trial);
    toy_build(&trial->machine, &trial->parameters, (const struct toy_program(*)[TOY_THREADS])trial->programs);
    struct mnp_run_options options = {.executor = &mnp_executor_serial, .threads = 1, .limit = MNP_SECOND / 10000};
    assert_int_equal(mnp_engine_run(&trial->machine.engine, &options), MNP_STOP_FINISHED);
    for (uint32_t i = 0; i < threads; i++) {
        uint32_t core = i < together ? 0 : i - together + 1, thread = i < together ? i : 0;
        trial->result[i] = &trial->machine.core[core].state->thread[thread];
    }
}

static void end(struct trial *trial)
{
    toy_release(&trial->machine);
    free(trial);
}

static uint64_t contents(struct trial *trial, uint64_t address)
{
    uint64_t value = 0;
    mnp_memory_read(&trial->machine.memory, address, 8, &value);
    return value;
}

/* ===== instructions ===== */

static void wait_a_while(struct trial *trial, uint32_t i)
{
    static const uint64_t most[] = {2, 20, 100, 250};
    if (roll(trial, 2))
        toy_emit(trial->thread[i],
                 (struct toy_instruction){.op = TOY_DELAY, .immediate = roll(trial, most[roll(trial, 4)])});
}

static void load_as(struct trial *trial, uint32_t i, uint8_t d, uint64_t address, enum toy_order order)
{
    toy_emit(trial->thread[i], (struct toy_instruction){.op = TOY_LOAD, .order = (uint8_t)order, .bytes = 8, .d = d,
                                                        .immediate = address});
}

static void store_as(struct trial *trial, uint32_t i, uint64_t address, uint64_t value, enum toy_order order)
{
    toy_emit(trial->thread[i], (struct toy_instruction){.op = TOY_SET, .d = VALUE, .immediate = value});
    toy_emit(trial->thread[i],
             (struct toy_instruction){
                 .op = TOY_STORE, .order = (uint8_t)order, .bytes = 8, .b = VALUE, .immediate = address});
}

static void fence(struct trial *trial, uint32_t i)
{
    toy_emit(trial->thread[i], (struct toy_instruction){.op = TOY_FENCE});
}

/* The order of an access to data in the present variant, and of one to a flag: loads acquire, stores release. */
static enum toy_order data_order(struct trial *trial)
{
    switch (trial->variant) {
    case STRONG:
    case FENCED:
        return TOY_RELAXED;
    case RELEASE_ACQUIRE: /* what the flag guards may be either */
    case MIXED:
        return roll(trial, 2) ? TOY_RELAXED : TOY_PLAIN;
    default:
        return TOY_PLAIN;
    }
}

static enum toy_order flag_order(struct trial *trial, enum toy_order strongest)
{
    if (trial->variant == RELEASE_ACQUIRE)
        return strongest;
    return trial->variant == PLAIN_FENCED ? TOY_RELAXED : data_order(trial);
}

static void store_data(struct trial *trial, uint32_t i, uint64_t address, uint64_t value)
{
    wait_a_while(trial, i);
    store_as(trial, i, address, value, data_order(trial));
}

static void load_data(struct trial *trial, uint32_t i, uint8_t d, uint64_t address)
{
    wait_a_while(trial, i);
    load_as(trial, i, d, address, data_order(trial));
}

static void store_flag(struct trial *trial, uint32_t i, uint64_t address, uint64_t value)
{
    wait_a_while(trial, i);
    store_as(trial, i, address, value, flag_order(trial, TOY_RELEASE));
}

static void load_flag(struct trial *trial, uint32_t i, uint8_t d, uint64_t address)
{
    wait_a_while(trial, i);
    load_as(trial, i, d, address, flag_order(trial, TOY_ACQUIRE));
}

static void fence_if_fenced(struct trial *trial, uint32_t i)
{
    wait_a_while(trial, i);
    if (trial->variant == FENCED || trial->variant == PLAIN_FENCED)
        fence(trial, i);
}

/* ===== the tests: each builds, runs and says whether the outcome is the weak one ===== */

static void setup_mp(struct trial *trial)
{
    store_data(trial, 0, trial->x, 1);
    fence_if_fenced(trial, 0);
    store_flag(trial, 0, trial->y, 1);
    load_flag(trial, 1, R1, trial->y);
    fence_if_fenced(trial, 1);
    load_data(trial, 1, R2, trial->x);
}

static bool weak_mp(struct trial *trial)
{
    return trial->result[1]->r[R1] == 1 && trial->result[1]->r[R2] == 0;
}

static void setup_sb(struct trial *trial)
{
    for (uint32_t i = 0; i < 2; i++) {
        store_data(trial, i, i ? trial->y : trial->x, 1);
        fence_if_fenced(trial, i);
        load_data(trial, i, R1, i ? trial->x : trial->y);
    }
}

static bool weak_sb(struct trial *trial)
{
    return trial->result[0]->r[R1] == 0 && trial->result[1]->r[R1] == 0;
}

/* Two writers, two readers of one place: nobody goes back, and the readers agree on the order. */
static void setup_corr(struct trial *trial)
{
    store_data(trial, 0, trial->x, 1);
    store_data(trial, 1, trial->x, 2);
    for (uint32_t i = 2; i < 4; i++) {
        load_data(trial, i, R1, trial->x);
        load_data(trial, i, R2, trial->x);
    }
}

static bool weak_corr(struct trial *trial)
{
    const uint64_t *a = trial->result[2]->r, *b = trial->result[3]->r;
    bool back = (a[R1] && !a[R2]) || (b[R1] && !b[R2]);
    bool differ = a[R1] && b[R1] && a[R1] != a[R2] && a[R1] == b[R2] && a[R2] == b[R1];
    bool final = a[R1] && a[R1] != a[R2] && contents(trial, trial->x) == a[R1];
    return back || differ || final;
}

/* One writer writes 1, then 2, which remains; nobody sees 2 and then 1. */
static void setup_coww(struct trial *trial)
{
    store_data(trial, 0, trial->x, 1);
    store_data(trial, 0, trial->x, 2);
    load_data(trial, 0, R1, trial->x);
    load_data(trial, 1, R1, trial->x);
    load_data(trial, 1, R2, trial->x);
}

static bool weak_coww(struct trial *trial)
{
    const uint64_t *reader = trial->result[1]->r;
    return contents(trial, trial->x) != 2 || trial->result[0]->r[R1] != 2 || reader[R1] > reader[R2];
}

static void setup_iriw(struct trial *trial)
{
    store_data(trial, 0, trial->x, 1);
    store_data(trial, 1, trial->y, 1);
    bool close = roll(trial, 4) > 0; /* mostly the second load follows at once: only then can it be performed first */
    for (uint32_t i = 2; i < 4; i++) {
        load_data(trial, i, R1, i == 2 ? trial->x : trial->y);
        if (!close || trial->variant == FENCED || trial->variant == PLAIN_FENCED)
            fence_if_fenced(trial, i);
        load_as(trial, i, R2, i == 2 ? trial->y : trial->x, data_order(trial));
    }
}

static bool weak_iriw(struct trial *trial)
{
    const uint64_t *a = trial->result[2]->r, *b = trial->result[3]->r;
    return a[R1] == 1 && a[R2] == 0 && b[R1] == 1 && b[R2] == 0;
}

/* Causality through a third thread. Threads 0 and 1 may share a core: the fence covers the other's store as well. */
static void setup_wrc(struct trial *trial)
{
    store_data(trial, 0, trial->x, 1);
    load_data(trial, 1, R1, trial->x);
    fence_if_fenced(trial, 1);
    store_flag(trial, 1, trial->y, 1);
    load_flag(trial, 2, R1, trial->y);
    fence_if_fenced(trial, 2);
    load_data(trial, 2, R2, trial->x);
}

static bool weak_wrc(struct trial *trial)
{
    return trial->result[1]->r[R1] == 1 && trial->result[2]->r[R1] == 1 && trial->result[2]->r[R2] == 0;
}

struct litmus {
    const char *name;
    uint32_t threads;
    void (*setup)(struct trial *trial);
    bool (*weak)(struct trial *trial);
    bool forbidden[VARIANTS]; /* the weak outcome */
    bool shows[VARIANTS];     /* some timing shows it */
};

static const struct litmus tests[] = {
    {"MP", 2, setup_mp, weak_mp, {[FENCED] = 1, [PLAIN_FENCED] = 1, [RELEASE_ACQUIRE] = 1}, {[STRONG] = 1}},
    {"SB", 2, setup_sb, weak_sb, {[FENCED] = 1}, {[PLAIN] = 1, [STRONG] = 1}},
    {"CoRR", 4, setup_corr, weak_corr, {1, 1, 1, 1, 1, 1}, {0}},
    {"CoWW", 2, setup_coww, weak_coww, {1, 1, 1, 1, 1, 1}, {0}},
    {"IRIW", 4, setup_iriw, weak_iriw, {[FENCED] = 1}, {[STRONG] = 1}},
    {"WRC", 3, setup_wrc, weak_wrc, {[FENCED] = 1, [PLAIN_FENCED] = 1, [RELEASE_ACQUIRE] = 1}, {[STRONG] = 1}},
};

static void litmus(void **state)
{
    const struct litmus *test = *state;
    uint64_t timings = toy_effort(test->threads > 2 ? 1000 : 500);
    for (enum variant variant = 0; variant < VARIANTS; variant++) {
        uint64_t weak = 0;
        for (uint64_t seed = 0; seed < timings; seed++) {
            uint32_t together = seed % 4 == 3 ? 2 : 1;
            struct trial *trial = begin(seed, variant, test->threads, together);
            test->setup(trial);
            run(trial, test->threads, together);
            bool seen = test->weak(trial);
            weak += seen;
            end(trial);
            if (seen && test->forbidden[variant])
                fail_msg("%s, %s, timing %llu: the forbidden outcome", test->name, variant_names[variant],
                         (unsigned long long)seed);
        }
        if (test->shows[variant] && weak == 0 && timings >= 400)
            fail_msg("%s, %s: no timing shows the outcome that is allowed", test->name, variant_names[variant]);
    }
}

/* ===== the five programs of DESIGN §3 ===== */

static void each_timing(uint32_t threads, uint32_t together, void (*setup)(struct trial *),
                        void (*check)(struct trial *))
{
    uint64_t timings = toy_effort(300);
    for (uint64_t seed = 0; seed < timings; seed++) {
        struct trial *trial = begin(9000 + seed, PLAIN, threads, together);
        setup(trial);
        run(trial, threads, together);
        check(trial);
        end(trial);
    }
}

static void reduce(struct trial *trial, uint32_t i, uint64_t address, uint64_t value)
{
    toy_emit(trial->thread[i], (struct toy_instruction){.op = TOY_SET, .d = VALUE, .immediate = value});
    toy_emit(trial->thread[i],
             (struct toy_instruction){.op = TOY_RED_ADD, .bytes = 8, .b = VALUE, .immediate = address});
}

static void setup_red_store(struct trial *trial) /* red [x],1; st [x],5 */
{
    reduce(trial, 0, trial->x, 1);
    wait_a_while(trial, 0);
    store_as(trial, 0, trial->x, 5, TOY_PLAIN);
    wait_a_while(trial, 0);
    load_as(trial, 0, R1, trial->x, TOY_PLAIN);
}

static void check_red_store(struct trial *trial)
{
    assert_int_equal(contents(trial, trial->x), 5);
    assert_int_equal(trial->result[0]->r[R1], 5);
}

static void setup_volatile_plain(struct trial *trial) /* st.volatile [x]; ld [x] */
{
    store_as(trial, 0, trial->x, 7, TOY_RELAXED);
    wait_a_while(trial, 0);
    load_as(trial, 0, R1, trial->x, TOY_PLAIN);
}

static void check_volatile_plain(struct trial *trial)
{
    assert_int_equal(trial->result[0]->r[R1], 7);
}

static void setup_barrier(struct trial *trial) /* if (tid == 0) atomicAdd(&g, 1); __syncthreads(); y = g; */
{
    for (uint32_t i = 0; i < 3; i++) {
        if (i == 0) {
            wait_a_while(trial, i);
            reduce(trial, i, trial->x, 1);
        }
        toy_emit(trial->thread[i], (struct toy_instruction){.op = TOY_BARRIER});
        wait_a_while(trial, i);
        load_as(trial, i, R1, trial->x, TOY_PLAIN);
    }
}

static void check_barrier(struct trial *trial)
{
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(trial->result[i]->r[R1], 1);
}

static void setup_acquire(struct trial *trial) /* r = ld.acquire flag; d = ld x; if (r) d is the new value */
{
    wait_a_while(trial, 0);
    store_as(trial, 0, trial->x, 3, TOY_PLAIN);
    store_as(trial, 0, trial->y, 1, TOY_RELEASE);
    wait_a_while(trial, 1);
    wait_a_while(trial, 1);
    load_as(trial, 1, R1, trial->y, TOY_ACQUIRE);
    load_as(trial, 1, R2, trial->x, TOY_PLAIN);
}

static void check_acquire(struct trial *trial)
{
    if (trial->result[1]->r[R1])
        assert_int_equal(trial->result[1]->r[R2], 3);
}

/* Spins until a flag has a value, with acquiring loads. */
static void await(struct trial *trial, uint32_t i, uint64_t address, uint64_t value)
{
    uint32_t top = trial->thread[i]->length;
    load_as(trial, i, FLAG, address, TOY_ACQUIRE);
    toy_emit(trial->thread[i], (struct toy_instruction){.op = TOY_BRANCH_NE, .a = FLAG, .immediate = value,
                                                        .target = (uint16_t)top});
}

static void setup_red_release(struct trial *trial) /* red data; fence; st.release flag, to two slices */
{
    trial->y = trial->x + MNP_MEMORY_LINE;
    wait_a_while(trial, 0);
    reduce(trial, 0, trial->x, 9);
    fence(trial, 0);
    store_as(trial, 0, trial->y, 1, TOY_RELEASE);
    await(trial, 1, trial->y, 1);
    load_as(trial, 1, R2, trial->x, TOY_PLAIN);
}

static void check_red_release(struct trial *trial)
{
    assert_int_equal(trial->result[1]->r[R2], 9);
}

static void five_programs(void **state)
{
    (void)state;
    each_timing(1, 1, setup_red_store, check_red_store);
    each_timing(1, 1, setup_volatile_plain, check_volatile_plain);
    each_timing(3, 3, setup_barrier, check_barrier);
    each_timing(2, 1, setup_acquire, check_acquire);
    each_timing(2, 2, setup_acquire, check_acquire);
    each_timing(2, 1, setup_red_release, check_red_release);
    each_timing(2, 2, setup_red_release, check_red_release);
}

/* ===== a lock: plain accesses inside a critical section ===== */

enum { ROUNDS = 5, LOOP = 10, OLD = 11 };

static void setup_lock(struct trial *trial)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct toy_program *program = trial->thread[i];
        wait_a_while(trial, i);
        toy_emit(program, (struct toy_instruction){.op = TOY_SET, .d = LOOP, .immediate = ROUNDS});
        uint32_t top = toy_emit(program, (struct toy_instruction){.op = TOY_SET, .d = VALUE, .immediate = 1});
        toy_emit(program, (struct toy_instruction){.op = TOY_SET, .d = OLD});
        toy_emit(program, (struct toy_instruction){.op = TOY_ATOM_CAS, .order = TOY_ACQUIRE, .bytes = 8, .d = OLD,
                                                   .b = VALUE, .immediate = trial->y});
        toy_emit(program, (struct toy_instruction){.op = TOY_BRANCH_NE, .a = OLD, .target = (uint16_t)(top + 1)});
        load_as(trial, i, R1, trial->x, TOY_PLAIN);
        toy_emit(program, (struct toy_instruction){.op = TOY_ADD, .d = R1, .a = R1, .immediate = 1});
        toy_emit(program, (struct toy_instruction){.op = TOY_STORE, .bytes = 8, .b = R1, .immediate = trial->x});
        store_as(trial, i, trial->y, 0, TOY_RELEASE);
        toy_emit(program, (struct toy_instruction){.op = TOY_ADD, .d = LOOP, .a = LOOP, .immediate = UINT64_MAX});
        toy_emit(program, (struct toy_instruction){.op = TOY_BRANCH_NE, .a = LOOP, .target = (uint16_t)top});
    }
}

static void check_lock(struct trial *trial)
{
    assert_int_equal(contents(trial, trial->x), 4 * ROUNDS);
    assert_int_equal(contents(trial, trial->y), 0);
}

static void lock(void **state)
{
    (void)state;
    each_timing(4, 1, setup_lock, check_lock);
    each_timing(4, 2, setup_lock, check_lock);
}

/* Reductions from everywhere add up, whatever sizes and places. */
static void setup_sums(struct trial *trial)
{
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t j = 0; j < 12; j++)
            reduce(trial, i, trial->x + 8 * (j % 3), j + 1);
}

static void check_sums(struct trial *trial)
{
    assert_int_equal(contents(trial, trial->x), 4 * (1 + 4 + 7 + 10));
    assert_int_equal(contents(trial, trial->x + 8), 4 * (2 + 5 + 8 + 11));
    assert_int_equal(contents(trial, trial->x + 16), 4 * (3 + 6 + 9 + 12));
}

static void sums(void **state)
{
    (void)state;
    each_timing(4, 1, setup_sums, check_sums);
}

int main(void)
{
    struct CMUnitTest all[sizeof tests / sizeof *tests + 3];
    size_t count = 0;
    for (; count < sizeof tests / sizeof *tests; count++)
        all[count] = (struct CMUnitTest){.name = tests[count].name, .test_func = litmus,
                                         .initial_state = (void *)(uintptr_t)&tests[count]};
    all[count++] = (struct CMUnitTest)cmocka_unit_test(five_programs);
    all[count++] = (struct CMUnitTest)cmocka_unit_test(lock);
    all[count++] = (struct CMUnitTest)cmocka_unit_test(sums);
    return _cmocka_run_group_tests("litmus", all, count, NULL, NULL);
}
