/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The columns of `ncu --csv` (details page): a row for each kernel and metric, so that scripts which read those read
 * simulated runs, too. A metric is a quotient of sums of statistics and machine keys; one that the run does not count
 * is left out, never zero. Names and meanings: Nsight Compute documentation, metrics reference.
 */
#include "base/demangle.h"
#include "results/report/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TERMS = 4 };

/* scale · (sum of `top`) · (product of `top_keys`) / ((sum of `bottom`) · (product of `bottom_keys`)); names that begin
 * with '-' are subtracted. No `bottom` and no `bottom_keys`: not divided. */
struct metric {
    const char *section, *name, *unit;
    const char *top[MOST_TERMS], *bottom[MOST_TERMS];
    const char *top_key, *bottom_key[2];
    double scale; /* 0: 1 */
};

#define LIGHT   "GPU Speed Of Light Throughput"
#define COMPUTE "Compute Workload Analysis"
#define MEMORY  "Memory Workload Analysis"
#define WARPS   "Scheduler Statistics"
#define LIST    "Instruction Statistics"
#define SOURCE  "Source Counters"
#define ENERGY  "Energy"

#define COUNT(SECTION, NAME, UNIT, ...)                                                                                \
    {                                                                                                                  \
        SECTION, NAME, UNIT, {__VA_ARGS__}, {0}, NULL, {0}, 0                                                          \
    }
/* Energies, of runs with --energy: Nsight Compute has none, so that names are our own. Statistics are picojoules. */
#define JOULES(NAME, ...)                                                                                              \
    {                                                                                                                  \
        ENERGY, "maniple__" NAME ".sum", "ujoule", {__VA_ARGS__}, {0}, NULL, {0}, 1e-6                                 \
    }
#define PIPE(NAME, STATISTIC)                                                                                          \
    {                                                                                                                  \
        COMPUTE, NAME, "%", {STATISTIC}, {"sm_active_cycles"}, NULL, {"sm.subcores"}, 100                              \
    }

static const struct metric metrics[] = {
    COUNT(LIGHT, "gpc__cycles_elapsed.max", "cycle", "gpu_sim_cycle"),
    COUNT(LIGHT, "gpc__cycles_elapsed.avg", "cycle", "gpu_sim_cycle"),
    COUNT(LIGHT, "sm__cycles_elapsed.avg", "cycle", "gpu_sim_cycle"),
    COUNT(LIGHT, "sm__cycles_elapsed.max", "cycle", "gpu_sim_cycle"),
    {LIGHT, "gpc__cycles_elapsed.avg.per_second", "hz", {0}, {0}, "clock.core", {0}, 0},
    {LIGHT, "gpu__time_duration.sum", "nsecond", {"gpu_sim_cycle"}, {0}, NULL, {"clock.core"}, 1e9},
    {LIGHT, "sm__cycles_active.avg", "cycle", {"sm_active_cycles"}, {0}, NULL, {"sm.count"}, 0},
    {LIGHT,
     "lts__throughput.avg.pct_of_peak_sustained_elapsed",
     "%",
     {"L2_busy_cycles"},
     {"L2_slice_cycles"},
     NULL,
     {0},
     100},
    {LIGHT,
     "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
     "%",
     {"dram_bytes"},
     {"dram_peak_bytes"},
     NULL,
     {0},
     100},
    {LIGHT,
     "dram__throughput.avg.pct_of_peak_sustained_elapsed",
     "%",
     {"dram_bytes"},
     {"dram_peak_bytes"},
     NULL,
     {0},
     100},
    COUNT(COMPUTE, "smsp__inst_executed.sum", "inst", "gpgpu_n_tot_w_icount"),
    COUNT(COMPUTE, "sm__inst_executed.sum", "inst", "gpgpu_n_tot_w_icount"),
    {COMPUTE,
     "sm__inst_executed.avg.per_cycle_active",
     "inst/cycle",
     {"gpgpu_n_tot_w_icount"},
     {"sm_active_cycles"},
     NULL,
     {0},
     0},
    {COMPUTE,
     "sm__inst_executed.avg.per_cycle_elapsed",
     "inst/cycle",
     {"gpgpu_n_tot_w_icount"},
     {"sm_cycles"},
     NULL,
     {0},
     0},
    PIPE("smsp__issue_active.avg.pct_of_peak_sustained_active", "issue_slots_issued"),
    PIPE("sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active", "pipe_cycles_int"),
    PIPE("sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", "pipe_cycles_fp32"),
    PIPE("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", "pipe_cycles_tensor"),
    {WARPS,
     "smsp__issue_active.avg.per_cycle_active",
     "inst/cycle",
     {"issue_slots_issued"},
     {"sm_active_cycles"},
     NULL,
     {"sm.subcores"},
     0},
    {WARPS,
     "sm__warps_active.avg.pct_of_peak_sustained_active",
     "%",
     {"resident_warp_cycles"},
     {"possible_warp_cycles"},
     NULL,
     {0},
     100},
    {WARPS,
     "sm__warps_active.avg.per_cycle_active",
     "warp",
     {"resident_warp_cycles"},
     {"sm_active_cycles"},
     NULL,
     {0},
     0},
    COUNT(LIST, "smsp__thread_inst_executed.sum", "inst", "gpu_sim_insn"),
    {LIST,
     "smsp__thread_inst_executed_per_inst_executed.ratio",
     "",
     {"gpu_sim_insn"},
     {"gpgpu_n_tot_w_icount"},
     NULL,
     {0},
     0},
    COUNT(LIST, "sm__inst_executed_pipe_alu.sum", "inst", "instructions_int"),
    COUNT(LIST, "sm__inst_executed_pipe_fma.sum", "inst", "instructions_fp32", "instructions_imad"),
    COUNT(LIST, "sm__inst_executed_pipe_fp16.sum", "inst", "instructions_half"),
    COUNT(LIST, "sm__inst_executed_pipe_fp64.sum", "inst", "instructions_fp64"),
    COUNT(LIST, "sm__inst_executed_pipe_xu.sum", "inst", "instructions_sfu", "instructions_convert"),
    COUNT(LIST, "sm__inst_executed_pipe_lsu.sum", "inst", "instructions_memory"),
    COUNT(LIST, "sm__inst_executed_pipe_tensor.sum", "inst", "instructions_tensor"),
    COUNT(LIST, "sm__inst_executed_pipe_uniform.sum", "inst", "instructions_uniform"),
    COUNT(LIST, "sm__inst_executed_pipe_cbu.sum", "inst", "instructions_branch"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_fadd_pred_on.sum", "inst", "lanes_fadd"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_fmul_pred_on.sum", "inst", "lanes_fmul"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_ffma_pred_on.sum", "inst", "lanes_ffma"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_hadd_pred_on.sum", "inst", "lanes_hadd"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_hmul_pred_on.sum", "inst", "lanes_hmul"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_hfma_pred_on.sum", "inst", "lanes_hfma"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_dadd_pred_on.sum", "inst", "lanes_dadd"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_dmul_pred_on.sum", "inst", "lanes_dmul"),
    COUNT(LIST, "sm__sass_thread_inst_executed_op_dfma_pred_on.sum", "inst", "lanes_dfma"),
    COUNT(SOURCE, "smsp__inst_executed_op_global_ld.sum", "inst", "accesses_global_load"),
    COUNT(SOURCE, "smsp__inst_executed_op_global_st.sum", "inst", "accesses_global_store"),
    COUNT(SOURCE, "smsp__inst_executed_op_global_red.sum", "inst", "accesses_global_reduction"),
    COUNT(SOURCE, "smsp__sass_inst_executed_op_global_atom.sum", "inst", "accesses_global_atomic"),
    COUNT(SOURCE, "smsp__inst_executed_op_local_ld.sum", "inst", "accesses_local_load"),
    COUNT(SOURCE, "smsp__inst_executed_op_local_st.sum", "inst", "accesses_local_store"),
    COUNT(SOURCE, "smsp__inst_executed_op_shared_ld.sum", "inst", "accesses_shared_load"),
    COUNT(SOURCE, "smsp__inst_executed_op_shared_st.sum", "inst", "accesses_shared_store"),
    COUNT(MEMORY, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "request", "accesses_global_load"),
    COUNT(MEMORY, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "request", "accesses_global_store"),
    COUNT(MEMORY, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sector", "sectors_global_load"),
    COUNT(MEMORY, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sector", "sectors_global_store"),
    COUNT(MEMORY, "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "sector", "sectors_local_load"),
    COUNT(MEMORY, "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "sector", "sectors_local_store"),
    {MEMORY,
     "l1tex__t_sector_hit_rate.pct",
     "%",
     {"L1D_read_hits", "L1D_total_cache_pending_hits", "L1D_write_hits"},
     {"L1D_total_cache_accesses"},
     NULL,
     {0},
     100},
    COUNT(MEMORY, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "", "shared_conflict_cycles"),
    COUNT(MEMORY, "lts__t_sectors.sum", "sector", "L2_total_cache_accesses"),
    COUNT(MEMORY, "lts__t_sectors_op_read.sum", "sector", "L2_reads"),
    COUNT(MEMORY, "lts__t_sectors_op_write.sum", "sector", "L2_writes"),
    {MEMORY,
     "lts__t_sector_hit_rate.pct",
     "%",
     {"L2_total_cache_accesses", "-L2_total_cache_misses"},
     {"L2_total_cache_accesses"},
     NULL,
     {0},
     100},
    {MEMORY, "dram__bytes.sum", "byte", {"dram_bytes"}, {0}, NULL, {0}, 0},
    {MEMORY, "dram__bytes_read.sum", "byte", {"total_dram_reads", "dram_fetches"}, {0}, NULL, {0}, 32},
    {MEMORY, "dram__bytes_write.sum", "byte", {"total_dram_writes"}, {0}, NULL, {0}, 32},
    JOULES("energy", "energy"),
    JOULES("energy_sm", "energy_sm"),
    JOULES("energy_network_l2", "energy_gpc", "energy_l2", "energy_partition_network"),
    JOULES("energy_dram", "energy_dram"),
    JOULES("energy_static", "energy_static_sm", "energy_static_l2", "energy_static_dram", "energy_static_board"),
    {ENERGY, "maniple__power.avg", "watt", {"energy"}, {"energy_time"}, NULL, {0}, 0},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* ===== values ===== */

/* Parts of a metric, found once for a run: numbers of statistics, and all factors together. */
struct recipe {
    uint32_t top[MOST_TERMS], bottom[MOST_TERMS];
    double factor;
    bool counted; /* all of it is known */
};

static bool find_terms(const struct results_reading *reading, const char *const terms[MOST_TERMS],
                       uint32_t numbers[MOST_TERMS])
{
    for (int i = 0; i < MOST_TERMS && terms[i]; i++) {
        numbers[i] = results_number(reading, terms[i] + (terms[i][0] == '-'));
        if (!numbers[i])
            return false;
    }
    return true;
}

static struct recipe find_recipe(const struct results_reading *reading, const struct metric *metric)
{
    struct recipe recipe = {.factor = metric->scale ? metric->scale : 1};
    recipe.counted = find_terms(reading, metric->top, recipe.top) && find_terms(reading, metric->bottom, recipe.bottom);
    recipe.factor *= metric->top_key ? results_key(reading, metric->top_key) : 1;
    for (int i = 0; i < 2 && metric->bottom_key[i]; i++) {
        double key = results_key(reading, metric->bottom_key[i]);
        recipe.counted = recipe.counted && key > 0;
        recipe.factor /= key > 0 ? key : 1;
    }
    return recipe;
}

/* The sum of statistics; none: 1. */
static double sum_of(const struct results_group *kernel, const char *const terms[MOST_TERMS],
                     const uint32_t numbers[MOST_TERMS])
{
    double sum = terms[0] ? 0 : 1;
    for (int i = 0; i < MOST_TERMS && terms[i]; i++)
        sum += terms[i][0] == '-' ? -kernel->sums[numbers[i]] : kernel->sums[numbers[i]];
    return sum;
}

/* False: the run does not count it, or nothing was there to be divided by. */
static bool value_of(const struct results_group *kernel, const struct metric *metric, const struct recipe *recipe,
                     double *value)
{
    double bottom = recipe->counted ? sum_of(kernel, metric->bottom, recipe->bottom) : 0;
    *value = bottom > 0 ? recipe->factor * sum_of(kernel, metric->top, recipe->top) / bottom : 0;
    return bottom > 0;
}

/* ===== rows ===== */

struct writer {
    const struct results_reading *reading;
    FILE *out;
    char *name; /* name of the kernel, for people */
    uint64_t number;
    sqlite3_stmt *kernel; /* its row */
    const char *device;
    char *head;              /* beginning of the rows of a kernel */
    double sms, ctas, warps; /* numbers of the machine; of an SM, at most */
    struct recipe recipes[METRICS];
};

static void write_text(const char *text, FILE *out)
{
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text == '\n' || *text == '\r' ? ' ' : *text, out);
    }
    putc('"', out);
}

enum { GRID_X = 2, BLOCK_X = 5, STREAM = 8, REGISTERS, SHARED, BY_WARPS, BY_REGISTERS, BY_SHARED };

static void write_size(const struct writer *writer, int column)
{
    fprintf(writer->out, ",\"(%" PRId64 ", %" PRId64 ", %" PRId64 ")\"",
            (int64_t)sqlite3_column_int64(writer->kernel, column),
            (int64_t)sqlite3_column_int64(writer->kernel, column + 1),
            (int64_t)sqlite3_column_int64(writer->kernel, column + 2));
}

/* Makes what the rows of a kernel begin with. */
static void begin_kernel(struct writer *writer)
{
    FILE *out = writer->out;
    size_t length;
    free(writer->head);
    writer->head = NULL;
    writer->out = open_memstream(&writer->head, &length);
    if (writer->out) {
        fprintf(writer->out, "\"%" PRIu64 "\",\"1\",", writer->number);
        write_text(writer->reading->input, writer->out);
        fputs(",\"127.0.0.1\",", writer->out);
        write_text(writer->name, writer->out);
        fprintf(writer->out, ",\"1\",\"%" PRId64 "\"", (int64_t)sqlite3_column_int64(writer->kernel, STREAM));
        write_size(writer, BLOCK_X);
        write_size(writer, GRID_X);
        putc(',', writer->out);
        write_text(writer->device, writer->out);
        int architecture = writer->reading->architecture;
        fprintf(writer->out, ",\"%d.%d\",\"", architecture / 10, architecture % 10);
        fclose(writer->out);
    }
    writer->out = out;
}

static void write_row(const struct writer *writer, const char *section, const char *metric, const char *unit,
                      double value)
{
    bool whole = value == floor(value) && fabs(value) < 1e15;
    fputs(writer->head ? writer->head : "", writer->out);
    fprintf(writer->out, whole ? "%s\",\"%s\",\"%s\",\"%.0f\"\n" : "%s\",\"%s\",\"%s\",\"%.6f\"\n", section, metric,
            unit, value);
}

static void write_launch(const struct writer *writer)
{
    static const struct {
        const char *name, *unit;
        int column;
    } rows[] = {{"launch__registers_per_thread", "register/thread", REGISTERS},
                {"launch__shared_mem_per_block", "byte/block", SHARED},
                {"launch__occupancy_limit_warps", "block", BY_WARPS},
                {"launch__occupancy_limit_registers", "block", BY_REGISTERS},
                {"launch__occupancy_limit_shared_mem", "block", BY_SHARED}};
    double grid = 1, block = 1, sms = writer->sms, most = writer->ctas, warps = writer->warps;
    for (int i = 0; i < 3; i++) {
        grid *= sqlite3_column_double(writer->kernel, GRID_X + i);
        block *= sqlite3_column_double(writer->kernel, BLOCK_X + i);
    }
    write_row(writer, "Launch Statistics", "launch__grid_size", "", grid);
    write_row(writer, "Launch Statistics", "launch__block_size", "", block);
    write_row(writer, "Launch Statistics", "launch__thread_count", "thread", grid * block);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (sqlite3_column_type(writer->kernel, rows[i].column) != SQLITE_NULL)
            write_row(writer, i < 2 ? "Launch Statistics" : "Occupancy", rows[i].name, rows[i].unit,
                      sqlite3_column_double(writer->kernel, rows[i].column));
    if (sqlite3_column_type(writer->kernel, BY_WARPS) == SQLITE_NULL || most <= 0 || sms <= 0 || warps <= 0)
        return;
    write_row(writer, "Occupancy", "launch__occupancy_limit_blocks", "block", most);
    for (int i = BY_WARPS; i <= BY_SHARED; i++)
        most = fmin(most, sqlite3_column_double(writer->kernel, i));
    if (most > 0)
        write_row(writer, "Launch Statistics", "launch__waves_per_multiprocessor", "", grid / (sms * most));
    write_row(writer, "Occupancy", "sm__maximum_warps_per_active_cycle_pct", "%",
              100 * most * ceil(block / 32) / warps);
}

/* The greatest of the shares of peaks whose short names are given. */
static double greatest(const struct results_peak *peaks, uint32_t count, const char *const *names)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; names[k]; k++)
            if (strcmp(peaks[i].short_name, names[k]) == 0)
                most = fmax(most, results_peak_share(&peaks[i]));
    return 100 * most;
}

static void write_light(const struct writer *writer, const struct results_group *kernel)
{
    static const char *const compute[] = {"issue", "FP32", "ALU", "FMA", "FP16", "FP64", "XU", "tensor", "LSU", NULL},
                             *const l1[] = {"L1", NULL}, *const memory[] = {"L1", "requests", "replies",
                                                                            "L2", "DRAM",     NULL};
    struct results_peak peaks[RESULTS_PEAKS];
    uint32_t count = results_peaks(writer->reading, kernel, peaks);
    if (!count)
        return;
    write_row(writer, LIGHT, "sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", greatest(peaks, count, compute));
    write_row(writer, LIGHT, "l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "%", greatest(peaks, count, l1));
    write_row(writer, LIGHT, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed", "%",
              greatest(peaks, count, memory));
}

/* Owner of the sums of which a metric is made. Write-backs to DRAM have no owner, so their kernel is known where it
 * was alone; NULL: not known. */
static const struct results_group *owner_of(const struct writer *writer, const struct metric *metric,
                                            const struct results_group *kernel)
{
    const struct results_reading *reading = writer->reading;
    if (!strstr(metric->name, "dram_"))
        return kernel;
    if (reading->kernel_count == 1)
        return &reading->busy;
    bool written = results_sum(reading, &reading->total, "total_dram_writes") > 0;
    return written && strcmp(metric->name, "dram__bytes_read.sum") != 0 ? NULL : kernel;
}

static void write_kernel(const struct writer *writer, const struct results_group *kernel)
{
    write_light(writer, kernel);
    for (size_t i = 0; i < METRICS; i++) {
        double value;
        const struct results_group *owner = owner_of(writer, &metrics[i], kernel);
        if (owner && value_of(owner, &metrics[i], &writer->recipes[i], &value))
            write_row(writer, metrics[i].section, metrics[i].name, metrics[i].unit, value);
    }
    write_launch(writer);
}

/* "NVIDIA GeForce RTX 3070 (simulated by Maniple)": what stands before the colon of the machine's description. */
static char *device_of(const struct results_reading *reading)
{
    const char *name = reading->description[0] ? reading->description : reading->machine;
    char *device = NULL;
    int length = (int)strcspn(name, ":");
    return asprintf(&device, "%.*s (simulated by Maniple)", length, name) < 0 ? NULL : device;
}

bool results_write_ncu(const struct results_reading *reading, FILE *out, struct mnp_error *error)
{
    char *device = device_of(reading);
    struct writer writer = {.reading = reading, .out = out, .device = device};
    for (int i = 0; i < METRICS; i++)
        writer.recipes[i] = find_recipe(reading, &metrics[i]);
    writer.sms = results_key(reading, "sm.count");
    writer.ctas = results_key(reading, "sm.ctas");
    writer.warps = results_key(reading, "sm.warps");
    struct results_group sums = {.sums = calloc(reading->statistic_count + 1, sizeof *sums.sums)};
    writer.kernel = results_sqlite_prepare(
        reading->database,
        "SELECT id, name, grid_x, grid_y, grid_z, block_x, block_y, block_z, stream, registers, shared_bytes,"
        " ctas_by_warps, ctas_by_registers, ctas_by_shared FROM kernel WHERE run = ? ORDER BY id",
        error);
    fputs("\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel Name\",\"Context\",\"Stream\",\"Block Size\","
          "\"Grid Size\",\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n",
          out);
    bool done = writer.kernel && device && sums.sums;
    if (done)
        sqlite3_bind_int64(writer.kernel, 1, reading->run);
    int status = SQLITE_DONE;
    for (; done && (status = sqlite3_step(writer.kernel)) == SQLITE_ROW; writer.number++) {
        const char *name = (const char *)sqlite3_column_text(writer.kernel, 1);
        writer.name = mnp_demangle(name ? name : "");
        done = results_reading_kernel(reading, sqlite3_column_int64(writer.kernel, 0), &sums, error);
        begin_kernel(&writer);
        if (done)
            write_kernel(&writer, &sums);
        free(writer.name);
    }
    if (done && status != SQLITE_DONE)
        done = results_sqlite_fail(reading->database, error);
    sqlite3_finalize(writer.kernel);
    free(sums.sums);
    free(writer.head);
    free(device);
    return done;
}
