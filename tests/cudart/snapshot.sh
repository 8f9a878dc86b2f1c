#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Snapshots of programs: one that goes on from a snapshot runs again by value up to there, and has the results of a run that
# never stopped, but for "run"; one that is not where it was is refused. Usage: snapshot.sh MANIPLE MARKS GRAPHS APPS SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
marks=$(realpath "$2")
graphs=$(realpath "$3")
apps=$(realpath "$4")
if ! maniple=$(sanitize "$maniple" "$5"); then
    skip "snapshots" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti"

# same LAUNCHES: the results of the folders `whole` and `rest` are the same, and `part` has the first of its kernels, so many or
# more.
same() {
    python3 - "$1" <<'PYTHON'
import json, sys
whole, rest, part = (json.load(open(name + "/results.json")) for name in ("whole", "rest", "part"))
del whole["run"], rest["run"]
assert whole == rest
assert part["total"]["end"] == "snapshot" and int(sys.argv[1]) <= len(part["kernels"]) <= len(whole["kernels"])
assert part["kernels"] == whole["kernels"][:len(part["kernels"])]
PYTHON
}
ways=("--threads 1" "--threads 2 --executor lockstep" "--executor serial --no-skip" "--threads 2 --window 7")
turn=0
# Launches that wait in a stream, and a copy that waits for them; copies between launches; graphs and several streams.
for case in "marks:2:5:$marks" "bfs:1:4:$apps run bfs --nodes 256" "graphs:1:3:$graphs"; do
    IFS=: read -r name first second program <<<"$case"
    $run --threads 1 -o whole -- $program >output 2>&1
    for at in "$first" "$second"; do
        $run ${ways[turn % 4]} --snapshot kept --snapshot-at "$at" -o part -- $program >/dev/null 2>&1 &&
            $run ${ways[(turn + 1) % 4]} --resume kept -o rest -- $program >again 2>&1 && same "$at" && cmp -s output again
        ok $? "$name behind launch $at (${ways[turn % 4]}, then ${ways[(turn + 1) % 4]})"
        turn=$((turn + 1))
    done
done
$run -o whole -- "$marks" >/dev/null && $run --kernels 2,5-7 -o whole -- "$marks" >/dev/null 2>&1
$run --kernels 2,5-7 --snapshot kept --snapshot-at 5 -o part -- "$marks" >/dev/null 2>&1 &&
    $run --kernels 2,5-7 --resume kept -o rest -- "$marks" >/dev/null 2>&1 && same 1
ok $? "with --kernels"
expect 0 "kept while a run goes on" '^right$' $run --snapshot kept -o part -- "$marks"
$run -o whole -- "$marks" >/dev/null && $run --resume kept -o rest -- "$marks" >/dev/null && cmp -s <(
    python3 -c 'import json; r = json.load(open("whole/results.json")); del r["run"]; print(r)') <(
    python3 -c 'import json; r = json.load(open("rest/results.json")); del r["run"]; print(r)')
ok $? "from the latest of them"

expect 2 "a snapshot that is not taken" "snapshot-at 900: no snapshot was taken: the program has launched [0-9]*, " $run --snapshot none \
    --snapshot-at 900 -o part -- "$marks"
expect 0 "… beside whole results" '"end": "finished"' cat part/results.json

# ===== what does not fit =====
$run --snapshot kept --snapshot-at 2 -- $apps run bfs --nodes 256 >/dev/null 2>&1
expect 2 "other arguments" "the program .* than when the snapshot was taken" $run --resume kept -- $apps run bfs --nodes 512
expect 2 "another program" "of another input (maniple-apps)" $run --resume kept -- "$marks"
expect 2 "another machine" "of another machine (rtx3080ti)" $maniple run -q --machine a100 --resume kept -- $apps run bfs --nodes 256
expect 2 "a program that ends before" "has ended before it came to where\|than when the snapshot was taken\|does not come to" \
    $run --resume kept -- $apps run vecadd --size 256
expect 2 "no snapshot" "there is no snapshot in it" $run --resume . -- "$marks"
head -c 5000 kept/snapshot >cut && mv cut kept/snapshot
expect 2 "an interrupted one" "damaged or cut short: take it again" $run --resume kept -- $apps run bfs --nodes 256
expect 2 "without time" "is about time; leave --functional out" $run --functional --snapshot kept -- "$marks"
tap_end
