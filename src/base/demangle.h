/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of C++ functions as people write them, for messages and text; files for programs keep the mangled ones. */
#ifndef MNP_BASE_DEMANGLE_H
#define MNP_BASE_DEMANGLE_H

/*
 * `name` as C++ writes it: "_Z4fillPii" is "fill(int*, int)". A name that is not mangled (of C, of a trace's kernel, of
 * a damaged file) is returned as it is, and so is every name on a host without the C++ library's demangler (libstdc++).
 * The caller frees the text.
 */
char *mnp_demangle(const char *name);

#endif
