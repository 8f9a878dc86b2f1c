/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the drop-in driver (libcuda.so.1) offers to our libraries, in addition to NVIDIA's interface. */
#ifndef MATHLIB_REFUSE_H
#define MATHLIB_REFUSE_H

/* Reports on standard error, once for each name, that a function of a library, or a requested feature of it (NULL: the
 * whole function), is not supported; the run then ends with status 2 if the program ends with 0. `name` must stay
 * valid. */
void maniple_refuse(const char *name, const char *what);
/* Prints `what` once for each name on standard error; the run continues. `name` must stay valid. */
void maniple_warn(const char *name, const char *what);

#endif
