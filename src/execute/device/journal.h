/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Journal of a host program's operations on a device, as bytes, so that other processes can replay them on their own
 * devices (replay.h): allocations and copies, textures, modules, launches. A recorded device has a journal, in which
 * its functions record their operations. Taking the journal empties it.
 */
#ifndef EXECUTE_JOURNAL_H
#define EXECUTE_JOURNAL_H

#include "execute/code/language.h"
#include "execute/device/device.h"

enum execute_note_kind {
    EXECUTE_NOTE_ALLOCATE, /* value: bytes; result: address */
    EXECUTE_NOTE_FREE,     /* value: address */
    EXECUTE_NOTE_RESET,
    EXECUTE_NOTE_WRITE,      /* value: address; the bytes follow */
    EXECUTE_NOTE_COPIED,     /* a struct execute_copied follows */
    EXECUTE_NOTE_TEXTURE,    /* a struct execute_texture follows */
    EXECUTE_NOTE_NO_TEXTURE, /* value: handle */
    EXECUTE_NOTE_LINK,       /* value: texts; language, name, and the texts follow, each as a length and its bytes */
    EXECUTE_NOTE_UNLOAD,     /* value: number of the module */
    EXECUTE_NOTE_LAUNCH,     /* value: number of the module; result: stream; name, launch, parameters follow */
    EXECUTE_NOTE_PAGES,      /* value: bytes; result: address, at a page of the host's */
    EXECUTE_NOTE_GRANT,      /* value: address; result: bytes; the devices that may access them follow as 32 bits */
    EXECUTE_NOTE_OPEN,       /* value: number of the other device; result: 1 if it may access all allocations, or 0 */
};

struct execute_note { /* followed by its data */
    uint64_t kind, value, result, length;
};

struct execute_journal {
    unsigned char *bytes;
    size_t length, capacity;
    struct mnp_array modules; /* const struct execute_module *, by number: those loaded so far; NULL: unloaded */
    bool without_data;        /* memory is shared with whoever replays: what is written there is not recorded */
    uint32_t paused;          /* nesting depth of operations that are recorded as a whole */
};

/* Begins to record a device on which nothing has been done. */
void execute_journal_start(struct execute_device *device);
void execute_journal_stop(struct execute_device *device);

/* The notes so far, which are the caller's to free. Returns their length. */
size_t execute_journal_take(struct execute_device *device, void **bytes);

/* ===== what the device's functions note; nothing where there is no journal ===== */

void execute_note_allocate(struct execute_device *device, uint64_t bytes, uint64_t address);
void execute_note_allocate_pages(struct execute_device *device, uint64_t bytes, uint64_t address);
void execute_note_free(struct execute_device *device, uint64_t address);
void execute_note_reset(struct execute_device *device);
void execute_note_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes);
void execute_note_grant(struct execute_device *device, const struct execute_grant *grant);
void execute_note_open(struct execute_device *device, uint32_t other, bool open);
void execute_note_copied(struct execute_device *device, const struct execute_copied *copied);
void execute_note_texture(struct execute_device *device, const struct execute_texture *texture);
void execute_note_no_texture(struct execute_device *device, uint64_t handle);
/* Brackets the loading or unloading of a module, whose memory operations are not recorded. `module` NULL: loading
 * failed. */
void execute_note_begin(struct execute_device *device);
void execute_note_link(struct execute_device *device, const struct execute_language *language,
                       const struct execute_module *module, const char *name, const struct execute_text *texts,
                       uint32_t count);
void execute_note_unload(struct execute_device *device, const struct execute_module *module);
void execute_note_launch(struct execute_device *device, const struct execute_launch *launch, uint64_t stream);

#endif
