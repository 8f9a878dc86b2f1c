/* SPDX-License-Identifier: BSD-3-Clause */
/* Many-core coprocessors as a kind of machine: one is built from its settings, and runs a program on every core until
 * each has ended. */
#ifndef MANYCORE_MANYCORE_H
#define MANYCORE_MANYCORE_H

#include "contract/session.h"

extern const struct mnp_machine_kind manycore_kind;

#endif
