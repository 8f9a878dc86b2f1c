/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/system/changing.h"

#include "base/error.h"
#include "engine/executors/executor.h"

const char *gpu_changing_hindrance(const struct mnp_session *session)
{
    const struct mnp_session_options *options = &session->options;
    return session->device_count > 1                                         ? "several devices (gpu.devices)"
           : options->transport                                              ? "several processes (--executor mpi)"
           : options->request.executor && options->request.executor->relaxed ? "a relaxed executor"
           : options->request.timeline_work || options->request.timeline_to  ? "--timeline"
           : options->on_pause || options->on_begin                          ? "snapshots (--snapshot, --resume)"
           : options->selects                                                ? "a selection (--kernels, --plan)"
                                                                             : NULL;
}

uint64_t gpu_changing_energy(const struct mnp_session *session)
{
    struct mnp_statistic_value energy = {0};
    bool found = mnp_session_present(session, 0, "energy", &energy);
    MNP_REQUIRE(found, "a device without energies changes with its power");
    return energy.numerator;
}
