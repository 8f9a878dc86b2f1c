/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replays on a device the operations that another process has performed on its own device, from that process's journal
 * (journal.h). The same order gives the same addresses, contents and code.
 */
#ifndef EXECUTE_REPLAY_H
#define EXECUTE_REPLAY_H

#include "execute/code/language.h"
#include "execute/device/device.h"

struct mnp_source;

/* A device, the modules on it, and the source that launches go to. */
struct execute_replay {
    struct execute_device *device;
    /* finds a module's language by name; NULL: unknown here */
    const struct execute_language *(*language)(const char *name);
    struct mnp_source *source; /* NULL as long as there are no launches */
    uint32_t users;            /* bits, by number: devices of the other process, which grants access to these alone */
    struct mnp_array modules;  /* struct execute_module *, by number; NULL: unloaded, or it could not be loaded */
};

/* Replays notes. Returns false if they do not match the state of this device. */
bool execute_replay_notes(struct execute_replay *replay, const void *bytes, size_t length, struct mnp_error *error);
void execute_replay_release(struct execute_replay *replay);

#endif
