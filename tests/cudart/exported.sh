#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Two processes that share events, and memory by descriptors of files, without time: answers, errors, waits in vain; and what is
# refused. Usage: exported.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "events and memory of other processes" "the sanitizer's runtime cannot be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1
run="timeout 60 $maniple run -q --machine rtx3080ti --set sm.count=8"

for part in memory places events late; do
    expect 0 "$part" '^right$' $run --gpus 2 --functional -- "$program" $part
    [ "$(grep -c '^right$' out)" -eq 2 ]
    ok $? "… of both processes"
done
expect 2 "wrong arguments" '^right$' $run --gpus 2 --functional -- "$program" wrong
expect 2 "a handle of another type" 'cuMemExportToShareableHandle: handles of type 8 are not supported; ask for a file descriptor' \
    $run --gpus 2 --functional -- "$program" wrong
expect 3 "an event that never comes" 'rank 0, process [0-9]*: waits for an event\|while rank 0, process [0-9]* waits for an event' \
    $run --gpus 2 --functional -- "$program" hang
grep -q 'rank 1, process [0-9]*: GPU 1: kernel await\|while rank 1, process [0-9]* waits for its kernel await' out
ok $? "… and the kernel that it depends on are named"
for how in "--gpus 2 --set fabric.kind=nvlink --set fabric.pairs=[4]" "--functional"; do
    expect 2 "refused by name: $how" 'cuMemExportToShareableHandle: processes share memory of GPUs only without time' $run $how -- "$program" refused
    grep -q 'IpcGetEventHandle\|processes share events of GPUs only without time' out
    ok $? "… events too"
done
tap_end
