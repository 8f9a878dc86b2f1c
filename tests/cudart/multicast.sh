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
    for part in values threads sum; do
        expect 0 "$part, $gpus GPUs, without time" '^right$' $run --gpus $gpus --functional -- "$program" $part
    done
    for part in values time; do
        expect 0 "$part, $gpus GPUs, with time" '^right$' $run --gpus $gpus -- "$program" $part
    done
done
expect 0 "objects are offered to a process" '^offered: 1$' $run --gpus 3 --functional -- "$program" offered
expect 0 "… and no longer when there are two" '^offered: 1 offered: 0 $' \
    bash -c "$run --gpus 3 --functional -- sh -c '$program offered; $program offered' | tr '\n' ' '"
# Of one GPU and of all at once, by links of 50 GB/s of each GPU to two switches.
expect 0 "bandwidth through switches" '^right$' $run --gpus 3 --set 'fabric.switches=[1,1]' -- "$program" bandwidth 50
if command -v ptxas >/dev/null; then
    expect 0 "machine code of sm_90" '^right$' $run --gpus 3 --functional --code ptxas -- "$program"
    expect 0 "… with time" '^right$' $run --gpus 3 --code ptxas -- "$program"
    expect 0 "machine code of sm_100" '^right$' \
        $maniple run -q --machine dgx-b200 --gpus 2 --functional --code ptxas -- "$program"
else
    skip "machine code" "there is no ptxas"
fi
# A multicast request of a GPU is one packet to a switch, one to each of the three members, and as many replies.
expect 0 "a sum over three GPUs, with time" '^right$' $run --gpus 3 --threads 1 -o first -- "$program" sum
for gpu in gpu0 gpu1 gpu2; do
    awk '{ gsub(",", ""); value[$1] = $2 }
        END { asked = value["fabric_reads"] + value["fabric_writes"]
            exit !(asked == 256 && value["fabric_replies"] == asked && value["fabric_served"] == 3 * asked &&
                value["fabric_packets_out"] == 4 * asked && value["fabric_packets_in"] == 4 * asked &&
                value["switch_packets"] == 4 * asked && value["fabric_data_multicast"] == 16384 &&
                value["fabric_data_out"] == 4 * 16384 && value["fabric_data_in"] == 4 * 16384) }' "first/$gpu/stats.txt"
    ok $? "packets and data of $gpu are those that leave and arrive"
done
compare_with() { # OPTIONS RUN…: a run of the sum beside the one in the folder first
    local how=$1
    shift
    # shellcheck disable=SC2086
    "$@" --gpus 3 $how -o other -- "$program" sum >out 2>&1 &&
        for gpu in gpu0 gpu1 gpu2; do $maniple compare first/$gpu other/$gpu; done >out 2>&1
    [ "$(grep -c '^0 of [0-9]* statistics differ' out)" -eq 3 ]
    ok $? "the same with $how"
    note <out
}
for how in "--threads 2" "--window 1" "--executor lockstep --threads 2"; do
    compare_with "$how" $run
done
# Every cycle of three whole GPUs takes nine seconds.
few="$run --set sm.count=4 --set gpc.count=2 --set gpc.sms=[] --set gpc.groups=[]"
$few --gpus 3 -o first -- "$program" sum >/dev/null
compare_with --no-skip $few
for threads in 1 2 1 2; do
    $few --gpus 2 --threads $threads -o states.$threads -- "$program" one >/dev/null
    grep 'state hash' states.$threads/stats.txt
done >hashes
[ "$(grep -c . hashes)" -eq 4 ] && [ "$(sort -u hashes | grep -c .)" -eq 1 ]
ok $? "the same state of four runs behind a load by one thread"
note <hashes
$few --gpus 2 -o threads -- "$program" threads >/dev/null
grep -q 'several threads of the program have called' threads/results.json
ok $? "results say that several threads have called"
for fault in load atomic unbound unmapped bulk bulkload bulkreduce; do
    for way in --functional --threads=1; do
        expect 2 "a fault: $fault, $way" 'an access to a multicast object, which takes stores' \
            $run --gpus 2 $way -- "$program" $fault
        grep -q '^right$' out
        ok $? "… and the program's status"
    done
done
expect 2 "a fault: outside of the object" '^right$' $run --gpus 2 --functional -- "$program" outside
expect 2 "switches that do not multicast" 'no switch of this machine multicasts' \
    $maniple run -q --machine dgx-a100 --gpus 2 --functional -- "$program" calls
expect 2 "straight links" 'straight links do not multicast' $maniple run -q --machine h100-sxm --gpus 2 \
    --set fabric.kind=nvlink --set 'fabric.pairs=[4]' --set fabric.multicast=true --functional -- "$program" calls
tap_end
