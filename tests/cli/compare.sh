#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# maniple compare: equal runs, runs that differ and should not, runs that may differ, and inputs that are no results.
# Usage: compare.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
cd "$tap_folder" || exit 1
export TMPDIR=$tap_folder

run() { # FOLDER OPTIONS…
    local folder=$1
    shift
    "$maniple" run -q --machine rtx3070 --set sm.count=4 --set gpc.count=2 -o "$folder" "$@" >out 2>&1
    ok $? "run $folder"
    note <out >notes
}
"$tracegen" matmul matmul >out 2>&1
"$tracegen" atomics atomics >out 2>&1
run serial --executor serial --window 1 matmul/kernelslist.g
run lockstep --executor lockstep --threads 2 matmul/kernelslist.g
run relaxed --executor relaxed:300 matmul/kernelslist.g
run safe --executor relaxed:2 matmul/kernelslist.g
run smaller --set sm.l1d.mshrs=8 matmul/kernelslist.g
run atomic atomics/kernelslist.g

expect 0 "equal runs" "All but the description of the runs is equal" "$maniple" compare serial lockstep
expect 0 "their speed" "times as fast in wall time" "$maniple" compare serial lockstep
expect 0 "a file instead of a folder" "executor lockstep, 2 threads" "$maniple" compare serial lockstep/results.json
for name in gpu_sim_cycle L1I_total_cache_accesses L2_total_cache_accesses icnt_total_pkts_mem_to_simt \
    total_dram_reads gpgpu_n_tot_w_icount; do
    expect 0 "$name is one of the six" "^  $name .*  0$" "$maniple" compare serial lockstep
done
expect 0 "equal statistics are shown when asked for" "^  gpu_ipc .*  0$" "$maniple" compare --all serial lockstep
expect 0 "relaxed windows that are safe" "is equal" "$maniple" compare serial safe
expect 0 "relaxed windows may differ" "no fault: a run was relaxed" "$maniple" compare serial relaxed
expect 0 "and say by how much" "^  gpu_sim_cycle .*[+-][0-9.]* %$" "$maniple" compare serial relaxed
expect 0 "other machines" "no fault: the machines differ" "$maniple" compare serial smaller
expect 0 "and say in which keys" "^  sm.l1d.mshrs  *[1-9][0-9]*  *8$" "$maniple" compare serial smaller
awk '/^  [a-z]/ { seen[$1] = 1 } END { for (name in seen) if (name !~ /_per_unit$/ && seen[name "_per_unit"]) exit 1 }' out
ok $? "and no statistic twice, as a sum and by unit"
[ "$(sed -n '/^  Keys of the machines/,/^$/p' out | grep -c '^  [a-z]')" -eq 1 ]
ok $? "and in no other"
expect 2 "a folder without results" ": error: .: has no results.json; give a folder" "$maniple" compare . serial
expect 2 "other inputs are refused" "are runs of different inputs (.*matmul/kernelslist.g, 1 kernels; .*" "$maniple" compare serial atomic

# Runs of two GPUs: each has a folder.
mkdir two same three
cp -r serial two/gpu0 && cp -r serial two/gpu1 && cp -r lockstep same/gpu0 && cp -r relaxed same/gpu1
cp -r serial three/gpu0
expect 0 "runs of two GPUs: the first" "^GPU 0$" "$maniple" compare two same
[ "$(grep -c 'All but the description of the runs is equal' out)" -eq 1 ] && grep -q "^GPU 1$" out && grep -q "no fault: a run was relaxed" out
ok $? "and the second"
expect 2 "runs of one and two GPUs" "two has results of 2 GPUs and three of 1; compare runs of as many" "$maniple" compare two three
expect 2 "a run of two GPUs and one of a GPU alone" "of 2 GPUs and serial of 1; .* such as two/gpu0" "$maniple" compare two serial

# One digit of one statistic.
mkdir changed lacking
sed '/"total": {/,$ s/\("gpu_sim_cycle": {"value": \)/\19/' serial/results.json >changed/results.json
expect 1 "a difference that should not be" "They should be equal" "$maniple" compare serial changed
expect 1 "names its section" "Sections that differ: total" "$maniple" compare serial changed
sed 's/"L2_total_cache_misses"/"no_such_statistic"/' serial/results.json >lacking/results.json
expect 1 "a statistic that is missing" "L2_total_cache_misses  *only in A" "$maniple" compare serial lacking
expect 1 "a statistic too many" "no_such_statistic  *only in B" "$maniple" compare serial lacking

# Where they part. Row 5 of a table is the fourth epoch; its eighth column is the sixth unit.
for each in serial lockstep; do
    run "$each-hashed" --hash --executor $each --threads 2 matmul/kernelslist.g
done
cmp -s serial-hashed/epochs.csv lockstep-hashed/epochs.csv
ok $? "the hashes of all units at all epochs are equal"
cp -r changed parted
awk -F, -v OFS=, 'NR == 5 { $8 = "0000000000000001" } { print }' serial-hashed/epochs.csv >parted/epochs.csv
unit=$(head -1 serial-hashed/epochs.csv | cut -d, -f8)
time=$(sed -n 5p serial-hashed/epochs.csv | cut -d, -f1)
before=$(sed -n 4p serial-hashed/epochs.csv | cut -d, -f1)
expect 1 "the first epoch and unit in which states differ" \
    "in the epoch that ends at $time fs (they agree at $before fs), in: $unit\$" "$maniple" compare serial-hashed parted
expect 1 "no hashes" "is told when both were made with --hash" "$maniple" compare serial parted

expect 2 "no such folder" "No such file" "$maniple" compare serial nowhere
expect 2 "one result" "takes two results, not 1" "$maniple" compare serial
expect 2 "three results" "takes two results, not 3" "$maniple" compare serial serial serial
echo "{" >broken
expect 2 "no JSON" "is not JSON" "$maniple" compare serial broken
echo "{}" >other
expect 2 "other JSON" "is not maniple-results-1" "$maniple" compare other serial
echo '{"format": "maniple-results-1"}' >empty
expect 0 "results of nothing" "0 of 0 statistics differ" "$maniple" compare empty empty

# Two option sets, run now.
expect 0 "runs in turns" "^  speed-up of B, wall" "$maniple" compare --repeat 2 -A "--machine rtx3070 --executor serial" \
    -B "--machine rtx3070  --executor lockstep --threads 2" atomics/kernelslist.g
grep -q "All but the description of the runs is equal" out
ok $? "and their results are equal"
expect 0 "in turns, relaxed" "no fault" "$maniple" compare -A "--machine rtx3070" \
    -B "--machine rtx3070 --executor relaxed:64" atomics/kernelslist.g
grep -q "^The states part in the epoch that ends at" out
ok $? "and where they part"
expect 2 "a bad option of one" "ended with exit status 2" "$maniple" compare -A "--thraeds 2" -B "" \
    atomics/kernelslist.g
expect 2 "no repetitions" "from 1 to" "$maniple" compare --repeat 0 -A "" -B "" atomics/kernelslist.g
expect 2 "nothing to repeat" "state with -A and -B" "$maniple" compare --repeat 2 serial lockstep
expect 2 "no input" "one input" "$maniple" compare -A "" -B ""
expect 2 "one option set" "takes both" "$maniple" compare -A "" atomics/kernelslist.g
left=$(find . -maxdepth 1 -name 'maniple-*' | wc -l)
ok "$left" "no temporary folder is left behind"

"$maniple" run -q --machine rtx3070 --set sm.count=4 --set gpc.count=2 --max-cycles 3000 -o cut matmul/kernelslist.g >out 2>&1
expect 0 "a partial run beside a whole one is said first" 'A ended by "finished" and B by "limit": counts and times' "$maniple" compare serial cut
tap_end
