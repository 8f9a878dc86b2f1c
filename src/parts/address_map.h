/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mapping of addresses to the memory system: partition, L2 slice, and the position inside that slice and its channel.
 *
 * Memory is divided into pieces of `interleave` bytes, which a hash (parts/hash.h) distributes over all slices of the
 * machine, such that neighbours go to different partitions first. The mapping is a bijection between addresses and
 * positions, for any number of partitions and slices. Public configurations interleave channels by 256 bytes
 * (`dramid@8` of GPGPU-Sim).
 *
 * If the partitions form two halves that are selected by address bits (`half_bits`), the parity of these bits is the
 * half, and the remaining address, without the lowest of these bits, is distributed over the partitions of one half.
 * The lowest bit follows from the half and the other bits, so the mapping stays a bijection.
 *
 * A map may have relocated ranges: an address in such a range is mapped as if the range began elsewhere. The inverse
 * mapping returns the relocated address.
 */
#ifndef MNP_PARTS_ADDRESS_MAP_H
#define MNP_PARTS_ADDRESS_MAP_H

#include "parts/hash.h"

struct mnp_address_move { /* a range, at multiples of the interleave, and where it is to begin */
    uint64_t from, bytes, to;
};

struct mnp_address_map {
    /* number of partitions (of each half, if there are two); number of slices of each partition */
    uint32_t partitions, slices;
    uint32_t shift;       /* log2 of the interleave */
    uint32_t half_shift;  /* the lowest bit of half_bits */
    uint64_t half_bits;   /* address bits whose parity is the half; 0: there are no halves */
    struct mnp_hash hash; /* over all slices: bin = slice · partitions + partition */
    struct mnp_divider by_partitions;
    uint32_t move_count;
    struct mnp_address_move moves[2];
};

struct mnp_address_place {
    uint32_t partition, slice;
    uint64_t local; /* byte address inside the slice: dense, from 0 */
};

/* `interleave` is a power of two of at least a line; partitions × slices at most 2^20. */
void mnp_address_map_init(struct mnp_address_map *map, uint32_t partitions, uint32_t slices, uint64_t interleave,
                          const struct mnp_hash_function *hash);

/* Like mnp_address_map_init, for two halves selected by the parity of these bits. The number of partitions includes
 * both halves and is even; no bit lies inside a piece of the interleave. */
void mnp_address_map_init_halves(struct mnp_address_map *map, uint32_t partitions, uint32_t slices, uint64_t interleave,
                                 const struct mnp_hash_function *hash, uint64_t half_bits);

static inline uint64_t mnp_address_moved(const struct mnp_address_map *map, uint64_t address)
{
    for (uint32_t i = 0; i < map->move_count; i++)
        if (address - map->moves[i].from < map->moves[i].bytes)
            return address - map->moves[i].from + map->moves[i].to;
    return address;
}

static inline uint32_t mnp_address_half(const struct mnp_address_map *map, uint64_t address)
{
    return (uint32_t)__builtin_parityll(address & map->half_bits);
}

/* An address inside its half. */
static inline uint64_t mnp_address_fold(const struct mnp_address_map *map, uint64_t address)
{
    if (!map->half_bits)
        return address;
    uint64_t low = (UINT64_C(1) << map->half_shift) - 1;
    return (address >> 1 & ~low) | (address & low);
}

/* The inverse, for one half. */
static inline uint64_t mnp_address_unfold(const struct mnp_address_map *map, uint64_t folded, uint32_t half)
{
    if (!map->half_bits)
        return folded;
    uint64_t low = (UINT64_C(1) << map->half_shift) - 1, rest = (folded & ~low) << 1 | (folded & low);
    return rest | (uint64_t)(mnp_address_half(map, rest) ^ half) << map->half_shift;
}

/* Byte address inside the slice that an address belongs to. Cheaper than mnp_address_place. */
static inline uint64_t mnp_address_local(const struct mnp_address_map *map, uint64_t address)
{
    uint64_t piece = mnp_address_fold(map, mnp_address_moved(map, address)) >> map->shift;
    uint64_t group = map->hash.power_of_two ? piece >> map->hash.bits : mnp_divide(&map->hash.divider, piece);
    return group << map->shift | (address & ((UINT64_C(1) << map->shift) - 1));
}

static inline struct mnp_address_place mnp_address_place(const struct mnp_address_map *map, uint64_t address)
{
    uint64_t group;
    address = mnp_address_moved(map, address);
    uint32_t bin = mnp_hash_bin(&map->hash, mnp_address_fold(map, address) >> map->shift, &group);
    uint32_t slice = (uint32_t)mnp_divide(&map->by_partitions, bin);
    return (struct mnp_address_place){
        .partition = bin - slice * map->partitions + mnp_address_half(map, address) * map->partitions,
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
