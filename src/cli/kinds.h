/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of all kinds of machines, and with them of all models: a kind is a line in kinds.c. */
#ifndef MNP_CLI_KINDS_H
#define MNP_CLI_KINDS_H

#include "contract/kind.h"

/* NULL-terminated. The first one is that of machine files which state none. */
extern const struct mnp_machine_kind *const cli_kinds[];

#endif
