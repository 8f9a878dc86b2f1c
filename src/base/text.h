/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing of numbers in human-readable form: whole numbers, sizes ("64KiB"), clocks ("3500.5MHz"); the
 * nearest known word to a misspelt one; and escaping of users' texts. Every value is an exact integer; floating point
 * is never used.
 */
#ifndef MNP_BASE_TEXT_H
#define MNP_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool mnp_begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* The greatest number that a machine file or an option can state: the largest signed 64-bit integer. */
#define MNP_NUMBER_MAX ((uint64_t)INT64_MAX)

/*
 * The parsers below take the whole text. They return NULL on success, or a description of the error that completes a
 * sentence beginning with the text: "is negative". `*value` is set only on success.
 */

/* A decimal or 0x number, nothing before or after it. */
const char *mnp_parse_number(const char *text, uint64_t *value);

/* A size in bytes: "128", "128B", "64KiB", "1.5MiB", "2GiB". */
const char *mnp_parse_size(const char *text, uint64_t *value);

/* A frequency in hertz: "1365MHz", "3500.5MHz", "1.7GHz", "32768". A fraction of a hertz is an error. */
const char *mnp_parse_hertz(const char *text, uint64_t *value);

enum { MNP_NUMBER_TEXT = 48 }; /* buffer size for every number that the writers below produce */

/* A size in the largest unit that states it exactly: "64KiB", "100". */
const char *mnp_format_size(char text[MNP_NUMBER_TEXT], uint64_t bytes);

/* A frequency, exactly: "3500.5MHz", "32768". */
const char *mnp_format_hertz(char text[MNP_NUMBER_TEXT], uint64_t hertz);

/* A number with a comma between groups of three digits. */
const char *mnp_format_grouped(char text[MNP_NUMBER_TEXT], uint64_t value);

/* numerator × scale / denominator, rounded to 6 decimals, by one division of integers; 0.000000 when the denominator
 * is 0. */
const char *mnp_format_ratio(char text[MNP_NUMBER_TEXT], uint64_t numerator, uint64_t scale, uint64_t denominator);

/* Like mnp_format_ratio, with fewer decimals, for human readers. */
const char *mnp_format_ratio_decimals(char text[MNP_NUMBER_TEXT], uint64_t numerator, uint64_t scale,
                                      uint64_t denominator, unsigned decimals);

/* FNV-1a of a text, 64 bits; 0 is the usual seed. */
uint64_t mnp_text_hash(uint64_t seed, const char *text);

/* Returns the word of `words` that a misspelt word most likely stands for, or NULL if none is close. */
const char *mnp_nearest_word(const char *misspelt, const char *const *words, size_t count);

/* Length in bytes of the UTF-8 sequence at `text`, or 0 if the sequence is invalid. Overlong forms and surrogates are
 * invalid. */
size_t mnp_utf8_length(const char *text);

/* Number of bytes at `text` that must be escaped: terminal controls, bidirectional controls, or invalid UTF-8. Returns
 * 0 for a printable character. */
size_t mnp_steering_bytes(const char *text);

/* Escapes a text so that a file name or a trace cannot control a terminal: control characters (including newlines),
 * bidirectional controls and invalid UTF-8 become \xNN. The result is truncated to `room` bytes. Returns `out`. */
const char *mnp_escape(char *out, size_t room, const char *text);

#endif
