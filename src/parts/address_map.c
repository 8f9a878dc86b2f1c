/* SPDX-License-Identifier: BSD-3-Clause */
#include "parts/address_map.h"

#include "base/error.h"

void mnp_address_map_init(struct mnp_address_map *map, uint32_t partitions, uint32_t slices, uint64_t interleave,
                          enum mnp_hash_kind kind)
{
    MNP_REQUIRE(partitions && slices && interleave && (interleave & (interleave - 1)) == 0, "a bad address map");
    map->partitions = partitions;
    map->slices = slices;
    map->shift = (uint32_t)__builtin_ctzll(interleave);
    mnp_hash_init(&map->hash, kind, (uint64_t)partitions * slices);
    mnp_divider_init(&map->by_partitions, partitions);
}

uint64_t mnp_address_of(const struct mnp_address_map *map, const struct mnp_address_place *place)
{
    uint64_t piece =
        mnp_hash_number(&map->hash, place->slice * map->partitions + place->partition, place->local >> map->shift);
    return piece << map->shift | (place->local & ((UINT64_C(1) << map->shift) - 1));
}
