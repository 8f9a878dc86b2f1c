/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles in shared memory, and products of them by `mma`. */
#ifndef LAYERS_TILES_H
#define LAYERS_TILES_H

#include "layers/numbers.h"

static inline __device__ u32 shared_place(const void *at)
{
    return (u32)__cvta_generic_to_shared(at);
}

// A tile of rows of WIDTH numbers: 16 bytes in column c of row r lie at column c ^ (r % 8), without conflicts.
template <u32 WIDTH> static __device__ u32 place(u32 tile, u32 row, u32 column)
{
    return tile + row * WIDTH * 2 + ((column ^ (row % 8)) * 16);
}

// 16 bytes, which are zeros where they are not there.
static inline __device__ void copy_16(u32 to, const u16 *from, bool there)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(there ? 16 : 0));
}

static inline __device__ void copies_done()
{
    asm volatile("cp.async.commit_group;");
}

template <u32 OPEN> static __device__ void wait_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(OPEN));
}

// Four matrices of 8 x 8 numbers, OFFSET bytes behind `from`; turned, where TURNED.
template <u32 OFFSET, bool TURNED> static __device__ void load_matrices(u32 (&to)[4], u32 from)
{
    if (TURNED)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4 + %5];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from), "n"(OFFSET));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4 + %5];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(from), "n"(OFFSET));
}

static inline __device__ void load_matrices(u32 (&to)[4], u32 from)
{
    load_matrices<0, false>(to, from);
}

static inline __device__ void multiply(float (&d)[4], const u32 (&a)[4], u32 b0, u32 b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

#endif
