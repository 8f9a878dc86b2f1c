// SPDX-License-Identifier: BSD-3-Clause
// MD5 (RFC 1321) of many chunks of data, as storage systems take them to find what they have already: one chunk for each
// thread. A block brings the next 64 bytes of all its chunks to shared memory together.
#include "common/device.h"

enum { BLOCK = 64 };

extern "C" __constant__ u32 sto_sines[64] = {};

static __device__ u32 turned(u32 x, u32 bits)
{
    return x << bits | x >> (32 - bits);
}

static __device__ void absorb(u32 *state, const u32 *words)
{
    u32 a = state[0], b = state[1], c = state[2], d = state[3];
#pragma unroll
    for (u32 i = 0; i < 64; i++) {
        u32 round = i / 16, mixed, word, bits;
        if (round == 0) {
            mixed = (b & c) | (~b & d);
            word = i;
            bits = 7 + 5 * (i % 4);
        } else if (round == 1) {
            mixed = (d & b) | (~d & c);
            word = (5 * i + 1) % 16;
            bits = i % 4 == 0 ? 5 : i % 4 == 1 ? 9 : i % 4 == 2 ? 14 : 20;
        } else if (round == 2) {
            mixed = b ^ c ^ d;
            word = (3 * i + 5) % 16;
            bits = i % 4 == 0 ? 4 : i % 4 == 1 ? 11 : i % 4 == 2 ? 16 : 23;
        } else {
            mixed = c ^ (b | ~d);
            word = 7 * i % 16;
            bits = i % 4 == 0 ? 6 : i % 4 == 1 ? 10 : i % 4 == 2 ? 15 : 21;
        }
        u32 next = b + turned(a + mixed + sto_sines[i] + words[word], bits);
        a = d;
        d = c;
        c = b;
        b = next;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
}

// `words`: of a chunk, a multiple of 16.
extern "C" __global__ void sto(const u32 *data, u32 *digests, u32 chunks, u32 words)
{
    __shared__ u32 part[BLOCK][17];
    u32 thread = threadIdx.x, first = blockIdx.x * BLOCK, chunk = first + thread;
    u32 state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    for (u32 done = 0; done < words; done += 16) {
        for (u32 i = thread; i < 16 * BLOCK; i += BLOCK)
            part[i / 16][i % 16] = first + i / 16 < chunks ? data[(first + i / 16) * words + done + i % 16] : 0;
        __syncthreads();
        absorb(state, part[thread]);
        __syncthreads();
    }
    for (u32 i = 0; i < 16; i++)
        part[thread][i] = i == 0 ? 0x80 : i == 14 ? 32 * words : 0;
    absorb(state, part[thread]);
    if (chunk < chunks)
        for (u32 i = 0; i < 4; i++)
            digests[4 * chunk + i] = state[i];
}
