#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Values that need not be there: --values needed computes what addresses and branches depend on, and every cycle and counter
# is that of the whole run; --between skip leaves launches out.
# Usage: values.sh MANIPLE APPS TRACEGEN SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
apps=$(realpath "$2")
tracegen=$(realpath "$3")
if ! maniple=$(sanitize "$maniple" "$4"); then
    skip "values that are not computed" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run --machine rtx3080ti --set sm.count=8 --threads 1"

same() { # A B: but for values, no statistic differs
    $maniple compare "$1" "$2" >compared 2>&1 && grep -q '^0 of [0-9]* statistics differ' compared &&
        grep -q 'no fault: one run computed what is needed alone' compared
}

# ===== time is the same =====
# Products by tensor cores; barriers and shuffles; divergence by places alone; divisions, whose
# slow paths are parts of them; loops whose ends are data (everything is computed there); atomics that others wait for.
while read -r machine work; do
    $run --machine $machine -q -o all -- "$apps" run $work >/dev/null
    $run --machine $machine -q -o needed --values needed -- "$apps" run $work >out 2>err
    [ $? = 0 ] && same all needed
    ok $? "$machine, $work: cycles and counters are those of the whole run"
done <<'END'
a100 llama --tokens 128 --hidden 128 --feed 128
rtx3080ti reduction --size 20000
rtx3080ti pathfinder
rtx3080ti srad --width 64 --height 64 --steps 2
rtx3080ti histogram --size 5000 --blocks 8
rtx3080ti lastblock --size 5000 --blocks 8
h100-sxm wsgemm
END
$run --machine a100 -q -o one --values needed -- "$apps" run llama --tokens 128 --hidden 128 --feed 128 >/dev/null
$run --machine a100 -q -o two --values needed --threads 2 --schedule dynamic -- "$apps" run llama --tokens 128 --hidden 128 --feed 128 >/dev/null
$maniple compare one two >out 2>&1
ok $? "the same bytes on two threads, the state hash among them"

# ===== nothing is computed that is not needed, and that is told =====
product="$apps run gemm --m 64 --n 64 --k 64 --kernel tiled"
expect 0 "a program of ours says that it checks nothing" '^gemm: not checked: ' $run --values needed -o short -- $product
grep -q 'warning: --values needed: what neither addresses nor branches depend on has not been computed' out &&
    grep -q '^Values that kernels have computed: needed$' out && grep -q '"values": "needed"' short/results.json
ok $? "it is in a warning, in the text and in results.json"
$run -q -o long -- $product >/dev/null
! grep -q '"values":' long/results.json
ok $? "results of a run with all values do not speak of them"
expect 0 "addresses out of memory" 'warning: --values needed: addresses or branches of kernel .*nw.* depend on global memory' $run --values needed -- "$apps" run nw --size 32
expect 0 "data decide on addresses" 'warning: --values needed: all values of kernel .*histogram.* are computed' $run --values needed -- "$apps" run histogram --size 5000 --blocks 8
$run -q --functional -o all -- $product >/dev/null
$run -q --functional --values needed -o needed -- $product >/dev/null
same all needed
ok $? "without time: as many instructions"

# ===== stretches that are passed over =====
steady="--steady --set sm.steady.period=8192 --set sm.steady.detail=1024 --set sm.steady.warm=256"
product="$apps run gemm --m 64 --n 64 --k 256 --kernel tiled"
$run -q $steady -o all -- $product >/dev/null
$run -q $steady --values needed -o needed -- $product >/dev/null
same all needed
ok $? "--steady: the same estimate"

# ===== launches that are left out =====
steps="$apps run backprop --size 512 --rounds 4"
$run -q -o all -- $steps >/dev/null
expect 0 "--between skip" 'warning: --kernels 1: .* launches were not executed' $run --kernels 1 --between skip -o first -- $steps
python3 - <<'PYTHON'
import json
all, first = (json.load(open(folder + "/results.json"))["kernels"] for folder in ("all", "first"))
assert len(first) == 1 and first[0]["statistics"]["gpu_sim_cycle"] == all[0]["statistics"]["gpu_sim_cycle"], first
PYTHON
ok $? "the first launch takes the cycles that it takes in the whole run"

# ===== refusals =====
expect 2 "no such word" 'did you mean needed' $run --values neded -- $product
expect 2 "with --check" 'leave --values needed out' $run --functional --check race --values needed -- $product
"$tracegen" vectoradd adds arch=86 n=1000 >/dev/null
expect 2 "a trace" 'leave it out' $run --values needed adds/kernelslist.g
tap_end
