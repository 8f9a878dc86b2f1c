/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/cuda.h"

#include "base/arena.h"
#include "base/file.h"
#include "base/installed.h"
#include "base/print.h"
#include "base/version.h"
#include "cli/load_machine.h"
#include "cli/run/folder.h"
#include "cli/run/mathematics.h"
#include "cli/run/program.h"
#include "cudart/base/options.h"
#include "cudart/base/process_group.h"
#include "cudart/follower.h"
#include "fingerprint.h"
#include "gpu/system/parameters.h"
#include "machines.h"
#include "plugin/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool check_options(const struct run_options *options, struct mnp_error *error)
{
    const char *timed = options->request.max_cycles       ? "--max-cycles"
                        : options->output.hash            ? "--hash"
                        : options->output.costs           ? "--costs"
                        : options->request.sample_cycles  ? "--sample"
                        : options->request.by_instruction ? "--by-instruction"
                        : options->output.energy          ? "--energy"
                        : options->sampling.steady        ? "--steady"
                                                          : NULL;
    const char *wrong = options->cores                                                       ? "--cores"
                        : options->timeline[0] && strcmp(options->timeline[0], "ctas") != 0  ? "--timeline cores"
                        : options->timeline[1] && strcmp(options->timeline[1], "warps") != 0 ? "--timeline accesses"
                                                                                             : NULL;
    if (options->cuda.check && options->cuda.bare_values)
        return mnp_fail(error, "--check looks at all values; leave --values needed out");
    if (options->cuda.check && !options->cuda.functional)
        return mnp_fail(error, "--check looks at what kernels do by value; add --functional");
    const char *choice = mnp_sampling_option(&options->sampling);
    if (choice && options->cuda.functional && !options->cuda.trace)
        return mnp_fail(error, "%s chooses what is simulated with time; leave --functional out", choice);
    if (choice && options->request.executor->processes)
        return mnp_fail(error,
                        "%s: a program's other launches are executed by one process; start maniple "
                        "without mpirun or srun",
                        choice);
    if (options->request.executor->processes && options->cuda.functional)
        return mnp_fail(error, "--functional: execution without time is of one process; start maniple without mpirun "
                               "or srun");
    if (options->cuda.functional && timed)
        return mnp_fail(error, "%s: with --functional there is no time; leave one of them out", timed);
    return !wrong || mnp_fail(error, "%s: is not for CUDA programs; leave it out", wrong);
}

/* Options that a machine of several devices refuses to programs. */
static bool check_several(const struct run_options *options, uint32_t devices, struct mnp_error *error)
{
    const char *choice = mnp_sampling_option(&options->sampling);
    const char *wrong = options->shares                        ? "--shares"
                        : options->cuda.trace                  ? "a trace of it (maniple trace record)"
                        : options->cuda.check                  ? "--check"
                        : options->snapshot.folder             ? "--snapshot"
                        : options->snapshot.resume             ? "--resume"
                        : options->request.executor->processes ? "--executor mpi"
                                                               : choice;
    return devices == 1 || !wrong ||
           mnp_fail(error,
                    "%s: a program on %u GPUs (gpu.devices) does not have that yet; leave it out, or use one GPU",
                    wrong, devices);
}

/* Options that a machine refuses whose energies follow values, by its file or by --energy=values. */
static bool check_values(const struct run_options *options, const struct mnp_settings *settings,
                         struct mnp_error *error)
{
    if (!mnp_settings_number(settings, "energy.model") || !mnp_settings_number(settings, "energy.values"))
        return true;
    if (options->cuda.bare_values)
        return mnp_settings_fail(settings, "energy.values", error,
                                 "energies look at values that --values needed does not compute; leave it out, or "
                                 "values (--energy=values)");
    return !options->request.by_instruction ||
           mnp_settings_fail(settings, "energy.values", error,
                             "energies of instructions do not follow values; leave --by-instruction out, or values "
                             "(--energy=values)");
}

/* `*devices`: how many it has. */
static bool check_machine(const struct run_options *options, unsigned *devices, struct mnp_error *error)
{
    *devices = 1;
    if (!options->machine && !options->override_count)
        return true;
    const struct mnp_machine_kind *kind;
    const char *name = options->machine ? options->machine : cli_default_machine(MNP_INPUT_CALLS);
    struct mnp_settings *settings =
        cli_load_machine(options->plugins, name, options->overrides, options->override_count, &kind, error);
    bool good = settings && cli_run_options_check_gpus(options, settings, error) &&
                (kind->inputs & MNP_INPUT_CALLS
                     ? kind->check(settings, error)
                     : mnp_kind_refuse(options->plugins->kinds, settings, MNP_INPUT_CALLS, "CUDA programs", error));
    good = good && check_values(options, settings, error);
    if (good)
        *devices = (unsigned)mnp_settings_number(settings, "gpu.devices");
    mnp_settings_free(settings);
    return good && check_several(options, *devices, error);
}

char *cli_run_cuda_find(const char *name, struct mnp_error *error)
{
    char *path = mnp_find_installed(NULL, name), *where = path ? NULL : mnp_say_installed(NULL);
    if (!path)
        mnp_fail(error, "%s is %s; install maniple as a whole", name, where);
    free(where);
    return path;
}

enum { RUNTIMES = 2 };

/* The libraries that the program gets in place of NVIDIA's; their names and paths are to be freed. */
struct libraries {
    char *audit;              /* replaces runtimes inside programs and libraries (src/redirect) */
    char *driver;             /* the driver's file, which has the runtime's functions in it too */
    unsigned version;         /* version of the runtime that it is linked with; 0: it has none */
    char *runtimes[RUNTIMES]; /* runtimes of the versions that the program may ask for; NULL: the list's end */
};

static bool find_libraries(const struct cuda_program *program, struct libraries *libraries, struct mnp_error *error)
{
    static const unsigned versions[RUNTIMES] = {12, 13};
    char name[40];
    libraries->version = program->version;
    libraries->driver = cli_run_cuda_find("libcuda.so.1", error);
    libraries->audit = libraries->driver ? cli_run_cuda_find("libmaniple-redirect.so", error) : NULL;
    bool found = libraries->audit != NULL;
    for (size_t i = 0; found && i < RUNTIMES; i++) {
        if ((program->version != versions[i] || program->holds_runtime) && !program->opens)
            continue;
        snprintf(name, sizeof name, "libcudart-%u.so", versions[i]);
        libraries->runtimes[i] = cli_run_cuda_find(name, error);
        found = libraries->runtimes[i] != NULL;
    }
    return found && (!strchr(libraries->driver, ':') ||
                     mnp_fail_at(error, libraries->driver, 0,
                                 "lies in a folder with a colon in its name, where the dynamic linker cannot find it; "
                                 "install maniple elsewhere"));
}

static void free_libraries(struct libraries *libraries)
{
    free(libraries->driver);
    free(libraries->audit);
    for (size_t i = 0; i < RUNTIMES; i++)
        free(libraries->runtimes[i]);
}

static bool is_built_in(const char *name)
{
    for (const struct mnp_machine_file *file = mnp_built_in_machines; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return true;
    return false;
}

/* Settings as the runtime has them; texts are the options' own. */
static struct cudart_options translate(const struct run_options *options, uint32_t devices)
{
    static const enum cudart_format formats[] = {
        [FORMAT_TEXT] = CUDART_TEXT, [FORMAT_JSON] = CUDART_JSON, [FORMAT_GPGPUSIM] = CUDART_GPGPUSIM};
    return (struct cudart_options){.machine = options->machine,
                                   .overrides = options->overrides,
                                   .override_count = options->override_count,
                                   .devices = devices,
                                   .format = options->cuda.trace ? CUDART_NO_RESULTS : formats[options->output.format],
                                   .folder = options->output.folder,
                                   .program = options->program[0],
                                   .process = getpid(),
                                   .code = (enum cudart_code_choice)options->cuda.code,
                                   .functional = options->cuda.functional,
                                   .trace = options->cuda.trace,
                                   .trace_warps = options->cuda.trace_warps,
                                   .check = options->cuda.check,
                                   .deadline = options->deadline_ns,
                                   .plugin_files = getenv(PLUGIN_VARIABLE),
                                   .snapshot = options->snapshot.folder,
                                   .snapshot_at = options->snapshot.behind,
                                   .resume = options->snapshot.resume,
                                   .version = MANIPLE_VERSION " " MANIPLE_FINGERPRINT,
                                   .sampling = options->sampling,
                                   .share = options->share,
                                   .bare = options->cuda.bare_values,
                                   .request = options->request,
                                   .executor_name = options->executor_name,
                                   .schedule_name = cli_schedule_name(options->request.schedule),
                                   .hash = options->output.hash,
                                   .costs = options->output.costs,
                                   .long_text = options->output.long_text,
                                   .verbosity = options->output.verbosity};
}

/* The text that is handed over. Paths are absolute, for the program may go elsewhere. */
static char *describe_options(const struct run_options *options, const struct cuda_program *program, int output)
{
    struct cudart_options to = translate(options, program->devices);
    char *folder = options->output.folder ? realpath(options->output.folder, NULL) : NULL;
    char *plan = options->sampling.plan_file ? realpath(options->sampling.plan_file, NULL) : NULL;
    char *machine = options->machine && !is_built_in(options->machine) ? realpath(options->machine, NULL) : NULL;
    char *snapshot = options->snapshot.folder ? realpath(options->snapshot.folder, NULL) : NULL;
    char *resume = options->snapshot.resume ? realpath(options->snapshot.resume, NULL) : NULL;
    char *plugins = options->request.executor->processes ? mnp_program_folder() : NULL, *text = NULL; /* MPI's */
    size_t size;
    to.output = output;
    to.opens = program->opens;
    to.folder = folder;
    to.sampling.plan_file = plan;
    to.snapshot = snapshot;
    to.resume = resume ? resume : options->snapshot.resume;
    to.machine = machine ? machine : options->machine;
    to.plugins = plugins;
    to.process_group = cudart_process_group_create(program->devices);
    FILE *out = open_memstream(&text, &size);
    cudart_options_write(&to, out);
    fclose(out);
    free(folder);
    free(plan);
    free(snapshot);
    free(resume);
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

/* A library that this build may lack. */
static void preload_found(const char *file)
{
    struct mnp_error ignored = {{0}};
    char *path = cli_run_cuda_find(file, &ignored);
    if (path)
        preload(path);
    free(path);
}

/* Variables for programs that build code for the device themselves: Triton's compiler gets an assembler that hands PTX
 * on, unless machine code is wanted, and the folder of the driver. A word of the user's stands. */
static void tell_compilers(const struct run_options *options, const char *driver)
{
    struct mnp_error ignored = {{0}};
    char *assembler = options->cuda.code == CUDART_CODE_SASS || options->cuda.code == CUDART_CODE_PTXAS
                          ? NULL
                          : cli_run_cuda_find("maniple-ptxas", &ignored);
    char *folder = strndup(driver, (size_t)(strrchr(driver, '/') - driver));
    setenv("TRITON_LIBCUDA_PATH", folder, 0);
    extend_list("LD_LIBRARY_PATH", folder, true); /* the place where tinygrad looks for the driver's file */
    bool wanted = options->sampling.selection && mnp_selection_needs_ranges(options->sampling.selection, true);
    setenv("NVTX_INJECTION64_PATH", driver, wanted); /* api/nvtx.c */
    if (assembler) {
        setenv("TRITON_PTXAS_PATH", assembler, 0);
        setenv("TRITON_PTXAS_BLACKWELL_PATH", assembler, 0);
    }
    free(assembler);
    free(folder);
}

/* A Python runs the file sitecustomize.py of this folder first. */
static void tell_python(void)
{
    struct mnp_error ignored = {{0}};
    char *folder = cli_run_cuda_find("python/site", &ignored);
    if (folder)
        extend_list("PYTHONPATH", folder, true);
    free(folder);
}

/* A program may want to leave out checks of values that are not there. */
static void tell_program(const struct run_options *options)
{
    if (options->cuda.bare_values || options->sampling.skip)
        setenv("MANIPLE_VALUES", "some", 1);
    else
        unsetenv("MANIPLE_VALUES");
}

/* With several devices, NCCL maps memory a second time for each peer, unless it is told to use IPC handles of the
 * runtime. A value that the user has set stands. */
static void tell_nccl(const struct cuda_program *program)
{
    if (program->devices > 1)
        setenv("NCCL_CUMEM_ENABLE", "0", 0);
}

/* Standard output, where no program writes by chance; what goes to a file goes to its end, whoever writes it. */
static int keep_output(void)
{
    enum { OUT_OF_THE_WAY = 64 };
    struct stat status;
    int output = fcntl(STDOUT_FILENO, F_DUPFD, OUT_OF_THE_WAY), flags = fcntl(STDOUT_FILENO, F_GETFL);
    if (output >= 0 && flags >= 0 && fstat(STDOUT_FILENO, &status) == 0 && S_ISREG(status.st_mode))
        fcntl(STDOUT_FILENO, F_SETFL, flags | O_APPEND);
    return output;
}

/* The program takes the place of this process. What it prints makes room for one JSON value. */
static bool become(const struct run_options *options, const char *path, const struct cuda_program *program,
                   const struct libraries *libraries, struct mnp_error *error)
{
    int output = keep_output();
    if (options->output.format == FORMAT_JSON && (output < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0))
        return mnp_fail(error, "standard output or standard error is closed; open both for --format json");
    char *text = describe_options(options, program, output < 0 ? STDOUT_FILENO : output);
    setenv(CUDART_OPTIONS_VARIABLE, text, 1);
    free(text);
    tell_compilers(options, libraries->driver);
    tell_python();
    tell_program(options);
    tell_nccl(program);
    extend_list("LD_AUDIT", libraries->audit, false);
    preload(libraries->driver);
    for (size_t i = 0; i < RUNTIMES; i++)
        if (libraries->runtimes[i])
            preload(libraries->runtimes[i]);
    cli_mathematics_each(libraries->version, preload_found);
    fflush(NULL);
    execv(path, options->program);
    return mnp_fail_at(error, options->program[0], 0, "cannot be run: %s", strerror(errno));
}

bool cli_run_cuda_follows(const struct run_options *options)
{
    return options->request.executor->processes && mnp_processes_expected() && mnp_processes_rank() != 0;
}

/* Facts that all processes find out alike. */
static bool check(const struct run_options *options, const char *path, struct cuda_program *program,
                  struct mnp_error *error)
{
    struct mnp_error ignored = {{0}};
    char *maps = cli_run_cuda_find("data/runtimes", &ignored);
    bool good = cli_cuda_program_check(path, maps, program, error) &&
                check_machine(options, &program->devices, error) && check_options(options, error);
    free(maps);
    return good;
}

bool cli_run_cuda(const struct run_options *options, struct mnp_error *error)
{
    struct cuda_program program;
    struct libraries libraries = {0};
    char *path = cli_run_cuda_locate(options->program[0]);
    if (check(options, path, &program, error) && cli_run_folder_make(options, error) &&
        (!options->snapshot.folder || mnp_make_folder(options->snapshot.folder, error)) &&
        find_libraries(&program, &libraries, error))
        become(options, path, &program, &libraries, error);
    free_libraries(&libraries);
    free(path);
    return false;
}

bool cli_run_cuda_follow(const struct run_options *options, struct processes *processes, struct mnp_error *error)
{
    struct cuda_program program;
    char *path = cli_run_cuda_locate(options->program[0]);
    bool good = check(options, path, &program, error);
    free(path);
    if (!good) {
        *error = (struct mnp_error){0}; /* the first process has found the same, and says it */
        return false;
    }
    if (!mnp_processes_join(processes, NULL, error))
        return false;
    mnp_processes_divide_host(processes);
    struct cudart_options translated = translate(options, program.devices);
    if (cudart_follow(&translated, processes, error))
        return true;
    /* The first process waits for this one, and learns of its end by the launcher alone. */
    mnp_print_text(stderr, "maniple: error: %s\n", error->text);
    fflush(NULL);
    _exit(MNP_EXIT_USER);
}
