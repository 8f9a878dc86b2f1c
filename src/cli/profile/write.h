/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers of profiles: one for each tool that reads them. Each writes files below `folder`; false: an error. */
#ifndef MNP_CLI_PROFILE_WRITE_H
#define MNP_CLI_PROFILE_WRITE_H

#include "cli/profile/points.h"

/* profile.csv: what was simulated, and what lies between. */
bool cli_profile_write_csv(const struct profile *profile, const char *folder, struct mnp_error *error);

/* vidur/compute/MACHINE/MODEL/mlp.csv and attention.csv, as Vidur's data/profiling has them. */
bool cli_profile_write_vidur(const struct profile *profile, const char *folder, struct mnp_error *error);

/* aiconfigurator/: a folder for its --systems-paths, with one system. */
bool cli_profile_write_aiconfigurator(const struct profile *profile, const char *folder, struct mnp_error *error);

/* astra-sim/prefill.N.et and decode.N.et: execution traces of Chakra for each GPU. */
bool cli_profile_write_astra_sim(const struct profile *profile, const char *folder, struct mnp_error *error);

/* ===== what writers share ===== */

enum { PROFILE_GRID = 512 };

/* Numbers of tokens from 1 to `most`: powers of two to 8, then steps of a 128th of the next power of two above, at
 * least 8. Returns their count. */
uint32_t cli_profile_token_grid(uint32_t most, uint32_t grid[PROFILE_GRID]);

/* Powers of two from 1 to `most`, and `most`. */
uint32_t cli_profile_power_grid(uint32_t most, uint32_t grid[PROFILE_GRID]);

/* The last of samples. */
uint32_t cli_profile_last(const struct profile_samples *samples);

/* Opens folder/path, with the folders between. */
struct mnp_output;
bool cli_profile_open(struct mnp_output *output, const char *folder, const char *path, struct mnp_error *error);
bool cli_profile_close(struct mnp_output *output, struct mnp_error *error);

#endif
