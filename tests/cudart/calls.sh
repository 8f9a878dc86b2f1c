#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Random calls of both APIs, with and without time: no signal ends the program, and no bug of ours. Usage: calls.sh
# MANIPLE PROGRAM SANITIZERS [FIRST-SEED COUNT-OF-SEEDS CALLS]
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
first=${4:-1} count=${5:-6} calls=${6:-1500}
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "random calls" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
for how in --functional "--set sm.count=8"; do
    for ((seed = first; seed < first + count; seed++)); do
        timeout -k 1 60 $maniple run -q --machine rtx3080ti $how -- "$program" $seed $calls >out 2>&1 </dev/null
        status=$?
        [ $status -eq 0 ] || [ $status -eq 2 ] || [ $status -eq 3 ] # 2: something was refused; 3: a kernel hangs
        ok $? "$how, seed $seed: status $status"
        [ $status -le 3 ] || tail -5 out | note
    done
done
tap_end
