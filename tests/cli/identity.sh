#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The contract from outside: the same bytes of all statistics and of every epoch's hash for any threads, window,
# schedule and executor, and when every cycle is visited; on generated traces, and on real ones where they are at hand.
# machines.py has every machine.
# Usage: identity.sh MANIPLE TRACEGEN [FOLDER-OF-REAL-TRACES]; a seventeenth of the variants, or all with MANIPLE_MATRIX=full
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
real=${3:-}
work=$tap_folder

# An executor that may not be built.
same_openmp() { # COMMAND… -- NAME
    local run=("${@:1:$#-2}") name=${*: -1}
    local variant
    for variant in "--schedule static" "--schedule dynamic --chunk 4"; do
        in_turn 17 || continue
        # shellcheck disable=SC2086
        if "${run[@]}" --executor openmp --threads 2 $variant >"$work/variant" 2>"$work/error"; then
            cmp -s "$work/reference" "$work/variant"
            ok $? "$name: openmp $variant"
        elif grep -q "built without OpenMP" "$work/error"; then
            skip "$name: openmp $variant" "built without OpenMP"
        else
            ok 1 "$name: openmp $variant"
        fi
    done
}

# Relaxed windows change statistics, but with their length alone.
relaxed() {
    local list=$1 machine=$2 name
    name="$(basename "$(dirname "$list")") on $machine, relaxed"
    local run=("$maniple" run -q --hash --machine "$machine" --executor relaxed:200)
    "${run[@]}" --threads 1 "$list" >"$work/reference" 2>"$work/error"
    "${run[@]}" --threads 3 "$list" >"$work/variant" 2>>"$work/error"
    cmp -s "$work/reference" "$work/variant"
    ok $? "$name: repeatable on 3 threads"
    note <"$work/error"
    "$maniple" run -q --hash --machine "$machine" "$list" >"$work/variant" 2>/dev/null
    ! cmp -s "$work/reference" "$work/variant"
    ok $? "$name: windows beyond the lookahead do change results"
}

# same LIST MACHINE EXTRA-OPTIONS…: the reference is serial, in windows of one cycle.
same() {
    local list=$1 machine=$2 name
    shift 2
    name="$(basename "$(dirname "$list")") on $machine"
    local run=("$maniple" run -q --machine "$machine" "$@")
    "${run[@]}" --executor serial --threads 1 --window 1 "$list" >"$work/reference" 2>"$work/error"
    ok $? "$name: reference"
    note <"$work/error"
    local variant sms even odd
    sms=$("$maniple" machine show "$machine" | awk '/^sm: / { inside = 1 } inside && $1 == "count" { print $3 + 0; exit }')
    even=$(seq -s, 0 2 $((sms - 1)))
    odd=$(seq -s, 1 2 $((sms - 1)))
    while read -r variant; do
        in_turn 17 || continue
        variant=${variant//EVEN/$even}
        variant=${variant//ODD/$odd}
        # shellcheck disable=SC2086
        "${run[@]}" $variant "$list" >"$work/variant" 2>/dev/null
        cmp -s "$work/reference" "$work/variant"
        ok $? "$name: ${variant% --assign*}$(case $variant in *--assign*) echo " --assign …" ;; esac)"
    done <<'VARIANTS'
--executor serial --threads 1
--threads 1 --window 5
--threads 2 --schedule cost
--threads 3 --schedule static
--threads 4 --schedule dynamic --window 5
--threads 7 --schedule dynamic
--threads 16 --schedule static --window 1
--threads 16 --schedule cost
--threads 2 --executor lockstep
--threads 3 --executor domains
--threads 3 --executor pool
--threads 2 --executor lockstep --assign EVEN/ODD
--threads 3 --executor domains --assign EVEN/ODD
--threads 2 --executor relaxed:4
VARIANTS
    same_openmp "${run[@]}" "$list" -- "$name"
}

# The same with every cycle visited: small machines, because that takes its time.
no_skip() {
    local list=$1 machine=$2 name
    name="$(basename "$(dirname "$list")") on $machine, every cycle visited"
    local run=("$maniple" run -q --machine "$machine" --set sm.count=6 --set gpc.count=2 --set partition.count=3
        --set launch.kernel=200)
    "${run[@]}" --hash --executor serial "$list" >"$work/reference" 2>"$work/error"
    "${run[@]}" --hash --executor serial --no-skip "$list" >"$work/variant" 2>>"$work/error"
    cmp -s "$work/reference" "$work/variant"
    ok $? "$name"
    "${run[@]}" --hash --threads 4 --schedule dynamic --no-skip "$list" >"$work/variant" 2>>"$work/error"
    cmp -s "$work/reference" "$work/variant"
    ok $? "$name, 4 threads"
    note <"$work/error"
}

for kind in matmul reduction gather atomics mix multi chase; do
    "$tracegen" "$kind" "$work/$kind" >"$work/out" 2>&1
    ok $? "maniple-tracegen $kind"
    same "$work/$kind/kernelslist.g" rtx3070
    no_skip "$work/$kind/kernelslist.g" rtx3070
done
same "$work/matmul/kernelslist.g" h100-pcie
same "$work/multi/kernelslist.g" h100-pcie --hash
no_skip "$work/multi/kernelslist.g" h100-pcie
relaxed "$work/matmul/kernelslist.g" rtx3070
relaxed "$work/multi/kernelslist.g" h100-pcie
for trace in bfs-rodinia-2.0-ft vectoradd-50000; do
    if [ -n "$real" ] && [ -e "$real/$trace/kernelslist.g" ]; then
        for machine in rtx3070 h100-pcie; do
            same "$real/$trace/kernelslist.g" "$machine"
        done
    else
        skip "$trace" "the real traces are not at hand"
    fi
done
tap_end
