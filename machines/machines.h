/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine files inside the program: one element for each file of machines/, the last one's name is NULL. */
#ifndef MNP_MACHINES_H
#define MNP_MACHINES_H

#include "engine/configure/configuration.h"

extern const struct mnp_machine_file mnp_built_in_machines[];

#endif
