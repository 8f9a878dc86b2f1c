/* SPDX-License-Identifier: BSD-3-Clause */
/* The mathematics libraries that a CUDA program gets in place of NVIDIA's (src/mathlib). */
#ifndef MNP_CLI_MATHEMATICS_H
#define MNP_CLI_MATHEMATICS_H

/* Hands over the file name of each library of a CUDA version (12 or 13; 0: of both). */
void cli_mathematics_each(unsigned version, void (*take)(const char *file));

#endif
