#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes that share the GPUs of a run, without time: answers, errors, kernels that wait in vain, a process that dies; and
# what is refused. Usage: sharing.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "processes that share GPUs" "the sanitizer's runtime cannot be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1
run="timeout 60 $maniple run -q --machine rtx3080ti --set sm.count=8 --gpus 2"

expect 0 "memory, sums, counters and kernels that meet, of two processes" '^right$' $run --functional -- "$program"
for again in 1 2 3; do
    expect 0 "the same again ($again)" '^right$' $run --functional -- "$program"
done
expect 0 "two processes on one GPU of two" '^right$' $run --functional -- "$program" same
expect 2 "memory of another process that is closed" 'an access outside every allocation' $run --functional -- "$program" closed
expect 0 "kernels that wait in vain: both processes are named" \
    'rank 0, process [0-9]*: GPU 0: kernel meet.*rank 1, process [0-9]*: GPU 1: kernel meet' \
    bash -c "$run --functional -- $program hang 2>&1 | sort | tee said | tr '\n' ' '"
grep -q 'while rank [01], process [0-9]* waits for its kernel meet' said
ok $? "… and the first to say so names the kernel of the other one"
expect 3 "a kernel that waits for a process that has ended" 'while rank 1, process [0-9]* has ended' \
    $run --functional -- "$program" leave
began=${EPOCHREALTIME/./}
expect 2 "a process dies: the other ends" 'rank 1, process [0-9]* has died' $run --functional -- "$program" die
[ $((${EPOCHREALTIME/./} - began)) -lt 10000000 ]
ok $? "… soon"
expect 1 "a system that limits files" 'gives no file that is large enough' \
    bash -c "ulimit -f 1000000; exec $run --functional -- $program"
tap_end
