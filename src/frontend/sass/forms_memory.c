/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of loads, stores, atomics, and of instructions that order them. */
#include "frontend/sass/forms.h"

#define WIDTH    "73-75:U8|S8|U16|S16||64|128"
#define WIDTH_75 "73-75:U8|S8|U16|S16||64|128|U.128"
#define CACHED   "84-86:EF||EL|LU|EU|NA"
/* strength and scope: of sm_70 and sm_75 two fields, later one */
#define STRONG_75 "79-80:CONSTANT||STRONG|MMIO 77-78:CTA|SM|GPU|SYS"
#define STRONG    "77-80:|?|?|?|CONSTANT|STRONG.SM|?|STRONG.GPU|MMIO.GPU|?|STRONG.SYS|?|MMIO.SYS|?|?|?"
/* … of what writes, too */
#define WRITES_75      "79-80:?||STRONG|MMIO 77-78:CTA|SM|GPU|SYS"
#define ATOMIC_75      "79-80:?||STRONG|? 77-78:CTA|SM|GPU|SYS"
#define WRITES         "77-80:|?|?|?|?|STRONG.SM|?|STRONG.GPU|MMIO.GPU|?|STRONG.SYS|?|MMIO.SYS|?|?|?"
#define ATOMIC         "87-90:ADD|MIN|MAX|INC|DEC|AND|OR|XOR|EXCH|?"
#define REDUCTION      "87-89:ADD|MIN|MAX|INC|DEC|AND|OR|XOR"
#define ATOMIC_TYPE    "73-75:|S32|64|F32.FTZ.RN|F16x2.RN|S64|F64.RN|?"
#define ATOMIC_TYPE_90 "73-75:|S32|64|S64|128|?|?|?"
#define RED_TYPE_90    "73-75:|S32|64|S64|?|?|?|?"
#define FLOAT_TYPE                                                                                                     \
    "73-76:F16x2.RN|F16x4.RN|F16x8.RN|BF16x2.RN|BF16x4.RN|BF16x8.RN|?|?|?|F32.FTZ.RN|F32x2.FTZ.RN|F32x4.FTZ.RN|"       \
    "F32.RN|F32x2.RN|F32x4.RN|F64.RN"
#define ASYNC                                                                                                          \
    "=E " CACHED                                                                                                       \
    " 81:BYPASS| 71-72:|LTC64B|LTC128B|LTC256B 73-75:?|?|?|?||64|128|? 77-80:|?|?|?|CONSTANT|?|?|?|?|?|?|?|?|?|?|? "   \
    "82:ZFILL"
#define TEXTURE    "59:B 60:SCR 87-89:|LZ|LB|LL|LC|LB.LC|?|? 76:AOFFI 77:NDV 78:DC 79-80:|F16.RN|F16.RZ|? 90:NODEP"
#define FETCH      "60:SCR 87-89:?|LZ|?|LL|?|?|?|? 76:AOFFI 77:CL 78:MS 79-80:|F16.RN|F16.RZ|? 90:NODEP"
#define GATHER     "60:SCR 87-88:R|G|B|A 59:B 76:AOFFI 77:PTP 78:DC 79-80:|F16.RN|F16.RZ|? " CACHED " 90:NODEP"
#define GRADIENTS  "59:B 87:LC 76:AOFFI 79-80:|F16.RN|F16.RZ|? " CACHED " 90:NODEP"
#define DIMENSIONS "#61-63:1D|2D|3D|CUBE|ARRAY_1D|ARRAY_2D|?|ARRAY_CUBE"
#define SURFACE    "=D 72:BA 61-63:1D|1D_BUFFER|1D_ARRAY|2D|2D_ARRAY|3D|?|? 73-75:U8|S8|U16|S16||64|128|?"
#define SURFACE_REDUCTION                                                                                              \
    "=D 72:BA 61-63:1D|1D_BUFFER|1D_ARRAY|2D|2D_ARRAY|3D|?|? 87-89:ADD|MIN|MAX|INC|DEC|AND|OR|XOR "                    \
    "73-75:|S32|U64|F32.FTZ.RN|F16x2.RN|S64|SD32|SD64"
/* Access by elements, whose format the surface defines. */
#define SURFACE_ELEMENTS "=P 61-63:1D|1D_BUFFER|1D_ARRAY|2D|2D_ARRAY|3D|?|?"
#define ELEMENT_CHANNELS "72-75:?|R|?|RG|?|?|?|?|?|?|?|?|?|?|?|"
#define STORE_ELEMENTS(from, to, kind, strong, handle)                                                                 \
    SASS_FORM_OF(from, to, 0x19b, kind, NULL, "SUST", SURFACE_ELEMENTS " " strong " " ELEMENT_CHANNELS " " TRAP,       \
                 "m24 R32 " handle " 84=1")
#define LOAD_ELEMENTS(from, to, kind, strong, handle)                                                                  \
    SASS_FORM_OF(from, to, 0x197, kind, NULL, "SULD",                                                                  \
                 SURFACE_ELEMENTS " " CACHED " " strong " " ELEMENT_CHANNELS " " TRAP, "?P81 R16 m24 " handle)
#define TRAP      "59-60:IGN||TRAP|?"
#define TENSOR    "79-81:1D|2D|3D|4D|5D|?|?|? 82:IM2COL"
#define BULK      "73:G|S 74:G|S 75:MULTICAST 81-82:|LTC64B|LTC128B|? 83:SEQUENCED"
#define BULK_TYPE "81-84:|S32|U64|S64|F16.RN|F32.RN|?|F64.RN|BF16.RN|?|?|?|?|?|?|?"
#define SECTORS   "68-69:|LTC64B|LTC128B|LTC256B"

static const struct sass_form rows[] = {
    SASS_FORM_OF(70, 75, 0x180, SASS_SECOND, "91=0", "LD", "72:?|E " CACHED " " SECTORS " " WIDTH_75 " " STRONG_75,
                 "R16 G0:32-63"),
    SASS_FORM_OF(70, 75, 0x180, SASS_SECOND, NULL, "LD", "72:?|E " CACHED " " SECTORS " " WIDTH_75 " " STRONG_75,
                 "R16 G32"),
    SASS_FORM_OF(80, 120, 0x180, SASS_SECOND, "91=0", "LD", "72:?|E " CACHED " " SECTORS " " WIDTH " " STRONG,
                 "R16 G0:32-63 ?p64!67"),
    SASS_FORM_OF(80, 120, 0x180, SASS_SECOND, NULL, "LD", "72:?|E " CACHED " " SECTORS " " WIDTH " " STRONG,
                 "R16 G32 ?p64!67"),
    SASS_FORM_OF(70, 75, 0x185, SASS_SECOND, "91=0", "ST", "72:?|E " CACHED " " WIDTH " " WRITES_75, "G0:32-63 R64"),
    SASS_FORM_OF(70, 75, 0x185, SASS_SECOND, NULL, "ST", "72:?|E " CACHED " " WIDTH " " WRITES_75, "G64 R32"),
    SASS_FORM_OF(80, 120, 0x185, SASS_SECOND, "91=0", "ST", "72:?|E " CACHED " " WIDTH " " WRITES, "G0:32-63 R64"),
    SASS_FORM_OF(80, 120, 0x185, SASS_SECOND, NULL, "ST", "72:?|E " CACHED " " WIDTH " " WRITES, "G64 R32"),
    SASS_FORM_OF(70, 75, 0x181, SASS_SECOND, NULL, "LDG", "72:?|E " CACHED " " SECTORS " " WIDTH_75 " " STRONG_75,
                 "R16 G32 ?p64!67 81-83=7"),
    SASS_FORM_OF(80, 120, 0x181, SASS_SECOND, NULL, "LDG", "72:?|E " CACHED " " SECTORS " " WIDTH " " STRONG,
                 "R16 G32 ?p64!67 81-83=7"),
    SASS_FORM_OF(70, 75, 0x186, SASS_SECOND, NULL, "STG", "72:?|E " CACHED " " WIDTH " " WRITES_75, "G64 R32"),
    SASS_FORM_OF(80, 120, 0x186, SASS_SECOND, NULL, "STG", "72:?|E " CACHED " " WIDTH " " WRITES, "G64 R32"),
    SASS_FORM_OF(70, 75, 0x184, SASS_SECOND, NULL, "LDS", "76:U " WIDTH, "R16 S32w78"),
    SASS_FORM(0x184, SASS_SECOND, NULL, "LDS", WIDTH, "R16 S32w78"),
    SASS_FORM(0x188, SASS_SECOND, NULL, "STS", WIDTH, "S64w78 R32"),
    SASS_FORM(0x183, SASS_SECOND, NULL, "LDL", CACHED " " WIDTH, "R16 S32"),
    SASS_FORM(0x187, SASS_SECOND, NULL, "STL", CACHED " " WIDTH, "S64 R32"),
    SASS_FORM(0x182, SASS_KIND_5, NULL, "LDC", "73-75:U8|S8|U16|S16||64|?|? 78-79:|IL|IS|ISL", "R16 L"),
    SASS_FORM_OF(70, 75, 0x18a, SASS_KIND_1 | SASS_KIND_4, "87-90=0|1|2|3|4|5|6|7|8|9", "ATOM",
                 "72:?|E " ATOMIC " " ATOMIC_TYPE " " ATOMIC_75, "P81 R16 G64x70d71 R32 64-71=0|255 84=1"),
    SASS_FORM_OF(80, 89, 0x18a, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOM", "72:?|E " ATOMIC " " ATOMIC_TYPE " " WRITES,
                 "P81 R16 G64x70d71 R32 84=1"),
    SASS_FORM_OF(90, 120, 0x18a, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOM",
                 "72:?|E " ATOMIC " " ATOMIC_TYPE_90 " " WRITES, "P81 R16 G64x70d71 R32 84=1"),
    SASS_FORM_OF(70, 75, 0x18b, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOM", "72:?|E =CAS 73-74:|S32|64|? " ATOMIC_75,
                 "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(90, 120, 0x18b, SASS_KIND_1 | SASS_KIND_4, "87-88=3", "ATOM",
                 "72:?|E =CAST.SPIN 73-74:|?|64|? " WRITES, "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(80, 89, 0x18b, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOM", "72:?|E =CAS 73-75:|S32|64|?|?|?|?|? " WRITES,
                 "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(90, 120, 0x18b, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOM",
                 "72:?|E =CAS 73-75:|S32|64|?|128|?|?|? " WRITES, "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(70, 75, 0x1a8, SASS_KIND_1 | SASS_KIND_4, "87-90=0|1|2|3|4|5|6|7|8|9", "ATOMG",
                 "72:?|E " ATOMIC " " ATOMIC_TYPE " " ATOMIC_75, "P81 R16 G64x70d71 R32 64-71=0|255 84=1"),
    SASS_FORM_OF(80, 89, 0x1a8, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMG", "72:?|E " ATOMIC " " ATOMIC_TYPE " " WRITES,
                 "P81 R16 G64x70d71 R32 84=1"),
    SASS_FORM_OF(90, 120, 0x1a8, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMG",
                 "72:?|E " ATOMIC " " ATOMIC_TYPE_90 " " WRITES, "P81 R16 G64x70d71 R32 84=1"),
    SASS_FORM_OF(70, 75, 0x1a9, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMG", "72:?|E =CAS 73-74:|S32|64|? " ATOMIC_75,
                 "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(80, 89, 0x1a9, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMG", "72:?|E =CAS 73-75:|S32|64|?|?|?|?|? " WRITES,
                 "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(90, 120, 0x1a9, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMG",
                 "72:?|E =CAS 73-75:|S32|64|?|128|?|?|? " WRITES, "P81 R16 G64x70d71 R32 R64 84=1"),
    SASS_FORM_OF(90, 120, 0x1a2, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOM",
                 "72:?|E 88-89:ADD|MIN|MAX|? " FLOAT_TYPE " " WRITES, "P81 R16 G64x70d71 R32 84=1"),
    SASS_FORM_OF(90, 120, 0x1a3, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMG",
                 "72:?|E 88-89:ADD|MIN|MAX|? " FLOAT_TYPE " " WRITES, "P81 R16 G64x70d71 R32 84=1"),
    SASS_FORM_OF(90, 120, 0x1a6, SASS_KIND_1 | SASS_KIND_4, NULL, "REDG",
                 "72:?|E 88-89:ADD|MIN|MAX|? " FLOAT_TYPE " " WRITES, "G64d71 R32 84=1"),
    SASS_FORM_OF(70, 75, 0x18e, SASS_KIND_1 | SASS_KIND_4, NULL, "RED",
                 "72:?|E " REDUCTION " " ATOMIC_TYPE " " ATOMIC_75, "G64 R32 84=1"),
    SASS_FORM_OF(80, 89, 0x18e, SASS_KIND_1 | SASS_KIND_4, NULL, "RED", "72:?|E " REDUCTION " " ATOMIC_TYPE " " WRITES,
                 "G64d71 R32 84=1"),
    SASS_FORM_OF(90, 120, 0x18e, SASS_KIND_1 | SASS_KIND_4, NULL, "REDG",
                 "72:?|E " REDUCTION " " RED_TYPE_90 " " WRITES, "G64d71 R32 84=1"),
    SASS_FORM(0x1aa, SASS_KIND_1 | SASS_KIND_4, NULL, "QSPC", "72:E 73-74:G|L|S|D", "P81 R16 G32"),
    SASS_FORM_OF(80, 99, 0x1ae, SASS_KIND_7, NULL, "LDGSTS", ASYNC, "S0@16:44-63 G64:32-43x70z ?P87!90"),
    SASS_FORM_OF(80, 99, 0x1ae, SASS_KIND_6, NULL, "LDGSTS", ASYNC, "S64@16:44-63 G64:32-43x70z+ ?P87!90"),
    SASS_FORM(0x03b, SASS_KIND_4, NULL, "LDSM", "=16 78-79:M88|MT88|M816|M832 72-73:|2|4|?", "R16 S32"),
    SASS_FORM_OF(90, 120, 0x044, SASS_KIND_4, NULL, "STSM", "75:16|8 78:M88|MT88 72-73:|2|4|?", "S64 R32"),
    SASS_FORM_OF(80, 89, 0x1b0, SASS_KIND_4, NULL, "ARRIVES", "72:LDGSTSBAR|? 73-75:?|?|?|?|?|64|?|?", "S64"),
    SASS_FORM_OF(90, 120, 0x1b0, SASS_KIND_4, NULL, "ARRIVES",
                 "72:LDGSTSBAR|? 73-75:?|?|?|?|?|64|?|? 70-71:|ARVCNT|TRANSCNT|?", "S64"),
    SASS_FORM_OF(70, 89, 0x18c, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMS", ATOMIC " 73-75:|S32|64|?|?|?|?|?",
                 "R16 S64w78 R32 64-71=0|255"),
    SASS_FORM_OF(90, 120, 0x18c, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMS", ATOMIC " 73-75:|S32|64|?|128|?|?|?",
                 "R16 S64w78 R32 64-71=0|255"),
    SASS_FORM(0x18c, SASS_KIND_7, "87-90=10|11", "ATOMS", "=POPC =INC =32", "R16 S64w78"),
    SASS_FORM(0x18d, SASS_KIND_1 | SASS_KIND_4, "87-88=0", "ATOMS", "=CAS 73-75:|S32|64|?|128|?|?|?",
              "R16 S64w78 R32 R64"),
    SASS_FORM(0x18d, SASS_KIND_1 | SASS_KIND_4, NULL, "ATOMS", "87-88:?|CAST|?|CAST.SPIN 73-75:|?|64|?|?|?|?|?",
              "R16 S64w78 R32 R64"),
    SASS_FORM_OF(90, 90, 0x1a4, SASS_KIND_4, NULL, "LDGMC",
                 "72:?|E 87-89:ADD|MIN|MAX|?|?|AND|OR|XOR 73-75:32|S32|64|S64|?|?|?|? " STRONG, "R16 G64x70d71"),
    SASS_FORM_OF(90, 90, 0x1a5, SASS_KIND_4, NULL, "LDGMC", "72:?|E 88-89:ADD|MIN|MAX|F32ADD " FLOAT_TYPE " " STRONG,
                 "R16 G64x70d71"),
    SASS_FORM_OF(80, 120, 0x18c, SASS_KIND_7, NULL, "ATOMS", "=ARRIVE 73-75:?|?|64|?|?|?|?|?", "R16 S64 87=1 90=1"),
    SASS_FORM(0x18f, SASS_KIND_4, "87-90=0|1|2|3|5|9|10|11", "CCTL",
              "72:E 78-79:|U|C|I 87-90:PF1|PF2|WB|IV|?|RS|?|?|?|PML2|DML2|RML2|?|?|?|?", "G0:32-63"),
    SASS_FORM(0x18f, SASS_KIND_4, "87-90=4|6|7|8", "CCTL", "78-79:|U|C|I 87-90:?|?|?|?|IVALL|?|IVALLP|WBALL|WBALLP",
              "24-31=255"),
    SASS_FORM(0x192, SASS_KIND_4, NULL, "MEMBAR", "79-80:SC|ALL||MMIO 76-78:CTA|SM|GPU|SYS|?|VC|CTA.PARTIAL|?", ""),
    SASS_FORM(0x1ab, SASS_KIND_4, NULL, "ERRBAR", "", ""),
    SASS_FORM_OF(90, 120, 0x1bd, SASS_KIND_6, NULL, "STAS", "73-75:?|?|?|?||64|128|?", "G64z R32"),
    SASS_FORM_OF(90, 120, 0x1be, SASS_KIND_6, NULL, "REDAS",
                 "87-90:ADD|MIN|MAX|INC|DEC|AND|OR|XOR|?|?|?|?|?|?|?|? 73-75:|S32|64|?|?|?|?|?", "G64zx72d0 R32"),
    SASS_FORM_OF(90, 120, 0x1c6, SASS_KIND_1, NULL, "FENCE", "=VIEW =ASYNC 72-73:S|G|T|?", ""),

    /* textures and surfaces */
    SASS_FORM(0x160, SASS_KIND_5, NULL, "TEX", TEXTURE,
              "R64r8 R16 R24r8 ?R32r8 I54-58 I40-53 " DIMENSIONS " ~I72-75 81-83=7 84=1"),
    SASS_FORM(0x160, SASS_KIND_7, NULL, "TEX", TEXTURE,
              "R64r8 R16 R24r8 ?R32r8 U40 I46-53 " DIMENSIONS " ~I72-75 81-83=7 84=1"),
    SASS_FORM(0x166, SASS_KIND_5, NULL, "TLD", FETCH,
              "R64r8 R16 R24r8 I54-58 I40-53 " DIMENSIONS " ~I72-75 32-39=255 81-83=7 84=1"),
    SASS_FORM(0x166, SASS_KIND_7, NULL, "TLD", FETCH,
              "R64r8 R16 R24r8 U40 I46-53 " DIMENSIONS " ~I72-75 32-39=255 81-83=7 84=1"),
    SASS_FORM_OF(70, 75, 0x19d, SASS_KIND_5, NULL, "SUST", SURFACE " " WRITES_75 " " TRAP,
                 "m24 R32 I54-58 I40-53 84=1"),
    SASS_FORM_OF(80, 120, 0x19d, SASS_KIND_5, NULL, "SUST", SURFACE " " WRITES " " TRAP, "m24 R32 I54-58 I40-53 84=1"),
    SASS_FORM_OF(80, 120, 0x19d, SASS_KIND_7, NULL, "SUST", SURFACE " " WRITES " " TRAP, "m24 R32 U40 I46-53 84=1"),
    SASS_FORM_OF(70, 75, 0x19f, SASS_KIND_2, NULL, "SURED", SURFACE_REDUCTION " " ATOMIC_75 " " TRAP,
                 "m24 R32 I54-58 I40-53 84=1"),
    SASS_FORM_OF(80, 90, 0x19f, SASS_KIND_2, NULL, "SURED", SURFACE_REDUCTION " " WRITES " " TRAP,
                 "m24 R32 I54-58 I40-53 84=1"),
    SASS_FORM_OF(80, 90, 0x19f, SASS_KIND_7, NULL, "SURED", SURFACE_REDUCTION " " WRITES " " TRAP,
                 "m24 R32 U40 I46-53 84=1"),
    SASS_FORM_OF(70, 75, 0x199, SASS_KIND_5, NULL, "SULD", SURFACE " " CACHED " " STRONG_75 " " TRAP,
                 "?P81 R16 m24 I54-58 I40-53"),
    SASS_FORM_OF(80, 120, 0x199, SASS_KIND_5, NULL, "SULD", SURFACE " " CACHED " " STRONG " " TRAP,
                 "?P81 R16 m24 I54-58 I40-53"),
    SASS_FORM_OF(80, 120, 0x199, SASS_KIND_7, NULL, "SULD", SURFACE " " CACHED " " STRONG " " TRAP,
                 "?P81 R16 m24 U40 I46-53"),
    STORE_ELEMENTS(70, 75, SASS_KIND_5, WRITES_75, "I54-58 I40-53"),
    STORE_ELEMENTS(80, 120, SASS_KIND_5, WRITES, "I54-58 I40-53"),
    STORE_ELEMENTS(80, 120, SASS_KIND_7, WRITES, "U40 I46-53"),
    LOAD_ELEMENTS(70, 75, SASS_KIND_5, STRONG_75, "I54-58 I40-53"),
    LOAD_ELEMENTS(80, 120, SASS_KIND_5, STRONG, "I54-58 I40-53"),
    LOAD_ELEMENTS(80, 120, SASS_KIND_7, STRONG, "U40 I46-53"),
    SASS_FORM(0x16c, SASS_KIND_5, NULL, "TXD", GRADIENTS,
              "?P81 R64r8 R16 R24r8 R32r8 I54-58 I40-53 " DIMENSIONS " ~I72-75"),
    SASS_FORM(0x16c, SASS_KIND_7, NULL, "TXD", GRADIENTS,
              "?P81 R64r8 R16 R24r8 R32r8 U40 I46-53 " DIMENSIONS " ~I72-75"),
    SASS_FORM(0x163, SASS_KIND_5, NULL, "TLD4", GATHER,
              "?P81 R64r8 R16 R24r8 ?R32r8 I54-58 I40-53 " DIMENSIONS " ~I72-75"),
    SASS_FORM(0x163, SASS_KIND_7, NULL, "TLD4", GATHER,
              "?P81 R64r8 R16 R24r8 ?R32r8 U40 I46-53 " DIMENSIONS " ~I72-75"),

    /* asynchronous copies and their barriers (Hopper) */
    SASS_FORM_OF(90, 99, 0x1a7, SASS_KIND_4, "70-71=0", "SYNCS",
                 "=ARRIVE =TRANS64 73-74:|TMASK|RED|? 75:OPTOUT 84-86:|A1T0|A0T1|A0TR|A0TX|ART0|?|?", "R16 S64 R32"),
    SASS_FORM_OF(90, 99, 0x1a7, SASS_KIND_2, "70-71=1", "SYNCS", "=PHASECHK =TRANS64 72:TRYWAIT", "P81 S64 R32"),
    SASS_FORM_OF(90, 99, 0x1b2, SASS_KIND_2, NULL, "SYNCS", "=EXCH =64", "U16 Q24 U32 72=1"),
    SASS_FORM_OF(90, 99, 0x1b1, SASS_KIND_4, "91=1", "SYNCS", "=CCTL =IV", "S64"),
    SASS_FORM_OF(90, 99, 0x1b4, SASS_KIND_2, "76=0", "UTMALDG", TENSOR, "M32 M24"),
    SASS_FORM_OF(90, 99, 0x1b4, SASS_KIND_2, NULL, "UTMALDG", TENSOR, "M32 M24 Mdesc40 76=1"),
    SASS_FORM_OF(90, 99, 0x1b4, SASS_KIND_1, "76=0", "UTMALDG", TENSOR " 75:MULTICAST", "M32 M24 U64"),
    SASS_FORM_OF(90, 99, 0x1b4, SASS_KIND_1, NULL, "UTMALDG", TENSOR " 75:MULTICAST", "M32 M24 U64 Mdesc40 76=1"),
    SASS_FORM_OF(90, 99, 0x1b5, SASS_KIND_1, "76=0", "UTMASTG", TENSOR, "M32 M24"),
    SASS_FORM_OF(90, 99, 0x1b5, SASS_KIND_1, NULL, "UTMASTG", TENSOR, "M32 M24 Mdesc40 76=1"),
    SASS_FORM_OF(90, 99, 0x1b6, SASS_KIND_1, "76=0", "UTMAREDG", TENSOR " " REDUCTION, "M32 M24"),
    SASS_FORM_OF(90, 99, 0x1b6, SASS_KIND_1, NULL, "UTMAREDG", TENSOR " " REDUCTION, "M32 M24 Mdesc40 76=1"),
    SASS_FORM_OF(90, 99, 0x1b8, SASS_KIND_2, "76=0", "UTMAPF", "=L2 " TENSOR, "M32 M24"),
    SASS_FORM_OF(90, 99, 0x1b8, SASS_KIND_1, "76=0", "UTMAPF", "=L2 " TENSOR, "M32 M24 U64"),
    SASS_FORM_OF(90, 99, 0x1b9, SASS_KIND_4, NULL, "UTMACCTL", "82:IV|PF", "M24"),
    SASS_FORM_OF(90, 99, 0x1ba, SASS_KIND_1, "76=0", "UBLKCP", BULK, "M32 M24 U64"),
    SASS_FORM_OF(90, 99, 0x1ba, SASS_KIND_1, NULL, "UBLKCP", BULK, "M32 M24 U64 Mdesc40 76=1"),
    SASS_FORM_OF(90, 99, 0x1bb, SASS_KIND_1, "76=0", "UBLKRED", "73:G|S 74:?|S " REDUCTION " " BULK_TYPE,
                 "M32 M24 U64"),
    SASS_FORM_OF(90, 99, 0x1bb, SASS_KIND_1, NULL, "UBLKRED", "73:G|S 74:?|S " REDUCTION " " BULK_TYPE,
                 "M32 M24 U64 Mdesc40 76=1"),
    SASS_FORM_OF(90, 99, 0x1bc, SASS_KIND_1, "76=0", "UBLKPF", "=L2", "M24 U64"),
    SASS_FORM_OF(90, 120, 0x1b7, SASS_KIND_4, NULL, "UTMACMDFLUSH", "", ""),
    SASS_FORM_OF(90, 120, 0x1ab, SASS_KIND_2, NULL, "CGAERRBAR", "", ""),
    SASS_FORM(0x1af, SASS_KIND_4, NULL, "LDGDEPBAR", "", ""),
};

const struct sass_group sass_memory_group = {rows, sizeof rows / sizeof *rows};
