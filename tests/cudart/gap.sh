#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# launch.gap lies between two kernels of a stream whatever events are between them, and launch.event for each that is recorded there:
# the second begins so many cycles later, and not one less. Usage: gap.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "kernels of a stream and events between them" "the sanitizer's runtime cannot be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8 --set launch.first=0"
for part in plain record chain apart; do
    for gap in 0 999 1000; do
        $run --set launch.gap=$gap -o "$part$gap" -- "$program" $part >/dev/null
    done
    for event in 700 701; do
        $run --set launch.gap=1000 --set launch.event=$event -o "$part-$event" -- "$program" $part >/dev/null
    done
    for how in "--threads 2" --no-skip "--window 1"; do
        $run --set launch.gap=1000 --set launch.event=701 $how -o other -- "$program" $part >/dev/null
        $maniple compare "$part-701" other >compared 2>&1
        ok $? "$part: the same with $how"
    done
    python3 - "$part" <<'PYTHON'
import json
import sys
part = sys.argv[1]
def cycles(gap):
    results = json.load(open(f"{part}{gap}/results.json"))
    return results["total"]["statistics"]["gpu_sim_cycle"]["value"], [kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in results["kernels"]]
(none, own), (less, own_less), (full, own_full) = map(cycles, (0, 999, 1000))
assert len(own) == 2 and own == own_less == own_full, (own, own_less, own_full)
wanted = (0, 0) if part == "apart" else (999, 1000)
assert (less - none, full - none) == wanted, (none, less, full)
(less, own_less), (more, own_more) = map(cycles, ("-700", "-701"))
assert own == own_less == own_more, (own, own_less, own_more)
wanted = (700, 701) if part in ("record", "chain") else (0, 0) # one record in the kernels' stream
assert (less - full, more - full) == wanted, (full, less, more)
PYTHON
    ok $? "$part"
done
tap_end
