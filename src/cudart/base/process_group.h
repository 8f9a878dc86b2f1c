/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The processes of one `maniple run`: the program, and those that it starts. They share a page of memory that the
 * command has made, in which they count themselves; the program keeps it and standard output open for the others, who
 * find both by the number of its process. Behind that page lies what they have in common of a machine with several
 * devices (sharing.h); of one device, each process has its own.
 */
#ifndef CUDART_PROCESS_GROUP_H
#define CUDART_PROCESS_GROUP_H

#include "cudart/base/options.h"

/* The shared page. Owner: process_group.c. */
struct cudart_process_group {
    uint32_t members; /* processes that have begun to use CUDA, in the order in which they did */
};

/* A new page, for the options to name, or -1; stays open when the command becomes the program. With what processes have
 * in common of a machine with so many devices, if those are several. */
int cudart_process_group_create(uint32_t devices);
/* A descriptor of the page's, to be closed; -1: there is none. */
int cudart_process_group_open(const struct cudart_options *options);
/* Keeps the descriptors that the options name open in programs that this process becomes (`true`), and no longer in
 * those that it starts. Takes no lock and no memory. */
void cudart_process_group_keep(const struct cudart_options *options, bool open);

/* This process has begun: its number, from 1 on. From the second one on, what options say of folders and of the
 * program is replaced by what is this process's own: `folder/process-2`. Where results go is settled for all. */
uint32_t cudart_process_group_join(struct cudart_options *options);
/* How many have begun. */
uint32_t cudart_process_group_members(const struct cudart_options *options);

#endif
