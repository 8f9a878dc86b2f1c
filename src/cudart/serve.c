/* SPDX-License-Identifier: BSD-3-Clause */
/* All that is in libcudart-12.so and libcudart-13.so. */
#include "cudart/api/serve.h"

__attribute__((constructor)) static void serve(void)
{
    maniple_serve_runtime(CUDART_MAJOR);
}
