/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random programs, run by the CUDA driver's API and by the scalar interpreter, and compared word by word.
 *
 * Usage: scalar_programs text ARCHITECTURE FIRST COUNT [DROPPED]
 *        scalar_programs orders ARCHITECTURE FIRST COUNT [DROPPED]
 *        scalar_programs run ARCHITECTURE FIRST COUNT [DROPPED [CUBIN]]
 *
 * text prints the module of programs FIRST to FIRST + COUNT - 1; orders interprets each in several orders of its
 * threads, which must leave the same memory; run launches each, as PTX or from CUBIN. DROPPED lists statements that
 * are left out, by number, with commas; "" is none.
 */
#include "generate.h"
#include "maniple/driver.h"
#include "scalar.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = GENERATE_BYTES / 4, SHOWN = 3, ORDERS = 4 };

struct job {
    unsigned architecture, count;
    uint64_t first;
    const char *cubin; /* NULL: the module's text */
    struct generate_request request;
    struct generate_program *programs;
    char *text;
    struct scalar_module *module;
};

static _Noreturn __attribute__((format(printf, 1, 2))) void stop(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    puts("");
    exit(2);
}

static void generate(struct job *job)
{
    size_t length;
    FILE *out = open_memstream(&job->text, &length);
    job->programs = calloc(job->count, sizeof *job->programs);
    generate_header(out, job->architecture);
    for (unsigned i = 0; i < job->count; i++) {
        job->request.seed = job->first + i;
        job->programs[i] = generate_program(out, &job->request);
    }
    fclose(out);
}

static void interpret(const struct job *job, unsigned index, uint64_t order, uint32_t memory[WORDS])
{
    const struct generate_program *program = &job->programs[index];
    char message[SCALAR_MESSAGE];
    generate_memory(program, memory);
    struct scalar_launch launch = {.kernel = program->kernel,
                                   .blocks = program->blocks,
                                   .cluster = program->cluster,
                                   .shape = {program->shape[0], program->shape[1]},
                                   .memory = (unsigned char *)memory,
                                   .bytes = GENERATE_BYTES,
                                   .word = program->word,
                                   .order = order};
    if (!scalar_run(job->module, &launch, message))
        stop("program %llu: the interpreter: %s", (unsigned long long)(job->first + index), message);
}

/* Says where memories differ. Returns whether they do. */
static bool differ(const struct job *job, unsigned index, const uint32_t *found, const uint32_t *right)
{
    unsigned count = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        if (found[i] == right[i])
            continue;
        if (count++ < SHOWN)
            printf("program %llu: word %u is 0x%08x, not 0x%08x\n", (unsigned long long)(job->first + index), i,
                   found[i], right[i]);
    }
    if (count)
        printf("program %llu: %u words differ\n", (unsigned long long)(job->first + index), count);
    return count > 0;
}

static unsigned compare_orders(const struct job *job)
{
    static uint32_t one[WORDS], other[WORDS];
    unsigned different = 0;
    for (unsigned i = 0; i < job->count; i++) {
        bool differs = false;
        interpret(job, i, job->first + i, one);
        for (unsigned order = 1; order < ORDERS && !differs; order++) {
            interpret(job, i, job->first + i + order * UINT64_C(0x123456789), other);
            differs = differ(job, i, other, one);
        }
        different += differs;
    }
    return different;
}

/* ===== by the driver ===== */

static void *library;

static void *function(const char *name)
{
    void *found = dlsym(library, name);
    if (!found)
        stop("%s is not there", name);
    return found;
}

#define CALL(name, ...) (((__typeof__(&name))function(NAME(name)))(__VA_ARGS__))
#define NAME(name)      TEXT(name)
#define TEXT(name)      #name

static void must(CUresult result, const char *what)
{
    if (result)
        stop("%s: error %d", what, (int)result);
}

static char *read_file(const char *name)
{
    FILE *file = fopen(name, "rb");
    if (!file)
        stop("cannot read %s", name);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *contents = calloc(1, (size_t)size + 1);
    if (fread(contents, 1, (size_t)size, file) != (size_t)size)
        stop("cannot read %s", name);
    fclose(file);
    return contents;
}

static CUmodule load(const struct job *job)
{
    CUcontext context;
    CUmodule module;
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        stop("%s", dlerror());
    must(CALL(cuInit, 0), "cuInit");
    must(CALL(cuDevicePrimaryCtxRetain, &context, 0), "cuDevicePrimaryCtxRetain");
    must(CALL(cuCtxSetCurrent, context), "cuCtxSetCurrent");
    char *cubin = job->cubin ? read_file(job->cubin) : NULL;
    must(CALL(cuModuleLoadData, &module, cubin ? cubin : job->text), "cuModuleLoadData");
    free(cubin);
    return module;
}

static void launch(const struct job *job, unsigned index, CUmodule module, uint32_t memory[WORDS])
{
    const struct generate_program *program = &job->programs[index];
    unsigned word = (unsigned)program->word;
    CUfunction kernel;
    CUdeviceptr data;
    void *arguments[] = {&data, &word};
    char what[80];
    snprintf(what, sizeof what, "program %llu", (unsigned long long)(job->first + index));
    generate_memory(program, memory);
    must(CALL(cuMemAlloc, &data, GENERATE_BYTES), what);
    must(CALL(cuMemcpyHtoD, data, memory, GENERATE_BYTES), what);
    must(CALL(cuModuleGetFunction, &kernel, module, program->kernel), what);
    must(CALL(cuLaunchKernel, kernel, program->blocks, 1, 1, program->shape[0], program->shape[1], 1, 0, NULL,
              arguments, NULL),
         what);
    must(CALL(cuMemcpyDtoH, memory, data, GENERATE_BYTES), what);
    must(CALL(cuMemFree, data), what);
}

static unsigned compare_runs(const struct job *job)
{
    static uint32_t found[WORDS], right[WORDS];
    unsigned different = 0;
    CUmodule module = load(job);
    for (unsigned i = 0; i < job->count; i++) {
        printf("program %llu\n",
               (unsigned long long)(job->first + i)); /* whoever finds that the run has ended knows where */
        fflush(stdout);
        launch(job, i, module, found);
        interpret(job, i, job->first + i, right);
        different += differ(job, i, found, right);
    }
    return different;
}

static void drop(struct generate_request *request, const char *list)
{
    while (*list) {
        char *end;
        unsigned long number = strtoul(list, &end, 10);
        if (end == list || number >= GENERATE_STATEMENTS)
            stop("\"%s\" is no list of statements", list);
        request->dropped[number] = true;
        list = end + (*end == ',');
    }
}

int main(int argc, char **argv)
{
    static struct job job;
    char message[SCALAR_MESSAGE];
    if (argc < 5)
        stop("usage: scalar_programs text|orders|run ARCHITECTURE FIRST COUNT [DROPPED [CUBIN]]");
    job.architecture = job.request.architecture = (unsigned)strtoul(argv[2], NULL, 10);
    job.first = strtoull(argv[3], NULL, 10);
    job.count = (unsigned)strtoul(argv[4], NULL, 10);
    if (argc > 5)
        drop(&job.request, argv[5]);
    job.cubin = argc > 6 ? argv[6] : NULL;
    generate(&job);
    if (strcmp(argv[1], "text") == 0)
        return fputs(job.text, stdout) < 0;
    job.module = scalar_parse(job.text, message);
    if (!job.module)
        stop("the interpreter's parser: %s", message);
    unsigned different = strcmp(argv[1], "orders") == 0 ? compare_orders(&job) : compare_runs(&job);
    unsigned statements = 0;
    for (unsigned i = 0; i < job.count; i++)
        statements += job.programs[i].statements;
    printf("%u programs of %u statements, %u differ\n", job.count, statements, different);
    return different > 0;
}
