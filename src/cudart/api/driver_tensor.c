/* SPDX-License-Identifier: BSD-3-Clause */
/* The driver API's tensor maps (CUDA driver API 13.0, tensor map objects). What is wrong with one is said in words. */
#include "cudart/api/driver.h"
#include "cudart/base/failure.h"
#include "execute/copy/tensor_map.h"

#include <string.h>

/* The types as maps have them, by the driver's enumerators; the last two are f32 rounded to tf32. */
static const uint8_t types[] = {EXECUTE_TENSOR_U8,     EXECUTE_TENSOR_U16,  EXECUTE_TENSOR_U32,     EXECUTE_TENSOR_S32,
                                EXECUTE_TENSOR_U64,    EXECUTE_TENSOR_S64,  EXECUTE_TENSOR_F16,     EXECUTE_TENSOR_F32,
                                EXECUTE_TENSOR_F64,    EXECUTE_TENSOR_BF16, EXECUTE_TENSOR_F32_FTZ, EXECUTE_TENSOR_F32,
                                EXECUTE_TENSOR_F32_FTZ};

/* Arguments that both ways to make a map have in common. */
struct common {
    CUtensorMapDataType type;
    unsigned rank;
    const void *address;
    const unsigned long *dimensions, *strides;
    const unsigned *element_strides;
    unsigned interleave, swizzle, promotion, fill;
};

static CUresult refuse(const char *function, const char *why)
{
    struct mnp_error error = {{0}, 0};
    mnp_fail(&error, "%s: %s", function, why);
    cudart_say(&error);
    return CUDA_ERROR_INVALID_VALUE;
}

/* False: arguments that are not there, or that cannot be put into a map at all. */
static bool begin(const struct common *common, struct execute_tensor_map *map)
{
    if (!common->dimensions || !common->element_strides || (common->rank > 1 && !common->strides) || !common->rank ||
        common->rank > EXECUTE_TENSOR_RANK || (unsigned)common->type >= sizeof types || common->interleave > 2 ||
        common->swizzle > 6 || common->promotion > 3 || common->fill > 1)
        return false;
    *map = (struct execute_tensor_map){.address = (uint64_t)common->address,
                                       .rank = (uint8_t)common->rank,
                                       .type = types[common->type],
                                       .interleave = (uint8_t)common->interleave,
                                       .swizzle = (uint8_t)common->swizzle,
                                       .promotion = (uint8_t)common->promotion,
                                       .fill_nan = common->fill,
                                       .tf32 = common->type >= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32};
    map->strides[0] = execute_tensor_element_bytes(map->type);
    for (unsigned i = 0; i < common->rank; i++) {
        map->dimensions[i] = common->dimensions[i];
        map->element_strides[i] = common->element_strides[i];
        if (i)
            map->strides[i] = common->strides[i - 1];
    }
    return true;
}

static CUresult finish(const char *function, CUtensorMap *out, const struct execute_tensor_map *map)
{
    struct mnp_error error = {{0}, 0};
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    if (!execute_tensor_map_check(map, &error))
        return refuse(function, error.text);
    execute_tensor_map_encode(map, words);
    memcpy(out, words, sizeof words);
    return CUDA_DRIVER_SUCCESS;
}

static const char broken[] = "an argument is missing, or is none of the enumerators that Hopper has";
static const char misaligned[] = "the map lies at no multiple of 64";

CUDART_API CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address,
                                           const unsigned long *dimensions, const unsigned long *strides,
                                           const unsigned *box, const unsigned *element_strides,
                                           CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                           CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
    struct execute_tensor_map made;
    const struct common common = {type,       rank,    address,   dimensions, strides, element_strides,
                                  interleave, swizzle, promotion, fill};
    if (!map || !box || !begin(&common, &made))
        return refuse(__func__, broken);
    if ((uintptr_t)map % 64)
        return refuse(__func__, misaligned);
    memcpy(made.box, box, rank * sizeof *box);
    return finish(__func__, map, &made);
}

CUDART_API CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, unsigned rank, void *address,
                                            const unsigned long *dimensions, const unsigned long *strides,
                                            const int *lower, const int *upper, unsigned channels, unsigned pixels,
                                            const unsigned *element_strides, CUtensorMapInterleave interleave,
                                            CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                            CUtensorMapFloatOOBfill fill)
{
    struct execute_tensor_map made;
    const struct common common = {type,       rank,    address,   dimensions, strides, element_strides,
                                  interleave, swizzle, promotion, fill};
    if (!map || !lower || !upper || !begin(&common, &made))
        return refuse(__func__, broken);
    if ((uintptr_t)map % 64)
        return refuse(__func__, misaligned);
    made.im2col = true;
    made.channels = channels;
    made.pixels = pixels;
    for (unsigned i = 0; i + 2 < rank; i++) { /* the driver's corners have W last, as D, H, W */
        made.lower[i] = lower[rank - 3 - i];
        made.upper[i] = upper[rank - 3 - i];
    }
    return finish(__func__, map, &made);
}

CUDART_API CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address)
{
    struct execute_tensor_map decoded;
    uint32_t words[EXECUTE_TENSOR_MAP_WORDS];
    if (!map)
        return refuse(__func__, broken);
    if ((uintptr_t)map % 64)
        return refuse(__func__, misaligned);
    memcpy(words, map, sizeof words);
    if (!execute_tensor_map_decode(words, &decoded))
        return refuse(__func__, "the map is none");
    decoded.address = (uint64_t)address;
    return finish(__func__, map, &decoded);
}
