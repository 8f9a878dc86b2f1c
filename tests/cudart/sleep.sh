#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# nanosleep takes time where a run has time, the same in every way of running. Usage: sleep.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "nanosleep" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8"
for code in sleep.ptx sleep.sm_86.cubin; do
    $run -- "$program" "$folder/$code" >first 2>&1
    ok $? "$code: a sleep is as long as it was asked for"
    note <first
    for how in --no-skip "--window 1" "--threads 2" "--executor lockstep"; do
        $run $how -- "$program" "$folder/$code" 2>&1 | diff first - | note
        [ "${PIPESTATUS[1]}" -eq 0 ]
        ok $? "$code: the same with $how"
    done
    expect 0 "$code: the longest sleep" '^asked for 4294967295: 10000' $run -- "$program" "$folder/$code" longest
    expect 0 "$code: without time it takes none" '^counted 64$' $run --functional -- "$program" "$folder/$code" without
done
tap_end
