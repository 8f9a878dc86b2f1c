/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/partition/lines.h"

#include <string.h>

/* The place of a hash: where it stands, or the free place where it would. */
static uint32_t find(const struct gpu_lines *lines, uint64_t hash)
{
    uint32_t place = (uint32_t)((hash & UINT32_MAX) * GPU_LINES_TABLE >> 32);
    while (lines->hash[place] && lines->hash[place] != hash)
        place = place + 1 < GPU_LINES_TABLE ? place + 1 : 0;
    return place;
}

/* Keeps those with one leading zero more. */
static void thin_out(struct gpu_lines *lines)
{
    uint64_t kept[GPU_LINES_KEPT + 1];
    uint32_t count = 0;
    lines->level++;
    for (uint32_t i = 0; i < GPU_LINES_TABLE; i++)
        if (lines->hash[i] && (uint32_t)__builtin_clzll(lines->hash[i]) >= lines->level)
            kept[count++] = lines->hash[i];
    memset(lines->hash, 0, sizeof lines->hash);
    for (uint32_t i = 0; i < count; i++)
        lines->hash[find(lines, kept[i])] = kept[i];
    lines->kept = count;
}

uint64_t gpu_lines_insert(struct gpu_lines *lines, uint64_t hash)
{
    uint32_t place = find(lines, hash);
    if (!lines->hash[place]) {
        lines->hash[place] = hash;
        lines->kept++;
        while (lines->kept > GPU_LINES_KEPT)
            thin_out(lines);
    }
    return (uint64_t)lines->kept << lines->level;
}

void gpu_lines_clear(struct gpu_lines *lines)
{
    memset(lines, 0, sizeof *lines);
}
