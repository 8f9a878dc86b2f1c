/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading and writing numbers as people write them: whole numbers, sizes ("64KiB"), clocks ("3500.5MHz"), the nearest
 * known word to a misspelt one, and texts of users without control characters. Every value is an exact integer; nothing
 * goes through floating point.
 */
#ifndef MNP_BASE_TEXT_H
#define MNP_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The greatest number that a machine file or an option can state: what a signed 64-bit integer holds. */
#define MNP_NUMBER_MAX ((uint64_t)INT64_MAX)

/*
 * The readers below take the whole text and return NULL, or what is wrong with it as the end of a sentence that begins
 * with the text: "is negative". `*value` is set only on success.
 */

/* A decimal or 0x number, nothing before or after it. */
const char *mnp_parse_number(const char *text, uint64_t *value);

/* A size in bytes: "128", "128B", "64KiB", "1.5MiB", "2GiB". */
const char *mnp_parse_size(const char *text, uint64_t *value);

/* A frequency in hertz: "1365MHz", "3500.5MHz", "1.7GHz", "32768". A part of a hertz is an error. */
const char *mnp_parse_hertz(const char *text, uint64_t *value);

enum { MNP_NUMBER_TEXT = 48 }; /* room for every number that the writers below produce */

/* A size in the largest unit that states it exactly: "64KiB", "100". */
const char *mnp_format_size(char text[MNP_NUMBER_TEXT], uint64_t bytes);

/* A frequency, exactly: "3500.5MHz", "32768". */
const char *mnp_format_hertz(char text[MNP_NUMBER_TEXT], uint64_t hertz);

/* A number with a comma between groups of three digits. */
const char *mnp_format_grouped(char text[MNP_NUMBER_TEXT], uint64_t value);

/* numerator × scale / denominator, rounded to 6 decimals, by one division of integers; 0.000000 when the denominator
 * is 0. */
const char *mnp_format_ratio(char text[MNP_NUMBER_TEXT], uint64_t numerator, uint64_t scale, uint64_t denominator);

/* The same with fewer decimals, for people. */
const char *mnp_format_ratio_decimals(char text[MNP_NUMBER_TEXT], uint64_t numerator, uint64_t scale,
                                      uint64_t denominator, unsigned decimals);

/* FNV-1a of a text, 64 bits; 0 is the usual seed. */
uint64_t mnp_text_hash(uint64_t seed, const char *text);

/* The word of `words` that a misspelt one most likely stands for, or NULL when none is near. */
const char *mnp_nearest_word(const char *misspelt, const char *const *words, size_t count);

/* Bytes of the UTF-8 sequence at `text`; 0: none begins there. Overlong forms and surrogates are none. */
size_t mnp_utf8_length(const char *text);

/* Bytes at `text` that are not to be written as they are, because they steer a terminal, turn the direction of writing
 * or are no UTF-8; 0: a character that may be written. */
size_t mnp_steering_bytes(const char *text);

/* Writes a text so that a file's name or a trace cannot steer a terminal: control characters (a newline is one), those
 * that turn the direction of writing, and bytes that are no UTF-8 become \xNN. The result is cut where `room` ends.
 * Returns `out`. */
const char *mnp_escape(char *out, size_t room, const char *text);

#endif
