/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include "base/allocate.h"
#include "base/error.h"
#include "base/range.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 16 };

void *mnp_array_add(struct mnp_array *array, uint32_t count, size_t size)
{
    uint64_t needed = (uint64_t)array->count + count;
    if (needed == 0)
        return array->items;
    MNP_REQUIRE(needed < UINT32_MAX, "an array grows to %llu elements", (unsigned long long)needed);
    if (needed > array->capacity) {
        uint64_t capacity = array->capacity ? (uint64_t)array->capacity * 2 : FIRST_CAPACITY;
        array->capacity = (uint32_t)mnp_min(mnp_max(capacity, needed), UINT32_MAX);
        array->items = mnp_reallocate(array->items, array->capacity, size);
    }
    void *first = (char *)array->items + (size_t)array->count * size;
    memset(first, 0, count * size);
    array->count += count;
    return first;
}

uint32_t mnp_array_before(const struct mnp_array *array, size_t size, uint64_t key)
{
    uint32_t low = 0, high = array->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t found;
        memcpy(&found, (const char *)array->items + middle * size, sizeof found);
        if (found < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void mnp_array_release(struct mnp_array *array)
{
    free(array->items);
    *array = (struct mnp_array){0};
}
