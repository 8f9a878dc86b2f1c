#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes that share the GPUs of a run with time: answers, the same bytes again and on other threads, the same kernels'
# cycles as two threads of one process, ends, and what is refused. Usage: common_time.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "processes that share GPUs with time" "the sanitizer's runtime cannot be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1
run="timeout 60 $maniple run -q --machine rtx3080ti --set sm.count=8 --gpus 2 --set fabric.kind=nvlink --set fabric.pairs=[4]"

# kernels FOLDER: of each GPU, the cycles of its kernels that have ended, in the order of launches.
kernels() {
    python3 - "$1" <<'PYTHON'
import json, sys
for gpu in (0, 1):
    with open(f"{sys.argv[1]}/gpu{gpu}/results.json") as file:
        for kernel in (each for each in json.load(file)["kernels"] if not each.get("partial")):
            print(gpu, kernel["name"], kernel["statistics"]["gpu_sim_cycle"]["value"])
PYTHON
}

# bytes FOLDER: all results but how they were made.
bytes() {
    python3 - "$1" <<'PYTHON'
import json, sys
for part in ("", "gpu0/", "gpu1/"):
    with open(f"{sys.argv[1]}/{part}results.json") as file:
        results = json.load(file)
    results.pop("run", None)
    for gpu in results.get("devices", []):
        gpu.pop("run", None)
    print(json.dumps(results))
PYTHON
}

expect 0 "memory, events and kernels that meet, of two processes" 'rank 0: right' $run -o first -- "$program" processes
grep -q 'rank 1: right' out
ok $? "… in both"
for threads in 1 2 2 1; do
    $run -o "again$threads" --threads "$threads" -- "$program" processes >said 2>&1
    cmp <(bytes first) <(bytes "again$threads") && [ "$(bytes first | wc -c)" -gt 100000 ]
    ok $? "the same bytes again, on $threads threads"
done
$run -o together -- "$program" threads >said 2>&1
ok $? "two threads of one process"
# The first meeting alone depends on the calls before it, of which processes and threads make others.
kernels first >of_processes
kernels together >of_threads
[ "$(wc -l <of_processes)" -eq 28 ] && [ "$(wc -l <of_threads)" -eq 28 ] && [ "$(diff of_processes of_threads | grep -c '^<')" -le 2 ]
ok $? "kernels of processes take the cycles of kernels of threads"
diff of_processes of_threads | note

for how in "" --functional; do
    expect 0 "copies of a process that has called CUDA; one ends before the other $how" '^right$' $run $how -o copied -- "$program" processes copied
    ! grep -q 'has died' "$tap_folder/out"
    ok $? "… and ends no other"
done
began=${EPOCHREALTIME/./}
expect 2 "a process dies: the other ends" 'rank 1, process [0-9]* has died' $run -- "$program" processes die
[ $((${EPOCHREALTIME/./} - began)) -lt 4000000 ]
ok $? "… soon"
began=${EPOCHREALTIME/./}
expect 2 "the process dies that simulates: the other ends and says how far it is" \
    'rank 0, process [0-9]* has died, which simulated .* without results; [1-9][0-9]* of its [1-9][0-9]* kernels had ended, at [0-9.]* us' \
    $run -- "$program" processes leader
[ $((${EPOCHREALTIME/./} - began)) -lt 4000000 ]
ok $? "… soon"
expect 2 "… with -o, the results of what had been simulated are kept" \
    'rank 0, process [0-9]* has died.*it ends too, and the folder of -o has the results of the first [0-9.]* us' \
    $run -o kept -- "$program" processes leader
grep -q 'Partial results; the run ended by: interrupted' kept/gpu0/stats.txt &&
    head -n 1 <(kernels kept) | grep -q . && diff <(kernels kept) <(kernels first) | grep -c '^<' | grep -qx 0
ok $? "… of kernels, as in a run that ends"
expect 3 "kernels that wait in vain: both GPUs are named" 'gpu 0 sm 0:.* kernel meet.*gpu 1 sm 0:.* kernel meet' bash -c "$run -- $program processes hang 2>&1 | tr '\n' ' '; exit \${PIPESTATUS[0]}"
$run -o limited --max-cycles 20000 -- "$program" processes >said 2>&1
grep -q 'ended by: limit' limited/gpu0/stats.txt
ok $? "--max-cycles: there are partial results"
expect 2 "--hash is refused" 'processes that share GPUs with time have no state hashes' $run --hash -- "$program" processes
exact="$run --set host.call=1"
expect 0 "copies from GPU to GPU take the times that are computed" 'rank 0: right' $exact -o copied -- "$program" processes copy
grep -q 'rank 1: right' out
ok $? "… in both"
expect 0 "… as those of two threads" 'rank 0: right' $exact -- "$program" threads copy
$exact -o copied2 --threads 2 -- "$program" processes copy >said 2>&1
cmp <(bytes copied) <(bytes copied2) && grep -q 'fabric_copied_to_gpu1 *18,874,368 byte' copied/gpu0/stats.txt
ok $? "… the same bytes again, and counted"
expect 0 "a GPU of two processes is refused" 'GPU 0 belongs to process [0-9]*: with time, one process alone' \
    $run -- sh -c "$maniple-apps run lastblock --size 4096 & $maniple-apps run lastblock --size 4096; wait"
if mpirun=$(command -v mpirun.openmpi); then
    expect 0 "processes that mpirun starts" 'lastblock  .*lastblock  .*gpu 1:.*lastblock  .*lastblock  ' bash -c "$run -- $mpirun \
        --allow-run-as-root --oversubscribe -np 2 sh -c 'CUDA_VISIBLE_DEVICES=\$OMPI_COMM_WORLD_RANK exec $maniple-apps run lastblock \
        --size 4096' | tr '\n' ' '"
else
    skip "processes that mpirun starts" "no Open MPI"
fi
expect 0 "processes one after the other" 'lastblock: PASS' \
    $run -o both -- sh -c "$maniple-apps run lastblock --size 4096; $maniple-apps run lastblock --size 4096"
[ -e both/results.json ] && [ -e both/process-2/results.json ]
ok $? "… have results each"
expect 0 "where the system gives no common memory, processes say that each has a machine" \
    '2 processes of this run have used.*each in a simulation of its own' bash -c "ulimit -f 1000000; exec ${run/ -q/} -- sh -c \
    '$maniple-apps run lastblock --size 4096; $maniple-apps run lastblock --size 4096'"
tap_end
