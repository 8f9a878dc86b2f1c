/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches, what a program can ask about kernels, and settings that change nothing. */
#ifndef CUDART_LAUNCH_H
#define CUDART_LAUNCH_H

#include "cudart/core/context.h"

/* <<<…>>> between its two halves. */
struct cudart_configuration {
    struct cuda_dim3 grid, block;
    size_t shared;
    uint64_t stream;
    bool cooperative;    /* its CTAs may wait for one another */
    uint32_t cluster[3]; /* CTAs of a cluster along each axis; 0: not stated */
    bool early;          /* it may begin when the kernel before it in its stream lets it */
};

/* ===== kernels.c: resources ===== */

enum { CUDART_SHARED_DEFAULT = 48 * 1024, CUDART_MAX_THREADS = 1024 };

uint64_t cudart_shared_optin(const struct cudart *rt);
uint64_t cudart_shared_of(const struct execute_code *code, uint64_t dynamic);
/* Registers of each thread in CTAs of `threads`: those of the kernel's code, or, where they are an estimate with which
 * not one CTA would fit, as many as let it. An assembler could need no more for a program that runs on silicon. */
uint32_t cudart_registers_of(const struct cudart *rt, const struct execute_code *code, uint64_t threads);
/* CTAs of `threads` that an SM holds at once, as the dispatcher of the timed model counts them. */
uint64_t cudart_ctas_per_sm(const struct cudart *rt, const struct execute_code *code, uint64_t threads,
                            uint64_t dynamic);
uint64_t cudart_bound_of(const struct execute_code *code); /* threads of a CTA */

enum cuda_error cudart_function_attributes(struct cudart *rt, struct cuda_func_attributes *out, const void *function);
enum cuda_error cudart_set_function_attribute(struct cudart *rt, const void *function, int attribute, int value);
enum cuda_error cudart_occupancy(struct cudart *rt, int *blocks, const void *function, int threads, size_t dynamic);
/* The dynamic shared memory that each of so many blocks on a multiprocessor can have. */
enum cuda_error cudart_dynamic_left(struct cudart *rt, size_t *bytes, const void *function, int blocks, int block_size);

/* ===== clusters.c ===== */

/* The cluster of a launch, which it, the kernel or the program before it states; CTAs along each axis, 0: none does.
 * An error, as the driver gives it, where the launch cannot have that cluster; `grid`: in CTAs. */
enum cuda_error cudart_cluster_of(struct cudart *rt, const struct cudart_kernel *kernel,
                                  const struct cudart_configuration *c, uint32_t cluster[3]);
/* A grid that counts clusters, in CTAs (.blocksareclusters). */
void cudart_count_ctas(const struct cudart_kernel *kernel, struct cudart_configuration *c);
/* How many clusters of the configuration's size the device holds at once; the largest size of which it holds one. */
enum cuda_error cudart_max_clusters(struct cudart *rt, int *clusters, const void *function,
                                    const struct cuda_launch_config *config);
enum cuda_error cudart_max_cluster_size(struct cudart *rt, int *size, const void *function,
                                        const struct cuda_launch_config *config);
/* The cluster that a launch's attributes state; unchanged where they state none. */
void cudart_read_cluster(const struct cuda_launch_config *config, uint32_t cluster[3]);

/* ===== arguments.c ===== */

enum { CUDART_EXTRA_END, CUDART_EXTRA_BUFFER, CUDART_EXTRA_SIZE }; /* CU_LAUNCH_PARAM_…: keys in `extra` */

/* Arguments as launches take them, a pointer to each: those that are there already, or the places of the block that
 * `extra` names (CU_LAUNCH_PARAM_BUFFER_POINTER and _SIZE); it is an error to state both, or none for a kernel that has
 * parameters. `*made` is to be freed, whatever comes of it. */
enum cuda_error cudart_arguments(struct cudart *rt, const void *function, void *const *extra, void ***arguments,
                                 void ***made);

/* ===== launch.c ===== */

/* The cluster that a launch's attributes state; 0: none. */
void cudart_read_cluster(const struct cuda_launch_config *config, uint32_t cluster[3]);

enum cuda_error cudart_launch(struct cudart *rt, const void *function, const struct cudart_configuration *c,
                              void **arguments);
/* With attributes, those that change what a launch means; 0 and the hints of others are passed over. */
enum cuda_error cudart_launch_config(struct cudart *rt, const struct cuda_launch_config *config, const void *function,
                                     void **arguments);
/* One function of the host, behind what a stream holds. */
enum cuda_error cudart_launch_function(struct cudart *rt, uint64_t stream, void (*function)(void *),
                                       void (*callback)(uint64_t, int, void *), void *data);
void cudart_push_configuration(struct cudart *rt, const struct cudart_configuration *c);
enum cuda_error cudart_pop_configuration(struct cudart *rt, struct cudart_configuration *c);
void cudart_forget_launches(struct cudart *rt);
void cudart_forget_prepared(struct cudart *rt); /* prepared.c */

/* ===== hints.c ===== */

enum cuda_error cudart_limit(struct cudart *rt, unsigned limit, uint64_t *to, const uint64_t *from);
void cudart_set_flags(struct cudart *rt, unsigned flags);

#endif
