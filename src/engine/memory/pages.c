/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/memory/pages.h"

#include "base/zeros.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

enum { FIRST_PAGES = 16 /* number of entries of a new table */ };

void mnp_pages_init(struct mnp_pages *pages, uint32_t limit)
{
    MNP_REQUIRE(limit > 0 && limit < UINT32_MAX / 2, "a memory of %u pages", limit);
    memset(pages, 0, sizeof *pages);
    pages->limit = limit;
    mnp_arena_init(&pages->pool, (size_t)limit * MNP_MEMORY_PAGE);
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++) {
        pages->tables[i].pages = mnp_allocate(FIRST_PAGES, sizeof(struct mnp_page));
        pages->tables[i].mask = FIRST_PAGES - 1;
    }
}

void mnp_pages_release(struct mnp_pages *pages)
{
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++)
        free(pages->tables[i].pages);
    mnp_arena_release(&pages->pool);
    mnp_arena_release(&pages->spill);
    memset(pages, 0, sizeof *pages);
}

void mnp_pages_clear(struct mnp_pages *pages)
{
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++) {
        struct mnp_page_table *table = &pages->tables[i];
        memset(table->pages, 0, ((size_t)table->mask + 1) * sizeof *table->pages);
        table->count = 0;
    }
    mnp_arena_clear(&pages->pool);
    mnp_arena_clear(&pages->spill);
    atomic_store(&pages->count, 0);
}

void mnp_pages_share(struct mnp_pages *pages, unsigned char *window, uint64_t first, uint64_t count, bool made)
{
    pages->window = window;
    pages->window_first = first;
    pages->window_count = count;
    pages->window_made = made;
}

static bool is_shared(const struct mnp_pages *pages, uint64_t number)
{
    return number - pages->window_first < pages->window_count;
}

void mnp_pages_clear_range(struct mnp_pages *pages, uint64_t first, uint64_t count)
{
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++) {
        struct mnp_page_table *table = &pages->tables[i];
        for (uint32_t j = 0; j <= table->mask; j++) {
            struct mnp_page *page = &table->pages[j];
            if (!page->data || page->number - first >= count || is_shared(pages, page->number))
                continue;
            memset(page->data, 0, MNP_MEMORY_PAGE);
            page->stale = true;
        }
    }
}

bool mnp_pages_empty(struct mnp_pages *pages, uint64_t number)
{
    if (!is_shared(pages, number))
        return false;
    struct mnp_page *page = mnp_pages_place(&pages->tables[mnp_pages_bucket(number)], number);
    if (madvise(pages->window + (number - pages->window_first) * MNP_MEMORY_PAGE, MNP_MEMORY_PAGE, MADV_REMOVE) != 0)
        return false;
    if (page->data)
        page->stale = true;
    return true;
}

void mnp_pages_spill(struct mnp_pages *pages, size_t count)
{
    mnp_arena_release(&pages->spill);
    mnp_arena_init(&pages->spill, count * MNP_MEMORY_PAGE);
}

static bool too_many(const struct mnp_pages *pages, struct mnp_error *error)
{
    return mnp_fail(error,
                    "the program writes to more than %u pages of %u bytes: raise the machine's limit of memory pages",
                    pages->limit, (unsigned)MNP_MEMORY_PAGE);
}

bool mnp_pages_check(const struct mnp_pages *pages, struct mnp_error *error)
{
    return atomic_load(&pages->count) <= pages->limit || too_many(pages, error);
}

static void double_table(struct mnp_page_table *table)
{
    struct mnp_page_table larger = {.mask = 2 * table->mask + 1, .count = table->count};
    larger.pages = mnp_allocate((size_t)larger.mask + 1, sizeof(struct mnp_page));
    for (uint32_t i = 0; i <= table->mask; i++)
        if (table->pages[i].data)
            *mnp_pages_place(&larger, table->pages[i].number) = table->pages[i];
    free(table->pages);
    *table = larger;
}

/* Allocates the data of a new page. The piece of the pool that a page gets depends on the threads, but no result
 * depends on the piece. */
static unsigned char *room_for(struct mnp_pages *pages, uint64_t number)
{
    if (is_shared(pages, number))
        return pages->window + (number - pages->window_first) * MNP_MEMORY_PAGE;
    uint32_t piece = atomic_fetch_add_explicit(&pages->count, 1, memory_order_relaxed);
    bool over = piece >= pages->limit;
    const struct mnp_arena *pool = over ? &pages->spill : &pages->pool;
    size_t offset = (size_t)(over ? piece - pages->limit : piece) * MNP_MEMORY_PAGE;
    MNP_REQUIRE(offset < pool->capacity, "the pool of pages overflows");
    return pool->base + offset;
}

struct mnp_page *mnp_pages_make(struct mnp_pages *pages, uint64_t number)
{
    struct mnp_page_table *table = &pages->tables[mnp_pages_bucket(number)];
    struct mnp_page *page = mnp_pages_place(table, number);
    if (!page->data) {
        if (2 * (table->count + 1) > table->mask) {
            double_table(table);
            page = mnp_pages_place(table, number);
        }
        *page = (struct mnp_page){.number = number, .data = room_for(pages, number)};
        table->count++;
    }
    page->stale = true;
    return page;
}

struct mnp_page *mnp_pages_make_within(struct mnp_pages *pages, uint64_t number, struct mnp_error *error)
{
    if (!mnp_pages_find(pages, number) && atomic_load(&pages->count) >= pages->limit) {
        too_many(pages, error);
        return NULL;
    }
    return mnp_pages_make(pages, number);
}

void mnp_pages_read(const struct mnp_pages *pages, uint64_t address, uint64_t bytes, void *out)
{
    for (unsigned char *to = out; bytes > 0;) {
        uint64_t piece = mnp_pages_piece(address, bytes, MNP_MEMORY_PAGE);
        const unsigned char *page = mnp_pages_find(pages, address / MNP_MEMORY_PAGE);
        if (page)
            memcpy(to, page + address % MNP_MEMORY_PAGE, piece);
        else
            memset(to, 0, piece);
        to += piece, address += piece, bytes -= piece;
    }
}

/* Zeros are not written to missing pages, which read as zeros anyway: programs clear much more memory than they use. */
bool mnp_pages_write(struct mnp_pages *pages, uint64_t address, uint64_t bytes, const void *in, struct mnp_error *error)
{
    for (const unsigned char *from = in; bytes > 0;) {
        uint64_t piece = mnp_pages_piece(address, bytes, MNP_MEMORY_PAGE), number = address / MNP_MEMORY_PAGE;
        if (mnp_pages_find(pages, number) || !mnp_only_zeros(from, piece)) {
            struct mnp_page *page = mnp_pages_make_within(pages, number, error);
            if (!page)
                return false;
            memcpy(page->data + address % MNP_MEMORY_PAGE, from, piece);
        }
        from += piece, address += piece, bytes -= piece;
    }
    return true;
}

/* ===== hash ===== */

uint64_t mnp_pages_hash(struct mnp_pages *pages)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < MNP_PAGES_BUCKETS; i++) {
        struct mnp_page_table *table = &pages->tables[i];
        for (uint32_t j = 0; j <= table->mask; j++) {
            struct mnp_page *page = &table->pages[j];
            if (page->stale) {
                page->hash = mnp_only_zeros(page->data, MNP_MEMORY_PAGE)
                                 ? 0
                                 : XXH3_64bits_withSeed(page->data, MNP_MEMORY_PAGE, page->number);
                page->stale = false;
            }
            sum += page->hash; /* a sum, because the order of the pages must not matter */
        }
    }
    return sum;
}
