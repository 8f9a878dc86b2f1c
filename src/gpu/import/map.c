/* SPDX-License-Identifier: BSD-3-Clause */
/* Asking for options and their values, and writing lines of the machine file. */
#include "gpu/import/map.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* ===== values ===== */

struct gpu_import_option *gpu_map_take(struct gpu_mapping *mapping, const char *name)
{
    struct gpu_import_option *last = gpu_import_find(mapping->import, name);
    for (uint32_t i = 0; last && i < mapping->import->option_count; i++)
        if (strcmp(mapping->import->options[i].name, name) == 0)
            mapping->import->options[i].fate = GPU_IMPORT_MAPPED;
    return last;
}

void gpu_map_fail(struct gpu_mapping *mapping, const struct gpu_import_option *option, const char *what)
{
    mnp_fail_at(mapping->error, option->file, option->line, "%.60s %.100s: %s", option->name, option->value, what);
}

uint64_t gpu_map_number(struct gpu_mapping *mapping, const char *name, uint64_t least, uint64_t most, uint64_t fallback)
{
    const struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (!option)
        return fallback;
    uint64_t value;
    const char *problem = mnp_parse_number(option->value, &value);
    if (!problem && value >= least && value <= most)
        return value;
    char what[128];
    snprintf(what, sizeof what, "%s; state a whole number from %" PRIu64 " to %" PRIu64,
             problem ? problem : "is out of range", least, most);
    gpu_map_fail(mapping, option, what);
    return least;
}

void gpu_map_miss(struct gpu_mapping *mapping, const char *name)
{
    size_t length = strlen(mapping->missing), room = sizeof mapping->missing;
    const char *found = strstr(mapping->missing, name);
    char after = found ? found[strlen(name)] : 'x';
    if (found && (after == ',' || !after)) /* asked for twice */
        return;
    snprintf(mapping->missing + length, room - length, "%s%s", length ? ", " : "", name);
}

uint64_t gpu_map_needed(struct gpu_mapping *mapping, const char *name, uint64_t least, uint64_t most)
{
    if (!gpu_import_find(mapping->import, name))
        gpu_map_miss(mapping, name);
    return gpu_map_number(mapping, name, least, most, least);
}

uint32_t gpu_map_numbers(struct gpu_mapping *mapping, const struct gpu_import_option *option, const char *separators,
                         uint64_t *numbers, uint32_t count)
{
    uint32_t found = 0;
    for (const char *at = option->value; *at && found < count;) {
        char word[24];
        size_t length = strcspn(at, separators);
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), at);
        uint64_t value;
        if (mnp_parse_number(word, &value) || value > UINT32_MAX) {
            gpu_map_fail(mapping, option, "is not a list of whole numbers below 2^32");
            return found;
        }
        numbers[found++] = value;
        at += length + (at[length] != 0);
    }
    return found;
}

void gpu_map_lose(struct gpu_mapping *mapping, const char *name, const char *why)
{
    struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (!option)
        return;
    option->fate = GPU_IMPORT_LOST;
    option->why = why;
}

void gpu_map_agree(struct gpu_mapping *mapping, const char *name)
{
    struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (option)
        option->fate = GPU_IMPORT_DEFAULT;
}

/* ===== lines of the machine file ===== */

static void put(struct gpu_mapping *mapping, const char *key, const char *value, const char *source)
{
    struct gpu_import *import = mapping->import;
    uint32_t place = 0;
    while (place < import->entry_count && strcmp(import->entries[place].key, key) != 0)
        place++; /* if a key is stated twice, such as for a special unit, the last statement counts */
    MNP_REQUIRE(place < GPU_IMPORT_ENTRIES, "there is no room for the key %s", key);
    import->entry_count += place == import->entry_count;
    struct gpu_import_entry *entry = &import->entries[place];
    snprintf(entry->key, sizeof entry->key, "%s", key);
    snprintf(entry->value, sizeof entry->value, "%s", value);
    snprintf(entry->source, sizeof entry->source, "%s", source);
}

void gpu_map_put(struct gpu_mapping *mapping, const char *key, uint64_t value, const char *source)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64 "%s", value, value > INT32_MAX ? "L" : "");
    put(mapping, key, text, source);
}

void gpu_map_put_size(struct gpu_mapping *mapping, const char *key, uint64_t bytes, const char *source)
{
    char size[MNP_NUMBER_TEXT];
    gpu_map_put_word(mapping, key, mnp_format_size(size, bytes), source);
}

void gpu_map_put_word(struct gpu_mapping *mapping, const char *key, const char *word, const char *source)
{
    char text[48];
    snprintf(text, sizeof text, "\"%.44s\"", word);
    put(mapping, key, text, source);
}

void gpu_map_put_truth(struct gpu_mapping *mapping, const char *key, bool truth, const char *source)
{
    put(mapping, key, truth ? "true" : "false", source);
}

void gpu_map_put_sizes(struct gpu_mapping *mapping, const char *key, const uint64_t *kib, uint32_t count,
                       const char *source)
{
    char text[GPU_IMPORT_VALUE] = "[";
    size_t used = 1;
    for (uint32_t i = 0; i < count; i++) {
        char size[MNP_NUMBER_TEXT];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s\"%s\"", i ? ", " : "",
                                 mnp_format_size(size, kib[i] << 10));
        MNP_REQUIRE(used + 2 < sizeof text, "a list of %u sizes is too long", count);
    }
    snprintf(text + used, sizeof text - used, "]");
    put(mapping, key, text, source);
}

/* ===== caches ===== */

enum { MOST_SETS = 1 << 24, MOST_LINE = 4096, MOST_WAYS = 1 << 16 }; /* their product is a number of 64 bits */

bool gpu_map_cache(struct gpu_mapping *mapping, const char *name, struct gpu_map_cache *cache)
{
    const struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (!option || strcmp(option->value, "none") == 0)
        return false;
    *cache = (struct gpu_map_cache){0};
    char mshr, tail[16] = "";
    int found = sscanf(
        option->value,
        "%c:%9" SCNu64 ":%9" SCNu64 ":%9" SCNu64 ",%c:%c:%c:%c:%c,%c:%9" SCNu64 ":%9" SCNu64 ",%9" SCNu64 "%15s",
        &cache->kind, &cache->sets, &cache->line, &cache->ways, &cache->replacement, &cache->write, &cache->allocate,
        &cache->write_allocate, &cache->index, &mshr, &cache->mshrs, &cache->merge, &cache->queue, tail);
    bool signs = strpbrk(option->value, "+-"); /* sscanf would take signs for parts of a number */
    bool large = cache->sets > MOST_SETS || cache->line > MOST_LINE || cache->ways > MOST_WAYS;
    if (found < 13 || signs || large || !cache->sets || !cache->line || !cache->ways || !cache->mshrs ||
        !cache->merge) {
        gpu_map_fail(mapping, option,
                     "describes no cache; a description looks like S:4:128:64,L:T:m:L:L,A:512:8,16:0,32");
        return false;
    }
    const char *comma = strrchr(tail, ',');
    if (comma)
        sscanf(comma + 1, "%9" SCNu64, &cache->port);
    return true;
}
