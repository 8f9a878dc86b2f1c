/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the audit module (src/redirect) calls by name, from its own namespace. */
#ifndef CUDART_STATIC_RUNTIME_H
#define CUDART_STATIC_RUNTIME_H

/* All objects are there, and main is about to begin. */
void maniple_program_begins(void);
/* A call of a function that a static runtime has and we lack. */
int maniple_missing(const char *name);
/* An object whose static runtime cannot be replaced. The run ends with status 2. Before the first call of CUDA, too. */
void maniple_refuse_object(const char *path, const char *problem);
/* The path of ours for a library that is looked for, until the thread's next call; NULL: not one that we stand for. */
const char *maniple_library_for(const char *name);

#endif
