/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seals: a keyed hash says whether a file was written by this user. A snapshot holds the state of models as it lies in
 * memory, and no check of it could be complete, so that only a snapshot which the user has taken is put into a machine.
 * The key is a file of the user's, made when it is first needed; nobody else may read it.
 */
#ifndef MNP_RESULTS_SEAL_H
#define MNP_RESULTS_SEAL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct results_seal_key {
    uint64_t half[2];
    char path[512]; /* path of its file, for messages */
};

/* Reads the user's key. `make`: makes one where there is none. False: an error, which says where the key should be. */
bool results_seal_key(struct results_seal_key *key, bool make, struct mnp_error *error);

/* The seal of some bytes: SipHash-2-4 (Aumasson and Bernstein, 2012), which nobody computes without the key. */
uint64_t results_seal(const struct results_seal_key *key, const void *bytes, size_t length);

#endif
