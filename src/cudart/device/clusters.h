/* SPDX-License-Identifier: BSD-3-Clause */
/* Clusters of CTAs in launches. */
#ifndef CUDART_CLUSTERS_H
#define CUDART_CLUSTERS_H

#include "cudart/device/launch_configuration.h"
#include "cudart/device/modules.h"

/* The cluster of a launch, which it, the kernel or the program before it states; CTAs along each axis, 0: none does.
 * An error, as the driver gives it, where the launch cannot have that cluster; `grid`: in CTAs. */
enum cuda_error cudart_cluster_of(struct cudart_device *device, const struct cudart_kernel *kernel,
                                  const struct cudart_configuration *c, uint32_t cluster[3]);
/* A grid that counts clusters, in CTAs (.blocksareclusters). */
void cudart_count_ctas(const struct cudart_kernel *kernel, struct cudart_configuration *c);
/* How many clusters of the configuration's size the device holds at once; the largest size of which it holds one. */
enum cuda_error cudart_max_clusters(struct cudart_device *device, int *clusters, const void *function,
                                    const struct cuda_launch_config *config);
enum cuda_error cudart_max_cluster_size(struct cudart_device *device, int *size, const void *function,
                                        const struct cuda_launch_config *config);
/* The cluster that a launch's attributes state; unchanged where they state none. */
void cudart_read_cluster(const struct cuda_launch_config *config, uint32_t cluster[3]);

#endif
