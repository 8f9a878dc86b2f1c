/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/program.h"

#include "base/file.h"
#include "redirect/runtime.h"

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
    const char *maps; /* the folder of maps of static runtimes; NULL: none */
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

/* Content of an address when the program is loaded, as a place in the file. */
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

/* Text behind `name` in the first shared library that the program asks for and whose name begins so; NULL: none. */
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

static bool is_dynamic(const struct program *p)
{
    Elf64_Phdr segment;
    for (unsigned i = 0; segment_at(p, i, &segment); i++)
        if (segment.p_type == PT_INTERP)
            return true;
    return false;
}

/* A runtime inside the program (nvcc's default) is replaced when the program is loaded (src/redirect). False: it cannot
 * be. */
static bool check_static_runtime(const struct program *p, struct cuda_program *found, struct mnp_error *error)
{
    struct redirect_object object = {p->bytes, p->length};
    struct redirect_runtime runtime;
    enum redirect_state state =
        redirect_is_object(&object) ? redirect_find(&object, p->maps, &runtime) : REDIRECT_ABSENT;
    unsigned major = state == REDIRECT_FOUND ? runtime.major : 0;
    if (state == REDIRECT_FOUND)
        redirect_release(&runtime);
    if (state == REDIRECT_STRIPPED)
        return mnp_fail_at(
            error, p->path, 0,
            "holds NVIDIA's CUDA runtime (nvcc's default, -cudart static) without symbols, in a version "
            "that no map in %s is of; leave its symbols in (no strip, no -s), or build it again with nvcc "
            "-cudart shared",
            p->maps ? p->maps : "data/runtimes");
    if (major && (major < 11 || major > 13))
        return mnp_fail_at(
            error, p->path, 0,
            "holds the runtime of CUDA %u, which is not supported; build it again with nvcc of CUDA 12 or "
            "13",
            major);
    found->holds_runtime = major != 0;
    found->version = major == 11 ? 0 : major;
    return true;
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
                           "needs the shared runtime of CUDA %u, which is not supported; build it again with nvcc's "
                           "default (-cudart static), or with nvcc of CUDA 12 or 13",
                           version);
    if (is_dynamic(p) && !check_static_runtime(p, found, error))
        return false;
    if (found->version || uses_driver(p))
        return true;
    if (!is_dynamic(p))
        return mnp_fail_at(error, p->path, 0,
                           "is linked statically, so that CUDA's libraries cannot be given to it; give a program built "
                           "with nvcc, or one that is linked dynamically and opens these libraries");
    return found->opens = true;
}

bool cli_cuda_program_check(const char *path, const char *maps, struct cuda_program *found, struct mnp_error *error)
{
    struct program program = {.path = path, .maps = maps};
    *found = (struct cuda_program){0};
    char *bytes = mnp_read_file(path, LARGEST_PROGRAM, &program.length, error);
    program.bytes = (unsigned char *)bytes;
    bool good = bytes && check_program(&program, found, error);
    free(bytes);
    return good;
}
