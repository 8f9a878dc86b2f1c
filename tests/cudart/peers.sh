#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Programs on two GPUs, with time and without, with a fabric between them and without: answers, errors, and the same results
# for every way of running. Usage: peers.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "two GPUs" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
one="$maniple run -q --machine rtx3080ti --set sm.count=8"
run="$one --gpus 2"
links="--set fabric.kind=nvlink --set fabric.pairs=[4]"

expect 2 "more GPUs than a node has" '^maniple: error: --gpus 9: .*dgx-h100 has 8' \
    $maniple run -q --machine dgx-h100 --gpus 9 -- "$program"
expect 0 "without time" '^right$' $run --functional -- "$program"
expect 0 "without time, a thread for each GPU" '^right$' $run --functional -- "$program" threads
expect 0 "GPUs in another order" '^right$' env CUDA_VISIBLE_DEVICES=1,0 $run --functional -- "$program"
expect 3 "one GPU of two" '^1 GPUs$' env CUDA_VISIBLE_DEVICES=1 $run --functional -- "$program"
expect 1 "a GPU named twice" 'cuInit(0): 100, not 0' env CUDA_VISIBLE_DEVICES=1,1 $run --functional -- "$program"
expect 3 "a list for another machine" '^1 GPUs$' env CUDA_VISIBLE_DEVICES=5 $one --functional -- "$program"
expect 1 "no GPU, where the machine has one" 'cuInit(0): 100, not 0' env CUDA_VISIBLE_DEVICES=-1 $one --functional -- "$program"
expect 2 "memory of another GPU that it may not access" 'memory of device 0, which device 1 may not access' \
    $run --functional -- "$program" closed
if grep -q "hardware, which maps" "$tap_folder/out"; then
    ok 1 "… which hardware would notice"
else
    ok 0 "… which hardware would notice"
fi
expect 0 "kernels that wait for one another in vain: both are named" 'GPU 0: kernel meet.*GPU 1: kernel meet' \
    bash -c "$run --functional -- $program hang 2>&1 | tr '\n' ' '"

expect 0 "memory of the host's threads, and zeros, eight GPUs" '^right$' $one --gpus 8 --functional -- "$program" heaps
expect 0 "… one GPU" '^right$' $one --functional -- "$program" heaps
expect 0 "… with time" '^right$' $run -- "$program" heaps

expect 0 "memory mapped at addresses of either GPU" '^right$' $run --functional -- "$program" mapped
expect 2 "with time, at addresses of its own GPU" '^right$' $run $links -- "$program" mapped-timed
expect 2 "… at another's: refused by name" "reserve them with the other device's context" \
    $run $links -- "$program" mapped-timed

expect 0 "with time, without a fabric" '^right, without peers$' $run -- "$program"
expect 2 "with time, without a fabric: memory of another GPU" 'devices share no memory in runs with time' \
    $run -- "$program" closed
expect 0 "with time, over links" '^right$' $run $links --threads 1 -o first -- "$program"
for how in "--threads 2" --no-skip "--window 1" "--executor lockstep --threads 2"; do
    $run $links $how -o other -- "$program" >out 2>&1 &&
        for gpu in gpu0 gpu1; do $maniple compare first/$gpu other/$gpu; done >out 2>&1
    [ "$(grep -c '^0 of [0-9]* statistics differ' out)" -eq 2 ]
    ok $? "the same with $how"
    note <out
done
$run $links --threads 1 -o first -- "$program" threads >out 2>&1
ok $? "with time, a thread of the host for each GPU"
for how in "--threads 1" "--threads 2" --no-skip; do
    $run $links $how -o other -- "$program" threads >out 2>&1 &&
        for gpu in gpu0 gpu1; do $maniple compare first/$gpu other/$gpu; done >out 2>&1
    [ "$(grep -c '^0 of [0-9]* statistics differ' out)" -eq 2 ]
    ok $? "the same with $how"
    note <out
done
expect 0 "reports and timelines of the run" '^right$' python3 "$folder/node_results.py" "$maniple" first
for gpu in 0 1; do
    expect 0 "GPU $gpu is used first" '^right$' $run $links -o first$gpu -- "$program" first$gpu
done
for gpu in gpu0 gpu1; do $maniple compare first0/$gpu first1/$gpu; done >out 2>&1
[ "$(grep -c '^0 of [0-9]* statistics differ' out)" -eq 2 ]
ok $? "the same whichever thread makes its first call first"
note <out
tap_end
