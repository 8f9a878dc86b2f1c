#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Microbenchmarks beside measurements of silicon: cycles, error, and what bounds each row.

Usage: microbenchmarks.py BUILD MEASUREMENTS.csv [--machine NAME] [--only l1_lat,…] [--threads N] [--keep FOLDER]
MEASUREMENTS.csv has the columns app (the program and its arguments), hw_gpc_cycles, and possibly hw_warp_insts: what
Nsight Compute counted on the machine, summed over the kernels of the program; each program here has one kernel. Its
cycles are those of the GPC clock from the launch to the end, so the launch latency of the machine file is in them.
The traces are generated with the mixes of instructions that the compiler makes of the same programs.
"""
import argparse, csv, json, os, subprocess, tempfile

MACHINES = {  # by the first word of the file's name: machine, SMs, bytes of L2 that the driver reports, architecture
    "v100": ("v100", 80, 6 << 20, 70),
    "a100": ("a100", 108, 40 << 20, 80),
    "h100": ("h100-nvl", 132, 60 << 20, 90),  # its mem_lat took as long as on the H200, which reports 60 MiB
    "h200": ("h200", 132, 60 << 20, 90),
}
# MHz of core, network and L2 where they are not the machine file's: the base clock, at which Nsight Compute holds a board (docs/lab/validation.md says why).
CLOCKS = {"h100": 1080, "a100": 1065}
PROGRAMS = ["l1_lat", "l2_lat", "mem_lat", "shared_lat", "l1_bw_32f", "l1_bw_64f", "l1_bw_128", "l1_bw_32f_unroll",
            "l1_bw_32f_unroll_large", "l2_bw_32f", "l2_bw_64f", "mem_bw", "shared_bw", "l1_shared_bw",
            "shared_bank_conflicts", "MaxIops_int32"]


def words_of(app, sms, l2, architecture):
    """What maniple-tracegen is to make of a row: a kind and its keys."""
    program, _, argument = app.partition("/")
    settings = [f"arch={architecture}", "compress=zst"]
    if program in ("l2_bw_32f", "l2_bw_64f", "mem_bw"):
        settings.append(f"sms={sms}")
    if program in ("mem_lat", "mem_bw"):
        settings.append(f"l2={l2}")
    if program == "shared_lat" and not 75 <= architecture < 90:
        settings.append("repeat=2048")  # as its source says; the A100's count of instructions says 4096
    if program == "shared_bank_conflicts":
        settings.append("option=" + ("conflicts" if argument == "1" else "padded"))
    return [program] + settings


def settings_of(kind):
    return [f"clock.{name}={CLOCKS[kind]}MHz" for name in ("core", "noc", "l2")] if kind in CLOCKS else []


def generate(build, folder, app, sms, l2, architecture):
    """Writes the trace of a row; returns its warp instructions."""
    program, *settings = words_of(app, sms, l2, architecture)
    out = subprocess.run([f"{build}/maniple-tracegen", program, folder] + settings, check=True, capture_output=True)
    return int(out.stdout.split()[-3])


def bound(s, cycles, sms):
    """What a row is bound by: the unit that is busy most of the time, or else what warps wait for."""
    def value(name):
        found = s[name]["value"] if name in s else 0
        return found if isinstance(found, (int, float)) else 0

    busy_sms = min(sms, value("sm_ctas")) or 1
    slots = value("issue_slots") - value("issue_slots_idle") or 1
    shares = {
        "issue": value("issue_slots_issued") / (4 * cycles * busy_sms),
        "integer pipe": value("instructions_int") * 2 / (4 * cycles * busy_sms),  # 16 lanes
        "multiply pipe": value("instructions_imad") * 2 / (4 * cycles * busy_sms),
        "shared memory": (value("shared_accesses") + value("shared_conflict_cycles")) / (cycles * busy_sms),
        "L1": value("L1D_total_cache_accesses") / 4 / (cycles * busy_sms),
    }
    for name, row in s.items():
        if name.endswith("_utilisation") or name.endswith("_utilization"):
            shares[name] = row["value"] / 100 if row["unit"] == "%" else row["value"]
    unit, share = max(shares.items(), key=lambda item: item[1])
    if share > 0.6:
        return f"{unit} {100 * share:.0f} %"
    waits = {name[12:]: value(name) / slots for name in s if name.startswith("issue_slots_") and name[12:] not in ("issued", "idle")}
    wait, part = max(waits.items(), key=lambda item: item[1])
    return f"{wait} {100 * part:.0f} % of slots (busiest: {unit} {100 * share:.0f} %)"


def simulate(build, machine, folder, threads, extra):
    out = subprocess.run([f"{build}/maniple", "run", "-q", "--threads", str(threads), "--machine", machine, "--format",
                          "json"] + extra + [f"{folder}/kernelslist.g"], check=True, capture_output=True).stdout
    return json.loads(out)["total"]["statistics"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build")
    parser.add_argument("measurements")
    parser.add_argument("--machine")
    parser.add_argument("--only", default="")
    parser.add_argument("--skip", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--keep", help="a folder whose traces are made once and used again")
    parser.add_argument("--set", action="append", default=[], help="as for maniple run")
    options = parser.parse_args()
    kind = os.path.basename(options.measurements).split("-")[0]
    machine, sms, l2, architecture = MACHINES[kind]
    machine = options.machine or machine
    stated = settings_of(kind) if machine == MACHINES[kind][0] else []
    extra = [word for setting in stated + options.set for word in ("--set", setting)]
    only = [name for name in options.only.split(",") if name]
    errors = []
    print(f"{'program':24} {'warp instructions':>17} {'off by':>7} {'measured':>10} {'simulated':>10} {'error':>8}  bound by")
    with tempfile.TemporaryDirectory() as scratch:
        for row in csv.DictReader(open(options.measurements)):
            program, _, argument = row["app"].partition("/")
            if program not in PROGRAMS or (only and program not in only) or program in options.skip.split(","):
                continue
            name = program + (argument if program == "shared_bank_conflicts" else "")
            folder = os.path.join(options.keep or scratch, f"{kind}-{name}")
            counted = os.path.join(folder, "instructions")
            if not os.path.exists(counted):
                count = generate(options.build, folder, row["app"], sms, l2, architecture)
                open(counted, "w").write(str(count))
            count = int(open(counted).read())
            s = simulate(options.build, machine, folder, options.threads, extra)
            cycles, measured = s["gpu_sim_cycle"]["value"], float(row["hw_gpc_cycles"])
            off = count / float(row["hw_warp_insts"]) - 1 if row.get("hw_warp_insts") else None
            error = cycles / measured - 1
            errors.append(abs(error))
            shown = f"{100 * off:6.1f}%" if off is not None else ""
            print(f"{name:24} {count:17} {shown:>7} {measured:10.0f} {cycles:10} {100 * error:7.1f}%  "
                  f"{bound(s, cycles, sms)}", flush=True)
    print(f"{machine}: {len(errors)} rows, mean absolute error {100 * sum(errors) / len(errors):.1f} %, "
          f"largest {100 * max(errors):.1f} %")


if __name__ == "__main__":
    main()
