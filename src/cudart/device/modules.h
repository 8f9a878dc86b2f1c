/* SPDX-License-Identifier: BSD-3-Clause */
/* Device code: modules, their kernels and variables. */
#ifndef CUDART_MODULES_H
#define CUDART_MODULES_H

#include "base/error.h"
#include "cudart/base/abi.h"
#include "execute/code/language.h"
#include "execute/device/device.h"
#include "frontend/cuda/fatbin.h"

#include <stdbool.h>
#include <stddef.h>

struct cudart;
struct cudart_device;

/* Owner: modules.c. */
struct cudart_code {
    struct mnp_array modules;   /* struct cudart_module * */
    struct mnp_array kernels;   /* struct cudart_kernel * */
    struct mnp_array variables; /* struct cudart_variable */
};

/* Device code that a program has registered: text is loaded before the program's first allocation, machine code when it
 * is needed; or that it has loaded by itself. */
struct cudart_module {
    struct cudart_device *device;
    struct cudart_module *next;         /* the same registration on the next device; NULL: there is none */
    const struct cuda_wrapper *wrapper; /* NULL: it was loaded from an image */
    bool closed;                        /* the library that has registered it is, or the program has ended */
    bool tried, said;                   /* that it could not be loaded */
    struct mnp_error error;
    enum cuda_error problem;       /* why it could not be loaded */
    struct execute_module *loaded; /* NULL: it is not on the device */
    bool text_beside;              /* the module is machine code, and the program has a text of it */
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
    void **managed; /* the program's variable with the address of a __managed__ variable; NULL: not managed */
};

/* Registers a module on all devices. There is a module for each device; the first one is the handle. */
struct cudart_module *cudart_register_module(struct cudart *rt, const struct cuda_wrapper *wrapper);
/* The library that has registered it is closed: its addresses may be another's next. What is loaded stays for work that
 * waits; what is not is forgotten. */
void cudart_unregister_module(struct cudart_module *module);
void cudart_register_kernel(struct cudart_module *module, const void *host, const char *name);
void cudart_register_variable(struct cudart_module *module, const void *host, const char *name, void **managed);
/* The module of a registration that is on a device. */
struct cudart_module *cudart_module_on(struct cudart_module *module, const struct cudart_device *device);
uint32_t cudart_newest_architecture(const struct cudart_device *device); /* newest of all registered code; 0: none */
void cudart_load_all(struct cudart_device *device); /* without modules that wait for their first use */
enum cuda_error cudart_load(struct cudart_device *device, struct cudart_module *module); /* an error is reported once */
/* The same for a question about a kernel, which may be answered by an error alone: that it has no code for this device.
 * Libraries ask so about kernels for all devices. */
enum cuda_error cudart_load_for_question(struct cudart_device *device, struct cudart_module *module);
/* The address and size of a variable of a module that is loaded. False: it has none of that name. */
bool cudart_variable_in(const struct cudart_module *module, const char *name, uint64_t *address, uint64_t *bytes);
/* Links texts into a new module. */
enum cuda_error cudart_link_module(struct cudart_device *device, const char *name, const struct mnp_array *texts,
                                   struct cudart_module **module, struct mnp_error *error);
bool cudart_module_known(const struct cudart_device *device, const void *module);
void cudart_unload(struct cudart_device *device, struct cudart_module *module);
/* The program has no more of a module, whose kernels stay for graphs that hold them. */
void cudart_set_aside(struct cudart_device *device, const struct cudart_module *module);
void cudart_unload_all(struct cudart_device *device);
struct cudart_kernel *cudart_find_kernel(const struct cudart_device *device,
                                         const void *function); /* NULL: there is none */
/* Finds a kernel of a module by its name. Adds the kernel on the first request. */
struct cudart_kernel *cudart_kernel_in(struct cudart_device *device, struct cudart_module *module, const char *name);
enum cuda_error cudart_decode(struct cudart_device *device, struct cudart_kernel *kernel);
void cudart_set_max_dynamic(struct cudart_kernel *kernel, uint32_t bytes);
void cudart_forget_cluster(struct cudart_kernel *kernel);
const struct cudart_variable *cudart_find_variable(const struct cudart_device *device, const void *symbol);

#endif
