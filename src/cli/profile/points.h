/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shapes of a profile. A point is a kernel of one shape, which is simulated by a run of its own; shapes that
 * several operations ask for are one point. Times between the points of an operation are interpolated, and say so.
 */
#ifndef MNP_CLI_PROFILE_POINTS_H
#define MNP_CLI_PROFILE_POINTS_H

#include "base/array.h"
#include "cli/jobs.h"
#include "cli/profile/model.h"
#include "cli/sweep/name.h"

enum { PROFILE_SAMPLES = 32, PROFILE_CALLS = 3 };

/* Numbers that are sampled, in order. */
struct profile_samples {
    uint32_t count, at[PROFILE_SAMPLES];
};

/* Times of the calls of a point, in microseconds. */
enum { PROFILE_LEAST, PROFILE_MOST, PROFILE_MEAN, PROFILE_MEDIAN, PROFILE_DEVIATION, PROFILE_FIGURES };

enum profile_source { PROFILE_SIMULATED, PROFILE_INTERPOLATED, PROFILE_EXTRAPOLATED };
extern const char *const cli_profile_sources[];

struct profile_time {
    double us[PROFILE_FIGURES];
    enum profile_source source;
    const char *kernels; /* kernels of the nearest point */
};

struct profile_point {
    char name[SWEEP_NAME];
    char **words;       /* words of `maniple run`; a NULL ends them */
    char *note, *shape; /* "product 16 4096 4096" */
    uint32_t calls;
    struct profile_time time;
};

/* Operations of a layer that depend on the number of tokens alone, and the two of attention. */
enum profile_operation {
#define PROFILE_OPERATION(ID, NAME) PROFILE_##ID,
#include "cli/profile/operation_list.h"
#undef PROFILE_OPERATION
    PROFILE_OPERATIONS
};
extern const char *const cli_profile_operations[];

struct profile {
    struct profile_model model;
    const char *machine;
    const struct plugin_set *plugins; /* NULL: none */
    uint32_t gpus;                    /* that a layer is cut for */
    struct profile_samples tokens, batches, contexts;
    uint64_t most_keys;      /* keys of a simulated point of decoding: sequences times context */
    struct mnp_array points; /* struct profile_point */
    struct {
        struct profile_samples at; /* tokens */
        uint32_t point[PROFILE_SAMPLES];
    } series[PROFILE_OPERATIONS];
    struct {
        struct profile_samples at; /* contexts of the batch */
        uint32_t point[PROFILE_SAMPLES];
    } decode[PROFILE_SAMPLES]; /* [batches] */
    char *layers, *products;   /* programs */
    char *described;           /* the machine with every value */
    char contents[2][SWEEP_NAME];
};

/* Shape of an operation's product: rows of w, and numbers of a row. */
void cli_profile_product(const struct profile *profile, enum profile_operation operation, uint32_t *n, uint32_t *k);

/* Makes the points, with names of their runs. False: an error. */
bool cli_profile_points_make(struct profile *profile, struct mnp_error *error);
void cli_profile_points_release(struct profile *profile);

/* Reads the times of all points out of their runs in a folder. False: an error. */
bool cli_profile_points_read(struct profile *profile, const char *folder, struct mnp_error *error);

/* The time of an operation for so many tokens; of PROFILE_PREFILL for a prompt of so many. */
struct profile_time cli_profile_time(const struct profile *profile, enum profile_operation operation, uint32_t tokens);

/* The time of attention of one query of each sequence, with `context` keys. */
struct profile_time cli_profile_decode_time(const struct profile *profile, uint32_t sequences, uint32_t context);

#endif
