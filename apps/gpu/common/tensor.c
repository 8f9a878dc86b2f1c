/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/tensor.h"

#include <string.h>

static void require(struct app_run *run, CUresult result, const char *call)
{
    const char *name = "an unknown error";
    cuGetErrorName(result, &name);
    if (result != CUDA_SUCCESS)
        app_stop(run, 2, "%s: %s", call, name);
}

CUtensorMap app_tensor_map(struct app_run *run, const struct app_tensor *tensor)
{
    CUtensorMap map;
    unsigned long strides[APP_TENSOR_RANK], stride = tensor->bytes;
    const unsigned int ones[APP_TENSOR_RANK] = {1, 1, 1};
    for (uint32_t i = 0; i < tensor->rank; i++)
        strides[i] = stride *= tensor->dimensions[i];
    require(run,
            cuTensorMapEncodeTiled(&map, tensor->type, tensor->rank, (void *)tensor->address, tensor->dimensions,
                                   strides, tensor->box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, tensor->swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "cuTensorMapEncodeTiled");
    return map;
}

void app_shared(struct app_run *run, const char *kernel, uint32_t bytes)
{
    CUfunction function;
    app_use(run, run->app->name);
    require(run, cuModuleGetFunction(&function, run->module, kernel), kernel);
    require(run, cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)bytes),
            "cuFuncSetAttribute");
}

uint16_t app_half_of(float value)
{
    uint32_t bits, sign, shift = 13;
    memcpy(&bits, &value, sizeof bits);
    sign = bits >> 16 & 0x8000;
    int32_t exponent = (int32_t)(bits >> 23 & 0xff) - 127 + 15;
    uint32_t fraction = bits & 0x7fffff;
    if (exponent <= 0) { /* a subnormal one, or zero */
        if (exponent < -10)
            return (uint16_t)sign;
        fraction |= 0x800000;
        shift += (uint32_t)(1 - exponent);
        exponent = 0;
    }
    uint32_t kept = fraction >> shift, lost = fraction & ((1u << shift) - 1), half = 1u << (shift - 1);
    kept += lost > half || (lost == half && (kept & 1));
    return (uint16_t)(sign | (((uint32_t)exponent << 10) + kept));
}

float app_of_half(uint16_t half)
{
    uint32_t exponent = half >> 10 & 31, fraction = half & 0x3ff;
    float value = exponent ? (float)(fraction + 0x400) : (float)fraction;
    for (uint32_t i = exponent ? exponent : 1; i < 25; i++)
        value /= 2;
    for (uint32_t i = 25; i < exponent; i++)
        value *= 2;
    return half & 0x8000 ? -value : value;
}

uint16_t app_quarters(int32_t quarters, uint32_t bytes)
{
    uint32_t size = (uint32_t)(quarters < 0 ? -quarters : quarters), exponent = 0;
    if (!size)
        return 0;
    while (size >> (exponent + 1))
        exponent++;
    uint32_t fraction = size - (1u << exponent), sign = quarters < 0; /* size = 2^exponent + fraction, in quarters */
    if (bytes == 2)
        return (uint16_t)(sign << 15 | (15 + exponent - 2) << 10 | fraction << (10 - exponent));
    return (uint16_t)(sign << 7 | (7 + exponent - 2) << 3 | fraction << (3 - exponent));
}

CUdeviceptr app_quarters_matrix(struct app_run *run, size_t count, uint32_t bytes, int8_t *quarters)
{
    unsigned char *bits = app_host(run, count, bytes);
    for (size_t i = 0; i < count; i++) {
        quarters[i] = (int8_t)((int32_t)app_below(run, 17) - 8);
        uint16_t number = app_quarters(quarters[i], bytes);
        bits[i * bytes] = (unsigned char)number;
        if (bytes == 2)
            bits[i * bytes + 1] = (unsigned char)(number >> 8);
    }
    return app_copy(run, bits, count * bytes);
}
