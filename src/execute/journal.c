/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/journal.h"

#include "base/arena.h"
#include "execute/source.h"

#include <stdlib.h>
#include <string.h>

enum note_kind {
    NOTE_ALLOCATE, /* value: bytes; result: address */
    NOTE_FREE,     /* value: address */
    NOTE_RESET,
    NOTE_WRITE,      /* value: address; the bytes follow */
    NOTE_COPIED,     /* a struct execute_copied follows */
    NOTE_TEXTURE,    /* a struct execute_texture follows */
    NOTE_NO_TEXTURE, /* value: handle */
    NOTE_LINK,       /* value: texts; language, name, and the texts follow, each as a length and its bytes */
    NOTE_UNLOAD,     /* value: number of the module */
    NOTE_LAUNCH,     /* value: number of the module; result: stream; name, struct execute_launch, parameters follow */
};

struct note { /* its data follow */
    uint64_t kind, value, result, length;
};

/* ===== recording ===== */

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

static void note(struct execute_device *device, const struct note *note, const void *data)
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
    note(device, &(struct note){NOTE_ALLOCATE, bytes, address, 0}, NULL);
}

void execute_note_free(struct execute_device *device, uint64_t address)
{
    note(device, &(struct note){NOTE_FREE, address, 0, 0}, NULL);
}

void execute_note_reset(struct execute_device *device)
{
    note(device, &(struct note){NOTE_RESET, 0, 0, 0}, NULL);
}

void execute_note_write(struct execute_device *device, uint64_t address, const void *data, uint64_t bytes)
{
    note(device, &(struct note){NOTE_WRITE, address, 0, bytes}, data);
}

void execute_note_copied(struct execute_device *device, const struct execute_copied *copied)
{
    note(device, &(struct note){NOTE_COPIED, 0, 0, sizeof *copied}, copied);
}

void execute_note_texture(struct execute_device *device, const struct execute_texture *texture)
{
    note(device, &(struct note){NOTE_TEXTURE, 0, 0, sizeof *texture}, texture);
}

void execute_note_no_texture(struct execute_device *device, uint64_t handle)
{
    note(device, &(struct note){NOTE_NO_TEXTURE, handle, 0, 0}, NULL);
}

void execute_note_begin(struct execute_device *device)
{
    if (device->journal)
        device->journal->paused++;
}

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
    note(device, &(struct note){NOTE_LINK, count, 0, data.count}, data.items);
    free(data.items);
}

void execute_note_unload(struct execute_device *device, const struct execute_module *module)
{
    struct execute_journal *journal = device->journal;
    if (!journal || --journal->paused)
        return;
    uint32_t number = number_of(journal, module);
    ((const struct execute_module **)journal->modules.items)[number] = NULL;
    note(device, &(struct note){NOTE_UNLOAD, number, 0, 0}, NULL);
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
    note(device, &(struct note){NOTE_LAUNCH, number_of(journal, launch->code->module), stream, data.count}, data.items);
    free(data.items);
}

/* ===== doing the same ===== */

struct reader {
    const unsigned char *at;
    size_t left;
};

static const unsigned char *take(struct reader *reader, size_t length)
{
    const unsigned char *piece = reader->at;
    MNP_REQUIRE(length <= reader->left, "notes of a device are cut off");
    reader->at += length;
    reader->left -= length;
    return piece;
}

static struct execute_text take_text(struct reader *reader)
{
    uint64_t length;
    memcpy(&length, take(reader, sizeof length), sizeof length);
    return (struct execute_text){(const char *)take(reader, length + 1), length};
}

static struct execute_module **module_at(struct execute_replay *replay, uint64_t number)
{
    MNP_REQUIRE(number < replay->modules.count, "notes name a module that was never loaded");
    return (struct execute_module **)replay->modules.items + number;
}

static const struct execute_language *language_of(const struct execute_replay *replay, const char *name)
{
    const struct execute_language *const *language = replay->languages;
    while (*language && strcmp((*language)->name, name) != 0)
        language++;
    MNP_REQUIRE(*language, "notes name a language, %s, that is not known here", name);
    return *language;
}

/* One that cannot be loaded was an error in the first process too, and nothing follows of it. */
static void load_again(struct execute_replay *replay, uint64_t count, struct reader *reader)
{
    struct mnp_error error = {{0}};
    struct execute_text *texts = mnp_allocate(count, sizeof *texts);
    const struct execute_language *language = language_of(replay, take_text(reader).text);
    const char *name = take_text(reader).text;
    for (uint64_t i = 0; i < count; i++)
        texts[i] = take_text(reader);
    struct execute_module *module = language->load(replay->device, name, texts, (uint32_t)count, &error);
    *(struct execute_module **)mnp_array_add(&replay->modules, 1, sizeof module) = module;
    free(texts);
}

static bool launch_again(struct execute_replay *replay, const struct note *note, struct reader *reader,
                         struct mnp_error *error)
{
    const char *name = take_text(reader).text;
    struct execute_launch launch;
    memcpy(&launch, take(reader, sizeof launch), sizeof launch);
    struct execute_module *module = *module_at(replay, note->value);
    launch.code = module ? module->language->kernel(module, name, error) : NULL;
    if (!launch.code)
        return false;
    launch.parameters = take(reader, launch.code->parameter_bytes);
    MNP_REQUIRE(replay->source, "a launch before there is a machine");
    execute_source_set_stream(replay->source, note->result);
    execute_source_queue(replay->source, &launch);
    return true;
}

static void unload_again(struct execute_replay *replay, uint64_t number)
{
    struct execute_module **module = module_at(replay, number);
    (*module)->language->unload(*module, replay->device);
    *module = NULL;
}

static bool do_again(struct execute_replay *replay, const struct note *note, struct reader *reader,
                     struct mnp_error *error)
{
    struct execute_device *device = replay->device;
    switch ((enum note_kind)note->kind) {
    case NOTE_ALLOCATE:
        return execute_device_allocate(device, note->value) == note->result;
    case NOTE_FREE:
        return execute_device_free(device, note->value);
    case NOTE_RESET:
        execute_device_reset(device);
        return true;
    case NOTE_WRITE:
        return execute_device_write(device, note->value, take(reader, note->length), note->length);
    case NOTE_COPIED: {
        struct execute_copied copied;
        memcpy(&copied, take(reader, sizeof copied), sizeof copied);
        execute_device_copied(device, &copied);
        return true;
    }
    case NOTE_TEXTURE: {
        struct execute_texture texture;
        memcpy(&texture, take(reader, sizeof texture), sizeof texture);
        execute_device_add_texture(device, &texture);
        return true;
    }
    case NOTE_NO_TEXTURE:
        return execute_device_remove_texture(device, note->value);
    case NOTE_LINK:
        load_again(replay, note->value, reader);
        return true;
    case NOTE_UNLOAD:
        unload_again(replay, note->value);
        return true;
    case NOTE_LAUNCH:
        return launch_again(replay, note, reader, error);
    }
    return false;
}

bool execute_replay_notes(struct execute_replay *replay, const void *bytes, size_t length, struct mnp_error *error)
{
    struct reader reader = {bytes, length};
    while (reader.left) {
        struct note note;
        memcpy(&note, take(&reader, sizeof note), sizeof note);
        struct reader data = {reader.at, note.length};
        take(&reader, note.length);
        if (!do_again(replay, &note, &data, error))
            return mnp_fail(error, "this process cannot do what the first one has done to the device (step %u)",
                            (unsigned)note.kind);
    }
    return true;
}

void execute_replay_release(struct execute_replay *replay)
{
    for (uint32_t i = 0; i < replay->modules.count; i++)
        if (*module_at(replay, i))
            unload_again(replay, i);
    free(replay->modules.items);
}
