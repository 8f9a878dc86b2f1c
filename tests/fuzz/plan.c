/* SPDX-License-Identifier: BSD-3-Clause */
/* Fuzz target of plans of sweeps: any bytes are read, or refused with an error, and every run of what is read has a
 * name and words. Inputs are looked for on the host, where the seeds name the one file that every host has. */
#include "cli/sweep/plan.h"
#include "memory_file.h"

#include <string.h>

enum { MOST_RUNS = 32 /* each of which describes a whole machine */ };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No other file of the host's is to be read. */
static bool names_others(const uint8_t *data, size_t size)
{
    static const char known[] = "/dev/null";
    for (size_t i = 0; i < size; i++) {
        size_t begin = i >= 4 && memcmp(data + i - 4, known, 5) == 0 ? i - 4 : i;
        if (data[i] == '/' && (size - begin < sizeof known - 1 || memcmp(data + begin, known, sizeof known - 1) != 0))
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file memory;
    struct mnp_error error = {0};
    struct sweep_plan plan;
    if (memmem(data, size, "@include", 8) || names_others(data, size))
        return 0;
    memory_file_open(&memory, data, size);
    if (cli_sweep_plan_read(&plan, NULL, memory.path, MOST_RUNS, &error)) {
        const struct sweep_run *runs = plan.runs.items;
        for (uint32_t i = 0; i < plan.runs.count; i++)
            if (strlen(runs[i].name) != SWEEP_NAME - 1 || !runs[i].words[0])
                abort();
    } else if (!error.text[0]) {
        abort(); /* refused without a word */
    }
    cli_sweep_plan_release(&plan);
    memory_file_close(&memory);
    return 0;
}
