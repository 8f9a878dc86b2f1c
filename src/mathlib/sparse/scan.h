/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of things to where each begins. The structure is compiled for host and device. */
#ifndef MATHLIB_SPARSE_SCAN_H
#define MATHLIB_SPARSE_SCAN_H

struct sparse_scan_list {
    long long *list; /* count + 1 numbers in the device's memory */
    long long count;
};

struct mathlib_kernels;
/* Replaces each number by the sum of those before it, and the one behind the last by the sum of all, which it returns
 * when all before it in the stream is done; -1: it failed. */
long long sparse_scan(struct mathlib_kernels *kernels, long long *list, long long count);

#endif
