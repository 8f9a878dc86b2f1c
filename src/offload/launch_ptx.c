/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A launch of a kernel on a simulated GPU: `maniple run` runs a program (apps/system/kernel_runner.c) that launches it
 * through the CUDA driver API, which knows how to execute modules; its results hold the cycles. The region and the
 * request, a file without a name, are handed to that program as open files.
 */
#include "base/file.h"
#include "offload/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS = 24, RESULTS_MOST = 256 << 20 };

/* Output of the runner: times, at the beginning of the file that contained the request. */
struct ptx_launch {
    const struct offload_machine *machine;
    const struct offload_region *region;
    const struct offload_request *request;
    struct offload_outcome *outcome;
    int request_file, text_file;
};

static bool fail(struct ptx_launch *ptx, enum mnp_offload_status status, struct mnp_error *error)
{
    offload_fail(ptx->outcome, status, error);
    return false;
}

static bool open_files(struct ptx_launch *ptx)
{
    struct mnp_error error = {0};
    ptx->request_file = memfd_create("request", 0);
    ptx->text_file = memfd_create("text", 0);
    if (ptx->request_file >= 0 && ptx->text_file >= 0 &&
        write(ptx->request_file, ptx->request, sizeof *ptx->request) == (ssize_t)sizeof *ptx->request)
        return true;
    mnp_fail(&error, "the launch cannot be handed over: %s", strerror(errno));
    return fail(ptx, MNP_OFFLOAD_LOST, &error);
}

/* Runs in the new process. */
static void become_runner(const struct ptx_launch *ptx)
{
    const struct offload_machine *machine = ptx->machine;
    char threads[16], files[64];
    const char *words[ARGUMENTS + 2 * 64] = {machine->self,        "run",      "--machine", machine->name, "-o",
                                             ptx->machine->folder, "--format", "json",      "--threads",   threads};
    int count = 10;
    for (size_t i = 0; i < machine->override_count && i < 64; i++) {
        words[count++] = "--set";
        words[count++] = machine->overrides[i];
    }
    int region = fcntl(ptx->region->descriptor, F_DUPFD, 3), nothing = open("/dev/null", O_RDWR);
    snprintf(threads, sizeof threads, "%u", machine->threads);
    snprintf(files, sizeof files, "%d:%d", ptx->request_file, region);
    words[count++] = "--";
    words[count++] = machine->kernel_runner;
    words[count++] = files;
    dup2(nothing, STDIN_FILENO);
    dup2(nothing, STDOUT_FILENO);
    dup2(ptx->text_file, STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(machine->self, (char **)(uintptr_t)words);
    _exit(MNP_EXIT_USER);
}

static void read_text(struct ptx_launch *ptx, struct offload_text *text)
{
    char bytes[1024];
    lseek(ptx->text_file, 0, SEEK_SET);
    for (ssize_t got; (got = read(ptx->text_file, bytes, sizeof bytes)) > 0;)
        offload_text_add(text, bytes, (size_t)got);
}

static bool run(struct ptx_launch *ptx)
{
    struct mnp_error error = {0};
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        become_runner(ptx);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    if (child < 0 || !WIFEXITED(status)) {
        mnp_fail(&error, child < 0 ? "no process could be made for the kernel" : "the kernel's process was ended");
        return fail(ptx, MNP_OFFLOAD_LOST, &error);
    }
    ptx->outcome->status = WEXITSTATUS(status) == MNP_EXIT_STOPPED ? MNP_OFFLOAD_STUCK
                           : WEXITSTATUS(status) == 1              ? MNP_OFFLOAD_FAULT
                                                                   : MNP_OFFLOAD_PROGRAM;
    read_text(ptx, &ptx->outcome->message);
    return false;
}

/* A statistic of the run; 0 if there is none. */
static uint64_t statistic(const json_t *results, const char *name)
{
    json_t *all = json_object_get(json_object_get(results, "total"), "statistics");
    return (uint64_t)json_integer_value(json_object_get(json_object_get(all, name), "value"));
}

static void add_statistics(struct ptx_launch *ptx, const json_t *results)
{
    const char *name;
    json_t *value, *all = json_object_get(json_object_get(results, "total"), "statistics");
    json_object_foreach(all, name, value)
    {
        char line[160];
        json_t *number = json_object_get(value, "value");
        const char *unit = json_string_value(json_object_get(value, "unit"));
        int length = json_is_integer(number) ? snprintf(line, sizeof line, "%s %" PRId64 " %s\n", name,
                                                        (int64_t)json_integer_value(number), unit ? unit : "")
                                             : 0;
        if (length > 0 && length < (int)sizeof line)
            offload_text_add(&ptx->outcome->statistics, line, (size_t)length);
    }
}

static bool read_results(struct ptx_launch *ptx)
{
    struct mnp_error error = {0};
    size_t length;
    uint64_t copy_ns = 0;
    char *path = mnp_join_path(ptx->machine->folder, "results.json"),
         *text = mnp_read_file(path, RESULTS_MOST, &length, &error);
    free(path);
    json_t *results = text ? json_loadb(text, length, 0, NULL) : NULL;
    free(text);
    if (!results)
        return fail(ptx, MNP_OFFLOAD_LOST, &error);
    struct mnp_offload_result *result = &ptx->outcome->result;
    json_t *clock = json_object_get(json_object_get(json_object_get(results, "machine"), "clock"), "core");
    uint64_t hertz = (uint64_t)json_integer_value(clock);
    result->cycles = statistic(results, "gpu_sim_cycle");
    result->instructions = statistic(results, "gpu_sim_insn");
    result->femtoseconds = hertz ? mnp_edge(hertz, result->cycles) : 0;
    if (pread(ptx->request_file, &copy_ns, sizeof copy_ns, 0) == (ssize_t)sizeof copy_ns)
        result->copy_ns = copy_ns;
    add_statistics(ptx, results);
    json_decref(results);
    return true;
}

void offload_launch_ptx(const struct offload_machine *machine, const struct offload_region *region,
                        const struct offload_request *request, struct offload_outcome *outcome)
{
    struct ptx_launch ptx = {.machine = machine, .region = region, .request = request, .outcome = outcome};
    uint64_t begin = offload_now();
    if (open_files(&ptx) && run(&ptx) && read_results(&ptx)) {
        read_text(&ptx, &outcome->output);
        outcome->result.run_ns = offload_now() - begin - outcome->result.copy_ns;
    }
    close(ptx.request_file);
    close(ptx.text_file);
}
