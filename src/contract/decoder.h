/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static instructions as text, and the decoder for it. A packed trace keeps the text of each instruction and not what
 * was once made of it, so that a better opcode table improves old files too; whoever opens one hands in the decoder.
 */
#ifndef MNP_CONTRACT_DECODER_H
#define MNP_CONTRACT_DECODER_H

#include "contract/instruction.h"

#include <stddef.h>

enum { MNP_OPCODE_TEXT = 64 }; /* room for an opcode with its modifiers */

enum mnp_decoded { MNP_DECODED, MNP_DECODED_UNKNOWN /* as INT, flagged */, MNP_DECODED_MALFORMED };

struct mnp_decoder {
    /* Fills in all of `instruction` but its PC. `opcode` becomes the full name. */
    enum mnp_decoded (*decode)(const char *text, size_t length, struct mnp_static_instruction *instruction,
                               char opcode[static MNP_OPCODE_TEXT]);
    const char *(*opcode_name)(uint16_t opcode);
};

#endif
