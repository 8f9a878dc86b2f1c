#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Threads of a program that wait for one another outside of CUDA's calls, asleep or asking in a loop: results are the same
# to the byte however they wait, and nobody is waited for. Usage: waiting_threads.sh MANIPLE PROGRAM SANITIZERS
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "threads that wait" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8 --gpus 2 --set fabric.kind=nvlink --set fabric.pairs=[4]"

# The semaphore is the reference: its threads sleep.
expect 0 "by a semaphore" '^right$' $run --threads 1 -o semaphore -- "$program" semaphore
same() { # NAME, with results in folder other
    for gpu in gpu0 gpu1; do $maniple compare semaphore/$gpu other/$gpu; done >out 2>&1
    [ "$(grep -c '^0 of [0-9]* statistics differ' out)" -eq 2 ]
    ok $? "$1"
    note <out
}
for way in recv pipe again poll select epoll yield nap late; do
    $run --threads 1 -o other -- "$program" "$way" >said 2>&1 && grep -q '^right$' said
    ok $? "by $way"
    same "... the same as by the semaphore"
    [ -s other/results.json ] && ! grep -q "computed for seconds" other/results.json
    ok $? "... and nobody is waited for in vain"
    note <said
done
# What the first of several threads does for all, whichever that is: questions, and memory that nothing uses.
expect 0 "nobody asks for all" '^right$' $run --threads 1 -o semaphore -- "$program" nobody
for way in first0 first1; do
    expect 0 "a thread asks for all: $way" '^right$' $run --threads 1 -o other -- "$program" $way
    same "... the same as if nobody does"
done
expect 0 "by a semaphore" '^right$' $run --threads 1 -o semaphore -- "$program" semaphore
for how in "--threads 2" --no-skip "--window 1"; do
    $run $how -o other -- "$program" again >/dev/null 2>&1
    same "asking with recv, with $how"
done
expect 0 "a thread does nothing but ask for an event" '^right$' timeout 60 $run --threads 1 -o semaphore -- "$program" watched
for how in "--threads 2" --no-skip "--window 1"; do
    $run $how -o other -- "$program" watched >/dev/null 2>&1
    same "... the same with $how"
done
# Ranks of NCCL of which one calls nothing.
stuck="$run --set livelock=100000"
expect 2 "a collective that one rank calls" '^right$' timeout 60 $stuck --threads 1 -- "$program" alone
grep -q 'GPU 0 waits in kernel ncclDevKernel_AllReduce$' "$tap_folder/out" && grep -q 'GPU 1 runs no kernel$' "$tap_folder/out" &&
    grep -q 'the ranks of NCCL wait for one another for ever' "$tap_folder/out"
ok $? "... the report says which rank waits in which collective"
for how in "--threads 2" --no-skip "--window 1"; do
    $stuck --threads 1 -- "$program" alone >first 2>&1
    $stuck $how -- "$program" alone 2>&1 | cmp -s - first
    ok $? "... it ends at the same time with $how"
done
expect 2 "a collective that one rank calls, without time" 'the ranks of NCCL wait' timeout 60 $run --functional -- "$program" alone
tap_end
