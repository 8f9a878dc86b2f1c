#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# CUDA programs with time: timing.c's parts check themselves; here are times against cycles, and the same bytes for any
# number of threads, executor, window and load of the host. Usage: timing.sh MANIPLE TIMING SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
timing=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "CUDA programs with time" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8"

# ===== the parts =====
wanted() { # where a kernel faults, the run does not end well, though the program does
    [ "$1" = fault ] && echo 2 || echo 0
}
for part in events copies overlap legacy calls outside empty managed mixed fault await mailbox latch free unwaited; do
    expect $(wanted $part) "with time: $part" '^right$' $run -o "$part" -- "$timing" $part
done
for part in calls empty managed mixed fault latch; do
    expect $(wanted $part) "without time: $part" '^right$' $run --functional -- "$timing" $part
done
expect 0 "times of events without time are a warning" '^maniple: warning: --functional: .* kernels are not timed' $run --functional -- "$timing" events
$run --functional -- "$timing" elsewhere >here.txt
[ $? -eq 0 ] && grep -qx here here.txt && grep -q gpgpu_n_tot_w_icount here.txt && [ "$(cat elsewhere.txt)" = right ]
ok $? "results go where standard output went at first"
grep -q '"name": *"spin"' unwaited/results.json
ok $? "kernels that nobody has waited for are in the results"
$run -- "$timing" events | sed -n 's/^events //p' >times
python3 - <<'PYTHON'
import json
results = json.load(open("events/results.json"))
hertz = results["machine"]["clock"]["core"]
cycles = [kernel["statistics"]["gpu_sim_cycle"]["value"] for kernel in results["kernels"]]
times = [int(time) for time in open("times").read().split()]
assert len(cycles) == 4 and cycles[0] < cycles[1] < cycles[2] < cycles[3], cycles
# Each begins in the cycle in which the one before it has ended; the runtime's times are in whole nanoseconds.
for cycle, time in zip(cycles[1:], times):
    assert cycle * 10**9 // hertz - 1 <= time <= cycle * 10**9 // hertz + 1, (cycle, time)
PYTHON
ok $? "events around kernels are their cycles apart"
python3 - <<'PYTHON'
import json
results = json.load(open("fault/results.json"))
names = [(kernel["name"], kernel.get("partial", False)) for kernel in results["kernels"]]
assert names == [("spin", False), ("raise", True)], names
PYTHON
ok $? "after a fault the results are those up to it"
$run -- "$timing" fault 2>&1 >/dev/null | grep -q 'kernel raise, block ([0-9]*,0,0), thread ([0-9]*,0,0): .*outside every allocation'
ok $? "and the fault is reported"

stuck="$run --set livelock=100000"
expect 3 "a barrier that nobody completes" '^right$' $stuck -- "$timing" hang
$stuck -- "$timing" hang 2>&1 >/dev/null | grep -q "CTA 0 warp 0 waits at the CTA's barrier"
ok $? "the report says who waits"
expect 3 "a kernel that waits for nobody, and a host that polls" '^right$' $stuck -- "$timing" livelock
$stuck --threads 1 -- "$timing" livelock >first 2>&1
$stuck --threads 2 --schedule static --window 3 -- "$timing" livelock 2>&1 | cmp -s - first
ok $? "it ends at the same time for any number of threads and window"

# A spin lock that nobody gives back.
for how in lock_cas lock_exchange lock_add lock_store; do
    expect 3 "$how: polls by atomics are a livelock" '^right$' $stuck -- "$timing" $how
    grep -q 'sm [0-9]*: CTA [01] warp 0 .*; it polls address 0x7[0-9a-f]*' "$tap_folder/out"
    ok $? "$how: the report says who polls which address"
done
$stuck -- "$timing" lock_cas >first 2>&1
grep -q 'address 0x7[0-9a-f]* is 0x1, which SM [0-9]* CTA [01] warp 0 has made it at [0-9]* ns; polled [0-9]* times since' first
ok $? "the report says who holds it"
$stuck --threads 2 --schedule static --window 3 -- "$timing" lock_cas 2>&1 | cmp -s - first
ok $? "it is the same for any number of threads and window"
expect 0 "slow progress and a long delay between polls are none" '^right$' $run --set livelock=30000 -- "$timing" patient

# A user's signal in the middle of a simulation that would not end: partial results.
for signal in INT TERM HUP; do
    $run --set livelock=0 -o "ended-$signal" -- "$timing" lock_cas >ended 2>&1 &
    process=$!
    sleep 0.5
    kill -$signal $process
    timeout 5 tail --pid=$process -f /dev/null || kill -KILL $process
    wait $process 2>/dev/null
    grep -q '"end": "interrupted"' "ended-$signal/results.json"
    ok $? "SIG$signal in the middle of a simulation: partial results"
done

# ===== what copies leave in the L2 =====
small="--set partition.count=4 --set l2.slices_per_partition=1 --set l2.slice.size=512KiB"
warm() { # OPTION…
    $run $small "$@" -- "$timing" warm
}
warm -o cold >/dev/null && warm --set memcpy_warms_l2=true -o warm >/dev/null
python3 - <<'PYTHON'
import json
def reads(folder):
    results = json.load(open(folder + "/results.json"))
    kernels = [k["statistics"]["total_dram_reads"]["value"] for k in results["kernels"] if k["name"] == "raise"]
    return kernels, results["total"]["statistics"]["L2_warmed"]["value"]
cold, none = reads("cold")
warm, warmed = reads("warm")
# copied, filled, neither, half of its rows, copied inside, copied beside a kernel, (a flag), too large: first, last
assert cold[:6] == [1024] * 6 and cold[7:] == [1024, 1024] and none == 0, (cold, none)
assert warm[:6] == [0, 0, 1024, 512, 0, 0] and warm[7:] == [1024, 0], warm
assert warmed >= 4 * 1024 + 512 + 4 * 512 * 1024 // 32, warmed
PYTHON
ok $? "copies and fills leave their lines in the L2, if they shall: reads of the DRAM, kernel by kernel"
warm --set memcpy_warms_l2=true --threads 1 >first
same=0
for how in "--threads 2" "--threads 2 --schedule dynamic" "--no-skip" "--window 1" "--executor lockstep --threads 2" \
    "--executor serial"; do
    warm --set memcpy_warms_l2=true $how | cmp -s - first || same=1
done
ok $same "the same bytes for threads, executors and windows, with copies that do"

# ===== the same bytes =====
mixed() { # OPTION…: what the program prints, all statistics, and the state's hash at the end
    $run --set host.call=100 "$@" -- "$timing" mixed
}
mixed --threads 1 >first
grep -q '^right$' first && ! grep -q '^0 polls$' first
ok $? "several streams, copies, events, managed memory and polling"
for how in "--threads 2" "--threads 4" "--threads 2 --schedule dynamic" "--threads 2 --schedule static" "--no-skip" \
    "--window 1" "--executor serial" "--executor lockstep --threads 2" "--executor pool --threads 2" \
    "--executor domains --threads 2"; do
    mixed $how | cmp - first | note
    ok "${PIPESTATUS[1]}" "the same bytes with $how"
done
same=0
while :; do :; done &
busy=$!
for i in 1 2 3 4 5 6 7 8 9 10; do
    [ $i -ne 6 ] || { kill $busy && wait $busy 2>/dev/null; }
    mixed --threads 2 | cmp -s - first || same=1
done
ok $same "the same bytes in ten runs, five of them beside a busy loop"

$run --hash --threads 1 -- "$timing" calls >first
$run --hash --threads 2 --schedule dynamic -- "$timing" calls | cmp - first | note
[ "${PIPESTATUS[1]}" -eq 0 ] && [ "$(grep -c '^epoch' first)" -gt 20 ]
ok $? "the same hashes of all epochs"

# ===== options about time =====
expect 3 "--max-cycles ends the program" 'stopped at --max-cycles' $run --max-cycles 20000 -- "$timing" events
$run --sample 10000 -o one -- "$timing" overlap >/dev/null && $run --sample 10000 -o two --executor serial -- "$timing" overlap >/dev/null
[ "$(wc -l <one/samples.csv)" -gt 20 ] && cmp one/samples.csv two/samples.csv
ok $? "statistics over time"
$run --costs --threads 1 -o costs -- "$timing" overlap >/dev/null && "${maniple##* }" scaling costs | grep -q 'windows of safe length'
ok $? "a record of costs"
expect 2 "an option about time without time" '--hash: with --functional there is no time' $run --functional --hash -- "$timing" empty

# ===== a program as nvcc makes it =====
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
if [ -z "$nvcc" ]; then
    skip "vectoradd.cu" "there is no nvcc"
elif ! "$nvcc" -cudart shared -o vectoradd "$folder/vectoradd.cu" >log 2>&1; then
    skip "vectoradd.cu" "nvcc does not work here: $(head -1 log)"
else
    $run -o added -- ./vectoradd >out
    python3 - <<'PYTHON'
import json, re
results = json.load(open("added/results.json"))
cycles = results["kernels"][0]["statistics"]["gpu_sim_cycle"]["value"]
counts = results["kernels"][0]["statistics"]
time = int(re.match(r"right, cudaSuccess, (\d+) ns", open("out").read())[1])
# From the first event the host needs two calls to the launch and at most an epoch more to the request.
extra = time - cycles * 10**9 // results["machine"]["clock"]["core"]
assert 900 <= extra <= 1100, (time, cycles)
assert counts["gpu_ctas"]["value"] == 196
PYTHON
    ok $? "vectoradd.cu: its kernel, and the time that it measures"
fi
tap_end
