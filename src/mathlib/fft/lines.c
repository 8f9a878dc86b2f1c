/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transforms of lines of any length. A line that fits into shared memory takes one pass. Longer lines are treated as a
 * matrix, whose columns and then rows are transformed (four-step algorithm; Bailey, 1990). Lengths with large prime
 * factors use a convolution with a chirp (Bluestein, 1970), by transforms whose length is a power of two.
 */
#include "mathlib/fft/plan.h"

#include <string.h>

static long long longest(const struct fft_plan *plan)
{
    return fft_is_double(plan) ? 1024 : 2048;
}

/* The radices of a length; 0: it has another prime factor. */
static int radices_of(long long n, int *radix)
{
    static const int known[] = {8, 4, 2, 3, 5, 7, 11, 13};
    int count = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        while (n % known[i] == 0 && count < FFT_FACTORS) {
            radix[count++] = known[i];
            n /= known[i];
        }
    return n == 1 ? count : 0;
}

static bool one_pass(const struct fft_plan *plan, long long n)
{
    int radix[FFT_FACTORS];
    return n == 1 || (n <= longest(plan) && radices_of(n, radix));
}

/* The number of columns of the matrix that a long line is; 0: it is none that can be transformed. */
static long long columns_of(const struct fft_plan *plan, long long n)
{
    long long columns = longest(plan);
    while (columns > 1 && (n % columns || !one_pass(plan, columns) || !one_pass(plan, n / columns)))
        columns--;
    return columns > 1 ? columns : 0;
}

static long long padded(long long n)
{
    long long m = 1;
    while (m < 2 * n - 1)
        m *= 2;
    return m;
}

bool fft_can(const struct fft_plan *plan, long long n)
{
    return n > 0 && n < 1LL << 30 &&
           (one_pass(plan, n) || columns_of(plan, n) || columns_of(plan, padded(n)) || one_pass(plan, padded(n)));
}

static bool launch(struct fft_plan *plan, bool move, const struct fft_pass *pass, struct mathlib_grid grid)
{
    const char *name = fft_is_double(plan) ? (move ? "maniple_zfft_move" : "maniple_zfft")
                                           : (move ? "maniple_cfft_move" : "maniple_cfft");
    return mathlib_launch(&plan->kernels, "fft", name, grid, pass);
}

/* ===== tables ===== */

static int in_place(struct fft_plan *plan, void *data, long long n, long long lines, void *spare, bool inverse);

/* The table, made when it is wanted first; NULL: there is no memory. */
static const void *table_of(struct fft_plan *plan, struct fft_table wanted, bool transformed)
{
    for (int i = 0; i < plan->table_count; i++) {
        const struct fft_table *t = &plan->tables[i].table;
        if (t->n == wanted.n && t->count == wanted.count && t->chirp == wanted.chirp && t->mirrored == wanted.mirrored)
            return t->data;
    }
    CUdeviceptr memory = 0;
    size_t bytes = (size_t)wanted.count * fft_number(plan);
    if (plan->table_count == FFT_TABLES || cuMemAlloc(&memory, bytes) != CUDA_SUCCESS)
        return NULL;
    wanted.data = (void *)(uintptr_t)memory;
    plan->tables[plan->table_count++] = (struct fft_made_table){wanted, transformed};
    if (!mathlib_launch(&plan->kernels, "fft", fft_is_double(plan) ? "maniple_zfft_table" : "maniple_cfft_table",
                        (struct mathlib_grid){.x = mathlib_blocks(wanted.count, 256), .threads = 256}, &wanted))
        return NULL;
    if (transformed) {
        CUdeviceptr spare = 0;
        if (cuMemAlloc(&spare, bytes) != CUDA_SUCCESS ||
            in_place(plan, wanted.data, wanted.count, 1, (void *)(uintptr_t)spare, false) != FFT_SUCCESS)
            return NULL;
        cuCtxSynchronize();
        cuMemFree(spare);
    }
    return wanted.data;
}

static const void *roots_of(struct fft_plan *plan, long long n)
{
    return table_of(plan, (struct fft_table){.count = n, .n = n, .filled = n}, false);
}

void fft_forget(struct fft_plan *plan)
{
    for (int i = 0; i < plan->table_count; i++)
        cuMemFree((CUdeviceptr)(uintptr_t)plan->tables[i].table.data);
    plan->table_count = 0;
    if (plan->floats)
        cuMemFree(plan->floats);
    plan->floats = 0;
}

/* ===== passes ===== */

static int one(struct fft_plan *plan, long long n, const struct fft_pass *from)
{
    struct fft_pass pass = *from;
    pass.n = (int)n;
    pass.radices = radices_of(n, pass.radix);
    pass.roots = roots_of(plan, n);
    if (!pass.roots)
        return FFT_ALLOC_FAILED;
    pass.adjacent_in = pass.in.level[0] == 1 && pass.in.step != 1;
    pass.adjacent_out = pass.out.level[0] == 1 && pass.out.step != 1;
    long long group = 512 / n;
    if ((pass.adjacent_in || pass.adjacent_out) && group < 8)
        group = 8;
    if (group * n > longest(plan))
        group = longest(plan) / n;
    if (group > pass.lines)
        group = pass.lines;
    pass.group = group < 1 ? 1 : (int)group;
    if (pass.scale == 0)
        pass.scale = 1;
    struct mathlib_grid grid = {.x = mathlib_blocks(pass.lines, pass.group), .threads = 256};
    grid.shared = (unsigned)(2 * (size_t)pass.group * (size_t)n * fft_number(plan));
    return grid.x > INT32_MAX ? FFT_INVALID_SIZE : launch(plan, false, &pass, grid) ? FFT_SUCCESS : FFT_EXEC_FAILED;
}

static int move(struct fft_plan *plan, long long n, const struct fft_pass *from)
{
    struct fft_pass pass = *from;
    pass.n = (int)n;
    if (pass.scale == 0)
        pass.scale = 1;
    struct mathlib_grid grid = {.x = mathlib_blocks(pass.lines * n, 256), .threads = 256};
    return grid.x > INT32_MAX ? FFT_INVALID_SIZE : launch(plan, true, &pass, grid) ? FFT_SUCCESS : FFT_EXEC_FAILED;
}

/* Contiguous lines, `length` apart. */
static struct fft_lines packed(const void *data, long long n, long long length)
{
    return (struct fft_lines){.data = data, .step = 1, .level = {length}, .limit = n};
}

static void one_level(struct fft_pass *pass, long long lines)
{
    pass->lines = pass->count[0] = lines;
    for (int i = 1; i < FFT_LEVELS; i++)
        pass->count[i] = 1;
}

/* Contiguous lines, one behind the other, where they lie. */
static int in_place(struct fft_plan *plan, void *data, long long n, long long lines, void *spare, bool inverse)
{
    struct fft_pass pass = {.inverse = inverse};
    if (one_pass(plan, n)) {
        one_level(&pass, lines);
        pass.in = pass.out = packed(data, n, n);
        return one(plan, n, &pass);
    }
    long long columns = columns_of(plan, n), rows = n / columns;
    pass.lines = lines * columns; /* columns, and then rows, of each line's matrix */
    pass.count[0] = columns, pass.count[1] = lines, pass.count[2] = pass.count[3] = 1;
    pass.in = (struct fft_lines){.data = data, .step = columns, .level = {1, n}, .limit = rows};
    pass.out = pass.in;
    pass.out.data = spare;
    pass.twiddle = n;
    int status = one(plan, rows, &pass);
    if (status != FFT_SUCCESS)
        return status;
    pass.twiddle = 0;
    pass.lines = lines * rows, pass.count[0] = rows;
    pass.in = (struct fft_lines){.data = spare, .step = 1, .level = {columns, n}, .limit = columns};
    pass.out = (struct fft_lines){.data = data, .step = rows, .level = {1, n}, .limit = columns};
    return one(plan, columns, &pass);
}

/* A long line: copied, transformed, copied to where it belongs. */
static int by_steps(struct fft_plan *plan, long long n, const struct fft_pass *pass)
{
    size_t bytes = (size_t)(pass->lines * n) * fft_number(plan);
    CUdeviceptr space = mathlib_workspace(&plan->kernels, 2 * bytes);
    if (!space)
        return FFT_ALLOC_FAILED;
    void *data = (void *)(uintptr_t)space, *spare = (void *)(uintptr_t)(space + bytes);
    struct fft_pass first = *pass, last = *pass;
    first.inverse = last.inverse = 0;
    first.out = packed(data, n, n), last.in = first.out;
    memcpy(first.out.level,
           (long long[FFT_LEVELS]){n, n * pass->count[0], n * pass->count[0] * pass->count[1],
                                   n * pass->count[0] * pass->count[1] * pass->count[2]},
           sizeof first.out.level);
    memcpy(last.in.level, first.out.level, sizeof last.in.level);
    int status = move(plan, n, &first);
    if (status == FFT_SUCCESS)
        status = in_place(plan, data, n, pass->lines, spare, pass->inverse);
    return status == FFT_SUCCESS ? move(plan, n, &last) : status;
}

/* Transforms by a convolution of length m with a chirp. */
static int by_chirp(struct fft_plan *plan, long long n, const struct fft_pass *pass)
{
    long long m = padded(n), c = pass->count[0], cc = c * pass->count[1], ccc = cc * pass->count[2];
    size_t bytes = (size_t)(pass->lines * m) * fft_number(plan);
    const void *chirp = table_of(plan, (struct fft_table){.count = m, .n = n, .filled = n, .chirp = 1}, false);
    const void *answer =
        table_of(plan, (struct fft_table){.count = m, .n = n, .filled = n, .chirp = 1, .mirrored = 1}, true);
    CUdeviceptr space = mathlib_workspace(&plan->kernels, 2 * bytes);
    if (!chirp || !answer || !space)
        return FFT_ALLOC_FAILED;
    void *data = (void *)(uintptr_t)space, *spare = (void *)(uintptr_t)(space + bytes);
    struct fft_pass first = *pass, middle = {.factor_in = answer}, last = *pass;
    first.inverse = last.inverse = 0;
    first.in.conjugate = pass->inverse, last.out.conjugate = pass->inverse;
    first.factor_in = last.factor_in = chirp;
    first.out = packed(data, n, m);
    memcpy(first.out.level, (long long[FFT_LEVELS]){m, m * c, m * cc, m * ccc}, sizeof first.out.level);
    last.in = first.out;
    last.scale = 1.0 / (double)m;
    one_level(&middle, pass->lines);
    middle.in = middle.out = packed(data, m, m);
    if (cuMemsetD8Async(space, 0, bytes, plan->kernels.stream) != CUDA_SUCCESS)
        return FFT_EXEC_FAILED;
    int status = move(plan, n, &first);
    if (status == FFT_SUCCESS)
        status = in_place(plan, data, m, pass->lines, spare, false);
    if (status == FFT_SUCCESS)
        status = move(plan, m, &middle);
    if (status == FFT_SUCCESS)
        status = in_place(plan, data, m, pass->lines, spare, true);
    return status == FFT_SUCCESS ? move(plan, n, &last) : status;
}

int fft_transform(struct fft_plan *plan, long long n, const struct fft_pass *pass)
{
    if (one_pass(plan, n))
        return one(plan, n, pass);
    return columns_of(plan, n) ? by_steps(plan, n, pass) : by_chirp(plan, n, pass);
}
