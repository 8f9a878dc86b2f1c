/* SPDX-License-Identifier: BSD-3-Clause */
/* How Maniple was built, and with which words it was called: for --version, and for the results of runs. */
#ifndef MNP_CLI_PROVENANCE_H
#define MNP_CLI_PROVENANCE_H

/* Leaves the facts about this call where the process that writes results finds them (results/provenance). */
void cli_provenance_leave(int argc, char **argv);

/* Prints version, commit, hash of the sources, compiler and options. */
void cli_provenance_print(void);

#endif
