/* SPDX-License-Identifier: BSD-3-Clause */
/* CHECK(CALL): a CUDA call that fails ends the program with its name and error. */
#ifndef BENCH_NODES_CHECK_H
#define BENCH_NODES_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t e = (call);                                                                                        \
        if (e) {                                                                                                       \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
