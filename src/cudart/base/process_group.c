/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/process_group.h"

#include "base/file.h"
#include "cudart/base/options.h"
#include "cudart/base/sharing.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OUT_OF_THE_WAY = 64 };

/* Opens a file that the program keeps open; -1 if the program has ended. Result: the program's descriptor in the
 * program's own process; a new one, to be closed, in another. */
static int open_kept(const struct cudart_options *options, int kept, int how)
{
    char path[64];
    if (options->process == getpid())
        return kept;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)options->process, kept);
    return open(path, how | O_CLOEXEC);
}

int cudart_process_group_create(uint32_t devices)
{
    int made = memfd_create("maniple", 0);
    int kept = made < 0 ? -1 : fcntl(made, F_DUPFD, OUT_OF_THE_WAY);
    if (made >= 0)
        close(made);
    if (kept >= 0 && ftruncate(kept, sizeof(struct cudart_process_group)) != 0) {
        close(kept);
        return -1;
    }
    if (kept >= 0 && devices > 1)
        cudart_sharing_create(kept, devices);
    return kept;
}

int cudart_process_group_open(const struct cudart_options *options)
{
    int file = options->process_group > 0 ? open_kept(options, options->process_group, O_RDWR) : -1;
    return file == options->process_group ? fcntl(file, F_DUPFD_CLOEXEC, OUT_OF_THE_WAY) : file;
}

void cudart_process_group_keep(const struct cudart_options *options, bool open)
{
    const int kept[] = {options->process_group, options->output};
    for (size_t i = 0; i < 2; i++)
        if (kept[i] >= OUT_OF_THE_WAY)
            fcntl(kept[i], F_SETFD, open ? 0 : FD_CLOEXEC);
}

/* Works on the page; 0: there is none. */
static uint32_t count(const struct cudart_options *options, uint32_t more)
{
    int file = options->process_group > 0 ? open_kept(options, options->process_group, O_RDWR) : -1;
    if (file < 0)
        return 0;
    struct cudart_process_group *group = mmap(NULL, sizeof *group, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    uint32_t members = 0;
    if (group != MAP_FAILED) {
        members = __atomic_add_fetch(&group->members, more, __ATOMIC_SEQ_CST);
        munmap(group, sizeof *group);
    }
    if (file != options->process_group)
        close(file);
    return members;
}

uint32_t cudart_process_group_members(const struct cudart_options *options)
{
    return count(options, 0);
}

/* A folder in the one that the user has named; what is there already is replaced file by file, as anywhere. */
static const char *own_folder(const char *folder, uint32_t number)
{
    char *path;
    struct mnp_error ignored = {{0}};
    if (!folder || asprintf(&path, "%s/process-%u", folder, number) < 0)
        return folder;
    mnp_make_folder(path, &ignored); /* writing there will say what is wrong */
    return path;
}

/* The command's standard output. If it is this process's too, returns that descriptor, so that both share the file
 * offset. */
static int own_output(const struct cudart_options *options)
{
    struct stat here, there;
    int output = open_kept(options, options->output, O_WRONLY | O_APPEND);
    if (output < 0)
        return STDOUT_FILENO;
    bool same = fstat(output, &there) == 0 && fstat(STDOUT_FILENO, &here) == 0 && here.st_dev == there.st_dev &&
                here.st_ino == there.st_ino;
    if (!same)
        return output;
    close(output);
    return STDOUT_FILENO;
}

uint32_t cudart_process_group_join(struct cudart_options *options)
{
    uint32_t number = count(options, 1);
    if (options->process && options->process != getpid()) {
        options->output = own_output(options);
        options->program = program_invocation_name;
    }
    options->common_folder = options->folder;
    if (number > 1) {
        options->folder = own_folder(options->folder, number);
        options->trace = own_folder(options->trace, number);
    }
    return number;
}
