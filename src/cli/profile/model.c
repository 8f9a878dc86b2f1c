/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/profile/model.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/words.h"
#include "results/encoding/sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 4 << 20, LARGEST_NUMBER = 1 << 24 };

static const struct {
    const char *name;
    struct profile_model model;
} models[] = {
#define PROFILE_MODEL(NAME, ELSEWHERE, LAYERS, HIDDEN, HEADS, KV_HEADS, DIMENSION, INTERMEDIATE, WORDS, VIDUR)         \
    {NAME, {ELSEWHERE, LAYERS, HIDDEN, HEADS, KV_HEADS, DIMENSION, INTERMEDIATE, WORDS, VIDUR}},
#include "cli/profile/model_list.h"
#undef PROFILE_MODEL
};

enum { MODELS = sizeof models / sizeof models[0] };

/* ===== config.json ===== */

/* A number of the file, which SQLite reads; `otherwise` where it states none, 0: it must. */
static bool read_number(sqlite3 *database, const char *file, const char *text, const char *name, uint32_t otherwise,
                        uint32_t *number, struct mnp_error *error)
{
    char path[64];
    snprintf(path, sizeof path, "$.%s", name);
    sqlite3_stmt *query = results_sqlite_prepare(database, "SELECT json_extract(?, ?)", error);
    if (!query)
        return false;
    results_sqlite_bind(query, "tt", text, path);
    bool good = sqlite3_step(query) == SQLITE_ROW;
    int64_t value = good ? sqlite3_column_int64(query, 0) : 0;
    bool stated = good && sqlite3_column_type(query, 0) != SQLITE_NULL;
    if (!good)
        mnp_fail_at(error, file, 0, "is no JSON (%s); give a config.json of Hugging Face", sqlite3_errmsg(database));
    else if (!stated && !otherwise)
        mnp_fail_at(error, file, 0, "does not state %s; give a config.json of Hugging Face", name);
    else if (stated && (sqlite3_column_type(query, 0) != SQLITE_INTEGER || value < 1 || value > LARGEST_NUMBER))
        mnp_fail_at(error, file, 0, "%s is no whole number from 1 to %d", name, LARGEST_NUMBER);
    *number = stated ? (uint32_t)value : otherwise;
    sqlite3_finalize(query);
    return !error->text[0];
}

/* A text of the file; empty where it states none. */
static bool read_text(sqlite3 *database, const char *text, const char *path, char *to, size_t room,
                      struct mnp_error *error)
{
    sqlite3_stmt *query = results_sqlite_prepare(database, "SELECT json_extract(?, ?)", error);
    if (!query)
        return false;
    results_sqlite_bind(query, "tt", text, path);
    const char *found = sqlite3_step(query) == SQLITE_ROW ? (const char *)sqlite3_column_text(query, 0) : NULL;
    snprintf(to, room, "%s", found ? found : "");
    sqlite3_finalize(query);
    return true;
}

static bool read_numbers(struct profile_model *m, sqlite3 *database, const char *file, const char *text,
                         struct mnp_error *error)
{
    return read_number(database, file, text, "num_hidden_layers", 0, &m->layers, error) &&
           read_number(database, file, text, "hidden_size", 0, &m->hidden, error) &&
           read_number(database, file, text, "num_attention_heads", 0, &m->heads, error) &&
           read_number(database, file, text, "num_key_value_heads", m->heads, &m->kv_heads, error) &&
           read_number(database, file, text, "head_dim", m->hidden / m->heads ? m->hidden / m->heads : 1, &m->dimension,
                       error) &&
           read_number(database, file, text, "intermediate_size", 0, &m->intermediate, error) &&
           read_number(database, file, text, "vocab_size", 0, &m->vocabulary, error);
}

/* A file without a name of the model: the folder's is taken, as models lie in folders of their names. */
static void name_by_folder(struct profile_model *m, const char *file)
{
    char *path = realpath(file, NULL), *end = path ? strrchr(path, '/') : NULL;
    if (end)
        *end = 0;
    const char *name = end ? strrchr(path, '/') : NULL;
    snprintf(m->name, sizeof m->name, "%s", name && name[1] ? name + 1 : "model");
    free(path);
}

static bool read_config(struct profile_model *m, sqlite3 *database, const char *file, const char *text,
                        struct mnp_error *error)
{
    static const char *const experts[] = {"num_local_experts", "num_experts", "n_routed_experts"};
    char activation[32];
    uint32_t count;
    if (!read_numbers(m, database, file, text, error))
        return false;
    for (size_t i = 0; i < sizeof experts / sizeof experts[0]; i++)
        if (!read_number(database, file, text, experts[i], 1, &count, error) || count > 1)
            return error->text[0]
                       ? false
                       : mnp_fail_at(error, file, 0,
                                     "%s: there are no kernels of mixtures of experts for profiles yet; give "
                                     "a dense model",
                                     experts[i]);
    if (!read_text(database, text, "$.hidden_act", activation, sizeof activation, error) ||
        !read_text(database, text, "$._name_or_path", m->name, sizeof m->name, error))
        return false;
    m->vidur_vocabulary = m->vocabulary;
    if (!m->name[0])
        name_by_folder(m, file);
    return !activation[0] || strcmp(activation, "silu") == 0 ||
           mnp_fail_at(error, file, 0,
                       "hidden_act is %s; profiles have a gated SiLU (\"silu\") alone: give a model with it",
                       activation);
}

static bool read_file(struct profile_model *m, const char *file, struct mnp_error *error)
{
    size_t length;
    char *text = mnp_read_file(file, LARGEST_FILE, &length, error);
    sqlite3 *database = text ? results_sqlite_memory(error) : NULL;
    bool good = database && read_config(m, database, file, text, error);
    sqlite3_close(database);
    free(text);
    return good;
}

/* ===== checks ===== */

static bool check(const struct profile_model *m, struct mnp_error *error)
{
    uint32_t shared = m->kv_heads ? m->heads / m->kv_heads : 0;
    if (m->heads % m->kv_heads)
        return mnp_fail(error, "%.100s: %u heads of keys and values do not divide %u heads; give a model where they do",
                        m->name, m->kv_heads, m->heads);
    if (m->dimension != 64 && m->dimension != 128)
        return mnp_fail(error, "%.100s: heads of %u numbers; profiles have kernels of attention for 64 and 128",
                        m->name, m->dimension);
    if (shared != 1 && shared != 2 && shared != 4 && shared != 8)
        return mnp_fail(error, "%.100s: %u heads share keys and values; profiles have kernels for 1, 2, 4 and 8",
                        m->name, shared);
    return !(m->hidden % 8 || m->intermediate % 8) ||
           mnp_fail(error, "%.100s: the hidden and the intermediate size must be multiples of 8", m->name);
}

bool cli_profile_model_cut(const struct profile_model *m, uint32_t gpus, struct mnp_error *error)
{
    const struct {
        uint32_t count;
        const char *what;
    } parts[] = {{m->heads, "heads"},
                 {m->kv_heads, "heads of keys and values"},
                 {m->intermediate / 8, "times 8 numbers of the intermediate size"},
                 {m->vocabulary, "words of the vocabulary"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].count % gpus)
            return mnp_fail(error,
                            "--tensor-parallel %u does not divide the %u %s of %.100s; choose a number that does", gpus,
                            parts[i].count, parts[i].what, m->name);
    return true;
}

/* An unknown name: the nearest one, or all. */
static bool no_such_model(const char *name, const char *const *names, struct mnp_error *error)
{
    char all[512] = "";
    if (mnp_nearest_word(name, names, MODELS))
        return cli_unknown_word("maniple profile", "model", name, names, MODELS, error);
    for (size_t i = 0, used = 0; i < MODELS; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", names[i]);
    return mnp_fail(error, "maniple profile has no model %.200s; give %s, or the config.json of another", name, all);
}

bool cli_profile_model_read(struct profile_model *model, const char *text, struct mnp_error *error)
{
    const char *names[MODELS];
    for (size_t i = 0; i < MODELS; i++) {
        names[i] = models[i].name;
        if (strcmp(text, models[i].name) == 0 || strcmp(text, models[i].model.name) == 0) {
            *model = models[i].model;
            return check(model, error);
        }
    }
    bool file = access(text, F_OK) == 0 || strchr(text, '/') || strstr(text, ".json");
    return (file || no_such_model(text, names, error)) && read_file(model, text, error) && check(model, error);
}
