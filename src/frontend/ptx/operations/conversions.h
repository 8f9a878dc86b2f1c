/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What conversions are on silicon: `cvt` is a dozen instructions of four pipes. As ptxas 13.0 makes them for compute
 * capability 9.0 (and 8.6 to 12.0); 8.0 and 7.5 have whole numbers made single precision by I2F, 7.5 halves by F2F,
 * both of the conversions' unit.
 */
#ifndef FRONTEND_PTX_OPERATIONS_CONVERSIONS_H
#define FRONTEND_PTX_OPERATIONS_CONVERSIONS_H

#include <stdint.h>

struct ptx_conversion {
    uint8_t class; /* enum mnp_execution_class */
    const char *instruction;
};

/* By the text of the opcode, "cvt.rn.f16.f32". */
struct ptx_conversion ptx_conversion_of(const char *opcode);

#endif
