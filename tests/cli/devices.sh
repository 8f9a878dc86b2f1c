#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Several GPUs in one run: a folder of results for each, which are those of its trace alone; and what is refused.
# usage: devices.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$1 tracegen=$2 work=$tap_folder
"$tracegen" gather "$work/a" >"$work/log" && "$tracegen" vectoradd "$work/b" n=2000 >"$work/log"
a=$work/a/kernelslist.g b=$work/b/kernelslist.g
common=(--machine rtx3070 --set sm.count=8 --set gpc.count=2 --sample 500 -q)

run() { # NAME OPTION...
    "$maniple" run "${common[@]}" -o "$work/$1" "${@:2}" >"$work/$1.out"
}

run alone0 "$a" && run alone1 "$b" && run both --set gpu.devices=2 "$a" "$b"
ok $? "two traces run on two GPUs"
for device in 0 1; do
    for file in stats.txt machine.resolved samples.csv; do
        diff <(grep -v '^State hash' "$work/alone$device/$file") <(grep -v '^State hash' "$work/both/gpu$device/$file") \
            >"$work/difference"
        ok $? "gpu $device has the $file of its trace alone"
        head -5 "$work/difference" | note
    done
    expect 0 "gpu $device can be compared with its trace alone" "" "$maniple" compare "$work/alone$device" \
        "$work/both/gpu$device"
done
expect 0 "a GPU has a report" "vectoradd" "$maniple" report "$work/both/gpu1"
expect 2 "the whole has none" "share no links .fabric.kind.; report on the folder of one of them" "$maniple" report "$work/both"
expect 2 "two GPUs are not compared with one" "both has results of 2 GPUs and .*gpu0 of 1; compare .* such as .*gpu0" \
    "$maniple" compare "$work/both" "$work/both/gpu0"
expect 2 "results.json is not compared" "has the results of several GPUs; give the folder of one of them" \
    "$maniple" compare "$work/both/results.json" "$work/both/gpu0"
run threads --set gpu.devices=2 --threads 2 --window 1 "$a" "$b" && diff "$work/both/stats.txt" "$work/threads/stats.txt" |
    note
diff -q "$work/both/stats.txt" "$work/threads/stats.txt" >/dev/null
ok $? "threads and windows change nothing, the state hash included"
expect 0 "results.json has both" '"devices": 2' cat "$work/both/results.json"
expect 0 "the resolved machine says so" "devices = 2; // --set" cat "$work/both/machine.resolved"
expect 0 "and reads as a machine" "devices = 2" "$maniple" machine show "$work/both/machine.resolved"
expect 1 "one GPU is not spoken of" "" grep -E "devices|fabric" "$work/alone0/machine.resolved" "$work/both/gpu0/machine.resolved"
expect 0 "text names the GPUs" "gpu 1: .*/b/kernelslist.g" cat "$work/both.out"

expect 2 "fewer traces than GPUs" "give one for each GPU, or --set gpu.devices=1" "$maniple" run "${common[@]:0:6}" \
    --set gpu.devices=2 "$a"
expect 2 "more traces than GPUs" "give one for each GPU, or --set gpu.devices=2" "$maniple" run "${common[@]:0:6}" "$a" "$b"
expect 2 "more GPUs than there can be" "gpu.devices" "$maniple" run --machine rtx3070 --set gpu.devices=99 "$a"
expect 2 "a fabric that is not there" "fabric.kind = nvlink9 is not known; .*did you mean .nvlink." "$maniple" run --machine rtx3070 --set fabric.kind=nvlink9 "$a"
expect 2 "links without a fabric" "fabric.pairs.*changes nothing, since fabric.kind is none" "$maniple" run --machine rtx3070 \
    --set gpu.devices=2 --set 'fabric.pairs=[4]' "$a" "$b"
expect 2 "a node without a trace for each GPU" "gpu.devices is 8, and there is 1 input" "$maniple" run -q --machine dgx-v100 "$b"
expect 0 "some GPUs of a node" "fabric_mean_latency" "$maniple" run -q --long --machine dgx-v100 --gpus 2 "$b" "$b"
expect 2 "more GPUs than a node has" "gpus 9: takes the first GPUs of a machine, and dgx-v100 has 8" "$maniple" run --machine dgx-v100 --gpus 9 "$b"
expect 0 "any number of a machine that is no node" "" run six --gpus 6 "$b" "$b" "$b" "$b" "$b" "$b"
for option in --kernels=1 --snapshot="$work/snapshot"; do
    expect 2 "$option with two GPUs" "${option%%=*}.*use one device" "$maniple" run --machine rtx3070 --set gpu.devices=2 \
        "$option" "$a" "$b"
done
tap_end
