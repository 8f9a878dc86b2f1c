/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tables of AIConfigurator for a GPU: products, attention of prompts and of decoding, in Parquet, with times in
 * milliseconds. They lie as those of a version of vLLM, in whose place the profile stands; the column kernel_source
 * says what is simulated. Of its description of a system (memory, links) the tool has its own.
 */
#include "base/file.h"
#include "base/print.h"
#include "base/version.h"
#include "cli/profile/parquet.h"
#include "cli/profile/write.h"

#include <stdlib.h>
#include <string.h>

static bool open_table(struct mnp_output *output, const struct profile *profile, const char *folder, const char *family,
                       const char *name, struct mnp_error *error)
{
    char path[512];
    snprintf(path, sizeof path, "aiconfigurator/data/%s/%s/vllm/" MANIPLE_VERSION "/%s", profile->machine, family,
             name);
    return cli_profile_open(output, folder, path, error);
}

static bool write_meta(const struct profile *profile, const char *folder, const char *family, const char *const *tables,
                       struct mnp_error *error)
{
    struct mnp_output output;
    if (!open_table(&output, profile, folder, family, "collection_meta.yaml", error))
        return false;
    fputs("schema_version: 1\nprovenance: legacy\nruntime:\n  framework: vllm\n  version: " MANIPLE_VERSION
          "\ntables:\n",
          output.stream);
    for (; *tables; tables++)
        mnp_print_text(output.stream, "  %s:\n    status: complete\n", *tables);
    return cli_profile_close(&output, error);
}

/* "maniple simulated: KERNELS" */
static char *source_of(const struct profile_time *time)
{
    char *text = NULL;
    if (asprintf(&text, "maniple %s: %s", cli_profile_sources[time->source], time->kernels) < 0)
        return strdup("maniple");
    return text;
}

/* ===== products ===== */

static void add_products(const struct profile *profile, struct parquet *table)
{
    uint32_t grid[PROFILE_GRID], count = cli_profile_power_grid(cli_profile_last(&profile->tokens), grid), n, k;
    for (int i = PROFILE_PRE_PROJECTION; i <= PROFILE_HEAD; i++) {
        cli_profile_product(profile, (enum profile_operation)i, &n, &k);
        for (uint32_t j = 0; j < count; j++) {
            struct profile_time time = cli_profile_time(profile, (enum profile_operation)i, grid[j]);
            char *source = source_of(&time);
            cli_parquet_add(table, "VLLM", MANIPLE_VERSION, profile->machine, "gemm", source, "bfloat16",
                            (int64_t)grid[j], (int64_t)n, (int64_t)k, time.us[PROFILE_MEDIAN] / 1e3);
            free(source);
        }
    }
}

static bool write_products(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    static const char *const names[] = {"framework",  "version", "device", "op_name", "kernel_source",
                                        "gemm_dtype", "m",       "n",      "k",       "latency"};
    struct mnp_output output;
    if (!open_table(&output, profile, folder, "gemm", "gemm_perf.parquet", error))
        return false;
    struct parquet *table = cli_parquet_begin("ttttttiiid", names);
    add_products(profile, table);
    cli_parquet_end(table, output.stream);
    return cli_profile_close(&output, error) &&
           write_meta(profile, folder, "gemm", (const char *const[]){"gemm_perf", NULL}, error);
}

/* ===== attention ===== */

static void add_attention(const struct profile *profile, struct parquet *table, const char *operation, uint32_t batch,
                          uint32_t tokens, uint32_t step, const struct profile_time *time)
{
    const struct profile_model *m = &profile->model;
    char *source = source_of(time);
    cli_parquet_add(table, "VLLM", MANIPLE_VERSION, profile->machine, operation, source, (int64_t)batch,
                    (int64_t)tokens, (int64_t)(m->heads / profile->gpus), (int64_t)(m->kv_heads / profile->gpus),
                    (int64_t)m->dimension, (int64_t)1, "bfloat16", "bfloat16", (int64_t)step, (int64_t)0,
                    time->us[PROFILE_MEDIAN] / 1e3);
    free(source);
}

/* Prompts of several sequences: of one sequence, times their number. */
static void add_prompts(const struct profile *profile, struct parquet *table)
{
    uint32_t grid[PROFILE_GRID], count = cli_profile_power_grid(cli_profile_last(&profile->tokens), grid);
    for (uint32_t batch = 1; batch <= 8; batch *= 2) {
        for (uint32_t i = 0; i < count; i++) {
            struct profile_time time = cli_profile_time(profile, PROFILE_PREFILL, grid[i]);
            if (batch > 1)
                time.source = PROFILE_EXTRAPOLATED;
            time.us[PROFILE_MEDIAN] *= batch;
            add_attention(profile, table, "context_attention", batch, grid[i], 0, &time);
        }
    }
}

static void add_decoding(const struct profile *profile, struct parquet *table)
{
    uint32_t batches[PROFILE_GRID], contexts[PROFILE_GRID];
    uint32_t batch_count = cli_profile_power_grid(cli_profile_last(&profile->batches), batches);
    uint32_t context_count = cli_profile_power_grid(cli_profile_last(&profile->contexts), contexts);
    for (uint32_t i = 0; i < batch_count; i++) {
        for (uint32_t j = 1; j < context_count; j++) {
            struct profile_time time = cli_profile_decode_time(profile, batches[i], contexts[j]);
            add_attention(profile, table, "generation_attention", batches[i], 1, contexts[j] - 1, &time);
        }
    }
}

static bool write_attention(const struct profile *profile, const char *folder, const char *name,
                            void (*add)(const struct profile *, struct parquet *), struct mnp_error *error)
{
    static const char *const names[] = {"framework",           "version",    "device",      "op_name",
                                        "kernel_source",       "batch_size", "isl",         "num_heads",
                                        "num_key_value_heads", "head_dim",   "beam_width",  "attn_dtype",
                                        "kv_cache_dtype",      "step",       "window_size", "latency"};
    struct mnp_output output;
    if (!open_table(&output, profile, folder, "attention", name, error))
        return false;
    struct parquet *table = cli_parquet_begin("tttttiiiiiittiid", names);
    add(profile, table);
    cli_parquet_end(table, output.stream);
    return cli_profile_close(&output, error);
}

bool cli_profile_write_aiconfigurator(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    static const char *const tables[] = {"context_attention_perf", "generation_attention_perf", NULL};
    return write_products(profile, folder, error) &&
           write_attention(profile, folder, "context_attention_perf.parquet", add_prompts, error) &&
           write_attention(profile, folder, "generation_attention_perf.parquet", add_decoding, error) &&
           write_meta(profile, folder, "attention", tables, error);
}
