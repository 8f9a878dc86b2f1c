/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value of one parameter: from what a machine file or the command line says to what a model reads, checked for
 * type, unit and range.
 */
#ifndef MNP_ENGINE_CONFIGURE_VALUE_H
#define MNP_ENGINE_CONFIGURE_VALUE_H

#include "engine/configure/configuration.h"
#include "engine/configure/machine_file.h"

/* Converts the value of a setting for a row. On failure the error says what the row asks for. */
bool mnp_value_convert(const struct mnp_parameter *row, const struct mnp_joined *joined,
                       const struct mnp_setting *setting, struct mnp_resolved *resolved, struct mnp_error *error);

/* Stores a resolved value into a parameter struct. */
void mnp_value_store(const struct mnp_resolved *resolved, void *parameters);

/* Writes a resolved value as it would stand in a machine file. */
void mnp_value_write(const struct mnp_resolved *resolved, FILE *out);

/* Writes a text in quotes, escaped as a machine file needs it. */
void mnp_value_write_text(const char *text, FILE *out);

/* What a row asks for, in words: "a whole number from 1 to 4096". */
void mnp_value_expectation(const struct mnp_parameter *row, const struct mnp_joined *joined, char *text, size_t room);

/* Fails with an error that begins with the place of a setting. */
bool mnp_setting_fail(const struct mnp_setting *setting, struct mnp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
