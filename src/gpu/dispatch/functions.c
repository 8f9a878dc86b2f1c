/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that have run. The first launch of a function takes longer than later ones (launch.first). Functions
 * are told apart by name and length of code. The table holds 768 of them: one more empties it, and each is new again.
 */
#include "gpu/dispatch/state.h"

#include <string.h>

static uint64_t digest_of(const struct mnp_kernel *kernel)
{
    uint64_t digest = UINT64_C(0xcbf29ce484222325) ^ kernel->code_bytes; /* FNV-1a */
    for (const char *c = kernel->name; *c; c++)
        digest = (digest ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
    return digest ? digest : 1;
}

bool dispatch_is_first(struct dispatch_functions *functions, const struct mnp_kernel *kernel)
{
    enum { MOST = DISPATCH_FUNCTIONS / 4 * 3 };
    uint64_t digest = digest_of(kernel), place = (digest ^ digest >> 32) % DISPATCH_FUNCTIONS;
    while (functions->digest[place] && functions->digest[place] != digest)
        place = (place + 1) % DISPATCH_FUNCTIONS;
    if (functions->digest[place])
        return false;
    if (functions->count == MOST) {
        memset(functions, 0, sizeof *functions);
        place = (digest ^ digest >> 32) % DISPATCH_FUNCTIONS;
    }
    functions->digest[place] = digest;
    functions->count++;
    return true;
}
