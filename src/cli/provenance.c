/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/provenance.h"

#include "base/installed.h"
#include "base/print.h"
#include "base/version.h"
#include "build.h"
#include "commit.h"
#include "fingerprint.h"
#include "plugin/plugin.h"
#include "results/provenance/provenance.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static const char *const build[][2] = {
    {"version", MANIPLE_VERSION},   {"commit", MANIPLE_COMMIT}, {"sources", MANIPLE_FINGERPRINT},
    {"compiler", MANIPLE_COMPILER}, {"options", MANIPLE_BUILD},
};

void cli_provenance_print(void)
{
    puts("maniple " MANIPLE_VERSION);
    for (size_t i = 1; i < sizeof build / sizeof *build; i++)
        mnp_print_text(stdout, "%-9s %s\n", build[i][0], build[i][1]);
}

/* Variables that change what a program does, or where it finds its libraries. */
static bool matters(const char *variable)
{
    static const char *const prefixes[] = {"CUDA_",    "CUBLAS", "CUDNN",   "CUPTI_", "HF_",  "LD_",
                                           "MKL_",     "NCCL_",  "NVIDIA_", "NVCC_",  "OMP_", "PYTHON",
                                           "PYTORCH_", "TORCH",  "TRITON",  "XLA_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(variable, prefixes[i], strlen(prefixes[i])) == 0)
            return !strstr(variable, "TOKEN") && !strstr(variable, "KEY") && !strstr(variable, "SECRET");
    return false;
}

static void add_environment(struct mnp_array *facts)
{
    for (char **variable = environ; *variable; variable++) {
        char *name = strdup(*variable), *equals = strchr(name, '=');
        if (equals) {
            *equals = 0;
            if (matters(name))
                results_provenance_add(facts, "environment", name, equals + 1);
        }
        free(name);
    }
}

static void add_word(struct mnp_array *facts, const char *word)
{
    char number[16];
    snprintf(number, sizeof number, "%03u", facts->count);
    results_provenance_add(facts, "command", number, word);
}

/* The command, without plug-ins that the environment names, or folders of a while: such as repeats the run. Plug-ins
 * stand behind the other options. */
static void add_command(struct mnp_array *facts, int argc, char **argv, const struct plugin_set *plugins)
{
    const char *folder = getenv(CLI_FINAL_FOLDER);
    int end = 0;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    for (int i = 0; i < end; i++)
        add_word(facts, folder && i > 0 && strcmp(argv[i - 1], "-o") == 0 ? folder : argv[i]);
    for (uint32_t i = 0; i < plugins->count; i++) {
        add_word(facts, "--plugin");
        add_word(facts, plugins->files[i].file);
    }
    for (int i = end; i < argc; i++)
        add_word(facts, argv[i]);
    unsetenv(CLI_FINAL_FOLDER);
}

void cli_provenance_leave(int argc, char **argv, const struct plugin_set *plugins)
{
    struct mnp_array facts = {0};
    char path[PATH_MAX];
    add_command(&facts, argc, argv, plugins);
    if (getcwd(path, sizeof path))
        results_provenance_add(&facts, "folder", "", path);
    add_environment(&facts);
    for (size_t i = 0; i < sizeof build / sizeof *build; i++)
        results_provenance_add(&facts, "build", build[i][0], build[i][1]);
    char *self = mnp_program_path();
    results_provenance_add(&facts, "build", "file", self ? self : "");
    free(self);
    char *text = results_provenance_pack(&facts);
    if (text)
        setenv(RESULTS_PROVENANCE_VARIABLE, text, 1);
    free(text);
    results_provenance_release(&facts);
}
