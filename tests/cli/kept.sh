#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Nothing computed is lost: files come before standard output, every signal that can be caught leaves partial results,
# and temporaries go on every way out. Usage: kept.sh MANIPLE TRACEGEN
source "$(dirname "$0")/../tap.sh"
maniple=$(realpath "$1")
tracegen=$(realpath "$2")
work=$tap_folder
run="$maniple run --machine rtx3070 -q --threads 1"

"$tracegen" vectoradd "$work/trace" arch=86 >"$work/out" 2>&1
ok $? "maniple-tracegen vectoradd"
list=$work/trace/kernelslist.g

# whole FOLDER FILES…: these files are in the folder, with something in them, and no others.
whole() {
    local folder=$1
    shift
    [ "$(cd "$folder" && find . -type f -size +0 | sort | tr -d './\n')" = "$(printf '%s\n' "$@" | sort | tr -d './\n')" ]
}
three="machine.resolved results.json results.sqlite stats.txt"

# ===== standard output that takes nothing =====

for words in --help "run --help" "sweep --usage" "machines --help" --version; do
    # shellcheck disable=SC2086
    "$maniple" $words >/dev/full 2>"$work/error"
    ok $(($? == 2 ? 0 : 1)) "a full standard output is an error of maniple $words"
done
(ulimit -f 1 && exec $run -o "$work/small" "$list") >"$work/out" 2>"$work/error"
ok $(($? == 2 ? 0 : 1)) "results without room are an error"
[ ! -e "$work/small" ]
ok $? "and leave no folder"

$run --hash --costs -o "$work/head" "$list" 2>"$work/error" | head -1 >"$work/out"
# shellcheck disable=SC2086
whole "$work/head" costs.bin epochs.csv $three
ok $? "a reader that goes costs no file"
$run -o "$work/head2" "$list" 2>"$work/error" | true
[ ${PIPESTATUS[0]} -eq 141 ] || [ ${PIPESTATUS[0]} -eq 0 ]
[ ! -s "$work/error" ]
ok $? "and is no error"
$run --hash --costs -o "$work/devfull" "$list" >/dev/full 2>"$work/error"
ok $(($? == 2 ? 0 : 1)) "a full standard output is an error"
# shellcheck disable=SC2086
whole "$work/devfull" costs.bin epochs.csv $three
ok $? "and costs no file"
$run --hash --costs -o "$work/closed" "$list" >&- 2>"$work/error"
ok $(($? == 2 ? 0 : 1)) "a closed standard output is an error"
# shellcheck disable=SC2086
whole "$work/closed" costs.bin epochs.csv $three && grep -q "standard output" "$work/error"
ok $? "and costs no file"
mkdir -p "$work/nospace" && ln -s /dev/full "$work/nospace/stats.txt"
$run -o "$work/nospace" "$list" >"$work/out" 2>"$work/error"
[ $? -eq 2 ] && grep -q "State hash" "$work/out" && grep -q "No space left" "$work/error"
ok $? "a full disk does not cost standard output"
(ulimit -f 8 && exec $run --hash -o "$work/limited" "$list") >/dev/null 2>"$work/error"
[ $? -eq 2 ] && grep -q "File too large" "$work/error" && [ ! -e "$work/limited" ]
ok $? "a limit of the size of files is an error, and leaves nothing half-written"
for words in "report $work/head --html" "merge $work/head $work/devfull -o"; do
    # shellcheck disable=SC2086
    (ulimit -f 8 && exec "$maniple" $words "$work/too_long") >/dev/null 2>"$work/error"
    [ $? -eq 2 ] && grep -q "File too large" "$work/error" && [ ! -e "$work/too_long" ]
    ok $? "also of maniple ${words%% *}"
done

# ===== signals =====

kernels=$(grep -v Memcpy "$list")
for _ in $(seq 20000); do echo "$kernels"; done >"$work/trace/long.g"

# interrupted NAME SECONDS COMMAND…: runs a long simulation, calls the command with its process id and expects partial
# results within five seconds.
interrupted() {
    local name=$1 folder="$work/signal$tap_count" process status
    shift
    $run --hash --costs -o "$folder" "$work/trace/long.g" >/dev/null 2>"$work/error" &
    process=$!
    sleep 1
    "$@" $process
    timeout 5 tail --pid=$process -f /dev/null || kill -KILL $process
    wait $process
    status=$?
    # shellcheck disable=SC2086
    [ $status -eq 130 ] && grep -q '"end": "interrupted"' "$folder/results.json" &&
        whole "$folder" costs.bin epochs.csv $three
    ok $? "$name: partial results (status $status)"
}
twice() {
    kill -TERM "$1" 2>/dev/null
    sleep 0.005
    kill -TERM "$1" 2>/dev/null
}
interrupted "SIGINT" kill -INT
interrupted "SIGTERM" kill -TERM
interrupted "SIGHUP" kill -HUP
interrupted "SIGTERM twice, as timeout sends it" twice
timeout 1 $run -o "$work/timeout" "$work/trace/long.g" >/dev/null 2>"$work/error"
# shellcheck disable=SC2086
[ $? -eq 124 ] && whole "$work/timeout" $three
ok $? "timeout: partial results"
(trap '' HUP && exec $run --max-cycles 2000000 -o "$work/nohup" "$work/trace/long.g") >/dev/null 2>"$work/error" &
process=$!
sleep 0.5
kill -HUP $process
wait $process
ok $(($? == 3 ? 0 : 1)) "SIGHUP under nohup changes nothing"

# The time that the user gives.
expect 3 "--max-time: stops a run" 'stopped at --max-time: the results are partial' \
    "$maniple" run --max-time 0.7 --threads 1 -o "$work/late" "$work/trace/long.g"
# shellcheck disable=SC2086
whole "$work/late" $three && grep -q '"end": "time limit"' "$work/late/results.json"
ok $? "--max-time: with partial results"
expect 0 "--max-time: changes nothing where it is not over" '' $run --max-time 600 -o "$work/inside" "$list"
$run -o "$work/without" "$list" >/dev/null
diff <(sed '/^  "run"/,/^  }/d' "$work/inside/results.json") <(sed '/^  "run"/,/^  }/d' "$work/without/results.json") >/dev/null
ok $? "--max-time: the same results then"
for seconds in 0 -1 1e3 1.5s 9999999999 .5 1.0000000001 ''; do
    expect 2 "--max-time $seconds" 'is no number of seconds, such as 90 or 0.5' \
        "$maniple" run "--max-time=$seconds" "$list"
done

# A signal that cannot be caught leaves no half of a file.
$run --hash --costs -o "$work/killed" "$work/trace/long.g" >/dev/null 2>"$work/error" &
process=$!
sleep 1
kill -KILL $process
wait $process 2>/dev/null
[ -z "$(ls -A "$work/killed")" ]
ok $? "SIGKILL leaves no temporaries"
"$maniple" convert "$work/trace/long.g" -o "$work/packed.mtrace" >"$work/out" 2>&1 &
process=$!
sleep 0.5
kill -KILL $process
wait $process 2>/dev/null
ls "$work"/packed.mtrace* >/dev/null 2>&1
ok $(($? == 0 ? 1 : 0)) "nor does that of a conversion"

# While a simulation starts, a signal is noticed too.
mkfifo "$work/never"
$run -o "$work/starting" "$work/never" >/dev/null 2>"$work/error" &
process=$!
sleep 0.3
kill -TERM $process
timeout 2 tail --pid=$process -f /dev/null || kill -KILL $process
wait $process
ok $(($? == 130 ? 0 : 1)) "a signal while the input is waited for ends the run"
timeout 5 $run --max-time 0.3 "$work/never" >/dev/null 2>"$work/error"
ok $(($? == 3 ? 0 : 1)) "so does --max-time"
tap_end
