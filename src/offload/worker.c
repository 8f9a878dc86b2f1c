/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/worker.h"

#include "base/allocate.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* ===== in the worker's process ===== */

static void pack(const struct offload_outcome *outcome, struct offload_answer *answer)
{
    struct mnp_offload_result result = outcome->result;
    const struct offload_text *texts[] = {&outcome->output, &outcome->statistics, &outcome->message};
    size_t at = sizeof result;
    result.output_bytes = (uint32_t)outcome->output.length;
    result.statistics_bytes = (uint32_t)outcome->statistics.length;
    result.message_bytes = (uint32_t)outcome->message.length;
    memcpy(answer->payload, &result, sizeof result);
    for (int i = 0; i < 3; i++) {
        if (texts[i]->length)
            memcpy(answer->payload + at, texts[i]->bytes, texts[i]->length);
        at += texts[i]->length;
    }
    answer->status = outcome->status;
    answer->length = (uint32_t)at;
}

/* Closes the server's descriptors, so that their peers notice when the server closes a connection. */
static void close_others(int *socket, struct offload_region *region)
{
    int kept = fcntl(*socket, F_DUPFD_CLOEXEC, 100), file = fcntl(region->descriptor, F_DUPFD_CLOEXEC, 100);
    close_range(STDERR_FILENO + 1, 99, 0);
    *socket = fcntl(kept, F_DUPFD_CLOEXEC, 3);
    region->descriptor = fcntl(file, F_DUPFD_CLOEXEC, 3);
    close_range(100, ~0u, 0);
}

/* Executes a launch of either kind. */
static void launch(const struct offload_machine *machine, const struct offload_region *region,
                   const struct offload_request *request, struct offload_outcome *outcome)
{
    *outcome = (struct offload_outcome){
        .output.room = OFFLOAD_TEXT_ROOM, .statistics.room = OFFLOAD_TEXT_ROOM, .message.room = OFFLOAD_MESSAGE_ROOM};
    if (request->launch.kind == MNP_OFFLOAD_ELF)
        offload_launch_elf(machine, region, request, outcome);
    else
        offload_launch_ptx(machine, region, request, outcome);
}

static void work(int socket, const struct offload_machine *machine, struct offload_region region)
{
    struct offload_request *request = mnp_allocate(1, sizeof *request);
    struct offload_answer *answer = mnp_allocate(1, sizeof *answer);
    struct offload_outcome outcome;
    sigset_t none;
    sigemptyset(&none);
    close_others(&socket, &region);
    /* A signal to the whole group of the server's, such as Ctrl-C, is the server's to react to. */
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_IGN);
    while (recv(socket, request, sizeof *request, 0) == (ssize_t)sizeof *request) {
        launch(machine, &region, request, &outcome);
        pack(&outcome, answer);
        offload_outcome_release(&outcome);
        size_t bytes = offsetof(struct offload_answer, payload) + answer->length;
        if (send(socket, answer, bytes, MSG_NOSIGNAL) != (ssize_t)bytes)
            break;
    }
    _exit(0);
}

/* ===== in the server ===== */

/* Removes files left by its runs, because a killed process cannot clean up. */
static void forget(struct offload_worker *worker)
{
    mnp_temporary_remove(worker->folder);
    *worker = (struct offload_worker){.socket = -1};
}

bool offload_worker_start(struct offload_worker *worker, const struct offload_machine *machine,
                          const struct offload_region *region, struct mnp_error *error)
{
    int pair[2], room = 4 * (int)sizeof(struct offload_answer);
    *worker = (struct offload_worker){.socket = -1};
    struct offload_machine own = *machine;
    if (machine->runs_kernels && !(worker->folder = mnp_temporary_folder("offload", error)))
        return false;
    own.folder = worker->folder;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
        mnp_fail(error, "a coprocessor cannot be started: %s", strerror(errno));
        forget(worker);
        return false;
    }
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    setsockopt(pair[1], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    pid_t server = getpid();
    worker->process = fork();
    if (worker->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == server)
            work(pair[1], &own, *region);
        _exit(0);
    }
    close(pair[1]);
    worker->socket = pair[0];
    if (worker->process > 0) {
        /* set by parent and child, because a kill may follow immediately and must find the process group */
        setpgid(worker->process, worker->process);
        return true;
    }
    mnp_fail(error, "a coprocessor cannot be started: %s", strerror(errno));
    close(pair[0]);
    forget(worker);
    return false;
}

void offload_worker_kill(struct offload_worker *worker)
{
    if (worker->process <= 0)
        return;
    kill(-worker->process, SIGKILL);
    kill(worker->process, SIGKILL);
    while (waitpid(worker->process, NULL, 0) < 0 && errno == EINTR)
        continue;
    close(worker->socket);
    forget(worker);
}

bool offload_worker_ask(struct offload_worker *worker, const struct offload_request *request)
{
    return send(worker->socket, request, sizeof *request, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof *request;
}

bool offload_worker_answer(struct offload_worker *worker, struct offload_answer *answer)
{
    ssize_t head = offsetof(struct offload_answer, payload), got = recv(worker->socket, answer, sizeof *answer, 0);
    return got >= head && answer->length == (uint32_t)(got - head);
}
