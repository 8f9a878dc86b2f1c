/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A CUDA program in C, whose device code is PTX text in a fat binary made here: no nvcc is needed. Each part checks
 * what streams, events, copies and kernels do in simulated time against what host.* of the machine and the order of
 * streams make of it, and prints the times. `timing PART`; status 0: right.
 */
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t stream_t, event_t;
struct dim3 {
    unsigned x, y, z;
};
enum { UP = 1, DOWN = 2, INSIDE = 3 };

extern void **__cudaRegisterFatBinary(void *wrapper);
extern void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit,
                                   void *thread, void *block, void *block_size, void *grid_size, int *warp);
extern int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments, size_t shared,
                            stream_t stream);
extern int cudaMalloc(void **out, size_t bytes), cudaMallocHost(void **out, size_t bytes), cudaFree(void *address);
extern int cudaMallocAsync(void **out, size_t bytes, stream_t stream), cudaFreeAsync(void *address, stream_t stream);
extern int cudaMallocManaged(void **out, size_t bytes, unsigned flags);
extern int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
extern int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, stream_t stream);
extern int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                        int kind);
extern int cudaMemsetAsync(void *address, int value, size_t bytes, stream_t stream);
extern int cudaStreamCreateWithFlags(stream_t *out, unsigned flags), cudaStreamSynchronize(stream_t stream);
extern int cudaStreamQuery(stream_t stream), cudaStreamWaitEvent(stream_t stream, event_t event, unsigned flags);
extern int cudaStreamDestroy(stream_t stream), cudaDeviceSynchronize(void), cudaDeviceReset(void);
extern int cudaEventCreate(event_t *out), cudaEventRecord(event_t event, stream_t stream);
extern int cudaEventQuery(event_t event), cudaEventSynchronize(event_t event);
extern int cudaEventElapsedTime(float *milliseconds, event_t begin, event_t end);
extern int cudaLaunchHostFunc(stream_t stream, void (*function)(void *), void *data);
extern int cudaGetLastError(void);

static const char text[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    /* out[0] = rounds, after so many dependent additions */
    ".visible .entry spin(.param .u64 out, .param .u32 rounds)\n{\n"
    "  .reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [out]; ld.param.u32 %r1, [rounds]; mov.u32 %r2, 0;\n"
    "again:\n  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, %r1; @%p1 bra again;\n"
    "  st.global.u32 [%d1], %r2; ret;\n}\n"
    /* values[i] += by */
    ".visible .entry raise(.param .u64 values, .param .u32 by)\n{\n"
    "  .reg .u32 %r<6>; .reg .u64 %d<4>;\n"
    "  ld.param.u64 %d1, [values]; ld.param.u32 %r1, [by];\n"
    "  mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mad.lo.u32 %r2, %r3, %r4, %r2;\n"
    "  mul.wide.u32 %d2, %r2, 4; add.u64 %d3, %d1, %d2;\n"
    "  ld.global.u32 %r5, [%d3]; add.u32 %r5, %r5, %r1; st.global.u32 [%d3], %r5; ret;\n}\n"
    /* for a second warp that does not exist */
    ".visible .entry hang(.param .u64 unused)\n{\n  bar.sync 0, 64; ret;\n}\n"
    /* until somebody else writes to flag[0] */
    ".visible .entry await(.param .u64 flag)\n{\n"
    "  .reg .u32 %r<2>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [flag];\n"
    "again:\n  ld.volatile.global.u32 %r1, [%d1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra again;\n  ret;\n}\n"
    /* a lock that is never given back: takes it by compare-and-swap, exchange, an addition of 0, or 0 by "or" with a
     * store of the value that is there; the latter two find it taken */
    ".visible .entry lock(.param .u64 word, .param .u32 how)\n{\n"
    "  .reg .u32 %r<3>; .reg .u64 %d<2>; .reg .pred %p<6>;\n"
    "  ld.param.u64 %d1, [word]; ld.param.u32 %r1, [how];\n"
    "  setp.eq.u32 %p1, %r1, 0; setp.eq.u32 %p2, %r1, 1; setp.eq.u32 %p3, %r1, 2; setp.eq.u32 %p4, %r1, 3;\n"
    "again:\n  @%p1 atom.global.cas.b32 %r2, [%d1], 0, 1; @%p2 atom.global.exch.b32 %r2, [%d1], 1;\n"
    "  @%p3 atom.global.add.u32 %r2, [%d1], 0; @%p4 atom.global.or.b32 %r2, [%d1], 0;\n"
    "  @%p4 st.volatile.global.u32 [%d1+4], 7; setp.ne.u32 %p5, %r2, 0; @%p5 bra again;\n  ret;\n}\n"
    /* polls a hundred times, then adds one to the word, twenty times: slow, and yet progress */
    ".visible .entry slow(.param .u64 word)\n{\n"
    "  .reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [word]; mov.u32 %r2, 0;\n"
    "outer:\n  mov.u32 %r3, 0;\n"
    "inner:\n  atom.global.cas.b32 %r1, [%d1+4], 1, 2; add.u32 %r3, %r3, 1; add.u32 %r3, %r3, %r1;\n"
    "  setp.lt.u32 %p1, %r3, 100; @%p1 bra inner;\n  red.global.add.u32 [%d1], 1;\n"
    "  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 20; @%p1 bra outer;\n  ret;\n}\n"
    /* between three polls a delay of 20,000 rounds */
    ".visible .entry back_off(.param .u64 word)\n{\n"
    "  .reg .u32 %r<4>; .reg .u64 %d<2>; .reg .pred %p<2>;\n"
    "  ld.param.u64 %d1, [word]; mov.u32 %r2, 0;\n"
    "outer:\n  mov.u32 %r3, 0; atom.global.cas.b32 %r1, [%d1], 1, 2;\n"
    "inner:\n  add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 20000; @%p1 bra inner;\n"
    "  add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 3; @%p1 bra outer;\n  ret;\n}\n"
    ".visible .entry nothing(.param .u64 unused)\n{\n  ret;\n}\n";

/* What stands for the kernels. */
static char spin_stub, raise_stub, hang_stub, await_stub, nothing_stub, lock_stub, slow_stub, back_off_stub;
static int wrong;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("%s:%d: %s\n", __func__, __LINE__, #condition);                                                     \
            wrong = 1;                                                                                                 \
        }                                                                                                              \
    } while (0)
#define OK(call) CHECK((call) == 0)

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* A container of one plain PTX text, as nvcc makes it, and its registration. */
static void load(void)
{
    size_t bytes = (sizeof text + 7) / 8 * 8;
    unsigned char *made = calloc(1, 16 + 64 + bytes), *entry = made + 16;
    struct {
        uint32_t magic, version;
        const void *container, *more;
    } *wrapper = calloc(1, sizeof *wrapper);
    put(made, 0xba55ed50, 4);
    put(made + 4, 1, 2);
    put(made + 6, 16, 2);
    put(made + 8, 64 + bytes, 8);
    put(entry, 1, 2);
    put(entry + 2, 0x101, 2);
    put(entry + 4, 64, 4);
    put(entry + 8, bytes, 8);
    put(entry + 28, 70, 4);
    memcpy(entry + 64, text, sizeof text);
    wrapper->magic = 0x466243b1;
    wrapper->version = 1;
    wrapper->container = made;
    void **handle = __cudaRegisterFatBinary(wrapper);
    __cudaRegisterFunction(handle, &spin_stub, NULL, "spin", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &raise_stub, NULL, "raise", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &hang_stub, NULL, "hang", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &await_stub, NULL, "await", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &lock_stub, NULL, "lock", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &slow_stub, NULL, "slow", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &back_off_stub, NULL, "back_off", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(handle, &nothing_stub, NULL, "nothing", -1, NULL, NULL, NULL, NULL, NULL);
}

static void launch(const void *kernel, unsigned blocks, unsigned threads, void *memory, unsigned number,
                   stream_t stream)
{
    void *arguments[] = {&memory, &number};
    struct dim3 grid = {blocks, 1, 1}, block = {threads, 1, 1};
    OK(cudaLaunchKernel(kernel, grid, block, arguments, 0, stream));
}

static stream_t new_stream(unsigned flags)
{
    stream_t stream = 0;
    OK(cudaStreamCreateWithFlags(&stream, flags));
    return stream;
}

static event_t mark(stream_t stream)
{
    event_t event = 0;
    OK(cudaEventCreate(&event));
    OK(cudaEventRecord(event, stream));
    return event;
}

static long nanoseconds(event_t from, event_t to)
{
    float milliseconds = -1;
    OK(cudaEventElapsedTime(&milliseconds, from, to));
    return (long)((double)milliseconds * 1e6 + (milliseconds < 0 ? -0.5 : 0.5));
}

static void *device(size_t bytes)
{
    void *memory = NULL;
    OK(cudaMalloc(&memory, bytes));
    return memory;
}

static void *pinned(size_t bytes)
{
    void *memory = NULL;
    OK(cudaMallocHost(&memory, bytes));
    return memory;
}

/* ===== parts ===== */

/* The script compares the times with the kernels' cycles. */
static void events(void)
{
    unsigned *out = device(4);
    event_t at[4];
    for (unsigned i = 0; i < 4; i++) {
        launch(&spin_stub, 1, 32, out, 20000 + 5000 * i, 0); /* the first is still running when the last is given */
        at[i] = mark(0);
    }
    OK(cudaEventSynchronize(at[3]));
    printf("events %ld %ld %ld\n", nanoseconds(at[0], at[1]), nanoseconds(at[1], at[2]), nanoseconds(at[2], at[3]));
}

enum { MEGA = 1600000 /* bytes that take 100 us */, COPY = 5000 + 100000 /* ns, with the latency */ };

/* With host.copy.latency 5000 ns and host.copy.rate 16000 MB/s, their defaults. A kernel runs all the time: the
 * device's clock goes in epochs, which must not show. */
static void copies(void)
{
    char *to[3] = {device(MEGA), device(MEGA), device(MEGA)}, *host[3] = {pinned(MEGA), pinned(MEGA), pinned(MEGA)};
    stream_t s[4] = {new_stream(1), new_stream(1), new_stream(1), new_stream(1)};
    memset(host[0], 7, MEGA);
    event_t begin = mark(s[3]);
    launch(&spin_stub, 1, 32, to[2], 25000, s[3]);
    event_t end = mark(s[3]);
    event_t given = mark(s[0]);
    OK(cudaMemcpyAsync(to[0], host[0], MEGA, UP, s[0])); /* given 1 us later */
    event_t first = mark(s[0]);
    OK(cudaMemcpyAsync(to[1], host[1], MEGA, UP, s[1])); /* the same engine */
    event_t second = mark(s[1]);
    OK(cudaMemcpyAsync(host[2], to[0], MEGA, DOWN, s[2])); /* the other engine: given 6 us after the first */
    event_t third = mark(s[2]);
    OK(cudaDeviceSynchronize());
    printf("copies %ld %ld %ld, beside a kernel of %ld\n", nanoseconds(given, first), nanoseconds(first, second),
           nanoseconds(given, third), nanoseconds(begin, end));
    CHECK(nanoseconds(given, first) == 1000 + COPY);
    CHECK(nanoseconds(first, second) == COPY);
    CHECK(nanoseconds(given, third) == 7000 + COPY);
    CHECK(nanoseconds(begin, end) > 7000 + 2 * COPY);
    char *back = malloc(MEGA);
    OK(cudaMemcpy(back, to[0], MEGA, DOWN));
    CHECK(back[0] == 7 && back[MEGA - 1] == 7);
    free(back);
}

/* In one stream a copy, a kernel and a copy follow one another; in two they overlap. */
static void overlap(void)
{
    unsigned *out = device(4), *memory = device(MEGA), *host = pinned(MEGA);
    stream_t a = new_stream(0), b = new_stream(0);
    event_t begin = mark(a);
    launch(&spin_stub, 1, 32, out, 20000, a);
    event_t middle = mark(a);
    OK(cudaMemcpyAsync(memory, host, MEGA, UP, a));
    event_t end = mark(a);
    OK(cudaDeviceSynchronize());
    long kernel = nanoseconds(begin, middle);
    CHECK(nanoseconds(middle, end) == COPY && kernel > 10000);
    for (unsigned rounds = 1000; rounds <= 20000; rounds += 19000) { /* the copy is longer, or the kernel */
        begin = mark(a);
        launch(&spin_stub, 1, 32, out, rounds, a);
        OK(cudaMemcpyAsync(memory, host, MEGA, UP, b)); /* given 2 us after the mark */
        event_t computed = mark(a), copied = mark(b);
        OK(cudaStreamWaitEvent(a, copied, 0));
        end = mark(a);
        OK(cudaStreamSynchronize(a));
        kernel = nanoseconds(begin, computed);
        long both = nanoseconds(begin, end);
        printf("overlap: kernel %ld, copy %d, both %ld\n", kernel, COPY, both);
        CHECK(nanoseconds(begin, copied) == 2000 + COPY);
        CHECK(both == (kernel > 2000 + COPY ? kernel : 2000 + COPY));
    }
}

/* The legacy default stream stands between blocking streams; others know nothing of it. */
static void legacy(void)
{
    unsigned *out = device(4);
    stream_t blocking = new_stream(0), another = new_stream(0), free_of_it = new_stream(1);
    launch(&spin_stub, 1, 32, out, 20000, blocking);
    event_t one = mark(blocking);
    launch(&spin_stub, 1, 32, out, 20000, 0);
    event_t two = mark(0);
    launch(&spin_stub, 1, 32, out, 20000, another);
    event_t three = mark(another);
    launch(&spin_stub, 1, 32, out, 20000, free_of_it);
    event_t beside = mark(free_of_it);
    OK(cudaDeviceSynchronize());
    long kernel = nanoseconds(one, two);
    printf("legacy %ld %ld %ld\n", kernel, nanoseconds(two, three), nanoseconds(one, beside));
    CHECK(kernel > 10000 && labs(nanoseconds(two, three) - kernel) < kernel / 50);
    CHECK(labs(nanoseconds(one, beside)) < kernel / 2);
}

static char order[64], a_letter[] = "a", b_letter[] = "b";

static void note(void *letter)
{
    strncat(order, letter, 1);
}

static void calls(void)
{
    unsigned *values = device(256 * 4), *host = pinned(256 * 4);
    stream_t a = new_stream(1), b = new_stream(1);
    OK(cudaMemsetAsync(values, 0, 256 * 4, a));
    launch(&raise_stub, 1, 256, values, 5, a);
    OK(cudaMemcpyAsync(host, values, 256 * 4, DOWN, a));
    OK(cudaLaunchHostFunc(a, note, a_letter));
    event_t done = mark(a);
    OK(cudaStreamWaitEvent(b, done, 0));
    OK(cudaLaunchHostFunc(b, note, b_letter));
    CHECK(cudaEventQuery(done) == 600); /* that has not happened yet */
    OK(cudaStreamSynchronize(b));
    CHECK(strcmp(order, "ab") == 0 && host[0] == 5 && host[255] == 5);
    OK(cudaStreamDestroy(a));
}

static void post(void *semaphore)
{
    sem_post(semaphore);
}

/* The host waits for a function of its own without a call that would let the device go on. */
static void outside(void)
{
    sem_t ready;
    stream_t stream = new_stream(1);
    event_t begin = mark(stream);
    sem_init(&ready, 0, 0);
    launch(&spin_stub, 1, 32, device(4), 20000, stream);
    event_t end = mark(stream);
    OK(cudaLaunchHostFunc(stream, post, &ready));
    sem_wait(&ready);
    OK(cudaEventQuery(end)); /* the host's clock has come so far */
    CHECK(nanoseconds(begin, end) > 10000);
}

/* What waits for nothing does not wait. */
static void empty(void)
{
    event_t event = 0;
    stream_t stream = new_stream(0);
    unsigned *memory = device(4), host = 3;
    OK(cudaEventCreate(&event));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamQuery(stream));
    OK(cudaEventQuery(event));
    OK(cudaEventSynchronize(event));
    OK(cudaStreamWaitEvent(stream, event, 0));
    OK(cudaMemcpyAsync(memory, &host, 0, UP, stream));
    OK(cudaMemsetAsync(memory, 0, 0, stream));
    event_t first = mark(stream), second = mark(stream);
    OK(cudaStreamSynchronize(stream));
    CHECK(nanoseconds(first, second) == 2000); /* cudaEventCreate and cudaEventRecord */
    launch(&nothing_stub, 1, 1, memory, 0, stream);
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamSynchronize(stream));
}

/* The host writes to one half of what it shares with a kernel while that writes to the other. */
static void managed(void)
{
    unsigned *values = NULL;
    OK(cudaMallocManaged((void **)&values, 512 * 4, 1));
    for (unsigned i = 0; i < 512; i++)
        values[i] = i;
    stream_t a = new_stream(1), b = new_stream(1);
    launch(&raise_stub, 1, 256, values, 1000, a);
    for (unsigned i = 256; i < 512; i++)
        values[i] = 2 * i;
    OK(cudaStreamSynchronize(b)); /* for nothing: the kernel goes on */
    launch(&raise_stub, 1, 256, values + 256, 1000, b);
    while (cudaStreamQuery(b) == 600)
        ;
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 512; i++)
        CHECK(values[i] == 1000 + (i < 256 ? i : 2 * i));
    values[0] = 1;
    launch(&raise_stub, 1, 256, values, 1, 0);
    OK(cudaDeviceSynchronize());
    CHECK(values[0] == 2 && values[1] == 1002);
}

/* Several streams, copies in both directions, events between streams, managed memory, polling. */
static void mixed(void)
{
    enum { STREAMS = 4, COUNT = 8192 };
    stream_t s[STREAMS];
    event_t done[STREAMS];
    unsigned *values[STREAMS], *host[STREAMS], *shared = NULL, polls = 0;
    OK(cudaMallocManaged((void **)&shared, COUNT * 4, 1));
    event_t begin = mark(0);
    for (unsigned i = 0; i < STREAMS; i++) {
        s[i] = new_stream(i & 1);
        values[i] = device(COUNT * 4);
        host[i] = pinned(COUNT * 4);
        for (unsigned j = 0; j < COUNT; j++)
            host[i][j] = i * j;
    }
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < STREAMS; i++) {
            OK(cudaMemcpyAsync(values[i], host[i], COUNT * 4, UP, s[i]));
            launch(&raise_stub, COUNT / 256, 256, values[i], i + 1, s[i]);
            launch(&raise_stub, COUNT / 256, 256, values[i], 1, s[i]);
            if (i)
                OK(cudaStreamWaitEvent(s[i], done[i - 1], 0));
            launch(&raise_stub, COUNT / 256, 256, shared, 1, s[i]);
            done[i] = mark(s[i]);
            OK(cudaMemcpyAsync(host[i], values[i], COUNT * 4, DOWN, s[i]));
            while (i == 2 && cudaEventQuery(done[0]) == 600)
                polls++;
        }
        shared[0] += round;
        while (cudaStreamQuery(s[1]) == 600)
            polls++;
        launch(&raise_stub, 1, 32, values[0], 0, 0);
    }
    OK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < STREAMS; i++)
        printf("%u ends at %ld\n", i, nanoseconds(begin, done[i]));
    printf("%u polls\n", polls);
    for (unsigned i = 0; i < STREAMS; i++)
        for (unsigned j = 0; j < COUNT; j++)
            CHECK(host[i][j] == i * j + 2 * (i + 2));
    CHECK(shared[1] == 2 * STREAMS && shared[COUNT - 1] == 2 * STREAMS);
}

/* A fault shows when the program waits, and behind it nothing is done. */
static void fault(void)
{
    unsigned *memory = device(4), host = 9;
    launch(&spin_stub, 1, 32, memory, 100, 0);
    launch(&raise_stub, 64, 256, memory, 1, 0);
    launch(&spin_stub, 1, 32, memory, 200, 0);
    CHECK(cudaDeviceSynchronize() == 700);
    CHECK(cudaMemcpy(&host, memory, 4, DOWN) == 700 && host == 9);
    CHECK(cudaGetLastError() == 700);
    OK(cudaDeviceReset());
    memory = device(4);
    launch(&spin_stub, 1, 32, memory, 300, 0);
    OK(cudaMemcpy(&host, memory, 4, DOWN));
    CHECK(host == 300);
}

static void hang(void)
{
    launch(&spin_stub, 1, 32, device(4), 100, 0);
    launch(&hang_stub, 1, 32, NULL, 0, 0);
    CHECK(cudaDeviceSynchronize() == 702);
    CHECK(cudaStreamSynchronize(0) == 702);
}

static void livelock(void)
{
    unsigned *flag = device(4);
    OK(cudaMemsetAsync(flag, 0, 4, 0));
    launch(&await_stub, 1, 32, flag, 0, 0);
    int error;
    while ((error = cudaStreamQuery(0)) == 600)
        ;
    CHECK(error == 702);
}

static void lock(int value, unsigned how)
{
    unsigned *word = device(8);
    OK(cudaMemsetAsync(word, value, 4, 0));
    OK(cudaMemsetAsync(word + 1, 0, 4, 0));
    launch(&lock_stub, 2, 1, word, how, 0);
    CHECK(cudaDeviceSynchronize() == 702);
}

static void lock_cas(void)
{
    lock(0, 0);
}

static void lock_exchange(void)
{
    lock(0, 1);
}

static void lock_add(void)
{
    lock(1, 2);
}

static void lock_store(void)
{
    lock(1, 3);
}

static void patient(void)
{
    unsigned *word = device(8);
    OK(cudaMemsetAsync(word, 0, 8, 0));
    launch(&slow_stub, 1, 1, word, 0, 0);
    OK(cudaDeviceSynchronize());
    launch(&back_off_stub, 1, 1, word, 0, 0);
    OK(cudaDeviceSynchronize());
}

/* A kernel waits for what another stream writes: a copy, and then a kernel beside it. */
static void await(void)
{
    unsigned *flag = device(8), one = 1, *host = pinned(4);
    stream_t a = new_stream(1), b = new_stream(1);
    *host = one;
    OK(cudaMemsetAsync(flag, 0, 8, a));
    OK(cudaStreamSynchronize(a));
    launch(&await_stub, 1, 32, flag, 0, a);
    launch(&await_stub, 1, 32, flag + 1, 0, a);
    OK(cudaMemcpyAsync(flag, host, 4, UP, b));
    launch(&raise_stub, 1, 1, flag + 1, 1, b);
    OK(cudaStreamSynchronize(a));
    OK(cudaDeviceSynchronize());
}

/* Kernels that read 32 KiB each, once: what copies and fills have left in the L2 shows in their reads of the DRAM. */
static void warm(void)
{
    enum { WORDS = 8192, BYTES = WORDS * 4, LARGE = 4 * 1024 * 1024 / BYTES };
    unsigned *host = pinned(LARGE * BYTES), *copied = device(BYTES), *filled = device(BYTES), *left = device(BYTES);
    unsigned *rows = device(BYTES), *inside = device(BYTES), *late = device(BYTES), *large = device(LARGE * BYTES);
    unsigned *flag = device(4);
    stream_t a = new_stream(1), b = new_stream(1);
    OK(cudaMemcpy(copied, host, BYTES, UP));
    launch(&raise_stub, WORDS / 256, 256, copied, 1, 0);
    OK(cudaMemsetAsync(filled, 7, BYTES, 0));
    launch(&raise_stub, WORDS / 256, 256, filled, 1, 0);
    launch(&raise_stub, WORDS / 256, 256, left, 1, 0);
    OK(cudaMemcpy2D(rows, 1024, host, 512, 512, BYTES / 1024, UP)); /* every second half KiB */
    launch(&raise_stub, WORDS / 256, 256, rows, 1, 0);
    OK(cudaMemcpy(inside, host, 0, UP));
    OK(cudaMemcpy(inside, copied, BYTES, INSIDE));
    launch(&raise_stub, WORDS / 256, 256, inside, 1, 0);
    OK(cudaMemsetAsync(flag, 0, 4, 0));
    OK(cudaDeviceSynchronize());
    launch(&await_stub, 1, 32, flag, 0, a); /* a copy and its kernel beside one that runs */
    OK(cudaMemcpyAsync(late, host, BYTES, UP, b));
    launch(&raise_stub, WORDS / 256, 256, late, 1, b);
    OK(cudaStreamSynchronize(b));
    launch(&raise_stub, 1, 1, flag, 1, b);
    OK(cudaStreamSynchronize(a));
    OK(cudaMemcpy(large, host, LARGE * BYTES, UP)); /* twice the L2 */
    launch(&raise_stub, WORDS / 256, 256, large, 1, 0);
    launch(&raise_stub, WORDS / 256, 256, large + (LARGE - 1) * WORDS, 1, 0);
    OK(cudaDeviceSynchronize());
}

/* Memory is freed in a stream's order: a kernel that runs has it still, and the host does not wait. */
static void free_in_order(void)
{
    stream_t a = new_stream(1);
    unsigned *memory = device(4), *other, host = 0;
    launch(&spin_stub, 1, 32, memory, 5000, a);
    launch(&raise_stub, 1, 1, memory, 1, a);
    OK(cudaMemcpyAsync(&host, memory, 0, DOWN, a));
    OK(cudaFreeAsync(memory, a));
    OK(cudaMallocAsync((void **)&other, 4, a));
    CHECK(other != memory && cudaStreamQuery(a) == 600);
    OK(cudaStreamSynchronize(a));
    CHECK(cudaFreeAsync(memory, a) == 1);
    OK(cudaFree(other));
}

/* The host talks with a kernel that runs, by pinned memory. */
static void mailbox(void)
{
    volatile unsigned *box = pinned(8);
    stream_t a = new_stream(1);
    box[0] = 0;
    box[1] = 5;
    launch(&raise_stub, 1, 1, (void *)(box + 1), 1, a);
    launch(&await_stub, 1, 32, (void *)box, 0, a);
    while (box[1] != 6)
        CHECK(cudaStreamQuery(a) == 600);
    for (unsigned i = 0; i < 20; i++)
        CHECK(cudaStreamQuery(a) == 600); /* it waits */
    box[0] = 1;
    while (cudaStreamQuery(a) == 600)
        ;
    OK(cudaStreamSynchronize(a));
}

/* A kernel that waits for the host, which lets it go behind the launch and before it waits itself. */
static void latch(void)
{
    volatile unsigned *box = pinned(4);
    unsigned *word = device(4), seen = 0;
    stream_t a = new_stream(1);
    *box = 0;
    OK(cudaMemsetAsync(word, 0, 4, a));
    launch(&await_stub, 1, 32, (void *)box, 0, a);
    launch(&raise_stub, 1, 1, word, 1, a);
    *box = 1;
    OK(cudaStreamSynchronize(a));
    OK(cudaMemcpy(&seen, word, 4, DOWN));
    CHECK(seen == 1);
}

/* Kernels that nobody has waited for when the program ends are simulated all the same. */
static void unwaited(void)
{
    launch(&spin_stub, 1, 32, device(4), 1000, 0);
}

/* A program that sends its standard output elsewhere has its results where that went at first. */
static void elsewhere(void)
{
    launch(&spin_stub, 1, 32, device(4), 10, 0);
    puts("here");
    CHECK(freopen("elsewhere.txt", "w", stdout) != NULL);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"events", events},
                 {"copies", copies},
                 {"overlap", overlap},
                 {"legacy", legacy},
                 {"calls", calls},
                 {"outside", outside},
                 {"empty", empty},
                 {"managed", managed},
                 {"mixed", mixed},
                 {"fault", fault},
                 {"hang", hang},
                 {"livelock", livelock},
                 {"await", await},
                 {"mailbox", mailbox},
                 {"latch", latch},
                 {"free", free_in_order},
                 {"unwaited", unwaited},
                 {"elsewhere", elsewhere},
                 {"warm", warm},
                 {"lock_cas", lock_cas},
                 {"lock_exchange", lock_exchange},
                 {"lock_add", lock_add},
                 {"lock_store", lock_store},
                 {"patient", patient}};
    load();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (argc == 2 && strcmp(argv[1], parts[i].name) == 0) {
            parts[i].run();
            puts(wrong ? "wrong" : "right");
            return wrong;
        }
    return 3;
}
