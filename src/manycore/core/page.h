/* SPDX-License-Identifier: BSD-3-Clause */
/* Pages of private memory: a tile reads the image's until it writes one, which then becomes its own. */
#ifndef MANYCORE_PAGE_H
#define MANYCORE_PAGE_H

#include "manycore/core/core.h"

/* The image's page of private memory, as a tile reads it before it has written it. */
static inline unsigned char *manycore_image_page(const struct manycore_image *image, uint32_t page)
{
    return page < image->page_count && image->pages[page] ? image->pages[page] : image->zeros;
}

/* A new page of the tile's own, with what the image has in that place; NULL: there is no memory left. */
MNP_DEVICE unsigned char *manycore_page_take(const struct manycore_place *place, uint32_t page);

#endif
