/* SPDX-License-Identifier: BSD-3-Clause */
/* A library that needs one with a static runtime. */
int check(void);
int check_other(void) __asm__("check_other");

__attribute__((visibility("default"))) int check_other(void)
{
    return check();
}
