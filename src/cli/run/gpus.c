/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/gpus.h"

#include "cli/load_machine.h"

#include <stdlib.h>
#include <string.h>

bool cli_run_gpus_check(const struct run_options *options, const char *machine, struct mnp_error *error)
{
    const struct mnp_machine_kind *kind;
    if (!options->gpus[0])
        return true;
    struct mnp_settings *settings = cli_load_machine(options->plugins, machine, NULL, 0, &kind, error);
    bool is_node = settings && kind->inputs & MNP_INPUT_CALLS && kind->check(settings, error);
    if (error->text[0]) {
        mnp_settings_free(settings);
        return false;
    }
    unsigned long own = is_node ? (unsigned long)mnp_settings_number(settings, "gpu.devices") : 1;
    unsigned long wanted = strtoul(strchr(options->gpus, '=') + 1, NULL, 10);
    bool good =
        own == 1 || wanted <= own ||
        mnp_fail(error,
                 "--gpus %lu: machine %s has %lu GPUs; state %lu at most, or another node by --set gpu.devices=%lu",
                 wanted, mnp_settings_name(settings), own, own, wanted);
    mnp_settings_free(settings);
    return good;
}
