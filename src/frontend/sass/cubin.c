/* SPDX-License-Identifier: BSD-3-Clause */
#include "frontend/sass/cubin.h"

#include "base/allocate.h"
#include "frontend/sass/attributes.h"
#include "frontend/sass/cubin_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = INT32_MAX };

enum {
    FILE_HEADER = 64,
    SECTION_HEADER = 64,
    SYMBOL_BYTES = 24,
    OLDEST = 70,
    OLDEST_SOURCE = 20, /* compute capability of PTX */
    NEWEST = 129,
    TYPE_SYMBOLS = 2,
    TYPE_STRINGS = 3,
    TYPE_RELA = 4,
    TYPE_EMPTY = 8, /* takes no room in the file */
    TYPE_REL = 9,
    /* section type of shared memory in relocatable code, which occupies no space in the file either */
    TYPE_SHARED = 0x7000000a,
    OTHER_ENTRY = 0x10, /* STO_CUDA_ENTRY */
};

static uint64_t number_at(const unsigned char *at, unsigned bytes) /* little-endian, of any alignment */
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static bool damaged(const struct sass_cubin *cubin, const char *section, uint64_t offset, const char *what,
                    struct mnp_error *error)
{
    return mnp_fail(error, "%s: cubin, %s, byte %" PRIu64 ": %s; compile the program again", cubin->name, section,
                    offset, what);
}

/* ===== header and sections ===== */

/* The architecture stands in the flags: in their lowest byte up to version 7 of the format, in the next one later. */
static bool read_header(struct sass_cubin *cubin, struct mnp_error *error)
{
    static const unsigned char magic[] = {0x7f, 'E', 'L', 'F', 2, 1, 1};
    const unsigned char *image = cubin->image;
    if (cubin->bytes < FILE_HEADER)
        return damaged(cubin, "header", 0, "the file ends inside it", error);
    if (memcmp(image, magic, sizeof magic) != 0)
        return damaged(cubin, "header", 0, "this is no ELF file of 64 bits, low byte first", error);
    if (number_at(image + 18, 2) != SASS_CUBIN_MACHINE)
        return damaged(cubin, "header", 18, "the file is for another machine than CUDA's GPUs (190)", error);
    uint32_t flags = (uint32_t)number_at(image + 48, 4);
    cubin->architecture = image[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff;
    if (cubin->architecture < OLDEST || cubin->architecture > NEWEST)
        return mnp_fail(error,
                        "%s: cubin, header, byte 48: its code is for sm_%u, but this release reads sm_%d to sm_%d",
                        cubin->name, cubin->architecture, OLDEST, 120);
    return true;
}

/* Reads the header of a section. Section 0 and sections without contents in the file have no data. All others must lie
 * inside the file. */
static bool read_section(struct sass_cubin *cubin, uint32_t index, uint64_t at, struct mnp_error *error)
{
    const unsigned char *head = cubin->image + at;
    struct sass_section *section = &cubin->sections[index];
    *section = (struct sass_section){.name = "",
                                     .type = (uint32_t)number_at(head + 4, 4),
                                     .offset = number_at(head + 24, 8),
                                     .bytes = number_at(head + 32, 8),
                                     .link = (uint32_t)number_at(head + 40, 4),
                                     .info = (uint32_t)number_at(head + 44, 4),
                                     .entry = number_at(head + 56, 8)};
    if (index == 0 || section->type == 0 || section->type == TYPE_EMPTY || section->type == TYPE_SHARED)
        return true;
    if (section->offset > cubin->bytes || section->bytes > cubin->bytes - section->offset)
        return damaged(cubin, "table of sections", at, "a section lies outside the file", error);
    section->data = cubin->image + section->offset;
    return true;
}

/* The text at an offset of a table of strings; NULL: it is not ended in there. */
static const char *string_at(const struct sass_section *strings, uint64_t offset)
{
    if (!strings->data || strings->type != TYPE_STRINGS || offset >= strings->bytes)
        return NULL;
    const unsigned char *text = strings->data + offset;
    return memchr(text, 0, strings->bytes - offset) ? (const char *)text : NULL;
}

static bool name_sections(struct sass_cubin *cubin, uint64_t table, uint64_t names, struct mnp_error *error)
{
    if (names >= cubin->section_count)
        return damaged(cubin, "header", 62, "the section of names is not there", error);
    for (uint32_t i = 1; i < cubin->section_count; i++) {
        uint64_t at = table + (uint64_t)i * SECTION_HEADER;
        const char *name = string_at(&cubin->sections[names], number_at(cubin->image + at, 4));
        if (!name)
            return damaged(cubin, "table of sections", at, "a section has no name", error);
        cubin->sections[i].name = name;
    }
    return true;
}

/* Reads the table of sections: its offset is at byte 40 of the file's header, the size of an entry at 58, their number
 * at 60, and the number of the section with their names at 62. Numbers that do not fit are in section 0. */
static bool read_sections(struct sass_cubin *cubin, struct mnp_error *error)
{
    uint64_t table = number_at(cubin->image + 40, 8), entry = number_at(cubin->image + 58, 2);
    uint64_t count = number_at(cubin->image + 60, 2), names = number_at(cubin->image + 62, 2);
    /* more than 65,279 sections: the first one holds the number */
    if (table <= cubin->bytes - SECTION_HEADER && count == 0)
        count = number_at(cubin->image + table + 32, 8);
    if (entry != SECTION_HEADER || table > cubin->bytes || count > (cubin->bytes - table) / SECTION_HEADER)
        return damaged(cubin, "header", 40, "the table of sections lies outside the file", error);
    if (count && names == 0xffff)
        names = number_at(cubin->image + table + 40, 4);
    cubin->section_count = (uint32_t)count;
    cubin->sections = mnp_allocate(count + 1, sizeof *cubin->sections);
    for (uint32_t i = 0; i < count; i++)
        if (!read_section(cubin, i, table + (uint64_t)i * SECTION_HEADER, error))
            return false;
    return name_sections(cubin, table, names, error);
}

/* ===== symbols ===== */

/* A symbol has 24 bytes: name, type and binding, visibility with NVIDIA's flags, section, value, size. */
static bool read_symbols_of(struct sass_cubin *cubin, const struct sass_section *table, struct mnp_error *error)
{
    if (table->link >= cubin->section_count)
        return damaged(cubin, table->name, 0, "its section of names is not there", error);
    cubin->symbol_count = table->bytes / SYMBOL_BYTES;
    cubin->symbols = mnp_allocate(cubin->symbol_count + 1, sizeof *cubin->symbols);
    for (size_t i = 0; i < cubin->symbol_count; i++) {
        const unsigned char *at = table->data + i * SYMBOL_BYTES;
        const char *name = string_at(&cubin->sections[table->link], number_at(at, 4));
        if (!name)
            return damaged(cubin, table->name, i * SYMBOL_BYTES, "a symbol has no name", error);
        cubin->symbols[i] = (struct sass_symbol){.name = name,
                                                 .type = at[4] & 15,
                                                 .entry = at[5] & OTHER_ENTRY,
                                                 .section = (uint32_t)number_at(at + 6, 2),
                                                 .value = number_at(at + 8, 8),
                                                 .bytes = number_at(at + 16, 8)};
    }
    return true;
}

static bool read_symbols(struct sass_cubin *cubin, struct mnp_error *error)
{
    for (uint32_t i = 0; i < cubin->section_count; i++)
        if (cubin->sections[i].type == TYPE_SYMBOLS && cubin->sections[i].data && !cubin->symbols)
            if (!read_symbols_of(cubin, &cubin->sections[i], error))
                return false;
    return true;
}

/* ===== kernels ===== */

/* The part of a section's name behind a prefix; NULL: the name has another beginning. */
static const char *behind(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static const struct sass_section *section_of(const struct sass_cubin *cubin, const char *prefix, const char *kernel)
{
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const char *rest = behind(cubin->sections[i].name, prefix);
        if (rest && strcmp(rest, kernel) == 0)
            return &cubin->sections[i];
    }
    return NULL;
}

/* .nv.constantN.KERNEL is a kernel's own bank N, .nv.constantN a bank of all kernels (variables). */
static void find_constants(const struct sass_cubin *cubin, struct sass_kernel *kernel)
{
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const char *rest = behind(cubin->sections[i].name, ".nv.constant");
        char *end;
        if (!rest)
            continue;
        unsigned long bank = strtoul(rest, &end, 10);
        bool ours = !*end || (*end == '.' && strcmp(end + 1, kernel->name) == 0);
        if (end != rest && ours && bank < SASS_CONSTANT_BANKS)
            kernel->constants[bank] = &cubin->sections[i];
    }
}

/* Whether a function is a kernel: its symbol has NVIDIA's flag of an entry. */
static bool is_entry(const struct sass_cubin *cubin, uint32_t section, const char *name)
{
    for (size_t i = 0; i < cubin->symbol_count; i++)
        if (cubin->symbols[i].section == section && cubin->symbols[i].entry &&
            strcmp(cubin->symbols[i].name, name) == 0)
            return true;
    return false;
}

/* Offset of the parameters in constant bank 0, for kernels without parameters, which do not state it. */
static uint32_t first_parameter(unsigned architecture)
{
    return architecture < 90 ? 0x160 : architecture < 100 ? 0x210 : 0x380;
}

/* Reads a function: .text.NAME has its code, and its number of registers in the upper byte of the section's info. */
static bool read_kernel(struct sass_cubin *cubin, uint32_t index, const char *name, struct mnp_error *error)
{
    const struct sass_section *code = &cubin->sections[index];
    struct sass_kernel *kernel = &cubin->kernels[cubin->kernel_count++];
    *kernel = (struct sass_kernel){.name = name,
                                   .code = code,
                                   .section = index,
                                   .words = code->bytes / SASS_WORD_BYTES,
                                   .registers = code->info >> 24,
                                   .parameters_at = first_parameter(cubin->architecture),
                                   .entry = is_entry(cubin, index, name)};
    if (!code->data || code->bytes % SASS_WORD_BYTES)
        return damaged(cubin, code->name, code->bytes, "it is no whole number of instructions", error);
    const struct sass_section *shared = section_of(cubin, ".nv.shared.", name);
    kernel->shared_bytes = shared ? shared->bytes : 0;
    find_constants(cubin, kernel);
    const struct sass_section *own = section_of(cubin, ".nv.info.", name);
    return !own || !own->data || sass_read_attributes(cubin, own, kernel, error);
}

static bool read_kernels(struct sass_cubin *cubin, struct mnp_error *error)
{
    cubin->kernels = mnp_allocate(cubin->section_count + 1 + SASS_SYSTEM_FUNCTIONS, sizeof *cubin->kernels);
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const char *name = behind(cubin->sections[i].name, ".text.");
        if (name && *name && !read_kernel(cubin, i, name, error))
            return false;
    }
    for (uint32_t i = 0; i < cubin->section_count; i++)
        if (strcmp(cubin->sections[i].name, ".nv.info") == 0 && cubin->sections[i].data &&
            !sass_read_attributes(cubin, &cubin->sections[i], NULL, error))
            return false;
    return true;
}

/* A note of NVIDIA's, number 1000: its version, the PTX's compute capability, the version of CUDA, 16 bits each. */
static void read_source(struct sass_cubin *cubin)
{
    enum { NAME = 12, TEXT = 8, KIND = 1000, HEAD = 24 };
    cubin->source = cubin->architecture;
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const struct sass_section *section = &cubin->sections[i];
        if (strcmp(section->name, ".note.nv.cuinfo") != 0 || !section->data || section->bytes < HEAD + TEXT ||
            number_at(section->data, 4) != NAME || number_at(section->data + 8, 4) != KIND)
            continue;
        unsigned source = (unsigned)number_at(section->data + HEAD + 2, 2);
        if (source >= OLDEST_SOURCE && source <= cubin->architecture)
            cubin->source = source;
    }
}

struct sass_cubin *sass_cubin_open(const char *name, const unsigned char *image, size_t bytes, struct mnp_error *error)
{
    struct sass_cubin *cubin = mnp_allocate(1, sizeof *cubin);
    *cubin = (struct sass_cubin){.name = name, .image = image, .bytes = bytes};
    if (read_header(cubin, error) && read_sections(cubin, error) && read_symbols(cubin, error) &&
        read_kernels(cubin, error)) {
        read_source(cubin);
        return cubin;
    }
    sass_cubin_free(cubin);
    return NULL;
}

void sass_cubin_free(struct sass_cubin *cubin)
{
    if (!cubin)
        return;
    for (size_t i = 0; i < cubin->kernel_count; i++)
        free(cubin->kernels[i].parameters);
    free(cubin->kernels);
    free(cubin->symbols);
    free(cubin->sections);
    free(cubin);
}

/* ===== what is asked of it ===== */

unsigned sass_cubin_architecture(const struct sass_cubin *cubin)
{
    return cubin->architecture;
}

unsigned sass_cubin_source(const struct sass_cubin *cubin)
{
    return cubin->source;
}

size_t sass_cubin_kernel_count(const struct sass_cubin *cubin)
{
    return cubin->kernel_count;
}

const struct sass_kernel *sass_cubin_kernel(const struct sass_cubin *cubin, size_t index)
{
    return &cubin->kernels[index];
}

size_t sass_cubin_symbol_count(const struct sass_cubin *cubin)
{
    return cubin->symbol_count;
}

const struct sass_symbol *sass_cubin_symbol(const struct sass_cubin *cubin, size_t index)
{
    return &cubin->symbols[index];
}

static bool take_relocations(const struct sass_cubin *cubin, const struct sass_section *table,
                             bool (*take)(void *, const struct sass_relocation *), void *context,
                             struct mnp_error *error)
{
    uint64_t entry = table->type == TYPE_RELA ? 24 : 16;
    for (uint64_t at = 0; table->data && at + entry <= table->bytes; at += entry) {
        const unsigned char *from = table->data + at;
        struct sass_relocation relocation = {.offset = number_at(from, 8),
                                             .type = (uint32_t)number_at(from + 8, 4),
                                             .symbol = (uint32_t)number_at(from + 12, 4)};
        relocation.addend = table->type == TYPE_RELA ? (int64_t)number_at(from + 16, 8) : 0;
        if (relocation.symbol >= cubin->symbol_count)
            return damaged(cubin, table->name, at, "a relocation names a symbol that is not there", error);
        if (relocation.offset >= cubin->sections[table->info].bytes)
            return damaged(cubin, table->name, at, "a relocation lies behind the end of its section", error);
        if (!take(context, &relocation))
            return false;
    }
    return true;
}

bool sass_cubin_relocations(const struct sass_cubin *cubin, uint32_t section,
                            bool (*take)(void *context, const struct sass_relocation *relocation), void *context,
                            struct mnp_error *error)
{
    for (uint32_t i = 0; i < cubin->section_count; i++) {
        const struct sass_section *table = &cubin->sections[i];
        bool is_table = table->type == TYPE_REL || table->type == TYPE_RELA;
        if (is_table && table->info == section && section < cubin->section_count &&
            !take_relocations(cubin, table, take, context, error))
            return false;
    }
    return true;
}

struct sass_word sass_kernel_word(const struct sass_kernel *kernel, size_t index)
{
    const unsigned char *at = kernel->code->data + index * SASS_WORD_BYTES;
    return (struct sass_word){.low = number_at(at, 8), .high = number_at(at + 8, 8)};
}

size_t sass_cubin_length(const unsigned char *image)
{
    if (!image[7]) /* OS ABI: NVIDIA's has a number of its own */
        return 0;
    if (number_at(image + 18, 2) != SASS_CUBIN_MACHINE || number_at(image + 58, 2) != SECTION_HEADER)
        return 0;
    uint64_t sections = number_at(image + 40, 8), count = number_at(image + 60, 2);
    uint64_t end = sections + count * SECTION_HEADER;
    uint64_t segments = number_at(image + 32, 8) + number_at(image + 54, 2) * number_at(image + 56, 2);
    end = segments > end ? segments : end;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *header = image + sections + i * SECTION_HEADER;
        uint64_t last = number_at(header + 4, 4) == 8 ? 0 : number_at(header + 24, 8) + number_at(header + 32, 8);
        end = last > end ? last : end;
    }
    return end < LARGEST ? end : 0;
}
