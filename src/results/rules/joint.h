/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of one kernel whose limits are lifted together. Of two parts of the machine that are both full, neither alone
 * is a limit: whatever is saved of one, the other leaves nothing of it. */
#ifndef MNP_RESULTS_JOINT_H
#define MNP_RESULTS_JOINT_H

#include "results/rules/rules.h"

/* Looks for two faults that hold one another up: each would save a fifth of the kernel's time if the other were mended,
 * and less alone. Sets `joint`, whose count is 0 where there are none. */
void results_joint_find(const struct results_reading *reading, struct results_joint *joint);

/* Sets `joint`, unless it has faults that hold one another up, to the measured findings of the kernel that the first of
 * them is about, if two or more of them can be lifted in one run. */
void results_joint_leading(const struct results_finding *found, uint32_t count, struct results_joint *joint);

/* A finding for a second run with the limits of the first `count` faults lifted. False: their keys exclude one
 * another. */
bool results_joint_lift(const struct results_joint *joint, uint32_t count, struct results_finding *both);

#endif
