/* SPDX-License-Identifier: BSD-3-Clause */
#include "redirect/map.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST_MAP = 1 << 20, /* bytes */
    STEP = 16,             /* alignment of the runtime's code and of the first stretch of a map */
    FIRST = 256,           /* bytes at the beginning of the first stretch that are used for the search */
};

/* Base of a polynomial hash over bytes modulo 2^64, which can be updated incrementally (rolling hash).
 * data/runtimes/map.py computes the same hash. */
static const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);

static uint64_t hash_of(const unsigned char *bytes, uint64_t count)
{
    uint64_t hash = 0;
    for (uint64_t i = 0; i < count; i++)
        hash = hash * factor + bytes[i] + 1;
    return hash;
}

struct map {
    char *text; /* contents of the file */
    unsigned version;
    uint64_t first; /* offset of the first stretch */
    uint64_t hash;  /* hash of the first bytes of the first stretch */
    const char *rows;
};

/* Parses the head of a map: the version and the hash to search for. */
static bool read_map(const char *path, struct map *map)
{
    FILE *file = fopen(path, "r");
    size_t length = 0;
    map->text = file ? calloc(1, LARGEST_MAP + 1) : NULL;
    if (map->text)
        length = fread(map->text, 1, LARGEST_MAP, file);
    if (file)
        fclose(file);
    unsigned long long first, hash;
    int used = 0;
    bool good =
        length && sscanf(map->text, "version %u\nsearch %llx %llx\n%n", &map->version, &first, &hash, &used) == 3;
    if (!good || !used) {
        free(map->text);
        map->text = NULL;
        return false;
    }
    map->first = first;
    map->hash = hash;
    map->rows = map->text + used;
    return true;
}

/* Parses a row: its type ("code" or "function"), offset, length, hash, and a name. Returns the next row, or NULL at the
 * end. */
static const char *next_row(const char *row, bool *function, unsigned long long number[3], char name[128])
{
    char kind[16];
    const char *end = strchr(row, '\n');
    name[0] = 0;
    if (!end || sscanf(row, "%15s %llx %llx %llx %127s", kind, &number[0], &number[1], &number[2], name) < 4)
        return NULL;
    *function = strcmp(kind, "function") == 0;
    return end + 1;
}

/* Whether the bytes of all rows match the file. `base`: offset in the file of the runtime's code. */
static bool fits(const struct redirect_object *object, const struct map *map, uint64_t base, size_t *functions)
{
    unsigned long long number[3];
    char name[128];
    bool function = false;
    *functions = 0;
    for (const char *row = map->rows; *row;) {
        row = next_row(row, &function, number, name);
        const unsigned char *bytes =
            row && number[0] < INT32_MAX ? redirect_piece(object, base + number[0], number[1]) : NULL;
        if (!bytes || hash_of(bytes, number[1]) != number[2])
            return false;
        *functions += function;
    }
    return *functions > 0;
}

static bool take(const struct map *map, uint64_t address, size_t count, struct redirect_runtime *runtime)
{
    unsigned long long number[3];
    char name[128];
    bool function = false;
    runtime->functions = malloc(count * sizeof *runtime->functions);
    runtime->names = malloc(count * sizeof name);
    if (!runtime->functions || !runtime->names)
        return false;
    for (const char *row = map->rows; *row && runtime->count < count;) {
        row = next_row(row, &function, number, name);
        if (!function)
            continue;
        char *kept = memcpy(runtime->names + runtime->count * sizeof name, name, sizeof name);
        runtime->functions[runtime->count++] = (struct redirect_function){kept, address + number[0], 0};
    }
    uint64_t next = UINT64_MAX, after = UINT64_MAX; /* rows are sorted by offset; several names may share one offset */
    for (size_t i = count; i-- > 0;) {
        struct redirect_function *each = &runtime->functions[i];
        if (each->address != next) {
            after = next;
            next = each->address;
        }
        each->room = after - each->address;
    }
    runtime->version = map->version;
    runtime->major = map->version / 1000;
    return true;
}

/* Searches an executable segment: computes a rolling hash of FIRST bytes, and compares it with all maps at every
 * multiple of STEP. */
static bool search(const struct redirect_object *object, const Elf64_Phdr *segment, const struct map *maps,
                   size_t map_count, struct redirect_runtime *runtime)
{
    const unsigned char *code = object->bytes + segment->p_offset;
    uint64_t leaving = 1, hash = 0;
    for (unsigned i = 0; i < FIRST; i++)
        leaving *= factor;
    for (uint64_t end = 0; end < segment->p_filesz; end++) {
        hash = hash * factor + code[end] + 1;
        if (end >= FIRST)
            hash -= leaving * ((uint64_t)code[end - FIRST] + 1);
        uint64_t begin = end + 1 - FIRST;
        if (end + 1 < FIRST || (segment->p_vaddr + begin) % STEP)
            continue;
        for (size_t i = 0; i < map_count; i++) {
            size_t functions;
            if (hash == maps[i].hash && begin >= maps[i].first &&
                fits(object, &maps[i], segment->p_offset + begin - maps[i].first, &functions))
                return take(&maps[i], segment->p_vaddr + begin - maps[i].first, functions, runtime);
        }
    }
    return false;
}

enum { MOST_MAPS = 64 };

static size_t read_maps(const char *folder, struct map *maps)
{
    size_t count = 0;
    DIR *list = folder ? opendir(folder) : NULL;
    for (struct dirent *entry; list && count < MOST_MAPS && (entry = readdir(list));) {
        const char *end = strrchr(entry->d_name, '.');
        char *path = NULL;
        if (end && strcmp(end, ".map") == 0 && asprintf(&path, "%s/%s", folder, entry->d_name) > 0)
            count += read_map(path, &maps[count]);
        free(path);
    }
    if (list)
        closedir(list);
    return count;
}

/* Checks for texts that every version of the runtime has among its constants. A library that opens the runtime by name
 * contains only the names of a few functions. */
static bool has_texts(const struct redirect_object *object)
{
    /* The first character stands for the terminating zero of the preceding text: without it, this program itself would
     * match. */
    static const char *const texts[] = {"?cudaMemcpyToSymbolAsync", "?cudaGraphicsResourceGetMappedPointer",
                                        "?cuDevicePrimaryCtxGetState"};
    char wanted[64] = "";
    Elf64_Shdr constants;
    if (!redirect_section_named(object, ".rodata", &constants))
        return false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length = strlen(texts[i]);
        memcpy(wanted + 1, texts[i] + 1, length);
        if (!memmem(object->bytes + constants.sh_offset, constants.sh_size, wanted, length + 1))
            return false;
    }
    return true;
}

enum redirect_state redirect_map(const struct redirect_object *object, const char *folder,
                                 struct redirect_runtime *runtime)
{
    if (!has_texts(object))
        return REDIRECT_ABSENT;
    struct map *maps = calloc(MOST_MAPS, sizeof *maps);
    size_t count = maps ? read_maps(folder, maps) : 0;
    bool found = false;
    Elf64_Phdr segment;
    for (unsigned i = 0; count && !found && i < redirect_segments(object); i++)
        found = redirect_code(object, i, &segment) && search(object, &segment, maps, count, runtime);
    for (size_t i = 0; i < count; i++)
        free(maps[i].text);
    free(maps);
    return found ? REDIRECT_FOUND : REDIRECT_STRIPPED;
}
