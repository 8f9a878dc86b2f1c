/* SPDX-License-Identifier: BSD-3-Clause */
/* Vidur's tables of a model on a GPU: times in milliseconds, a row for each number of tokens, and for each shape of
 * attention. Vidur's models of them read the medians. The last column says where a row comes from. */
#include "base/file.h"
#include "base/print.h"
#include "cli/profile/write.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, LONGEST = 4096, LARGEST_BATCH = 128, CONTEXT_STEP = 64 };

static const struct {
    const char *name;
    enum profile_operation operation;
} columns[] = {{"emb", PROFILE_EMBEDDING},
               {"input_layernorm", PROFILE_NORM},
               {"attn_pre_proj", PROFILE_PRE_PROJECTION},
               {"attn_rope", PROFILE_ROTARY},
               {"attn_post_proj", PROFILE_POST_PROJECTION},
               {"post_attention_layernorm", PROFILE_NORM},
               {"mlp_up_proj", PROFILE_UP_PROJECTION},
               {"mlp_act", PROFILE_ACTIVATION},
               {"mlp_down_proj", PROFILE_DOWN_PROJECTION},
               {"add", PROFILE_ADD}};

enum { COLUMNS = sizeof columns / sizeof columns[0] };

static void write_names(const char *name, FILE *out)
{
    static const char *const figures[] = {"min", "max", "mean", "median", "std"};
    for (int i = 0; i < PROFILE_FIGURES; i++)
        mnp_print_csv(out, "time_stats.%s.%s,", name, figures[i]);
}

static void write_figures(const struct profile_time *time, FILE *out)
{
    for (int i = 0; i < PROFILE_FIGURES; i++)
        fprintf(out, "%.6f,", time->us[i] / 1e3);
}

static bool open_table(struct mnp_output *output, const struct profile *profile, const char *folder, const char *name,
                       struct mnp_error *error)
{
    char path[PROFILE_MODEL_NAME * 3];
    snprintf(path, sizeof path, "vidur/compute/%s/%s/%s", profile->machine, profile->model.name, name);
    return cli_profile_open(output, folder, path, error);
}

static bool write_layers(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    const struct profile_model *m = &profile->model;
    uint32_t last = cli_profile_last(&profile->tokens), grid[PROFILE_GRID];
    uint32_t count = cli_profile_token_grid(last > LONGEST ? last : LONGEST, grid);
    struct mnp_output output;
    if (!open_table(&output, profile, folder, "mlp.csv", error))
        return false;
    for (int i = 0; i < COLUMNS; i++)
        write_names(columns[i].name, output.stream);
    fputs("n_head,n_kv_head,n_embd,n_expanded_embd,vocab_size,use_gated_mlp,num_tokens,num_tensor_parallel_workers,"
          "source\n",
          output.stream);
    for (uint32_t i = 0; i < count; i++) {
        enum profile_source source = PROFILE_SIMULATED;
        for (int j = 0; j < COLUMNS; j++) {
            struct profile_time time = cli_profile_time(profile, columns[j].operation, grid[i]);
            source = time.source > source ? time.source : source;
            write_figures(&time, output.stream);
        }
        mnp_print_csv(output.stream, "%u,%u,%u,%u,%u,True,%u,%u,%s\n", m->heads, m->kv_heads, m->hidden,
                      m->intermediate, m->vidur_vocabulary, grid[i], profile->gpus, cli_profile_sources[source]);
    }
    return cli_profile_close(&output, error);
}

/* A row of attention: of a prompt of `tokens`, or, with 0, of a batch with a context. */
static void write_attention_row(const struct profile *profile, uint32_t batch, uint32_t tokens, uint32_t context,
                                FILE *out)
{
    const struct profile_model *m = &profile->model;
    struct profile_time cache = cli_profile_time(profile, PROFILE_CACHE, tokens ? tokens : batch);
    struct profile_time time =
        tokens ? cli_profile_time(profile, PROFILE_PREFILL, tokens) : cli_profile_decode_time(profile, batch, context);
    enum profile_source source = cache.source > time.source ? cache.source : time.source;
    write_figures(&cache, out);
    for (int i = 0; i < PROFILE_FIGURES && !tokens; i++)
        fputc(',', out);
    write_figures(&time, out);
    for (int i = 0; i < PROFILE_FIGURES && tokens; i++)
        fputc(',', out);
    mnp_print_csv(out, "%u,%u,%u,%u,%u,%u,%u,%u,%u,%s,AttentionBackend.MANIPLE,%s\n", m->hidden, m->heads, m->kv_heads,
                  BLOCK, profile->gpus, LONGEST, batch, tokens, context, tokens ? "True" : "False",
                  cli_profile_sources[source]);
}

static bool write_attention(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    uint32_t grid[PROFILE_GRID], count = cli_profile_token_grid(LONGEST, grid);
    struct mnp_output output;
    if (!open_table(&output, profile, folder, "attention.csv", error))
        return false;
    write_names("attn_kv_cache_save", output.stream);
    write_names("attn_prefill", output.stream);
    write_names("attn_decode", output.stream);
    fputs("n_embd,n_q_head,n_kv_head,block_size,num_tensor_parallel_workers,max_model_len,batch_size,"
          "prefill_chunk_size,kv_cache_size,is_prefill,attention_backend,source\n",
          output.stream);
    for (uint32_t i = 0; i < count; i++)
        write_attention_row(profile, 1, grid[i], 0, output.stream);
    for (uint32_t batch = 1; batch <= LARGEST_BATCH; batch *= 2)
        for (uint32_t context = CONTEXT_STEP; context <= LONGEST; context += CONTEXT_STEP)
            write_attention_row(profile, batch, 0, context, output.stream);
    return cli_profile_close(&output, error);
}

bool cli_profile_write_vidur(const struct profile *profile, const char *folder, struct mnp_error *error)
{
    return write_layers(profile, folder, error) && write_attention(profile, folder, error);
}
