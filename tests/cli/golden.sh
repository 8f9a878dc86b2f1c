#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Cycles and final state hashes of generated traces, written down in golden.txt. Every compiler and optimisation level
# runs this test, so they all agree with one another. A change of a model changes the file: golden.sh … --update.
# Usage: golden.sh MANIPLE TRACEGEN [--update]
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
golden=$(dirname "$(realpath "$0")")/golden.txt
work=$tap_folder

for kind in vectoradd matmul reduction chase gather atomics mix fma stream multi; do
    "$tracegen" "$kind" "$work/$kind" >/dev/null || exit 1
    for machine in v100 rtx2060 rtx3070 rtx3080ti a100 h100-pcie h200; do
        "$maniple" run -q --machine "$machine" --format gpgpusim -o "$work/run" "$work/$kind/kernelslist.g" >"$work/lines"
        cycles=$(sed -n 's/^gpu_tot_sim_cycle = //p' "$work/lines" | tail -1)
        hash=$(sed -n 's/^ *"hash": "\([0-9a-f]*\)".*/\1/p' "$work/run/results.json")
        echo "$kind $machine $cycles $hash" >>"$work/golden"
    done
done
if [ "${3:-}" = --update ]; then
    cp "$work/golden" "$golden"
    exit
fi
while read -r kind machine cycles hash; do
    grep -qx "$kind $machine $cycles $hash" "$work/golden"
    ok $? "$kind on $machine: $cycles cycles, state $hash"
    grep "^$kind $machine " "$work/golden" | note
done <"$golden"
tap_end
