/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash index from keys to numbers, such as the position of a key in a list. */
#ifndef MNP_ENGINE_CONFIGURE_KEYS_H
#define MNP_ENGINE_CONFIGURE_KEYS_H

#include <stddef.h>
#include <stdint.h>

#define MNP_NO_KEY UINT32_MAX

struct mnp_key_place;

/* An all-zero structure is an empty index. */
struct mnp_keys {
    struct mnp_key_place *places; /* [capacity], a power of two */
    uint32_t capacity, count;
};

/* Returns the number of a key of `length` bytes, or MNP_NO_KEY if the index lacks it. */
uint32_t mnp_keys_find(const struct mnp_keys *keys, const char *key, size_t length);

/* Adds a new key and its number. The key's text stays owned by the caller and must remain valid. */
void mnp_keys_add(struct mnp_keys *keys, const char *key, size_t length, uint32_t number);

void mnp_keys_release(struct mnp_keys *keys);

#endif
