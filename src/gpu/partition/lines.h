/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many different lines a kernel has touched in a partition. A set of hashes of line addresses is kept whole while
 * it is small, and the count is exact; when it has outgrown its place, only lines whose hash begins with one zero more
 * are kept, and each of them stands for twice as many (Gibbons, Distinct sampling for highly-accurate answers to
 * distinct values queries, VLDB 2001). The hash is a bijection, so that two lines never count as one.
 *
 * Error: none up to GPU_LINES_KEPT lines. Beyond, between half and all of the places are taken, and the count has a
 * relative standard deviation of 1/sqrt(taken): 9 to 13 % for one partition, and that over the square root of the
 * number of partitions for a machine (40 partitions: 2 %). The same addresses always give the same count.
 */
#ifndef MNP_GPU_PARTITION_LINES_H
#define MNP_GPU_PARTITION_LINES_H

#include <stdint.h>

/* Small, as every partition has a set for each kernel slot, and all of them are state, which is hashed. */
enum { GPU_LINES_KEPT = 128, GPU_LINES_TABLE = 160 };

struct gpu_lines { /* lines of one kernel slot; the count is kept outside */
    uint32_t kept;
    uint32_t level;                 /* leading zeros that a hash needs to be kept */
    uint64_t hash[GPU_LINES_TABLE]; /* open addressing; 0: free */
};

/* Inserts a hash that has enough leading zeros; returns the new count. */
uint64_t gpu_lines_insert(struct gpu_lines *lines, uint64_t hash);

/* Empties the set. */
void gpu_lines_clear(struct gpu_lines *lines);

/* A bijection of 64 bits that mixes well (the finisher of SplitMix64; Steele et al., OOPSLA 2014), without 0. */
static inline uint64_t gpu_lines_hash(uint64_t line)
{
    line = (line ^ line >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    line = (line ^ line >> 27) * UINT64_C(0x94d049bb133111eb);
    line ^= line >> 31;
    return line ? line : 1;
}

/* Counts a line. `*count` is the number of different lines so far, and 0 before the first one. */
static inline void gpu_lines_touch(struct gpu_lines *lines, uint64_t *count, uint64_t line)
{
    uint64_t hash = gpu_lines_hash(line);
    if (*count == 0)
        gpu_lines_clear(lines);
    if ((uint32_t)__builtin_clzll(hash) >= lines->level)
        *count = gpu_lines_insert(lines, hash);
}

#endif
