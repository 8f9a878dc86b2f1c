/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of the program: results, and the exit status. */
#ifndef CUDART_REPORT_H
#define CUDART_REPORT_H

struct cudart;

/* The results, when the program ends; the exit status that it is to have. */
int cudart_report(struct cudart *rt, int status);

#endif
