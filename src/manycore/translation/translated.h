/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The beginning of every translated program (translate.c writes the rest). It is not compiled here but carried as text
 * (embed.py): in front of it stand, as #defines, the machine's parameters and the places of a core's fields, T_….
 * The C is what host compilers and nvcc have in common.
 *
 * A translated program is a function per stretch of code. It holds a core in local variables:
 *   r0 … r14; flags n, z, c, v as struct a32_flags has them, but deferred: `kind` says what they follow from:
 *     0: n, z, c, v;  1: fa - fb;  2: fa + fb;  3: n and z from fa, c and v
 *   clock; loaded, the registers loaded by the instruction before; fetched, the line of the instruction before;
 *   a, b: counts of instructions and events, four fields of 16 bits each; accesses to the data cache.
 */
typedef unsigned char u8;
typedef unsigned int u32;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

struct helpers { /* struct manycore_helpers */
    u32 (*fetch)(void *core, const void *place, u32 line);
    u32 (*data)(void *core, const void *place, u32 line, u32 write);
};

struct entry { /* struct manycore_entry_point */
    u32 pc;
    u32 (*run)(u8 *core, const u8 *place, u64 until, const struct helpers *helpers);
};

#define T32(offset) (*(u32 *)(core + (offset)))
#define T64(offset) (*(u64 *)(core + (offset)))
#define TP(offset)  (*(u8 **)(place + (offset)))
#define LIKELY(x)   __builtin_expect(!!(x), 1)

/* Bytes that are aligned to their number; where those of a tile's memory lie (lanes.h); word k / 4 from p on. */
#ifdef T_LANES
#define FUNCTION static __device__
#define STRETCH  __device__ __noinline__
#define COPY(to, from, bytes)                                                                                          \
    memcpy(__builtin_assume_aligned((void *)(to), bytes), __builtin_assume_aligned((const void *)(from), bytes), bytes)
#define AT(memory, offset)   ((memory) + ((u64)((offset) & ~3u) * T_LANES + ((offset)&3)))
#define __builtin_clz(value) __clz((int)(value))
#else
#define T_LANES  1
#define FUNCTION static inline
#define STRETCH
#define COPY(to, from, bytes) __builtin_memcpy(to, from, bytes)
#define AT(memory, offset)    ((memory) + (offset))
#endif
#define TAKE(to, k)   COPY(&to, p + (k)*T_LANES, 4);
#define GIVE(from, k) COPY(p + (k)*T_LANES, &from, 4);

/* A private address, aligned; and n words in one page of private memory, or in the scratchpad. */
#ifndef T_PRIVATE /* the host's translations serve any number of cores, which share out private memory; what is behind
                     its greatest power of two goes the way of what is elsewhere, to the interpreter */
#define T_PRIVATE private_bytes
#define PRIVATE_BOUNDS                                                                                                 \
    const u32 private_bytes = *(const u32 *)(place + T_PRIVATE_BYTES);                                                 \
    const u32 private_rest = ~((0x80000000u >> __builtin_clz(private_bytes)) - 1);
#define IN_PRIVATE(x, bytes) (!((x) & (private_rest | ((bytes)-1))))
#elif T_PRIVATE & (T_PRIVATE - 1)
#define IN_PRIVATE(x, bytes) (!((x) & ((bytes)-1)) && (x) < T_PRIVATE)
#else
#define IN_PRIVATE(x, bytes) (!((x) & ((T_PRIVATE - 1) ^ 0xFFFFFFFFu | ((bytes)-1))))
#endif
#ifndef PRIVATE_BOUNDS
#define PRIVATE_BOUNDS
#endif
#define IN_SCRATCHPAD(x, bytes)   ((x)-0x20000000u < T_SCRATCHPAD && !((x) & ((bytes)-1)))
#define WORDS_IN_PRIVATE(x, n)    (!((x)&3) && (x) < T_PRIVATE && ((x)&4095) <= 4096 - 4 * (n))
#define WORDS_IN_SCRATCHPAD(x, n) (!((x)&3) && (x)-0x20000000u <= T_SCRATCHPAD - 4 * (n))

/* ===== time ===== */

#if T_D_LRU
#define D_WORD(line) (data_words + (line) % T_D_SETS * T_D_WAYS * T_LANES)
#else
#define D_WORD(line) (data_words + ((line) % T_D_SETS * T_D_WAYS + data_guess[(line) % T_GUESSES * T_LANES]) * T_LANES)
#endif
#if T_CACHES
#define TOUCH(x, write)                                                                                                \
    {                                                                                                                  \
        u32 line_ = (x) >> T_D_SHIFT, *word_ = D_WORD(line_);                                                          \
        accesses++;                                                                                                    \
        if (LIKELY((*word_ & ~2u) == (line_ << 2 | 1))) {                                                              \
            if ((write)&T_D_WRITE_BACK)                                                                                \
                *word_ |= 2;                                                                                           \
            clock += T_D_HIT - 1;                                                                                      \
        } else {                                                                                                       \
            clock += helpers->data(core, place, line_, write);                                                         \
        }                                                                                                              \
    }
#else
#define TOUCH(x, write) clock += T_PRIVATE_ACCESS - 1;
#endif
#define FETCH(line)                                                                                                    \
    if (fetched != (line) + 1u) {                                                                                      \
        u32 way_ = T_I_LRU ? 0 : fetch_guess[(line) % T_GUESSES * T_LANES];                                            \
        u32 *word_ = fetch_words + ((line) % T_I_SETS * T_I_WAYS + way_) * T_LANES;                                    \
        fetched = (line) + 1u;                                                                                         \
        if (!LIKELY((*word_ & ~2u) == ((line) << 2 | 1u)))                                                             \
            clock += helpers->fetch(core, place, line);                                                                \
    }

/* ===== loads and stores: of one element, and of words; `otherwise` is what happens elsewhere than here ===== */

#define LOAD_PRIVATE(x, to, type)                                                                                      \
    {                                                                                                                  \
        type t_;                                                                                                       \
        COPY(&t_, AT(readable[(x) >> 12], (x)&4095), sizeof(type));                                                    \
        to = (u32)t_;                                                                                                  \
        TOUCH(x, 0)                                                                                                    \
    }
#define LOAD_SCRATCHPAD(x, to, type)                                                                                   \
    {                                                                                                                  \
        type t_;                                                                                                       \
        COPY(&t_, AT(scratchpad, (x)-0x20000000u), sizeof(type));                                                      \
        to = (u32)t_;                                                                                                  \
        clock += T_SCRATCHPAD_ACCESS - 1;                                                                              \
    }
#define LOAD(x, to, type, otherwise)                                                                                   \
    if (LIKELY(IN_PRIVATE(x, sizeof(type))))                                                                           \
        LOAD_PRIVATE(x, to, type)                                                                                      \
    else if (IN_SCRATCHPAD(x, sizeof(type)))                                                                           \
        LOAD_SCRATCHPAD(x, to, type)                                                                                   \
    else                                                                                                               \
        otherwise
#define LOAD_STACK(x, to, type, otherwise)                                                                             \
    if (LIKELY(IN_SCRATCHPAD(x, sizeof(type))))                                                                        \
        LOAD_SCRATCHPAD(x, to, type)                                                                                   \
    else if (IN_PRIVATE(x, sizeof(type)))                                                                              \
        LOAD_PRIVATE(x, to, type)                                                                                      \
    else                                                                                                               \
        otherwise
#define STORE_PRIVATE(x, value, type, otherwise)                                                                       \
    {                                                                                                                  \
        u8 *p_ = writable[(x) >> 12];                                                                                  \
        type t_ = (type)(value);                                                                                       \
        if (!LIKELY(p_))                                                                                               \
            otherwise COPY(AT(p_, (x)&4095), &t_, sizeof(type));                                                       \
        TOUCH(x, 1)                                                                                                    \
    }
#define STORE_SCRATCHPAD(x, value, type)                                                                               \
    {                                                                                                                  \
        type t_ = (type)(value);                                                                                       \
        COPY(AT(scratchpad, (x)-0x20000000u), &t_, sizeof(type));                                                      \
        clock += T_SCRATCHPAD_ACCESS - 1;                                                                              \
    }
#define STORE(x, value, type, otherwise)                                                                               \
    if (LIKELY(IN_PRIVATE(x, sizeof(type))))                                                                           \
        STORE_PRIVATE(x, value, type, otherwise)                                                                       \
    else if (IN_SCRATCHPAD(x, sizeof(type)))                                                                           \
        STORE_SCRATCHPAD(x, value, type)                                                                               \
    else                                                                                                               \
        otherwise
#define STORE_STACK(x, value, type, otherwise)                                                                         \
    if (LIKELY(IN_SCRATCHPAD(x, sizeof(type))))                                                                        \
        STORE_SCRATCHPAD(x, value, type)                                                                               \
    else if (IN_PRIVATE(x, sizeof(type)))                                                                              \
        STORE_PRIVATE(x, value, type, otherwise)                                                                       \
    else                                                                                                               \
        otherwise

/* Sets `p` to where n words from address x lie; and spends their time. */
#define WORDS(x, n, pages, otherwise)                                                                                  \
    if (WORDS_IN_SCRATCHPAD(x, n))                                                                                     \
        p = AT(scratchpad, (x)-0x20000000u);                                                                           \
    else if (LIKELY(WORDS_IN_PRIVATE(x, n) && (p = pages[(x) >> 12]) != 0))                                            \
        p = AT(p, (x)&4095);                                                                                           \
    else                                                                                                               \
        otherwise
#define WORDS_TIME(x, n, write)                                                                                        \
    if ((x) >= 0x20000000u)                                                                                            \
        clock += (n) * (T_SCRATCHPAD_ACCESS - 1);                                                                      \
    else                                                                                                               \
        for (u32 i_ = 0; i_ < (n); i_++)                                                                               \
        TOUCH((x) + 4 * i_, write)

/* ===== flags ===== */

#define SUB_V(x, y) ((((x) ^ (y)) & ((x) ^ ((x) - (y)))) >> 31)
#define ADD_V(x, y) ((((x) ^ ((x) + (y))) & ((y) ^ ((x) + (y)))) >> 31)
/* Makes c and v true, whatever they are deferred to. */
#define SETTLE_CARRY                                                                                                   \
    if (kind == 1) {                                                                                                   \
        c = fa >= fb;                                                                                                  \
        v = SUB_V(fa, fb);                                                                                             \
    } else if (kind == 2) {                                                                                            \
        c = fa + fb < fa;                                                                                              \
        v = ADD_V(fa, fb);                                                                                             \
    }
#define SETTLE                                                                                                         \
    SETTLE_CARRY                                                                                                       \
    if (kind)                                                                                                          \
        n = z = kind == 1 ? fa - fb : kind == 2 ? fa + fb : fa;                                                        \
    kind = 0;

#define ROTATE(x, by) ((x) >> (by) | (x) << (32 - (by)))

/* Shifts by the low byte of a register, and their carry. */
FUNCTION u32 shift_by(u32 x, u32 type, u32 by)
{
    by &= 255;
    if (type == 3)
        return by & 31 ? ROTATE(x, by & 31) : x;
    if (by >= 32)
        return type == 2 ? (u32)((s32)x >> 31) : 0;
    return type == 0 ? x << by : type == 1 ? x >> by : (u32)((s32)x >> by);
}

FUNCTION u32 carry_by(u32 x, u32 type, u32 by, u32 in)
{
    by &= 255;
    if (by == 0)
        return in;
    if (type == 3)
        return x >> ((by - 1) & 31) & 1;
    if (by >= 32)
        return by == 32 || type == 2 ? (type == 0 ? x & 1 : x >> 31) : 0;
    return type == 0 ? x >> (32 - by) & 1 : x >> (by - 1) & 1;
}

/* ===== entering and leaving ===== */

#define ENTER                                                                                                          \
    u32 r0 = T32(T_R), r1 = T32(T_R + 4), r2 = T32(T_R + 8), r3 = T32(T_R + 12), r4 = T32(T_R + 16);                   \
    u32 r5 = T32(T_R + 20), r6 = T32(T_R + 24), r7 = T32(T_R + 28), r8 = T32(T_R + 32), r9 = T32(T_R + 36);            \
    u32 r10 = T32(T_R + 40), r11 = T32(T_R + 44), r12 = T32(T_R + 48), r13 = T32(T_R + 52), r14 = T32(T_R + 56);       \
    u32 pc = T32(T_R + 60), n = T32(T_N), z = T32(T_Z), c = T32(T_C), v = T32(T_V), fa = 0, fb = 0, kind = 0;          \
    u32 loaded = T32(T_LOADED), fetched = T32(T_FETCHED), accesses = 0, more = 0, x, y, p32;                           \
    PRIVATE_BOUNDS                                                                                                     \
    u64 clock = T64(T_CLOCK), a = 0, b = 0, wide;                                                                      \
    u8 *const *readable = *(u8 *const **)(place + T_READABLE), *const *writable = *(u8 *const **)(place + T_WRITABLE); \
    u8 *scratchpad = TP(T_SCRATCHPAD_AT), *p;                                                                          \
    u32 *data_words = (u32 *)TP(T_DATA_WORDS), *fetch_words = (u32 *)TP(T_FETCH_WORDS);                                \
    const u8 *data_guess = TP(T_DATA_GUESS), *fetch_guess = TP(T_FETCH_GUESS);                                         \
    if (until > clock + 49152) /* the counts of a and b have room for 65535 */                                         \
        until = clock + 49152;

#define FIELD(word, i) ((word) >> 16 * (i)&0xFFFF)
#define LEAVE                                                                                                          \
    T32(T_R) = r0, T32(T_R + 4) = r1, T32(T_R + 8) = r2, T32(T_R + 12) = r3, T32(T_R + 16) = r4;                       \
    T32(T_R + 20) = r5, T32(T_R + 24) = r6, T32(T_R + 28) = r7, T32(T_R + 32) = r8, T32(T_R + 36) = r9;                \
    T32(T_R + 40) = r10, T32(T_R + 44) = r11, T32(T_R + 48) = r12, T32(T_R + 52) = r13, T32(T_R + 56) = r14;           \
    T32(T_R + 60) = pc;                                                                                                \
    SETTLE                                                                                                             \
    T32(T_N) = n, T32(T_Z) = z, T32(T_C) = c, T32(T_V) = v;                                                            \
    T32(T_LOADED) = loaded, T32(T_FETCHED) = fetched;                                                                  \
    T64(T_CLOCK) = clock;                                                                                              \
    T64(T_MIX_ALU) += FIELD(a, 0), T64(T_MIX_LOAD) += FIELD(a, 1), T64(T_MIX_BRANCH) += FIELD(a, 2);                   \
    T64(T_MIX_STORE) += FIELD(b, 0), T64(T_MIX_MULTIPLY) += FIELD(b, 1), T64(T_MIX_MEDIA) += FIELD(b, 3);              \
    T64(T_BRANCH_CYCLES) += FIELD(a, 3) * T_BRANCH, T64(T_LOAD_USE_CYCLES) += FIELD(b, 2) * T_LOAD_USE;                \
    T64(T_DATA_ACCESSES) += accesses;                                                                                  \
    if (T_CACHES && cached)                                                                                            \
        T64(T_FETCH_ACCESSES) += FIELD(a, 0) + FIELD(a, 1) + FIELD(a, 2) + FIELD(b, 0) + FIELD(b, 1) + FIELD(b, 3);    \
    return more;
