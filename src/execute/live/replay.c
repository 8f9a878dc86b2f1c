/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/live/replay.h"

#include "base/allocate.h"
#include "execute/device/journal.h"
#include "execute/live/source.h"

#include <stdlib.h>
#include <string.h>

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
    const struct execute_language *language = replay->language(name);
    MNP_REQUIRE(language, "notes name a language, %s, that is not known here", name);
    return language;
}

/* Loads a module. A failure was an error in the first process, too, and is ignored. */
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

static bool launch_again(struct execute_replay *replay, const struct execute_note *note, struct reader *reader,
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

static void grant_again(const struct execute_replay *replay, const struct execute_note *note, struct reader *reader)
{
    struct execute_grant grant = {.address = note->value, .bytes = note->result};
    memcpy(&grant.devices, take(reader, sizeof grant.devices), sizeof grant.devices);
    execute_device_regrant(replay->device, &grant, replay->users);
}

static void unload_again(struct execute_replay *replay, uint64_t number)
{
    struct execute_module **module = module_at(replay, number);
    (*module)->language->unload(*module, replay->device);
    *module = NULL;
}

/* Replays one note. An allocation must give the recorded address: otherwise the device was in another state. */
static bool do_again(struct execute_replay *replay, const struct execute_note *note, struct reader *reader,
                     struct mnp_error *error)
{
    struct execute_device *device = replay->device;
    switch ((enum execute_note_kind)note->kind) {
    case EXECUTE_NOTE_ALLOCATE:
        return execute_device_allocate(device, note->value) == note->result;
    case EXECUTE_NOTE_PAGES:
        return execute_device_allocate_pages(device, note->value) == note->result;
    case EXECUTE_NOTE_FREE:
        return execute_device_free(device, note->value);
    case EXECUTE_NOTE_RESET:
        execute_device_reset(device);
        return true;
    case EXECUTE_NOTE_WRITE:
        return execute_device_write(device, note->value, take(reader, note->length), note->length);
    case EXECUTE_NOTE_COPIED: {
        struct execute_copied copied;
        memcpy(&copied, take(reader, sizeof copied), sizeof copied);
        execute_device_copied(device, &copied);
        return true;
    }
    case EXECUTE_NOTE_TEXTURE: {
        struct execute_texture texture;
        memcpy(&texture, take(reader, sizeof texture), sizeof texture);
        execute_device_add_texture(device, &texture);
        return true;
    }
    case EXECUTE_NOTE_NO_TEXTURE:
        return execute_device_remove_texture(device, note->value);
    case EXECUTE_NOTE_LINK:
        load_again(replay, note->value, reader);
        return true;
    case EXECUTE_NOTE_UNLOAD:
        unload_again(replay, note->value);
        return true;
    case EXECUTE_NOTE_LAUNCH:
        return launch_again(replay, note, reader, error);
    case EXECUTE_NOTE_GRANT:
        grant_again(replay, note, reader);
        return true;
    case EXECUTE_NOTE_OPEN:
        execute_device_open(device, (uint32_t)note->value, note->result != 0);
        return true;
    }
    return false;
}

bool execute_replay_notes(struct execute_replay *replay, const void *bytes, size_t length, struct mnp_error *error)
{
    struct reader reader = {bytes, length};
    while (reader.left) {
        struct execute_note note;
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
