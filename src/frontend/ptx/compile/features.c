/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks of instructions that an assembler rejects although they could be executed: instructions and modifiers not
 * supported by the target or the PTX version (PTX ISA 9.0, chapter 9, "PTX ISA Notes" and "Target ISA Notes" of each
 * instruction), missing mandatory modifiers, numbers out of range. Linked modules are checked for the newest target and
 * version among them.
 */
#include "frontend/ptx/compile/features.h"

#include "frontend/ptx/compile/check.h"

#include <string.h>

/* A feature is there when the opcode is `opcode` ("": any) and has one word of each list; a list has words with blanks
 * between them, and "" asks for nothing. */
struct feature {
    const char *opcode, *words, *others;
    uint16_t target, version; /* the first ones, as 80 and 70 */
};

#define HALVES "f16 f16x2"
#define BRAINS "bf16 bf16x2"

static const struct feature features[] = {
    {"activemask", "", "", 0, 62},
    {"applypriority", "", "", 80, 74},
    {"createpolicy", "", "", 80, 74},
    {"discard", "", "", 80, 74},
    {"barrier", "sync arrive red", "", 0, 60},
    {"bar", "warp", "", 0, 60},
    {"bmsk", "", "", 70, 76},
    {"szext", "", "", 70, 76},
    {"cp", "async", "", 80, 70},
    {"cp", "bulk", "", 90, 80},
    {"dp2a", "", "", 61, 50},
    {"dp4a", "", "", 61, 50},
    {"elect", "", "", 90, 80},
    {"fence", "", "", 70, 60},
    {"fence", "async", "", 90, 80},
    {"fence", "mbarrier_init", "", 90, 80},
    {"fence", "cluster", "", 90, 78},
    {"ld", "cluster shared::cluster", "", 90, 78},
    {"st", "cluster shared::cluster", "", 90, 78},
    {"", "shared::cta", "", 30, 78},
    {"fns", "", "", 30, 60},
    {"griddepcontrol", "", "", 90, 78},
    {"ldmatrix", "", "", 75, 65},
    {"stmatrix", "", "", 90, 78},
    {"movmatrix", "", "", 75, 78},
    {"lop3", "", "", 50, 43},
    {"lop3", "and or xor", "", 70, 82},
    {"match", "", "", 70, 60},
    {"redux", "", "", 80, 70},
    {"nanosleep", "", "", 70, 0},
    {"setmaxnreg", "", "", 90, 80},
    {"shfl", "sync", "", 30, 60},
    {"vote", "sync", "", 30, 60},
    {"tanh", "", "", 75, 70},
    {"tcgen05", "", "", 100, 86},
    {"ex2", HALVES, "", 75, 70},
    {"mbarrier", "", "", 80, 70},
    {"mbarrier", "try_wait expect_tx", "", 90, 78},
    {"ld", "relaxed acquire", "", 70, 60},
    {"st", "relaxed release", "", 70, 60},
    {"atom", "relaxed acquire release acq_rel", "", 70, 60},
    {"red", "relaxed release", "", 70, 60},
    {"atom", "cta gpu sys", "", 60, 50},
    {"red", "cta gpu sys", "", 60, 50},
    {"atom", "add", "f64", 60, 50},
    {"red", "add", "f64", 60, 50},
    {"atom", "f16x2", "", 60, 62},
    {"red", "f16x2", "", 60, 62},
    {"atom", "f16", "", 70, 63},
    {"red", "f16", "", 70, 63},
    {"atom", BRAINS, "", 90, 78},
    {"red", BRAINS, "", 90, 78},
    {"atom", "cas exch", "b16", 70, 63},
    {"ld", "L1::evict_last L1::evict_first L1::no_allocate L1::evict_normal L1::evict_unchanged", "", 70, 74},
    {"st", "L1::evict_last L1::evict_first L1::no_allocate L1::evict_normal L1::evict_unchanged", "", 70, 74},
    {"cp", "L2::64B L2::128B L2::256B", "", 80, 74},
    {"ld", "L2::64B L2::128B", "", 75, 74},
    {"ld", "L2::256B", "", 80, 74},
    {"", "L2::cache_hint", "", 80, 74},
    {"ld", "v8", "b32 u32 s32 f32", 100, 88},
    {"ld", "v4", "b64 u64 s64 f64", 100, 88},
    {"st", "v8", "b32 u32 s32 f32", 100, 88},
    {"st", "v4", "b64 u64 s64 f64", 100, 88},
    {"ld", "mmio", "", 70, 82},
    {"st", "mmio", "", 70, 82},
    {"isspacep", "param", "", 70, 77},
    {"add", HALVES, "", 53, 42},
    {"sub", HALVES, "", 53, 42},
    {"mul", HALVES, "", 53, 42},
    {"fma", HALVES, "", 53, 42},
    {"setp", HALVES, "", 53, 42},
    {"fma", "relu", "", 80, 70},
    {"min", HALVES " " BRAINS, "", 80, 70},
    {"max", HALVES " " BRAINS, "", 80, 70},
    {"min", "NaN", "", 80, 70},
    {"max", "NaN", "", 80, 70},
    {"min", "xorsign", "", 86, 72},
    {"max", "xorsign", "", 86, 72},
    {"add", BRAINS, "", 90, 78},
    {"sub", BRAINS, "", 90, 78},
    {"mul", BRAINS, "", 90, 78},
    {"fma", BRAINS, "", 80, 70},
    {"add", "u16x2 s16x2", "", 90, 80},
    {"min", "u16x2 s16x2", "", 90, 80},
    {"max", "u16x2 s16x2", "", 90, 80},
    {"min", "relu", "s32 s16x2", 90, 80},
    {"max", "relu", "s32 s16x2", 90, 80},
    {"cvt", "f16x2", "f32", 80, 70},
    {"cvt", "relu", "", 80, 70},
    {"cvt", "tf32", "", 80, 70},
    {"cvt", "pack", "", 72, 65},
    {"abs", HALVES, "", 53, 65},
    {"neg", HALVES, "", 53, 60},
    {"abs", BRAINS, "", 80, 70},
    {"neg", BRAINS, "", 80, 70},
    {"set", BRAINS, "", 90, 78},
    {"setp", BRAINS, "", 90, 78},
    {"tanh", BRAINS, "", 90, 78},
    {"ex2", BRAINS, "", 90, 78},
    {"add", "f32x2", "", 100, 86},
    {"sub", "f32x2", "", 100, 86},
    {"mul", "f32x2", "", 100, 86},
    {"fma", "f32x2", "", 100, 86},
    {"add", "f32", "f16 bf16", 100, 86},
    {"sub", "f32", "f16 bf16", 100, 86},
    {"fma", "f32", "f16 bf16", 100, 86},
    {"mma", "m16n8k8 m8n8k16 m8n8k32", "", 75, 65},
    {"mma", "m16n8k16 m16n8k32 m16n8k64 m16n8k4", "", 80, 70},
    {"mma", BRAINS " tf32", "", 80, 70},
    {"atom", "v2 v4 v8", "", 90, 81},
    {"multimem", "", "", 90, 81},
    {"red", "v2 v4 v8", "", 90, 81},
    {"atom", "b128", "", 90, 83},
    {"mma", "f64", "", 80, 70},
    {"mma", "sp", "", 80, 71},
    {"mma", "sp::ordered_metadata", "", 80, 85},
    {"mma", "e4m3 e5m2", "", 89, 84},
    {"wmma", "", "", 70, 60},
    {"wmma", "s8 u8", "", 72, 63},
    {"wmma", "s4 u4 b1", "", 75, 63},
    {"wmma", BRAINS " tf32 f64", "", 80, 70},
};

/* Modifiers that an instruction of certain types must have one of. */
static const struct {
    const char *opcode, *types, *needs;
} needs[] = {
    {"fma", "f32 f64 f32x2 f16 f16x2 bf16 bf16x2", "rn rz rm rp"},
    {"mad", "f32 f64", "rn rz rm rp"},
    {"div", "f32", "rn rz rm rp approx full"},
    {"div", "f64", "rn rz rm rp"},
    {"rcp", "f32 f64", "rn rz rm rp approx"},
    {"sqrt", "f32 f64", "rn rz rm rp approx"},
    {"ld", "relaxed acquire", "cta cluster gpu sys"},
    {"st", "relaxed release", "cta cluster gpu sys"},
    {"ld", "cta cluster gpu sys", "relaxed acquire"},
    {"st", "cta cluster gpu sys", "relaxed release"},
    {"cvta", "", "u32 u64"},
    {"membar", "", "cta gl sys proxy"},
    {"fence", "", "cta cluster gpu sys proxy mbarrier_init"},
    {"fence", "proxy", "alias async async::generic tensormap::generic"},
    {"fence", "mbarrier_init", "release"},
    {"fence", "mbarrier_init", "cluster"},
    {"ld", "nc", "global"},
    {"ld", "mmio", "relaxed"},
    {"ld", "mmio", "sys"},
    {"st", "mmio", "relaxed"},
    {"st", "mmio", "sys"},
    {"mbarrier", "cta cluster", "acquire release relaxed"},
    {"atom", "f16 f16x2 bf16 bf16x2", "noftz"},
    {"red", "f16 f16x2 bf16 bf16x2", "noftz"},
    {"applypriority", "", "L2::evict_normal"},
    {"discard", "", "L2"},
    {"prefetchu", "", "L1"},
    {"prefetch", "", "L1 L2 L2::evict_last L2::evict_normal tensormap"},
};

/* Words that do not go together: one of each list. */
static const struct {
    const char *opcode, *words, *others;
} conflicts[] = {
    {"ld", "release wb wt", ""},
    {"st", "acquire ca nc cv", ""},
    {"red", "acquire acq_rel", ""},
    {"ld", "nc", "shared local const param relaxed acquire volatile"},
    {"ld", "volatile", "ca cg cs lu cv"},
    {"ld", "acquire", "const param"},
    {"ld", "f16 f16x2 bf16 bf16x2 tf32", ""},
    {"st", "f16 f16x2 bf16 bf16x2 tf32", ""},
    {"ldu", "shared local const param ca cg cs lu cv nc relaxed acquire release volatile", ""},
    {"atom", "volatile", ""},
    {"red", "volatile", ""},
    {"atom", "acquire", "acq_rel release relaxed"},
    {"atom", "release", "acq_rel relaxed"},
    {"red", "release", "relaxed"},
    {"add", "relu NaN", ""},
    {"sub", "relu NaN", ""},
    {"mul", "relu NaN", ""},
    {"neg", "relu NaN", ""},
    {"abs", "relu NaN", ""},
    {"and", "cc", ""},
    {"or", "cc", ""},
    {"xor", "cc", ""},
    {"not", "cc", ""},
    {"cvt", "relu", "u8 u16 u32 u64 s8 s16 s32 s64"},
    {"cvt", "sat", "bf16x2"},
    {"fence", "global shared local const param", ""},
    {"mbarrier", "inval", "acquire release relaxed"},
    {"prefetch", "shared const", ""},
    {"atom", "exch cas", "u32 s32 u64 s64"},
    {"atom", "add", "s64"},
    {"setp", "lt le gt ge", "b16 b32 b64"},
    {"setp", "lo ls hi hs", "s16 s32 s64 f16 f16x2 bf16 bf16x2 f32 f64"},
    {"shfl", "u32 s32 f32 u64 s64 b64", ""},
    {"activemask", "u32 s32", ""},
    {"nanosleep", "s32 b32 f32", ""},
    {"mbarrier", "global", ""},
    {"bar", "popc", "s32 b32"},
    {"fma", "relu", "f32 f64"},
    {"div", "sat", ""},
    {"rcp", "sat", ""},
    {"sqrt", "sat", ""},
    {"min", "relu", HALVES " " BRAINS " f32 f64"},
    {"max", "relu", HALVES " " BRAINS " f32 f64"},
    {"min", "NaN xorsign", "f64"},
    {"max", "NaN xorsign", "f64"},
    {"mul", "ftz sat", BRAINS},
    {"abs", "ftz", BRAINS},
    {"neg", "ftz", BRAINS},
    {"tanh", "ftz", ""},
    {"setp", "ftz", "f64 bf16 bf16x2 u16 u32 u64 s16 s32 s64 b16 b32 b64"},
    {"mad", "f32x2", ""},
};

/* Numbers among the operands: at least, at most, and of which they are multiples. */
static const struct {
    const char *opcode, *words;
    uint16_t operand, least, most, step;
} numbers[] = {
    {"setmaxnreg", "", 0, 24, 256, 8},
    {"bar", "sync arrive", 0, 0, 15, 1},
    {"barrier", "sync arrive", 0, 0, 15, 1},
    {"bar", "red", 1, 0, 15, 1},
    {"barrier", "red", 1, 0, 15, 1},
    {"bar", "sync arrive", 1, 0, 65504, 32},
    {"discard", "", 1, 128, 128, 1},
    {"cp", "cg", 2, 16, 16, 1},
    {"barrier", "sync arrive", 1, 0, 65504, 32},
    {"bfe", "", 2, 0, 255, 1},
    {"bfe", "", 3, 0, 255, 1},
    {"bfi", "", 3, 0, 255, 1},
    {"bfi", "", 4, 0, 255, 1},
    {"mbarrier", "parity", 2, 0, 1, 1},
    {"wgmma", "wait_group", 0, 0, 7, 1},
    {"pmevent", "", 0, 0, 15, 1},
    {"applypriority", "", 1, 128, 128, 1},
};

/* Whether the statement has one of the words; true for "". */
static bool has_one(const struct ptx_decoder *decoder, const char *words)
{
    if (!*words)
        return true;
    for (const char *word = words; *word;) {
        size_t length = strcspn(word, " ");
        for (uint32_t i = 1; i < decoder->word_count; i++)
            if (decoder->words[i].length == length && memcmp(decoder->words[i].text, word, length) == 0)
                return true;
        word += length + (word[length] == ' ');
    }
    return false;
}

static bool opcode_is(const struct ptx_decoder *decoder, const char *opcode)
{
    return !*opcode || ptx_word_is(&decoder->words[0], opcode);
}

/* A conversion between floating-point types needs a rounding where it loses bits, and has none where it does not. */
static bool check_rounding(struct ptx_decoder *decoder)
{
    if (!opcode_is(decoder, "cvt") || decoder->type_count != 2)
        return true;
    bool rounded = has_one(decoder, "rn rz rm rp rs");
    uint8_t to = decoder->types[0], from = decoder->types[1];
    bool narrower = (to == EXECUTE_f32 && from == EXECUTE_f64) ||
                    (to >= EXECUTE_f16 && to <= EXECUTE_bf16x2 && from == EXECUTE_f32);
    if (narrower && !rounded)
        return ptx_decode_fail(decoder, "it needs one of these: .rn .rz .rm .rp");
    if (to == EXECUTE_f64 && from == EXECUTE_f32 && rounded)
        return ptx_decode_fail(decoder, "it takes no rounding, as it is exact");
    return true;
}

static bool check_targets(struct ptx_decoder *decoder)
{
    const struct ptx_module *module = decoder->module;
    for (size_t i = 0; i < sizeof features / sizeof *features; i++) {
        const struct feature *row = &features[i];
        if ((module->architecture >= row->target && module->version >= row->version) ||
            !opcode_is(decoder, row->opcode) || !has_one(decoder, row->words) || !has_one(decoder, row->others))
            continue;
        if (module->architecture < row->target)
            return ptx_decode_fail(decoder, "it needs `.target sm_%u` or higher", row->target);
        return ptx_decode_fail(decoder, "it needs `.version %u.%u` or later", row->version / 10, row->version % 10);
    }
    if (opcode_is(decoder, "setmaxnreg") && !module->specific)
        return ptx_decode_fail(decoder, "it needs a target for one architecture, as `.target sm_90a`");
    if (opcode_is(decoder, "tcgen05") && (!module->specific || module->architecture >= 120))
        return ptx_decode_fail(decoder, "it needs a target for one architecture that has it, as `.target sm_100a`");
    bool synchronous = ptx_word_is(&decoder->words[0], "shfl") || ptx_word_is(&decoder->words[0], "vote");
    if (synchronous && !ptx_has_word(decoder, "sync") && module->architecture >= 70 && module->version >= 64)
        return ptx_decode_fail(decoder, "it needs .sync from sm_70 and PTX 6.4 on");
    return true;
}

static bool check_numbers(struct ptx_decoder *decoder)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct ptx_operand *operand = ptx_operand_of(decoder, numbers[i].operand);
        if (!operand || operand->kind != PTX_OPERAND_INTEGER || !opcode_is(decoder, numbers[i].opcode) ||
            !has_one(decoder, numbers[i].words) || ptx_has_word(decoder, "warp"))
            continue;
        if (operand->value < numbers[i].least || operand->value > numbers[i].most)
            return ptx_decode_fail(decoder, "%ld is not in the range from %u to %u", (long)operand->value,
                                   numbers[i].least, numbers[i].most);
        if (operand->value % numbers[i].step)
            return ptx_decode_fail(decoder, "%lu is not a multiple of %u", (unsigned long)operand->value,
                                   numbers[i].step);
    }
    return true;
}

static bool check_words(struct ptx_decoder *decoder)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (opcode_is(decoder, conflicts[i].opcode) && has_one(decoder, conflicts[i].words) &&
            has_one(decoder, conflicts[i].others))
            return ptx_decode_fail(decoder, "one of .%s does not go with %s%s", conflicts[i].words,
                                   *conflicts[i].others ? "one of ." : "this instruction", conflicts[i].others);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (opcode_is(decoder, needs[i].opcode) && has_one(decoder, needs[i].types) &&
            !has_one(decoder, needs[i].needs))
            return ptx_decode_fail(decoder, "it needs one of these: .%s", needs[i].needs);
    return check_rounding(decoder);
}

/* All checks except those of operands depend only on the statement's name, so they are cached. */
bool ptx_check_features(struct ptx_decoder *decoder)
{
    bool *checked = &decoder->name_checked[decoder->statement->name];
    *checked = *checked || (check_words(decoder) && check_targets(decoder) && ptx_check_conversion(decoder));
    return *checked && check_numbers(decoder);
}
