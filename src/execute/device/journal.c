/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/device/journal.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

void execute_journal_start(struct execute_device *device)
{
    device->journal = mnp_allocate(1, sizeof *device->journal);
}

void execute_journal_stop(struct execute_device *device)
{
    if (!device->journal)
        return;
    free(device->journal->bytes);
    free(device->journal->modules.items);
    free(device->journal);
    device->journal = NULL;
}

size_t execute_journal_take(struct execute_device *device, void **bytes)
{
    struct execute_journal *journal = device->journal;
    size_t length = journal->length;
    *bytes = journal->bytes;
    journal->bytes = NULL;
    journal->length = journal->capacity = 0;
    return length;
}

static void put(struct execute_journal *journal, const void *bytes, size_t length)
{
    if (journal->length + length > journal->capacity) {
        journal->capacity = 2 * (journal->length + length);
        journal->bytes = mnp_reallocate(journal->bytes, journal->capacity, 1);
    }
    memcpy(journal->bytes + journal->length, bytes, length);
    journal->length += length;
}

/* Appends a note and its data, unless the device is not recorded, or the operation is part of one that is recorded as a
 * whole: loading a module writes its variables, and the replay loads the module instead. */
static void note(struct execute_device *device, const struct execute_note *note, const void *data)
{
    struct execute_journal *journal = device->journal;
    if (!journal || journal->paused)
        return;
    put(journal, note, sizeof *note);
    if (data)
        put(journal, data, note->length);
}

void execute_note_allocate(struct execute_device *device, uint64_t bytes, uint64_t address)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_ALLOCATE, bytes, address, 0}, NULL);
}

void execute_note_allocate_pages(struct execute_device *device, uint64_t bytes, uint64_t address)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_PAGES, bytes, address, 0}, NULL);
}

void execute_note_free(struct execute_device *device, uint64_t address)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_FREE, address, 0, 0}, NULL);
}

void execute_note_reset(struct execute_device *device)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_RESET, 0, 0, 0}, NULL);
}

void execute_note_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes)
{
    if (device->journal && !device->journal->without_data)
        note(device, &(struct execute_note){EXECUTE_NOTE_WRITE, address, 0, bytes}, data);
}

void execute_note_grant(struct execute_device *device, const struct execute_grant *grant)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_GRANT, grant->address, grant->bytes, sizeof grant->devices},
         &grant->devices);
}

void execute_note_open(struct execute_device *device, uint32_t other, bool open)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_OPEN, other, open, 0}, NULL);
}

void execute_note_copied(struct execute_device *device, const struct execute_copied *copied)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_COPIED, 0, 0, sizeof *copied}, copied);
}

void execute_note_texture(struct execute_device *device, const struct execute_texture *texture)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_TEXTURE, 0, 0, sizeof *texture}, texture);
}

void execute_note_no_texture(struct execute_device *device, uint64_t handle)
{
    note(device, &(struct execute_note){EXECUTE_NOTE_NO_TEXTURE, handle, 0, 0}, NULL);
}

void execute_note_begin(struct execute_device *device)
{
    if (device->journal)
        device->journal->paused++;
}

/* Modules are numbered in the order in which they were loaded, in the journal as in the replay. */
static uint32_t number_of(const struct execute_journal *journal, const struct execute_module *module)
{
    const struct execute_module *const *modules = journal->modules.items;
    uint32_t number = 0;
    while (number < journal->modules.count && modules[number] != module)
        number++;
    MNP_REQUIRE(number < journal->modules.count, "a module that was never loaded");
    return number;
}

/* The length of a text stands before it, so that texts of any bytes can follow one another. */
static void *append_text(struct mnp_array *to, const void *text, size_t length)
{
    uint64_t stated = length;
    memcpy(mnp_array_add(to, sizeof stated, 1), &stated, sizeof stated);
    void *place = mnp_array_add(to, (uint32_t)length + 1, 1); /* ended by a zero, as texts may be read to it */
    memcpy(place, text, length);
    ((char *)place)[length] = 0;
    return place;
}

void execute_note_link(struct execute_device *device, const struct execute_language *language,
                       const struct execute_module *module, const char *name, const struct execute_text *texts,
                       uint32_t count)
{
    struct execute_journal *journal = device->journal;
    struct mnp_array data = {0};
    if (!journal || --journal->paused)
        return;
    append_text(&data, language->name, strlen(language->name));
    append_text(&data, name, strlen(name));
    for (uint32_t i = 0; i < count; i++)
        append_text(&data, texts[i].text, texts[i].length);
    *(const struct execute_module **)mnp_array_add(&journal->modules, 1, sizeof module) = module;
    note(device, &(struct execute_note){EXECUTE_NOTE_LINK, count, 0, data.count}, data.items);
    free(data.items);
}

void execute_note_unload(struct execute_device *device, const struct execute_module *module)
{
    struct execute_journal *journal = device->journal;
    if (!journal || --journal->paused)
        return;
    uint32_t number = number_of(journal, module);
    ((const struct execute_module **)journal->modules.items)[number] = NULL;
    note(device, &(struct execute_note){EXECUTE_NOTE_UNLOAD, number, 0, 0}, NULL);
}

void execute_note_launch(struct execute_device *device, const struct execute_launch *launch, uint64_t stream)
{
    struct execute_journal *journal = device->journal;
    if (!journal)
        return;
    const char *name = launch->code->name;
    struct mnp_array data = {0};
    append_text(&data, name, strlen(name));
    memcpy(mnp_array_add(&data, sizeof *launch, 1), launch, sizeof *launch);
    if (launch->code->parameter_bytes)
        memcpy(mnp_array_add(&data, launch->code->parameter_bytes, 1), launch->parameters,
               launch->code->parameter_bytes);
    note(device,
         &(struct execute_note){EXECUTE_NOTE_LAUNCH, number_of(journal, launch->code->module), stream, data.count},
         data.items);
    free(data.items);
}
