/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run_cuda.h"

#include "base/arena.h"
#include "base/file.h"
#include "cli/load_machine.h"
#include "cudart/core/options.h"
#include "cudart/follow.h"
#include "machines.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
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

bool cli_run_cuda_is_program(const char *path)
{
    Elf64_Ehdr header;
    FILE *file = fopen(path, "rb");
    bool whole = file && fread(&header, sizeof header, 1, file) == 1;
    if (file)
        fclose(file);
    return whole && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64;
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

static bool check_program(struct program *p, unsigned *version, struct mnp_error *error)
{
    if (!piece(p, 0, sizeof p->header))
        return mnp_fail_at(error, p->path, 0, "ends inside its header; the file is damaged");
    memcpy(&p->header, p->bytes, sizeof p->header);
    *version = runtime_version(p);
    if (*version == 12 || *version == 13)
        return true;
    if (*version)
        return mnp_fail_at(error, p->path, 0,
                           "is built with CUDA %u, whose runtime is not supported; build it again with nvcc of CUDA 12 "
                           "or 13 and -cudart shared",
                           *version);
    if (has_device_code(p)) /* the static runtime uses the driver too, by functions that only it knows */
        return mnp_fail_at(error, p->path, 0,
                           "holds NVIDIA's CUDA runtime itself (nvcc's default, -cudart static), which cannot be "
                           "replaced; build it again with nvcc -cudart shared (with CMake: "
                           "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared)");
    if (uses_driver(p))
        return true;
    return mnp_fail_at(error, p->path, 0,
                       "is a program for this host that uses neither CUDA's runtime nor its driver (libcudart.so or "
                       "libcuda.so); give a CUDA program built with nvcc -cudart shared, or an A32 program for a "
                       "many-core machine");
}

static bool check_options(const struct run_options *options, struct mnp_error *error)
{
    const char *timed = options->request.max_cycles      ? "--max-cycles"
                        : options->hash                  ? "--hash"
                        : options->costs                 ? "--costs"
                        : options->request.sample_cycles ? "--sample"
                                                         : NULL;
    const char *wrong = options->cores ? "--cores" : options->range_count ? "--kernels" : NULL;
    if (options->request.executor->processes && options->functional)
        return mnp_fail(error, "--functional: execution without time is of one process; start maniple without mpirun "
                               "or srun");
    if (options->functional && timed)
        return mnp_fail(error, "%s: with --functional there is no time; leave one of them out", timed);
    return !wrong || mnp_fail(error, "%s: is not for CUDA programs; leave it out", wrong);
}

static bool check_machine(const struct run_options *options, struct mnp_error *error)
{
    if (!options->machine && !options->override_count)
        return true;
    const struct mnp_machine_kind *kind;
    struct mnp_settings *settings =
        cli_load_machine(options->machine ? options->machine : cli_default_machine(MNP_INPUT_CALLS), options->overrides,
                         options->override_count, &kind, error);
    bool good = settings && (kind->inputs & MNP_INPUT_CALLS
                                 ? kind->check(settings, error)
                                 : mnp_kind_refuse(cli_kinds, settings, MNP_INPUT_CALLS, "CUDA programs", error));
    mnp_settings_free(settings);
    return good;
}

char *cli_run_cuda_find(const char *name, struct mnp_error *error)
{
    char self[PATH_MAX], *path = NULL;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? (self[length] = 0, strrchr(self, '/')) : NULL;
    if (slash) {
        *slash = 0;
        if (asprintf(&path, "%s/%s", self, name) > 0 && access(path, R_OK) == 0)
            return path;
        free(path);
    }
    if (asprintf(&path, "%s/%s", MANIPLE_PLUGIN_FOLDER, name) > 0 && access(path, R_OK) == 0)
        return path;
    free(path);
    mnp_fail(error, "%s is neither beside maniple nor in %s; install maniple as a whole", name, MANIPLE_PLUGIN_FOLDER);
    return NULL;
}

/* The libraries that the program gets in place of NVIDIA's; their names and paths are to be freed. */
struct libraries {
    char *driver,
        *runtime; /* the driver has the runtime's functions in it too; NULL: the program asks for no runtime */
};

static bool find_libraries(unsigned version, struct libraries *libraries, struct mnp_error *error)
{
    char name[40];
    snprintf(name, sizeof name, "libcudart-%u.so", version);
    libraries->driver = cli_run_cuda_find("libcuda.so.1", error);
    libraries->runtime = libraries->driver && version ? cli_run_cuda_find(name, error) : NULL;
    if (!libraries->driver || (version && !libraries->runtime))
        return false;
    return !strchr(libraries->driver, ':') ||
           mnp_fail_at(error, libraries->driver, 0,
                       "lies in a folder with a colon in its name, where the dynamic linker cannot find it; install "
                       "maniple elsewhere");
}

static bool is_built_in(const char *name)
{
    for (const struct mnp_machine_file *file = mnp_built_in_machines; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return true;
    return false;
}

/* Where the plug-ins for MPI lie: the program cannot tell by itself. Free it. */
static char *plugin_folder(void)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? (self[length] = 0, strrchr(self, '/')) : NULL;
    return slash ? strndup(self, (size_t)(slash - self)) : NULL;
}

/* As the runtime has them; texts are the options' own. */
static struct cudart_options translate(const struct run_options *options)
{
    static const enum cudart_format formats[] = {
        [FORMAT_TEXT] = CUDART_TEXT, [FORMAT_JSON] = CUDART_JSON, [FORMAT_GPGPUSIM] = CUDART_GPGPUSIM};
    return (struct cudart_options){.machine = options->machine,
                                   .overrides = options->overrides,
                                   .override_count = options->override_count,
                                   .format = options->trace ? CUDART_NO_RESULTS : formats[options->format],
                                   .folder = options->folder,
                                   .program = options->program[0],
                                   .process = getpid(),
                                   .code = (enum cudart_code_choice)options->code,
                                   .functional = options->functional,
                                   .trace = options->trace,
                                   .request = options->request,
                                   .executor_name = options->executor_name,
                                   .schedule_name = cli_schedule_name(options->request.schedule),
                                   .hash = options->hash,
                                   .costs = options->costs,
                                   .long_text = options->long_text,
                                   .verbosity = options->verbosity};
}

/* The text that is handed over. Paths are absolute, for the program may go elsewhere. */
static char *describe_options(const struct run_options *options, int output)
{
    struct cudart_options to = translate(options);
    char *folder = options->folder ? realpath(options->folder, NULL) : NULL;
    char *machine = options->machine && !is_built_in(options->machine) ? realpath(options->machine, NULL) : NULL;
    char *plugins = options->request.executor->processes ? plugin_folder() : NULL, *text = NULL;
    size_t size;
    to.output = output;
    to.folder = folder;
    to.machine = machine ? machine : options->machine;
    to.plugins = plugins;
    FILE *out = open_memstream(&text, &size);
    cudart_options_write(&to, out);
    fclose(out);
    free(folder);
    free(machine);
    free(plugins);
    return text;
}

/* Sets a list of the dynamic linker's, with what the user has in it already before or behind ours. */
static void extend_list(const char *variable, const char *ours, bool first)
{
    const char *others = getenv(variable);
    char *all = NULL;
    if (others && *others && asprintf(&all, "%s:%s", first ? ours : others, first ? others : ours) > 0)
        setenv(variable, all, 1);
    else
        setenv(variable, ours, 1);
    free(all);
}

/* Behind those that the user wants: a sanitizer's must come first. A list to preload cannot hold a path with a blank:
 * such a library is named there, and found in its folder. */
static void preload(const char *path)
{
    const char *name = strrchr(path, '/') + 1;
    if (strpbrk(path, " \t\n")) {
        char *folder = strndup(path, (size_t)(name - 1 - path));
        extend_list("LD_LIBRARY_PATH", folder, true);
        free(folder);
        path = name;
    }
    extend_list("LD_PRELOAD", path, false);
}

/* The program takes the place of this process. What it prints makes room for one JSON value. */
static bool become(const struct run_options *options, const struct libraries *libraries, struct mnp_error *error)
{
    int output = STDOUT_FILENO;
    if (options->format == FORMAT_JSON) {
        output = dup(STDOUT_FILENO);
        if (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
            return mnp_fail(error, "standard output or standard error is closed; open both for --format json");
    }
    char *text = describe_options(options, output);
    setenv(CUDART_OPTIONS_VARIABLE, text, 1);
    free(text);
    preload(libraries->driver);
    if (libraries->runtime)
        preload(libraries->runtime);
    fflush(NULL);
    execv(options->program[0], options->program);
    return mnp_fail_at(error, options->program[0], 0, "cannot be run: %s", strerror(errno));
}

bool cli_run_cuda_follows(const struct run_options *options)
{
    return options->request.executor->processes && mnp_processes_expected() && mnp_processes_rank() != 0;
}

/* What all processes find out alike. */
static bool check(const struct run_options *options, unsigned *version, struct mnp_error *error)
{
    struct program program = {.path = options->program[0]};
    char *bytes = mnp_read_file(program.path, LARGEST_PROGRAM, &program.length, error);
    program.bytes = (unsigned char *)bytes;
    bool good = bytes && check_program(&program, version, error) && check_options(options, error) &&
                check_machine(options, error);
    free(bytes);
    return good;
}

bool cli_run_cuda(const struct run_options *options, struct mnp_error *error)
{
    unsigned version = 0;
    if (!check(options, &version, error) || (options->folder && !mnp_make_folder(options->folder, error)))
        return false;
    struct libraries libraries;
    if (find_libraries(version, &libraries, error))
        become(options, &libraries, error);
    free(libraries.driver);
    free(libraries.runtime);
    return false;
}

bool cli_run_cuda_follow(const struct run_options *options, struct processes *processes, struct mnp_error *error)
{
    unsigned version;
    if (!check(options, &version, error)) {
        *error = (struct mnp_error){0}; /* the first process has found the same, and says it */
        return false;
    }
    if (!mnp_processes_join(processes, NULL, error))
        return false;
    mnp_processes_divide_host(processes);
    struct cudart_options translated = translate(options);
    if (cudart_follow(&translated, processes, error))
        return true;
    /* The first process waits for this one, and learns of its end by the launcher alone. */
    fprintf(stderr, "maniple: error: %s\n", error->text);
    fflush(NULL);
    _exit(MNP_EXIT_USER);
}
