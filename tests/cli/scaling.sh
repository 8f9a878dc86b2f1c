#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# maniple scaling: records, predictions, measured runs beside them, the picture, and inputs that are no records.
# Usage: scaling.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
cd "$tap_folder" || exit 1

"$tracegen" matmul matmul n=64 >out 2>&1
list=matmul/kernelslist.g
expect 0 "a record" "" "$maniple" run -q --costs --threads 1 --machine rtx3070 -o one "$list"
expect 0 "another run" "" "$maniple" run -q --threads 2 --machine rtx3070 -o two "$list"
cmp -s one/stats.txt two/stats.txt
ok $? "recording changes no statistic"

expect 0 "predictions, and a run beside them" "windows of safe length" "$maniple" scaling one two -t 1,2,4 --barrier 500 -o plot.svg
# hand-out processes threads seconds speed-up …: one thread is the base, and no thread more makes it slower than that
# but for what meeting costs.
awk '$1 == "cost" && $2 == 1 { t[$3] = $4; s[$3] = $5; m[$3] = $10 }
     END { exit !(s[1] == "1.00" && t[2] <= t[1] + 0.01 && t[4] <= t[1] + 0.01 && m[2] > 0 && m[1] == "") }' out
ok $? "one thread is the base; two are no slower; the measured run stands at its threads"
grep -q "</svg>" plot.svg && [ "$(grep -c "<circle" plot.svg)" -eq 2 ]
ok $? "the picture has a point for the run, and one in its legend"
awk '/^Beside the units/ { found = $7 > 0 && $11 > 0 && $11 <= $7 } END { exit !found }' out
ok $? "what is done beside the units is told, and how much of it at the start"
expect 0 "processes" "^cost  *4  *2 " "$maniple" scaling one -p 2,4 -t 2 --exchange 1000
expect 0 "exchanges that cost too much" "of 1 thread: exchanges take 20 % of the time from 2" \
    "$maniple" scaling one -p 2 -t 1 --exchange 1000000
expect 0 "exchanges that cost nothing" "of 1 thread: exchanges stay below 20 %" \
    "$maniple" scaling one -p 2 -t 1 --exchange 1 --message 1 --bandwidth 1000000
"$maniple" run -q --costs --threads 1 --machine rtx3070 -o again "$list" >out 2>&1
seconds() { awk '$1 == "cost" && $2 == 1 && $3 == 1 { print $4 * 1000 }' out; }
"$maniple" scaling one -t 1 >out && first=$(seconds)
"$maniple" scaling one again -t 1 >out && both=$(seconds)
[ -n "$first" ] && [ -n "$both" ] && [ "${both%.*}" -le "${first%.*}" ]
ok $? "of two records the least counts"

expect 0 "a record of single cycles" "" "$maniple" run -q --costs --threads 1 --window 1 --machine rtx3070 -o cycles "$list"
"$maniple" run -q --executor lockstep --threads 2 --machine rtx3070 -o lockstep "$list" >out 2>&1
expect 0 "for the executors that meet in each" "^domains  *1  *2 " "$maniple" scaling cycles --barrier 500
expect 0 "a run of one of them" "^lockstep  *1  *2 .* [0-9.]* [0-9.]*$" "$maniple" scaling cycles lockstep -t 2
if "$maniple" run -q --executor openmp --schedule dynamic --threads 2 --machine rtx3070 -o loop "$list" >out 2>&1; then
    expect 0 "a loop with the dynamic schedule" "^openmp-dynamic  *1  *2 .* [0-9.]* [0-9.]*$" "$maniple" scaling cycles loop -t 2
    expect 0 "what a thread takes to get its next SM" "openmp-dynamic: 77 ns" "$maniple" scaling cycles --barrier 500 --take 77 -t 2
fi

"$maniple" run -q --executor relaxed:100 --costs --threads 1 --machine rtx3070 -o relaxed "$list" >out 2>&1
expect 0 "a record of relaxed windows says how long they are" "windows of 100 cycles" "$maniple" scaling relaxed
expect 2 "and is none of a run with others" "is a record of another run" "$maniple" scaling one relaxed

expect 2 "two threads cannot be recorded" "state --threads 1" "$maniple" run --costs --threads 2 -o x "$list"
expect 2 "nor without a folder" "state --threads 1 and -o DIR" "$maniple" run --costs --threads 1 "$list"
expect 2 "no folder" "state the folder" "$maniple" scaling
expect 2 "no record" "there is no record of costs" "$maniple" scaling two
expect 2 "no such run" "nowhere" "$maniple" scaling one nowhere
expect 2 "no numbers" "whole numbers from 1" "$maniple" scaling one -t 1,x
expect 2 "no nanoseconds" "state nanoseconds" "$maniple" scaling one --barrier 0
expect 2 "a record of another run" "is a record of another run" "$maniple" scaling one cycles
expect 2 "no bandwidth" "state megabytes" "$maniple" scaling one --bandwidth 0
mkdir broken
head -c 5000 one/costs.bin >broken/costs.bin
expect 2 "a record cut short" "is damaged in window" "$maniple" scaling broken
echo nothing >broken/costs.bin
expect 2 "no record at all" "is no record of costs" "$maniple" scaling broken
tap_end
