/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the runtime's libraries come to their functions: libcuda.so.1 holds those of the runtime and of the driver, so
 * that a program which uses both has one device; libcudart-12.so and libcudart-13.so hold the name and the version that
 * a program was linked with, and say which of the two it is.
 */
#ifndef CUDART_SERVE_H
#define CUDART_SERVE_H

/* `major`: of the CUDA version whose runtime the program uses; called before the program begins. */
void maniple_serve_runtime(int major);
/* Refusals and warnings of our mathematics libraries, for functions that they lack (mathlib/common/refuse.h). */
void maniple_refuse(const char *name, const char *what);
void maniple_warn(const char *name, const char *what);
/* A warning that the results state; for python/site/sitecustomize.py. */
void maniple_note(const char *what);
/* Whether calls of the host take time (held: 0) or none, so that what lies between two events is the device's time
 * alone; for do_bench in python/site/sitecustomize.py and python/maniple/arrays.py. */
void maniple_hold_host(int held);

#endif
