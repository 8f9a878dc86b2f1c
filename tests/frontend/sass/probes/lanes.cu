// SPDX-License-Identifier: BSD-3-Clause
// A warp's lanes together: shuffles, votes, matches, reductions, groups of lanes that part and meet; matrices.
typedef unsigned u32;
typedef unsigned long long u64;

#define ALL 0xffffffffu
#define PUT(x) (*to = (u32)(x), to += n)

extern "C" __global__ void lanes(const u32 *in, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, lane = threadIdx.x % 32;
    u32 a = in[i], b = in[i + n], *to = out + i, few = a % 5;
    PUT(__shfl_sync(ALL, a, b & 31)), PUT(__shfl_up_sync(ALL, a, 3)), PUT(__shfl_down_sync(ALL, a, 5, 16));
    PUT(__shfl_xor_sync(ALL, a, 9)), PUT(__shfl_sync(ALL, a, b, 8));
    PUT(__ballot_sync(ALL, a & 1)), PUT(__any_sync(ALL, a == 7)), PUT(__all_sync(ALL, a != 1));
    PUT(__match_any_sync(ALL, few)), PUT(__match_any_sync(ALL, (u64)few << 33));
    int same;
    PUT(__match_all_sync(ALL, lane / 32, &same)), PUT(same);
    PUT(__reduce_add_sync(ALL, a)), PUT(__reduce_min_sync(ALL, a)), PUT(__reduce_max_sync(ALL, (int)a));
    PUT(__reduce_and_sync(ALL, a)), PUT(__reduce_or_sync(ALL, a)), PUT(__reduce_xor_sync(ALL, a));
    // groups that are formed by value: five of them, each in its own turn
    u32 group = __match_any_sync(ALL, few);
    PUT(__reduce_max_sync(group, (int)b)), PUT(__reduce_add_sync(group, b));
    PUT(__shfl_sync(group, b, __ffs((int)group) - 1));
    // lanes that part
    u32 sum = 0;
    for (u32 k = 0; k < few; k++)
        sum += k % 2 ? a >> k : b << k;
    PUT(sum);
    switch (few) {
    case 0: sum = a ^ 1; break;
    case 1: sum = a + b; break;
    case 2: sum = __popc(a); break;
    case 3: sum = b * 3; break;
    default: sum = __ballot_sync(__activemask(), b & 1); break;
    }
    PUT(sum);
    __syncwarp();
    PUT(__syncthreads_count(a & 1)), PUT(__syncthreads_and(a != 3)), PUT(__syncthreads_or(b == 3));
    if (lane & 1)
        return;
    PUT(__activemask());
}

// Fragments are parts of the inputs; doubles among them are small whole numbers, whose sums are right in any order.
extern "C" __global__ void matrices(const u32 *in, u32 *out)
{
    u32 i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, *to = out + i;
    u32 w[4] = {in[i], in[i + n], in[i + 2 * n], in[i] ^ 0x55};
    int s[4] = {1, 2, 3, 4};
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1},{%2},{%3},{%0,%1};" : "+r"(s[0]), "+r"(s[1]) : "r"(w[0]), "r"(w[1]));
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%0,%1},{%2},{%3},{%0,%1};" : "+r"(s[2]), "+r"(s[3]) : "r"(w[2]), "r"(w[1]));
    PUT(s[0]), PUT(s[1]), PUT(s[2]), PUT(s[3]);
    asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(w[1]), "r"(w[2]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3]) : "r"(w[0]), "r"(w[1]), "r"(w[2]));
    PUT(s[0]), PUT(s[1]), PUT(s[2]), PUT(s[3]);
    double x[8], y[4], d[4] = {1, 2, 3, 4};
    for (u32 k = 0; k < 8; k++)
        x[k] = (double)(int)((w[k % 4] >> k) % 1000) - 500;
    for (u32 k = 0; k < 4; k++)
        y[k] = (double)(int)((w[k] >> 9) % 1000) - 500;
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(d[0]), "+d"(d[1]) : "d"(x[0]), "d"(y[0]));
#if __CUDA_ARCH__ >= 900
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(x[0]), "d"(x[1]), "d"(y[0]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(y[0]), "d"(y[1]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},"
                 "{%12,%13,%14,%15},{%0,%1,%2,%3};"
                 : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                 : "d"(x[0]), "d"(x[1]), "d"(x[2]), "d"(x[3]), "d"(x[4]), "d"(x[5]), "d"(x[6]), "d"(x[7]), "d"(y[0]),
                   "d"(y[1]), "d"(y[2]), "d"(y[3]));
#endif
    for (u32 k = 0; k < 4; k++) {
        u64 bits = (u64)__double_as_longlong(d[k]);
        PUT(bits), PUT(bits >> 32);
    }
}
