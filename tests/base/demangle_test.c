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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_cplusplus_are_read),
        cmocka_unit_test(other_names_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
