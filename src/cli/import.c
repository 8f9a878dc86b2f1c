/* SPDX-License-Identifier: BSD-3-Clause */
/* `maniple import`: a machine file from a configuration of GPGPU-Sim or Accel-Sim. */
#include "gpu/import/import.h"
#include "base/allocate.h"
#include "base/file.h"
#include "cli/kinds.h"
#include "cli/verbs.h"

#include <stdlib.h>

static bool read_file(struct gpu_import *import, const char *path, struct mnp_error *error)
{
    size_t length;
    char *text = mnp_read_file(path, GPU_IMPORT_BYTES, &length, error);
    bool done = text && gpu_import_read(import, path, text, length, error);
    free(text);
    return done;
}

/* Whether a machine of that kind can be built of the settings. */
static bool check(struct mnp_settings *settings, struct mnp_error *error)
{
    const struct mnp_machine_kind *kind = mnp_kind_of(cli_kinds, settings, error);
    return kind && kind->check(settings, error);
}

/* The machine file as a text; NULL: it is refused as any other machine file would be. */
static char *make_file(const struct gpu_import *import, struct mnp_error *error)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    MNP_NEED_MEMORY(out != NULL, "a machine file");
    gpu_import_write(import, out);
    fclose(out);
    const struct mnp_machine_file files[] = {{"imported", text}, {NULL, NULL}};
    struct mnp_settings_source source = {.machine = "imported", .built_in = files};
    struct mnp_error problem = {0};
    struct mnp_settings *settings = mnp_settings_load(&source, &problem);
    if (settings && check(settings, &problem)) {
        mnp_settings_free(settings);
        return text;
    }
    mnp_settings_free(settings);
    free(text);
    mnp_fail(error, "%s: the machine that it describes cannot be built: %.800s", import->files[0], problem.text);
    return NULL;
}

static const char import_help[] =
    "Makes a machine file from gpgpusim.config, a configuration of GPGPU-Sim or Accel-Sim, and Accel-Sim's\n"
    "trace.config, and writes it to standard output. What it could not map stands in comments at the end of the file,\n"
    "and on standard error. Keep the file, look it over, and run with --machine FILE.\n";

int cli_verb_import(const struct command_line *line)
{
    int status;
    if (!cli_only_help(line, "GPGPUSIM.CONFIG [TRACE.CONFIG]", import_help, &status))
        return status;
    struct mnp_error error = {0};
    if (line->argc < 2 || line->argc > 3) {
        mnp_fail(&error, "maniple import takes a gpgpusim.config, and a trace.config if there is one");
        return cli_report_error(&error);
    }
    struct gpu_import *import = calloc(1, sizeof *import);
    MNP_NEED_MEMORY(import != NULL, "an import");
    char *text = NULL;
    bool done = true;
    for (int i = 1; done && i < line->argc; i++)
        done = read_file(import, line->argv[i], &error);
    if (done && gpu_import_map(import, &error))
        text = make_file(import, &error);
    if (text) {
        fputs(text, stdout);
        gpu_import_summarise(import, stderr);
        status = cli_finish_output(MNP_EXIT_DONE);
    } else {
        status = cli_report_error(&error);
    }
    free(text);
    gpu_import_release(import);
    free(import);
    return status;
}
