/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/database/source_lines.h"

#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_FILE = 4 << 20, MOST_PATH = 1024, MOST_LINE = 160 };

/* A file of the source; text NULL: it cannot be read. */
struct file {
    char path[MOST_PATH];
    char *text;
};

/* Divides "a.cu:12 (header.hpp:107)" into the path and the number of the line that calls. */
static bool divide(const char *source, char path[MOST_PATH], unsigned long *line)
{
    const char *inlined = strstr(source, " (");
    size_t length = inlined ? (size_t)(inlined - source) : strlen(source);
    if (length >= MOST_PATH)
        return false;
    memcpy(path, source, length);
    path[length] = 0;
    char *colon = strrchr(path, ':');
    if (!colon)
        return false;
    *line = strtoul(colon + 1, NULL, 10);
    *colon = 0;
    return *line;
}

/* Reads a file unless it is the one at hand. Devices and pipes are no sources. */
static void open_file(struct file *file, const char *path)
{
    struct stat status;
    struct mnp_error ignored = {0};
    size_t length;
    if (strcmp(file->path, path) == 0)
        return;
    free(file->text);
    snprintf(file->path, sizeof file->path, "%s", path);
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    file->text = regular ? mnp_read_file(path, MOST_FILE, &length, &ignored) : NULL;
}

/* Copies a line without the blanks around it; a long one is cut. */
static bool copy_line(const char *text, unsigned long line, char copied[MOST_LINE + 1])
{
    while (text && --line)
        text = (text = strchr(text, '\n')) ? text + 1 : NULL;
    if (!text)
        return false;
    text += strspn(text, " \t");
    size_t length = strcspn(text, "\r\n");
    length = length < MOST_LINE ? length : MOST_LINE;
    while (length && ((text[length] & 0xc0) == 0x80 || strchr(" \t", text[length - 1])))
        length--;
    memcpy(copied, text, length);
    copied[length] = 0;
    return length;
}

bool results_add_source_lines(sqlite3 *database, struct mnp_error *error)
{
    sqlite3_stmt *sources = results_sqlite_prepare(
        database,
        "SELECT DISTINCT source FROM instruction WHERE run = 1 AND source IS NOT NULL AND source NOT LIKE 'PTX of %'"
        " AND source NOT LIKE 'module of %' ORDER BY source",
        error);
    sqlite3_stmt *add =
        sources ? results_sqlite_prepare(database, "INSERT INTO source_line VALUES (1, ?, ?)", error) : NULL;
    struct file file = {.path = ""};
    bool done = add;
    while (done && sqlite3_step(sources) == SQLITE_ROW) {
        const char *source = (const char *)sqlite3_column_text(sources, 0);
        char path[MOST_PATH], line[MOST_LINE + 1], escaped[4 * sizeof line];
        unsigned long number;
        if (!source || !divide(source, path, &number))
            continue;
        open_file(&file, path);
        if (copy_line(file.text, number, line))
            done = results_sqlite_add(add, error, "tt", source, mnp_escape(escaped, sizeof escaped, line));
    }
    free(file.text);
    sqlite3_finalize(sources);
    sqlite3_finalize(add);
    return done;
}
