/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ functions: those of the Itanium C++ ABI are read, all others stay as they are. */
#include "base/demangle.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void expect(const char *name, const char *wanted)
{
    char *text = mnp_demangle(name);
    assert_string_equal(text, wanted);
    free(text);
}

static void skip_without_library(void)
{
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
    if (!library)
        skip();
    dlclose(library);
}

/* By the rules of the ABI's section 5.1. */
static void names_of_cplusplus_are_read(void **state)
{
    (void)state;
    skip_without_library();
    expect("_Z4fillPiii", "fill(int*, int, int)");
    expect("_ZN4math3addIfEEvPT_S2_i", "void math::add<float>(float*, float*, int)");
    expect("_Z6kernelv", "kernel()");
    expect("_ZN8__main__3lcsB2v1B40cw51cXTLSUwv1sDUaKthaKCjYKCpo4DkeVtwuOooE5ArrayIiLi1E1C7mutable7alignedEx",
           "__main__::lcs[abi:v1](Array<int, 1, C, mutable, aligned>, long long)"); /* Numba's flags are left out */
}

static void other_names_stay(void **state)
{
    (void)state;
    expect("vectorAdd", "vectorAdd");
    expect("i", "i"); /* a type to the demangler */
    expect("", "");
    expect("_Z", "_Z");
    expect("_Z99short", "_Z99short");
    expect("_Znonsense(", "_Znonsense(");
}

static void expect_brief(const char *name, size_t width, const char *wanted)
{
    char *text = mnp_demangle_brief(name, width);
    assert_string_equal(text, wanted);
    free(text);
}

/* Each stage is left out only where the name does not fit with it. */
static void long_names_lose_what_tells_least(void **state)
{
    (void)state;
    skip_without_library();
    const char *add = "_ZN4math3addIfEEvPT_S2_i"; /* void math::add<float>(float*, float*, int) */
    expect_brief(add, 43, "void math::add<float>(float*, float*, int)");
    expect_brief(add, 42, "void math::add<float>(float*, float*, int)");
    expect_brief(add, 41, "add<float>(float*, float*, int)");
    expect_brief(add, 30, "add<float>");
    expect_brief(add, 3, "add<float>");
    /* void (anonymous namespace)::f<a::b>(a::b, void (*)(int)); grid<1>::run() */
    expect_brief("_ZN12_GLOBAL__N_11fIN1a1bEEEvT_PFviE", 40, "f<b>(b, void (*)(int))");
    expect_brief("_ZN12_GLOBAL__N_11fIN1a1bEEEvT_PFviE", 20, "f<b>");
    expect_brief("_ZN4gridILi1EE3runEv", 4, "grid<1>::run");
    expect_brief("vectorAdd", 3, "vectorAdd");
    expect_brief(")", 0, ")");
    expect_brief("::", 0, "::");
    expect_brief("a::", 0, "");
    expect_brief("", 0, "");
}

static void expect_column(const char *name, size_t width, const char *wanted)
{
    char *text = mnp_demangle_column(name, width);
    assert_string_equal(text, wanted);
    free(text);
}

/* One form for all rows, whether a name is short or long. */
static void names_of_tables_have_no_parameters(void **state)
{
    (void)state;
    skip_without_library();
    expect_column("spmv", 40, "spmv");
    expect_column("_Z4histiPKiPi", 40, "hist");
    expect_column("hist(int, const int *)", 40, "hist");
    expect_column("_ZN4math3addIfEEvPT_S2_i", 40, "math::add<float>");
    expect_column("_ZN4math3addIfEEvPT_S2_i", 12, "add<float>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_cplusplus_are_read),
        cmocka_unit_test(other_names_stay),
        cmocka_unit_test(long_names_lose_what_tells_least),
        cmocka_unit_test(names_of_tables_have_no_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
