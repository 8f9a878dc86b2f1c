/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a host program does to a device, as bytes, so that other processes can do the same to devices of their own
 * (DESIGN §2.11): allocations and copies, textures, modules, launches. Done in the same order, it gives the same
 * addresses, contents and code.
 *
 * A device that is recorded has a journal; its functions note what they have done. Taking the journal empties it.
 */
#ifndef EXECUTE_JOURNAL_H
#define EXECUTE_JOURNAL_H

#include "execute/device.h"
#include "execute/language.h"

struct mnp_source;

struct execute_journal {
    unsigned char *bytes;
    size_t length, capacity;
    struct mnp_array modules; /* const struct execute_module *, by number: those loaded so far; NULL: unloaded */
    uint32_t paused;          /* inside an operation that is noted as a whole */
};

/* Begins to record a device on which nothing has been done. */
void execute_journal_start(struct execute_device *device);
void execute_journal_stop(struct execute_device *device);

/* The notes so far, which are the caller's to free. Returns their length. */
size_t execute_journal_take(struct execute_device *device, void **bytes);

/* The other side: a device, the modules on it, and the source that launches go to. */
struct execute_replay {
    struct execute_device *device;
    const struct execute_language *const *languages; /* that modules may be of; ends with NULL */
    struct mnp_source *source;                       /* NULL as long as there are no launches */
    struct mnp_array modules; /* struct execute_module *, by number; NULL: unloaded, or it could not be loaded */
};

/* Does what the notes say. False: they are not those of a device in the same state. */
bool execute_replay_notes(struct execute_replay *replay, const void *bytes, size_t length, struct mnp_error *error);
void execute_replay_release(struct execute_replay *replay);

/* ===== what the device's functions note; nothing where there is no journal ===== */

void execute_note_allocate(struct execute_device *device, uint64_t bytes, uint64_t address);
void execute_note_free(struct execute_device *device, uint64_t address);
void execute_note_reset(struct execute_device *device);
void execute_note_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes);
void execute_note_copied(struct execute_device *device, const struct execute_copied *copied);
void execute_note_texture(struct execute_device *device, const struct execute_texture *texture);
void execute_note_no_texture(struct execute_device *device, uint64_t handle);
/* Around the work of loading or unloading a module, what it does to memory is not noted. `module` NULL: it could not be
 * loaded. */
void execute_note_begin(struct execute_device *device);
void execute_note_link(struct execute_device *device, const struct execute_language *language,
                       const struct execute_module *module, const char *name, const struct execute_text *texts,
                       uint32_t count);
void execute_note_unload(struct execute_device *device, const struct execute_module *module);
void execute_note_launch(struct execute_device *device, const struct execute_launch *launch, uint64_t stream);

#endif
