/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/code/timing.h"

#include "base/allocate.h"
#include "execute/code/language.h"
#include "execute/code/share.h"

#include <stdlib.h>

/* The code's own, of which the code is a user; devices that launch it first at the same time agree on one. It is
 * derived from what does not change, and so may be added to a code that does not. */
static struct execute_timing *timing_of(const struct execute_code *code)
{
    struct execute_timing **own = &((struct execute_code *)(uintptr_t)code)->timing;
    struct execute_timing **place = code->share ? &code->share->timing : own;
    struct execute_timing *kept = __atomic_load_n(place, __ATOMIC_ACQUIRE);
    if (kept)
        return kept;
    struct execute_timing *made = mnp_allocate(1, sizeof *made);
    made->users = 1;
    made->instructions = code->module->language->instructions(code);
    made->toggles = code->module->language->toggles ? code->module->language->toggles(code) : NULL;
    if (__atomic_compare_exchange_n(place, &kept, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    execute_timing_drop(made);
    return kept;
}

struct execute_timing *execute_timing_hold(const struct execute_code *code)
{
    struct execute_timing *timing = timing_of(code);
    __atomic_add_fetch(&timing->users, 1, __ATOMIC_RELAXED);
    return timing;
}

void execute_timing_drop(struct execute_timing *timing)
{
    if (!timing || __atomic_sub_fetch(&timing->users, 1, __ATOMIC_ACQ_REL))
        return;
    free(timing->instructions);
    free(timing->toggles);
    free(timing);
}
