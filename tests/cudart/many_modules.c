/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that has registered many modules of machine code, as one with large libraries has, and launches a kernel of
 * the last: machine code alone (`cubin`), one copy in each of MODULES containers. Prints the sum that the kernel has
 * computed, and the bytes of memory that it has allocated from the first call of the runtime on, in units of 1 MB.
 * Usage: many_modules CUBIN-OF-VECADD MODULES
 */
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct wrapper {
    uint32_t magic, version;
    const void *container, *more;
};

struct dimensions {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int limit, void *thread,
                            void *block, void *block_size, void *grid_size, int *warp);
int cudaMalloc(void **address, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaLaunchKernel(const void *function, struct dimensions grid, struct dimensions block, void **arguments,
                     size_t shared, void *stream);

enum { HEADER = 16, ENTRY = 64, VALUES = 64 };

static void put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void *make_container(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *container = calloc(1, 1 << 16);
    if (!file || !container)
        exit(2);
    uint64_t bytes = fread(container + HEADER + ENTRY, 1, (1 << 16) - HEADER - ENTRY, file);
    fclose(file);
    put(container, 0xba55ed50, 4);
    put(container + 4, 1, 2);
    put(container + 6, HEADER, 2);
    put(container + 8, ENTRY + bytes, 8);
    put(container + HEADER, 2, 2);
    put(container + HEADER + 4, ENTRY, 4);
    put(container + HEADER + 8, bytes, 8);
    put(container + HEADER + 28, 80, 4);
    return container;
}

int main(int argc, char **argv)
{
    static float values[VALUES];
    unsigned count = argc == 3 ? (unsigned)atoi(argv[2]) : 0, n = VALUES;
    if (!count)
        return 2;
    void *container = make_container(argv[1]);
    struct wrapper *wrappers = calloc(count, sizeof *wrappers);
    char *hosts = calloc(count, 1); /* an address for each */
    for (unsigned i = 0; i < count; i++) {
        wrappers[i] = (struct wrapper){0x466243b1, 1, container, NULL};
        void **handle = __cudaRegisterFatBinary(&wrappers[i]);
        __cudaRegisterFunction(handle, &hosts[i], NULL, "vecadd", -1, NULL, NULL, NULL, NULL, NULL);
        __cudaRegisterFatBinaryEnd(handle);
    }
    size_t before = mallinfo2().uordblks;
    void *a, *b, *c, *arguments[] = {&a, &b, &c, &n};
    int wrong = cudaMalloc(&a, sizeof values) | cudaMalloc(&b, sizeof values) | cudaMalloc(&c, sizeof values);
    for (unsigned i = 0; i < VALUES; i++)
        values[i] = (float)i;
    wrong |= cudaMemcpy(a, values, sizeof values, 1) | cudaMemcpy(b, values, sizeof values, 1);
    wrong |= cudaLaunchKernel(&hosts[count - 1], (struct dimensions){1, 1, 1}, (struct dimensions){VALUES, 1, 1},
                              arguments, 0, NULL);
    wrong |= cudaMemcpy(values, c, sizeof values, 2);
    float sum = 0;
    for (unsigned i = 0; i < VALUES; i++)
        sum += values[i];
    printf("error %d, sum %g, %zu MB\n", wrong, (double)sum, (mallinfo2().uordblks - before) >> 20);
    return 0;
}
