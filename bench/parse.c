/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast traces are read: loads every CTA of a trace, and prints the text read and the records made per second of
 * CPU time. The trace is read several times and the fastest time counts.
 */
#include "frontend/sass_trace/sass_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

struct totals {
    uint64_t records, addresses, ctas;
};

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static bool load_kernel(struct mnp_source *source, struct mnp_kernel *kernel, struct totals *totals,
                        struct mnp_error *error)
{
    struct mnp_cta_code code = {0};
    bool good = true;
    for (uint64_t cta = 0; good && cta < kernel->cta_count; cta++) {
        good = source->load_cta(source, kernel, cta, &code, error);
        for (uint32_t warp = 0; good && warp < code.warp_count; warp++) {
            totals->records += code.warps[warp].count;
            for (uint64_t i = 0; i < code.warps[warp].count; i++)
                totals->addresses += code.warps[warp].records[i].address_words;
        }
        source->release_cta(source, &code);
        totals->ctas++;
    }
    source->kernel_done(source, kernel);
    return good;
}

static bool read_trace(const char *list, struct totals *totals, struct mnp_error *error)
{
    struct mnp_sass_trace_options options = {.unknown_as_alu = false};
    struct mnp_source *source = trace_open(list, &options, error);
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    bool good = source != NULL;
    *totals = (struct totals){0};
    while (good && command.kind != MNP_COMMAND_END) {
        good = source->next(source, &command, error);
        if (good && command.kind == MNP_COMMAND_KERNEL)
            good = load_kernel(source, command.kernel, totals, error);
    }
    if (source)
        source->close(source);
    return good;
}

/* Bytes of the kernels' files that a list names. */
static double text_bytes(const char *list)
{
    FILE *file = fopen(list, "r");
    char line[4096], path[8192];
    const char *slash = strrchr(list, '/');
    double bytes = 0;
    while (file && fgets(line, sizeof line, file)) {
        struct stat about;
        line[strcspn(line, "\r\n")] = 0;
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - list + 1) : 0, list, line);
        if (line[0] && stat(path, &about) == 0 && S_ISREG(about.st_mode))
            bytes += (double)about.st_size;
    }
    if (file)
        fclose(file);
    return bytes;
}

int main(int count, char **words)
{
    int rounds = count > 2 ? atoi(words[2]) : 5;
    if (count < 2 || rounds < 1) {
        fputs("usage: bench-parse KERNELSLIST [ROUNDS]\n", stderr);
        return MNP_EXIT_USER;
    }
    struct mnp_error error = {{0}};
    struct totals totals;
    double best = 1e30;
    for (int i = 0; i < rounds; i++) {
        double start = cpu_seconds();
        if (!read_trace(words[1], &totals, &error)) {
            fprintf(stderr, "bench-parse: %s\n", error.text);
            return MNP_EXIT_USER;
        }
        double time = cpu_seconds() - start;
        best = time < best ? time : best;
    }
    double bytes = text_bytes(words[1]);
    printf("%s: %.1f MB, %" PRIu64 " CTAs, %" PRIu64 " records, %" PRIu64 " address words\n", words[1], bytes / 1e6,
           totals.ctas, totals.records, totals.addresses);
    printf("  %.3f s of CPU: %.0f MB/s, %.1f million records/s, %.1f ns a record\n", best, bytes / best / 1e6,
           (double)totals.records / best / 1e6, best / (double)totals.records * 1e9);
    return MNP_EXIT_DONE;
}
