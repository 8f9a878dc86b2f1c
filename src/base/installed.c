/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/installed.h"

#include "base/file.h"
#include "base/installed_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *mnp_program_path(void)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    return length > 0 ? strndup(self, (size_t)length) : NULL;
}

char *mnp_program_folder(void)
{
    char *self = mnp_program_path(), *slash = self ? strrchr(self, '/') : NULL;
    if (slash)
        slash[slash == self] = 0;
    return self;
}

/* Resolves MNP_INSTALLED_FOLDER, relative to the program's folder, or absolute if the build says so. */
static char *installed_folder(const char *folder)
{
    return MNP_INSTALLED_FOLDER[0] == '/' ? strdup(MNP_INSTALLED_FOLDER) : mnp_join_path(folder, MNP_INSTALLED_FOLDER);
}

/* Resolves `..` in the path, so that it stays valid when the user changes folders and is readable in messages. */
static char *find_in(const char *folder, const char *name)
{
    char *path = mnp_join_path(folder, name), *found = access(path, R_OK) == 0 ? realpath(folder, NULL) : NULL;
    free(path);
    path = found ? mnp_join_path(found, name) : NULL;
    free(found);
    return path;
}

char *mnp_find_installed(const char *folder, const char *name)
{
    char *program = folder ? strdup(folder) : mnp_program_folder();
    if (!program)
        return NULL;
    char *path = find_in(program, name);
    if (!path) {
        char *installed = installed_folder(program);
        path = find_in(installed, name);
        free(installed);
    }
    free(program);
    return path;
}

char *mnp_say_installed(const char *folder)
{
    char *program = folder ? strdup(folder) : mnp_program_folder(), *text = NULL;
    char *installed = installed_folder(program ? program : "");
    if (asprintf(&text, "neither beside maniple nor in %s", installed) < 0)
        text = NULL;
    free(installed);
    free(program);
    return text;
}
