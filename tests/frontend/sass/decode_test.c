/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of machine code of our own programs against the text that NVIDIA's disassembler wrote for them
 * (data/words.tsv), and words of chance, of which every one that is decoded must have a text. */
#include "base/file.h"
#include "frontend/sass/decode.h"
#include "frontend/sass/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ARCHITECTURES = 121 };

static struct sass_word word_of(const char *digits)
{
    char half[17] = "";
    struct sass_word word;
    memcpy(half, digits, 16);
    word.high = strtoull(half, NULL, 16);
    memcpy(half, digits + 16, 16);
    word.low = strtoull(half, NULL, 16);
    return word;
}

/* The text of a word, or what is the matter with it. */
static void text_of(const struct sass_decoder *decoder, struct sass_word word, uint64_t address, char *text)
{
    struct sass_instruction instruction;
    enum sass_decoded decoded = sass_decode(decoder, word, &instruction);
    if (decoded == SASS_DECODED)
        sass_text(&instruction, address, text);
    else
        strcpy(text, decoded == SASS_UNKNOWN ? "unknown" : decoded == SASS_RESERVED ? "reserved" : "unnamed bits");
}

/* A line is: architecture, address, word, text. */
static void check_line(struct sass_decoder *decoders[ARCHITECTURES], char *line)
{
    char text[SASS_TEXT_MOST], *rest = line;
    const char *architecture = strsep(&rest, "\t"), *address = strsep(&rest, "\t"), *word = strsep(&rest, "\t");
    unsigned number = (unsigned)atoi(architecture);
    assert_non_null(rest);
    assert_in_range(number, 70, ARCHITECTURES - 1);
    assert_int_equal(strlen(word), 32);
    if (!decoders[number])
        decoders[number] = sass_decoder_create(number);
    text_of(decoders[number], word_of(word), strtoull(address, NULL, 16), text);
    assert_string_equal(text, rest);
}

static void recorded_words_have_the_recorded_text(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    struct sass_decoder *decoders[ARCHITECTURES] = {NULL};
    size_t length, lines = 0;
    char *file = mnp_read_file(DATA "/words.tsv", 1 << 24, &length, &error);
    assert_non_null(file);
    for (char *rest = file, *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (*line == 0 || *line == '#')
            continue;
        check_line(decoders, line);
        lines++;
    }
    assert_in_range(lines, 1000, 100000);
    for (unsigned i = 0; i < ARCHITECTURES; i++)
        sass_decoder_free(decoders[i]);
    free(file);
}

/* Of the recorded form: what is not executed. ptxas makes it of sured.p and sust.p. */
static void surfaces_by_elements_have_their_text(void **state)
{
    static const char *const lines[] = {
        "75\t00d0\t000fe20000116000100058090200059f\t@P0 SURED.D.1D.ADD.STRONG.SYS.TRAP [R2], R9, 0x0, 0x58",
        "75\t00f0\t000fe20000916c00680058040200759f\tSURED.D.2D.MIN.SD32.STRONG.SYS [R2], R4, 0x0, 0x58",
        "75\t0110\t000fe600001101001000580402007b9b\tSUST.P.1D.STRONG.CTA.R.TRAP [R2], R4, 0x0, 0x58",
        "75\t0120\t000fe20000110f006000580402007b9b\tSUST.P.2D.STRONG.CTA.IGN [R2], R4, 0x0, 0x58",
        "80\t00f0\t000fe20000114000100058070400059f\t@P0 SURED.D.1D.ADD.STRONG.SYS.TRAP [R4], R7, 0x0, 0x58",
        "80\t0110\t000fe20000914c00680058080400759f\tSURED.D.2D.MIN.SD32.STRONG.SYS [R4], R8, 0x0, 0x58",
        "80\t0130\t000fe2000010a1001000580804007b9b\tSUST.P.1D.STRONG.SM.R.TRAP [R4], R8, 0x0, 0x58",
        "80\t0140\t000fe2000010af006000580804007b9b\tSUST.P.2D.STRONG.SM.IGN [R4], R8, 0x0, 0x58",
        "90\t00f0\t000fe200081140001000040704000f9f\t@P0 SURED.D.1D.ADD.STRONG.SYS.TRAP [R4], R7, UR4, 0x0",
        "90\t0110\t000fe20008914c006800040804007f9f\tSURED.D.2D.MIN.SD32.STRONG.SYS [R4], R8, UR4, 0x0",
        "90\t0130\t000fe2000810a1001000040804007f9b\tSUST.P.1D.STRONG.SM.R.TRAP [R4], R8, UR4, 0x0",
        "90\t0140\t000fe2000810af006000040804007f9b\tSUST.P.2D.STRONG.SM.IGN [R4], R8, UR4, 0x0"};
    struct sass_decoder *decoders[ARCHITECTURES] = {NULL};
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[200];
        strcpy(line, lines[i]);
        check_line(decoders, line);
    }
    for (unsigned i = 0; i < ARCHITECTURES; i++)
        sass_decoder_free(decoders[i]);
}

/* Special registers have names by architecture; counters of performance are not executed. The texts are nvdisasm's. */
static void special_registers_have_their_names(void **state)
{
    static const struct {
        unsigned architecture, number;
        const char *text;
    } cases[] = {{80, 100, "CS2R.32 R22, SR_PM0"},
                 {80, 117, "CS2R.32 R22, SR_SNAP_PM_HI0"},
                 {75, 24, "CS2R.32 R22, SR_MACHINE_ID_0"},
                 {80, 24, "CS2R.32 R22, SR_SW_SCRATCH"},
                 {80, 134, "CS2R.32 R22, SR134"},
                 {90, 134, "CS2R.32 R22, SR_WARPGROUP_INFO"},
                 {90, 137, "CS2R.32 R22, SR_GpcLocalCgaId"},
                 {90, 138, "CS2R.32 R22, SR138"},
                 {100, 138, "CS2R.32 R22, SR_CgaSize"},
                 {90, 255, "CS2R.32 R22, SRZ"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SASS_TEXT_MOST] = "";
        struct sass_decoder *decoder = sass_decoder_create(cases[i].architecture);
        struct sass_word word = {.low = UINT64_C(0x0000000000167805), .high = UINT64_C(0x000fe20000000000)};
        word.high |= (uint64_t)cases[i].number << 8;
        text_of(decoder, word, 0, text);
        assert_string_equal(text, cases[i].text);
        sass_decoder_free(decoder);
    }
}

/* Bits that leave the text of some instructions as it is, and why that is right. */
static const struct silent {
    const char *name;               /* the instruction's, up to a dot */
    unsigned from, to, first, last; /* bits, architectures */
    const char *reason;
} silent[] = {
    {"LD", 32, 37, 80, 89, "the uniform register of a descriptor, which says nothing of the address"},
    {"LDG", 32, 37, 80, 89, "the same"},
    {"ST", 64, 69, 80, 89, "the same"},
    {"STG", 64, 69, 80, 89, "the same"},
    {"RED", 64, 69, 80, 89, "the same"},
    {"ATOM", 64, 69, 80, 89, "the same"},
    {"ATOMG", 64, 69, 80, 89, "the same"},
    {"LDGSTS", 64, 69, 80, 89, "the same"},
    {"LDGSTS", 76, 76, 80, 89, "whether there is a descriptor"},
    {"ATOMS", 87, 87, 70, 120, "of .POPC.INC compilers write both"},
    {"BRA", 91, 91, 70, 79, "of .DIV and .CONV compilers of Volta and Turing write both"},
    {"LDS", 78, 79, 70, 120, "the scale of RZ"},
    {"STS", 78, 79, 70, 120, "the same"},
    {"ATOMS", 78, 79, 70, 120, "the same"},
    {"MUFU", 32, 53, 70, 120, "bits of a NaN, which is written as +QNAN"},
    {"FMUL2", 87, 88, 100, 119, "an immediate is one number for both"},
    {"FFMA2", 84, 88, 100, 119, "the same"},
};

static bool may_be_silent(unsigned architecture, const char *text, unsigned bit)
{
    size_t length = strcspn(text, ". ");
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strlen(silent[i].name) == length && strncmp(silent[i].name, text, length) == 0 && bit >= silent[i].from &&
            bit <= silent[i].to && architecture >= silent[i].first && architecture <= silent[i].last)
            return true;
    return false;
}

/* Changes each bit of a word behind the guard, but for the control bits. Returns how many others were refused. */
static uint32_t change_bits(const struct sass_decoder *decoder, unsigned architecture, struct sass_word word)
{
    enum { GUARD = 16, CONTROL = 105, BEHIND_CONTROL = 126, BITS = 128 };
    char text[SASS_TEXT_MOST] = "", changed[SASS_TEXT_MOST] = "";
    struct sass_instruction instruction;
    uint32_t refused = 0;
    word.low = (word.low & ~UINT64_C(0xf000)) | UINT64_C(0x7000);
    assert_int_equal(sass_decode(decoder, word, &instruction), SASS_DECODED);
    sass_text(&instruction, 0, text);
    for (unsigned bit = GUARD; bit < BITS; bit += bit + 1 == CONTROL ? BEHIND_CONTROL - bit : 1) {
        struct sass_word other = word;
        *(bit < 64 ? &other.low : &other.high) ^= UINT64_C(1) << bit % 64;
        if (sass_decode(decoder, other, &instruction) != SASS_DECODED) {
            refused++;
            continue;
        }
        sass_text(&instruction, 0, changed);
        if (strcmp(text, changed) == 0 && !may_be_silent(architecture, text, bit))
            fail_msg("sm_%u, %s: bit %u says nothing and is not refused", architecture, text, bit);
    }
    return refused;
}

/* A bit of a word is told by the text, or a word with it is refused. */
static void each_bit_is_told_or_refused(void **state)
{
    (void)state;
    struct mnp_error error = {{0}};
    struct sass_decoder *decoders[ARCHITECTURES] = {NULL};
    size_t length;
    uint32_t refused = 0, words = 0;
    char *file = mnp_read_file(DATA "/words.tsv", 1 << 24, &length, &error);
    assert_non_null(file);
    for (char *rest = file, *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        if (*line == 0 || *line == '#')
            continue;
        unsigned number = (unsigned)atoi(strsep(&line, "\t"));
        strsep(&line, "\t");
        if (!decoders[number])
            decoders[number] = sass_decoder_create(number);
        refused += change_bits(decoders[number], number, word_of(strsep(&line, "\t")));
        words++;
    }
    assert_in_range(refused / words, 20, 60);
    for (unsigned i = 0; i < ARCHITECTURES; i++)
        sass_decoder_free(decoders[i]);
    free(file);
}

/* Recorded words with other fields, as nvdisasm writes them, or refused. */
static void further_fields_are_told(void **state)
{
    static const struct {
        unsigned architecture;
        const char *word, *text;
    } cases[] = {{86, "041ff00003801804000000160c04723c", "HMMA.16816.F32 R4, R12.reuse, R22, R4, UP0"},
                 {80, "044fe40003801804000000180c04723c", "unnamed bits"},
                 {120, "000fde0003802cff0000000e0408727a", "QMMA.16832.F32.E4M3.E4M3 R8, R4, R14, RZ, UP0"},
                 {90, "004fca00079001000000000c0b0b7248", "VIMNMX R11, P0, P1, R11, R12, !PT"},
                 {90, "004fca00079002000000000c0b0b7248", "VIMNMX.U16x2 R11, P0, P1, R11, R12, !PT"},
                 {80, "000fe20000000700000000ff00007202", "MOV R0, RZ, 0x7"},
                 {100, "080fe400042032ff00000000ff08723e", "F2FP.SATFINITE.E2M1.F16.UNPACK_B_MERGE_C R8, R0.reuse, RZ"},
                 {100, "080fe40004a032ff00000000ff08723e", "reserved"},
                 {80, "0000a2000c1e180000000004040a7981", "reserved"},
                 {75, "000fe400100008000000030000057ab9", "unnamed bits"},
                 {80, "020fca00000008000000000c0b0d7221", "unnamed bits"},
                 {80, "420fca00000000000000000c0b0d7221", "unnamed bits"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SASS_TEXT_MOST] = "";
        struct sass_decoder *decoder = sass_decoder_create(cases[i].architecture);
        text_of(decoder, word_of(cases[i].word), 0, text);
        assert_string_equal(text, cases[i].text);
        sass_decoder_free(decoder);
    }
}

static uint64_t chance(uint64_t *seed) /* xorshift64* */
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return *seed * UINT64_C(2685821657736338717);
}

/* Words of chance nearly all have bits that no form accounts for; what is known of one has a text all the same. */
static void words_of_chance_have_a_text_or_none(void **state)
{
    (void)state;
    static const unsigned architectures[] = {70, 75, 80, 86, 89, 90, 100, 120};
    uint64_t seed = 16, decoded = 0, unnamed = 0;
    for (unsigned i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        struct sass_decoder *decoder = sass_decoder_create(architectures[i]);
        for (unsigned j = 0; j < 100000; j++) {
            struct sass_word word = {.low = chance(&seed), .high = chance(&seed)};
            struct sass_instruction instruction;
            char text[SASS_TEXT_MOST] = "", bits[SASS_BITS_MOST] = "";
            enum sass_decoded result = sass_decode(decoder, word, &instruction);
            if (result == SASS_UNKNOWN || result == SASS_RESERVED)
                continue;
            sass_text(&instruction, j, text);
            assert_in_range(strlen(text), 3, SASS_TEXT_MOST - 1);
            decoded += result == SASS_DECODED;
            unnamed += result == SASS_UNNAMED;
            sass_unnamed_text(&instruction, bits);
            assert_int_equal(strlen(bits) > 4, result == SASS_UNNAMED);
        }
        sass_decoder_free(decoder);
    }
    assert_in_range(unnamed, 5000, 800000);
    assert_in_range(decoded, 0, unnamed / 100);
}

/* @P0 BRA 0x1b0 of sm_90 with counter 1 awaited and a stall of 5 cycles: 0x002fea…: bits 105-108 are 5, bit 109 is set,
 * 110-115 are all set, bit 117 is set. */
static void control_bits_lie_where_they_should(void **state)
{
    (void)state;
    struct sass_word word = {.low = 0, .high = UINT64_C(0x002fea0000000000)};
    struct sass_control control = sass_control_of(&word);
    assert_int_equal(control.stall, 5);
    assert_false(control.yield);
    assert_int_equal(control.written, SASS_NO_COUNTER);
    assert_int_equal(control.read, SASS_NO_COUNTER);
    assert_int_equal(control.waits, 2);
    assert_int_equal(control.reuse, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_words_have_the_recorded_text),
        cmocka_unit_test(surfaces_by_elements_have_their_text),
        cmocka_unit_test(special_registers_have_their_names),
        cmocka_unit_test(each_bit_is_told_or_refused),
        cmocka_unit_test(further_fields_are_told),
        cmocka_unit_test(words_of_chance_have_a_text_or_none),
        cmocka_unit_test(control_bits_lie_where_they_should),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
