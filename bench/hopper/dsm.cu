// SPDX-License-Identifier: BSD-3-Clause
// Microbenchmarks of clusters: latency and bandwidth of distributed shared memory, mbarriers, the cluster's barrier.
// dsm.ptx is made of it: nvcc -ptx -arch=sm_90 -O3 dsm.cu -o dsm.ptx
typedef unsigned u32;
typedef unsigned long long u64;

#define SHARED_WORDS 24576 // 96 KiB

extern __shared__ u32 space[];

static __device__ u32 rank_of()
{
    u32 rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

static __device__ u32 size_of()
{
    u32 size;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

static __device__ u32 now()
{
    u32 cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

static __device__ void sync_cluster()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

static __device__ u32 here(const void *address)
{
    return (u32)__cvta_generic_to_shared(address);
}

static __device__ u32 at(u32 address, u32 rank)
{
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
    return there;
}

static __device__ u32 load(u32 address)
{
    u32 value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static __device__ void store(u32 address, u32 value)
{
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

// Dependent loads of one thread in each CTA from each other's, one pair after the other: cycles of a load by pair.
extern "C" __global__ void pairs(u32 *cycles, u32 loads)
{
    u32 rank = rank_of(), size = size_of();
    for (u32 i = threadIdx.x; i < 1024; i += blockDim.x)
        space[i] = at(here(space), rank) + (i + 33) % 1024 * 4; // where it lies for all: the chain stays here
    sync_cluster();
    for (u32 from = 0; from < size; from++) {
        for (u32 to = 0; to < size; to++) {
            if (rank == from && threadIdx.x == 0) {
                u32 place = load(at(here(space), to));
                u32 start = now();
#pragma unroll 1
                for (u32 i = 0; i < loads; i += 8) {
                    place = load(place), place = load(place);
                    place = load(place), place = load(place);
                    place = load(place), place = load(place);
                    place = load(place), place = load(place);
                }
                u32 end = now();
                cycles[from * size + to] = end - start + (place == 0x7fffffff);
            }
            sync_cluster();
        }
    }
}

// All CTAs at once: each reads from or writes to the one `step` ranks on, if its rank's bit is set; if both are, half
// of its threads do either. Bytes of each CTA.
extern "C" __global__ void stream(u32 *cycles, u32 bytes, u32 step, u32 readers, u32 writers)
{
    u32 rank = rank_of(), there = at(here(space), (rank + step) % size_of()), sum = 0;
    sync_cluster();
    u32 start = now();
    u32 reads = readers >> rank & 1, writes = writers >> rank & 1, both = reads & writes;
    u32 threads = blockDim.x >> both, thread = threadIdx.x % threads, second = threadIdx.x >= threads;
    if (reads && !second) {
#pragma unroll 1
        for (u32 i = thread * 4; i < bytes; i += threads * 16) {
            sum += load(there + i) + load(there + i + threads * 4);
            sum += load(there + i + threads * 8) + load(there + i + threads * 12);
        }
    }
    if (writes && second == both) {
#pragma unroll 1
        for (u32 i = thread * 4; i < bytes; i += threads * 4)
            store(there + i, i);
    }
    if (sum == 0x12345)
        space[0] = sum;
    sync_cluster();
    u32 end = now();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - start;
}

// The same by bulk copies of one thread: each CTA whose bit is set copies to the one `step` ranks on, `chunk` bytes at a
// time, and each waits for what is to come.
extern "C" __global__ void put(u32 *cycles, u32 bytes, u32 chunk, u32 step, u32 writers)
{
    __shared__ u64 come;
    u32 rank = rank_of(), size = size_of(), object = here(&come), to = (rank + step) % size;
    u32 there = at(here(space), to), its = at(object, to), comes = writers >> (rank + size - step) % size & 1;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    sync_cluster();
    u32 start = now();
    if (threadIdx.x == 0) {
        if (comes)
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(object), "r"(bytes) : "memory");
#pragma unroll 1
        for (u32 i = 0; writers >> rank & 1 && i < bytes; i += chunk)
            asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                             there + i),
                         "r"(here(space) + i), "r"(chunk), "r"(its)
                         : "memory");
        if (comes)
            asm volatile(
                "{\n\t.reg .pred done;\n"
                "again%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n\t@!done bra again%=;\n\t}" ::"r"(object)
                : "memory");
    }
    sync_cluster();
    u32 end = now();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - start;
}

static __device__ void arrive(u32 object)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(object) : "memory");
}

static __device__ void arrive_there(u32 object)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(object) : "memory");
}

static __device__ void wait(u32 object, u32 parity)
{
    asm volatile(
        "{\n\t.reg .pred done;\n"
        "again%=:\n\tmbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t@!done bra again%=;\n\t}" ::"r"(
            object),
        "r"(parity)
        : "memory");
}

static __device__ void wait_for_cluster(u32 object)
{
    asm volatile("{\n\t.reg .pred done;\n"
                 "again%=:\n\tmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], 0;\n\t@!done bra again%=;\n\t}" ::"r"(
                     object)
                 : "memory");
}

static __device__ u64 nanoseconds()
{
    u64 time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
    return time;
}

// How news comes: one thread of the first block arrives at the other's object, where one waits from the same barrier of the
// cluster on. Cycles that this one has waited, and ns from before the arrival until it has gone on, of the last round.
extern "C" __global__ void told(u32 *out, u32 rounds)
{
    __shared__ u64 object, end;
    u32 rank = rank_of(), own = here(&object);
#pragma unroll 1
    for (u32 i = 0; i < rounds; i++) {
        if (rank == 1 && threadIdx.x == 0)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(own) : "memory");
        sync_cluster();
        u64 begin = nanoseconds();
        u32 start = now();
        if (rank == 0 && threadIdx.x == 0)
            asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(at(own, 1)) : "memory");
        if (rank == 1 && threadIdx.x == 0) {
            wait_for_cluster(own);
            out[0] = now() - start;
            end = nanoseconds();
        }
        sync_cluster();
        if (rank == 0 && threadIdx.x == 0)
            out[1] = load(at(here(&end), 1)) - (u32)begin;
        sync_cluster();
    }
}

#define REPEAT(statement)                                                                                              \
    do {                                                                                                               \
        for (u32 i = 0; i < rounds; i += 8) {                                                                          \
            statement statement statement statement statement statement statement statement                            \
        }                                                                                                              \
    } while (0)

// One thread of each CTA, so often: 0 arrives, 1 waits for a phase that has ended, 2 both; 3 arrives at the other's
// object in turn with it; 4 stores there and fences; 5 all meet at the cluster's barrier; 6 loads its own memory.
extern "C" __global__ void single(u32 *cycles, u32 what, u32 rounds)
{
    __shared__ u64 meet[2];
    u32 rank = rank_of(), own = here(meet), other = at(own, 1 - rank), there = at(here(space), 1 - rank);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(own), "r"(what == 0 ? 4096 : 1) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    space[threadIdx.x] = here(space);
    sync_cluster();
    u32 parity = 0, value = here(space), start = 0;
    for (u32 pass = 0; pass < 2; pass++) { // the second one finds its code near
        start = now();
        if (what == 5)
            REPEAT(sync_cluster(););
        if (threadIdx.x == 0) {
            if (what == 0)
                REPEAT(arrive(own););
            if (what == 1) {
                if (pass == 0)
                    arrive(own);
                REPEAT(wait(own, 0););
            }
            if (what == 2)
                REPEAT(arrive(own); wait(own, parity); parity ^= 1;);
            if (what == 3 && rank == 0)
                REPEAT(arrive_there(other); wait(own, parity); parity ^= 1;);
            if (what == 3 && rank == 1)
                REPEAT(wait(own, parity); arrive_there(other); parity ^= 1;);
            if (what == 4)
                REPEAT(store(there, value); asm volatile("fence.acq_rel.cluster;" ::: "memory"););
            if (what == 6)
                REPEAT(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(value)::"memory"););
        }
    }
    u32 end = now();
    if (threadIdx.x == 0)
        cycles[blockIdx.x] = end - start + (value == 0x7fffffff);
    sync_cluster();
}
