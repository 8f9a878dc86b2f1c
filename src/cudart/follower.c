/* SPDX-License-Identifier: BSD-3-Clause */
#include "cudart/follower.h"

#include "base/arena.h"
#include "cudart/base/options.h"
#include "cudart/base/rank_commands.h"
#include "cudart/device/functional.h"
#include "cudart/device/languages.h"
#include "execute/live/replay.h"
#include "execute/live/source.h"
#include "gpu/system/kind.h"
#include "gpu/system/parameters.h"
#include "machines.h"
#include "plugin/plugin.h"

#include <signal.h>
#include <stdlib.h>

struct follower {
    const struct cudart_options *options;
    struct processes *processes;
    struct mnp_settings *settings;
    struct plugin_set plugins;
    struct gpu_parameters parameters;
    struct execute_device device;
    struct execute_replay replay; /* device NULL: there is none yet */
    struct mnp_session *session;
    struct mnp_results results; /* the first process's are those that count */
    uint64_t known;             /* launches and copies of which the dispatcher has been told */
};

static void on_epoch(void *context, const struct mnp_epoch_hashes *hashes)
{
    (void)context;
    (void)hashes;
}

static bool begin_device(struct follower *f, const char *machine, struct mnp_error *error)
{
    struct mnp_settings_source from = {.machine = machine,
                                       .built_in = mnp_built_in_machines,
                                       .kind = gpu_kind.name,
                                       .overrides = f->options->overrides,
                                       .override_count = f->options->override_count,
                                       .joined = &f->plugins.joined};
    if (!plugin_set_load_list(&f->plugins, f->options->plugin_files, error))
        return false;
    f->settings = mnp_settings_load(&from, error);
    if (!f->settings || !gpu_system_parameters_read_one(&f->parameters, f->settings, "CUDA programs run", error))
        return false;
    cudart_functional_init(&f->device, &f->parameters, NULL);
    f->device.keeps_output = true;
    f->replay.device = &f->device;
    f->replay.language = cudart_language_named;
    return true;
}

static bool begin_machine(struct follower *f, struct mnp_error *error)
{
    struct mnp_session_options options = cudart_session_options(f->options, f->processes);
    options.on_epoch = f->options->hash ? on_epoch : NULL;
    f->replay.source = execute_source_open(&f->device, mnp_settings_architecture(f->settings));
    execute_source_set_stream(f->replay.source, 0);
    struct mnp_work work = {.input = MNP_INPUT_CALLS, .source = f->replay.source};
    f->session = mnp_session_open(&gpu_kind, f->settings, &work, &options, &f->results, error);
    return f->session != NULL;
}

/* A stop for good is known to the first process too, which says so. */
static void run_piece(struct follower *f, uint64_t until)
{
    struct mnp_error ignored = {{0}};
    void *mine, *all;
    uint64_t known = f->replay.source->kernel_count + f->device.copies;
    if (known != f->known)
        mnp_session_wake(f->session);
    f->known = known;
    mnp_session_run(f->session, until, &ignored);
    size_t length = execute_source_take_output(f->replay.source, &mine);
    mnp_transport_collect(&f->processes->transport, mine, length, &all);
    free(mine);
    free(all);
}

static bool obey(struct follower *f, const struct cudart_rank_command *command, const void *bytes,
                 struct mnp_error *error)
{
    if (command->action == CUDART_RANK_DEVICE && !begin_device(f, (const char *)bytes + command->notes, error))
        return false;
    if (command->notes && !execute_replay_notes(&f->replay, bytes, command->notes, error))
        return false;
    if (command->action == CUDART_RANK_MACHINE)
        return begin_machine(f, error);
    if (command->action == CUDART_RANK_RUN)
        run_piece(f, command->until);
    if (command->action == CUDART_RANK_COLLECT)
        mnp_session_collect(f->session);
    return true;
}

static void release(struct follower *f)
{
    if (f->session)
        mnp_session_release(f->session);
    if (f->replay.source)
        f->replay.source->close(f->replay.source);
    execute_replay_release(&f->replay);
    if (f->replay.device)
        execute_device_release(&f->device);
    if (f->settings)
        mnp_settings_free(f->settings);
    f->results.machine = NULL;
    mnp_results_release(&f->results);
    plugin_set_release(&f->plugins);
}

bool cudart_follow(const struct cudart_options *options, struct processes *processes, struct mnp_error *error)
{
    struct follower f = {.options = options, .processes = processes};
    struct cudart_rank_command command;
    bool done;
    mnp_results_init(&f.results, MNP_SILENT);
    signal(SIGINT, SIG_IGN); /* the first process ends the run in order */
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    do {
        void *bytes;
        command = cudart_receive_command(processes, &bytes);
        done = obey(&f, &command, bytes, error);
        free(bytes);
    } while (done && command.action != CUDART_RANK_END);
    release(&f);
    return done;
}
