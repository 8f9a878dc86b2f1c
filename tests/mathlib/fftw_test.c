/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our libcufft beside FFTW, which is opened by name: where it is not installed, that is all that is said. One to three
 * dimensions, both precisions, complex numbers in both directions, real ones there and back.
 */
#include "reference.h"

#include <dlfcn.h>

int cufftPlan1d(int *, int, int, int), cufftPlan2d(int *, int, int, int), cufftPlan3d(int *, int, int, int, int);
int cufftDestroy(int), cufftExecC2C(int, void *, void *, int), cufftExecZ2Z(int, void *, void *, int),
    cufftExecR2C(int, void *, void *), cufftExecD2Z(int, void *, void *), cufftExecC2R(int, void *, void *),
    cufftExecZ2D(int, void *, void *);
enum { ESTIMATE = 1 << 6 /* FFTW_ESTIMATE: the plan leaves the arrays alone */ };
enum { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };

/* FFTW's functions of a precision, by the letter behind "fftw". */
struct fftw {
    void *library;
    const char *prefix;
    void *(*plan)(int, const int *, void *, void *, int, unsigned),
        *(*there)(int, const int *, void *, void *, unsigned), *(*back)(int, const int *, void *, void *, unsigned);
    void (*execute)(void *), (*destroy)(void *);
};

static void *function_of(const struct fftw *fftw, const char *name)
{
    char whole[40];
    snprintf(whole, sizeof whole, "%s_%s", fftw->prefix, name);
    void *function = dlsym(fftw->library, whole);
    if (!function)
        fail("FFTW has no %s", whole);
    return function;
}

static bool open_fftw(struct fftw *fftw, const char *name, const char *prefix)
{
    fftw->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    fftw->prefix = prefix;
    if (!fftw->library)
        return false;
    void *functions[] = {function_of(fftw, "plan_dft"), function_of(fftw, "plan_dft_r2c"),
                         function_of(fftw, "plan_dft_c2r"), function_of(fftw, "execute"),
                         function_of(fftw, "destroy_plan")};
    memcpy(&fftw->plan, &functions[0], sizeof functions[0]);
    memcpy(&fftw->there, &functions[1], sizeof functions[1]);
    memcpy(&fftw->back, &functions[2], sizeof functions[2]);
    memcpy(&fftw->execute, &functions[3], sizeof functions[3]);
    memcpy(&fftw->destroy, &functions[4], sizeof functions[4]);
    return true;
}

static long long product_of(const int *n, int rank)
{
    long long all = 1;
    for (int d = 0; d < rank; d++)
        all *= n[d];
    return all;
}

static int plan_of(const int *n, int rank, int type)
{
    int plan = 0;
    good(rank == 1   ? cufftPlan1d(&plan, n[0], type, 1)
         : rank == 2 ? cufftPlan2d(&plan, n[0], n[1], type)
                     : cufftPlan3d(&plan, n[0], n[1], n[2], type));
    return plan;
}

/* In the root mean square, of numbers of a precision. */
static void compare(const char *what, const int *n, int rank, const void *ours, const void *theirs, long long count,
                    bool twice)
{
    double wrong = 0, size = 0;
    for (long long i = 0; i < count; i++) {
        double is = twice ? ((const double *)ours)[i] : (double)((const float *)ours)[i];
        double should = twice ? ((const double *)theirs)[i] : (double)((const float *)theirs)[i];
        wrong += (is - should) * (is - should);
        size += should * should;
    }
    checked();
    if (!(sqrt(wrong / (size + 1e-300)) <= (twice ? 1e-14 : 2e-6)))
        fail("%s%s of %d x %d x %d: %g from FFTW", what, twice ? " (double)" : "", n[0], rank > 1 ? n[1] : 1,
             rank > 2 ? n[2] : 1, sqrt(wrong / size));
}

/* One transform of `from` numbers into `to` of them, by both. */
static void one(const struct fftw *fftw, const char *what, const int *n, int rank, int type, int sign, long long from,
                long long to, bool twice)
{
    size_t each = twice ? 8 : 4;
    char *in = malloc((size_t)from * each), *theirs = malloc((size_t)to * each), *ours = malloc((size_t)to * each);
    void *before = device_memory((size_t)from * each), *after = device_memory((size_t)to * each);
    int plan = plan_of(n, rank, type);
    bool back = type == C2R || type == Z2D;
    void *other = type == C2C || type == Z2Z ? fftw->plan(rank, n, in, theirs, sign, ESTIMATE)
                  : back                     ? fftw->back(rank, n, in, theirs, ESTIMATE)
                                             : fftw->there(rank, n, in, theirs, ESTIMATE);
    for (long long i = 0; i < from; i++)
        put_number(twice, in + (size_t)i * each, random_number());
    if (back) { /* what a real array has become, so that both read the same of it */
        void *real = malloc((size_t)to * each), *there = fftw->there(rank, n, real, in, ESTIMATE);
        for (long long i = 0; i < to; i++)
            put_number(twice, (char *)real + (size_t)i * each, random_number());
        fftw->execute(there);
        fftw->destroy(there);
        free(real);
    }
    copy_to_device(before, in, (size_t)from * each);
    good(type == C2C   ? cufftExecC2C(plan, before, after, sign)
         : type == Z2Z ? cufftExecZ2Z(plan, before, after, sign)
         : type == R2C ? cufftExecR2C(plan, before, after)
         : type == D2Z ? cufftExecD2Z(plan, before, after)
         : type == C2R ? cufftExecC2R(plan, before, after)
                       : cufftExecZ2D(plan, before, after));
    copy_to_host(ours, after, (size_t)to * each);
    fftw->execute(other);
    compare(what, n, rank, ours, theirs, to, twice);
    fftw->destroy(other);
    cufftDestroy(plan);
    device_free(before), device_free(after);
    free(in), free(theirs), free(ours);
}

static void each_kind(const struct fftw *fftw, const int *n, int rank, bool twice)
{
    long long all = product_of(n, rank), half = all / n[rank - 1] * (n[rank - 1] / 2 + 1);
    one(fftw, "forward", n, rank, twice ? Z2Z : C2C, -1, 2 * all, 2 * all, twice);
    one(fftw, "backward", n, rank, twice ? Z2Z : C2C, 1, 2 * all, 2 * all, twice);
    one(fftw, "real", n, rank, twice ? D2Z : R2C, 0, all, 2 * half, twice);
    one(fftw, "back to real", n, rank, twice ? Z2D : C2R, 0, 2 * half, all, twice);
}

int main(void)
{
    static const int lengths[] = {2, 3, 16, 60, 77, 97, 128, 210, 1000, 1024, 2048, 4099, 6000};
    static const int planes[][2] = {{4, 4}, {12, 35}, {64, 48}, {17, 128}};
    static const int solids[][3] = {{2, 3, 4}, {8, 9, 10}, {16, 16, 32}};
    struct fftw single, twice;
    if (!open_fftw(&single, "libfftw3f.so.3", "fftwf") || !open_fftw(&twice, "libfftw3.so.3", "fftw"))
        return puts("missing: libfftw3f.so.3 or libfftw3.so.3"), 0;
    reference_begin();
    for (int precision = 0; precision < 2; precision++) {
        const struct fftw *fftw = precision ? &twice : &single;
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
            each_kind(fftw, &lengths[i], 1, precision);
        for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
            each_kind(fftw, planes[i], 2, precision);
        for (size_t i = 0; i < sizeof solids / sizeof *solids; i++)
            each_kind(fftw, solids[i], 3, precision);
    }
    return reference_end();
}
