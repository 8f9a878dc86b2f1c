/* SPDX-License-Identifier: BSD-3-Clause */
/* Forms of sparse matrices in our libcusparse beside the host's: from dense ones and back, sorted, summed, and numbers
 * taken from places of a vector. */
#include "reference.h"

typedef void *any;
int cusparseCreate(any *), cusparseDestroy(any), cusparseDestroySpMat(any), cusparseDestroyDnMat(any);
int cusparseCreateCsr(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int, int);
int cusparseCreateCsc(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int, int);
int cusparseCreateCoo(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int);
int cusparseCsrSetPointers(any, any, any, any), cusparseCscSetPointers(any, any, any, any),
    cusparseCooSetPointers(any, any, any, any);
int cusparseSpMatGetSize(any, int64_t *, int64_t *, int64_t *);
int cusparseCreateDnVec(any *, int64_t, any, int), cusparseCreateDnMat(any *, int64_t, int64_t, int64_t, any, int, int);
int cusparseCreateSpVec(any *, int64_t, int64_t, any, any, int, int, int), cusparseDestroySpVec(any);
int cusparseGather(any, any, any), cusparseScatter(any, any, any);
int cusparseDenseToSparse_bufferSize(any, any, any, int, size_t *),
    cusparseDenseToSparse_analysis(any, any, any, int, any), cusparseDenseToSparse_convert(any, any, any, int, any);
int cusparseSparseToDense_bufferSize(any, any, any, int, size_t *), cusparseSparseToDense(any, any, any, int, any);
int cusparseCreateIdentityPermutation(any, int, int *);
int cusparseXcoosort_bufferSizeExt(any, int, int, int, const int *, const int *, size_t *);
int cusparseXcoosortByRow(any, int, int, int, int *, int *, int *, any),
    cusparseXcoosortByColumn(any, int, int, int, int *, int *, int *, any);
int cusparseXcsrsort(any, int, int, int, any, const int *, int *, int *, any);
int cusparseCreateMatDescr(any *), cusparseSetMatIndexBase(any, int), cusparseDestroyMatDescr(any);
int cusparseXcsrgeam2Nnz(any, int, int, any, int, const int *, const int *, any, int, const int *, const int *, any,
                         int *, int *, any);
int cusparseDcsrgeam2_bufferSizeExt(any, int, int, const double *, any, int, const double *, const int *, const int *,
                                    const double *, any, int, const double *, const int *, const int *, any,
                                    const double *, const int *, const int *, size_t *);
int cusparseDcsrgeam2(any, int, int, const double *, any, int, const double *, const int *, const int *, const double *,
                      any, int, const double *, const int *, const int *, any, double *, int *, int *, any);

enum { ROWS = 37, COLUMNS = 45, LD = 50, SIZE = LD * LD };
static any handle;
static double complex dense[SIZE];

static void *sent(const void *from, size_t bytes)
{
    void *to = device_memory(bytes);
    copy_to_device(to, from, bytes);
    return to;
}

/* A dense matrix becomes a sparse one, of which another is made, which must be the first. -0 is no number. Numbers
 * between the columns stay. */
static void there_and_back(int format, int type, bool wide, int base, int order)
{
    static const int types[] = {0, 1, 4, 5};
    static double complex is[SIZE];
    int lines = order == 1 ? COLUMNS : ROWS, length = order == 1 ? ROWS : COLUMNS, numbers = 0;
    for (int i = 0; i < SIZE; i++)
        is[i] = 7;
    for (int line = 0; line < lines; line++)
        for (int i = 0; i < length; i++) {
            double re = random_number(), im = type < 2 ? 0 : random_number();
            bool number = (line * 7 + i * 3) % 5 == 0 || line == 3;
            dense[line * LD + i] = number && line != 9 ? rounded(type, re, im) : -0.0;
            numbers += number && line != 9;
        }
    void *from = device_memory(SIZE * 16), *to = device_memory(SIZE * 16);
    to_device(type, from, dense, SIZE), to_device(type, to, is, SIZE);
    any a, b, s;
    int width = wide ? 3 : 2;
    void *offsets = device_memory((ROWS + COLUMNS) * 8);
    good(cusparseCreateDnMat(&a, ROWS, COLUMNS, LD, from, types[type], order));
    good(cusparseCreateDnMat(&b, ROWS, COLUMNS, LD, to, types[type], order));
    if (format == 3)
        good(cusparseCreateCoo(&s, ROWS, COLUMNS, 0, NULL, NULL, NULL, width, base, types[type]));
    else
        good((format == 1 ? cusparseCreateCsr : cusparseCreateCsc)(&s, ROWS, COLUMNS, 0, offsets, NULL, NULL, width,
                                                                   width, base, types[type]));
    size_t bytes = 0;
    int64_t rows, columns, count;
    good(cusparseDenseToSparse_bufferSize(handle, a, s, 0, &bytes));
    void *buffer = device_memory(bytes);
    good(cusparseDenseToSparse_analysis(handle, a, s, 0, buffer));
    good(cusparseSpMatGetSize(s, &rows, &columns, &count));
    checked();
    if (count != numbers)
        fail("format %d, type %d: %d numbers, should be %d", format, type, (int)count, numbers);
    void *first = format == 3 ? device_memory((size_t)count * 8) : offsets, *across = device_memory((size_t)count * 8),
         *values = device_memory((size_t)count * 16);
    good((format == 1   ? cusparseCsrSetPointers
          : format == 2 ? cusparseCscSetPointers
                        : cusparseCooSetPointers)(s, first, across, values));
    good(cusparseDenseToSparse_convert(handle, a, s, 0, buffer));
    good(cusparseSparseToDense_bufferSize(handle, s, b, 0, &bytes));
    good(cusparseSparseToDense(handle, s, b, 0, device_memory(bytes)));
    from_device(type, is, to, SIZE);
    checked();
    for (int i = 0; i < SIZE; i++)
        if (is[i] != (i / LD < lines && i % LD < length ? dense[i] : 7)) {
            fail("format %d, type %d, order %d: number %d is %g", format, type, order, i, creal(is[i]));
            break;
        }
    cusparseDestroySpMat(s), cusparseDestroyDnMat(a), cusparseDestroyDnMat(b);
}

/* Numbers of equal places keep their order, which the permutation tells. */
static void sorting(int count, bool by_row)
{
    int row[2000], column[2000], is_row[2000], is_column[2000], permutation[2000];
    size_t bytes = 0;
    for (int i = 0; i < count; i++)
        row[i] = (int)(i * 7919L % 31), column[i] = (int)(i * 104729L % 17);
    size_t all = sizeof(int) * (size_t)count;
    int *r = sent(row, all), *c = sent(column, all), *p = device_memory(all);
    good(cusparseXcoosort_bufferSizeExt(handle, 31, 17, count, r, c, &bytes));
    good(cusparseCreateIdentityPermutation(handle, count, p));
    good((by_row ? cusparseXcoosortByRow : cusparseXcoosortByColumn)(handle, 31, 17, count, r, c, p,
                                                                     device_memory(bytes)));
    copy_to_host(is_row, r, all), copy_to_host(is_column, c, all), copy_to_host(permutation, p, all);
    bool seen[2000] = {false};
    checked();
    for (int i = 0; i < count; i++) {
        int from = permutation[i];
        bool known = from >= 0 && from < count && !seen[from] && row[from] == is_row[i] && column[from] == is_column[i];
        int before = i ? by_row ? is_row[i - 1] * 64 + is_column[i - 1] : is_column[i - 1] * 64 + is_row[i - 1] : -1,
            now = by_row ? is_row[i] * 64 + is_column[i] : is_column[i] * 64 + is_row[i];
        if (!known || before > now || (before == now && permutation[i - 1] > from)) {
            fail("sorting %d by %s: number %d", count, by_row ? "row" : "column", i);
            return;
        }
        seen[from] = true;
    }
}

/* Columns of rows go up; offsets stay. */
static void sorting_rows(int base)
{
    int offsets[] = {0, 3, 3, 10, 11}, across[] = {4, 0, 2, 9, 8, 7, 1, 3, 0, 5, 6}, is[11],
        should[] = {0, 2, 4, 0, 1, 3, 5, 7, 8, 9, 6}, order[] = {1, 2, 0, 8, 6, 7, 9, 5, 4, 3, 10}, permutation[11];
    for (int i = 0; i < 11; i++)
        across[i] += base, should[i] += base;
    for (int i = 0; i < 5; i++)
        offsets[i] += base;
    any description;
    good(cusparseCreateMatDescr(&description)), good(cusparseSetMatIndexBase(description, base));
    int *a = sent(across, sizeof across), *p = device_memory(sizeof permutation);
    good(cusparseCreateIdentityPermutation(handle, 11, p));
    good(cusparseXcsrsort(handle, 4, 10, 11, description, sent(offsets, sizeof offsets), a, p, device_memory(1000)));
    copy_to_host(is, a, sizeof is), copy_to_host(permutation, p, sizeof permutation);
    checked();
    if (memcmp(is, should, sizeof is) != 0 || memcmp(permutation, order, sizeof order) != 0)
        fail("columns of rows, base %d", base);
    cusparseDestroyMatDescr(description);
}

/* A matrix with each third number, or each fifth, in rows whose columns go down. */
static int *rows_of(int step, int base, int *count, int **offsets, double **values)
{
    static int across[ROWS * COLUMNS], begins[ROWS + 1];
    static double numbers[ROWS * COLUMNS];
    *count = 0;
    for (int i = 0; i < ROWS; i++) {
        begins[i] = *count + base;
        for (int j = COLUMNS - 1; j >= 0; j--)
            if ((i + j) % step == 0 && i != step)
                across[*count] = j + base, numbers[(*count)++] = step * 100 + i + 0.01 * j;
    }
    begins[ROWS] = *count + base;
    *offsets = sent(begins, sizeof begins);
    *values = sent(numbers, sizeof numbers);
    return sent(across, sizeof across);
}

static void sums(int base)
{
    int count_a, count_b, *offsets_a, *offsets_b, total = -1, begins[ROWS + 1], across[ROWS * COLUMNS];
    double *values_a, *values_b, numbers[ROWS * COLUMNS], alpha = 2, beta = -0.5;
    int *a = rows_of(3, 0, &count_a, &offsets_a, &values_a), *b = rows_of(5, base, &count_b, &offsets_b, &values_b);
    any zero, one;
    size_t bytes = 0;
    good(cusparseCreateMatDescr(&zero)), good(cusparseCreateMatDescr(&one)), good(cusparseSetMatIndexBase(one, base));
    int *offsets_c = device_memory(sizeof begins), *c = device_memory(sizeof across);
    double *values_c = device_memory(sizeof numbers);
    good(cusparseDcsrgeam2_bufferSizeExt(handle, ROWS, COLUMNS, &alpha, zero, count_a, values_a, offsets_a, a, &beta,
                                         one, count_b, values_b, offsets_b, b, one, values_c, offsets_c, c, &bytes));
    void *buffer = device_memory(bytes);
    good(cusparseXcsrgeam2Nnz(handle, ROWS, COLUMNS, zero, count_a, offsets_a, a, one, count_b, offsets_b, b, one,
                              offsets_c, &total, buffer));
    good(cusparseDcsrgeam2(handle, ROWS, COLUMNS, &alpha, zero, count_a, values_a, offsets_a, a, &beta, one, count_b,
                           values_b, offsets_b, b, one, values_c, offsets_c, c, buffer));
    copy_to_host(begins, offsets_c, sizeof begins), copy_to_host(across, c, sizeof across);
    copy_to_host(numbers, values_c, sizeof numbers);
    int next = 0;
    checked();
    for (int i = 0; i < ROWS; i++) {
        if (begins[i] != next + base)
            fail("a sum: row %d begins at %d, should at %d", i, begins[i], next + base);
        for (int j = 0; j < COLUMNS; j++) {
            bool in_a = (i + j) % 3 == 0 && i != 3, in_b = (i + j) % 5 == 0 && i != 5;
            double sum = (in_a ? 2 * (300 + i + 0.01 * j) : 0) + (in_b ? -0.5 * (500 + i + 0.01 * j) : 0);
            if ((in_a || in_b) && (across[next] != j + base || fabs(numbers[next] - sum) > 1e-9))
                fail("a sum: number %d", next);
            next += in_a || in_b;
        }
    }
    if (total != next || begins[ROWS] != next + base)
        fail("a sum has %d numbers, should have %d", total, next);
    cusparseDestroyMatDescr(zero), cusparseDestroyMatDescr(one);
}

static void places(bool wide, int base)
{
    int64_t list[] = {3, 0, 9, 4};
    int narrow[4];
    double from[10], to[4], back[10];
    for (int i = 0; i < 10; i++)
        from[i] = i + 0.5, back[i] = -1;
    for (int i = 0; i < 4; i++)
        list[i] += base, narrow[i] = (int)list[i];
    any d, e, s;
    void *values = device_memory(sizeof to), *again = sent(back, sizeof back),
         *at = wide ? sent(list, sizeof list) : sent(narrow, sizeof narrow);
    good(cusparseCreateDnVec(&d, 10, sent(from, sizeof from), 1)), good(cusparseCreateDnVec(&e, 10, again, 1));
    good(cusparseCreateSpVec(&s, 10, 4, at, values, wide ? 3 : 2, base, 1));
    good(cusparseGather(handle, d, s)), good(cusparseScatter(handle, s, e));
    copy_to_host(to, values, sizeof to), copy_to_host(back, again, sizeof back);
    checked();
    for (int i = 0; i < 4; i++)
        if (to[i] != (double)(list[i] - base) + 0.5 || back[list[i] - base] != to[i] || back[1] != -1)
            fail("number %d at its place", i);
    good(cusparseDestroySpVec(s));
}

int main(void)
{
    reference_begin();
    good(cusparseCreate(&handle));
    for (int type = 0; type < 4; type++)
        for (int format = 1; format <= 3; format++)
            there_and_back(format, type, type % 2, format % 2, 1 + (type + format) % 2);
    sorting(0, true), sorting(1, true), sorting(300, false), sorting(2000, true);
    sorting_rows(0), sorting_rows(1);
    sums(0), sums(1);
    places(false, 0), places(true, 1);
    good(cusparseDestroy(handle));
    return reference_end();
}
