/* SPDX-License-Identifier: BSD-3-Clause */
/* libFuzzer target: words of machine code, decoded for every architecture and written as text. */
#include "frontend/sass/decode.h"
#include "frontend/sass/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned architectures[] = {70, 75, 80, 86, 89, 90, 100, 120};
    for (unsigned i = 0; i < sizeof architectures / sizeof *architectures; i++) {
        struct sass_decoder *decoder = sass_decoder_create(architectures[i]);
        for (size_t at = 0; at + SASS_WORD_BYTES <= size; at += SASS_WORD_BYTES) {
            struct sass_word word;
            struct sass_instruction instruction;
            char text[SASS_TEXT_MOST] = "";
            memcpy(&word, data + at, sizeof word);
            if (sass_decode(decoder, word, &instruction) != SASS_DECODED)
                continue;
            sass_text(&instruction, at, text);
            if (!text[0] || strlen(text) >= SASS_TEXT_MOST)
                abort();
        }
        sass_decoder_free(decoder);
    }
    return 0;
}
