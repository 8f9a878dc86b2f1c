#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Empty kernels against an H100 PCIe: cycles of generated traces beside the measured ones.

Usage: empty_kernels.py BUILD KERNELS.csv [--threads 32,256,1024] [--blocks-up-to 16384]
KERNELS.csv has the columns suite, benchmark, core_mhz, block, thread, duration_in_core_cycles. Both the launch latency and
the life of a CTA in the machine file come from a few of these rows, so the table says how far one mechanism carries, not
how well an unseen kernel is predicted.
"""
import argparse, csv, json, os, subprocess, tempfile


def simulate(build, blocks, threads, folder):
    subprocess.run([f"{build}/maniple-tracegen", "empty", folder, f"blocks={blocks}", f"threads={threads}", "arch=90"],
                   check=True, stdout=subprocess.DEVNULL)
    # Code has come through the L2 when it was loaded.
    out = subprocess.run([f"{build}/maniple", "run", "-q", "--machine", "h100-pcie", "--set", "memcpy_warms_l2=true",
                          "--format", "json", f"{folder}/kernelslist.g"], check=True, capture_output=True).stdout
    return json.loads(out)["total"]["statistics"]["gpu_sim_cycle"]["value"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("kernels")
    parser.add_argument("--threads", default="16,32,64,128,256,512,768,1024")
    parser.add_argument("--blocks-up-to", type=int, default=16384)
    options = parser.parse_args()
    threads = [int(t) for t in options.threads.split(",")]
    measured = {(int(r["block"]), int(r["thread"])): float(r["duration_in_core_cycles"])
                for r in csv.DictReader(open(options.kernels))
                if r["benchmark"] == "emptykernel" and r["core_mhz"] == "1755"}
    rows = sorted(k for k in measured if k[1] in threads and k[0] <= options.blocks_up_to)
    errors = []
    print(f"{'blocks':>7} {'threads':>7} {'measured':>9} {'simulated':>9} {'error':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for blocks, per_block in rows:
            got = simulate(options.build, blocks, per_block, os.path.join(folder, "trace"))
            error = got / measured[blocks, per_block] - 1
            errors.append(abs(error))
            print(f"{blocks:7} {per_block:7} {measured[blocks, per_block]:9.0f} {got:9} {100 * error:7.1f}%")
    print(f"{len(errors)} rows, mean absolute error {100 * sum(errors) / len(errors):.1f} %, largest {100 * max(errors):.1f} %")


main()
