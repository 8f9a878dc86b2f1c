/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of floating-point arithmetic, conversions and special functions. */
#include "frontend/sass/forms.h"

#define FUNCTION         "74-77:COS|SIN|EX2|LG2|RCP|RSQ|RCP64H|RSQ64H|SQRT|TANH"
#define ROUND            "78-79:|RM|RP|RZ"
#define INTEGER_TO_FLOAT "75-77:?|F16||F64|BF16 84-85,74:U8|U16|U32|U64|S8|S16||S64 " ROUND
#define FLOAT_TO_INTEGER                                                                                               \
    "80:FTZ 75-76,72:U8|U16|U32|U64|S8|S16||S64 84-86:?|F16||F64|BF16 78-79:|FLOOR|CEIL|TRUNC 77:NTZ"
#define FLOAT_TO_FLOAT "80:FTZ 75-77:?|F16|F32|F64|BF16 84-86:?|F16|F32|F64|BF16 " ROUND
#define HALF_FMA       "76,80:|FMZ|FTZ|OOB 77:SAT"
#define HALF_SET       "71:BF " ORDER " 80:FTZ"
#define SHAPES(k)                                                                                                      \
    "64x8x" k "|64x16x" k "|64x24x" k "|64x32x" k "|64x40x" k "|64x48x" k "|64x56x" k "|64x64x" k "|64x72x" k          \
    "|64x80x" k "|64x88x" k "|64x96x" k "|64x104x" k "|64x112x" k "|64x120x" k "|64x128x" k "|64x136x" k "|64x144x" k  \
    "|64x152x" k "|64x160x" k "|64x168x" k "|64x176x" k "|64x184x" k "|64x192x" k "|64x200x" k "|64x208x" k            \
    "|64x216x" k "|64x224x" k "|64x232x" k "|64x240x" k "|64x248x" k "|64x256x" k
#define SHAPES_OF_INTEGERS                                                                                             \
    "64x8x32|?|?|64x16x32|?|?|64x24x32|?|?|64x32x32|?|?|64x48x32|?|?|64x64x32|"                                        \
    "?|?|64x80x32|?|?|64x96x32|?|?|64x112x32|?|?|64x128x32|?|?|64x144x32|?|?|"                                         \
    "64x160x32|?|?|64x176x32|?|?|64x192x32|?|?|64x208x32|?|?|64x224x32|?|?|"                                           \
    "64x240x32|?|?|64x256x32"
#define SPARSE_OF_INTEGERS                                                                                             \
    "?|64x8x64|?|?|64x16x64|?|?|64x24x64|?|?|64x32x64|?|?|64x48x64|?|?|64x64x64|?|"                                    \
    "?|64x80x64|?|?|64x96x64|?|?|64x112x64|?|?|64x128x64|?|?|64x144x64|?|"                                             \
    "?|64x160x64|?|?|64x176x64|?|?|64x192x64|?|?|64x208x64|?|?|64x224x64|?|"                                           \
    "?|64x240x64|?|?|64x256x64"
#define GROUP_MATRIX "53-58:" SHAPES("16") "|" SHAPES("8") " 75:F16|F32 76-77:|BF16|TF32|?"
#define GROUP_LAST   "?#84-86:gsb0|?|?|?|?|?|?|"
#define GROUP_END    "?v87!90 " GROUP_LAST
#define SPARSE_END   "?v87!90 R40 " GROUP_LAST
#define SELECTED_END "?v87!90 R40 I48-49 " GROUP_LAST
#define ORDER        "76-79:F|LT|EQ|LE|GT|NE|GE|NUM|NAN|LTU|EQU|LEU|GTU|NEU|GEU|T"
#define ORDER_DOUBLE "76-79:MIN|LT|EQ|LE|GT|NE|GE|NUM|NAN|LTU|EQU|LEU|GTU|NEU|GEU|MAX"
/* Conversions from a byte or a half of a register. */
#define PART_TO_FLOAT(operation, to)                                                                                   \
    SASS_FORM(operation, SASS_KIND_1, "60-61=1 84-85=1 " to, "I2F", INTEGER_TO_FLOAT, "R16 R32'H1"),                   \
        SASS_FORM(operation, SASS_KIND_1, "60-61=1 84-85=0 " to, "I2F", INTEGER_TO_FLOAT, "R16 R32'B1"),               \
        SASS_FORM(operation, SASS_KIND_1, "60-61=2 84-85=0 " to, "I2F", INTEGER_TO_FLOAT, "R16 R32'B2"),               \
        SASS_FORM(operation, SASS_KIND_1, "60-61=3 84-85=0 " to, "I2F", INTEGER_TO_FLOAT, "R16 R32'B3")
/* Whole numbers held to 8 or 16 bits; from sm_80 on to 2 or 4, above the lower 28 or 24 bits of the last operand. */
#define PACK_INTEGERS(from, to, limits)                                                                                \
    SASS_FORM_OF(from, to, 0x039, SASS_EITHER, "78=0 72-73=0", "I2IP", "76-77:U8|S8|U16|S16 =S32 " limits,             \
                 "R16 R24 Xs Y"),                                                                                      \
        SASS_FORM_OF(from, to, 0x039, SASS_EITHER, "78=0 72-73=1", "I2IP", "76-77:U8|S8|U16|S16 =S32 " limits,         \
                     "R16 R24 Xs Y'H1")
#define PACK_FEW_BITS(from, to, limits)                                                                                \
    SASS_FORM_OF(from, to, 0x039, SASS_EITHER, "77-78=2 72-73=3", "I2IP", "76:U2|S2 =S32 " limits, "R16 R24 Xs Y'28"), \
        SASS_FORM_OF(from, to, 0x039, SASS_EITHER, "77-78=3 72-73=2", "I2IP", "76:U4|S4 =S32 " limits,                 \
                     "R16 R24 Xs Y'24")
#define SATURATES_86 "74-75:SAT||SATRELU|?"
#define SATURATES_90 "74-75:|SAT|SATRELU|?"
#define PACKED       "79-81:|?|?|RZ|?|?|?|?"

static const struct sass_form rows[] = {
    SASS_FORM(0x021, SASS_EITHER, NULL, "FADD", "80:FTZ " ROUND " 77:SAT", "R16 R24n72a73 Xfn63a62r2"),
    SASS_FORM(0x020, SASS_EITHER, NULL, "FMUL", "76,80:|FMZ|FTZ|? 84-86:?|D8|D4|D2||M2|M4|M8 " ROUND " 77:SAT",
              "R16 R24n72a73 Xfn63a62"),
    SASS_FORM(0x023, SASS_EITHER, NULL, "FFMA", "76,80:|FMZ|FTZ|? " ROUND " 77:SAT", "R16 R24n72a73 Xfn63a62 Yn75a74"),
    SASS_FORM(0x008, SASS_SECOND, NULL, "FSEL", "80:FTZ", "R16 R24n72a73 Xfn63a62 P87!90"),
    SASS_FORM_OF(86, 120, 0x009, SASS_SECOND, NULL, "FMNMX", "80:FTZ 81:NAN 82:XORSIGN",
                 "R16 R24n72a73 Xfn63a62 P87!90"),
    SASS_FORM(0x009, SASS_SECOND, NULL, "FMNMX", "80:FTZ 81:NAN", "R16 R24n72a73 Xfn63a62 P87!90"),
    SASS_FORM(0x00b, SASS_SECOND, NULL, "FSETP", ORDER " 80:FTZ 74-75:AND|OR|XOR", "P81 P84 R24n72a73 Xfn63a62 P87!90"),
    SASS_FORM(0x102, SASS_SECOND, NULL, "FCHK", "", "P81 R24n72a73 Xfn63a62"),
    SASS_FORM(0x029, SASS_KIND_1, NULL, "DADD", ROUND, "R16 R24n72a73 R64n75a74"),
    SASS_FORM(0x029, SASS_EITHER, NULL, "DADD", ROUND, "R16 R24n72a73 Xdn63a62"),
    SASS_FORM(0x028, SASS_EITHER, NULL, "DMUL", ROUND, "R16 R24n72a73 Xdn63a62"),
    SASS_FORM(0x02b, SASS_EITHER, NULL, "DFMA", ROUND, "R16 R24n72a73 Xdn63a62 Yn75a74"),
    SASS_FORM(0x02a, SASS_EITHER, NULL, "DSETP", ORDER_DOUBLE " 74-75:AND|OR|XOR",
              "P81 P84 R24n72a73 Xdn63a62r2 P87!90"),
    SASS_FORM(0x108, SASS_SECOND, "74-77=6|7", "MUFU", "74-77:?|?|?|?|?|?|RCP64H|RSQ64H", "R16 Xdn63a62"),
    SASS_FORM_OF(70, 70, 0x108, SASS_SECOND, NULL, "MUFU", "74-77:COS|SIN|EX2|LG2|RCP|RSQ|RCP64H|RSQ64H|SQRT",
                 "R16 Xfn63a62"),
    SASS_FORM_OF(75, 89, 0x108, SASS_KIND_1, "60-61=1 73=1", "MUFU", FUNCTION " =F16", "R16 R32n63a62'H1"),
    SASS_FORM_OF(75, 89, 0x108, SASS_SECOND, NULL, "MUFU", FUNCTION " 73:F16", "R16 Xfn63a62"),
    SASS_FORM_OF(90, 120, 0x108, SASS_KIND_1, "60-61=1 72-73!=0", "MUFU", FUNCTION " 72-73:?|F16|BF16|?",
                 "R16 R32n63a62'H1"),
    SASS_FORM_OF(90, 120, 0x108, SASS_SECOND, NULL, "MUFU", FUNCTION " 72-73:|F16|BF16|?", "R16 Xfn63a62"),
    SASS_FORM_OF(86, 120, 0x045, SASS_SECOND, NULL, "I2FP", "=F32 74:U32|S32 78-79:|?|?|RZ", "R16 Xu 76=1 85=1"),
    PART_TO_FLOAT(0x106, "75-77=1|2|4"),
    SASS_FORM(0x106, SASS_SECOND, "75-77=1|2|4 84-85!=3", "I2F", INTEGER_TO_FLOAT, "R16 Xs"),
    PART_TO_FLOAT(0x112, "75-77=3"),
    SASS_FORM(0x112, SASS_SECOND, "75-77=3", "I2F", INTEGER_TO_FLOAT, "R16 Xs"),
    SASS_FORM(0x112, SASS_SECOND, "84-85=3", "I2F", INTEGER_TO_FLOAT, "R16 Xs"),
    SASS_FORM(0x105, SASS_SECOND, "75-76!=3 84-86=1", "F2I", FLOAT_TO_INTEGER, "R16 Xfn63a62'H1@60"),
    SASS_FORM(0x105, SASS_SECOND, "75-76!=3 84-86=2|4", "F2I", FLOAT_TO_INTEGER, "R16 Xfn63a62"),
    SASS_FORM(0x111, SASS_SECOND, "84-86=3", "F2I", FLOAT_TO_INTEGER, "R16 Xdn63a62"),
    SASS_FORM(0x111, SASS_SECOND, "75-76=3 84-86=1", "F2I", FLOAT_TO_INTEGER, "R16 Xfn63a62'H1@60"),
    SASS_FORM(0x111, SASS_SECOND, "75-76=3", "F2I", FLOAT_TO_INTEGER, "R16 Xfn63a62"),
    SASS_FORM(0x104, SASS_SECOND, "84-86=1 75-77=1|2|4", "F2F", FLOAT_TO_FLOAT, "R16 Xfn63a62'H1@60"),
    SASS_FORM(0x104, SASS_SECOND, "84-86=2|4 75-77=1|2|4", "F2F", FLOAT_TO_FLOAT, "R16 Xfn63a62"),
    SASS_FORM(0x110, SASS_SECOND, "75-77=3", "F2F", FLOAT_TO_FLOAT, "R16 Xfn63a62"),
    SASS_FORM(0x110, SASS_SECOND, "84-86=3", "F2F", FLOAT_TO_FLOAT, "R16 Xfn63a62"),
    SASS_FORM(0x107, SASS_SECOND, "75-76,84-86=5|10|15", "FRND", "80:FTZ 75-76:?|F16||F64 78-79:|FLOOR|CEIL|TRUNC",
              "R16 Xfn63a62"),
    SASS_FORM(0x113, SASS_SECOND, "75-76,84-86=5|10|15", "FRND", "80:FTZ 75-76:?|F16||F64 78-79:|FLOOR|CEIL|TRUNC",
              "R16 Xdn63a62"),
    SASS_FORM_OF(80, 90, 0x035, SASS_EITHER, "85=1 79=1", "HFMA2", "=MMA =BF16_V2 76,80:|FMZ|FTZ|? =RELU",
                 "R16 R24n72a73 Xbn63a62 Yn84a83 ?P87!90"),
    SASS_FORM_OF(80, 90, 0x035, SASS_EITHER, "85=1", "HFMA2", "=MMA =BF16_V2 76,80:|FMZ|FTZ|? 77:SAT",
                 "R16 R24n72a73 Xbn63a62 Yn84a83 87-90=0"),
    SASS_FORM_OF(80, 90, 0x035, SASS_EITHER, "79=1", "HFMA2", "=MMA 76,80:|FMZ|FTZ|? =RELU",
                 "R16 R24n72a73 Xhn63a62 Yn84a83 ?P87!90"),
    SASS_FORM_OF(80, 90, 0x035, SASS_EITHER, NULL, "HFMA2", "=MMA 76,80:|FMZ|FTZ|? 77:SAT",
                 "R16 R24n72a73 Xhn63a62 Yn84a83 87-90=0"),
    SASS_FORM_OF(75, 75, 0x03c, SASS_KIND_1, NULL, "HMMA", "75,78:1688|1684|16816|? 76:F16|F32 77:SATFINITE",
                 "R16 R24n72 R32n63 R64"),
    SASS_FORM_OF(80, 120, 0x03c, SASS_KIND_1, "73=1", "HMMA",
                 "=SP 75,78:1688|16816|?|16832 76:F16|F32 82-83:|BF16|TF32|?",
                 "R16 R24n72 R32n63 R64 R40'reuse@50 I48-49"),
    SASS_FORM_OF(80, 80, 0x03c, SASS_KIND_1, "82-83=0|1", "HMMA", "75:1688|16816 76:F16|F32 82-83:|BF16|?|?",
                 "R16 R24n72 R32n63 R64"),
    SASS_FORM_OF(80, 80, 0x03c, SASS_KIND_1, "78=0", "HMMA", "75:1688|16816 76:F16|F32 82-83:|BF16|TF32",
                 "R16 R24n72 R32n63 R64"),
    SASS_FORM_OF(80, 80, 0x03c, SASS_KIND_1, NULL, "HMMA", "=1684 76:F16|F32 82-83:|BF16|TF32",
                 "R16 R24n72 R32n63 R64 78=1"),
    SASS_FORM_OF(86, 120, 0x03c, SASS_KIND_1, "82-83=0|1", "HMMA", "75:1688|16816 76:F16|F32 82-83:|BF16|?|?",
                 "R16 R24n72 R32n63 R64 ?v87!90"),
    SASS_FORM_OF(86, 120, 0x03c, SASS_KIND_1, "78=0", "HMMA", "75:1688|16816 76:F16|F32 82-83:|BF16|TF32",
                 "R16 R24n72 R32n63 R64 ?v87!90"),
    SASS_FORM_OF(86, 120, 0x03c, SASS_KIND_1, NULL, "HMMA", "=1684 76:F16|F32 82-83:|BF16|TF32",
                 "R16 R24n72 R32n63 R64 ?v87!90 78=1"),
    SASS_FORM_OF(70, 75, 0x036, SASS_KIND_1, NULL, "HMMA",
                 "=884 76:F16|F32 78:F16|F32 79-80:STEP0|STEP1|STEP2|STEP3 77:SATFINITE",
                 "R16 R24n72'COL@73/ROW R32n63'COL@74/ROW R64"),
    SASS_FORM_OF(90, 120, 0x030, SASS_EITHER, "85=1", "HADD2", "85:BF16_V2 80:FTZ 77:SAT",
                 "R16 R24n72a73h74 Xbn63a62h60r2"),
    SASS_FORM(0x030, SASS_EITHER, NULL, "HADD2", "78:F32 80:FTZ 77:SAT", "R16 R24n72a73h74 Xhn63a62h60r2"),
    SASS_FORM_OF(86, 120, 0x031, SASS_KIND_1, "85-86=3 79=0 60-61=0", "HFMA2", "=BF16_V2 " HALF_FMA,
                 "R16 R24n72a73h74 Xbn63a62'H0_NH1 Yn84a83h81 87-90=0"),
    SASS_FORM_OF(86, 120, 0x031, SASS_KIND_1, "85-86=2 79=0 60-61=0", "HFMA2", "78:F32 " HALF_FMA,
                 "R16 R24n72a73h74 Xhn63a62'H0_NH1 Yn84a83h81 87-90=0"),
    SASS_FORM_OF(80, 120, 0x031, SASS_EITHER, "85=1 79=1", "HFMA2",
                 "=BF16_V2 "
                 "76,80:|FMZ|FTZ|OOB =RELU",
                 "R16 R24n72a73h74 Xbn63a62h60 Yn84a83h81 ?P87!90"),
    SASS_FORM_OF(80, 120, 0x031, SASS_EITHER, "85=1", "HFMA2", "=BF16_V2 " HALF_FMA,
                 "R16 R24n72a73h74 Xbn63a62h60 Yn84a83h81 87-90=0"),
    SASS_FORM_OF(80, 120, 0x031, SASS_EITHER, "79=1", "HFMA2",
                 "78:F32 "
                 "76,80:|FMZ|FTZ|OOB =RELU",
                 "R16 R24n72a73h74 Xhn63a62h60 Yn84a83h81 ?P87!90"),
    SASS_FORM(0x031, SASS_EITHER, NULL, "HFMA2", "78:F32 " HALF_FMA, "R16 R24n72a73h74 Xhn63a62h60 Yn84a83h81 87-90=0"),
    SASS_FORM_OF(80, 120, 0x032, SASS_EITHER, "85=1", "HMUL2", "=BF16_V2 " HALF_FMA, "R16 R24n72a73h74 Xbn63a62h60"),
    SASS_FORM(0x032, SASS_EITHER, NULL, "HMUL2", "78:F32 " HALF_FMA, "R16 R24n72a73h74 Xhn63a62h60"),
    SASS_FORM_OF(90, 120, 0x033, SASS_EITHER, "65=1", "HSET2", "=BF16_V2 " HALF_SET " 69-70:AND|OR|XOR",
                 "R16 R24n72a73h74 Xbn63a62h60 P87!90"),
    SASS_FORM(0x033, SASS_EITHER, NULL, "HSET2", HALF_SET " 69-70:AND|OR|XOR", "R16 R24n72a73h74 Xhn63a62h60 P87!90"),
    SASS_FORM_OF(90, 120, 0x034, SASS_EITHER, "65=1", "HSETP2", "=BF16_V2 " ORDER " 80:FTZ 71:H_AND 69-70:AND|OR|XOR",
                 "P81 P84 R24n72a73h74 Xbn63a62h60 P87!90"),
    SASS_FORM(0x034, SASS_EITHER, NULL, "HSETP2", ORDER " 80:FTZ 71:H_AND 69-70:AND|OR|XOR",
              "P81 P84 R24n72a73h74 Xhn63a62h60 P87!90"),
    SASS_FORM_OF(80, 80, 0x040, SASS_EITHER, "85=1", "HMNMX2", "=BF16_V2 80:FTZ 81:NAN",
                 "R16 R24n72a73h74 Xbn63a62h60 P87!90"),
    SASS_FORM_OF(80, 80, 0x040, SASS_EITHER, NULL, "HMNMX2", "80:FTZ 81:NAN", "R16 R24n72a73h74 Xhn63a62h60 P87!90"),
    SASS_FORM_OF(86, 120, 0x040, SASS_EITHER, "85=1", "HMNMX2", "=BF16_V2 80:FTZ 81:NAN 82:XORSIGN",
                 "R16 R24n72a73h74 Xbn63a62h60 P87!90"),
    SASS_FORM_OF(86, 120, 0x040, SASS_EITHER, NULL, "HMNMX2", "80:FTZ 81:NAN 82:XORSIGN",
                 "R16 R24n72a73h74 Xhn63a62h60 P87!90"),
    SASS_FORM_OF(90, 100, 0x047, SASS_KIND_1 | SASS_KIND_4 | SASS_KIND_5, "78=0 85=1", "VHMNMX",
                 "=BF16_V2 80:FTZ 81:NAN 82:XORSIGN", "R16 R24n72a73h74 Xbn63a62h60 Yn84a83h76 P87!90"),
    SASS_FORM_OF(90, 100, 0x047, SASS_KIND_1 | SASS_KIND_4 | SASS_KIND_5, "78=0", "VHMNMX", "80:FTZ 81:NAN 82:XORSIGN",
                 "R16 R24n72a73h74 Xhn63a62h60 Yn84a83h76 P87!90"),
    SASS_FORM(0x00a, SASS_EITHER, NULL, "FSET", "=BF " ORDER " 80:FTZ 74-75:AND|OR|XOR",
              "R16 R24n72a73 Xfn63a62 P87!90"),
    SASS_FORM_OF(80, 90, 0x037, SASS_KIND_1, "72=1", "IMMA",
                 "=SP 75,85-86:?|?|?|?|?|16832|16864|168128 76-77,83:U8|S8|?|?|U4|S4|?|? 78-79,84:U8|S8|?|?|U4|S4|?|? "
                 "82:SAT",
                 "R16 R24'ROW R32'COL R64 R40'reuse@50 I48-49 74=1"),
    SASS_FORM_OF(75, 89, 0x037, SASS_KIND_1, "83-84!=0", "IMMA",
                 "75,85-86:8816|8832|8832|?|16816|16832|16864|? 76-77,83:U8|S8|?|?|U4|S4|?|? "
                 "78-79,84:U8|S8|?|?|U4|S4|?|? 82:SAT",
                 "R16 R24'ROW R32'COL R64 74=1"),
    SASS_FORM_OF(75, 90, 0x03d, SASS_KIND_1, "80=1", "BMMA",
                 "75-76:88128|168128|168256|? 77-79:XOR|?|AND|?|?|?|?|? =POPC", "R16 R24'ROW R32'COL R64 74=1"),
    SASS_FORM_OF(89, 89, 0x07a, SASS_KIND_1, "80=1", "QMMA",
                 "=SP 75-76:?|?|16864|? 77:F16|F32 78:E4M3|E5M2 79:E4M3|E5M2",
                 "R16 R24n72'ROW R32n63'COL R64 R40'reuse@50 I48-49 74=1"),
    SASS_FORM_OF(89, 89, 0x07a, SASS_KIND_1, "80=0", "QMMA",
                 "75-76:16816|16832|?|? 77:F16|F32 78:E4M3|E5M2 79:E4M3|E5M2",
                 "R16 R24n72'ROW R32n63'COL R64 ?v87!90 74=1"),
    SASS_FORM(0x037, SASS_KIND_1, NULL, "IMMA", "75,85-86:8816|8832|?|?|16816|16832|?|? 76:U8|S8 78:U8|S8 82:SAT",
              "R16 R24'ROW R32'COL R64 74=1"),
    SASS_FORM_OF(70, 86, 0x03e, SASS_EITHER, "78=0", "F2FP", "77:SATFINITE 75:RELU 76:|BF16 =PACK_AB " PACKED,
                 "R16 R24 Xf 64-71=255"),
    SASS_FORM_OF(70, 86, 0x03e, SASS_EITHER, NULL, "F2FP", "77:SATFINITE 75:RELU 76:|BF16 =MERGE_C " PACKED,
                 "R16 Xf Y'H1@72 24-31=255 78=1"),
    SASS_FORM_OF(89, 99, 0x03e, SASS_EITHER, "90=1 78=1", "F2FP",
                 "77:SATFINITE 75:RELU 76:E5M2|E4M3 =F32 =PACK_AB_MERGE_C", "R16 R24 Xf Y 87=1"),
    SASS_FORM_OF(89, 99, 0x03e, SASS_EITHER, "90=1 73=1", "F2FP",
                 "77:SATFINITE 75:RELU 76:E5M2|E4M3 =F16 =UNPACK_B_MERGE_C", "R16 Xu Y 24-31=255 87=1"),
    SASS_FORM_OF(89, 99, 0x03e, SASS_EITHER, "89=1 74=1", "F2FP", "75:RELU =F16 73:E5M2|E4M3 =UNPACK_B",
                 "R16 Xu'H1@88 24-31=255 64-71=255"),
    SASS_FORM_OF(89, 120, 0x03e, SASS_EITHER, "89=1 86=1", "F2FP", "77:SATFINITE 75:RELU =TF32 =F32 =PACK_B " PACKED,
                 "R16 Xf 24-31=255 64-71=255 76=1 78=1"),
    SASS_FORM_OF(89, 120, 0x03e, SASS_EITHER, "87=0 78=0", "F2FP",
                 "77:SATFINITE 75:RELU 76:F16|BF16 =F32 =PACK_AB " PACKED, "R16 R24 Xf 64-71=255"),
    SASS_FORM_OF(89, 120, 0x03e, SASS_EITHER, "86-87=0 89-90=0", "F2FP",
                 "77:SATFINITE 75:RELU 76:F16|BF16 =F32 =MERGE_C " PACKED, "R16 Xf Y'H1@72 24-31=255 78=1"),
    SASS_FORM_OF(86, 120, 0x043, SASS_EITHER, NULL, "F2IP", "76:U8|S8 =F32 78-79:|?|?|TRUNC 74:NTZ 75:RELU",
                 "R16 R24 Xf Y'H1@72"),
    SASS_FORM(0x038, SASS_SECOND, NULL, "I2I", "76-77:U8|S8|U16|S16 =S32 =SAT", "R16 Xs"),
    PACK_INTEGERS(70, 80, "=SAT"),
    PACK_INTEGERS(86, 89, SATURATES_86),
    PACK_INTEGERS(90, 120, SATURATES_90),
    PACK_FEW_BITS(80, 80, "=SAT"),
    PACK_FEW_BITS(86, 89, SATURATES_86),
    PACK_FEW_BITS(90, 120, SATURATES_90),
    SASS_FORM(0x03a, SASS_KIND_1, NULL, "MOVM", "=16 =MT88", "R16 R24"),
    SASS_FORM_OF(80, 89, 0x03f, SASS_KIND_1, NULL, "DMMA", "=884", "R16 R24n72 R32n63 R64n75"),
    SASS_FORM_OF(90, 120, 0x03f, SASS_KIND_1, NULL, "DMMA", "76-77:8x8x4|16x8x4|16x8x8|16x8x16",
                 "R16 R24n72 R32n63 R64n75"),

    /* matrix products of four warps (Hopper) */
    SASS_FORM_OF(90, 90, 0x1f0, SASS_KIND_4, "73=0", "HGMMA", GROUP_MATRIX,
                 "R16 Mgdesc24'negA@72'negB@63'tnspA@61'tnspB@62 R64 " GROUP_END),
    SASS_FORM_OF(90, 90, 0x1f0, SASS_KIND_6, "73=0", "HGMMA", GROUP_MATRIX,
                 "R16 R24n72 Mgdesc32'negB@63'tnspB@62 R64 " GROUP_END),
    SASS_FORM_OF(90, 90, 0x1f1, SASS_KIND_4, "73=0", "IGMMA", "53-58:" SHAPES_OF_INTEGERS " 76:U8|S8 82:U8|S8 75:SAT",
                 "R16 Mgdesc24 R64 " GROUP_END),
    SASS_FORM_OF(90, 90, 0x1f1, SASS_KIND_6, "73=0", "IGMMA", "53-58:" SHAPES_OF_INTEGERS " 76:U8|S8 82:U8|S8 75:SAT",
                 "R16 R24 Mgdesc32 R64 " GROUP_END),
    SASS_FORM_OF(90, 90, 0x1f3, SASS_KIND_4, "73=0", "QGMMA",
                 "53-57:" SHAPES("32") " 75:F16|F32 76:E4M3|E5M2 77:E4M3|E5M2",
                 "R16 Mgdesc24'negA@72'negB@63 R64 " GROUP_END),
    SASS_FORM_OF(90, 90, 0x1f3, SASS_KIND_6, "73=0", "QGMMA",
                 "53-57:" SHAPES("32") " 75:F16|F32 76:E4M3|E5M2 77:E4M3|E5M2",
                 "R16 R24n72 Mgdesc32'negB@63 R64 " GROUP_END),
    SASS_FORM_OF(90, 90, 0x1f0, SASS_KIND_4, "73=1 58-59=2", "HGMMA", "=SP 53-57:" SHAPES("32") " 75:F16|F32 76:|BF16",
                 "R16 Mgdesc24'negA@72'negB@63'tnspA@61'tnspB@62 R64 " SELECTED_END),
    SASS_FORM_OF(90, 90, 0x1f0, SASS_KIND_6, "73=1 58-59=2", "HGMMA", "=SP 53-57:" SHAPES("32") " 75:F16|F32 76:|BF16",
                 "R16 R24n72 Mgdesc32'negB@63'tnspB@62 R64 " SELECTED_END),
    SASS_FORM_OF(90, 90, 0x1f0, SASS_KIND_4, "73=1 58-59=0", "HGMMA", "=SP 53-57:" SHAPES("16") " 75:F16|F32 77:?|TF32",
                 "R16 Mgdesc24'negA@72'negB@63 R64 " SELECTED_END),
    SASS_FORM_OF(90, 90, 0x1f0, SASS_KIND_6, "73=1 58-59=0", "HGMMA", "=SP 53-57:" SHAPES("16") " 75:F16|F32 77:?|TF32",
                 "R16 R24n72 Mgdesc32'negB@63 R64 " SELECTED_END),
    SASS_FORM_OF(90, 90, 0x1f1, SASS_KIND_4, "73=1", "IGMMA",
                 "=SP 53-58:" SPARSE_OF_INTEGERS " 76:U8|S8 82:U8|S8 75:SAT", "R16 Mgdesc24 R64 " SPARSE_END),
    SASS_FORM_OF(90, 90, 0x1f1, SASS_KIND_6, "73=1", "IGMMA",
                 "=SP 53-58:" SPARSE_OF_INTEGERS " 76:U8|S8 82:U8|S8 75:SAT", "R16 R24 Mgdesc32 R64 " SPARSE_END),
    SASS_FORM_OF(90, 90, 0x1f3, SASS_KIND_4, "73=1 58=1", "QGMMA",
                 "=SP 53-57:" SHAPES("64") " 75:F16|F32 76:E4M3|E5M2 77:E4M3|E5M2",
                 "R16 Mgdesc24'negA@72'negB@63 R64 " SPARSE_END),
    SASS_FORM_OF(90, 90, 0x1f3, SASS_KIND_6, "73=1 58=1", "QGMMA",
                 "=SP 53-57:" SHAPES("64") " 75:F16|F32 76:E4M3|E5M2 77:E4M3|E5M2",
                 "R16 R24n72 Mgdesc32'negB@63 R64 " SPARSE_END),
};

const struct sass_group sass_float_group = {rows, sizeof rows / sizeof *rows};
