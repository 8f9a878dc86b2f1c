/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fat binaries, which nvcc embeds in programs: containers of one module's code for several architectures, as PTX text
 * and as machine code. Entries may be compressed with zstd (nvcc's default) or as a raw LZ4 block. The format is that
 * of nvcc 13, determined from linked programs; all fields are validated.
 */
#ifndef FRONTEND_CUDA_FATBIN_H
#define FRONTEND_CUDA_FATBIN_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

#define CUDA_WRAPPER_MAGIC   UINT32_C(0x466243b1)
#define CUDA_CONTAINER_MAGIC UINT32_C(0xba55ed50)

enum {
    CUDA_CONTAINER_HEADER = 16, /* bytes */
    CUDA_ENTRY_HEADER = 64,
    CUDA_ENTRY_PTX = 1,
    CUDA_ENTRY_MACHINE_CODE = 2,
    CUDA_FLAG_LZ4 = 0x2000,
    CUDA_FLAG_ZSTD = 0x8000,
    CUDA_FLAG_OWN = 0x100000,    /* code for one architecture only (sm_90a), as marked by nvcc 13 */
    CUDA_FLAG_FAMILY = 0x200000, /* code for one family (sm_100f) */
};

#define CUDA_MAX_PTX (UINT64_C(1) << 28) /* bytes of one module's text; more is taken for damage */

/* The structure by which a program registers its device code with the runtime. */
struct cuda_wrapper {
    uint32_t magic, version; /* version 2: relocatable device code, linked by nvlink */
    const unsigned char *container;
    const void *more; /* version 2: the containers that were linked, ended by a NULL */
};

struct cuda_entry {
    uint16_t kind;             /* CUDA_ENTRY_… */
    uint32_t architecture;     /* 86: compute capability 8.6 */
    uint64_t flags;            /* CUDA_FLAG_… and others */
    uint64_t offset;           /* offset of the header in the container */
    const unsigned char *data; /* compressed, if the flags say so */
    uint64_t bytes;            /* size of the data */
    uint64_t text_bytes;       /* decompressed size; 0: not compressed */
};

/* A container being read, entry by entry. */
struct cuda_fatbin {
    const char *name; /* name of the program, for errors */
    const unsigned char *image;
    uint64_t bytes, at;
};

/* The size of a container that lies in memory, from its header: 0 if it is none. */
uint64_t fatbin_bytes(const unsigned char *image);

bool fatbin_open(struct cuda_fatbin *fatbin, const char *name, const unsigned char *image, uint64_t bytes,
                 struct mnp_error *error);

/* The next entry. False: the end, or damage, which sets the error. */
bool fatbin_next(struct cuda_fatbin *fatbin, struct cuda_entry *entry, struct mnp_error *error);

/* Whether a machine of this architecture can run the entry, according to its header: machine code of the same family
 * that is not newer, PTX of any older architecture, and code for one architecture or one family only there. */
bool fatbin_runs_on(const struct cuda_entry *entry, uint32_t architecture);

/* Rank among entries that a machine can run; higher is better: first the newest architecture, then, for equal
 * architectures, code for this architecture only, code for its family, and other code. */
uint32_t fatbin_rank(const struct cuda_entry *entry);

/* The content of an entry, decompressed, with a zero byte behind it; free it. NULL: an error. */
char *fatbin_entry_text(const struct cuda_fatbin *fatbin, const struct cuda_entry *entry, size_t *length,
                        struct mnp_error *error);

/* The same without looking for the end of a text: the content of a machine-code entry is a cubin of *length bytes. */
unsigned char *fatbin_content(const struct cuda_fatbin *fatbin, const struct cuda_entry *entry, size_t *length,
                              struct mnp_error *error);

enum cuda_choice {
    CUDA_CHOSEN,
    CUDA_NO_CODE, /* the container is well, but nothing in it runs on that architecture */
    CUDA_DAMAGED,
};

/* The PTX of the highest compute capability that a machine of this architecture can run; free *text. */
enum cuda_choice fatbin_choose(const char *name, const unsigned char *image, uint64_t bytes, uint32_t architecture,
                               char **text, size_t *length, struct mnp_error *error);

#endif
