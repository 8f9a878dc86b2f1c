/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/address_map.h"

#include "base/error.h"

void mnp_address_map_init(struct mnp_address_map *map, uint32_t partitions, uint32_t slices, uint64_t interleave,
                          const struct mnp_hash_function *hash)
{
    MNP_REQUIRE(partitions && slices && interleave && (interleave & (interleave - 1)) == 0, "a bad address map");
    map->partitions = partitions;
    map->slices = slices;
    map->shift = (uint32_t)__builtin_ctzll(interleave);
    map->half_shift = 0;
    map->half_bits = 0;
    map->move_count = 0;
    mnp_hash_init_by(&map->hash, hash, (uint64_t)partitions * slices);
    mnp_divider_init(&map->by_partitions, partitions);
}

void mnp_address_map_init_halves(struct mnp_address_map *map, uint32_t partitions, uint32_t slices, uint64_t interleave,
                                 const struct mnp_hash_function *hash, uint64_t half_bits)
{
    MNP_REQUIRE(half_bits && partitions % 2 == 0 && !(half_bits & (interleave - 1)), "a bad address map of halves");
    mnp_address_map_init(map, partitions / 2, slices, interleave, hash);
    map->half_bits = half_bits;
    map->half_shift = (uint32_t)__builtin_ctzll(half_bits);
}

uint64_t mnp_address_of(const struct mnp_address_map *map, const struct mnp_address_place *place)
{
    uint32_t half = place->partition / map->partitions, partition = place->partition % map->partitions;
    uint64_t bin = place->slice * map->partitions + partition, low = (UINT64_C(1) << map->shift) - 1;
    uint64_t piece = mnp_hash_number(&map->hash, bin, place->local >> map->shift);
    return mnp_address_unfold(map, piece << map->shift | (place->local & low), half);
}
