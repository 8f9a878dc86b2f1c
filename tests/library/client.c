/* SPDX-License-Identifier: BSD-3-Clause */
/* A client of libmaniple that prints all that a run has counted, for library.py. Usage: client MACHINE INPUT
 * [--key KEY=VALUE] [--arguments TEXT] [--threads N] [--max-cycles N] [--save FOLDER] [--old] [--end] [--number KEY] */
#include <maniple/maniple.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_set(const struct maniple_run *run, size_t kernel)
{
    const char *name;
    uint64_t bins[64];
    for (size_t i = 0; (name = maniple_run_statistic(run, i)); i++) {
        struct maniple_value value;
        if (maniple_run_value(run, kernel, name, &value)) {
            printf("%s %s %s %.17g %" PRIu64 "\n", name, value.text, value.unit, value.number, value.count);
            continue;
        }
        size_t count = maniple_run_bins(run, kernel, name, bins, 64);
        printf("%s", name);
        for (size_t bin = 0; bin < count; bin++)
            printf(" %" PRIu64, bins[bin]);
        printf("\n");
    }
}

static void put(void *context, const void *text, size_t bytes)
{
    fwrite(text, 1, bytes, context);
}

static int print_run(const struct maniple_run *run)
{
    printf("end %d status %u hash %s report %s\n", (int)maniple_run_end(run), maniple_run_status(run),
           maniple_run_hash(run), maniple_run_report(run) ? "yes" : "no");
    for (size_t i = 0; maniple_run_warning(run, i); i++)
        fprintf(stderr, "warning: %s\n", maniple_run_warning(run, i));
    print_set(run, MANIPLE_TOTAL);
    for (size_t kernel = 0; kernel < maniple_run_kernels(run); kernel++) {
        printf("kernel %s\n", maniple_run_kernel(run, kernel));
        print_set(run, kernel);
    }
    struct maniple_value value;
    return maniple_run_value(run, maniple_run_kernels(run), "instructions", &value) ||
           maniple_run_value(run, MANIPLE_TOTAL, "nothing", &value) || maniple_run_kernel(run, 1000) != NULL;
}

static int fail(const struct maniple_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return 2;
}

int main(int argc, char **argv)
{
    static volatile int end;
    struct maniple_error error;
    const char *keys[16] = {NULL}, *save = NULL, *number = NULL;
    size_t count = 0;
    struct maniple_work work = {MANIPLE_WORK, .input = argv[2], .output = put, .context = stderr, .end = &end};
    for (int i = 3; i < argc; i++) {
        const char *word = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--key") == 0 && count < 15)
            keys[count++] = word;
        else if (strcmp(argv[i], "--arguments") == 0)
            work.arguments = word;
        else if (strcmp(argv[i], "--threads") == 0)
            work.threads = (uint32_t)atoi(word);
        else if (strcmp(argv[i], "--max-cycles") == 0)
            work.max_cycles = strtoull(word, NULL, 10);
        else if (strcmp(argv[i], "--save") == 0)
            save = word;
        else if (strcmp(argv[i], "--number") == 0)
            number = word;
        else if (strcmp(argv[i], "--old") == 0)
            work.size = (size_t)atoi(word);
        else if (strcmp(argv[i], "--end") == 0)
            end = 1;
    }
    struct maniple_machine *machine = maniple_machine_open(argv[1], keys, &error);
    if (!machine)
        return fail(&error);
    uint64_t found = 0;
    if (number) {
        int there = maniple_machine_number(machine, number, &found);
        printf("%d %" PRIu64 "\n", there, found);
    }
    struct maniple_run *run = number ? NULL : maniple_run(machine, &work, &error);
    maniple_machine_close(machine);
    if (number)
        return 0;
    int saved = run && (!save || maniple_run_save(run, save, &error));
    int wrong = saved ? print_run(run) : fail(&error);
    maniple_run_close(run);
    if (!saved)
        return wrong;
    return wrong || maniple_interface() != MANIPLE_INTERFACE || !maniple_machine_name(0) || !maniple_version()[0];
}
