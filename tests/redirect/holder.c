/* SPDX-License-Identifier: BSD-3-Clause */
/* A program, or with LIBRARY a library, that holds a static runtime (static_runtime.h), and checks that calls go to
 * ours: `holder`, `holder missing`, `holder fork`, and `holder open LIBRARY...` for libraries of this file, and of the
 * kind that need one. */
#include "static_runtime.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "CUDA %d: wrong: %s\n", VERSION, #condition);                                              \
            wrong++;                                                                                                   \
        }                                                                                                              \
    } while (0)

static int counted; /* devices, before main */

__attribute__((constructor)) static void early(void)
{
    cudaGetDeviceCount(&counted);
}

/* Sizes of structures, bytes behind which nothing is written, and where the number of SMs stands. */
#if MAJOR == 13
enum { PROPERTIES = 1008, SMS = 384, POINTER = 88 };
#elif MAJOR == 12
enum { PROPERTIES = 1032, SMS = 388, POINTER = 24 };
#else
enum { PROPERTIES = 728, SMS = 388, POINTER = 24 };
#endif

static int check_structures(void *memory)
{
    unsigned char bytes[2048];
    int wrong = 0, sms;
    memset(bytes, 0xa5, sizeof bytes);
#if MAJOR == 12
    CHECK(cudaGetDeviceProperties_v2(bytes, 0) == 0);
#else
    CHECK(cudaGetDeviceProperties(bytes, 0) == 0);
#endif
    memcpy(&sms, bytes + SMS, sizeof sms);
    CHECK(sms == 7);
    CHECK(bytes[PROPERTIES - 1] == 0 && bytes[PROPERTIES] == 0xa5);
    memset(bytes, 0xa5, sizeof bytes);
    CHECK(cudaPointerGetAttributes(bytes, memory) == 0);
    CHECK(bytes[POINTER - 1] == 0 && bytes[POINTER] == 0xa5);
    return wrong;
}

/* A graph of two nodes has one edge; CUDA 13 has its data, too. */
static int check_graph(void)
{
    void *graph, *nodes[2], *from[2] = {0}, *to[2] = {0};
    size_t count = 2;
    int wrong = 0;
    CHECK(cudaGraphCreate(&graph, 0) == 0);
    CHECK(cudaGraphAddEmptyNode(&nodes[0], graph, NULL, 0) == 0);
    CHECK(cudaGraphAddEmptyNode(&nodes[1], graph, nodes, 1) == 0);
#if MAJOR == 13
    unsigned char data[16];
    memset(data, 0xa5, sizeof data);
    CHECK(cudaGraphGetEdges(graph, from, to, data, &count) == 0);
    CHECK(data[0] == 0 && data[8] == 0xa5);
#else
    CHECK(cudaGraphGetEdges(graph, from, to, &count) == 0);
#endif
    CHECK(count == 1 && from[0] == nodes[0] && to[0] == nodes[1]);
    return wrong;
}

int check(void) __asm__("check");
__attribute__((visibility("default"))) int check(void)
{
    int wrong = 0, version = 0, result = -1;
    void *memory = NULL, *function = NULL;
    char text[8] = "";
    CHECK(counted == 1);
    CHECK(cudaRuntimeGetVersion(&version) == 0 && version == VERSION);
    CHECK(cudaGetDriverEntryPoint("cuInit", &function, 0, &result) == 0 && function);
    CHECK(result == (MAJOR == 11 ? -1 : 0));
    CHECK(cudaMalloc(&memory, 8) == 0);
    CHECK(cudaMemcpy(memory, "devices", 8, 1) == 0 && cudaMemcpy(text, memory, 8, 2) == 0);
    CHECK(strcmp(text, "devices") == 0);
    wrong += check_structures(memory) + check_graph();
    CHECK(cudaFree(memory) == 0 && cudaDeviceSynchronize() == 0);
    printf("CUDA %d: %s\n", VERSION, wrong ? "wrong" : "right");
    fflush(stdout);
    return wrong;
}

#ifndef LIBRARY

/* Opens a library twice, closes it, and opens it again. */
static int open_library(const char *path, int flags)
{
    int wrong = 0;
    for (int i = 0; i < 2; i++) {
        void *first = dlopen(path, flags), *second = dlopen(path, flags);
        int (*inside)(void) = first ? (int (*)(void))dlsym(first, "check") : NULL;
        if (!inside) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        wrong += inside();
        dlclose(second);
        dlclose(first);
    }
    return wrong;
}

static int in_child(void)
{
    int status = 1;
    pid_t child = fork();
    if (child == 0)
        exit(check());
    waitpid(child, &status, 0);
    return status;
}

int main(int count, char **words)
{
    int wrong = 0;
    const char *how = count > 1 ? words[1] : "check";
    if (strcmp(how, "missing") == 0)
        return cudaFunctionOfTomorrow(1) == NOT_OURS;
    if (strcmp(how, "fork") == 0)
        return in_child();
    for (int i = 2; i < count; i++)
        wrong += open_library(words[i], strcmp(how, "deep") ? RTLD_NOW : RTLD_NOW | RTLD_DEEPBIND);
    return check() + wrong != 0;
}

#endif
