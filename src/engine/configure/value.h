/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The value of one parameter: converted from the form in a machine file or on the command line to the form that a model
 * reads, and checked for type, unit and range.
 */
#ifndef MNP_ENGINE_CONFIGURE_VALUE_H
#define MNP_ENGINE_CONFIGURE_VALUE_H

#include "engine/configure/configuration.h"
#include "engine/configure/machine_file.h"

/* Converts the value of a setting for a row. On failure, the error describes the value that the row requires. */
bool mnp_value_convert(const struct mnp_parameter *row, const struct mnp_joined *joined,
                       const struct mnp_setting *setting, struct mnp_resolved *resolved, struct mnp_error *error);

/* Stores a resolved value into a parameter struct. */
void mnp_value_store(const struct mnp_resolved *resolved, void *parameters);

/* Writes a resolved value in machine-file syntax. */
void mnp_value_write(const struct mnp_resolved *resolved, FILE *out);

/* Writes a text in quotes, escaped for a machine file. */
void mnp_value_write_text(const char *text, FILE *out);

/* Describes the value that a row requires: "a whole number from 1 to 4096". */
void mnp_value_expectation(const struct mnp_parameter *row, const struct mnp_joined *joined, char *text, size_t room);

/* Fails with an error that begins with the location of a setting. */
bool mnp_setting_fail(const struct mnp_setting *setting, struct mnp_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
