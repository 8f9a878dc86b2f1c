/* SPDX-License-Identifier: BSD-3-Clause */
/* The definition of the model of an SM: parameters, ports and state; statistics.c has the statistics. */
#include "engine/declare/declare.h"
#include "gpu/sm/live.h"
#include "gpu/sm/parts/parts.h"
#include "gpu/sm/state.h"
#include "parts/cache/declare.h"

#define MNP_TABLE_OF struct sm_parameters

#define CLASS(NAME, CLASS_ID, LANES, LATENCY, WHAT)                                                                    \
    MNP_NUMBER_ROW("sm." NAME ".lanes", "lane", execution[CLASS_ID].lanes, LANES, 0, 32,                               \
                   "lanes per sub-core for " WHAT "; 0: none", "NVIDIA architecture whitepapers, SM diagrams"),        \
        MNP_NUMBER_ROW("sm." NAME ".latency", "cycle", execution[CLASS_ID].latency, LATENCY, 1, 4096,                  \
                       "issue to dependent issue of " WHAT,                                                            \
                       "microbenchmarks: Jia et al., arXiv 1804.06826, tables of latencies")

static const char *const no_part[] = {"none", 0};
static const char *const write_policies[] = {"around", "allocate", "evict", 0};
#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, START, CHOOSE, NAME, ...) NAME,
static const char *const schedulers[] = {
#include "gpu/sm/schedulers/list.h"
    0};
#undef SM_SCHEDULER
#define SM_DEPENDENCE(KIND, NAME, HELP, SOURCE) NAME,
static const char *const dependences[] = {
#include "gpu/sm/dependence/list.h"
    0};
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, ...) NAME,
static const char *const operand_models[] = {
#include "gpu/sm/operands/list.h"
    0};
#undef SM_OPERANDS
static const char *const imad_pipes[] = {"int", "fp32", 0};

static const struct mnp_parameter parameters[] = {
    MNP_NUMBER_ROW("sm.count", "SM", count, NULL, 1, 4096, "streaming multiprocessors", "vendor specification"),
    MNP_NUMBER_ROW("sm.subcores", "sub-core", subcores, "4", 1, 8, "sub-cores (warp schedulers) per SM",
                   "NVIDIA architecture whitepapers"),
    MNP_NUMBER_ROW("sm.warps", "warp", warps, NULL, 1, 128, "resident warps per SM",
                   "CUDA C++ programming guide, compute capabilities"),
    MNP_NUMBER_ROW("sm.ctas", "CTA", ctas, "32", 1, 64, "resident CTAs per SM",
                   "CUDA C++ programming guide, compute capabilities"),
    MNP_NUMBER_ROW("sm.registers", "register", registers, "65536", 1024, 1 << 20, "32-bit registers per SM",
                   "CUDA C++ programming guide, compute capabilities"),
    MNP_NUMBER_ROW("sm.register_unit", "register", register_unit, "256", 32, 4096,
                   "registers are given to a warp in multiples of this", "CUDA occupancy calculator"),
    MNP_PART_ROW("sm.stage", stage, called_stage, "none", no_part, NULL, SM_STAGE_PART, true,
                 "a stage that a plug-in brings", "by choice"),
    {.key = "sm.scheduler",
     .type = MNP_CHOICE,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, scheduler),
     .fallback = "gto",
     .choices = schedulers,
     .parts = sm_called_schedulers,
     .joins = SM_SCHEDULER_PART,
     .chosen = MNP_FIELD(struct mnp_chosen, called_scheduler),
#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, START, CHOOSE, NAME, HELP, SOURCE) "; " NAME ": " HELP
     .help = "warp issue policy"
#include "gpu/sm/schedulers/list.h"
#undef SM_SCHEDULER
     ,
#define SM_SCHEDULER(NUMBER, MEMBER, TYPE, START, CHOOSE, NAME, HELP, SOURCE) "; " NAME ": " SOURCE
     .source = "by choice"
#include "gpu/sm/schedulers/list.h"
#undef SM_SCHEDULER
    },
    {.key = "sm.dependence",
     .type = MNP_CHOICE,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, dependence),
     .fallback = "scoreboard",
     .choices = dependences,
#define SM_DEPENDENCE(KIND, NAME, HELP, SOURCE) "; " NAME ": " HELP
     .help = "how an instruction waits for its operands"
#include "gpu/sm/dependence/list.h"
     ,
#define SM_DEPENDENCE(KIND, NAME, HELP, SOURCE) "; " NAME ": " SOURCE
     .source = "by choice"
#include "gpu/sm/dependence/list.h"
    },
    {.key = "sm.operands",
     .type = MNP_CHOICE,
     .unit = "",
     .offset = MNP_FIELD(uint64_t, operands),
     .fallback = "none",
     .choices = operand_models,
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, ...) "; " NAME ": " HELP
     .help = "how registers are read"
#include "gpu/sm/operands/list.h"
#undef SM_OPERANDS
     ,
#define SM_OPERANDS(KIND, NAME, HELP, SOURCE, ...) "; " NAME ": " SOURCE
     .source = "by choice"
#include "gpu/sm/operands/list.h"
#undef SM_OPERANDS
    },
    MNP_NUMBER_ROW("sm.operand.ports", "register/cycle", operand_ports, "1", 1, 8, "read ports of a register bank",
                   "Huerta et al., arXiv 2503.20481, register file"),
    MNP_NUMBER_ROW("sm.operand.blind_ports", "register/cycle", operand_blind_ports, "2", 1, 8,
                   "read-ports: ports where a trace has no reuse bits, in place of ports and register cache",
                   "Huerta et al., artefact: error of 2 ports and no cache is that of 1 and the cache"),
    MNP_NUMBER_ROW("sm.operand.banks", "bank", operand_banks, "8", 1, 64, "collector: register banks of a sub-core",
                   "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("sm.operand.units", "instruction", operand_units, "8", 1, 16, "collector: units of a sub-core",
                   "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW(
        "sm.war_consumers", "instruction", war_consumers, "7", 0, 63,
        "scoreboard: memory instructions that may be about to read one register, which nothing overwrites before; 0: "
        "such overwriting is not held back",
        "Huerta et al., artefact: error 20.4 % with 1, 14.7 % with 7 or more"),
    MNP_NUMBER_ROW("sm.buffer", "instruction", buffer, "3", 1, 4, "instruction buffer entries per warp",
                   "Huerta et al., arXiv 2503.20481, front end"),
    MNP_NUMBER_ROW("sm.fetch_latency", "cycle", fetch_latency, "2", 1, 60,
                   "fetch to earliest issue, instruction cache hit", "Huerta et al., arXiv 2503.20481, front end"),
    MNP_NUMBER_ROW("sm.branch.redirect", "cycle", branch_latency, "4", 0, 60,
                   "issue of a taken branch to the fetch of its target",
                   "GPGPU-Sim configurations, branch unit 4/4; microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW(
        "sm.predicate_latency", "cycle", predicate_latency, "13", 1, 60,
        "least issue to dependent branch of an instruction that writes predicates",
        "stall counts of compiled code: 12 for compute capability 7.5, 13 for 8.0 to 9.0; Huerta et al., artefact: 13"),
    MNP_NUMBER_ROW(
        "sm.cross_latency", "cycle", cross_latency, "0", 0, 1,
        "what a result takes longer from the multiply-add pipe (single precision, half, integer multiplication) to the "
        "integer pipe, and the other way",
        "stall counts of compiled code for compute capability 7.5 to 9.0: 4 within a pipe, 5 between them"),
    MNP_NUMBER_ROW("sm.barrier_latency", "cycle", barrier_latency, "8", 1, 60,
                   "last arrival at a CTA barrier to the first warp's release", "assumed"),
    MNP_NUMBER_ROW("sm.barrier_interval", "cycle", barrier_interval, "0", 0, 16,
                   "least time between the releases of two warps from a CTA barrier, in the order of their arrival; 0: "
                   "all at once",
                   "loops of barriers on an H100 and a V100 (hotneutron/amora): 2 cycles a warp; V100: 0.475 warps a "
                   "cycle (arXiv 2004.05371)"),
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
    CLASS("imad", MNP_CLASS_IMAD, "16", "4", "integer multiplication"),
    MNP_CHOICE_ROW("sm.imad.pipe", imad_pipe, "fp32", imad_pipes, "pipe that integer multiplications take",
                   "Nsight Compute documentation, pipelines: FMA, from Volta on"),
    MNP_NUMBER_ROW("sm.imad.wide", "time", imad_wide, "1", 1, 8,
                   "how many times as long as others a multiplication with a result of 64 bits keeps the pipe",
                   "cicuvc/nvidia-sass-document: 4 cycles for IMAD.WIDE, 2 for IMAD on H100, AD102, GB202; Huerta et "
                   "al., artefact: one more of issue on an RTX A6000"),
    MNP_FLAG_ROW(
        "sm.half.on_fp32", half_on_fp32, "false",
        "arithmetic of half precision takes the pipe of single precision, and HFMA2.MMA that of double precision; "
        "conversions to halves keep a pipe of their own",
        "NVIDIA developer forum, topic 302018: FP16x2 takes both FMA pipes on GA10x and GH100; HFMA2.MMA takes "
        "fma64lite (cicuvc/nvidia-sass-document)"),
    MNP_NUMBER_ROW("sm.special.source", "cycle/register", special_source, "0", 0, 8,
                   "least time for which an instruction of the special class keeps its pipe for each register that it "
                   "reads; 0: sm.special.lanes alone count",
                   "cicuvc/nvidia-sass-document: one warp shuffles every 2.0 cycles with one register and every 5.8 to "
                   "5.9 with three, on an H800 and an RTX 5090"),
    MNP_FLAG_ROW("sm.convert.on_sfu", convert_on_sfu, "true",
                 "conversions and bit counts take the special-function pipe",
                 "Nsight Compute documentation, pipelines: XU"),
    MNP_FLAG_ROW("sm.fp32.on_int", fp32_on_int, "false", "the integer pipe also takes single precision",
                 "NVIDIA Ampere GA102 whitepaper"),
    MNP_NUMBER_ROW("sm.tensor.fp64", "operation/cycle", tensor_fp64, "64", 1, 1024,
                   "multiplications with an addition of doubles that the matrix instructions of an SM make",
                   "NVIDIA A100 whitepaper: 19.5 of 312 TFLOP/s; H100 whitepaper: 128, twice the FP64 lanes"),
    MNP_FLAG_ROW("sm.fp64.shared", fp64_shared, "false", "fp64.lanes are shared by all sub-cores of the SM",
                 "NVIDIA Ampere GA102 whitepaper"),
    MNP_NUMBER_ROW("sm.memory.queue", "instruction", memory_queue, "5", 1, 16,
                   "memory instructions that a sub-core can hold before issue stalls",
                   "Huerta et al., arXiv 2503.20481, memory"),
    MNP_NUMBER_ROW(
        "sm.memory.front", "cycle", memory_front, "11", 1, 60,
        "issue to the first look-up: operand read and address generation",
        "Huerta et al., arXiv 2503.20481, table of issue cycles: the sixth memory instruction follows the first by 11"),
    MNP_NUMBER_ROW(
        "sm.memory.operand_latency", "cycle", operand_latency, "0", 0, 60,
        "what a result of the integer or the multiply-add pipe takes longer to a memory instruction that reads it, "
        "address or data",
        "stall counts of compiled code: 5 in place of 4 for compute capability 8.0 to 9.0, 8 for 7.5"),
    MNP_NUMBER_ROW("sm.memory.address_lanes", "lane", memory_lanes, "8", 1, 32,
                   "addresses generated per cycle and sub-core; for shared memory twice as many",
                   "Huerta et al., arXiv 2503.20481, memory; NVIDIA architecture whitepapers, LD/ST units"),
    MNP_SIZE_ROW("sm.memory.return", "byte", memory_return, "64", 16, 1024,
                 "bytes per cycle from the memory pipeline to a sub-core; from shared memory twice as many",
                 "Huerta et al., arXiv 2503.20481, table of memory latencies by width"),
    MNP_NUMBER_ROW("sm.memory.wavefront", "cycle", memory_wavefront, "1", 1, 3,
                   "for which each wavefront of a load's data, from shared memory or the L1, keeps the way back to its "
                   "sub-core; 1: no longer than it is read",
                   "1: as if it were free; Hopper: 2, a warp alone gets 0.5 wavefronts of data per cycle "
                   "(cicuvc/nvidia-sass-document)"),
    MNP_FLAG_ROW("sm.memory.posted", memory_posted, "true",
                 "a CTA ends when its stores are on their way, a kernel when they are answered; false: CTAs wait, too",
                 "CTAs of one warp that store and end follow one another as fast as empty ones, on a V100 to a GH200 "
                 "(RRZE-HPC/gpu-benches, gpu-stream)"),
    MNP_NUMBER_ROW("sm.memory.interval", "cycle", lsu_interval, "1", 1, 16,
                   "cycles between two instructions entering the memory pipeline of the SM",
                   "Huerta et al., arXiv 2503.20481, memory"),
    MNP_NUMBER_ROW("sm.memory.fill", "cycle", fill_latency, "4", 1, 60, "arrival of the last sector to dependent issue",
                   "assumed; part of latency.l2"),
    MNP_NUMBER_ROW("sm.memory.loads", "instruction", loads, "128", 1, 4096,
                   "memory instructions outstanding per SM (pending request table)",
                   "Huerta et al., arXiv 2503.20481, memory"),
    MNP_NUMBER_ROW("sm.memory.egress", "packet", egress, "8", 1, SM_PORT_MOST,
                   "requests waiting for the port to the GPC", "assumed"),
    MNP_SIZE_ROW("sm.shared.max", "byte", shared_max, "96KiB", 1024, 1 << 22, "shared memory per SM for CTAs",
                 "CUDA C++ programming guide, compute capabilities"),
    MNP_SIZE_ROW("sm.shared.reserved", "byte", shared_reserved, "1KiB", 0, 1 << 16, "taken by the system per CTA",
                 "CUDA C++ programming guide, compute capability 8.x"),
    MNP_SIZE_ROW("sm.shared.unit", "byte", shared_unit, "128", 1, 1 << 16,
                 "shared memory is given in multiples of this", "CUDA occupancy calculator"),
    MNP_LIST_ROW("sm.shared.options", "byte", shared_options, "[]", 0, 1 << 22,
                 "sizes that shared memory can have of the pool sm.l1d.size, of which the L1 is the rest; none: "
                 "sm.l1d.size is the L1 alone",
                 "CUDA C++ programming guide, compute capabilities"),
    MNP_NUMBER_ROW("sm.shared.banks", "bank", shared_banks, "32", 1, 64, "banks of four bytes",
                   "CUDA C++ programming guide, shared memory"),
    MNP_NUMBER_ROW("sm.constant.latency", "cycle", constant_latency, "29", 1, 4096, "LDC, hit",
                   "Huerta et al., arXiv 2503.20481, table of memory latencies"),
    MNP_CACHE_SIZE_PARAMETERS("sm.constant.", constant, "2KiB", 0, 1 << 20,
                              "constant cache of the SM, in lines of sm.l1i.line; 0: every load of constants hits",
                              "Huerta et al., artefact; Jia et al., arXiv 1804.06826", "8", 4096,
                              "associativity of the constant cache", "Huerta et al., artefact"),
    MNP_CACHE_POLICY_PARAMETERS("sm.constant.", constant, "assumed"),
    MNP_SIZE_ROW("sm.constant.granule", "byte", constant_granule, "4", 0, 4096,
                 "what the constant cache gives to lanes in one pass: a load takes a pass for each different multiple "
                 "of it that its lanes' addresses lie in; 0: one for all lanes",
                 "CUDA C++ programming guide, constant memory: as many requests as different addresses"),
    MNP_FLAG_ROW("sm.constant.preload", constant_preload, "false",
                 "the line with a kernel's parameters is in the constant cache when its first CTA starts",
                 "kernels on an H100 PCIe that wait for a parameter and end last as long as empty ones"),
    MNP_CACHE_SIZE_PARAMETERS("sm.l1d.", l1d, NULL, 128, 1 << 24, "L1 data cache", "vendor specification", NULL, 4096,
                              "associativity of the L1 data cache", "GPGPU-Sim configurations"),
    MNP_CACHE_POLICY_PARAMETERS("sm.l1d.", l1d, "assumed"),
    MNP_SIZE_ROW("sm.l1d.line", "byte", l1d_line, "128", 32, 128, "line of the L1 data cache",
                 "GPGPU-Sim configurations"),
    MNP_SIZE_ROW("sm.l1d.sector", "byte", l1d_sector, "32", 32, 32, "sector of the L1 data cache",
                 "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("sm.l1d.mshrs", "entry", l1d_mshrs, "384", 1, 4096, "lines with misses outstanding",
                   "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("sm.l1d.merge", "access", l1d_merge, "48", 1, 4096, "accesses that can wait for one line",
                   "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW(
        "sm.l1d.tags", "line", l1d_tags, "1", 1, SM_MAX_TAGS,
        "lines of an instruction that the L1 looks up per cycle, each in a set of its own modulo this; words that lie "
        "in one of the 32 banks of its data, but in different lines, take a cycle each",
        "NVIDIA developer forum, topic 273699: from Volta on 4 sets of 4 sectors per cycle"),
    MNP_NUMBER_ROW("sm.l1d.interval", "cycle", l1d_interval, "1", 1, 16,
                   "cycles that an instruction keeps the look-up, however few its lines",
                   "microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW("sm.l1d.together", "instruction", l1d_together, "1", 1, 16,
                   "instructions that keep the look-up for sm.l1d.interval together",
                   "microbenchmarks, see the machine file"),
    MNP_CHOICE_ROW(
        "sm.l1d.write", l1d_write, "around", write_policies,
        "stores go through to the L2; here they update a line, allocate one (its other bytes are fetched when they "
        "are read), or evict it",
        "GPGPU-Sim configurations, L1 data caches"),
    MNP_PART_ROW("sm.l1d.prefetcher", l1d_prefetcher, prefetcher, "none", no_part, sm_prefetchers, SM_PREFETCHER_PART,
                 true, "which lines are fetched before a load asks for them; none: no lines", "by choice"),
    MNP_NUMBER_ROW(
        "sm.l1d.written_share", "%", l1d_written_share, "0", 0, 100,
        "with sm.l1d.write = allocate: lines that have been written are replaced once they are this share of the L1, "
        "or all of their set; 0: as others",
        "GPGPU-Sim configurations, l1_cache_write_ratio: 25 for Volta, Turing and the H100, 0 for the A100"),
    MNP_NUMBER_ROW("sm.texture.latency", "cycle", texture_latency, "200", 8, 4096, "texture instruction",
                   "Accel-Sim configurations, texture unit 200/4"),
    MNP_NUMBER_ROW("sm.texture.interval", "cycle", texture_interval, "4", 1, 64, "cycles between two of an SM",
                   "Accel-Sim configurations, texture unit 200/4"),
    MNP_CACHE_SIZE_PARAMETERS("sm.l0i.", l0i, "32KiB", 0, 1 << 24,
                              "L0 instruction cache of a sub-core; 0: none, fetches look at the L1",
                              "Huerta et al., arXiv 2503.20481", "32", 4096, "associativity of an L0 instruction cache",
                              "Huerta et al., artefact: 8 sets of 32 lines (Ampere)"),
    MNP_CACHE_POLICY_PARAMETERS("sm.l0i.", l0i, "assumed"),
    MNP_NUMBER_ROW("sm.l0i.prefetch", "line", l0i_prefetch, "8", 0, 32,
                   "lines that the stream buffer of a sub-core fetches ahead of the last miss",
                   "Huerta et al., arXiv 2503.20481: eight fit best of 1 to 32"),
    MNP_NUMBER_ROW("sm.l0i.misses", "line", l0i_misses, "16", 1, 256,
                   "lines of code on their way to a sub-core, prefetches included", "assumed"),
    MNP_CACHE_SIZE_PARAMETERS("sm.l1i.", l1i, "128KiB", 0, 1 << 24,
                              "L1 instruction cache of the SM; 0: every fetch hits", "Huerta et al., arXiv 2503.20481",
                              "16", 4096, "associativity of the L1 instruction cache",
                              "GPGPU-Sim configurations, 64 sets of 16 lines"),
    MNP_CACHE_POLICY_PARAMETERS("sm.l1i.", l1i, "assumed"),
    MNP_SIZE_ROW("sm.l1i.line", "byte", l1i_line, "128", 32, 128, "line of the instruction caches, up to l2.line",
                 "GPGPU-Sim configurations"),
    MNP_NUMBER_ROW("sm.l1i.latency", "cycle", l1i_latency, "39", 1, 4096,
                   "cycles from an L0 to the L1 instruction cache, and as many back", "Huerta et al., artefact"),
    MNP_NUMBER_ROW("sm.l1i.misses", "line", l1i_misses, "32", 1, 256, "misses outstanding at the L1 instruction cache",
                   "assumed"),
    MNP_NUMBER_ROW("sm.start_latency", "cycle", start_latency, "20", 1, 4096, "arrival of a CTA to its first fetch",
                   "assumed"),
    MNP_NUMBER_ROW("sm.warp_interval", "cycle", warp_interval, "1", 0, 4096,
                   "cycles between the starts of two warps of a CTA", "assumed"),
    MNP_NUMBER_ROW("latency.l1", "cycle", latency_l1, NULL, 8, 4096, "L1 hit, issue to dependent issue",
                   "microbenchmarks, see the machine file"),
    MNP_NUMBER_ROW("latency.shared", "cycle", latency_shared, NULL, 8, 4096,
                   "shared memory without conflicts, issue to dependent issue",
                   "microbenchmarks, see the machine file"),
    MNP_FLAG_ROW("ideal.coalescing", ideal_coalescing, "false",
                 "a limit lifted: loads and stores of global memory take as few lines and sectors as their bytes fill",
                 "none: what no machine does"),
    MNP_FLAG_ROW("ideal.banks", ideal_banks, "false",
                 "a limit lifted: lanes' words of shared memory, those of atomics included, never share a bank",
                 "none: what no machine does"),
    MNP_FLAG_ROW("ideal.local", ideal_local, "false",
                 "a limit lifted: accesses to local memory take as long as those to registers",
                 "none: what no machine does"),
    MNP_FLAG_ROW("ideal.bypass", ideal_bypass, "false",
                 "a limit lifted: loads that ask to go past the L1 data cache go through it",
                 "none: what no machine does"),
    MNP_FLAG_ROW("ideal.fences", ideal_fences, "false",
                 "a limit lifted: fences wait for nothing, and the L1 keeps what it holds",
                 "none: what no machine does"),
#define SM_STAGE_PARAMETER(FIELD, ROW) ROW,
#include "gpu/sm/stages/rows.h"
};

static const struct mnp_port ports[] = {
#define SM_STAGE_PORT(NUMBER, ROW) [NUMBER] = ROW,
#include "gpu/sm/stages/rows.h"
};

static const struct mnp_state_field state[] = {
    MNP_STATE_ROW("subcore", "", "per sub-core: what holds back each warp, timers, pipes, issue slots counted"),
    MNP_STATE_ROW("warps", "", "instruction buffers, place in the stream, accesses outstanding"),
    MNP_STATE_ROW("ctas", "", "CTAs resident: live warps, barrier arrivals"),
    MNP_STATE_ROW("register_ready", "",
                  "per warp and register: the cycle in which it can be read, and the pipe that writes it"),
    MNP_STATE_ROW("readers", "", "per warp and register: instructions that have still to read it"),
    MNP_STATE_ROW("control", "", "per warp: dependence counters, and when they fall"),
    MNP_STATE_ROW("queue", "", "memory instructions between issue and the memory pipeline"),
    MNP_STATE_ROW("loads", "", "pending request table"),
    MNP_STATE_ROW("mshrs", "", "lines with misses outstanding, and the accesses that wait for them"),
    MNP_STATE_ROW("live", "",
                  "of executed programs: accesses under way to the L2 with their values, what fences wait for"),
    MNP_STATE_ROW("egress", "packet", "requests that wait for the port to the GPC"),
    MNP_STATE_ROW("line_requests", "",
                  "lines of code asked of the L1 instruction cache, coming from it, or missed by it"),
    MNP_STATE_ROW("l0i", "", "tags and replacement state of the L0 instruction caches"),
    MNP_STATE_ROW("l1i", "", "tags and replacement state of the L1 instruction cache"),
    MNP_STATE_ROW("constants", "", "tags and replacement state of the constant cache"),
    MNP_STATE_ROW("l1d", "", "tags, sectors and replacement state of the L1 data cache"),
#define SM_STAGE_STATE_ROW(ROW) ROW,
#include "gpu/sm/stages/rows.h"
};

const struct mnp_model sm_model = {
    .name = "sm",
    .summary = "Streaming multiprocessor: sub-cores, scoreboard, execution classes, memory pipeline, L1 data cache",
    MNP_PARAMETERS(parameters),
    MNP_PORTS(ports),
    MNP_STATISTICS(sm_statistics),
    MNP_STATE(state),
    .lay_out = sm_lay_out,
    .freeze = sm_freeze,
    .advance = sm_advance,
    .report = sm_report,
    .pace = sm_pace,
};
