/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/executors/processors.h"

#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ===== lists ===== */

static int last_of(const cpu_set_t *set)
{
    int last = 0;
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, set))
            last = i;
    return last;
}

/* Parses "3", "3-7", "3-7:2" or "3-". */
static const char *parse_part(char *part, const cpu_set_t *among, cpu_set_t *set)
{
    uint64_t first, last, stride = 1;
    char *colon = strchr(part, ':'), *dash = strchr(part, '-');
    if (colon)
        *colon++ = 0;
    if (dash)
        *dash++ = 0;
    const char *problem = mnp_parse_number(part, &first);
    last = first;
    if (!problem && dash && (*dash || colon))
        problem = mnp_parse_number(dash, &last);
    else if (!problem && dash)
        last = (uint64_t)last_of(among) < first ? first : (uint64_t)last_of(among);
    if (!problem && colon)
        problem = dash ? mnp_parse_number(colon, &stride) : "has a stride without a range";
    if (problem)
        return problem;
    if (first > last || stride == 0)
        return first > last ? "ends before it begins" : "has a stride of 0";
    if (last >= CPU_SETSIZE)
        return "is beyond the last processor that Linux has here";
    for (uint64_t i = first; i <= last; i += stride)
        CPU_SET(i, set);
    return NULL;
}

const char *mnp_processors_parse(const char *text, const cpu_set_t *among, cpu_set_t *set, char part[32])
{
    CPU_ZERO(set);
    for (;;) {
        size_t length = strcspn(text, ",\n");
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        memcpy(part, word, sizeof word);
        const char *problem = length >= sizeof word ? "is too long" : parse_part(word, among, set);
        if (problem)
            return problem;
        if (text[length] != ',')
            return NULL;
        text += length + 1;
    }
}

char *mnp_processors_format(const cpu_set_t *set, char *text, size_t size)
{
    size_t used = 0;
    *text = 0;
    for (int first = 0; first < CPU_SETSIZE && used < size; first++) {
        if (!CPU_ISSET(first, set))
            continue;
        int last = first;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
            last++;
        used +=
            (size_t)snprintf(text + used, size - used, last > first ? "%s%d-%d" : "%s%d", used ? "," : "", first, last);
        first = last;
    }
    return text;
}

/* ===== what there is ===== */

static bool read_line(const char *path, char *line, int size)
{
    FILE *file = fopen(path, "r");
    bool read = file && fgets(line, size, file);
    if (file)
        fclose(file);
    return read;
}

/* Reads a set of processors from the system; if that fails, uses the number reported by the C library. */
static void read_set(const char *path, int count_name, cpu_set_t *set)
{
    char line[4096], part[32];
    if (read_line(path, line, sizeof line) && !mnp_processors_parse(line, set, set, part))
        return;
    CPU_ZERO(set);
    for (long i = 0; i < sysconf(count_name) && i < CPU_SETSIZE; i++)
        CPU_SET(i, set);
}

void mnp_processors_read(struct mnp_processors *processors)
{
    read_set("/sys/devices/system/cpu/present", _SC_NPROCESSORS_CONF, &processors->present);
    read_set("/sys/devices/system/cpu/online", _SC_NPROCESSORS_ONLN, &processors->online);
    if (sched_getaffinity(0, sizeof processors->usable, &processors->usable) != 0)
        processors->usable = processors->online;
}

/* ===== choosing ===== */

/* Writes the list of those processors of `set` that are not in `all`; returns false if there are none. */
static bool missing(const cpu_set_t *set, const cpu_set_t *all, char *text, size_t size)
{
    cpu_set_t common, rest;
    CPU_AND(&common, set, all);
    CPU_XOR(&rest, set, &common);
    mnp_processors_format(&rest, text, size);
    return CPU_COUNT(&rest) > 0;
}

bool mnp_processors_choose(const char *list, const struct mnp_processors *processors, cpu_set_t *chosen,
                           struct mnp_error *error)
{
    char part[32], wrong[128], right[128];
    const char *problem = mnp_processors_parse(list, &processors->usable, chosen, part);
    mnp_processors_format(&processors->usable, right, sizeof right);
    if (problem)
        return mnp_fail(error,
                        "--cpus %.100s: \"%s\" %s; state numbers and ranges with commas between them, such as %s", list,
                        part, problem, right);
    if (missing(chosen, &processors->present, wrong, sizeof wrong))
        return mnp_fail(error, "--cpus %.100s: this host has no processor %s; choose among %s", list, wrong, right);
    if (missing(chosen, &processors->online, wrong, sizeof wrong))
        return mnp_fail(error,
                        "--cpus %.100s: processor %s is offline; choose among %s, or switch it on "
                        "(/sys/devices/system/cpu/cpuN/online)",
                        list, wrong, right);
    if (missing(chosen, &processors->usable, wrong, sizeof wrong))
        return mnp_fail(error,
                        "--cpus %.100s: this process may not use processor %s (taskset, mpirun, a batch system or a "
                        "container has given it others); choose among %s, or ask for more there",
                        list, wrong, right);
    return true;
}

bool mnp_processors_restrict(const char *list, struct mnp_error *error)
{
    struct mnp_processors processors;
    cpu_set_t chosen;
    mnp_processors_read(&processors);
    return mnp_processors_choose(list, &processors, &chosen, error) &&
           (sched_setaffinity(0, sizeof chosen, &chosen) == 0 ||
            mnp_fail(error, "--cpus %.100s: the host refuses it; leave it out", list));
}

/* ===== control groups ===== */

/* The smaller of two limits; 0 means no limit. */
static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a == 0 || (b != 0 && b < a) ? b : a;
}

static uint64_t in_thousandths(long long quota, long long period)
{
    if (quota <= 0 || period <= 0 || quota > INT64_MAX / 1000)
        return 0;
    uint64_t thousandths = (uint64_t)quota * 1000 / (uint64_t)period;
    return thousandths ? thousandths : 1;
}

/* The limit set for a group itself, in the files of either version of control groups. */
static uint64_t limit_at(const char *folder)
{
    char path[4096], line[128];
    long long quota, period;
    snprintf(path, sizeof path, "%s/cpu.max", folder);
    if (read_line(path, line, sizeof line))
        return sscanf(line, "%lld %lld", &quota, &period) == 2 ? in_thousandths(quota, period) : 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_quota_us", folder);
    if (!read_line(path, line, sizeof line) || sscanf(line, "%lld", &quota) != 1)
        return 0;
    snprintf(path, sizeof path, "%s/cpu.cfs_period_us", folder);
    return read_line(path, line, sizeof line) && sscanf(line, "%lld", &period) == 1 ? in_thousandths(quota, period) : 0;
}

/* The smallest limit of a group and its ancestors. In a container, the group's own folder is often invisible; then only
 * the root is used. */
static uint64_t limit_up(const char *root, const char *controller, char *group)
{
    uint64_t limit = 0;
    for (;;) {
        char folder[4000];
        snprintf(folder, sizeof folder, "%s%s%s", root, controller, group);
        limit = smaller(limit, limit_at(folder));
        char *slash = strrchr(group, '/');
        if (!slash)
            return limit;
        *slash = 0;
    }
}

/* Whether a line of the membership, "4:cpu,cpuacct:/group", refers to a CPU controller. */
static bool is_of_processors(const char *controllers, size_t length)
{
    return length == 0 || (length >= 3 && strncmp(controllers, "cpu", 3) == 0 && strncmp(controllers, "cpus", 4) != 0);
}

uint64_t mnp_processor_quota(const char *membership, const char *root)
{
    FILE *file = fopen(membership, "r");
    char line[2048];
    uint64_t limit = 0;
    while (file && fgets(line, sizeof line, file)) {
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group || !is_of_processors(controllers + 1, (size_t)(group - controllers - 1)))
            continue;
        *group++ = 0;
        group[strcspn(group, "\n")] = 0;
        bool unified = controllers[1] == 0;
        limit = smaller(limit, limit_up(root, unified ? "" : "/cpu", group));
    }
    if (file)
        fclose(file);
    return limit;
}

/* ===== counts ===== */

/* Number of threads of all programs on this host that are running or runnable, including the caller. */
static uint32_t threads_running(void)
{
    char line[128];
    unsigned running;
    bool read = read_line("/proc/loadavg", line, sizeof line) && sscanf(line, "%*s %*s %*s %u/", &running) == 1;
    return read ? running : 1;
}

bool mnp_processors_are_busy(uint32_t threads)
{
    struct mnp_processors processors;
    mnp_processors_read(&processors);
    return threads_running() + threads > (uint32_t)CPU_COUNT(&processors.online);
}

uint32_t mnp_usable_processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    int count = CPU_COUNT(&set);
    return count > 0 ? (uint32_t)count : 1;
}

uint32_t mnp_granted_processors(void)
{
    uint32_t usable = mnp_usable_processors();
    uint64_t quota = (mnp_processor_quota("/proc/self/cgroup", "/sys/fs/cgroup") + 999) / 1000;
    return quota && quota < usable ? (uint32_t)quota : usable;
}
