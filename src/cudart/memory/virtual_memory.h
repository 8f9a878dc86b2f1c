/* SPDX-License-Identifier: BSD-3-Clause */
/* Virtual memory that a program manages itself: addresses and memory apart; memory has handles. */
#ifndef CUDART_VIRTUAL_MEMORY_H
#define CUDART_VIRTUAL_MEMORY_H

#include "base/regions.h"
#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart;
struct cudart_device;

#define CUDART_GRANULE (UINT64_C(2) << 20) /* both come in multiples of it */

enum cuda_error cudart_reserve_addresses(struct cudart_device *device, uint64_t *out, uint64_t bytes,
                                         uint64_t alignment);
/* A whole reservation, in which nothing is mapped. */
enum cuda_error cudart_free_addresses(struct cudart_device *device, uint64_t address, uint64_t bytes);
/* `shareable`: other processes may open it, and it may stand at several places, where processes share devices. */
enum cuda_error cudart_make_piece(struct cudart_device *device, uint64_t *handle, uint64_t bytes, bool shareable);
/* Gives a handle back; the memory stays as long as it is mapped. */
enum cuda_error cudart_release_piece(struct cudart *rt, uint64_t handle);
/* The whole of it, and at one place at a time unless it is shareable: else CUDA_NOT_SUPPORTED. */
enum cuda_error cudart_map_piece(struct cudart_device *device, uint64_t address, uint64_t bytes, uint64_t handle);
/* All pieces in a range must lie in it whole. Waits for all work. */
enum cuda_error cudart_unmap(struct cudart_device *device, uint64_t address, uint64_t bytes);
/* False: the range is reserved, and not mapped as a whole, or to a multicast object, which copies cannot reach. */
bool cudart_may_be_mapped(const struct cudart_device *device, uint64_t address, uint64_t bytes);
/* The range of one mapping; the reservation that an address lies in. False: it lies in none. */
bool cudart_mapping_at(const struct cudart *rt, uint64_t address, struct mnp_region *range);
bool cudart_reservation_at(const struct cudart_device *device, uint64_t address, struct mnp_region *range);
bool cudart_is_mapped(const struct cudart *rt, uint64_t address, uint64_t bytes);
/* One more handle of the memory at an address. */
enum cuda_error cudart_piece_at(struct cudart *rt, uint64_t *handle, uint64_t address);
bool cudart_piece_known(const struct cudart *rt, uint64_t handle);
/* Whether other processes may open it; a descriptor of a file for that, which the program closes; and the memory that
 * such a descriptor stands for, of any process of the run. */
bool cudart_piece_is_shareable(const struct cudart *rt, uint64_t handle);
enum cuda_error cudart_export_piece(struct cudart *rt, uint64_t handle, int *out);
enum cuda_error cudart_import_piece(struct cudart *rt, uint64_t *handle, int file);
/* A multicast object (memory/multicast.h) for so many devices; it is mapped and released as memory is. */
enum cuda_error cudart_make_object(struct cudart_device *device, uint64_t *handle, uint64_t bytes, uint32_t devices);
/* The number of an object; false: the handle is another's. */
bool cudart_object_of(const struct cudart *rt, uint64_t handle, uint32_t *number);
/* Binds a part of memory to its device's part of an object, and takes it away again. */
enum cuda_error cudart_bind_piece(struct cudart *rt, uint32_t number, uint64_t offset, uint64_t handle, uint64_t from,
                                  uint64_t bytes);
enum cuda_error cudart_unbind_piece(struct cudart_device *device, uint32_t number, uint64_t offset, uint64_t bytes);
/* A descriptor of a file that stands for an object, and the object of one: CUDA_NOT_FOUND: it stands for none;
 * CUDA_NOT_SUPPORTED: for one of another process. */
enum cuda_error cudart_export_object(uint64_t handle, int *out);
enum cuda_error cudart_import_object(struct cudart *rt, uint64_t *handle, int file);
void cudart_forget_pieces(struct cudart_device *device); /* the device is reset */

/* Sets rights to whole pieces of mapped memory: takes rights from devices (bits, by place), and gives them to some of
 * these. */
void cudart_piece_access(struct cudart_device *device, uint64_t address, uint64_t bytes, uint32_t devices,
                         uint32_t rights);
/* Devices that have them. */
uint32_t cudart_piece_rights(const struct cudart *rt, uint64_t address);
/* The device that a piece is memory of; NULL: there is none. */
struct cudart_device *cudart_piece_device(const struct cudart *rt, uint64_t handle);

#endif
