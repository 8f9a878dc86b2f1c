/* SPDX-License-Identifier: BSD-3-Clause */
/* Disassembles the words of standard input, one line each, as if all lay at 0x8000. */
#include "manycore/core/disassemble.h"

#include <stdio.h>

int main(void)
{
    char text[A32_TEXT];
    for (uint32_t word; fread(&word, sizeof word, 1, stdin) == 1;) {
        manycore_disassemble(word, 0x8000, text);
        puts(text);
    }
    return 0;
}
