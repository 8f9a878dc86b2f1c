/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Static instructions as text, and the interface of a decoder for that text. A packed trace stores the text of each
 * instruction, not its decoded form: when the opcode table improves, old files profit. The caller that opens a trace
 * passes in the decoder.
 */
#ifndef MNP_CONTRACT_DECODER_H
#define MNP_CONTRACT_DECODER_H

#include "contract/instruction.h"

#include <stddef.h>

enum { MNP_OPCODE_TEXT = 64 }; /* size of a buffer for an opcode with its modifiers */

enum mnp_decoded {
    MNP_DECODED,
    MNP_DECODED_UNKNOWN /* decoded as INT, with MNP_FLAG_UNKNOWN */,
    MNP_DECODED_MALFORMED
};

struct mnp_decoder {
    /* Fills in all of `instruction` but its PC. `opcode` becomes the full name. */
    enum mnp_decoded (*decode)(const char *text, size_t length, struct mnp_static_instruction *instruction,
                               char opcode[static MNP_OPCODE_TEXT]);
    const char *(*opcode_name)(uint16_t opcode);
};

#endif
