/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/operand.h"

#include "execute/tensor_map.h"

#include <string.h>

enum {
    CHUNK = EXECUTE_PRODUCT_CHUNK,
    ATOM = 8 /* rows of a core matrix */
};

struct execute_operand execute_operand_of_wgmma(uint64_t descriptor)
{
    static const uint8_t swizzles[] = {EXECUTE_TENSOR_SWIZZLE_NONE, EXECUTE_TENSOR_SWIZZLE_128B,
                                       EXECUTE_TENSOR_SWIZZLE_64B, EXECUTE_TENSOR_SWIZZLE_32B};
    uint8_t swizzle = swizzles[descriptor >> 62];
    return (struct execute_operand){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                                    .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                                    .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                                    .phase = (uint32_t)(descriptor >> 49 & 7),
                                    .width = 1u << swizzle,
                                    .across = ATOM,
                                    .swizzle = swizzle};
}

bool execute_operand_of_tcgen05(uint64_t descriptor, struct execute_operand *out)
{
    static const struct {
        uint8_t swizzle, width, across; /* width 0: there is no such mode */
    } modes[] = {
        {EXECUTE_TENSOR_SWIZZLE_NONE, 1, ATOM}, {EXECUTE_TENSOR_SWIZZLE_128B_ATOM_32B, 8, ATOM / 2},
        {EXECUTE_TENSOR_SWIZZLE_128B, 8, ATOM}, {0, 0, 0},
        {EXECUTE_TENSOR_SWIZZLE_64B, 4, ATOM},  {0, 0, 0},
        {EXECUTE_TENSOR_SWIZZLE_32B, 2, ATOM},  {0, 0, 0},
    };
    uint32_t mode = (uint32_t)(descriptor >> 61);
    *out = execute_operand_of_wgmma(descriptor);
    out->swizzle = modes[mode].swizzle;
    out->width = modes[mode].width;
    out->across = modes[mode].across;
    bool constant = (descriptor >> 46 & 7) == 1, relative = !(descriptor >> 52 & 1); /* absolute: of sm_103 */
    return modes[mode].width && constant && relative;
}

/* Where the 16 bytes lie that have the elements of a row (of A's m, or B's n) in a part of k. More of them than the
 * swizzle spans lie at the next leading offset. */
static uint32_t place_along_k(const struct execute_operand *operand, uint32_t row, uint32_t chunk)
{
    return operand->start + row % ATOM * CHUNK * operand->width + row / ATOM * operand->stride +
           chunk / operand->width * operand->leading + chunk % operand->width * CHUNK;
}

/* Where the 16 bytes lie that have the `chunk`-th elements along m or n for one k. */
static uint32_t place_along_rows(const struct execute_operand *operand, uint32_t chunk, uint32_t k)
{
    uint32_t of_chunks = operand->width == 1 ? operand->stride : operand->leading;
    uint32_t of_k = operand->width == 1 ? operand->leading : operand->stride;
    return operand->start + chunk % operand->width * CHUNK + chunk / operand->width * of_chunks +
           k % operand->across * CHUNK * operand->width + k / operand->across * of_k;
}

static const unsigned char *chunk_at(const struct execute_operand_reader *reader, uint32_t address)
{
    uint32_t pattern = address - reader->operand.phase * 128; /* as if the pattern began at a multiple of its size */
    uint32_t moved = address ^ pattern ^ execute_tensor_swizzle(reader->operand.swizzle, pattern);
    if ((uint64_t)moved + CHUNK <= reader->warp->launch->shared_bytes)
        return reader->warp->cta->shared + moved;
    execute_fault(reader->warp, EXECUTE_FAULT_SHARED, 0, moved);
    return NULL;
}

const unsigned char *execute_operand_chunk(const struct execute_operand_reader *reader, uint32_t row, uint32_t chunk)
{
    return chunk_at(reader, place_along_k(&reader->operand, row, chunk));
}

static uint32_t bytes_of(uint8_t type)
{
    return type <= EXECUTE_WGMMA_BF16 ? 2 : type == EXECUTE_WGMMA_TF32 ? 4 : 1;
}

void execute_operand_unpack(uint8_t type, const unsigned char *chunk, unsigned char bytes[CHUNK])
{
    for (uint32_t i = 0; i < CHUNK; i++) {
        uint32_t at = 6 * i, two = chunk[at / 8] | (uint32_t)(at / 8 + 1 < CHUNK ? chunk[at / 8 + 1] : 0) << 8;
        bytes[i] =
            (unsigned char)(type == EXECUTE_WGMMA_E2M1 ? (chunk[i / 2] >> i % 2 * 4 & 15) << 2 : two >> at % 8 & 63);
    }
}

bool execute_operand_read(const struct execute_operand_reader *reader, const struct execute_product_table *table,
                          uint8_t type, bool across, bool interleaved, uint32_t first, uint32_t count, float *to)
{
    uint32_t each = CHUNK / bytes_of(type);
    for (uint32_t row = 0; row < count && !across; row += ATOM)
        for (uint32_t part = 0; part < reader->chunks; part++) {
            const unsigned char *chunks[ATOM];
            unsigned char bytes[ATOM][CHUNK];
            for (uint32_t i = 0; i < ATOM; i++) {
                if (!(chunks[i] = execute_operand_chunk(reader, first + row + i, part)))
                    return false;
                if (type >= EXECUTE_WGMMA_E2M3) {
                    execute_operand_unpack(type, chunks[i], bytes[i]);
                    chunks[i] = bytes[i];
                }
            }
            table->widen(type, chunks, interleaved, to + (size_t)part * each * count + row, count);
        }
    for (uint32_t row = 0; row < count && across; row += each)
        for (uint32_t k = 0; k < reader->chunks * each; k++) {
            uint32_t address = place_along_rows(&reader->operand, (first + row) / each, k);
            const unsigned char *chunk = chunk_at(reader, address);
            if (!chunk)
                return false;
            table->widen_across(type, chunk, interleaved, to + (size_t)k * count + row);
        }
    return true;
}
