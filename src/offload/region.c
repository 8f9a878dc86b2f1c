/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/region.h"

#include "base/text.h"
#include "maniple/offload.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* Rejects a file that belongs to another user, because it holds the guests' memory. */
static bool is_ours(const struct offload_region *region, struct mnp_error *error)
{
    struct stat state;
    if (fstat(region->descriptor, &state) != 0 || !S_ISREG(state.st_mode))
        return mnp_fail_at(error, region->path, 0, "is no file; name one below /dev/shm");
    if (state.st_uid != geteuid())
        return mnp_fail_at(error, region->path, 0, "belongs to another user; name a file that is not there");
    return (!(state.st_mode & 077) && state.st_nlink == 1) ||
           mnp_fail_at(error, region->path, 0,
                       "can be read or written by others, or has another name; remove it if no QEMU uses it, or name "
                       "a file that is not there");
}

static bool bring_to_size(struct offload_region *region, struct mnp_error *error)
{
    char has[MNP_NUMBER_TEXT], wanted[MNP_NUMBER_TEXT];
    struct stat state;
    if (fstat(region->descriptor, &state) != 0)
        return mnp_fail_at(error, region->path, 0, "cannot be looked at: %s", strerror(errno));
    if ((uint64_t)state.st_size > region->bytes)
        return mnp_fail_at(error, region->path, 0,
                           "has %s already, more than the %s asked for; remove it if no QEMU uses it, or say "
                           "--memory-size %s",
                           mnp_format_size(has, (uint64_t)state.st_size), mnp_format_size(wanted, region->bytes), has);
    /* Allocates all pages now, so that a full /dev/shm is an error here instead of a SIGBUS in QEMU later. */
    int problem = posix_fallocate(region->descriptor, 0, (off_t)region->bytes);
    return problem == 0 || mnp_fail_at(error, region->path, 0, "cannot have %s: %s",
                                       mnp_format_size(wanted, region->bytes), strerror(problem));
}

static bool write_head(struct offload_region *region, struct mnp_error *error)
{
    static const unsigned char zeros[MNP_OFFLOAD_HEAD];
    if (getrandom(&region->tag, sizeof region->tag, 0) != sizeof region->tag)
        return mnp_fail(error, "the system has no random numbers: %s", strerror(errno));
    struct mnp_offload_region head = {MNP_OFFLOAD_REGION_MAGIC, MNP_OFFLOAD_VERSION, region->bytes, region->tag};
    return offload_region_write(region, 0, sizeof zeros, zeros, error) &&
           offload_region_write(region, 0, sizeof head, &head, error);
}

bool offload_region_open(struct offload_region *region, const char *path, uint64_t bytes, struct mnp_error *error)
{
    *region = (struct offload_region){.path = path, .bytes = bytes, .descriptor = -1};
    region->descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    region->made = region->descriptor >= 0;
    if (!region->made && errno == EEXIST)
        region->descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (region->descriptor < 0)
        return mnp_fail_at(error, path, 0, "cannot be made or opened: %s", strerror(errno));
    bool good = is_ours(region, error) &&
                (flock(region->descriptor, LOCK_EX | LOCK_NB) == 0 ||
                 mnp_fail_at(error, path, 0, "is in use by another server; give each a file of its own")) &&
                bring_to_size(region, error) && write_head(region, error);
    if (!good)
        offload_region_close(region);
    return good;
}

void offload_region_close(struct offload_region *region)
{
    if (region->descriptor < 0)
        return;
    struct mnp_error ignored = {0};
    if (region->made && offload_region_is_whole(region, &ignored))
        unlink(region->path);
    close(region->descriptor);
    region->descriptor = -1;
}

bool offload_region_is_whole(const struct offload_region *region, struct mnp_error *error)
{
    struct stat state, named;
    if (fstat(region->descriptor, &state) != 0 || (uint64_t)state.st_size < region->bytes)
        return mnp_fail_at(error, region->path, 0, "has become shorter; start the server and the guest again");
    if (stat(region->path, &named) != 0 || named.st_ino != state.st_ino || named.st_dev != state.st_dev)
        return mnp_fail_at(error, region->path, 0, "was removed or replaced; start the server and the guest again");
    return true;
}

bool offload_region_read(const struct offload_region *region, uint64_t at, uint64_t bytes, void *to,
                         struct mnp_error *error)
{
    for (uint64_t done = 0; done < bytes;) {
        ssize_t got = pread(region->descriptor, (unsigned char *)to + done, bytes - done, (off_t)(at + done));
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return mnp_fail_at(error, region->path, 0, "ends before %llu: it has become shorter",
                               (unsigned long long)(at + bytes));
        done += got > 0 ? (uint64_t)got : 0;
    }
    return true;
}

bool offload_region_write(const struct offload_region *region, uint64_t at, uint64_t bytes, const void *from,
                          struct mnp_error *error)
{
    struct stat state; /* writing would enlarge a truncated file without an error */
    if (fstat(region->descriptor, &state) != 0 || (uint64_t)state.st_size < at + bytes)
        return mnp_fail_at(error, region->path, 0, "has become shorter; start the server and the guest again");
    for (uint64_t done = 0; done < bytes;) {
        ssize_t put = pwrite(region->descriptor, (const unsigned char *)from + done, bytes - done, (off_t)(at + done));
        if (put <= 0 && !(put < 0 && errno == EINTR))
            return mnp_fail_at(error, region->path, 0, "cannot be written: %s", strerror(errno));
        done += put > 0 ? (uint64_t)put : 0;
    }
    return true;
}
