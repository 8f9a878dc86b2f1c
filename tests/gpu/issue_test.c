/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Issue, register reads and dependences: what one more repetition of a body costs, where the rules say what it must.
 */
#include "bench.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <stdio.h>

#include <cmocka.h>

enum { SHORT_RUN = 100, LONG_RUN = 300, NO_COUNTER = MNP_COUNTERS, NO_REGISTER = MNP_ZERO_REGISTER };

typedef void body(struct script *script, uint32_t i);

static uint64_t cycles(body *each, uint32_t repeat, uint32_t threads, const char *const *overrides)
{
    struct script *script = script_new();
    script_kernel(script, 1, threads);
    for (uint32_t i = 0; i < repeat; i++)
        each(script, i);
    uint64_t result = bench_statistic(script, overrides, 0, "gpu_sim_cycle");
    script_free(script);
    return result;
}

/* Cycles of one body, which must be a whole number. */
static uint64_t per_body(body *each, uint32_t threads, const char *const *overrides)
{
    uint64_t difference = cycles(each, LONG_RUN, threads, overrides) - cycles(each, SHORT_RUN, threads, overrides);
    assert_int_equal(difference % (LONG_RUN - SHORT_RUN), 0);
    return difference / (LONG_RUN - SHORT_RUN);
}

/* ===== execution classes ===== */

static void multiply(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_IMAD, NO_REGISTER, NO_REGISTER);
}

static void multiply_and_add(struct script *script, uint32_t i)
{
    multiply(script, i);
    script_compute(script, MNP_CLASS_INT, NO_REGISTER, NO_REGISTER);
}

static void multiply_and_float(struct script *script, uint32_t i)
{
    multiply(script, i);
    script_compute(script, MNP_CLASS_FP32, NO_REGISTER, NO_REGISTER);
}

/* Both pipes have 16 lanes: two instructions take two cycles on different pipes and four on one. */
static void test_pipe_of_multiplication(void **state)
{
    (void)state;
    static const char *const integer[] = {"sm.imad.pipe=int", NULL};
    assert_int_equal(per_body(multiply, 512, NULL), 8);
    assert_int_equal(per_body(multiply_and_add, 512, NULL), 8);
    assert_int_equal(per_body(multiply_and_add, 512, integer), 16);
    assert_int_equal(per_body(multiply_and_float, 512, NULL), 16);
    assert_int_equal(per_body(multiply_and_float, 512, integer), 8);
}

static void convert_and_sine(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_CONVERT, NO_REGISTER, NO_REGISTER);
    script_compute(script, MNP_CLASS_SFU, NO_REGISTER, NO_REGISTER);
}

/* Four lanes take eight cycles for a warp. */
static void test_pipe_of_conversion(void **state)
{
    (void)state;
    static const char *const apart[] = {"sm.convert.on_sfu=false", NULL};
    assert_int_equal(per_body(convert_and_sine, 512, NULL), 4 * 16);
    assert_int_equal(per_body(convert_and_sine, 512, apart), 4 * 8);
}

static void doubles(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_FP64, NO_REGISTER, NO_REGISTER);
}

/* Two lanes of the SM take 16 cycles for a warp, whichever sub-cores it comes from. */
static void test_shared_doubles(void **state)
{
    (void)state;
    static const char *const shared[] = {"sm.fp64.lanes=2", "sm.fp64.shared=true", NULL};
    assert_int_equal(per_body(doubles, 32, shared), 16);
    assert_int_equal(per_body(doubles, 64, shared), 32);
    assert_int_equal(per_body(doubles, 128, shared), 64);
    assert_int_equal(per_body(doubles, 512, shared), 256);
}

static struct mnp_static_instruction *half_of(struct script *script, enum mnp_operation_group group)
{
    struct mnp_static_instruction *made = script_compute(script, MNP_CLASS_HALF, NO_REGISTER, NO_REGISTER);
    made->group = group;
    return made;
}

static void half(struct script *script, uint32_t i)
{
    (void)i;
    half_of(script, MNP_GROUP_HFMA);
}

static void half_matrix(struct script *script, uint32_t i)
{
    (void)i;
    half_of(script, MNP_GROUP_HFMA)->matrix = 1;
}

static void half_conversion_and_float(struct script *script, uint32_t i)
{
    (void)i;
    half_of(script, MNP_GROUP_OTHER);
    script_compute(script, MNP_CLASS_FP32, NO_REGISTER, NO_REGISTER);
}

static void half_and_matrix(struct script *script, uint32_t i)
{
    half(script, i);
    half_matrix(script, i);
}

static void half_and_float(struct script *script, uint32_t i)
{
    half(script, i);
    script_compute(script, MNP_CLASS_FP32, NO_REGISTER, NO_REGISTER);
}

static void half_matrix_and_double(struct script *script, uint32_t i)
{
    half_matrix(script, i);
    doubles(script, i);
}

/* Half precision on 16 lanes beside single precision on 32 and double precision on 16: an instruction in two cycles
 * however many warps there are, single precision after those two, and HFMA2.MMA and conversions
 * beside them. */
static void test_pipe_of_halves(void **state)
{
    (void)state;
    static const char *const own[] = {"sm.fp32.lanes=32", "sm.fp64.lanes=16", NULL};
    static const char *const shared[] = {"sm.fp32.lanes=32", "sm.fp64.lanes=16", "sm.half.on_fp32=true", NULL};
    static const char *const wide[] = {"sm.fp32.lanes=32", "sm.half.lanes=32", "sm.half.on_fp32=true", NULL};
    for (uint32_t threads = 32; threads <= 512; threads *= 4) {
        uint64_t warps = threads > 128 ? threads / 128 : 1; /* of a sub-core */
        assert_int_equal(per_body(half, threads, own), 2 * warps);
        assert_int_equal(per_body(half, threads, shared), 2 * warps);
        assert_int_equal(per_body(half, threads, wide), 1 * warps);
        assert_int_equal(per_body(half_matrix, threads, shared), 2 * warps);
        assert_int_equal(per_body(half_and_matrix, threads, own), 4 * warps);
        assert_int_equal(per_body(half_and_matrix, threads, shared), 2 * warps);
        assert_int_equal(per_body(half_and_float, threads, own), 2 * warps);
        assert_int_equal(per_body(half_and_float, threads, shared), 3 * warps);
        assert_int_equal(per_body(half_matrix_and_double, threads, shared), 4 * warps);
        assert_int_equal(per_body(half_conversion_and_float, threads, shared), 2 * warps);
    }
}

static void shuffle_of_three(struct script *script, uint32_t i)
{
    (void)i;
    script_reads(script, MNP_CLASS_SPECIAL, 2, 4, 6);
}

static void shuffle_of_one(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_SPECIAL, NO_REGISTER, 2);
}

/* Eight lanes take four cycles for a warp; three registers, two cycles each, take six. */
static void test_sources_of_special(void **state)
{
    (void)state;
    static const char *const two[] = {"sm.special.source=2", NULL};
    static const char *const five[] = {"sm.special.source=5", NULL};
    assert_int_equal(per_body(shuffle_of_three, 32, NULL), 4);
    assert_int_equal(per_body(shuffle_of_three, 32, two), 6);
    assert_int_equal(per_body(shuffle_of_three, 512, two), 4 * 6);
    assert_int_equal(per_body(shuffle_of_one, 32, two), 4);
    assert_int_equal(per_body(shuffle_of_one, 32, five), 5);
}

static void matrix_of_cost(struct script *script, uint8_t cost)
{
    script_compute(script, MNP_CLASS_TENSOR, NO_REGISTER, NO_REGISTER)->tensor_cycles = cost;
}

static void matrix_of_two(struct script *script, uint32_t i)
{
    (void)i;
    matrix_of_cost(script, 2);
}

static void matrix_of_four(struct script *script, uint32_t i)
{
    (void)i;
    matrix_of_cost(script, 4);
}

static void matrix_of_five(struct script *script, uint32_t i)
{
    (void)i;
    matrix_of_cost(script, 5);
}

/* Four lanes take eight cycles for HMMA.16816, whose cost is four; others occupy them in proportion, by whole
 * cycles. */
static void test_shapes_of_matrices(void **state)
{
    (void)state;
    static const char *const sixteen[] = {"sm.tensor.lanes=16", NULL};
    assert_int_equal(per_body(matrix_of_four, 32, NULL), 8);
    assert_int_equal(per_body(matrix_of_two, 32, NULL), 4);
    assert_int_equal(per_body(matrix_of_five, 32, NULL), 10);
    assert_int_equal(per_body(matrix_of_four, 32, sixteen), 2);
    assert_int_equal(per_body(matrix_of_five, 32, sixteen), 3);
}

/* ===== register reads ===== */

static void three_even(struct script *script, uint32_t i)
{
    (void)i;
    script_reads(script, MNP_CLASS_UNIFORM, 2, 4, 6);
}

static void three_mixed(struct script *script, uint32_t i)
{
    (void)i;
    script_reads(script, MNP_CLASS_UNIFORM, 2, 4, 5);
}

static void one_even(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, 2);
}

static void three_even_reused(struct script *script, uint32_t i)
{
    (void)i;
    struct mnp_static_instruction *added = script_reads(script, MNP_CLASS_UNIFORM, 2, 4, 6);
    script_control(script, added, 1, NO_COUNTER, NO_COUNTER, 0);
    added->reuse = 3;
}

/* The same registers in slots that the cache does not hold them for. */
static void three_even_turned(struct script *script, uint32_t i)
{
    struct mnp_static_instruction *added =
        i % 2 ? script_reads(script, MNP_CLASS_UNIFORM, 2, 4, 6) : script_reads(script, MNP_CLASS_UNIFORM, 4, 2, 6);
    script_control(script, added, 1, NO_COUNTER, NO_COUNTER, 0);
    added->reuse = 3;
}

/* On a pipe that takes an instruction each cycle, the bank with the most reads decides: three reads of one bank with
 * one port take three cycles, two take two; two ports halve that; a source in the register cache costs nothing. */
static void test_read_ports(void **state)
{
    (void)state;
    static const char *const none[] = {NULL};
    static const char *const one[] = {"sm.operands=read-ports", "sm.operand.blind_ports=1", NULL};
    static const char *const two[] = {"sm.operands=read-ports", "sm.operand.blind_ports=3", NULL};
    assert_int_equal(per_body(three_even, 32, none), 1);
    assert_int_equal(per_body(three_even, 32, one), 3);
    assert_int_equal(per_body(three_mixed, 32, one), 2);
    assert_int_equal(per_body(one_even, 32, one), 1);
    assert_int_equal(per_body(three_even, 32, two), 1);
    assert_int_equal(per_body(three_even_reused, 32, one), 1);
    assert_int_equal(per_body(three_even_turned, 32, one), 3);
}

/* Four warps on one bank each of their own, by (register + warp) mod banks; all on one with one bank. */
static void test_collector(void **state)
{
    (void)state;
    static const char *const eight[] = {"sm.operands=collector", "sm.subcores=1", NULL};
    static const char *const single[] = {"sm.operands=collector", "sm.operand.banks=1", "sm.subcores=1", NULL};
    static const char *const even[] = {"sm.operands=collector", "sm.operand.banks=2", "sm.subcores=1", NULL};
    assert_int_equal(per_body(one_even, 32, eight), 1);
    assert_int_equal(per_body(three_even, 32, eight), 1);
    assert_int_equal(per_body(three_even, 32, single), 3);
    assert_int_equal(per_body(three_even, 32, even), 3);
    assert_int_equal(per_body(three_mixed, 32, even), 2);
}

/* ===== from one pipe to another ===== */

/* Two instructions that depend on one another in turn. */
static void turn(struct script *script, enum mnp_execution_class first, enum mnp_execution_class second)
{
    mnp_complete_registers(script_compute(script, first, 3, 2)); /* as decoders do: the form for few registers */
    mnp_complete_registers(script_compute(script, second, 2, 3));
}

static void load_and_multiply(struct script *script, uint32_t i)
{
    (void)i;
    mnp_complete_registers(script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 2, 0, 4));
    mnp_complete_registers(script_compute(script, MNP_CLASS_IMAD, 2, 3));
}

static void multiply_then_add(struct script *script, uint32_t i)
{
    (void)i;
    turn(script, MNP_CLASS_IMAD, MNP_CLASS_INT);
}

static void multiply_then_float(struct script *script, uint32_t i)
{
    (void)i;
    turn(script, MNP_CLASS_IMAD, MNP_CLASS_FP32);
}

static void add_then_convert(struct script *script, uint32_t i)
{
    (void)i;
    turn(script, MNP_CLASS_INT, MNP_CLASS_CONVERT);
}

/* An addition whose operands come from a load and, a cycle before that, from either pipe. */
static void load_and_add(struct script *script, enum mnp_execution_class class)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 2, 0, 4);
    for (uint32_t i = 0; i < 19; i++)
        script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
    script_compute(script, class, 4, NO_REGISTER);
    script_reads(script, MNP_CLASS_INT, 3, 4, 4);
    script_compute(script, MNP_CLASS_UNIFORM, 2, NO_REGISTER);
}

static void load_and_add_integer(struct script *script, uint32_t i)
{
    (void)i;
    load_and_add(script, MNP_CLASS_INT);
}

static void load_and_add_product(struct script *script, uint32_t i)
{
    (void)i;
    load_and_add(script, MNP_CLASS_IMAD);
}

/* Four cycles within a pipe and five between the two, as the stall counts that nvcc writes; where there is no crossing,
 * four. What comes from memory crosses nothing. */
static void test_crossing(void **state)
{
    (void)state;
    static const char *const cross[] = {"sm.cross_latency=1", NULL};
    static const char *const one_pipe[] = {"sm.cross_latency=1", "sm.imad.pipe=int", NULL};
    static const char *const quick[] = {"sm.cross_latency=1", "sm.convert.latency=4", NULL};
    assert_int_equal(per_body(multiply_then_add, 32, NULL), 4 + 4);
    assert_int_equal(per_body(multiply_then_add, 32, cross), 5 + 5);
    assert_int_equal(per_body(multiply_then_add, 32, one_pipe), 4 + 4);
    assert_int_equal(per_body(multiply_then_float, 32, cross), 4 + 4);
    assert_int_equal(per_body(multiply_then_float, 32, one_pipe), 5 + 5);
    assert_int_equal(per_body(add_then_convert, 32, quick), 4 + 4);
    assert_int_equal(per_body(load_and_multiply, 32, cross), 24 + 4);
}

/* The load's result is there in cycle 24, those of the pipes in cycle 24 and 25: a register of memory crosses nothing,
 * and the latest of all decides. The instruction behind the addition, and the load behind that, take 1 + 4 cycles. */
static void test_crossing_beside_memory(void **state)
{
    (void)state;
    static const char *const cross[] = {"sm.cross_latency=1", NULL};
    assert_int_equal(per_body(load_and_add_integer, 32, cross), 24 + 1 + 4);
    assert_int_equal(per_body(load_and_add_product, 32, cross), 25 + 1 + 4);
    assert_int_equal(per_body(load_and_add_product, 32, NULL), 24 + 1 + 4);
}

/* A load of shared memory by an address that was just computed; latency.shared is 24. */
static void address_and_load(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_INT, 2, 3);
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 2, 0, 4);
}

static void load_and_load(struct script *script, uint32_t i)
{
    (void)i;
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 3, 0, 4);
}

/* The second operand of the store is data. */
static void data_and_store(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_FP32, 3, 3);
    struct mnp_static_instruction *store = script_memory(script, MNP_STORE, MNP_SPACE_SHARED, 4, NO_REGISTER, 2, 0, 4);
    store->source[store->source_count++] = (struct mnp_registers){3, 1};
    script_compute(script, MNP_CLASS_FP32, 3, NO_REGISTER); /* issues behind the store, as instructions do */
}

static void special_and_load(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_SPECIAL, 2, 3);
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, 2, 0, 4);
}

/* A memory instruction finds results of fixed latency later than an arithmetic one, by the stated cycles; what comes
 * from memory, or from a pipe without bypasses, it finds at once. */
static void test_operands_of_memory(void **state)
{
    (void)state;
    static const char *const one[] = {"sm.memory.operand_latency=1", "sm.war_consumers=0", NULL};
    static const char *const four[] = {"sm.memory.operand_latency=4", "sm.war_consumers=0", NULL};
    static const char *const none[] = {"sm.war_consumers=0", NULL};
    assert_int_equal(per_body(address_and_load, 32, none), 4 + 24);
    assert_int_equal(per_body(address_and_load, 32, one), 5 + 24);
    assert_int_equal(per_body(address_and_load, 32, four), 8 + 24);
    assert_int_equal(per_body(load_and_load, 32, four), 24);
    assert_int_equal(per_body(special_and_load, 32, four), 24 + 24);
    assert_int_equal(per_body(data_and_store, 32, none), 4 + 1 + 4);
    assert_int_equal(per_body(data_and_store, 32, four), 8 + 1 + 4);
}

/* ===== write after read ===== */

/* A store reads R4 when the memory pipeline takes it, 6 cycles after issue; R4 is overwritten behind it. */
static uint64_t store_and_overwrite(const char *const *overrides)
{
    uint64_t result[2];
    for (uint32_t run = 0; run < 2; run++) {
        struct script *script = script_new();
        script_kernel(script, 1, 32);
        for (uint32_t i = 0; i < (run ? LONG_RUN : SHORT_RUN); i++) {
            script_memory(script, MNP_STORE, MNP_SPACE_SHARED, 4, NO_REGISTER, 4, 0, 4);
            script_compute(script, MNP_CLASS_UNIFORM, 4, NO_REGISTER);
        }
        result[run] = bench_statistic(script, overrides, 0, "gpu_sim_cycle");
        script_free(script);
    }
    return (result[1] - result[0]) / (LONG_RUN - SHORT_RUN);
}

static void test_write_after_read(void **state)
{
    (void)state;
    static const char *const ignored[] = {"sm.war_consumers=0", "sm.memory.front=6", "sm.memory.address_lanes=32",
                                          NULL};
    static const char *const tracked[] = {"sm.war_consumers=1", "sm.memory.front=6", "sm.memory.address_lanes=32",
                                          NULL};
    /* The result of the overwriting, 4 cycles later, is what the next store reads. */
    assert_int_equal(store_and_overwrite(ignored), 1 + 4);
    assert_int_equal(store_and_overwrite(tracked), 6 + 4);
    static const char *const deep[] = {"sm.war_consumers=7", "sm.memory.front=9", "sm.memory.address_lanes=32", NULL};
    assert_int_equal(store_and_overwrite(deep), 9 + 4);
}

static void loads_of_one_address(struct script *script, uint32_t i)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, (uint8_t)(8 + i % 64), 4, 0, 4);
}

/* So many may be about to read one register: with one, each waits until the one before has read it. */
static void test_most_readers(void **state)
{
    (void)state;
    static const char *const one[] = {"sm.war_consumers=1", "sm.memory.queue=16", "sm.memory.front=6",
                                      "sm.memory.address_lanes=32", NULL};
    static const char *const many[] = {"sm.war_consumers=6", "sm.memory.queue=16", "sm.memory.front=6",
                                       "sm.memory.address_lanes=32", NULL};
    assert_int_equal(per_body(loads_of_one_address, 32, one), 6);
    assert_int_equal(per_body(loads_of_one_address, 32, many), 1);
}

/* ===== predicates ===== */

static const char *const control[] = {"sm.dependence=control-bits", "sm.memory.front=6", "sm.memory.address_lanes=32",
                                      NULL};

static void compare_and_branch(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH;
}

static void compare_work_and_branch(struct script *script, uint32_t i)
{
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    for (uint32_t k = 0; k < 10; k++)
        script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH;
    (void)i;
}

static void compare_and_jump(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_BRANCH;
}

static void compare_and_stall(struct script *script, uint32_t i)
{
    (void)i;
    struct mnp_static_instruction *added = script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
    added->flags |= MNP_FLAG_PREDICATE;
    script_control(script, added, 5, NO_COUNTER, NO_COUNTER, 0);
    added = script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
    added->flags |= MNP_FLAG_PREDICATE | MNP_FLAG_BRANCH;
    script_control(script, added, 1, NO_COUNTER, NO_COUNTER, 0);
}

/* A branch that is not taken issues as many cycles behind the comparison as nvcc's stall counts say, whether there is
 * work between them or not; others, and code that has the counts, are not held back. */
static void test_predicates(void **state)
{
    (void)state;
    static const char *const twelve[] = {"sm.predicate_latency=12", NULL};
    static const char *const slow[] = {"sm.uniform.latency=20", NULL};
    assert_int_equal(per_body(compare_and_branch, 32, NULL), 13 + 1);
    assert_int_equal(per_body(compare_and_branch, 32, twelve), 12 + 1);
    assert_int_equal(per_body(compare_and_branch, 32, slow), 20 + 1);
    assert_int_equal(per_body(compare_work_and_branch, 32, NULL), 13 + 1);
    assert_int_equal(per_body(compare_and_jump, 32, NULL), 1 + 1);
    assert_int_equal(per_body(compare_and_stall, 32, control), 5 + 1);
}

/* A comparison writes a predicate, behind which an instruction of the lanes that have it follows. */
static void compare_and_guard(struct script *script, uint32_t lanes)
{
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
    script_mask(script, lanes);
}

static void guarded_from_some(struct script *script, uint32_t i)
{
    (void)i;
    compare_and_guard(script, 0xffff);
}

static void guarded_from_all(struct script *script, uint32_t i)
{
    (void)i;
    compare_and_guard(script, 0);
}

static void not_guarded(struct script *script, uint32_t i)
{
    (void)i;
    compare_and_guard(script, UINT32_MAX);
}

static void branch_and_go_on(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    script_compute(script, MNP_CLASS_BRANCH, NO_REGISTER, NO_REGISTER);
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
    script_mask(script, 0xffff);
    script_compute(script, MNP_CLASS_BRANCH, NO_REGISTER, NO_REGISTER);
}

static void said_to_be_guarded(struct script *script, uint32_t i)
{
    (void)i;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER)->guarded = 1;
}

/* Lanes that are lost without a branch are lost to a guard, which waits as long as a branch; where a branch lies
 * between, they say nothing, nor do lanes that come back. */
static void test_guards(void **state)
{
    (void)state;
    static const char *const wide[] = {"sm.branch.lanes=32", NULL};
    assert_int_equal(per_body(guarded_from_some, 32, NULL), 13 + 1);
    assert_int_equal(per_body(guarded_from_all, 32, NULL), 13 + 1);
    assert_int_equal(per_body(not_guarded, 32, NULL), 1 + 1);
    assert_int_equal(per_body(branch_and_go_on, 32, wide), 4);
    assert_int_equal(per_body(said_to_be_guarded, 32, NULL), 13 + 1);
}

/* An instruction of a class behind a comparison, whose predicate is among its operands. */
static void compare_and_select(struct script *script, enum mnp_execution_class class)
{
    script_compute(script, MNP_CLASS_INT, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_PREDICATE;
    script_compute(script, class, NO_REGISTER, NO_REGISTER)->selects = 1;
    for (uint32_t i = 0; i < 4; i++) /* the pipes are free again */
        script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
}

static void select_integer(struct script *script, uint32_t i)
{
    (void)i;
    compare_and_select(script, MNP_CLASS_INT);
}

static void select_float(struct script *script, uint32_t i)
{
    (void)i;
    compare_and_select(script, MNP_CLASS_FP32);
}

/* As near as any result of the pipe: nvcc's stall counts let SEL follow ISETP in four cycles. */
static void test_selection(void **state)
{
    (void)state;
    static const char *const cross[] = {"sm.cross_latency=1", NULL};
    assert_int_equal(per_body(select_integer, 32, cross), 4 + 1 + 4);
    assert_int_equal(per_body(select_float, 32, NULL), 4 + 1 + 4);
    assert_int_equal(per_body(select_float, 32, cross), 5 + 1 + 4);
}

/* A sum of two registers each: the lower half into R4, the upper into R5. `overwritten`: R4 is a load's. */
static void add_twice(struct script *script, enum mnp_execution_class upper, bool overwritten)
{
    if (overwritten)
        script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 4, NO_REGISTER, 0, 4);
    else
        mnp_complete_registers(script_compute(script, MNP_CLASS_INT, 4, NO_REGISTER));
    struct mnp_static_instruction *add = script_compute(script, upper, 5, NO_REGISTER);
    add->carries = 1;
    mnp_complete_registers(add);
    for (uint32_t i = 0; i < 4; i++)
        script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER);
}

static void add_integers(struct script *script, uint32_t i)
{
    (void)i;
    add_twice(script, MNP_CLASS_INT, false);
}

static void add_and_multiply(struct script *script, uint32_t i)
{
    (void)i;
    add_twice(script, MNP_CLASS_IMAD, false);
}

static void load_and_multiply_on(struct script *script, uint32_t i)
{
    (void)i;
    add_twice(script, MNP_CLASS_IMAD, true);
}

/* IADD3.X behind IADD3 in four cycles, IMAD.X in five; what a load writes into the lower register since is no carry. */
static void test_carries(void **state)
{
    (void)state;
    static const char *const cross[] = {"sm.cross_latency=1", NULL};
    assert_int_equal(per_body(add_integers, 32, cross), 4 + 1 + 4);
    assert_int_equal(per_body(add_and_multiply, 32, NULL), 4 + 1 + 4);
    assert_int_equal(per_body(add_and_multiply, 32, cross), 5 + 1 + 4);
    assert_int_equal(per_body(load_and_multiply_on, 32, cross), 24); /* for the next load alone */
}

/* ===== control bits ===== */

static void stalled(struct script *script, uint32_t i)
{
    (void)i;
    script_control(script, script_compute(script, MNP_CLASS_UNIFORM, 3, 3), 7, NO_COUNTER, NO_COUNTER, 0);
}

static void unstalled(struct script *script, uint32_t i)
{
    (void)i;
    script_control(script, script_compute(script, MNP_CLASS_UNIFORM, 3, 3), 1, NO_COUNTER, NO_COUNTER, 0);
}

static void yielding(struct script *script, uint32_t i)
{
    (void)i;
    script_control(script, script_compute(script, MNP_CLASS_UNIFORM, 3, 3), 1, NO_COUNTER, NO_COUNTER, MNP_WAIT_YIELD);
}

static void long_stall(struct script *script, uint32_t i)
{
    (void)i;
    script_control(script, script_compute(script, MNP_CLASS_UNIFORM, 3, 3), 0, NO_COUNTER, NO_COUNTER, MNP_WAIT_YIELD);
}

static void test_stall(void **state)
{
    (void)state;
    assert_int_equal(per_body(stalled, 32, control), 7);
    assert_int_equal(per_body(unstalled, 32, control), 1); /* registers are not looked at */
    assert_int_equal(per_body(unstalled, 32, NULL), 4);    /* by scoreboard they are */
    assert_int_equal(per_body(yielding, 32, control), 2);
    assert_int_equal(per_body(long_stall, 32, control), 46);
}

/* A load raises counter 0; behind it an instruction waits for that. latency.shared is 24. */
static void load_and_wait(struct script *script, uint8_t stall)
{
    struct mnp_static_instruction *load = script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, 3, NO_REGISTER, 0, 4);
    script_control(script, load, stall, 0, NO_COUNTER, 0);
    script_control(script, script_compute(script, MNP_CLASS_UNIFORM, NO_REGISTER, NO_REGISTER), 1, NO_COUNTER,
                   NO_COUNTER, 1);
}

static void load_stall_two(struct script *script, uint32_t i)
{
    (void)i;
    load_and_wait(script, 2);
}

static void load_stall_one(struct script *script, uint32_t i)
{
    (void)i;
    load_and_wait(script, 1);
}

/* The counter is seen from the second cycle on: behind a stall of one, the consumer slips through. */
static void test_counters(void **state)
{
    (void)state;
    assert_int_equal(per_body(load_stall_two, 32, control), 24 + 1);
    uint64_t slipped = cycles(load_stall_one, 1, 32, control), waited = cycles(load_stall_two, 1, 32, control);
    assert_true(slipped < waited);
}

/* Four loads on one counter: DEPBAR.LE lets the next instruction go when the first is done. */
static uint64_t after_depbar(uint8_t value)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < 4; i++)
        script_control(script,
                       script_memory(script, MNP_LOAD, MNP_SPACE_SHARED, 4, (uint8_t)(3 + i), NO_REGISTER, 0, 4), 5, 0,
                       NO_COUNTER, 0);
    struct mnp_static_instruction *depbar = script_compute(script, MNP_CLASS_SYNC, NO_REGISTER, NO_REGISTER);
    depbar->counter = 0;
    depbar->counter_value = value;
    script_control(script, depbar, 1, NO_COUNTER, NO_COUNTER, MNP_WAIT_DEPBAR);
    for (uint32_t i = 0; i < 100; i++)
        script_control(script, script_compute(script, MNP_CLASS_UNIFORM, 2, 2), 1, NO_COUNTER, NO_COUNTER, 0);
    uint64_t result = bench_statistic(script, control, 0, "gpu_sim_cycle");
    script_free(script);
    return result;
}

static void test_depbar(void **state)
{
    (void)state;
    for (uint8_t value = 0; value < 3; value++) /* loads issue five cycles apart, and end so */
        assert_int_equal(after_depbar(value) - after_depbar((uint8_t)(value + 1)), 5);
}

static void read_counter(struct script *script, uint32_t i)
{
    (void)i;
    struct mnp_static_instruction *store = script_memory(script, MNP_STORE, MNP_SPACE_SHARED, 4, NO_REGISTER, 4, 0, 4);
    script_control(script, store, 2, NO_COUNTER, 1, 0);
    script_control(script, script_compute(script, MNP_CLASS_UNIFORM, 4, NO_REGISTER), 1, NO_COUNTER, NO_COUNTER, 2);
}

static void test_read_counter(void **state)
{
    (void)state;
    assert_int_equal(per_body(read_counter, 32, control), 6 + 1 + 1); /* read in cycle 6, seen in the next */
}

/* ===== groups of copies to shared memory ===== */

enum { COPIES = 4, WARM = 0x10000, COLD = 0x80000 };

static void copy(struct script *script, uint64_t address)
{
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, NO_REGISTER, NO_REGISTER, address, 4)->copies = 1;
}

static void fence(struct script *script)
{
    script_compute(script, MNP_CLASS_SYNC, NO_REGISTER, NO_REGISTER)->flags |= MNP_FLAG_FENCE;
}

static void commit(struct script *script)
{
    struct mnp_static_instruction *end = script_compute(script, MNP_CLASS_SYNC, NO_REGISTER, NO_REGISTER);
    end->flags |= MNP_FLAG_FENCE;
    end->fence = MNP_FENCE_CLOSES;
}

static void wait_for_groups(struct script *script, uint8_t under_way)
{
    struct mnp_static_instruction *wait = script_compute(script, MNP_CLASS_SYNC, NO_REGISTER, NO_REGISTER);
    wait->flags |= MNP_FLAG_FENCE;
    wait->wait = MNP_WAIT_DEPBAR;
    wait->counter_value = under_way;
}

/* Instructions that issue one after the other: what comes before the end of the kernel counts whole. */
static void pass_time(struct script *script, uint32_t instructions)
{
    for (uint32_t i = 0; i < instructions; i++)
        script_compute(script, MNP_CLASS_INT, 2, 2);
}

/* Lines that the L1 has are copied, a group each. Copies have no time to come while the next ones issue. */
static uint64_t after_copies(uint8_t under_way)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    for (uint32_t i = 0; i < COPIES; i++)
        script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, NO_REGISTER, WARM + 0x1000 * i, 4);
    fence(script);
    for (uint32_t i = 0; i < COPIES; i++) {
        copy(script, WARM + 0x1000 * i);
        commit(script);
        pass_time(script, 1);
    }
    wait_for_groups(script, under_way);
    pass_time(script, 100);
    uint64_t result = bench_statistic(script, NULL, 0, "gpu_sim_cycle");
    script_free(script);
    return result;
}

static void test_groups_of_copies(void **state)
{
    (void)state;
    uint64_t apart = after_copies(0) - after_copies(1); /* copies come as they have issued */
    assert_true(apart > 0);
    for (uint8_t groups = 1; groups < COPIES - 1; groups++)
        assert_int_equal(after_copies(groups) - after_copies(groups + 1), apart);
    assert_true(after_copies(COPIES - 1) > after_copies(COPIES));
    assert_int_equal(after_copies(COPIES), after_copies(62));
    assert_int_equal(after_copies(COPIES), after_copies(63));
    assert_int_equal(after_copies(COPIES), after_copies(255));
}

/* A copy from far away, then one of a line that the L1 has, and the wait. */
static uint64_t after_far_copy(bool near, bool ends, int32_t under_way)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    script_memory(script, MNP_LOAD, MNP_SPACE_GLOBAL, 4, 3, NO_REGISTER, WARM, 4);
    fence(script);
    copy(script, COLD);
    if (ends)
        commit(script);
    if (near)
        copy(script, WARM);
    if (near && ends)
        commit(script);
    if (under_way >= 0)
        wait_for_groups(script, (uint8_t)under_way);
    pass_time(script, 1000);
    uint64_t result = bench_statistic(script, NULL, 0, "gpu_sim_cycle");
    script_free(script);
    return result;
}

/* Groups are done in order, and the open one is not waited for. */
static void test_order_of_groups(void **state)
{
    (void)state;
    uint64_t far = after_far_copy(false, true, 0);
    assert_true(far > after_far_copy(false, true, 1) + 100);
    assert_in_range(after_far_copy(true, true, 1), far, far + 8);
    assert_in_range(after_far_copy(true, true, 0), far, far + 8);
    assert_int_equal(after_far_copy(true, false, 0), after_far_copy(true, false, 255));
}

/* More groups than the counter counts: the commit waits for the first one of a far copy. */
static uint64_t after_commits(uint32_t commits, bool far)
{
    struct script *script = script_new();
    script_kernel(script, 1, 32);
    if (far)
        copy(script, COLD);
    for (uint32_t i = 0; i < commits; i++)
        commit(script);
    pass_time(script, 1000);
    uint64_t result = bench_statistic(script, NULL, 0, "gpu_sim_cycle");
    script_free(script);
    return result;
}

static void test_room_for_groups(void **state)
{
    (void)state;
    uint64_t each = after_commits(63, false) - after_commits(62, false);
    assert_int_equal(after_commits(63, true) - after_commits(62, true), each);
    assert_true(after_commits(64, true) - after_commits(63, true) > each + 100);
    assert_int_equal(after_commits(65, true) - after_commits(64, true), each);
}

/* ===== policies ===== */

/* Eight warps on one scheduler, each of FP64 instructions that occupy the pipe: whoever goes first, the total is the
 * same. */
static void test_policies_do_the_same_work(void **state)
{
    (void)state;
    static const char *const policies[][3] = {{"sm.scheduler=gto", "sm.subcores=1", NULL},
                                              {"sm.scheduler=lrr", "sm.subcores=1", NULL},
                                              {"sm.scheduler=cggty", "sm.subcores=1", NULL}};
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(per_body(doubles, 256, policies[i]), 8 * 4);
}

/* Three warps on one scheduler: warp w issues 40 - 15 w FP64 instructions, for each of which all wait for the pipe, and
 * then stores. Returns how many FP64 instructions of all warps have issued when store number `store` does. */
static uint64_t doubles_before_store(const char *const *policy, uint64_t store)
{
    struct script *script = script_new();
    script_kernel(script, 1, 96);
    script_skip(script, 15);
    for (uint32_t i = 0; i < 40; i++)
        doubles(script, i);
    script_memory(script, MNP_STORE, MNP_SPACE_GLOBAL, 4, NO_REGISTER, NO_REGISTER, 0x10000, 4);
    uint64_t counted = 0, least = 1, most = 4000;
    while (least < most) {
        struct mnp_results results;
        struct mnp_session_options options = bench_options();
        options.request.max_cycles = (least + most) / 2;
        bench_run_until(script, policy, &options, &results);
        bool seen = mnp_statistics_get(&results.total, "instructions_memory") >= store;
        if (seen) {
            most = options.request.max_cycles;
            counted = mnp_statistics_get(&results.total, "instructions_fp64");
        } else {
            least = options.request.max_cycles + 1;
        }
        mnp_results_release(&results);
    }
    script_free(script);
    return counted;
}

/* Greedy then oldest: one warp after the other, in the order of their age. Greedy then youngest: the first goes on
 * while it can, and then the last to start is next. Round robin: each in turn, so that the warp with the fewest is done
 * when all have issued as many. */
static void test_policies_choose(void **state)
{
    (void)state;
    static const struct {
        const char *policy[3];
        uint64_t before[3];
    } expected[] = {
        {{"sm.scheduler=gto", "sm.subcores=1", NULL}, {40, 40 + 25, 40 + 25 + 10}},
        {{"sm.scheduler=cggty", "sm.subcores=1", NULL}, {40, 40 + 10, 40 + 10 + 25}},
        {{"sm.scheduler=lrr", "sm.subcores=1", NULL}, {3 * 10, 3 * 10 + 2 * 15, 3 * 10 + 2 * 15 + 15}},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        for (uint64_t store = 0; store < 3; store++)
            assert_int_equal(doubles_before_store(expected[i].policy, store + 1), expected[i].before[store]);
}

/* ===== barriers ===== */

static void barrier(struct script *script, uint32_t i)
{
    (void)i;
    script_barrier(script);
}

/* From the last arrival to the release, whether the warp is alone or one of each sub-core has to come. */
static void test_barrier_latency(void **state)
{
    (void)state;
    static const char *const short_one[] = {"sm.barrier_latency=8", NULL};
    static const char *const long_one[] = {"sm.barrier_latency=21", NULL};
    assert_int_equal(per_body(barrier, 32, short_one), 8);
    assert_int_equal(per_body(barrier, 128, short_one), 8);
    assert_int_equal(per_body(barrier, 32, long_one), 21);
}

/* Warps go on one after another, in the order of their arrival: a round of a chain of barriers takes the latency and an
 * interval for each warp behind the first, also with several warps on a sub-core. */
static void test_barrier_interval(void **state)
{
    (void)state;
    for (uint32_t interval = 1; interval <= 3; interval++) {
        char text[48];
        const char *const overrides[] = {"sm.barrier_latency=13", text, NULL};
        snprintf(text, sizeof text, "sm.barrier_interval=%u", interval);
        for (uint32_t warps = 1; warps <= 32; warps *= 2)
            assert_int_equal(per_body(barrier, 32 * warps, overrides), 13 + interval * (warps - 1));
    }
}

/* A slow warp holds back the fast ones: warp 1 begins at the barrier, and does nothing behind it until warp 0 has come
 * there, after a hundred dependent instructions. */
static void test_barrier_waits_for_all(void **state)
{
    (void)state;
    struct script *script = script_new();
    struct mnp_results results;
    struct mnp_session_options options = bench_options();
    options.request.max_cycles = 450; /* the launch, and most of warp 0's way */
    script_kernel(script, 1, 64);
    for (uint32_t i = 0; i < 200; i++) {
        if (i == 100)
            script_barrier(script);
        script_compute(script, MNP_CLASS_FP32, 3, 3);
    }
    script_skip(script, 100);
    bench_run_until(script, NULL, &options, &results);
    assert_int_equal(mnp_statistics_get(&results.total, "barriers"), 1);
    assert_in_range(mnp_statistics_get(&results.total, "instructions_fp32"), 50, (450 - 100) / 4);
    mnp_results_release(&results);
    script_free(script);
}

/* A warp that has ended is not waited for, even where it ends after all others have arrived: warp 1 begins behind the
 * barrier, and warp 0 is released by its end. */
static void test_end_opens_barrier(void **state)
{
    (void)state;
    uint64_t ends[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct script *script = script_new();
        script_kernel(script, 1, 64);
        script_barrier(script);
        script_skip(script, 1);
        for (uint32_t k = 0; k < 100 * (i + 1); k++)
            script_compute(script, MNP_CLASS_FP32, 3, 3);
        ends[i] = bench_statistic(script, NULL, 0, "gpu_sim_cycle");
        script_free(script);
    }
    assert_int_equal(ends[1] - ends[0], 2 * 100 * 4); /* first warp 1's chain, then that of warp 0 */
}

/* Warp 0 arrives at barrier 1 and goes on; warp 1 begins 21 instructions further on and waits there first. */
static void test_named_barrier(void **state)
{
    (void)state;
    for (uint32_t count = 2; count <= 3; count++) {
        struct script *script = script_new();
        script_kernel(script, 1, 64);
        struct mnp_static_instruction *arrive = script_compute(script, MNP_CLASS_SYNC, NO_REGISTER, NO_REGISTER);
        arrive->flags |= MNP_FLAG_ARRIVE;
        arrive->barrier = 1;
        arrive->barrier_warps = (uint8_t)count;
        script_skip(script, 21);
        for (uint32_t i = 0; i < 200; i++)
            script_compute(script, MNP_CLASS_FP32, 3, 3);
        struct mnp_static_instruction *wait = script_barrier(script);
        wait->barrier = 1;
        wait->barrier_warps = (uint8_t)count;
        /* Warp 0 arrives once, then both wait: three arrivals. With a count of two, the first to wait completes the
         * barrier, and the other would wait for ever. */
        if (count == 3) {
            assert_in_range(bench_statistic(script, NULL, 0, "gpu_sim_cycle"), 100 + 200 * 4, 100 + 200 * 4 + 200);
        } else {
            struct mnp_results results;
            struct mnp_session_options options = bench_options();
            options.request.max_cycles = 100000;
            bench_run_until(script, NULL, &options, &results);
            assert_int_not_equal(results.end, MNP_END_FINISHED);
            mnp_results_release(&results);
        }
        script_free(script);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipe_of_multiplication),
        cmocka_unit_test(test_pipe_of_conversion),
        cmocka_unit_test(test_shared_doubles),
        cmocka_unit_test(test_pipe_of_halves),
        cmocka_unit_test(test_sources_of_special),
        cmocka_unit_test(test_shapes_of_matrices),
        cmocka_unit_test(test_read_ports),
        cmocka_unit_test(test_collector),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_crossing_beside_memory),
        cmocka_unit_test(test_operands_of_memory),
        cmocka_unit_test(test_write_after_read),
        cmocka_unit_test(test_most_readers),
        cmocka_unit_test(test_predicates),
        cmocka_unit_test(test_guards),
        cmocka_unit_test(test_selection),
        cmocka_unit_test(test_carries),
        cmocka_unit_test(test_stall),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_depbar),
        cmocka_unit_test(test_read_counter),
        cmocka_unit_test(test_groups_of_copies),
        cmocka_unit_test(test_order_of_groups),
        cmocka_unit_test(test_room_for_groups),
        cmocka_unit_test(test_policies_do_the_same_work),
        cmocka_unit_test(test_policies_choose),
        cmocka_unit_test(test_barrier_latency),
        cmocka_unit_test(test_barrier_interval),
        cmocka_unit_test(test_barrier_waits_for_all),
        cmocka_unit_test(test_end_opens_barrier),
        cmocka_unit_test(test_named_barrier),
    };
    return cmocka_run_group_tests_name("gpu issue", tests, NULL, NULL);
}
