/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The SM, its execution units and the launch of kernels; its caches and register reads are in map_l1.c.
 *
 * Latencies of execution units: both simulators state those of the pipe alone; an instruction also reads operands and
 * writes back, which makes dependent instructions issue two cycles further apart (2 for an integer addition on Volta,
 * whose measured distance is 4; Jia et al., arXiv 1804.06826). Initiation intervals are those of one unit; lanes follow
 * from them and from the number of units per scheduler.
 */
#include "gpu/import/map.h"

#include <string.h>

enum { OPERANDS_AND_WRITE_BACK = 2, WARP = 32 };

/* ===== execution units ===== */

struct unit_class {
    const char *key;       /* in the machine file: sm.KEY.lanes, sm.KEY.latency */
    const char *traced;    /* trace.config: latency,initiation */
    const char *latency;   /* gpgpusim.config: latencies by operation, the first of an addition */
    const char *interval;  /* the same */
    const char *units;     /* how many per SM */
    const char *otherwise; /* units that do it where there are none */
};

static const struct unit_class classes[] = {
    {"int", "-trace_opcode_latency_initiation_int", "-ptx_opcode_latency_int", "-ptx_opcode_initiation_int",
     "-gpgpu_num_int_units", "-gpgpu_num_sp_units"},
    {"fp32", "-trace_opcode_latency_initiation_sp", "-ptx_opcode_latency_fp", "-ptx_opcode_initiation_fp",
     "-gpgpu_num_sp_units", NULL},
    {"fp64", "-trace_opcode_latency_initiation_dp", "-ptx_opcode_latency_dp", "-ptx_opcode_initiation_dp",
     "-gpgpu_num_dp_units", "-gpgpu_num_sfu_units"},
    {"sfu", "-trace_opcode_latency_initiation_sfu", "-ptx_opcode_latency_sfu", "-ptx_opcode_initiation_sfu",
     "-gpgpu_num_sfu_units", NULL},
    {"tensor", "-trace_opcode_latency_initiation_tensor", "-ptx_opcode_latency_tesnor", "-ptx_opcode_initiation_tensor",
     "-gpgpu_num_tensor_core_units", NULL},
};

struct timing {
    uint64_t latency, interval;
    const char *source; /* NULL: not stated */
};

static void find_timing(struct gpu_mapping *mapping, const struct unit_class *class, struct timing *timing)
{
    uint64_t both[2] = {0, 0}, plain[2] = {0, 0};
    const struct gpu_import_option *traced = gpu_map_take(mapping, class->traced);
    const struct gpu_import_option *latency = gpu_map_take(mapping, class->latency);
    const struct gpu_import_option *interval = gpu_map_take(mapping, class->interval);
    *timing = (struct timing){0};
    if (latency && interval &&
        gpu_map_numbers(mapping, latency, ",", &plain[0], 1) + gpu_map_numbers(mapping, interval, ",", &plain[1], 1) ==
            2)
        *timing = (struct timing){plain[0], plain[1], class->latency};
    if (traced && gpu_map_numbers(mapping, traced, ",", both, 2) == 2)
        *timing = (struct timing){both[0], both[1], class->traced};
    const struct gpu_import_option *stated = traced ? traced : latency;
    if (timing->source && (!timing->interval || timing->interval > 1024 || timing->latency > 4000)) {
        gpu_map_fail(mapping, stated, "states no latency up to 4000 with an initiation interval from 1 to 1024");
        timing->source = NULL;
    }
}

static void put_timing(struct gpu_mapping *mapping, const char *name, const struct timing *timing, uint64_t units,
                       uint64_t subcores)
{
    char key[48];
    uint64_t lanes = WARP * units / (timing->interval * subcores);
    bool shared = lanes == 0 && strcmp(name, "fp64") == 0; /* slower than a lane per sub-core: lanes for the whole SM */
    if (shared)
        lanes = WARP * units / timing->interval;
    lanes = lanes > WARP ? WARP : lanes ? lanes : 1;
    snprintf(key, sizeof key, "sm.%s.lanes", name);
    gpu_map_put(mapping, key, lanes, timing->source);
    snprintf(key, sizeof key, "sm.%s.latency", name);
    gpu_map_put(mapping, key, timing->latency + OPERANDS_AND_WRITE_BACK, timing->source);
    if (shared)
        gpu_map_put_truth(mapping, "sm.fp64.shared", true, timing->source);
}

static void map_classes(struct gpu_mapping *mapping, uint64_t subcores)
{
    bool tensor = gpu_map_number(mapping, "-gpgpu_tensor_core_avail", 0, 1, 0);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        struct timing timing;
        find_timing(mapping, &classes[i], &timing);
        uint64_t units = gpu_map_number(mapping, classes[i].units, 0, 64, 0);
        if (!units && classes[i].otherwise)
            units = gpu_map_number(mapping, classes[i].otherwise, 0, 64, 0);
        if (strcmp(classes[i].key, "tensor") == 0 && (!tensor || !units)) {
            gpu_map_put(mapping, "sm.tensor.lanes", 0, "no tensor cores");
            gpu_map_put(mapping, "sm.tensor.latency", 1, "no tensor cores");
        } else if (timing.source && units) {
            put_timing(mapping, classes[i].key, &timing, units, subcores);
        }
    }
}

/* Units that Accel-Sim calls special: 1,4,4,4,4,BRA, and the latency and initiation interval of each. */
static void map_special(struct gpu_mapping *mapping, uint64_t subcores)
{
    static const struct {
        const char *name, *key;
    } known[] = {{"BRA", "branch"}, {"UDP", "uniform"}};
    for (unsigned number = 1; number <= 8; number++) {
        char name[64], timed[64];
        snprintf(name, sizeof name, "-specialized_unit_%u", number);
        snprintf(timed, sizeof timed, "-trace_opcode_latency_initiation_spec_op_%u", number);
        const struct gpu_import_option *unit = gpu_map_take(mapping, name), *timing = gpu_map_take(mapping, timed);
        const char *comma = unit ? strrchr(unit->value, ',') : NULL;
        uint64_t count[2] = {0}, both[2] = {0};
        if (!comma || !timing || gpu_map_numbers(mapping, unit, ",", count, 2) < 2 ||
            gpu_map_numbers(mapping, timing, ",", both, 2) < 2)
            continue;
        bool found = false;
        for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
            if (strcmp(comma + 1, known[i].name) != 0 || !both[1] || both[1] > 1024 || both[0] > 4000 || count[1] > 64)
                continue;
            struct timing stated = {both[0], both[1], known[i].name};
            put_timing(mapping, known[i].key, &stated, count[1], subcores);
            found = true;
        }
        if (found || strcmp(comma + 1, "TENSOR") == 0) /* stated as -trace_opcode_latency_initiation_tensor, too */
            continue;
        gpu_map_lose(mapping, name, "there is no such unit in the model");
        gpu_map_lose(mapping, timed, "there is no such unit in the model");
    }
}

/* ===== the SM's resources ===== */

static uint64_t map_resources(struct gpu_mapping *mapping)
{
    static const char pipeline[] = "-gpgpu_shader_core_pipeline";
    uint64_t clusters = gpu_map_needed(mapping, "-gpgpu_n_clusters", 1, 4096);
    uint64_t cores = gpu_map_number(mapping, "-gpgpu_n_cores_per_cluster", 1, 4096, 1);
    gpu_map_put(mapping, "sm.count", clusters * cores, "-gpgpu_n_clusters, -gpgpu_n_cores_per_cluster");
    gpu_map_put(mapping, "gpc.count", (clusters * cores + 15) / 16, "no GPCs in these simulators: 16 SMs each");
    uint64_t subcores = gpu_map_number(mapping, "-gpgpu_num_sched_per_core", 1, 8, 1);
    gpu_map_put(mapping, "sm.subcores", subcores, "-gpgpu_num_sched_per_core");
    uint64_t threads[2] = {0};
    gpu_map_needed(mapping, "-gpgpu_n_mem", 1, 1024);
    const struct gpu_import_option *option = gpu_map_take(mapping, pipeline);
    if (!option)
        gpu_map_miss(mapping, pipeline);
    else if (gpu_map_numbers(mapping, option, ":", threads, 2) != 2 || threads[1] != WARP || threads[0] % WARP ||
             !threads[0] || threads[0] > 4096)
        gpu_map_fail(mapping, option, "states no number of threads up to 4096 and warps of 32: 2048:32");
    gpu_map_put(mapping, "sm.warps", threads[0] / WARP, pipeline);
    gpu_map_put(mapping, "sm.ctas", gpu_map_needed(mapping, "-gpgpu_shader_cta", 1, 64), "-gpgpu_shader_cta");
    gpu_map_put(mapping, "sm.registers", gpu_map_needed(mapping, "-gpgpu_shader_registers", 1024, 1 << 20),
                "-gpgpu_shader_registers");
    gpu_map_put(mapping, "sm.shared.banks", gpu_map_number(mapping, "-gpgpu_shmem_num_banks", 1, 64, 32),
                "-gpgpu_shmem_num_banks");
    return subcores;
}

static void map_scheduler(struct gpu_mapping *mapping)
{
    static const char name[] = "-gpgpu_scheduler";
    const struct gpu_import_option *option = gpu_map_take(mapping, name);
    if (!option)
        return;
    bool known = false;
#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, START, CHOOSE, NAME, ...) known |= strcmp(option->value, NAME) == 0;
#include "gpu/sm/schedulers/list.h"
#undef SM_SCHEDULER
    if (known) /* the names are GPGPU-Sim's */
        gpu_map_put_word(mapping, "sm.scheduler", option->value, name);
    else
        gpu_map_lose(mapping, name, "no warp scheduler of this name is modelled (sm.scheduler)");
}

static void map_architecture(struct gpu_mapping *mapping)
{
    uint64_t major = gpu_map_number(mapping, "-gpgpu_compute_capability_major", 0, 99, 0);
    uint64_t minor = gpu_map_number(mapping, "-gpgpu_compute_capability_minor", 0, 9, 0);
    mapping->import->architecture = 10 * major + minor;
    if (major && major < 8)
        gpu_map_put_size(mapping, "sm.shared.reserved", 0, "nothing is reserved before compute capability 8.0");
}

static void map_launch(struct gpu_mapping *mapping)
{
    uint64_t concurrent = gpu_map_number(mapping, "-gpgpu_max_concurrent_kernel", 1, 65536, 32);
    gpu_map_put(mapping, "launch.kernel", gpu_map_number(mapping, "-gpgpu_kernel_launch_latency", 0, UINT32_MAX, 0),
                "-gpgpu_kernel_launch_latency");
    gpu_map_put(mapping, "launch.concurrent", concurrent > 32 ? 32 : concurrent, "-gpgpu_max_concurrent_kernel");
}

void gpu_map_sm(struct gpu_mapping *mapping)
{
    uint64_t subcores = map_resources(mapping);
    map_architecture(mapping);
    map_scheduler(mapping);
    map_classes(mapping, subcores);
    map_special(mapping, subcores);
    map_launch(mapping);
    gpu_map_put(mapping, "sm.predicate_latency", 1, "predicates take as long as other results");
    gpu_map_l1(mapping);
    gpu_map_operands(mapping, subcores);
    gpu_map_agree(mapping, "-gpgpu_sub_core_model");
    gpu_map_agree(mapping, "-gpgpu_max_insn_issue_per_warp");
    gpu_map_agree(mapping, "-gpgpu_shmem_warp_parts");
    gpu_map_agree(mapping, "-gpgpu_shmem_limited_broadcast");
    gpu_map_agree(mapping, "-gpgpu_coalesce_arch");
    gpu_map_lose(mapping, "-gpgpu_pipeline_widths", "pipes take one instruction per sub-core and cycle");
    gpu_map_lose(mapping, "-gpgpu_dual_issue_diff_exec_units", "a sub-core issues one instruction per cycle");
    gpu_map_lose(mapping, "-gpgpu_inst_fetch_throughput", "fetch is one instruction per sub-core and cycle");
}
