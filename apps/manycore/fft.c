/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A Fourier transform of up to 4096 points in fixed point, in Pease's form with the same pattern in all stages: value
 * 2j of a stage is the sum of values j and j + n/2 of the one before, value 2j + 1 their difference times a root of
 * unity. Values are dealt out to the cores in turn and lie in their banks of shared memory, so that cores of even and
 * odd number run different code, as in the paper's program; a tree barrier ends each stage. Arguments: points, a power
 * of two (4096, the most), and transforms (1). The check: three tones give three lines where they belong, and nothing
 * anywhere else.
 */
#include "manycore.h"

enum { MOST = 4096, UNIT = 1 << 14, TONES = 3 };

/* cos(2πk/4096) for the first quarter, in units of 2^-14, folded by the compiler. */
#define COSINE(k) (int16_t)(UNIT * __builtin_cos((k)*6.283185307179586477 / MOST) + 0.5)
#define COSINES_4(k) COSINE(k), COSINE(k + 1), COSINE(k + 2), COSINE(k + 3)
#define COSINES_16(k) COSINES_4(k), COSINES_4(k + 4), COSINES_4(k + 8), COSINES_4(k + 12)
#define COSINES_64(k) COSINES_16(k), COSINES_16(k + 16), COSINES_16(k + 32), COSINES_16(k + 48)
#define COSINES_256(k) COSINES_64(k), COSINES_64(k + 64), COSINES_64(k + 128), COSINES_64(k + 192)
static const int16_t quarter[MOST / 4 + 1] = {COSINES_256(0), COSINES_256(256), COSINES_256(512), COSINES_256(768), 0};

static const struct { uint32_t frequency; int32_t amplitude; } tones[TONES] = {{1, 900}, {5, -700}, {14, 400}};

struct value { int32_t re, im; };

static uint32_t points;

static int32_t cosine(uint32_t k) /* of k/4096 of a circle */
{
    k %= MOST;
    if (k > MOST / 2)
        k = MOST - k;
    return k > MOST / 4 ? -quarter[MOST / 2 - k] : quarter[k];
}

/* exp(-2πi·k/points) */
static struct value root(uint32_t k)
{
    uint32_t angle = k * (MOST / points);
    return (struct value){cosine(angle), cosine(angle + MOST / 4)};
}

static struct value times(struct value a, struct value b)
{
    return (struct value){(int32_t)(((int64_t)a.re * b.re - (int64_t)a.im * b.im + UNIT / 2) >> 14),
                          (int32_t)(((int64_t)a.re * b.im + (int64_t)a.im * b.re + UNIT / 2) >> 14)};
}

/* Where a value of this or the next stage lies. */
static volatile struct value *at(uint32_t index, uint32_t stage)
{
    volatile uint32_t *bank = mc_bank(mc_modulo(index));
    uint32_t mine = (points + mc_cores() - 1) / mc_cores() * (stage % 2) + mc_quotient(index);
    return (volatile struct value *)(bank + MC_BANK_RESERVED / 4) + mine;
}

static void put(uint32_t index, uint32_t stage, struct value value)
{
    volatile struct value *to = at(index, stage);
    to->re = value.re;
    to->im = value.im;
}

static struct value get(uint32_t index, uint32_t stage)
{
    volatile struct value *from = at(index, stage);
    return (struct value){from->re, from->im};
}

static void stage(uint32_t number)
{
    for (uint32_t index = mc_core(); index < points; index += mc_cores()) {
        uint32_t j = index / 2;
        struct value a = get(j, number), b = get(j + points / 2, number);
        if (index % 2 == 0) {
            put(index, number + 1, (struct value){a.re + b.re, a.im + b.im});
        } else {
            struct value difference = {a.re - b.re, a.im - b.im};
            put(index, number + 1, times(difference, root(j >> number << number)));
        }
    }
}

static void make_input(void)
{
    for (uint32_t index = mc_core(); index < points; index += mc_cores()) {
        struct value sum = {0, 0};
        for (uint32_t i = 0; i < TONES; i++) {
            struct value turned = root((points - tones[i].frequency) * index);
            sum.re += tones[i].amplitude * turned.re >> 7; /* seven bits of fraction */
            sum.im += tones[i].amplitude * turned.im >> 7;
        }
        put(index, 0, sum);
    }
}

static bool near(int32_t a, int32_t b)
{
    int32_t tolerance = (int32_t)points * 4; /* a tenth of a per cent of the strongest line and less */
    return a - b <= tolerance && b - a <= tolerance;
}

static bool check(uint32_t stages)
{
    bool right = true;
    for (uint32_t index = mc_core(); index < points; index += mc_cores()) {
        uint32_t frequency = 0;
        int32_t expected = 0;
        for (uint32_t bit = 0; bit < stages; bit++) /* they come out with their bits reversed */
            frequency |= (index >> bit & 1) << (stages - 1 - bit);
        for (uint32_t i = 0; i < TONES; i++)
            expected += tones[i].frequency == frequency ? tones[i].amplitude * (int32_t)points << 7 : 0;
        struct value got = get(index, stages);
        right = right && near(got.re, expected) && near(got.im, 0);
    }
    return right;
}

int mc_main(void)
{
    uint32_t wanted = mc_argument(1, MOST), rounds = mc_argument(2, 1), stages = 4;
    while (stages < 12 && 2u << stages <= wanted)
        stages++;
    points = 1u << stages;
    for (uint32_t round = 0; round == 0 || round < rounds; round++) {
        if (round)
            mc_barrier_tree(); /* all have read what the next input is written over */
        make_input();
        for (uint32_t number = 0; number < stages; number++) {
            mc_barrier_tree();
            stage(number);
        }
    }
    return mc_conclude("FFT", check(stages));
}
