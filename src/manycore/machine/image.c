/* SPDX-License-Identifier: BSD-3-Clause */
/* The image of a program: its pages as every tile finds them, its code decoded once, its part of shared memory. */
#include "manycore/core/access.h"
#include "manycore/core/counted.h"
#include "manycore/machine/machine.h"
#include "manycore/translation/translate.h"

#include <stdlib.h>

static bool fits(const struct mnp_segment *segment, uint64_t base, uint64_t bytes)
{
    return segment->address >= base && segment->address - base <= bytes &&
           segment->bytes <= bytes - (segment->address - base);
}

static bool check_segment(const struct manycore_parameters *p, const struct mnp_program *program,
                          const struct mnp_segment *segment, struct mnp_error *error)
{
    uint32_t from = segment->address, to = from + segment->bytes;
    uint64_t shared = (uint64_t)p->bank_bytes * p->tiles;
    if (fits(segment, MANYCORE_PRIVATE, p->private_bytes))
        return true;
    if (fits(segment, MANYCORE_ISPM, p->ispm))
        return !segment->writable || mnp_fail_at(error, program->path, 0,
                                                 "data at 0x%x lies in the instruction "
                                                 "scratchpad, which cannot be written",
                                                 from);
    if (fits(segment, MANYCORE_SHARED, shared))
        return !segment->executable || mnp_fail_at(error, program->path, 0,
                                                   "code at 0x%x lies in shared memory; put it "
                                                   "into private memory",
                                                   from);
    return mnp_fail_at(error, program->path, 0,
                       "segment 0x%x to 0x%x does not fit into this machine's memories: private "
                       "0x0 to 0x%x, instruction scratchpad (tile.ispm) 0x%x to 0x%lx, shared 0x%x to 0x%lx",
                       from, to, p->private_bytes, MANYCORE_ISPM, (unsigned long)(MANYCORE_ISPM + p->ispm),
                       MANYCORE_SHARED, (unsigned long)(MANYCORE_SHARED + shared));
}

/* Whether banks are as large as the program says that it needs them, as otherwise what it keeps in them overlaps. */
static bool check_banks(const struct manycore_parameters *p, const struct mnp_program *program, struct mnp_error *error)
{
    uint64_t needed = ((uint64_t)program->bank_bytes + 7) / 8 * 8;
    if (p->bank_bytes >= needed)
        return true;
    return mnp_fail_at(error, program->path, 0,
                       "needs %lu bytes of each core's bank of shared memory, and %lu cores leave %u bytes of "
                       "shared.size = %lu to each: give at most %lu cores, or --set shared.size=%lu",
                       (unsigned long)needed, (unsigned long)p->tiles, p->bank_bytes, (unsigned long)p->shared_size,
                       (unsigned long)(p->shared_size / needed), (unsigned long)(needed * p->tiles));
}

/* Copies a segment into the image's pages. */
static void fill_pages(struct manycore_image *image, const struct mnp_segment *segment)
{
    for (uint32_t i = 0; i < segment->stored; i++) {
        uint32_t address = segment->address + i;
        unsigned char **page = &image->pages[address / MANYCORE_PAGE];
        if (!*page)
            *page = mnp_allocate(MANYCORE_PAGE, 1);
        (*page)[address % MANYCORE_PAGE] = segment->data[i];
    }
}

static bool protect_pages(struct manycore_image *image, const struct mnp_program *program, struct mnp_error *error)
{
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < program->segment_count; i++) {
            const struct mnp_segment *segment = &program->segments[i];
            if (segment->address >= MANYCORE_PRIVATE_MAX || segment->writable != (pass == 1))
                continue;
            uint32_t first = segment->address / MANYCORE_PAGE;
            uint32_t last = (segment->address + segment->bytes - 1) / MANYCORE_PAGE;
            for (uint32_t page = first; page <= last; page++) {
                if (pass == 0)
                    image->read_only[page] = 1;
                else if (image->read_only[page])
                    return mnp_fail_at(error, program->path, 0,
                                       "code and data share the page 0x%x; align the data to %d "
                                       "bytes (apps/manycore/manycore.ld does)",
                                       page * MANYCORE_PAGE, MANYCORE_PAGE);
            }
        }
    }
    return true;
}

static bool add_code(struct manycore_image *image, const struct mnp_segment *segment, struct mnp_error *error)
{
    if (segment->writable)
        return mnp_fail_at(error, image->program->path, 0, "its code at 0x%x can be written; link it without -N",
                           segment->address);
    if (segment->address & 3)
        return mnp_fail_at(error, image->program->path, 0, "its code at 0x%x is not aligned to words",
                           segment->address);
    struct manycore_code *code = &image->code[image->code_count++];
    *code = (struct manycore_code){.address = segment->address,
                                   .words = segment->stored / 4,
                                   .scratchpad = segment->address >= MANYCORE_ISPM,
                                   .ops = mnp_allocate(segment->stored / 4 + 1, sizeof *code->ops)};
    for (uint32_t i = 0; i < code->words; i++) {
        uint32_t word;
        memcpy(&word, segment->data + 4 * i, 4);
        code->ops[i] = manycore_decode(word, code->address + 4 * i);
    }
    code->ops[code->words] = a32_end();
    manycore_mark_counted(code);
    return true;
}

bool manycore_image_init(struct manycore_image *image, const struct manycore_parameters *p,
                         const struct mnp_program *program, struct mnp_error *error)
{
    *image = (struct manycore_image){.program = program};
    uint32_t top = 0;
    if (!check_banks(p, program, error))
        return false;
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *segment = &program->segments[i];
        if (!check_segment(p, program, segment, error))
            return false;
        uint32_t end = segment->address + segment->bytes;
        if (segment->address < MANYCORE_PRIVATE_MAX && end > top)
            top = end;
    }
    image->page_count = (top + MANYCORE_PAGE - 1) / MANYCORE_PAGE;
    image->pages = mnp_allocate(image->page_count + 1u, sizeof *image->pages);
    image->read_only = mnp_allocate(image->page_count + 1u, 1);
    image->zeros = mnp_allocate(MANYCORE_PAGE, 1);
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *segment = &program->segments[i];
        if (segment->address < MANYCORE_PRIVATE_MAX)
            fill_pages(image, segment);
        if (segment->executable && !add_code(image, segment, error))
            return false;
    }
    return protect_pages(image, program, error);
}

void manycore_image_release(struct manycore_image *image)
{
    manycore_library_close(image);
    for (uint32_t i = 0; i < image->page_count; i++)
        free(image->pages[i]);
    for (uint32_t i = 0; i < image->code_count; i++)
        free(image->code[i].ops);
    free((void *)image->pages);
    free(image->read_only);
    free(image->zeros);
}

void manycore_image_fill_shared(const struct manycore_image *image, unsigned char *shared, uint32_t bytes)
{
    for (uint32_t i = 0; i < image->program->segment_count; i++) {
        const struct mnp_segment *segment = &image->program->segments[i];
        if (segment->address - MANYCORE_SHARED < bytes && segment->stored)
            memcpy(shared + (segment->address - MANYCORE_SHARED), segment->data, segment->stored);
    }
}
