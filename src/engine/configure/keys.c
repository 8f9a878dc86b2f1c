/* SPDX-License-Identifier: BSD-3-Clause */
/* An open hash table (FNV-1a, linear probing), at most half full. */
#include "engine/configure/keys.h"

#include "base/allocate.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 512 };

struct mnp_key_place {
    const char *key; /* NULL: the entry is free */
    uint32_t length, hash, number;
};

static uint32_t hash_of(const char *key, size_t length)
{
    uint32_t hash = 2166136261;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)key[i]) * 16777619;
    return hash;
}

/* Finds the entry of a key, or the free one where it would be inserted. */
static struct mnp_key_place *find_place(const struct mnp_keys *keys, const char *key, size_t length, uint32_t hash)
{
    for (uint32_t i = hash;; i++) {
        struct mnp_key_place *place = &keys->places[i & (keys->capacity - 1)];
        if (!place->key)
            return place;
        if (place->hash == hash && place->length == length && memcmp(place->key, key, length) == 0)
            return place;
    }
}

uint32_t mnp_keys_find(const struct mnp_keys *keys, const char *key, size_t length)
{
    if (!keys->count)
        return MNP_NO_KEY;
    const struct mnp_key_place *place = find_place(keys, key, length, hash_of(key, length));
    return place->key ? place->number : MNP_NO_KEY;
}

static void grow(struct mnp_keys *keys)
{
    struct mnp_keys old = *keys;
    keys->capacity = old.capacity ? 2 * old.capacity : FIRST_CAPACITY;
    keys->places = mnp_allocate(keys->capacity, sizeof *keys->places);
    for (uint32_t i = 0; i < old.capacity; i++) {
        const struct mnp_key_place *place = &old.places[i];
        if (place->key)
            *find_place(keys, place->key, place->length, place->hash) = *place;
    }
    free(old.places);
}

void mnp_keys_add(struct mnp_keys *keys, const char *key, size_t length, uint32_t number)
{
    if (2 * (keys->count + 1) > keys->capacity)
        grow(keys);
    uint32_t hash = hash_of(key, length);
    *find_place(keys, key, length, hash) =
        (struct mnp_key_place){.key = key, .length = (uint32_t)length, .hash = hash, .number = number};
    keys->count++;
}

void mnp_keys_release(struct mnp_keys *keys)
{
    free(keys->places);
    *keys = (struct mnp_keys){0};
}
