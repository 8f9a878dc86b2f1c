/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix descriptors of the legacy interface, for the functions that are given one. */
#ifndef MATHLIB_SPARSE_DESCRIPTION_H
#define MATHLIB_SPARSE_DESCRIPTION_H

struct cusparseMatDescr;

/* The number that the first place has; 0 without a descriptor. */
int cusparseGetMatIndexBase(const struct cusparseMatDescr *description);

#endif
