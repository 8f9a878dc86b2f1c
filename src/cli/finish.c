/* SPDX-License-Identifier: BSD-3-Clause */
/* How verbs end: their errors, and standard output that may be full. */
#include "base/file.h"
#include "base/print.h"
#include "cli/verbs.h"

#include <stdio.h>

int cli_report_error(const struct mnp_error *error)
{
    mnp_print_text(stderr, "maniple: error: %s\n", error->text);
    return MNP_EXIT_USER;
}

int cli_finish_output(int status)
{
    struct mnp_error error = {0};
    return mnp_check_stream(stdout, "standard output", &error) ? status : cli_report_error(&error);
}
