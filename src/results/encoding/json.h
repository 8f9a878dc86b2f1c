/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A writer of JSON text. A library's tree of values cannot hold what results consist of: unsigned 64-bit counters and
 * ratios with exactly six decimals, neither of which may pass through floating point; so they are written as they come.
 */
#ifndef MNP_RESULTS_JSON_H
#define MNP_RESULTS_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct mnp_json {
    FILE *out;
    unsigned depth;
    bool started;         /* the innermost object or array has an element already */
    unsigned inside_line; /* brackets opened on the present line that will close on it */
};

/* Every value has a name inside an object, and NULL inside an array. */
void results_json_open(struct mnp_json *json, const char *name, char bracket); /* '{' or '[' */
void results_json_close(struct mnp_json *json, char bracket);                  /* '}' or ']' */
/* The same on a single line, with everything inside. */
void results_json_open_inline(struct mnp_json *json, const char *name, char bracket);
void results_json_close_inline(struct mnp_json *json, char bracket);
void results_json_number(struct mnp_json *json, const char *name, uint64_t value);
void results_json_boolean(struct mnp_json *json, const char *name, bool value);
/* Bytes that are not UTF-8 become U+FFFD. */
void results_json_text(struct mnp_json *json, const char *name, const char *value);
/* A number that is already text. */
void results_json_verbatim(struct mnp_json *json, const char *name, const char *value);

#endif
