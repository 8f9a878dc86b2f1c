/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/base/sharing.h"

#include "base/ticks.h"
#include "cudart/base/sharing_time.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Places in the file of the group. */
enum { PAGE_AT = 64 * 1024, MEMORY_AT = 1024 * 1024 };

/* Places in this process's memory. */
#define MEMORY_PLACE  UINT64_C(0x0000400000000000)
#define MAILBOX_PLACE (MEMORY_PLACE + MNP_SPACE_DEVICES * MNP_SPACE_PART_BYTES)

_Static_assert(sizeof(struct cudart_sharing_page) <= MEMORY_AT - PAGE_AT, "the page lies before the memory");

static uint64_t memory_bytes(uint32_t devices)
{
    return devices * MNP_SPACE_PART_BYTES;
}

/* A limit to the size of files would end the command by a signal. */
static bool may_be_so_large(uint64_t bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= bytes);
}

static bool make_turn(pthread_mutex_t *turn)
{
    pthread_mutexattr_t how;
    bool good = pthread_mutexattr_init(&how) == 0 && pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED) == 0 &&
                pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST) == 0 && pthread_mutex_init(turn, &how) == 0;
    pthread_mutexattr_destroy(&how);
    return good;
}

void cudart_sharing_create(int file, uint32_t devices)
{
    uint64_t bytes = MEMORY_AT + memory_bytes(devices) + CUDART_SHARING_MEMBERS * CUDART_MAILBOX_BYTES;
    if (!may_be_so_large(bytes) || ftruncate(file, (off_t)bytes) != 0)
        return;
    struct cudart_sharing_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, PAGE_AT);
    if (page == MAP_FAILED)
        return;
    if (make_turn(&page->turn))
        page->devices = devices;
    munmap(page, sizeof *page);
}

/* Maps a part of the group's file far from what a program maps: that goes down from the top of all addresses, and below
 * terabytes it would lie at those of devices, which copies would take it for. NULL: the system has no room. */
static void *map_low(uint64_t place, size_t bytes, int file, off_t at)
{
    int how = MAP_SHARED | MAP_NORESERVE;
    void *got = mmap((void *)place, bytes, PROT_READ | PROT_WRITE, how | MAP_FIXED_NOREPLACE, file, at);
    if (got == MAP_FAILED)
        got = mmap(NULL, bytes, PROT_READ | PROT_WRITE, how, file, at);
    if (got == MAP_FAILED)
        return NULL;
    madvise(got, bytes, MADV_DONTDUMP);
    return got;
}

bool cudart_sharing_map(struct cudart_sharing *sharing, int file)
{
    struct stat status;
    if (fstat(file, &status) != 0 || status.st_size < MEMORY_AT)
        return false;
    struct cudart_sharing_page *page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, file, PAGE_AT);
    if (page == MAP_FAILED)
        return false;
    void *memory = page->devices ? map_low(MEMORY_PLACE, memory_bytes(page->devices), file, MEMORY_AT) : NULL;
    if (!memory) {
        munmap(page, sizeof *page);
        return false;
    }
    sharing->page = page;
    sharing->memory = memory;
    return true;
}

bool cudart_sharing_alias(struct cudart_sharing *sharing, int file, uint64_t at, uint64_t of, uint64_t bytes)
{
    void *place = sharing->memory + (at - MNP_SPACE_BASE);
    off_t offset = (off_t)(MEMORY_AT + (of - MNP_SPACE_BASE));
    void *got = mmap(place, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, offset);
    return got == place && madvise(place, bytes, MADV_DONTDUMP) == 0;
}

void *cudart_sharing_mailbox(const struct cudart_sharing *sharing, uint32_t member)
{
    off_t at = (off_t)(MEMORY_AT + memory_bytes(sharing->page->devices) + member * CUDART_MAILBOX_BYTES);
    return map_low(MAILBOX_PLACE + member * (uint64_t)CUDART_MAILBOX_BYTES, CUDART_MAILBOX_BYTES, sharing->file, at);
}

/* ===== turns ===== */

/* A process that has died in its turn has left memory as it was: results are those of a run that ends. */
bool cudart_sharing_take(struct cudart_sharing *sharing, const _Atomic int *wish)
{
    enum { LOOK = 100000000 /* ns */ };
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += LOOK;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        int error = pthread_mutex_timedlock(&sharing->page->turn, &until);
        if (error == EOWNERDEAD)
            error = pthread_mutex_consistent(&sharing->page->turn);
        if (!error)
            break;
        if (*wish)
            return false;
    }
    sharing->seen = sharing->page->moves;
    return true;
}

void cudart_sharing_give(struct cudart_sharing *sharing)
{
    pthread_mutex_unlock(&sharing->page->turn);
}

void cudart_sharing_move(struct cudart_sharing *sharing)
{
    if (!sharing->page)
        return;
    sharing->page->moves++;
    syscall(SYS_futex, &sharing->page->moves, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void cudart_sharing_look(struct cudart_sharing *sharing)
{
    sharing->seen = sharing->page->moves;
}

void cudart_sharing_await(const struct cudart_sharing *sharing, uint64_t nanoseconds)
{
    struct timespec time = {.tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    if (sharing->page->moves == sharing->seen)
        syscall(SYS_futex, &sharing->page->moves, FUTEX_WAIT, sharing->seen, &time, NULL, 0);
}
