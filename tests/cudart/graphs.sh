#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# CUDA graphs: graphs.c checks values; here the kernels of graphs take the cycles that they take in streams, and results do not
# depend on threads. Usage: graphs.sh MANIPLE GRAPHS SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
graphs=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "CUDA graphs" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8"
for part in streams capture build again change wrong; do
    expect 0 "$part, with time" '^right$' $run -o "$part" -- "$graphs" $part
    expect 0 "$part, without time" '^right$' $run --functional -- "$graphs" $part
done
python3 - <<'PYTHON'
import json
def kernels(name):
    return [(kernel["name"], kernel["statistics"]["gpu_sim_cycle"]["value"])
            for kernel in json.load(open(f"{name}/results.json"))["kernels"]]
by_streams = kernels("streams")
assert [name for name, _ in by_streams] == ["spin", "spin", "spin", "join"], by_streams
for how in "capture", "build":
    graph = kernels(how)
    assert graph[:3] == by_streams[:3], (how, graph)
    # The last one waits for a copy, which is seen at the end of an epoch: where that lies depends on the host's calls.
    assert graph[3][0] == "join" and abs(graph[3][1] - by_streams[3][1]) <= 3 * 32, (how, graph)
PYTHON
ok $? "kernels of a graph take the cycles that they take in streams"
$run --threads 1 -- "$graphs" again >one
$run --threads 2 --executor lockstep -- "$graphs" again | cmp - one
ok $? "the same bytes for any threads and executor"
tap_end
