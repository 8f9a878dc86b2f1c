/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/files/snapshot_file.h"

#include "base/allocate.h"
#include "base/file.h"
#include "engine/configure/value.h"
#include "results/files/folder.h"
#include "results/files/seal.h"

#define XXH_STATIC_LINKING_ONLY
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

static const char heading[16] = "maniple kept 3\n";

/* ===== the machine ===== */

static void add_name(void *context, const char *name, unsigned depth)
{
    fprintf(context, "%u %s\n", depth, name);
}

static void add_value(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth)
{
    add_name(context, name, depth);
    mnp_value_write(resolved, context);
}

static void add_end(void *context, unsigned depth)
{
    fprintf(context, "%u\n", depth);
}

/* A hash of all values; where they were stated does not matter. */
static uint64_t hash_machine(const struct mnp_settings *machine)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    MNP_NEED_MEMORY(out, "a hash");
    mnp_settings_walk(machine, &(struct mnp_settings_visitor){add_name, add_value, add_end, out});
    fclose(out);
    uint64_t hash = XXH3_64bits(text, length);
    free(text);
    return hash;
}

/* ===== plug-ins ===== */

/* Their names and hashes, in their order; where the files lie does not matter. To be freed. */
static char *list_plugins(const struct results_snapshot_of *of)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    MNP_NEED_MEMORY(out, "a list of plug-ins");
    for (uint32_t i = 0; i < of->plugin_count; i++)
        fprintf(out, "%s%s %.12s", i > 0 ? ", " : "", of->plugins[i].name, of->plugins[i].sha256);
    fclose(out);
    return text;
}

/* ===== writing ===== */

static void put_heading(struct mnp_snapshot *to, const struct results_snapshot_of *of, uint32_t launch)
{
    mnp_snapshot_put(to, heading, sizeof heading);
    mnp_snapshot_put_text(to, of->version);
    mnp_snapshot_put_text(to, mnp_settings_name(of->machine));
    mnp_snapshot_put_number(to, hash_machine(of->machine));
    char *plugins = list_plugins(of);
    mnp_snapshot_put_text(to, plugins);
    free(plugins);
    mnp_snapshot_put_text(to, of->input);
    mnp_snapshot_put_number(to, of->contents);
    mnp_snapshot_put_text(to, of->launches);
    mnp_snapshot_put_number(to, launch);
}

/* Most of a machine's state is room that nothing uses. */
static void put_body(struct mnp_snapshot *to, const struct mnp_snapshot *snapshot)
{
    size_t room = ZSTD_compressBound(snapshot->length);
    unsigned char *packed = mnp_allocate(room, 1);
    size_t length = ZSTD_compress(packed, room, snapshot->bytes, snapshot->length, 1);
    MNP_REQUIRE(!ZSTD_isError(length), "a snapshot cannot be compressed");
    mnp_snapshot_put_number(to, snapshot->length);
    mnp_snapshot_put_number(to, length);
    mnp_snapshot_put(to, packed, length);
    free(packed);
}

static bool write_file(struct mnp_output *output, const char *folder, const char *name, const struct mnp_snapshot *file,
                       const struct mnp_settings *machine, struct mnp_error *error)
{
    char *path = mnp_join_path(folder, name);
    bool open = mnp_output_open(output, path, error);
    free(path);
    if (open && file)
        fwrite(file->bytes, 1, file->length, output->stream);
    else if (open)
        mnp_settings_write(machine, false, output->stream);
    return open && mnp_output_finish(output, error);
}

bool results_write_snapshot(const char *folder, const struct results_snapshot_of *of, uint32_t launch,
                            const struct mnp_snapshot *snapshot, struct mnp_error *error)
{
    static const char *const none[] = {NULL};
    struct mnp_output outputs[2] = {0}, *const both[] = {&outputs[0], &outputs[1]};
    struct mnp_snapshot file = {0};
    struct results_seal_key key;
    if (!results_seal_key(&key, true, error))
        return false;
    put_heading(&file, of, launch);
    put_body(&file, snapshot);
    mnp_snapshot_put_number(&file, results_seal(&key, file.bytes, file.length));
    mnp_snapshot_put_number(&file, XXH3_64bits(file.bytes, file.length));
    bool done = mnp_make_folder(folder, error) &&
                write_file(&outputs[0], folder, "machine.resolved", NULL, of->machine, error) &&
                write_file(&outputs[1], folder, "snapshot", &file, NULL, error) &&
                results_folder_commit(folder, both, 2, none, error);
    mnp_output_discard(&outputs[0]);
    mnp_output_discard(&outputs[1]);
    mnp_snapshot_release(&file);
    return done;
}

/* ===== reading ===== */

struct reading {
    const char *path;
    const char *folder;
    struct mnp_snapshot_reader reader;
    struct mnp_error *error;
    struct mnp_error short_of; /* the reader's own, which names no file */
};

static bool is_damaged(const struct reading *reading)
{
    return mnp_fail_at(reading->error, reading->path, 0,
                       "the snapshot is damaged or cut short: take it again with --snapshot");
}

/* Takes a text; `*same`: whether it is the expected one. To be freed. */
static char *take_text(struct reading *reading, const char *expected, bool *same)
{
    char *text = mnp_snapshot_take_text(&reading->reader);
    *same = text && strcmp(text, expected ? expected : "") == 0;
    return text;
}

static bool check_version(struct reading *reading, const struct results_snapshot_of *of)
{
    bool same;
    free(take_text(reading, of->version, &same));
    return same || mnp_fail_at(reading->error, reading->path, 0,
                               "the snapshot is of another version of Maniple, whose models may keep other state: take "
                               "it again with this one");
}

static bool check_machine(struct reading *reading, const struct results_snapshot_of *of)
{
    bool same;
    uint64_t hash = 0;
    char *name = take_text(reading, mnp_settings_name(of->machine), &same);
    if (mnp_snapshot_take_number(&reading->reader, &hash) && hash != hash_machine(of->machine))
        mnp_fail_at(reading->error, reading->path, 0,
                    "the snapshot is of another machine (%.100s%s), not of this %.100s: run with --machine "
                    "%.200s/machine.resolved",
                    name, same ? " with other values" : "", mnp_settings_name(of->machine), reading->folder);
    free(name);
    return !reading->error->text[0];
}

static bool check_plugins(struct reading *reading, const struct results_snapshot_of *of)
{
    bool same;
    char *expected = list_plugins(of), *plugins = take_text(reading, expected, &same);
    if (plugins && !same)
        mnp_fail_at(
            reading->error, reading->path, 0,
            "the snapshot is of a machine with %s%.300s, this run has %s%.300s: give the same --plugin, or take "
            "a snapshot with this one",
            *plugins ? "plug-ins " : "no plug-in", plugins, *expected ? "plug-ins " : "no plug-in", expected);
    free(plugins);
    free(expected);
    return plugins && !reading->error->text[0];
}

static bool check_input(struct reading *reading, const struct results_snapshot_of *of)
{
    bool same;
    uint64_t contents = 0;
    char *input = take_text(reading, of->input, &same);
    if (mnp_snapshot_take_number(&reading->reader, &contents) && contents != of->contents)
        mnp_fail_at(reading->error, reading->path, 0,
                    "the snapshot is of another input (%.200s): give that one, or take a snapshot of %.200s", input,
                    of->input);
    free(input);
    return !reading->error->text[0];
}

static bool check_launches(struct reading *reading, const struct results_snapshot_of *of)
{
    bool same;
    char *launches = take_text(reading, of->launches, &same);
    if (!same)
        mnp_fail_at(reading->error, reading->path, 0, "the snapshot is of a run %s%.200s: go on with the same launches",
                    launches && launches[0] ? "with --kernels " : "without --kernels", launches ? launches : "");
    free(launches);
    return same;
}

/* A frame of zstd unpacks to at most so many times its own length, and a block more. */
enum { MOST_UNPACKED = 1 << 16, BLOCK = 1 << 17 };

/* Unpacks the machine's state. What a frame says of its own length decides, and must be what the file says. */
static bool unpack(const unsigned char *packed, size_t bytes, uint64_t length, struct mnp_snapshot *snapshot)
{
    if (length > bytes * (uint64_t)MOST_UNPACKED + BLOCK || ZSTD_getFrameContentSize(packed, bytes) != length)
        return false;
    snapshot->bytes = mnp_allocate(length + 1, 1);
    snapshot->length = snapshot->capacity = length;
    return ZSTD_decompress(snapshot->bytes, length, packed, bytes) == length;
}

static bool take_body(struct reading *reading, uint32_t *launch, struct mnp_snapshot *snapshot)
{
    uint64_t number, length, packed;
    if (!mnp_snapshot_take_number(&reading->reader, &number) || number > UINT32_MAX ||
        !mnp_snapshot_take_number(&reading->reader, &length) || !mnp_snapshot_take_number(&reading->reader, &packed) ||
        packed != reading->reader.left)
        return false;
    *launch = (uint32_t)number;
    return unpack(mnp_snapshot_take(&reading->reader, packed), packed, length, snapshot);
}

/* Checks the file as a whole: whether it is whole, and whether this user has taken it. */
static bool check_file(struct reading *reading, const char *bytes, size_t length)
{
    enum { TRAILER = 2 * sizeof(uint64_t) };
    struct results_seal_key key;
    uint64_t seal = 0, hash = 0;
    if (length < sizeof heading + TRAILER || memcmp(bytes, heading, sizeof heading) != 0)
        return mnp_fail_at(reading->error, reading->path, 0,
                           "is not a snapshot of this version of Maniple: take it again with --snapshot");
    memcpy(&seal, bytes + length - TRAILER, sizeof seal);
    memcpy(&hash, bytes + length - sizeof hash, sizeof hash);
    if (hash != XXH3_64bits(bytes, length - sizeof hash))
        return is_damaged(reading);
    reading->reader = (struct mnp_snapshot_reader){.at = (const unsigned char *)bytes + sizeof heading,
                                                   .left = length - sizeof heading - TRAILER,
                                                   .error = &reading->short_of};
    if (!results_seal_key(&key, false, reading->error))
        return false;
    if (seal == results_seal(&key, bytes, length - TRAILER))
        return true;
    return mnp_fail_at(reading->error, reading->path, 0,
                       "the snapshot is not one that you have taken: its seal is of another key than %s. Take it again "
                       "with --snapshot, or bring that file from where it was taken",
                       key.path);
}

static bool read_bytes(struct reading *reading, const struct results_snapshot_of *of, const char *bytes, size_t length,
                       uint32_t *launch, struct mnp_snapshot *snapshot)
{
    bool good = check_file(reading, bytes, length) && check_version(reading, of) && check_machine(reading, of) &&
                check_plugins(reading, of) && check_input(reading, of) && check_launches(reading, of) &&
                take_body(reading, launch, snapshot);
    return good || is_damaged(reading); /* unless it has been said what else is wrong */
}

bool results_read_snapshot(const char *folder, const struct results_snapshot_of *of, uint32_t *launch,
                           struct mnp_snapshot *snapshot, struct mnp_error *error)
{
    char *path = mnp_join_path(folder, "snapshot");
    struct reading reading = {.path = path, .folder = folder, .error = error};
    size_t length;
    char *bytes = NULL;
    bool done;
    if (access(path, F_OK) != 0)
        done = mnp_fail_at(error, folder, 0,
                           "there is no snapshot in it: a run leaves one with --snapshot %.200s, behind its first "
                           "launch",
                           folder);
    else
        done = (bytes = mnp_read_file(path, SIZE_MAX / 2, &length, error)) != NULL &&
               read_bytes(&reading, of, bytes, length, launch, snapshot);
    free(bytes);
    free(path);
    return done;
}
