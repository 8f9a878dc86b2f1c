/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways to read the registers of an instruction, in the order in which users see them. A way X is a header of this
 * folder (headers.h) and a row, which names its functions in full:
 *
 *   SM_OPERANDS(SM_OPERANDS_X, name in machine files, what it does, source, x, TYPE, free_reads, asks, read)
 *
 *   x, TYPE                           member of struct sm_operands and its type: state of a sub-core, all zero at first
 *   int32_t free_reads(parameters)    an instruction with more reads of one bank than this may have to wait
 *   bool asks(parameters, kernel)     whether any instruction of the kernel may have to wait
 *   uint64_t read(TYPE *, struct sm_operand_times *, parameters, const struct sm_operand_reads *)
 *                                     reads the sources; returns the cycles by which the instruction is late
 *
 * Define SM_OPERANDS and include this file. Choices of sm.operands, its help, and the calls are expanded from these
 * rows.
 */
/* clang-format off */
SM_OPERANDS(SM_OPERANDS_NONE, "none", "reads never conflict", "no model",
            none, struct sm_none, sm_none_free_reads, sm_none_asks, sm_none_read)
SM_OPERANDS(SM_OPERANDS_READ_PORTS, "read-ports", "two banks, a window of three cycles, a register cache by reuse bits",
            "Huerta et al., arXiv 2503.20481",
            read_ports, struct sm_read_ports, sm_read_ports_free_reads, sm_read_ports_asks, sm_read_ports_read)
SM_OPERANDS(SM_OPERANDS_COLLECTOR, "collector", "units, banks and ports", "GPGPU-Sim manual",
            collector, struct sm_collector, sm_collector_free_reads, sm_collector_asks, sm_collector_read)
/* clang-format on */
