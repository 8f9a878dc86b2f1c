/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a core share: how it stops at a fault, and the pages that a program's image gives it. */
#ifndef MANYCORE_FAULT_H
#define MANYCORE_FAULT_H

#include "manycore/core.h"

/* The image's page of private memory, as a tile reads it before it has written it. */
static inline unsigned char *manycore_image_page(const struct manycore_image *image, uint32_t page)
{
    return page < image->page_count && image->pages[page] ? image->pages[page] : image->zeros;
}

static inline enum a32_result manycore_fault(struct manycore_core *core, enum manycore_fault fault, uint32_t address)
{
    core->fault = (uint8_t)fault;
    core->fault_address = address;
    core->pause = MANYCORE_FAULTED;
    return A32_PAUSED;
}

#endif
