/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpu/sm/parameters.h"

#define ROW(KEY, TYPE, UNIT, FIELD, FALLBACK, MIN, MAX, HELP, SOURCE)                                                  \
    {                                                                                                                  \
        .key = KEY, .type = TYPE, .unit = UNIT, .offset = offsetof(struct sm_parameters, FIELD), .fallback = FALLBACK, \
        .minimum = MIN, .maximum = MAX, .help = HELP, .source = SOURCE                                                 \
    }
#define CLASS(NAME, CLASS_ID, LANES, LATENCY, WHAT)                                                                    \
    ROW("sm." NAME ".lanes", MNP_UINT, "lane", class[CLASS_ID].lanes, LANES, 0, 32,                                    \
        "lanes per sub-core for " WHAT "; 0: none",                                                                    \
        "NVIDIA architecture whitepapers, SM diagrams"),                                                               \
        ROW("sm." NAME ".latency", MNP_UINT, "cycle", class[CLASS_ID].latency, LATENCY, 1, 4096,                       \
            "issue to dependent issue of " WHAT, "microbenchmarks: Jia et al., arXiv 1804.06826, tables of latencies")

static const char *const schedulers[] = {"gto", "lrr", 0};
static const char *const dependences[] = {"scoreboard", 0};
static const char *const operand_models[] = {"none", 0};

const char *const sm_class_names[MNP_CLASS_COUNT] = {"int",    "fp32",    "half",   "fp64", "sfu",    "convert",
                                                     "tensor", "uniform", "branch", "sync", "memory", "special"};

const struct mnp_parameter sm_parameter_table[SM_PARAMETER_COUNT] = {
    ROW("sm.count", MNP_UINT, "SM", count, NULL, 1, 4096, "streaming multiprocessors", "vendor specification"),
    ROW("sm.subcores", MNP_UINT, "sub-core", subcores, "4", 1, 8, "sub-cores (warp schedulers) per SM",
        "NVIDIA architecture whitepapers"),
    ROW("sm.warps", MNP_UINT, "warp", warps, NULL, 1, 128, "resident warps per SM",
        "CUDA C++ programming guide, compute capabilities"),
    ROW("sm.ctas", MNP_UINT, "CTA", ctas, "32", 1, 64, "resident CTAs per SM",
        "CUDA C++ programming guide, compute capabilities"),
    ROW("sm.registers", MNP_UINT, "register", registers, "65536", 1024, 1 << 20, "32-bit registers per SM",
        "CUDA C++ programming guide, compute capabilities"),
    ROW("sm.register_unit", MNP_UINT, "register", register_unit, "256", 32, 4096,
        "registers are given to a warp in multiples of this", "CUDA occupancy calculator"),
    {.key = "sm.scheduler", .type = MNP_CHOICE, .unit = "", .offset = offsetof(struct sm_parameters, scheduler),
     .fallback = "gto", .choices = schedulers,
     .help = "warp issue policy: greedy then oldest, or loose round robin", .source = "Rogers et al., MICRO 2012"},
    {.key = "sm.dependence", .type = MNP_CHOICE, .unit = "", .offset = offsetof(struct sm_parameters, dependence),
     .fallback = "scoreboard", .choices = dependences,
     .help = "how an instruction waits for its operands", .source = "GPGPU-Sim manual, scoreboard"},
    {.key = "sm.operands", .type = MNP_CHOICE, .unit = "", .offset = offsetof(struct sm_parameters, operands),
     .fallback = "none", .choices = operand_models,
     .help = "operand collection; none: register reads never conflict", .source = "to be modelled"},
    ROW("sm.buffer", MNP_UINT, "instruction", buffer, "3", 1, 4, "instruction buffer entries per warp",
        "Huerta et al., arXiv 2503.20481, front end"),
    ROW("sm.fetch_latency", MNP_UINT, "cycle", fetch_latency, "2", 1, 60, "fetch to earliest issue, instruction cache hit",
        "Huerta et al., arXiv 2503.20481, front end"),
    ROW("sm.branch.redirect", MNP_UINT, "cycle", branch_latency, "4", 0, 60,
        "issue of a taken branch to the fetch of its target", "GPGPU-Sim configurations, branch unit 4/4"),
    ROW("sm.barrier_latency", MNP_UINT, "cycle", barrier_latency, "8", 1, 60, "last arrival to release of a CTA barrier",
        "assumed"),
    CLASS("int", MNP_CLASS_INT, "16", "4", "integer arithmetic"),
    CLASS("fp32", MNP_CLASS_FP32, "16", "4", "single precision"),
    CLASS("half", MNP_CLASS_HALF, "16", "5", "half precision"),
    CLASS("fp64", MNP_CLASS_FP64, "8", "8", "double precision"),
    CLASS("sfu", MNP_CLASS_SFU, "4", "23", "special functions"),
    CLASS("convert", MNP_CLASS_CONVERT, "4", "14", "conversions and bit counts"),
    CLASS("tensor", MNP_CLASS_TENSOR, "4", "24", "matrix instructions"),
    CLASS("uniform", MNP_CLASS_UNIFORM, "32", "4", "uniform instructions"),
    CLASS("branch", MNP_CLASS_BRANCH, "16", "4", "branches"),
    CLASS("sync", MNP_CLASS_SYNC, "16", "4", "barriers and fences"),
    CLASS("memory", MNP_CLASS_MEMORY, "32", "4", "issue of memory instructions"),
    CLASS("special", MNP_CLASS_SPECIAL, "8", "24", "shuffles, votes and special registers"),
    ROW("sm.fp32.on_int", MNP_BOOL, "", fp32_on_int, "false", 0, 1, "the integer pipe also takes single precision",
        "NVIDIA Ampere GA102 whitepaper"),
    ROW("sm.fp64.shared", MNP_BOOL, "", fp64_shared, "false", 0, 1,
        "fp64.lanes are shared by all sub-cores of the SM", "NVIDIA Ampere GA102 whitepaper"),
    ROW("sm.memory.queue", MNP_UINT, "instruction", memory_queue, "5", 1, 16,
        "memory instructions that a sub-core can hold before issue stalls", "Huerta et al., arXiv 2503.20481, memory"),
    ROW("sm.memory.front", MNP_UINT, "cycle", memory_front, "6", 1, 60,
        "issue to the first look-up: operand read and address generation", "Huerta et al., arXiv 2503.20481, memory"),
    ROW("sm.memory.interval", MNP_UINT, "cycle", lsu_interval, "1", 1, 16,
        "cycles between two instructions entering the memory pipeline of the SM",
        "Huerta et al., arXiv 2503.20481, memory"),
    ROW("sm.memory.fill", MNP_UINT, "cycle", fill_latency, "4", 1, 60,
        "arrival of the last sector to dependent issue", "assumed; part of latency.l2"),
    ROW("sm.memory.loads", MNP_UINT, "instruction", loads, "128", 1, 4096,
        "memory instructions outstanding per SM (pending request table)", "Huerta et al., arXiv 2503.20481, memory"),
    ROW("sm.memory.egress", MNP_UINT, "packet", egress, "8", 1, 256, "requests waiting for the port to the GPC",
        "assumed"),
    ROW("sm.shared.max", MNP_SIZE, "byte", shared_max, "96KiB", 1024, 1 << 22, "shared memory per SM for CTAs",
        "CUDA C++ programming guide, compute capabilities"),
    ROW("sm.shared.reserved", MNP_SIZE, "byte", shared_reserved, "1KiB", 0, 1 << 16, "taken by the system per CTA",
        "CUDA C++ programming guide, compute capability 8.x"),
    ROW("sm.shared.unit", MNP_SIZE, "byte", shared_unit, "128", 1, 1 << 16, "shared memory is given in multiples of this",
        "CUDA occupancy calculator"),
    ROW("sm.shared.banks", MNP_UINT, "bank", shared_banks, "32", 1, 64, "banks of four bytes",
        "CUDA C++ programming guide, shared memory"),
    ROW("sm.constant.latency", MNP_UINT, "cycle", constant_latency, "29", 1, 4096, "LDC, hit",
        "Huerta et al., arXiv 2503.20481, table of memory latencies"),
    ROW("sm.l1d.size", MNP_SIZE, "byte", l1d_size, NULL, 128, 1 << 24, "L1 data cache", "vendor specification"),
    ROW("sm.l1d.ways", MNP_UINT, "way", l1d_ways, NULL, 1, 4096, "associativity of the L1 data cache",
        "GPGPU-Sim configurations"),
    ROW("sm.l1d.line", MNP_SIZE, "byte", l1d_line, "128", 32, 128, "line of the L1 data cache", "GPGPU-Sim configurations"),
    ROW("sm.l1d.sector", MNP_SIZE, "byte", l1d_sector, "32", 32, 32, "sector of the L1 data cache",
        "GPGPU-Sim configurations"),
    ROW("sm.l1d.mshrs", MNP_UINT, "entry", l1d_mshrs, "384", 1, 4096, "lines with misses outstanding",
        "GPGPU-Sim configurations"),
    ROW("sm.l1d.merge", MNP_UINT, "access", l1d_merge, "48", 1, 4096, "accesses that can wait for one line",
        "GPGPU-Sim configurations"),
    ROW("sm.l1i.size", MNP_SIZE, "byte", l1i_size, "128KiB", 0, 1 << 24,
        "L1 instruction cache; at present every fetch hits", "Huerta et al., arXiv 2503.20481"),
    ROW("sm.l0i.size", MNP_SIZE, "byte", l0i_size, "32KiB", 0, 1 << 24,
        "L0 instruction cache per sub-core; at present every fetch hits", "Huerta et al., arXiv 2503.20481"),
    ROW("sm.start_latency", MNP_UINT, "cycle", start_latency, "20", 1, 4096, "arrival of a CTA to its first fetch",
        "assumed"),
    ROW("sm.warp_interval", MNP_UINT, "cycle", warp_interval, "1", 0, 4096,
        "cycles between the starts of two warps of a CTA", "assumed"),
    ROW("latency.l1", MNP_UINT, "cycle", latency_l1, NULL, 8, 4096, "L1 hit, issue to dependent issue",
        "microbenchmarks, see the machine file"),
    ROW("latency.shared", MNP_UINT, "cycle", latency_shared, NULL, 8, 4096,
        "shared memory without conflicts, issue to dependent issue", "microbenchmarks, see the machine file"),
};
