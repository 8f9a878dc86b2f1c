/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arithmetic that is done on all 32 lanes at once, as one list: name, types of result and sources, expression of one
 * lane's a, b, c and the immediate `i`. Expressions use the helpers of lane_math.h. lanes.c makes a loop of each row.
 * A name is that of a form of PTX, with `_` for each point; the forms that share a row are known to the front-end.
 *
 *   ONE(name, D, A, expression)   TWO(name, D, A, B, expression)   THREE(name, D, A, B, C, expression)
 *   TEST(name, A, B, expression)  yields a mask of lanes
 */
#ifndef EXECUTE_LANE_LIST_H
#define EXECUTE_LANE_LIST_H

/* clang-format off */
#define EXECUTE_LANES_INTEGER(ONE, TWO, THREE)                                                                         \
    TWO(add_u16, u16, u16, u16, a + b)                                                                                 \
    TWO(add_u32, u32, u32, u32, a + b)                                                                                 \
    TWO(add_u64, u64, u64, u64, a + b)                                                                                 \
    TWO(sub_u16, u16, u16, u16, a - b)                                                                                 \
    TWO(sub_u32, u32, u32, u32, a - b)                                                                                 \
    TWO(sub_u64, u64, u64, u64, a - b)                                                                                 \
    TWO(add_u16x2, u32, u32, u32, ((a + b) & 0xffff) | ((a & 0xffff0000u) + (b & 0xffff0000u)))                        \
    TWO(add_sat_s32, s32, s32, s32, saturate_s32((int64_t)a + b))                                                      \
    TWO(sub_sat_s32, s32, s32, s32, saturate_s32((int64_t)a - b))                                                      \
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
    THREE(mad_lo_u32, u32, u32, u32, u32, a * b + c)                                                                   \
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
    THREE(sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))                                                    \
    THREE(sad_s32, u32, s32, s32, u32, c + (a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b))            \
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
    ONE(abs_s32, u32, s32, a < 0 ? -(uint32_t)a : (uint32_t)a)                                                         \
    ONE(abs_s64, u64, s64, a < 0 ? -(uint64_t)a : (uint64_t)a)                                                         \
    ONE(neg_s16, u16, u16, -(uint32_t)a)                                                                               \
    ONE(neg_s32, u32, u32, -a)                                                                                         \
    ONE(neg_s64, u64, u64, -a)                                                                                         \
    TWO(min_u16, u16, u16, u16, a < b ? a : b)                                                                         \
    TWO(max_u16, u16, u16, u16, a > b ? a : b)                                                                         \
    TWO(min_s16, s16, s16, s16, a < b ? a : b)                                                                         \
    TWO(max_s16, s16, s16, s16, a > b ? a : b)                                                                         \
    TWO(min_u32, u32, u32, u32, a < b ? a : b)                                                                         \
    TWO(max_u32, u32, u32, u32, a > b ? a : b)                                                                         \
    TWO(min_s32, s32, s32, s32, a < b ? a : b)                                                                         \
    TWO(max_s32, s32, s32, s32, a > b ? a : b)                                                                         \
    TWO(min_u64, u64, u64, u64, a < b ? a : b)                                                                         \
    TWO(max_u64, u64, u64, u64, a > b ? a : b)                                                                         \
    TWO(min_s64, s64, s64, s64, a < b ? a : b)                                                                         \
    TWO(max_s64, s64, s64, s64, a > b ? a : b)                                                                         \
    TWO(min_relu_s32, s32, s32, s32, a < b ? (a < 0 ? 0 : a) : (b < 0 ? 0 : b))                                        \
    TWO(max_relu_s32, s32, s32, s32, a > b ? (a < 0 ? 0 : a) : (b < 0 ? 0 : b))                                        \
    TWO(min_u16x2, u32, u32, u32, pair16((uint16_t)a < (uint16_t)b ? a : b, a >> 16 < b >> 16 ? a >> 16 : b >> 16))    \
    TWO(max_u16x2, u32, u32, u32, pair16((uint16_t)a > (uint16_t)b ? a : b, a >> 16 > b >> 16 ? a >> 16 : b >> 16))    \
    TWO(min_s16x2, u32, u32, u32, least16(a, b))                                                                       \
    TWO(max_s16x2, u32, u32, u32, greatest16(a, b))                                                                    \
    TWO(min_relu_s16x2, u32, u32, u32, positive16(least16(a, b)))                                                      \
    TWO(max_relu_s16x2, u32, u32, u32, positive16(greatest16(a, b)))                                                   \
    ONE(popc_b32, u32, u32, (uint32_t)__builtin_popcount(a))                                                           \
    ONE(popc_b64, u32, u64, (uint32_t)__builtin_popcountll(a))                                                         \
    ONE(clz_b32, u32, u32, a ? (uint32_t)__builtin_clz(a | 1) : 32)                                                    \
    ONE(clz_b64, u32, u64, a ? (uint32_t)__builtin_clzll(a | 1) : 64)                                                  \
    ONE(brev_b32, u32, u32, reverse32(a))                                                                              \
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
    TWO(bmsk_clamp_b32, u32, u32, u32, bit_mask_clamp(a, b))                                                           \
    TWO(bmsk_wrap_b32, u32, u32, u32, bit_mask_clamp(a & 31, b & 31))                                                  \
    TWO(szext_clamp_s32, u32, u32, u32, b >= 32 ? a : extract_signed(a, 0, b, 32))                                     \
    TWO(szext_clamp_u32, u32, u32, u32, b >= 32 ? a : extract_unsigned(a, 0, b, 32))                                   \
    TWO(szext_wrap_s32, u32, u32, u32, extract_signed(a, 0, b & 31, 32))                                               \
    TWO(szext_wrap_u32, u32, u32, u32, extract_unsigned(a, 0, b & 31, 32))                                             \
    THREE(dp4a_u32_u32, u32, u32, u32, u32, c + dot4(a, b, 0, 0))                                                      \
    THREE(dp4a_u32_s32, u32, u32, u32, u32, c + dot4(a, b, 0, 1))                                                      \
    THREE(dp4a_s32_u32, u32, u32, u32, u32, c + dot4(a, b, 1, 0))                                                      \
    THREE(dp4a_s32_s32, u32, u32, u32, u32, c + dot4(a, b, 1, 1))                                                      \
    THREE(dp2a_lo_u32_u32, u32, u32, u32, u32, c + dot2(a, b, 0, 0))                                                   \
    THREE(dp2a_lo_u32_s32, u32, u32, u32, u32, c + dot2(a, b, 0, 1))                                                   \
    THREE(dp2a_lo_s32_u32, u32, u32, u32, u32, c + dot2(a, b, 1, 0))                                                   \
    THREE(dp2a_lo_s32_s32, u32, u32, u32, u32, c + dot2(a, b, 1, 1))                                                   \
    THREE(dp2a_hi_u32_u32, u32, u32, u32, u32, c + dot2(a, b >> 16, 0, 0))                                             \
    THREE(dp2a_hi_u32_s32, u32, u32, u32, u32, c + dot2(a, b >> 16, 0, 1))                                             \
    THREE(dp2a_hi_s32_u32, u32, u32, u32, u32, c + dot2(a, b >> 16, 1, 0))                                             \
    THREE(dp2a_hi_s32_s32, u32, u32, u32, u32, c + dot2(a, b >> 16, 1, 1))

#define EXECUTE_LANES_LOGIC(ONE, TWO, THREE)                                                                           \
    ONE(mov_b16, u16, u16, a)                                                                                          \
    ONE(mov_b32, u32, u32, a)                                                                                          \
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
    THREE(shf_l_clamp_b32, u32, u32, u32, u32, funnel_left(a, b, c < 32 ? c : 32))                                     \
    THREE(shf_r_clamp_b32, u32, u32, u32, u32, funnel_right(a, b, c < 32 ? c : 32))                                    \
    THREE(shf_l_wrap_b32, u32, u32, u32, u32, funnel_left(a, b, c & 31))                                               \
    THREE(shf_r_wrap_b32, u32, u32, u32, u32, funnel_right(a, b, c & 31))                                              \
    THREE(lop3_b32, u32, u32, u32, u32, logic3(a, b, c, i))                                                            \
    THREE(prmt_b32, u32, u32, u32, u32, permute(a, b, c))                                                              \
    THREE(prmt_b32_f4e, u32, u32, u32, u32, permute_f4e(a, b, c))                                                      \
    THREE(prmt_b32_b4e, u32, u32, u32, u32, permute_b4e(a, b, c))                                                      \
    THREE(prmt_b32_rc8, u32, u32, u32, u32, permute_rc8(a, b, c))                                                      \
    THREE(prmt_b32_ecl, u32, u32, u32, u32, permute_ecl(a, b, c))                                                      \
    THREE(prmt_b32_ecr, u32, u32, u32, u32, permute_ecr(a, b, c))                                                      \
    THREE(prmt_b32_rc16, u32, u32, u32, u32, permute_rc16(a, b, c))                                                    \
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
#define EXECUTE_LANES_SINGLE(ONE, TWO, THREE)                                                                          \
    TWO(add_f32, f32, f32, f32, canonical(a + b))                                                                      \
    TWO(add_ftz_f32, f32, f32, f32, flush(canonical(flush(a) + flush(b))))                                             \
    TWO(add_sat_f32, f32, f32, f32, unit(a + b))                                                                       \
    TWO(add_ftz_sat_f32, f32, f32, f32, flush(unit(flush(a) + flush(b))))                                              \
    TWO(sub_f32, f32, f32, f32, canonical(a - b))                                                                      \
    TWO(sub_ftz_f32, f32, f32, f32, flush(canonical(flush(a) - flush(b))))                                             \
    TWO(sub_sat_f32, f32, f32, f32, unit(a - b))                                                                       \
    TWO(sub_ftz_sat_f32, f32, f32, f32, flush(unit(flush(a) - flush(b))))                                              \
    TWO(mul_f32, f32, f32, f32, canonical(a * b))                                                                      \
    TWO(mul_ftz_f32, f32, f32, f32, flush(canonical(flush(a) * flush(b))))                                             \
    TWO(mul_sat_f32, f32, f32, f32, unit(a * b))                                                                       \
    TWO(mul_ftz_sat_f32, f32, f32, f32, flush(unit(flush(a) * flush(b))))                                              \
    THREE(fma_rn_f32, f32, f32, f32, f32, canonical(fused(a, b, c)))                                                   \
    THREE(fma_rn_ftz_f32, f32, f32, f32, f32, flush(canonical(fused(flush(a), flush(b), flush(c)))))                   \
    THREE(fma_rn_sat_f32, f32, f32, f32, f32, unit(fused(a, b, c)))                                                    \
    THREE(fma_rn_ftz_sat_f32, f32, f32, f32, f32, flush(unit(fused(flush(a), flush(b), flush(c)))))                    \
    TWO(add_f32x2, u64, u64, u64, add_pair(a, b))                                                                      \
    TWO(sub_f32x2, u64, u64, u64, sub_pair(a, b))                                                                      \
    TWO(mul_f32x2, u64, u64, u64, mul_pair(a, b))                                                                      \
    THREE(fma_rn_f32x2, u64, u64, u64, u64, fma_pair(a, b, c))                                                         \
    TWO(add_ftz_f32x2, u64, u64, u64, flush_each(add_pair(flush_each(a), flush_each(b))))                              \
    TWO(sub_ftz_f32x2, u64, u64, u64, flush_each(sub_pair(flush_each(a), flush_each(b))))                              \
    TWO(mul_ftz_f32x2, u64, u64, u64, flush_each(mul_pair(flush_each(a), flush_each(b))))                              \
    THREE(fma_rn_ftz_f32x2, u64, u64, u64, u64, flush_each(fma_pair(flush_each(a), flush_each(b), flush_each(c))))     \
    ONE(abs_f32, f32, f32, canonical(magnitude(a)))                                                                    \
    ONE(abs_ftz_f32, f32, f32, canonical(magnitude(flush(a))))                                                         \
    ONE(neg_f32, f32, f32, canonical(-a))                                                                              \
    ONE(neg_ftz_f32, f32, f32, canonical(-flush(a)))                                                                   \
    TWO(copysign_f32, u32, u32, u32, (b & 0x7fffffff) | (a & 0x80000000))                                              \
    TWO(min_f32, f32, f32, f32, least(a, b))                                                                           \
    TWO(min_ftz_f32, f32, f32, f32, least(flush(a), flush(b)))                                                         \
    TWO(max_f32, f32, f32, f32, greatest(a, b))                                                                        \
    TWO(max_ftz_f32, f32, f32, f32, greatest(flush(a), flush(b)))                                                      \
    TWO(min_NaN_f32, f32, f32, f32, least_nan(a, b))                                                                   \
    TWO(min_ftz_NaN_f32, f32, f32, f32, least_nan(flush(a), flush(b)))                                                 \
    TWO(max_NaN_f32, f32, f32, f32, greatest_nan(a, b))                                                                \
    TWO(max_ftz_NaN_f32, f32, f32, f32, greatest_nan(flush(a), flush(b)))                                              \
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
    ONE(rsqrt_approx_ftz_f32, f32, f32, sfu_rsq(a))                                                                    \
    ONE(sin_approx_f32, f32, f32, sine_approximately(a))                                                               \
    ONE(cos_approx_f32, f32, f32, cosine_approximately(a))                                                             \
    ONE(ex2_approx_f32, f32, f32, power2_approximately(a))                                                             \
    ONE(ex2_approx_ftz_f32, f32, f32, sfu_ex2(a))                                                                      \
    ONE(lg2_approx_f32, f32, f32, logarithm2_approximately(a))                                                         \
    ONE(lg2_approx_ftz_f32, f32, f32, sfu_lg2(a))                                                                      \
    ONE(tanh_approx_f32, f32, f32, hyperbolic_tangent(a))

#define EXECUTE_LANES_HALF(ONE, TWO, THREE)                                                                            \
    TWO(add_f16, u16, u16, u16, half_sum(a, b))                                                                        \
    TWO(sub_f16, u16, u16, u16, half_sum(a, b ^ 0x8000))                                                               \
    TWO(mul_f16, u16, u16, u16, half_product(a, b))                                                                    \
    THREE(fma_rn_f16, u16, u16, u16, u16, half_fused(a, b, c))                                                         \
    TWO(add_f16x2, u32, u32, u32, pair16(half_sum(a & 0xffff, b & 0xffff), half_sum(a >> 16, b >> 16)))                \
    TWO(sub_f16x2, u32, u32, u32,                                                                                      \
        pair16(half_sum(a & 0xffff, (b & 0xffff) ^ 0x8000), half_sum(a >> 16, b >> 16 ^ 0x8000)))                      \
    TWO(mul_f16x2, u32, u32, u32, pair16(half_product(a & 0xffff, b & 0xffff), half_product(a >> 16, b >> 16)))        \
    THREE(fma_rn_f16x2, u32, u32, u32, u32,                                                                            \
          pair16(half_fused(a & 0xffff, b & 0xffff, c & 0xffff), half_fused(a >> 16, b >> 16, c >> 16)))

#define EXECUTE_LANES_DOUBLE(ONE, TWO, THREE)                                                                          \
    TWO(add_f64, f64, f64, f64, settle(a + b, a, b, 0))                                                                \
    TWO(sub_f64, f64, f64, f64, settle(a - b, a, -b, 0))                                                               \
    TWO(mul_f64, f64, f64, f64, settle(a * b, a, b, 0))                                                                \
    THREE(fma_rn_f64, f64, f64, f64, f64, settle(fused2(a, b, c), a, b, c))                                            \
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

/* Those that no form names: sums of three, extremes of three, cvt.pack. */
#define EXECUTE_LANES_OTHER(ONE, TWO, THREE)                                                                           \
    THREE(add3_u32, u32, u32, u32, u32, a + b + c)                                                                     \
    THREE(extreme3_f32, f32, f32, f32, f32, extreme_of_three(a, b, c, i))                                              \
    THREE(cvt_pack, u32, u32, u32, u32, pack_saturated(a, b, c, i))

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
#define EXECUTE_LANES_CONVERT(ONE, TWO, THREE)                                                                         \
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
    ONE(cvt_rn_f32_u32, f32, u32, (float)a)                                                                            \
    ONE(cvt_rn_f32_s32, f32, s32, (float)a)                                                                            \
    ONE(cvt_rn_f32_u64, f32, u64, (float)a)                                                                            \
    ONE(cvt_rn_f32_s64, f32, s64, (float)a)                                                                            \
    ONE(cvt_rn_f64_u8, f64, u8, (double)a)                                                                             \
    ONE(cvt_rn_f64_s8, f64, s8, (double)a)                                                                             \
    ONE(cvt_rn_f64_u16, f64, u16, (double)a)                                                                           \
    ONE(cvt_rn_f64_s16, f64, s16, (double)a)                                                                           \
    ONE(cvt_rn_f64_u32, f64, u32, (double)a)                                                                           \
    ONE(cvt_rn_f64_s32, f64, s32, (double)a)                                                                           \
    ONE(cvt_rn_f64_u64, f64, u64, (double)a)                                                                           \
    ONE(cvt_rn_f64_s64, f64, s64, (double)a)                                                                           \
    ONE(cvt_f64_f32, f64, f32, widen_single(a))                                                                        \
    ONE(cvt_rn_f32_f64, f32, f64, canonical((float)a))                                                                 \
    ONE(cvt_rzi_s32_f32, s32, f32, to_s32(a))                                                                          \
    ONE(cvt_rzi_u32_f32, u32, f32, to_u32(a))                                                                          \
    ONE(cvt_rni_s32_f32, s32, f32, to_s32(nearest(a)))                                                                 \
    ONE(cvt_rmi_s32_f32, s32, f32, to_s32(floor_of(a)))                                                                \
    ONE(cvt_rpi_s32_f32, s32, f32, to_s32(-floor_of(-a)))                                                              \
    ONE(cvt_rzi_s32_f64, s32, f64, double_to_s32(a))                                                                   \
    ONE(cvt_rzi_u32_f64, u32, f64, double_to_u32(a))                                                                   \
    ONE(cvt_rzi_f32_f32, f32, f32, canonical(truncate_of(a)))                                                          \
    ONE(cvt_rni_f32_f32, f32, f32, canonical(nearest(a)))                                                              \
    ONE(cvt_rmi_f32_f32, f32, f32, canonical(floor_of(a)))                                                             \
    ONE(cvt_rpi_f32_f32, f32, f32, canonical(-floor_of(-a)))                                                           \
    ONE(cvt_f32_f16, u32, u16, widen_half(a))                                                                          \
    ONE(cvt_rn_f16_f32, u16, u32, narrow_to_half(a))                                                                   \
    ONE(cvt_sat_f32_f32, f32, f32, unit(a))

/* Comparisons (setp, set), tests (testp). */
#define EXECUTE_TESTS_ORDER(TEST, T)                                                                                   \
    TEST(lt_##T, T, a < b)                                                                                             \
    TEST(le_##T, T, a <= b)                                                                                            \
    TEST(gt_##T, T, a > b)                                                                                             \
    TEST(ge_##T, T, a >= b)
#define EXECUTE_TESTS_EQUAL(TEST, T) TEST(eq_##T, T, a == b) TEST(ne_##T, T, a != b)
#define EXECUTE_TESTS_UNORDERED(TEST, T)                                                                               \
    TEST(eq_##T, T, a == b)                                                                                            \
    TEST(ne_##T, T, (a < b) | (a > b))                                                                                 \
    TEST(equ_##T, T, !((a < b) | (a > b)))                                                                             \
    TEST(neu_##T, T, a != b)                                                                                           \
    TEST(ltu_##T, T, !(a >= b))                                                                                        \
    TEST(leu_##T, T, !(a > b))                                                                                         \
    TEST(gtu_##T, T, !(a <= b))                                                                                        \
    TEST(geu_##T, T, !(a < b))                                                                                         \
    TEST(num_##T, T, (a == a) & (b == b))                                                                              \
    TEST(nan_##T, T, (a != a) | (b != b))
#define EXECUTE_TESTS(TEST)                                                                                            \
    EXECUTE_TESTS_EQUAL(TEST, u16)                                                                                     \
    EXECUTE_TESTS_EQUAL(TEST, u32)                                                                                     \
    EXECUTE_TESTS_EQUAL(TEST, u64)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, u16)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, s16)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, u32)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, s32)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, u64)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, s64)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, f32)                                                                                     \
    EXECUTE_TESTS_ORDER(TEST, f64)                                                                                     \
    EXECUTE_TESTS_UNORDERED(TEST, f32)                                                                                 \
    EXECUTE_TESTS_UNORDERED(TEST, f64)

#define EXECUTE_LANES_OF_FORMS(ONE, TWO, THREE)                                                                        \
    EXECUTE_LANES_INTEGER(ONE, TWO, THREE)                                                                             \
    EXECUTE_LANES_LOGIC(ONE, TWO, THREE)                                                                               \
    EXECUTE_LANES_SINGLE(ONE, TWO, THREE)                                                                              \
    EXECUTE_LANES_HALF(ONE, TWO, THREE)                                                                                \
    EXECUTE_LANES_DOUBLE(ONE, TWO, THREE)                                                                              \
    EXECUTE_LANES_CONVERT(ONE, TWO, THREE)
#define EXECUTE_LANES(ONE, TWO, THREE) EXECUTE_LANES_OF_FORMS(ONE, TWO, THREE) EXECUTE_LANES_OTHER(ONE, TWO, THREE)

#endif
