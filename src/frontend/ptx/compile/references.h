/* SPDX-License-Identifier: BSD-3-Clause */
/* References of an operation, virtual ones (builder.h) or places in the frame: what it reads, and what it writes. */
#ifndef FRONTEND_PTX_COMPILE_REFERENCES_H
#define FRONTEND_PTX_COMPILE_REFERENCES_H

#include "frontend/ptx/compile/builder.h"

/* References that an operation has at most: a guard, three sources or a result, and a list of 255. */
enum { PTX_MOST_REFERENCES = 260 };

/* Registers of 32 bits that a reference stands for, by its class. */
extern const uint8_t ptx_class_registers[PTX_CLASS_COUNT];

/* Where the references stand that an operation reads, the guard among them, or writes; returns how many. */
uint32_t ptx_source_places(const struct execute_code *code, struct execute_op *op,
                           uint32_t *places[PTX_MOST_REFERENCES]);
uint32_t ptx_result_places(const struct execute_code *code, struct execute_op *op,
                           uint32_t *places[PTX_MOST_REFERENCES]);
/* These references themselves. */
uint32_t ptx_sources_of(const struct execute_code *code, const struct execute_op *op,
                        uint32_t out[PTX_MOST_REFERENCES]);
uint32_t ptx_results_of(const struct execute_code *code, const struct execute_op *op,
                        uint32_t out[PTX_MOST_REFERENCES]);

#endif
