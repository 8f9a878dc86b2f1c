/* SPDX-License-Identifier: BSD-3-Clause */
/* Our libcurand beside published numbers of its generators, their recurrences, and the moments of distributions. */
#include "reference.h"

typedef void *generator;
int curandCreateGenerator(generator *, int), curandCreateGeneratorHost(generator *, int),
    curandDestroyGenerator(generator);
int curandSetPseudoRandomGeneratorSeed(generator, unsigned long long),
    curandSetGeneratorOffset(generator, unsigned long long);
int curandSetQuasiRandomGeneratorDimensions(generator, unsigned), curandGenerate(generator, unsigned *, size_t);
int curandGenerateUniform(generator, float *, size_t), curandGenerateUniformDouble(generator, double *, size_t);
int curandGenerateNormal(generator, float *, size_t, float, float),
    curandGenerateNormalDouble(generator, double *, size_t, double, double),
    curandGenerateLogNormal(generator, float *, size_t, float, float),
    curandGeneratePoisson(generator, unsigned *, size_t, double);

enum { COUNT = 40000, STREAMS = 4096 };
static unsigned words[COUNT];
static float floats[COUNT];
static double doubles[COUNT];

static generator begin(int type, unsigned long long seed)
{
    generator g = NULL;
    good(curandCreateGeneratorHost(&g, type));
    if (type < 200)
        good(curandSetPseudoRandomGeneratorSeed(g, seed));
    return g;
}

static void equal(const char *what, unsigned is, unsigned should)
{
    checked();
    if (is != should)
        fail("%s: %08x, should be %08x", what, is, should);
}

/* The first of the generators side by side is the sequence itself. */
static void xorwow(unsigned long long seed)
{
    generator g = begin(100, seed);
    unsigned t0 = 1099087573u * ((unsigned)seed ^ 0xaad26b49u),
             t1 = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
    unsigned v[5] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0},
             d = 6615241u + t1 + t0;
    good(curandGenerate(g, words, COUNT));
    for (int i = 0; i < COUNT; i += STREAMS) {
        unsigned t = v[0] ^ v[0] >> 2;
        memmove(v, v + 1, 16);
        v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
        d += 362437;
        equal("XORWOW", words[i], v[4] + d);
    }
    static unsigned again[COUNT];
    good(curandSetGeneratorOffset(g, 5000));
    good(curandGenerate(g, again, 777)), good(curandGenerate(g, again + 777, 20000));
    for (int i = 0; i < 20777; i++)
        equal("XORWOW from an offset", again[i], words[5000 + i]);
    good(curandDestroyGenerator(g));
}

static void mrg(void)
{
    /* L'Ecuyer, 1999: all seeds 12345. */
    static const double first[] = {0.127011122046577, 0.318527565396795, 0.309186015583270};
    generator g = begin(121, 0);
    good(curandGenerateUniform(g, floats, COUNT));
    for (int i = 0; i < 3; i++)
        if (fabs(floats[i * STREAMS] - first[i]) > 1e-7)
            fail("MRG32k3a: %.9g, should be %.15g", floats[i * STREAMS], first[i]);
    checked();
    good(curandDestroyGenerator(g));
}

static void philox(void)
{
    static const unsigned first[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}; /* Random123's known answer */
    generator g = begin(161, 0);
    good(curandGenerate(g, words, 1001));
    for (int i = 0; i < 4; i++)
        equal("Philox", words[i], first[i]);
    unsigned seventh = words[700];
    good(curandSetGeneratorOffset(g, 699));
    good(curandGenerate(g, words, 3));
    equal("Philox from an offset", words[1], seventh);
    good(curandDestroyGenerator(g));
}

static void sobol(void)
{
    static const float points[2][5] = {{0, 0.5f, 0.75f, 0.25f, 0.375f}, {0, 0.5f, 0.25f, 0.75f, 0.375f}};
    generator g = begin(201, 0);
    good(curandSetQuasiRandomGeneratorDimensions(g, 2));
    good(curandGenerateUniform(g, floats, 10));
    for (int d = 0; d < 2; d++)
        for (int i = 0; i < 5; i++)
            if (fabsf(floats[d * 5 + i] - points[d][i]) > 1e-6f)
                fail("Sobol, dimension %d, point %d: %g, should be %g", d, i, floats[d * 5 + i], points[d][i]);
    if (curandGenerateUniform(g, floats, 11) != 105)
        fail("half a point of Sobol's is accepted");
    good(curandSetQuasiRandomGeneratorDimensions(g, 20)); /* every dimension halves every interval */
    good(curandSetGeneratorOffset(g, 0));
    good(curandGenerateUniform(g, floats, 20 * 64));
    for (int d = 0; d < 20; d++) {
        unsigned long long seen = 0;
        for (int i = 0; i < 64; i++)
            seen |= 1ull << (int)(floats[d * 64 + i] * 64);
        checked();
        if (seen != ~0ull)
            fail("Sobol, dimension %d: 64 points miss an interval of 64", d);
    }
    good(curandDestroyGenerator(g));
}

/* Mean and variance of COUNT numbers, within five standard errors. */
static void moments(const char *what, int type, const double *numbers, double mean, double variance, double fourth)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < COUNT; i++)
        sum += numbers[i];
    sum /= COUNT;
    for (int i = 0; i < COUNT; i++)
        squares += (numbers[i] - sum) * (numbers[i] - sum);
    squares /= COUNT - 1;
    checked();
    if (fabs(sum - mean) > 5 * sqrt(variance / COUNT) ||
        fabs(squares - variance) > 5 * sqrt((fourth - variance * variance) / COUNT))
        fail("%s of generator %d: mean %g, variance %g; should be %g, %g", what, type, sum, squares, mean, variance);
}

static void distributions(int type)
{
    generator g = begin(type, 1234);
    good(curandGenerateUniform(g, floats, COUNT));
    for (int i = 0; i < COUNT; i++) {
        doubles[i] = floats[i];
        if (!(floats[i] > 0 && floats[i] <= 1))
            fail("a uniform number of %g", floats[i]);
    }
    moments("uniform", type, doubles, 0.5, 1 / 12.0, 1 / 80.0);
    good(curandGenerateUniformDouble(g, doubles, COUNT));
    moments("uniform doubles", type, doubles, 0.5, 1 / 12.0, 1 / 80.0);
    good(curandGenerateNormal(g, floats, COUNT, 3, 2));
    for (int i = 0; i < COUNT; i++)
        doubles[i] = floats[i];
    moments("normal", type, doubles, 3, 4, 3 * 16);
    good(curandGenerateNormalDouble(g, doubles, COUNT, -1, 1));
    moments("normal doubles", type, doubles, -1, 1, 3);
    good(curandGenerateLogNormal(g, floats, COUNT, 1, 0.5f));
    for (int i = 0; i < COUNT; i++)
        doubles[i] = log(floats[i]);
    moments("logarithms", type, doubles, 1, 0.25, 3 * 0.0625);
    good(curandGeneratePoisson(g, words, COUNT, 4.5));
    for (int i = 0; i < COUNT; i++)
        doubles[i] = words[i];
    moments("Poisson", type, doubles, 4.5, 4.5, 4.5 * (1 + 3 * 4.5));
    if (curandGenerateNormal(g, floats, 3, 0, 1) != 105)
        fail("an odd number of normal numbers is accepted");
    good(curandDestroyGenerator(g));
}

int main(void)
{
    reference_begin();
    xorwow(0), xorwow(0x123456789abcdefull);
    mrg(), philox(), sobol();
    distributions(101), distributions(121), distributions(161);
    if (curandGenerate(NULL, words, 1) != 101)
        fail("what is impossible is accepted");
    return reference_end();
}
