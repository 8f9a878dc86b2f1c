/* SPDX-License-Identifier: BSD-3-Clause */
#include "redirect/object.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool redirect_open(const char *path, struct redirect_object *object)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    *object = (struct redirect_object){0};
    if (file < 0)
        return false;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED)
            *object = (struct redirect_object){bytes, (size_t)status.st_size};
    }
    close(file);
    if (object->bytes && redirect_is_object(object))
        return true;
    redirect_close(object);
    return false;
}

void redirect_close(struct redirect_object *object)
{
    if (object->bytes)
        munmap((void *)object->bytes, object->size);
    *object = (struct redirect_object){0};
}

const void *redirect_piece(const struct redirect_object *object, uint64_t offset, uint64_t bytes)
{
    return offset <= object->size && bytes <= object->size - offset ? object->bytes + offset : NULL;
}

static Elf64_Ehdr header_of(const struct redirect_object *object)
{
    Elf64_Ehdr header;
    memcpy(&header, object->bytes, sizeof header);
    return header;
}

bool redirect_is_object(const struct redirect_object *object)
{
    const unsigned char *ident = redirect_piece(object, 0, sizeof(Elf64_Ehdr));
    return ident && memcmp(ident, ELFMAG, SELFMAG) == 0 && ident[EI_CLASS] == ELFCLASS64 &&
           ident[EI_DATA] == ELFDATA2LSB && header_of(object).e_machine == EM_X86_64;
}

bool redirect_section(const struct redirect_object *object, unsigned index, Elf64_Shdr *section)
{
    Elf64_Ehdr header = header_of(object);
    if (index >= header.e_shnum || header.e_shentsize != sizeof *section || header.e_shoff > object->size)
        return false;
    const void *at = redirect_piece(object, header.e_shoff + (uint64_t)index * sizeof *section, sizeof *section);
    if (!at)
        return false;
    memcpy(section, at, sizeof *section);
    return section->sh_type != SHT_NOBITS && redirect_piece(object, section->sh_offset, section->sh_size);
}

/* Returns an entry of a string table, or NULL if the offset lies outside the section. */
static const char *text_of(const struct redirect_object *object, const Elf64_Shdr *texts, uint64_t offset)
{
    const char *text = offset < texts->sh_size ? (const char *)object->bytes + texts->sh_offset + offset : NULL;
    return text && memchr(text, 0, texts->sh_size - offset) ? text : NULL;
}

bool redirect_section_named(const struct redirect_object *object, const char *name, Elf64_Shdr *section)
{
    Elf64_Ehdr header = header_of(object);
    Elf64_Shdr names;
    if (!redirect_section(object, header.e_shstrndx, &names))
        return false;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        const char *text = redirect_section(object, i, section) ? text_of(object, &names, section->sh_name) : NULL;
        if (text && strcmp(text, name) == 0)
            return true;
    }
    return false;
}

unsigned redirect_segments(const struct redirect_object *object)
{
    return header_of(object).e_phnum;
}

bool redirect_code(const struct redirect_object *object, unsigned index, Elf64_Phdr *segment)
{
    Elf64_Ehdr header = header_of(object);
    if (index >= header.e_phnum || header.e_phentsize != sizeof *segment || header.e_phoff > object->size)
        return false;
    const void *at = redirect_piece(object, header.e_phoff + (uint64_t)index * sizeof *segment, sizeof *segment);
    if (!at)
        return false;
    memcpy(segment, at, sizeof *segment);
    return segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
           redirect_piece(object, segment->p_offset, segment->p_filesz);
}

uint64_t redirect_place(const struct redirect_object *object, uint64_t address)
{
    Elf64_Phdr segment;
    for (unsigned i = 0; i < redirect_segments(object); i++)
        if (redirect_code(object, i, &segment) && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return UINT64_MAX;
}

static int by_address(const void *left, const void *right)
{
    const struct redirect_symbol *a = left, *b = right;
    return a->address != b->address ? (a->address > b->address) - (a->address < b->address) : strcmp(a->name, b->name);
}

static bool symbol_table(const struct redirect_object *object, Elf64_Shdr *symbols, Elf64_Shdr *names)
{
    for (unsigned i = 0; i < header_of(object).e_shnum; i++)
        if (redirect_section(object, i, symbols) && symbols->sh_type == SHT_SYMTAB)
            return redirect_section(object, symbols->sh_link, names);
    return false;
}

struct redirect_symbol *redirect_functions(const struct redirect_object *object, size_t *count)
{
    Elf64_Shdr symbols, names;
    *count = 0;
    if (!symbol_table(object, &symbols, &names))
        return NULL;
    size_t rows = symbols.sh_size / sizeof(Elf64_Sym);
    struct redirect_symbol *all = rows ? malloc(rows * sizeof *all) : NULL;
    for (size_t i = 0; all && i < rows; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, object->bytes + symbols.sh_offset + i * sizeof symbol, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF)
            continue;
        const char *name = text_of(object, &names, symbol.st_name);
        if (name && *name)
            all[(*count)++] = (struct redirect_symbol){name, symbol.st_value};
    }
    if (all)
        qsort(all, *count, sizeof *all, by_address);
    return all;
}
