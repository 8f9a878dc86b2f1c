#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Multicast objects: values, calls that fail and threads on two and four GPUs, as PTX and as machine code; faults and refusals
# by name. Usage: multicast.sh MANIPLE PROGRAM SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
program=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "multicast objects" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine dgx-h100"

for gpus in 2 4; do
    expect 2 "calls that fail, $gpus GPUs" '^right$' $run --gpus $gpus --functional -- "$program" calls
    for part in values threads; do
        expect 0 "$part, $gpus GPUs, without time" '^right$' $run --gpus $gpus --functional -- "$program" $part
    done
done
if command -v ptxas >/dev/null; then
    expect 0 "machine code of sm_90" '^right$' $run --gpus 3 --functional --code ptxas -- "$program"
    expect 0 "machine code of sm_100" '^right$' \
        $maniple run -q --machine dgx-b200 --gpus 2 --functional --code ptxas -- "$program"
else
    skip "machine code" "there is no ptxas"
fi
for fault in load atomic unbound unmapped; do
    expect 0 "a fault: $fault" 'an access to a multicast object, which takes stores' \
        $run --gpus 2 --functional -- "$program" $fault
    grep -q '^right$' out
    ok $? "… and the program's status"
done
expect 0 "a fault: outside of the object" '^right$' $run --gpus 2 --functional -- "$program" outside
expect 2 "switches that do not multicast" 'no switch of this machine multicasts' \
    $maniple run -q --machine dgx-a100 --gpus 2 --functional -- "$program" calls
expect 2 "straight links" 'straight links do not multicast' $maniple run -q --machine h100-sxm --gpus 2 \
    --set fabric.kind=nvlink --set 'fabric.pairs=[4]' --set fabric.multicast=true --functional -- "$program" calls
tap_end
