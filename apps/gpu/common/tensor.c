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
    const unsigned int ones[APP_TENSOR_RANK] = {1, 1, 1, 1};
    for (uint32_t i = 0; i < tensor->rank; i++)
        strides[i] = stride *= tensor->dimensions[i];
    require(run,
            cuTensorMapEncodeTiled(&map, tensor->type, tensor->rank, (void *)tensor->address, tensor->dimensions,
                                   strides, tensor->box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, tensor->swizzle,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
            "cuTensorMapEncodeTiled");
    return map;
}

CUtensorMap app_operand_map(struct app_run *run, CUdeviceptr address, uint32_t rows, uint32_t k, uint32_t box,
                            uint32_t bytes)
{
    CUtensorMapDataType type = bytes == 4   ? CU_TENSOR_MAP_DATA_TYPE_FLOAT32
                               : bytes == 2 ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16
                                            : CU_TENSOR_MAP_DATA_TYPE_UINT8;
    return app_tensor_map(run, &(struct app_tensor){.address = address,
                                                    .type = type,
                                                    .bytes = bytes,
                                                    .rank = 2,
                                                    .dimensions = {k, rows},
                                                    .box = {128 / bytes, box},
                                                    .swizzle = CU_TENSOR_MAP_SWIZZLE_128B});
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

uint32_t app_quarters(int32_t quarters, uint32_t bytes)
{
    static const uint32_t bias[] = {0, 7, 15, 0, 127}, fractions[] = {0, 3, 10, 0, 23}; /* by bytes: bits of them */
    uint32_t size = (uint32_t)(quarters < 0 ? -quarters : quarters), exponent = 0;
    if (!size)
        return 0;
    while (size >> (exponent + 1))
        exponent++;
    uint32_t fraction = size - (1u << exponent), sign = quarters < 0; /* size = 2^exponent + fraction, in quarters */
    return sign << (8 * bytes - 1) | (bias[bytes] + exponent - 2) << fractions[bytes] |
           fraction << (fractions[bytes] - exponent);
}

CUdeviceptr app_quarters_matrix(struct app_run *run, size_t count, uint32_t bytes, int8_t *quarters)
{
    unsigned char *bits = app_host(run, count, bytes);
    for (size_t i = 0; i < count; i++) {
        quarters[i] = (int8_t)((int32_t)app_below(run, 17) - 8);
        uint32_t number = app_quarters(quarters[i], bytes);
        for (uint32_t k = 0; k < bytes; k++)
            bits[i * bytes + k] = (unsigned char)(number >> 8 * k);
    }
    return app_copy(run, bits, count * bytes);
}

void app_check_product(struct app_run *run, const struct app_product *p)
{
    enum { CHECKED = 32 };
    uint32_t height = p->m * p->batch, rows = height < CHECKED ? height : CHECKED;
    const void *all = app_read(run, p->d, (size_t)height * p->n * (p->halves ? 2 : 4));
    float *got = app_host(run, (size_t)rows * p->n, sizeof *got);
    float *expected = app_host(run, (size_t)rows * p->n, sizeof *expected);
    for (uint32_t i = 0; i < rows; i++) {
        size_t row = (size_t)i * (height / rows) + i % (height / rows);
        const int8_t *b = p->b + row / p->m * p->n * p->k;
        for (uint32_t j = 0; j < p->n; j++) {
            size_t to = (size_t)i * p->n + j, from = row * p->n + j;
            int32_t sum = 0;
            for (uint32_t x = 0; x < p->k; x++)
                sum += p->a[row * p->k + x] * b[(size_t)j * p->k + x];
            float value = (float)sum / 16;
            expected[to] = p->halves ? app_of_half(app_half_of(value)) : value;
            got[to] = p->halves ? app_of_half(((const uint16_t *)all)[from]) : ((const float *)all)[from];
        }
    }
    app_check_floats(run, "product", got, expected, (size_t)rows * p->n, 0);
}
