/* SPDX-License-Identifier: BSD-3-Clause */
#include "results/files/seal.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

/* ===== the hash ===== */

static uint64_t turn(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void rounds(uint64_t v[4], unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turn(v[1], 13) ^ v[0];
        v[3] = turn(v[3], 16) ^ v[2];
        v[0] = turn(v[0], 32) + v[3];
        v[2] += v[1];
        v[3] = turn(v[3], 21) ^ v[0];
        v[1] = turn(v[1], 17) ^ v[2];
        v[2] = turn(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    rounds(v, 2);
    v[0] ^= word;
}

uint64_t results_seal(const struct results_seal_key *key, const void *bytes, size_t length)
{
    const unsigned char *at = bytes;
    uint64_t word = 0, last = (uint64_t)length << 56;
    uint64_t v[4] = {key->half[0] ^ UINT64_C(0x736f6d6570736575), key->half[1] ^ UINT64_C(0x646f72616e646f6d),
                     key->half[0] ^ UINT64_C(0x6c7967656e657261), key->half[1] ^ UINT64_C(0x7465646279746573)};
    for (size_t left = length / sizeof word; left > 0; left--, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        absorb(v, word);
    }
    for (size_t i = 0; i < length % sizeof word; i++)
        last |= (uint64_t)at[i] << (8 * i);
    absorb(v, last);
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ===== the key ===== */

enum { KEY_TEXT = 33 /* 32 hexadecimal digits and a newline */ };

/* Writes a new key under a name that others do not look at; the file gets its own when it is whole. */
static bool write_key(const char *path, const char *beside)
{
    uint64_t half[2];
    if (getrandom(half, sizeof half, 0) != (ssize_t)sizeof half)
        return false;
    int descriptor = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return false;
    bool done = dprintf(descriptor, "%016" PRIx64 "%016" PRIx64 "\n", half[0], half[1]) == KEY_TEXT;
    done = fsync(descriptor) == 0 && done;
    done = close(descriptor) == 0 && done;
    done = done && (link(beside, path) == 0 || errno == EEXIST); /* another process may have been faster */
    unlink(beside);
    return done;
}

static bool make_key(const char *path, struct mnp_error *error)
{
    char *beside = NULL;
    if (asprintf(&beside, "%s.%ld", path, (long)getpid()) < 0)
        beside = NULL;
    bool done = beside && write_key(path, beside);
    if (!done)
        mnp_fail_at(error, path, 0, "cannot make the key of your snapshots: %s; set XDG_STATE_HOME to another folder",
                    strerror(errno));
    free(beside);
    return done;
}

static bool take_key(struct results_seal_key *key, int descriptor)
{
    char text[KEY_TEXT + 1] = "";
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        (status.st_mode & 077) || read(descriptor, text, sizeof text) != KEY_TEXT ||
        strspn(text, "0123456789abcdef") != KEY_TEXT - 1)
        return false;
    return sscanf(text, "%16" SCNx64 "%16" SCNx64, &key->half[0], &key->half[1]) == 2;
}

static bool read_key(struct results_seal_key *key, const char *path, struct mnp_error *error)
{
    int descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0)
        return mnp_fail_at(error, path, 0, "cannot read the key of your snapshots: %s; take the snapshot again",
                           strerror(errno));
    bool good = take_key(key, descriptor);
    close(descriptor);
    return good || mnp_fail_at(error, path, 0,
                               "this is no key that only you can read, so no snapshot can be trusted: remove it, and "
                               "take the snapshot again");
}

bool results_seal_key(struct results_seal_key *key, bool make, struct mnp_error *error)
{
    char *folder = mnp_state_folder("the key of your snapshots", error);
    if (!folder)
        return false;
    char *path = mnp_join_path(folder, "snapshot.key");
    *key = (struct results_seal_key){{0}, ""};
    snprintf(key->path, sizeof key->path, "%s", path);
    bool done = (!make || access(path, F_OK) == 0 || make_key(path, error)) && read_key(key, path, error);
    free(path);
    free(folder);
    return done;
}
