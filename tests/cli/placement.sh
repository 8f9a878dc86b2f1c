#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# --cpus, and what -v tells of threads: lists that are wrong, masks that others have set, more threads than processors.
# Usage: placement.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
cd "$tap_folder" || exit 1

"$tracegen" matmul matmul n=64 >out 2>&1
run=("$maniple" run --machine rtx3070 matmul/kernelslist.g)
usable=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status)
first=${usable%%[-,]*}
"${run[@]}" -q --threads 1 >reference

expect 0 "the processors in use" "placement: processors $usable may be used" "${run[@]}" -v
expect 0 "one of them" "placement: processors $first may be used" "${run[@]}" -v --cpus "$first"
expect 0 "one thread then" "on 1 thread," "${run[@]}" -v --cpus "$first"
expect 0 "or more where that is wanted" "2 threads, not bound: there are more of them than processors" \
    "${run[@]}" -v --cpus "$first" --threads 2 --schedule dynamic
expect 0 "the other executors' threads" "not bound: this executor leaves them to the system" \
    "${run[@]}" -v --executor lockstep --threads 2
"${run[@]}" -q --cpus "$first" --threads 3 >out
cmp -s reference out
ok $? "which changes no statistic"

expect 2 "no such processor" "this host has no processor 1023" "${run[@]}" --cpus "$first,1023"
expect 2 "no list" "\"x\" is not a whole number" "${run[@]}" --cpus "$first,x"
expect 2 "a range backwards" "ends before it begins" "${run[@]}" --cpus 1-0
if [ "$usable" = "$first" ]; then
    skip "a processor that is not ours" "there is one alone"
else
    last=${usable##*[-,]}
    expect 2 "a processor that is not ours" "may not use processor $first .*choose among $last" \
        taskset -c "$last" "${run[@]}" --cpus "$first"
    expect 0 "a mask that was set" "placement: processors $last may be used" taskset -c "$last" "${run[@]}" -v
fi
tap_end
