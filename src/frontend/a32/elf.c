/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/a32/elf.h"

#include "base/arena.h"
#include "base/file.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 64 << 20 };

struct reader {
    const char *path;
    const unsigned char *bytes;
    size_t length;
    struct mnp_error *error;
};

/* A piece of the file, or NULL when it is not all there. */
static const unsigned char *piece(const struct reader *r, uint64_t offset, uint64_t bytes)
{
    return offset <= r->length && bytes <= r->length - offset ? r->bytes + offset : NULL;
}

static bool check_header(const struct reader *r, Elf32_Ehdr *header)
{
    const unsigned char *first = piece(r, 0, sizeof *header);
    if (!first || memcmp(first, ELFMAG, SELFMAG) != 0)
        return mnp_fail_at(r->error, r->path, 0,
                           "is not an ELF file; give a program, built for CUDA with nvcc or linked for the "
                           "coprocessor, or a script whose first line begins with #!");
    memcpy(header, first, sizeof *header);
    if (first[EI_CLASS] == ELFCLASS64)
        return mnp_fail_at(r->error, r->path, 0,
                           "is a 64-bit program (AArch64 or the host's own); the coprocessor runs "
                           "A32: compile with arm-none-eabi-gcc -mcpu=arm1136jf-s -marm");
    if (first[EI_CLASS] != ELFCLASS32)
        return mnp_fail_at(r->error, r->path, 0, "is an ELF file of an unknown class");
    if (first[EI_DATA] != ELFDATA2LSB)
        return mnp_fail_at(r->error, r->path, 0, "is big endian; compile it with -mlittle-endian");
    if (header->e_machine != EM_ARM)
        return mnp_fail_at(r->error, r->path, 0, "is for ELF machine %u, not for ARM (40)", header->e_machine);
    if (header->e_type != ET_EXEC)
        return mnp_fail_at(r->error, r->path, 0,
                           "is not an executable at fixed addresses (ELF type %u); link it with "
                           "-static -no-pie",
                           header->e_type);
    if (header->e_entry & 1)
        return mnp_fail_at(r->error, r->path, 0, "begins in Thumb code; compile everything with -marm");
    if (header->e_entry & 3)
        return mnp_fail_at(r->error, r->path, 0, "has its entry at 0x%x, which is not a multiple of 4",
                           header->e_entry);
    if (header->e_flags & EF_ARM_ABI_FLOAT_HARD)
        return mnp_fail_at(r->error, r->path, 0, "needs a floating-point unit; compile it with -mfloat-abi=soft");
    return true;
}

static bool add_segment(const struct reader *r, struct mnp_program *program, const Elf32_Phdr *entry, unsigned number)
{
    if (entry->p_type == PT_INTERP || entry->p_type == PT_DYNAMIC)
        return mnp_fail_at(r->error, r->path, 0, "is dynamically linked; link it with -static");
    if (entry->p_type != PT_LOAD || entry->p_memsz == 0)
        return true;
    if (program->segment_count == MNP_SEGMENTS)
        return mnp_fail_at(r->error, r->path, 0, "has more than %d segments", MNP_SEGMENTS);
    struct mnp_segment segment = {.address = entry->p_vaddr,
                                  .bytes = entry->p_memsz,
                                  .stored = entry->p_filesz,
                                  .data = piece(r, entry->p_offset, entry->p_filesz),
                                  .writable = entry->p_flags & PF_W,
                                  .executable = entry->p_flags & PF_X};
    if (!segment.data || segment.stored > segment.bytes || segment.bytes > UINT32_MAX - segment.address)
        return mnp_fail_at(r->error, r->path, 0,
                           "segment %u does not fit into the file or the address space; the file "
                           "is damaged",
                           number);
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *other = &program->segments[i];
        if (segment.address < other->address + other->bytes && other->address < segment.address + segment.bytes)
            return mnp_fail_at(r->error, r->path, 0, "segment %u overlaps another one", number);
    }
    program->segments[program->segment_count++] = segment;
    return true;
}

static bool read_segments(const struct reader *r, const Elf32_Ehdr *header, struct mnp_program *program)
{
    if (header->e_phnum && header->e_phentsize != sizeof(Elf32_Phdr))
        return mnp_fail_at(r->error, r->path, 0, "has program headers of %u bytes; the file is damaged",
                           header->e_phentsize);
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf32_Phdr entry;
        const unsigned char *at = piece(r, (uint64_t)header->e_phoff + i * sizeof entry, sizeof entry);
        if (!at)
            return mnp_fail_at(r->error, r->path, 0, "ends inside its program headers; the file is cut off");
        memcpy(&entry, at, sizeof entry);
        if (!add_segment(r, program, &entry, i))
            return false;
    }
    if (program->segment_count == 0)
        return mnp_fail_at(r->error, r->path, 0, "has nothing to load; link it to an executable");
    for (uint32_t i = 0; i < program->segment_count; i++) {
        const struct mnp_segment *segment = &program->segments[i];
        if (segment->executable && program->entry - segment->address < segment->stored)
            return true;
    }
    return mnp_fail_at(r->error, r->path, 0, "its entry 0x%x lies in no executable segment", program->entry);
}

static int by_address(const void *a, const void *b)
{
    const struct mnp_symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* The functions of a symbol table. A table that makes no sense is left out: names only decorate messages. */
static void read_symbols(const struct reader *r, const Elf32_Shdr *table, const Elf32_Shdr *names,
                         struct mnp_program *program)
{
    const unsigned char *text = piece(r, names->sh_offset, names->sh_size);
    uint32_t count = table->sh_size / (uint32_t)sizeof(Elf32_Sym);
    if (!text || names->sh_size == 0 || text[names->sh_size - 1] || program->functions ||
        !piece(r, table->sh_offset, table->sh_size))
        return;
    program->functions = mnp_allocate(count ? count : 1, sizeof *program->functions);
    for (uint32_t i = 0; i < count; i++) {
        Elf32_Sym symbol;
        memcpy(&symbol, r->bytes + table->sh_offset + i * sizeof symbol, sizeof symbol);
        if (ELF32_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= names->sh_size)
            continue;
        program->functions[program->function_count++] =
            (struct mnp_symbol){symbol.st_value & ~1u, symbol.st_size, (const char *)text + symbol.st_name};
    }
    qsort(program->functions, program->function_count, sizeof *program->functions, by_address);
}

/* Needs of the program, bytes of a bank: the greatest word of the section. */
static void read_needs(const struct reader *r, const Elf32_Shdr *section, struct mnp_program *program)
{
    const unsigned char *words = piece(r, section->sh_offset, section->sh_size);
    for (uint32_t at = 0; words && at + 4 <= section->sh_size; at += 4) {
        uint32_t word;
        memcpy(&word, words + at, 4);
        program->bank_bytes = word > program->bank_bytes ? word : program->bank_bytes;
    }
}

static bool is_named(const struct reader *r, const Elf32_Shdr *names, const Elf32_Shdr *section, const char *name)
{
    uint64_t bytes = strlen(name) + 1;
    const unsigned char *text = piece(r, (uint64_t)names->sh_offset + section->sh_name, bytes);
    return text && memcmp(text, name, bytes) == 0;
}

static void read_sections(const struct reader *r, const Elf32_Ehdr *header, struct mnp_program *program)
{
    if (header->e_shentsize != sizeof(Elf32_Shdr) ||
        !piece(r, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf32_Shdr)))
        return;
    Elf32_Shdr titles = {0};
    if (header->e_shstrndx < header->e_shnum)
        memcpy(&titles, r->bytes + header->e_shoff + header->e_shstrndx * sizeof titles, sizeof titles);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        Elf32_Shdr table, names;
        memcpy(&table, r->bytes + header->e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type == SHT_PROGBITS && is_named(r, &titles, &table, ".mc_bank"))
            read_needs(r, &table, program);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= header->e_shnum)
            continue;
        memcpy(&names, r->bytes + header->e_shoff + table.sh_link * sizeof names, sizeof names);
        read_symbols(r, &table, &names, program);
    }
}

bool a32_elf_read(const char *path, unsigned char *bytes, size_t length, struct mnp_program *program,
                  struct mnp_error *error)
{
    struct reader r = {.path = path, .bytes = bytes, .length = length, .error = error};
    Elf32_Ehdr header;
    memset(program, 0, sizeof *program);
    program->path = path;
    program->file = bytes;
    program->file_bytes = length;
    bool good = check_header(&r, &header);
    if (good) {
        program->entry = header.e_entry;
        good = read_segments(&r, &header, program);
    }
    if (good)
        read_sections(&r, &header, program);
    else
        mnp_program_release(program);
    return good;
}

bool a32_elf_load(const char *path, struct mnp_program *program, struct mnp_error *error)
{
    size_t length;
    char *bytes = mnp_read_file(path, LARGEST_FILE, &length, error);
    return bytes && a32_elf_read(path, (unsigned char *)bytes, length, program, error);
}
