/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/device.h"

#include "base/arena.h"
#include "execute/journal.h"
#include "execute/print.h"

#include <stdlib.h>
#include <string.h>

enum { PRINT_BYTES = 64 * 1024, ALLOCATION_ALIGN = 256 };

void execute_device_init(struct execute_device *device, uint32_t page_limit, FILE *out)
{
    memset(device, 0, sizeof *device);
    mnp_memory_init(&device->memory, page_limit);
    device->out = out;
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

void execute_device_reset(struct execute_device *device)
{
    uint32_t heaps = device->heap_count;
    device->ranges.count = device->textures.count = device->copied.count = device->told = 0;
    device->recent = (struct execute_range){0, 0};
    device->changes++;
    mnp_memory_clear(&device->memory);
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
    free(device->ranges.items);
    free(device->textures.items);
    free(device->copied.items);
    execute_journal_stop(device);
    drop_heaps(device);
    mnp_memory_release(&device->memory);
}

/* ===== allocations ===== */

static struct execute_range *ranges_of(const struct execute_device *device)
{
    return device->ranges.items;
}

/* The number of ranges that begin at or before the address. */
static uint32_t ranges_before(const struct execute_device *device, uint64_t address)
{
    uint32_t low = 0, high = device->ranges.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ranges_of(device)[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint64_t execute_device_allocate(struct execute_device *device, uint64_t bytes)
{
    uint64_t at = EXECUTE_DEVICE_BASE, size = bytes ? bytes : 1;
    uint32_t place = 0;
    if (size > EXECUTE_DEVICE_END - EXECUTE_DEVICE_BASE)
        return 0;
    for (; place < device->ranges.count; place++) {
        const struct execute_range *range = &ranges_of(device)[place];
        if (range->address - at >= size)
            break;
        at = (range->address + range->bytes + ALLOCATION_ALIGN - 1) / ALLOCATION_ALIGN * ALLOCATION_ALIGN;
    }
    if (at > EXECUTE_DEVICE_END || EXECUTE_DEVICE_END - at < size)
        return 0;
    mnp_array_add(&device->ranges, 1, sizeof(struct execute_range));
    struct execute_range *ranges = ranges_of(device);
    memmove(&ranges[place + 1], &ranges[place], (device->ranges.count - 1 - place) * sizeof *ranges);
    ranges[place] = (struct execute_range){at, size};
    execute_note_allocate(device, bytes, at);
    return at;
}

bool execute_device_free(struct execute_device *device, uint64_t address)
{
    uint32_t place = ranges_before(device, address);
    struct execute_range *ranges = ranges_of(device);
    if (!place || ranges[place - 1].address != address)
        return false;
    memmove(&ranges[place - 1], &ranges[place], (device->ranges.count - place) * sizeof *ranges);
    device->ranges.count--;
    device->changes++;
    device->recent = (struct execute_range){0, 0};
    execute_note_free(device, address);
    return true;
}

static bool covers(const struct execute_range *range, uint64_t address, uint64_t bytes)
{
    return address - range->address < range->bytes && range->bytes - (address - range->address) >= bytes;
}

static bool in_allocation(const struct execute_device *device, struct execute_range *recent, uint64_t address,
                          uint64_t bytes)
{
    if (covers(recent, address, bytes))
        return true;
    uint32_t place = ranges_before(device, address);
    if (!place || !covers(&ranges_of(device)[place - 1], address, bytes)) {
        uint64_t heaps = device->heap_count * EXECUTE_HEAP_SM_BYTES, offset = address - EXECUTE_HEAP_BASE;
        return offset < heaps && heaps - offset >= bytes;
    }
    *recent = ranges_of(device)[place - 1];
    return true;
}

/* To whole units of the largest access, so that no aligned access lies in the slack in part. */
static uint64_t whole_accesses(uint64_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

/* Whether bytes lie near the allocation before them, or near the one behind them. */
static bool near_allocation(const struct execute_device *device, uint64_t address, uint64_t bytes)
{
    uint32_t place = ranges_before(device, address);
    const struct execute_range *before = place ? &ranges_of(device)[place - 1] : NULL;
    const struct execute_range *behind = place < device->ranges.count ? &ranges_of(device)[place] : NULL;
    return (before && address - before->address + bytes <= whole_accesses(before->bytes + device->slack)) ||
           (behind && behind->address - address <= whole_accesses(device->slack));
}

bool execute_device_covers(const struct execute_device *device, struct execute_range *recent, uint64_t address,
                           uint64_t bytes)
{
    return in_allocation(device, recent, address, bytes) || (device->slack && near_allocation(device, address, bytes));
}

static bool host_may_access(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    return in_allocation(device, &device->recent, address, bytes);
}

static bool kernel_may_access(struct execute_device *device, uint64_t address, uint64_t bytes)
{
    return execute_device_covers(device, &device->recent, address, bytes);
}

bool execute_device_nearest(const struct execute_device *device, uint64_t address, struct execute_range *range)
{
    uint32_t place = ranges_before(device, address);
    if (!device->ranges.count)
        return false;
    *range = ranges_of(device)[place ? place - 1 : 0];
    return true;
}

bool execute_device_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes)
{
    struct mnp_error ignored = {{0}};
    if (!host_may_access(device, address, bytes) || !mnp_memory_write(&device->memory, address, bytes, data, &ignored))
        return false;
    execute_note_write(device, address, data, bytes);
    return true;
}

bool execute_device_read(struct execute_device *device, uint64_t address, void *data, uint64_t bytes)
{
    if (!host_may_access(device, address, bytes))
        return false;
    mnp_memory_read(&device->memory, address, bytes, data);
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
        EXECUTE_HEAP_BASE + sm * EXECUTE_HEAP_SM_BYTES + size * EXECUTE_HEAP_SIZE_BYTES + heap->used[size];
    heap->used[size] += UINT64_C(16) << size;
    return address;
}

void execute_heap_free(struct execute_device *device, uint32_t sm, uint64_t address)
{
    uint64_t offset = address - EXECUTE_HEAP_BASE, size = offset % EXECUTE_HEAP_SM_BYTES / EXECUTE_HEAP_SIZE_BYTES;
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
    else if (bytes == 1)
        *to = *from;
    else
        memcpy(to, from, bytes);
}

/* Accesses are aligned, so none crosses a page. */
static bool port_read(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, void *data,
                      size_t stride, uint32_t *lane)
{
    struct execute_device *device = context;
    uint64_t number = UINT64_MAX;
    const unsigned char *page = NULL;
    uint64_t least;
    if (bytes == 4 && stride == 4 && in_one_page(device, mask, addresses, 4, &least)) {
        page = mnp_memory_page(&device->memory, least);
        if (page) {
            read_words(page, mask, addresses, data);
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
            page = mnp_memory_page(&device->memory, address);
        }
        unsigned char *to = (unsigned char *)data + *lane * stride;
        if (!page)
            memset(to, 0, bytes);
        else
            move(to, page + address % MNP_MEMORY_PAGE, bytes);
    }
    return true;
}

static bool port_write(void *context, uint32_t mask, const uint64_t *addresses, uint32_t bytes, const void *data,
                       size_t stride, uint32_t *lane)
{
    struct execute_device *device = context;
    struct mnp_error ignored = {{0}};
    uint64_t number = UINT64_MAX;
    unsigned char *page = NULL;
    for (uint32_t rest = mask; rest; rest &= rest - 1) {
        *lane = (uint32_t)__builtin_ctz(rest);
        uint64_t address = addresses[*lane];
        if (!kernel_may_access(device, address, bytes))
            return false;
        if (address / MNP_MEMORY_PAGE != number) {
            number = address / MNP_MEMORY_PAGE;
            page = mnp_memory_page_for_writing(&device->memory, address, &ignored);
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
    if (!kernel_may_access(device, address, bytes))
        return NULL;
    unsigned char *page = mnp_memory_page_for_writing(&device->memory, address, &ignored);
    return page ? page + address % MNP_MEMORY_PAGE : NULL;
}

static int32_t port_print(void *context, struct execute_warp *warp, uint32_t lane, uint64_t format, uint64_t arguments)
{
    struct execute_device *device = context;
    char *text = mnp_allocate(PRINT_BYTES, 1);
    int64_t length = execute_print(warp, lane, format, arguments, text, PRINT_BYTES);
    if (length >= 0 && device->out)
        fputs(text, device->out);
    free(text);
    device->printed++;
    return (int32_t)length;
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
                                         .print = port_print,
                                         .allocate = port_allocate,
                                         .release = port_release,
                                         .texture = port_texture,
                                         .clock = port_clock,
                                         .nanoseconds = port_clock,
                                         .observer = device->observer};
    return &device->port;
}

/* ===== faults ===== */

void execute_device_describe(const struct execute_device *device, const struct execute_warp *warp,
                             struct mnp_error *error)
{
    struct execute_range range;
    execute_fault_describe(warp, error);
    error->kind = warp->fault;
    size_t used = strlen(error->text);
    if (warp->fault == EXECUTE_FAULT_ADDRESS && execute_device_nearest(device, warp->fault_address, &range))
        snprintf(error->text + used, sizeof error->text - used, "; the nearest allocation is 0x%lx, %lu bytes",
                 (unsigned long)range.address, (unsigned long)range.bytes);
}
