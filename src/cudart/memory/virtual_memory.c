/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Virtual memory that a program manages itself: addresses that it reserves, memory that it makes, and which memory
 * stands at which addresses. A reservation is an allocation of the simulated device, so that its bytes lie where they
 * are mapped; memory that is unmapped and kept takes them along. What is reserved and not mapped can be accessed too.
 *
 * Memory that other processes may open has addresses of its own instead, its home, where its bytes lie for all
 * processes. It can be mapped at any number of places, each of which is a view: a piece of its own that shows the
 * bytes of the home.
 */
#include "cudart/memory/virtual_memory.h"

#include "base/arena.h"
#include "base/range.h"
#include "cudart/base/failure.h"
#include "cudart/base/process_group.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/memory/exported_memory.h"
#include "cudart/memory/multicast.h"
#include "cudart/stream/process_thread.h"
#include "cudart/stream/synchronize.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct reservation {
    uint64_t address, bytes; /* range that the program sees; 0 bytes: released */
    uint64_t base;           /* address of the device's allocation around it */
};

/* A page of the simulated memory that a piece held. */
struct kept_page {
    uint64_t offset; /* in the piece */
    unsigned char bytes[MNP_MEMORY_PAGE];
};

/* Memory, by its handle. */
struct piece {
    struct cudart_device *device;
    uint64_t bytes;        /* 0: it is no more */
    uint64_t address;      /* at which it stands; 0: at none */
    uint32_t access;       /* bits, by place: devices that may access it there */
    uint64_t handles;      /* that the program holds: it stays until there are none and it is not mapped */
    uint64_t home, base;   /* addresses that its bytes have for all processes, and the allocation round them; 0: none */
    bool exported;         /* another process may have opened it: its home stays */
    bool imported;         /* its home is another process's */
    uint32_t views;        /* places at which it is mapped */
    uint32_t of;           /* a view: its piece's place in the table, plus 1 */
    uint32_t object;       /* a multicast object, without memory of its own: its number, plus 1 */
    uint32_t bound;        /* bindings to multicast objects */
    struct mnp_array kept; /* struct kept_page *, of one that is not mapped; all others are zeros */
};

static void drop_kept(struct piece *piece)
{
    for (uint32_t i = 0; i < piece->kept.count; i++)
        free(((struct kept_page **)piece->kept.items)[i]);
    mnp_array_release(&piece->kept);
}

/* Saves the contents of a piece, before it leaves its addresses. */
static void keep(const struct mnp_memory *memory, struct piece *piece)
{
    for (uint64_t offset = 0; offset < piece->bytes; offset += MNP_MEMORY_PAGE) {
        const unsigned char *page = mnp_memory_page(memory, piece->address + offset);
        if (!page)
            continue;
        struct kept_page *kept = mnp_allocate(1, sizeof *kept);
        kept->offset = offset;
        memcpy(kept->bytes, page, MNP_MEMORY_PAGE);
        *(struct kept_page **)mnp_array_add(&piece->kept, 1, sizeof kept) = kept;
    }
}

/* At its addresses it holds what it held; what stood there before is no more. */
static void put_back(struct execute_device *device, struct piece *piece)
{
    static const unsigned char zeros[MNP_MEMORY_PAGE];
    struct kept_page **kept = piece->kept.items;
    uint32_t next = 0;
    for (uint64_t offset = 0; offset < piece->bytes; offset += MNP_MEMORY_PAGE) {
        uint64_t at = piece->address + offset;
        if (next < piece->kept.count && kept[next]->offset == offset)
            execute_device_write(device, at, kept[next++]->bytes, MNP_MEMORY_PAGE);
        else if (mnp_memory_page(device->memory, at))
            execute_device_write(device, at, zeros, MNP_MEMORY_PAGE);
    }
    drop_kept(piece);
}

static struct piece *piece_of(const struct cudart *rt, uint64_t handle)
{
    uint64_t place = handle - CUDART_FIRST_HANDLE;
    struct piece *pieces = rt->pieces.items;
    bool known = handle >= CUDART_FIRST_HANDLE && place < rt->pieces.count && pieces[place].bytes && !pieces[place].of;
    return known ? &pieces[place] : NULL;
}

/* The piece that stands somewhere: of a view, what it shows. */
static struct piece *shown_by(const struct cudart *rt, struct piece *piece)
{
    return piece->of ? (struct piece *)rt->pieces.items + piece->of - 1 : piece;
}

/* The reservation round a range; NULL: there is none. */
static struct reservation *round_range(const struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    device = cudart_home(device, address);
    struct reservation *all = device->memory.reservations.items;
    for (uint32_t i = 0; i < device->memory.reservations.count; i++)
        if (address >= all[i].address && address - all[i].address < all[i].bytes &&
            bytes <= all[i].bytes - (address - all[i].address))
            return &all[i];
    return NULL;
}

/* A piece that stands in a range, whole or in part; NULL: the range is free. */
static struct piece *piece_in(const struct cudart *rt, uint64_t address, uint64_t bytes)
{
    struct piece *pieces = rt->pieces.items;
    for (uint32_t i = 0; i < rt->pieces.count; i++)
        if (pieces[i].bytes && pieces[i].address && pieces[i].address < address + bytes &&
            address < pieces[i].address + pieces[i].bytes)
            return &pieces[i];
    return NULL;
}

static bool is_whole(uint64_t bytes)
{
    return bytes && bytes % CUDART_GRANULE == 0;
}

enum cuda_error cudart_reserve_addresses(struct cudart_device *device, uint64_t *out, uint64_t bytes,
                                         uint64_t alignment)
{
    enum cuda_error problem = cudart_ensure_device(device);
    if (problem || !out || !is_whole(bytes) || (alignment && !mnp_is_power_of_two(alignment)))
        return problem ? problem : CUDA_INVALID_VALUE;
    uint64_t step = alignment > CUDART_GRANULE ? alignment : CUDART_GRANULE;
    if (bytes > EXECUTE_DEVICE_END - EXECUTE_DEVICE_BASE || step > EXECUTE_DEVICE_END - EXECUTE_DEVICE_BASE)
        return CUDA_MEMORY_ALLOCATION;
    uint64_t base = execute_device_allocate(&device->functional, bytes + step);
    if (!base)
        return CUDA_MEMORY_ALLOCATION;
    *out = mnp_round_up(base, step);
    *(struct reservation *)mnp_array_add(&device->memory.reservations, 1, sizeof(struct reservation)) =
        (struct reservation){.address = *out, .bytes = bytes, .base = base};
    return CUDA_SUCCESS;
}

enum cuda_error cudart_free_addresses(struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    device = cudart_home(device, address);
    struct reservation *r = round_range(device, address, bytes);
    if (!r || r->address != address || r->bytes != bytes || piece_in(device->rt, address, bytes))
        return CUDA_INVALID_VALUE;
    execute_device_free(&device->functional, r->base);
    *r = ((struct reservation *)device->memory.reservations.items)[--device->memory.reservations.count];
    return CUDA_SUCCESS;
}

/* Memory that other processes may open. False: there are no addresses left. */
static bool give_home(struct cudart_device *device, struct piece *piece)
{
    piece->base = execute_device_allocate(&device->functional, piece->bytes + CUDART_GRANULE);
    piece->home = mnp_round_up(piece->base, CUDART_GRANULE);
    return piece->base;
}

enum cuda_error cudart_make_piece(struct cudart_device *device, uint64_t *handle, uint64_t bytes, bool shareable)
{
    enum cuda_error problem = cudart_ensure_device(device);
    if (problem || !handle || !is_whole(bytes))
        return problem ? problem : CUDA_INVALID_VALUE;
    if (bytes > device->parameters.host.memory - device->memory.allocated)
        return CUDA_MEMORY_ALLOCATION;
    struct mnp_array *table = &device->rt->pieces;
    struct piece piece = {.device = device, .bytes = bytes, .handles = 1};
    if (shareable && device->rt->sharing.page && !device->rt->sharing.timed && !give_home(device, &piece))
        return CUDA_MEMORY_ALLOCATION;
    device->memory.allocated += bytes;
    *(struct piece *)mnp_array_add(table, 1, sizeof piece) = piece;
    *handle = CUDART_FIRST_HANDLE + table->count - 1;
    return CUDA_SUCCESS;
}

static uint32_t number_of(const struct cudart *rt, const struct piece *piece)
{
    return (uint32_t)(piece - (const struct piece *)rt->pieces.items);
}

static void end_if_unused(struct piece *piece);

/* Takes all memory away from a multicast object, which is no more. */
static void end_object(struct cudart *rt, uint32_t number)
{
    const struct mnp_array *bindings = &cudart_multicast_at(rt, number)->bindings;
    for (uint32_t i = 0; i < bindings->count; i++) {
        struct piece *memory =
            (struct piece *)rt->pieces.items + ((const struct cudart_binding *)bindings->items)[i].piece;
        memory->bound--;
        end_if_unused(memory);
    }
    cudart_multicast_drop(rt, number);
}

static void end_if_unused(struct piece *piece)
{
    if (piece->handles || piece->address || piece->views || piece->bound)
        return;
    if (piece->object) {
        end_object(piece->device->rt, piece->object - 1);
        *piece = (struct piece){0};
        return;
    }
    if (!piece->imported)
        piece->device->memory.allocated -= piece->bytes;
    if (piece->base && !piece->exported)
        execute_device_free(&piece->device->functional, piece->base);
    drop_kept(piece);
    *piece = (struct piece){0};
}

enum cuda_error cudart_release_piece(struct cudart *rt, uint64_t handle)
{
    struct piece *piece = piece_of(rt, handle);
    if (!piece || !piece->handles)
        return CUDA_INVALID_VALUE;
    piece->handles--;
    end_if_unused(piece);
    return CUDA_SUCCESS;
}

/* One piece has one place, which says in whose memory its bytes lie with time. */
static enum cuda_error check_place(const struct cudart_device *device, const struct piece *piece, uint64_t bytes)
{
    struct mnp_error error = {{0}};
    if (piece->address)
        mnp_fail(&error,
                 "cuMemMap: memory of device %u that is mapped already is mapped at a second place, which is not "
                 "modelled; unmap it first (NCCL does without it by NCCL_CUMEM_ENABLE=0)",
                 piece->device->number);
    else if (bytes != piece->bytes)
        mnp_fail(&error, "cuMemMap: a part of an allocation is mapped, which is not modelled; map the whole of it");
    else if (device != piece->device && !device->rt->calls.options.functional)
        mnp_fail(&error,
                 "cuMemMap: memory of device %u is mapped at addresses that were reserved while device %u was "
                 "current, which is not modelled with time; reserve them with the other device's context",
                 piece->device->number, device->number);
    else
        return CUDA_SUCCESS;
    return cudart_refuse(device->rt, &error, CUDA_NOT_SUPPORTED);
}

/* Shows the bytes of one range at another, or its own again. */
static bool show(struct cudart *rt, uint64_t at, uint64_t of, uint64_t bytes)
{
    int file = cudart_process_group_open(&rt->calls.options);
    bool good = file >= 0 && cudart_sharing_alias(&rt->sharing, file, at, of, bytes);
    if (file >= 0)
        close(file);
    return good;
}

/* A multicast object at one more place, which no device may access there so far. */
static enum cuda_error map_object(struct cudart_device *device, uint64_t address, uint64_t bytes, struct piece *piece)
{
    struct cudart *rt = device->rt;
    struct piece view = {.device = device, .bytes = bytes, .address = address, .of = number_of(rt, piece) + 1};
    if (bytes != piece->bytes || !cudart_multicast_is_ready(rt, piece->object - 1))
        return CUDA_INVALID_VALUE;
    cudart_multicast_show(rt, piece->object - 1, address, 0);
    piece->views++;
    *(struct piece *)mnp_array_add(&rt->pieces, 1, sizeof view) = view;
    return CUDA_SUCCESS;
}

/* Memory that other processes may open, at one more place. */
static enum cuda_error map_view(struct cudart_device *device, uint64_t address, struct piece *piece)
{
    struct cudart *rt = device->rt;
    struct piece view = {.device = piece->device, .bytes = piece->bytes, .address = address};
    view.of = (uint32_t)(piece - (struct piece *)rt->pieces.items) + 1;
    if (!show(rt, address, piece->home, piece->bytes))
        return CUDA_MEMORY_ALLOCATION;
    piece->views++;
    *(struct piece *)mnp_array_add(&rt->pieces, 1, sizeof view) = view;
    cudart_make_pages(device, address, view.bytes);
    return CUDA_SUCCESS;
}

static void unmap_view(struct cudart *rt, struct piece *view)
{
    struct piece *piece = shown_by(rt, view);
    cudart_grant(cudart_home(view->device, view->address), view->address, view->bytes, 0);
    if (piece->object)
        cudart_multicast_hide(rt, view->address);
    else
        show(rt, view->address, view->address, view->bytes);
    *view = (struct piece){0};
    piece->views--;
    end_if_unused(piece);
}

enum cuda_error cudart_map_piece(struct cudart_device *device, uint64_t address, uint64_t bytes, uint64_t handle)
{
    struct piece *piece = piece_of(device->rt, handle);
    device = cudart_home(device, address);
    if (!piece || !is_whole(bytes) || address % CUDART_GRANULE || !round_range(device, address, bytes) ||
        piece_in(device->rt, address, bytes) || bytes > piece->bytes)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = piece->object ? CUDA_SUCCESS : check_place(device, piece, bytes);
    if (problem)
        return problem;
    if (piece->object)
        return map_object(device, address, bytes, piece);
    if (piece->home)
        return map_view(device, address, piece);
    piece->address = address;
    piece->access = 0;
    put_back(&device->functional, piece);
    if (piece->bound)
        cudart_multicast_move(device->rt, number_of(device->rt, piece), address);
    return CUDA_SUCCESS;
}

static void unmap(struct cudart_device *device, struct piece *piece)
{
    if (piece->handles || piece->bound)
        keep(device->functional.memory, piece);
    if (piece->bound)
        cudart_multicast_move(device->rt, number_of(device->rt, piece), 0);
    cudart_grant(device, piece->address, piece->bytes, 0);
    piece->address = 0;
    end_if_unused(piece);
}

/* All pieces in a range must lie in it whole. Waits for all work, as the real one does. */
enum cuda_error cudart_unmap(struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    struct cudart *rt = device->rt;
    struct piece *piece;
    device = cudart_home(device, address);
    if (!is_whole(bytes) || !round_range(device, address, bytes) || !piece_in(rt, address, bytes))
        return CUDA_INVALID_VALUE;
    cudart_wait_all(rt, rt->device_count > 1 ? NULL : device);
    if (cudart_surface(rt))
        return rt->faults.failure;
    while ((piece = piece_in(rt, address, bytes))) {
        if (piece->address < address || piece->bytes > address + bytes - piece->address)
            return CUDA_INVALID_VALUE;
        if (piece->of)
            unmap_view(rt, piece);
        else
            unmap(device, piece);
    }
    return CUDA_SUCCESS;
}

bool cudart_is_mapped(const struct cudart *rt, uint64_t address, uint64_t bytes)
{
    const struct piece *piece;
    uint64_t end;
    if (__builtin_add_overflow(address, bytes, &end))
        return false;
    while (address < end && (piece = piece_in(rt, address, 1)))
        address = piece->address + piece->bytes;
    return address >= end;
}

bool cudart_mapping_at(const struct cudart *rt, uint64_t address, struct mnp_region *range)
{
    const struct piece *piece = piece_in(rt, address, 1);
    if (piece)
        *range = (struct mnp_region){piece->address, piece->bytes};
    return piece;
}

bool cudart_reservation_at(const struct cudart_device *device, uint64_t address, struct mnp_region *range)
{
    const struct reservation *r = round_range(device, address, 1);
    if (r)
        *range = (struct mnp_region){r->address, r->bytes};
    return r;
}

/* Copies reach no multicast object: there is no memory at its addresses. */
static bool is_object_at(const struct cudart *rt, uint64_t address, uint64_t bytes)
{
    struct piece *piece = piece_in(rt, address, bytes);
    return piece && shown_by(rt, piece)->object;
}

bool cudart_may_be_mapped(const struct cudart_device *device, uint64_t address, uint64_t bytes)
{
    if (is_object_at(device->rt, address, bytes))
        return false;
    return !round_range(device, address, 1) ||
           (round_range(device, address, bytes) && cudart_is_mapped(device->rt, address, bytes));
}

enum cuda_error cudart_piece_at(struct cudart *rt, uint64_t *handle, uint64_t address)
{
    struct piece *piece = piece_in(rt, address, 1);
    if (!handle || !piece)
        return CUDA_INVALID_VALUE;
    piece = shown_by(rt, piece);
    piece->handles++;
    *handle = CUDART_FIRST_HANDLE + (uint64_t)(piece - (struct piece *)rt->pieces.items);
    return CUDA_SUCCESS;
}

void cudart_piece_access(struct cudart_device *device, uint64_t address, uint64_t bytes, uint32_t devices,
                         uint32_t rights)
{
    struct piece *piece;
    for (uint64_t end = address + bytes; address < end && (piece = piece_in(device->rt, address, 1));
         address = piece->address + piece->bytes) {
        piece->access = (piece->access & ~devices) | rights;
        if (shown_by(device->rt, piece)->object)
            cudart_multicast_show(device->rt, shown_by(device->rt, piece)->object - 1, piece->address, piece->access);
        cudart_grant(cudart_home(device, piece->address), piece->address, piece->bytes, piece->access);
    }
}

uint32_t cudart_piece_rights(const struct cudart *rt, uint64_t address)
{
    const struct piece *piece = piece_in(rt, address, 1);
    return piece ? piece->access : 0;
}

struct cudart_device *cudart_piece_device(const struct cudart *rt, uint64_t handle)
{
    const struct piece *piece = piece_of(rt, handle);
    return piece ? piece->device : NULL;
}

bool cudart_piece_known(const struct cudart *rt, uint64_t handle)
{
    return piece_of(rt, handle) != NULL;
}

/* A piece of a device that is reset. Multicast objects stay: they are those of several devices. */
static void forget(struct cudart *rt, struct piece *piece)
{
    struct piece *shown = shown_by(rt, piece);
    if (piece->of && shown->object) {
        cudart_multicast_hide(rt, piece->address);
        shown->views--;
    } else if (piece->of) {
        show(rt, piece->address, piece->address, piece->bytes);
    }
    if (piece->bound)
        cudart_multicast_forget(rt, number_of(rt, piece));
    drop_kept(piece);
    *piece = (struct piece){0};
}

void cudart_forget_pieces(struct cudart_device *device)
{
    struct mnp_array *table = &device->rt->pieces;
    struct piece *pieces = table->items;
    for (uint32_t i = 0; i < table->count; i++)
        if (pieces[i].device == device && !pieces[i].object)
            forget(device->rt, &pieces[i]);
    while (table->count && !pieces[table->count - 1].bytes)
        table->count--;
    device->memory.reservations.count = 0;
}

/* ===== multicast objects ===== */

enum cuda_error cudart_make_object(struct cudart_device *device, uint64_t *handle, uint64_t bytes, uint32_t devices)
{
    struct cudart *rt = device->rt;
    enum cuda_error problem = cudart_ensure_device(device);
    if (problem || !handle || !is_whole(bytes) || bytes > MNP_SPACE_PART_BYTES || !devices ||
        devices > rt->machine_devices)
        return problem ? problem : CUDA_INVALID_VALUE;
    uint32_t object = cudart_multicast_make(rt, bytes, devices) + 1;
    *(struct piece *)mnp_array_add(&rt->pieces, 1, sizeof(struct piece)) =
        (struct piece){.device = device, .bytes = bytes, .handles = 1, .object = object};
    *handle = CUDART_FIRST_HANDLE + rt->pieces.count - 1;
    return CUDA_SUCCESS;
}

bool cudart_object_of(const struct cudart *rt, uint64_t handle, uint32_t *number)
{
    const struct piece *piece = piece_of(rt, handle);
    if (piece && piece->object)
        *number = piece->object - 1;
    return piece && piece->object;
}

enum cuda_error cudart_bind_piece(struct cudart *rt, uint32_t number, uint64_t offset, uint64_t handle, uint64_t from,
                                  uint64_t bytes)
{
    struct piece *piece = piece_of(rt, handle);
    const struct cudart_multicast *object = cudart_multicast_at(rt, number);
    if (!piece || piece->object || !is_whole(bytes) || offset % CUDART_GRANULE || from % CUDART_GRANULE ||
        offset > object->bytes || bytes > object->bytes - offset || from > piece->bytes || bytes > piece->bytes - from)
        return CUDA_INVALID_VALUE;
    if (!(object->devices >> piece->device->place & 1))
        return CUDA_INVALID_DEVICE;
    const struct cudart_binding binding = {
        .offset = offset, .bytes = bytes, .from = from, .device = piece->device->place, .piece = number_of(rt, piece)};
    if (!cudart_multicast_bind(rt, number, &binding, piece->home ? piece->home : piece->address))
        return CUDA_INVALID_VALUE;
    piece->bound++;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_unbind_piece(struct cudart_device *device, uint32_t number, uint64_t offset, uint64_t bytes)
{
    struct cudart *rt = device->rt;
    cudart_wait_all(rt, NULL);
    if (cudart_surface(rt))
        return rt->faults.failure;
    uint32_t place = cudart_multicast_unbind(rt, number, device->place, offset, bytes);
    if (place == UINT32_MAX)
        return CUDA_INVALID_VALUE;
    struct piece *piece = (struct piece *)rt->pieces.items + place;
    piece->bound--;
    end_if_unused(piece);
    return CUDA_SUCCESS;
}

/* ===== other processes ===== */

/* Contents of the file that a descriptor stands for. */
struct exported {
    char what[16];
    uint64_t run[2];             /* device and inode of the group's file: which run of which machine */
    uint64_t home, bytes, place; /* place of the device in the machine */
};

static const char EXPORTED[16] = "maniple memory";

/* Identifies the run. */
static bool name_run(const struct cudart *rt, uint64_t run[2])
{
    struct stat status;
    int file = cudart_process_group_open(&rt->calls.options);
    bool good = file >= 0 && fstat(file, &status) == 0;
    if (file >= 0)
        close(file);
    if (good)
        run[0] = status.st_dev, run[1] = status.st_ino;
    return good;
}

bool cudart_piece_is_shareable(const struct cudart *rt, uint64_t handle)
{
    const struct piece *piece = piece_of(rt, handle);
    return piece && piece->home;
}

enum cuda_error cudart_export_piece(struct cudart *rt, uint64_t handle, int *out)
{
    struct piece *piece = piece_of(rt, handle);
    struct exported exported = {.home = piece->home, .bytes = piece->bytes, .place = piece->device->place};
    memcpy(exported.what, EXPORTED, sizeof EXPORTED);
    int file = name_run(rt, exported.run) ? memfd_create("maniple-memory", 0) : -1;
    if (file < 0 || write(file, &exported, sizeof exported) != sizeof exported) {
        if (file >= 0)
            close(file);
        return CUDA_MEMORY_ALLOCATION;
    }
    piece->exported = true;
    cudart_meet_processes(rt);
    *out = file;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_import_piece(struct cudart *rt, uint64_t *handle, int file)
{
    struct exported exported;
    uint64_t run[2], end = MNP_SPACE_BASE + rt->machine_devices * MNP_SPACE_PART_BYTES;
    if (!handle || pread(file, &exported, sizeof exported, 0) != sizeof exported || !name_run(rt, run) ||
        memcmp(exported.what, EXPORTED, sizeof EXPORTED) != 0 || memcmp(exported.run, run, sizeof run) != 0 ||
        exported.place >= rt->machine_devices || exported.home < MNP_SPACE_BASE || exported.home >= end ||
        !is_whole(exported.bytes) || exported.bytes > end - exported.home)
        return CUDA_INVALID_VALUE;
    *(struct piece *)mnp_array_add(&rt->pieces, 1, sizeof(struct piece)) =
        (struct piece){.device = cudart_by_place(rt, (uint32_t)exported.place),
                       .bytes = exported.bytes,
                       .home = exported.home,
                       .handles = 1,
                       .imported = true};
    *handle = CUDART_FIRST_HANDLE + rt->pieces.count - 1;
    cudart_meet_processes(rt);
    return CUDA_SUCCESS;
}

/* ===== multicast objects for other threads, by descriptors ===== */

/* Contents of the file that a descriptor of an object stands for. */
struct exported_object {
    char what[16];
    uint64_t process, handle;
};

static const char OBJECT[16] = "maniple object";

enum cuda_error cudart_export_object(uint64_t handle, int *out)
{
    struct exported_object exported = {.process = (uint64_t)getpid(), .handle = handle};
    memcpy(exported.what, OBJECT, sizeof OBJECT);
    int file = memfd_create("maniple-object", 0);
    if (file < 0 || write(file, &exported, sizeof exported) != sizeof exported) {
        if (file >= 0)
            close(file);
        return CUDA_MEMORY_ALLOCATION;
    }
    *out = file;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_import_object(struct cudart *rt, uint64_t *handle, int file)
{
    struct exported_object exported;
    uint32_t number;
    if (pread(file, &exported, sizeof exported, 0) != sizeof exported ||
        memcmp(exported.what, OBJECT, sizeof OBJECT) != 0)
        return CUDA_NOT_FOUND;
    if (exported.process != (uint64_t)getpid())
        return CUDA_NOT_SUPPORTED;
    if (!handle || !cudart_object_of(rt, exported.handle, &number))
        return CUDA_INVALID_VALUE;
    piece_of(rt, exported.handle)->handles++;
    *handle = exported.handle;
    return CUDA_SUCCESS;
}
