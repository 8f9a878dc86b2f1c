/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writers of results (engine/count/results.h): JSON, text for people, and lines as GPGPU-Sim prints them.
 * Everything but the run's own description depends on the simulated machine and its input alone, so that outputs of
 * two executors can be compared byte by byte.
 */
#ifndef MNP_RESULTS_RESULTS_H
#define MNP_RESULTS_RESULTS_H

#include "base/file.h"
#include "engine/count/results.h"

/* "maniple-results-1": everything, with units. */
void results_write_json(const struct mnp_results *results, FILE *out);

/* Lines that fit on a screen: the answer, the issue slots, the longest kernels. All where there are few. */
void results_write_summary(const struct mnp_results *results, FILE *out);

/* A table of kernels, the issue slots, and all statistics of the whole run. Nothing host-dependent. */
void results_write_text(const struct mnp_results *results, FILE *out);

/* `name = value` lines with GPGPU-Sim's names and accumulation; host-dependent ones last, under a heading. */
void results_write_gpgpusim(const struct mnp_results *results, FILE *out);

/* Results of a machine of several devices: writes those of each by `write`, under its name and input, and a line about
 * the whole. False: it has one device, and nothing has been written. */
bool results_each_device(const struct mnp_results *results, void (*write)(const struct mnp_results *results, FILE *out),
                         FILE *out);

/* Statistics over time as comma-separated values: a line for each interval, which begins with the cycle of its end. */
void results_write_samples(const struct mnp_results *results, FILE *out);

/* Writes results.json, results.sqlite, stats.txt and machine.resolved into a folder, with samples also samples.csv,
 * and the maps of a machine that has some, in place of what a run before has left there; `also`: finished outputs for
 * the same folder. All of them or, on an error or where the process is killed, none (folder.h). Of a machine of several
 * devices, the same for each into a folder inside, "gpu0", and then those of the whole, which have no database. */
bool results_save(const struct mnp_results *results, const char *folder, struct mnp_output *const *also,
                  uint32_t also_count, struct mnp_error *error);

#endif
