/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/profile/write.h"

#include "base/file.h"
#include "base/print.h"

#include <stdlib.h>
#include <string.h>

uint32_t cli_profile_token_grid(uint32_t most, uint32_t grid[PROFILE_GRID])
{
    uint32_t count = 0;
    for (uint32_t at = 1, step = 8; at <= most && count < PROFILE_GRID; count++) {
        grid[count] = at;
        while (step * 128 <= at && at >= 1024)
            step *= 2;
        at += at < 8 ? at : step;
    }
    if (count && count < PROFILE_GRID && grid[count - 1] < most)
        grid[count++] = most;
    return count;
}

uint32_t cli_profile_power_grid(uint32_t most, uint32_t grid[PROFILE_GRID])
{
    uint32_t count = 0;
    for (uint32_t at = 1; at < most && count < 31; at *= 2)
        grid[count++] = at;
    grid[count++] = most;
    return count;
}

uint32_t cli_profile_last(const struct profile_samples *samples)
{
    return samples->count ? samples->at[samples->count - 1] : 0;
}

bool cli_profile_open(struct mnp_output *output, const char *folder, const char *path, struct mnp_error *error)
{
    char *whole = mnp_join_path(folder, path), *slash = strrchr(whole, '/'),
         *above = strndup(whole, (size_t)(slash - whole));
    bool opened = mnp_make_folder(above, error) && mnp_output_open(output, whole, error);
    free(above);
    free(whole);
    return opened;
}

bool cli_profile_close(struct mnp_output *output, struct mnp_error *error)
{
    bool done = mnp_output_finish(output, error) && mnp_output_commit(output, error);
    mnp_output_discard(output);
    return done;
}

/* ===== our own table ===== */

struct row {
    const char *operation;
    uint32_t batch, tokens, context;
};

static void write_row(const struct profile *profile, const struct row *row, const struct profile_time *time, FILE *out)
{
    mnp_print_csv(out, "%s,%u,%u,%u,%u,%.3f,%.3f,%.3f,%s,%s\n", row->operation, row->batch, row->tokens, row->context,
                  profile->gpus, time->us[PROFILE_LEAST], time->us[PROFILE_MEDIAN], time->us[PROFILE_MOST],
                  cli_profile_sources[time->source], time->kernels);
}

static void write_operation(const struct profile *profile, enum profile_operation operation, FILE *out)
{
    const struct profile_samples *at = &profile->series[operation].at;
    uint32_t grid[PROFILE_GRID], count = cli_profile_power_grid(cli_profile_last(at), grid), next = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (; next < at->count && at->at[next] <= grid[i]; next++) {
            struct profile_time time = cli_profile_time(profile, operation, at->at[next]);
            write_row(profile, &(struct row){cli_profile_operations[operation], 1, at->at[next], 0}, &time, out);
        }
        if (grid[i] < at->at[0] || at->at[next - 1] == grid[i])
            continue;
        struct profile_time time = cli_profile_time(profile, operation, grid[i]);
        write_row(profile, &(struct row){cli_profile_operations[operation], 1, grid[i], 0}, &time, out);
    }
}

static void write_decode(const struct profile *profile, FILE *out)
{
    for (uint32_t i = 0; i < profile->batches.count; i++) {
        for (uint32_t j = 0; j < profile->contexts.count; j++) {
            const struct row row = {"attn_decode", profile->batches.at[i], 1, profile->contexts.at[j]};
            struct profile_time time = cli_profile_decode_time(profile, row.batch, row.context);
            write_row(profile, &row, &time, out);
        }
    }
}

bool cli_profile_write_csv(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    struct mnp_output output;
    if (!cli_profile_open(&output, folder, "profile.csv", error))
        return false;
    fputs("operation,batch,tokens,context,tensor_parallel,min_us,median_us,max_us,source,kernels\n", output.stream);
    for (int i = 0; i < PROFILE_OPERATIONS; i++)
        write_operation(profile, (enum profile_operation)i, output.stream);
    write_decode(profile, output.stream);
    return cli_profile_close(&output, error);
}
