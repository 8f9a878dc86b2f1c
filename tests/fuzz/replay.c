/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A fuzz target without a fuzzer: every seed, and random changes of it, the same ones every time. Continuous
 * integration runs this with the sanitizers of its compiler; libFuzzer, which needs a build of its own, has longer
 * (make test-fuzz).
 * Usage: replay_TARGET CHANGES SEED-FOLDER
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 /* bytes of an input */ };

struct text {
    uint8_t bytes[2 * MOST];
    size_t size;
};

static uint64_t next_random(uint64_t *state)
{
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* A bit is turned, a byte is set, a stretch is lost, comes again, or comes twice. */
static void change(struct text *text, uint64_t *state)
{
    if (!text->size)
        return;
    size_t at = next_random(state) % text->size, length = 1 + next_random(state) % 16;
    length = length < text->size - at ? length : text->size - at;
    switch (next_random(state) % 5) {
    case 0:
        text->bytes[at] ^= (uint8_t)(1u << next_random(state) % 8);
        break;
    case 1:
        text->bytes[at] = (uint8_t) "\0\xff 09-\n\""[next_random(state) % 8];
        break;
    case 2:
        memmove(text->bytes + at, text->bytes + at + length, text->size - at - length);
        text->size -= length;
        break;
    case 3:
        memmove(text->bytes + next_random(state) % (text->size - length + 1), text->bytes + at, length);
        break;
    default:
        memmove(text->bytes + at + length, text->bytes + at, text->size - at);
        text->size = text->size + length < MOST ? text->size + length : MOST;
        break;
    }
}

static void replay(const char *folder, const char *name, uint64_t changes)
{
    char path[4096];
    struct text seed = {0};
    uint64_t state = changes;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        return;
    seed.size = fread(seed.bytes, 1, MOST, file);
    fclose(file);
    LLVMFuzzerTestOneInput(seed.bytes, seed.size);
    for (uint64_t i = 0; i < changes; i++) {
        struct text text = seed;
        for (uint64_t left = 1 + next_random(&state) % 4; left; left--)
            change(&text, &state);
        uint8_t *exact = malloc(text.size + !text.size); /* so that a sanitizer sees what lies behind it */
        if (!exact)
            abort();
        memcpy(exact, text.bytes, text.size);
        LLVMFuzzerTestOneInput(exact, text.size);
        free(exact);
    }
}

int main(int argc, char **argv)
{
    struct dirent **names;
    int count = argc == 3 ? scandir(argv[2], &names, NULL, alphasort) : -1;
    if (count < 0) {
        fprintf(stderr, "usage: %s CHANGES SEED-FOLDER\n", argv[0]);
        return 2;
    }
    for (int i = 0; i < count; i++) {
        if (names[i]->d_name[0] != '.')
            replay(argv[2], names[i]->d_name, strtoull(argv[1], NULL, 10));
        free(names[i]);
    }
    free(names);
    return 0;
}
