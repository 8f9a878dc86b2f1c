/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/launch.h"

#include "base/allocate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t offload_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void offload_text_add(struct offload_text *text, const void *bytes, size_t count)
{
    size_t left = text->room - text->length;
    count = count < left ? count : left;
    if (!text->bytes)
        text->bytes = mnp_allocate(text->room, 1);
    memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
}

void offload_fail(struct offload_outcome *outcome, enum mnp_offload_status status, const struct mnp_error *error)
{
    outcome->status = status;
    offload_text_add(&outcome->message, error->text, strlen(error->text));
}

struct mnp_settings *offload_machine_settings(const struct offload_machine *machine,
                                              const struct mnp_machine_kind **kind, uint32_t cores,
                                              struct mnp_error *error)
{
    char text[64];
    struct mnp_settings_source source = {.machine = machine->name,
                                         .built_in = machine->built_in,
                                         .kind = machine->kinds[0]->name,
                                         .overrides = machine->overrides,
                                         .override_count = machine->override_count,
                                         .joined = machine->joined};
    struct mnp_settings *settings = mnp_settings_load(&source, error);
    if (!settings)
        return NULL;
    *kind = mnp_kind_of(machine->kinds, settings, error);
    if (*kind && cores && (*kind)->cores) {
        snprintf(text, sizeof text, "%s=%u", (*kind)->cores, cores);
        if (!mnp_settings_add_override(settings, text, error))
            *kind = NULL;
    }
    if (*kind)
        return settings;
    mnp_settings_free(settings);
    return NULL;
}

void offload_outcome_release(struct offload_outcome *outcome)
{
    free(outcome->output.bytes);
    free(outcome->statistics.bytes);
    free(outcome->message.bytes);
}
