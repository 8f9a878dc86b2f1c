/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/app.h"

#include <math.h>
#include <string.h>

enum { CHUNKS, BYTES };

static void absorb(uint32_t *state, const uint32_t *sines, const uint8_t *bytes)
{
    static const uint8_t factor[] = {1, 5, 3, 7}, offset[] = {0, 1, 5, 0};
    static const uint8_t turns[4][4] = {{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};
    uint32_t v[4], word;
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        /* The roles of the four values move on by one with each step. */
        uint32_t *a = &v[-i % 4], b = v[(1 - i) % 4], c = v[(2 - i) % 4], d = v[(3 - i) % 4];
        uint32_t mixed[] = {d ^ (b & (c ^ d)), c ^ (d & (b ^ c)), b ^ c ^ d, c ^ (b | ~d)};
        unsigned round = i / 16, turn = turns[round][i % 4];
        memcpy(&word, bytes + 4 * ((factor[round] * i + offset[round]) % 16), 4);
        *a += mixed[round] + sines[i] + word;
        *a = (*a << turn | *a >> (32 - turn)) + b;
    }
    for (int i = 0; i < 4; i++)
        state[i] += v[i];
}

static void md5(const uint32_t *sines, const uint8_t *bytes, size_t count, uint32_t *digest)
{
    static const uint32_t start[] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t tail[128] = {0};
    uint64_t bits = 8 * (uint64_t)count;
    memcpy(digest, start, sizeof start);
    for (; count >= 64; bytes += 64, count -= 64)
        absorb(digest, sines, bytes);
    memcpy(tail, bytes, count);
    tail[count] = 0x80;
    size_t end = count < 56 ? 56 : 120;
    memcpy(tail + end, &bits, 8);
    for (size_t i = 0; i < end; i += 64)
        absorb(digest, sines, tail + i);
}

static void sto_run(struct app_run *run)
{
    /* RFC 1321's own example: the digest of "abc". */
    static const uint32_t known[4] = {0x98500190, 0xb04fd23c, 0x7d3f96d6, 0x727fe128};
    uint32_t chunks = run->sizes[CHUNKS], bytes = run->sizes[BYTES], words = bytes / 4, sines[64], example[4];
    if ((uint64_t)chunks * bytes > UINT32_C(1) << 30)
        app_stop(run, 2, "--chunks %u --bytes %u: is more than 2^30 bytes", chunks, bytes);
    uint8_t *data = app_host(run, (size_t)chunks * bytes, 1);
    uint32_t *expected = app_host(run, 4 * (size_t)chunks, 4);
    for (int i = 0; i < 64; i++)
        sines[i] = (uint32_t)(int64_t)(fabs(sin(i + 1)) * 4294967296.0);
    for (size_t i = 0; i < (size_t)chunks * bytes; i++)
        data[i] = (uint8_t)app_random(run);
    md5(sines, (const uint8_t *)"abc", 3, example);
    for (size_t i = 0; i < chunks; i++)
        md5(sines, data + i * bytes, bytes, expected + 4 * i);
    CUdeviceptr from = app_copy(run, data, (size_t)chunks * bytes), to = app_device(run, 16 * (size_t)chunks);
    app_write(run, app_variable(run, "sto_sines"), sines, sizeof sines);
    app_launch(run, "sto", app_shape(chunks, 64), &from, &to, &chunks, &words);
    app_check_words(run, "the host's digest of RFC 1321's example", example, known, 4);
    app_check_words(run, "digests", app_read(run, to, 16 * (size_t)chunks), expected, 4 * (size_t)chunks);
}

const struct app app_sto = {
    .name = "sto",
    .suite = "ISPASS-2009",
    .summary = "digests (MD5) of many chunks of data, as a store takes them",
    .stresses =
        "Chains of integer additions, logic and shifts without any parallelism inside a thread, and shared memory "
        "that is filled by the block together and read by each thread in its own row: the latency of the INT "
        "pipes, and how many warps it takes to hide it.",
    .tolerance = "exact",
    .sizes = {{"chunks", 512, 1, 1 << 20, 0, "chunks", NULL}, {"bytes", 128, 64, 65536, 64, "bytes of a chunk", NULL}},
    .run = sto_run};
