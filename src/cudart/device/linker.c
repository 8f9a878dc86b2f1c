/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The driver API's linker. Modules are kept as PTX until cuLinkComplete puts them together into one image, which is
 * text too; cuModuleLoadData takes it, and the names that modules have in common then become one.
 */
#include "cudart/device/linker.h"

#include "base/arena.h"
#include "base/file.h"
#include "cudart/base/failure.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/image.h"
#include "cudart/device/languages.h"
#include "cudart/device/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cudart_write_log(const struct cudart_log *log, const struct mnp_error *error)
{
    size_t length = strlen(error->text);
    if (!log->text || !log->bytes)
        return;
    length = length < log->bytes ? length : log->bytes - 1;
    memcpy(log->text, error->text, length);
    log->text[length] = 0;
    if (log->used)
        *log->used = (void *)(length ? length + 1 : 0);
}

struct CUlinkState_st {
    struct mnp_array texts; /* struct execute_text */
    struct cudart_log log;
    char *image;
};

static struct CUlinkState_st **state_at(const struct cudart *rt, struct CUlinkState_st *state)
{
    struct CUlinkState_st **all = rt->links.items;
    for (uint32_t i = 0; i < rt->links.count; i++)
        if (all[i] && all[i] == state)
            return &all[i];
    return NULL;
}

enum cuda_error cudart_link_create(struct cudart *rt, struct cudart_log log, struct CUlinkState_st **out)
{
    if (!out)
        return CUDA_INVALID_VALUE;
    struct CUlinkState_st *state = mnp_allocate(1, sizeof *state);
    state->log = log;
    *(struct CUlinkState_st **)mnp_array_add(&rt->links, 1, sizeof state) = state;
    *out = state;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_link_add(struct cudart_device *device, struct CUlinkState_st *state, const void *data,
                                size_t bytes, const char *name)
{
    struct mnp_error error = {{0}};
    if (!state_at(device->rt, state))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!data || !bytes || state->image)
        return CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_read_image(device, name ? name : "<unnamed>", data, bytes, &state->texts, &error);
    cudart_write_log(&state->log, &error);
    return problem;
}

enum cuda_error cudart_link_add_file(struct cudart_device *device, struct CUlinkState_st *state, const char *path)
{
    struct mnp_error error = {{0}};
    size_t bytes;
    char *data = path ? mnp_read_file(path, CUDA_MAX_PTX, &bytes, &error) : NULL;
    if (!data)
        return path ? cudart_refuse(device->rt, &error, CUDA_FILE_NOT_FOUND) : CUDA_INVALID_VALUE;
    enum cuda_error problem = cudart_link_add(device, state, data, bytes, path);
    free(data);
    return problem;
}

/* All texts with marks between them. */
static char *join(const struct CUlinkState_st *state)
{
    const struct execute_text *texts = state->texts.items;
    size_t bytes = 1, at = 0;
    for (uint32_t i = 0; i < state->texts.count; i++)
        bytes += texts[i].length + strlen(CUDART_LINK_MARK);
    char *image = mnp_allocate(bytes, 1);
    for (uint32_t i = 0; i < state->texts.count; i++) {
        at += (size_t)snprintf(image + at, bytes - at, "%s", i ? CUDART_LINK_MARK : "");
        memcpy(image + at, texts[i].text, texts[i].length);
        at += texts[i].length;
    }
    return image;
}

static bool check(const struct mnp_array *texts, struct mnp_error *error)
{
    const char *name = "modules being linked";
    const struct execute_language *language = cudart_language_of(name, texts, error);
    if (language && !language->check)
        return mnp_fail(error, "%s: %s is not linked; give the modules to the linker as PTX", name, language->title);
    return language && language->check(name, texts->items, texts->count, error);
}

enum cuda_error cudart_link_complete(struct cudart *rt, struct CUlinkState_st *state, void **image, size_t *bytes)
{
    struct mnp_error error = {{0}};
    if (!state_at(rt, state))
        return CUDA_INVALID_RESOURCE_HANDLE;
    if (!image || !state->texts.count)
        return CUDA_INVALID_VALUE;
    bool good = check(&state->texts, &error);
    cudart_write_log(&state->log, &error);
    if (!good)
        return cudart_refuse(rt, &error, CUDA_INVALID_PTX);
    state->image = state->image ? state->image : join(state);
    *image = state->image;
    if (bytes)
        *bytes = strlen(state->image) + 1;
    return CUDA_SUCCESS;
}

enum cuda_error cudart_link_destroy(struct cudart *rt, struct CUlinkState_st *state)
{
    struct CUlinkState_st **place = state_at(rt, state);
    if (!place)
        return CUDA_INVALID_RESOURCE_HANDLE;
    *place = NULL;
    cudart_free_texts(&state->texts);
    free(state->image);
    free(state);
    return CUDA_SUCCESS;
}
