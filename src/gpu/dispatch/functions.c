/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that have run. The first launch of a function takes longer than later ones (launch.first). Functions
 * are told apart by name and length of code. The table holds 768 of them: one more empties it, and each is new again.
 */
#include "gpu/dispatch/state.h"

#include "base/text.h"

#include <string.h>

/* The place of a digest, or the free one that it gets. */
static uint64_t *place_of(struct dispatch_functions *functions, uint64_t digest)
{
    uint64_t place = (digest ^ digest >> 32) % DISPATCH_FUNCTIONS;
    while (functions->digest[place] && functions->digest[place] != digest)
        place = (place + 1) % DISPATCH_FUNCTIONS;
    return &functions->digest[place];
}

/* Notes a function. Returns false if it was known. */
static bool note(struct dispatch_functions *functions, const char *name, uint64_t code_bytes)
{
    enum { MOST = DISPATCH_FUNCTIONS / 4 * 3 };
    uint64_t hash = mnp_text_hash(code_bytes, name), digest = hash ? hash : 1;
    uint64_t *place = place_of(functions, digest);
    if (*place)
        return false;
    if (functions->count == MOST) {
        memset(functions, 0, sizeof *functions);
        place = place_of(functions, digest);
    }
    *place = digest;
    functions->count++;
    return true;
}

bool dispatch_is_first(struct dispatch_functions *functions, const struct mnp_kernel *kernel)
{
    return note(functions, kernel->name, kernel->code_bytes);
}

void dispatch_has_run(struct dispatch *dispatch, const char *kernel, uint64_t code_bytes)
{
    note(dispatch->functions, kernel, code_bytes);
}
