/* SPDX-License-Identifier: BSD-3-Clause */
/* Separators of the packed form are control characters for that purpose (ASCII: unit and record separators). A word of
 * the command line that holds one is kept with a question mark in its place. */
#include "results/provenance/provenance.h"

#include "base/allocate.h"
#include "base/installed.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

enum { UNIT = '\x1f', RECORD = '\x1e', HASH_TEXT = 80 };
#define MOST_HASHED (UINT64_C(256) << 20)

void results_provenance_add(struct mnp_array *facts, const char *kind, const char *name, const char *value)
{
    struct results_fact *fact = mnp_array_add(facts, 1, sizeof *fact);
    *fact = (struct results_fact){strdup(kind), strdup(name), strdup(value)};
}

void results_provenance_release(struct mnp_array *facts)
{
    struct results_fact *all = facts->items;
    for (uint32_t i = 0; i < facts->count; i++) {
        free(all[i].kind);
        free(all[i].name);
        free(all[i].value);
    }
    mnp_array_release(facts);
}

/* ===== from the command to programs ===== */

static void put(const char *text, int end, FILE *out)
{
    for (; *text; text++)
        putc(*text == UNIT || *text == RECORD ? '?' : *text, out);
    putc(end, out);
}

char *results_provenance_pack(const struct mnp_array *facts)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const struct results_fact *all = facts->items;
    for (uint32_t i = 0; out && i < facts->count; i++) {
        put(all[i].kind, UNIT, out);
        put(all[i].name, UNIT, out);
        put(all[i].value, RECORD, out);
    }
    if (out)
        fclose(out);
    return text;
}

void results_provenance_unpack(const char *text, struct mnp_array *facts)
{
    char *copy = strdup(text ? text : ""), *rest = copy, *record;
    while ((record = strsep(&rest, "\x1e")) && *record) {
        char *kind = strsep(&record, "\x1f"), *name = strsep(&record, "\x1f");
        if (name && record)
            results_provenance_add(facts, kind, name, record);
    }
    free(copy);
}

/* ===== files ===== */

/* The hash of a file, or how long it is where it is long. False: it cannot be read. */
static bool hash_file(const char *path, char text[static HASH_TEXT])
{
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "rb") : NULL;
    if (!file)
        return false;
    if ((uint64_t)status.st_size > MOST_HASHED) {
        snprintf(text, HASH_TEXT, "bytes %llu", (unsigned long long)status.st_size);
        fclose(file);
        return true;
    }
    enum { PIECE = 1 << 16 };
    char *piece = mnp_allocate(PIECE, 1);
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (size_t length; (length = fread(piece, 1, PIECE, file)) > 0;)
        XXH3_128bits_update(state, piece, length);
    bool good = !ferror(file);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    snprintf(text, HASH_TEXT, "xxh128 %016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    XXH3_freeState(state);
    free(piece);
    fclose(file);
    return good;
}

static bool add_file(struct mnp_array *facts, const char *kind, const char *path)
{
    char hash[HASH_TEXT];
    bool good = hash_file(path, hash);
    if (good)
        results_provenance_add(facts, kind, path, hash);
    return good;
}

/* The build ID in notes of a library in memory. False: there is none. */
static bool find_build_id(const char *notes, size_t size, char text[static HASH_TEXT])
{
    while (size >= sizeof(ElfW(Nhdr))) {
        const ElfW(Nhdr) *note = (const void *)notes;
        size_t name = (note->n_namesz + 3u) & ~3u, whole = sizeof *note + name + ((note->n_descsz + 3u) & ~3u);
        if (whole > size)
            return false;
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(note + 1, "GNU", 4) == 0) {
            const unsigned char *id = (const unsigned char *)(note + 1) + name;
            int length = snprintf(text, HASH_TEXT, "build-id ");
            for (uint32_t i = 0; i < note->n_descsz && length + 3 < HASH_TEXT; i++)
                length += snprintf(text + length, 3, "%02x", id[i]);
            return true;
        }
        notes += whole;
        size -= whole;
    }
    return false;
}

static int add_library(struct dl_phdr_info *library, size_t size, void *context)
{
    struct mnp_array *facts = context;
    char text[HASH_TEXT];
    (void)size;
    if (!library->dlpi_name || library->dlpi_name[0] != '/')
        return 0;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        const char *notes = (const char *)(uintptr_t)(library->dlpi_addr + part->p_vaddr);
        if (part->p_type == PT_NOTE && find_build_id(notes, part->p_memsz, text)) {
            results_provenance_add(facts, "library", library->dlpi_name, text);
            return 0;
        }
    }
    add_file(facts, "library", library->dlpi_name);
    return 0;
}

/* The first file among the arguments of this process: of an interpreter, its script. */
static void add_script(struct mnp_array *facts)
{
    FILE *words = fopen("/proc/self/cmdline", "rb");
    char *word = NULL;
    size_t room = 0;
    for (int i = 0; words && getdelim(&word, &room, 0, words) > 0; i++)
        if (i > 0 && word[0] != '-' && add_file(facts, "argument", word))
            break;
    free(word);
    if (words)
        fclose(words);
}

/* ===== all ===== */

/* Whether this process is the command `maniple`, as the facts that it has left say. */
static bool is_command(const struct mnp_array *facts, const char *self)
{
    const struct results_fact *all = facts->items;
    for (uint32_t i = 0; i < facts->count; i++)
        if (strcmp(all[i].name, "file") == 0 && strcmp(all[i].kind, "build") == 0)
            return strcmp(all[i].value, self) == 0;
    return false;
}

void results_provenance_collect(const struct mnp_results *results, struct mnp_array *facts)
{
    const struct mnp_run_info *run = &results->run;
    char *path = mnp_program_path(), sha[HASH_TEXT];
    const char *self = path ? path : "";
    results_provenance_unpack(getenv(RESULTS_PROVENANCE_VARIABLE), facts);
    if (is_command(facts, self)) {
        add_file(facts, "input", run->input ? run->input : "");
    } else {
        add_file(facts, "program", self);
        add_script(facts);
        dl_iterate_phdr(add_library, facts);
    }
    for (uint32_t i = 0; i < run->plugin_count; i++) {
        snprintf(sha, sizeof sha, "sha256 %.64s", run->plugins[i].sha256);
        results_provenance_add(facts, "plug-in", run->plugins[i].file, sha);
    }
    free(path);
}
