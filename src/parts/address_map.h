/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where an address lies in the memory system: partition, L2 slice, and the place inside that slice and its channel.
 *
 * Memory is cut into pieces of `interleave` bytes, which a hash (parts/hash.h) spreads over all slices of the machine,
 * neighbours going to different partitions first. Every address has one place and every place one address, for any
 * number of partitions and slices. Public configurations interleave channels by 256 bytes (`dramid@8` of GPGPU-Sim).
 */
#ifndef MNP_PARTS_ADDRESS_MAP_H
#define MNP_PARTS_ADDRESS_MAP_H

#include "parts/hash.h"

struct mnp_address_map {
    uint32_t partitions, slices; /* slices of each partition */
    uint32_t shift;              /* log2 of the interleave */
    struct mnp_hash hash;        /* over all slices: bin = slice · partitions + partition */
    struct mnp_divider by_partitions;
};

struct mnp_address_place {
    uint32_t partition, slice;
    uint64_t local; /* byte address inside the slice: dense, from 0 */
};

/* `interleave` is a power of two of at least a line; partitions × slices at most 2^20. */
void mnp_address_map_init(struct mnp_address_map *map, uint32_t partitions, uint32_t slices, uint64_t interleave,
                          enum mnp_hash_kind kind);

/* Byte address inside the slice that an address belongs to. Cheaper than mnp_address_place. */
static inline uint64_t mnp_address_local(const struct mnp_address_map *map, uint64_t address)
{
    uint64_t piece = address >> map->shift;
    uint64_t group = map->hash.power_of_two ? piece >> map->hash.bits : mnp_divide(&map->hash.divider, piece);
    return group << map->shift | (address & ((UINT64_C(1) << map->shift) - 1));
}

static inline struct mnp_address_place mnp_address_place(const struct mnp_address_map *map, uint64_t address)
{
    uint64_t group;
    uint32_t bin = mnp_hash_bin(&map->hash, address >> map->shift, &group);
    uint32_t slice = (uint32_t)mnp_divide(&map->by_partitions, bin);
    return (struct mnp_address_place){
        .partition = bin - slice * map->partitions,
        .slice = slice,
        .local = group << map->shift | (address & ((UINT64_C(1) << map->shift) - 1)),
    };
}

/* Byte address inside the partition's channel: the slices' pieces in turn. */
static inline uint64_t mnp_address_in_channel(const struct mnp_address_map *map, uint32_t slice, uint64_t local)
{
    uint64_t piece = (local >> map->shift) * map->slices + slice;
    return piece << map->shift | (local & ((UINT64_C(1) << map->shift) - 1));
}

/* The inverse of mnp_address_place. */
uint64_t mnp_address_of(const struct mnp_address_map *map, const struct mnp_address_place *place);

#endif
