/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/matrix/operand.h"

#include "execute/copy/tensor_map.h"

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

/* Offset of the 16 bytes with the elements of a row (of A's m, or B's n) in a chunk of k. Chunks beyond the swizzle
 * span are at multiples of the leading offset. */
static uint32_t place_along_k(const struct execute_operand *operand, uint32_t row, uint32_t chunk)
{
    return operand->start + row % ATOM * CHUNK * operand->width + row / ATOM * operand->stride +
           chunk / operand->width * operand->leading + chunk % operand->width * CHUNK;
}

/* Offset of the 16 bytes with the `chunk`-th elements along m or n, for one k. */
static uint32_t place_along_rows(const struct execute_operand *operand, uint32_t chunk, uint32_t k)
{
    uint32_t of_chunks = operand->width == 1 ? operand->stride : operand->leading;
    uint32_t of_k = operand->width == 1 ? operand->leading : operand->stride;
    return operand->start + chunk % operand->width * CHUNK + chunk / operand->width * of_chunks +
           k % operand->across * CHUNK * operand->width + k / operand->across * of_k;
}

/* Computed as if the swizzle pattern began at a multiple of its size. */
static uint32_t swizzled(const struct execute_operand_reader *reader, uint32_t address)
{
    uint32_t pattern = address - reader->operand.phase * 128;
    return address ^ pattern ^ execute_tensor_swizzle(reader->operand.swizzle, pattern);
}

static const unsigned char *chunk_of_memory(const struct execute_operand_reader *reader, uint32_t address)
{
    uint32_t moved = swizzled(reader, address);
    if ((uint64_t)moved + CHUNK <= reader->warp->launch->shared_bytes)
        return reader->cta->shared + moved;
    execute_fault(reader->warp, EXECUTE_FAULT_SHARED, 0, moved);
    return NULL;
}

static const unsigned char *chunk_at(const struct execute_operand_reader *reader, uint32_t address)
{
    struct execute_operand_tape *tape = reader->tape;
    unsigned char *taped = tape ? tape->bytes + tape->at : NULL;
    if (tape)
        tape->at += CHUNK;
    if (tape && tape->plays)
        return taped;
    const unsigned char *chunk = chunk_of_memory(reader, address);
    if (tape && chunk)
        memcpy(taped, chunk, CHUNK);
    return chunk;
}

const unsigned char *execute_operand_chunk(const struct execute_operand_reader *reader, uint32_t row, uint32_t chunk)
{
    return chunk_at(reader, place_along_k(&reader->operand, row, chunk));
}

const unsigned char *execute_operand_peek(const struct execute_operand_reader *reader, uint32_t row, uint32_t chunk)
{
    uint32_t moved = swizzled(reader, place_along_k(&reader->operand, row, chunk));
    return (uint64_t)moved + CHUNK <= reader->warp->launch->shared_bytes ? reader->cta->shared + moved : NULL;
}

static uint32_t bytes_of(uint8_t type)
{
    return type <= EXECUTE_WGMMA_BF16 ? 2 : type == EXECUTE_WGMMA_TF32 ? 4 : 1;
}

uint32_t execute_operand_elements(uint8_t type)
{
    return type == EXECUTE_WGMMA_E2M1_PAIRS ? 2 * CHUNK : CHUNK / bytes_of(type);
}

void execute_operand_unpack(uint8_t type, const unsigned char *chunk, unsigned char bytes[CHUNK])
{
    for (uint32_t i = 0; i < CHUNK && type == EXECUTE_WGMMA_E2M1; i++) /* only eight bytes of each chunk are used */
        bytes[i] = (unsigned char)((chunk[i / 2] >> i % 2 * 4 & 15) << 2);
    for (uint32_t i = 0; i < CHUNK && type != EXECUTE_WGMMA_E2M1; i++) {
        uint32_t at = 6 * i, two = chunk[at / 8] | (uint32_t)(at / 8 + 1 < CHUNK ? chunk[at / 8 + 1] : 0) << 8;
        bytes[i] = (unsigned char)(two >> at % 8 & 63);
    }
}

void execute_operand_widen(const struct execute_product_table *table, uint8_t type,
                           const unsigned char *const chunks[ATOM], bool interleaved, float *to, uint32_t stride)
{
    if (type != EXECUTE_WGMMA_E2M1_PAIRS) {
        table->widen(type, chunks, interleaved, to, stride);
        return;
    }
    for (uint32_t half = 0; half < 2; half++) {
        unsigned char bytes[ATOM][CHUNK];
        const unsigned char *unpacked[ATOM];
        for (uint32_t i = 0; i < ATOM; i++) {
            execute_operand_unpack(EXECUTE_WGMMA_E2M1, chunks[i] + half * CHUNK / 2, bytes[i]);
            unpacked[i] = bytes[i];
        }
        table->widen(EXECUTE_WGMMA_E2M1, unpacked, interleaved, to + (size_t)half * CHUNK * stride, stride);
    }
}

static bool is_packed(uint8_t type)
{
    return type == EXECUTE_WGMMA_E2M3 || type == EXECUTE_WGMMA_E3M2 || type == EXECUTE_WGMMA_E2M1;
}

static bool read_along_k(const struct execute_operand_reader *reader, const struct execute_product_table *table,
                         const struct execute_operand_part *part, float *to)
{
    uint32_t each = execute_operand_elements(part->type);
    for (uint32_t row = 0; row < part->count; row += ATOM)
        for (uint32_t k = 0; k < reader->chunks; k++) {
            const unsigned char *chunks[ATOM];
            unsigned char bytes[ATOM][CHUNK];
            for (uint32_t i = 0; i < ATOM; i++) {
                if (!(chunks[i] = execute_operand_chunk(reader, part->first + row + i, k)))
                    return false;
                if (is_packed(part->type)) {
                    execute_operand_unpack(part->type, chunks[i], bytes[i]);
                    chunks[i] = bytes[i];
                }
            }
            execute_operand_widen(table, part->type, chunks, part->interleaved,
                                  to + (size_t)k * each * part->stride + row, part->stride);
        }
    return true;
}

bool execute_operand_read(const struct execute_operand_reader *reader, const struct execute_product_table *table,
                          const struct execute_operand_part *part, float *to)
{
    uint32_t each = execute_operand_elements(part->type);
    if (!part->across)
        return read_along_k(reader, table, part, to);
    for (uint32_t row = 0; row < part->count; row += each)
        for (uint32_t k = 0; k < reader->chunks * each; k++) {
            const unsigned char *chunk =
                chunk_at(reader, place_along_rows(&reader->operand, (part->first + row) / each, k));
            if (!chunk)
                return false;
            table->widen_across(part->type, chunk, part->interleaved, to + (size_t)k * part->stride + row);
        }
    return true;
}
