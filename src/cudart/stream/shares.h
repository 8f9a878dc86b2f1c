/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's run that is divided into shares (contract/shares.h), on one device. */
#ifndef CUDART_SHARES_H
#define CUDART_SHARES_H

#include "base/error.h"

#include <stdbool.h>

struct cudart;

/* Hands results over to the last share, which adds them to its own, with the ranges that its program has named. Does
 * nothing for a run that is not divided. Returns false where that fails; what there is can be written then, too. */
bool cudart_join_shares(struct cudart *rt, struct mnp_error *error);

#endif
