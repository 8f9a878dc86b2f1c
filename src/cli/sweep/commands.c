/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/sweep/commands.h"

#include "base/installed.h"
#include "base/print.h"
#include "cli/sweep/name.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TASKS = 1000 /* tasks of an array: Slurm's MaxArraySize is 1001 by default */ };

/* "…/maniple sweep FILE -o DIR --threads N --job ", to which the runs are to be added. */
static void write_command(const struct sweep_commands *c, FILE *out)
{
    char *self = mnp_program_path();
    mnp_put_shell(self ? self : "maniple", out);
    free(self);
    fputs(" sweep", out);
    cli_sweep_write_plugins(c->plan->plugins, out);
    putc(' ', out);
    mnp_put_shell(c->plan->file, out);
    fputs(" -o ", out);
    mnp_put_shell(c->folder, out);
    fprintf(out, " --threads %u%s -q --job ", c->threads, c->force ? " --force" : "");
}

static void write_parallel(const struct sweep_commands *c, FILE *out)
{
    for (uint32_t i = 0; i < c->plan->runs.count; i++) {
        if (c->done[i])
            continue;
        write_command(c, out);
        fprintf(out, "%u\n", i + 1);
    }
}

/* A task makes a piece of the list, of which those that are there cost nothing. */
static void write_slurm(const struct sweep_commands *c, FILE *out)
{
    uint32_t count = c->plan->runs.count, chunk = c->chunk ? c->chunk : 1;
    if (count / chunk >= MOST_TASKS)
        chunk = (count + MOST_TASKS - 1) / MOST_TASKS;
    fprintf(
        out,
        "#!/bin/bash\n"
        "#SBATCH --job-name=maniple-sweep\n"
        "#SBATCH --array=0-%u\n"
        "#SBATCH --cpus-per-task=%u\n"
        "# %u runs, %u in a task. Tasks that failed or were cut off may be submitted again: what is done is not done\n"
        "# twice.\n"
        "first=$((SLURM_ARRAY_TASK_ID * %u + 1))\n"
        "last=$((first + %u))\n"
        "[ $last -gt %u ] && last=%u\n",
        count ? (count - 1) / chunk : 0, c->threads, count, chunk, chunk, chunk - 1, count, count);
    write_command(c, out);
    fputs("$first-$last\n", out);
}

/* In a text of Python's. */
static void write_python(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\' || *text == '\n')
            putc('\\', out);
        putc(*text == '\n' ? 'n' : *text, out);
    }
    putc('"', out);
}

static void write_snakemake(const struct sweep_commands *c, FILE *out)
{
    const struct sweep_run *runs = c->plan->runs.items;
    fputs("# The runs of a sweep, by the names of their folders.\nRUNS = {\n", out);
    for (uint32_t i = 0; i < c->plan->runs.count; i++)
        fprintf(out, "    \"%s\": %u,\n", runs[i].name, i + 1);
    fputs("}\nFOLDER = ", out);
    write_python(c->folder, out);
    fprintf(out,
            "\n\n\nrule all:\n    input:\n        expand(FOLDER + \"/{name}/results.sqlite\", name=RUNS)\n\n\n"
            "rule run:\n    output:\n        FOLDER + \"/{name}/results.sqlite\"\n    threads: %u\n    params:\n"
            "        number=lambda wildcards: RUNS[wildcards.name]\n    shell:\n        # Snakemake makes the folder, "
            "which is to appear with its results.\n        \"rmdir \" + ",
            c->threads);
    char *command = NULL;
    size_t size;
    FILE *text = open_memstream(&command, &size);
    mnp_put_shell(c->folder, text);
    fclose(text);
    write_python(command, out);
    free(command);
    fputs(" + \"/{wildcards.name} 2>/dev/null; \" + ", out);
    text = open_memstream(&command, &size);
    write_command(c, text);
    fclose(text);
    write_python(command, out);
    fputs(" + \"{params.number}\"\n", out);
    free(command);
}

bool cli_sweep_commands_write(const struct sweep_commands *commands, const char *form, FILE *out,
                              struct mnp_error *error)
{
    if (strcmp(form, "parallel") == 0)
        write_parallel(commands, out);
    else if (strcmp(form, "slurm") == 0)
        write_slurm(commands, out);
    else if (strcmp(form, "snakemake") == 0)
        write_snakemake(commands, out);
    else
        return mnp_fail(error, "--commands %.100s: is not one of parallel, slurm, snakemake", form);
    return true;
}
