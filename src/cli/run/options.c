/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/run/options.h"

#include "base/arena.h"
#include "base/text.h"
#include "cli/input.h"
#include "cli/words.h"
#include "engine/executors/processes.h"
#include "engine/executors/processors.h"
#include "engine/executors/team.h"
#include "results/write/watch.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

enum { /* options without a letter */
       OPTION_MACHINE = 256,
       OPTION_SET,
       OPTION_STEADY,
       OPTION_VALUES,
       OPTION_CORE,
       OPTION_CORES,
       OPTION_GPUS,
       OPTION_THREADS,
       OPTION_EXECUTOR,
       OPTION_SCHEDULE,
       OPTION_CHUNK,
       OPTION_ASSIGN,
       OPTION_WINDOW,
       OPTION_NO_SKIP,
       OPTION_TRACE_MEMORY,
       OPTION_KERNELS,
       OPTION_MAX_CYCLES,
       OPTION_MAX_TIME,
       OPTION_BETWEEN,
       OPTION_PLAN,
       OPTION_SHARES,
       OPTION_SNAPSHOT,
       OPTION_SNAPSHOT_AT,
       OPTION_RESUME,
       OPTION_UNKNOWN,
       OPTION_CODE,
       OPTION_FUNCTIONAL,
       OPTION_CHECK,
       OPTION_FORMAT,
       OPTION_SAMPLE,
       OPTION_SAMPLE_STATISTICS,
       OPTION_BY_INSTRUCTION,
       OPTION_ENERGY,
       OPTION_COSTS,
       OPTION_LONG,
       OPTION_CPUS,
       OPTION_TIMELINE,
       OPTION_HASH,
};

/* Longest relaxed window, in core cycles: beyond all latencies, and well within the range of time. */
enum { RELAXED_MAX = 1000000 };

/* Bytes for instructions of CTAs. By default, whole runs on today's GPUs stay below 200 MB. */
enum { TRACE_MEMORY = 128 << 20, TRACE_MEMORY_LEAST = 1 << 20 };

static const struct argp_option table[] = {
    {NULL, 0, NULL, 0, "What is simulated:", 1},
    {"machine", OPTION_MACHINE, "NAME|FILE", 0,
     "a built-in machine (`maniple machines`) or a machine file; default: the one for the trace's architecture", 1},
    {"set", OPTION_SET, "KEY=VALUE", 0, "override a key of the machine (sm.l1d.mshrs=64); may be repeated", 1},
    {"gpus", OPTION_GPUS, "N", 0, "the machine's first N GPUs, at most those of a node", 1},
    {"cores", OPTION_CORES, "N", 0, "tiles of a many-core machine", 1},
    {"kernels", OPTION_KERNELS, "LIST", 0,
     "launches to simulate, counted from 1: 1,3-7, every:10, name:REGEX, 'from:REGEX to:REGEX' (from a launch to the "
     "next of the second name); what a program marks: profiler "
     "(cudaProfilerStart to Stop), nvtx:REGEX; a program's others are executed without time",
     1},
    {"plan", OPTION_PLAN, "FILE", 0,
     "launches to simulate, from a sampling plan (`maniple plan`), with estimates of all totals", 1},
    {"shares", OPTION_SHARES, "N", 0,
     "simulate the launches in N processes at a time, each with some that follow one another: the cycles of all "
     "launches, with what the boundaries cost (docs/sampling.md); the program runs N + 1 times",
     1},
    {"steady", OPTION_STEADY, NULL, 0,
     "pass over most of what is steady inside kernels: instructions execute there at the pace that was measured, and "
     "cycles are an estimate with a margin (sm.steady.period, .detail, .warm say how much)",
     1},
    {"between", OPTION_BETWEEN, "HOW", 0,
     "what is left of a program's other launches: functional (default), their values; warm, what they have touched in "
     "the L2 too; skip, nothing: they are not executed",
     1},
    {"values", OPTION_VALUES, "all|needed", 0,
     "which values a CUDA program's kernels compute: all (default), or those that addresses and branches depend on", 1},
    {"snapshot", OPTION_SNAPSHOT, "DIR", 0,
     "keep a snapshot of machine and memory between two kernels in DIR, the latest; a run that is ended goes on from "
     "it",
     1},
    {"snapshot-at", OPTION_SNAPSHOT_AT, "N", 0, "with --snapshot: take it behind launch N, and end the run there", 1},
    {"resume", OPTION_RESUME, "DIR", 0,
     "go on from the snapshot in DIR, of the same machine, input and launches: the results are those of a whole run",
     1},
    {"max-cycles", OPTION_MAX_CYCLES, "N", 0, "stop at core cycle N with partial results (exit status 3)", 1},
    {"max-time", OPTION_MAX_TIME, "S", 0,
     "stop after S seconds of the host's time, of the whole program, with partial results (exit status 3)", 1},
    {"unknown", OPTION_UNKNOWN, "stop|alu", 0,
     "an opcode that is not in the tables: stop with an error (default), or count it and treat it as INT", 1},
    {NULL, 0, NULL, 0, "How it is run (none of these changes a statistic, but for relaxed):", 2},
    {"threads", OPTION_THREADS, "N", 0, "host threads; default: the processors that this process may use", 2},
    {"cpus", OPTION_CPUS, "LIST", 0,
     "processors to run on, such as 0-3,8,10-14:2; default: those that this process may use. -v tells what runs where",
     2},
    {"executor", OPTION_EXECUTOR, "E", 0,
     "window (default), serial; mpi: as window, in several processes (default where mpirun or srun has started them); "
     "those of other simulators, in lockstep with every cycle: lockstep, domains, pool, openmp; relaxed:N: windows of "
     "N core cycles, longer than is safe, which does change statistics; cuda: a many-core machine on an NVIDIA GPU; "
     "cuda:relaunch: the same with a launch for every step; s-events, cuda:s-events: a many-core machine whose cores "
     "run freely between accesses to shared memory, then in lock step",
     2},
    {"schedule", OPTION_SCHEDULE, "S", 0, "how units are given to threads: cost (default), static, dynamic", 2},
    {"chunk", OPTION_CHUNK, "N", 0, "executor openmp: units given to a thread at a time; default 1", 2},
    {"assign", OPTION_ASSIGN, "CORES", 0,
     "executors lockstep, domains, pool: the SMs (or blocks of tiles) of each thread, as 0-3,8/4-7", 2},
    {"core", OPTION_CORE, "C", 0,
     "cores of a many-core machine: interpreter; translation to C by the host's compiler, kept in ~/.cache/maniple; "
     "auto (default): translation if it is there already or there are 256 cores and a compiler",
     2},
    {"window", OPTION_WINDOW, "auto|N", 0,
     "longest window in core cycles; default: as long as is safe, or 1 where the executor meets every cycle", 2},
    {"trace-memory", OPTION_TRACE_MEMORY, "SIZE", 0,
     "memory for the instructions of CTAs that run; what is beyond lies in a temporary file in $TMPDIR; default 128MiB",
     2},
    {"no-skip", OPTION_NO_SKIP, NULL, 0, "visit every cycle of every unit (for tests)", 2},
    {"code", OPTION_CODE, "C", 0,
     "what a CUDA program runs: auto (default): its machine code for the machine's architecture where it has some, its "
     "PTX otherwise; sass: machine code; ptx; ptxas: machine code that an installed ptxas makes of its PTX",
     2},
    {"functional", OPTION_FUNCTIONAL, NULL, 0, "execute a CUDA program without timing", 2},
    {"check", OPTION_CHECK, "LIST", 0,
     "errors of a CUDA program to look for, with --functional: race, init, sync, or several with commas between", 2},
    {NULL, 0, NULL, 0, "What is written:", 3},
    {"format", OPTION_FORMAT, "F", 0, "of standard output: text (default), json, or gpgpusim", 3},
    {NULL, 'o', "DIR", 0,
     "also write results.json, results.sqlite, stats.txt and machine.resolved into DIR, in place of those of an "
     "earlier run there (a word says so, if it was of another program or trace); of a mesh also maps of its links' use "
     "and stalls (mesh.links.svg, mesh.stalls.svg)",
     3},
    {"long", OPTION_LONG, NULL, 0, "text with all statistics and kernels, in place of a summary", 3},
    {"sample", OPTION_SAMPLE, "N", 0,
     "statistics over time, of every N core cycles: samples.csv beside the results of -o, and \"samples\" in JSON", 3},
    {"sample-statistics", OPTION_SAMPLE_STATISTICS, "PATTERNS", 0,
     "which ones: names with * and ?, commas between them ('dram*,gpu_ipc'); default: issue slots, rates, "
     "utilisations; of many-core machines rates, waits, hops; may be repeated",
     3},
    {"timeline", OPTION_TIMELINE, "WHAT", 0,
     "with -o, for `maniple timeline`: ctas: when they lay on which SM, and calls of a CUDA program; warps:T0-T1: also "
     "when warps lived and packets were under way, of core cycles T0 to T1; of a many-core machine: cores: when each "
     "ran; accesses:T0-T1: also accesses to shared memory; may be repeated",
     3},
    {"by-instruction", OPTION_BY_INSTRUCTION, NULL, 0,
     "with -o: what each instruction costs: issues, lanes, cycles of warps (or cores) by what they waited for, "
     "sectors, conflicts, energy with --energy "
     "(table `instruction` of results.sqlite, `maniple report`)",
     3},
    {"energy", OPTION_ENERGY, "values", OPTION_ARG_OPTIONAL,
     "energy and mean power of the machine, of kernels and components (energy.*); =values: by the bits of a program's "
     "values that toggle",
     3},
    {"costs", OPTION_COSTS, NULL, 0,
     "with -o and --threads 1: record what each unit took in each window, for `maniple scaling` (costs.bin)", 3},
    {"hash", OPTION_HASH, NULL, 0,
     "print the state hash of every epoch; with -o, write those of every unit to epochs.csv", 3},
    {NULL, 'v', NULL, 0, "say more on standard error", 3},
    {NULL, 'q', NULL, 0, "say nothing but warnings and errors on standard error; twice: nothing but errors", 3},
    {0},
};

static bool read_count(struct run_options *options, const char *option, const char *text, uint64_t maximum,
                       uint64_t *value)
{
    const char *problem = mnp_parse_number(text, value);
    if (!problem && *value == 0)
        problem = "is too small";
    if (!problem && *value > maximum)
        problem = "is too large";
    return !problem || mnp_fail(&options->error, "--%s %.100s: %s; state a whole number from 1 to %llu", option, text,
                                problem, (unsigned long long)maximum);
}

static void read_size(struct run_options *options, const char *text)
{
    const char *problem = mnp_parse_size(text, &options->trace_memory);
    options->trace_memory_set = true;
    if (!problem && options->trace_memory < TRACE_MEMORY_LEAST)
        problem = "is too small";
    if (problem)
        mnp_fail(&options->error, "--trace-memory %.100s: %s; state 1MiB or more, such as 128MiB", text, problem);
}

/* The place of a word among those that an option takes, or -1 with an error. */
static int read_word(struct run_options *options, const char *option, const char *text, const char *const *words,
                     size_t count)
{
    char all[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(words[i], text) == 0)
            return (int)i;
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", words[i]);
    }
    const char *nearest = mnp_nearest_word(text, words, count);
    mnp_fail(&options->error, "--%s %.100s: is not one of %s%s%s%s", option, text, all,
             nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    return -1;
}

/* "relaxed:N". */
static void read_relaxed(struct run_options *options, const char *text)
{
    const char *colon = strchr(text, ':');
    if (!colon) {
        mnp_fail(&options->error, "--executor relaxed: state the length of its windows in core cycles: relaxed:100");
        return;
    }
    if (read_count(options, "executor relaxed:", colon + 1, RELAXED_MAX, &options->relaxed_cycles))
        options->request.executor = &mnp_executor_relaxed;
}

static void read_executor(struct run_options *options, const char *text)
{
    if (strcmp(text, "relaxed") == 0 || strncmp(text, "relaxed:", 8) == 0) {
        read_relaxed(options, text);
        return;
    }
    options->request.executor = mnp_executor_find(text);
    if (options->request.executor)
        return;
    if (strcmp(text, "openmp") == 0)
        mnp_fail(&options->error, "--executor openmp: this maniple was built without OpenMP; use window");
    const char *names[16];
    size_t count = 0;
    for (const struct mnp_executor *const *each = mnp_executors; *each && count < 16; each++)
        names[count++] = (*each)->name;
    read_word(options, "executor", text, names, count);
}

/* Consequences of the options together. */
static void settle_executor(struct run_options *options)
{
    if (options->error.text[0])
        return;
    if (!options->request.executor)
        options->request.executor = mnp_processes_expected() ? &mnp_executor_mpi : &mnp_executor_window;
    const struct mnp_executor *executor = options->request.executor;
    if (options->request.chunk && strcmp(executor->name, "openmp") != 0)
        mnp_fail(&options->error, "--chunk: belongs to --executor openmp, not to %s", executor->name);
    if (options->request.assign && !executor->assigns)
        mnp_fail(&options->error, "--assign: belongs to --executor lockstep, domains or pool, not to %s",
                 executor->name);
    if (executor->relaxed && options->window_given)
        mnp_fail(&options->error, "--window: --executor relaxed:N states the length of its windows itself");
    if (executor->relaxed)
        options->request.window_cycles = options->relaxed_cycles;
    else if (executor->every_cycle && !options->window_given)
        options->request.window_cycles = 1;
    int length = snprintf(options->executor_name, sizeof options->executor_name, "%s", executor->name);
    if (executor->relaxed)
        snprintf(options->executor_name + length, sizeof options->executor_name - (size_t)length, ":%llu",
                 (unsigned long long)options->relaxed_cycles);
}

static void read_checks(struct run_options *options, const char *text)
{
    static const char *const names[] = {"race", "init", "sync"}; /* names of the bits RUN_CHECK_… */
    enum { NAMES = sizeof names / sizeof *names };
    options->cuda.check = 0;
    char *copy = strdup(text), *rest = copy;
    for (char *part; (part = strsep(&rest, ","));) {
        uint32_t i = 0;
        while (i < NAMES && strcmp(part, names[i]) != 0)
            i++;
        const char *nearest = i < NAMES ? NULL : mnp_nearest_word(part, names, NAMES);
        if (i < NAMES)
            options->cuda.check |= 1u << i;
        else
            mnp_fail(&options->error,
                     "--check: \"%.50s\" is none of race, init, sync%s%s%s; name those that you want, with commas "
                     "between (memory outside of allocations is an error without --check, too)",
                     part, nearest ? "; did you mean " : "", nearest ? nearest : "", nearest ? "?" : "");
    }
    free(copy);
}

int cli_run_options_takes(const char *word)
{
    size_t length = strcspn(word, "=");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct argp_option *option = &table[i];
        bool letter = option->key > ' ' && option->key < 127 && word[0] == '-' && word[1] == option->key;
        bool name = option->name && strncmp(word, "--", 2) == 0 && strlen(option->name) == length - 2 &&
                    strncmp(word + 2, option->name, length - 2) == 0;
        if (letter || name)
            return option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && !(letter ? word[2] : word[length]) ? 2 : 1;
    }
    return 0;
}

static void read_override(struct run_options *options, const char *text)
{
    options->overrides = mnp_reallocate(options->overrides, options->override_count + 1, sizeof *options->overrides);
    options->overrides[options->override_count++] = text;
}

static void read_gpus(struct run_options *options, const char *text)
{
    uint64_t count;
    if (!read_count(options, "gpus", text, MNP_SPACE_DEVICES, &count))
        return;
    snprintf(options->gpus, sizeof options->gpus, "gpu.devices=%u", (unsigned)count);
    read_override(options, options->gpus);
}

bool cli_run_options_check_gpus(const struct run_options *options, const struct mnp_settings *settings,
                                struct mnp_error *error)
{
    uint64_t has = mnp_settings_number_in_files(settings, "gpu.devices");
    unsigned wanted = options->gpus[0] ? (unsigned)strtoul(strchr(options->gpus, '=') + 1, NULL, 10) : 0;
    return has < 2 || wanted <= has ||
           mnp_fail(error,
                    "--gpus %u: takes the first GPUs of a machine, and %s has %u; give at most that many (another "
                    "machine: --set gpu.devices=%u, with links for as many)",
                    wanted, mnp_settings_name(settings), (unsigned)has, wanted);
}

/* One slot in 32 of a long kernel is simulated in full, and some at its beginning; what the user has set stands. */
static void set_steady(struct run_options *options)
{
    static const char *const keys[] = {"sm.steady.period=131072", "sm.steady.detail=4096", "sm.steady.warm=1536"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t length = (size_t)(strchr(keys[i], '=') - keys[i]) + 1;
        bool given = false;
        for (uint32_t k = 0; k < options->override_count; k++)
            given |= strncmp(options->overrides[k], keys[i], length) == 0;
        if (!given)
            read_override(options, keys[i]);
    }
}

static const char *const schedules[] = {
    [MNP_SCHEDULE_COST] = "cost", [MNP_SCHEDULE_STATIC] = "static", [MNP_SCHEDULE_DYNAMIC] = "dynamic"};
static const char *const codes[] = {"auto", "sass", "ptx", "ptxas"};
static const char *const formats[] = {[FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", [FORMAT_GPGPUSIM] = "gpgpusim"};
static const char *const unknowns[] = {"stop", "alu"};
static const char *const core_kinds[] = {"auto", "interpreter", "translation"};

const char *cli_schedule_name(enum mnp_schedule schedule)
{
    return schedules[schedule];
}

static void read_verbosity(struct run_options *options, bool more)
{
    enum mnp_verbosity before = options->output.verbosity;
    enum mnp_verbosity verbosity = more ? MNP_VERBOSE : before <= MNP_QUIET ? MNP_SILENT : MNP_QUIET;
    if (more ? before < MNP_NORMAL : before > MNP_NORMAL)
        mnp_fail(&options->error, "-v and -q contradict each other; give one of them");
    options->output.verbosity = verbosity;
}

/* "1000" or "1000cycles". */
static void read_sample(struct run_options *options, const char *text)
{
    static const char unit[] = "cycles";
    char number[32];
    size_t length = strlen(text), tail = sizeof unit - 1;
    if (length > tail && strcmp(text + length - tail, unit) == 0)
        length -= tail;
    snprintf(number, sizeof number, "%.*s", (int)(length < sizeof number ? length : sizeof number - 1), text);
    read_count(options, "sample", number, MNP_NUMBER_MAX, &options->request.sample_cycles);
}

/* The option may be repeated. */
static void add_patterns(struct run_options *options, const char *text)
{
    size_t used = options->output.patterns ? strlen(options->output.patterns) + 1 : 0;
    options->output.patterns = mnp_reallocate(options->output.patterns, used + strlen(text) + 1, 1);
    if (used)
        options->output.patterns[used - 1] = ',';
    strcpy(options->output.patterns + used, text);
    options->request.sample_statistics = options->output.patterns;
}

/* "ctas" or "warps:T0-T1", or what many-core machines have in their place. */
static void read_timeline(struct run_options *options, const char *text)
{
    struct mnp_run_request *request = &options->request;
    char from[32] = "";
    const char *colon = strchr(text, ':'), *dash = colon ? strchr(colon, '-') : NULL;
    bool warps = strncmp(text, "warps:", 6) == 0, inside = dash && (warps || strncmp(text, "accesses:", 9) == 0);
    const char *earlier = options->timeline[inside];
    request->timeline = true;
    options->timeline[inside] = inside ? (warps ? "warps" : "accesses") : strcmp(text, "cores") == 0 ? "cores" : "ctas";
    if (earlier && strcmp(earlier, options->timeline[inside]) != 0)
        mnp_fail(&options->error, "--timeline %.100s: there is --timeline %s already, of another kind of machine", text,
                 earlier);
    if (inside)
        snprintf(from, sizeof from, "%.*s", (int)(dash - colon - 1), colon + 1);
    if (strcmp(text, "ctas") == 0 || strcmp(text, "cores") == 0)
        request->timeline_work = true;
    else if (inside && !mnp_parse_number(from, &request->timeline_from) &&
             !mnp_parse_number(dash + 1, &request->timeline_to) && request->timeline_from >= request->timeline_to)
        mnp_fail(&options->error,
                 "--timeline %.100s: the window ends before it begins, or is empty; state the earlier cycle first",
                 text);
    else if (!inside || mnp_parse_number(from, &request->timeline_from) ||
             mnp_parse_number(dash + 1, &request->timeline_to))
        mnp_fail(&options->error,
                 "--timeline %.100s: is neither ctas nor warps:T0-T1, a window of core cycles with T0 below T1 such as "
                 "warps:10000-12000 (of a many-core machine: cores, accesses:T0-T1)",
                 text);
}

/* "90", "0.5": a deadline that many seconds from now on. */
static void read_max_time(struct run_options *options, const char *text)
{
    enum { DIGITS = 9 }; /* before the point and behind it */
    size_t whole = strspn(text, "0123456789"), length = whole + (text[whole] == '.');
    uint64_t nanoseconds = 0;
    for (size_t i = 0; i < whole && whole <= DIGITS; i++)
        nanoseconds = nanoseconds * 10 + (uint64_t)(text[i] - '0');
    size_t behind = strspn(text + length, "0123456789");
    for (size_t i = 0; i < DIGITS; i++)
        nanoseconds = nanoseconds * 10 + (i < behind ? (uint64_t)(text[length + i] - '0') : 0);
    if (text[length + behind] || whole < 1 || whole > DIGITS || behind > DIGITS || nanoseconds == 0)
        mnp_fail(&options->error, "--max-time %.100s: is no number of seconds, such as 90 or 0.5", text);
    options->deadline_ns = results_watch_now() + nanoseconds;
}

static const char *const betweens[] = {"functional", "warm", "skip"};
static const char *const values[] = {"all", "needed"};

/* Options about what of a program is simulated, and for how long. False: it is another one. */
static bool read_extent(struct run_options *options, int key, const char *text)
{
    uint64_t number = 0;
    int word;
    switch (key) {
    case OPTION_KERNELS:
        options->sampling.kernels = text;
        break;
    case OPTION_MAX_CYCLES:
        read_count(options, "max-cycles", text, MNP_NUMBER_MAX, &options->request.max_cycles);
        break;
    case OPTION_MAX_TIME:
        read_max_time(options, text);
        break;
    case OPTION_BETWEEN:
        options->sampling.between = true;
        word = read_word(options, "between", text, betweens, 3);
        options->sampling.warm = word == 1;
        options->sampling.skip = word == 2;
        break;
    case OPTION_VALUES:
        options->cuda.bare_values = read_word(options, "values", text, values, 2) == 1;
        break;
    case OPTION_SNAPSHOT:
        options->snapshot.folder = text;
        break;
    case OPTION_SNAPSHOT_AT:
        read_count(options, "snapshot-at", text, UINT32_MAX, &options->snapshot.behind);
        break;
    case OPTION_RESUME:
        options->snapshot.resume = text;
        break;
    case OPTION_SHARES:
        read_count(options, "shares", text, MNP_MOST_SHARES, &number);
        options->shares = (uint32_t)number;
        break;
    case OPTION_PLAN:
        options->sampling.plan_file = text;
        break;
    default:
        return false;
    }
    return true;
}

/* Options with a word or a number that are about how the host runs. False: another option. */
static bool read_way(struct run_options *options, int key, const char *text)
{
    uint64_t number = 0;
    int word = 0;
    switch (key) {
    case OPTION_THREADS:
        read_count(options, "threads", text, MNP_MAX_THREADS, &number);
        options->request.threads = (uint32_t)number;
        break;
    case OPTION_CPUS:
        mnp_processors_restrict(text, &options->error);
        break;
    case OPTION_EXECUTOR:
        read_executor(options, text);
        break;
    case OPTION_SCHEDULE:
        word = read_word(options, "schedule", text, schedules, 3);
        options->request.schedule = word < 0 ? MNP_SCHEDULE_COST : (enum mnp_schedule)word;
        break;
    case OPTION_CHUNK:
        read_count(options, "chunk", text, INT32_MAX, &number);
        options->request.chunk = (uint32_t)number;
        break;
    case OPTION_ASSIGN:
        options->request.assign = text;
        break;
    case OPTION_WINDOW:
        options->window_given = true;
        if (strcmp(text, "auto") == 0)
            options->request.window_cycles = 0;
        else
            read_count(options, "window", text, UINT32_MAX, &options->request.window_cycles);
        break;
    case OPTION_TRACE_MEMORY:
        read_size(options, text);
        break;
    case OPTION_CORE:
        word = read_word(options, "core", text, core_kinds, 3);
        options->core = word < 0 ? MNP_CORE_AUTO : (enum mnp_core_way)word;
        break;
    default:
        return false;
    }
    return true;
}

/* … and those about what is simulated and told. */
static void read_valued(struct run_options *options, int key, const char *text)
{
    int word = 0;
    if (read_way(options, key, text))
        return;
    switch (key) {
    case OPTION_CORES:
        read_count(options, "cores", text, 65536, &options->cores);
        break;
    case OPTION_SAMPLE:
        read_sample(options, text);
        break;
    case OPTION_TIMELINE:
        read_timeline(options, text);
        break;
    case OPTION_SAMPLE_STATISTICS:
        add_patterns(options, text);
        break;
    case OPTION_UNKNOWN:
        options->unknown_as_alu = read_word(options, "unknown", text, unknowns, 2) == 1;
        break;
    case OPTION_CODE:
        word = read_word(options, "code", text, codes, 4);
        options->cuda.code = word < 0 ? 0 : word;
        break;
    case OPTION_FORMAT:
        word = read_word(options, "format", text, formats, 3);
        options->output.format = word < 0 ? FORMAT_TEXT : (enum output_format)word;
        break;
    }
}

/* The first input, or that of a further device. */
static void add_input(struct run_options *options, const char *text)
{
    if (options->input_count == MNP_SPACE_DEVICES) {
        mnp_fail(&options->error, "there are more than %d inputs; give one for each GPU (gpu.devices)",
                 MNP_SPACE_DEVICES);
        return;
    }
    options->inputs[options->input_count++] = text;
    options->input = options->inputs[0];
}

static error_t read_option(int key, char *text, struct argp_state *state)
{
    struct run_options *options = state->input;
    switch (key) {
    case OPTION_MACHINE:
        options->machine = text;
        break;
    case OPTION_SET:
        read_override(options, text);
        break;
    case OPTION_GPUS:
        read_gpus(options, text);
        break;
    case OPTION_STEADY:
        options->sampling.steady = true;
        break;
    case OPTION_NO_SKIP:
        options->request.no_skip = true;
        break;
    case OPTION_BY_INSTRUCTION:
        options->request.by_instruction = true;
        break;
    case OPTION_ENERGY:
        options->output.energy = true;
        read_override(options, "energy.model=true");
        if (text && strcmp(text, "values") == 0)
            read_override(options, "energy.values=16");
        else if (text)
            mnp_fail(&options->error, "--energy=%.100s: write --energy, or --energy=values", text);
        break;
    case OPTION_COSTS:
        options->output.costs = true;
        break;
    case OPTION_LONG:
        options->output.long_text = true;
        break;
    case OPTION_HASH:
        options->output.hash = true;
        break;
    case 'o':
        options->output.folder = text;
        break;
    case 'v':
        read_verbosity(options, true);
        break;
    case 'q':
        read_verbosity(options, false);
        break;
    case OPTION_CHECK:
        read_checks(options, text);
        return 0;
    case OPTION_FUNCTIONAL:
        options->cuda.functional = true;
        break;
    case ARGP_KEY_ARG:
        add_input(options, text);
        break;
    case ARGP_KEY_INIT:
    case ARGP_KEY_NO_ARGS:
    case ARGP_KEY_END:
    case ARGP_KEY_SUCCESS:
    case ARGP_KEY_ERROR:
    case ARGP_KEY_FINI:
        break;
    default:
        if (key < OPTION_MACHINE || key > OPTION_HASH)
            return ARGP_ERR_UNKNOWN;
        if (!read_extent(options, key, text))
            read_valued(options, key, text);
    }
    return 0;
}

void cli_run_options_settle_threads(struct run_options *options, uint32_t neighbours)
{
    uint32_t count = mnp_team_processors(neighbours);
    if (!options->threads_given)
        options->request.threads = count > MNP_MAX_THREADS ? MNP_MAX_THREADS : count;
}

/* A program that stands where traces do is run as one behind --. */
static void take_program(struct run_options *options, const struct command_line *line)
{
    options->program = line->program;
    options->program_argc = line->program_argc;
    if (line->program || options->input_count != 1 || !cli_input_is_program(options->input))
        return;
    options->bare[0] = (char *)options->input;
    options->program = options->bare;
    options->program_argc = 1;
    options->input = NULL;
}

/* Whether snapshots go with the other options. */
static void check_snapshots(struct run_options *options)
{
    const struct mnp_run_request *request = &options->request;
    const char *name = options->snapshot.resume ? "--resume" : "--snapshot";
    if (options->snapshot.behind && !options->snapshot.folder)
        mnp_fail(&options->error, "--snapshot-at says where one is taken; add --snapshot DIR");
    if (!options->snapshot.folder && !options->snapshot.resume)
        return;
    if (options->sampling.plan_file)
        mnp_fail(&options->error, "%s does not go with --plan, whose launches are few; leave one of them out", name);
    if (request->executor && (request->executor->relaxed || request->executor->processes))
        mnp_fail(&options->error, "%s: a run with --executor %s has no snapshots; use window", name,
                 request->executor->name);
    if (options->snapshot.resume && request->sample_cycles)
        mnp_fail(&options->error, "--sample: statistics over time begin with a run; leave --resume out");
    if (options->cuda.functional)
        mnp_fail(&options->error, "%s is about time; leave --functional out", name);
}

/* Options that are about a run as a whole, or divide it in another way. */
static void check_shares(struct run_options *options)
{
    const char *wrong = options->sampling.kernels         ? "--kernels"
                        : options->sampling.plan_file     ? "--plan"
                        : options->sampling.between       ? "--between"
                        : options->sampling.steady        ? "--steady"
                        : options->snapshot.folder        ? "--snapshot"
                        : options->snapshot.resume        ? "--resume"
                        : options->cuda.functional        ? "--functional"
                        : options->output.hash            ? "--hash"
                        : options->output.costs           ? "--costs"
                        : options->request.sample_cycles  ? "--sample"
                        : options->request.timeline       ? "--timeline"
                        : options->request.by_instruction ? "--by-instruction"
                        : options->request.max_cycles     ? "--max-cycles"
                        : options->input_count > 1        ? "traces of several GPUs"
                        : options->cores                  ? "--cores"
                                                          : NULL;
    if (!options->shares)
        return;
    if (wrong)
        mnp_fail(&options->error,
                 "%s: does not go with --shares, whose processes each see some launches alone; leave "
                 "one of them out",
                 wrong);
    if (options->request.executor && (options->request.executor->relaxed || options->request.executor->processes))
        mnp_fail(&options->error, "--shares: does not go with --executor %s; use window",
                 options->request.executor->name);
    if (!options->input && !options->program)
        mnp_fail(&options->error, "--shares: divides the launches of traces and of CUDA programs; leave it out");
}

bool cli_run_options_read(struct run_options *options, const struct command_line *line)
{
    *options = (struct run_options){
        .plugins = line->plugins, .request.schedule = MNP_SCHEDULE_COST, .trace_memory = TRACE_MEMORY};
    static const struct argp argp = {
        .options = table,
        .parser = read_option,
        .args_doc = "INPUT...\n-- PROGRAM [ARGUMENTS]",
        .doc = "Simulate a traced program and print its statistics. INPUT is the kernelslist.g of a trace in "
               "Accel-Sim's format, or a packed trace (`maniple convert`); a machine of several GPUs (--set "
               "gpu.devices=N) takes one for each. PROGRAM is a CUDA program built with nvcc, "
               "or an A32 ELF file, which runs on every core of a many-core machine (default: "
               "manycore-2). A PROGRAM without arguments may stand as INPUT.\v"
               "Exit status: 0 done; 2 an error in the input or the options, or a kernel has faulted; 3 stopped by a "
               "limit, a hang or a livelock, with partial results; 130 interrupted, with partial results.",
    };
    cli_parse(&argp, line->argc, line->argv, options);
    options->threads_given = options->request.threads != 0;
    cli_run_options_settle_threads(options, 1);
    settle_executor(options);
    take_program(options, line);
    if (options->program && options->input)
        mnp_fail(&options->error, "there are two inputs, %.200s and the program behind --; give one", options->input);
    const struct mnp_run_request *request = &options->request;
    check_snapshots(options);
    check_shares(options);
    if (options->sampling.steady && options->request.by_instruction)
        mnp_fail(&options->error, "--steady does not simulate most instructions; leave --by-instruction out");
    if (options->sampling.steady)
        set_steady(options);
    mnp_sampling_open(&options->sampling, &options->error);
    bool windows = request->executor == &mnp_executor_window || request->executor == &mnp_executor_relaxed;
    if (options->output.costs && (!options->output.folder || request->threads != 1 || !windows))
        mnp_fail(&options->error,
                 "--costs: records one thread of executor window or relaxed:N into a folder; state --threads 1 and -o "
                 "DIR too");
    if (options->cores && options->input)
        mnp_fail(&options->error,
                 "--cores is for programs on many-core machines, and %.200s is no program; for a trace there is --set "
                 "KEY=N",
                 options->input);
    if (options->request.timeline && !options->output.folder)
        mnp_fail(&options->error, "--timeline is kept in results.sqlite; add -o DIR");
    if (options->request.by_instruction && !options->output.folder)
        mnp_fail(&options->error, "--by-instruction is kept in results.sqlite; add -o DIR");
    if (options->request.sample_statistics && !options->request.sample_cycles)
        mnp_fail(&options->error, "--sample-statistics needs an interval; add --sample N");
    if (options->request.sample_cycles && !options->output.folder && options->output.format != FORMAT_JSON)
        mnp_fail(&options->error, "--sample writes samples.csv beside the other results; add -o DIR, or --format json");
    if (!options->error.text[0] && !options->input && !options->program && !options->machine)
        mnp_fail(&options->error,
                 "there is no input; give the kernelslist.g of a trace, or -- and a program (`maniple run --help`)");
    return !options->error.text[0];
}

void cli_run_options_release(struct run_options *options)
{
    free(options->overrides);
    mnp_sampling_release(&options->sampling);
    free(options->output.patterns);
}
