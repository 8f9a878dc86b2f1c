/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of opcodes, and how many registers their operands take. */
#include "isa/widths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* All opcodes of the real traces, and at least one of each kind that these lack. */
static const char *const known[] = {"IADD3",
                                    "LDG.E",
                                    "IMAD.MOV.U32",
                                    "IADD3.X",
                                    "IMAD.WIDE",
                                    "EXIT",
                                    "ISETP.GE.AND",
                                    "STG.E.U8",
                                    "S2R",
                                    "LDG.E.U8",
                                    "ISETP.NE.AND",
                                    "PRMT",
                                    "STG.E",
                                    "SHF.R.S32.HI",
                                    "BRA",
                                    "IMAD.X",
                                    "IMAD.IADD",
                                    "FFMA",
                                    "IMAD",
                                    "ULDC.64",
                                    "FADD",
                                    "MOV",
                                    "HFMA2.MMA",
                                    "LEA.HI.X.SX32",
                                    "UIADD3",
                                    "ISETP.LE.AND",
                                    "LDC",
                                    "UMOV",
                                    "FSETP.NEU.AND",
                                    "LDS",
                                    "STS.128",
                                    "BAR.SYNC.DEFER_BLOCKING",
                                    "ATOMG.E.ADD.STRONG.GPU",
                                    "RED.E.ADD",
                                    "MUFU.RCP",
                                    "DFMA",
                                    "HMMA.16816.F32",
                                    "SHFL.DOWN",
                                    "LDL",
                                    "STL",
                                    "TEX",
                                    "LDSM.16.M88.4",
                                    "LDGSTS.E.BYPASS.128",
                                    "LDGDEPBAR",
                                    "DEPBAR.LE",
                                    "MEMBAR.SC.GPU",
                                    "CS2R.32",
                                    "IMMA.16832.S8.S8",
                                    "DMMA.884",
                                    "HGMMA.64x128x16.F32",
                                    "WARPSYNC",
                                    "BSSY",
                                    "BSYNC",
                                    "UTMALDG.2D"};

static void test_table(void **state)
{
    (void)state;
    for (uint32_t i = 0; i + 1 < ISA_OPCODE_COUNT; i++)
        assert_true(strcmp(isa_opcodes[i].name, isa_opcodes[i + 1].name) < 0); /* the search relies on it */
    for (uint32_t i = 0; i < ISA_OPCODE_COUNT; i++)
        assert_ptr_equal(isa_opcode_find(isa_opcodes[i].name, strlen(isa_opcodes[i].name)), &isa_opcodes[i]);
    for (size_t i = 0; i < COUNT(known); i++)
        if (!isa_opcode_find(known[i], strcspn(known[i], ".")))
            fail_msg("%s is not known", known[i]);
    assert_null(isa_opcode_find("NOSUCH", 6));
    assert_null(isa_opcode_find("", 0));
    assert_null(isa_opcode_find("FFM", 3));
}

/* PTX ISA 9.0, mma: registers of fragments; SASS as nvdisasm writes it for the others. */
static void test_widths(void **state)
{
    static const struct {
        const char *opcode;
        uint8_t destination, source[3], cycles;
    } cases[] = {
        {"FFMA", 1, {1, 1, 1}, 0},
        {"DFMA", 2, {2, 2, 2}, 0},
        {"IMAD.WIDE.U32", 2, {1, 1, 2}, 0},
        {"DSETP.GEU.AND", 1, {2, 2, 2}, 0},
        {"F2F.F64.F32", 2, {1, 1, 1}, 0},
        {"F2F.F32.F64", 1, {2, 2, 2}, 0},
        {"I2F.F64", 2, {1, 1, 1}, 0},
        {"CS2R", 2, {1, 1, 1}, 0},
        {"CS2R.32", 1, {1, 1, 1}, 0},
        {"HMMA.SP.16832.F32", 4, {4, 4, 4}, 4},
        {"IMMA.SP.16832.S8.S8", 4, {2, 2, 4}, 2},
        {"HMMA.16816.F32", 4, {4, 2, 4}, 4},
        {"HMMA.16816.F16", 2, {4, 2, 2}, 4},
        {"DMMA.884", 4, {2, 2, 4}, 8},
        {"DMMA.8x8x4", 4, {2, 2, 4}, 8},
        {"DMMA.16x8x16", 8, {16, 8, 8}, 64},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct isa_opcode_row *row = isa_opcode_find(cases[i].opcode, strcspn(cases[i].opcode, "."));
        struct mnp_static_instruction instruction = {0};
        struct isa_widths widths;
        assert_non_null(row);
        isa_find_widths(cases[i].opcode, row, &instruction, &widths);
        bool same = widths.destination == cases[i].destination && !memcmp(widths.source, cases[i].source, 3) &&
                    instruction.tensor_cycles == cases[i].cycles;
        if (!same)
            fail_msg("%s: %u of %u %u %u, %u cycles", cases[i].opcode, widths.destination, widths.source[0],
                     widths.source[1], widths.source[2], instruction.tensor_cycles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_table), cmocka_unit_test(test_widths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
