/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that belong to the program: libraries, plug-ins, programs for the guest. In a build folder, and in a wheel,
 * they lie beside it; `make install` puts them into a folder of libraries, whose way from the program is known, so that
 * an installation works wherever it is moved to.
 */
#ifndef MNP_BASE_INSTALLED_H
#define MNP_BASE_INSTALLED_H

/* The path of the running program; free it. NULL: the system does not say. */
char *mnp_program_path(void);

/* The folder in which the running program lies; free it. NULL: the system does not say. */
char *mnp_program_folder(void);

/* The path of a file beside the program `folder` is of, or where it is installed; free it. `folder` NULL: that of the
 * running program. NULL: there is no such file that can be read. */
char *mnp_find_installed(const char *folder, const char *name);

/* Where mnp_find_installed has looked, in words for a message: "neither beside maniple nor in …"; free it. */
char *mnp_say_installed(const char *folder);

#endif
