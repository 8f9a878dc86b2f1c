/* SPDX-License-Identifier: BSD-3-Clause */
#include "built_in.h"

#include "gpu/system/parameters.h"
#include "machines.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

bool built_in_gpu(const char *name, struct gpu_parameters *parameters)
{
    struct mnp_error error = {{0}};
    struct mnp_settings_source source = {.machine = name, .built_in = mnp_built_in_machines};
    struct mnp_settings *settings = mnp_settings_load(&source, &error);
    if (!settings)
        fail_msg("%s", error.text);
    bool gpu = strcmp(mnp_settings_kind(settings), "gpu") == 0;
    struct gpu_system_parameters system = {0};
    if (gpu && !gpu_system_parameters_read(&system, settings, &error))
        fail_msg("%s", error.text);
    *parameters = system.device;
    mnp_settings_free(settings);
    return gpu && system.devices == 1; /* of several each is another machine */
}
