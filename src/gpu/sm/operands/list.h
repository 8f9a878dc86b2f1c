/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways to read the registers of an instruction: one line each. A way ID is a header of this folder with
 *
 *     struct sm_ID                          state of a sub-core, all zero at first
 *     int32_t sm_ID_free_reads(parameters)  an instruction with more reads of one bank than this may have to wait
 *     bool sm_ID_asks(parameters, kernel)   whether any instruction of the kernel may have to wait
 *     uint64_t sm_ID_read(struct sm_ID *, struct sm_operand_times *, parameters, const struct sm_operand_reads *)
 *                                           reads the sources; returns the cycles by which the instruction is late
 *
 * and a row SM_OPERANDS(ID, name in machine files, what it does, source) for whoever includes this list with that macro
 * defined. Choices of sm.operands, its help, and the calls are expanded from these rows.
 */
/* In the order in which users see them. */
/* clang-format off */
#include "gpu/sm/operands/none.h"
#include "gpu/sm/operands/read_ports.h"
#include "gpu/sm/operands/collector.h"
/* clang-format on */
