/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by key: finds the place of a key in a list without comparing with each key of the list. */
#ifndef MNP_ENGINE_CONFIGURE_KEYS_H
#define MNP_ENGINE_CONFIGURE_KEYS_H

#include <stddef.h>
#include <stdint.h>

#define MNP_NO_KEY UINT32_MAX

struct mnp_key_place;

/* Zero: an index without keys. */
struct mnp_keys {
    struct mnp_key_place *places; /* [capacity], a power of two */
    uint32_t capacity, count;
};

/* The number of a key of `length` bytes; MNP_NO_KEY: the index does not have it. */
uint32_t mnp_keys_find(const struct mnp_keys *keys, const char *key, size_t length);

/* Adds a key that the index does not have, which stays the caller's and valid, and its number. */
void mnp_keys_add(struct mnp_keys *keys, const char *key, size_t length, uint32_t number);

void mnp_keys_release(struct mnp_keys *keys);

#endif
