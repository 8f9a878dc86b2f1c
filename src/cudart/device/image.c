/* SPDX-License-Identifier: BSD-3-Clause */
/* The code in what a program registers or loads: plain text, fat binaries, and what the linker makes. */
#include "cudart/device/image.h"

#include "base/arena.h"
#include "cudart/base/options.h"
#include "cudart/base/state.h"
#include "cudart/device/device.h"
#include "cudart/device/languages.h"
#include "frontend/sass/program.h"

#include <stdlib.h>
#include <string.h>

static enum cuda_error problem_of(enum cuda_choice choice)
{
    return choice == CUDA_CHOSEN    ? CUDA_SUCCESS
           : choice == CUDA_NO_CODE ? CUDA_NO_KERNEL_IMAGE_FOR_DEVICE
                                    : CUDA_INVALID_KERNEL_IMAGE;
}

/* Gives up the texts from number `from` on. */
static void drop_texts(struct mnp_array *texts, uint32_t from)
{
    const struct execute_text *list = texts->items;
    for (uint32_t i = from; i < texts->count; i++)
        free((char *)list[i].text);
    texts->count = from;
}

void cudart_free_texts(struct mnp_array *texts)
{
    drop_texts(texts, 0);
    free(texts->items);
    *texts = (struct mnp_array){0};
}

static void add_text(struct mnp_array *texts, char *text, size_t length, bool text_beside)
{
    *(struct execute_text *)mnp_array_add(texts, 1, sizeof(struct execute_text)) =
        (struct execute_text){text, length, text_beside};
}

/* The code of a container that this machine can run. */
static enum cuda_error add_container(struct cudart_device *device, enum cudart_code_choice code, const char *name,
                                     const unsigned char *container, size_t bytes, struct mnp_array *texts,
                                     struct mnp_error *error)
{
    char *text;
    size_t length;
    uint32_t architecture = mnp_settings_architecture(device->settings);
    bytes = bytes ? bytes : fatbin_bytes(container);
    enum cuda_error problem =
        problem_of(cudart_choose(code, name, container, bytes, architecture, &text, &length, error));
    if (!problem)
        add_text(texts, text, length, cudart_holds_text(container, bytes, architecture));
    return problem;
}

/* Whether each file has text, so that it can be linked in place of machine code. */
static bool parts_hold_text(const unsigned char *const *parts, uint32_t architecture)
{
    bool good = parts && parts[0];
    for (uint32_t i = 0; good && parts[i]; i++)
        good = cudart_holds_text(parts[i], fatbin_bytes(parts[i]), architecture);
    return good;
}

/* The machine code that nvlink has made of several files. False: there is none, or the choice is free (`picky`) and
 * some of it would not be executed. */
static bool add_linked(struct cudart_device *device, const struct cuda_wrapper *wrapper, bool picky,
                       struct mnp_array *texts)
{
    const unsigned char *container = wrapper->container;
    uint32_t architecture = mnp_settings_architecture(device->settings);
    struct mnp_error ignored = {{0}};
    char *text;
    size_t length;
    enum cuda_choice choice = cudart_choose(CUDART_CODE_SASS, device->rt->calls.options.program, container,
                                            fatbin_bytes(container), architecture, &text, &length, &ignored);
    bool good = choice == CUDA_CHOSEN && (!picky || sass_program_executes((const unsigned char *)text, length));
    if (good)
        add_text(texts, text, length, parts_hold_text(wrapper->more, architecture));
    else if (choice == CUDA_CHOSEN)
        free(text);
    return good;
}

/* Relocatable device code, in a container for each file. Its PTX is linked here; machine code is linked already, or not
 * at all, so that one which is not executed whole is better than none: the kernels that are not say why. */
static enum cuda_error add_parts(struct cudart_device *device, const struct cuda_wrapper *wrapper,
                                 struct mnp_array *texts, struct mnp_error *error)
{
    struct cudart *rt = device->rt;
    enum cudart_code_choice code = rt->calls.options.code,
                            part_code = code == CUDART_CODE_AUTO ? CUDART_CODE_PTX : code;
    const char *name = rt->calls.options.program;
    const unsigned char *const *parts = wrapper->more;
    bool linked = wrapper->container && code != CUDART_CODE_PTX;
    /* Whether all of the machine code is executed matters where text could take its place. */
    bool picky = code != CUDART_CODE_SASS && parts_hold_text(parts, mnp_settings_architecture(device->settings));
    if (linked && add_linked(device, wrapper, picky, texts))
        return CUDA_SUCCESS;
    if (!parts)
        return add_container(device, code, name, wrapper->container, 0, texts, error);
    uint32_t before = texts->count;
    enum cuda_error problem = CUDA_SUCCESS;
    for (uint32_t i = 0; !problem && parts[i]; i++)
        problem = add_container(device, part_code, name, parts[i], 0, texts, error);
    if (problem && linked) {
        drop_texts(texts, before);
        if (add_linked(device, wrapper, false, texts)) {
            error->text[0] = 0; /* the message is then why the machine code is not executed */
            return CUDA_SUCCESS;
        }
    }
    return problem;
}

/* Adds the texts of a program's registration. */
enum cuda_error cudart_wrapper_texts(struct cudart_device *device, const struct cuda_wrapper *wrapper,
                                     struct mnp_array *texts, struct mnp_error *error)
{
    struct cudart *rt = device->rt;
    const char *name = rt->calls.options.program;
    if (wrapper->magic != CUDA_WRAPPER_MAGIC || (wrapper->version != 1 && wrapper->version != 2)) {
        mnp_fail(error,
                 "%s: its device code is registered in an unknown way (magic 0x%x, version %u); build it with "
                 "CUDA 12 or 13",
                 name, wrapper->magic, wrapper->version);
        return CUDA_INVALID_KERNEL_IMAGE;
    }
    return wrapper->version == 1
               ? add_container(device, rt->calls.options.code, name, wrapper->container, 0, texts, error)
               : add_parts(device, wrapper, texts, error);
}

/* Text as it is; or several, as cuLinkComplete puts them together. */
static void add_plain(struct mnp_array *texts, const char *image, size_t length)
{
    const size_t mark = strlen(CUDART_LINK_MARK);
    for (const char *next; image; image = next) {
        const char *end = memmem(image, length, CUDART_LINK_MARK, mark);
        size_t bytes = end ? (size_t)(end - image) : length;
        char *text = mnp_allocate(bytes + 1, 1);
        memcpy(text, image, bytes);
        add_text(texts, text, bytes, false);
        next = end ? end + mark : NULL;
        length -= end ? bytes + mark : 0;
    }
}

enum cuda_error cudart_image_texts(struct cudart_device *device, const char *name, const unsigned char *image,
                                   size_t bytes, struct mnp_array *texts, struct mnp_error *error)
{
    uint32_t magic = 0;
    memcpy(&magic, image, strnlen((const char *)image, 4)); /* the magic numbers have no zero byte */
    if (magic == CUDA_WRAPPER_MAGIC && (!bytes || bytes >= sizeof(struct cuda_wrapper)))
        return cudart_wrapper_texts(device, (const struct cuda_wrapper *)image, texts, error);
    if (magic == CUDA_CONTAINER_MAGIC && (!bytes || bytes >= CUDA_CONTAINER_HEADER))
        return add_container(device, device->rt->calls.options.code, name, image, bytes, texts, error);
    size_t length = cudart_image_bytes(image, bytes);
    if (!length && magic == UINT32_C(0x464c457f)) {
        mnp_fail(error,
                 "%s: this is no machine code of a GPU (a cubin); load one, PTX, or a fat binary that holds them",
                 name);
        return CUDA_NO_KERNEL_IMAGE_FOR_DEVICE;
    }
    if (!length) {
        mnp_fail(error, "%s: this is neither PTX nor a fat binary", name);
        return CUDA_INVALID_KERNEL_IMAGE;
    }
    add_plain(texts, (const char *)image, length);
    return CUDA_SUCCESS;
}
