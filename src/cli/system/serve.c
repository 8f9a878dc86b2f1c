/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple serve`: simulated coprocessors for a guest, a program under QEMU or on this host. */
#include "base/array.h"
#include "base/file.h"
#include "base/installed.h"
#include "base/text.h"
#include "cli/kinds.h"
#include "cli/load_machine.h"
#include "cli/run/cuda.h"
#include "cli/verbs.h"
#include "cli/words.h"
#include "machines.h"
#include "offload/server.h"
#include "plugin/plugin.h"

#include <argp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_SOCKET = 256,
    KEY_DOORBELL,
    KEY_FIFOS,
    KEY_MEMORY,
    KEY_SIZE,
    KEY_SET,
    KEY_CORES,
    KEY_THREADS,
    KEY_AT_ONCE,
    KEY_TIME,
    KEY_LOG,
    KEY_WHILE,
    KEY_MACHINE,
    KEY_QMP
};
enum { DEFAULT_MEMORY = 64 << 20, SMALLEST_MEMORY = 1 << 20 };

struct serve_options {
    const struct plugin_set *plugins;
    struct offload_options offload;
    struct mnp_array overrides; /* items: const char * */
    char cores[32];
    char *self; /* path of this program */
    const char *log;
    uint64_t threads, coprocessors, milliseconds;
    struct mnp_error error;
};

static const struct argp_option known[] = {
    {"machine", KEY_MACHINE, "NAME|FILE", 0, "the coprocessor: a many-core machine (default: manycore-2) or a GPU", 0},
    {"set", KEY_SET, "KEY=VALUE", 0, "override a key of the machine; may be repeated", 0},
    {"cores", KEY_CORES, "N", 0, "cores of a many-core machine, unless a launch says otherwise", 0},
    {"socket", KEY_SOCKET, "PATH", 0, "listen there for control: QEMU's virtio-serial port, or a program of this host",
     0},
    {"doorbell", KEY_DOORBELL, "PATH", 0,
     "be the ivshmem server of QEMU's ivshmem-doorbell there; control lies in the "
     "region",
     0},
    {"fifos", KEY_FIFOS, "PATH", 0, "make PATH.to-host and PATH.to-guest for control by semihosting", 0},
    {"memory", KEY_MEMORY, "FILE", 0, "the region that guest and host share: a file, best below /dev/shm", 0},
    {"memory-size", KEY_SIZE, "SIZE", 0, "its size, a power of two (64MiB)", 0},
    {"coprocessors", KEY_AT_ONCE, "N", 0, "launches that run at the same time (1)", 0},
    {"threads", KEY_THREADS, "N", 0, "threads of a launch (default: the processors, shared out to the coprocessors)",
     0},
    {"launch-time", KEY_TIME, "MS", 0, "host time that a launch may take at most, in milliseconds", 0},
    {"log", KEY_LOG, "FILE", 0, "write a line for each offload there (default: standard error)", 0},
    {"qmp", KEY_QMP, "PATH", 0,
     "simulate the guest's time: QEMU stands still during launches, by its QMP socket, and the guest sleeps for the "
     "time that "
     "they took",
     0},
    {"while-open", KEY_WHILE, "FD", OPTION_HIDDEN, "end when that file is closed at its other end", 0},
    {"output", 'o', "DIR", 0, "write DIR/offloads.json at the end: each offload, and all", 0},
    {0},
};

static uint64_t number(struct serve_options *options, const char *name, const char *text, uint64_t least, uint64_t most)
{
    uint64_t value = 0;
    const char *wrong = mnp_parse_number(text, &value);
    if (wrong)
        mnp_fail(&options->error, "--%s: %s %s", name, text, wrong);
    else if (value < least || value > most)
        mnp_fail(&options->error, "--%s %s: say a number from %lu to %lu", name, text, (unsigned long)least,
                 (unsigned long)most);
    return value;
}

static void read_size(struct serve_options *options, const char *text)
{
    uint64_t value = 0;
    const char *wrong = mnp_parse_size(text, &value);
    if (wrong)
        mnp_fail(&options->error, "--memory-size: %s %s", text, wrong);
    else if (value < SMALLEST_MEMORY || value & (value - 1) || value > UINT64_C(1) << 36)
        mnp_fail(&options->error, "--memory-size %s: say a power of two from 1MiB to 64GiB, as PCI devices need it",
                 text);
    options->offload.memory_bytes = value;
}

static void add_override(struct serve_options *options, const char *text)
{
    *(const char **)mnp_array_add(&options->overrides, 1, sizeof text) = text;
}

static error_t read_way(int key, char *text, struct serve_options *options)
{
    switch (key) {
    case KEY_SOCKET:
        options->offload.socket = text;
        break;
    case KEY_DOORBELL:
        options->offload.doorbell = text;
        break;
    case KEY_FIFOS:
        options->offload.fifos = text;
        break;
    case KEY_MEMORY:
        options->offload.memory = text;
        break;
    case KEY_SIZE:
        read_size(options, text);
        break;
    case KEY_LOG:
        options->log = text;
        break;
    case KEY_QMP:
        options->offload.qmp = text;
        break;
    case KEY_WHILE:
        options->offload.alive = (int)number(options, "while-open", text, 0, 1 << 20);
        break;
    case 'o':
        options->offload.folder = text;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct serve_options *options = state->input;
    switch (key) {
    case KEY_MACHINE:
        options->offload.machine.name = text;
        break;
    case KEY_SET:
        add_override(options, text);
        break;
    case KEY_CORES:
        snprintf(options->cores, sizeof options->cores, "tile.count=%lu",
                 (unsigned long)number(options, "cores", text, 1, 1 << 20));
        break;
    case KEY_AT_ONCE:
        options->coprocessors = number(options, "coprocessors", text, 1, OFFLOAD_MOST_COPROCESSORS);
        break;
    case KEY_THREADS:
        options->threads = number(options, "threads", text, 1, 4096);
        break;
    case KEY_TIME:
        options->milliseconds = number(options, "launch-time", text, 1, UINT32_MAX);
        break;
    default:
        return read_way(key, text, options);
    }
    return 0;
}

static void read_options(struct serve_options *options, const struct command_line *line)
{
    static const struct argp argp = {
        .options = known,
        .parser = read_option,
        .doc =
            "Offer simulated coprocessors to a guest, until SIGTERM or Ctrl-C. The guest is a program under QEMU or on "
            "this host, written with include/maniple/guest.h; docs/system.md has the protocol and an example. "
            "`maniple system` starts this and QEMU together.\v"
            "Exit status: 0 ended by a signal; 2 it could not begin.",
    };
    *options = (struct serve_options){.coprocessors = 1};
    options->offload = (struct offload_options){.memory_bytes = DEFAULT_MEMORY, .alive = -1, .summary = stdout};
    options->offload.machine.name = cli_default_machine(MNP_INPUT_PROGRAM);
    cli_parse(&argp, line->argc, line->argv, options);
    if (line->program)
        mnp_fail(&options->error, "maniple serve takes nothing after --");
    if (!options->offload.socket && !options->offload.doorbell && !options->offload.fifos)
        mnp_fail(&options->error,
                 "maniple serve needs a way to be reached: --socket PATH, --doorbell PATH or --fifos PATH");
    if (!options->offload.memory)
        mnp_fail(&options->error, "maniple serve needs --memory FILE, such as /dev/shm/maniple-$USER");
}

/* Consequences of the options: threads, overrides, programs of ours that GPUs need. */
static void settle(struct serve_options *options)
{
    struct offload_machine *machine = &options->offload.machine;
    cpu_set_t processors;
    uint64_t count = sched_getaffinity(0, sizeof processors, &processors) == 0 ? (uint64_t)CPU_COUNT(&processors) : 1;
    uint64_t share = count / options->coprocessors;
    struct mnp_error missing = {0};
    if (options->cores[0])
        add_override(options, options->cores);
    options->offload.coprocessors = (uint32_t)options->coprocessors;
    options->offload.most_milliseconds = (uint32_t)options->milliseconds;
    machine->threads = (uint32_t)(options->threads ? options->threads : share ? share : 1);
    machine->overrides = options->overrides.items;
    machine->override_count = options->overrides.count;
    machine->kinds = options->plugins->kinds;
    machine->joined = &options->plugins->joined;
    machine->built_in = mnp_built_in_machines;
    machine->self = options->self = mnp_program_path();
    machine->kernel_runner = cli_run_cuda_find("maniple-kernel", &missing);
}

static bool open_log(struct serve_options *options)
{
    options->offload.log = options->log ? fopen(options->log, "we") : stderr;
    if (!options->offload.log)
        return mnp_fail_at(&options->error, options->log, 0, "cannot be written");
    return !options->offload.folder || mnp_make_folder(options->offload.folder, &options->error);
}

int cli_verb_serve(const struct command_line *line)
{
    struct serve_options options;
    read_options(&options, line);
    options.plugins = line->plugins;
    bool done = false;
    if (!options.error.text[0]) {
        settle(&options);
        done = open_log(&options) && offload_serve(&options.offload, &options.error);
    }
    if (options.log && options.offload.log)
        fclose(options.offload.log);
    free((void *)(uintptr_t)options.offload.machine.kernel_runner);
    mnp_array_release(&options.overrides);
    free(options.self);
    return done ? cli_finish_output(MNP_EXIT_DONE) : cli_report_error(&options.error);
}
