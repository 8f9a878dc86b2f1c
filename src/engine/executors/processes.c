/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/processes.h"

#include "base/allocate.h"
#include "base/installed.h"
#include "engine/executors/placement.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The known implementations of MPI, by the environment variables that their launchers, or srun with their support,
 * set. */
static const struct flavour {
    const char *name, *plugin, *variable;
} flavours[] = {
    {"Open MPI", "maniple-openmpi.so", "OMPI_COMM_WORLD_SIZE"},
    {"Open MPI", "maniple-openmpi.so", "PMIX_RANK"},
    {"MPICH", "maniple-mpich.so", "PMI_RANK"},
};

static const struct flavour *flavour_of_environment(void)
{
    for (size_t i = 0; i < sizeof flavours / sizeof *flavours; i++)
        if (getenv(flavours[i].variable))
            return &flavours[i];
    return NULL;
}

bool mnp_processes_expected(void)
{
    return flavour_of_environment() != NULL;
}

static uint32_t number_of(const char *const *variables, uint32_t otherwise)
{
    for (; *variables; variables++)
        if (getenv(*variables))
            return (uint32_t)strtoul(getenv(*variables), NULL, 10);
    return otherwise;
}

uint32_t mnp_processes_rank(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", NULL};
    return number_of(variables, 0);
}

uint32_t mnp_processes_here(void)
{
    static const char *const variables[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_NTASKS_PER_NODE",
                                            NULL};
    uint32_t here = number_of(variables, 1);
    return here ? here : 1;
}

/* Opens a plug-in in a folder, beside the program (as in a build folder), or in the installation. */
static void *open_plugin(const char *folder, const char *name)
{
    char *path = mnp_find_installed(folder, name);
    void *plugin = dlopen(path ? path : name, RTLD_NOW | RTLD_GLOBAL);
    free(path);
    return plugin;
}

bool mnp_processes_join(struct processes *processes, const char *folder, struct mnp_error *error)
{
    const struct flavour *flavour = flavour_of_environment();
    *processes = (struct processes){0};
    if (!flavour)
        return mnp_fail(error, "--executor mpi: this process was started alone; start several with mpirun -n 4 maniple "
                               "run …, or srun");
    void *plugin = open_plugin(folder, flavour->plugin);
    if (!plugin)
        return mnp_fail(error,
                        "--executor mpi: the plug-in for %s, %s, does not load: %.500s; build maniple where %s is "
                        "installed (Debian: libopenmpi-dev or libmpich-dev)",
                        flavour->name, flavour->plugin, dlerror(), flavour->name);
    mnp_transport_join_function *join;
    *(void **)&join = dlsym(plugin, MNP_TRANSPORT_ENTRY);
    const char *problem = join ? join(MNP_TRANSPORT_VERSION, &processes->transport) : "it is no plug-in of maniple's";
    if (problem)
        return mnp_fail(error, "--executor mpi: %s", problem);
    processes->plugin = plugin;
    return true;
}

/* The location of a process, exchanged with the others. */
struct whereabouts {
    char host[64];
    cpu_set_t usable;
};

static bool same_place(const struct whereabouts *a, const struct whereabouts *b)
{
    return strcmp(a->host, b->host) == 0 && CPU_EQUAL(&a->usable, &b->usable);
}

/* Restricts this process to part number `part` of `parts` even parts; the processors of a part are close together. */
static void take_part(const cpu_set_t *usable, uint32_t part, uint32_t parts)
{
    struct mnp_placement placement = mnp_placement_of(usable);
    cpu_set_t mine;
    CPU_ZERO(&mine);
    uint32_t first = (uint32_t)((uint64_t)placement.count * part / parts);
    uint32_t end = (uint32_t)((uint64_t)placement.count * (part + 1) / parts);
    for (uint32_t i = first; i < end; i++)
        CPU_SET(placement.processors[i], &mine);
    sched_setaffinity(0, sizeof mine, &mine);
    mnp_placement_release(&placement);
}

void mnp_processes_divide_host(struct processes *processes)
{
    struct mnp_transport *transport = &processes->transport;
    struct whereabouts mine = {.host = ""};
    if (gethostname(mine.host, sizeof mine.host - 1) != 0 ||
        sched_getaffinity(0, sizeof mine.usable, &mine.usable) != 0)
        mine.host[0] = 0; /* treated as being on the same host as others without a name, which may only cost speed */
    struct whereabouts *all = mnp_allocate(transport->count, sizeof *all);
    transport->gather(transport->context, &mine, sizeof mine, all);
    uint32_t before = 0, together = 0;
    for (uint32_t r = 0; r < transport->count; r++) {
        bool same = same_place(&mine, &all[r]);
        before += same && r < transport->rank;
        together += same;
    }
    free(all);
    bool enough = together <= (uint32_t)CPU_COUNT(&mine.usable);
    if (together > 1 && enough)
        take_part(&mine.usable, before, together);
    transport->neighbours = enough ? 1 : together;
}

bool mnp_processes_all_well(struct processes *processes, bool well, struct mnp_error *error)
{
    if (!processes_joined(processes))
        return well;
    const struct mnp_transport *transport = &processes->transport;
    struct mnp_error *errors = mnp_allocate(transport->count, sizeof *errors);
    if (well)
        *error = (struct mnp_error){0};
    transport->gather(transport->context, error, sizeof *error, errors);
    for (uint32_t r = 0; r < transport->count && !error->text[0]; r++)
        *error = errors[r];
    free(errors);
    return error->text[0] == 0;
}

void mnp_processes_leave(struct processes *processes)
{
    if (processes_joined(processes))
        processes->transport.leave(processes->transport.context);
    processes->plugin = NULL;
}
