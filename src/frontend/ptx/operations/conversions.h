/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machine instructions of conversions: `cvt` maps to a dozen instructions of four pipes. The table follows ptxas 13.0
 * for compute capability 9.0 (and 8.6 to 12.0). 8.0 and 7.5 convert integers to single precision by I2F, 7.5 to halves
 * by F2F; both use the conversion unit.
 */
#ifndef FRONTEND_PTX_OPERATIONS_CONVERSIONS_H
#define FRONTEND_PTX_OPERATIONS_CONVERSIONS_H

#include <stdint.h>

struct ptx_conversion {
    uint8_t class; /* enum mnp_execution_class */
    const char *instruction;
};

/* Looks up an opcode's text, "cvt.rn.f16.f32". */
struct ptx_conversion ptx_conversion_of(const char *opcode);

#endif
