/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: a PTX module, parsed, and all its kernels decoded. */
#include "frontend/ptx/op.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void decode_all(const struct ptx_module *module, const struct ptx_image *image)
{
    for (uint32_t i = 0; i < module->functions.count; i++) {
        struct mnp_error error = {{0}};
        if (!ptx_function_at(module, i)->entry || !ptx_function_at(module, i)->defined)
            continue;
        struct ptx_code *code = ptx_decode(module, image, i, &error);
        if ((code != NULL) != (error.text[0] == 0))
            abort();
        ptx_code_free(code);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mnp_error error = {{0}};
    struct ptx_module *module = ptx_module_parse("fuzz.ptx", (const char *)data, size, &error);
    struct ptx_image image;
    if ((module != NULL) != (error.text[0] == 0))
        abort();
    if (module && ptx_image_place(module, UINT64_C(1) << 40, &image, &error))
        decode_all(module, &image);
    if (module)
        free(image.addresses);
    ptx_module_free(module);
    return 0;
}
