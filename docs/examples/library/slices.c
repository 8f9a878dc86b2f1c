/* SPDX-License-Identifier: BSD-3-Clause */
/* How a trace fares with a smaller and a larger L2: cycles of each kernel, and sectors that the L2 missed. A program of
 * its own, which links with libmaniple:
 *
 *     cc slices.c $(pkg-config --cflags --libs maniple) -o slices
 *     ./slices rtx3070 trace/kernelslist.g
 */
#include <maniple/maniple.h>

#include <stdio.h>
#include <stdlib.h>

static void print_kernels(const struct maniple_run *run)
{
    for (size_t kernel = 0; kernel < maniple_run_kernels(run); kernel++) {
        struct maniple_value cycles, misses;
        if (maniple_run_value(run, kernel, "gpu_sim_cycle", &cycles) &&
            maniple_run_value(run, kernel, "L2_total_cache_misses", &misses))
            printf("  %-40s %12s %s %12s %s\n", maniple_run_kernel(run, kernel), cycles.text, cycles.unit, misses.text,
                   misses.unit);
    }
}

/* Runs the trace with slices of so many bytes. Result: whether it could. */
static int try_size(const char *name, const char *input, uint64_t bytes, struct maniple_error *error)
{
    char key[64];
    snprintf(key, sizeof key, "l2.slice.size=%llu", (unsigned long long)bytes);
    struct maniple_machine *machine = maniple_machine_open(name, (const char *const[]){key, NULL}, error);
    struct maniple_work work = {MANIPLE_WORK, .input = input};
    struct maniple_run *run = machine ? maniple_run(machine, &work, error) : NULL;
    if (run) {
        printf("%s, state %s\n", key, maniple_run_hash(run));
        print_kernels(run);
    }
    maniple_run_close(run);
    maniple_machine_close(machine);
    return run != NULL;
}

int main(int argc, char **argv)
{
    struct maniple_error error;
    uint64_t bytes;
    if (argc != 3) {
        fprintf(stderr, "usage: slices MACHINE INPUT\n");
        return 2;
    }
    struct maniple_machine *machine = maniple_machine_open(argv[1], NULL, &error);
    if (!machine || !maniple_machine_number(machine, "l2.slice.size", &bytes)) {
        fprintf(stderr, "slices: %s\n", machine ? "the machine has no L2" : error.text);
        return 2;
    }
    maniple_machine_close(machine);
    for (int times = 0; times < 3; times++)
        if (!try_size(argv[1], argv[2], bytes / 2 << times, &error)) {
            fprintf(stderr, "slices: %s\n", error.text);
            return 2;
        }
    return 0;
}
