// SPDX-License-Identifier: BSD-3-Clause
// AES-128, each thread one block of 16 bytes. A round looks up four words for each of four columns; the table, which
// joins substitution and mixing, is in shared memory once, and turned for the other rows. Words are little-endian.
#include "common/device.h"

extern "C" __constant__ u32 aes_keys[44] = {};

static __device__ u32 turned(u32 x, u32 bits)
{
    return x << bits | x >> (32 - bits);
}

extern "C" __global__ void aes(const u32 *from, u32 *to, const u32 *table, const u32 *substitution, u32 blocks)
{
    __shared__ u32 mixed[256], plain[256];
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) {
        mixed[i] = table[i];
        plain[i] = substitution[i];
    }
    __syncthreads();
    u32 block = GLOBAL_X, state[4], next[4];
    if (block >= blocks)
        return;
#pragma unroll
    for (u32 column = 0; column < 4; column++)
        state[column] = from[4 * block + column] ^ aes_keys[column];
    for (u32 round = 1; round < 10; round++) {
#pragma unroll
        for (u32 column = 0; column < 4; column++)
            next[column] = mixed[state[column] & 255] ^ turned(mixed[state[(column + 1) % 4] >> 8 & 255], 8) ^
                           turned(mixed[state[(column + 2) % 4] >> 16 & 255], 16) ^
                           turned(mixed[state[(column + 3) % 4] >> 24], 24) ^ aes_keys[4 * round + column];
#pragma unroll
        for (u32 column = 0; column < 4; column++)
            state[column] = next[column];
    }
#pragma unroll
    for (u32 column = 0; column < 4; column++)
        to[4 * block + column] =
            (plain[state[column] & 255] | plain[state[(column + 1) % 4] >> 8 & 255] << 8 |
             plain[state[(column + 2) % 4] >> 16 & 255] << 16 | plain[state[(column + 3) % 4] >> 24] << 24) ^
            aes_keys[40 + column];
}
