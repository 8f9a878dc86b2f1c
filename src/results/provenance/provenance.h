/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Facts about a run: the command line and the folder it was given in, variables of the environment that matter, the
 * program, its script and its libraries with hashes, plug-ins, and how Maniple was built. Each is a fact of three
 * texts. The command `maniple` knows some of them and hands them over to programs that it starts, in a variable of the
 * environment; the process that writes results adds those of itself.
 *
 *   kind         name                          value
 *   command      the word's number, "000" on   the word
 *   folder                                     the folder of the command
 *   environment  the variable                  its value
 *   build        version, commit, sources, …   as `maniple --version` says
 *   program      file                          hash of the file: "xxh128 …", of large ones "bytes …"
 *   argument     file                          the same: first file among the program's arguments, as a script
 *   input        file                          the same; trace, list or program that `maniple run` has read
 *   library      file                          "build-id …", where the file has one, or else a hash
 *   plug-in      file                          "sha256 …"
 */
#ifndef MNP_RESULTS_PROVENANCE_H
#define MNP_RESULTS_PROVENANCE_H

#include "base/array.h"
#include "engine/count/results.h"

struct results_fact {
    char *kind, *name, *value;
};

/* Name of the variable by which the command hands facts to programs. */
#define RESULTS_PROVENANCE_VARIABLE "MANIPLE_PROVENANCE"

/* The facts about a run, in the order above; of struct results_fact. */
void results_provenance_collect(const struct mnp_results *results, struct mnp_array *facts);
void results_provenance_release(struct mnp_array *facts);

/* Adds a fact; the texts are copied. */
void results_provenance_add(struct mnp_array *facts, const char *kind, const char *name, const char *value);

/* Facts as the value of a variable, to be freed, and the facts of such a value; what is none is left out. */
char *results_provenance_pack(const struct mnp_array *facts);
void results_provenance_unpack(const char *text, struct mnp_array *facts);

#endif
