/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loader of A32 programs: statically linked, little-endian ELF files for ARM (System V ABI for ARM, IHI 0044). Programs
 * for other processors (Thumb, AArch64, big endian) are rejected with a specific error.
 */
#ifndef MNP_FRONTEND_A32_ELF_H
#define MNP_FRONTEND_A32_ELF_H

#include "base/error.h"
#include "contract/program.h"

#include <stddef.h>

/* Reads a program; `path` must outlive it. Release it with mnp_program_release. */
bool a32_elf_load(const char *path, struct mnp_program *program, struct mnp_error *error);

/* The same from `length` bytes in memory (followed by a 0), which become the program's. */
bool a32_elf_read(const char *path, unsigned char *bytes, size_t length, struct mnp_program *program,
                  struct mnp_error *error);

#endif
