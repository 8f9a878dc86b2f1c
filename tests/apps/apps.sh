#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Our own GPU workloads: each finds its results right at a small size, and notices when they are not; wrong arguments.
# Usage: apps.sh MANIPLE SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
source "$folder/sizes.sh"
maniple=$(realpath "$1")
if ! maniple=$(sanitize "$maniple" "$2"); then
    skip "workloads" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
run="$maniple app run"

# ===== each one, without timing =====
names=$($maniple app list | cut -d' ' -f1)
[ "$(echo "$names" | sort)" = "$(app_runs | cut -d' ' -f1 | sort -u)" ]
ok $? "every workload that is listed is tested, and no other"
while read -r name arguments; do
    machine=gtx480
    [[ $arguments == *wmma* ]] && machine=v100
    [[ $name =~ ^(cluster(hist|sum)|wsgemm|groupgemm|attention|tmastencil)$ ]] && machine=h100-pcie
    [[ $name == llama ]] && machine=a100
    [[ $name == tcgemm ]] && machine=b200
    # shellcheck disable=SC2086
    expect 0 "$name $arguments" "^$name: PASS" $run $name $arguments -q --functional --machine $machine
    # Every check must be able to fail: each is given a result in which one value is wrong.
    # shellcheck disable=SC2086
    expect 1 "$name $arguments, spoilt" "^$name: FAIL (0 of" $run $name $arguments -q --functional --machine $machine \
        --sabotage
done < <(app_runs)

# ===== what is said about them =====
quiet=0
for name in $names; do
    $maniple app show "$name" | grep -q -- "  --" || quiet=1
done
ok $quiet "each has sizes and a description"

# ===== arguments =====
expect 0 "a value behind =, and options of run on both sides" "^vecadd: sum: 77 numbers" $run vecadd --functional \
    --size=77 -q --machine=gtx480
expect 0 "arguments behind --" "^vecadd: sum: 78 numbers" $run vecadd --functional -q -- --size 78
expect 2 "no such workload: all are named" 'there is no workload "sgem"; did you mean sgemm? There are: vecadd sgemm' $run sgem
expect 2 "show: no such workload" 'there is no workload "x"' $maniple app show x
expect 2 "no such size" 'sgemm: there is no argument "--sise"; there are: --size' $run sgemm --sise 3
expect 2 "a size that is too small" 'sgemm: --size 0: is no number from 1 to 8192' $run sgemm --size 0
expect 2 "a size that is no number" 'sgemm: --size 1x: is no number' $run sgemm --size 1x
expect 2 "a size that is no multiple" 'vecadd: --block 33: is no multiple of 32 from 32 to 1024' $run vecadd --block 33
expect 2 "no value" 'sgemm: --size: needs a value' $run sgemm --size
expect 2 "no such word" 'gemm: --kernel fast: is none of: naive tiled wmma' $run gemm --kernel fast
expect 2 "sizes that do not go together" 'takes multiples of 16' $run gemm --kernel wmma --m 17 --machine v100
expect 2 "sizes that are too large together" "more than 2.30 bytes" $run sto --chunks 1048576 --bytes 65536
expect 2 "a graph that is too large" "more than 2.26 edges" $run bfs --nodes 16777216 --degree 64
expect 2 "a machine that is too old" 'need compute capability 7.0, and the machine has 2.0' $run gemm --kernel wmma \
    --functional --machine gtx480
# Its sample of cycle 93,856 ends a window before the next edge after a launch.
expect 0 "a sample between a launch and its edge" '' $run aes --blocks 100 --machine rtx4090 --set sm.count=14 --sample 56 \
    --format json
expect 0 "clusters with time" "0 differ: right" $run clusterhist --machine h100-pcie --cluster 16 --clusters 2 \
    --size 2048
# A warp waits for the products of four, one of which ends them in the last cycle before a window's end.
for window in auto 1; do
    $run wsgemm --m 512 --n 192 --k 64 --tile 64 --cluster 4 --blocks 4 --machine h200 --set sm.count=9 --set gpc.count=2 \
        --set partition.count=4 --set l2.halves=2 --set gpc.sms=[] --set gpc.groups=[] --set dram.channels=0 \
        --set l2.half_bits=[] --set launch.kernel=381 --threads 1 --window $window --long -q |\
        grep " issue_slots_" >"$tap_folder/$window"
done
[ -s "$tap_folder/1" ] && cmp -s "$tap_folder/auto" "$tap_folder/1"
ok $? "a product that ends with a window"
expect 2 "a tile that does not fit" '\-\-n: whole tiles are needed; take a multiple of 256' $run wsgemm --tile 256 \
    --n 128 --functional --machine h100-pcie
expect 1 "clusters without a network" "clusters of 8 blocks need a network between SMs.*(sm2sm.lanes); state it, or use" \
    $run clusterhist --machine h100-pcie --set sm2sm.lanes=0
expect 1 "a cluster that fits nowhere, with time" "CUDA_ERROR_INVALID_CLUSTER_SIZE" $run clusterhist \
    --machine h100-pcie --set sm.count=14 --set gpc.count=14 --set gpc.sms=[] --cluster 16 --bins 65536 --clusters 1
expect 1 "a cluster that fits nowhere" "CUDA_ERROR_INVALID_CLUSTER_SIZE" $run clusterhist --functional \
    --machine h100-pcie --set sm.count=14 --set gpc.count=14 --set gpc.sms=[] --cluster 16 --bins 65536 --clusters 1
expect 2 "a machine that does not exist" 'gtx9999' $run vecadd --machine gtx9999
expect 2 "no action" 'say list, show or run' $maniple app
expect 2 "no name" 'name a workload' $maniple app run
expect 2 "too much" 'too much' $maniple app list vecadd
expect 0 "help" 'maniple app run NAME' $maniple app run --help
expect 0 "help about a workload: its sizes" '^  --block ' $maniple app run vecadd --help
tap_end
