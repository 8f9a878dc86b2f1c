/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Relaxed windows, as in simulators that trade exactness for fewer barriers (Lee & Ro 2013; Malhotra et al. 2014, with
 * a barrier every 1,000 cycles): every window has N core cycles, regardless of link latencies, and a packet that should
 * have arrived inside the window in which it was sent arrives at its end.
 *
 * Unlike the originals, this executor is repeatable: windows lie on a fixed grid (mnp_engine_relax), and lateness
 * depends on the sender's time only, so results depend on N, but not on threads or schedule. It is outside the contract
 * of determinism: for N beyond the lookahead, statistics deviate. Threads and schedules are those of the window
 * executor.
 */
#include "engine/core/engine.h"
#include "engine/executors/executor.h"

const struct mnp_executor mnp_executor_relaxed = {
    .name = "relaxed",
    .summary = "windows of N cycles, longer than is safe: repeatable, but not exact",
    .run = mnp_executor_run_windows,
    .relaxed = true,
};
