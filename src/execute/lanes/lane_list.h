/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic that is done on all 32 lanes at once, as one list: name, types of result and sources, expression of one
 * lane's a, b, c and the immediate `i`. Expressions use the helpers of lane_math.h. lanes.c makes a loop of each row.
 * A name is that of a form of PTX, with `_` for each point; the forms that share a row are known to the front-end.
 *
 *   ONE(name, D, A, expression)   TWO(name, D, A, B, expression)   THREE(name, D, A, B, C, expression)
 *   LIKE(name, D, A, B, C, function, modifiers)   what a function of machine code (words.h) does with
 *                 these modifiers; `none`: there is no such source
 *   WITH(…)       the same, where modifiers are the operation's, or sources have another order
 */
#ifndef EXECUTE_LANE_LIST_H
#define EXECUTE_LANE_LIST_H

/* clang-format off */
#define EXECUTE_LANES_INTEGER(ONE, TWO, THREE, LIKE, WITH)                                                             \
    TWO(add_u16, u16, u16, u16, a + b)                                                                                 \
    LIKE(add_u32, u32, u32, u32, none, iadd, 0)                                                                        \
    TWO(add_u64, u64, u64, u64, a + b)                                                                                 \
    TWO(sub_u16, u16, u16, u16, a - b)                                                                                 \
    LIKE(sub_u32, u32, u32, u32, none, iadd, EXECUTE_WORDS_NEGATE_B)                                                   \
    TWO(sub_u64, u64, u64, u64, a - b)                                                                                 \
    LIKE(add_u16x2, u32, u32, u32, none, iadd_pair, 0)                                                                 \
    LIKE(add_sat_s32, s32, s32, s32, none, iadd_sat, 0)                                                                \
    LIKE(sub_sat_s32, s32, s32, s32, none, iadd_sat, EXECUTE_WORDS_NEGATE_B)                                           \
    TWO(mul_lo_u16, u16, u16, u16, (uint32_t)a * b)                                                                    \
    TWO(mul_lo_u32, u32, u32, u32, a * b)                                                                              \
    TWO(mul_lo_u64, u64, u64, u64, a * b)                                                                              \
    TWO(mul_hi_u16, u16, u16, u16, (uint32_t)a * b >> 16)                                                              \
    TWO(mul_hi_s16, s16, s16, s16, (int32_t)a * b >> 16)                                                               \
    TWO(mul_hi_u32, u32, u32, u32, (uint64_t)a * b >> 32)                                                              \
    TWO(mul_hi_s32, s32, s32, s32, (int64_t)a * b >> 32)                                                               \
    TWO(mul_hi_u64, u64, u64, u64, (unsigned __int128)a * b >> 64)                                                     \
    TWO(mul_hi_s64, s64, s64, s64, (__int128)a * b >> 64)                                                              \
    TWO(mul_wide_u16, u32, u16, u16, (uint32_t)a * b)                                                                  \
    TWO(mul_wide_s16, s32, s16, s16, (int32_t)a * b)                                                                   \
    TWO(mul_wide_u32, u64, u32, u32, (uint64_t)a * b)                                                                  \
    TWO(mul_wide_s32, s64, s32, s32, (int64_t)a * b)                                                                   \
    THREE(mad_lo_u16, u16, u16, u16, u16, (uint32_t)a * b + c)                                                         \
    LIKE(mad_lo_u32, u32, u32, u32, u32, imad, 0)                                                                      \
    THREE(mad_lo_u64, u64, u64, u64, u64, a * b + c)                                                                   \
    THREE(mad_hi_u16, u16, u16, u16, u16, ((uint32_t)a * b >> 16) + c)                                                 \
    THREE(mad_hi_s16, s16, s16, s16, s16, ((int32_t)a * b >> 16) + c)                                                  \
    THREE(mad_hi_u32, u32, u32, u32, u32, (uint32_t)((uint64_t)a * b >> 32) + c)                                       \
    THREE(mad_hi_s32, s32, s32, s32, s32, (uint32_t)((int64_t)a * b >> 32) + (uint32_t)c)                              \
    THREE(mad_hi_sat_s32, s32, s32, s32, s32, saturate_s32(((int64_t)a * b >> 32) + c))                                \
    THREE(mad_hi_u64, u64, u64, u64, u64, (uint64_t)((unsigned __int128)a * b >> 64) + c)                              \
    THREE(mad_hi_s64, s64, s64, s64, s64, (uint64_t)((__int128)a * b >> 64) + (uint64_t)c)                             \
    THREE(mad_wide_u16, u32, u16, u16, u32, (uint32_t)a * b + c)                                                       \
    THREE(mad_wide_s16, u32, s16, s16, u32, (uint32_t)((int32_t)a * b) + c)                                            \
    THREE(mad_wide_u32, u64, u32, u32, u64, (uint64_t)a * b + c)                                                       \
    THREE(mad_wide_s32, u64, s32, s32, u64, (uint64_t)((int64_t)a * b) + c)                                            \
    TWO(mul24_lo_u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff))                                                  \
    TWO(mul24_lo_s32, s32, s32, s32, (uint32_t)low24(a) * (uint32_t)low24(b))                                          \
    TWO(mul24_hi_u32, u32, u32, u32, (uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16)                                  \
    TWO(mul24_hi_s32, s32, s32, s32, (int64_t)low24(a) * low24(b) >> 16)                                               \
    THREE(mad24_lo_u32, u32, u32, u32, u32, (a & 0xffffff) * (b & 0xffffff) + c)                                       \
    THREE(mad24_lo_s32, u32, s32, s32, u32, (uint32_t)low24(a) * (uint32_t)low24(b) + c)                               \
    THREE(mad24_hi_u32, u32, u32, u32, u32, (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16) + c)           \
    THREE(mad24_hi_s32, u32, s32, s32, u32, (uint32_t)((int64_t)low24(a) * low24(b) >> 16) + c)                        \
    THREE(mad24_hi_sat_s32, s32, s32, s32, s32, saturate_s32(((int64_t)low24(a) * low24(b) >> 16) + c))                \
    THREE(sad_u16, u16, u16, u16, u16, c + (a < b ? b - a : a - b))                                                    \
    THREE(sad_s16, u16, s16, s16, u16, c + (a < b ? b - a : a - b))                                                    \
    LIKE(sad_u32, u32, u32, u32, u32, vabsdiff, 0)                                                                     \
    LIKE(sad_s32, u32, s32, s32, u32, vabsdiff, EXECUTE_WORDS_SIGNED)                                                  \
    THREE(sad_u64, u64, u64, u64, u64, c + (a < b ? b - a : a - b))                                                    \
    THREE(sad_s64, u64, s64, s64, u64, c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))            \
    TWO(div_u16, u16, u16, u16, b ? a / b : 0xffff)                                                                    \
    TWO(div_u32, u32, u32, u32, b ? a / b : ~0u)                                                                       \
    TWO(div_u64, u64, u64, u64, b ? a / b : ~UINT64_C(0))                                                              \
    TWO(div_s16, s16, s16, s16, divide(a, b))                                                                          \
    TWO(div_s32, s32, s32, s32, divide(a, b))                                                                          \
    TWO(div_s64, s64, s64, s64, divide(a, b))                                                                          \
    TWO(rem_u16, u16, u16, u16, b ? a % b : 0xffff)                                                                    \
    TWO(rem_u32, u32, u32, u32, b ? a % b : ~0u)                                                                       \
    TWO(rem_u64, u64, u64, u64, b ? a % b : ~UINT64_C(0))                                                              \
    TWO(rem_s16, s16, s16, s16, remainder_of(a, b))                                                                    \
    TWO(rem_s32, s32, s32, s32, remainder_of(a, b))                                                                    \
    TWO(rem_s64, s64, s64, s64, remainder_of(a, b))                                                                    \
    ONE(abs_s16, u16, s16, a < 0 ? -(uint32_t)a : (uint32_t)a)                                                         \
    LIKE(abs_s32, u32, s32, none, none, iabs, 0)                                                                       \
    ONE(abs_s64, u64, s64, a < 0 ? -(uint64_t)a : (uint64_t)a)                                                         \
    ONE(neg_s16, u16, u16, -(uint32_t)a)                                                                               \
    LIKE(neg_s32, u32, u32, none, none, neg, EXECUTE_WORDS_NEGATE_A)                                                   \
    ONE(neg_s64, u64, u64, -a)                                                                                         \
    TWO(min_u16, u16, u16, u16, a < b ? a : b)                                                                         \
    TWO(max_u16, u16, u16, u16, a > b ? a : b)                                                                         \
    TWO(min_s16, s16, s16, s16, a < b ? a : b)                                                                         \
    TWO(max_s16, s16, s16, s16, a > b ? a : b)                                                                         \
    LIKE(min_u32, u32, u32, u32, none, imnmx, EXECUTE_WORDS_LEAST)                                                     \
    LIKE(max_u32, u32, u32, u32, none, imnmx, EXECUTE_WORDS_MOST)                                                      \
    LIKE(min_s32, s32, s32, s32, none, imnmx, EXECUTE_WORDS_LEAST | EXECUTE_WORDS_SIGNED)                              \
    LIKE(max_s32, s32, s32, s32, none, imnmx, EXECUTE_WORDS_MOST | EXECUTE_WORDS_SIGNED)                               \
    TWO(min_u64, u64, u64, u64, a < b ? a : b)                                                                         \
    TWO(max_u64, u64, u64, u64, a > b ? a : b)                                                                         \
    TWO(min_s64, s64, s64, s64, a < b ? a : b)                                                                         \
    TWO(max_s64, s64, s64, s64, a > b ? a : b)                                                                         \
    LIKE(min_relu_s32, s32, s32, s32, none, imnmx, EXECUTE_WORDS_LEAST | EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_RELU)    \
    LIKE(max_relu_s32, s32, s32, s32, none, imnmx, EXECUTE_WORDS_MOST | EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_RELU)     \
    LIKE(min_u16x2, u32, u32, u32, none, imnmx_pair, EXECUTE_WORDS_LEAST)                                              \
    LIKE(max_u16x2, u32, u32, u32, none, imnmx_pair, EXECUTE_WORDS_MOST)                                               \
    LIKE(min_s16x2, u32, u32, u32, none, imnmx_pair, EXECUTE_WORDS_LEAST | EXECUTE_WORDS_SIGNED)                       \
    LIKE(max_s16x2, u32, u32, u32, none, imnmx_pair, EXECUTE_WORDS_MOST | EXECUTE_WORDS_SIGNED)                        \
    LIKE(min_relu_s16x2, u32, u32, u32, none, imnmx_pair,                                                              \
         EXECUTE_WORDS_LEAST | EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_RELU)                                              \
    LIKE(max_relu_s16x2, u32, u32, u32, none, imnmx_pair,                                                              \
         EXECUTE_WORDS_MOST | EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_RELU)                                               \
    LIKE(popc_b32, u32, u32, none, none, popc, 0)                                                                      \
    ONE(popc_b64, u32, u64, (uint32_t)__builtin_popcountll(a))                                                         \
    ONE(clz_b32, u32, u32, a ? (uint32_t)__builtin_clz(a | 1) : 32)                                                    \
    ONE(clz_b64, u32, u64, a ? (uint32_t)__builtin_clzll(a | 1) : 64)                                                  \
    LIKE(brev_b32, u32, u32, none, none, brev, 0)                                                                      \
    ONE(brev_b64, u64, u64, reverse64(a))                                                                              \
    ONE(bfind_u32, u32, u32, find32(a))                                                                                \
    ONE(bfind_s32, u32, s32, find32((uint32_t)(a < 0 ? ~a : a)))                                                       \
    ONE(bfind_u64, u32, u64, find64(a))                                                                                \
    ONE(bfind_s64, u32, s64, find64((uint64_t)(a < 0 ? ~a : a)))                                                       \
    ONE(bfind_shiftamt_u32, u32, u32, shift_to_top(find32(a), 31))                                                     \
    ONE(bfind_shiftamt_s32, u32, s32, shift_to_top(find32((uint32_t)(a < 0 ? ~a : a)), 31))                            \
    ONE(bfind_shiftamt_u64, u32, u64, shift_to_top(find64(a), 63))                                                     \
    ONE(bfind_shiftamt_s64, u32, s64, shift_to_top(find64((uint64_t)(a < 0 ? ~a : a)), 63))                            \
    THREE(fns_b32, u32, u32, u32, s32, find_nth(a, b, c))                                                              \
    THREE(bfe_u32, u32, u32, u32, u32, extract_unsigned(a, b, c, 32))                                                  \
    THREE(bfe_s32, u32, u32, u32, u32, extract_signed(a, b, c, 32))                                                    \
    THREE(bfe_u64, u64, u64, u32, u32, extract_unsigned(a, b, c, 64))                                                  \
    THREE(bfe_s64, u64, u64, u32, u32, extract_signed(a, b, c, 64))                                                    \
    LIKE(bmsk_clamp_b32, u32, u32, u32, none, bmsk, 0)                                                                 \
    LIKE(bmsk_wrap_b32, u32, u32, u32, none, bmsk, EXECUTE_WORDS_WRAP)                                                 \
    LIKE(szext_clamp_s32, u32, u32, u32, none, sgxt, EXECUTE_WORDS_SIGNED)                                             \
    LIKE(szext_clamp_u32, u32, u32, u32, none, sgxt, 0)                                                                \
    LIKE(szext_wrap_s32, u32, u32, u32, none, sgxt, EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_WRAP)                         \
    LIKE(szext_wrap_u32, u32, u32, u32, none, sgxt, EXECUTE_WORDS_WRAP)                                                \
    LIKE(dp4a_u32_u32, u32, u32, u32, u32, idp4, 0)                                                                    \
    LIKE(dp4a_u32_s32, u32, u32, u32, u32, idp4, EXECUTE_WORDS_HIGH)                                                   \
    LIKE(dp4a_s32_u32, u32, u32, u32, u32, idp4, EXECUTE_WORDS_SIGNED)                                                 \
    LIKE(dp4a_s32_s32, u32, u32, u32, u32, idp4, EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_HIGH)                            \
    LIKE(dp2a_lo_u32_u32, u32, u32, u32, u32, idp2, 0)                                                                 \
    LIKE(dp2a_lo_u32_s32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_HIGH)                                                \
    LIKE(dp2a_lo_s32_u32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_SIGNED)                                              \
    LIKE(dp2a_lo_s32_s32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_HIGH)                         \
    LIKE(dp2a_hi_u32_u32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_RIGHT)                                               \
    LIKE(dp2a_hi_u32_s32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_HIGH | EXECUTE_WORDS_RIGHT)                          \
    LIKE(dp2a_hi_s32_u32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_RIGHT)                        \
    LIKE(dp2a_hi_s32_s32, u32, u32, u32, u32, idp2, EXECUTE_WORDS_SIGNED | EXECUTE_WORDS_HIGH | EXECUTE_WORDS_RIGHT)

#define EXECUTE_LANES_LOGIC(ONE, TWO, THREE, LIKE, WITH)                                                               \
    ONE(mov_b16, u16, u16, a)                                                                                          \
    LIKE(mov_b32, u32, u32, none, none, mov, 0)                                                                        \
    ONE(mov_b64, u64, u64, a)                                                                                          \
    TWO(and_b16, u16, u16, u16, a & b)                                                                                 \
    TWO(and_b32, u32, u32, u32, a & b)                                                                                 \
    TWO(and_b64, u64, u64, u64, a & b)                                                                                 \
    TWO(or_b16, u16, u16, u16, a | b)                                                                                  \
    TWO(or_b32, u32, u32, u32, a | b)                                                                                  \
    TWO(or_b64, u64, u64, u64, a | b)                                                                                  \
    TWO(xor_b16, u16, u16, u16, a ^ b)                                                                                 \
    TWO(xor_b32, u32, u32, u32, a ^ b)                                                                                 \
    TWO(xor_b64, u64, u64, u64, a ^ b)                                                                                 \
    ONE(not_b16, u16, u16, ~a)                                                                                         \
    ONE(not_b32, u32, u32, ~a)                                                                                         \
    ONE(not_b64, u64, u64, ~a)                                                                                         \
    ONE(cnot_b16, u16, u16, a == 0)                                                                                    \
    ONE(cnot_b32, u32, u32, a == 0)                                                                                    \
    ONE(cnot_b64, u64, u64, a == 0)                                                                                    \
    TWO(shl_b16, u16, u16, u32, b > 15 ? 0 : (uint32_t)a << (b & 15))                                                  \
    TWO(shl_b32, u32, u32, u32, b > 31 ? 0 : a << (b & 31))                                                            \
    TWO(shl_b64, u64, u64, u32, b > 63 ? 0 : a << (b & 63))                                                            \
    TWO(shr_u16, u16, u16, u32, b > 15 ? 0 : a >> (b & 15))                                                            \
    TWO(shr_u32, u32, u32, u32, b > 31 ? 0 : a >> (b & 31))                                                            \
    TWO(shr_u64, u64, u64, u32, b > 63 ? 0 : a >> (b & 63))                                                            \
    TWO(shr_s16, s16, s16, u32, a >> (b > 15 ? 15 : b))                                                                \
    TWO(shr_s32, s32, s32, u32, a >> (b > 31 ? 31 : b))                                                                \
    TWO(shr_s64, s64, s64, u32, a >> (b > 63 ? 63 : b))                                                                \
    WITH(shf_l_clamp_b32, u32, u32, u32, u32, shf_swapped, EXECUTE_WORDS_HIGH)                                         \
    WITH(shf_r_clamp_b32, u32, u32, u32, u32, shf_swapped, EXECUTE_WORDS_RIGHT)                                        \
    WITH(shf_l_wrap_b32, u32, u32, u32, u32, shf_swapped, EXECUTE_WORDS_HIGH | EXECUTE_WORDS_WRAP)                     \
    WITH(shf_r_wrap_b32, u32, u32, u32, u32, shf_swapped, EXECUTE_WORDS_RIGHT | EXECUTE_WORDS_WRAP)                    \
    WITH(lop3_b32, u32, u32, u32, u32, lop3, w->modifiers)                                                             \
    WITH(prmt_b32, u32, u32, u32, u32, prmt_swapped, 0)                                                                \
    WITH(prmt_b32_f4e, u32, u32, u32, u32, prmt_f4e_swapped, 0)                                                        \
    WITH(prmt_b32_b4e, u32, u32, u32, u32, prmt_b4e_swapped, 0)                                                        \
    WITH(prmt_b32_rc8, u32, u32, u32, u32, prmt_rc8_swapped, 0)                                                        \
    WITH(prmt_b32_ecl, u32, u32, u32, u32, prmt_ecl_swapped, 0)                                                        \
    WITH(prmt_b32_ecr, u32, u32, u32, u32, prmt_ecr_swapped, 0)                                                        \
    WITH(prmt_b32_rc16, u32, u32, u32, u32, prmt_rc16_swapped, 0)                                                      \
    THREE(slct_b16_s32, u16, u16, u16, s32, c >= 0 ? a : b)                                                            \
    THREE(slct_b32_s32, u32, u32, u32, s32, c >= 0 ? a : b)                                                            \
    THREE(slct_b64_s32, u64, u64, u64, s32, c >= 0 ? a : b)                                                            \
    THREE(slct_b16_f32, u16, u16, u16, f32, c >= 0 ? a : b)                                                            \
    THREE(slct_b32_f32, u32, u32, u32, f32, c >= 0 ? a : b)                                                            \
    THREE(slct_b64_f32, u64, u64, u64, f32, c >= 0 ? a : b)                                                            \
    THREE(slct_ftz_b16_f32, u16, u16, u16, f32, flush(c) >= 0 ? a : b)                                                 \
    THREE(slct_ftz_b64_f32, u64, u64, u64, f32, flush(c) >= 0 ? a : b)                                                 \
    THREE(slct_ftz_b32_f32, u32, u32, u32, f32, flush(c) >= 0 ? a : b)

/* `f`: none; `z`: .ftz; a result is put into range by .sat. */
#define EXECUTE_LANES_SINGLE(ONE, TWO, THREE, LIKE, WITH)                                                              \
    LIKE(add_f32, f32, f32, f32, none, fadd, 0)                                                                        \
    LIKE(add_ftz_f32, f32, f32, f32, none, fadd, EXECUTE_WORDS_FLUSH)                                                  \
    LIKE(add_sat_f32, f32, f32, f32, none, fadd, EXECUTE_WORDS_SATURATE)                                               \
    LIKE(add_ftz_sat_f32, f32, f32, f32, none, fadd, EXECUTE_WORDS_FLUSH | EXECUTE_WORDS_SATURATE)                     \
    LIKE(sub_f32, f32, f32, f32, none, fadd, EXECUTE_WORDS_NEGATE_B)                                                   \
    LIKE(sub_ftz_f32, f32, f32, f32, none, fadd, EXECUTE_WORDS_NEGATE_B | EXECUTE_WORDS_FLUSH)                         \
    LIKE(sub_sat_f32, f32, f32, f32, none, fadd, EXECUTE_WORDS_NEGATE_B | EXECUTE_WORDS_SATURATE)                      \
    LIKE(sub_ftz_sat_f32, f32, f32, f32, none, fadd,                                                                   \
         EXECUTE_WORDS_NEGATE_B | EXECUTE_WORDS_FLUSH | EXECUTE_WORDS_SATURATE)                                        \
    LIKE(mul_f32, f32, f32, f32, none, fmul, 0)                                                                        \
    LIKE(mul_ftz_f32, f32, f32, f32, none, fmul, EXECUTE_WORDS_FLUSH)                                                  \
    LIKE(mul_sat_f32, f32, f32, f32, none, fmul, EXECUTE_WORDS_SATURATE)                                               \
    LIKE(mul_ftz_sat_f32, f32, f32, f32, none, fmul, EXECUTE_WORDS_FLUSH | EXECUTE_WORDS_SATURATE)                     \
    LIKE(fma_rn_f32, f32, f32, f32, f32, ffma, 0)                                                                      \
    LIKE(fma_rn_ftz_f32, f32, f32, f32, f32, ffma, EXECUTE_WORDS_FLUSH)                                                \
    LIKE(fma_rn_sat_f32, f32, f32, f32, f32, ffma, EXECUTE_WORDS_SATURATE)                                             \
    LIKE(fma_rn_ftz_sat_f32, f32, f32, f32, f32, ffma, EXECUTE_WORDS_FLUSH | EXECUTE_WORDS_SATURATE)                   \
    LIKE(add_f32x2, u64, u64, u64, none, fadd2, EXECUTE_WORDS_WHOLE)                                                   \
    LIKE(sub_f32x2, u64, u64, u64, none, fadd2, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_NEGATE_B)                          \
    LIKE(mul_f32x2, u64, u64, u64, none, fmul2, EXECUTE_WORDS_WHOLE)                                                   \
    LIKE(fma_rn_f32x2, u64, u64, u64, u64, ffma2, EXECUTE_WORDS_WHOLE)                                                 \
    LIKE(add_ftz_f32x2, u64, u64, u64, none, fadd2, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_FLUSH)                         \
    LIKE(sub_ftz_f32x2, u64, u64, u64, none, fadd2, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_NEGATE_B | EXECUTE_WORDS_FLUSH)\
    LIKE(mul_ftz_f32x2, u64, u64, u64, none, fmul2, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_FLUSH)                         \
    LIKE(fma_rn_ftz_f32x2, u64, u64, u64, u64, ffma2, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_FLUSH)                       \
    ONE(abs_f32, f32, f32, canonical(magnitude(a)))                                                                    \
    ONE(abs_ftz_f32, f32, f32, canonical(magnitude(flush(a))))                                                         \
    ONE(neg_f32, f32, f32, canonical(-a))                                                                              \
    ONE(neg_ftz_f32, f32, f32, canonical(-flush(a)))                                                                   \
    TWO(copysign_f32, u32, u32, u32, (b & 0x7fffffff) | (a & 0x80000000))                                              \
    LIKE(min_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_LEAST)                                                     \
    LIKE(min_ftz_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_LEAST | EXECUTE_WORDS_FLUSH)                           \
    LIKE(max_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_MOST)                                                      \
    LIKE(max_ftz_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_MOST | EXECUTE_WORDS_FLUSH)                            \
    LIKE(min_NaN_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_LEAST | EXECUTE_WORDS_NAN)                             \
    LIKE(min_ftz_NaN_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_LEAST | EXECUTE_WORDS_FLUSH | EXECUTE_WORDS_NAN)   \
    LIKE(max_NaN_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_MOST | EXECUTE_WORDS_NAN)                              \
    LIKE(max_ftz_NaN_f32, f32, f32, f32, none, fmnmx, EXECUTE_WORDS_MOST | EXECUTE_WORDS_FLUSH | EXECUTE_WORDS_NAN)    \
    TWO(div_rn_f32, f32, f32, f32, canonical(a / b))                                                                   \
    TWO(div_rn_ftz_f32, f32, f32, f32, flush(canonical(flush(a) / flush(b))))                                          \
    TWO(div_approx_f32, f32, f32, f32, divide_approximately(a, b))                                                     \
    TWO(div_approx_ftz_f32, f32, f32, f32, divide_approximately_ftz(a, b))                                             \
    TWO(div_full_f32, f32, f32, f32, divide_fully(a, b))                                                               \
    TWO(div_full_ftz_f32, f32, f32, f32, divide_fully_ftz(a, b))                                                       \
    ONE(rcp_rn_f32, f32, f32, canonical(1.0f / a))                                                                     \
    ONE(rcp_rn_ftz_f32, f32, f32, flush(canonical(1.0f / flush(a))))                                                   \
    ONE(rcp_approx_f32, f32, f32, reciprocal_of(a))                                                                    \
    ONE(sqrt_rn_f32, f32, f32, canonical(__builtin_sqrtf(a)))                                                          \
    ONE(sqrt_rn_ftz_f32, f32, f32, canonical(__builtin_sqrtf(flush(a))))                                               \
    ONE(sqrt_approx_f32, f32, f32, root_approximately(a))                                                              \
    ONE(rsqrt_approx_f32, f32, f32, reciprocal_root_of(a))                                                             \
    LIKE(rsqrt_approx_ftz_f32, f32, f32, none, none, mufu_rsq, 0)                                                      \
    ONE(sin_approx_f32, f32, f32, sine_approximately(a))                                                               \
    ONE(cos_approx_f32, f32, f32, cosine_approximately(a))                                                             \
    ONE(ex2_approx_f32, f32, f32, power2_approximately(a))                                                             \
    LIKE(ex2_approx_ftz_f32, f32, f32, none, none, mufu_ex2, 0)                                                        \
    ONE(lg2_approx_f32, f32, f32, logarithm2_approximately(a))                                                         \
    LIKE(lg2_approx_ftz_f32, f32, f32, none, none, mufu_lg2, 0)                                                        \
    LIKE(tanh_approx_f32, f32, f32, none, none, mufu_tanh, 0)

#define EXECUTE_LANES_HALF(ONE, TWO, THREE, LIKE, WITH)                                                                \
    LIKE(add_f16, u16, u16, u16, none, hadd2, EXECUTE_WORDS_LOWER)                                                     \
    LIKE(sub_f16, u16, u16, u16, none, hadd2, EXECUTE_WORDS_NEGATE_B | EXECUTE_WORDS_LOWER)                            \
    LIKE(mul_f16, u16, u16, u16, none, hmul2, EXECUTE_WORDS_LOWER)                                                     \
    LIKE(fma_rn_f16, u16, u16, u16, u16, hfma2, EXECUTE_WORDS_LOWER)                                                   \
    LIKE(add_f16x2, u32, u32, u32, none, hadd2, 0)                                                                     \
    LIKE(sub_f16x2, u32, u32, u32, none, hadd2, EXECUTE_WORDS_NEGATE_B)                                                \
    LIKE(mul_f16x2, u32, u32, u32, none, hmul2, 0)                                                                     \
    LIKE(fma_rn_f16x2, u32, u32, u32, u32, hfma2, 0)

#define EXECUTE_LANES_DOUBLE(ONE, TWO, THREE, LIKE, WITH)                                                              \
    LIKE(add_f64, f64, f64, f64, none, dadd, EXECUTE_WORDS_WHOLE)                                                      \
    LIKE(sub_f64, f64, f64, f64, none, dadd, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_NEGATE_B)                             \
    LIKE(mul_f64, f64, f64, f64, none, dmul, EXECUTE_WORDS_WHOLE)                                                      \
    LIKE(fma_rn_f64, f64, f64, f64, f64, dfma, EXECUTE_WORDS_WHOLE)                                                    \
    ONE(abs_f64, u64, u64, quiet2(a << 1 >> 1))                                                                        \
    ONE(neg_f64, u64, u64, quiet2(a ^ UINT64_C(1) << 63))                                                              \
    TWO(copysign_f64, u64, u64, u64, b << 1 >> 1 | a >> 63 << 63)                                                      \
    TWO(min_f64, f64, f64, f64, least2(a, b))                                                                          \
    TWO(max_f64, f64, f64, f64, greatest2(a, b))                                                                       \
    TWO(div_rn_f64, f64, f64, f64, settle(a / b, a, b, 0))                                                             \
    ONE(rcp_rn_f64, f64, f64, settle(1.0 / a, a, a, 0))                                                                \
    ONE(sqrt_rn_f64, f64, f64, settle(__builtin_sqrt(a), a, a, 0))                                                     \
    ONE(rcp_approx_ftz_f64, u64, u64, reciprocal_approximately(a))                                                     \
    ONE(rsqrt_approx_f64, f64, f64, reciprocal_root_of_double(a))                                                      \
    ONE(rsqrt_approx_ftz_f64, u64, u64, reciprocal_root_approximately(a))

/* Functions of operations that compilation creates itself: sums and extrema of three operands. */
#define EXECUTE_LANES_OTHER(ONE, TWO, THREE, LIKE, WITH)                                                               \
    LIKE(add3_u32, u32, u32, u32, u32, iadd3, 0)                                                                       \
    WITH(extreme3_f32, f32, f32, f32, f32, fmnmx3, w->modifiers)

/* Conversions that compilers write often; convert.c does all the others. */
#define EXECUTE_LANES_TO_INTEGER(ONE, D, S)                                                                            \
    ONE(cvt_##D##_##S, D, S, a)
#define EXECUTE_LANES_FROM(ONE, S)                                                                                     \
    EXECUTE_LANES_TO_INTEGER(ONE, u8, S)                                                                               \
    EXECUTE_LANES_TO_INTEGER(ONE, s8, S)                                                                               \
    EXECUTE_LANES_TO_INTEGER(ONE, u16, S)                                                                              \
    EXECUTE_LANES_TO_INTEGER(ONE, s16, S)                                                                              \
    EXECUTE_LANES_TO_INTEGER(ONE, u32, S)                                                                              \
    EXECUTE_LANES_TO_INTEGER(ONE, s32, S)                                                                              \
    EXECUTE_LANES_TO_INTEGER(ONE, u64, S)                                                                              \
    EXECUTE_LANES_TO_INTEGER(ONE, s64, S)
#define EXECUTE_LANES_CONVERT(ONE, TWO, THREE, LIKE, WITH)                                                             \
    EXECUTE_LANES_FROM(ONE, u8)                                                                                        \
    EXECUTE_LANES_FROM(ONE, s8)                                                                                        \
    EXECUTE_LANES_FROM(ONE, u16)                                                                                       \
    EXECUTE_LANES_FROM(ONE, s16)                                                                                       \
    EXECUTE_LANES_FROM(ONE, u32)                                                                                       \
    EXECUTE_LANES_FROM(ONE, s32)                                                                                       \
    EXECUTE_LANES_FROM(ONE, u64)                                                                                       \
    EXECUTE_LANES_FROM(ONE, s64)                                                                                       \
    ONE(cvt_rn_f32_u8, f32, u8, (float)a)                                                                              \
    ONE(cvt_rn_f32_s8, f32, s8, (float)a)                                                                              \
    ONE(cvt_rn_f32_u16, f32, u16, (float)a)                                                                            \
    ONE(cvt_rn_f32_s16, f32, s16, (float)a)                                                                            \
    LIKE(cvt_rn_f32_u32, f32, u32, none, none, i2f_u32, 0)                                                             \
    LIKE(cvt_rn_f32_s32, f32, s32, none, none, i2f_s32, 0)                                                             \
    ONE(cvt_rn_f32_u64, f32, u64, (float)a)                                                                            \
    ONE(cvt_rn_f32_s64, f32, s64, (float)a)                                                                            \
    ONE(cvt_rn_f64_u8, f64, u8, (double)a)                                                                             \
    ONE(cvt_rn_f64_s8, f64, s8, (double)a)                                                                             \
    ONE(cvt_rn_f64_u16, f64, u16, (double)a)                                                                           \
    ONE(cvt_rn_f64_s16, f64, s16, (double)a)                                                                           \
    LIKE(cvt_rn_f64_u32, f64, u32, none, none, i2d_u32, EXECUTE_WORDS_WHOLE)                                           \
    LIKE(cvt_rn_f64_s32, f64, s32, none, none, i2d_s32, EXECUTE_WORDS_WHOLE)                                           \
    ONE(cvt_rn_f64_u64, f64, u64, (double)a)                                                                           \
    ONE(cvt_rn_f64_s64, f64, s64, (double)a)                                                                           \
    LIKE(cvt_f64_f32, f64, f32, none, none, f2d, EXECUTE_WORDS_WHOLE)                                                  \
    LIKE(cvt_rn_f32_f64, f32, f64, none, none, d2f, EXECUTE_WORDS_WHOLE)                                               \
    LIKE(cvt_rzi_s32_f32, s32, f32, none, none, f2i_s32, 0)                                                            \
    LIKE(cvt_rzi_u32_f32, u32, f32, none, none, f2i_u32, 0)                                                            \
    ONE(cvt_rni_s32_f32, s32, f32, to_s32(nearest(a)))                                                                 \
    ONE(cvt_rmi_s32_f32, s32, f32, to_s32(floor_of(a)))                                                                \
    ONE(cvt_rpi_s32_f32, s32, f32, to_s32(-floor_of(-a)))                                                              \
    LIKE(cvt_rzi_s32_f64, s32, f64, none, none, d2i_s32, EXECUTE_WORDS_WHOLE)                                          \
    ONE(cvt_rzi_u32_f64, u32, f64, double_to_u32(a))                                                                   \
    ONE(cvt_rzi_f32_f32, f32, f32, canonical(truncate_of(a)))                                                          \
    ONE(cvt_rni_f32_f32, f32, f32, canonical(nearest(a)))                                                              \
    ONE(cvt_rmi_f32_f32, f32, f32, canonical(floor_of(a)))                                                             \
    ONE(cvt_rpi_f32_f32, f32, f32, canonical(-floor_of(-a)))                                                           \
    ONE(cvt_f32_f16, u32, u16, widen_half(a))                                                                          \
    ONE(cvt_rn_f16_f32, u16, u32, narrow_to_half(a))                                                                   \
    ONE(cvt_sat_f32_f32, f32, f32, unit(a))

/* Comparisons (setp, set): name, function of words.h, modifiers. `.ftz` is part of a type here; `pairs`: of machine
 * code, where a value of 64 bits is two words. */
#define EXECUTE_TESTS_ORDER(TEST, T, function, m)                                                                      \
    TEST(eq_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_EQ))                                              \
    TEST(ne_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NE))                                              \
    TEST(lt_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_LT))                                              \
    TEST(le_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_LE))                                              \
    TEST(gt_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_GT))                                              \
    TEST(ge_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_GE))
#define EXECUTE_TESTS_FLOAT(TEST, T, function, m)                                                                      \
    EXECUTE_TESTS_ORDER(TEST, T, function, m)                                                                          \
    TEST(num_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NUM))                                            \
    TEST(nan_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_NUM)))                         \
    TEST(equ_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_NE)))                          \
    TEST(neu_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_EQ)))                          \
    TEST(ltu_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_GE)))                          \
    TEST(leu_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_GT)))                          \
    TEST(gtu_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_LE)))                          \
    TEST(geu_##T, function, (m) | EXECUTE_WORDS_ORDERED(EXECUTE_WORDS_NOT(EXECUTE_WORDS_LT)))
#define EXECUTE_TESTS(TEST)                                                                                            \
    EXECUTE_TESTS_ORDER(TEST, u16, isetp, EXECUTE_WORDS_LOWER)                                                         \
    EXECUTE_TESTS_ORDER(TEST, s16, isetp, EXECUTE_WORDS_LOWER | EXECUTE_WORDS_SIGNED)                                  \
    EXECUTE_TESTS_ORDER(TEST, u32, isetp, 0)                                                                           \
    EXECUTE_TESTS_ORDER(TEST, s32, isetp, EXECUTE_WORDS_SIGNED)                                                        \
    EXECUTE_TESTS_ORDER(TEST, u64, isetp_64, EXECUTE_WORDS_WHOLE)                                                      \
    EXECUTE_TESTS_ORDER(TEST, s64, isetp_64, EXECUTE_WORDS_WHOLE | EXECUTE_WORDS_SIGNED)                               \
    EXECUTE_TESTS_FLOAT(TEST, f32, fsetp, 0)                                                                           \
    EXECUTE_TESTS_FLOAT(TEST, ftz_f32, fsetp, EXECUTE_WORDS_FLUSH)                                                     \
    EXECUTE_TESTS_FLOAT(TEST, f64, dsetp, EXECUTE_WORDS_WHOLE)                                                         \
    EXECUTE_TESTS_FLOAT(TEST, f64_pairs, dsetp, 0)

#define EXECUTE_LANES_OF_FORMS(ONE, TWO, THREE, LIKE, WITH)                                                            \
    EXECUTE_LANES_INTEGER(ONE, TWO, THREE, LIKE, WITH)                                                                 \
    EXECUTE_LANES_LOGIC(ONE, TWO, THREE, LIKE, WITH)                                                                   \
    EXECUTE_LANES_SINGLE(ONE, TWO, THREE, LIKE, WITH)                                                                  \
    EXECUTE_LANES_HALF(ONE, TWO, THREE, LIKE, WITH)                                                                    \
    EXECUTE_LANES_DOUBLE(ONE, TWO, THREE, LIKE, WITH)                                                                  \
    EXECUTE_LANES_CONVERT(ONE, TWO, THREE, LIKE, WITH)
#define EXECUTE_LANES(ONE, TWO, THREE, LIKE, WITH)                                                                     \
    EXECUTE_LANES_OF_FORMS(ONE, TWO, THREE, LIKE, WITH)                                                                \
    EXECUTE_LANES_OTHER(ONE, TWO, THREE, LIKE, WITH)

#endif
