/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a configuration as a machine file that states all keys. */
#include "base/print.h"
#include "engine/configure/configuration.h"
#include "engine/configure/value.h"

static void write_open(void *context, const char *group, unsigned depth)
{
    mnp_print_text(context, "%*s%s: {\n", (int)depth * 4, "", group);
}

static void write_close(void *context, unsigned depth)
{
    mnp_print_text(context, "%*s};\n", (int)depth * 4, "");
}

static void write_value(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth)
{
    mnp_print_text(context, "%*s%s = ", (int)depth * 4, "", name);
    mnp_value_write(resolved, context);
    fputs(";\n", context);
}

static void write_origin(void *context, const char *name, const struct mnp_resolved *resolved, unsigned depth)
{
    mnp_print_text(context, "%*s%s = ", (int)depth * 4, "", name);
    mnp_value_write(resolved, context);
    mnp_print_text(context, "; // %s\n", resolved->origin);
}

static void write_quoted(FILE *out, const char *name, const char *value)
{
    mnp_print_text(out, "    %s = ", name);
    mnp_value_write_text(value, out);
    fputs(";\n", out);
}

static void write_machine(const struct mnp_settings *settings, const struct mnp_settings_visitor *visitor, FILE *out)
{
    uint32_t architecture = mnp_settings_architecture(settings);
    fputs("machine: {\n", out);
    write_quoted(out, "name", mnp_settings_name(settings));
    write_quoted(out, "kind", mnp_settings_kind(settings));
    if (architecture)
        fprintf(out, "    architecture = %u;\n", architecture);
    write_quoted(out, "description", mnp_settings_description(settings));
    fputs("};\n", out);
    mnp_settings_walk(settings, visitor);
}

void mnp_settings_write(const struct mnp_settings *settings, bool one, FILE *out)
{
    write_machine(settings, &(struct mnp_settings_visitor){write_open, write_origin, write_close, out, one}, out);
}

void mnp_settings_write_values(const struct mnp_settings *settings, FILE *out)
{
    write_machine(settings, &(struct mnp_settings_visitor){write_open, write_value, write_close, out, false}, out);
}
