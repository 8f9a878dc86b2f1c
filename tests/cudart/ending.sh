#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Ends from outside: --max-time and signals, in kernels with and without time and in the program's own work; partial
# results each time. Usage: ending.sh MANIPLE APPS SANITIZERS
folder=$(cd "$(dirname "$0")" && pwd)
source "$folder/../tap.sh"
maniple=$(realpath "$1")
apps=$(realpath "$2")
if ! maniple=$(sanitize "$maniple" "$3"); then
    skip "ends from outside" "the sanitizer's runtime cannot be in the program"
    tap_end
fi
cd "$tap_folder" || exit 1
run="$maniple run -q --machine rtx3080ti --threads 1"

ended() { # FOLDER WORD: the results there say how they have ended
    python3 -c 'import json, sys
results = json.load(open(sys.argv[1] + "/results.json"))
sys.exit(results["total"]["end"] != sys.argv[2] or len(results["kernels"]) < 1)' "$1" "$2"
}

long="run spinlock --blocks 4096 --rounds 1000" # minutes, and little before the kernel
expect 3 "with time" '' timeout 60 $run --max-time 1.5 -o timed -- "$apps" $long
ended timed "time limit"
ok $? "has partial results"
expect 3 "without time" 'stopped at --max-time: the results are partial' \
    timeout 60 ${run/-q/} --functional --max-time 1.5 -o valued -- "$apps" $long
ended valued "time limit"
ok $? "has partial results"
python3 -c 'import json; kernel = json.load(open("valued/results.json"))["kernels"][-1]; assert kernel["partial"]'
ok $? "the kernel under way is partial"
expect 3 "between kernels by value" '' timeout 60 $run --kernels every:2 --max-time 1.5 -- "$apps" $long
expect 3 "in a program that has used CUDA and does something else" '' \
    timeout 60 $run --max-time 1 -o other -- bash -c "$apps run vecadd --size 1000; sleep 60"
ended other finished
ok $? "whose results are there"
expect 3 "in one that has not" 'has not used CUDA' timeout 60 $run --max-time 0.5 -- sleep 60
expect 0 "one that ends sooner" 'PASS' $run --max-time 600 -- "$apps" run vecadd --size 1000

# signalled NAME FOLDER COMMAND...: a signal after a second
signalled() {
    local name=$1 results=$2 process status
    shift 2
    "$@" >out 2>&1 &
    process=$!
    sleep 1
    kill -TERM $process
    timeout 10 tail --pid=$process -f /dev/null || kill -KILL $process
    wait $process
    status=$?
    [ $status -eq 130 ] && ended "$results" interrupted
    ok $? "SIGTERM $name: partial results (status $status)"
}
signalled "without time" by-value $run --functional -o by-value -- "$apps" $long
signalled "with time" with-time $run -o with-time -- "$apps" $long

# written NAME COMMAND...: a signal while the results are written to a pipe that is full changes nothing; they are whole
written() {
    local name=$1 process
    shift
    mkfifo pipe
    { sleep 2 && python3 -c 'import json, sys; json.load(sys.stdin)' 2>/dev/null; echo $? >whole; } <pipe &
    "$@" >pipe 2>out &
    process=$!
    sleep 1
    kill -TERM $process
    wait
    [ "$(cat whole)" = 0 ]
    ok $? "SIGTERM $name: they are whole"
    rm -f pipe whole
}
written "while a program's results are written" $run --format json -- "$apps" run vecadd --size 1000
tap_end
