/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared functions of the mapping: reading options, and adding lines to the machine file. */
#ifndef GPU_IMPORT_MAP_H
#define GPU_IMPORT_MAP_H

#include "gpu/import/import.h"

struct gpu_mapping {
    struct gpu_import *import;
    struct mnp_error *error; /* the first mistake in a value; the mapping goes on and fails at its end */
    char missing[400];       /* options without which no machine can be made, all that lack */
};

/* Marks an option as mapped; NULL: there is none. */
struct gpu_import_option *gpu_map_take(struct gpu_mapping *mapping, const char *name);

/* A number of an option, or `fallback` where there is none. A value outside of the range is a mistake. */
uint64_t gpu_map_number(struct gpu_mapping *mapping, const char *name, uint64_t least, uint64_t most,
                        uint64_t fallback);

/* Notes that an option is missing without which no machine can be made. */
void gpu_map_miss(struct gpu_mapping *mapping, const char *name);

/* The same as gpu_map_number for an option without which no machine can be made. */
uint64_t gpu_map_needed(struct gpu_mapping *mapping, const char *name, uint64_t least, uint64_t most);

/* Up to `count` numbers with one of the separators between them; returns how many there are. */
uint32_t gpu_map_numbers(struct gpu_mapping *mapping, const struct gpu_import_option *option, const char *separators,
                         uint64_t *numbers, uint32_t count);

/* A mistake in an option's value. */
void gpu_map_fail(struct gpu_mapping *mapping, const struct gpu_import_option *option, const char *what);

/* A statement about the machine that finds no place. */
void gpu_map_lose(struct gpu_mapping *mapping, const char *name, const char *why);

/* An option that states what the models do anyway. */
void gpu_map_agree(struct gpu_mapping *mapping, const char *name);

/* Lines of the machine file: a whole number, a size, a word. */
void gpu_map_put(struct gpu_mapping *mapping, const char *key, uint64_t value, const char *source);
void gpu_map_put_size(struct gpu_mapping *mapping, const char *key, uint64_t bytes, const char *source);
void gpu_map_put_word(struct gpu_mapping *mapping, const char *key, const char *word, const char *source);
void gpu_map_put_truth(struct gpu_mapping *mapping, const char *key, bool truth, const char *source);

/* A cache's description: `S:4:128:64,L:T:m:L:L,A:512:8,16:0,32`. */
struct gpu_map_cache {
    uint64_t sets, line, ways, mshrs, merge, queue, port; /* port 0: not stated */
    char kind;                                            /* N normal, S sectored */
    char replacement, write, allocate, write_allocate, index;
};

/* False: there is no such cache, or a mistake. */
bool gpu_map_cache(struct gpu_mapping *mapping, const char *name, struct gpu_map_cache *cache);

/* Sizes in KiB, as a list. */
void gpu_map_put_sizes(struct gpu_mapping *mapping, const char *key, const uint64_t *kib, uint32_t count,
                       const char *source);

void gpu_map_l1(struct gpu_mapping *mapping); /* map_l1.c: the L1, shared memory, caches of code and constants */
void gpu_map_operands(struct gpu_mapping *mapping, uint64_t subcores); /* map_l1.c: collectors */
void gpu_map_sm(struct gpu_mapping *mapping);                          /* map_sm.c */
void gpu_map_memory(struct gpu_mapping *mapping);                      /* map_memory.c */

#endif
