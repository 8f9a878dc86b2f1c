/* SPDX-License-Identifier: BSD-3-Clause */
/* Our libcufft beside the sum that a Fourier transform is: lengths of all kinds, dimensions, layouts, in place. */
#include "reference.h"

typedef double complex number;
int cufftPlan1d(int *, int, int, int), cufftPlan2d(int *, int, int, int), cufftPlan3d(int *, int, int, int, int);
int cufftCreate(int *), cufftXtExec(int, void *, void *, int);
int cufftXtMakePlanMany(int, int, long long *, long long *, long long, long long, int, long long *, long long,
                        long long, int, long long, size_t *, int);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int, int), cufftDestroy(int);
int cufftExecC2C(int, void *, void *, int), cufftExecZ2Z(int, void *, void *, int), cufftExecR2C(int, void *, void *),
    cufftExecD2Z(int, void *, void *), cufftExecC2R(int, void *, void *), cufftExecZ2D(int, void *, void *);

/* exp(-2 pi i k / n) by one angle of at most an eighth of a turn. */
static number root(long long k, long long n)
{
    return cexp(-2 * M_PI * I * (double)(k % n) / (double)n);
}

/* Along one dimension of a packed array, by the sum. */
static void transform(number *data, const int *n, int rank, int along, int sign)
{
    long long step = 1, all = 1;
    for (int d = 0; d < rank; d++) {
        all *= n[d];
        step *= d > along ? n[d] : 1;
    }
    number *line = calloc((size_t)n[along], sizeof *line), *roots = calloc((size_t)n[along], sizeof *roots);
    for (int k = 0; k < n[along]; k++)
        roots[k] = sign < 0 ? root(k, n[along]) : conj(root(k, n[along]));
    for (long long start = 0; start < all; start++) {
        if (start / step % n[along])
            continue;
        for (int k = 0; k < n[along]; k++) {
            line[k] = 0;
            for (int j = 0; j < n[along]; j++)
                line[k] += data[start + j * step] * roots[(long long)j * k % n[along]];
        }
        for (int k = 0; k < n[along]; k++)
            data[start + k * step] = line[k];
    }
    free(line), free(roots);
}

static void whole(number *data, const int *n, int rank, int sign)
{
    for (int d = 0; d < rank; d++)
        transform(data, n, rank, d, sign);
}

static void compare(const char *what, const int *n, int rank, const number *is, const number *should, long long count,
                    bool twice)
{
    double wrong = 0, size = 0;
    for (long long i = 0; i < count; i++) {
        wrong +=
            creal(is[i] - should[i]) * creal(is[i] - should[i]) + cimag(is[i] - should[i]) * cimag(is[i] - should[i]);
        size += creal(should[i]) * creal(should[i]) + cimag(should[i]) * cimag(should[i]);
    }
    wrong = sqrt(wrong / (size + 1e-300));
    checked();
    if (!(wrong <= (twice ? 1e-14 : 2e-6))) /* in the root mean square */
        fail("%s of %d x %d x %d: wrong by %g", what, n[0], rank > 1 ? n[1] : 1, rank > 2 ? n[2] : 1, wrong);
}

static int plan_of(const int *n, int rank, int type, int batch)
{
    int plan = 0;
    good(batch > 1 || rank == 1
             ? (rank == 1 ? cufftPlan1d(&plan, n[0], type, batch)
                          : cufftPlanMany(&plan, rank, (int *)n, NULL, 1, 0, NULL, 1, 0, type, batch))
         : rank == 2 ? cufftPlan2d(&plan, n[0], n[1], type)
                     : cufftPlan3d(&plan, n[0], n[1], n[2], type));
    return plan;
}

static void complex_numbers(const int *n, int rank, int batch, bool twice)
{
    int type = twice ? 3 : 2, plan = plan_of(n, rank, twice ? 0x69 : 0x29, batch);
    long long all = 1;
    for (int d = 0; d < rank; d++)
        all *= n[d];
    number *data = calloc((size_t)(all * batch), sizeof *data), *is = calloc((size_t)(all * batch), sizeof *is);
    for (int sign = -1; sign < 2; sign += 2) {
        for (long long i = 0; i < all * batch; i++)
            data[i] = rounded(type, random_number(), random_number());
        void *in = device_memory((size_t)(all * batch) * reference_size(type));
        void *out = sign > 0 ? in : device_memory((size_t)(all * batch) * reference_size(type));
        to_device(type, in, data, all * batch);
        good((twice ? cufftExecZ2Z : cufftExecC2C)(plan, in, out, sign));
        from_device(type, is, out, all * batch);
        for (int b = 0; b < batch; b++)
            whole(data + b * all, n, rank, sign);
        compare(sign < 0 ? "forward" : "inverse", n, rank, is, data, all * batch, twice);
        device_free(in);
        if (out != in)
            device_free(out);
    }
    good(cufftDestroy(plan));
    free(data), free(is);
}

/* Real to complex and back, in place where `here`: rows are then padded. */
static void real_numbers(const int *n, int rank, int batch, bool twice, bool here)
{
    int real = twice ? 1 : 0, type = twice ? 3 : 2, last = n[rank - 1], half = last / 2 + 1;
    int to = plan_of(n, rank, twice ? 0x6a : 0x2a, batch), back = plan_of(n, rank, twice ? 0x6c : 0x2c, batch);
    long long rows = batch;
    for (int d = 0; d < rank - 1; d++)
        rows *= n[d];
    long long pitch = here ? 2 * half : last, all = rows * last / batch;
    number *data = calloc((size_t)(rows * last), sizeof *data),
           *padded = calloc((size_t)(rows * pitch), sizeof *padded);
    number *is = calloc((size_t)(rows * (pitch > last ? pitch : last)), sizeof *is),
           *should = calloc((size_t)(rows * half), sizeof *should);
    for (long long i = 0; i < rows * last; i++)
        padded[i / last * pitch + i % last] = data[i] = rounded(real, random_number(), 0);
    void *in = device_memory((size_t)(rows * pitch) * reference_size(real));
    void *out = here ? in : device_memory((size_t)(rows * half) * reference_size(type));
    to_device(real, in, padded, rows * pitch);
    good((twice ? cufftExecD2Z : cufftExecR2C)(to, in, out));
    number *copy = memcpy(malloc((size_t)(rows * last) * sizeof *copy), data, (size_t)(rows * last) * sizeof *copy);
    for (int b = 0; b < batch; b++)
        whole(copy + b * all, n, rank, -1);
    for (long long i = 0; i < rows * half; i++)
        should[i] = copy[i / half * last + i % half];
    from_device(type, is, out, rows * half);
    compare(here ? "real in place" : "real", n, rank, is, should, rows * half, twice);
    good((twice ? cufftExecZ2D : cufftExecC2R)(back, out, in));
    from_device(real, padded, in, rows * pitch);
    for (long long i = 0; i < rows * last; i++)
        is[i] = padded[i / last * pitch + i % last] / (double)all;
    compare("back to real", n, rank, is, data, rows * last, twice);
    good(cufftDestroy(to)), good(cufftDestroy(back));
    device_free(in);
    if (out != in)
        device_free(out);
    free(data), free(padded), free(is), free(should), free(copy);
}

/* A layout of the caller's: every third number, lines of two interleaved. */
static void strided(void)
{
    int n = 30, embed = 40, batch = 2, plan = 0, count = 40 * 3 * 2;
    number *data = calloc((size_t)count, sizeof *data), *is = calloc((size_t)count, sizeof *is), line[30];
    for (int i = 0; i < count; i++)
        data[i] = random_number() + random_number() * I;
    void *in = device_memory((size_t)count * 16), *out = device_memory((size_t)count * 16);
    to_device(3, in, data, count);
    good(cufftPlanMany(&plan, 1, &n, &embed, 6, 3, &embed, 2, 1, 0x69, batch));
    good(cufftExecZ2Z(plan, in, out, -1));
    from_device(3, is, out, count);
    for (int b = 0; b < batch; b++) {
        number found[30];
        for (int k = 0; k < n; k++)
            line[k] = data[b * 3 + k * 6], found[k] = is[b + k * 2];
        transform(line, &n, 1, 0, -1);
        compare("strided", &n, 1, found, line, n, true);
    }
    good(cufftDestroy(plan));
    free(data), free(is);
}

/* Plans by the types of numbers: as PyTorch makes them. */
static void typed(void)
{
    enum { REAL = 0, COMPLEX = 4 };
    long long n[2] = {5, 12};
    int plan = 0, narrow[2] = {5, 12};
    size_t size = 1;
    number data[60], is[35], should[35];
    for (int i = 0; i < 60; i++)
        data[i] = rounded(REAL, random_number(), 0);
    void *in = device_memory(60 * 4), *out = device_memory(35 * 8);
    to_device(0, in, data, 60);
    good(cufftCreate(&plan));
    good(cufftXtMakePlanMany(plan, 2, n, NULL, 1, 60, REAL, NULL, 1, 35, COMPLEX, 1, &size, COMPLEX));
    good(cufftXtExec(plan, in, out, -1));
    whole(data, narrow, 2, -1);
    for (int i = 0; i < 35; i++)
        should[i] = data[i / 7 * 12 + i % 7];
    from_device(2, is, out, 35);
    compare("by types", narrow, 2, is, should, 35, false);
    good(cufftDestroy(plan));
    device_free(in), device_free(out);
}

/* Pairs of halves as complex numbers; those behind `count` are not compared, but must be what they were. */
static void compare_halves(const char *what, const int *n, int rank, const void *device, const number *should,
                           int count)
{
    static number parts[800], is[400];
    double most = 0;
    from_device(4, parts, device, 2 * count);
    for (int i = 0; i < count; i++)
        is[i] = creal(parts[2 * i]) + I * creal(parts[2 * i + 1]), most = fmax(most, cabs(should[i]));
    checked();
    for (int i = 0; i < count; i++)
        if (!(cabs(is[i] - should[i]) <= 1e-3 * most)) {
            fail("halves, %s of %d x %d: number %d is %g%+gi, should be %g%+gi", what, n[0], rank > 1 ? n[1] : 1, i,
                 creal(is[i]), cimag(is[i]), creal(should[i]), cimag(should[i]));
            return;
        }
}

/* Halves: two transforms of two dimensions with gaps that stay; real ones in place and back; a length that has none. */
static void halves(void)
{
    enum { REAL = 2, COMPLEX = 6, PITCH = 20, ALL = 2 * (8 * PITCH + 4) };
    long long n[2] = {8, 16}, embed[2] = {8, PITCH}, line = 32, odd = 12;
    int plan = 0, other = 0, narrow[2] = {8, 16}, one = 32;
    size_t size = 1;
    static number parts[2 * ALL], data[ALL];
    for (int i = 0; i < ALL; i++) {
        parts[2 * i] = i % 29 / 32.0 - 0.4, parts[2 * i + 1] = i % 13 / 16.0 - 0.3;
        data[i] = parts[2 * i] + I * parts[2 * i + 1];
    }
    void *in = device_memory(ALL * 4), *out = device_memory(ALL * 4);
    to_device(4, in, parts, 2 * ALL), to_device(4, out, parts, 2 * ALL);
    good(cufftCreate(&plan));
    good(cufftXtMakePlanMany(plan, 2, n, embed, 1, ALL / 2, COMPLEX, embed, 1, ALL / 2, COMPLEX, 2, &size, COMPLEX));
    good(cufftXtExec(plan, in, out, -1));
    for (int b = 0; b < 2; b++) {
        number packed[8 * 16];
        for (int i = 0; i < 8 * 16; i++)
            packed[i] = data[b * ALL / 2 + i / 16 * PITCH + i % 16];
        whole(packed, narrow, 2, -1);
        for (int i = 0; i < 8 * 16; i++)
            data[b * ALL / 2 + i / 16 * PITCH + i % 16] = packed[i];
    }
    compare_halves("forward", narrow, 2, out, data, ALL);
    checked();
    if (cufftExecC2C(plan, in, out, -1) != 3)
        fail("halves are taken for floats");
    good(cufftDestroy(plan));

    for (int i = 0; i < 32; i++)
        data[i] = creal(parts[i]);
    good(cufftCreate(&plan)), good(cufftCreate(&other));
    good(cufftXtMakePlanMany(plan, 1, &line, NULL, 1, 32, REAL, NULL, 1, 17, COMPLEX, 1, &size, COMPLEX));
    good(cufftXtMakePlanMany(other, 1, &line, NULL, 1, 17, COMPLEX, NULL, 1, 32, REAL, 1, &size, COMPLEX));
    to_device(4, in, parts, 34);
    good(cufftXtExec(plan, in, in, 0));
    whole(data, &one, 1, -1);
    compare_halves("real in place", &one, 1, in, data, 17);
    good(cufftXtExec(other, in, out, 0));
    for (int i = 0; i < 16; i++)
        data[i] = 32 * (creal(parts[2 * i]) + I * creal(parts[2 * i + 1]));
    compare_halves("back to real", &one, 1, out, data, 16);
    good(cufftDestroy(plan)), good(cufftDestroy(other)), good(cufftCreate(&plan));
    checked();
    if (cufftXtMakePlanMany(plan, 1, &odd, NULL, 1, 12, COMPLEX, NULL, 1, 12, COMPLEX, 1, &size, COMPLEX) != 8)
        fail("a length of halves that is no power of two is accepted");
    good(cufftDestroy(plan)), device_free(in), device_free(out);
}

int main(void)
{
    static const int lines[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 16, 17, 19, 30, 64, 77, 97, 128, 210, 256, 1001};
    static const int arrays[][3] = {{8, 8, 1}, {5, 12, 1}, {16, 9, 1}, {4, 6, 10}, {7, 3, 5}, {8, 8, 8}};
    reference_begin();
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        for (int twice = 0; twice < 2; twice++) {
            complex_numbers(&lines[i], 1, 1 + (int)i % 3, twice);
            real_numbers(&lines[i], 1, 1 + (int)i % 2, twice, i % 2);
        }
    for (int i = 0; i < 6; i++)
        for (int twice = 0; twice < 2; twice++) {
            complex_numbers(arrays[i], i < 3 ? 2 : 3, 1 + i % 2, twice);
            real_numbers(arrays[i], i < 3 ? 2 : 3, 1, twice, false);
            real_numbers(arrays[i], i < 3 ? 2 : 3, 1, twice, true);
        }
    int longer[] = {4096, 2053, 3000}; /* by steps, by a chirp */
    for (int i = 0; i < 3; i++) {
        complex_numbers(&longer[i], 1, 1, i == 0);
        real_numbers(&longer[i], 1, 1, i == 2, false);
    }
    strided();
    typed();
    halves();
    int plan = 0;
    if (cufftPlan1d(&plan, 0, 0x29, 1) == 0 || cufftPlan1d(&plan, 8, 1, 1) != 3 ||
        cufftExecC2C(77, NULL, NULL, -1) != 1)
        fail("what is impossible is accepted");
    return reference_end();
}
