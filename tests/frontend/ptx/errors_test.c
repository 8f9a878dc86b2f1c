/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong PTX is an error that says where and what; nothing of it crashes, whatever is cut off or changed. */
#include "bench.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "\n.version 8.0\n.target sm_80\n.address_size 64\n"
#define BODY(code)                                                                                                     \
    HEAD ".visible .entry k(.param .u64 a) {\n.reg .b32 %r<4>; .reg .b64 %d<4>; .reg .pred %p; .reg .f32 %f;\n" code   \
         "\nret;\n}\n"

static const struct {
    const char *text, *message;
} rows[] = {
    {"", "test.ptx: there is no PTX in it: .version is missing"},
    {".entry k() { ret; }", "test.ptx:1:1: a PTX module begins with .version"},
    {".version 99.1\n", "test.ptx:1:10: PTX version `99.1` is not supported: 3.0 to 9.0 are"},
    {HEAD ".address_size 32", "test.ptx:5:15: only `.address_size 64` is supported"},
    {HEAD "/* no end", "test.ptx:5:1: this comment has no end"},
    {HEAD ".global .u32 x = 0x;", "test.ptx:5:18: `0x;` is not a number"},
    {HEAD ".global .f32 x = 0f123;", "a 0f constant has 8 hexadecimal digits, not 3"},
    {HEAD ".global .u32 x[2] = {1, 2, 3};", "test.ptx:5:28: this initialiser has more elements than the array"},
    {HEAD ".global .u64 x = y;", "`y` is not a variable or function declared before"},
    {HEAD ".shared .u32 x = 1;", "only .global and .const variables can be initialised"},
    {HEAD ".global .align 3 .u32 x;", "an alignment is a power of two, not 3"},
    {HEAD ".global .u32 x[99999999999999];", "this variable is larger than 64 GiB"},
    {HEAD ".global x;", "this declaration has no type"},
    {HEAD ".wrong", "test.ptx:5:1: `.wrong` is not supported here"},
    {HEAD "\x01", "byte 0x1 does not belong in PTX"},
    {HEAD ".entry k() { add.u32 a, b, c; }", "test.ptx:5:23: nothing here is named `a`"},
    {HEAD ".entry k() { bra L; }", "nothing here is named `L`; declare it, or correct its spelling"},
    {HEAD ".entry k() { .reg .b32 %r<2000000>; }", "a number of registers is at most 1048576"},
    {HEAD ".entry k() {", "the text ends inside a function; is it truncated?"},
    {HEAD ".entry k() { ret; } .entry k() { ret; }", "`k` is defined twice"},
    {BODY("@%r1 ret;"), "test.ptx:7:2: `%r1` is not a predicate"},
    {BODY("add.u32 %r1, %r2;"), "test.ptx:7:1: `add.u32`: it has 3 operands, not 2"},
    {BODY("add.u32 %r1, %r2, %d1;"), "`add.u32`: a register declared .b64 stands where .u32 is needed"},
    {BODY("add.f32 %f, %f, 1;"), "a whole number stands where a .f32 is needed"},
    {BODY("add.u32.sat %r1, %r2, %r3;"), "`add.u32.sat`"},
    {BODY("frobnicate.u32 %r1, %r2;"), "test.ptx:7:1: `frobnicate.u32`: this instruction is not supported"},
    {BODY("ld.global.f32 %f, [%r1];"), "an address of global or constant memory is in a register of 64 bits"},
    {BODY("ld.global.b64 %r1, [%d1];"), "a register declared .b32 is too small for .b64"},
    {BODY("ld.param.u64 %d1, [a+8];"), "this lies outside the kernel's parameters"},
    {BODY("ld.shared.u32 %r1, [a];"), "`a` lies in another state space"},
    {BODY("st.const.u32 [%d1], %r1;"), "this state space cannot be written"},
    {BODY("ld.global.v3.u32 {%r1,%r2,%r3}, [%d1];"), "`.v3` is not supported here"},
    {BODY("atom.global.inc.s32 %r1, [%d1], %r2;"), "this operation with this type is not supported"},
    {BODY("cvt.s32.f32 %r1, %f;"), "a conversion to an integer needs .rni, .rzi, .rmi or .rpi"},
    {BODY("setp.lt.b32 %p, %r1, 1, 2;"), "it has 3 operands, not 4"},
    {BODY("call nowhere, (%r1);"), "nothing here is named `nowhere`"},
    {".version 8.0\n.target sm_80\n.address_size 64\n.const .u32 c = 1;\n.entry k() { .reg .b32 %r; mov.u32 %r, c; "
     "ret; }",
     "test.ptx:5:28: `mov.u32`: this address needs a 64-bit register"},
    {BODY("bra %r1;"), "a label is needed"},
    {BODY("bar.sync;"), "it has 1 to 2 operands, not 0"},
    {BODY("shfl.sync.idx.b32 %r1, %r2, 0, 31;"), "it has 5 operands, not 4"},
    {BODY("mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1}, {%r1}, {%r1}, {%r1};"),
     "this shape with these types is not supported"},
    {BODY("tcgen05.fence::before_thread_sync;"), "this instruction is not supported"},
    {BODY(
         ".reg .b64 %rd; wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {%r1}, %rd, %rd, %r1, 0, 1, 1, 1, 0, 0;"),
     "products with sparse matrices, is not supported"},
    {BODY(".reg .b64 %rd; cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes "
          "[%r1], [%rd, "
          "{%r1, %r1, %r1, %r1, %r1}], [%r1];"),
     "gathering copies, of Blackwell, are not supported"},
    {BODY("mov.u32 %r1, 1/0;"), "this constant expression divides by zero"},
};

static bool load(const char *text, size_t length, struct mnp_error *error)
{
    struct execute_device device;
    struct ptx_program program;
    execute_device_init(&device, 64, NULL);
    bool good = ptx_program_load(&program, &device, "test.ptx", text, length, error);
    if (good) {
        good = ptx_program_check(&program, error);
        ptx_program_unload(&program, &device);
    }
    execute_device_release(&device);
    return good;
}

static void test_messages(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mnp_error error = {{0}};
        if (load(rows[i].text, strlen(rows[i].text), &error))
            fail_msg("no error, but should be: %s", rows[i].message);
        if (!strstr(error.text, rows[i].message))
            fail_msg("`%s` does not say `%s`", error.text, rows[i].message);
        assert_true(strncmp(error.text, "test.ptx:", 9) == 0);
    }
}

/* Cut at many places, and with bytes changed: an error or not, but no crash, and never a success without a module. */
static void test_damage(void **unused)
{
    (void)unused;
    struct mnp_error error = {{0}};
    size_t length;
    char *text = mnp_read_file(KERNELS, 1 << 26, &length, &error);
    assert_non_null(text);
    uint64_t state = 8;
    for (int i = 0; i < 60; i++) {
        error.text[0] = 0;
        size_t cut = bench_random(&state) % length;
        if (!load(text, cut, &error))
            assert_true(error.text[0] != 0);
    }
    for (int i = 0; i < 60; i++) {
        size_t at = bench_random(&state) % length;
        char kept = text[at];
        text[at] = "{}();,.%@0x-[]\"$"[bench_random(&state) % 16];
        error.text[0] = 0;
        if (!load(text, length, &error))
            assert_true(error.text[0] != 0);
        text[at] = kept;
    }
    error.text[0] = 0;
    assert_true(load(text, length, &error));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_messages), cmocka_unit_test(test_damage)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
