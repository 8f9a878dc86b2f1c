/* SPDX-License-Identifier: BSD-3-Clause */
/* maniple-tracegen: makes example traces in the format of Accel-Sim's tracer, for demonstrations, tests and studies. */
#include "base/text.h"
#include "base/version.h"
#include "workloads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct workload *const workloads[] = {&workload_vectoradd,
                                                   &workload_matmul,
                                                   &workload_reduction,
                                                   &workload_chase,
                                                   &workload_gather,
                                                   &workload_atomics,
                                                   &workload_mix,
                                                   &workload_fma,
                                                   &workload_straightline,
                                                   &workload_stream,
                                                   &workload_roofline,
                                                   &workload_empty,
                                                   &workload_multi,
                                                   &workload_l1_lat,
                                                   &workload_l2_lat,
                                                   &workload_mem_lat,
                                                   &workload_shared_lat,
                                                   &workload_l1_bw_32f,
                                                   &workload_l1_bw_64f,
                                                   &workload_l1_bw_128,
                                                   &workload_l1_bw_32f_unroll,
                                                   &workload_l1_bw_32f_unroll_large,
                                                   &workload_l2_bw_32f,
                                                   &workload_l2_bw_64f,
                                                   &workload_mem_bw,
                                                   &workload_shared_bw,
                                                   &workload_l1_shared_bw,
                                                   &workload_shared_bank_conflicts,
                                                   &workload_max_iops};

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

static const struct parameter common_parameters[] = {
    {"arch", "architecture that the header names", "80|86|90|70|75", 0, 0, 0},
    {"version", "of the tracer whose format it is", "3|4|5", 2, 0, 0},
    {"compress", "the kernels' files", "none|gz|xz|zst", 0, 0, 0},
    {"lineinfo", "1: lines of the source (version 4 and up)", NULL, 0, 0, 1},
    {"addresses", "how they are written", "shortest|list|deltas", 0, 0, 0},
    {"seed", "of random addresses", NULL, 1, 0, INT64_MAX},
    {NULL, NULL, NULL, 0, 0, 0}};

static void list_kinds(FILE *stream)
{
    for (int i = 0; i < WORKLOADS; i++)
        fprintf(stream, "%-14s %s\n", workloads[i]->name, workloads[i]->help);
}

/* A kind's own keys, behind those that all have. */
static void print_kind(const struct workload *workload, FILE *stream)
{
    fprintf(stream, "  %-14s %s\n", workload->name, workload->help);
    parameters_print(workload->parameters, stream);
}

static void print_help(const struct workload *only, FILE *stream)
{
    fputs("usage: maniple-tracegen KIND FOLDER [key=value ...]\n"
          "       maniple-tracegen --list | --help | --version\n\n"
          "Writes FOLDER/kernelslist.g and one file for each kernel, in the text format of Accel-Sim's tracer.\n"
          "Run them with: maniple run --machine NAME FOLDER/kernelslist.g\n\n"
          "Keys of every kind:\n",
          stream);
    parameters_print(common_parameters, stream);
    fputs(only ? "\nThe kind and its keys:\n" : "\nKinds and their keys:\n", stream);
    for (int i = 0; i < WORKLOADS; i++)
        if (!only || only == workloads[i])
            print_kind(workloads[i], stream);
}

static const struct workload *find(const char *name, struct mnp_error *error)
{
    const char *names[WORKLOADS];
    for (int i = 0; i < WORKLOADS; i++) {
        names[i] = workloads[i]->name;
        if (strcmp(names[i], name) == 0)
            return workloads[i];
    }
    const char *nearest = mnp_nearest_word(name, names, WORKLOADS);
    mnp_fail(error, "'%s' is no kind of trace%s%s%s; maniple-tracegen --list names them", name,
             nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return NULL;
}

static bool make_trace(const char *kind, const char *folder, char **settings, int count, struct mnp_error *error)
{
    static const uint32_t architectures[] = {80, 86, 90, 70, 75};
    const struct workload *workload = find(kind, error);
    if (!workload)
        return false;
    if (folder[0] == '-')
        return mnp_fail(error, "'%s' is no option; a folder with such a name is ./%s", folder, folder);
    struct parameters p = {.count = 0};
    parameters_add(&p, common_parameters);
    parameters_add(&p, workload->parameters);
    for (int i = 0; i < count; i++)
        if (!parameters_set(&p, settings[i], error))
            return false;
    struct trace_options options = {.version = 3 + (uint32_t)parameter(&p, "version"),
                                    .architecture = architectures[parameter(&p, "arch")],
                                    .coding = (enum sink_coding)parameter(&p, "compress"),
                                    .lineinfo = parameter(&p, "lineinfo"),
                                    .form = (enum address_form)parameter(&p, "addresses")};
    if (options.lineinfo && options.version < 4)
        return mnp_fail(error, "version 3 has no lines of the source; use version=5 or leave lineinfo out");
    struct writer w = {0};
    bool good = trace_begin(&w, folder, &options, error) && workload->write(&w, &p);
    good = trace_end(&w, good);
    if (good)
        printf("%s/kernelslist.g: %u kernel%s, %" PRIu64 " warp instructions\n", folder, w.launches,
               w.launches == 1 ? "" : "s", w.total);
    return good;
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Help on a kind, wherever the word for it stands behind the kind. */
static bool helps_with_kind(int count, char **words, struct mnp_error *error)
{
    bool asked = false;
    for (int i = 2; i < count; i++)
        asked = asked || asks_for_help(words[i]);
    const struct workload *workload = asked ? find(words[1], error) : NULL;
    if (workload)
        print_help(workload, stdout);
    return asked;
}

int main(int count, char **words)
{
    struct mnp_error error = {{0}};
    if (helps_with_kind(count, words, &error))
        ; /* done */
    else if (count == 2 && strcmp(words[1], "--list") == 0)
        list_kinds(stdout);
    else if (count == 2 && asks_for_help(words[1]))
        print_help(NULL, stdout);
    else if (count == 2 && strcmp(words[1], "--version") == 0)
        puts("maniple-tracegen " MANIPLE_VERSION);
    else if (count < 3 || words[1][0] == '-')
        mnp_fail(&error, "expected KIND FOLDER [key=value ...]; see maniple-tracegen --help");
    else
        make_trace(words[1], words[2], words + 3, count - 3, &error);
    if (!error.text[0] && (fflush(stdout) != 0 || ferror(stdout)))
        mnp_fail(&error, "cannot write to standard output; free space or redirect it elsewhere");
    if (!error.text[0])
        return MNP_EXIT_DONE;
    fprintf(stderr, "maniple-tracegen: %s\n", error.text);
    return MNP_EXIT_USER;
}
