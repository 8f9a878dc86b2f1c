/* SPDX-License-Identifier: BSD-3-Clause */
/* Decompression of one raw LZ4 block, by the public description of the block format. */
#ifndef FRONTEND_CUDA_LZ4_H
#define FRONTEND_CUDA_LZ4_H

#include <stdbool.h>
#include <stddef.h>

/* True: the block is well and decompresses to exactly `out_bytes`. Never reads or writes outside its two ranges. */
bool fatbin_lz4_decompress(const unsigned char *in, size_t in_bytes, unsigned char *out, size_t out_bytes);

#endif
