/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores to and reductions in the shared memory of the other block of a cluster, whose bytes arrive at a barrier there
 * (STAS, REDAS). nvcc -O3 -arch=sm_90 -cubin, -ptx. */
typedef unsigned u32;
typedef unsigned long long u64;

enum { WORDS = 32, BYTES = 8 + 8 + 8 + 16 + 16 + 4 * 9 + 8 * 1 };

#define STORE(TEXT, PLACE, ...)                                                                                        \
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes." TEXT ",[%1];"                                \
                 :: "r"(there + PLACE), "r"(barrier), __VA_ARGS__ : "memory")
#define REDUCE(TEXT, PLACE, VALUE)                                                                                     \
    asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." TEXT " [%0],%2,[%1];"       \
                 :: "r"(there + PLACE), "r"(barrier), VALUE : "memory")

extern "C" __global__ void __cluster_dims__(2, 1, 1) remote(const u32 *in, u32 *out)
{
    __shared__ __align__(16) u32 slots[64][WORDS];
    __shared__ __align__(8) u64 arrived;
    u32 i = threadIdx.x, rank = blockIdx.x, a[4], own = (u32)__cvta_generic_to_shared(&arrived), there, barrier, done = 0;
    u64 wide[2];
    for (u32 k = 0; k < 4; k++)
        a[k] = in[(i + 29 * k + 64 * rank) % 192];
    for (u32 k = 0; k < WORDS; k++)
        slots[i][k] = in[(i + 31 * k) % 192];
    wide[0] = (u64)a[0] << 32 | a[1], wide[1] = (u64)a[2] << 32 | a[3];
    if (i == 0)
        asm volatile("mbarrier.init.shared.b64 [%0],1;" :: "r"(own) : "memory");
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(there)
                 : "r"((u32)__cvta_generic_to_shared(slots[i])), "r"(rank ^ 1));
    asm volatile("mapa.shared::cluster.u32 %0,%1,%2;" : "=r"(barrier) : "r"(own), "r"(rank ^ 1));
    __syncthreads();
    if (i == 0)
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _,[%0],%1;" :: "r"(own), "r"(64 * BYTES) : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    STORE("b32 [%0],%2", 0, "r"(a[0]));
    STORE("s32 [%0],%2", 4, "r"(a[1]));
    STORE("b64 [%0],%2", 8, "l"(wide[0]));
    STORE("v2.b32 [%0],{%2,%3}", 16, "r"(a[2]), "r"(a[3]));
    STORE("v4.b32 [%0],{%2,%3,%4,%5}", 32, "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));
    STORE("v2.b64 [%0],{%2,%3}", 48, "l"(wide[0]), "l"(wide[1]));
    REDUCE("add.u32", 64, "r"(a[0]));
    REDUCE("min.s32", 68, "r"(a[1]));
    REDUCE("max.u32", 72, "r"(a[2]));
    REDUCE("inc.u32", 76, "r"(a[3]));
    REDUCE("dec.u32", 80, "r"(a[0]));
    REDUCE("and.b32", 84, "r"(a[1]));
    REDUCE("or.b32", 88, "r"(a[2]));
    REDUCE("xor.b32", 92, "r"(a[3]));
    REDUCE("min.u32", 96, "r"(a[0]));
    REDUCE("add.u64", 104, "l"(wide[1]));
    while (!done)
        asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p,[%1],0; selp.u32 %0,1,0,p;}"
                     : "=r"(done) : "r"(own) : "memory");
    for (u32 k = 0; k < WORDS; k++)
        out[64 * (WORDS * rank + k) + i] = slots[i][k];
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
