/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/program.h"

#include "base/file.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_PROGRAM = INT32_MAX };

/* A program's file. Everything in it is checked before it is used. */
struct program {
    const char *path;
    const unsigned char *bytes;
    size_t length;
    Elf64_Ehdr header;
};

static const void *piece(const struct program *p, uint64_t offset, uint64_t bytes)
{
    return offset <= p->length && bytes <= p->length - offset ? p->bytes + offset : NULL;
}

static bool is_script(const char *first)
{
    return first[0] == '#' && first[1] == '!';
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

char *cli_run_cuda_locate(const char *name)
{
    const char *folders = getenv("PATH");
    if (strchr(name, '/') || is_file(name) || !folders)
        return strdup(name);
    for (const char *folder = folders, *end; *folder; folder = *end ? end + 1 : end) {
        char *path = NULL;
        end = strchrnul(folder, ':');
        if (asprintf(&path, "%.*s/%s", (int)(end - folder), end > folder ? folder : ".", name) > 0 && is_file(path) &&
            access(path, X_OK) == 0)
            return path;
        free(path);
    }
    return strdup(name);
}

bool cli_run_cuda_runs(const char *name)
{
    char *path = cli_run_cuda_locate(name);
    Elf64_Ehdr header = {0};
    FILE *file = fopen(path, "rb");
    size_t bytes = file ? fread(&header, 1, sizeof header, file) : 0;
    if (file)
        fclose(file);
    free(path);
    if (bytes > 2 && is_script((const char *)&header))
        return true;
    return bytes == sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == ELFDATA2LSB &&
           header.e_machine == EM_X86_64;
}

/* The segment's header; false: there is none of that number. */
static bool segment_at(const struct program *p, unsigned index, Elf64_Phdr *segment)
{
    const void *at = index < p->header.e_phnum && p->header.e_phentsize == sizeof *segment
                         ? piece(p, p->header.e_phoff + (uint64_t)index * sizeof *segment, sizeof *segment)
                         : NULL;
    if (at)
        memcpy(segment, at, sizeof *segment);
    return at != NULL;
}

/* What lies at an address when the program is loaded, as a place in the file. */
static uint64_t offset_of(const struct program *p, uint64_t address)
{
    Elf64_Phdr segment;
    for (unsigned i = 0; segment_at(p, i, &segment); i++)
        if (segment.p_type == PT_LOAD && address - segment.p_vaddr < segment.p_filesz)
            return segment.p_offset + (address - segment.p_vaddr);
    return UINT64_MAX;
}

/* A text inside the file that begins so; NULL: it does not, or leaves the file. */
static const char *text_at(const struct program *p, uint64_t offset, const char *begin)
{
    size_t length = strlen(begin);
    const char *text = offset < p->length ? piece(p, offset, length + 1) : NULL;
    return text && memcmp(text, begin, length) == 0 && memchr(text, 0, p->length - offset) ? text : NULL;
}

/* What is behind `name` in the first shared library that the program asks for and whose name begins so; NULL: none. */
static const char *needed_library(const struct program *p, const char *name)
{
    Elf64_Phdr segment;
    unsigned index = 0;
    while (segment_at(p, index, &segment) && segment.p_type != PT_DYNAMIC)
        index++;
    if (!segment_at(p, index, &segment) || !piece(p, segment.p_offset, segment.p_filesz))
        return NULL;
    const unsigned char *table = p->bytes + segment.p_offset;
    uint64_t rows = segment.p_filesz / sizeof(Elf64_Dyn), strings = UINT64_MAX;
    Elf64_Dyn row;
    for (uint64_t i = 0; i < rows; i++) {
        memcpy(&row, table + i * sizeof row, sizeof row);
        if (row.d_tag == DT_STRTAB)
            strings = offset_of(p, row.d_un.d_ptr);
    }
    for (uint64_t i = 0; i < rows && strings < p->length; i++) {
        memcpy(&row, table + i * sizeof row, sizeof row);
        const char *text =
            row.d_tag == DT_NEEDED && row.d_un.d_val < p->length ? text_at(p, strings + row.d_un.d_val, name) : NULL;
        if (text)
            return text + strlen(name);
    }
    return NULL;
}

/* The runtime that the program asks for: the number behind "libcudart.so."; 0: none. */
static unsigned runtime_version(const struct program *p)
{
    const char *version = needed_library(p, "libcudart.so.");
    return version ? (unsigned)strtoul(version, NULL, 10) : 0;
}

/* Whether the program asks for the driver: when it is loaded, or by itself later on. */
static bool uses_driver(const struct program *p)
{
    return needed_library(p, "libcuda.so") || memmem(p->bytes, p->length, "libcuda.so", 10);
}

/* Whether device code lies in the program: a section of that name, not just the name, which Maniple itself has too. */
static bool has_device_code(const struct program *p)
{
    Elf64_Shdr names, section;
    uint64_t size = sizeof section, table = p->header.e_shoff;
    if (!piece(p, table + p->header.e_shstrndx * size, size))
        return false;
    memcpy(&names, p->bytes + table + p->header.e_shstrndx * size, size);
    for (unsigned i = 0; i < p->header.e_shnum && piece(p, table + i * size, size); i++) {
        memcpy(&section, p->bytes + table + i * size, size);
        uint64_t name = names.sh_offset + section.sh_name;
        if (text_at(p, name, "__nv_relfatbin") || text_at(p, name, ".nv_fatbin"))
            return true;
    }
    return false;
}

/* Whether NVIDIA's runtime lies in the program. nvcc leaves sections for device code in programs of the driver alone,
 * too, but only the runtime has the names of its functions as texts, for tools that look on. */
static bool holds_runtime(const struct program *p)
{
    static const char name[] = "cudaMemcpyToSymbolAsync";
    return has_device_code(p) && memmem(p->bytes, p->length, name, sizeof name - 1);
}

static bool is_dynamic(const struct program *p)
{
    Elf64_Phdr segment;
    for (unsigned i = 0; segment_at(p, i, &segment); i++)
        if (segment.p_type == PT_INTERP)
            return true;
    return false;
}

static bool check_program(struct program *p, struct cuda_program *found, struct mnp_error *error)
{
    if (p->length > 2 && is_script((const char *)p->bytes))
        return found->opens = true;
    if (!piece(p, 0, sizeof p->header))
        return mnp_fail_at(error, p->path, 0, "ends inside its header; the file is damaged");
    memcpy(&p->header, p->bytes, sizeof p->header);
    unsigned version = found->version = runtime_version(p);
    if (version == 12 || version == 13)
        return true;
    if (version)
        return mnp_fail_at(error, p->path, 0,
                           "is built with CUDA %u, whose runtime is not supported; build it again with nvcc of CUDA 12 "
                           "or 13 and -cudart shared",
                           version);
    if (holds_runtime(p)) /* the static runtime uses the driver too, by functions that only it knows */
        return mnp_fail_at(error, p->path, 0,
                           "holds NVIDIA's CUDA runtime itself (nvcc's default, -cudart static), which cannot be "
                           "replaced; build it again with nvcc -cudart shared (with CMake: "
                           "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared)");
    if (uses_driver(p))
        return true;
    if (!is_dynamic(p))
        return mnp_fail_at(error, p->path, 0,
                           "is linked statically, so that CUDA's libraries cannot be given to it; give a program built "
                           "with nvcc -cudart shared, or one that is linked dynamically and opens these libraries");
    return found->opens = true;
}

bool cli_cuda_program_check(const char *path, struct cuda_program *found, struct mnp_error *error)
{
    struct program program = {.path = path};
    *found = (struct cuda_program){0};
    char *bytes = mnp_read_file(path, LARGEST_PROGRAM, &program.length, error);
    program.bytes = (unsigned char *)bytes;
    bool good = bytes && check_program(&program, found, error);
    free(bytes);
    return good;
}
