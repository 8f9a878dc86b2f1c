#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --kernels with CUDA programs: the launches that it names are simulated, the others executed by value; values are right
# whatever it names. Usage: kernels.sh MANIPLE APPS SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
apps=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "chosen launches" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti"
bfs="$apps run bfs --nodes 1000" # six launches

ids() { # FOLDER: numbers and cycles of the kernels in the results
    python3 -c 'import json, sys
for kernel in json.load(open(sys.argv[1] + "/results.json"))["kernels"]:
    print(kernel["id"], kernel["statistics"]["gpu_sim_cycle"]["value"])' "$1"
}

$run -o all -- $bfs >/dev/null
expect 0 "every third" '^bfs: PASS' $run --kernels every:3 -o third -- $bfs
[ "$(ids third | cut -d' ' -f1 | paste -sd' ')" = "1 4" ]
ok $? "has the first and the fourth, with their numbers"
[ "$(ids third | head -1)" = "$(ids all | head -1)" ]
ok $? "before the first, nothing has changed: it takes the cycles of the whole run"
expect 0 "by name and number" '^bfs: PASS' $run --kernels 2-3,name:nobody -o some -- $bfs
[ "$(ids some | cut -d' ' -f1 | paste -sd' ')" = "2 3" ]
ok $? "has those of the numbers"
expect 0 "a name that all have" '^bfs: PASS' $run --kernels 'name:^b.s' -o named -- $bfs
ids named | cmp -s - <(ids all)
ok $? "gives the whole run"
expect 0 "a warning says how many were not" '4 of the program.s 6 launches were executed by value' \
    ${run/-q/} --kernels 5,6 -- $bfs
$run --kernels every:2 --threads 1 -- $bfs >one 2>&1
$run --kernels every:2 --threads 2 --executor lockstep -- $bfs 2>&1 | cmp - one
ok $? "the same bytes for any threads and executor"
expect 0 "of a recording" 'PASS' $maniple trace record -o traced --kernels 2,4 -- $bfs
[ "$(grep -c '^kernel' traced/kernelslist.g)" -eq 2 ]
ok $? "two launches are in the trace"
expect 2 "of a trace, by a name that none has" 'error: --kernels: no launch of traced/kernelslist.g is among those' \
    ${run/ -q/} --kernels name:nobody traced/kernelslist.g
expect 2 "--code of a trace" 'error: --code: is about what CUDA programs execute' $run --code ptx traced/kernelslist.g
expect 0 "of a trace, by name" 'bfs' $run --kernels name:bfs traced/kernelslist.g
expect 2 "that names nothing" 'none of the program.s 6 launches is named by it' $run --kernels 700 -- $bfs
for list in nam:x every:0 'name:(' name: 3-2 0 ''; do
    expect 2 "the list \"$list\"" 'is not a launch or a range of launches' $run --kernels "$list" -- $bfs
done
expect 2 "without time" 'leave --functional out' $run --functional --kernels 1 -- $bfs
tap_end
