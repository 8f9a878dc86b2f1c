/* SPDX-License-Identifier: BSD-3-Clause */
/* What it takes on this host, now, that threads meet at the end of a window: measured, for predictions. */
#ifndef MNP_ENGINE_EXECUTORS_MEETING_H
#define MNP_ENGINE_EXECUTORS_MEETING_H

#include <stdint.h>

struct mnp_executor;
struct mnp_transport;

/* Nanoseconds of a job of nothing for so many threads of a team: the least of short series, as others may take the
 * processors. */
double mnp_meeting_of_team(uint32_t threads);

/* The same for an executor that meets in every window: what a window of units that do nothing takes beyond serial. */
double mnp_meeting_of_executor(const struct mnp_executor *executor, uint32_t threads);

/* What a thread of a loop with the dynamic schedule (executor "openmp") takes to get its next core while others get
 * theirs, in nanoseconds. */
double mnp_meeting_of_taking(const struct mnp_executor *openmp, uint32_t threads);

/* Nanoseconds of what processes do between windows: to gather what each sees ahead; to send each other a small message
 * beside it, for each other process; and each byte of a message. Collective; the same in all processes. */
struct mnp_exchange_cost {
    double gather, message, byte;
};
struct mnp_exchange_cost mnp_meeting_of_processes(const struct mnp_transport *transport);

#endif
