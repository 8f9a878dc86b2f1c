/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Copies between devices over their links, where several processes share the devices of a run with time: links are
 * common, so that the leader gives shares to the copies of all (link_copies.h). A process asks for a copy when its
 * stream has come so far; the leader begins it before time goes on, and tells its end at the time at which it ends. The
 * process whose copy it is then moves the bytes, as memory is common.
 */
#ifndef CUDART_SHARED_COPIES_H
#define CUDART_SHARED_COPIES_H

#include <stdbool.h>
#include <stdint.h>

struct cudart;
struct cudart_operation;

/* Whether this process may ask for one copy more: CUDART_SHARING_COPIES of its copies can be under way. */
bool cudart_may_ask_for_copy(const struct cudart *rt);
/* Asks for a copy, which could begin at a time (fs). Its end is not known yet (MNP_NEVER). */
void cudart_ask_for_copy(struct cudart *rt, struct cudart_operation *copy, uint64_t time);
/* Takes note of the copies of this process that have ended. */
void cudart_take_copies(struct cudart *rt);
/* Behind a failure: this process waits for none of its copies. */
void cudart_forget_copies(struct cudart *rt);

/* The leader's. Begins the copies that processes have asked for, as engines are free. Returns the time (fs) until which
 * the devices may go on at most: an end of a copy or its first byte, or `until` if that is earlier. */
uint64_t cudart_begin_shared_copies(struct cudart *rt, uint64_t until);
/* Tells the ends of the copies that have ended by the devices' time. */
void cudart_end_shared_copies(struct cudart *rt);

#endif
