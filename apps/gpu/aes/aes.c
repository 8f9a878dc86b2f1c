/* SPDX-License-Identifier: BSD-3-Clause */
/* The host enciphers byte by byte, as FIPS 197 describes it; the first block is that standard's example (C.1). */
#include "common/app.h"

#include <string.h>

enum { BLOCKS };

/* In GF(2^8) with the polynomial x^8 + x^4 + x^3 + x + 1. */
static uint8_t times(uint8_t a, uint8_t b)
{
    uint8_t product = 0;
    for (; b; b >>= 1) {
        product ^= b & 1 ? a : 0;
        a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0x1b : 0));
    }
    return product;
}

/* The inverse, and an affine map of its bits. */
static uint8_t substitute(uint8_t x)
{
    uint8_t inverse = 1, result = 0x63;
    for (int i = 0; i < 254; i++) /* x^254 */
        inverse = times(inverse, x);
    for (int turn = 0; turn < 5; turn++)
        result ^= (uint8_t)(inverse << turn | inverse >> (8 - turn));
    return result;
}

static void expand_key(const uint8_t *s, const uint8_t *key, uint8_t *keys)
{
    uint8_t constant = 1;
    memcpy(keys, key, 16);
    for (int i = 16; i < 176; i += 4) {
        uint8_t word[4];
        memcpy(word, keys + i - 4, 4);
        if (i % 16 == 0) {
            uint8_t first = word[0];
            for (int j = 0; j < 4; j++)
                word[j] = s[j < 3 ? word[j + 1] : first];
            word[0] ^= constant;
            constant = times(constant, 2);
        }
        for (int j = 0; j < 4; j++)
            keys[i + j] = keys[i + j - 16] ^ word[j];
    }
}

static void encipher(const uint8_t *s, const uint8_t *keys, const uint8_t *from, uint8_t *to)
{
    uint8_t state[16], shifted[16];
    for (int i = 0; i < 16; i++)
        state[i] = from[i] ^ keys[i];
    for (int round = 1; round <= 10; round++) {
        for (int i = 0; i < 16; i++) /* row i % 4 moves by as many columns */
            shifted[i] = s[state[(i + 4 * (i % 4)) % 16]];
        for (int i = 0; i < 16; i++) {
            const uint8_t *column = shifted + i / 4 * 4;
            state[i] = round == 10 ? shifted[i]
                                   : times(column[i % 4], 2) ^ times(column[(i + 1) % 4], 3) ^ column[(i + 2) % 4] ^
                                         column[(i + 3) % 4];
            state[i] ^= keys[16 * round + i];
        }
    }
    memcpy(to, state, 16);
}

static void aes_run(struct app_run *run)
{
    static const uint8_t answer[16] = {0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                       0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
    uint32_t blocks = run->sizes[BLOCKS], table[256], substitution[256], first[4], known[4];
    size_t bytes = 16 * (size_t)blocks;
    uint8_t s[256], key[16], keys[176], *text = app_host(run, bytes, 1), *expected = app_host(run, bytes, 1);
    for (int i = 0; i < 256; i++) {
        s[i] = substitute((uint8_t)i);
        substitution[i] = s[i];
        table[i] = times(s[i], 2) | (uint32_t)s[i] << 8 | (uint32_t)s[i] << 16 | (uint32_t)times(s[i], 3) << 24;
    }
    for (int i = 0; i < 16; i++)
        key[i] = (uint8_t)i;
    for (size_t i = 0; i < bytes; i++)
        text[i] = i < 16 ? (uint8_t)(0x11 * i) : (uint8_t)app_random(run);
    expand_key(s, key, keys);
    for (size_t i = 0; i < bytes; i += 16)
        encipher(s, keys, text + i, expected + i);
    CUdeviceptr from = app_copy(run, text, bytes), to = app_device(run, bytes);
    CUdeviceptr dt = app_copy(run, table, sizeof table), ds = app_copy(run, substitution, sizeof substitution);
    app_write(run, app_variable(run, "aes_keys"), keys, sizeof keys);
    app_launch(run, "aes", app_shape(blocks, 256), &from, &to, &dt, &ds, &blocks);
    uint32_t *got = app_read(run, to, bytes);
    memcpy(first, got, 16);
    memcpy(known, answer, 16);
    app_check_words(run, "the standard's example", first, known, 4);
    app_check_words(run, "ciphertext", got, (uint32_t *)expected, bytes / 4);
}

const struct app app_aes = {
    .name = "aes",
    .suite = "ISPASS-2009",
    .summary = "enciphers blocks with AES-128",
    .stresses =
        "Sixteen look-ups of shared memory in each round, at addresses that are as good as random: bank conflicts "
        "of three or four lanes, and integer logic between them. Constant memory delivers the round keys.",
    .tolerance = "exact",
    .sizes = {{"blocks", 2048, 1, 1 << 22, 0, "blocks of 16 bytes", NULL}},
    .run = aes_run};
