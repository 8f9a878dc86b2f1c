#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Counts on real traces whose answers are known from outside (the tracer, Accel-Sim). Usage: counts.sh MANIPLE FOLDER
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
real=$2

# counts TRACE MACHINE NAME=VALUE…: statistics of the whole run.
counts() {
    local trace=$1 machine=$2 expected
    shift 2
    if [ ! -e "$real/$trace/kernelslist.g" ]; then
        skip "$trace" "the real traces are not at hand"
        return
    fi
    "$maniple" run -q --machine "$machine" --format json "$real/$trace/kernelslist.g" >"$tap_folder/$trace.json"
    ok $? "$trace runs on $machine"
    for expected in "$@"; do
        python3 - "$tap_folder/$trace.json" "$expected" <<'PYTHON'
import json, sys
name, value = sys.argv[2].split("=")
results = json.load(open(sys.argv[1]))
kernels = results["kernels"]  # fetches of code, which Accel-Sim's configuration does not have, count as the machine's
got = len(kernels) if name == "kernels" else sum(k["statistics"][name]["value"] for k in kernels)
low, high = (value.split("..") + [value])[:2]
print(f"# {name} is {got}")
sys.exit(not int(low) <= got <= int(high))
PYTHON
        ok $? "$trace: $expected"
    done
}

counts bfs-rodinia-2.0-ft rtx3070 kernels=16 gpgpu_n_tot_w_icount=159509 gpu_sim_insn=1280630 \
    L1D_total_cache_accesses=90629 total_dram_reads=4843..5141
counts vectoradd-50000 rtx3070 kernels=1 gpgpu_n_tot_w_icount=26601 gpu_sim_insn=801056 \
    L1D_total_cache_accesses=18750 L2_total_cache_accesses=18750 total_dram_reads=12500
counts simtune-ffmakernel-1-32-10 h100-pcie gpgpu_n_tot_w_icount=1328 gpu_sim_insn=42432
counts simtune-ffmakernel-1-32-20 h100-pcie gpgpu_n_tot_w_icount=2648 gpu_sim_insn=84672

# Ten more iterations of ffmakernel took 5,205 cycles on an H100 PCIe.
if [ -e "$tap_folder/simtune-ffmakernel-1-32-20.json" ]; then
    python3 - "$tap_folder"/simtune-ffmakernel-1-32-{10,20}.json <<'PYTHON'
import json, sys
short, long = (json.load(open(path))["total"]["statistics"]["gpu_sim_cycle"]["value"] for path in sys.argv[1:])
print(f"# {long - short} cycles")
sys.exit(not 5205 * 0.97 <= long - short <= 5205 * 1.03)
PYTHON
    ok $? "ffmakernel: ten iterations within 3 % of silicon"
else
    skip "ffmakernel against silicon" "the real traces are not at hand"
fi
tap_end
