/* SPDX-License-Identifier: BSD-3-Clause */
/* Decoders from statements to operations: one per group of instructions, and the driver for whole kernels. */
#ifndef FRONTEND_PTX_COMPILE_DECODE_H
#define FRONTEND_PTX_COMPILE_DECODE_H

#include "frontend/ptx/compile/builder.h"

struct ptx_program;

/* Decodes a kernel and all functions that it can reach; `entry`: its function in the module. NULL: an error located in
 * the source. */
struct execute_code *ptx_decode(struct ptx_program *program, uint32_t entry, struct mnp_error *error);
void ptx_code_free(struct execute_code *code);

/* ===== decode_operand.c ===== */
/* The reference of a source of that type; operations that fetch it are emitted first. */
bool ptx_source(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type, uint32_t *ref);
/* Any register or immediate, with the class that it has (immediates: of the type). */
bool ptx_source_any(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                    uint32_t *ref);
bool ptx_destination(struct ptx_decoder *decoder, const struct ptx_operand *operand, enum execute_type type,
                     uint32_t *ref);
bool ptx_predicate(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint32_t *ref);
bool ptx_immediate(struct ptx_decoder *decoder, const struct ptx_operand *operand, uint64_t *value);
/* A module or function variable's address as a number; frame variables are not numbers. */
bool ptx_variable_address(struct ptx_decoder *decoder, uint32_t variable, uint64_t *address);

/* ===== decoders of groups of instructions; each for the present statement ===== */
bool ptx_decode_form(struct ptx_decoder *decoder, uint32_t lane); /* enum execute_lane */
bool ptx_decode_compare(struct ptx_decoder *decoder);
bool ptx_decode_predicates(struct ptx_decoder *decoder);
bool ptx_decode_select(struct ptx_decoder *decoder);
bool ptx_decode_move(struct ptx_decoder *decoder);
/* Emits a move of `bytes` bytes. */
void ptx_emit_move(struct ptx_decoder *decoder, uint32_t to, uint32_t from, uint8_t bytes);
bool ptx_decode_carry(struct ptx_decoder *decoder);
bool ptx_decode_insert(struct ptx_decoder *decoder);
bool ptx_decode_address(struct ptx_decoder *decoder);
bool ptx_decode_lop3(struct ptx_decoder *decoder);
bool ptx_decode_float(struct ptx_decoder *decoder);
bool ptx_decode_convert(struct ptx_decoder *decoder);
bool ptx_decode_testp(struct ptx_decoder *decoder);
bool ptx_decode_access(struct ptx_decoder *decoder);
bool ptx_decode_atomic(struct ptx_decoder *decoder);
bool ptx_decode_multimem(struct ptx_decoder *decoder);
bool ptx_decode_hint(struct ptx_decoder *decoder);
bool ptx_decode_nanosleep(struct ptx_decoder *decoder);
bool ptx_decode_policy(struct ptx_decoder *decoder); /* createpolicy */
bool ptx_decode_copy(struct ptx_decoder *decoder);
bool ptx_decode_branch(struct ptx_decoder *decoder);
bool ptx_decode_call(struct ptx_decoder *decoder);
bool ptx_decode_barrier(struct ptx_decoder *decoder);
bool ptx_decode_fence(struct ptx_decoder *decoder);
bool ptx_decode_warp(struct ptx_decoder *decoder);
bool ptx_is_video(const char *opcode, uint32_t length);
bool ptx_decode_video(struct ptx_decoder *decoder);
bool ptx_decode_texture(struct ptx_decoder *decoder);
bool ptx_decode_matrix(struct ptx_decoder *decoder);
/* decode_memory.c: the address in an operand. `form` has the space, which may change. */
bool ptx_decode_address_of(struct ptx_decoder *decoder, const struct ptx_operand *operand,
                           struct execute_access_form *form, uint32_t *ref, int64_t *offset);
bool ptx_take_space(struct ptx_decoder *decoder, enum execute_space *space);
/* Words that say how hard to try to cache: no effect on values. */
void ptx_take_hints(struct ptx_decoder *decoder);
struct execute_op *ptx_emit_access(struct ptx_decoder *decoder, enum execute_kind kind,
                                   const struct execute_access_form *form, uint32_t address, int64_t offset);
/* Registers of a load or store, as form->count and form->type have it; form->slot is filled in. */
bool ptx_data_refs(struct ptx_decoder *decoder, const struct ptx_operand *operand, struct execute_access_form *form,
                   bool load, uint32_t refs[8]);
bool ptx_decode_mbarrier(struct ptx_decoder *decoder);
bool ptx_decode_copy_arrive(struct ptx_decoder *decoder); /* cp.async.mbarrier.arrive */
/* Copies of tensors, bulk reductions, multicast; tensormap */
bool ptx_decode_tensor_copy(struct ptx_decoder *decoder);
bool ptx_decode_tensor_map(struct ptx_decoder *decoder);
bool ptx_decode_wgmma(struct ptx_decoder *decoder);
bool ptx_decode_tcgen05(struct ptx_decoder *decoder);
bool ptx_decode_surface(struct ptx_decoder *decoder);
/* decode_cluster.c */
bool ptx_decode_cluster_barrier(struct ptx_decoder *decoder); /* behind the words barrier.cluster */
bool ptx_decode_mapa(struct ptx_decoder *decoder);            /* mapa, getctarank */
bool ptx_decode_store(struct ptx_decoder *decoder);           /* st, st.async */
bool ptx_decode_reduce(struct ptx_decoder *decoder);          /* red, red.async */
bool ptx_decode_regs(struct ptx_decoder *decoder);            /* setmaxnreg */
/* Whether the number of registers at the entry of the kernel is known, so that setmaxnreg has an effect. */
bool ptx_knows_registers(const struct ptx_decoder *decoder);
bool ptx_decode_grid(struct ptx_decoder *decoder); /* griddepcontrol */

#endif
