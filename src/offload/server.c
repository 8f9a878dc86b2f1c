/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/server.h"

#include "base/allocate.h"
#include "base/print.h"
#include "offload/clock.h"
#include "offload/messages.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { TURNS = 64 /* reads of one guest before others get their turn */ };
/* Milliseconds after which a guest makes room for another, when it has no session, and when it has no launch. */
enum { SILENT = 1000, IDLE = 5000 };
enum { DOORS = 3, FILES = 2 + DOORS + OFFLOAD_PEERS + OFFLOAD_MOST_COPROCESSORS };

struct server {
    const struct offload_options *options;
    struct offload_machine machine; /* the options' machine, completed by facts found when opening it */
    struct offload_region region;
    struct offload_door doors[DOORS];
    struct offload_guest guests[OFFLOAD_PEERS];
    struct offload_jobs jobs;
    struct offload_messages messages;
    struct offload_records records;
    struct offload_clock clock;
    int signals;
};

/* ===== beginning and end ===== */

/* Determines the description of the machine for guests, and the kinds of launches that it accepts. */
static bool describe(struct server *server, struct mnp_error *error)
{
    const struct offload_options *options = server->options;
    const struct mnp_machine_kind *kind;
    struct mnp_offload_welcome *welcome = &server->messages.welcome;
    struct mnp_settings *settings = offload_machine_settings(&options->machine, &kind, 0, error);
    bool good = settings && kind->check(settings, error);
    if (good) {
        bool elf = kind->inputs & MNP_INPUT_PROGRAM && kind->memory && kind->form;
        bool ptx = kind->inputs & MNP_INPUT_CALLS;
        server->machine.runs_kernels = ptx;
        welcome->kinds = (elf ? 1u << MNP_OFFLOAD_ELF : 0) | (ptx ? 1u << MNP_OFFLOAD_PTX : 0);
        welcome->cores = kind->cores ? (uint32_t)mnp_settings_number(settings, kind->cores) : 0;
        welcome->clock = mnp_settings_number(settings, "clock.core");
        snprintf(welcome->machine, sizeof welcome->machine, "%s", mnp_settings_name(settings));
        good = welcome->kinds ||
               mnp_fail(error, "machines of kind \"%s\" take neither programs nor kernels from a guest", kind->name);
    }
    mnp_settings_free(settings);
    return good;
}

static bool open_doors(struct server *server, struct mnp_error *error)
{
    const struct offload_options *options = server->options;
    const struct offload_transport *transports[DOORS] = {&offload_transport_socket, &offload_transport_doorbell,
                                                         &offload_transport_fifos};
    const char *paths[DOORS] = {options->socket, options->doorbell, options->fifos};
    for (int i = 0; i < DOORS; i++)
        if (paths[i] && !transports[i]->open(&server->doors[i], paths[i], &server->region, error))
            return false;
    return true;
}

/* Signals are read, not caught: held back before there is a process or a thread that could get them. */
static bool hold_signals(struct server *server, struct mnp_error *error)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    signal(SIGPIPE, SIG_IGN);
    server->signals = -1;
    if (sigprocmask(SIG_BLOCK, &signals, NULL) == 0)
        server->signals = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    return server->signals >= 0 || mnp_fail(error, "signals cannot be read: %s", strerror(errno));
}

static bool begin(struct server *server, struct mnp_error *error)
{
    const struct offload_options *options = server->options;
    server->records = (struct offload_records){.log = options->log, .began_ns = offload_now()};
    server->jobs.worker_count = options->coprocessors;
    server->machine = options->machine;
    server->jobs.machine = &server->machine;
    server->jobs.region = &server->region;
    server->jobs.most_milliseconds = options->most_milliseconds;
    server->jobs.records = &server->records;
    server->messages.jobs = &server->jobs;
    server->region.descriptor = -1;
    if (!describe(server, error) || !hold_signals(server, error) ||
        !offload_region_open(&server->region, options->memory, options->memory_bytes, error))
        return false;
    server->messages.limits = (struct offload_limits){
        .region_bytes = server->region.bytes, .kinds = server->messages.welcome.kinds, .most_cores = 65536};
    server->clock = (struct offload_clock){.path = options->qmp, .socket = -1};
    server->messages.welcome.flags = options->qmp ? MNP_OFFLOAD_SIMULATED_TIME : 0;
    server->messages.welcome.tag = server->region.tag;
    server->messages.welcome.region_bytes = server->region.bytes;
    server->messages.welcome.coprocessors = options->coprocessors;
    server->messages.welcome.waiting = OFFLOAD_JOBS;
    /* Workers before doors: who can connect can launch. */
    return offload_jobs_begin(&server->jobs, error) && open_doors(server, error);
}

static void end(struct server *server)
{
    for (int i = 0; i < OFFLOAD_PEERS; i++)
        if (offload_guest_is_there(&server->guests[i]))
            offload_guest_leave(&server->guests[i]);
    offload_jobs_end(&server->jobs);
    for (int i = 0; i < DOORS; i++)
        if (server->doors[i].transport)
            server->doors[i].transport->close(&server->doors[i]);
    offload_region_close(&server->region);
    if (server->clock.path)
        offload_clock_close(&server->clock);
    if (server->signals >= 0)
        close(server->signals);
    mnp_array_release(&server->records.rows);
}

/* ===== the loop ===== */

static void let_go(struct server *server, struct offload_guest *guest)
{
    offload_jobs_cancel(&server->jobs, guest, 0, true);
    for (int i = 0; i < DOORS; i++)
        if (server->doors[i].transport == guest->peer.transport)
            server->doors[i].busy = false;
    offload_guest_leave(guest);
}

static void take_in(struct server *server, struct offload_door *door)
{
    for (int i = 0; i < OFFLOAD_PEERS; i++)
        if (!offload_guest_is_there(&server->guests[i])) {
            offload_guest_enter(&server->guests[i], door);
            return;
        }
}

static bool is_full(const struct server *server)
{
    for (int i = 0; i < OFFLOAD_PEERS; i++)
        if (!offload_guest_is_there(&server->guests[i]))
            return false;
    return true;
}

/* If no further guest can be admitted: finds the guest that has been idle longest, and the time at which it may be
 * dropped. Guests on transports that serve only one guest do not block others. */
static struct offload_guest *find_idle(struct server *server, uint64_t *when)
{
    struct offload_guest *idle = NULL;
    *when = UINT64_MAX;
    for (int i = 0; i < OFFLOAD_PEERS; i++) {
        struct offload_guest *guest = &server->guests[i];
        uint64_t until = guest->heard + (guest->session ? IDLE : SILENT) * UINT64_C(1000000);
        if (guest->jobs || guest->peer.transport != &offload_transport_socket || until >= *when)
            continue;
        idle = guest;
        *when = until;
    }
    return idle;
}

/* Drops an idle guest, if allowed, so that a waiting guest can enter. */
static bool make_room(struct server *server)
{
    uint64_t when;
    struct offload_guest *idle = is_full(server) ? find_idle(server, &when) : NULL;
    if (idle && when <= offload_now())
        let_go(server, idle);
    return !is_full(server);
}

/* Milliseconds until the next check whether a guest can be dropped, if the server is full; otherwise `timeout`. */
static int wait_for_room(struct server *server, int timeout)
{
    uint64_t when, now = offload_now();
    if (!is_full(server) || !find_idle(server, &when))
        return timeout;
    int wait = when <= now ? -1 : (int)((when - now) / 1000000 + 1);
    return wait >= 0 && (timeout < 0 || wait < timeout) ? wait : timeout;
}

static void serve_guest(struct server *server, struct offload_guest *guest)
{
    bool got = true, there = true;
    uint64_t messages = server->records.messages;
    for (int turn = 0; there && got && turn < TURNS; turn++) {
        there = offload_guest_read(guest, &got);
        if (got)
            offload_messages_take(&server->messages, guest);
    }
    if (server->records.messages != messages)
        guest->heard = offload_now();
    if (!there)
        let_go(server, guest);
}

/* Lists the file descriptors to poll. Entries of -1 are ignored by poll. */
static void list_files(struct server *server, struct pollfd files[FILES])
{
    int count = 0;
    uint64_t when;
    bool full = is_full(server) && (!find_idle(server, &when) || when > offload_now());
    files[count++] = (struct pollfd){server->signals, POLLIN, 0};
    files[count++] = (struct pollfd){server->options->alive, 0, 0};
    for (int i = 0; i < DOORS; i++)
        files[count++] =
            (struct pollfd){server->doors[i].transport && !full ? server->doors[i].descriptor : -1, POLLIN, 0};
    for (int i = 0; i < OFFLOAD_PEERS; i++) {
        const struct offload_guest *guest = &server->guests[i];
        short events = (short)(POLLIN | (guest->unsent ? POLLOUT : 0));
        files[count++] = (struct pollfd){offload_guest_is_there(guest) ? guest->peer.descriptor : -1, events, 0};
    }
    for (int i = 0; i < OFFLOAD_MOST_COPROCESSORS; i++)
        files[count++] =
            (struct pollfd){server->jobs.workers[i].process ? server->jobs.workers[i].socket : -1, POLLIN, 0};
}

/* Handles the descriptors that are ready. Returns false if the server must end. */
static bool act(struct server *server, const struct pollfd files[FILES])
{
    const struct pollfd *doors = files + 2, *guests = doors + DOORS, *workers = guests + OFFLOAD_PEERS;
    for (uint32_t i = 0; i < server->jobs.worker_count; i++)
        if (workers[i].revents)
            offload_jobs_hear(&server->jobs, i);
    for (int i = 0; i < OFFLOAD_PEERS; i++)
        if (guests[i].revents && offload_guest_is_there(&server->guests[i]))
            serve_guest(server, &server->guests[i]);
    for (int i = 0; i < DOORS; i++)
        if (doors[i].revents && make_room(server))
            take_in(server, &server->doors[i]);
    return !files[0].revents && !(files[1].revents & (POLLHUP | POLLERR));
}

/* Rings have no room to be waited for: while something is unsent on one, it is tried again every millisecond. */
static int flush_guests(struct server *server, int timeout)
{
    for (int i = 0; i < OFFLOAD_PEERS; i++) {
        struct offload_guest *guest = &server->guests[i];
        if (!offload_guest_is_there(guest) || !guest->unsent)
            continue;
        if (!offload_guest_flush(guest))
            let_go(server, guest);
        else if (guest->unsent && guest->peer.transport != &offload_transport_socket)
            timeout = 1;
    }
    return timeout;
}

/* Updates the guest's clock after replies have been sent, so that a resumed guest finds them. */
static void set_clock(struct server *server)
{
    bool waits = false;
    for (int i = 0; i < OFFLOAD_PEERS; i++)
        waits |= offload_guest_is_there(&server->guests[i]) && server->guests[i].jobs;
    offload_clock_set(&server->clock, waits);
}

static void loop(struct server *server)
{
    struct pollfd files[FILES];
    for (;;) {
        int timeout = wait_for_room(server, flush_guests(server, offload_jobs_watch(&server->jobs)));
        set_clock(server);
        list_files(server, files);
        int ready = poll(files, FILES, timeout);
        if (ready > 0 && !act(server, files))
            return;
        if (ready < 0 && errno != EINTR)
            return;
    }
}

static void tell_beginning(const struct server *server)
{
    const struct offload_options *options = server->options;
    if (!options->log)
        return;
    mnp_print_text(options->log, "serving %s, %u at a time; region %s, %" PRIu64 " bytes; control %s\n",
                   server->messages.welcome.machine, options->coprocessors, options->memory, server->region.bytes,
                   options->socket     ? options->socket
                   : options->doorbell ? options->doorbell
                                       : options->fifos);
    fflush(options->log);
}

bool offload_serve(const struct offload_options *options, struct mnp_error *error)
{
    struct server *server = mnp_allocate(1, sizeof *server);
    server->options = options;
    bool good = begin(server, error);
    if (good) {
        tell_beginning(server);
        loop(server);
        if (options->summary)
            offload_records_summary(&server->records, server->messages.welcome.machine, options->summary);
        good = !options->folder ||
               offload_records_save(&server->records, server->messages.welcome.machine, options->folder, error);
    }
    end(server);
    free(server);
    return good;
}
