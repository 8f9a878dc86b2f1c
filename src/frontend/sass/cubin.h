/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cubins: machine code for one architecture, written by ptxas and contained in fat binaries. The format is ELF64 for
 * machine 190, with one section .text.KERNEL for each kernel or function. Launch properties are in .nv.info and
 * .nv.info.KERNEL (attributes), .nv.shared.KERNEL (size of shared memory) and .nv.constantN[.KERNEL] (images of the
 * constant banks). All fields are validated; kernels are decoded on first use.
 */
#ifndef FRONTEND_SASS_CUBIN_H
#define FRONTEND_SASS_CUBIN_H

#include "base/error.h"
#include "frontend/sass/word.h"

#include <stddef.h>
#include <stdint.h>

enum { SASS_CONSTANT_BANKS = 18, SASS_CUBIN_MACHINE = 190 };

/* A section, or a part of one; its bytes lie in the image. */
struct sass_section {
    const char *name;
    const unsigned char *data; /* NULL: there is none, or it occupies no space in the file */
    uint64_t bytes;
    uint32_t type, link, info;
    uint64_t offset; /* offset in the file */
    uint64_t entry;  /* bytes of an entry of a table */
};

/* A parameter of a kernel. */
struct sass_parameter {
    uint32_t offset; /* relative to the first parameter */
    uint32_t bytes;
};

/* A value that the loader writes into a section. */
struct sass_relocation {
    uint64_t offset; /* offset in the section */
    uint32_t type;   /* R_CUDA_… */
    uint32_t symbol; /* index */
    int64_t addend;
};

/* A name of the cubin. */
struct sass_symbol {
    const char *name;
    uint32_t section; /* index; 0: it is defined elsewhere (vprintf) */
    uint8_t type;     /* ELF symbol type: 1 object, 2 function, 3 section */
    bool entry;       /* a kernel, that the host can launch */
    uint64_t value, bytes;
};

/* A kernel or a function that kernels call. */
struct sass_kernel {
    const char *name;
    bool entry;                      /* the host can launch it */
    const struct sass_section *code; /* .text.NAME */
    size_t words;                    /* instructions in it */
    uint32_t section;                /* index of the code */
    uint32_t registers;              /* per thread; 0: not stated */
    uint32_t frame, stack;           /* stack size in bytes: its own, and including all known callees */
    uint32_t parameters_at;          /* offset in bank 0 */
    uint32_t parameter_bytes;        /* total size of the parameters */
    uint32_t parameter_count;
    struct sass_parameter *parameters; /* indexed by ordinal */
    uint32_t most_threads[3];          /* __launch_bounds__; 0: not stated */
    uint32_t needed_threads[3];        /* .reqntid; 0: not stated */
    uint32_t cluster[3];               /* __cluster_dims__; 0: none */
    uint32_t barriers;                 /* named barriers that it uses */
    uint64_t shared_bytes;             /* static */
    const unsigned char *exits;        /* offsets of EXIT, 32 bits each, low byte first */
    size_t exit_count;
    const struct sass_section *constants[SASS_CONSTANT_BANKS]; /* image of each bank; NULL: none */
};

struct sass_cubin;

/* The size of a cubin in a program's memory, according to its header, which is trusted; 0: not a cubin. */
size_t sass_cubin_length(const unsigned char *image);

/*
 * Parses the tables of the cubin at `image`, which must stay valid as long as the cubin is used. `name` is used in
 * errors. NULL: the error names the section and the byte.
 */
struct sass_cubin *sass_cubin_open(const char *name, const unsigned char *image, size_t bytes, struct mnp_error *error);
void sass_cubin_free(struct sass_cubin *cubin);

/* Compute capability of the code, say 86. */
unsigned sass_cubin_architecture(const struct sass_cubin *cubin);
/* Architecture of the PTX from which it was compiled, for example 80: cudaFuncGetAttributes' ptxVersion. */
unsigned sass_cubin_source(const struct sass_cubin *cubin);

/* Kernels and functions, in the order of their sections. */
size_t sass_cubin_kernel_count(const struct sass_cubin *cubin);
const struct sass_kernel *sass_cubin_kernel(const struct sass_cubin *cubin, size_t index);

/* Names, in the order of the cubin. */
size_t sass_cubin_symbol_count(const struct sass_cubin *cubin);
const struct sass_symbol *sass_cubin_symbol(const struct sass_cubin *cubin, size_t index);

/* Calls `take` for each relocation of a section (index). Returns false if one of them is damaged, or if `take` returned
 * false. */
bool sass_cubin_relocations(const struct sass_cubin *cubin, uint32_t section,
                            bool (*take)(void *context, const struct sass_relocation *relocation), void *context,
                            struct mnp_error *error);

/* Returns instruction `index` of a kernel, which has `words` instructions. */
struct sass_word sass_kernel_word(const struct sass_kernel *kernel, size_t index);

#endif
