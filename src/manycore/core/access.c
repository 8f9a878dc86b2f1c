/* SPDX-License-Identifier: BSD-3-Clause */
#include "manycore/core/access.h"
#include "manycore/core/page.h"

/* The bytes of a place outside private memory that can only be read: code and constants in the instruction
 * scratchpad. */
MNP_DEVICE static const unsigned char *find_constant(const struct manycore_place *place, uint32_t address,
                                                     uint32_t bytes)
{
    const struct mnp_program *program = place->image->program;
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *segment = &program->segments[i];
        if (segment->address - MANYCORE_ISPM >= MANYCORE_DSPM - MANYCORE_ISPM)
            continue;
        if (address - segment->address < segment->stored && bytes <= segment->stored - (address - segment->address))
            return segment->data + (address - segment->address);
    }
    return NULL;
}

MNP_APART const unsigned char *manycore_find_readable(struct manycore_core *core, const struct manycore_place *place,
                                                      uint32_t address, uint32_t bytes)
{
    const unsigned char *constant = find_constant(place, address, bytes);
    if (constant)
        core->clock += place->timing->scratchpad - 1;
    else
        manycore_fault(core, MANYCORE_FAULT_UNMAPPED, address);
    return constant;
}

/* Makes a page of the tile's own. NULL: it is read-only, or there is no memory left. */
MNP_DEVICE static unsigned char *own_page(const struct manycore_place *place, uint32_t page, enum manycore_fault *fault)
{
    const struct manycore_image *image = place->image;
    *fault = MANYCORE_FAULT_READ_ONLY;
    if (page < image->page_count && image->read_only[page])
        return NULL;
    *fault = MANYCORE_FAULT_MEMORY;
    unsigned char *own = manycore_page_take(place, page);
    if (own)
        place->readable[page] = place->writable[page] = own;
    return own;
}

MNP_APART unsigned char *manycore_find_writable(struct manycore_core *core, const struct manycore_place *place,
                                                uint32_t address, uint32_t bytes)
{
    enum manycore_fault fault = MANYCORE_FAULT_UNMAPPED;
    if (address < place->private_bytes) {
        unsigned char *own = own_page(place, address / MANYCORE_PAGE, &fault);
        if (own)
            return manycore_at(own, address % MANYCORE_PAGE);
    } else if (find_constant(place, address, bytes)) {
        fault = MANYCORE_FAULT_READ_ONLY;
    }
    manycore_fault(core, fault, address);
    return NULL;
}

MNP_APART enum a32_result manycore_ask(struct manycore_core *core, const struct manycore_place *place,
                                       const struct manycore_request *request, uint32_t *value)
{
    if (place->shared_bytes - (request->address - MANYCORE_SHARED) < request->bytes)
        return manycore_fault(core, MANYCORE_FAULT_UNMAPPED, request->address);
    if (core->beat < core->beats) {
        *value = core->answers[core->beat++];
        return A32_NEXT;
    }
    core->request = *request;
    core->pause = MANYCORE_ACCESS;
    return A32_PAUSED;
}

MNP_APART void manycore_look_up(struct manycore_core *core, const struct manycore_place *place, uint32_t line,
                                bool write)
{
    const struct manycore_cache_shape *shape = place->data_shape;
    struct manycore_lookup found = manycore_tags_look(shape, &place->data_tags, &core->data_cache, line, write);
    core->clock += found.cycles - 1;
    core->cache_cycles += found.cycles - shape->hit;
}

MNP_APART bool manycore_copy_out(const struct manycore_place *place, uint32_t address, uint32_t bytes, void *out)
{
    unsigned char *to = (unsigned char *)out;
    for (uint32_t i = 0; i < bytes; i++, address++) {
        if (address < place->private_bytes) {
            to[i] = *manycore_at(place->readable[address / MANYCORE_PAGE], address % MANYCORE_PAGE);
        } else if (address - MANYCORE_DSPM < place->scratchpad_bytes) {
            to[i] = *manycore_at(place->scratchpad, address - MANYCORE_DSPM);
        } else {
            const unsigned char *constant = find_constant(place, address, 1);
            if (!constant)
                return false;
            to[i] = *constant;
        }
    }
    return true;
}

MNP_APART bool manycore_copy_in(struct manycore_place *place, uint32_t address, uint32_t bytes, const void *in)
{
    const unsigned char *from = (const unsigned char *)in;
    for (uint32_t i = 0; i < bytes; i++, address++) {
        if (address < place->private_bytes) {
            enum manycore_fault fault;
            unsigned char *own = place->writable[address / MANYCORE_PAGE];
            own = own ? own : own_page(place, address / MANYCORE_PAGE, &fault);
            if (!own)
                return false;
            *manycore_at(own, address % MANYCORE_PAGE) = from[i];
        } else if (address - MANYCORE_DSPM < place->scratchpad_bytes) {
            *manycore_at(place->scratchpad, address - MANYCORE_DSPM) = from[i];
        } else {
            return false;
        }
    }
    return true;
}
