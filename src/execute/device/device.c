/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/device/device.h"

#include "base/arena.h"
#include "base/range.h"
#include "execute/device/journal.h"
#include "execute/device/print.h"

#include <stdlib.h>
#include <string.h>

enum { ALLOCATION_ALIGN = 256 };

void execute_device_init(struct execute_device *device, uint32_t page_limit, FILE *out)
{
    memset(device, 0, sizeof *device);
    device->memory = &device->own;
    mnp_memory_init(&device->own, page_limit);
    mnp_regions_init(&device->regions, EXECUTE_DEVICE_BASE, EXECUTE_DEVICE_END, ALLOCATION_ALIGN);
    device->out = out;
}

void execute_device_init_in(struct execute_device *device, struct mnp_memory *memory, uint32_t number, FILE *out)
{
    uint64_t base = mnp_space_base(number);
    memset(device, 0, sizeof *device);
    device->memory = memory;
    device->number = number;
    mnp_regions_init(&device->regions, base, base + MNP_SPACE_PART_BYTES, ALLOCATION_ALIGN);
    device->out = out;
}

void execute_device_narrow(struct execute_device *device, uint64_t offset, uint64_t bytes)
{
    uint64_t base = mnp_space_base(device->number) + offset;
    mnp_regions_release(&device->regions);
    mnp_regions_init(&device->regions, base, base + bytes, ALLOCATION_ALIGN);
}

static void drop_heaps(struct execute_device *device)
{
    for (uint32_t i = 0; i < device->heap_count; i++)
        for (uint32_t size = 0; size < EXECUTE_HEAP_SIZES; size++)
            free(device->heaps[i].freed[size].items);
    free(device->heaps);
    device->heaps = NULL;
    device->heap_count = 0;
}

/* Clears one device's ranges of a shared memory. */
static void clear_part(struct execute_device *device)
{
    mnp_memory_clear_range(device->memory, mnp_space_base(device->number), MNP_SPACE_PART_BYTES);
    mnp_memory_clear_range(device->memory, mnp_space_heap(device->number), MNP_SPACE_HEAP_BYTES);
}

void execute_device_reset(struct execute_device *device)
{
    uint32_t heaps = device->heap_count;
    device->reserved.count = device->textures.count = device->copied.count = device->told = 0;
    device->recent = (struct mnp_region){0, 0};
    mnp_regions_clear(&device->regions);
    mnp_array_release(&device->grants);
    mnp_array_release(&device->views);
    execute_freed_release(&device->freed);
    if (device->memory == &device->own)
        mnp_memory_clear(device->memory);
    else
        clear_part(device);
    execute_device_changed(device);
    drop_heaps(device);
    device->heap_count = heaps;
    device->heaps = mnp_allocate((size_t)heaps + 1, sizeof *device->heaps);
    execute_note_reset(device);
}

void execute_device_release(struct execute_device *device)
{
    for (uint32_t i = 0; i < device->ctas.count; i++) {
        execute_cta_release(((struct execute_cta **)device->ctas.items)[i]);
        free(((struct execute_cta **)device->ctas.items)[i]);
    }
    free(device->ctas.items);
    mnp_regions_release(&device->regions);
    mnp_array_release(&device->reserved);
    mnp_array_release(&device->taken_from);
    mnp_array_release(&device->grants);
    mnp_array_release(&device->views);
    execute_freed_release(&device->freed);
    free(device->textures.items);
    free(device->copied.items);
    execute_journal_stop(device);
    drop_heaps(device);
    if (device->memory == &device->own)
        mnp_memory_release(device->memory);
}

/* ===== allocations ===== */

uint64_t execute_device_allocate(struct execute_device *device, uint64_t bytes)
{
    uint64_t at = mnp_regions_take(&device->regions, bytes ? bytes : 1);
    if (at)
        execute_note_allocate(device, bytes, at);
    return at;
}

uint64_t execute_device_allocate_pages(struct execute_device *device, uint64_t bytes)
{
    uint64_t at = mnp_regions_take_aligned(&device->regions, bytes ? bytes : 1, EXECUTE_HOST_PAGE);
    if (at)
        execute_note_allocate_pages(device, bytes, at);
    return at;
}

uint64_t execute_device_reserve(struct execute_device *device, uint64_t bytes)
{
    uint64_t at = execute_device_allocate(device, bytes);
    if (at)
        *(uint64_t *)mnp_array_add(&device->reserved, 1, sizeof at) = at;
    return at;
}

/* NULL: it is the program's own. */
static uint64_t *find_reserved(const struct execute_device *device, uint64_t address)
{
    uint64_t *all = device->reserved.items;
    for (uint32_t i = 0; i < device->reserved.count; i++)
        if (all[i] == address)
            return &all[i];
    return NULL;
}

bool execute_device_free(struct execute_device *device, uint64_t address)
{
    struct mnp_region region;
    bool known = mnp_regions_before(&device->regions, address, &region);
    if (!mnp_regions_give(&device->regions, address))
        return false;
    uint64_t *reserved = find_reserved(device, address);
    if (known && !reserved)
        execute_freed_add(&device->freed, &region);
    if (reserved)
        *reserved = ((uint64_t *)device->reserved.items)[--device->reserved.count];
    execute_device_changed(device);
    execute_note_free(device, address);
    return true;
}

static bool covers(const struct mnp_region *range, uint64_t address, uint64_t bytes)
{
    return address - range->address < range->bytes && range->bytes - (address - range->address) >= bytes;
}

static bool in_allocation(const struct execute_device *device, struct mnp_region *recent, uint64_t address,
                          uint64_t bytes)
{
    struct mnp_region region;
    if (covers(recent, address, bytes))
        return true;
    if (!mnp_regions_before(&device->regions, address, &region) || !covers(&region, address, bytes)) {
        uint64_t heaps = device->heap_count * EXECUTE_HEAP_SM_BYTES, offset = address - mnp_space_heap(device->number);
        return (offset < heaps && heaps - offset >= bytes) ||
               (device->peers && execute_device_reaches(device, recent, address, bytes));
    }
    *recent = region;
    return true;
}

/* Rounds up to the largest access size, so that no aligned access lies partly in the slack. */
static uint64_t whole_accesses(uint64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Whether bytes are close to the preceding or the following allocation. */
static bool near_allocation(const struct execute_device *device, uint64_t slack, uint64_t address, uint64_t bytes)
{
    struct mnp_region before, behind;
    return (mnp_regions_before(&device->regions, address, &before) &&
            address - before.address + bytes <= whole_accesses(before.bytes + slack)) ||
           (mnp_regions_behind(&device->regions, address, &behind) &&
            behind.address - address <= whole_accesses(slack));
}

bool execute_device_covers(const struct execute_device *device, struct mnp_region *recent, uint64_t address,
                           uint64_t bytes)
{
    return in_allocation(device, recent, address, bytes) ||
           (device->slack && near_allocation(device, device->slack, address, bytes));
}

static bool host_may_access(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    return in_allocation(device, &device->recent, address, bytes) && !execute_device_seen(device, address);
}

static bool kernel_may_access(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    return execute_device_covers(device, &device->recent, address, bytes);
}

bool execute_device_nearest(const struct execute_device *device, uint64_t address, struct mnp_region *region)
{
    return mnp_regions_before(&device->regions, address, region) ||
           mnp_regions_behind(&device->regions, address, region);
}

bool execute_device_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes)
{
    struct mnp_error ignored = {{0}};
    if (!host_may_access(device, address, bytes) ||
        (!device->mirrors && !mnp_memory_write(device->memory, address, bytes, data, &ignored)))
        return false;
    execute_note_write(device, address, data, bytes);
    return true;
}

/* Zeroes a page, or a part of it, where that takes no memory. False: it does. */
static bool clear_cheaply(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    bool other = device->mirrors || (device->journal && !device->journal->without_data); /* a memory of its own */
    if (other || !host_may_access(device, address, bytes))
        return false;
    return !mnp_memory_page(device->memory, address) ||
           (bytes == MNP_MEMORY_PAGE && mnp_pages_empty(&device->memory->pages, address / MNP_MEMORY_PAGE));
}

bool execute_device_clear(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    static const unsigned char zeros[MNP_MEMORY_PAGE];
    for (uint64_t done = 0, piece; done < bytes; done += piece) {
        piece = mnp_pages_piece(address + done, bytes - done, MNP_MEMORY_PAGE);
        if (!clear_cheaply(device, address + done, piece) &&
            !execute_device_write(device, address + done, zeros, piece))
            return false;
    }
    return true;
}

bool execute_device_read(struct execute_device *device, uint64_t address, void *data, uint64_t bytes)
{
    if (!host_may_access(device, address, bytes))
        return false;
    mnp_memory_read(device->memory, address, bytes, data);
    return true;
}

uint64_t execute_device_add_texture(struct execute_device *device, const struct execute_texture *texture)
{
    uint32_t place = 0;
    while (place < device->textures.count && ((struct execute_texture *)device->textures.items)[place].channels)
        place++;
    if (place == device->textures.count)
        mnp_array_add(&device->textures, 1, sizeof *texture);
    ((struct execute_texture *)device->textures.items)[place] = *texture;
    execute_note_texture(device, texture);
    return (uint64_t)place + 1;
}

const struct execute_texture *execute_device_texture(const struct execute_device *device, uint64_t handle)
{
    const struct execute_texture *textures = device->textures.items;
    return handle && handle <= device->textures.count && textures[handle - 1].channels ? &textures[handle - 1] : NULL;
}

static const struct execute_texture *port_texture(void *context, uint64_t handle)
{
    return execute_device_texture(context, handle);
}

bool execute_device_remove_texture(struct execute_device *device, uint64_t handle)
{
    if (!port_texture(device, handle))
        return false;
    ((struct execute_texture *)device->textures.items)[handle - 1] = (struct execute_texture){0};
    execute_note_no_texture(device, handle);
    return true;
}

/* ===== device malloc ===== */

static uint32_t size_of_block(uint64_t bytes)
{
    uint32_t size = 0;
    while (size < EXECUTE_HEAP_SIZES && UINT64_C(16) << size < bytes)
        size++;
    return size;
}

uint64_t execute_heap_allocate(struct execute_device *device, uint32_t sm, uint64_t bytes)
{
    uint32_t size = size_of_block(bytes);
    if (sm >= device->heap_count || size == EXECUTE_HEAP_SIZES || !bytes)
        return 0;
    struct execute_heap *heap = &device->heaps[sm];
    struct mnp_array *freed = &heap->freed[size];
    if (freed->count)
        return ((uint64_t *)freed->items)[--freed->count];
    if (EXECUTE_HEAP_SIZE_BYTES - heap->used[size] < UINT64_C(16) << size)
        return 0;
    uint64_t address =
        mnp_space_heap(device->number) + sm * EXECUTE_HEAP_SM_BYTES + size * EXECUTE_HEAP_SIZE_BYTES + heap->used[size];
    heap->used[size] += UINT64_C(16) << size;
    return address;
}

void execute_heap_free(struct execute_device *device, uint32_t sm, uint64_t address)
{
    uint64_t offset = address - mnp_space_heap(device->number),
             size = offset % EXECUTE_HEAP_SM_BYTES / EXECUTE_HEAP_SIZE_BYTES;
    if (sm < device->heap_count && offset < device->heap_count * EXECUTE_HEAP_SM_BYTES && size < EXECUTE_HEAP_SIZES)
        *(uint64_t *)mnp_array_add(&device->heaps[sm].freed[size], 1, sizeof address) = address;
}

/* ===== copies ===== */

void execute_device_copied(struct execute_device *device, const struct execute_copied *copied)
{
    if (device->told == device->copied.count)
        device->told = device->copied.count = 0;
    *(struct execute_copied *)mnp_array_add(&device->copied, 1, sizeof *copied) = *copied;
    device->copies++;
    execute_note_copied(device, copied);
}

/* ===== the port ===== */

/* Whether all lanes' accesses lie in one page and one allocation; `*least`: the lowest address. */
static bool in_one_page(struct execute_device *device, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                        uint64_t *least)
{
    struct execute_span span = execute_span_of(mask, addresses);
    *least = span.low;
    return span.low / MNP_MEMORY_PAGE == span.high / MNP_MEMORY_PAGE &&
           kernel_may_access(device, span.low, span.high - span.low + bytes);
}

/* Words of one page, the most frequent access. */
static void read_words(const unsigned char *page, uint32_t mask, const uint64_t *addresses, void *data)
{
    uint32_t *to = data;
    for (uint32_t i = 0; i < 32; i++)
        if (mask >> i & 1)
            memcpy(&to[i], page + addresses[i] % MNP_MEMORY_PAGE, 4);
}

/* Sizes that the compiler knows are moved without a call. */
static inline void move(unsigned char *to, const unsigned char *from, uint32_t bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 16)
        memcpy(to, from, 16);
    else if (bytes == 1)
        *to = *from;
    else
        memcpy(to, from, bytes);
}

/* Lanes in one page, which is looked up only once. */
static inline void read_lanes(const unsigned char *page, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                              unsigned char *to, size_t stride)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        move(to + lane * stride, page + addresses[lane] % MNP_MEMORY_PAGE, bytes);
    }
}

static inline void write_lanes(unsigned char *page, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                               const unsigned char *from, size_t stride)
{
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);
        move(page + addresses[lane] % MNP_MEMORY_PAGE, from + lane * stride, bytes);
    }
}

/* Accesses are aligned, so none crosses a page. */
static uint32_t port_members(void *context, uint64_t address, unsigned char *places[EXECUTE_MEMBERS])
{
    return execute_device_members(context, address, places);
}

static bool port_multicast(void *context, uint64_t address)
{
    return execute_device_seen(context, address);
}

/* Whether an active lane has an address of a multicast object; `*lane`: the first one. */
static bool any_seen(const struct execute_device *device, uint32_t mask, const uint64_t *addresses, uint32_t *lane)
{
    uint32_t seen = device->views.count ? execute_device_seen_lanes(device, mask, addresses) : 0;
    if (seen)
        *lane = (uint32_t)__builtin_ctz(seen);
    return seen;
}

/* Writes to each memory behind an address. False: some are missing. */
static bool write_members(struct execute_device *device, uint64_t address, const unsigned char *from, uint32_t bytes)
{
    unsigned char *places[EXECUTE_MEMBERS];
    uint32_t count = execute_device_members(device, address, places);
    for (uint32_t i = 0; count != EXECUTE_NO_MEMBERS && i < count; i++)
        memcpy(places[i], from, bytes);
    return count != EXECUTE_NO_MEMBERS;
}

static bool port_read(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, void *data,
                      size_t stride, uint32_t *lane)
{
    struct execute_device *device = context;
    uint64_t number = UINT64_MAX;
    const unsigned char *page = NULL;
    uint64_t least;
    if (any_seen(device, mask, addresses, lane))
        return false;
    if (in_one_page(device, mask, addresses, bytes, &least)) {
        page = mnp_memory_page(device->memory, least);
        if (page && bytes == 4 && stride == 4)
            read_words(page, mask, addresses, data);
        else if (page)
            read_lanes(page, mask, addresses, bytes, data, stride);
        if (page)
            return true;
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        *lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = addresses[*lane];
        if (!kernel_may_access(device, address, bytes))
            return false;
        if (address / MNP_MEMORY_PAGE != number) {
            number = address / MNP_MEMORY_PAGE;
            page = mnp_memory_page(device->memory, address);
        }
        unsigned char *to = (unsigned char *)data + *lane * stride;
        if (!page)
            memset(to, 0, bytes);
        else
            move(to, page + address % MNP_MEMORY_PAGE, bytes);
    }
    return true;
}

/* A store some of whose lanes have addresses of multicast objects. */
static bool write_seen(struct execute_device *device, uint32_t mask, const uint64_t *addresses, uint32_t bytes,
                       const void *data, size_t stride, uint32_t *lane)
{
    struct mnp_error ignored = {{0}};
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        *lane = (uint32_t)__builtin_ctz(rest);
        const unsigned char *from = (const unsigned char *)data + *lane * stride;
        uint64_t address = addresses[*lane];
        bool good = execute_device_seen(device, address)
                        ? write_members(device, address, from, bytes)
                        : kernel_may_access(device, address, bytes) &&
                              mnp_memory_write(device->memory, address, bytes, from, &ignored);
        if (!good)
            return false;
    }
    return true;
}

static bool port_write(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, const void *data,
                       size_t stride, uint32_t *lane)
{
    struct execute_device *device = context;
    struct mnp_error ignored = {{0}};
    uint64_t number = UINT64_MAX, least;
    unsigned char *page = NULL;
    if (any_seen(device, mask, addresses, lane))
        return write_seen(device, mask, addresses, bytes, data, stride, lane);
    if (in_one_page(device, mask, addresses, bytes, &least)) {
        page = mnp_memory_page_for_writing(device->memory, least, &ignored);
        if (page) {
            write_lanes(page, mask, addresses, bytes, data, stride);
            return true;
        }
    }
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        *lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = addresses[*lane];
        if (!kernel_may_access(device, address, bytes))
            return false;
        if (address / MNP_MEMORY_PAGE != number) {
            number = address / MNP_MEMORY_PAGE;
            page = mnp_memory_page_for_writing(device->memory, address, &ignored);
            if (!page)
                return false;
        }
        const unsigned char *from = (const unsigned char *)data + *lane * stride;
        move(page + address % MNP_MEMORY_PAGE, from, bytes);
    }
    return true;
}

static unsigned char *port_place(void *context, uint64_t address, uint32_t bytes)
{
    struct execute_device *device = context;
    struct mnp_error ignored = {{0}};
    if (!kernel_may_access(device, address, bytes) || execute_device_seen(device, address))
        return NULL;
    unsigned char *page = mnp_memory_page_for_writing(device->memory, address, &ignored);
    return page ? page + address % MNP_MEMORY_PAGE : NULL;
}

static int32_t port_print(void *context, struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments)
{
    struct execute_device *device = context;
    struct mnp_array text = {0};
    int32_t result = execute_print(warp, lane, format, arguments, &text);
    if (text.count && warp->status != EXECUTE_FAULTED && device->out)
        fwrite(text.items, 1, text.count, device->out);
    mnp_array_release(&text);
    device->printed++;
    return result;
}

static uint64_t port_allocate(void *context, uint64_t bytes)
{
    return execute_device_allocate(context, bytes);
}

static void port_release(void *context, uint64_t address)
{
    execute_device_free(context, address);
}

static uint64_t port_clock(void *context)
{
    struct execute_device *device = context;
    return device->steps + (device->clock += EXECUTE_CLOCK_READ);
}

const struct execute_port *execute_device_port(struct execute_device *device)
{
    device->port = (struct execute_port){.context = device,
                                         .read = port_read,
                                         .write = port_write,
                                         .place = port_place,
                                         .members = port_members,
                                         .multicast = port_multicast,
                                         .print = port_print,
                                         .allocate = port_allocate,
                                         .release = port_release,
                                         .texture = port_texture,
                                         .clock = port_clock,
                                         .nanoseconds = port_clock,
                                         .observer = device->observer,
                                         .interrupt = device->interrupt};
    return &device->port;
}

/* ===== faults ===== */

/* The allocation of the program's that is nearest to an address, if it is near: no further away than it is long, or
 * than 64 KiB. */
static bool find_near(const struct execute_device *device, uint64_t address, struct mnp_region *found)
{
    enum { NEAR = 64 * 1024 };
    struct mnp_region around[2];
    const bool there[2] = {mnp_regions_before(&device->regions, address, &around[0]),
                           mnp_regions_behind(&device->regions, address, &around[1])};
    uint64_t best = UINT64_MAX;
    for (unsigned i = 0; i < 2; i++) {
        if (!there[i] || find_reserved(device, around[i].address))
            continue;
        uint64_t distance = i ? around[i].address - address : address - around[i].address - around[i].bytes;
        distance = !i && address - around[i].address < around[i].bytes ? 0 : distance; /* the access crosses the end */
        if (distance > mnp_max(NEAR, around[i].bytes) || distance >= best)
            continue;
        best = distance;
        *found = around[i];
    }
    return best != UINT64_MAX;
}

/* Memory of another device that this one may not access. */
static bool is_elsewhere(const struct execute_device *device, uint64_t address, uint32_t *owner)
{
    const struct execute_device *home = execute_device_home(device, address);
    struct mnp_region region;
    if (!home || home == device || !mnp_regions_before(&home->regions, address, &region) ||
        !covers(&region, address, 1))
        return false;
    *owner = home->number;
    return true;
}

/* Memory that was an allocation and is none now. */
static bool was_freed(const struct execute_device *device, uint64_t address, struct mnp_region *freed)
{
    struct mnp_region now;
    bool taken = mnp_regions_before(&device->regions, address, &now) && covers(&now, address, 1);
    return !taken && execute_freed_find(&device->freed, address, freed);
}

static bool is_of_host(uint64_t address)
{
    bool devices = address >= EXECUTE_DEVICE_BASE && address < EXECUTE_DEVICE_END;
    return !devices && execute_is_host_address(address);
}

static void describe_address(const struct execute_device *device, uint64_t address, struct mnp_error *error)
{
    enum { NULL_PAGES = 64 * 1024, MAPPED_PAGE = 2 << 20 /* bytes that hardware maps at a time */ };
    struct mnp_region near, freed;
    uint32_t owner;
    size_t used = strlen(error->text);
    bool gone = was_freed(device, address, &freed);
    if (is_elsewhere(device, address, &owner))
        snprintf(error->text + used, sizeof error->text - used,
                 "; it is memory of device %u, which device %u may not access (%s)", owner, device->number,
                 device->closed ? device->closed : "cudaDeviceEnablePeerAccess, which needs a link between them");
    else if (address < NULL_PAGES)
        snprintf(error->text + used, sizeof error->text - used, ", by a null pointer");
    else if (gone)
        snprintf(error->text + used, sizeof error->text - used,
                 "; it is memory that the program has freed: %lu bytes at 0x%lx", (unsigned long)freed.bytes,
                 (unsigned long)freed.address);
    else if (is_of_host(address))
        snprintf(error->text + used, sizeof error->text - used,
                 "; it is an address of the host's memory, which no kernel can access: copy the data to memory of "
                 "the device");
    else if (find_near(device, address, &near))
        snprintf(error->text + used, sizeof error->text - used, "; the nearest allocation is 0x%lx, %lu bytes",
                 (unsigned long)near.address, (unsigned long)near.bytes);
    used = strlen(error->text);
    bool own = !is_elsewhere(device, address, &owner); /* hardware maps no page of a peer that is not enabled */
    if (own && !gone && !device->slack && near_allocation(device, MAPPED_PAGE, address, 1))
        snprintf(error->text + used, sizeof error->text - used,
                 "; hardware, which maps 2 MiB at a time, may not notice it (--set host.slack=2MiB)");
}

void execute_device_describe(const struct execute_device *device, struct execute_warp *warp, struct mnp_error *error)
{
    execute_fault_describe(warp, error);
    if (warp->fault == EXECUTE_FAULT_ADDRESS)
        describe_address(device, warp->fault_address, error);
    else if (warp->fault == EXECUTE_FAULT_ASSERT)
        execute_assert_describe(warp, error);
    error->kind = warp->fault;
}
