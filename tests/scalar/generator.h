/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files of the generator share. */
#ifndef TESTS_SCALAR_GENERATOR_H
#define TESTS_SCALAR_GENERATOR_H

#include "generate.h"

/* Who comes to a statement. */
enum where {
    ALONE = 1, /* any threads, at any time */
    GROUP = 2, /* the lanes of a mask, each of which knows it */
    BLOCK = 4  /* all threads of the block that have not exited; the mask has those of the warp */
};

struct place {
    enum where where;
    unsigned members; /* the register %r that has the mask */
    unsigned depth, loops;
    int leave, again;          /* labels that threads may jump to at any time where they are ALONE, or -1 */
    const struct place *outer; /* around it */
};

struct callee {
    char name[32];
    enum where where;
    bool exits; /* threads may exit in it */
};

enum { STATES = 6, CALLEES = 3, LEFT_OUT = 1000 };

struct generator {
    const struct generate_request *request;
    struct generate_program program;
    FILE *out; /* of the present function's statements */
    uint64_t random;
    unsigned threads;                             /* of a block */
    unsigned registers, predicates, wide, labels; /* of the present function: %r, %p, %d */
    unsigned statements, muted;
    int budget;                /* statements that the present function may still get */
    bool spares;               /* lane 0 of a warp never exits */
    unsigned exits;            /* so far */
    unsigned spins;            /* the same, of loops that wait for other threads */
    bool has_mbarrier;         /* the block's mbarrier is in use */
    const struct callee *self; /* NULL in the kernel */
    struct callee callees[CALLEES];
    unsigned callee_count;
    unsigned char weights[64]; /* of kinds of statements, in this program */
};

/* Shared memory, in bytes; global memory, in words. */
enum {
    SHARED_SLOTS = 0,       /* a word of each thread */
    SHARED_TOKENS = 1024,   /* a word of each thread: whose turn it is in the chain that this thread leads */
    SHARED_CHAINS = 2048,   /* a word of each thread: what the chain carries */
    SHARED_SUMS = 3072,     /* SUMS words of each operation */
    SHARED_LOCKS = 3200,    /* SUMS words */
    SHARED_GUARDED = 3216,  /* SUMS words */
    SHARED_MBARRIER = 3232, /* 8 bytes */
    SHARED_BYTES = 3240,
    GLOBAL_SUMS = 0,     /* SUMS words of each operation */
    GLOBAL_LOCKS = 32,   /* SUMS words */
    GLOBAL_GUARDED = 36, /* SUMS words */
    GLOBAL_TICKET = 40,  /* counts; the next word has what was made of all tickets */
    GLOBAL_OWN = 64,     /* OWN words of each thread: results, then words of its own */
    OWN = 16,
    OWN_RESULTS = 8,
    OWN_WORDS = 8,
    SUMS = 4,
    MOST_THREADS = 256
};

/* generate.c */
unsigned pick(struct generator *generator, unsigned count); /* 0 … count - 1 */
bool chance(struct generator *generator, unsigned percent);
unsigned state(struct generator *generator); /* one of %a0 … */
__attribute__((format(printf, 2, 3))) void say(struct generator *generator, const char *format, ...);
void put_label(struct generator *generator, unsigned label);
struct place inside(const struct place *place, enum where where);
void statements(struct generator *generator, struct place *place, unsigned count);
void refresh(struct generator *generator, struct place *place, unsigned exits_before);
void gather(struct generator *generator, const struct place *place); /* before a function's lanes return */
unsigned condition(struct generator *generator);         /* a predicate %p of the thread's own state */
unsigned uniform_condition(struct generator *generator); /* the same for all threads of a block */
void store_results(struct generator *generator, unsigned mark);

/* One statement each. data.c: */
void make_compute(struct generator *generator, struct place *place);
void make_local(struct generator *generator, struct place *place);
void make_own(struct generator *generator, struct place *place);
void make_sum(struct generator *generator, struct place *place);
void make_ticket(struct generator *generator, struct place *place);
void make_lock(struct generator *generator, struct place *place);
void make_chain(struct generator *generator, struct place *place);
/* flow.c: */
void make_if(struct generator *generator, struct place *place);
void make_loop(struct generator *generator, struct place *place);
void make_switch(struct generator *generator, struct place *place);
void make_soup(struct generator *generator, struct place *place);
void make_call(struct generator *generator, struct place *place);
void make_call_by_address(struct generator *generator, struct place *place);
void make_exit(struct generator *generator, struct place *place);
void make_leave(struct generator *generator, struct place *place);
void make_return(struct generator *generator, struct place *place);
/* lanes.c: */
void make_vote(struct generator *generator, struct place *place);
void make_shuffle(struct generator *generator, struct place *place);
void make_match(struct generator *generator, struct place *place);
void make_reduction(struct generator *generator, struct place *place);
void make_election(struct generator *generator, struct place *place);
void make_lane_exchange(struct generator *generator, struct place *place);
/* barriers.c: */
void make_exchange(struct generator *generator, struct place *place);
void make_sums(struct generator *generator, struct place *place);
void make_barrier_reduction(struct generator *generator, struct place *place);
void make_split(struct generator *generator, struct place *place);
void make_producers(struct generator *generator, struct place *place);
void make_mbarrier(struct generator *generator, struct place *place);
void make_cluster(struct generator *generator, struct place *place);
void barrier(struct generator *generator); /* all threads of the block, at one place */

/* A barrier that the threads of a block come to at several places. */
struct event {
    enum { EVENT_SYNC, EVENT_POPC, EVENT_AND, EVENT_OR } kind;
    unsigned number;
    bool counted;
};
struct event make_event(struct generator *generator);
void put_event(struct generator *generator, const struct event *event);

#endif
