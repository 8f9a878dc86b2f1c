/* SPDX-License-Identifier: BSD-3-Clause */
/* NCCL's collectives over all GPUs of the machine, in one process: collectives TIMES NAME:BYTES[:int8]..., with
 * all-reduce, all-gather, all-to-all, reduce-scatter, send-recv or send (the first rank to the second) as NAME. Elements
 * are halves, or bytes with `int8`. BYTES are those of the largest buffer of a rank, as nccl-tests counts them. A kernel
 * holds the streams until all launches are queued, so that the host takes no part in the time. Prints microseconds of an
 * operation, and checks the answer on each rank. */
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
    char *in, *out;
};

/* One of the words of the command: a collective of `count` elements of `size` bytes over `ranks`. */
struct operation {
    char name[32];
    ncclDataType_t type;
    size_t size, count;
    int ranks;
};

/* Element `i` of the input of a rank: a small number, so that sums are exact. */
static float input(int rank, size_t i)
{
    return (float)((i + 3 * rank) % 32);
}

static bool is(const operation &o, const char *name)
{
    return !strcmp(o.name, name);
}

/* Elements of the input of a rank: BYTES are those of an all-gather's result. */
static size_t inputs(const operation &o)
{
    return is(o, "all-gather") ? o.count / o.ranks : o.count;
}

static size_t outputs(const operation &o)
{
    return is(o, "reduce-scatter") ? o.count / o.ranks : o.count;
}

static void store(const operation &o, void *array, size_t i, float value)
{
    if (o.type == ncclHalf)
        ((__half *)array)[i] = __float2half(value);
    else
        ((signed char *)array)[i] = (signed char)(int)value;
}

static void all_to_all(const operation &o, const rank &r)
{
    size_t part = o.count / o.ranks;
    for (int other = 0; other < o.ranks; other++) {
        NCCL(ncclSend(r.in + other * part * o.size, part, o.type, other, r.comm, r.stream));
        NCCL(ncclRecv(r.out + other * part * o.size, part, o.type, other, r.comm, r.stream));
    }
}

static void call(const operation &o, const rank &r, int number)
{
    bool both = is(o, "send-recv");
    if (is(o, "all-reduce"))
        NCCL(ncclAllReduce(r.in, r.out, o.count, o.type, ncclSum, r.comm, r.stream));
    else if (is(o, "all-gather"))
        NCCL(ncclAllGather(r.in, r.out, o.count / o.ranks, o.type, r.comm, r.stream));
    else if (is(o, "reduce-scatter"))
        NCCL(ncclReduceScatter(r.in, r.out, o.count / o.ranks, o.type, ncclSum, r.comm, r.stream));
    else if (is(o, "all-to-all"))
        all_to_all(o, r);
    else if (!both && !is(o, "send")) {
        printf("unknown collective %s\n", o.name);
        exit(1);
    }
    if (both || (is(o, "send") && number == 0))
        NCCL(ncclSend(r.in, o.count, o.type, (number + 1) % o.ranks, r.comm, r.stream));
    if (both || (is(o, "send") && number == 1))
        NCCL(ncclRecv(r.out, o.count, o.type, (number + o.ranks - 1) % o.ranks, r.comm, r.stream));
}

/* Element `i` of the answer of a rank. */
static float answer(const operation &o, int number, size_t i)
{
    size_t part = o.count / o.ranks;
    if (is(o, "all-gather"))
        return input((int)(i / part), i % part);
    if (is(o, "all-to-all"))
        return input((int)(i / part), number * part + i % part);
    if (is(o, "send") && number != 1)
        return 0;
    if (is(o, "send-recv") || is(o, "send"))
        return input((number + o.ranks - 1) % o.ranks, i);
    float sum = 0;
    for (int other = 0; other < o.ranks; other++)
        sum += input(other, is(o, "reduce-scatter") ? number * part + i : i);
    return sum;
}

static void prepare(rank &r, const operation &o, int number)
{
    size_t in = inputs(o);
    void *host = malloc(o.size * in);
    for (size_t i = 0; i < in; i++)
        store(o, host, i, input(number, i));
    CHECK(cudaSetDevice(number));
    CHECK(cudaMalloc(&r.in, o.size * in));
    CHECK(cudaMalloc(&r.out, o.size * outputs(o)));
    CHECK(cudaMemset(r.out, 0, o.size * outputs(o)));
    CHECK(cudaMemcpy(r.in, host, o.size * in, cudaMemcpyHostToDevice));
    CHECK(cudaStreamCreateWithFlags(&r.stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&r.begin));
    CHECK(cudaEventCreate(&r.end));
    CHECK(cudaDeviceSynchronize());
    free(host);
}

static size_t wrong(const rank &r, const operation &o, int number)
{
    size_t out = outputs(o), found = 0;
    char *host = (char *)malloc(o.size * out), right[2];
    CHECK(cudaMemcpy(host, r.out, o.size * out, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < out; i++) {
        store(o, right, 0, answer(o, number, i));
        found += memcmp(host + o.size * i, right, o.size) != 0;
    }
    free(host);
    return found;
}

/* Milliseconds between two events with nothing between them, which a time between events has beside what it is of. */
static float between_events(rank &r)
{
    float ms;
    hold<<<1, 1, 0, r.stream>>>(20 * 1000);
    CHECK(cudaEventRecord(r.begin, r.stream));
    CHECK(cudaEventRecord(r.end, r.stream));
    CHECK(cudaStreamSynchronize(r.stream));
    CHECK(cudaEventElapsedTime(&ms, r.begin, r.end));
    return ms;
}

/* Performs a collective once, and then `times` times, of which it prints the mean. Returns how many elements are wrong.
 * */
static size_t measure(rank *r, const operation &o, int times)
{
    for (int d = 0; d < o.ranks; d++) {
        prepare(r[d], o, d);
        hold<<<1, 1, 0, r[d].stream>>>(500 * 1000);
    }
    for (int t = 0; t <= times; t++) {
        for (int d = 0; d < o.ranks && t == 1; d++) {
            CHECK(cudaSetDevice(d));
            CHECK(cudaEventRecord(r[d].begin, r[d].stream));
        }
        NCCL(ncclGroupStart());
        for (int d = 0; d < o.ranks; d++)
            call(o, r[d], d);
        NCCL(ncclGroupEnd());
    }
    for (int d = 0; d < o.ranks; d++) {
        CHECK(cudaSetDevice(d));
        CHECK(cudaEventRecord(r[d].end, r[d].stream));
    }
    float most = 0, none;
    size_t bad = 0;
    for (int d = 0; d < o.ranks; d++) {
        float ms;
        CHECK(cudaSetDevice(d));
        CHECK(cudaStreamSynchronize(r[d].stream));
        CHECK(cudaEventElapsedTime(&ms, r[d].begin, r[d].end));
        none = between_events(r[d]);
        most = ms - none > most ? ms - none : most;
        bad += wrong(r[d], o, d);
    }
    printf("%s %zu bytes%s, %d GPUs: %.2f us, %zu wrong\n", o.name, o.size * o.count, o.size == 1 ? " of int8" : "",
           o.ranks, 1000 * most / times, bad);
    fflush(stdout);
    return bad;
}

/* Reads NAME:BYTES[:int8]. */
static bool read_operation(const char *word, operation &o)
{
    size_t bytes = 0;
    char type[8] = "half";
    bool good = sscanf(word, "%31[^:]:%zu:%7s", o.name, &bytes, type) >= 2;
    o.size = strcmp(type, "int8") ? 2 : 1;
    o.type = o.size == 2 ? ncclHalf : ncclInt8;
    o.count = bytes / o.size;
    return good && (o.size == 1 || !strcmp(type, "half"));
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
        operation o = {};
        o.ranks = ranks;
        if (!read_operation(argv[i], o) || times < 1) {
            printf("usage: collectives TIMES NAME:BYTES[:int8]...\n");
            return 2;
        }
        bad += measure(r, o, times);
    }
    return bad != 0;
}
