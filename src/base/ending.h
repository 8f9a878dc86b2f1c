/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends the program where something is half done: at a bug, or without memory. Functions that exit calls then can ask
 * for the status, and must not use what the thread was at work on.
 */
#ifndef MNP_BASE_ENDING_H
#define MNP_BASE_ENDING_H

/* Calls exit; mnp_ending returns `status`, which is not 0, in this thread from then on. */
_Noreturn void mnp_end_inside(int status);
int mnp_ending(void); /* 0: this thread does not end the program so */

#endif
