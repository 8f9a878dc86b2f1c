/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: results, and the exit status. */
#ifndef CUDART_REPORT_H
#define CUDART_REPORT_H

struct cudart;

/* The results, when the program ends; the exit status that it is to have. */
int cudart_report(struct cudart *rt, int status);

/* Says that there are no results, if this process owes some: the program ends by calling a function, `how`. Takes no
 * lock. */
void cudart_say_lost(const char *how);

#endif
