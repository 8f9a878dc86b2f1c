/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Commands of a trace's instructions to the async units of Hopper, and other operations for which warps wait. A record
 * of such an instruction has one address word: the number of its command in the CTA.
 */
#ifndef MNP_FRONTEND_SASS_TRACE_COMMANDS_H
#define MNP_FRONTEND_SASS_TRACE_COMMANDS_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

enum trace_command_kind {
    TRACE_MBARRIER,       /* SYNCS, ARRIVES */
    TRACE_COPY,           /* UTMALDG, UBLKCP, … */
    TRACE_PRODUCT,        /* HGMMA, … */
    TRACE_COPIES_COMMIT,  /* UTMACMDFLUSH: ends the group of the warp's copies */
    TRACE_COPIES_WAIT,    /* DEPBAR.LE: waits until at most `number` groups are pending */
    TRACE_PRODUCTS_WAIT,  /* WARPGROUP.DEPBAR.LE */
    TRACE_PRODUCTS_BEGIN, /* WARPGROUP.ARRIVE */
    TRACE_BARRIER,        /* BAR */
    TRACE_CLUSTER_ARRIVE, /* UCGABAR_ARV */
    TRACE_CLUSTER_WAIT,   /* UCGABAR_WAIT */
    TRACE_REGISTERS,      /* USETMAXREG */
    TRACE_GRID_RELEASE,   /* PREEXIT */
    TRACE_GRID_WAIT,      /* ACQBULK */
    TRACE_COMMAND_NONE,   /* all other instructions */
};

struct trace_command {
    uint8_t kind; /* enum trace_command_kind */
    /* TRACE_MBARRIER: enum execute_mbarrier, and EXECUTE_REMOTE_COMBINED; TRACE_COPY: enum mnp_copy_direction */
    uint8_t operation;
    uint8_t rank;     /* TRACE_COPY: number of dimensions of its tensor map; 0: no map */
    bool waits;       /* TRACE_MBARRIER: for the phase (try_wait); TRACE_BARRIER: and does not only arrive */
    bool read;        /* TRACE_COPIES_WAIT: until they have read their sources */
    bool commits;     /* TRACE_PRODUCT: it ends its group */
    bool registers;   /* TRACE_PRODUCT: A comes from registers */
    bool sparse;      /* TRACE_PRODUCT */
    bool halves;      /* TRACE_PRODUCT: its sums are halves */
    bool several;     /* TRACE_COPY: it goes to the CTAs of `targets` */
    uint16_t n, k;    /* TRACE_PRODUCT */
    uint16_t targets; /* TRACE_COPY: by rank, one bit each */
    uint32_t number;  /* number of groups, of a barrier, or of registers */
    uint32_t count;   /* TRACE_BARRIER: threads that take part, 0: all; TRACE_COPY: bytes */
    uint64_t address; /* TRACE_COPY: of its mbarrier */
    uint64_t map;     /* TRACE_COPY: address of its tensor map; 0: unknown */
    /* TRACE_MBARRIER: address and value of each active lane; TRACE_COPY: runs of bytes and their lengths */
    uint32_t first, pairs;
};

struct trace_pair {
    uint64_t at, value;
};

struct trace_commands {     /* the commands of a CTA */
    struct mnp_array all;   /* struct trace_command */
    struct mnp_array pairs; /* struct trace_pair */
};

#endif
