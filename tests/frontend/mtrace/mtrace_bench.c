/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast records are read, from text and packed: all CTAs of a trace, one after another on one thread.
 * Usage: mtrace_bench KERNELSLIST FILE.mtrace [ROUNDS]. Without arguments it measures nothing.
 */
#include "base/error.h"
#include "frontend/mtrace/mtrace.h"
#include "frontend/sass_trace/sass_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Reads everything; returns the number of warp instructions. Closes the source. */
static uint64_t read_all(struct mnp_source *source, struct mnp_error *error)
{
    struct mnp_command command = {.kind = MNP_COMMAND_COPY};
    uint64_t instructions = 0;
    MNP_REQUIRE(source, "%s", error->text);
    while (command.kind != MNP_COMMAND_END) {
        MNP_REQUIRE(source->next(source, &command, error), "%s", error->text);
        if (command.kind != MNP_COMMAND_KERNEL)
            continue;
        struct mnp_cta_code code = {0};
        for (uint64_t cta = 0; cta < command.kernel->cta_count; cta++) {
            MNP_REQUIRE(source->load_cta(source, command.kernel, cta, &code, error), "%s", error->text);
            for (uint32_t warp = 0; warp < code.warp_count; warp++)
                instructions += code.warps[warp].count;
            source->release_cta(source, &code);
        }
        source->kernel_done(source, command.kernel);
    }
    source->close(source);
    return instructions;
}

static void report(const char *name, double seconds, uint64_t instructions, uint64_t text_bytes)
{
    printf("%-8s %8.4f s %9.2f ns per warp instruction %9.0f MB/s of text\n", name, seconds,
           1e9 * seconds / (double)instructions, 1e-6 * (double)text_bytes / seconds);
}

int main(int argc, char **argv)
{
    struct mnp_error error = {{0}};
    struct mnp_sass_trace_options text = {.unknown_as_alu = true};
    struct mnp_mtrace_options packed = {.decoder = &trace_decoder, .unknown_as_alu = true};
    if (argc < 3)
        return 0;
    double best_text = 1e9, best_packed = 1e9;
    uint64_t instructions = 0, bytes = 0;
    for (int round = 0; round < (argc > 3 ? atoi(argv[3]) : 5); round++) {
        double start = processor_seconds();
        struct mnp_source *source = trace_open(argv[1], &text, &error);
        bytes = source ? source->input_bytes : 0;
        instructions = read_all(source, &error);
        double middle = processor_seconds();
        MNP_REQUIRE(read_all(mtrace_open(argv[2], &packed, &error), &error) == instructions, "another trace");
        double end = processor_seconds();
        best_text = middle - start < best_text ? middle - start : best_text;
        best_packed = end - middle < best_packed ? end - middle : best_packed;
    }
    report("text", best_text, instructions, bytes);
    report("packed", best_packed, instructions, bytes);
    printf("packed is read %.1f times as fast\n", best_text / best_packed);
    return 0;
}
