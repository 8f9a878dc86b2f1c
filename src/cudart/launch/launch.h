/* SPDX-License-Identifier: BSD-3-Clause */
/* Launches and the checks of the real runtime. */
#ifndef CUDART_LAUNCH_H
#define CUDART_LAUNCH_H

#include "cudart/device/launch_configuration.h"

struct cudart;
struct cudart_device;

enum cuda_error cudart_launch(struct cudart_device *device, const void *function, const struct cudart_configuration *c,
                              void **arguments);
/* With attributes, those that change what a launch means; 0 and the hints of others are passed over. */
enum cuda_error cudart_launch_config(struct cudart_device *device, const struct cuda_launch_config *config,
                                     const void *function, void **arguments);
/* One function of the host, behind what a stream holds. */
enum cuda_error cudart_launch_function(struct cudart *rt, uint64_t stream, void (*function)(void *),
                                       void (*callback)(uint64_t, int, void *), void *data);
void cudart_push_configuration(struct cudart *rt, const struct cudart_configuration *c);
enum cuda_error cudart_pop_configuration(struct cudart *rt, struct cudart_configuration *c);
void cudart_forget_launches(struct cudart_device *device);

#endif
