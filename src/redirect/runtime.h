/* SPDX-License-Identifier: BSD-3-Clause */
/* NVIDIA's static runtime (libcudart_static.a) inside a program or a library: where its functions lie, and its version.
 * Source: ../shared/reference/static-runtime.md. */
#ifndef REDIRECT_RUNTIME_H
#define REDIRECT_RUNTIME_H

#include "redirect/object.h"

enum redirect_state {
    REDIRECT_ABSENT,   /* no static runtime */
    REDIRECT_FOUND,    /* its functions are known */
    REDIRECT_STRIPPED, /* the runtime was found without symbols, and no map matches (redirect/map.h) */
};

struct redirect_function {
    const char *name;
    uint64_t address; /* before relocation */
    uint64_t room;    /* bytes up to the next function */
};

struct redirect_runtime {
    unsigned major;   /* 11, 12, 13; others are not supported */
    unsigned version; /* version in the format of cudaRuntimeGetVersion: 12090 for 12.9 */
    struct redirect_function *functions;
    size_t count;
    char *names; /* storage of the functions' names if they come from a map */
};

/* Finds the runtime. `maps`: the folder of maps for stripped files. The names are valid until the object is closed. */
enum redirect_state redirect_find(const struct redirect_object *object, const char *maps,
                                  struct redirect_runtime *runtime);
void redirect_release(struct redirect_runtime *runtime);

#endif
