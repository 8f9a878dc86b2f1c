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
for part in streams capture build nodes memory again change wrong; do
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
for how in "capture", "build", "nodes":
    graph = kernels(how)
    assert graph[:3] == by_streams[:3], (how, graph)
    # The last one waits for a copy, which is seen at the end of an epoch: where that lies depends on the host's calls.
    assert graph[3][0] == "join" and abs(graph[3][1] - by_streams[3][1]) <= 3 * 32, (how, graph)
PYTHON
ok $? "kernels of a graph take the cycles that they take in streams"
hopper="$maniple run -q --machine h100-pcie"
for part in early late; do
    expect 0 "programmatic launches and edges, $part" '^right$' $hopper -o "$part" -- "$graphs" $part
done
python3 - <<'PYTHON'
import json
def whole(name):
    results = json.load(open(f"{name}/results.json"))
    return results["total"]["statistics"]["gpu_sim_cycle"]["value"], [kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in results["kernels"]]
(early, overlapped), (late, alone) = whole("early"), whole("late")
assert len(overlapped) == len(alone) == 6, (overlapped, alone)
# Of a captured graph, one that was built, and a stream, the second kernel is computed while the first is.
assert abs(late - sum(alone)) < 0.02 * late, (late, alone)
assert abs(early - late / 2) < 0.05 * late, (early, late)
for each, other in zip(overlapped, alone):
    assert abs(each - other) < 0.03 * other, (overlapped, alone)
PYTHON
ok $? "a kernel that may begin early overlaps with the one before it, in graphs and in a stream"
# Of the six kernels two stand behind another one in a graph.
for cycles in 1787 787; do
    $hopper --set launch.graph=$cycles -o "graph$cycles" -- "$graphs" late >/dev/null
done
for cycles in 0 1000; do
    $hopper --set launch.gap=$cycles -o "gap$cycles" -- "$graphs" late >/dev/null
done
python3 - <<'PYTHON'
import json
def total(name):
    return json.load(open(f"{name}/results.json"))["total"]["statistics"]["gpu_sim_cycle"]["value"]
def cycles(name):
    return [kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in json.load(open(f"{name}/results.json"))["kernels"]]
slow, fast = cycles("graph1787"), cycles("graph787")
assert sorted(a - b for a, b in zip(slow, fast)) == [0, 0, 0, 0, 1000, 1000], (slow, fast)
# One of the six stands behind another in a stream; that one's own cycles begin when the gap is over.
assert cycles("gap0") == cycles("gap1000") and total("gap1000") - total("gap0") == 1000, (total("gap0"), total("gap1000"))
PYTHON
ok $? "launch.graph and launch.gap are what a kernel behind another of its graph, or its stream, waits for"
$run --threads 1 -- "$graphs" again >one
$run --threads 2 --executor lockstep -- "$graphs" again | cmp - one
ok $? "the same bytes for any threads and executor"
tap_end
