/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: PTX modules with zero bytes between them, parsed and linked, all their kernels decoded, and a few
 * steps of each executed. */
#include "frontend/ptx/program.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STEPS = 200, MOST_BYTES = 1 << 22, MOST_TEXTS = 4 };

/* One CTA of 40 threads, with parameters of zeros. */
static void execute(struct execute_device *device, const struct execute_code *code)
{
    const uint32_t one[3] = {1, 1, 1}, block[3] = {8, 5, 1};
    static const unsigned char zeros[EXECUTE_WINDOW_BYTES / 256];
    const uint32_t parameters = code->parameters.count;
    unsigned char *storage = calloc((size_t)code->parameter_bytes + 16, 1);
    const void **arguments = calloc((size_t)parameters + 1, sizeof *arguments);
    struct execute_launch launch;
    struct mnp_error error = {{0}};
    const struct execute_code_function *function = execute_code_function_at(code, 0);
    for (uint32_t i = 0; i < parameters; i++)
        arguments[i] = zeros;
    bool small = function->frame_bytes < MOST_BYTES && function->local_bytes * 32 < MOST_BYTES &&
                 code->shared_bytes < MOST_BYTES && code->parameter_bytes <= sizeof zeros;
    if (small && execute_launch_prepare(&launch, code, one, block, 64, arguments, storage, &error)) {
        struct execute_cta *cta = execute_device_start(device, &launch, 0);
        for (uint32_t step = 0; step < STEPS; step++)
            for (uint32_t i = 0; i < cta->warp_count; i++)
                if (cta->warps[i].status == EXECUTE_RUNNING)
                    execute_warp_run(&cta->warps[i], 1);
        execute_device_report(device, true, &error);
    }
    free(arguments);
    free(storage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mnp_error error = {{0}};
    struct execute_device device;
    struct ptx_program program;
    struct execute_text texts[MOST_TEXTS] = {{(const char *)data, size}};
    uint32_t count = 1;
    for (const char *zero; count < MOST_TEXTS && (zero = memchr(texts[count - 1].text, 0, texts[count - 1].length));
         count++) {
        size_t behind = texts[count - 1].length - (size_t)(zero - texts[count - 1].text) - 1;
        texts[count - 1].length -= behind + 1;
        texts[count] = (struct execute_text){zero + 1, behind};
    }
    execute_device_init(&device, 64, NULL);
    bool good = ptx_program_link(&program, &device, "fuzz.ptx", texts, count, &error);
    if (good != (error.text[0] == 0))
        abort();
    for (uint32_t i = 0; good && i < program.module->functions.count; i++) {
        const struct ptx_function *function = ptx_function_at(program.module, i);
        struct mnp_error wrong = {{0}};
        if (!function->entry || !function->defined)
            continue;
        const struct execute_code *code =
            ptx_program_kernel(&program, ptx_name_text(program.module, function->name), &wrong);
        if ((code != NULL) != (wrong.text[0] == 0))
            abort();
        if (code)
            execute(&device, code);
    }
    if (good)
        ptx_program_unload(&program, &device);
    execute_device_release(&device);
    return 0;
}
