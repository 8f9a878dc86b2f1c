/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each level of the host's processor, with EXECUTE_LANE_TABLE naming the table. */
#include "execute/lanes/lanes.h"

#include "execute/lanes/lane_math.h"

#ifndef EXECUTE_LANE_TABLE
#define EXECUTE_LANE_TABLE execute_lanes_base
#define EXECUTE_LANE_LEVEL "base"
#endif

/* What a lane's value is stored as. */
#define ALIAS __attribute__((may_alias))
typedef uint32_t ALIAS slot_u8, ALIAS slot_u16, ALIAS slot_u32;
typedef int32_t ALIAS slot_s8, ALIAS slot_s16, ALIAS slot_s32;
typedef uint64_t ALIAS slot_u64;
typedef int64_t ALIAS slot_s64;
typedef float ALIAS slot_f32;
typedef double ALIAS slot_f64;

typedef uint8_t type_u8;
typedef int8_t type_s8;
typedef uint16_t type_u16;
typedef int16_t type_s16;
typedef uint32_t type_u32;
typedef int32_t type_s32;
typedef uint64_t type_u64;
typedef int64_t type_s64;
typedef float type_f32;
typedef double type_f64;

#ifdef __clang__
#define EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int lane = 0; lane < 32; lane++)
#else
#define EACH_LANE _Pragma("GCC ivdep") for (int lane = 0; lane < 32; lane++)
#endif
#define UNUSED __attribute__((unused))

#define ONE(name, D, A, expression)                                                                                    \
    static void lane_##name(void *result, const void *pa, UNUSED const void *pb, UNUSED const void *pc,                \
                            UNUSED uint32_t i)                                                                         \
    {                                                                                                                  \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            type_##A a = (type_##A)((const slot_##A *)pa)[lane];                                                       \
            ((slot_##D *)result)[lane] = (slot_##D)(type_##D)(expression);                                             \
        }                                                                                                              \
    }
#define TWO(name, D, A, B, expression)                                                                                 \
    static void lane_##name(void *result, const void *pa, const void *pb, UNUSED const void *pc, UNUSED uint32_t i)    \
    {                                                                                                                  \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            type_##A a = (type_##A)((const slot_##A *)pa)[lane];                                                       \
            type_##B b = (type_##B)((const slot_##B *)pb)[lane];                                                       \
            ((slot_##D *)result)[lane] = (slot_##D)(type_##D)(expression);                                             \
        }                                                                                                              \
    }
#define THREE(name, D, A, B, C, expression)                                                                            \
    static void lane_##name(void *result, const void *pa, const void *pb, const void *pc, UNUSED uint32_t i)           \
    {                                                                                                                  \
        EACH_LANE                                                                                                      \
        {                                                                                                              \
            type_##A a = (type_##A)((const slot_##A *)pa)[lane];                                                       \
            type_##B b = (type_##B)((const slot_##B *)pb)[lane];                                                       \
            type_##C c = (type_##C)((const slot_##C *)pc)[lane];                                                       \
            ((slot_##D *)result)[lane] = (slot_##D)(type_##D)(expression);                                             \
        }                                                                                                              \
    }
EXECUTE_LANES(ONE, TWO, THREE)
#undef ONE
#undef TWO
#undef THREE

/* bfi has four sources: a, b, and position and length as pairs, which the decoder lays down one after the other. */
static void lane_bfi_b32(void *result, const void *pa, const void *pb, const void *pc, UNUSED uint32_t i)
{
    for (int lane = 0; lane < 32; lane++) {
        uint64_t field = ((const slot_u64 *)pc)[lane];
        ((slot_u32 *)result)[lane] = (uint32_t)insert_bits(((const slot_u32 *)pa)[lane], ((const slot_u32 *)pb)[lane],
                                                           (uint32_t)field, (uint32_t)(field >> 32), 32);
    }
}

static void lane_bfi_b64(void *result, const void *pa, const void *pb, const void *pc, UNUSED uint32_t i)
{
    for (int lane = 0; lane < 32; lane++) {
        uint64_t field = ((const slot_u64 *)pc)[lane];
        ((slot_u64 *)result)[lane] = insert_bits(((const slot_u64 *)pa)[lane], ((const slot_u64 *)pb)[lane],
                                                 (uint32_t)field, (uint32_t)(field >> 32), 64);
    }
}

#define TEST(name, T, expression)                                                                                      \
    static uint32_t test_##name(const void *pa, const void *pb)                                                        \
    {                                                                                                                  \
        uint32_t lanes = 0;                                                                                            \
        for (int lane = 0; lane < 32; lane++) {                                                                        \
            type_##T a = (type_##T)((const slot_##T *)pa)[lane], b = (type_##T)((const slot_##T *)pb)[lane];           \
            lanes |= (uint32_t)(expression) << lane;                                                                   \
        }                                                                                                              \
        return lanes;                                                                                                  \
    }
EXECUTE_TESTS(TEST)
#undef TEST

#define ONE(name, D, A, expression)         [EXECUTE_LANE_##name] = lane_##name,
#define TWO(name, D, A, B, expression)      [EXECUTE_LANE_##name] = lane_##name,
#define THREE(name, D, A, B, C, expression) [EXECUTE_LANE_##name] = lane_##name,
#define TEST(name, T, expression)           [EXECUTE_TEST_##name] = test_##name,
const struct execute_lane_table EXECUTE_LANE_TABLE = {
    .level = EXECUTE_LANE_LEVEL,
    .lanes = {EXECUTE_LANES(ONE, TWO, THREE)[EXECUTE_LANE_bfi_b32] = lane_bfi_b32, [EXECUTE_LANE_bfi_b64] =
                                                                                       lane_bfi_b64},
    .tests = {EXECUTE_TESTS(TEST)},
};
