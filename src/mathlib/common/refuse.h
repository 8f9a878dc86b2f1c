/* SPDX-License-Identifier: BSD-3-Clause */
/* What the drop-in driver (libcuda.so.1) offers to libraries of ours besides the functions of NVIDIA's. */
#ifndef MATHLIB_REFUSE_H
#define MATHLIB_REFUSE_H

/* Says once for each name on standard error that a function of a library, or what it was asked for (NULL: all of it),
 * is not supported; the run then ends with status 2 where the program ends with 0. `name` is kept. */
void maniple_refuse(const char *name, const char *what);
/* Says `what` once for each name on standard error; the run goes on as before. `name` is kept. */
void maniple_warn(const char *name, const char *what);

#endif
