/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine file from the configuration of another simulator: gpgpusim.config of GPGPU-Sim and Accel-Sim, and
 * Accel-Sim's trace.config. What an option means was read in the configurations that they publish and in their
 * manuals; what cannot be said in a machine file is listed.
 *
 * Order of calls: read each file; map; write and summarise; release.
 */
#ifndef GPU_IMPORT_IMPORT_H
#define GPU_IMPORT_IMPORT_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum gpu_import_fate {
    GPU_IMPORT_UNKNOWN,     /* no part of the mapping has read the option */
    GPU_IMPORT_MAPPED,      /* the machine file contains it */
    GPU_IMPORT_DEFAULT,     /* the models behave like this anyway */
    GPU_IMPORT_NOT_MACHINE, /* concerns functional simulation, output or the host */
    GPU_IMPORT_LOST,        /* describes a property that the machine file cannot express */
};

struct gpu_import_option {
    char *name;  /* with its dash */
    char *value; /* "" when there is none */
    const char *file;
    unsigned line;
    enum gpu_import_fate fate;
    const char *why; /* GPU_IMPORT_LOST */
};

enum { GPU_IMPORT_VALUE = 320 };

struct gpu_import_entry { /* a line of the machine file */
    char key[48], value[GPU_IMPORT_VALUE];
    char source[96]; /* origin of the value, for the comment; without line breaks */
};

enum { GPU_IMPORT_FILES = 2, GPU_IMPORT_ENTRIES = 128, GPU_IMPORT_BYTES = 1 << 20 };

struct gpu_import {
    struct gpu_import_option *options; /* in the order of the files */
    uint32_t option_count;
    char *files[GPU_IMPORT_FILES]; /* names, for messages */
    uint32_t file_count;
    struct gpu_import_entry entries[GPU_IMPORT_ENTRIES];
    uint32_t entry_count;
    char name[48];
    uint64_t architecture; /* 75 for compute capability 7.5 */
};

/* Reads the options of a file of at most GPU_IMPORT_BYTES: `-name value`, # comments, values in quotes over lines. */
bool gpu_import_read(struct gpu_import *import, const char *file, const char *text, size_t length,
                     struct mnp_error *error);

/* Decides what becomes of every option. */
bool gpu_import_map(struct gpu_import *import, struct mnp_error *error);

/* Writes the machine file, which ends with a comment on every option that is lost. */
void gpu_import_write(const struct gpu_import *import, FILE *out);

/* Says in a few lines what became of the options. */
void gpu_import_summarise(const struct gpu_import *import, FILE *out);

void gpu_import_release(struct gpu_import *import);

/* ===== between the files of this folder ===== */

/* The last option of a name, which is the one that counts; NULL: there is none. */
struct gpu_import_option *gpu_import_find(struct gpu_import *import, const char *name);

#endif
