/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ending of the program in the middle of an operation: on a bug, or when memory runs out. Functions registered by
 * atexit can query the status, and must then not use the data that the thread was working on.
 */
#ifndef MNP_BASE_ENDING_H
#define MNP_BASE_ENDING_H

/* Calls exit. In this thread, mnp_ending returns `status` (not 0) from then on. */
_Noreturn void mnp_end_inside(int status);
int mnp_ending(void); /* 0: this thread is not ending the program in this way */

#endif
