/* SPDX-License-Identifier: BSD-3-Clause */
#include "offload/clock.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { ANSWER_MS = 1000 };

void offload_clock_close(struct offload_clock *clock)
{
    if (clock->socket >= 0)
        close(clock->socket);
    clock->socket = -1;
}

/* Waits for a line with a word in it; lines about events pass by. False: QEMU has gone, or takes too long. */
static bool wait_for(const struct offload_clock *clock, const char *word)
{
    char text[4096];
    size_t used = 0;
    struct pollfd file = {clock->socket, POLLIN, 0};
    while (poll(&file, 1, ANSWER_MS) > 0) {
        if (used == sizeof text - 1)
            used = 0;
        ssize_t got = recv(clock->socket, text + used, sizeof text - 1 - used, 0);
        if (got <= 0)
            return false;
        used += (size_t)got;
        text[used] = 0;
        if (strstr(text, word))
            return true;
    }
    return false;
}

static bool command(const struct offload_clock *clock, const char *line)
{
    size_t length = strlen(line);
    return send(clock->socket, line, length, MSG_NOSIGNAL) == (ssize_t)length && wait_for(clock, "\"return\"");
}

static bool join(struct offload_clock *clock)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (clock->socket >= 0)
        return true;
    clock->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strncpy(address.sun_path, clock->path, sizeof address.sun_path - 1);
    if (clock->socket >= 0 && connect(clock->socket, (struct sockaddr *)&address, sizeof address) == 0 &&
        wait_for(clock, "QMP") && command(clock, "{\"execute\": \"qmp_capabilities\"}\n"))
        return true;
    offload_clock_close(clock);
    return false;
}

void offload_clock_set(struct offload_clock *clock, bool stopped)
{
    if (!clock->path || clock->stopped == stopped || !join(clock))
        return;
    if (command(clock, stopped ? "{\"execute\": \"stop\"}\n" : "{\"execute\": \"cont\"}\n"))
        clock->stopped = stopped;
    else
        offload_clock_close(clock);
}
