/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversions are the instructions that ptxas 13.0 makes of them for sm_90, and of the pipes of those. */
#include "contract/instruction.h"
#include "frontend/ptx/operations/opcode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
    const char *opcode, *instruction;
    uint8_t class;
} rows[] = {
    {"cvt.rn.f16.f32", "F2FP.F16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.rn.f16x2.f32", "F2FP.F16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.rn.bf16.f32", "F2FP.BF16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.rn.relu.bf16x2.f32", "F2FP.BF16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.rn.satfinite.e4m3x2.f32", "F2FP.F16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.rn.f16x2.e4m3x2", "F2FP.F16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.rn.satfinite.e2m1x2.f32", "F2FP.F16.F32.PACK_AB", MNP_CLASS_HALF},
    {"cvt.pack.sat.u8.s32.b32", "I2IP", MNP_CLASS_CONVERT},
    {"add.rn.f32x2", "FADD2", MNP_CLASS_FP32},
    {"fma.rn.ftz.f32x2", "FFMA2", MNP_CLASS_FP32},
    {"cvt.f32.f16", "HADD2.F32", MNP_CLASS_HALF},
    {"cvt.f32.bf16", "SHF.L.U32", MNP_CLASS_INT},
    {"cvt.rna.tf32.f32", "LOP3.LUT", MNP_CLASS_INT},
    {"cvt.rn.f32.s32", "I2FP.F32.S32", MNP_CLASS_INT},
    {"cvt.rn.f32.u16", "I2FP.F32.U32", MNP_CLASS_INT},
    {"cvt.sat.f32.f32", "FADD", MNP_CLASS_FP32},
    {"cvt.rmi.f32.f32", "FRND", MNP_CLASS_CONVERT},
    {"cvt.rni.f16.f16", "FRND.F16", MNP_CLASS_CONVERT},
    {"cvt.rn.f32.s64", "I2F.S64", MNP_CLASS_CONVERT},
    {"cvt.rn.f64.s32", "I2F.F64", MNP_CLASS_CONVERT},
    {"cvt.rn.f16.s32", "I2F.F16", MNP_CLASS_CONVERT},
    {"cvt.rzi.s32.f32", "F2I", MNP_CLASS_CONVERT},
    {"cvt.rzi.s64.f64", "F2I.S64.F64", MNP_CLASS_CONVERT},
    {"cvt.rn.f32.f64", "F2F.F32.F64", MNP_CLASS_CONVERT},
    {"cvt.f64.f32", "F2F.F64.F32", MNP_CLASS_CONVERT},
    {"cvt.u32.u16", "PRMT", MNP_CLASS_INT},
};

static void test_conversions(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct ptx_opcode opcode = ptx_opcode_read(rows[i].opcode);
        assert_string_equal(opcode.instruction, rows[i].instruction);
        assert_int_equal(opcode.class, rows[i].class);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conversions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
