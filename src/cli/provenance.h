/* SPDX-License-Identifier: BSD-3-Clause */
/* How Maniple was built, and with which words it was called: for --version, and for the results of runs. */
#ifndef MNP_CLI_PROVENANCE_H
#define MNP_CLI_PROVENANCE_H

struct plugin_set;

/* The variable with the folder that the results of this call will have in the end, where -o names another until then
 * (jobs.h). The call takes it out of the environment. */
#define CLI_FINAL_FOLDER "MANIPLE_FINAL_FOLDER"

/* Leaves the facts about this call where the process that writes results finds them (results/provenance).
 * --plugin has been taken out of the words. */
void cli_provenance_leave(int argc, char **argv, const struct plugin_set *plugins);

/* Prints version, commit, hash of the sources, compiler and options. */
void cli_provenance_print(void);

#endif
