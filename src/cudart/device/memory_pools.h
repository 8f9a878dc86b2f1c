/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory pools by their handles; the default one is the first. */
#ifndef CUDART_MEMORY_POOLS_H
#define CUDART_MEMORY_POOLS_H

#include "cudart/base/abi.h"

#include <stdbool.h>

struct cudart;
struct cudart_device;

bool cudart_pool_known(struct cudart *rt, uint64_t pool);
uint64_t cudart_default_pool(const struct cudart_device *device);
uint64_t cudart_current_pool(const struct cudart_device *device);
enum cuda_error cudart_set_pool(struct cudart_device *device, uint64_t pool);
uint64_t cudart_create_pool(struct cudart_device *device);
enum cuda_error cudart_destroy_pool(struct cudart *rt, uint64_t pool);
enum cuda_error cudart_pool_attribute(struct cudart *rt, uint64_t pool, int number, void *value, bool set);
enum cuda_error cudart_trim_pool(struct cudart *rt, uint64_t pool, uint64_t least);
void cudart_rest_pools(struct cudart *rt); /* the program has waited for a stream, an event or the device */
/* An allocation comes to a known pool, and goes; of memory that is no pool's nothing is done. */
void cudart_pool_takes(struct cudart *rt, uint64_t pool, uint64_t address, uint64_t bytes);
void cudart_pool_gives(struct cudart *rt, uint64_t address);
/* A stream is to free it. False: that is known already. */
bool cudart_pool_lets_go(struct cudart *rt, uint64_t address);
/* That stream needs as much again. False: it is another pool's, or of another size. */
bool cudart_pool_takes_again(struct cudart *rt, uint64_t pool, uint64_t address, uint64_t bytes);
void cudart_forget_pools(struct cudart_device *device); /* the device is reset */

#endif
