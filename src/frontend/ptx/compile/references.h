/* SPDX-License-Identifier: BSD-3-Clause */
/* References of an operation, virtual (builder.h) or allocated: those it reads, and those it writes. */
#ifndef FRONTEND_PTX_COMPILE_REFERENCES_H
#define FRONTEND_PTX_COMPILE_REFERENCES_H

#include "frontend/ptx/compile/builder.h"

/* References that an operation has at most: a guard, three sources or a result, and a list of 255. */
enum { PTX_MOST_REFERENCES = 260 };

/* Registers of 32 bits that a reference stands for, by its class. */
extern const uint8_t ptx_class_registers[PTX_CLASS_COUNT];

/* Finds the references that an operation reads, including the guard, or writes; returns their number. */
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
