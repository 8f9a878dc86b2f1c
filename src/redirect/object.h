/* SPDX-License-Identifier: BSD-3-Clause */
/* ELF files of programs and libraries for x86-64. Every offset and size in a file is checked against the file's
 * size. */
#ifndef REDIRECT_OBJECT_H
#define REDIRECT_OBJECT_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of a file. They need not be aligned. */
struct redirect_object {
    const unsigned char *bytes;
    size_t size;
};

/* A function of the symbol table. `name` lies in the file. */
struct redirect_symbol {
    const char *name;
    uint64_t address; /* before relocation */
};

/* Maps a file. False: it cannot be read, or is not an ELF file for x86-64. */
bool redirect_open(const char *path, struct redirect_object *object);
void redirect_close(struct redirect_object *object);
/* Whether bytes that have been read are an ELF file for x86-64. */
bool redirect_is_object(const struct redirect_object *object);

/* Returns a part of the file, or NULL if the file is too short. */
const void *redirect_piece(const struct redirect_object *object, uint64_t offset, uint64_t bytes);

/* Section headers, by their place in the table. False: there is none, or its contents are not in the file. */
bool redirect_section(const struct redirect_object *object, unsigned index, Elf64_Shdr *section);
/* The first section of a name. */
bool redirect_section_named(const struct redirect_object *object, const char *name, Elf64_Shdr *section);

/* Converts an address in an executable segment to an offset in the file; UINT64_MAX: there is none. */
uint64_t redirect_place(const struct redirect_object *object, uint64_t address);
/* Executable segments, by their place among the segments. False: the segment is of another kind, or not in the file. */
bool redirect_code(const struct redirect_object *object, unsigned index, Elf64_Phdr *segment);
unsigned redirect_segments(const struct redirect_object *object);

/* Copies the functions of .symtab that are defined and have a name, in ascending order of their addresses. NULL: there
 * are none. Free it. */
struct redirect_symbol *redirect_functions(const struct redirect_object *object, size_t *count);

#endif
