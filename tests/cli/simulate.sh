#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs of generated traces from outside: outputs, folders, limits, interrupts. Usage: simulate.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder
run="$maniple run --machine rtx3070 -qq"

"$tracegen" vectoradd "$work/trace" >"$work/out" 2>&1
ok $? "maniple-tracegen writes a trace"
note <"$work/out"
list=$work/trace/kernelslist.g

expect 0 "text" "State hash [0-9a-f]" $run "$list"
expect 0 "json" '"format": "maniple-results-1"' $run --format json "$list"
python3 -m json.tool "$work/out" >/dev/null
ok $? "which is well-formed"
expect 0 "gpgpusim" "^gpu_tot_sim_cycle = [1-9]" $run --format gpgpusim "$list"
tail -4 "$work/out" | grep -q gpgpu_simulation_rate
ok $? "with the host's lines last"
expect 0 "epoch hashes" "^epoch [0-9]* fs [0-9a-f]*$" $run --hash "$list"

expect 0 "a folder of results" "" $run -o "$work/deep/folder" "$list"
[ -s "$work/deep/folder/results.json" ] && [ -s "$work/deep/folder/stats.txt" ] && [ -s "$work/deep/folder/machine.resolved" ]
ok $? "holds results.json, stats.txt and machine.resolved"
$run --long "$list" | diff - "$work/deep/folder/stats.txt" >/dev/null
ok $? "stats.txt is the text of standard output"
cp "$work/deep/folder/machine.resolved" "$work/again.cfg"
expect 0 "machine.resolved is a machine file" "" $maniple run --machine "$work/again.cfg" -q -o "$work/again" "$list"
diff <(sed '1,/^State hash/!d; /^Machine/d' "$work/again/stats.txt") \
    <(sed '/^Machine/d' "$work/deep/folder/stats.txt") >/dev/null
ok $? "of the same machine"
# With another clock the latencies remain those that were measured with the file's own.
slow="clock.core=345MHz"
expect 0 "a slower core" "" $run --set $slow -o "$work/slow" "$list"
cp "$work/slow/machine.resolved" "$work/slow.cfg"
printf 'machine: { extends = "rtx3070"; };\nclock: { core = "345MHz"; };\n' >"$work/extends.cfg"
for again in slow extends; do
    diff <($maniple run -q --long --machine "$work/$again.cfg" "$list" | sed '/^Machine/d') \
        <(sed '/^Machine/d' "$work/slow/stats.txt") >/dev/null
    ok $? "the same core stated by $again.cfg"
done
expect 0 "latencies of a slower core" "" $run --set $slow --set latency.clock.core=345MHz -o "$work/slower" "$list"
grep -q ' kernel_launch_cycle  *1,524 ' "$work/slow/stats.txt" &&
    grep -q ' kernel_launch_cycle  *5,000 ' "$work/slower/stats.txt"
ok $? "are in its cycles, where they were 5,000 of 1132 MHz: 1,524 of 345 MHz"
expect 2 "a folder that cannot be made" "cannot make this folder" $run -o /proc/nothing/here "$list"
expect 2 "a file in place of the folder" "is not a folder" $run -o "$list" "$list"
mkdir -p "$work/full" && ln -s /dev/full "$work/full/stats.txt"
expect 2 "a full disk" "No space left on device" $run -o "$work/full" "$list"
[ ! -e "$work/full/results.json" ] && [ ! -e "$work/full/machine.resolved" ]
ok $? "leaves nothing half-written"
if [ "$(id -u)" -ne 0 ]; then
    mkdir "$work/readonly" && chmod 555 "$work/readonly"
    expect 2 "an unwritable folder" "cannot write into this folder" $run -o "$work/readonly" "$list"
fi
$run --format json "$list" >/dev/full 2>"$work/out"
ok $(($? == 2 ? 0 : 1)) "a full disk under standard output is an error"

expect 3 "a limit of cycles" "the results are partial" $run --max-cycles 100 "$list"
expect 3 "with partial results" '"end": "limit"' $run --max-cycles 100 --format json "$list"
sed 'p;p' "$list" | grep -v Memcpy >"$work/trace/three.g"
expect 0 "launches of a list" "" $run --kernels 1,3 --format json "$work/trace/three.g"
[ "$(grep -E '^      "id": ' "$work/out" | tr -dc '0-9\n' | paste -sd' ')" = "1 3" ]
ok $? "are those that were asked for, by their numbers"
expect 2 "a launch that is not there" "there is no launch 1000" $run --kernels 1000 "$list"
expect 2 "a window that is not safe" "" $run --window 4000000000 "$list"
expect 2 "an unknown key" "did you mean sm.count?" $run --set sm.cuont=1 "$list"
expect 2 "a key of a policy that is not chosen" "choose it (l2.replacement = \"ship\")" $run --set ship.bits=8 "$list"
expect 2 "an unknown policy, whose choices are not explained" "(which line of a set goes)" $run --set l2.replacement=mine "$list"
expect 2 "an impossible value" "sm.count = 0 is too small" $run --set sm.count=0 "$list"
expect 0 "a key set" "" $run --set sm.count=8 "$list"

"$tracegen" matmul "$work/matmul" >/dev/null 2>&1
for option in --threads=1 --threads=2 --threads=3 --executor=serial --schedule=static --schedule=dynamic --window=1 \
    --no-skip; do
    $run $option --format json "$work/matmul/kernelslist.g" | sed '/^  "run": {/,/^  }/d' >"$work/other"
    [ -s "$work/first" ] || cp "$work/other" "$work/first"
    cmp -s "$work/first" "$work/other"
    ok $? "the same bytes with $option"
done

# Interrupted: the same kernel so often that the signal finds it running.
kernels=$(grep -v Memcpy "$work/matmul/kernelslist.g")
for _ in $(seq 20000); do echo "$kernels"; done >"$work/matmul/long.g"
$run --format json "$work/matmul/long.g" >"$work/out" 2>"$work/error" &
sleep 1
kill -INT $!
wait $!
ok $(($? == 130 ? 0 : 1)) "an interrupted run ends with status 130"
grep -q '"end": "interrupted"' "$work/out" && python3 -m json.tool "$work/out" >/dev/null
ok $? "and writes partial results"

[ -z "$($run --format json "$list" 2>&1 >/dev/null)" ]
ok $? "-qq leaves standard error empty"
tap_end
