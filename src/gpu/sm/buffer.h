/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction buffers of warps: what has been fetched and not issued, the line of code that a warp fetches from, and
 * which warps wait for a line. The functions that need the whole SM are in buffer.c.
 */
#ifndef GPU_SM_BUFFER_H
#define GPU_SM_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

struct sm;

enum { SM_BUFFER_ENTRIES = 4 };

struct sm_buffers {   /* masks of a sub-core's warps */
    uint64_t room;    /* warps with room in their buffer and more to fetch */
    uint64_t missing; /* warps that wait for a line of code */
};

struct sm_buffer_warp {
    uint64_t fetched_at[SM_BUFFER_ENTRIES]; /* cycle from which an instruction may issue, by stream place % 4 */
    uint64_t redirect;                      /* instructions fetched before this cycle arrive as if fetched in it */
    uint32_t line;   /* line of code that it fetches from, counted from the kernel's first, plus one; 0: none yet */
    uint8_t fetched; /* instructions in the buffer */
    uint8_t stopped; /* the last instruction in the buffer is a branch that is taken */
};

/* A new warp may fetch from now on. */
static inline void sm_buffer_start(struct sm_buffers *buffers, uint64_t bit)
{
    buffers->room |= bit & ~buffers->missing; /* a timer that has become void may come later */
}

/* The warp fetches no more: its stream or its CTA has ended. */
static inline void sm_buffer_end(struct sm_buffers *buffers, uint64_t bit)
{
    buffers->room &= ~bit;
}

/* Discards the fetched instructions of a warp, and the line that it fetches from or waits for. The warp fetches no
 * more. */
static inline void sm_buffer_stop(struct sm_buffers *buffers, struct sm_buffer_warp *w, uint64_t bit)
{
    buffers->room &= ~bit;
    buffers->missing &= ~bit;
    w->line = 0;
    w->fetched = w->stopped = 0;
}

/* The warp enters a line of its kernel's code. */
static inline void sm_buffer_enter(struct sm_buffer_warp *w, uint32_t line)
{
    w->line = line + 1;
}

/* The warp waits for the line that it has entered. */
static inline void sm_buffer_park(struct sm_buffers *buffers, uint64_t bit)
{
    buffers->room &= ~bit;
    buffers->missing |= bit;
}

/* The line that these warps wait for has come. */
static inline void sm_buffer_unpark(struct sm_buffers *buffers, uint64_t warps)
{
    buffers->missing &= ~warps;
    buffers->room |= warps;
}

/* The instruction at place `at` of the warp's stream has been fetched and may issue in cycle `ready`. `stops`: it is a
 * branch that leads elsewhere; `last`: it ends the stream; `entries`: of a buffer. */
static inline void sm_buffer_fill(struct sm_buffers *buffers, struct sm_buffer_warp *w, uint32_t place, uint64_t at,
                                  uint64_t ready, bool stops, bool last, uint64_t entries)
{
    w->fetched_at[at % SM_BUFFER_ENTRIES] = ready;
    w->fetched++;
    if (stops)
        w->stopped = 1;
    uint64_t full = (w->fetched == entries) | last | w->stopped;
    buffers->room &= ~(full << place);
}

/* The first instruction has issued; `next`: the place in the stream behind it, `count`: the stream's length. The
 * buffer has room, unless a branch or the end of the stream stands there. Returns whether the instruction was the
 * branch behind which nothing has been fetched: sm_buffer_redirect says when that goes on. */
static inline bool sm_buffer_issued(struct sm_buffers *buffers, struct sm_buffer_warp *w, uint64_t bit, uint64_t next,
                                    uint64_t count)
{
    w->fetched--;
    bool branched = w->stopped;
    if (branched) {
        if (w->fetched)
            return false; /* the branch is the last of the buffer */
        w->stopped = 0;
    }
    uint64_t more = next + w->fetched < count;
    buffers->room |= bit & ~buffers->missing & (0 - more);
    return branched;
}

/* Instructions fetched before `cycle` arrive as if fetched in it. */
static inline void sm_buffer_redirect(struct sm_buffer_warp *w, uint64_t cycle)
{
    w->redirect = cycle;
}

/* Number, in memory, of a line of the warp's kernel. */
uint64_t sm_buffer_line(const struct sm *sm, uint32_t warp, uint32_t line);

/* Warps of the sub-core that wait for line `number` of memory. */
uint64_t sm_buffer_waiting(const struct sm *sm, uint32_t subcore, uint64_t number);

/* Kernel slot of a warp of the sub-core that waits for the line; 0: none does. */
uint16_t sm_buffer_payer(const struct sm *sm, uint32_t subcore, uint64_t number);

/* A line has left the cache that the sub-core's warps fetch from: those that fetched from it look for it again. */
void sm_buffer_forget(struct sm *sm, uint32_t subcore, uint64_t number);

/* All lines have left it. */
void sm_buffer_forget_all(struct sm *sm);

#endif
