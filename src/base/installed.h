/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that belong to the program: libraries, plug-ins, programs for the guest. In a build folder, and in a wheel,
 * they are beside the program. `make install` puts them into a library folder whose path relative to the program is
 * known, so that an installation can be moved.
 */
#ifndef MNP_BASE_INSTALLED_H
#define MNP_BASE_INSTALLED_H

/* Returns the path of the running program, or NULL if the system does not report it; the caller frees it. */
char *mnp_program_path(void);

/* Returns the folder of the running program, or NULL if the system does not report it; the caller frees it. */
char *mnp_program_folder(void);

/* Finds a file beside the program (in `folder`; NULL: the running program's folder) or in the installation. Returns its
 * path, which the caller frees, or NULL if no such file is readable. */
char *mnp_find_installed(const char *folder, const char *name);

/* Describes, for a message, the places that mnp_find_installed has searched: "neither beside maniple nor in …"; the
 * caller frees the text. */
char *mnp_say_installed(const char *folder);

#endif
