/* SPDX-License-Identifier: BSD-3-Clause */
#include "guest_fifos.h"

#include <string.h>

#ifdef __arm__

int mnp_call_host(uint32_t number, const uint32_t *words)
{
    register uint32_t r0 __asm__("r0") = number;
    register const uint32_t *r1 __asm__("r1") = words;
#ifdef __thumb__
    __asm__ volatile("svc 0xab" : "+r"(r0) : "r"(r1) : "memory", "lr");
#else
    __asm__ volatile("svc 0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
#endif
    return (int)r0;
}

int mnp_host_open(const char *path, const char *end, uint32_t mode)
{
    char whole[256];
    size_t first = strlen(path), second = strlen(end);
    if (first + second >= sizeof whole)
        return -1;
    memcpy(whole, path, first);
    memcpy(whole + first, end, second + 1);
    const uint32_t words[3] = {(uint32_t)(uintptr_t)whole, mode, (uint32_t)(first + second)};
    return mnp_call_host(GUEST_SYS_OPEN, words);
}

/* ===== the channel ===== */

static int open_fifos(struct mnp_device *device, const char *where)
{
    const char *prefix = where + strlen("fifos:");
    if (device->files[0] <= 0) {
        device->files[0] = mnp_host_open(prefix, ".to-host", GUEST_OPEN_WRITE);
        device->files[1] = mnp_host_open(prefix, ".to-guest", GUEST_OPEN_READ);
    }
    return device->files[0] < 0 || device->files[1] < 0 ? MNP_NO_DEVICE : mnp_map_region(device);
}

static void close_fifos(struct mnp_device *device)
{
    for (int i = 0; i < 2; i++) {
        const uint32_t word = (uint32_t)device->files[i];
        if (device->files[i] > 0)
            mnp_call_host(GUEST_SYS_CLOSE, &word);
        device->files[i] = 0;
    }
}

static void hello_fifos(struct mnp_device *device, uint32_t sequence)
{
    device->sent = sequence; /* bytes are ours from this HELLO on */
    device->taken = 0;
}

static int send_fifos(struct mnp_device *device, const void *bytes, size_t count, uint32_t timeout)
{
    const uint32_t words[3] = {(uint32_t)device->files[0], (uint32_t)(uintptr_t)bytes, (uint32_t)count};
    (void)timeout; /* messages of ours fit into a FIFO, whose reader is always there */
    return mnp_call_host(GUEST_SYS_WRITE, words) == 0 ? 0 : MNP_GONE;
}

static int receive_fifos(struct mnp_device *device, void *bytes, size_t room, uint32_t timeout)
{
    const volatile uint32_t *ready = (const volatile uint32_t *)(void *)(device->region + MNP_OFFLOAD_READY);
    uint64_t until = device->channel->now() + timeout;
    for (;;) {
        uint32_t count = ready[0] == device->sent ? ready[1] - device->taken : 0;
        if (count) { /* never more than there is: a read that waits would stop all of QEMU */
            count = count < room ? count : (uint32_t)room;
            const uint32_t words[3] = {(uint32_t)device->files[1], (uint32_t)(uintptr_t)bytes, count};
            int left = mnp_call_host(GUEST_SYS_READ, words);
            if (left < 0 || left >= (int)count)
                return MNP_GONE;
            device->taken += count - (uint32_t)left;
            return (int)count - left;
        }
        if (device->channel->now() >= until)
            return MNP_TIMEOUT;
        device->channel->sleep(100000);
    }
}

static uint64_t now(void)
{
    return mnp_clock_now() / 1000000;
}

const struct mnp_channel mnp_fifos = {.open = open_fifos,
                                      .close = close_fifos,
                                      .send = send_fifos,
                                      .receive = receive_fifos,
                                      .now = now,
                                      .clock = mnp_clock_now,
                                      .sleep = mnp_sleep_for,
                                      .hello = hello_fifos};

#else
typedef int guest_fifos_are_for_arm;
#endif
