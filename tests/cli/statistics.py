#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Statistics that must agree with one another, with the machine and with what a trace is known to do.
Usage: statistics.py MANIPLE TRACEGEN"""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from tap import finish, ok  # noqa: E402  pylint: disable=wrong-import-position

maniple, tracegen = sys.argv[1:3]


def run(folder, kind, *keys, machine="rtx3070", options=()):
    trace = f"{folder}/{kind}{len(keys)}"
    subprocess.run([tracegen, kind, trace, *keys], check=True, stdout=subprocess.DEVNULL)
    text = subprocess.run([maniple, "run", "-q", "--machine", machine, "--format", "json", *options,
                           f"{trace}/kernelslist.g"], check=True, capture_output=True).stdout
    return json.loads(text)


def values(statistics):
    return {name: each["value"] for name, each in statistics.items() if not name.endswith("_per_unit")}


def sum_of(all_values, prefix):
    return sum(value for name, value in all_values.items() if name.startswith(prefix))


def check_sums(name, s):
    ok(s["L1D_read_accesses"] == s["L1D_read_hits"] + s["L1D_total_cache_misses"] + s["L1D_total_cache_pending_hits"],
       f"{name}: sectors read in L1D hit, miss or are on their way")
    ok(s["L1D_total_cache_reservation_fails"] == sum_of(s, "L1D_fails_"), f"{name}: reasons of L1D's fails add up")
    ok(s["L2_total_cache_reservation_fails"] == sum_of(s, "L2_fails_"), f"{name}: reasons of the L2's fails add up")
    ok(sum(s["L2_latency"]) == s["icnt_total_pkts_mem_to_simt"], f"{name}: every reply of the L2 has a latency")
    ok(sum(s["dram_latency"]) == s["total_dram_reads"] + s["dram_fetches"], f"{name}: every read of DRAM has a latency")
    sectors = s["total_dram_reads"] + s["dram_fetches"] + s["total_dram_writes"]
    ok(s["dram_bytes"] == 32 * sectors, f"{name}: bytes of DRAM")
    ok(s["noc_sm_to_gpc_bytes"] >= s["noc_gpc_to_partition_bytes"] and # a GPC answers for code that it holds
       s["noc_partition_to_gpc_bytes"] <= s["noc_gpc_to_sm_bytes"], f"{name}: what enters the network leaves it")
    shares = {key: s[key] for key in s if key.endswith("_utilisation")}
    ok(all(0 <= share <= 100 for share in shares.values()), f"{name}: no link moves more than its width allows", shares)


def check_machine(name, s, machine):
    cycles, sms = s["gpu_sim_cycle"], machine["sm"]["count"]
    ok(s["issue_slots"] == sum_of(s, "issue_slots_"), f"{name}: classes of issue slots add up")
    ok(s["sm_cycles"] == cycles * sms, f"{name}: cycles of all SMs")
    ok(s["noc_sm_to_gpc_peak_bytes"] == cycles * sms * machine["noc"]["request_width"], f"{name}: peak of the SMs' ports")
    ok(s["noc_gpc_to_sm_peak_bytes"] == cycles * sms * machine["noc"]["reply_width"], f"{name}: peak towards the SMs")
    dram = cycles * machine["clock"]["dram"] / machine["clock"]["core"]
    ok(abs(s["dram_cycles"] - dram * machine["partition"]["count"]) <= machine["partition"]["count"],
       f"{name}: DRAM cycles of the kernel's time")


with tempfile.TemporaryDirectory() as folder:
    for kind in ("matmul", "gather", "atomics"):
        results = run(folder, kind)
        for kernel in results["kernels"]:
            check_sums(f"{kind} {kernel['id']}", values(kernel["statistics"]))
            check_machine(f"{kind} {kernel['id']}", values(kernel["statistics"]), results["machine"])
        total = values(results["total"]["statistics"])
        check_sums(f"{kind} in all", total)
        ok(total["issue_slots"] == total["sm_cycles"] * results["machine"]["sm"]["subcores"] == sum_of(total, "issue_slots_"),
           f"{kind}: all issue slots of the run are accounted for")

    results = run(folder, "vectoradd")
    s = values(results["kernels"][0]["statistics"])
    lines = 3 * 16384 * 4 // 128
    ok(s["L2_lines_touched"] == lines, "vectoradd touches each line of its vectors, counted exactly", s["L2_lines_touched"])
    ok(s["dram_utilisation"] > 0 and s["gpc_reply_utilisation"] > 0, "utilisation inside a kernel is not 0")
    results = run(folder, "vectoradd", "n=262144", machine="v100")
    touched = values(results["kernels"][0]["statistics"])["L2_lines_touched"]
    lines *= 16
    ok(abs(touched - lines) <= lines * 0.05, "many lines are estimated within 5 %", touched, lines)

    # Streams: the sums of their kernels.
    results = run(folder, "multi", "streams=3", "kernels=7")
    ok([(each["stream"], each["kernels"]) for each in results["streams"]] == [(0, 3), (1, 2), (2, 2)] or
       sorted(each["kernels"] for each in results["streams"]) == [2, 2, 3], "each stream has its kernels")
    for each in results["streams"]:
        mine = [values(kernel["statistics"]) for kernel in results["kernels"] if kernel["stream"] == each["stream"]]
        sums = values(each["statistics"])
        ok(all(sums[name] == sum(kernel[name] for kernel in mine) for name in sums
               if isinstance(sums[name], int) and name != "noc_busiest_link"), f"stream {each['stream']} is a sum")

    # The lines that scripts for Accel-Sim look for, with its accumulation.
    text = subprocess.run([maniple, "run", "-q", "--machine", "a100", "--format", "gpgpusim",
                           f"{folder}/multi2/kernelslist.g"], check=True, capture_output=True, text=True).stdout
    wanted = ["gpu_tot_sim_insn", "gpu_tot_sim_cycle", "gpgpu_n_tot_w_icount", "total dram reads", "total dram writes",
              "kernel_launch_uid", "gpu_ipc", "gpu_tot_ipc", "gpgpu_simulation_rate", "gpgpu_simulation_time"]
    wanted += [f"{cache}_stats_breakdown\\[GLOBAL_ACC_{access}\\]\\[{outcome}\\]"
               for cache in ("\tL2_cache", "\tTotal_core_cache") for access in "RW" for outcome in ("HIT", "TOTAL_ACCESS")]
    wanted += [r"\tTotal_core_cache_stats_breakdown\[GLOBAL_ACC_R\]\[MSHR_HIT\]"]
    for name in wanted:
        ok(re.search(f"^{name}\\s*=\\s*[0-9]", text, re.MULTILINE), f"GPGPU-Sim's line {name.strip()}")
    for pattern in (r"gpu_occupancy\s*=\s*(.*)%", r"L2_BW\s*=\s*(.*)+GB\/Sec", r"gpgpu_silicon_slowdown\s*=\s*(.*)x"):
        ok(re.search(f"^{pattern}", text, re.MULTILINE), f"GPGPU-Sim's line {pattern}")
    insns = [int(each) for each in re.findall(r"^gpu_sim_insn = (\d+)", text, re.MULTILINE)]
    totals = [int(each) for each in re.findall(r"^gpu_tot_sim_insn = (\d+)", text, re.MULTILINE)]
    ok(len(insns) == 7 and totals == list(itertools.accumulate(insns)), "totals so far accumulate kernel by kernel")

    # Over time: cut at simulated times, so that nothing about the host shows, and nothing is lost between two cuts.
    plain = run(folder, "multi")["total"]
    samples = set()
    for options in (["--threads", "1"], ["--threads", "2", "--window", "3"], ["--no-skip", "--threads", "1"],
                    ["--executor", "lockstep"]):
        sampled = run(folder, "multi",
                      options=["--sample", "997cycles", "--sample-statistics", "*", *options])
        samples.add(json.dumps(sampled["samples"]))
        ok(sampled["total"] == plain, f"samples change no result ({' '.join(options)})")
    ok(len(samples) == 1, "samples are the same for any threads, windows and executor")
    over_time, total = sampled["samples"], values(plain["statistics"])
    cycles, end = over_time["cycles"], over_time["cycles"][-1]
    ok(cycles == list(range(997, end, 997)) + [end], "samples are taken at multiples of the interval, and at the end")
    ok(end == total["gpu_sim_cycle"], f"the last interval ends with the run, not with an epoch: {end}, {total['gpu_sim_cycle']}")
    for name in ("gpu_sim_insn", "issue_slots", "L1D_total_cache_accesses", "L2_requests", "total_dram_reads",
                 "sm_cycles", "dram_cycles", "noc_gpc_to_sm_bytes"):
        ok(sum(over_time["statistics"][name]["value"]) == total[name], f"samples of {name} add up to the total")
    insns, ipcs = (over_time["statistics"][name]["value"] for name in ("gpu_sim_insn", "gpu_ipc"))
    ok(abs(ipcs[7] - insns[7] / 997) < 1e-6, "a sampled ratio is that of its interval")

    # Bounded: more intervals than are kept are joined two by two, and nothing is lost.
    long = run(folder, "chase", "loads=2048", options=["--sample", "1", "--sample-statistics", "gpu_sim_insn"])
    over_time, cycles = long["samples"], long["samples"]["cycles"]
    ok(len(cycles) <= 65536 < cycles[-1] and over_time["interval"] > 1 and
       all(cycle % over_time["interval"] == 0 for cycle in cycles[:-1]), "intervals are joined when there are too many")
    ok(sum(over_time["statistics"]["gpu_sim_insn"]["value"]) == values(long["total"]["statistics"])["gpu_sim_insn"],
       "joined intervals still add up to the total")

sys.exit(finish())
