/* SPDX-License-Identifier: BSD-3-Clause */
/* Demangling of C++ function names, for messages and text output; machine-readable files keep the mangled names. */
#ifndef MNP_BASE_DEMANGLE_H
#define MNP_BASE_DEMANGLE_H

#include <stddef.h>

/*
 * Demangles a name: "_Z4fillPii" becomes "fill(int*, int)". A name that is not mangled (a C function, a kernel of a
 * trace, a name from a damaged file) is returned unchanged, and so is every name on a host without the C++ library's
 * demangler (libstdc++). ABI tags of more than 32 characters, as Numba writes them, are left out. The caller frees the
 * text.
 */
char *mnp_demangle(const char *name);

/*
 * Demangles a name for a column of `width` characters. A longer name loses its return type (void), tags and namespaces,
 * then its parameters: "void at::native::fill<at::Half>(int, at::Half)" becomes "fill<Half>". The text may still be
 * longer than `width`: callers cut it. The caller frees the text.
 */
char *mnp_demangle_brief(const char *name, size_t width);

/*
 * Demangles a name for a table, in which all names have one form: without return type and parameters, whatever their
 * length, "fill<at::Half>"; one of more than `width` characters without tags and namespaces, too. The text may still be
 * longer: callers cut it. The caller frees the text.
 */
char *mnp_demangle_column(const char *name, size_t width);

#endif
