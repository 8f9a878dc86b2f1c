/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL's collectives of halves over all GPUs of the machine, in one process: collectives TIMES NAME:BYTES..., with
 * all-reduce, all-gather, all-to-all, reduce-scatter or send-recv as NAME. BYTES are those of the largest buffer of a
 * rank, as nccl-tests counts them. A kernel holds the streams until all launches are queued, so that the host takes no
 * part in the time. Prints microseconds of an operation, and checks the answer on each rank. */
#include "check.h"

#include <cstring>
#include <cuda_fp16.h>
#include <nccl.h>

#define NCCL(call)                                                                                                     \
    do {                                                                                                               \
        ncclResult_t e = (call);                                                                                       \
        if (e) {                                                                                                       \
            printf("%s: %s\n", #call, ncclGetErrorString(e));                                                          \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { MOST = 16 };

/* Keeps a stream busy for so many cycles. */
__global__ void hold(long long cycles)
{
    long long begin = clock64();
    while (clock64() - begin < cycles)
        __nanosleep(100000);
}

struct rank {
    cudaStream_t stream;
    cudaEvent_t begin, end;
    ncclComm_t comm;
    __half *in, *out;
};

/* Element `i` of the input of a rank: a small number, so that sums are exact. */
static float input(int rank, size_t i)
{
    return (float)((i + 3 * rank) % 32);
}

static bool is(const char *name, const char *other)
{
    return !strcmp(name, other);
}

/* Elements of the input of a rank: BYTES are those of an all-gather's result. */
static size_t inputs(const char *name, size_t count, int ranks)
{
    return is(name, "all-gather") ? count / ranks : count;
}

static size_t outputs(const char *name, size_t count, int ranks)
{
    return is(name, "reduce-scatter") ? count / ranks : count;
}

static void call(const char *name, const rank &r, size_t count, int number, int ranks)
{
    size_t part = count / ranks;
    if (is(name, "all-reduce"))
        NCCL(ncclAllReduce(r.in, r.out, count, ncclHalf, ncclSum, r.comm, r.stream));
    else if (is(name, "all-gather"))
        NCCL(ncclAllGather(r.in, r.out, part, ncclHalf, r.comm, r.stream));
    else if (is(name, "reduce-scatter"))
        NCCL(ncclReduceScatter(r.in, r.out, part, ncclHalf, ncclSum, r.comm, r.stream));
    else if (is(name, "all-to-all"))
        for (int other = 0; other < ranks; other++) {
            NCCL(ncclSend(r.in + other * part, part, ncclHalf, other, r.comm, r.stream));
            NCCL(ncclRecv(r.out + other * part, part, ncclHalf, other, r.comm, r.stream));
        }
    else if (is(name, "send-recv")) {
        NCCL(ncclSend(r.in, count, ncclHalf, (number + 1) % ranks, r.comm, r.stream));
        NCCL(ncclRecv(r.out, count, ncclHalf, (number + ranks - 1) % ranks, r.comm, r.stream));
    } else {
        printf("unknown collective %s\n", name);
        exit(1);
    }
}

/* Element `i` of the answer of a rank. */
static float answer(const char *name, size_t count, int number, int ranks, size_t i)
{
    size_t part = count / ranks;
    if (is(name, "all-gather"))
        return input((int)(i / part), i % part);
    if (is(name, "all-to-all"))
        return input((int)(i / part), number * part + i % part);
    if (is(name, "send-recv"))
        return input((number + ranks - 1) % ranks, i);
    float sum = 0;
    for (int other = 0; other < ranks; other++)
        sum += input(other, is(name, "reduce-scatter") ? number * part + i : i);
    return sum;
}

static void prepare(rank &r, const char *name, size_t count, int number, int ranks)
{
    size_t in = inputs(name, count, ranks), out = outputs(name, count, ranks);
    __half *host = (__half *)malloc(2 * in);
    for (size_t i = 0; i < in; i++)
        host[i] = __float2half(input(number, i));
    CHECK(cudaSetDevice(number));
    CHECK(cudaMalloc(&r.in, 2 * in));
    CHECK(cudaMalloc(&r.out, 2 * out));
    CHECK(cudaMemset(r.out, 0, 2 * out));
    CHECK(cudaMemcpy(r.in, host, 2 * in, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&r.begin));
    CHECK(cudaEventCreate(&r.end));
    CHECK(cudaDeviceSynchronize());
    free(host);
}

static size_t wrong(const rank &r, const char *name, size_t count, int number, int ranks)
{
    size_t out = outputs(name, count, ranks), found = 0;
    __half *host = (__half *)malloc(2 * out);
    CHECK(cudaMemcpy(host, r.out, 2 * out, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < out; i++)
        found += __half2float(host[i]) != answer(name, count, number, ranks, i);
    free(host);
    return found;
}

/* Performs a collective once, and then `times` times, of which it prints the mean. Returns how many elements are wrong.
 * */
static size_t measure(rank *r, int ranks, const char *name, size_t count, int times)
{
    for (int d = 0; d < ranks; d++) {
        prepare(r[d], name, count, d, ranks);
        hold<<<1, 1, 0, r[d].stream>>>(500 * 1000);
    }
    for (int t = 0; t <= times; t++) {
        for (int d = 0; d < ranks && t == 1; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaEventRecord(r[d].begin, r[d].stream));
        }
        NCCL(ncclGroupStart());
        for (int d = 0; d < ranks; d++)
            call(name, r[d], count, d, ranks);
        NCCL(ncclGroupEnd());
    }
    for (int d = 0; d < ranks; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaEventRecord(r[d].end, r[d].stream));
    }
    float most = 0;
    size_t bad = 0;
    for (int d = 0; d < ranks; d++) {
        float ms;
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamSynchronize(r[d].stream));
        CHECK(cudaEventElapsedTime(&ms, r[d].begin, r[d].end));
        most = ms > most ? ms : most;
        bad += wrong(r[d], name, count, d, ranks);
    }
    printf("%s %zu bytes, %d GPUs: %.2f us, %zu wrong\n", name, 2 * count, ranks, 1000 * most / times, bad);
    fflush(stdout);
    return bad;
}

int main(int argc, char **argv)
{
    int times = argc > 1 ? atoi(argv[1]) : 1, ranks;
    size_t bad = 0;
    rank r[MOST];
    ncclComm_t comms[MOST];
    CHECK(cudaGetDeviceCount(&ranks));
    NCCL(ncclCommInitAll(comms, ranks, NULL));
    for (int d = 0; d < ranks; d++)
        r[d].comm = comms[d];
    for (int i = 2; i < argc; i++) {
        char name[32] = "";
        size_t bytes = 0;
        if (sscanf(argv[i], "%31[^:]:%zu", name, &bytes) != 2 || times < 1) {
            printf("usage: collectives TIMES NAME:BYTES...\n");
            return 2;
        }
        bad += measure(r, ranks, name, bytes / 2, times);
    }
    return bad != 0;
}
