/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomics on vectors of floats and on 128 bits. Beside each on a vector stands what arithmetic makes of its elements: what
 * both leave is the same. nvcc -O3 -arch=sm_90 -cubin, -ptx. */
typedef unsigned u32;
typedef unsigned long long u64;

static __device__ void note(u32 *out, u32 &place, u32 value)
{
    out[64 * place++ + threadIdx.x] = value;
}

/* Two places of 16 bytes for each thread, which begin alike. */
struct pair {
    u32 whole[4], parts[4];
};

/* `n` words; what is in memory afterwards, and what came back. */
static __device__ void judge(u32 *out, u32 &place, const pair *at, const u32 *d, const u32 *e, u32 n)
{
    u32 differ = 0;
    for (u32 i = 0; i < n; i++) {
        differ |= (at->whole[i] ^ at->parts[i]) | (d[i] ^ e[i]);
        note(out, place, at->whole[i]);
    }
    note(out, place, differ);
}

#define R2 "r"(b[0]), "r"(b[1])
#define R4 R2, "r"(b[2]), "r"(b[3])
/* By arithmetic: what is there, and what was. */
#define PARTS(OPERATION, N)                                                                                            \
    for (u32 k = 0; k < N; k++) {                                                                                      \
        e[k] = at->parts[k];                                                                                           \
        asm volatile("{.reg .b32 d; " OPERATION " d,%1,%2; mov.b32 %0,d;}" : "=r"(at->parts[k]) : "r"(e[k]), "r"(b[k])); \
    }
#define FORGET for (u32 k = 0; k < 4; k++) d[k] = e[k] = 0
#define VECTOR2(TEXT, OPERATION)                                                                                       \
    asm volatile("atom.global.v2." TEXT " {%0,%1},[%2],{%3,%4};"                                                       \
                 : "=r"(d[0]), "=r"(d[1]) : "l"(at->whole), R2 : "memory");                                            \
    PARTS(OPERATION, 2) judge(out, place, at, d, e, 2)
#define VECTOR4(TEXT, OPERATION)                                                                                       \
    asm volatile("atom.global.v4." TEXT " {%0,%1,%2,%3},[%4],{%5,%6,%7,%8};"                                           \
                 : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "l"(at->whole), R4 : "memory");                    \
    PARTS(OPERATION, 4) judge(out, place, at, d, e, 4)
#define REDUCE2(TEXT, OPERATION)                                                                                       \
    asm volatile("red.global.v2." TEXT " [%0],{%1,%2};" :: "l"(at->whole), R2 : "memory");                             \
    PARTS(OPERATION, 2) FORGET; judge(out, place, at, d, e, 2)
#define REDUCE4(TEXT, OPERATION)                                                                                       \
    asm volatile("red.global.v4." TEXT " [%0],{%1,%2,%3,%4};" :: "l"(at->whole), R4 : "memory");                       \
    PARTS(OPERATION, 4) FORGET; judge(out, place, at, d, e, 4)
#define SINGLES8(TEXT, OPERATION)                                                                                      \
    asm volatile("{.reg .b16 a<8>; mov.b32 {a0,a1},%1; mov.b32 {a2,a3},%2; mov.b32 {a4,a5},%3; mov.b32 {a6,a7},%4; "   \
                 "red.global.v8." TEXT " [%0],{a0,a1,a2,a3,a4,a5,a6,a7};}" :: "l"(at->whole), R4 : "memory");          \
    PARTS(OPERATION, 4) FORGET; judge(out, place, at, d, e, 4)
#define SINGLES4(TEXT, OPERATION)                                                                                      \
    asm volatile("{.reg .b16 a<4>; mov.b32 {a0,a1},%1; mov.b32 {a2,a3},%2; "                                           \
                 "red.global.v4." TEXT " [%0],{a0,a1,a2,a3};}" :: "l"(at->whole), R2 : "memory");                      \
    PARTS(OPERATION, 2) FORGET; judge(out, place, at, d, e, 2)
#define SINGLES2(TEXT, OPERATION)                                                                                      \
    asm volatile("{.reg .b16 a<2>,d<2>; mov.b32 {a0,a1},%2; atom.global.v2." TEXT " {d0,d1},[%1],{a0,a1}; "            \
                 "mov.b32 %0,{d0,d1};}" : "=r"(d[0]) : "l"(at->whole), "r"(b[0]) : "memory");                          \
    PARTS(OPERATION, 1) judge(out, place, at, d, e, 1)
#define ALL(OPERATION, F16, BF16)                                                                                      \
    VECTOR2("f16x2." OPERATION, F16); VECTOR4("bf16x2." OPERATION, BF16); REDUCE2("bf16x2." OPERATION, BF16);          \
    REDUCE4("f16x2." OPERATION, F16); SINGLES2("f16." OPERATION, F16); SINGLES4("bf16." OPERATION, BF16);              \
    SINGLES8("f16." OPERATION, F16); SINGLES8("bf16." OPERATION, BF16)

extern "C" __global__ void vectors(const u32 *in, u32 *out)
{
    u32 i = threadIdx.x, place = 0, b[4], d[4] = {0}, e[4] = {0};
    pair *at = (pair *)(out + 8192) + i;
    for (u32 k = 0; k < 4; k++) {
        b[k] = in[(i + 31 * k + 7) % 192];
        at->whole[k] = at->parts[k] = in[(i + 29 * k) % 192];
    }
    __syncthreads();
    VECTOR2("f32.add", "add.ftz.f32");
    VECTOR4("f32.add", "add.ftz.f32");
    REDUCE2("f32.add", "add.ftz.f32");
    REDUCE4("f32.add", "add.ftz.f32");
    ALL("add.noftz", "add.rn.f16x2", "add.rn.bf16x2");
    ALL("min.noftz", "min.f16x2", "min.bf16x2");
    ALL("max.noftz", "max.f16x2", "max.bf16x2");
}

#define SWAP(SPACE, ADDRESS)                                                                                           \
    asm volatile("{.reg .b128 a,d; mov.b128 a,{%3,%4}; atom." SPACE "exch.b128 d,[%2],a; mov.b128 {%0,%1},d;}"         \
                 : "=l"(d[0]), "=l"(d[1]) : "l"(ADDRESS), "l"(b[0]), "l"(b[1]) : "memory");                            \
    SHOW(ADDRESS)
#define COMPARE(SPACE, ADDRESS, C)                                                                                     \
    asm volatile("{.reg .b128 a,b,d; mov.b128 a,{%3,%4}; mov.b128 b,{%5,%6}; atom." SPACE                              \
                 "cas.b128 d,[%2],a,b; mov.b128 {%0,%1},d;}"                                                           \
                 : "=l"(d[0]), "=l"(d[1]) : "l"(ADDRESS), "l"(C[0]), "l"(C[1]), "l"(e[0]), "l"(e[1]) : "memory");      \
    SHOW(ADDRESS)
#define SHOW(ADDRESS)                                                                                                  \
    for (u32 k = 0; k < 2; k++) {                                                                                      \
        note(out, place, (u32)d[k]);                                                                                   \
        note(out, place, (u32)(d[k] >> 32));                                                                           \
    }

extern "C" __global__ void wide(const u32 *in, u32 *out)
{
    __shared__ ulonglong2 shared[64];
    u32 i = threadIdx.x, place = 0;
    u64 b[2], d[2], e[2] = {~(u64)in[i], in[i + 64]};
    u64 *at = (u64 *)(out + 8192) + 2 * i;
    unsigned own = (unsigned)__cvta_generic_to_shared(&shared[i]);
    for (u32 k = 0; k < 2; k++) {
        b[k] = (u64)in[(i + 31 * k + 7) % 192] << 32 | in[(i + 29 * k) % 192];
        at[k] = (&shared[i].x)[k] = in[(i + 37 * k) % 192];
    }
    __syncthreads();
    SWAP("global.", at);
    SWAP("", at);
    COMPARE("global.", at, b); /* as it is there */
    COMPARE("global.", at, b); /* no longer */
    COMPARE("", at, e);
    SWAP("shared.", (u64)own);
    COMPARE("shared.", (u64)own, b);
    COMPARE("shared.", (u64)own, b);
    for (u32 k = 0; k < 2; k++) {
        note(out, place, (u32)(at[k] ^ (&shared[i].x)[k]));
        note(out, place, (u32)at[k]);
    }
}
