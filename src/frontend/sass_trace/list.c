/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass_trace/list.h"

#include "base/arena.h"
#include "base/input.h"
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_LINE = 4096, MOST_BYTES = 1 << 26 };

/* The whole file, ending in a zero byte; NULL: an error. */
static char *read_all(const char *path, size_t *length, struct mnp_error *error)
{
    struct mnp_input *input = mnp_input_open(path, error);
    if (!input)
        return NULL;
    size_t capacity = 1 << 16, used = 0;
    char *text = mnp_allocate(capacity, 1);
    int64_t got;
    while ((got = mnp_input_read(input, text + used, capacity - used - 1, error)) > 0) {
        used += (size_t)got;
        if (used > MOST_BYTES) {
            mnp_fail_at(error, path, 0, "is larger than 64 MiB: this is no list of kernels; name a kernelslist.g");
            got = -1;
            break;
        }
        if (capacity - used < 1 << 15)
            text = mnp_reallocate(text, capacity *= 2, 1);
    }
    mnp_input_close(input);
    if (got < 0) {
        free(text);
        return NULL;
    }
    text[used] = 0;
    *length = used;
    return text;
}

static bool exists(const char *path)
{
    return access(path, R_OK) == 0;
}

/* The path of a kernel's file, or NULL with errno of the name as it stands. */
static char *find_file(const char *folder, size_t folder_length, const char *name)
{
    static const char *const endings[] = {"", ".xz", ".gz", ".zst"};
    size_t room = folder_length + strlen(name) + 8;
    char *path = mnp_allocate(room, 1);
    int reason = 0;
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(path, room, "%.*s%s%s", name[0] == '/' ? 0 : (int)folder_length, folder, name, endings[i]);
        if (exists(path))
            return path;
        reason = reason ? reason : errno;
    }
    free(path);
    errno = reason;
    return NULL;
}

static void add(struct list *list, struct list_entry entry)
{
    if ((list->count & (list->count - 1)) == 0)
        list->entries = mnp_reallocate(list->entries, list->count ? 2 * (size_t)list->count : 1, sizeof entry);
    list->entries[list->count++] = entry;
}

/* Lists of long runs name few files many times, which are looked for once. */
static uint64_t hash_of(const char *name)
{
    uint64_t hash = mnp_text_hash(0, name);
    return hash ^ hash >> 32;
}

/* The place of a name in the table, which holds entries + 1: 0 where it is new. */
static uint32_t *place_of(const struct list *list, const char *name)
{
    uint32_t mask = (UINT32_C(1) << list->bits) - 1, at = (uint32_t)hash_of(name) & mask;
    while (list->places[at] && strcmp(list->entries[list->places[at] - 1].name, name) != 0)
        at = (at + 1) & mask;
    return &list->places[at];
}

static void widen(struct list *list)
{
    if (list->bits && list->names < UINT32_C(1) << (list->bits - 1))
        return;
    free(list->places);
    list->bits = list->bits ? list->bits + 1 : 8;
    list->places = mnp_allocate(UINT32_C(1) << list->bits, sizeof *list->places);
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].name)
            *place_of(list, list->entries[i].name) = i + 1;
}

static bool read_copy(struct list *list, const char *line, const char *path, unsigned long number,
                      struct mnp_error *error)
{
    const char *at = strchr(line, ',');
    char *end;
    struct list_entry entry = {0};
    errno = 0;
    if (at && !strchr(at, '-')) {
        entry.address = strtoull(at + 1, &end, 16);
        if (end != at + 1 && *end == ',') {
            at = end + 1;
            entry.bytes = strtoull(at, &end, 10);
            if (end != at && *end == 0 && errno == 0) {
                add(list, entry);
                return true;
            }
        }
    }
    return mnp_fail_at(error, path, number,
                       "expected MemcpyHtoD,ADDRESS,BYTES but found '%.60s'; correct the line or "
                       "trace again",
                       line);
}

/* Lines of other commands that Accel-Sim's lists may hold, and that take no part in the simulation of one GPU. */
static bool is_passed_over(const char *line)
{
    static const char *const starts[] = {"MemcpyDtoH", "MemcpyDtoD", "Memset", "nccl", "kernel_sync", "#"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(line, starts[i], strlen(starts[i])) == 0)
            return true;
    return line[0] == 0;
}

static bool is_name(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)line[i] < 32)
            return false;
    return length <= MOST_LINE;
}

/* How much of the list's path is the folder of the files that it names. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    bool foreign = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    return slash && !foreign ? (size_t)(slash - path) + 1 : 0;
}

static char *copy(const char *line)
{
    char *name = mnp_allocate(strlen(line) + 1, 1);
    return strcpy(name, line);
}

static bool read_line(struct list *list, char *line, const char *path, unsigned long number, struct mnp_error *error)
{
    size_t length = strlen(line);
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\r' || line[length - 1] == '\t'))
        line[--length] = 0;
    if (is_passed_over(line))
        return true;
    if (strncmp(line, "MemcpyHtoD", 10) == 0)
        return read_copy(list, line, path, number, error);
    if (!is_name(line, length))
        return mnp_fail_at(error, path, number, "is no text line of a list of kernels; name a kernelslist.g");
    widen(list);
    uint32_t *place = place_of(list, line);
    list->kernels++;
    if (*place) {
        struct list_entry *first = &list->entries[*place - 1];
        first->times++;
        add(list, (struct list_entry){.path = first->path, .first = *place - 1, .launch = list->kernels});
        return true;
    }
    char *file = find_file(path, folder_length(path), line);
    if (!file)
        return mnp_fail_at(error, path, number,
                           "names '%.200s', which cannot be read: %s; put the file beside the "
                           "list or remove the line",
                           line, strerror(errno));
    *place = list->count + 1;
    list->names++;
    add(list, (struct list_entry){
                  .path = file, .name = copy(line), .first = list->count, .launch = list->kernels, .times = 1});
    return true;
}

bool trace_list_parse(struct list *list, char *text, size_t length, const char *path, struct mnp_error *error)
{
    *list = (struct list){0};
    unsigned long number = 1;
    bool good = true;
    for (char *line = text; good && line < text + length; number++) {
        char *end = memchr(line, '\n', (size_t)(text + length - line));
        end = end ? end : text + length;
        *end = 0;
        if (strlen(line) != (size_t)(end - line))
            good = mnp_fail_at(error, path, number,
                               "holds a zero byte: this is no list of kernels; name a "
                               "kernelslist.g");
        else
            good = read_line(list, line, path, number, error);
        line = end + 1;
    }
    if (good && list->kernels == 0)
        good = mnp_fail_at(error, path, 0, "names no kernel; trace the program again");
    if (!good)
        trace_list_free(list);
    return good;
}

bool trace_list_read(struct list *list, const char *path, struct mnp_error *error)
{
    *list = (struct list){0};
    size_t length;
    char *text = read_all(path, &length, error);
    bool good = text && trace_list_parse(list, text, length, path, error);
    free(text);
    return good;
}

void trace_list_free(struct list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].name) {
            free(list->entries[i].path);
            free(list->entries[i].name);
        }
    free(list->entries);
    free(list->places);
    *list = (struct list){0};
}
