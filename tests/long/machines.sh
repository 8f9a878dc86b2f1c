#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The contract on every machine of a GPU: real traces where they are at hand ($MANIPLE_TRACES), otherwise generated ones,
# give the same bytes of all statistics and of every epoch's hash, in whatever way they are run.
# Usage: machines.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder

same() { # MACHINE LIST
    local run=("$maniple" run -q --hash --machine "$1" --unknown alu) name
    name="$(basename "$(dirname "$2")") on $1"
    if ! "${run[@]}" --executor serial --threads 1 --window 1 "$2" >"$work/reference" 2>"$work/error" &&
        grep -q "which this machine lacks" "$work/error"; then
        skip "$name" "$(head -1 "$work/error")"
        return
    fi
    [ -s "$work/reference" ]
    ok $? "$name: reference"
    note <"$work/error"
    local variant
    while read -r variant; do
        # shellcheck disable=SC2086
        "${run[@]}" $variant "$2" >"$work/variant" 2>"$work/error"
        cmp -s "$work/reference" "$work/variant"
        ok $? "$name: $variant"
    done <<'VARIANTS'
--threads 1
--threads 2 --schedule cost
--threads 5 --schedule dynamic --window 7
--threads 7 --schedule static
--executor lockstep --threads 2
--executor domains --threads 3
--executor pool --threads 2
VARIANTS
}

lists=()
for trace in "${MANIPLE_TRACES:-none}"/*/kernelslist.g; do
    [ -e "$trace" ] && lists+=("$trace")
done
if [ ${#lists[@]} -eq 0 ]; then
    for kind in mix gather atomics; do
        "$tracegen" "$kind" "$work/$kind" >"$work/out" 2>&1
        lists+=("$work/$kind/kernelslist.g")
    done
fi
machines=$("$maniple" machines | awk '$2 ~ /^sm_/ { print $1 }')
ok "$([ "$(echo "$machines" | wc -w)" -ge 9 ]; echo $?)" "at least nine machines"
for machine in $machines; do
    for list in "${lists[@]}"; do
        same "$machine" "$list"
    done
done
tap_end
