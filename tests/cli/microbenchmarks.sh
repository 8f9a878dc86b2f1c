#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The microbenchmarks of maniple-tracegen: as many warp instructions as hardware counted for the same programs, and
# times that follow from what bounds them. Usage: microbenchmarks.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder

# counted KIND ARCHITECTURE COUNT KEYS…: COUNT is what Nsight Compute counted on a V100, A100 or H200; 2.5 % are allowed
# for what compilers of different versions put before and after the loops.
counted() {
    local kind=$1 architecture=$2 wanted=$3
    shift 3
    "$tracegen" "$kind" "$work/$kind" arch="$architecture" "$@" >"$work/out" 2>&1
    local got
    got=$(sed -n 's/.* \([0-9]*\) warp instructions/\1/p' "$work/out")
    [ $((got * 1000)) -ge $((wanted * 975)) ] && [ $((got * 1000)) -le $((wanted * 1025)) ]
    ok $? "$kind for $architecture: $got warp instructions, $wanted counted"
}
counted l1_lat 70 31125
counted l1_lat 90 30610
counted l2_lat 70 50216
counted l2_lat 80 58653
counted l2_lat 90 58402
counted shared_lat 70 36981 repeat=2048
counted shared_lat 80 32885
counted shared_lat 90 36986 repeat=2048
counted l1_bw_64f 90 71200
counted shared_bw 80 139584
counted shared_bw 90 271264
counted shared_bank_conflicts 80 92160
counted shared_bank_conflicts 90 104448 option=padded
counted MaxIops_int32 70 134112
counted MaxIops_int32 90 133696

# cycles MACHINE KIND KEYS…, for compute capability $arch (9.0)
cycles() {
    local machine=$1 kind=$2
    shift 2
    "$tracegen" "$kind" "$work/trace" arch="${arch:-90}" "$@" >"$work/out" 2>&1 || return 1
    "$maniple" run -q --machine "$machine" --format gpgpusim "$work/trace/kernelslist.g" |
        sed -n 's/^gpu_tot_sim_cycle = //p' | tail -1
}

# slope KIND KEY LESS MORE LEAST MOST KEYS…: on $machine (h100-sxm), cycles of MORE less those of LESS lie between LEAST and MOST
slope() {
    local kind=$1 key=$2 less=$3 more=$4 least=$5 most=$6 on=${machine:-h100-sxm}
    shift 6
    local difference=$(($(cycles "$on" "$kind" "$key=$more" "$@") - $(cycles "$on" "$kind" "$key=$less" "$@")))
    [ "$difference" -ge "$least" ] && [ "$difference" -le "$most" ]
    ok $? "$kind on $on, $key from $less to $more: $difference cycles, of $least to $most"
}
# 32 warps with a load of 512 bytes each: 128 bytes per cycle. How the warps' ends fall differs by some cycles.
slope l1_bw_128 repeat 64 192 $((128 * 128 * 999 / 1000)) $((128 * 128 * 106 / 100))
# 1,024 lanes of four bytes: 32 cycles.
slope shared_bw repeat 128 384 $((256 * 32)) $((256 * 32 * 112 / 100))
# Eight warps on 16 lanes, four multiply-adds each time: 64 cycles.
slope MaxIops_int32 repeat 128 256 $((128 * 64)) $((128 * 64 * 106 / 100))
# One load of eight bytes after another: the latency of the machine file, which is for four, and two cycles.
slope l1_lat repeat 256 768 $((512 * 32)) $((512 * 33)) pointers=4096 # 32.0 on an H800 and a GH200
slope l2_lat repeat 256 512 $((256 * 248)) $((256 * 262)) pointers=4096

# What bounds programs of the L1, on machines whose chases are published (HPMLL/NVIDIA-Hopper-Benchmark: 32.7 cycles on an A100, 32.0
# on an H800). bounds CHASE SUM: the first in tenths of a cycle, the second the least stall count of compiled code from the sum that
# makes the address to the load.
bounds() {
    local chase=$1 sum=$2
    # 32 warps that follow chains in the L1: a load and the sum that makes its address, which is longer than the 32 cycles that
    # 32 loads of 128 bytes take; a loop of 32 of them adds little.
    slope l1_shared_bw warm 512 1024 $((512 * (chase + 10 * sum) / 10)) $((512 * (chase + 10 * sum) * 105 / 1000)) repeat=32
    # Then a load of each kind: together 64 times 128 bytes, at 128 bytes per cycle for both.
    slope l1_shared_bw repeat 128 384 $((256 * 64 * 999 / 1000)) $((256 * 64 * 102 / 100)) warm=32
    # Four loads of 128 bytes in each of 32 warps, which the barrier before them lets go one after another.
    slope l1_bw_32f repeat 192 320 $((128 * 128 * 999 / 1000)) $((128 * 128 * 103 / 100))
}
arch=80 machine=a100 bounds 327 5
machine=h100-sxm bounds 320 5
machine=h200 bounds 320 5

for kind in mem_lat l1_bw_32f l1_bw_32f_unroll l1_bw_32f_unroll_large l2_bw_32f l2_bw_64f mem_bw l1_shared_bw; do
    case $kind in
    mem_lat) keys=(l2=64KiB repeat=64) ;;
    mem_bw) keys=(l2=64KiB sms=4) ;;
    l2_bw*) keys=(repeat=16 sms=4) ;;
    l1_shared_bw) keys=(repeat=16 warm=16) ;;
    *) keys=(repeat=16) ;;
    esac
    cycles a100 "$kind" "${keys[@]}" >"$work/number" && [ "$(cat "$work/number")" -gt 1000 ]
    ok $? "$kind runs"
done
expect 2 "a matrix that is no multiple of the tile" "is no multiple of 32; choose one that is" \
    "$tracegen" shared_bank_conflicts "$work/odd" n=100
tap_end
