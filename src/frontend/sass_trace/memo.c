/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/memo.h"

#include "base/arena.h"

#include <stdlib.h>
#include <sys/mman.h>

enum { MEMO_SPACE = MOST_INSTRUCTIONS * sizeof(struct memo_line) };

struct memo *trace_memo_new(void)
{
    void *space = mmap(NULL, MEMO_SPACE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return NULL;
    struct memo *memo = mnp_allocate(1, sizeof *memo);
    memo->lines = space;
    return memo;
}

void trace_memo_free(struct memo *memo)
{
    munmap(memo->lines, MEMO_SPACE);
    free(memo);
}
