/* SPDX-License-Identifier: BSD-3-Clause */
/* The rules: function, name, the fault in a few words, whether it is one of the run, what lifts the limit, what
 * instructions are blamed by, and the remedy. The includer defines RESULTS_RULE, RESULTS_LOADS for rules that blame
 * loads by the waits for their data, and where nothing waits by the sectors that they move, and RESULTS_CONSTANTS for
 * those that blame loads of constants at an address of the lane. */
RESULTS_RULE(
    results_rule_copies, "copies", "copies and fills by the host", true,
    "host.copy.latency=0 host.copy.rate=100000000 host.fill.latency=0 host.fill.rate=1000000000 host.call=1", NULL,
    "keep data on the device between kernels; copy from pinned memory beside kernels (streams), once in place of "
    "often; no fill of what a kernel writes anyway")
RESULTS_RULE(
    results_rule_launches, "launches", "short launches", true,
    "launch.kernel=1 launch.first=0 launch.gap=0 host.call=1", NULL,
    "fewer and longer kernels (fusion, persistent CTAs), which is what is measured; a CUDA graph where the same "
    "launches come many times, since its capture costs a call for each of them; streams side by side")
RESULTS_RULE(results_rule_one_stream, "one-stream", "small kernels one after another", true, NULL, NULL,
             "kernels that need nothing of one another in streams of their own, or as branches of a CUDA graph")
RESULTS_RULE(results_rule_calls, "host-calls", "calls of the host", true, "host.call=1", NULL,
             "fewer calls that wait: larger copies, work queued ahead of time")
RESULTS_RULE(results_rule_few_ctas, "few-ctas", "fewer CTAs than SMs", false, NULL, "",
             "CTAs for all SMs, whose threads share out the work (a piece of each loop or sum); the same threads in "
             "more CTAs gain where they take turns; where they wait for memory, loads that do not wait for one another")
RESULTS_RULE(results_rule_tail, "tail", "the last CTAs leave SMs idle", false, NULL, "",
             "a grid that fills all SMs evenly: whole waves of CTAs, or persistent CTAs that take their work in turn")
RESULTS_RULE(results_rule_imbalance, "imbalance", "CTAs of unequal length", false, NULL, "",
             "CTAs of equal work, longest first; or persistent CTAs that take their work in turn")
RESULTS_RULE(results_rule_registers, "occupancy-registers", "registers limit the warps of an SM", false,
             "sm.registers=1048576", NULL,
             "fewer registers per thread: __launch_bounds__, smaller tiles, shorter lives")
RESULTS_RULE(results_rule_shared, "occupancy-shared", "shared memory limits the warps of an SM", false, NULL, NULL,
             "less shared memory per CTA, or more threads that share it")
RESULTS_RULE(results_rule_slots, "occupancy-slots", "small CTAs fill the SM's slots", false, "sm.ctas=64", "",
             "CTAs of 128 to 256 threads")
RESULTS_RULE(results_rule_coalescing, "coalescing", "uncoalesced accesses to global memory", false,
             "ideal.coalescing=true", "sectors * 1.0 / max(issues, 1) * sectors",
             "neighbouring lanes access neighbouring words: structures of arrays, transposition through shared memory")
RESULTS_RULE(results_rule_local, "local-memory", "accesses to local memory", false, "ideal.local=true",
             "(text LIKE '%local%' OR text LIKE '%LDL%' OR text LIKE '%STL%') * (issues + memory)",
             "indices known when compiled (unrolled loops), which saves the work on addresses, too; more registers per "
             "thread, smaller arrays")
RESULTS_RULE(results_rule_l1_bypass, "l1-bypass", "loads of the same data go past the L1", false, "ideal.bypass=true",
             RESULTS_LOADS,
             "loads through the L1: __ldca or no cache operator, no volatile; data kept in shared memory")
RESULTS_RULE(results_rule_l1_capacity, "l1-capacity", "data leaves the L1 before it is used again", false, NULL,
             RESULTS_LOADS, "smaller working sets per SM: blocking, fewer warps at a time; less shared memory")
RESULTS_RULE(results_rule_l2_capacity, "l2-capacity", "data leaves the L2 before it is used again", false, NULL,
             RESULTS_LOADS, "blocking for the L2: all passes over one piece of the data before the next piece")
RESULTS_RULE(results_rule_atomics, "atomics", "atomics to few places of global memory", false, NULL,
             "(text LIKE '%atom%' OR text LIKE '%red%' OR text LIKE '%RED%') * (issues + memory + ready)",
             "combine in registers or shared memory first, one atomic per CTA; counters in sectors of their own")
RESULTS_RULE(results_rule_camping, "partition-camping", "accesses meet in one slice of the L2", false, "l2.hash=ipoly",
             RESULTS_LOADS, "pad rows, so that accesses of a time spread over slices; copies of data that all read")
RESULTS_RULE(results_rule_dram_rows, "dram-rows", "DRAM opens a row for few bytes", false, NULL, RESULTS_LOADS,
             "neighbouring CTAs access neighbouring rows of memory; whole lines per access")
RESULTS_RULE(results_rule_narrow, "narrow-accesses", "accesses of few bytes a lane", false, NULL, "memory + ready",
             "vectors of 8 or 16 bytes a lane (float4), fewer accesses")
RESULTS_RULE(
    results_rule_banks, "banks", "bank conflicts in shared memory", false, "ideal.banks=true", "conflicts",
    "pad rows of tiles by one word, or by as many as their widest access has, which must stay aligned; or permute "
    "their columns (swizzle); where atomics conflict, counters for each warp")
RESULTS_RULE(results_rule_shared_atomics, "shared-atomics", "atomics to few words of shared memory", false,
             "ideal.banks=true", "conflicts", "counters of their own for each warp or lane; combine in registers first")
RESULTS_RULE(results_rule_divergence, "divergence", "lanes of a warp go different ways", false, NULL,
             "(32 - lanes * 1.0 / max(issues, 1)) * issues",
             "branches by warp in place of lane; sort work so that the lanes of a warp have the same")
RESULTS_RULE(results_rule_partial_warps, "partial-warps", "CTAs that do not fill their warps", false, NULL, "",
             "CTAs of a multiple of 32 threads")
RESULTS_RULE(results_rule_double, "double", "double precision on few units", false, NULL,
             "(text LIKE '%f64%' OR text LIKE 'D%') * (issues + ready + result)",
             "single precision where the numbers allow that (literals: 1.0f); a machine with more units for FP64")
RESULTS_RULE(results_rule_special, "special-functions", "special functions on few units", false,
             "sm.sfu.lanes=32 sm.sfu.latency=4", "ready + result",
             "fewer of them: polynomials, tables, out of loops; __powf, __sinf (-use_fast_math) where precise ones are "
             "not needed")
RESULTS_RULE(
    results_rule_precise, "precise-functions", "precise functions of single precision", false, NULL, "issues",
    "__powf, __sinf, __expf and so on, or -use_fast_math, where their last bits are not needed; functions out of loops")
RESULTS_RULE(results_rule_conversions, "conversions", "conversions on few units", false,
             "sm.convert.lanes=32 sm.convert.latency=4 sm.convert.on_sfu=false",
             "(text LIKE '%cvt%' OR text LIKE '%2F%' OR text LIKE '%F2%') * (issues + ready + result)",
             "one type throughout a loop; conversions out of loops")
RESULTS_RULE(results_rule_division, "integer-division", "divisions of integers", false, NULL,
             "(text LIKE 'div.%' OR text LIKE 'rem.%' OR text LIKE 'I2F%RP%') * (issues + ready + result)",
             "divisors known when compiled, or powers of two (masks, shifts); a reciprocal worked out once; indices "
             "counted on in place of divided")
RESULTS_RULE(results_rule_dependence, "dependence", "instructions wait for one another's results", false,
             "sm.fp32.latency=1 sm.int.latency=1 sm.imad.latency=1 sm.half.latency=1 sm.cross_latency=0", "result",
             "independent instructions between dependent ones: several sums, unrolling; more warps")
RESULTS_RULE(results_rule_latency, "memory-latency", "too few loads under way", false, NULL, "awaited",
             "independent loads early (unrolling), more warps per SM, asynchronous copies")
RESULTS_RULE(results_rule_few_warps, "few-warps", "a grid of too few warps to hide waits for memory", false, NULL,
             "awaited",
             "more CTAs, whose threads share out the work (a piece of each loop or sum, added up at the end); or "
             "several loads of each thread that do not wait for one another (unrolling)")
RESULTS_RULE(results_rule_barriers, "barriers", "warps wait for one another", false,
             "sm.barrier_latency=1 sm.barrier_interval=0", "barrier",
             "fewer barriers, smaller CTAs with several to an SM, warp-level synchronisation")
RESULTS_RULE(results_rule_fences, "fences", "fences or waits for asynchronous copies hold warps", false, NULL, "fence",
             "one fence for many stores (behind a loop, not in it), none where nobody waits for them; more stages of "
             "asynchronous copies")
RESULTS_RULE(results_rule_instruction_cache, "instruction-cache", "code larger than the instruction caches", false,
             "sm.l1i.size=0", "fetch", "less unrolling and inlining: loops that fit into the instruction caches")
RESULTS_RULE(results_rule_cold_code, "cold-code", "code that is fetched for the first time", false, "sm.l1i.size=0",
             "fetch", "warm up: time a later launch; fewer launches of more work each")
RESULTS_RULE(results_rule_branches, "branches", "short loops wait for their branches", false, "sm.branch.redirect=0",
             "fetch", "unroll short loops; predication in place of short branches")
RESULTS_RULE(results_rule_constants, "constants", "constants larger than their cache", false, "sm.constant.size=0",
             "memory", "tables in global or shared memory; constants for what all lanes read at a time")
RESULTS_RULE(results_rule_divergent_constants, "divergent-constants", "lanes load different constants", false,
             "sm.constant.granule=0", RESULTS_CONSTANTS "(issues + memory + result + ready)",
             "tables in shared or global memory; constants for what all lanes read at a time")
RESULTS_RULE(results_rule_operands, "register-banks", "register reads hold instructions back", false,
             "sm.operands=none", NULL, "another order of operands: the compiler's task; fewer operands of three")
RESULTS_RULE(results_rule_tensor, "tensor-cores", "a product of matrices without tensor cores", false, NULL, "issues",
             "mma, wmma or CUTLASS, in half precision or TF32, where the numbers allow that")
RESULTS_RULE(results_rule_remote_shared, "remote-shared", "waits for the shared memory of other SMs", false,
             "latency.sm_to_sm=1", "memory", "larger pieces, sent before they are needed; data kept in the own SM")
RESULTS_RULE(results_rule_small_copies, "small-bulk-copies", "many small asynchronous copies", false,
             "sm.tma.command=1", "barrier", "larger boxes: a copy per tile in place of one per row")
