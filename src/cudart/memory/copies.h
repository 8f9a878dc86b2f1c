/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies and fills as programs ask for them. */
#ifndef CUDART_COPIES_H
#define CUDART_COPIES_H

#include "cudart/stream/streams.h"

/* Whether rows are there, as long as the device is built: in one allocation, or in memory of the program's own. */
bool cudart_rows_are_there(const struct cudart_device *device, uint64_t address, uint64_t pitch,
                           const struct cudart_area *a, bool writes);
/* `wait`: until the rows have been copied. */
enum cuda_error cudart_copy_area(struct cudart_device *device, const struct cudart_area *area, int kind,
                                 uint64_t stream, bool wait);
/* One row. */
enum cuda_error cudart_copy(struct cudart_device *device, const void *to, const void *from, size_t bytes, int kind,
                            uint64_t stream, bool wait);
/* Fills rows (to, to_pitch, width in bytes, height) with a value of 1, 2 or 4 bytes. */
enum cuda_error cudart_fill_area(struct cudart_device *device, const struct cudart_area *area, uint32_t value,
                                 unsigned bytes_each, uint64_t stream);

struct cudart_symbol_copy {
    const void *symbol, *other; /* the variable, and the memory on the other side */
    uint64_t bytes, offset, stream;
    int kind;
    bool to_symbol, wait;
};
enum cuda_error cudart_copy_symbol(struct cudart_device *device, const struct cudart_symbol_copy *c);

#endif
