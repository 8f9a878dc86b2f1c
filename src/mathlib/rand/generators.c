/* SPDX-License-Identifier: BSD-3-Clause */
/* Our libcurand: host generators. */
#include "mathlib/common/kernels.h"
#include "mathlib/rand/jump.h"

#include <stdlib.h>

/* Numbers of the public interface (curand.h). */
enum {
    SUCCESS = 0,
    NOT_INITIALIZED = 101,
    ALLOCATION_FAILED = 102,
    TYPE_ERROR = 103,
    OUT_OF_RANGE = 104,
    LENGTH_NOT_MULTIPLE = 105,
    LAUNCH_FAILURE = 201,
    INITIALIZATION_FAILED = 203,
};

struct curandGenerator_st {
    struct mathlib_kernels kernels;
    enum rand_kind kind;
    bool host;         /* results go to the host's memory */
    bool begun;        /* states are on the device */
    uint64_t seed, at; /* the number of the sequence that comes next */
    unsigned dimensions;
    CUdeviceptr states, vectors;
};
typedef struct curandGenerator_st *curandGenerator_t;

static bool quasi(const struct curandGenerator_st *g)
{
    return g->kind == RAND_SOBOL32 || g->kind == RAND_SOBOL64;
}

static int create(curandGenerator_t *to, int type, bool host)
{
    static const struct {
        int type;
        enum rand_kind kind;
    } kinds[] = {{100, RAND_XORWOW},  {101, RAND_XORWOW},  {121, RAND_MRG32K3A}, {161, RAND_PHILOX},
                 {200, RAND_SOBOL32}, {201, RAND_SOBOL32}, {203, RAND_SOBOL64}};
    if (!to)
        return NOT_INITIALIZED;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].type != type)
            continue;
        struct curandGenerator_st *g = calloc(1, sizeof *g);
        if (!g)
            return ALLOCATION_FAILED;
        if (!mathlib_open(&g->kernels)) {
            free(g);
            return INITIALIZATION_FAILED;
        }
        g->kind = kinds[i].kind, g->host = host, g->dimensions = 1;
        *to = g;
        return SUCCESS;
    }
    mathlib_refuse("curandCreateGenerator", "a generator of that type");
    return TYPE_ERROR;
}

MATHLIB_API int curandCreateGenerator(curandGenerator_t *to, int type)
{
    return create(to, type, false);
}
MATHLIB_API int curandCreateGeneratorHost(curandGenerator_t *to, int type)
{
    return create(to, type, true);
}

static void forget(struct curandGenerator_st *g)
{
    if (g->states)
        cuMemFree(g->states);
    if (g->vectors)
        cuMemFree(g->vectors);
    g->states = g->vectors = 0;
    g->begun = false;
}

MATHLIB_API int curandDestroyGenerator(curandGenerator_t g)
{
    if (!g)
        return NOT_INITIALIZED;
    cuCtxSynchronize();
    forget(g);
    mathlib_close(&g->kernels);
    free(g);
    return SUCCESS;
}

MATHLIB_API int curandSetStream(curandGenerator_t g, CUstream stream)
{
    if (!g)
        return NOT_INITIALIZED;
    g->kernels.stream = stream;
    return SUCCESS;
}

MATHLIB_API int curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!g)
        return NOT_INITIALIZED;
    if (quasi(g))
        return TYPE_ERROR;
    g->seed = seed, g->at = 0, g->begun = false;
    return SUCCESS;
}

MATHLIB_API int curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g)
        return NOT_INITIALIZED;
    g->at = offset, g->begun = false;
    return SUCCESS;
}

/* All orderings give the documented order of CURAND_ORDERING_PSEUDO_LEGACY. */
MATHLIB_API int curandSetGeneratorOrdering(curandGenerator_t g, int order)
{
    if (!g)
        return NOT_INITIALIZED;
    bool known = quasi(g) ? order == 201 : order >= 100 && order <= 104;
    return known ? SUCCESS : OUT_OF_RANGE;
}

MATHLIB_API int curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
    uint64_t vectors[64];
    if (!g)
        return NOT_INITIALIZED;
    if (!quasi(g))
        return TYPE_ERROR;
    if (dimensions == 0 || dimensions > 20000)
        return OUT_OF_RANGE;
    if (!rand_directions((int)dimensions - 1, 32, vectors)) {
        mathlib_refuse("curandSetQuasiRandomGeneratorDimensions", "more than 20 dimensions");
        return OUT_OF_RANGE;
    }
    g->dimensions = dimensions, g->begun = false;
    return SUCCESS;
}

MATHLIB_API int curandGetVersion(int *version)
{
    if (!version)
        return OUT_OF_RANGE;
    *version = MATHLIB_MAJOR * 1000;
    return SUCCESS;
}
MATHLIB_API int curandGetProperty(int property, int *value)
{
    if (!value || property < 0 || property > 2)
        return OUT_OF_RANGE;
    *value = property == 0 ? MATHLIB_MAJOR : 0;
    return SUCCESS;
}

/* ===== words ===== */

static bool upload(CUdeviceptr *to, const void *from, size_t bytes)
{
    return (*to || cuMemAlloc(to, bytes) == CUDA_SUCCESS) && cuMemcpyHtoD(*to, from, bytes) == CUDA_SUCCESS;
}

static bool begin_states(struct curandGenerator_st *g)
{
    size_t bytes = (size_t)RAND_STREAMS * 6 * sizeof(uint32_t);
    uint32_t *states = malloc(bytes);
    uint64_t done = g->at / RAND_STREAMS;
    bool good = states != NULL;
    /* Generators before the place in the round have given one number more. */
    unsigned ahead = (unsigned)(g->at % RAND_STREAMS);
    uint32_t *later = good && ahead ? malloc(bytes) : NULL;
    if (good && g->kind == RAND_XORWOW)
        good = rand_jump_xorwow(states, g->seed, done) && (!later || rand_jump_xorwow(later, g->seed, done + 1));
    else if (good) {
        rand_jump_mrg(states, g->seed, done);
        if (later)
            rand_jump_mrg(later, g->seed, done + 1);
    }
    for (size_t i = 0; later && good && i < (size_t)ahead * 6; i++)
        states[i] = later[i];
    good = good && (!ahead || later) && upload(&g->states, states, bytes);
    free(states);
    free(later);
    return good;
}

static bool begin_vectors(struct curandGenerator_st *g)
{
    int bits = g->kind == RAND_SOBOL64 ? 64 : 32;
    size_t count = (size_t)g->dimensions * (size_t)bits;
    uint64_t *wide = calloc(count, sizeof *wide);
    uint32_t *narrow = calloc(count, sizeof *narrow);
    bool good = wide && narrow;
    for (unsigned d = 0; good && d < g->dimensions; d++)
        good = rand_directions((int)d, bits, wide + d * (size_t)bits);
    for (size_t i = 0; good && i < count; i++)
        narrow[i] = (uint32_t)wide[i];
    if (good && g->vectors)
        cuMemFree(g->vectors), g->vectors = 0;
    good = good && upload(&g->vectors, bits == 64 ? (void *)wide : (void *)narrow, count * (size_t)bits / 8);
    free(wide);
    free(narrow);
    return good;
}

static bool begin(struct curandGenerator_st *g)
{
    if (g->begun)
        return true;
    g->begun = g->kind == RAND_PHILOX || (quasi(g) ? begin_vectors(g) : begin_states(g));
    return g->begun;
}

/* The next words of the sequence. Of quasi-random numbers `count` is a multiple of the dimensions. */
static int words(struct curandGenerator_st *g, void *to, uint64_t count)
{
    static const char *const names[] = {"maniple_rand_xorwow", "maniple_rand_mrg", "maniple_rand_philox",
                                        "maniple_rand_sobol32", "maniple_rand_sobol64"};
    if (!count)
        return SUCCESS;
    if (!begin(g))
        return ALLOCATION_FAILED;
    struct rand_fill fill = {.to = to,
                             .states = (void *)(uintptr_t)g->states,
                             .first = g->at,
                             .count = count,
                             .seed = g->seed,
                             .vectors = (const void *)(uintptr_t)g->vectors,
                             .each = count / g->dimensions};
    bool side_by_side = g->kind == RAND_XORWOW || g->kind == RAND_MRG32K3A;
    long long threads = side_by_side             ? RAND_STREAMS
                        : g->kind == RAND_PHILOX ? (long long)(count / 4 + 2)
                                                 : (long long)count;
    struct mathlib_grid grid = {.x = mathlib_blocks(threads, 256), .threads = 256};
    if (grid.x > INT32_MAX || !mathlib_launch(&g->kernels, "rand", names[g->kind], grid, &fill))
        return LAUNCH_FAILURE;
    g->at += quasi(g) ? fill.each : count;
    return SUCCESS;
}

/* ===== distributions ===== */

static const struct {
    const char *name;
    size_t size;
} shapes[] = {[RAND_UNIFORM] = {"maniple_rand_uniform", 4},
              [RAND_UNIFORM_DOUBLE] = {"maniple_rand_uniform_double", 8},
              [RAND_NORMAL] = {"maniple_rand_normal", 4},
              [RAND_NORMAL_DOUBLE] = {"maniple_rand_normal_double", 8},
              [RAND_POISSON] = {"maniple_rand_poisson", 4}};

static int copy_out(struct curandGenerator_st *g, void *to, CUdeviceptr from, size_t bytes)
{
    return mathlib_result(&g->kernels, to, from, bytes) ? SUCCESS : LAUNCH_FAILURE;
}

static int generate(curandGenerator_t g, enum rand_shape shape, void *to, size_t count, double mean, double deviation,
                    bool logarithmic)
{
    if (!g)
        return NOT_INITIALIZED;
    bool normal = shape == RAND_NORMAL || shape == RAND_NORMAL_DOUBLE, wide = g->kind == RAND_SOBOL64;
    if (quasi(g) ? count % g->dimensions != 0 : normal && count % 2 != 0)
        return LENGTH_NOT_MULTIPLE;
    if (!count)
        return SUCCESS;
    bool two = !quasi(g) && g->kind != RAND_MRG32K3A && (shape == RAND_UNIFORM_DOUBLE || shape == RAND_NORMAL_DOUBLE);
    uint64_t needed = two ? 2 * count : count;
    size_t raw = (size_t)needed * (wide ? 8 : 4), bytes = count * shapes[shape].size;
    CUdeviceptr space = mathlib_workspace(&g->kernels, (raw + 15) / 16 * 16 + (g->host ? bytes : 0));
    if (!space)
        return ALLOCATION_FAILED;
    CUdeviceptr result = space + (raw + 15) / 16 * 16;
    int status = words(g, (void *)(uintptr_t)space, needed);
    if (status != SUCCESS)
        return status;
    struct rand_change change = {.from = (const void *)(uintptr_t)space,
                                 .to = g->host ? (void *)(uintptr_t)result : to,
                                 .count = count,
                                 .mean = mean,
                                 .deviation = deviation,
                                 .logarithmic = logarithmic,
                                 .wide = wide,
                                 .quasi = quasi(g),
                                 .scaled = g->kind == RAND_MRG32K3A};
    struct mathlib_grid grid = {.x = mathlib_blocks((long long)count, 256), .threads = 256};
    if (!mathlib_launch(&g->kernels, "rand", shapes[shape].name, grid, &change))
        return LAUNCH_FAILURE;
    return g->host ? copy_out(g, to, result, bytes) : SUCCESS;
}

static int raw_words(curandGenerator_t g, void *to, size_t count, bool wide)
{
    if (!g)
        return NOT_INITIALIZED;
    if (wide != (g->kind == RAND_SOBOL64))
        return TYPE_ERROR;
    if (quasi(g) && count % g->dimensions)
        return LENGTH_NOT_MULTIPLE;
    if (!g->host)
        return words(g, to, count);
    size_t bytes = count * (wide ? 8 : 4);
    CUdeviceptr space = mathlib_workspace(&g->kernels, bytes);
    int status = space || !count ? words(g, (void *)(uintptr_t)space, count) : ALLOCATION_FAILED;
    return status == SUCCESS && count ? copy_out(g, to, space, bytes) : status;
}

MATHLIB_API int curandGenerate(curandGenerator_t g, unsigned *to, size_t count)
{
    return raw_words(g, to, count, false);
}
MATHLIB_API int curandGenerateLongLong(curandGenerator_t g, unsigned long long *to, size_t count)
{
    return raw_words(g, to, count, true);
}
MATHLIB_API int curandGenerateUniform(curandGenerator_t g, float *to, size_t count)
{
    return generate(g, RAND_UNIFORM, to, count, 0, 1, false);
}
MATHLIB_API int curandGenerateUniformDouble(curandGenerator_t g, double *to, size_t count)
{
    return generate(g, RAND_UNIFORM_DOUBLE, to, count, 0, 1, false);
}
MATHLIB_API int curandGenerateNormal(curandGenerator_t g, float *to, size_t count, float mean, float deviation)
{
    return generate(g, RAND_NORMAL, to, count, mean, deviation, false);
}
MATHLIB_API int curandGenerateNormalDouble(curandGenerator_t g, double *to, size_t count, double mean, double deviation)
{
    return generate(g, RAND_NORMAL_DOUBLE, to, count, mean, deviation, false);
}
MATHLIB_API int curandGenerateLogNormal(curandGenerator_t g, float *to, size_t count, float mean, float deviation)
{
    return generate(g, RAND_NORMAL, to, count, mean, deviation, true);
}
MATHLIB_API int curandGenerateLogNormalDouble(curandGenerator_t g, double *to, size_t count, double mean,
                                              double deviation)
{
    return generate(g, RAND_NORMAL_DOUBLE, to, count, mean, deviation, true);
}
MATHLIB_API int curandGeneratePoisson(curandGenerator_t g, unsigned *to, size_t count, double mean)
{
    return mean > 0 ? generate(g, RAND_POISSON, to, count, mean, 1, false) : OUT_OF_RANGE;
}
/* The states are made at the first call anyhow. */
MATHLIB_API int curandGenerateSeeds(curandGenerator_t g)
{
    return !g ? NOT_INITIALIZED : begin(g) ? SUCCESS : ALLOCATION_FAILED;
}
