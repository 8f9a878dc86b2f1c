/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways from a Linux program to the host. What `where` may be, in the argument of mnp_open or in MANIPLE_DEVICE:
 *   port                    the virtio-serial port "maniple.ctl", data through ivshmem: what NULL means
 *   doorbell                ivshmem-doorbell: rings in the region, and a register that wakes the host
 *   fifos:PATH              semihosting (ARM under QEMU alone): the host's FIFOs PATH.to-host and PATH.to-guest
 *   local:SOCKET:FILE       on the host itself: the server's socket and its region
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* mremap */
#endif
#include "guest_fifos.h"
#include "maniple/guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ===== time ===== */

uint64_t mnp_clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t now(void)
{
    return mnp_clock_now() / 1000000;
}

void mnp_sleep_for(uint64_t nanoseconds)
{
    struct timespec time = {(time_t)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    while (nanosleep(&time, &time) != 0 && errno == EINTR)
        continue;
}

/* ===== finding devices ===== */

/* Whether a file of sysfs says this, on its only line. */
static int says(const char *folder, const char *device, const char *name, const char *text)
{
    char path[PATH_MAX], line[64] = "";
    snprintf(path, sizeof path, "%s/%s/%s", folder, device, name);
    FILE *file = fopen(path, "r");
    int got = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    line[strcspn(line, "\n")] = 0;
    return got && strcmp(line, text) == 0;
}

/* Opens the port of that name, which sysfs knows by its name, and /dev by its number. */
static int open_port(void)
{
    static const char folder[] = "/sys/class/virtio-ports";
    DIR *ports = opendir(folder);
    int file = -1;
    for (struct dirent *entry; ports && file < 0 && (entry = readdir(ports));) {
        char path[PATH_MAX];
        if (!says(folder, entry->d_name, "name", MNP_OFFLOAD_PORT))
            continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        file = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
    }
    if (ports)
        closedir(ports);
    return file;
}

/* Maps a part of the ivshmem device (1af4:1110): 0 its registers, 2 the region. NULL: there is none. */
static unsigned char *map_ivshmem(int resource, uint64_t *bytes)
{
    static const char folder[] = "/sys/bus/pci/devices";
    DIR *devices = opendir(folder);
    void *mapped = MAP_FAILED;
    for (struct dirent *entry; devices && mapped == MAP_FAILED && (entry = readdir(devices));) {
        char path[PATH_MAX];
        struct stat state;
        if (!says(folder, entry->d_name, "vendor", "0x1af4") || !says(folder, entry->d_name, "device", "0x1110"))
            continue;
        snprintf(path, sizeof path, "%s/%s/enable", folder, entry->d_name); /* nobody else drives it */
        int enable = open(path, O_WRONLY | O_CLOEXEC);
        if (enable >= 0 && write(enable, "1", 1) != 1)
            errno = 0;
        if (enable >= 0)
            close(enable);
        /* For resource2_wc the system would not cache reads either. */
        snprintf(path, sizeof path, "%s/%s/resource%d", folder, entry->d_name, resource);
        int file = open(path, O_RDWR | O_CLOEXEC);
        if (file >= 0 && fstat(file, &state) == 0 && state.st_size > 0) {
            *bytes = (uint64_t)state.st_size;
            mapped = mmap(NULL, (size_t)state.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        }
        if (file >= 0)
            close(file);
    }
    if (devices)
        closedir(devices);
    return mapped == MAP_FAILED ? NULL : mapped;
}

int mnp_map_region(struct mnp_device *device)
{
    if (!device->region)
        device->region = map_ivshmem(2, &device->region_bytes);
    return device->region ? 0 : MNP_NO_DEVICE;
}

/* ===== a stream that poll waits for: the port, or a socket ===== */

/* Without a signal where the other end has gone. */
static ssize_t put_some(int file, const char *bytes, size_t count)
{
    ssize_t put = send(file, bytes, count, MSG_NOSIGNAL);
    return put < 0 && errno == ENOTSOCK ? write(file, bytes, count) : put;
}

static int send_stream(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout)
{
    uint64_t until = now() + timeout;
    for (size_t done = 0; done < count;) {
        ssize_t put = put_some(device->files[0], (const char *)bytes + done, count - done);
        if (put > 0) {
            done += (size_t)put;
            continue;
        }
        if (put < 0 && errno != EAGAIN && errno != EINTR)
            return MNP_GONE;
        struct pollfd file = {device->files[0], POLLOUT, 0};
        int left = now() >= until ? 0 : (int)(until - now());
        if (left == 0)
            return MNP_TIMEOUT;
        if (poll(&file, 1, left) > 0 && file.revents & (POLLHUP | POLLERR))
            return MNP_GONE;
    }
    return 0;
}

static int receive_stream(struct mnp_device *device, void *bytes, size_t room, uint32_t timeout)
{
    struct pollfd file = {device->files[0], POLLIN, 0};
    int ready = poll(&file, 1, (int)timeout);
    if (ready < 0 && errno != EINTR)
        return MNP_GONE;
    if (ready <= 0)
        return MNP_TIMEOUT;
    ssize_t got = read(device->files[0], bytes, room);
    if (got > 0)
        return (int)got;
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? MNP_TIMEOUT : MNP_GONE;
}

static void close_stream(struct mnp_device *device)
{
    if (device->files[0] > 0)
        close(device->files[0]);
    device->files[0] = -1;
}

static int open_port_device(struct mnp_device *device, const char *where)
{
    (void)where;
    device->files[0] = open_port();
    return device->files[0] < 0 ? MNP_NO_DEVICE : mnp_map_region(device);
}

static const struct mnp_channel port = {.open = open_port_device,
                                        .close = close_stream,
                                        .send = send_stream,
                                        .receive = receive_stream,
                                        .now = now,
                                        .clock = mnp_clock_now,
                                        .sleep = mnp_sleep_for};

/* ===== on the host itself ===== */

static int map_file(struct mnp_device *device, const char *path)
{
    struct stat state;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0 || fstat(file, &state) != 0 || state.st_size < MNP_OFFLOAD_HEAD) {
        if (file >= 0)
            close(file);
        return MNP_NO_DEVICE;
    }
    void *mapped = mmap(NULL, (size_t)state.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapped == MAP_FAILED)
        return MNP_NO_MEMORY;
    if (device->region && device->region_bytes == (uint64_t)state.st_size) {
        /* At the same address: what the program holds pointers to. A server that made a new file is meant too. */
        void *moved =
            mremap(mapped, (size_t)state.st_size, (size_t)state.st_size, MREMAP_MAYMOVE | MREMAP_FIXED, device->region);
        return moved == MAP_FAILED ? MNP_NO_MEMORY : 0;
    }
    device->region = mapped;
    device->region_bytes = (uint64_t)state.st_size;
    return 0;
}

static int open_local(struct mnp_device *device, const char *where)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = where + strlen("local:"), *colon = strchr(path, ':');
    if (!colon || (size_t)(colon - path) >= sizeof address.sun_path)
        return MNP_NO_DEVICE;
    memcpy(address.sun_path, path, (size_t)(colon - path));
    int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    device->files[0] = file;
    if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0)
        return MNP_NO_DEVICE;
    return map_file(device, colon + 1);
}

static int send_local(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout)
{
    char byte; /* a socket tells at once that its other end has gone, and by no signal */
    if (recv(device->files[0], &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0)
        return MNP_GONE;
    return send_stream(device, bytes, count, timeout);
}

static const struct mnp_channel local = {.open = open_local,
                                         .close = close_stream,
                                         .send = send_local,
                                         .receive = receive_stream,
                                         .now = now,
                                         .clock = mnp_clock_now,
                                         .sleep = mnp_sleep_for};

/* ===== rings in the region, with a doorbell ===== */

enum { DOORBELL = 12 / 4, SPIN = 2000 };

static struct mnp_offload_ring *ring_of(struct mnp_device *device, uint32_t at)
{
    return (struct mnp_offload_ring *)(void *)(device->region + at);
}

static int open_doorbell(struct mnp_device *device, const char *where)
{
    uint64_t bytes;
    (void)where;
    int problem = mnp_map_region(device);
    if (!problem && !device->bell)
        device->bell = (volatile uint32_t *)(void *)map_ivshmem(0, &bytes);
    return problem ? problem : device->bell ? 0 : MNP_NO_DEVICE;
}

static void close_doorbell(struct mnp_device *device)
{
    (void)device;
}

/* A program before this one may have left something in the rings; only the counts can say where they are. */
static void hello_doorbell(struct mnp_device *device, uint32_t sequence)
{
    struct mnp_offload_ring *out = ring_of(device, MNP_OFFLOAD_TO_HOST), *in = ring_of(device, MNP_OFFLOAD_TO_GUEST);
    (void)sequence;
    device->sent = __atomic_load_n(&out->written, __ATOMIC_ACQUIRE);
    device->taken = __atomic_load_n(&in->written, __ATOMIC_ACQUIRE);
    __atomic_store_n(&in->taken, device->taken, __ATOMIC_RELEASE);
}

static int send_doorbell(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout)
{
    struct mnp_offload_ring *ring = ring_of(device, MNP_OFFLOAD_TO_HOST);
    uint64_t until = now() + timeout;
    for (size_t done = 0; done < count;) {
        uint32_t full = device->sent - __atomic_load_n(&ring->taken, __ATOMIC_ACQUIRE);
        size_t piece = full < MNP_OFFLOAD_RING_BYTES ? MNP_OFFLOAD_RING_BYTES - full : 0;
        uint32_t place = device->sent % MNP_OFFLOAD_RING_BYTES;
        piece = piece < count - done ? piece : count - done;
        piece = piece < MNP_OFFLOAD_RING_BYTES - place ? piece : MNP_OFFLOAD_RING_BYTES - place;
        memcpy(device->region + MNP_OFFLOAD_TO_HOST_BYTES + place, (const char *)bytes + done, piece);
        device->sent += (uint32_t)piece;
        done += piece;
        __atomic_store_n(&ring->written, device->sent, __ATOMIC_RELEASE);
        device->bell[DOORBELL] = 0; /* peer 0, vector 0 */
        if (!piece && now() >= until)
            return MNP_TIMEOUT;
    }
    return 0;
}

static int receive_doorbell(struct mnp_device *device, void *bytes, size_t room, uint32_t timeout)
{
    struct mnp_offload_ring *ring = ring_of(device, MNP_OFFLOAD_TO_GUEST);
    uint64_t until = now() + timeout;
    for (uint32_t turn = 0;; turn++) {
        uint32_t count = __atomic_load_n(&ring->written, __ATOMIC_ACQUIRE) - device->taken;
        uint32_t place = device->taken % MNP_OFFLOAD_RING_BYTES, most = MNP_OFFLOAD_RING_BYTES - place;
        if (count > MNP_OFFLOAD_RING_BYTES)
            return MNP_GONE;
        if (count) {
            count = count < most ? count : most;
            count = count < room ? count : (uint32_t)room;
            memcpy(bytes, device->region + MNP_OFFLOAD_TO_GUEST_BYTES + place, count);
            device->taken += count;
            __atomic_store_n(&ring->taken, device->taken, __ATOMIC_RELEASE);
            return (int)count;
        }
        if (turn > SPIN) { /* what takes long is not worth a processor */
            if (now() >= until)
                return MNP_TIMEOUT;
            mnp_sleep_for(100000);
        }
    }
}

static const struct mnp_channel doorbell = {.open = open_doorbell,
                                            .close = close_doorbell,
                                            .send = send_doorbell,
                                            .receive = receive_doorbell,
                                            .now = now,
                                            .clock = mnp_clock_now,
                                            .sleep = mnp_sleep_for,
                                            .hello = hello_doorbell};

/* ===== what there is ===== */

const struct mnp_channel *mnp_channel_of(const char *where)
{
    if (!where || strcmp(where, "port") == 0)
        return &port;
    if (strncmp(where, "local:", 6) == 0)
        return &local;
    if (strcmp(where, "doorbell") == 0)
        return &doorbell;
#ifdef __arm__
    if (strncmp(where, "fifos:", 6) == 0)
        return &mnp_fifos;
#endif
    return NULL;
}

void *mnp_load(struct mnp_device *device, const char *path, size_t *bytes)
{
    struct stat state;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *memory = file >= 0 && fstat(file, &state) == 0 ? mnp_alloc(device, (size_t)state.st_size) : NULL;
    size_t done = 0;
    ssize_t got = 1;
    for (; memory && got > 0 && done<(size_t)state.st_size; done += got> 0 ? (size_t)got : 0)
        got = read(file, (char *)memory + done, (size_t)state.st_size - done);
    if (file >= 0)
        close(file);
    if (memory && done < (size_t)state.st_size) {
        mnp_free(device, memory);
        memory = NULL;
    }
    *bytes = done;
    return memory;
}
