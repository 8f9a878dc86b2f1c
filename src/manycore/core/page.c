/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/core/page.h"

#include <string.h>

unsigned char *manycore_page_take(const struct manycore_place *place, uint32_t page)
{
    const struct manycore_image *image = place->image;
    if (place->pool->used + MANYCORE_PAGE > place->pool->capacity)
        return NULL;
    unsigned char *own = place->pool->base + place->pool->used;
    place->pool->used += MANYCORE_PAGE;
    if (page < image->page_count && image->pages[page])
        memcpy(own, image->pages[page], MANYCORE_PAGE); /* otherwise it is zero as the pool is */
    return own;
}
