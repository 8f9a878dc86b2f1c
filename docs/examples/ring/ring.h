/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring as a kind of machine. */
#ifndef EXAMPLES_RING_H
#define EXAMPLES_RING_H

#include "contract/session.h"

extern const struct mnp_machine_kind ring_kind;

#endif
