#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Copies between GPUs over links beside computed answers, and the same results for any number of threads. Usage: link_copies.sh
# MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "copies over links" "the sanitizer's runtime cannot be in the program"
    tap_end
    exit
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --set sm.count=8 --gpus 3 --set host.call=1 --set fabric.kind=nvlink"
straight="--set fabric.pairs=[4,4,4]"
switched="--set fabric.switches=[2,2]"

# 4 links of 9,000 bytes a microsecond carry 32,000 of data, with a header of 16 bytes for each 128.
expect 0 "straight links" '^right$' $run $straight --set fabric.rate=9000 -- "$program" 32000 2750 3 1
expect 0 "links to switches" '^right$' $run $switched --set fabric.rate=9000 -- "$program" 32000 2750 3 0
expect 0 "another latency and number of engines" '^right$' \
    $run $switched --set fabric.rate=9000 --set fabric.copy_latency=900 --set fabric.copy_engines=2 -- "$program" 32000 900 2 0
expect 0 "packets of 256 bytes" '^right$' \
    $run $straight --set fabric.rate=8500 --set fabric.copy_payload=256 -- "$program" 32000 2750 3 1
$run $switched --set fabric.rate=9000 --threads 1 -o one -- "$program" 32000 2750 3 0 >one.txt
for how in "--threads 2" --no-skip; do
    $run $switched --set fabric.rate=9000 $how -o two -- "$program" 32000 2750 3 0 >two.txt
    cmp one.txt two.txt && $maniple compare one/gpu0 two/gpu0 | grep -q '^0 of [0-9]* statistics differ'
    ok $? "the same times and results with $how, beside a kernel"
done
tap_end
