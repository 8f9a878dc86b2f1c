/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels written down in a test: a source whose warps all run one list of instructions, so that a test states each
 * instruction, register and address itself.
 *
 *     struct script *script = script_new();
 *     script_kernel(script, 1, 32);                        one CTA of 32 threads
 *     script_compute(script, MNP_CLASS_FP32, 1, 1);        R1 = f(R1)
 *     script_load(script, MNP_SPACE_GLOBAL, 4, 2, 1, base, 4);
 *     … mnp_session_run_all(…, {.source = script_source(script)}, …); script_free(script);
 */
#ifndef TESTS_GPU_SCRIPT_H
#define TESTS_GPU_SCRIPT_H

#include "contract/instruction.h"

struct script;

struct script *script_new(void);
void script_free(struct script *script);
struct mnp_source *script_source(struct script *script);

/* A copy of the host's before the first kernel. */
void script_copy(struct script *script, uint64_t address, uint64_t bytes);

/* Begins a kernel; the instructions that follow are its. EXIT is added at its end. */
struct mnp_kernel *script_kernel(struct script *script, uint32_t ctas, uint32_t threads);

/* All of these return the static instruction just added, for changes. Register 255: none. */
struct mnp_static_instruction *script_compute(struct script *script, enum mnp_execution_class class,
                                              uint8_t destination, uint8_t source);
struct mnp_static_instruction *script_memory(struct script *script, enum mnp_memory_operation operation,
                                             enum mnp_memory_space space, uint8_t width, uint8_t destination,
                                             uint8_t source, uint64_t base, uint64_t stride);

/* Of the access just added, with two words of addresses: only these lanes take part in it. */
void script_lanes(struct script *script, uint32_t mask);

/* The same with one address per lane, by `lane_address` of the lane. */
struct mnp_static_instruction *script_scatter(struct script *script, enum mnp_memory_operation operation,
                                              enum mnp_memory_space space, uint8_t width, uint8_t destination,
                                              uint8_t source, uint64_t (*lane_address)(uint32_t lane));
struct mnp_static_instruction *script_barrier(struct script *script);

/* Only these lanes execute the instruction just added. */
void script_mask(struct script *script, uint32_t mask);

/* Gives the instruction just added two more registers to read, and none to write. */
struct mnp_static_instruction *script_reads(struct script *script, enum mnp_execution_class class, uint8_t first,
                                            uint8_t second, uint8_t third);

/* Control bits of an instruction; 6: no counter. The kernel then has control bits, and those of the others are zero but
 * for a stall of one and no counters. */
void script_control(struct script *script, struct mnp_static_instruction *instruction, uint8_t stall,
                    uint8_t write_counter, uint8_t read_counter, uint8_t wait);

/* Warp number w of a CTA begins w × `instructions` instructions further on. */
void script_skip(struct script *script, uint32_t instructions);

/* Executes the instructions from number `first` of the kernel on `times` more; none may access memory. */
void script_repeat(struct script *script, uint32_t first, uint32_t times);

/* Adds to the addresses of every CTA and warp: number in grid × cta + number in CTA × warp. For all kernels. */
void script_spread(struct script *script, uint64_t cta, uint64_t warp);

#endif
