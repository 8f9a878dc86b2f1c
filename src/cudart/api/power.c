/* SPDX-License-Identifier: BSD-3-Clause */
/* Power and energy of a device at the host's simulated time, for the stand-in of NVML. */
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/first_use.h"
#include "cudart/process/api_call.h"
#include "cudart/stream/clock.h"
#include "cudart/stream/kernel_mail.h"
#include "cudart/stream/simulation.h"

#include "contract/session.h"
#include "gpu/system/kind.h"

/* Questions of the stand-in of NVML (standin/nvml.c). */
enum question {
    POWER_NOW,        /* mW: mean since the last reading */
    POWER_ENERGY,     /* mJ since the beginning of the program */
    POWER_LIMIT,      /* mW: power.limit */
    POWER_TEMPERATURE /* degrees Celsius: energy.temperature, and what becomes of it with thermal.model */
};

/* Femtojoules up to the present of a machine that runs. False: it is spread over processes. */
static bool energy_of_machine(const struct cudart *rt, const struct cudart_device *device, uint64_t *energy)
{
    struct mnp_statistic_value value;
    if (!mnp_session_present(rt->simulation->session, device->place, "energy", &value))
        return false;
    *energy = value.numerator;
    return true;
}

/* Femtojoules of static power up to a time. */
static uint64_t energy_at_rest(const struct gpu_parameters *p, uint64_t time)
{
    struct gpu_energy_pace pace = gpu_energy_pace_of(&p->energy, p->machine.clock_core, p->sm.count);
    unsigned __int128 milliwatts = (unsigned __int128)pace.sm + pace.l2 + pace.dram + pace.board;
    return (uint64_t)(milliwatts * time / 1000);
}

/* The mean power since the last reading; at the same time, the same as then. */
static void read_power(struct cudart_power_reading *reading, uint64_t time, uint64_t energy)
{
    if (time > reading->time && energy >= reading->energy) {
        reading->milliwatts = (uint32_t)((unsigned __int128)(energy - reading->energy) * 1000 / (time - reading->time));
        reading->time = time;
        reading->energy = energy;
    }
}

static enum cuda_error find(struct cudart *rt, int ordinal, int question, unsigned long long *answer)
{
    struct cudart_device *device = cudart_device_at(rt, ordinal);
    if (!device || !answer)
        return CUDA_INVALID_VALUE;
    if (cudart_ask_device(device))
        return rt->faults.failure;
    const struct gpu_energy_parameters *p = &device->parameters.energy;
    if (!p->model || rt->calls.options.functional || cudart_follows(rt) || (question == POWER_LIMIT && !p->limit))
        return CUDA_NOT_SUPPORTED;
    *answer = question == POWER_LIMIT ? p->limit * 1000 : p->temperature;
    if (question == POWER_LIMIT)
        return CUDA_SUCCESS;
    cudart_advance_to(rt, rt->clock->host);
    bool runs = rt->simulation->session != NULL;
    if (question == POWER_TEMPERATURE) {
        *answer = runs ? (gpu_temperature_of(rt->simulation->session) + 500) / 1000 : p->temperature;
        return CUDA_SUCCESS;
    }
    uint64_t time = runs ? mnp_session_now(rt->simulation->session) : rt->clock->host;
    uint64_t energy = runs ? 0 : energy_at_rest(&device->parameters, time);
    if (runs && !energy_of_machine(rt, device, &energy))
        return CUDA_NOT_SUPPORTED;
    read_power(&device->power, time, energy);
    *answer = question == POWER_NOW ? device->power.milliwatts : energy / UINT64_C(1000000000000);
    return CUDA_SUCCESS;
}

/* Answers a question about a device at the host's simulated time. CUDA_NOT_SUPPORTED: the run has no energies
 * (--energy), or the machine states no limit. */
CUDART_API int cudart_power(int ordinal, int question, unsigned long long *answer)
{
    CUDART_CALL(find(rt, ordinal, question, answer));
}
