/* SPDX-License-Identifier: BSD-3-Clause */
/* Our libcusparse beside dense products: formats, operations, types, orders, both widths of places, both bases. */
#include "reference.h"

typedef double complex number;
typedef void *any;
int cusparseCreate(any *), cusparseDestroy(any), cusparseDestroySpMat(any), cusparseDestroyDnVec(any),
    cusparseDestroyDnMat(any);
int cusparseCreateCsr(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int, int);
int cusparseCreateCsc(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int, int);
int cusparseCreateCoo(any *, int64_t, int64_t, int64_t, any, any, any, int, int, int);
int cusparseCreateDnVec(any *, int64_t, any, int), cusparseCreateDnMat(any *, int64_t, int64_t, int64_t, any, int, int);
int cusparseSpMV(any, int, const void *, any, any, const void *, any, int, int, any);
int cusparseXcoo2csr(any, int *, int, int, int *, int), cusparseXcsr2coo(any, int *, int, int, int *, int);
int cusparseCsr2cscEx2_bufferSize(any, int, int, int, const void *, const int *, const int *, void *, int *, int *, int,
                                  int, int, int, size_t *);
int cusparseCsr2cscEx2(any, int, int, int, const void *, const int *, const int *, void *, int *, int *, int, int, int,
                       int, any);
int cusparseSpMM(any, int, int, const void *, any, any, const void *, any, int, int, any);

int cusparseCreateMatDescr(any *), cusparseDestroyMatDescr(any);
int cusparseSetMatType(any, int), cusparseGetMatType(any), cusparseSetMatIndexBase(any, int),
    cusparseGetMatIndexBase(any);
int cusparseSetMatFillMode(any, int), cusparseGetMatFillMode(any), cusparseSetMatDiagType(any, int),
    cusparseGetMatDiagType(any);

enum { ROWS = 45, COLUMNS = 37, WIDTH = 34 };
static any handle;
static number dense[ROWS][COLUMNS];

/* Places as the library gets them. */
static void *places(const int64_t *list, int count, bool wide, int base)
{
    int64_t w[4000];
    int n[4000];
    for (int i = 0; i < count; i++)
        w[i] = list[i] + base, n[i] = (int)list[i] + base;
    void *memory = device_memory((size_t)count * 8);
    copy_to_device(memory, wide ? (void *)w : (void *)n, (size_t)count * (wide ? 8 : 4));
    return memory;
}

/* The matrix in a format (1 CSR, 2 CSC, 3 COO). */
static any sparse(int format, int type, bool wide, int base)
{
    static const int types[] = {0, 1, 4, 5};
    int64_t offsets[ROWS + 1] = {0}, line[ROWS * COLUMNS], across[ROWS * COLUMNS];
    static number values[ROWS * COLUMNS];
    int count = 0, lines = format == 2 ? COLUMNS : ROWS, others = format == 2 ? ROWS : COLUMNS;
    for (int l = 0; l < lines; l++) {
        offsets[l] = count;
        for (int o = 0; o < others; o++) {
            number value = format == 2 ? dense[o][l] : dense[l][o];
            if (value != 0)
                values[count] = value, line[count] = l, across[count++] = o;
        }
        offsets[l + 1] = count;
    }
    void *memory = device_memory((size_t)count * 16);
    to_device(type, memory, values, count);
    void *o = places(offsets, lines + 1, wide, base), *l = places(line, count, wide, base),
         *a = places(across, count, wide, base);
    any matrix = NULL;
    int width = wide ? 3 : 2;
    if (format == 3)
        good(cusparseCreateCoo(&matrix, ROWS, COLUMNS, count, l, a, memory, width, base, types[type]));
    else
        good((format == 1 ? cusparseCreateCsr : cusparseCreateCsc)(&matrix, ROWS, COLUMNS, count, o, a, memory, width,
                                                                   width, base, types[type]));
    return matrix;
}

static number element(int op, int i, int j)
{
    number value = op ? dense[j][i] : dense[i][j];
    return op == 2 ? conj(value) : value;
}

static void compare(const char *what, int format, int type, int op, const number *is, const number *should, int count)
{
    checked();
    for (int i = 0; i < count; i++)
        if (!(cabs(is[i] - should[i]) <= (type % 2 ? 1e-13 : 4e-5))) {
            fail("%s, format %d, type %d, operation %d: number %d is %g%+gi, should be %g%+gi", what, format, type, op,
                 i, creal(is[i]), cimag(is[i]), creal(should[i]), cimag(should[i]));
            return;
        }
}

static void vector(int format, int type, int op, bool wide, int base)
{
    static const int types[] = {0, 1, 4, 5};
    int rows = op ? COLUMNS : ROWS, columns = op ? ROWS : COLUMNS;
    number x[64], y[64], is[64], alpha = type >= 2 ? 0.5 + I : 0.5, beta = type >= 2 ? -1 + 0.25 * I : -1;
    char a[16], b[16];
    put_number(type, a, alpha), put_number(type, b, beta);
    for (int i = 0; i < 64; i++)
        x[i] = rounded(type, random_number(), random_number()), y[i] = rounded(type, random_number(), random_number());
    void *dx = device_memory(64 * 16), *dy = device_memory(64 * 16);
    to_device(type, dx, x, columns), to_device(type, dy, y, rows);
    any matrix = sparse(format, type, wide, base), vx, vy;
    good(cusparseCreateDnVec(&vx, columns, dx, types[type])), good(cusparseCreateDnVec(&vy, rows, dy, types[type]));
    good(cusparseSpMV(handle, op, a, matrix, vx, b, vy, types[type], 0, NULL));
    for (int i = 0; i < rows; i++) {
        number sum = 0;
        for (int j = 0; j < columns; j++)
            sum += element(op, i, j) * x[j];
        y[i] = alpha * sum + beta * y[i];
    }
    from_device(type, is, dy, rows);
    compare("SpMV", format, type, op, is, y, rows);
    cusparseDestroySpMat(matrix), cusparseDestroyDnVec(vx), cusparseDestroyDnVec(vy);
}

static void matrix(int format, int type, int op, int op_b, int order_b, int order_c)
{
    static const int types[] = {0, 1, 4, 5};
    int rows = op ? COLUMNS : ROWS, inner = op ? ROWS : COLUMNS;
    static number x[50 * 50], y[50 * 50], is[50 * 50];
    char a[16], b[16];
    put_number(type, a, 0.5), put_number(type, b, 2);
    for (int i = 0; i < 50 * 50; i++)
        x[i] = rounded(type, random_number(), random_number()), y[i] = rounded(type, random_number(), random_number());
    void *dx = device_memory(50 * 50 * 16), *dy = device_memory(50 * 50 * 16);
    to_device(type, dx, x, 50 * 50), to_device(type, dy, y, 50 * 50);
    any sp = sparse(format, type, false, 0), mb, mc;
    good(cusparseCreateDnMat(&mb, op_b ? WIDTH : inner, op_b ? inner : WIDTH, 50, dx, types[type], order_b));
    good(cusparseCreateDnMat(&mc, rows, WIDTH, 50, dy, types[type], order_c));
    good(cusparseSpMM(handle, op, op_b, a, sp, mb, b, mc, types[type], 0, NULL));
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < WIDTH; j++) {
            number sum = 0;
            for (int k = 0; k < inner; k++) {
                int p = op_b ? j : k, q = op_b ? k : j;
                sum += element(op, i, k) * x[order_b == 1 ? p + 50 * q : q + 50 * p];
            }
            number *to = &y[order_c == 1 ? i + 50 * j : j + 50 * i];
            *to = 0.5 * sum + 2 * *to;
        }
    from_device(type, is, dy, 50 * 50);
    compare("SpMM", format, type, op, is, y, 50 * 50);
    cusparseDestroySpMat(sp), cusparseDestroyDnMat(mb), cusparseDestroyDnMat(mc);
}

/* Rows in order, some of them empty, to offsets and back. */
static void conversions(int base)
{
    enum { COUNT = 100, LINES = 40 };
    int rows[COUNT], offsets[LINES + 1], is[LINES + 1], again[COUNT];
    for (int i = 0; i < COUNT; i++)
        rows[i] = base + (i * i / 300) + (i > 50 ? 3 : 0); /* up to 35 */
    for (int line = 0, i = 0; line <= LINES; line++) {
        while (i < COUNT && rows[i] - base < line)
            i++;
        offsets[line] = i + base;
    }
    void *from = device_memory(sizeof rows), *to = device_memory(sizeof offsets), *back = device_memory(sizeof rows);
    copy_to_device(from, rows, sizeof rows);
    good(cusparseXcoo2csr(handle, from, COUNT, LINES, to, base));
    good(cusparseXcsr2coo(handle, to, COUNT, LINES, back, base));
    copy_to_host(is, to, sizeof is), copy_to_host(again, back, sizeof again);
    checked(), checked();
    if (memcmp(is, offsets, sizeof is) != 0 || memcmp(again, rows, sizeof rows) != 0)
        fail("offsets of rows, or rows of offsets, with base %d", base);
    device_free(from), device_free(to), device_free(back);
}

/* A matrix by its columns: several chunks of numbers, and columns that many lanes of a warp have at a time. A value is
 * the number's place in CSR, so that it tells where it comes from. */
static void transposition(int base, int count, bool values)
{
    enum { MANY = 3000, LINES = 600, ACROSS = 70 };
    static int offsets[LINES + 1], across[MANY], to_offsets[ACROSS + 1], to_across[MANY], is_offsets[ACROSS + 1],
        is_across[MANY];
    static double numbers[MANY], to_numbers[MANY], is_numbers[MANY];
    for (int i = 0, line = 0; line <= LINES; line++) {
        offsets[line] = base + (line == LINES ? count : i);
        for (int n = 0; n < line % 11 && i < count; n++, i++)
            numbers[i] = i, across[i] = base + (i % 3 ? (int)((i * 7919L) % ACROSS) : 5);
    }
    int next = 0;
    for (int column = 0; column < ACROSS; column++) {
        to_offsets[column] = base + next;
        for (int line = 0; line < LINES; line++)
            for (int i = offsets[line] - base; i < offsets[line + 1] - base; i++)
                if (across[i] - base == column)
                    to_across[next] = base + line, to_numbers[next++] = values ? i : -1;
    }
    to_offsets[ACROSS] = base + next;
    for (int i = 0; i < MANY; i++)
        is_numbers[i] = -1;
    void *v = device_memory(sizeof numbers), *o = device_memory(sizeof offsets), *a = device_memory(sizeof across),
         *to_v = device_memory(sizeof numbers), *to_o = device_memory(sizeof to_offsets),
         *to_a = device_memory(sizeof across);
    copy_to_device(v, numbers, sizeof numbers), copy_to_device(o, offsets, sizeof offsets);
    copy_to_device(a, across, sizeof across), copy_to_device(to_v, is_numbers, sizeof numbers);
    size_t bytes = 0;
    good(cusparseCsr2cscEx2_bufferSize(handle, LINES, ACROSS, count, v, o, a, to_v, to_o, to_a, 1, values, base, 1,
                                       &bytes));
    void *buffer = device_memory(bytes);
    good(cusparseCsr2cscEx2(handle, LINES, ACROSS, count, v, o, a, to_v, to_o, to_a, 1, values, base, 1, buffer));
    copy_to_host(is_offsets, to_o, sizeof is_offsets), copy_to_host(is_across, to_a, sizeof across);
    copy_to_host(is_numbers, to_v, sizeof numbers);
    checked(), checked(), checked();
    if (memcmp(is_offsets, to_offsets, sizeof to_offsets) != 0)
        fail("csr2csc: offsets of columns, with base %d and %d numbers", base, count);
    if (memcmp(is_across, to_across, sizeof(int) * (size_t)count) != 0)
        fail("csr2csc: rows, with base %d and %d numbers", base, count);
    if (memcmp(is_numbers, to_numbers, sizeof(double) * (size_t)count) != 0)
        fail("csr2csc: values, with base %d and %d numbers", base, count);
    device_free(v), device_free(o), device_free(a), device_free(to_v), device_free(to_o), device_free(to_a);
    device_free(buffer);
}

/* The settings of a matrix's description are those of a general one at first, and then what they are set to. */
static void descriptions(void)
{
    any made;
    good(cusparseCreateMatDescr(&made));
    if (cusparseGetMatType(made) || cusparseGetMatFillMode(made) || cusparseGetMatDiagType(made) ||
        cusparseGetMatIndexBase(made))
        fail("descriptions: not those of a general matrix");
    good(cusparseSetMatType(made, 3)), good(cusparseSetMatIndexBase(made, 1)), good(cusparseSetMatDiagType(made, 1));
    if (cusparseGetMatType(made) != 3 || cusparseGetMatFillMode(made) || cusparseGetMatDiagType(made) != 1 ||
        cusparseGetMatIndexBase(made) != 1)
        fail("descriptions: not what they were set to");
    if (cusparseSetMatType(made, 4) != 3 || cusparseSetMatFillMode(made, 2) != 3 || cusparseSetMatType(NULL, 0) != 3)
        fail("descriptions: what is impossible is accepted");
    good(cusparseDestroyMatDescr(made));
}

int main(void)
{
    reference_begin();
    descriptions();
    good(cusparseCreate(&handle));
    conversions(0), conversions(1);
    transposition(0, 2900, true), transposition(1, 2900, false), transposition(1, 33, true), transposition(0, 0, true);
    for (int type = 0; type < 4; type++) {
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < COLUMNS; j++) {
                double re = random_number(), im = random_number();
                dense[i][j] = (i * 7 + j * 3) % 5 == 0 || i == 3 ? rounded(type, re, im) : 0;
                if (i == 9)
                    dense[i][j] = 0; /* an empty row */
                if (type < 2)
                    dense[i][j] = creal(dense[i][j]);
            }
        for (int format = 1; format <= 3; format++)
            for (int op = 0; op < 3; op++) {
                vector(format, type, op, op == 1, op == 2);
                matrix(format, type, op, op == 1, 1 + format % 2, 1 + op % 2);
            }
    }
    any none = NULL;
    float one = 1;
    if (cusparseSpMV(NULL, 0, &one, none, none, &one, none, 0, 0, NULL) != 1 ||
        cusparseSpMV(handle, 0, &one, none, none, &one, none, 0, 0, NULL) != 3)
        fail("what is impossible is accepted");
    good(cusparseDestroy(handle));
    return reference_end();
}
