#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Kernels and copies that share links beside computed answers, and the same results for every way of running. Usage:
# shared_links.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "kernels and copies over links" "the sanitizer's runtime cannot be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8 --gpus 3 --set host.call=1 --set fabric.kind=nvlink --set fabric.rate=9000"
straight="--set fabric.pairs=[4,4,4]"
switched="--set fabric.switches=[2,2]"

expect 0 "straight links" '^right$' $run $straight -- "$program" 36000 1
$run $switched --threads 1 -o one -- "$program" 36000 0 >one.txt
ok $? "links to switches"
note <one.txt
for how in "--threads 2" "--window 1" --no-skip; do
    # Every cycle takes 19 s.
    [ "$how" != --no-skip ] || [ "${MANIPLE_MATRIX:-}" = full ] || continue
    $run $switched $how -o two -- "$program" 36000 0 >two.txt
    cmp one.txt two.txt &&
        for gpu in gpu0 gpu1 gpu2; do $maniple compare one/$gpu two/$gpu; done >out 2>&1
    [ "$(grep -c '^0 of [0-9]* statistics differ' out)" -eq 3 ]
    ok $? "the same times and results with $how"
done
expect 0 "copies in the report" 'by copy engines' $maniple report one
expect 0 "the report: links and switches" '^right$' python3 "$folder/node_results.py" "$maniple" one report
tap_end
