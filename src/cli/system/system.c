/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple system`: Linux on a general-purpose processor, QEMU's, beside the coprocessors of `maniple serve`. */
#include "cli/system/system.h"

#include "base/file.h"
#include "base/installed.h"
#include "base/print.h"
#include "base/temporary.h"
#include "cli/run/cuda.h"
#include "cli/verbs.h"
#include "cli/words.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEY_QEMU_ARGS = 256, KEY_KERNEL, KEY_TIME, KEY_WITH, KEY_CONTROL, KEY_SIZE, KEY_INIT, KEY_PASSED };

/* Options of the server's, in the order of their keys. */
static const char *const passed[] = {"machine", "set", "cores", "coprocessors", "threads", "log", "output"};
enum { PASSED = sizeof passed / sizeof *passed };

static const struct argp_option known[] = {
    {"machine", KEY_PASSED, "NAME|FILE", 0, "the coprocessor: a many-core machine (default: manycore-2) or a GPU", 0},
    {"set", KEY_PASSED + 1, "KEY=VALUE", 0, "override a key of it; may be repeated", 0},
    {"cores", KEY_PASSED + 2, "N", 0, "its cores", 0},
    {"coprocessors", KEY_PASSED + 3, "N", 0, "launches that run at the same time", 0},
    {"threads", KEY_PASSED + 4, "N", 0, "threads of a launch", 0},
    {"log", KEY_PASSED + 5, "FILE", 0, "write a line for each offload there", 0},
    {"output", 'o', "DIR", 0, "write DIR/offloads.json", 0},
    {"memory-size", KEY_SIZE, "SIZE", 0, "size of the region (64M)", 0},
    {"with", KEY_WITH, "FILE", 0, "put a file into the guest's folder /programs; may be repeated", 0},
    {"control", KEY_CONTROL, "WAY", 0,
     "how control goes: port (virtio-serial, the default), doorbell (ivshmem-doorbell), fifos (semihosting)", 0},
    {"time", KEY_TIME, "WAY", 0,
     "fast (default); simulated: the guest stands still during a launch, and sleeps for the simulated time of it", 0},
    {"qemu-args", KEY_QEMU_ARGS, "ARGS", 0, "more arguments for QEMU, with blanks between them", 0},
    {"kernel", KEY_KERNEL, "DIR", 0,
     "Debian's kernel, as maniple-guest-kernel unpacks it (default: ~/.cache/maniple/guest-kernel, fetched when it is "
     "missing)",
     0},
    {"init", KEY_INIT, "FILE", 0, "the guest's first process (default: maniple-guest-init beside maniple)", 0},
    {0},
};

/* ===== options ===== */

static void pass(struct system_options *options, const char *name, const char *text)
{
    char *word;
    if (asprintf(&word, "--%s=%s", name, text) > 0)
        *(char **)mnp_array_add(&options->passed, 1, sizeof word) = word;
}

static void choose(struct system_options *options, const char *option, const char *text, const char *const *words,
                   int count, int *choice)
{
    for (int i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) {
            *choice = i;
            return;
        }
    mnp_fail(&options->error, "--%s %s: say %s, %s%s%s", option, text, words[0], words[1], count > 2 ? " or " : "",
             count > 2 ? words[2] : "");
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    static const char *const ways[] = {"port", "doorbell", "fifos"}, *const times[] = {"fast", "simulated"};
    struct system_options *options = state->input;
    int choice = 0;
    if (key >= KEY_PASSED && key < KEY_PASSED + PASSED) {
        pass(options, passed[key - KEY_PASSED], text);
        return 0;
    }
    switch (key) {
    case 'o':
        pass(options, "output", text);
        break;
    case KEY_SIZE:
        options->memory_size = text;
        break;
    case KEY_WITH:
        *(const char **)mnp_array_add(&options->with, 1, sizeof text) = text;
        break;
    case KEY_CONTROL:
        choose(options, "control", text, ways, 3, &choice);
        options->control = (enum system_control)choice;
        break;
    case KEY_TIME:
        choose(options, "time", text, times, 2, &choice);
        options->simulated = choice == 1;
        break;
    case KEY_QEMU_ARGS:
        options->qemu_args = text;
        break;
    case KEY_KERNEL:
        options->kernel = text;
        break;
    case KEY_INIT:
        options->init = text;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static void read_options(struct system_options *options, const struct command_line *line)
{
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .args_doc = "-- PROGRAM [ARGUMENTS]",
        .doc =
            "Run a program for Linux on ARM in QEMU, beside simulated coprocessors that it offloads work to. Its "
            "console "
            "is shown; at the end, what the server has counted. The program is written with include/maniple/guest.h; "
            "files for it (--with) lie in /programs. docs/system.md has examples.\v"
            "Exit status: the guest program's; 2 an error.",
    };
    *options = (struct system_options){.memory_size = "64M"};
    cli_parse(&argp, line->argc, line->argv, options);
    options->program = line->program;
    options->program_argc = line->program_argc;
    if (!options->program_argc)
        mnp_fail(&options->error, "maniple system takes a program for Linux on ARM: maniple system -- PROGRAM");
}

/* ===== what it needs ===== */

/* Runs a script to its end, its output to standard error. */
static bool run_script(const char *script, const char *argument)
{
    int status = -1;
    pid_t process = fork();
    if (process == 0) {
        char *words[] = {(char[]){"bash"}, strdup(script), strdup(argument), NULL};
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp(words[0], words);
        _exit(127);
    }
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        continue;
    return process > 0 && status == 0;
}

/* The kernel's folder; fetched if it is the usual one and missing. */
static bool find_kernel(struct system_options *options, struct mnp_error *error)
{
    bool given = options->kernel, fetched = false;
    if (!given) {
        char *cache = mnp_cache_folder("the guest's kernel", error);
        options->kernel = options->found_kernel = cache ? mnp_join_path(cache, "guest-kernel") : NULL;
        free(cache);
    }
    char *file = options->kernel ? mnp_join_path(options->kernel, "vmlinuz") : NULL, *script = NULL;
    bool there = file && access(file, R_OK) == 0;
    free(file);
    if (there || given || error->text[0])
        return there || mnp_fail_at(error, options->kernel, 0, "holds no vmlinuz; let maniple-guest-kernel unpack one");
    if ((script = cli_run_cuda_find("maniple-guest-kernel", error))) {
        mnp_print_text(stderr, "maniple: fetching Debian's kernel for the guest into %s\n", options->kernel);
        fetched = run_script(script, options->kernel);
        free(script);
    }
    return fetched ||
           mnp_fail_at(error, options->kernel, 0, "the kernel could not be fetched; see the lines before this one");
}

/* Whether a program lies in a folder of PATH. */
static bool is_installed(const char *name)
{
    const char *path = getenv("PATH");
    char *folders = strdup(path ? path : "/usr/bin:/bin"), *rest = folders;
    bool found = false;
    for (char *folder; !found && (folder = strsep(&rest, ":"));) {
        char *file = mnp_join_path(*folder ? folder : ".", name);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(folders);
    return found;
}

/* Names the files of a system, all in its folder but the region. False: a name is too long, or a line of its own. */
static bool name_places(struct system_places *places, struct mnp_error *error)
{
    struct {
        char *path;
        const char *name;
    } all[] = {{places->socket, "control"},
               {places->doorbell, "doorbell"},
               {places->fifos, "fifo"},
               {places->qmp, "qmp"},
               {places->initramfs, "initramfs"}};
    bool good = !strchr(places->folder, '\n');
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        good = snprintf(all[i].path, SYSTEM_PATH, "%s/%s", places->folder, all[i].name) < SYSTEM_PATH && good;
    snprintf(places->memory, SYSTEM_PATH, "/dev/shm/maniple-system-%s", strrchr(places->folder, '-') + 1);
    return good || mnp_fail_at(error, places->folder, 0,
                               "cannot hold the system's sockets: its name is too long or has a newline; let TMPDIR "
                               "name another folder");
}

/* Arguments are handed to the guest as lines. */
static bool check_arguments(const struct system_options *options, struct mnp_error *error)
{
    for (int i = 0; i < options->program_argc; i++)
        if (strchr(options->program[i], '\n'))
            return mnp_fail(error, "the program's argument \"%s\" has a newline, which the guest cannot be handed",
                            options->program[i]);
    return true;
}

static bool prepare(struct system_options *options, struct system_places *places, struct mnp_error *error)
{
    if (!options->init)
        options->init = options->found_init = cli_run_cuda_find("maniple-guest-init", error);
    if (!options->init) {
        *error = (struct mnp_error){0};
        return mnp_fail(error, "maniple-guest-init is missing beside maniple; `apps/system/build.sh build` makes it");
    }
    if (!is_installed("qemu-system-arm"))
        return mnp_fail(error, "qemu-system-arm is missing; install it (Debian: qemu-system-arm)");
    return check_arguments(options, error) && find_kernel(options, error) &&
           (places->folder = mnp_temporary_folder("system", error)) && name_places(places, error) &&
           cli_system_write_initramfs(options, places, error);
}

static void clean_up(const struct system_places *places)
{
    if (places->memory[0])
        unlink(places->memory);
    mnp_temporary_remove(places->folder);
}

/* ===== the processes ===== */

static char *size_for_server(const char *text)
{
    char *word;
    size_t length = strlen(text);
    bool short_unit = length && strchr("KMG", text[length - 1]); /* QEMU's units are written shorter */
    return asprintf(&word, "--memory-size=%s%s", text, short_unit ? "iB" : "") > 0 ? word : NULL;
}

/* The server ends with this process: it watches a pipe that only this process holds open. */
static pid_t start_server(const struct system_options *options, const struct system_places *places, int watched)
{
    pid_t process = fork();
    if (process != 0)
        return process;
    char *self = mnp_program_path(), number[32];
    struct mnp_array words = {0};
    snprintf(number, sizeof number, "--while-open=%d", watched);
    const char *first[] = {self, "serve", "--socket", places->socket, "--memory", places->memory, number};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        *(const char **)mnp_array_add(&words, 1, sizeof(char *)) = first[i];
    *(const char **)mnp_array_add(&words, 1, sizeof(char *)) = size_for_server(options->memory_size);
    const char *ways[3][2] = {{options->control == SYSTEM_DOORBELL ? "--doorbell" : NULL, places->doorbell},
                              {options->control == SYSTEM_FIFOS ? "--fifos" : NULL, places->fifos},
                              {options->simulated ? "--qmp" : NULL, places->qmp}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2 && ways[i][0]; j++)
            *(const char **)mnp_array_add(&words, 1, sizeof(char *)) = ways[i][j];
    for (uint32_t i = 0; i < options->passed.count; i++)
        *(char **)mnp_array_add(&words, 1, sizeof(char *)) = ((char **)options->passed.items)[i];
    *(char **)mnp_array_add(&words, 1, sizeof(char *)) = NULL;
    if (self)
        execv(self, words.items);
    _exit(MNP_EXIT_USER);
}

/* Waits until the server has opened its ways in, or has ended. */
static bool wait_for_server(pid_t server, const struct system_places *places, struct mnp_error *error)
{
    const struct timespec moment = {0, 10000000};
    for (int i = 0; i < 3000; i++) {
        int status;
        if (access(places->socket, F_OK) == 0)
            return true;
        if (waitpid(server, &status, WNOHANG) == server)
            return mnp_fail(error, "the server could not begin; see the line before this one");
        nanosleep(&moment, NULL);
    }
    return mnp_fail(error, "the server has not begun within 30 s");
}

/* The guest's console is a pipe, so that its last line can be read. */
static pid_t start_qemu(const struct system_options *options, const struct system_places *places, int console)
{
    pid_t process = fork();
    if (process != 0)
        return process;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    char **words = cli_system_qemu_words(options, places);
    dup2(console, STDOUT_FILENO);
    execvp(words[0], words);
    mnp_print_text(stderr, "maniple: error: qemu-system-arm cannot be run: %s\n", strerror(errno));
    _exit(127);
}

/* Shows the console; the status that the first process has told, or -1. */
static int show_console(int console)
{
    static const char told[] = "the guest's program has ended with status ";
    char line[4096], *byte = line;
    int status = -1;
    FILE *in = fdopen(console, "r");
    for (int c; in && (c = getc(in)) != EOF;) {
        if (c != '\r') {
            putchar(c);
            *byte++ = (char)c;
        }
        if (c == '\n' || byte == line + sizeof line - 1) {
            *byte = 0;
            status = strncmp(line, told, sizeof told - 1) == 0 ? atoi(line + sizeof told - 1) : status;
            byte = line;
            fflush(stdout);
        }
    }
    if (in)
        fclose(in);
    return status;
}

static bool run_guest(const struct system_options *options, const struct system_places *places, int *status,
                      struct mnp_error *error)
{
    int console[2];
    if (pipe2(console, O_CLOEXEC) != 0)
        return mnp_fail(error, "no pipe for the console: %s", strerror(errno));
    pid_t qemu = start_qemu(options, places, console[1]);
    close(console[1]);
    *status = show_console(console[0]);
    while (qemu > 0 && waitpid(qemu, NULL, 0) < 0 && errno == EINTR)
        continue;
    return *status >= 0 || mnp_fail(error, "QEMU has ended before the guest's program");
}

static bool run_system(const struct system_options *options, const struct system_places *places, int *status,
                       struct mnp_error *error)
{
    int alive[2];
    if (pipe(alive) != 0)
        return mnp_fail(error, "no pipe for the server: %s", strerror(errno));
    fcntl(alive[1], F_SETFD, FD_CLOEXEC);
    pid_t server = start_server(options, places, alive[0]);
    close(alive[0]);
    bool good = server > 0 && wait_for_server(server, places, error) && run_guest(options, places, status, error);
    close(alive[1]); /* the server ends, and says what it has counted */
    while (server > 0 && waitpid(server, NULL, 0) < 0 && errno == EINTR)
        continue;
    return good;
}

int cli_verb_system(const struct command_line *line)
{
    struct system_options options;
    struct system_places places = {0};
    int status = MNP_EXIT_USER;
    read_options(&options, line);
    struct mnp_error *error = &options.error;
    bool done = !error->text[0] && prepare(&options, &places, error) && run_system(&options, &places, &status, error);
    clean_up(&places);
    for (uint32_t i = 0; i < options.passed.count; i++)
        free(((char **)options.passed.items)[i]);
    mnp_array_release(&options.passed);
    mnp_array_release(&options.with);
    free(options.found_kernel);
    free(options.found_init);
    return done ? cli_finish_output(status) : cli_report_error(error);
}
