/* SPDX-License-Identifier: BSD-3-Clause */
/* A writer of Google's protocol buffers: fields behind one another in a buffer that grows. */
#ifndef MNP_RESULTS_PROTOBUF_H
#define MNP_RESULTS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A message while it is made. All zero is an empty one. */
struct results_message {
    unsigned char *bytes;
    size_t count, room;
};

void results_message_number(struct results_message *message, uint32_t field, uint64_t value);
void results_message_double(struct results_message *message, uint32_t field, double value);
/* 64 bits as they are. */
void results_message_fixed(struct results_message *message, uint32_t field, uint64_t value);
void results_message_text(struct results_message *message, uint32_t field, const char *text);

/* A message in a message. */
void results_message_put(struct results_message *message, uint32_t field, const struct results_message *inner);

/* Empties a message, whose room is kept; releases it. */
void results_message_clear(struct results_message *message);
void results_message_release(struct results_message *message);

#endif
