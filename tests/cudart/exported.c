/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two processes that share events (cuIpcGetEventHandle) and memory by descriptors of files
 * (cuMemExportToShareableHandle), and check their answers. Usage: exported
 * memory|places|events|late|hang|wrong|refused
 */
#include "maniple/driver.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    GRANULE = 2 << 20,
    WORDS = GRANULE / 4,
    ROUNDS = 40,
    DESCRIPTOR = 1,
    SHARED = 6 /* interprocess, without time */
};

struct handle {
    char bytes[64];
};

struct properties { /* CUmemAllocationProp */
    int type, handle_types, place, device;
    void *windows;
    unsigned char flags[8];
};

struct access { /* CUmemAccessDesc */
    int place, device, flags;
};

CUresult cuIpcGetEventHandle(struct handle *handle, CUevent event);
CUresult cuIpcOpenEventHandle(CUevent *event, struct handle handle);
CUresult cuMemAddressReserve(CUdeviceptr *out, size_t bytes, size_t alignment, CUdeviceptr wish,
                             unsigned long long flags);
CUresult cuMemCreate(uint64_t *handle, size_t bytes, const struct properties *p, unsigned long long flags);
CUresult cuMemRelease(uint64_t handle);
CUresult cuMemMap(CUdeviceptr address, size_t bytes, size_t offset, uint64_t handle, unsigned long long flags);
CUresult cuMemUnmap(CUdeviceptr address, size_t bytes);
CUresult cuMemSetAccess(CUdeviceptr address, size_t bytes, const struct access *access, size_t count);
CUresult cuMemExportToShareableHandle(void *out, uint64_t handle, int type, unsigned long long flags);
CUresult cuMemImportFromShareableHandle(uint64_t *handle, void *from, int type);
CUresult cuMemRetainAllocationHandle(uint64_t *handle, void *address);

enum { HANG = 702 };

/* await: until word[0] is not 0. */
static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                           ".visible .entry await(.param .u64 word) {\n"
                           ".reg .pred %p; .reg .b32 %v; .reg .b64 %a;\n"
                           "ld.param.u64 %a, [word];\n"
                           "wait: ld.volatile.global.u32 %v, [%a]; setp.eq.u32 %p, %v, 0; @%p bra wait;\n"
                           "ret; }\n";

static unsigned rank;
static int line; /* to the other process */

static void expect(CUresult got, CUresult wanted, const char *what)
{
    if (got == wanted)
        return;
    printf("rank %u: %s: %d, not %d\n", rank, what, (int)got, (int)wanted);
    exit(1);
}

#define OK(call)          expect(call, CUDA_SUCCESS, #call)
#define FAILS(call, code) expect(call, (CUresult)(code), #call)

static void demand(bool good, const char *what)
{
    expect((CUresult)!good, CUDA_SUCCESS, what);
}

/* What both have, changes hands. */
static void swap(const void *give, void *take, size_t bytes)
{
    demand(write(line, give, bytes) == (ssize_t)bytes && read(line, take, bytes) == (ssize_t)bytes,
           "the other process");
}

static void barrier(void)
{
    char word = 1;
    swap(&word, &word, 1);
}

static void send_file(int file)
{
    char byte = 1, control[CMSG_SPACE(sizeof file)] = {0};
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    *head = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof file), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(head), &file, sizeof file);
    demand(sendmsg(line, &message, 0) == 1, "sendmsg");
}

static int receive_file(void)
{
    int file;
    char byte, control[CMSG_SPACE(sizeof file)];
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    demand(recvmsg(line, &message, 0) == 1 && CMSG_FIRSTHDR(&message), "recvmsg");
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

static CUdeviceptr map(uint64_t piece, size_t bytes)
{
    const struct access both[] = {{1, 0, 3}, {1, 1, 3}};
    CUdeviceptr address;
    OK(cuMemAddressReserve(&address, bytes, 0, 0, 0));
    OK(cuMemMap(address, bytes, 0, piece, 0));
    OK(cuMemSetAccess(address, bytes, both, 2));
    return address;
}

static uint64_t create(size_t bytes)
{
    const struct properties shareable = {.type = 1, .handle_types = DESCRIPTOR, .place = 1, .device = (int)rank};
    uint64_t piece;
    OK(cuMemCreate(&piece, bytes, &shareable, 0));
    return piece;
}

static uint64_t import(int file)
{
    uint64_t piece;
    OK(cuMemImportFromShareableHandle(&piece, (void *)(intptr_t)file, DESCRIPTOR));
    close(file);
    return piece;
}

static void check(CUdeviceptr address, unsigned first, unsigned last, const char *what)
{
    unsigned words[2];
    OK(cuMemcpyDtoH(&words[0], address, 4));
    OK(cuMemcpyDtoH(&words[1], address + GRANULE - 4, 4));
    if (words[0] == first && words[1] == last)
        return;
    printf("rank %u: %s: %u and %u, not %u and %u\n", rank, what, words[0], words[1], first, last);
    exit(1);
}

/* Memory of rank 0 and of rank 1, in both processes. */
static void memory(void)
{
    int file;
    uint64_t mine = create(GRANULE), other;
    CUdeviceptr here = map(mine, GRANULE), there;
    OK(cuMemExportToShareableHandle(&file, mine, DESCRIPTOR, 0));
    send_file(file);
    close(file);
    other = import(receive_file());
    there = map(other, GRANULE);
    OK(cuMemsetD32(here, 100 + rank, WORDS));
    OK(cuCtxSynchronize());
    barrier();
    check(there, 101 - rank, 101 - rank, "memory of the other process");
    barrier();
    OK(cuMemsetD32(there + GRANULE - 4, 7 + rank, 1));
    OK(cuCtxSynchronize());
    barrier();
    check(here, 100 + rank, 8 - rank, "own memory, which the other process has written to");
    barrier();
    OK(cuMemRelease(mine)); /* it stays where it is mapped, here and there */
    OK(cuMemUnmap(here, GRANULE));
    barrier();
    check(there, 101 - rank, 7 + rank, "memory that its own process has given up");
    OK(cuMemRelease(other));
    OK(cuMemUnmap(there, GRANULE));
    barrier();
}

/* One piece at two places of a process, and a part of the range for other memory afterwards. */
static void places(void)
{
    int file;
    uint64_t piece = create(2 * GRANULE), again, plain;
    CUdeviceptr first = map(piece, 2 * GRANULE), second = map(piece, 2 * GRANULE), third;
    OK(cuMemsetD32(first, 11, 2 * WORDS));
    check(second, 11, 11, "the second place");
    OK(cuMemsetD32(second + GRANULE, 12, WORDS));
    check(first + GRANULE, 12, 12, "the first place");
    OK(cuMemRetainAllocationHandle(&again, (void *)second));
    demand(again == piece, "the handle of what stands at an address");
    OK(cuMemRelease(again));
    OK(cuMemUnmap(first, 2 * GRANULE));
    check(second + GRANULE, 12, 12, "the place that is left");
    const struct properties own = {.type = 1, .place = 1, .device = (int)rank};
    const struct access both[] = {{1, 0, 3}, {1, 1, 3}};
    OK(cuMemCreate(&plain, 2 * GRANULE, &own, 0)); /* other memory where the first place was */
    OK(cuMemMap(first, 2 * GRANULE, 0, plain, 0));
    OK(cuMemSetAccess(first, 2 * GRANULE, both, 2));
    OK(cuMemsetD32(first, 13, 2 * WORDS));
    check(second, 11, 11, "a place beside other memory");
    OK(cuMemExportToShareableHandle(&file, piece, DESCRIPTOR, 0));
    third = map(import(dup(file)), 2 * GRANULE);
    check(third + GRANULE, 12, 12, "own memory, imported");
    FAILS(cuMemExportToShareableHandle(&file, plain, DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE);
}

/* Streams of both take turns by events of the other: each adds up what the other has written. */
static void events(void)
{
    int file;
    struct handle handle;
    CUevent mine, other;
    CUstream stream;
    uint64_t piece = rank ? 0 : create(GRANULE);
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&mine, SHARED));
    OK(cuIpcGetEventHandle(&handle, mine));
    FAILS(cuIpcOpenEventHandle(&other, handle), 201);
    swap(&handle, &handle, sizeof handle);
    OK(cuIpcOpenEventHandle(&other, handle));
    OK(cuEventQuery(other)); /* never recorded */
    if (!rank) {
        OK(cuMemExportToShareableHandle(&file, piece, DESCRIPTOR, 0));
        send_file(file);
    } else {
        piece = import(receive_file());
    }
    CUdeviceptr word = map(piece, GRANULE);
    barrier();
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (rank == i % 2) { /* writes, and records */
            OK(cuMemsetD32Async(word, i + 1, 1, stream));
            OK(cuEventRecord(mine, stream));
            barrier();
        } else { /* waits: by the stream, or by the host */
            unsigned seen;
            barrier();
            if (i % 4 < 2) {
                OK(cuStreamWaitEvent(stream, other, 0));
                OK(cuStreamSynchronize(stream));
            } else {
                OK(cuEventSynchronize(other));
                OK(cuEventQuery(other));
            }
            OK(cuMemcpyDtoH(&seen, word, 4));
            demand(seen == i + 1, "the word behind the other process's record");
        }
        barrier();
    }
    OK(cuEventDestroy(other));
    OK(cuEventDestroy(mine));
}

/* The stream of rank 1 waits in a kernel until a word is set, writes another one, and records. Rank 0 waits for that:
 * blocked before it sets the word, ready behind. `hang`: it never does. */
static void late(bool hang)
{
    struct handle handle;
    CUevent mine, other, end;
    CUstream stream, side;
    CUmodule module;
    CUfunction await;
    int file;
    uint64_t piece = rank ? 0 : create(GRANULE);
    if (!rank) {
        OK(cuMemExportToShareableHandle(&file, piece, DESCRIPTOR, 0));
        send_file(file);
    } else {
        piece = import(receive_file());
    }
    CUdeviceptr word = map(piece, GRANULE);
    OK(cuModuleLoadData(&module, text));
    OK(cuModuleGetFunction(&await, module, "await"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&side, CU_STREAM_NON_BLOCKING));
    OK(cuEventCreate(&mine, SHARED));
    OK(cuEventCreate(&end, 2));
    OK(cuIpcGetEventHandle(&handle, mine));
    swap(&handle, &handle, sizeof handle);
    OK(cuIpcOpenEventHandle(&other, handle));
    if (rank) {
        OK(cuLaunchKernel(await, 1, 1, 1, 1, 1, 1, 0, stream, (void *[]){&word}, NULL));
        OK(cuMemsetD32Async(word + GRANULE - 4, 5, 1, stream));
        OK(cuEventRecord(mine, stream));
    }
    barrier();
    if (rank) {
        FAILS(cuStreamSynchronize(stream), hang ? HANG : 0);
        return;
    }
    OK(cuStreamWaitEvent(stream, other, 0));
    OK(cuEventRecord(end, stream));
    for (int i = 0; i < 5; i++)
        FAILS(cuEventQuery(end), CUDA_ERROR_NOT_READY);
    FAILS(cuEventQuery(other), CUDA_ERROR_NOT_READY);
    if (!hang) {
        OK(cuMemsetD32Async(word, 1, 1, side));
        OK(cuStreamSynchronize(side));
    }
    FAILS(cuEventSynchronize(end), hang ? HANG : 0);
    if (!hang)
        check(word, 1, 5, "what was written before the record");
}

static void wrong(void)
{
    struct handle handle;
    CUevent event, plain;
    uint64_t piece = create(GRANULE), got;
    int file = open("/dev/null", O_RDONLY), strange = open("/proc/self/exe", O_RDONLY);
    OK(cuEventCreate(&plain, 2));
    FAILS(cuIpcGetEventHandle(&handle, plain), 400);
    FAILS(cuEventCreate(&event, 4), 1);
    memset(&handle, 0xff, sizeof handle);
    FAILS(cuIpcOpenEventHandle(&event, handle), 1);
    memset(&handle, 0, sizeof handle);
    FAILS(cuIpcOpenEventHandle(&event, handle), 1);
    FAILS(cuMemImportFromShareableHandle(&got, (void *)(intptr_t)file, DESCRIPTOR), 1);
    FAILS(cuMemImportFromShareableHandle(&got, (void *)(intptr_t)strange, DESCRIPTOR), 1);
    FAILS(cuMemImportFromShareableHandle(&got, (void *)(intptr_t)-1, DESCRIPTOR), 1);
    FAILS(cuMemExportToShareableHandle(&file, piece, 8, 0), 801);
    FAILS(cuMemExportToShareableHandle(&file, piece + 99, DESCRIPTOR, 0), 1);
    FAILS(cuMemExportToShareableHandle(NULL, piece, DESCRIPTOR, 0), 1);
}

/* What is refused: the error alone, as the message names the function. */
static void refused(void)
{
    struct handle handle;
    CUevent event;
    int file;
    uint64_t piece = create(GRANULE), got;
    OK(cuEventCreate(&event, SHARED));
    FAILS(cuIpcGetEventHandle(&handle, event), 801);
    FAILS(cuMemExportToShareableHandle(&file, piece, DESCRIPTOR, 0), 801);
    FAILS(cuMemImportFromShareableHandle(&got, (void *)(intptr_t)0, DESCRIPTOR), 801);
}

static int run(const char *part)
{
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, (int)rank));
    OK(cuCtxSetCurrent(context));
    if (!strcmp(part, "memory"))
        memory();
    else if (!strcmp(part, "places"))
        places();
    else if (!strcmp(part, "events"))
        events();
    else if (!strcmp(part, "late") || !strcmp(part, "hang"))
        late(!strcmp(part, "hang"));
    else if (!strcmp(part, "wrong"))
        wrong();
    else if (!strcmp(part, "refused"))
        refused();
    else
        return 2;
    puts("right");
    return 0;
}

int main(int argc, char **argv)
{
    int lines[2], status = 0, failed = 0;
    pid_t children[2];
    if (argc != 2 || socketpair(AF_UNIX, SOCK_STREAM, 0, lines) != 0)
        return 2;
    if (!strcmp(argv[1], "refused"))
        return run(argv[1]);
    for (rank = 0; rank < 2; rank++) {
        children[rank] = fork();
        if (children[rank] == 0) {
            line = lines[rank];
            close(lines[1 - rank]);
            setenv("RANK", rank ? "1" : "0", 1);
            exit(run(argv[1]));
        }
    }
    close(lines[0]);
    close(lines[1]);
    for (int i = 0; i < 2; i++) {
        waitpid(children[i], &status, 0);
        if (WIFEXITED(status) && WEXITSTATUS(status) > failed)
            failed = WEXITSTATUS(status);
    }
    return failed;
}
