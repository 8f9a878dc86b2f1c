/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: modules, their kernels and variables, and the images that they come from. */
#ifndef CUDART_CODE_H
#define CUDART_CODE_H

#include "base/error.h"
#include "cudart/core/abi.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/cuda/fatbin.h"

#include <stdbool.h>
#include <stddef.h>

struct cudart;

/* Owner: code.c. */
struct cudart_code {
    struct mnp_array modules;   /* struct cudart_module * */
    struct mnp_array kernels;   /* struct cudart_kernel * */
    struct mnp_array variables; /* struct cudart_variable */
};

/* Device code that a program has registered: text is loaded before the program's first allocation, machine code when it
 * is needed; or that it has loaded by itself. */
struct cudart_module {
    const struct cuda_wrapper *wrapper; /* NULL: it was loaded from an image */
    bool tried, said;                   /* that it could not be loaded */
    struct mnp_error error;
    enum cuda_error problem;       /* why it could not be loaded */
    struct execute_module *loaded; /* NULL: it is not on the device */
    bool text_beside;              /* it is machine code, and the program has a text of the same */
};

struct cudart_kernel {
    struct cudart_module *module;
    const void *host; /* the function that stands for it in the program */
    char *name;
    const struct execute_code *code; /* NULL: not decoded yet */
    uint32_t max_dynamic;            /* bytes of dynamic shared memory that the program has asked for */
    uint32_t cluster[3]; /* CTAs of a cluster that the program has asked for along each axis; 0: it has not */
    bool non_portable;   /* clusters may have more CTAs than every device can hold */
};

struct cudart_variable {
    struct cudart_module *module;
    const void *host;
    char *name;
    void **managed; /* where the program keeps the address of a __managed__ variable; NULL: it is none */
};

/* ===== image.c ===== */

/* The code in an image, added to texts (struct execute_text) that cudart_free_texts frees. Several modules may stand in
 * one image of plain text, with a mark between them: what cuLinkComplete makes. `bytes`: of the image; 0: not known,
 * and the image itself tells. */
#define CUDART_LINK_MARK "\n//@ maniple: the next module to be linked\n"
enum cuda_error cudart_image_texts(struct cudart *rt, const char *name, const unsigned char *image, size_t bytes,
                                   struct mnp_array *texts, struct mnp_error *error);
/* The same of what a program registers. */
enum cuda_error cudart_wrapper_texts(struct cudart *rt, const struct cuda_wrapper *wrapper, struct mnp_array *texts,
                                     struct mnp_error *error);
void cudart_free_texts(struct mnp_array *texts);

/* ===== code.c ===== */

struct cudart_module *cudart_add_module(struct cudart *rt, const struct cuda_wrapper *wrapper);
struct cudart_kernel *cudart_add_kernel(struct cudart *rt, struct cudart_module *module, const void *host,
                                        const char *name);
void cudart_add_variable(struct cudart *rt, struct cudart_module *module, const void *host, const char *name,
                         void **managed);
uint32_t cudart_newest_architecture(const struct cudart *rt);                 /* of all registered code; 0: none */
void cudart_load_all(struct cudart *rt);                                      /* but what waits until it is needed */
enum cuda_error cudart_load(struct cudart *rt, struct cudart_module *module); /* what is wrong is said, once */
/* The address and size of a variable of a module that is loaded. False: it has none of that name. */
bool cudart_variable_in(const struct cudart_module *module, const char *name, uint64_t *address, uint64_t *bytes);
/* Links texts into a new module. */
enum cuda_error cudart_link_module(struct cudart *rt, const char *name, const struct mnp_array *texts,
                                   struct cudart_module **module, struct mnp_error *error);
bool cudart_module_known(const struct cudart *rt, const void *module);
void cudart_unload(struct cudart *rt, struct cudart_module *module);
/* The program has no more of a module, whose kernels stay for graphs that hold them. */
void cudart_set_aside(struct cudart *rt, const struct cudart_module *module);
void cudart_unload_all(struct cudart *rt);
struct cudart_kernel *cudart_find_kernel(const struct cudart *rt, const void *function); /* NULL: there is none */
/* That of a module, by its name; it is added if nobody has asked for it before. */
struct cudart_kernel *cudart_kernel_in(struct cudart *rt, struct cudart_module *module, const char *name);
enum cuda_error cudart_decode(struct cudart *rt, struct cudart_kernel *kernel);
void cudart_set_max_dynamic(struct cudart_kernel *kernel, uint32_t bytes);
void cudart_forget_cluster(struct cudart_kernel *kernel);
const struct cudart_variable *cudart_find_variable(const struct cudart *rt, const void *symbol);

/* ===== modules.c: for programs, with a device that is prepared ===== */

/* The kernel that a function of the host, or a handle, stands for; decoded. */
enum cuda_error cudart_kernel_of(struct cudart *rt, const void *function, struct cudart_kernel **kernel);
/* The same, without its operations where they have not been needed yet; `*code` is its own or an outline. */
enum cuda_error cudart_outline_of(struct cudart *rt, const void *function, struct cudart_kernel **kernel,
                                  const struct execute_code **code);
enum cuda_error cudart_symbol(struct cudart *rt, const void *symbol, uint64_t *address, uint64_t *bytes);
/* A module from an image in memory: a text of a language (languages.h), or a fat binary that holds one. The
 * error is in `error` too, for logs. */
enum cuda_error cudart_load_image(struct cudart *rt, const char *name, const void *image, size_t bytes,
                                  struct cudart_module **module, struct mnp_error *error);
enum cuda_error cudart_read_image(struct cudart *rt, const char *name, const void *image, size_t bytes,
                                  struct mnp_array *texts, struct mnp_error *error);
/* The handle of one of a module's kernels, decoded. */
enum cuda_error cudart_kernel_named(struct cudart *rt, struct cudart_module *module, const char *name,
                                    struct cudart_kernel **kernel);

/* ===== link.c: the driver API's linker ===== */

struct CUlinkState_st;

/* What a caller wants to read of a translation, from the options of a module or a linker. */
struct cudart_log {
    char *text;
    size_t bytes;
    void **used; /* where the number of bytes written goes */
};
void cudart_write_log(const struct cudart_log *log, const struct mnp_error *error);

enum cuda_error cudart_link_create(struct cudart *rt, struct cudart_log log, struct CUlinkState_st **out);
enum cuda_error cudart_link_add(struct cudart *rt, struct CUlinkState_st *state, const void *data, size_t bytes,
                                const char *name);
enum cuda_error cudart_link_add_file(struct cudart *rt, struct CUlinkState_st *state, const char *path);
enum cuda_error cudart_link_complete(struct cudart *rt, struct CUlinkState_st *state, void **image, size_t *bytes);
enum cuda_error cudart_link_destroy(struct cudart *rt, struct CUlinkState_st *state);

#endif
