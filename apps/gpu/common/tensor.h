/* SPDX-License-Identifier: BSD-3-Clause */
/* What workloads for compute capability 9.0 share on the host: tensor maps, and numbers of sixteen and eight bits. */
#ifndef APP_TENSOR_H
#define APP_TENSOR_H

#include "common/app.h"

enum { APP_TENSOR_RANK = 4 };

struct app_tensor { /* of `rank` dimensions, the first of which runs along memory without gaps */
    CUdeviceptr address;
    CUtensorMapDataType type;
    uint32_t bytes; /* of an element */
    uint32_t rank;
    unsigned long dimensions[APP_TENSOR_RANK];
    unsigned int box[APP_TENSOR_RANK];
    CUtensorMapSwizzle swizzle;
};

/* Encodes the map of a tensor. Ends the program where the driver refuses it. */
CUtensorMap app_tensor_map(struct app_run *run, const struct app_tensor *tensor);

/* The map of a matrix of 32-bit, 16-bit or 8-bit floats (`bytes` 4, 2 or 1) that is multiplied: `rows` of `k` numbers,
 * in boxes of `box` rows of 128 bytes, swizzled. */
CUtensorMap app_operand_map(struct app_run *run, CUdeviceptr address, uint32_t rows, uint32_t k, uint32_t box,
                            uint32_t bytes);

/* Lets a kernel of the loaded PTX use so many bytes of dynamic shared memory. */
void app_shared(struct app_run *run, const char *kernel, uint32_t bytes);

/* The half nearest to a number between -65504 and 65504, ties to even; and back. */
uint16_t app_half_of(float value);
float app_of_half(uint16_t half);

/* -2 to 2 in steps of 1/4, as single, half or e4m3 precision has them (`bytes` 4, 2 or 1): products of two such
 * numbers, and sums of up to 2^18 of them, are exact in single precision. `quarters` is four times the number. */
uint32_t app_quarters(int32_t quarters, uint32_t bytes);

/* A matrix of `count` such numbers on the device, at random; `quarters` has them. */
CUdeviceptr app_quarters_matrix(struct app_run *run, size_t count, uint32_t bytes, int8_t *quarters);

struct app_product { /* m × k by k × n, of matrices of quarters */
    uint32_t m, n, k;
    uint32_t batch; /* such products, below one another in a, b and d */
    const int8_t *a, *b; /* quarters, k along the rows of both */
    CUdeviceptr d;       /* m × n by rows */
    bool halves;         /* in d; otherwise in single precision */
};

/* Checks rows that lie evenly over a product, 32 at most, to the last bit. */
void app_check_product(struct app_run *run, const struct app_product *product);

#endif
