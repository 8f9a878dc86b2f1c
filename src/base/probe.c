/* SPDX-License-Identifier: BSD-3-Clause */
/* Futex operations access a user-space word that the kernel does not trust: they return EFAULT if the word is
 * inaccessible. They need no privilege that a container could deny. */
#include "base/probe.h"

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 4096, WORD = 4 };

/* FUTEX_WAIT with an unlikely expected value; if the value happens to match, the wait times out at once. */
static bool can_read(uint64_t address)
{
    static const struct timespec at_once = {0};
    return syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, 0x5eed5eedu, &at_once, NULL, 0) == 0 || errno != EFAULT;
}

/* Atomically adds 0, so that concurrent writes of other threads are not lost. */
static bool can_write(uint64_t address)
{
    uint32_t nobody = 0; /* waits here */
    return syscall(SYS_futex, &nobody, FUTEX_WAKE_OP_PRIVATE, 0, NULL, address,
                   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
           errno != EFAULT;
}

static bool probe(uint64_t address, uint64_t bytes, bool (*can_access)(uint64_t word))
{
    uint64_t last;
    int before = errno;
    if (!bytes)
        return true;
    if (__builtin_add_overflow(address, bytes - 1, &last))
        return false;
    bool good = true;
    for (uint64_t page = address / PAGE; good && page <= last / PAGE; page++) {
        uint64_t word = page == address / PAGE ? address / WORD * WORD : page * PAGE;
        good = can_access(word);
    }
    errno = before;
    return good;
}

bool mnp_probe_read(uint64_t address, uint64_t bytes)
{
    return probe(address, bytes, can_read);
}

bool mnp_probe_write(uint64_t address, uint64_t bytes)
{
    return probe(address, bytes, can_write);
}
