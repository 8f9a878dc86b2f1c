/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that the program carries with it, as PTX. */
#ifndef APP_PTX_H
#define APP_PTX_H

/* The text of the file of that name, without ".ptx"; NULL: there is none. */
const char *app_ptx(const char *name);

#endif
