/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of an instruction to its registers, class, width and flags. */
#include "frontend/sass_trace/decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Registers as "first:count", the destination first; "-" for none. */
static const struct {
    const char *text, *registers;
} cases[] = {
    {"1 R4 FADD 2 R5 R6 ", "4:1 5:1 6:1"},
    {"1 R9 FADD 2 R255 R0 ", "9:1 0:1"},
    {"1 R255 IADD3 3 R255 R255 R255 ", "-"},
    {"0 EXIT 0 ", "-"},
    {"0 ISETP.GE.AND 1 R6 ", "- 6:1"},
    {"1 R4 IMAD 3 R6 R7 R8 ", "4:1 6:1 7:1 8:1"},
    {"1 R4 IMAD.WIDE 3 R6 R7 R8 ", "4:2 6:1 7:1 8:2"},
    {"1 R4 IMAD.WIDE.U32 2 R6 R7 ", "4:2 6:1 7:1"},
    {"1 R8 LDG.E 1 R2 ", "8:1 2:2"},
    {"1 R8 LDG.E.U8 1 R2 ", "8:1 2:2"},
    {"1 R8 LDG.E.64 1 R2 ", "8:2 2:2"},
    {"1 R8 LDG.E.128.CONSTANT 1 R2 ", "8:4 2:2"},
    {"0 STG.E.64 2 R2 R8 ", "- 2:2 8:2"},
    {"0 STG.E.128 2 R2 R8 ", "- 2:2 8:4"},
    {"0 STG.E 2 R2 R255 ", "- 2:2"},
    {"1 R8 LDS.128 1 R2 ", "8:4 2:1"},
    {"0 STS.64 2 R2 R8 ", "- 2:1 8:2"},
    {"1 R8 LDL.64 1 R2 ", "8:2 2:1"},
    {"1 R8 LDC.64 1 R2 ", "8:2 2:1"},
    {"1 R12 LDSM.16.M88 1 R2 ", "12:1 2:1"},
    {"1 R12 LDSM.16.M88.2 1 R2 ", "12:2 2:1"},
    {"1 R12 LDSM.16.MT88.4 1 R2 ", "12:4 2:1"},
    {"1 R8 ATOMG.E.ADD.STRONG.GPU 2 R2 R5 ", "8:1 2:2 5:1"},
    {"1 R8 ATOMG.E.CAS.64.STRONG.GPU 3 R2 R4 R6 ", "8:2 2:2 4:2 6:2"},
    {"1 R8 ATOM.E.ADD.F64.RN.STRONG.GPU 2 R2 R4 ", "8:2 2:2 4:2"},
    {"1 R8 ATOMS.ADD 2 R2 R5 ", "8:1 2:1 5:1"},
    {"0 RED.E.ADD.64.STRONG.GPU 2 R2 R4 ", "- 2:2 4:2"},
    {"0 LDGSTS.E.BYPASS.128 2 R4 R2 ", "- 4:1 2:2"},
    {"1 R12 DFMA 3 R14 R16 R18 ", "12:2 14:2 16:2 18:2"},
    {"1 R12 DADD 2 R14 R255 ", "12:2 14:2"},
    {"0 DSETP.GEU.AND 2 R14 R16 ", "- 14:2 16:2"},
    {"1 R8 F2F.F64.F32 1 R5 ", "8:2 5:1"},
    {"1 R8 F2F.F32.F64 1 R4 ", "8:1 4:2"},
    {"1 R8 F2I.F64.TRUNC 1 R4 ", "8:1 4:2"},
    {"1 R8 F2I.S64.TRUNC 1 R4 ", "8:2 4:1"},
    {"1 R8 F2I.U64.F64.TRUNC 1 R4 ", "8:2 4:2"},
    {"1 R8 I2F.F64 1 R4 ", "8:2 4:1"},
    {"1 R8 I2F.S64 1 R4 ", "8:1 4:2"},
    {"1 R8 I2F.F64.U64 1 R4 ", "8:2 4:2"},
    {"1 R8 FRND.F64 1 R4 ", "8:2 4:2"},
    {"1 R8 CS2R 0 ", "8:2"},
    {"1 R8 CS2R.32 0 ", "8:1"},
    {"1 R32 HMMA.884.F32.F32.STEP0 3 R4 R6 R32 ", "32:2 4:2 6:2 32:2"},
    {"1 R32 HMMA.1688.F16 3 R4 R6 R32 ", "32:2 4:2 6:1 32:2"},
    {"1 R32 HMMA.1688.F32 3 R4 R6 R32 ", "32:4 4:2 6:1 32:4"},
    {"1 R32 HMMA.1688.F32.TF32 3 R4 R8 R32 ", "32:4 4:4 8:2 32:4"},
    {"1 R32 HMMA.1684.F32.TF32 3 R4 R8 R32 ", "32:4 4:2 8:1 32:4"},
    {"1 R32 HMMA.16816.F16 3 R4 R8 R32 ", "32:2 4:4 8:2 32:2"},
    {"1 R32 HMMA.16816.F32.BF16 3 R4 R8 R32 ", "32:4 4:4 8:2 32:4"},
    {"1 R32 IMMA.16816.S8.S8 3 R4 R8 R32 ", "32:4 4:2 8:1 32:4"},
    {"1 R32 IMMA.16832.S8.S8 3 R4 R8 R32 ", "32:4 4:4 8:2 32:4"},
    {"1 R32 IMMA.8816.S8.S8 3 R4 R8 R32 ", "32:2 4:1 8:1 32:2"},
    {"1 R32 DMMA.884 3 R4 R8 R32 ", "32:4 4:2 8:2 32:4"},
    {"1 R24 HGMMA.64x128x16.F32 3 R4 R255 R24 ", "24:64 4:4 24:64"},
    {"1 R253 LDG.E.128 1 R254 ", "253:2 254:1"},
};

static void print_registers(const struct mnp_static_instruction *instruction, char text[static 128])
{
    int used = 0;
    if (instruction->destination.count)
        used += sprintf(text, "%u:%u", instruction->destination.first, instruction->destination.count);
    else
        used += sprintf(text, "-");
    for (uint32_t i = 0; i < instruction->source_count; i++)
        used += sprintf(text + used, " %u:%u", instruction->source[i].first, instruction->source[i].count);
}

static enum decode_result decode(const char *text, struct mnp_static_instruction *instruction)
{
    const char *rest;
    char opcode[64];
    enum decode_result result = decode_instruction(text, text + strlen(text), instruction, &rest, opcode);
    if (result != DECODE_MALFORMED)
        assert_ptr_equal(rest, text + strlen(text));
    return result;
}

static void test_registers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mnp_static_instruction instruction;
        char registers[128];
        assert_int_equal(decode(cases[i].text, &instruction), DECODE_DONE);
        print_registers(&instruction, registers);
        if (strcmp(registers, cases[i].registers) != 0)
            fail_msg("%s gives %s, not %s", cases[i].text, registers, cases[i].registers);
    }
}

static const struct {
    const char *text;
    enum mnp_execution_class class;
    enum mnp_memory_space space;
    enum mnp_memory_operation operation;
    uint8_t width, flags;
} kinds[] = {
    {"1 R8 LDG.E.U8 1 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_LOAD, 1, 0},
    {"1 R8 LDG.E.S16 1 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_LOAD, 2, 0},
    {"0 STG.E.128 2 R2 R8 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_STORE, 16, 0},
    {"1 R8 LDG.E.64.STRONG.GPU 1 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_LOAD, 8, MNP_FLAG_BYPASS_L1},
    {"1 R8 LDG.E.STRONG.SM 1 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_LOAD, 4, 0},
    {"0 LDGSTS.E.BYPASS.128 2 R4 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_LOAD, 16, MNP_FLAG_BYPASS_L1},
    {"1 R8 LDS.U.64 1 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_SHARED, MNP_LOAD, 8, 0},
    {"1 R8 LDSM.16.M88.4 1 R2 ", MNP_CLASS_MEMORY, MNP_SPACE_SHARED, MNP_LOAD, 16, 0},
    {"1 R8 ATOMS.ADD 2 R2 R5 ", MNP_CLASS_MEMORY, MNP_SPACE_SHARED, MNP_ATOMIC, 4, 0},
    {"0 RED.E.ADD 2 R2 R5 ", MNP_CLASS_MEMORY, MNP_SPACE_GLOBAL, MNP_REDUCTION, 4, 0},
    {"0 BAR.SYNC 0 ", MNP_CLASS_SYNC, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_BARRIER},
    {"0 BAR.ARV 0 ", MNP_CLASS_SYNC, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_ARRIVE},
    {"0 MEMBAR.SC.GPU 0 ", MNP_CLASS_SYNC, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_FENCE},
    {"0 EXIT 0 ", MNP_CLASS_BRANCH, MNP_SPACE_NONE, MNP_LOAD, 0,
     MNP_FLAG_EXIT | MNP_FLAG_BRANCH | MNP_FLAG_PREDICATE},
    {"0 BRA 0 ", MNP_CLASS_BRANCH, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_BRANCH | MNP_FLAG_PREDICATE},
    {"0 BSYNC 0 ", MNP_CLASS_BRANCH, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_BRANCH},
    {"0 ISETP.GE.U32.AND 1 R4 ", MNP_CLASS_INT, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_PREDICATE},
    {"0 PLOP3.LUT 0 ", MNP_CLASS_INT, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_PREDICATE},
    {"1 R7 HFMA2.MMA 2 R255 R255 ", MNP_CLASS_HALF, MNP_SPACE_NONE, MNP_LOAD, 0, 0},
    {"1 R7 MUFU.RCP 1 R4 ", MNP_CLASS_SFU, MNP_SPACE_NONE, MNP_LOAD, 0, 0},
    {"1 R7 IMAD.WIDE 3 R4 R5 R6 ", MNP_CLASS_IMAD, MNP_SPACE_NONE, MNP_LOAD, 0, 0},
    {"1 R7 POPC 1 R4 ", MNP_CLASS_CONVERT, MNP_SPACE_NONE, MNP_LOAD, 0, 0},
    {"1 R7 LDC 0 ", MNP_CLASS_MEMORY, MNP_SPACE_CONSTANT, MNP_LOAD, 4, 0},
    {"0 ULDC.64 0 ", MNP_CLASS_UNIFORM, MNP_SPACE_CONSTANT, MNP_LOAD, 0, 0},
    {"1 R7 NOSUCH.64 1 R4 ", MNP_CLASS_INT, MNP_SPACE_NONE, MNP_LOAD, 0, MNP_FLAG_UNKNOWN},
};

static void test_kinds(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct mnp_static_instruction instruction;
        bool unknown = kinds[i].flags & MNP_FLAG_UNKNOWN;
        assert_int_equal(decode(kinds[i].text, &instruction), unknown ? DECODE_UNKNOWN_OPCODE : DECODE_DONE);
        assert_int_equal(instruction.class, kinds[i].class);
        assert_int_equal(instruction.space, kinds[i].space);
        assert_int_equal(instruction.operation, kinds[i].operation);
        if (instruction.space != MNP_SPACE_NONE) /* of arithmetic the same byte says what kind it is */
            assert_int_equal(instruction.width, kinds[i].width);
        assert_int_equal(instruction.flags, kinds[i].flags);
    }
}

/* The registers that a scoreboard asks of a narrow instruction are those that the instruction has, and all of them. */
static void test_narrow(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool narrow;
        uint64_t registers; /* that the instruction names, one bit each */
    } shapes[] = {
        {"1 R8 FFMA 3 R8 R9 R10 ", true, 1 << 8 | 1 << 9 | 1 << 10},
        {"1 R1 MOV 0 ", true, 1 << 1},
        {"0 ISETP.GE.AND 1 R6 ", true, 1 << 6},
        {"1 R7 HFMA2.MMA 2 R255 R255 ", true, 1 << 7},
        {"0 NOP 0 ", false, 0},
        {"1 R8 LDG.E 1 R2 ", false, 0},           /* its address is a pair */
        {"1 R4 IMAD.WIDE 3 R2 R3 R6 ", false, 0}, /* so are its result and its addend */
    };
    for (size_t i = 0; i < COUNT(shapes); i++) {
        struct mnp_static_instruction instruction;
        assert_int_equal(decode(shapes[i].text, &instruction), DECODE_DONE);
        assert_int_equal(instruction.narrow, shapes[i].narrow);
        uint64_t asked = UINT64_C(1) << instruction.destination.first;
        for (uint32_t k = 0; instruction.narrow && k < 3; k++)
            asked |= UINT64_C(1) << instruction.source[k].first;
        if (instruction.narrow)
            assert_int_equal(asked, shapes[i].registers);
    }
}

/* What a trace does not name: the carry of a sum's upper half, in the odd register of a pair; predicates among the
 * operands; a predicate as the only result of LOP3. */
static void test_unnamed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool carries, selects, writes;
    } samples[] = {
        {"1 R5 IADD3.X 2 R7 R255 ", true, false, false},
        {"1 R4 IADD3.X 2 R7 R255 ", false, false, false},
        {"1 R5 IADD3 2 R7 R255 ", false, false, false},
        {"1 R13 IMAD.X 1 R7 ", true, false, false},
        {"1 R3 LEA.HI.X.SX32 2 R0 R7 ", true, false, false},
        {"1 R5 SEL 2 R6 R7 ", false, true, false},
        {"1 R5 FSEL 2 R6 R7 ", false, true, false},
        {"0 PLOP3.LUT 0 ", false, true, true},
        {"0 ISETP.GE.U32.AND.EX 2 R6 R7 ", false, true, true},
        {"0 ISETP.GE.AND 2 R6 R7 ", false, false, true},
        {"0 LOP3.LUT 3 R255 R4 R5 ", false, false, true},
        {"1 R6 LOP3.LUT 2 R4 R5 ", false, false, false},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct mnp_static_instruction instruction;
        assert_int_equal(decode(samples[i].text, &instruction), DECODE_DONE);
        assert_int_equal(instruction.carries, samples[i].carries);
        assert_int_equal(instruction.selects, samples[i].selects);
        assert_int_equal((instruction.flags & MNP_FLAG_PREDICATE) != 0, samples[i].writes);
        assert_false(instruction.guarded);
    }
}

/* Comparisons and selections of single precision are the integer pipe's, VIADD the multiplier's. */
static void test_pipes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint8_t class;
    } samples[] = {
        {"0 FSETP.NEU.AND 2 R3 R255 ", MNP_CLASS_INT},
        {"1 R5 FMNMX 2 R3 R4 ", MNP_CLASS_INT},
        {"1 R5 FSEL 2 R3 R4 ", MNP_CLASS_INT},
        {"1 R5 FADD 2 R3 R4 ", MNP_CLASS_FP32},
        {"1 R5 VIADD 1 R3 ", MNP_CLASS_IMAD},
        {"1 R5 VIMNMX 2 R3 R4 ", MNP_CLASS_INT},
        {"1 R5 I2FP.F32.S32 1 R3 ", MNP_CLASS_INT},
        {"1 R5 I2F.F64 1 R3 ", MNP_CLASS_CONVERT},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct mnp_static_instruction instruction;
        assert_int_equal(decode(samples[i].text, &instruction), DECODE_DONE);
        assert_int_equal(instruction.class, samples[i].class);
    }
}

static void test_malformed(void **state)
{
    (void)state;
    static const char *const texts[] = {"",
                                        " ",
                                        "1",
                                        "1 ",
                                        "1 R4",
                                        "1 R4 FADD",
                                        "1 R4 FADD 2 R5",
                                        "1 R256 FADD 0 ",
                                        "1 4 FADD 0 ",
                                        "9 R1 FADD 0 ",
                                        "-1 FADD 0 ",
                                        "x FADD 0 ",
                                        "0 FADD x ",
                                        "2 R1 FADD 0 ",
                                        "1 R1x FADD 0 ",
                                        "0 FADD 1 R 0 ",
                                        "11 FADD 0 "};
    struct mnp_static_instruction instruction;
    for (size_t i = 0; i < COUNT(texts); i++)
        if (decode(texts[i], &instruction) != DECODE_MALFORMED)
            fail_msg("accepted: \"%s\"", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_registers),
                                       cmocka_unit_test(test_kinds), cmocka_unit_test(test_narrow),
                                       cmocka_unit_test(test_unnamed), cmocka_unit_test(test_pipes),
                                       cmocka_unit_test(test_malformed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
