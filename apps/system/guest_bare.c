/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The guest library without an operating system, on QEMU's machine virt (highmem=off): the region is the memory of the
 * ivshmem device, which is looked for on the PCI bus and given an address there; control goes by semihosting
 * ("fifos:PREFIX"); the clock is the processor's generic timer. Addresses are those of QEMU's hw/arm/virt.c. The
 * program begins at bare_start in guest_bare_start.S. Memory is not cached here, so nothing may be unaligned.
 */
#include "guest_fifos.h"

#include <string.h>

enum {
    PCI_SLOTS = 32,
    PCI_BAR2 = 6, /* words of a device's configuration */
    PCI_COMMAND = 1,
    PCI_MEMORY = 2, /* a bit of the command: the device answers at its addresses */
    SYS_FLEN = 0x0C,
};
#define PCI_CONFIGURATION UINT32_C(0x3f000000) /* of 32 KiB for each slot of bus 0 */
#define PCI_WINDOW        UINT32_C(0x10000000) /* addresses for devices begin here, */
#define PCI_WINDOW_BYTES  UINT32_C(0x2eff0000)
#define IVSHMEM           UINT32_C(0x11101af4)

/* ===== what the compiler and guest.c take from a C library ===== */

void *memcpy(void *to, const void *from, size_t bytes)
{
    unsigned char *out = to;
    const unsigned char *in = from;
    if (((uintptr_t)out & 3) == ((uintptr_t)in & 3)) {
        for (; bytes && ((uintptr_t)out & 3); bytes--)
            *out++ = *in++;
        for (; bytes >= 4; bytes -= 4, out += 4, in += 4)
            *(volatile uint32_t *)(void *)out = *(const volatile uint32_t *)(const void *)in;
    }
    while (bytes--)
        *(volatile unsigned char *)out++ = *in++;
    return to;
}

void *memmove(void *to, const void *from, size_t bytes)
{
    volatile unsigned char *out = to;
    const unsigned char *in = from;
    if ((uintptr_t)to <= (uintptr_t)from)
        return memcpy(to, from, bytes);
    while (bytes--)
        out[bytes] = in[bytes];
    return to;
}

void *memset(void *to, int value, size_t bytes)
{
    volatile unsigned char *out = to;
    while (bytes--)
        *out++ = (unsigned char)value;
    return to;
}

int memcmp(const void *a, const void *b, size_t bytes)
{
    const unsigned char *left = a, *right = b;
    for (; bytes; bytes--, left++, right++)
        if (*left != *right)
            return *left < *right ? -1 : 1;
    return 0;
}

size_t strlen(const char *text)
{
    size_t length = 0;
    while (((const volatile char *)text)[length])
        length++;
    return length;
}

int strncmp(const char *a, const char *b, size_t most)
{
    for (; most && *a && *a == *b; most--)
        a++, b++;
    return most ? (unsigned char)*a - (unsigned char)*b : 0;
}

/* What the compiler's division by zero calls. */
int raise(int signal)
{
    (void)signal;
    for (;;)
        ;
}

/* ===== the clock ===== */

uint64_t mnp_clock_now(void)
{
    uint32_t hertz;
    uint64_t count;
    __asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hertz));
    __asm__ volatile("isb; mrrc p15, 1, %Q0, %R0, c14" : "=r"(count));
    return count / hertz * 1000000000u + count % hertz * 1000000000u / hertz;
}

void mnp_sleep_for(uint64_t nanoseconds)
{
    for (uint64_t until = mnp_clock_now() + nanoseconds; mnp_clock_now() < until;)
        ;
}

/* ===== the region ===== */

static volatile uint32_t *find_ivshmem(void)
{
    for (uint32_t slot = 0; slot < PCI_SLOTS; slot++) {
        volatile uint32_t *device = (volatile uint32_t *)(uintptr_t)(PCI_CONFIGURATION + slot * 32768);
        if (device[0] == IVSHMEM)
            return device;
    }
    return NULL;
}

int mnp_map_region(struct mnp_device *device)
{
    volatile uint32_t *found = device->region ? NULL : find_ivshmem();
    if (device->region)
        return 0;
    if (!found)
        return MNP_NO_DEVICE;
    found[PCI_BAR2] = UINT32_MAX; /* the bits that stay 0 are the size's */
    uint32_t bytes = ~(found[PCI_BAR2] & ~UINT32_C(15)) + 1;
    if (!bytes || bytes > PCI_WINDOW_BYTES)
        return MNP_NO_DEVICE;
    uint32_t at = (PCI_WINDOW + bytes - 1) / bytes * bytes;
    found[PCI_BAR2] = at;
    found[PCI_BAR2 + 1] = 0;
    found[PCI_COMMAND] |= PCI_MEMORY;
    device->region = (unsigned char *)(uintptr_t)at;
    device->region_bytes = bytes;
    return 0;
}

/* ===== what there is ===== */

const struct mnp_channel *mnp_channel_of(const char *where)
{
    return where && strncmp(where, "fifos:", 6) == 0 ? &mnp_fifos : NULL;
}

/* A file of the host's, by semihosting. */
void *mnp_load(struct mnp_device *device, const char *path, size_t *bytes)
{
    const uint32_t file = (uint32_t)mnp_host_open(path, "", GUEST_OPEN_READ);
    int length = (int)file < 0 ? -1 : mnp_call_host(SYS_FLEN, &file);
    void *memory = length > 0 ? mnp_alloc(device, (size_t)length) : NULL;
    const uint32_t words[3] = {file, (uint32_t)(uintptr_t)memory, (uint32_t)length};
    if (memory && mnp_call_host(GUEST_SYS_READ, words) != 0) {
        mnp_free(device, memory);
        memory = NULL;
    }
    if ((int)file >= 0)
        mnp_call_host(GUEST_SYS_CLOSE, &file);
    *bytes = memory ? (size_t)length : 0;
    return memory;
}
