/* SPDX-License-Identifier: BSD-3-Clause */
/* Compiled once for each level of the host's processor, with EXECUTE_WORDS_TABLE naming the table. */
#include "execute/lanes/words.h"

#include "execute/lanes/words_float.h"
#include "execute/lanes/words_half.h"
#include "execute/lanes/words_integer.h"
#include "execute/lanes/words_together.h"

#ifndef EXECUTE_WORDS_TABLE
#define EXECUTE_WORDS_TABLE execute_words_base
#endif

const struct execute_words_table EXECUTE_WORDS_TABLE = {{
#define X(name) words_##name,
    EXECUTE_WORDS(X)
#undef X
}};
