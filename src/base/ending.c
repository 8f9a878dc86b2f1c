/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/ending.h"

#include <stdlib.h>

static _Thread_local int ending; /* the exit status; 0: not ending */

_Noreturn void mnp_end_inside(int status)
{
    ending = status;
    exit(status);
}

int mnp_ending(void)
{
    return ending;
}
