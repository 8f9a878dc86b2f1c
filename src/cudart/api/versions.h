/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions of the runtime whose parameters or structures differ between CUDA 11, 12 and 13. The exported function of
 * the plain name takes the form of the version that the program's shared runtime has. A static runtime gets the form of
 * its own version by name: maniple_12_cudaGraphGetEdges is CUDA 12's (src/redirect/jumps.c). CUDA 11 takes forms of
 * CUDA 12 where it has none of its own.
 */
#ifndef CUDART_VERSIONS_H
#define CUDART_VERSIONS_H

/* The version whose form of a function the plain name has: 12 or 13. 0: shared runtimes of both are in use, which is
 * refused, with the function's name. */
int cudart_form(const char *name);

/* Calls the form of the version; __func__ is the plain name. */
#define CUDART_CHOOSE_FORM(of_12, of_13)                                                                               \
    do {                                                                                                               \
        int form = cudart_form(__func__);                                                                              \
        return form == 12 ? (of_12) : form == 13 ? (of_13) : CUDA_NOT_SUPPORTED;                                       \
    } while (0)

#endif
